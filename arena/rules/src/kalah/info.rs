//! What is known of Kalah without building it.

use crate::{GameInfo, OptionInfo, OptionKind, OptionValue, Source};

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
    examples: &[],
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
