//! A board as text: at most 80 columns with twelve pits a row, and nothing that needs colour.
//!
//! Two rows lie as on the table: seat 1 below from left to right, seat 2 above from right to left, so that facing pits
//! face. With more seats each row stands on a line of its own, all from left to right. The store is in brackets, `>` is
//! before the seat to move, the letter after a number says whose special pit it is.

use std::fmt::Write;

use mancala_arena_rules::{Cell, Row, Seat, View};

/// Draws `view`, each line with its newline.
pub fn draw(view: &View) -> String {
    let pits = view.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let facing = view.rows.len() == 2;
    let mut text = String::new();
    let numbers: Vec<String> = (0..pits).map(|pit| pit.to_string()).collect();
    let line = |seat: usize, cells: Vec<String>| {
        let row = &view.rows[seat];
        let mark = if view.to_move.map(Seat::index) == Some(seat) {
            '>'
        } else {
            ' '
        };
        write_line(&format!("{mark} seat {} [{:>3}]", seat + 1, row.store), &cells)
    };
    if facing {
        text += &write_line("", &reversed(numbers.clone()));
        text += &line(1, reversed(cells(&view.rows[1])));
        text += &line(0, cells(&view.rows[0]));
        text += &write_line("", &numbers);
    } else {
        text += &write_line("", &numbers);
        for (seat, row) in view.rows.iter().enumerate() {
            text += &line(seat, cells(row));
        }
    }
    match notes(view) {
        Some(notes) => format!("{text}{notes}\n"),
        None => text,
    }
}

fn write_line(label: &str, cells: &[String]) -> String {
    let mut line = format!("{label:<14}");
    for cell in cells {
        // A letter stands to the right of the number, so that the numbers stay below each other.
        let width = if cell.ends_with(|last: char| last.is_ascii_alphabetic()) {
            5
        } else {
            4
        };
        write!(line, "{cell:>width$}").expect("a string can be written");
        line.push_str(if width == 5 { "" } else { " " });
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

fn cells(row: &Row) -> Vec<String> {
    let text = |cell: &Cell| match cell.owner {
        Some(owner) => format!("{}{}", cell.seeds, letter(owner)),
        None => cell.seeds.to_string(),
    };
    if row.in_play {
        row.cells.iter().map(text).collect()
    } else {
        vec!["-".to_owned(); row.cells.len()]
    }
}

fn reversed(mut cells: Vec<String>) -> Vec<String> {
    cells.reverse();
    cells
}

/// What the letters and dashes of a board mean, where there are any.
pub fn notes(view: &View) -> Option<String> {
    let cells = || view.rows.iter().flat_map(|row| &row.cells);
    let owners = (0..view.rows.len()).map(Seat::new);
    let owners = owners.filter(|seat| cells().any(|cell| cell.owner == Some(*seat)));
    let mut notes: Vec<String> = owners
        .map(|seat| format!("{}: uur of seat {}", letter(seat), seat.number()))
        .collect();
    if view.rows.iter().any(|row| !row.in_play) {
        notes.push("-: has left the board".to_owned());
    }
    (!notes.is_empty()).then(|| notes.join(", "))
}

/// The letter of a seat's special pits.
pub fn letter(seat: Seat) -> char {
    (b'a' + seat.index() as u8) as char
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(rows: &[(&[u32], u32)], to_move: Option<usize>) -> View {
        let row = |(seeds, store): &(&[u32], u32)| Row {
            cells: seeds
                .iter()
                .map(|seeds| Cell {
                    seeds: *seeds,
                    owner: None,
                })
                .collect(),
            store: *store,
            in_play: true,
        };
        View {
            rows: rows.iter().map(row).collect(),
            to_move: to_move.map(Seat::new),
        }
    }

    #[test]
    fn facing_pits_of_two_seats_face() {
        let drawn = draw(&view(&[(&[1, 2, 30], 4), (&[5, 6, 7], 128)], Some(1)));
        let expected = "
                 2    1    0
> seat 2 [128]   7    6    5
  seat 1 [  4]   1    2   30
                 0    1    2
";
        assert_eq!(drawn, expected[1..]);
    }

    #[test]
    fn a_special_pit_names_its_owner_and_numbers_stay_in_their_columns() {
        let mut board = view(&[(&[1, 12, 3], 4), (&[5, 6, 7], 8)], Some(0));
        board.rows[0].cells[1].owner = Some(Seat::new(1));
        board.rows[1].cells[2].owner = Some(Seat::new(0));
        let expected = "
                 2    1    0
  seat 2 [  8]   7a   6    5
> seat 1 [  4]   1   12b   3
                 0    1    2
a: uur of seat 1, b: uur of seat 2
";
        assert_eq!(draw(&board), expected[1..]);
    }

    #[test]
    fn three_seats_have_a_line_each_and_a_row_that_left_is_marked() {
        let mut board = view(&[(&[1, 2], 0), (&[3, 4], 1), (&[5, 6], 2)], None);
        board.rows[1].in_play = false;
        let expected = "
                 0    1
  seat 1 [  0]   1    2
  seat 2 [  1]   -    -
  seat 3 [  2]   5    6
-: has left the board
";
        assert_eq!(draw(&board), expected[1..]);
    }

    #[test]
    fn twelve_pits_fit_eighty_columns() {
        let mut board = view(&[(&[288; 12], 288), (&[288; 12], 288)], Some(0));
        for cell in board.rows.iter_mut().flat_map(|row| &mut row.cells) {
            cell.owner = Some(Seat::new(0));
        }
        assert!(draw(&board).lines().all(|line| line.len() <= 80), "{}", draw(&board));
    }
}
