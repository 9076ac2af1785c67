//! Kalah's wire form: `{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"to_move":0}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{End, Kalah, Position, RING};
use crate::wire::{RowForm, Wire, WireError, check_row, check_seeds, pit_from_wire, seat_from_wire};
use crate::{Moves, Pit, PlayError, Ruleset};

/// The most pits a row may have, as the option `pits` says.
const PITS_MAX: usize = 12;

/// A position as it travels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Form {
    pits: [RowForm<PITS_MAX>; 2],
    stores: [u16; 2],
    to_move: Option<u8>,
}

impl Wire for Kalah {
    type Form = Form;

    fn to_wire(&self, position: &Position) -> Form {
        let row = |seat| RowForm::new(&position.ring[self.row(seat)]);
        let store = |seat| position.ring[self.store(seat)];
        Form {
            pits: [row(0), row(1)],
            stores: [store(0), store(1)],
            to_move: position.to_move.map(|seat| seat.index() as u8),
        }
    }

    fn read_wire(&self, form: Form) -> Result<Position, WireError> {
        for (seat, row) in form.pits.iter().enumerate() {
            check_row("pits", seat, row.len(), self.pits.into())?;
        }
        let all = form.pits.iter().flat_map(|row| row.iter()).chain(&form.stores);
        check_seeds(all.copied(), 2 * u32::from(self.pits) * u32::from(self.seeds))?;
        let mut ring = [0; RING];
        for seat in 0..2 {
            ring[self.row(seat)].copy_from_slice(&form.pits[seat]);
            ring[self.store(seat)] = form.stores[seat];
        }
        let position = Position::new(ring, seat_from_wire(form.to_move, 2)?);
        let empty = [0, 1].map(|seat| position.filled & self.row_bits(seat) == 0);
        match position.to_move {
            None if empty != [true, true] => Err(WireError::Impossible(
                "nobody is to move and seeds are left in the rows; at the end they go to the stores".to_owned(),
            )),
            Some(seat) if self.legal_moves(&position).is_empty() => Err(WireError::Impossible(format!(
                "`to_move` is {} and that row is empty",
                seat.index()
            ))),
            Some(_) if self.end == End::Either && empty != [false, false] => Err(WireError::Impossible(
                "a row is empty, which ends the match; expected `to_move` null".to_owned(),
            )),
            _ => Ok(position),
        }
    }

    fn move_to_wire(&self, mv: Pit) -> Value {
        mv.0.into()
    }

    fn read_move(&self, value: &Value) -> Result<Pit, PlayError> {
        pit_from_wire(value, self.pits.into())
    }
}
