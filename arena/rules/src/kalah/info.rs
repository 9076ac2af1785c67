//! What is known of Kalah without building it.

use crate::{Example, GameInfo, OptionInfo, OptionKind, OptionValue, Source};

pub(super) const INFO: GameInfo = GameInfo {
    name: "kalah",
    title: "Kalah",
    summary: "sow into your store, capture from an empty pit, most seeds wins",
    seats: (2, 2),
    options: &[
        OptionInfo {
            key: "pits",
            kind: OptionKind::Range(1, 12),
            default: OptionValue::Number(6),
            help: "pits a row",
        },
        OptionInfo {
            key: "seeds",
            kind: OptionKind::Range(1, 12),
            default: OptionValue::Number(4),
            help: "seeds a pit",
        },
        OptionInfo {
            key: "empty_capture",
            kind: OptionKind::Switch,
            default: OptionValue::Switch(false),
            help: "capture the last seed also when the facing pit is empty",
        },
        OptionInfo {
            key: "end",
            kind: OptionKind::Words(&["either", "mover"]),
            default: OptionValue::Word("either"),
            help: "the match ends when either row is empty after a move, or when the player to move has none",
        },
    ],
    rules: include_str!("rules.md"),
    points: "seeds in the own store at the end",
    examples: &[
        Example {
            caption: "the last seed falls into the own store: the same player moves again",
            options: "",
            moves: &[2],
            rows_after: "4,4,0,5,5,5/4,4,4,4,4,4",
        },
        Example {
            caption: "the last seed falls into an empty own pit: it and the six seeds facing it are captured",
            options: "",
            moves: &[4, 0, 0],
            rows_after: "0,5,5,5,0,5/0,0,5,5,5,5",
        },
        Example {
            caption: "a sowing of exactly one round ends in the pit that it began with, and captures",
            options: "pits=2,seeds=5",
            moves: &[0],
            rows_after: "0,6/6,0",
        },
        Example {
            caption: "with empty_capture=on, a last seed that faces an empty pit goes to the store",
            options: "empty_capture=on",
            moves: &[5, 0, 1],
            rows_after: "4,0,5,5,5,0/0,6,6,5,5,5",
        },
        Example {
            caption: "a row is empty: the match ends, and what is left goes to the owner of its row",
            options: "pits=4,seeds=2",
            moves: &[1, 3, 2, 0, 3],
            rows_after: "0,0,0,0/0,0,0,0",
        },
    ],
    sources: &[
        Source {
            text: "G. Irving, J. Donkers, J. Uiterwijk: Solving Kalah. ICGA Journal 23 (2000), pages 139-147",
            used_for: "sowing, the extra turn, capture of a last seed that faces an empty pit (`empty_capture=on`), values with \
                       perfect play",
        },
        Source {
            text: "M. Lanctot and others: OpenSpiel, game `mancala` (2019 on)",
            used_for: "the defaults: no capture when the facing pit is empty, end when either row is empty",
        },
    ],
};
