//! The JSON form of positions and moves: the one home that arena and bots share.
//!
//! A position is a game's own JSON object, absolute: never rotated for the reader. A move is a JSON value, equal to one
//! element of the list of legal moves; for a game of pits it is the pit's number in the mover's own row.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Match, Moves, Pit, PlayError, Ruleset, Seat};

/// A row of up to `N` numbers, held by value: positions are written at every ply, and need no allocation for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowForm<const N: usize> {
    numbers: [u16; N],
    len: usize,
}

impl<const N: usize> RowForm<N> {
    /// The row with these numbers.
    ///
    /// # Panics
    /// When there are more than `N`.
    pub(crate) fn new(numbers: &[u16]) -> RowForm<N> {
        let mut row = RowForm {
            numbers: [0; N],
            len: numbers.len(),
        };
        row.numbers[..numbers.len()].copy_from_slice(numbers);
        row
    }
}

impl<const N: usize> std::ops::Deref for RowForm<N> {
    type Target = [u16];
    fn deref(&self) -> &[u16] {
        &self.numbers[..self.len]
    }
}

impl<const N: usize> Serialize for RowForm<N> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, const N: usize> serde::Deserialize<'de> for RowForm<N> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<u16>::deserialize(deserializer)?;
        if numbers.len() > N {
            let message = format!("a row of {} pits, expected at most {N}", numbers.len());
            return Err(serde::de::Error::custom(message));
        }
        Ok(RowForm::new(&numbers))
    }
}

/// A position that is not one.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Not of the form.
    #[error("not a position: {0}")]
    Form(#[from] serde_json::Error),
    /// Of the form, and impossible under these rules.
    #[error("impossible position: {0}")]
    Impossible(String),
}

/// The JSON form of a game's positions and moves.
pub trait Wire: Ruleset {
    /// A position as it travels.
    type Form: Serialize + DeserializeOwned;

    /// The position as it travels.
    fn to_wire(&self, position: &Self::Position) -> Self::Form;

    /// The position that travelled, checked: lengths, the number of seeds, who can be to move.
    ///
    /// # Errors
    /// [`WireError::Impossible`].
    fn read_wire(&self, form: Self::Form) -> Result<Self::Position, WireError>;

    /// A move as it travels.
    fn move_to_wire(&self, mv: Self::Move) -> Value;

    /// The move that travelled, legal or not.
    ///
    /// # Errors
    /// [`PlayError::NotAMove`] or [`PlayError::NoSuchPit`].
    fn read_move(&self, value: &Value) -> Result<Self::Move, PlayError>;
}

/// Appends `position` to `out` as JSON without blanks.
pub fn write_position<R: Wire>(ruleset: &R, position: &R::Position, out: &mut String) {
    in_place(out, |bytes| push_json(bytes, &ruleset.to_wire(position)));
}

/// Reads a position from its JSON text.
///
/// # Errors
/// [`WireError`].
pub fn read_position<R: Wire>(ruleset: &R, text: &str) -> Result<R::Position, WireError> {
    ruleset.read_wire(serde_json::from_str(text)?)
}

/// Appends the legal moves to `out` as a JSON array without blanks; `[]` when the match is over.
pub fn write_legal<R: Wire>(playing: &Match<R>, out: &mut String) {
    in_place(out, |bytes| {
        bytes.push(b'[');
        if playing.ended().is_none() {
            for (index, mv) in playing.ruleset().legal_moves(playing.position()).iter().enumerate() {
                if index > 0 {
                    bytes.push(b',');
                }
                push_json(bytes, &playing.ruleset().move_to_wire(mv));
            }
        }
        bytes.push(b']');
    });
}

/// Lets `write` append JSON to the buffer of `out`.
fn in_place(out: &mut String, write: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::mem::take(out).into_bytes();
    write(&mut bytes);
    *out = String::from_utf8(bytes).expect("JSON is UTF-8");
}

fn push_json<T: Serialize>(bytes: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(Bytewise(bytes), value).expect("forms have string keys only");
}

/// Appends to a buffer. A position is written a byte or two at a time, which is cheaper than copying blocks of memory.
struct Bytewise<'a>(&'a mut Vec<u8>);

impl io::Write for Bytewise<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match *bytes {
            [byte] => self.0.push(byte),
            [first, second] => self.0.extend([first, second]),
            _ => self.0.extend_from_slice(bytes),
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The index of `value` in the list of legal moves.
///
/// # Errors
/// [`PlayError`] when it is none of them.
pub fn find<R: Wire>(playing: &Match<R>, value: &Value) -> Result<usize, PlayError> {
    if playing.ended().is_some() {
        return Err(PlayError::Over);
    }
    let mv = playing.ruleset().read_move(value)?;
    playing.ruleset().check(playing.position(), mv)?;
    let index = playing
        .ruleset()
        .legal_moves(playing.position())
        .iter()
        .position(|legal| legal == mv);
    Ok(index.expect("a move that passes the check is in the list"))
}

/// The pit that `value` names in a row of `pits`: a whole number, also written `2.0` or `2e0`.
///
/// # Errors
/// [`PlayError::NotAMove`] for anything that is not a whole number, [`PlayError::NoSuchPit`] outside the row.
pub fn pit_from_wire(value: &Value, pits: usize) -> Result<Pit, PlayError> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0);
    let number = number.ok_or(PlayError::NotAMove {
        expected: "an integer pit number",
    })?;
    if number < 0.0 || number >= pits as f64 {
        return Err(PlayError::NoSuchPit { pits });
    }
    Ok(Pit(number as u8))
}

/// The seat that `to_move` names, if any.
pub(crate) fn seat_from_wire(to_move: Option<u8>, seats: usize) -> Result<Option<Seat>, WireError> {
    match to_move {
        Some(seat) if usize::from(seat) >= seats => Err(WireError::Impossible(format!(
            "`to_move` is {seat}, expected a seat from 0 to {} or null",
            seats - 1
        ))),
        seat => Ok(seat.map(|seat| Seat::new(seat.into()))),
    }
}

/// Refuses a row of `field` that has not the length of the game's rows.
pub(crate) fn check_row(field: &str, seat: usize, found: usize, expected: usize) -> Result<(), WireError> {
    if found == expected {
        return Ok(());
    }
    Err(WireError::Impossible(format!(
        "row {seat} of `{field}` has {found} pits, expected {expected}"
    )))
}

/// Refuses places that together hold more or fewer seeds than the game has.
pub(crate) fn check_seeds<N: Into<u32>>(places: impl Iterator<Item = N>, expected: u32) -> Result<(), WireError> {
    let found: u32 = places.map(Into::into).sum();
    if found == expected {
        return Ok(());
    }
    Err(WireError::Impossible(format!(
        "{found} seeds in all, expected {expected}"
    )))
}
