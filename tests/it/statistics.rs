//! The page on statistics: what it shows is what the program prints.

use std::path::Path;

use tempfile::TempDir;

use crate::program::{code, run, stderr, stdout};

const PAGE: &str = include_str!("../../arena/STATISTICS.md");

/// The commands of the page with the beginning of what they print.
fn examples() -> Vec<(Vec<&'static str>, String)> {
    let mut examples: Vec<(Vec<&str>, String)> = Vec::new();
    let blocks = PAGE.split("```console\n").skip(1);
    for line in blocks.flat_map(|block| block.split("```").next().expect("a block ends").lines()) {
        match line.strip_prefix("$ arena ") {
            Some(args) => examples.push((args.split(' ').collect(), String::new())),
            None => {
                let (_, output) = examples.last_mut().expect("a block begins with a command");
                *output += line;
                output.push('\n');
            }
        }
    }
    examples
}

#[test]
fn the_page_shows_what_the_program_prints() {
    let dir = TempDir::new().expect("a directory can be made");
    let examples = examples();
    assert!(examples.len() >= 5, "{examples:?}");
    for (args, expected) in examples {
        let output = run(dir.path(), &args);
        assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), expected, "{args:?}");
    }
}

#[test]
fn the_page_is_a_topic_of_the_help() {
    let output = run(Path::new("/"), &["help", "statistics"]);
    assert_eq!((code(&output), stdout(&output)), (0, PAGE.to_owned()));
}
