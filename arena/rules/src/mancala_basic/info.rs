//! What is known of mancala basic without building it.

use crate::{GameInfo, OptionInfo, OptionKind, OptionValue, Source};

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
    examples: &[],
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
