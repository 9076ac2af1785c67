//! The starter kits: a small bot in each of many languages that plays every game, with what it needs to be built, tested
//! and described to the arena. Their files are part of the library; they lie in `starters/`, a directory a language.
//!
//! Nothing here writes or runs them.

/// A file of a starter kit.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its place in the kit's directory.
    pub path: &'static str,
    /// What is in it.
    pub content: &'static [u8],
}

struct Starter {
    language: &'static str,
    files: &'static [File],
}

const STARTERS: &[Starter] = include!(concat!(env!("OUT_DIR"), "/starters.rs"));

/// Other names of languages.
const ALIASES: [(&str, &str); 10] = [
    ("c++", "cpp"),
    ("golang", "go"),
    ("js", "javascript"),
    ("node", "javascript"),
    ("pl", "perl"),
    ("py", "python"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("sh", "shell"),
    ("ts", "typescript"),
];

/// The languages that there are kits for, sorted.
pub fn languages() -> impl Iterator<Item = &'static str> {
    STARTERS.iter().map(|starter| starter.language)
}

/// Other names of a language.
pub fn aliases(language: &str) -> impl Iterator<Item = &'static str> {
    let of_it = ALIASES.iter().filter(move |(_, of)| *of == language);
    of_it.map(|(alias, _)| *alias)
}

/// The files of the kit for a language of [`languages`].
pub fn files(language: &str) -> Option<&'static [File]> {
    let starter = STARTERS.iter().find(|starter| starter.language == language);
    starter.map(|starter| starter.files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_hide_no_language_and_are_of_one() {
        for language in languages() {
            assert!(ALIASES.iter().all(|(alias, _)| *alias != language), "{language}");
        }
        assert!(ALIASES.is_sorted_by(|one, next| one.0 < next.0));
    }

    #[test]
    fn every_kit_has_its_files_and_nothing_that_was_built() {
        assert!(languages().is_sorted());
        for language in languages() {
            let paths: Vec<&str> = files(language).into_iter().flatten().map(|file| file.path).collect();
            assert!(paths.contains(&"bot.toml") && paths.len() > 1, "{language}: {paths:?}");
            let built = |path: &&str| path.starts_with("target/") || path.starts_with("build/") || *path == "bot";
            assert!(!paths.iter().any(built), "{language}: {paths:?}");
        }
    }
}
