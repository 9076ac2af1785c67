//! Kalah's wire form: `{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"to_move":0}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Kalah, PITS_MAX, Position};
use crate::wire::{Wire, WireError, pit_from_wire};
use crate::{Pit, PlayError, Seat};

/// A position as it travels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Form {
    pits: [Vec<u16>; 2],
    stores: [u16; 2],
    to_move: Option<u8>,
}

impl Wire for Kalah {
    type Form = Form;

    fn to_wire(&self, position: &Position) -> Form {
        let row = |seat: usize| position.pits[seat][..self.pits as usize].to_vec();
        Form {
            pits: [row(0), row(1)],
            stores: position.stores,
            to_move: position.to_move.map(|seat| seat.index() as u8),
        }
    }

    fn read_wire(&self, form: Form) -> Result<Position, WireError> {
        let mut pits = [[0; PITS_MAX]; 2];
        for (row, given) in pits.iter_mut().zip(&form.pits) {
            if given.len() != self.pits as usize {
                return Err(WireError::Impossible(format!(
                    "a row of {} pits, expected {}",
                    given.len(),
                    self.pits
                )));
            }
            row[..given.len()].copy_from_slice(given);
        }
        Ok(Position {
            pits,
            stores: form.stores,
            to_move: form.to_move.map(|seat| Seat::new(seat.min(1).into())),
        })
    }

    fn move_to_wire(&self, mv: Pit) -> Value {
        mv.0.into()
    }

    fn read_move(&self, value: &Value) -> Result<Pit, PlayError> {
        pit_from_wire(value, self.pits.into())
    }
}
