//! What is known of Layli Goobalay without building it.

use crate::{Example, GameInfo, OptionInfo, OptionKind, OptionValue, Source};

pub(super) const INFO: GameInfo = GameInfo {
    name: "layli-goobalay",
    title: "Layli Goobalay",
    summary: "sow, capture what faces your last seed, turn threes into uurs; most seeds wins",
    seats: (2, 2),
    options: &[
        OptionInfo {
            key: "ruleset",
            kind: OptionKind::Words(&["relay", "chain"]),
            default: OptionValue::Word("relay"),
            help: "sow on from every last seed in a filled pit, or only after a capture",
        },
        OptionInfo {
            key: "pits",
            kind: OptionKind::Numbers(&[4, 6, 8, 12]),
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
            key: "forced_opening",
            kind: OptionKind::Switch,
            default: OptionValue::Switch(false),
            help: "the very first move must be pit 0 (ruleset=relay only)",
        },
    ],
    rules: include_str!("rules.md"),
    points: "seeds captured, seeds in own uurs, and at the end the ordinary seeds in the own row",
    examples: &[
        Example {
            caption: "relay: five laps, and the last seed in an empty own pit captures itself and the one facing it",
            options: "",
            moves: &[0],
            rows_after: "2,7,0,6,1,6/6,6,0,0,6,6",
        },
        Example {
            caption: "relay: the last seed faces three; one of them crosses, and both pits become uurs",
            options: "",
            moves: &[0, 5],
            rows_after: "3,14,2,0,2,6/3,0,7,2,1,6",
        },
        Example {
            caption: "relay: the last seed falls into an uur, and the turn is over",
            options: "",
            moves: &[0, 5, 0, 0],
            rows_after: "0,15,3,0,2,6/0,1,1,3,1,6",
        },
        Example {
            caption: "relay: sowing would never end; the board stays as it was and the turn passes",
            options: "seeds=3",
            moves: &[5, 3, 5],
            rows_after: "1,2,1,0,3,4/0,8,0,2,7,0",
        },
        Example {
            caption: "chain: the last seed and the four facing it are captured, and what is left in its pit is sown on",
            options: "ruleset=chain",
            moves: &[3, 0],
            rows_after: "1,5,5,1,5,5/0,6,5,5,5,0",
        },
        Example {
            caption: "chain: the last seed falls into a filled pit facing three; the new uurs hold four and two",
            options: "ruleset=chain",
            moves: &[0, 0, 3, 5, 3],
            rows_after: "1,6,6,0,4,6/1,2,7,5,5,0",
        },
    ],
    sources: &[
        Source {
            text: "G. Marin: Somali Games. Journal of the Royal Anthropological Institute 61 (1931), pages 499-511",
            used_for: "relay: the forced first move and what it leads to (`forced_opening`)",
        },
        Source {
            text: "R. Pankhurst: Gabata and Related Board Games of Ethiopia and the Horn of Africa. Ethiopia Observer 14 (1971)",
            used_for: "relay: sowing and uurs",
        },
        Source {
            text: "R. Gering: Abstract Games 13 (2003)",
            used_for: "relay: the board of 2x12 and an opening played out",
        },
        Source {
            text: "Wikipedia, Czech and English: Layli Goobalay (after Red Sea Online, and Jama Musse Jama: Layli Goobalay. \
                   Variante somala del gioco nazionale africano. Pisa 2002)",
            used_for: "relay: the rules as a whole",
        },
        Source {
            text: "Wikipedia, Swahili: Layli Goobalay",
            used_for: "chain: the rules as a whole and a complete sample game",
        },
    ],
};
