//! `arena show MATCH --replay`: a stored match on the screen, step by step or by itself.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::Exit;
use super::screen::theatre::{Around, Theatre};
use super::screen::{self, Key, Screen, Signals};
use crate::record::Record;
use crate::report::Film;

/// How long each position is shown at first.
const PACE: Duration = Duration::from_millis(600);

/// Plies that a page has.
const PAGE: usize = 10;

/// How long a key is waited for while nothing moves.
const IDLE: Duration = Duration::from_millis(250);

const KEYS: &str = "←→ ply  space plays  +- speed  home end  ? help  q quits";

const HELP: &str = "
  →  n        the next ply                    ←  p        the ply before
  page down   ten plies on                    page up     ten plies back
  home        the start                       end         the end
  s           one seed or capture on          space       plays by itself, or stops
  +  -        faster, slower                  q  escape   back to the shell
";

/// Replays `record`; needs a terminal.
pub fn run(record: &Record) -> anyhow::Result<Exit> {
    let number = record.r#match;
    let film = Film::of(record).with_context(|| format!("match {number} cannot be replayed by the rules"))?;
    if !screen::is_possible() {
        bail!("--replay needs a terminal that can move its cursor; without --replay the match is printed");
    }
    let mut replay = Replay::new(film, number);
    let mut screen = Screen::open(Signals::View)?;
    loop {
        screen.draw(|frame| replay.draw(frame))?;
        let now = Instant::now();
        let patience = if replay.plays {
            replay.theatre.rest(now).min(IDLE)
        } else {
            IDLE
        };
        match screen.key(patience) {
            Some(Key::Interrupt) => return Ok(Exit::Interrupted),
            Some(key) => {
                if !replay.press(key, Instant::now()) {
                    return Ok(Exit::Done);
                }
            }
            None => replay.pass(Instant::now()),
        }
    }
}

struct Replay {
    film: Film,
    title: String,
    theatre: Theatre,
    plays: bool,
    help: bool,
}

impl Replay {
    fn new(film: Film, number: u64) -> Replay {
        Replay {
            theatre: Theatre::new(&film, PACE),
            title: format!("match {number}"),
            film,
            plays: false,
            help: false,
        }
    }

    fn draw(&self, frame: &mut ratatui::Frame) {
        let (shown, all) = (self.theatre.projector.frames(), self.film.frames.len());
        let state = if self.plays {
            format!("plays, {}", self.theatre.pace_text())
        } else {
            "stands".to_owned()
        };
        let around = Around {
            title: format!("{}  {shown} of {all}  {state}", self.title),
            faults: self.film.ending.as_ref().map_or(&[], |ending| &ending.faults),
            clocks: if shown == all { self.result() } else { String::new() },
            keys: KEYS.to_owned(),
            help: self.help.then_some(HELP),
            ..Around::default()
        };
        self.theatre.draw(frame, &self.film, &around);
    }

    /// How the match ended.
    fn result(&self) -> String {
        let Some(ending) = &self.film.ending else {
            return String::new();
        };
        let seats = ending.places.iter().zip(&ending.points).enumerate();
        let seats: Vec<String> = seats
            .map(|(seat, (place, points))| format!("seat {} place {place}, {points} points", seat + 1))
            .collect();
        format!("{}: {}", super::text::end(ending.reason), seats.join("; "))
    }

    /// Does what a key says; `false` when it says to go.
    fn press(&mut self, key: Key, now: Instant) -> bool {
        let (projector, film) = (&mut self.theatre.projector, &self.film);
        let frames = projector.frames();
        if self.help && key != Key::Char('q') {
            self.help = false;
            return true;
        }
        match key {
            Key::Char('q') | Key::Escape => return false,
            Key::Char('?' | 'h') => self.help = true,
            Key::Char(' ') => {
                self.plays = !self.plays;
                if self.plays && projector.is_at_end(film) {
                    projector.seek(film, 0);
                }
                self.theatre.hold(now);
                return true;
            }
            Key::Char('+' | '=') => self.theatre.faster(now),
            Key::Char('-' | '_') => self.theatre.slower(now),
            Key::Right | Key::Down | Key::Char('n' | 'l') => projector.forward(film),
            Key::Left | Key::Up | Key::Char('p' | 'b') => {
                let back = if projector.is_amid() {
                    frames
                } else {
                    frames.saturating_sub(1)
                };
                projector.seek(film, back);
            }
            Key::PageDown => projector.seek(film, frames + PAGE),
            Key::PageUp => projector.seek(film, frames.saturating_sub(PAGE)),
            Key::Home => projector.seek(film, 0),
            Key::End => projector.seek(film, usize::MAX),
            Key::Char('s') => projector.step(film),
            _ => return true,
        }
        if !matches!(key, Key::Char('+' | '=' | '-' | '_')) {
            self.plays = false;
        }
        true
    }

    /// Time has passed.
    fn pass(&mut self, now: Instant) {
        if self.plays {
            self.theatre.advance(&self.film, now);
            self.plays = !self.theatre.projector.is_at_end(&self.film);
        }
    }
}

#[cfg(test)]
mod tests {
    use mancala_arena_rules::open_text;

    use super::*;
    use crate::cli::screen::tests::drawn;
    use crate::record::samples::{self, Leaving};

    fn replay() -> Replay {
        let plan = samples::plan(&*open_text("kalah").expect("it is a game of ours"), 5);
        let record = samples::played(&plan, 1, Leaving::Never);
        Replay::new(Film::of(&record).expect("a sample is a match by the rules"), 1)
    }

    fn shown_after(replay: &mut Replay, keys: &[Key]) -> usize {
        for key in keys {
            assert!(replay.press(*key, Instant::now()));
        }
        replay.theatre.projector.frames()
    }

    #[test]
    fn keys_step_through_the_match() {
        let mut replay = replay();
        let all = replay.film.frames.len();
        for (keys, expected) in [
            (&[Key::Right, Key::Right, Key::Right][..], 3),
            (&[Key::Left], 2),
            (&[Key::PageDown], 12),
            (&[Key::PageUp, Key::PageUp], 0),
            (&[Key::Left], 0),
            (&[Key::End], all),
            (&[Key::Right], all),
            (&[Key::Home], 0),
        ] {
            assert_eq!(shown_after(&mut replay, keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn amid_a_ply_back_goes_to_its_beginning() {
        let mut replay = replay();
        shown_after(&mut replay, &[Key::Right, Key::Char('s'), Key::Char('s')]);
        assert!(replay.theatre.projector.is_amid());
        assert_eq!(shown_after(&mut replay, &[Key::Left]), 1);
        assert!(!replay.theatre.projector.is_amid());
    }

    #[test]
    fn at_the_end_the_result_is_told() {
        let mut replay = replay();
        shown_after(&mut replay, &[Key::End]);
        let screen = drawn(80, 24, |frame| replay.draw(frame));
        assert!(screen.contains("ended by the rules: seat 1 place"), "{screen}");
    }

    #[test]
    fn help_is_shown_until_a_key_is_pressed() {
        let mut replay = replay();
        for (key, expected) in [(Key::Char('?'), true), (Key::Right, false)] {
            assert_eq!(shown_after(&mut replay, &[key]), 0);
            let screen = drawn(80, 24, |frame| replay.draw(frame));
            assert_eq!(screen.contains("the ply before"), expected, "{screen}");
        }
    }
}
