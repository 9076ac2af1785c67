//! What the screen shows, on a terminal that is not there: 80 columns and 24 lines, as kept in `shown/`.

use std::path::PathBuf;
use std::time::Duration;

use mancala_arena_rules::open_text;
use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};
use serde_json::json;

use super::board::Lines;
use super::fit;
use super::theatre::{Around, Theatre};
use crate::record::samples::{self, Leaving};
use crate::report::Film;

/// What `draw` draws on a terminal of this size, each line without the blanks at its end.
pub(in crate::cli) fn drawn(width: u16, height: u16, draw: impl FnOnce(&mut Frame)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal in memory");
    terminal.draw(draw).expect("a terminal in memory");
    let buffer = terminal.backend().buffer();
    let mut shown = String::new();
    for cells in buffer.content.chunks(usize::from(width)) {
        let (mut line, mut hidden) = (String::new(), 0);
        for cell in cells {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            line.push_str(cell.symbol());
            // What is wide covers the columns after its own.
            hidden = fit::columns(cell.symbol()).saturating_sub(1);
        }
        shown += line.trim_end();
        shown.push('\n');
    }
    shown
}

/// Compares `found` with what is kept under this name.
pub(in crate::cli) fn is_as_kept(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("src/cli/screen/shown")
        .join(name);
    if std::env::var_os("UPDATE_SHOWN").is_some() {
        std::fs::write(&path, found).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == found,
        "{name} is shown otherwise; look at it, and `UPDATE_SHOWN=1 cargo test -p mancala-arena` keeps it:\n{found}"
    );
}

fn film(game: &str, names: &[&str]) -> Film {
    let plan = samples::plan(&*open_text(game).expect("it is a game of ours"), 5);
    let mut film = Film::of(&samples::played(&plan, 1, Leaving::Never)).expect("a sample is a match by the rules");
    for (seat, name) in names.iter().enumerate() {
        film.names[seat] = (*name).to_owned();
    }
    for (at, frame) in film.frames.iter_mut().enumerate() {
        frame.us = Some(1_500 * at as u64);
        frame.info = (at % 3 == 0).then(|| json!({"score": at, "depth": 4}));
    }
    film
}

fn theatre(film: &Film, frames: usize, steps: usize) -> Theatre {
    let mut theatre = Theatre::new(film, Duration::from_millis(300));
    theatre.lines = Lines::Drawn;
    theatre.projector.seek(film, frames);
    (0..steps).for_each(|_| theatre.projector.step(film));
    theatre
}

fn around<'a>() -> Around<'a> {
    Around {
        title: "300 ms a move".to_owned(),
        clocks: "seat 1 to move for 0.3 s of 1.0 s; left: seat 1 9.7 s, seat 2 10.0 s".to_owned(),
        keys: "space pauses  +- speed  ? help  q quits".to_owned(),
        ..Around::default()
    }
}

#[test]
fn a_match_of_two_three_and_four_seats_is_shown_on_80_columns_and_24_lines() {
    for (name, game, frames, steps) in [
        ("kalah.txt", "kalah", 7, 3),
        ("kalah-12-pits.txt", "kalah:pits=12", 9, 0),
        ("layli-12-pits.txt", "layli-goobalay:pits=12", 12, 5),
        ("mancala-basic-3.txt", "mancala-basic:seats=3,pits=4", 5, 2),
        ("mancala-basic-4.txt", "mancala-basic:seats=4", 11, 4),
    ] {
        let film = film(
            game,
            &[
                "greedy",
                "a name that is far too long for any board there is here, and goes on",
            ],
        );
        let theatre = theatre(&film, frames, steps);
        is_as_kept(name, &drawn(80, 24, |frame| theatre.draw(frame, &film, &around())));
    }
}

#[test]
fn names_from_outside_are_shown_whole_in_width_and_harmless() {
    let film = film("kalah", &["名前の長い選手の名前", "\u{1b}[2J\u{7}evil\r\n\u{9b}31m"]);
    let theatre = theatre(&film, 4, 0);
    let found = drawn(80, 24, |frame| theatre.draw(frame, &film, &around()));
    assert!(found.contains("名前の長い選手の名前"), "{found}");
    assert!(!found.chars().any(|c| c.is_control() && c != '\n'), "{found}");
    is_as_kept("names.txt", &found);
}

#[test]
fn a_terminal_of_any_size_is_drawn_on() {
    for game in ["kalah:pits=12", "mancala-basic:seats=4"] {
        let film = film(game, &[]);
        let theatre = theatre(&film, 3, 1);
        for (width, height) in [(1, 1), (10, 3), (40, 12), (200, 60)] {
            drawn(width, height, |frame| theatre.draw(frame, &film, &around()));
        }
    }
}

#[test]
fn without_box_drawing_characters_only_ascii_is_left() {
    let film = film("mancala-basic:seats=3", &[]);
    let mut theatre = theatre(&film, 5, 2);
    theatre.lines = Lines::Ascii;
    let found = drawn(80, 24, |frame| theatre.draw(frame, &film, &Around::default()));
    let outside: Vec<char> = found.chars().filter(|c| !c.is_ascii() && *c != 'µ').collect();
    assert!(outside.is_empty(), "{outside:?} in {found}");
}

#[test]
fn where_a_seed_falls_and_what_was_chosen_is_seen_without_colour() {
    let film = film("kalah", &[]);
    let (before, amid) = (theatre(&film, 2, 0), theatre(&film, 2, 2));
    let [before, amid] = [before, amid].map(|theatre| drawn(80, 24, |frame| theatre.draw(frame, &film, &around())));
    assert!(!before.contains('*') && amid.contains('*'), "{before}{amid}");
    assert!(amid.contains("in hand"), "{amid}");
}
