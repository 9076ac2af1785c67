//! Numbers of move sequences of each length from the start position, against counts made by other code.

use mancala_arena_rules::{Listed, Moves, Ruleset, Visitor, visit};

struct Counts {
    depths: usize,
}

impl Visitor for Counts {
    type Output = Vec<u64>;
    fn visit<R: Listed>(self, ruleset: R) -> Vec<u64> {
        (1..=self.depths)
            .map(|depth| count(&ruleset, &ruleset.start(), depth))
            .collect()
    }
}

fn count<R: Ruleset>(ruleset: &R, position: &R::Position, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = ruleset.legal_moves(position);
    let below = moves.iter().map(|mv| {
        let mut next = position.clone();
        ruleset.play(&mut next, mv);
        count(ruleset, &next, depth - 1)
    });
    below.sum()
}

/// The options in the golden file's words.
fn options(game: &str) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match game {
        "layli-goobalay ruleset relay, 2x6, 4 seeds" => ("layli-goobalay", &[]),
        "layli-goobalay ruleset chain, 2x6, 4 seeds" => ("layli-goobalay", &[("ruleset", "chain")]),
        "layli-goobalay ruleset relay, 2x4, 3 seeds" => ("layli-goobalay", &[("pits", "4"), ("seeds", "3")]),
        "kalah 6 pits 4 seeds, empty capture off" => ("kalah", &[]),
        "kalah 6 pits 4 seeds, empty capture on" => ("kalah", &[("empty_capture", "on")]),
        "kalah 4 pits 3 seeds, empty capture on" => {
            ("kalah", &[("pits", "4"), ("seeds", "3"), ("empty_capture", "on")])
        }
        "mancala-basic 2 seats 6 pits 4 seeds" => ("mancala-basic", &[]),
        "mancala-basic 2 seats 7 pits 4 seeds" => ("mancala-basic", &[("pits", "7")]),
        "mancala-basic 3 seats 6 pits 4 seeds" => ("mancala-basic", &[("seats", "3")]),
        "mancala-basic 4 seats 4 pits 3 seeds" => ("mancala-basic", &[("seats", "4"), ("pits", "4"), ("seeds", "3")]),
        other => panic!("no options known for `{other}`"),
    }
}

#[test]
fn numbers_of_move_sequences_equal_the_counts_of_other_code() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("golden/perft.json")).expect("perft.json is JSON");
    for case in golden["counts"].as_array().expect("counts is a list") {
        let game = case["game"].as_str().expect("game is text");
        let expected: Vec<u64> =
            serde_json::from_value(case["count_by_depth"].clone()).expect("count_by_depth is a list of numbers");
        let (name, options) = options(game);
        let texts: Vec<_> = options
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let depths = expected.len();
        let counts = visit(name, &texts, Counts { depths }).expect("the options are in range");
        assert_eq!(counts, expected, "{game}");
    }
}
