//! The list of matches, column by column, as JSON text: few bytes a match, and nothing to convert when it is written.
//!
//! `ids` are steps from each listed match to the next (the first from -1), run by run: `[1,100000]` are matches 0 to 99,999.
//! `seatings` are the different orders of bots in the seats, `outcomes` the different results (places, seats that
//! forfeited, end), and a match names its own by their index. `points` has as many values a match as there are seats,
//! `faults` an index and a number for each match with any. `tenths` are tenths of a millisecond.

use std::collections::HashMap;
use std::fmt::Write;

use super::Seen;
use crate::record::End;

/// The list so far.
#[derive(Debug, Default)]
pub struct List {
    length: u64,
    last: Option<u64>,
    /// A step, and how many times it comes one after another.
    runs: Vec<(u64, u64)>,
    seatings: Table<Vec<usize>>,
    outcomes: Table<(Vec<u8>, Vec<bool>, End)>,
    seating: String,
    outcome: String,
    points: String,
    plies: String,
    tenths: String,
    faults: String,
}

/// Different values in the order in which they came.
#[derive(Debug)]
struct Table<T> {
    values: Vec<T>,
    index: HashMap<T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            values: Vec::new(),
            index: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn place_of(&mut self, value: T) -> usize {
        *self.index.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            self.values.len() - 1
        })
    }
}

impl List {
    pub(super) fn push(&mut self, seen: &Seen<'_>) {
        let score = seen.score;
        let step = score.r#match.wrapping_sub(self.last.unwrap_or(u64::MAX));
        self.last = Some(score.r#match);
        match self.runs.last_mut() {
            Some((known, times)) if *known == step => *times += 1,
            _ => self.runs.push((step, 1)),
        }
        if seen.faults > 0 {
            push(&mut self.faults, self.length);
            push(&mut self.faults, seen.faults);
        }
        let seating = self.seatings.place_of(score.bots.clone());
        push(&mut self.seating, seating);
        let outcome = (score.places.clone(), score.forfeits.clone(), score.end);
        push(&mut self.outcome, self.outcomes.place_of(outcome));
        score.points.iter().for_each(|points| push(&mut self.points, points));
        push(&mut self.plies, score.plies);
        push(&mut self.tenths, seen.elapsed_us.div_ceil(100));
        self.length += 1;
    }

    /// How many matches are listed.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The list as a JSON object.
    pub fn to_json(&self) -> String {
        let mut ids = String::new();
        for (step, times) in &self.runs {
            push(&mut ids, step);
            push(&mut ids, times);
        }
        let seatings = serde_json::to_string(&self.seatings.values).expect("numbers are JSON");
        let outcomes: Vec<_> = { self.outcomes.values.iter() }
            .map(|(places, forfeits, end)| {
                let forfeits: Vec<usize> = (0..forfeits.len()).filter(|&seat| forfeits[seat]).collect();
                (places, forfeits, end)
            })
            .collect();
        let outcomes = serde_json::to_string(&outcomes).expect("numbers and words are JSON");
        let mut json = format!(
            "{{\"length\":{},\"seatings\":{seatings},\"outcomes\":{outcomes}",
            self.length
        );
        for (name, column) in [
            ("ids", &ids),
            ("seating", &self.seating),
            ("outcome", &self.outcome),
            ("points", &self.points),
            ("plies", &self.plies),
            ("tenths", &self.tenths),
            ("faults", &self.faults),
        ] {
            let values = column.strip_suffix(',').unwrap_or_default();
            write!(json, ",\"{name}\":[{values}]").expect("a string takes what is written");
        }
        json.push('}');
        json
    }
}

fn push(column: &mut String, value: impl std::fmt::Display) {
    write!(column, "{value},").expect("a string takes what is written");
}
