//! A record as the two rows that it is stored in, and back.
//!
//! What the plan says already (game, options, names, content hashes) is not said again by each match; a record that says
//! more, a changed program for instance, keeps its own.

use rusqlite::Row;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{StoreError, StoredBot, json};
use crate::config::GameChoice;
use crate::record::{
    End, FaultRecord, HostRecord, LeaveRecord, MatchScore, PlyColumns, RECORD_VERSION, Record, SeatRecord, Transcript,
    columns,
};

/// What all records of a plan have in common.
#[derive(Clone, Debug)]
pub struct Common {
    /// The plan's id.
    pub plan_id: String,
    /// Its game.
    pub game: GameChoice,
    /// Its bots, by place.
    pub bots: Vec<StoredBot>,
}

/// A record without what its plan says, as it is stored, and as it travels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Packed {
    /// The light row.
    pub score: MatchScore,
    /// The seed handed to the bots.
    pub seed: u64,
    /// When the match began, milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// How long it took, microseconds.
    pub took_us: u64,
    /// The position before ply 0, as JSON.
    pub(super) opening: Box<str>,
    /// Who moved, a digit for each ply.
    pub(super) seats: Box<str>,
    /// The moves, a list in JSON.
    pub(super) moves: Box<str>,
    /// The times they took, likewise.
    pub(super) elapsed_us: Box<str>,
    /// What most matches have nothing of.
    #[serde(default, skip_serializing_if = "Details::is_empty")]
    pub(super) details: Details,
    /// The transcript as text, where it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dialogue: Option<String>,
}

/// A record, ready to be written. Many wait in memory when a commit takes long, so its texts are as long as they need.
#[derive(Debug)]
pub struct Encoded {
    pub packed: Packed,
    pub bots: Box<str>,
    pub places: Box<str>,
    pub points: Box<str>,
    pub forfeits: Box<str>,
    pub moves_by_seat: Box<str>,
    pub time_by_seat: Box<str>,
    /// Those of `packed`, as JSON.
    pub details: Option<String>,
}

impl Encoded {
    /// How much of the memory for waiting matches it takes: 1, and 1 for each 4 KiB of a transcript.
    pub fn weight(&self) -> usize {
        1 + self.packed.dialogue.as_ref().map_or(0, |lines| lines.len() / 4_096)
    }
}

/// What most matches have nothing of.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) faults: Vec<FaultRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<LeaveRecord>,
    /// By ply, where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    infos: Vec<(usize, Value)>,
    /// The seats, where they are not what the plan says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    seats: Vec<SeatRecord>,
    /// The machine, where it is not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<HostRecord>,
}

impl Details {
    fn is_empty(&self) -> bool {
        let Details {
            faults,
            left,
            infos,
            seats,
            host,
        } = self;
        faults.is_empty() && left.is_empty() && infos.is_empty() && seats.is_empty() && host.is_none()
    }
}

impl Packed {
    /// Says on which machine it was played.
    pub fn set_host(&mut self, host: HostRecord) {
        self.details.host = Some(host);
    }

    /// Whether its parts fit each other, so that it can be read again: one that comes from elsewhere may be anything.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub fn check(&self) -> Result<(), String> {
        let score = &self.score;
        check_lists(score)?;
        let mut moves = vec![0; score.bots.len().min(10)];
        for digit in self.seats.bytes() {
            let seat = moves.get_mut(usize::from(digit.wrapping_sub(b'0')));
            *seat.ok_or_else(|| format!("a ply of seat `{}`", char::from(digit)))? += 1;
        }
        let read = |error: serde_json::Error| error.to_string();
        let Items(moves_made) = serde_json::from_str(&self.moves).map_err(read)?;
        let mut times = Vec::with_capacity(self.seats.len());
        list_of_numbers(self.elapsed_us.as_bytes(), &mut times).map_err(read)?;
        let columns = [moves_made, times.len(), score.plies as usize];
        if moves != score.moves || columns.iter().any(|length| *length != self.seats.len()) {
            return Err("its plies are not as many as it says".to_owned());
        }
        serde_json::from_str::<IgnoredAny>(&self.opening).map_err(read)?;
        let seats = &self.details.seats;
        if !seats.is_empty() && !seats.iter().map(|seat| seat.bot).eq(score.bots.iter().copied()) {
            return Err("its seats are not those of its bots".to_owned());
        }
        let beyond = self.details.infos.iter().any(|(ply, _)| *ply >= self.seats.len());
        if beyond {
            return Err("an info is of a ply that it has not".to_owned());
        }
        match &self.dialogue {
            Some(text) => Transcript::from_text(text)
                .map(drop)
                .map_err(|what| format!("its transcript cannot be read: {what}")),
            None => Ok(()),
        }
    }

    /// Its rows.
    pub(super) fn encode(self) -> Encoded {
        let score = &self.score;
        Encoded {
            bots: json_list(score.bots.iter()),
            places: json_list(score.places.iter()),
            points: json_list(score.points.iter()),
            forfeits: json_list(score.forfeits.iter()),
            moves_by_seat: json_list(score.moves.iter()),
            time_by_seat: json_list(score.time_us.iter()),
            details: (!self.details.is_empty()).then(|| json(&self.details)),
            packed: self,
        }
    }
}

/// A list of which only the length matters.
struct Items(usize);

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Items, D::Error> {
        struct Counter;
        impl<'de> serde::de::Visitor<'de> for Counter {
            type Value = Items;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Items, A::Error> {
                let mut length = 0;
                while items.next_element::<IgnoredAny>()?.is_some() {
                    length += 1;
                }
                Ok(Items(length))
            }
        }
        deserializer.deserialize_seq(Counter)
    }
}

impl Common {
    /// What the plan says of the bot in a seat.
    fn seat(&self, bot: usize) -> Option<SeatRecord> {
        self.bots.get(bot).map(|known| SeatRecord {
            bot,
            name: known.name.clone(),
            content: known.content.clone(),
            ..SeatRecord::default()
        })
    }

    fn is_as_planned(&self, seat: &SeatRecord) -> bool {
        let SeatRecord {
            bot,
            name,
            content,
            log_lines: 0,
            dropped_lines: 0,
            unknown: 0,
        } = seat
        else {
            return false;
        };
        self.bots
            .get(*bot)
            .is_some_and(|known| known.name == *name && known.content == *content)
    }

    /// `record` without what the plan says, and its transcript where that is kept.
    ///
    /// # Errors
    /// [`StoreError::Foreign`] when it is no record of this plan.
    pub fn pack(&self, record: &Record, transcript: Option<&Transcript>) -> Result<Packed, StoreError> {
        self.check(record).map_err(|what| StoreError::Foreign {
            match_id: record.r#match,
            what,
        })?;
        let plies = &record.plies;
        Ok(Packed {
            score: record.score(),
            seed: record.seed,
            started_ms: record.started_ms,
            took_us: record.elapsed_us,
            opening: json(&record.opening).into(),
            seats: columns::seats(plies).into(),
            moves: json_list(plies.iter().map(|ply| &ply.r#move)),
            elapsed_us: json_list(plies.iter().map(|ply| ply.elapsed_us)),
            details: self.details(record),
            dialogue: transcript.map(Transcript::to_text),
        })
    }

    /// `packed` where another knew of other programs: it says then which they were, where this does not.
    pub fn adopt(&self, mut packed: Packed, other: &Common) -> Packed {
        if packed.details.seats.is_empty() && self.bots != other.bots {
            let seats = packed.score.bots.iter().filter_map(|bot| other.seat(*bot));
            packed.details.seats = seats.collect();
            if packed.details.seats.iter().all(|seat| self.is_as_planned(seat)) {
                packed.details.seats.clear();
            }
        }
        packed
    }

    fn check(&self, record: &Record) -> Result<(), String> {
        let seats = record.seats.len();
        if record.record != RECORD_VERSION {
            return Err(format!("record version {}, expected {RECORD_VERSION}", record.record));
        }
        if record.plan != self.plan_id {
            return Err(format!("it is of plan `{}`, expected `{}`", record.plan, self.plan_id));
        }
        if record.game != self.game.name || record.options != self.game.options {
            return Err(format!("its game or options are not those of plan `{}`", self.plan_id));
        }
        if i64::try_from(record.r#match).is_err() || i64::try_from(record.rotation).is_err() {
            return Err("its id or rotation is above 2^63".to_owned());
        }
        if record.places.len() != seats || record.points.len() != seats {
            return Err(format!(
                "{} places and {} points for {seats} seats",
                record.places.len(),
                record.points.len()
            ));
        }
        match record.plies.iter().find(|ply| usize::from(ply.seat) >= seats.min(10)) {
            Some(ply) => Err(format!("a ply of seat index {}, with {seats} seats", ply.seat)),
            None => Ok(()),
        }
    }

    fn details(&self, record: &Record) -> Details {
        Details {
            faults: record.faults.clone(),
            left: record.left.clone(),
            infos: columns::infos(&record.plies),
            seats: if record.seats.iter().all(|seat| self.is_as_planned(seat)) {
                Vec::new()
            } else {
                record.seats.clone()
            },
            host: record.host.clone(),
        }
    }

    /// The record of a row of [`RECORD_COLUMNS`].
    ///
    /// # Errors
    /// What is wrong with the row, in words.
    pub(super) fn decode(&self, row: &Row<'_>) -> Result<Record, String> {
        let score = decode_score(row)?;
        let seats: String = get(row, "seats")?;
        let moves: Vec<Value> = get_json(row, "played")?;
        let times: Vec<u64> = get_json(row, "ply_us")?;
        let details: Option<String> = get(row, "details")?;
        let details: Details = match details {
            Some(text) => serde_json::from_str(&text).map_err(|error| format!("details: {error}"))?,
            None => Details::default(),
        };
        let columns = PlyColumns {
            seats,
            moves,
            elapsed_us: times,
            infos: details.infos,
        };
        let plies = columns.into_plies()?;
        let seats = if details.seats.is_empty() {
            let known = score
                .bots
                .iter()
                .map(|bot| self.seat(*bot).ok_or_else(|| format!("bot {bot} is not in the plan")));
            known.collect::<Result<_, _>>()?
        } else {
            details.seats
        };
        let record = Record {
            record: RECORD_VERSION,
            plan: self.plan_id.clone(),
            r#match: score.r#match,
            rotation: score.rotation,
            game: self.game.name.clone(),
            options: self.game.options.clone(),
            opening: get_json(row, "opening")?,
            seats,
            seed: get::<i64>(row, "seed")? as u64,
            plies,
            end: score.end,
            places: score.places.clone(),
            points: score.points.clone(),
            faults: details.faults,
            left: details.left,
            started_ms: get::<i64>(row, "started_ms")? as u64,
            elapsed_us: get::<i64>(row, "elapsed_us")? as u64,
            host: details.host,
        };
        // The light row was computed from the record: it tells when the one or the other has been damaged.
        if record.score() == score {
            Ok(record)
        } else {
            Err("its transcript does not give the row that stands for it".to_owned())
        }
    }
}

/// The columns that [`decode_score`] reads, of `match`.
pub const SCORE_COLUMNS: &str = "m.id, m.rotation, m.bots, m.places, m.points, m.forfeits, m.end, m.plies, m.moves, \
                                 m.time_us, m.fingerprint";

/// The columns that [`Common::decode`] reads, of `match` and `transcript`.
pub const RECORD_COLUMNS: &str = "m.id, m.rotation, m.bots, m.places, m.points, m.forfeits, m.end, m.plies, m.moves, \
                                  m.time_us, m.fingerprint, m.started_ms, m.elapsed_us, t.seed, t.opening, t.seats, \
                                  t.moves AS played, t.elapsed_us AS ply_us, t.details";

/// The light row of a row of [`SCORE_COLUMNS`].
///
/// # Errors
/// As [`decode_score_into`].
pub fn decode_score(row: &Row<'_>) -> Result<MatchScore, String> {
    let mut score = empty_score();
    decode_score_into(row, &mut score)?;
    Ok(score)
}

/// To be filled by [`decode_score_into`].
pub fn empty_score() -> MatchScore {
    MatchScore {
        r#match: 0,
        rotation: 0,
        bots: Vec::new(),
        places: Vec::new(),
        points: Vec::new(),
        forfeits: Vec::new(),
        end: End::Rules,
        plies: 0,
        moves: Vec::new(),
        time_us: Vec::new(),
        fingerprint: 0,
    }
}

/// Replaces `score` by the light row of a row of [`SCORE_COLUMNS`], read by position and into the lists that are there: there
/// may be millions.
///
/// # Errors
/// What is wrong with the row, in words.
pub fn decode_score_into(row: &Row<'_>, score: &mut MatchScore) -> Result<(), String> {
    fn list<T: DeserializeOwned>(
        row: &Row<'_>,
        (at, what): (usize, &str),
        of_word: impl Fn(&[u8]) -> Option<T>,
        into: &mut Vec<T>,
    ) -> Result<(), String> {
        let text = row.get_ref(at).map_err(|error| error.to_string())?;
        let text = text.as_bytes().map_err(|error| format!("{what}: {error}"))?;
        read_list(text, of_word, into).map_err(|error| format!("{what}: {error}"))
    }
    let number = |at: usize| row.get::<_, i64>(at).map_err(|error| error.to_string());
    let end = row.get_ref(6).map_err(|error| error.to_string())?;
    let end = end.as_str().map_err(|error| format!("end: {error}"))?;
    score.r#match = number(0)? as u64;
    score.rotation = number(1)? as u64;
    list(row, (2, "bots"), number_of, &mut score.bots)?;
    list(row, (3, "places"), number_of, &mut score.places)?;
    list(row, (4, "points"), number_of, &mut score.points)?;
    list(row, (5, "forfeits"), truth_of, &mut score.forfeits)?;
    score.end = End::from_word(end).ok_or_else(|| format!("end: `{end}` is none"))?;
    score.plies = number(7)? as u32;
    list(row, (8, "moves"), number_of, &mut score.moves)?;
    list(row, (9, "time_us"), number_of, &mut score.time_us)?;
    score.fingerprint = number(10)? as u64;
    check_lists(score)
}

/// Whether all lists are by the same seats.
fn check_lists(score: &MatchScore) -> Result<(), String> {
    let seats = score.bots.len();
    let lengths = [
        score.places.len(),
        score.points.len(),
        score.forfeits.len(),
        score.moves.len(),
        score.time_us.len(),
    ];
    if lengths.iter().any(|length| *length != seats) {
        return Err(format!("lists by seat of {lengths:?} values, expected {seats} each"));
    }
    Ok(())
}

/// Replaces `list` by the numbers that `text` holds as a JSON list.
///
/// # Errors
/// Where it is none.
pub fn list_of_numbers(text: &[u8], list: &mut Vec<u64>) -> serde_json::Result<()> {
    read_list(text, number_of, list)
}

/// Replaces `list` by what `text` holds. What [`json_list`] wrote is read word by word, several times as fast as by the
/// general reader, to which all else is left: it knows whether that is right.
fn read_list<T: DeserializeOwned>(
    text: &[u8],
    of_word: impl Fn(&[u8]) -> Option<T>,
    list: &mut Vec<T>,
) -> serde_json::Result<()> {
    list.clear();
    let inner = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]"));
    for word in inner.unwrap_or_default().split(|byte| *byte == b',') {
        match of_word(word) {
            Some(value) => list.push(value),
            None => {
                *list = serde_json::from_slice(text)?;
                break;
            }
        }
    }
    Ok(())
}

fn number_of<T: TryFrom<u64>>(word: &[u8]) -> Option<T> {
    // Longer ones may not fit; a number that begins with 0 is no JSON.
    if !(1..=19).contains(&word.len()) || (word[0] == b'0' && word.len() > 1) {
        return None;
    }
    let add = |number: u64, digit: &u8| digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'));
    T::try_from(word.iter().try_fold(0, add)?).ok()
}

fn truth_of(word: &[u8]) -> Option<bool> {
    match word {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

fn get<T: rusqlite::types::FromSql>(row: &Row<'_>, column: &str) -> Result<T, String> {
    row.get(column).map_err(|error| error.to_string())
}

/// The value of a column of JSON.
///
/// # Errors
/// What is wrong with it, in words.
pub fn get_json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T, String> {
    serde_json::from_str(&get::<String>(row, column)?).map_err(|error| format!("{column}: {error}"))
}

fn json_list(values: impl ExactSizeIterator<Item = impl Serialize>) -> Box<str> {
    let mut text = Vec::with_capacity(2 + 5 * values.len());
    text.push(b'[');
    for (at, value) in values.enumerate() {
        if at > 0 {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, &value).expect("a JSON value can be written to memory");
    }
    text.push(b']');
    String::from_utf8(text).expect("JSON is UTF-8").into()
}

#[cfg(test)]
mod tests {
    use super::{number_of, read_list, truth_of};

    #[test]
    fn a_list_is_read_as_the_general_reader_reads_it() {
        for text in [
            "[]",
            "[0]",
            "[1,2,3]",
            "[255,256]",
            "[ 1, 2 ]",
            "[01]",
            "[-1]",
            "[1.0]",
            "[1e2]",
            "[9999999999999999999]",
            "[18446744073709551615]",
            "[18446744073709551616]",
            "[00000000000000000000000000001]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[[1]]",
            "[1",
            "1]",
            "1,2",
            "",
            "null",
            "[null]",
            "[true,false]",
            "[true,fals]",
            "[1]]",
        ] {
            let mut bytes = vec![9_u8];
            let mut numbers = vec![9_u64];
            let mut truths = vec![true];
            let message = |error: serde_json::Error| error.to_string();
            let read = (
                read_list(text.as_bytes(), number_of, &mut bytes)
                    .map_err(message)
                    .map(|()| bytes),
                read_list(text.as_bytes(), number_of, &mut numbers)
                    .map_err(message)
                    .map(|()| numbers),
                read_list(text.as_bytes(), truth_of, &mut truths)
                    .map_err(message)
                    .map(|()| truths),
            );
            let expected = (
                serde_json::from_str(text).map_err(message),
                serde_json::from_str(text).map_err(message),
                serde_json::from_str(text).map_err(message),
            );
            assert_eq!(read, expected, "{text}");
        }
    }
}
