//! Mancala basic's wire form: `pits` by seat in sowing order, `stores`, `active` (seats on the board, ascending), `finished`
//! and `left` (seats in the order in which they went; `left` only when not empty) and `to_move`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MancalaBasic, Order, Position, RING};
use crate::wire::{Wire, WireError, check_row, check_seeds, pit_from_wire, seat_from_wire};
use crate::{Pit, PlayError};

/// A position as it travels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Form {
    pits: Vec<Vec<u8>>,
    stores: Vec<u8>,
    active: Vec<u8>,
    finished: Vec<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<u8>,
    to_move: Option<u8>,
}

impl Wire for MancalaBasic {
    type Form = Form;

    fn to_wire(&self, position: &Position) -> Form {
        let seats = 0..usize::from(self.seats);
        Form {
            pits: seats
                .clone()
                .map(|seat| position.ring[self.row(seat)].to_vec())
                .collect(),
            stores: seats.clone().map(|seat| position.ring[self.store(seat)]).collect(),
            active: (0..self.seats)
                .filter(|seat| self.is_active(position, usize::from(*seat)))
                .collect(),
            finished: position.finished.to_wire(),
            left: position.left.to_wire(),
            to_move: position.to_move.map(|seat| seat.index() as u8),
        }
    }

    fn read_wire(&self, form: Form) -> Result<Position, WireError> {
        let seats = usize::from(self.seats);
        for (field, found) in [("pits", form.pits.len()), ("stores", form.stores.len())] {
            if found != seats {
                return Err(WireError::Impossible(format!(
                    "`{field}` is of {found} seats, expected {seats}"
                )));
            }
        }
        for (seat, row) in form.pits.iter().enumerate() {
            check_row("pits", seat, row.len(), self.pits.into())?;
        }
        let all = form.pits.iter().flatten().chain(&form.stores);
        check_seeds(
            all.copied(),
            u32::from(self.seats) * u32::from(self.pits) * u32::from(self.seeds),
        )?;
        let mut everyone = [&form.active[..], &form.finished, &form.left].concat();
        everyone.sort_unstable();
        if !everyone.iter().copied().eq(0..self.seats) || !form.active.is_sorted() {
            return Err(WireError::Impossible(format!(
                "each seat from 0 to {} stands once in `active` (ascending), `finished` or `left`",
                seats - 1
            )));
        }
        let mut position = Position {
            ring: [0; RING],
            finished: Order::from_wire(&form.finished),
            left: Order::from_wire(&form.left),
            to_move: seat_from_wire(form.to_move, seats)?,
        };
        for (seat, row) in form.pits.iter().enumerate() {
            position.ring[self.row(seat)].copy_from_slice(row);
            position.ring[self.store(seat)] = form.stores[seat];
        }
        self.check_seats(&position)?;
        Ok(position)
    }

    fn move_to_wire(&self, mv: Pit) -> Value {
        mv.0.into()
    }

    fn read_move(&self, value: &Value) -> Result<Pit, PlayError> {
        pit_from_wire(value, self.pits.into())
    }
}

impl MancalaBasic {
    /// Whether rows, those who have gone, and the seat to move fit together.
    fn check_seats(&self, position: &Position) -> Result<(), WireError> {
        for seat in 0..usize::from(self.seats) {
            let empty = self.seeds_in_row(position, seat) == 0;
            let finished = position.finished.position(seat).is_some();
            if finished && !empty {
                return Err(WireError::Impossible(format!(
                    "seat {seat} is in `finished` and its row is not empty"
                )));
            }
            if empty && !finished {
                return Err(WireError::Impossible(format!(
                    "the row of seat {seat} is empty, expected the seat in `finished`"
                )));
            }
        }
        let over = self.active_count(position) == 1 || (!self.all_places && position.finished.len > 0);
        match position.to_move {
            None if !over => Err(WireError::Impossible(
                "nobody is to move and the match is not over".to_owned(),
            )),
            Some(_) if over => Err(WireError::Impossible(
                "the match is over, expected `to_move` null".to_owned(),
            )),
            Some(seat) if !self.is_active(position, seat.index()) => Err(WireError::Impossible(format!(
                "`to_move` is {} and that seat is not in `active`",
                seat.index()
            ))),
            _ => Ok(()),
        }
    }
}

impl Order {
    fn to_wire(self) -> Vec<u8> {
        self.iter().map(|seat| seat as u8).collect()
    }

    /// Of at most one entry a seat.
    fn from_wire(seats: &[u8]) -> Order {
        let mut order = Order::default();
        for seat in seats {
            order.push(usize::from(*seat));
        }
        order
    }
}
