//! Tournaments in rounds, Swiss and knockout: a round is paired when all matches of the rounds before it are settled.
//!
//! Ids are fixed before play: round by round, in a round one rotation of all tables after the other. Only who sits at a
//! table hangs on results. A level tie of a knockout plays further rotations under ids that are kept for them and stay
//! unused otherwise, so ids can have gaps.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::knockout::{EXTRA_ROTATIONS_MAX, Knockout};
use super::swiss::Swiss;
use super::{Frame, Misfit};
use crate::tournament::{MatchId, Scheduled};

/// Two bots that meet in a round, and what they have made of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// By their place in the plan.
    pub bots: [usize; 2],
    /// What each has scored in its matches, in halves: 2 for a win, 1 for a tie.
    pub halves: [u64; 2],
    /// Matches settled.
    pub settled: u64,
    /// Rotations that are to be played.
    rotations: u64,
}

impl Table {
    /// What the table is worth to each, in halves: 2 to whoever scored more, 1 each when it is level.
    pub fn results(&self) -> [u64; 2] {
        match self.halves[0].cmp(&self.halves[1]) {
            Ordering::Less => [0, 2],
            Ordering::Equal => [1, 1],
            Ordering::Greater => [2, 0],
        }
    }
}

/// A round that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// Who met.
    pub tables: Vec<Table>,
    /// Who rested in a Swiss round of an odd number of bots.
    pub bye: Option<usize>,
}

/// What decides who meets in the next round.
#[derive(Clone, Debug)]
pub enum Form {
    /// See [`Swiss`].
    Swiss(Swiss),
    /// See [`Knockout`].
    Knockout(Knockout),
}

impl Form {
    fn rounds(&self) -> u64 {
        match self {
            Form::Swiss(swiss) => swiss.rounds(),
            Form::Knockout(knockout) => knockout.rounds(),
        }
    }

    fn tables(&self, round: u64) -> u64 {
        match self {
            Form::Swiss(swiss) => swiss.tables(),
            Form::Knockout(knockout) => knockout.tables(round),
        }
    }

    /// Rotations that a level table may play on.
    fn extra_rotations_max(&self) -> u64 {
        match self {
            Form::Swiss(_) => 0,
            Form::Knockout(_) => EXTRA_ROTATIONS_MAX,
        }
    }

    fn pair(&mut self, played: &[Round]) -> (Vec<[usize; 2]>, Option<usize>) {
        match self {
            Form::Swiss(swiss) => swiss.pair(played),
            Form::Knockout(knockout) => (knockout.pair(played), None),
        }
    }
}

/// A tournament in rounds while it is played.
#[derive(Clone, Debug)]
pub struct Rounds {
    frame: Frame,
    form: Form,
    /// Of every table.
    rotations: u64,
    played: Vec<Round>,
    /// The round on the board; without tables when all are over.
    current: Round,
    /// The first id of the round on the board.
    first: u64,
    /// The next id of the round on the board to be given out, of those that every table plays.
    next: u64,
    /// Ids of further rotations that have not been given out.
    extra: BTreeSet<u64>,
}

impl Rounds {
    pub(super) fn new(frame: Frame, form: Form, rotations: u64) -> Rounds {
        let mut rounds = Rounds {
            frame,
            form,
            rotations,
            played: Vec::new(),
            current: Round {
                tables: Vec::new(),
                bye: None,
            },
            first: 0,
            next: 0,
            extra: BTreeSet::new(),
        };
        rounds.begin();
        rounds
    }

    /// Which form.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The rounds that are over.
    pub fn played(&self) -> &[Round] {
        &self.played
    }

    /// The tables of the round on the board, none when all are over.
    pub fn current(&self) -> &Round {
        &self.current
    }

    /// Whether all rounds are over.
    pub fn is_over(&self) -> bool {
        self.current.tables.is_empty()
    }

    /// Rounds in all.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one round")]
    pub fn len(&self) -> u64 {
        self.form.rounds()
    }

    /// The most matches that may be played.
    pub fn matches_max(&self) -> u64 {
        (0..self.form.rounds()).map(|round| self.ids_of(round)).sum()
    }

    /// The fewest matches that may be played.
    pub fn matches_min(&self) -> u64 {
        let tables: u64 = (0..self.form.rounds()).map(|round| self.form.tables(round)).sum();
        tables * self.rotations * self.frame.rotation_len
    }

    pub(super) fn rotation_len(&self) -> u64 {
        self.frame.rotation_len
    }

    /// Openings that may be played.
    pub fn openings(&self) -> u64 {
        self.form.rounds() * self.rotations_max()
    }

    fn rotations_max(&self) -> u64 {
        self.rotations + self.form.extra_rotations_max()
    }

    /// Ids kept for a round.
    fn ids_of(&self, round: u64) -> u64 {
        self.form.tables(round) * self.rotations_max() * self.frame.rotation_len
    }

    /// Pairs the next round, if there is one.
    fn begin(&mut self) {
        let (tables, bye) = if (self.played.len() as u64) < self.form.rounds() {
            self.form.pair(&self.played)
        } else {
            (Vec::new(), None)
        };
        let tables = tables.into_iter().map(|bots| Table {
            bots,
            halves: [0, 0],
            settled: 0,
            rotations: self.rotations,
        });
        self.current = Round {
            tables: tables.collect(),
            bye,
        };
        self.next = self.first;
    }

    /// The next match, unless it hangs on results that are still to come, or there is none.
    pub(super) fn next(&mut self, is_done: impl Fn(u64) -> bool) -> Option<Scheduled> {
        let every_table = self.current.tables.len() as u64 * self.rotations * self.frame.rotation_len;
        while self.next < self.first + every_table {
            let id = self.next;
            self.next += 1;
            if !is_done(id) {
                return Some(self.scheduled(id));
            }
        }
        while let Some(id) = self.extra.pop_first() {
            if !is_done(id) {
                return Some(self.scheduled(id));
            }
        }
        None
    }

    fn scheduled(&self, id: u64) -> Scheduled {
        let (rotation, table) = self.place_of(id);
        let opening = self.played.len() as u64 * self.rotations_max() + rotation;
        self.frame
            .scheduled(MatchId(id), opening, &self.current.tables[table].bots)
    }

    /// The rotation and the table of an id of the round on the board.
    fn place_of(&self, id: u64) -> (u64, usize) {
        let tables = self.current.tables.len() as u64;
        let rotation = (id - self.first) / self.frame.rotation_len;
        (rotation / tables, (rotation % tables) as usize)
    }

    pub(super) fn settle(&mut self, id: MatchId, bots: &[usize], places: &[u8]) -> Result<(), Misfit> {
        let round = self.played.len() as u64;
        if self.is_over() || !(self.first..self.first + self.ids_of(round)).contains(&id.0) {
            return Err(Misfit::TooEarly { id });
        }
        let (rotation, table) = self.place_of(id.0);
        let tables = self.current.tables.len() as u64;
        let len = self.frame.rotation_len;
        let table_now = &mut self.current.tables[table];
        if rotation >= table_now.rotations {
            return Err(Misfit::TooEarly { id });
        }
        let Some(seats) = seats_of(table_now.bots, bots) else {
            return Err(Misfit::Others { id });
        };
        let [of_first, of_second] = seats.map(|seat| places[seat]);
        let halves = match of_first.cmp(&of_second) {
            Ordering::Less => [2, 0],
            Ordering::Equal => [1, 1],
            Ordering::Greater => [0, 2],
        };
        (0..2).for_each(|which| table_now.halves[which] += halves[which]);
        table_now.settled += 1;
        if table_now.settled < table_now.rotations * len {
            return Ok(());
        }
        let level = table_now.halves[0] == table_now.halves[1];
        if level && table_now.rotations < self.rotations + self.form.extra_rotations_max() {
            let first = self.first + (table_now.rotations * tables + table as u64) * len;
            table_now.rotations += 1;
            self.extra.extend(first..first + len);
        } else if self
            .current
            .tables
            .iter()
            .all(|table| table.settled == table.rotations * len)
        {
            self.first += self.ids_of(round);
            self.played.push(self.current.clone());
            self.begin();
        }
        Ok(())
    }
}

/// The seat of each of the two at a table, if they are those who sat there.
fn seats_of(table: [usize; 2], bots: &[usize]) -> Option<[usize; 2]> {
    let seat = |bot: usize| bots.iter().position(|other| *other == bot);
    let [first, second] = table;
    (bots.len() == 2).then_some([seat(first)?, seat(second)?])
}
