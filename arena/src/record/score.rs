//! From a record to the light row that statistics read.

use super::{LeftBy, MatchScore, Record};

impl Record {
    /// What statistics need of this match.
    pub fn score(&self) -> MatchScore {
        let seats = self.seats.len();
        let mut score = MatchScore {
            r#match: self.r#match,
            rotation: self.rotation,
            bots: self.seats.iter().map(|seat| seat.bot).collect(),
            places: self.places.clone(),
            points: self.points.clone(),
            forfeits: vec![false; seats],
            end: self.end,
            plies: self.plies.len() as u32,
            moves: vec![0; seats],
            time_us: vec![0; seats],
            fingerprint: self.fingerprint(),
        };
        // A record that was read from a file may name seats that it does not have: a replay says so, this passes over.
        for leave in self.left.iter().filter(|leave| usize::from(leave.seat) < seats) {
            score.forfeits[usize::from(leave.seat)] |= leave.by == LeftBy::Fault;
        }
        for ply in self.plies.iter().filter(|ply| usize::from(ply.seat) < seats) {
            score.moves[usize::from(ply.seat)] += 1;
            score.time_us[usize::from(ply.seat)] += ply.elapsed_us;
        }
        score
    }

    /// The first 8 bytes of a BLAKE3 hash of opening and moves, as JSON without blanks.
    fn fingerprint(&self) -> u64 {
        let mut text = Vec::with_capacity(256);
        let moves = std::iter::once(&self.opening).chain(self.plies.iter().map(|ply| &ply.r#move));
        for value in moves {
            serde_json::to_writer(&mut text, value).expect("a JSON value can be written to memory");
            text.push(b' ');
        }
        let hash = blake3::hash(&text);
        u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a BLAKE3 hash has 32 bytes"))
    }
}
