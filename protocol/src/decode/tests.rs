use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::FROM_BOT_BYTES_MAX;

/// The message in `line` and the names of its unknown fields.
fn read(line: &str) -> (FromBot, Vec<String>) {
    match decode(line.as_bytes(), false) {
        Ok(Decoded::Message {
            message,
            unknown_fields,
        }) => (message, unknown_fields),
        other => panic!("{line} is {other:?}"),
    }
}

fn mv(value: Value) -> FromBot {
    FromBot::Move { mv: value, ply: None }
}

#[track_caller]
fn check_fault(line: impl AsRef<[u8]>, expected: &str) {
    let line = line.as_ref();
    let shown = excerpt(line, 80);
    let error = decode(line, true).expect_err(&shown);
    assert_eq!(error.to_string(), expected, "{shown}");
}

#[test]
fn a_move_needs_no_type() {
    assert_eq!(read(r#"{"move":3}"#).0, mv(json!(3)));
    assert_eq!(read(r#"{"type":"move","move":3}"#).0, mv(json!(3)));
    assert_eq!(read(r#"{"m\u006fve":3,"type":"m\u006fve"}"#).0, mv(json!(3)));
}

#[test]
fn a_move_is_any_value() {
    for value in [
        json!("2"),
        json!(true),
        json!(null),
        json!([2]),
        json!({"pit": [2]}),
        json!(2.5),
        json!(-1),
    ] {
        assert_eq!(read(&json!({ "move": value }).to_string()).0, mv(value));
    }
}

#[test]
fn whole_numbers_have_many_spellings() {
    for number in ["2", "2.0", "2e0", "20e-1"] {
        let (message, _) = read(&format!(r#"{{"move":3,"ply":{number}}}"#));
        assert_eq!(
            message,
            FromBot::Move {
                mv: json!(3),
                ply: Some(2)
            },
            "{number}"
        );
    }
    let (message, _) = read(r#"{"type":"hello","protocol":1.0}"#);
    assert!(matches!(message, FromBot::Hello(BotHello { protocol: 1, .. })));
}

#[test]
fn numbers_never_wrap() {
    check_fault(
        r#"{"move":3,"ply":1e300}"#,
        "`ply` is `1e+300`, expected the number of a ply in the object at column 1",
    );
    check_fault(
        r#"{"type":"hello","protocol":4294967297}"#,
        "`protocol` is `4294967297`, expected the number of a version in the object at column 1",
    );
    check_fault(r#"{"move":1e400}"#, "number out of range at column 13");
    assert_eq!(
        read(r#"{"move":18446744073709551616}"#).0,
        mv(json!(18446744073709551616.0))
    );
}

#[test]
fn a_null_field_is_an_absent_one() {
    assert_eq!(read(r#"{"move":3,"ply":null}"#).0, mv(json!(3)));
    let (message, unknown) = read(r#"{"type":"hello","protocol":1,"name":null,"games":null,"features":null}"#);
    assert_eq!(
        message,
        FromBot::Hello(BotHello {
            protocol: 1,
            ..BotHello::default()
        })
    );
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn a_hello_says_all_it_may() {
    let (message, unknown) = read(
        r#"{"type":"hello","protocol":1,"name":"a","version":"b","author":"c","games":["kalah"],"features":["ready","x"],"pid":7}"#,
    );
    let FromBot::Hello(hello) = message else {
        panic!("{message:?}")
    };
    assert_eq!(hello.name.as_deref(), Some("a"));
    assert_eq!(hello.version.as_deref(), Some("b"));
    assert_eq!(hello.author.as_deref(), Some("c"));
    assert_eq!(hello.games, Some(vec!["kalah".to_owned()]));
    assert!(hello.has(crate::Feature::Ready) && !hello.has(crate::Feature::Observe));
    assert_eq!(unknown, ["pid"]);
}

#[test]
fn unknown_types_and_fields_are_named_and_no_fault() {
    let (message, unknown) = read(r#"{"type":"ponderhit","move":3,"x":1}"#);
    assert_eq!(
        message,
        FromBot::Unknown {
            kind: "ponderhit".to_owned()
        }
    );
    assert_eq!(unknown, [""; 0]);
    assert_eq!(read(r#"{"move":3,"eval":{"a":[1]},"pit":3}"#).1, ["eval", "pit"]);
    assert_eq!(
        read(r#"{"type":"ready","move":3}"#),
        (FromBot::Ready, vec!["move".to_owned()])
    );
    assert_eq!(
        read(r#"{"type":"resign","ply":3}"#),
        (FromBot::Resign, vec!["ply".to_owned()])
    );
}

#[test]
fn an_info_keeps_every_field_but_its_type() {
    let (message, unknown) = read(r#"{"type":"info","move":3,"ply":4,"score":0.5}"#);
    let FromBot::Info(fields) = message else {
        panic!("{message:?}")
    };
    assert_eq!(Value::Object(fields), json!({"move": 3, "ply": 4, "score": 0.5}));
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn blanks_around_a_message_do_not_matter() {
    for line in ["{\"move\":3}\r", " \t{ \"move\" : 3 } \r", "\t\r {\"move\":3}"] {
        assert_eq!(read(line).0, mv(json!(3)), "{line:?}");
    }
    for line in ["", "\r", " \t \r"] {
        assert_eq!(decode(line.as_bytes(), false), Ok(Decoded::Blank), "{line:?}");
    }
}

#[test]
fn a_byte_order_mark_is_passed_over_on_the_first_line_only() {
    let line = "\u{feff}{\"move\":3}".as_bytes();
    assert!(matches!(decode(line, true), Ok(Decoded::Message { .. })));
    assert_eq!(decode(line, false), Ok(Decoded::Log));
    assert_eq!(decode("\u{feff}\r".as_bytes(), true), Ok(Decoded::Blank));
    assert_eq!(decode("\u{feff}\u{feff}{}".as_bytes(), true), Ok(Decoded::Log));
}

#[test]
fn a_line_that_does_not_begin_with_a_brace_is_a_log_line() {
    for line in [
        &b"thinking..."[..],
        b"[1]",
        b"3",
        b"\xff\xfe{",
        b"\x0c{\"move\":3}",
        b"\0{}",
        b"}",
    ] {
        assert_eq!(decode(line, true), Ok(Decoded::Log), "{}", excerpt(line, 80));
    }
}

#[test]
fn a_syntax_fault_names_what_was_expected_and_where() {
    check_fault(r#"{"type":"move" "pit":3}"#, "expected `,` or `}` at column 16");
    check_fault(r#"{"move" 3}"#, "expected `:` at column 9");
    check_fault(r#"{"move":3,}"#, "trailing comma at column 11");
    check_fault("{move:3}", "key must be a string at column 2");
    check_fault(r#"{"move":}"#, "expected value at column 9");
    check_fault(r#"{"move":03}"#, "invalid number at column 10");
    check_fault("{'move':3}", "key must be a string at column 2");
}

#[test]
fn a_line_that_ends_too_early_is_a_fault() {
    check_fault("{", "the line ends inside the message at column 1");
    check_fault(r#"{"move":[3"#, "the line ends inside the message at column 10");
    check_fault(r#"{"move":"3}"#, "the line ends inside the message at column 11");
}

#[test]
fn something_behind_the_object_is_a_fault() {
    check_fault(r#"{"move":3} {"move":4}"#, "trailing characters at column 12");
    check_fault(r#"{"move":3};"#, "trailing characters at column 11");
}

#[test]
fn nan_and_infinity_are_faults_that_name_the_word() {
    for word in NOT_JSON {
        check_fault(
            format!(r#"{{"move":{word}}}"#),
            &format!("`{word}` is not JSON at column 9"),
        );
        check_fault(
            format!(r#"{{"move":3,"eval":[0.5, {word} ]}}"#),
            &format!("`{word}` is not JSON at column 24"),
        );
    }
    assert_eq!(read(r#"{"move":"NaN"}"#).0, mv(json!("NaN")));
}

#[test]
fn columns_count_characters_of_the_line_as_it_was_sent() {
    check_fault(r#"  {"a":x}"#, "expected value at column 8");
    check_fault("\u{feff}{\"a\":x}", "expected value at column 7");
    check_fault("\u{feff} {\"é\":\"日本\", x}", "key must be a string at column 14");
    check_fault("{\"a\":NaN\u{e9}}", "`NaN` is not JSON at column 6");
    check_fault("{\"a\":é}", "expected value at column 6");
    check_fault("\u{feff} {}", "neither `type` nor `move` in the object at column 3");
}

#[test]
fn a_repeated_key_is_a_fault_at_any_depth() {
    check_fault(r#"{"move":3,"move":3}"#, "repeated key `move` at column 16");
    check_fault(
        r#"{"type":"move","type":"move","move":3}"#,
        "repeated key `type` at column 21",
    );
    check_fault(r#"{"move":3,"ply":1,"ply":1}"#, "repeated key `ply` at column 23");
    check_fault(r#"{"move":3,"m\u006fve":4}"#, "repeated key `move` at column 21");
    check_fault(r#"{"move":3,"x":[{"a":1,"a":2}]}"#, "repeated key `a` at column 25");
    check_fault(r#"{"move":3,"x":1,"x":2}"#, "repeated key `x` at column 19");
}

#[test]
fn the_bound_on_depth_is_exact() {
    assert_eq!(DEPTH_MAX, 64);
    for (open, inner, close) in [("[", "1", "]"), (r#"{"a":"#, "1", "}")] {
        let nested = |depth: usize| {
            format!(
                r#"{{"move":3,"x":{}{inner}{}}}"#,
                open.repeat(depth),
                close.repeat(depth)
            )
        };
        // The message's own braces count.
        assert_eq!(read(&nested(DEPTH_MAX - 1)).1, ["x"]);
        for depth in [DEPTH_MAX, 127, 128, 10_000] {
            let column = 14 + open.len() * (DEPTH_MAX - 1) + 1;
            check_fault(nested(depth), &format!("nested more than 64 deep at column {column}"));
        }
        // A line may break off in there: the depth is the first cause.
        check_fault(
            format!(r#"{{"move":{}"#, open.repeat(DEPTH_MAX + 5)),
            &format!(
                "nested more than 64 deep at column {}",
                8 + open.len() * (DEPTH_MAX - 1) + 1
            ),
        );
    }
}

#[test]
fn bytes_that_are_not_utf8_are_a_fault_with_their_offset() {
    check_fault(b"{\"move\":\"\xff\"}", "not UTF-8 at byte offset 9");
    check_fault(b"\xef\xbb\xbf {\"move\":\"\xc3\"}", "not UTF-8 at byte offset 13");
}

#[test]
fn fields_of_the_wrong_kind_are_faults_that_show_them() {
    check_fault(
        r#"{"type":7}"#,
        "`type` is `7`, expected a string in the object at column 1",
    );
    check_fault(r#"{"type":"move"}"#, "`move` is missing in the object at column 1");
    check_fault(r#" {"pit":3}"#, "neither `type` nor `move` in the object at column 2");
    check_fault(r#"{"type":"hello"}"#, "`protocol` is missing in the object at column 1");
    check_fault(
        r#"{"type":"hello","protocol":"1"}"#,
        "`protocol` is `\"1\"`, expected the number of a version in the object at column 1",
    );
    check_fault(
        r#"{"type":"hello","protocol":1,"games":"kalah"}"#,
        "`games` is `\"kalah\"`, expected a list of strings in the object at column 1",
    );
    for ply in ["-1", "2.5", "\"2\"", "true", "[2]"] {
        check_fault(
            format!(r#"{{"move":3,"ply":{ply}}}"#),
            &format!("`ply` is `{ply}`, expected the number of a ply in the object at column 1"),
        );
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300..1e300).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn from_bot() -> impl Strategy<Value = FromBot> {
    let text = || prop::option::of(any::<String>());
    let texts = || prop::collection::vec(any::<String>(), 0..3);
    let hello = (any::<u32>(), text(), text(), text(), prop::option::of(texts()), texts());
    prop_oneof![
        hello.prop_map(|(protocol, name, version, author, games, features)| {
            FromBot::Hello(BotHello {
                protocol,
                name,
                version,
                author,
                games,
                features,
            })
        }),
        Just(FromBot::Ready),
        Just(FromBot::Resign),
        (json_value(), prop::option::of(any::<u64>())).prop_map(|(mv, ply)| FromBot::Move { mv, ply }),
        prop::collection::btree_map("[a-s]{0,8}", json_value(), 0..4)
            .prop_map(|fields| FromBot::Info(fields.into_iter().collect())),
        "x[a-z]{0,8}".prop_map(|kind| FromBot::Unknown { kind }),
    ]
}

proptest! {
    #[test]
    fn an_encoded_message_decodes_to_itself(message in from_bot()) {
        let line = serde_json::to_string(&message).unwrap();
        let expected = Decoded::Message { message, unknown_fields: Vec::new() };
        prop_assert_eq!(decode(line.as_bytes(), false).unwrap(), expected);
    }

    #[test]
    fn a_move_in_its_plainest_form_is_what_the_json_reader_makes_of_it(
        typed: bool,
        mv in "[0-9]{0,11}|-1|1e0|1.0",
        ply in "[0-9]{1,11}|null|\"2\"",
        tail in "|,\"x\":1|}| ",
    ) {
        let fields = format!("{}\"move\":{mv},\"ply\":{ply}{tail}}}", if typed { "\"type\":\"move\"," } else { "" });
        // A blank is enough not to be plain.
        let plain = decode(format!("{{{fields}").as_bytes(), false);
        let general = decode(format!("{{ {fields}").as_bytes(), false);
        prop_assert_eq!(plain.is_ok(), general.is_ok());
        if let (Ok(plain), Ok(general)) = (plain, general) {
            prop_assert_eq!(plain, general);
        }
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(line in prop::collection::vec(any::<u8>(), 0..60), first: bool) {
        let _ = decode(&line, first);
    }

    #[test]
    fn a_damaged_message_is_decoded_or_refused_at_a_true_column(
        message in from_bot(),
        at in any::<prop::sample::Index>(),
        with in "\\PC{0,3}",
    ) {
        let line = serde_json::to_string(&message).unwrap();
        let mut chars: Vec<char> = line.chars().collect();
        let at = 1 + at.index(chars.len() - 1);
        chars.splice(at..=at.min(chars.len() - 1), with.chars());
        let line: String = chars.iter().collect();
        if let Err(DecodeError::Form(text)) = decode(line.as_bytes(), false) {
            let (_, column) = text.rsplit_once(" at column ").unwrap();
            let column: usize = column.parse().unwrap();
            prop_assert!((1..=chars.len()).contains(&column), "{} of {}", text, line);
        }
    }
}

#[test]
fn the_longest_line_is_decoded() {
    let text = "x".repeat(FROM_BOT_BYTES_MAX - r#"{"type":"info","text":""}"#.len());
    let line = format!(r#"{{"type":"info","text":"{text}"}}"#);
    assert_eq!(line.len(), FROM_BOT_BYTES_MAX);
    assert!(matches!(read(&line).0, FromBot::Info(_)));
}
