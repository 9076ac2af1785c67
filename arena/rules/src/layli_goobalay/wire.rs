//! Layli Goobalay's wire form: `pits` and `uur_owner` by seat in sowing order (a seat, or null for an ordinary pit),
//! `captured` and `to_move`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LayliGoobalay, Position, RING};
use crate::wire::{Wire, WireError, check_row, check_seeds, pit_from_wire, seat_from_wire};
use crate::{Moves, Pit, PlayError, Ruleset};

/// A position as it travels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Form {
    pits: [Vec<u16>; 2],
    uur_owner: [Vec<Option<u8>>; 2],
    captured: [u16; 2],
    to_move: Option<u8>,
}

impl Wire for LayliGoobalay {
    type Form = Form;

    fn to_wire(&self, position: &Position) -> Form {
        let owner = |place| position.owner(place).map(|seat| seat.index() as u8);
        Form {
            pits: [0, 1].map(|seat| position.ring[self.row(seat)].to_vec()),
            uur_owner: [0, 1].map(|seat| self.row(seat).map(owner).collect()),
            captured: position.captured,
            to_move: position.to_move.map(|seat| seat.index() as u8),
        }
    }

    fn read_wire(&self, form: Form) -> Result<Position, WireError> {
        for seat in 0..2 {
            check_row("pits", seat, form.pits[seat].len(), self.pits.into())?;
            check_row("uur_owner", seat, form.uur_owner[seat].len(), self.pits.into())?;
        }
        let all = form.pits.iter().flatten().chain(&form.captured);
        check_seeds(all.copied(), 2 * u32::from(self.pits) * u32::from(self.seeds))?;
        let mut position = Position {
            ring: [0; RING],
            uurs: self.read_uurs(&form)?,
            captured: form.captured,
            to_move: seat_from_wire(form.to_move, 2)?,
        };
        for (seat, row) in form.pits.iter().enumerate() {
            position.ring[self.row(seat)].copy_from_slice(row);
        }
        match position.to_move {
            None if position.ring != [0; RING] => Err(WireError::Impossible(
                "nobody is to move and seeds are left on the board; at the end they are counted into `captured`"
                    .to_owned(),
            )),
            Some(seat) if self.legal_moves(&position).is_empty() => Err(WireError::Impossible(format!(
                "`to_move` is {} and that seat has no legal move, which ends the match",
                seat.index()
            ))),
            Some(_) if (0..self.places()).any(|place| position.is_uur(place) && position.ring[place] < 2) => Err(
                WireError::Impossible("an uur holds fewer than the 2 seeds it is made with".to_owned()),
            ),
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

impl LayliGoobalay {
    /// The uurs by owner, checked: owners are seats, and uurs lie in pairs that face each other and have one owner.
    fn read_uurs(&self, form: &Form) -> Result<[u32; 2], WireError> {
        let owners: Vec<_> = form.uur_owner.iter().flatten().copied().collect();
        let mut uurs = [0; 2];
        for (place, (owner, facing)) in owners.iter().zip(owners.iter().rev()).enumerate() {
            if owner != facing {
                return Err(WireError::Impossible(format!(
                    "pit {} of row {} and the pit facing it differ in `uur_owner`; an uur faces an uur of the same owner",
                    place % usize::from(self.pits),
                    place / usize::from(self.pits)
                )));
            }
            match owner {
                None => {}
                Some(owner @ 0..2) => uurs[usize::from(*owner)] |= 1 << place,
                Some(other) => {
                    return Err(WireError::Impossible(format!(
                        "`uur_owner` names seat {other}, expected 0, 1 or null"
                    )));
                }
            }
        }
        Ok(uurs)
    }
}
