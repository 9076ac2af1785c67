//! What is known of mancala basic without building it.

use crate::{Example, GameInfo, OptionInfo, OptionKind, OptionValue, Source};

pub(super) const INFO: GameInfo = GameInfo {
    name: "mancala-basic",
    title: "Mancala basic",
    summary: "sow through all stores and be the first with an empty row, for two to four",
    seats: (2, 4),
    options: &[
        OptionInfo {
            key: "seats",
            kind: OptionKind::Numbers(&[2, 3, 4]),
            default: OptionValue::Number(2),
            help: "how many play",
        },
        OptionInfo {
            key: "pits",
            kind: OptionKind::Numbers(&[4, 6, 7]),
            default: OptionValue::Number(6),
            help: "pits a row: 6 or 7 with 2 seats, 6 or 4 with 3 or 4 seats; one that does not fit the seats becomes 6",
        },
        OptionInfo {
            key: "seeds",
            kind: OptionKind::Numbers(&[3, 4]),
            default: OptionValue::Number(4),
            help: "seeds a pit",
        },
        OptionInfo {
            key: "all_places",
            kind: OptionKind::Switch,
            default: OptionValue::Switch(true),
            help: "with 3 or 4 seats, play on until every place is decided",
        },
        OptionInfo {
            key: "alternate_starter",
            kind: OptionKind::Switch,
            default: OptionValue::Switch(true),
            help: "the seats rotate from match to match, so that everyone starts equally often",
        },
    ],
    rules: include_str!("rules.md"),
    points: "seeds left in the own row, fewer is better; places follow the order of finishing",
    examples: &[
        Example {
            caption: "the last seed falls into the own store: the same player moves again",
            options: "",
            moves: &[2],
            rows_after: "4,4,0,5,5,5/4,4,4,4,4,4",
        },
        Example {
            caption: "the last seed falls into another player's store: this too is an extra turn",
            options: "seats=3,pits=4,seeds=3",
            moves: &[1, 2, 1, 2, 0, 3],
            rows_after: "0,1,1,0/5,1,5,5/4,3,0,4",
        },
        Example {
            caption: "a row is empty: its player has finished, without an extra turn for the last seed in the store",
            options: "seats=3,pits=4,seeds=3",
            moves: &[2, 2, 2, 0, 1, 3, 2, 2, 3],
            rows_after: "0,0,0,0/6,4,1,1/6,4,0,5",
        },
        Example {
            caption: "the row and store of a player who has finished are passed over",
            options: "seats=3,pits=4,seeds=3",
            moves: &[2, 2, 2, 0, 1, 3, 2, 2, 3, 0, 3],
            rows_after: "0,0,0,0/1,6,3,3/7,5,0,0",
        },
    ],
    sources: &[
        Source {
            text: "Japan Recreation Association: the basic rules of mancala",
            used_for: "the game for two: sowing through all stores, the extra turn, the empty row that wins",
        },
        Source {
            text: "Qdan, Inc.: Mancala - msingi, kanuni na jinsi ya kucheza (rules page in Swahili), updated 2026-09-14",
            used_for: "three and four seats, every option, resigning, the fall-back to six pits",
        },
    ],
};
