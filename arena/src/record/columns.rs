//! Plies by column, as they are stored and sent: a quarter as long as ply by ply.

use serde_json::Value;

use super::PlyRecord;

/// The deepest nesting of an `info` that is kept: JSON readers, ours too, give up not far above.
const INFO_DEPTH_MAX: usize = 100;

/// Plies by column.
#[derive(Clone, PartialEq, Debug)]
pub struct PlyColumns {
    /// Who moved, one digit each.
    pub seats: String,
    /// The moves.
    pub moves: Vec<Value>,
    /// The times they took, microseconds.
    pub elapsed_us: Vec<u64>,
    /// What bots said about them, with the number of the ply.
    pub infos: Vec<(usize, Value)>,
}

impl PlyColumns {
    /// The plies.
    ///
    /// # Errors
    /// When the columns do not fit each other, in words.
    pub fn into_plies(self) -> Result<Vec<PlyRecord>, String> {
        let PlyColumns {
            seats,
            moves,
            elapsed_us,
            infos,
        } = self;
        if moves.len() != seats.len() || elapsed_us.len() != seats.len() {
            return Err(format!(
                "plies with {} seats, {} moves, {} times",
                seats.len(),
                moves.len(),
                elapsed_us.len()
            ));
        }
        let mut plies: Vec<PlyRecord> = seats
            .bytes()
            .zip(moves)
            .zip(elapsed_us)
            .map(|((seat, r#move), elapsed_us)| PlyRecord {
                seat: seat.wrapping_sub(b'0'),
                r#move,
                elapsed_us,
                info: None,
            })
            .collect();
        let number = plies.len();
        for (at, info) in infos {
            plies
                .get_mut(at)
                .ok_or_else(|| format!("an info for ply {at} of {number}"))?
                .info = Some(info);
        }
        Ok(plies)
    }
}

/// The column of seats.
pub fn seats(plies: &[PlyRecord]) -> String {
    plies.iter().map(|ply| char::from(b'0' + ply.seat)).collect()
}

/// The infos that are kept, with the numbers of their plies.
pub fn infos(plies: &[PlyRecord]) -> Vec<(usize, Value)> {
    let kept = |ply: &PlyRecord| ply.info.clone().filter(|info| !is_deeper(info, INFO_DEPTH_MAX));
    let numbered = plies.iter().enumerate();
    numbered.filter_map(|(at, ply)| Some((at, kept(ply)?))).collect()
}

/// Whether a value is nested deeper than so many levels. Looks no deeper than that.
fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(fields) => levels == 0 || fields.values().any(|field| is_deeper(field, levels - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plies() -> Vec<PlyRecord> {
        let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        let said = [
            None,
            Some(json!({"score": 3})),
            Some(deep(INFO_DEPTH_MAX)),
            Some(deep(INFO_DEPTH_MAX + 1)),
        ];
        let ply = |(at, info): (usize, &Option<Value>)| PlyRecord {
            seat: (at % 3) as u8,
            r#move: json!(at),
            elapsed_us: 10 * at as u64,
            info: info.clone(),
        };
        said.iter().enumerate().map(ply).collect()
    }

    fn columns() -> PlyColumns {
        let plies = plies();
        PlyColumns {
            seats: seats(&plies),
            infos: infos(&plies),
            elapsed_us: plies.iter().map(|ply| ply.elapsed_us).collect(),
            moves: plies.into_iter().map(|ply| ply.r#move).collect(),
        }
    }

    #[test]
    fn columns_give_the_plies_that_they_were_made_of() {
        assert_eq!(columns().seats, "0120");
        let infos = serde_json::to_string(&columns().infos).expect("it has string keys only");
        let infos: Vec<(usize, Value)> = serde_json::from_str(&infos).expect("what is kept can be read");
        assert_eq!(infos, columns().infos);
        let mut expected = plies();
        // Too deep to be kept.
        expected[3].info = None;
        assert_eq!(columns().into_plies(), Ok(expected));
    }

    #[test]
    fn columns_of_unlike_lengths_are_none() {
        let short = PlyColumns {
            seats: "01".to_owned(),
            ..columns()
        };
        assert_eq!(
            short.into_plies(),
            Err("plies with 2 seats, 4 moves, 4 times".to_owned())
        );
        let beyond = PlyColumns {
            infos: vec![(4, json!(1))],
            ..columns()
        };
        assert_eq!(beyond.into_plies(), Err("an info for ply 4 of 4".to_owned()));
    }
}
