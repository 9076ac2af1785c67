//! Reads messages, asks the bot for its moves, answers. Leave this file alone.
#![allow(dead_code)] // the bot need not look at everything that it is told

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

/// A move: the number of a pit in every game so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Move {
    /// As the arena wrote it.
    pub text: String,
    /// Where it is the number of a pit.
    pub pit: Option<usize>,
}

/// By seat, and by pit where there is a second index. What a game does not have is
/// empty.
#[derive(Clone, Debug, Default)]
pub struct Position {
    pub pits: Vec<Vec<usize>>,
    pub to_move: Option<usize>,
    pub stores: Vec<usize>,
    pub captured: Vec<usize>,
    pub uur_owner: Vec<Vec<Option<usize>>>,
    pub active: Vec<usize>,
    pub finished: Vec<usize>,
    pub left: Vec<usize>,
}

/// Begins a match.
#[derive(Clone, Debug, Default)]
pub struct Start {
    pub match_id: String,
    pub game: String,
    /// `6`, `true`, `either`.
    pub options: BTreeMap<String, String>,
    pub seat: usize,
    pub seats: usize,
    pub names: Vec<String>,
    pub position: Position,
    pub seed: u64,
    pub ponder: bool,
}

/// A move that was made.
#[derive(Clone, Debug, Default)]
pub struct Ply {
    pub ply: usize,
    pub seat: usize,
    pub chosen: Move,
}

/// Asks for a move.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    pub match_id: String,
    pub ply: usize,
    pub seat: usize,
    pub position: Position,
    pub legal: Vec<Move>,
    pub since: Vec<Ply>,
    pub move_ms_max: Option<f64>,
    pub bank_ms: Vec<f64>,
    pub increment_ms: Option<f64>,
    pub last_ms: Option<f64>,
}

/// Prints a line to standard error; standard output belongs to the arena.
pub fn log(line: impl std::fmt::Display) {
    eprintln!("{line}");
}

/// Plays match after match, until the arena says `quit` or closes the input.
pub fn run(choose_move: impl for<'a> Fn(&'a Turn, &Start) -> &'a Move) -> io::Result<()> {
    let mut start = Start::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let message = Reader::new(&line).value(0);
        match message.get("type").string().as_str() {
            "hello" => say(r#"{"type":"hello","protocol":1}"#)?,
            "start" => start = Start::read(&message),
            "turn" => {
                let turn = Turn::read(&message);
                let chosen = &choose_move(&turn, &start).text;
                let ply = turn.ply;
                say(&format!(r#"{{"type":"move","move":{chosen},"ply":{ply}}}"#))?;
            }
            "quit" => break,
            _ => {} // `end`, `error`, or of a later release: needs no answer
        }
    }
    Ok(())
}

fn say(message: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{message}")?;
    output.flush()
}

impl Move {
    fn read(json: &Json) -> Move {
        Move {
            text: json.text.to_owned(),
            pit: json.whole(),
        }
    }
}

impl Position {
    fn read(json: &Json) -> Position {
        let wholes = |json: &Json| json.list(|item| item.whole().unwrap_or_default());
        Position {
            pits: json.get("pits").list(wholes),
            to_move: json.get("to_move").whole(),
            stores: wholes(json.get("stores")),
            captured: wholes(json.get("captured")),
            uur_owner: json.get("uur_owner").list(|row| row.list(Json::whole)),
            active: wholes(json.get("active")),
            finished: wholes(json.get("finished")),
            left: wholes(json.get("left")),
        }
    }
}

impl Start {
    fn read(json: &Json) -> Start {
        Start {
            match_id: json.get("match").string(),
            game: json.get("game").string(),
            options: json.get("options").members(Json::string),
            seat: json.get("seat").whole().unwrap_or_default(),
            seats: json.get("seats").whole().unwrap_or_default(),
            names: json.get("names").list(Json::string),
            position: Position::read(json.get("position")),
            seed: json.get("seed").text.parse().unwrap_or_default(),
            ponder: json.get("ponder").text == "true",
        }
    }
}

impl Ply {
    fn read(json: &Json) -> Ply {
        Ply {
            ply: json.get("ply").whole().unwrap_or_default(),
            seat: json.get("seat").whole().unwrap_or_default(),
            chosen: Move::read(json.get("move")),
        }
    }
}

impl Turn {
    fn read(json: &Json) -> Turn {
        Turn {
            match_id: json.get("match").string(),
            ply: json.get("ply").whole().unwrap_or_default(),
            seat: json.get("seat").whole().unwrap_or_default(),
            position: Position::read(json.get("position")),
            legal: json.get("legal").list(Move::read),
            since: json.get("since").list(Ply::read),
            move_ms_max: json.get("move_ms_max").number(),
            bank_ms: json
                .get("bank_ms")
                .list(|bank| bank.number().unwrap_or_default()),
            increment_ms: json.get("increment_ms").number(),
            last_ms: json.get("last_ms").number(),
        }
    }
}

/// A JSON value in a line.
struct Json<'a> {
    text: &'a str,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// A number, `true`, `false` or `null`: its text says all.
    Word,
    String(String),
    Array(Vec<Json<'a>>),
    Object(BTreeMap<String, Json<'a>>),
}

impl<'a> Json<'a> {
    /// The member of an object; `null` where it is absent.
    fn get(&self, key: &str) -> &Json<'a> {
        static ABSENT: Json = Json {
            text: "null",
            kind: Kind::Word,
        };
        match &self.kind {
            Kind::Object(members) => members.get(key).unwrap_or(&ABSENT),
            _ => &ABSENT,
        }
    }

    fn list<T>(&self, read: impl Fn(&Json<'a>) -> T) -> Vec<T> {
        match &self.kind {
            Kind::Array(items) => items.iter().map(read).collect(),
            _ => Vec::new(),
        }
    }

    fn members<T>(&self, read: impl Fn(&Json<'a>) -> T) -> BTreeMap<String, T> {
        match &self.kind {
            Kind::Object(members) => {
                let read = |(key, value): (&String, &Json<'a>)| (key.clone(), read(value));
                members.iter().map(read).collect()
            }
            _ => BTreeMap::new(),
        }
    }

    fn number(&self) -> Option<f64> {
        self.text.parse().ok()
    }

    fn whole(&self) -> Option<usize> {
        self.text.parse().ok()
    }

    /// The string; of a word its text.
    fn string(&self) -> String {
        match &self.kind {
            Kind::String(string) => string.clone(),
            _ => self.text.to_owned(),
        }
    }
}

const DEPTH_MAX: usize = 64;

/// Reads a line; panics where it is not JSON, which the arena never sends.
struct Reader<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(line: &'a str) -> Reader<'a> {
        Reader { line, at: 0 }
    }

    fn fail(&self, expected: &str) -> ! {
        let found: String = self.line[self.at..].chars().take(20).collect();
        panic!("expected {expected} at byte {}, found `{found}`", self.at);
    }

    fn value(&mut self, depth: usize) -> Json<'a> {
        self.skip_blanks();
        let begin = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.object(depth + 1)),
            Some(b'[') => Kind::Array(self.array(depth + 1)),
            Some(b'"') => Kind::String(self.string()),
            _ => self.word(),
        };
        let text = &self.line[begin..self.at];
        Json { text, kind }
    }

    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, expected: &str) -> bool {
        let found = self.line[self.at..].starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Reads what stands between brackets: `item` reads one item.
    fn items(&mut self, close: &str, depth: usize, mut item: impl FnMut(&mut Self)) {
        if depth > DEPTH_MAX {
            self.fail("less depth");
        }
        self.at += 1;
        self.skip_blanks();
        if self.skip(close) {
            return;
        }
        loop {
            self.skip_blanks();
            item(self);
            self.skip_blanks();
            if self.skip(close) {
                return;
            } else if !self.skip(",") {
                self.fail(&format!("`,` or `{close}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Vec<Json<'a>> {
        let mut array = Vec::new();
        self.items("]", depth, |reader| array.push(reader.value(depth)));
        array
    }

    fn object(&mut self, depth: usize) -> BTreeMap<String, Json<'a>> {
        let mut object = BTreeMap::new();
        self.items("}", depth, |reader| {
            let key = reader.string();
            reader.skip_blanks();
            if !reader.skip(":") {
                reader.fail("`:`");
            }
            object.insert(key, reader.value(depth));
        });
        object
    }

    fn word(&mut self) -> Kind<'a> {
        let begin = self.at;
        while matches!(
            self.peek(),
            Some(b'a'..=b'z' | b'0'..=b'9' | b'E' | b'+' | b'-' | b'.')
        ) {
            self.at += 1;
        }
        let word = &self.line[begin..self.at];
        if !matches!(word, "true" | "false" | "null") && word.parse::<f64>().is_err() {
            self.fail("a value");
        }
        Kind::Word
    }

    fn string(&mut self) -> String {
        if !self.skip("\"") {
            self.fail("`\"`");
        }
        let mut string = String::new();
        loop {
            let rest = &self.line[self.at..];
            let Some(length) = rest.find(['"', '\\']) else {
                self.fail("`\"` after it");
            };
            string.push_str(&rest[..length]);
            self.at += length;
            if self.skip("\"") {
                return string;
            }
            self.at += 1;
            string.push(self.escape());
        }
    }

    fn escape(&mut self) -> char {
        let escape = self.peek();
        let meaning = match escape {
            Some(escape @ (b'"' | b'\\' | b'/')) => char::from(escape),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => self.fail("an escape"),
        };
        self.at += 1;
        meaning
    }

    /// Half of a surrogate pair stands for nothing: U+FFFD.
    fn unicode(&mut self) -> char {
        let mut code = self.hex4();
        if (0xd800..0xdc00).contains(&code) && self.skip("\\u") {
            let low = self.hex4();
            code = 0x10000 + ((code - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
        }
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> u32 {
        let digits = self.line.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(digits) = digits else {
            self.fail("four hexadecimal digits");
        };
        self.at += 4;
        u32::from_str_radix(digits, 16).expect("hexadecimal digits are a number")
    }
}
