//! What each kind of fault means, what follows and what to do: the table of SPEC.md and of the program's help.

use crate::FaultCode;

/// A kind of fault, for the author of a bot. Texts are Markdown without line breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultHelp {
    /// Which kind.
    pub code: FaultCode,
    /// When it is made.
    pub meaning: &'static str,
    /// What follows in a match of two seats.
    pub with_two: &'static str,
    /// What follows in a match of three or four seats.
    pub with_more: &'static str,
    /// What to do about it.
    pub advice: &'static str,
}

const LOSES: &str = "loses";
const LEAVES: &str = "leaves, the others play on";
/// Every program is started once on trial before a run, where most of these are found.
const NOT_RUN: &str = "before a run: nothing is played; in it: loses";
const NOT_RUN_OR_LEAVES: &str = "before a run: nothing is played; in it: leaves, the others play on";

/// Every kind, in the order of [`FaultCode::ALL`].
pub const FAULTS: [FaultHelp; 14] = [
    FaultHelp {
        code: FaultCode::CannotStart,
        meaning: "the program cannot be started",
        with_two: NOT_RUN,
        with_more: NOT_RUN_OR_LEAVES,
        advice: "start the command of the message by hand: the path, `chmod +x`, and the `#!` line of a script, which ends in LF",
    },
    FaultHelp {
        code: FaultCode::NoHello,
        meaning: "no `hello` within the start limit, or no `ready` after a `start` from a bot that announced it",
        with_two: NOT_RUN,
        with_more: NOT_RUN_OR_LEAVES,
        advice: "print the line first of all, end it with a newline and flush it; load large tables in less than the limit",
    },
    FaultHelp {
        code: FaultCode::UnsupportedProtocol,
        meaning: "the `hello` chooses a version that was not offered",
        with_two: NOT_RUN,
        with_more: NOT_RUN_OR_LEAVES,
        advice: "answer with `\"protocol\":1`, or with another version from `protocols`",
    },
    FaultHelp {
        code: FaultCode::Exited,
        meaning: "the process ended during the match",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "read its exit status or signal and its last words; a program that ends well, too, has to read on until `quit`",
    },
    FaultHelp {
        code: FaultCode::ClosedOutput,
        meaning: "it closed its standard output and lives on",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "keep standard output open until the end, also in what the program starts in its place",
    },
    FaultHelp {
        code: FaultCode::ClosedInput,
        meaning: "it closed its standard input",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "keep standard input open until `quit`",
    },
    FaultHelp {
        code: FaultCode::NotReading,
        meaning: "it does not read, and the line could not be written",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "read every line, also those that need no answer; let no long work keep the program from reading",
    },
    FaultHelp {
        code: FaultCode::Late,
        meaning: "the move came after the limit, or not at all",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "nothing came: flush after every line, end each with a newline; it came late: plan with less than `move_ms_max`",
    },
    FaultHelp {
        code: FaultCode::NotAMessage,
        meaning: "a line begins with `{` and is not a message",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "let a JSON library write the line; send what is meant for you to standard error",
    },
    FaultHelp {
        code: FaultCode::LineTooLong,
        meaning: "a line is longer than 65,536 bytes",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "end every message with a newline; keep `info` short",
    },
    FaultHelp {
        code: FaultCode::OutputFlood,
        meaning: "more than 64 MiB of output in one turn, or more than 1 MiB waiting when its turn comes",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "write less; look for a loop that prints",
    },
    FaultHelp {
        code: FaultCode::IllegalMove,
        meaning: "the move is not one of `legal`, or its `ply` is above the one asked for",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "answer with an element of the last turn's `legal`, as it stands there: pits are numbered from 0",
    },
    FaultHelp {
        code: FaultCode::MemoryLimit,
        meaning: "it used more memory than it may, where memory is limited",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "bound tables and trees; forget the last match at each `start`",
    },
    FaultHelp {
        code: FaultCode::OtherLimit,
        meaning: "it ran into another limit of its sandbox",
        with_two: LOSES,
        with_more: LEAVES,
        advice: "read which limit; a bot needs no network, no files of others and few processes",
    },
];
