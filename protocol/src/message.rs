//! The messages.
//!
//! `P` is the type of a position and `L` of a list of moves: JSON values where nobody looks inside, a game's own form in
//! a bot that knows the game. Fields may be added in any version; a reader ignores what it does not know.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A message from the arena to a bot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "ToBot")]
pub enum ToBot<P = Value, L = Vec<Value>> {
    /// The first line; the bot answers with a `hello` of its own.
    Hello(Hello),
    /// A match begins.
    Start(Start<P>),
    /// It is the bot's turn; it answers with a move.
    Turn(Turn<P, L>),
    /// Another seat has moved; only for a bot with the feature `observe`.
    Ply(Observed),
    /// The bot has made a fault; sent before the forfeit takes effect, so that its author sees why.
    Error(Fault<L>),
    /// A match is over.
    End(End),
    /// No more matches; the bot's input is closed next.
    Quit,
}

/// What the arena speaks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The protocol versions that the arena speaks, the best first.
    pub protocols: Vec<u32>,
    /// Name and version of the arena.
    pub arena: String,
}

/// A match begins.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Start")]
pub struct Start<P = Value> {
    /// The match's id.
    pub r#match: String,
    /// The name of the game.
    pub game: String,
    /// Every option of the game with its value: numbers, words, or `true` and `false`.
    pub options: Map<String, Value>,
    /// The bot's own seat, 0-based.
    pub seat: u8,
    /// The number of seats.
    pub seats: u8,
    /// The bots' names by seat.
    pub names: Vec<String>,
    /// The position before ply 0.
    pub position: P,
    /// The time control.
    pub time: Control,
    /// A seed for the bot's own random numbers: the same match has the same seed when it is played again.
    pub seed: u64,
    /// Whether the bot may think while it is not its turn.
    pub ponder: bool,
}

/// A time control; milliseconds. All absent: no clock, only a limit for a bot that hangs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// The most a move may take.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub move_ms_max: Option<u64>,
    /// What each seat's bank holds at the start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bank_ms: Option<u64>,
    /// What is added to the bank after each move in time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub increment_ms: Option<u64>,
    /// Present where limit and bank are measured in the processor time that the bot uses: the most a move may take by the
    /// wall.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wall_ms_max: Option<u64>,
    /// What is allowed on top before a move counts as late.
    pub grace_ms: u64,
}

/// A request for a move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub struct Turn<P = Value, L = Vec<Value>> {
    /// The match's id.
    pub r#match: String,
    /// The number of the ply asked for, 0-based.
    pub ply: u32,
    /// The bot's own seat, 0-based.
    pub seat: u8,
    /// The position now, absolute.
    pub position: P,
    /// The legal moves: the answer is one of these.
    pub legal: L,
    /// All plies since this bot's last turn, that turn's own move included.
    pub since: Vec<PlyMove>,
    /// The most this move may take, in milliseconds, when moves are limited.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub move_ms_max: Option<u64>,
    /// What each seat's bank holds, in milliseconds, when there are banks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bank_ms: Option<Vec<u64>>,
    /// What is added to the bank after this move, in milliseconds, when there are banks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub increment_ms: Option<u64>,
    /// The time of this bot's previous move as the arena measured it, in milliseconds; absent at its first turn.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_ms: Option<f64>,
}

/// A ply that has been played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlyMove {
    /// Its number, 0-based.
    pub ply: u32,
    /// Who moved, 0-based.
    pub seat: u8,
    /// The move.
    pub r#move: Value,
}

/// A move of another seat, told as soon as it is made.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// The match's id.
    pub r#match: String,
    /// The ply's number, 0-based.
    pub ply: u32,
    /// Who moved, 0-based.
    pub seat: u8,
    /// The move.
    pub r#move: Value,
}

/// What a bot did wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Fault")]
pub struct Fault<L = Vec<Value>> {
    /// Which kind of fault.
    pub code: FaultCode,
    /// What was found and what was expected, for people.
    pub message: String,
    /// What the bot sent, cut and escaped.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub received: Option<String>,
    /// The moves that were legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<L>,
}

/// The kinds of fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    /// The program could not be started.
    CannotStart,
    /// No `hello` within the start limit, or no `ready` from a bot that announced it.
    NoHello,
    /// The `hello` names a version that was not offered.
    UnsupportedProtocol,
    /// The process ended.
    Exited,
    /// The bot closed its output and lives on.
    ClosedOutput,
    /// The bot closed its input.
    ClosedInput,
    /// The bot does not read what it is sent.
    NotReading,
    /// The move came after the limit, or not at all.
    Late,
    /// A line that begins with `{` and is not a message.
    NotAMessage,
    /// A line above the limit.
    LineTooLong,
    /// More output in one turn than the limit.
    OutputFlood,
    /// A move that is not legal.
    IllegalMove,
    /// The bot used more memory than it may.
    MemoryLimit,
    /// The bot ran into another limit of its sandbox.
    OtherLimit,
}

impl FaultCode {
    /// Every kind, in the order of the documentation.
    pub const ALL: [FaultCode; 14] = [
        FaultCode::CannotStart,
        FaultCode::NoHello,
        FaultCode::UnsupportedProtocol,
        FaultCode::Exited,
        FaultCode::ClosedOutput,
        FaultCode::ClosedInput,
        FaultCode::NotReading,
        FaultCode::Late,
        FaultCode::NotAMessage,
        FaultCode::LineTooLong,
        FaultCode::OutputFlood,
        FaultCode::IllegalMove,
        FaultCode::MemoryLimit,
        FaultCode::OtherLimit,
    ];

    /// The code on the wire, in the store and in exports.
    pub const fn as_str(self) -> &'static str {
        match self {
            FaultCode::CannotStart => "cannot_start",
            FaultCode::NoHello => "no_hello",
            FaultCode::UnsupportedProtocol => "unsupported_protocol",
            FaultCode::Exited => "exited",
            FaultCode::ClosedOutput => "closed_output",
            FaultCode::ClosedInput => "closed_input",
            FaultCode::NotReading => "not_reading",
            FaultCode::Late => "late",
            FaultCode::NotAMessage => "not_a_message",
            FaultCode::LineTooLong => "line_too_long",
            FaultCode::OutputFlood => "output_flood",
            FaultCode::IllegalMove => "illegal_move",
            FaultCode::MemoryLimit => "memory_limit",
            FaultCode::OtherLimit => "other_limit",
        }
    }
}

/// A match is over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// The match's id.
    pub r#match: String,
    /// Places by seat, 1 is best; equal seats share a place.
    pub places: Vec<u8>,
    /// Points by seat, as the game counts them.
    pub points: Vec<u32>,
    /// Why the match ended: `rules`, `repetition`, `ply_cap`, `resignation`, `fault`.
    pub reason: String,
    /// The faults made in the match.
    pub faults: Vec<SeatFault>,
}

/// Who made a fault, and when.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatFault {
    /// The seat, 0-based.
    pub seat: u8,
    /// The ply that was asked for.
    pub ply: u32,
    /// Which kind of fault.
    pub code: FaultCode,
    /// What was found and what was expected, for people.
    pub message: String,
}

/// A message from a bot.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromBot {
    /// It has started.
    Hello(BotHello),
    /// It has prepared for the match.
    Ready,
    /// Its move; the type may be left out.
    #[schemars(transform = type_is_optional)]
    Move {
        /// The move, not yet checked against the legal ones.
        #[serde(rename = "move")]
        mv: Value,
        /// The ply it answers, when it says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        ply: Option<u64>,
    },
    /// Anything it wants kept with the record.
    Info(Map<String, Value>),
    /// It leaves the match.
    Resign,
    /// A type that this version does not know: ignored and counted.
    #[serde(untagged)]
    #[schemars(skip)]
    Unknown {
        /// The type.
        #[serde(rename = "type")]
        kind: String,
    },
}

fn type_is_optional(schema: &mut Schema) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != "type");
    }
}

/// What a bot says of itself in its `hello`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BotHello {
    /// The bot's choice from the versions offered.
    pub protocol: u32,
    /// The program's name. Names shown to people come from the plan.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The program's version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author: Option<String>,
    /// The games it plays; absent: any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub games: Option<Vec<String>>,
    /// What it does beyond the minimum; names that are not known are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub features: Vec<String>,
}

/// What a bot can do beyond the minimum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feature {
    /// It answers `start` with `ready`, and gets its first turn only then.
    Ready,
    /// It wants a `ply` line for every move of the others.
    Observe,
    /// It wants a fresh process for each match.
    SingleMatch,
    /// It thinks while it is not its turn, where that is allowed.
    Ponder,
}

impl Feature {
    /// The feature's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Feature::Ready => "ready",
            Feature::Observe => "observe",
            Feature::SingleMatch => "single-match",
            Feature::Ponder => "ponder",
        }
    }
}

impl BotHello {
    /// Whether the bot announced `feature`.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.iter().any(|name| name == feature.as_str())
    }
}

/// The message as one line, with its newline.
pub fn encode<P: Serialize, L: Serialize>(message: &ToBot<P, L>) -> String {
    let mut line = Vec::with_capacity(256);
    encode_into(message, &mut line);
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// Appends the message as one line, with its newline.
pub fn encode_into<P: Serialize, L: Serialize>(message: &ToBot<P, L>, line: &mut Vec<u8>) {
    serde_json::to_writer(&mut *line, message).expect("messages have string keys and writing to memory cannot fail");
    line.push(b'\n');
}

/// A `turn` whose position, legal moves and plies are at hand as text: what a referee sends at every ply, without building
/// a [`Turn`]. [`TurnLine::encode_into`] gives exactly the line that the `Turn` would give.
#[derive(Debug)]
pub struct TurnLine<'a, S> {
    /// As [`Turn::match`], as JSON text.
    pub r#match: &'a str,
    /// As [`Turn::ply`].
    pub ply: u32,
    /// As [`Turn::seat`].
    pub seat: u8,
    /// As [`Turn::position`], as JSON text.
    pub position: &'a str,
    /// As [`Turn::legal`], as JSON text.
    pub legal: &'a str,
    /// As [`Turn::since`]: ply, seat, move.
    pub since: S,
    /// As [`Turn::move_ms_max`].
    pub move_ms_max: Option<u64>,
    /// As [`Turn::bank_ms`].
    pub bank_ms: Option<&'a [u64]>,
    /// As [`Turn::increment_ms`].
    pub increment_ms: Option<u64>,
    /// As [`Turn::last_ms`], in microseconds.
    pub last_us: Option<u64>,
}

impl<'a, S: IntoIterator<Item = (u32, u8, &'a Value)>> TurnLine<'a, S> {
    /// Appends the line, with its newline.
    pub fn encode_into(self, line: &mut Vec<u8>) {
        push(line, "{\"type\":\"turn\",\"match\":", self.r#match.as_bytes());
        push_json(line, ",\"ply\":", &self.ply);
        push_json(line, ",\"seat\":", &self.seat);
        push(line, ",\"position\":", self.position.as_bytes());
        push(line, ",\"legal\":", self.legal.as_bytes());
        push(line, ",\"since\":[", b"");
        for (index, (ply, seat, mv)) in self.since.into_iter().enumerate() {
            push_json(line, if index == 0 { "{\"ply\":" } else { ",{\"ply\":" }, &ply);
            push_json(line, ",\"seat\":", &seat);
            push_json(line, ",\"move\":", mv);
            push(line, "}", b"");
        }
        push(line, "]", b"");
        if let Some(value) = self.move_ms_max {
            push_json(line, ",\"move_ms_max\":", &value);
        }
        if let Some(value) = self.bank_ms {
            push_json(line, ",\"bank_ms\":", value);
        }
        if let Some(value) = self.increment_ms {
            push_json(line, ",\"increment_ms\":", &value);
        }
        if let Some(value) = self.last_us {
            push_json(line, ",\"last_ms\":", &(value / 1_000));
            push_thousandths(line, value % 1_000);
        }
        push(line, "}\n", b"");
    }
}

fn push(line: &mut Vec<u8>, label: &str, json: &[u8]) {
    line.extend_from_slice(label.as_bytes());
    line.extend_from_slice(json);
}

fn push_json<T: Serialize + ?Sized>(line: &mut Vec<u8>, label: &str, value: &T) {
    line.extend_from_slice(label.as_bytes());
    serde_json::to_writer(line, value).expect("writing to memory cannot fail");
}

/// Appends `.25` for 250: at least one digit, and no zero at the end of more.
fn push_thousandths(line: &mut Vec<u8>, thousandths: u64) {
    let digits = [100, 10, 1].map(|unit| b'0' + (thousandths / unit % 10) as u8);
    let zeros = digits[1..].iter().rev().take_while(|digit| **digit == b'0').count();
    line.push(b'.');
    line.extend_from_slice(&digits[..digits.len() - zeros]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn a_turn_line_is_the_line_of_the_turn() {
        let since = [(3, 0, json!(5)), (4, 1, json!([1, "x"]))];
        for present in [false, true] {
            let turn = Turn {
                r#match: "r\"1".to_owned(),
                ply: 5,
                seat: 1,
                position: json!({"pits": [[1, 2]]}),
                legal: vec![json!(0), json!(2)],
                since: since
                    .iter()
                    .map(|(ply, seat, mv)| PlyMove {
                        ply: *ply,
                        seat: *seat,
                        r#move: mv.clone(),
                    })
                    .collect(),
                move_ms_max: present.then_some(1000),
                bank_ms: present.then(|| vec![7, 8]),
                increment_ms: present.then_some(9),
                last_ms: present.then_some(1.25),
            };
            let line = TurnLine {
                r#match: r#""r\"1""#,
                ply: turn.ply,
                seat: turn.seat,
                position: &turn.position.to_string(),
                legal: "[0,2]",
                since: since.iter().map(|(ply, seat, mv)| (*ply, *seat, mv)),
                move_ms_max: turn.move_ms_max,
                bank_ms: turn.bank_ms.as_deref(),
                increment_ms: turn.increment_ms,
                last_us: present.then_some(1_250),
            };
            let mut bytes = Vec::new();
            line.encode_into(&mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), encode(&ToBot::Turn(turn)));
        }
    }

    proptest! {
        #[test]
        fn milliseconds_from_whole_microseconds_are_those_of_a_float(us in prop_oneof![0..10_000_u64, 0..10_000_000_000_u64]) {
            let mut line = (us / 1_000).to_string().into_bytes();
            push_thousandths(&mut line, us % 1_000);
            let float = serde_json::to_string(&(us as f64 / 1_000.0)).unwrap();
            prop_assert_eq!(String::from_utf8(line).unwrap(), float);
        }
    }

    #[test]
    fn a_line_has_its_type_first_and_no_blanks() {
        let (position, legal) = (r#"{"pits":[[1,0]]}"#, "[0]");
        let turn = ToBot::Turn(Turn {
            r#match: "r1-01".to_owned(),
            ply: 4,
            seat: 1,
            position: serde_json::from_str::<&RawValue>(position).unwrap(),
            legal: serde_json::from_str::<&RawValue>(legal).unwrap(),
            since: Vec::new(),
            move_ms_max: Some(1000),
            bank_ms: None,
            increment_ms: None,
            last_ms: None,
        });
        let expected = format!(
            r#"{{"type":"turn","match":"r1-01","ply":4,"seat":1,"position":{position},"legal":{legal},"since":[],"move_ms_max":1000}}"#
        );
        assert_eq!(encode(&turn), format!("{expected}\n"));
        assert_eq!(encode(&ToBot::<(), ()>::Quit), "{\"type\":\"quit\"}\n");
    }

    #[test]
    fn an_unknown_type_from_a_bot_is_written_as_its_type() {
        let unknown = FromBot::Unknown {
            kind: "pong".to_owned(),
        };
        assert_eq!(serde_json::to_string(&unknown).unwrap(), r#"{"type":"pong"}"#);
    }
}
