//! What several tests share: every game with many option values, and random numbers.

use mancala_arena_rules::{GameInfo, OptionInfo, OptionKind, OptionValue, infos};

/// A game's name with options, as [`mancala_arena_rules::open`] takes them.
pub type Named = (&'static str, Vec<(String, String)>);

/// Every game with every combination of typical option values, among them some that do not go together.
pub fn games() -> Vec<Named> {
    infos()
        .into_iter()
        .flat_map(|info| combinations(info).into_iter().map(|options| (info.name, options)))
        .collect()
}

fn combinations(info: &GameInfo) -> Vec<Vec<(String, String)>> {
    info.options.iter().fold(vec![Vec::new()], |lists, option| {
        let extended = lists.iter().flat_map(|list| {
            typical(option).into_iter().map(|value| {
                let mut longer = list.clone();
                longer.push((option.key.to_owned(), value));
                longer
            })
        });
        extended.collect()
    })
}

/// All values of an option, and of a range its ends, its default and what lies next to them.
fn typical(option: &OptionInfo) -> Vec<String> {
    match option.kind {
        OptionKind::Range(min, max) => {
            let mut values = vec![min, min + 1, max];
            if let OptionValue::Number(default) = option.default {
                values.push(default);
            }
            values.sort_unstable();
            values.dedup();
            values.iter().map(u32::to_string).collect()
        }
        OptionKind::Numbers(numbers) => numbers.iter().map(u32::to_string).collect(),
        OptionKind::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        OptionKind::Switch => vec!["on".to_owned(), "off".to_owned()],
    }
}

/// A xorshift generator with a fixed start.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}
