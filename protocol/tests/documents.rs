//! SPEC.md, schema.json and the example transcripts against the types: every JSON in them is read, checked with the
//! schema, and written again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mancala_arena_protocol::{
    DEPTH_MAX, Decoded, FAULTS, FROM_BOT_BYTES_MAX, FaultCode, Feature, FromBot, TO_BOT_BYTES_MAX, ToBot, VERSIONS,
    decode, encode, schema,
};
use serde_json::{Value, json};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap_or_else(|error| panic!("cannot read {name}: {error}"))
}

/// Checks lines of one direction each.
struct Checker {
    to_bot: jsonschema::Validator,
    from_bot: jsonschema::Validator,
}

impl Checker {
    fn new() -> Checker {
        let part = |name: &str| {
            let mut part = schema();
            part.as_object_mut().unwrap().remove("anyOf");
            part["$ref"] = format!("#/$defs/{name}").into();
            jsonschema::draft202012::new(&part).unwrap()
        };
        Checker {
            to_bot: part("ToBot"),
            from_bot: part("FromBot"),
        }
    }

    /// The message in a line to a bot, which says all that the line says.
    fn check_to_bot(&self, line: &str) -> ToBot {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Err(error) = self.to_bot.validate(&value) {
            panic!("{error}: {line}");
        }
        let message: ToBot = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let again: Value = serde_json::from_str(&encode(&message)).unwrap();
        assert_eq!(again, value, "{line}");
        message
    }

    /// What a line from a bot holds; of a message the schema says the same.
    fn check_from_bot(&self, line: &str) -> Decoded {
        let decoded = decode(line.as_bytes(), false).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Decoded::Message { message, .. } = &decoded {
            let value: Value = serde_json::from_str(line).unwrap();
            let known = !matches!(message, FromBot::Unknown { .. });
            assert_eq!(self.from_bot.is_valid(&value), known, "{line}");
        }
        decoded
    }
}

/// A fenced block of SPEC.md: what stands behind the fence, the line it starts at, and its lines.
struct Block {
    mark: String,
    at: usize,
    lines: Vec<String>,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text("SPEC.md").lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(mark)) => {
                open = Some(Block {
                    mark: mark.to_owned(),
                    at: number + 1,
                    lines: Vec::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last block of SPEC.md has no end");
    blocks
}

#[test]
fn every_example_of_the_spec_is_true() {
    let checker = Checker::new();
    let mut kinds = BTreeSet::new();
    for block in blocks() {
        let mut fault = None;
        for line in &block.lines {
            match block.mark.as_str() {
                "json to-bot" => {
                    let message = checker.check_to_bot(line);
                    kinds.insert(format!("> {}", kind(&json!(message))));
                }
                "json from-bot" => match checker.check_from_bot(line) {
                    Decoded::Message { message, .. } => {
                        kinds.insert(format!("< {}", kind(&json!(message))));
                    }
                    other => panic!("line {} of SPEC.md holds {other:?}", block.at),
                },
                "json position" => assert!(serde_json::from_str::<Value>(line).unwrap().is_object(), "{line}"),
                "text transcript" => match line.split_at(2) {
                    ("> ", line) => drop(checker.check_to_bot(line)),
                    ("< ", line) => drop(checker.check_from_bot(line)),
                    _ => panic!("neither `> ` nor `< `: {line}"),
                },
                "text faults" => match line.split_at(2) {
                    ("< ", line) => fault = decode(line.as_bytes(), false).err(),
                    ("! ", expected) => assert_eq!(fault.take().unwrap().to_string(), expected),
                    _ => panic!("neither `< ` nor `! `: {line}"),
                },
                "text timing" | "text languages" => {
                    assert!(line.chars().count() <= 80, "more than 80 columns: {line}");
                }
                "python smallest-bot" | "sh smallest-bot" => {}
                mark => panic!(
                    "the block at line {} of SPEC.md has the unknown mark `{mark}`",
                    block.at
                ),
            }
        }
        assert!(
            fault.is_none(),
            "no text is given for the last fault of the block at line {}",
            block.at
        );
    }
    let expected = [
        "< hello", "< info", "< move", "< ready", "< resign", "> end", "> error", "> hello", "> ply", "> quit",
        "> start", "> turn",
    ];
    assert_eq!(
        kinds.iter().map(String::as_str).collect::<Vec<_>>(),
        expected,
        "each message has an example"
    );
}

fn kind(message: &Value) -> &str {
    message["type"].as_str().unwrap()
}

/// How deep arrays and objects are nested in a value.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn lines_to_a_bot_have_the_form_that_the_spec_promises() {
    let checker = Checker::new();
    let mut deepest = 0;
    for block in blocks() {
        for line in &block.lines {
            let line = match block.mark.as_str() {
                "json to-bot" => line,
                "text transcript" => match line.strip_prefix("> ") {
                    Some(line) => line,
                    None => continue,
                },
                _ => continue,
            };
            let message = json!(checker.check_to_bot(line));
            let kind = kind(&message);
            assert!(line.starts_with(&format!("{{\"type\":\"{kind}\"")), "{line}");
            assert_eq!(
                line.len(),
                message.to_string().len(),
                "blanks outside of strings: {line}"
            );
            if kind == "turn" {
                assert_eq!(line.matches("\"legal\":[").count(), 1, "{line}");
            }
            deepest = deepest.max(depth(&message));
        }
    }
    let said = format!("nested at most {deepest} deep");
    assert!(text("SPEC.md").contains(&said), "SPEC.md does not say `{said}`");
}

#[test]
fn links_within_the_spec_lead_to_its_headings() {
    let spec = text("SPEC.md");
    let anchor = |heading: &str| heading.replace('`', "").to_lowercase().replace(' ', "-");
    let headings: BTreeSet<_> = spec.lines().filter(|line| line.starts_with("##")).collect();
    let anchors: BTreeSet<_> = headings
        .iter()
        .map(|line| anchor(line.trim_start_matches(['#', ' '])))
        .collect();
    let links: Vec<_> = spec
        .split("](#")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .collect();
    assert!(!links.is_empty());
    for (link, _) in links {
        assert!(anchors.contains(link), "SPEC.md has no heading for the link `#{link}`");
    }
}

#[test]
fn every_version_has_its_section_in_the_changelog() {
    let changelog = text("CHANGELOG.md");
    for version in VERSIONS {
        assert!(
            changelog.contains(&format!("\n## Version {version}\n")),
            "version {version}"
        );
    }
}

#[test]
fn the_smallest_bots_are_as_small_as_the_spec_says() {
    for mark in ["python smallest-bot", "sh smallest-bot"] {
        let found: Vec<_> = blocks().into_iter().filter(|block| block.mark == mark).collect();
        assert_eq!(found.len(), 1, "{mark}");
        assert!(found[0].lines.len() <= 8, "{mark} has {} lines", found[0].lines.len());
    }
}

#[test]
fn the_spec_names_every_code_feature_and_field() {
    let spec = text("SPEC.md");
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap();
    let fields = definitions.values().filter_map(|part| part["properties"].as_object());
    let names = fields.flat_map(|fields| fields.keys().map(String::as_str));
    let names = names.chain(FaultCode::ALL.map(FaultCode::as_str));
    let features = [Feature::Ready, Feature::Observe, Feature::SingleMatch, Feature::Ponder];
    for name in names.chain(features.map(Feature::as_str)) {
        assert!(spec.contains(&format!("`{name}`")), "SPEC.md does not name `{name}`");
    }
}

#[test]
fn the_table_of_faults_is_that_of_the_code() {
    let row = |cells: [&str; 5]| format!("| {} |\n", cells.join(" | "));
    let mut table = row(["code", "meaning", "with 2 seats", "with 3 or 4 seats", "what to do"]);
    table.push_str("|---|---|---|---|---|\n");
    for fault in FAULTS {
        let code = format!("`{}`", fault.code.as_str());
        table.push_str(&row([
            &code,
            fault.meaning,
            fault.with_two,
            fault.with_more,
            fault.advice,
        ]));
    }
    assert!(
        text("SPEC.md").contains(&format!("\n\n{table}\n")),
        "SPEC.md lacks:\n{table}"
    );
    assert_eq!(FAULTS.map(|fault| fault.code), FaultCode::ALL);
}

#[test]
fn the_spec_gives_the_limits_of_the_code() {
    let spec = text("SPEC.md");
    let number = |value: usize| {
        let digits = value.to_string();
        let groups: Vec<_> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| str::from_utf8(group).unwrap())
            .collect();
        groups.join(",")
    };
    for limit in [
        format!("{} bytes", number(FROM_BOT_BYTES_MAX)),
        format!("{} bytes", number(TO_BOT_BYTES_MAX)),
        format!("{} deep", number(DEPTH_MAX)),
    ] {
        assert!(spec.contains(&limit), "SPEC.md does not say `{limit}`");
    }
}

#[test]
fn codes_on_the_wire_are_the_codes_of_the_types() {
    for code in FaultCode::ALL {
        assert_eq!(json!(code), code.as_str());
    }
}

#[test]
fn the_schema_file_is_the_schema_of_the_types() {
    let expected = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(file("schema.json"), &expected).unwrap();
    }
    assert!(
        text("schema.json") == expected,
        "schema.json is not what the types say; `UPDATE_SCHEMA=1 cargo test -p mancala-arena-protocol` writes it anew"
    );
}

#[test]
fn the_schema_is_a_valid_one() {
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn the_schema_refuses_what_the_decoder_refuses() {
    let checker = Checker::new();
    for line in [
        json!({"pit": 3}),
        json!({"type": 7, "move": 3}),
        json!({"type": "move"}),
        json!({"type": "hello"}),
        json!({"type": "hello", "protocol": "1"}),
        json!({"type": "hello", "protocol": 1, "games": "kalah"}),
        json!({"move": 3, "ply": -1}),
        json!({"move": 3, "ply": 2.5}),
    ] {
        assert!(decode(line.to_string().as_bytes(), false).is_err(), "{line}");
        assert!(!checker.from_bot.is_valid(&line), "{line}");
    }
}

#[test]
fn example_transcripts_are_sessions() {
    let checker = Checker::new();
    let mut names: Vec<_> = fs::read_dir(file("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    for path in &names {
        let name = path.display();
        let mut seen = Vec::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
            let sent = row["message"].to_string();
            match (row["to"].as_str(), row["from"].as_str(), row["text"].as_str()) {
                (Some("bot"), None, None) => seen.push(format!("> {}", kind(&json!(checker.check_to_bot(&sent))))),
                (None, Some("bot"), None) => match checker.check_from_bot(&sent) {
                    Decoded::Message {
                        message,
                        unknown_fields,
                    } => {
                        assert!(unknown_fields.is_empty(), "{name}: {line}");
                        seen.push(format!("< {}", kind(&json!(message))));
                    }
                    other => panic!("{name}: {other:?}: {line}"),
                },
                (None, Some("bot"), Some(text)) => assert_eq!(checker.check_from_bot(text), Decoded::Log, "{name}"),
                _ => panic!("{name}: neither `to` nor `from` a bot: {line}"),
            }
        }
        assert_eq!(seen[..3], ["> hello", "< hello", "> start"], "{name}");
        let count = |what: &str| seen.iter().filter(|kind| *kind == what).count();
        assert_eq!(count("> turn"), count("< move"), "{name}");
        // A process that has made a fault is told why, and hears nothing more.
        let faults = count("> error");
        match faults {
            0 => assert_eq!(seen[seen.len() - 2..], ["> end", "> quit"], "{name}"),
            _ => assert_eq!(seen[seen.len() - 1], "> error", "{name}"),
        }
        assert_eq!(count("> start"), count("> end") + faults, "{name}");
    }
    assert_eq!(names.len(), 4, "{names:?}");
}
