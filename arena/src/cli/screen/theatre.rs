//! A film on the screen: the board, the clocks, the last move and what its bot said of it, the moves before, and the faults.
//! Also the pace at which it is shown.

use std::time::{Duration, Instant};

use mancala_arena_rules::{Seat, View};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::board::{self, Lines, Look};
use super::fit;
use super::projector::Projector;
use crate::cli::text;
use crate::record::{FaultRecord, LeftBy};
use crate::report::Film;

/// The shortest and the longest time that a position is shown.
const PACES: [Duration; 2] = [Duration::from_millis(10), Duration::from_secs(10)];

/// A seed moves so many times faster than moves follow each other.
const SEEDS_PER_PACE: u32 = 4;

/// Lines below the board for the film itself: the last move, what was said of it, the clocks.
const STATUS: u16 = 3;

/// How a film is being shown.
pub(in crate::cli) struct Theatre {
    pub projector: Projector,
    /// How long each position is shown; none: as fast as it comes, without seeds that move.
    pub pace: Duration,
    pub lines: Lines,
    /// When what is shown now has been seen long enough.
    due: Instant,
}

/// What is shown with a film, besides its frames.
#[derive(Default)]
pub(in crate::cli) struct Around<'a> {
    pub title: String,
    pub faults: &'a [FaultRecord],
    /// What the clocks show.
    pub clocks: String,
    /// The pits that may be chosen, and the one that is, where a person is asked.
    pub legal: Option<&'a [usize]>,
    pub chosen: Option<usize>,
    /// What is asked of a person, or said to one.
    pub prompt: Vec<Line<'a>>,
    /// What the keys do.
    pub keys: String,
    /// The whole of what the keys do, in place of the moves.
    pub help: Option<&'a str>,
}

impl Theatre {
    /// At the beginning of `film`.
    pub fn new(film: &Film, pace: Duration) -> Theatre {
        Theatre {
            projector: Projector::new(film),
            pace,
            lines: Lines::of_terminal(),
            due: Instant::now() + pace,
        }
    }

    /// Shows what is due at `now`; says whether anything has changed.
    pub fn advance(&mut self, film: &Film, now: Instant) -> bool {
        if now < self.due || self.projector.is_at_end(film) {
            return false;
        }
        if self.pace.is_zero() {
            self.projector.forward(film);
            return true;
        }
        self.projector.step(film);
        let between = self.projector.is_amid();
        self.due = now + if between { self.pace / SEEDS_PER_PACE } else { self.pace };
        true
    }

    /// How long from `now` what is shown is to be seen.
    pub fn rest(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now)
    }

    /// Whether the whole film has been shown, and its end long enough.
    pub fn is_over(&self, film: &Film, now: Instant) -> bool {
        self.projector.is_at_end(film) && now >= self.due
    }

    /// What is shown now is to be seen from `now` on.
    pub fn hold(&mut self, now: Instant) {
        self.due = now + self.pace;
    }

    /// Twice as fast.
    pub fn faster(&mut self, now: Instant) {
        self.set_pace(self.pace / 2, now);
    }

    /// Half as fast.
    pub fn slower(&mut self, now: Instant) {
        self.set_pace(self.pace * 2, now);
    }

    fn set_pace(&mut self, pace: Duration, now: Instant) {
        self.pace = pace.clamp(PACES[0], PACES[1]);
        self.due = self.due.min(now + self.pace);
    }

    /// The pace in words.
    pub fn pace_text(&self) -> String {
        format!("{} ms a move", self.pace.as_millis())
    }

    /// Draws all of it.
    pub fn draw(&self, frame: &mut Frame, film: &Film, around: &Around) {
        let area = frame.area();
        let width = usize::from(area.width);
        let view = self.projector.view();
        let mut lines = vec![title(film, &around.title, width), Line::default()];
        lines.extend(board::draw(&self.look(film, view, around), width));
        // Boards of all sizes leave what follows where it is, as notes come and go.
        let board_end = 2 + usize::from(board::height_max(view));
        lines.resize(board_end, Line::default());
        lines.extend(self.status(film, &around.clocks, width));
        let below = around.prompt.len() + 1;
        let room = usize::from(area.height).saturating_sub(board_end + usize::from(STATUS) + below);
        let listed = match around.help {
            Some(help) => help
                .lines()
                .map(|line| Line::from(line.to_owned()))
                .take(room)
                .collect(),
            None => self.moves(film, around.faults, room, width),
        };
        lines.extend(listed);
        lines.resize(usize::from(area.height).saturating_sub(below), Line::default());
        lines.extend(around.prompt.iter().cloned());
        lines.push(Line::styled(
            fit::cut(&around.keys, width),
            Style::new().add_modifier(Modifier::DIM),
        ));
        let height = area.height.min(lines.len() as u16);
        frame.render_widget(Paragraph::new(lines), Rect { height, ..area });
    }

    fn look<'a>(&self, film: &'a Film, view: &'a View, around: &Around<'a>) -> Look<'a> {
        Look {
            view,
            names: &film.names,
            hot: self.projector.hot(),
            last: self.projector.last(film),
            legal: around.legal,
            chosen: around.chosen,
            lines: self.lines,
        }
    }

    /// The last move, what its bot said of it, and the clocks.
    fn status(&self, film: &Film, clocks: &str, width: usize) -> Vec<Line<'static>> {
        let frame = self.projector.frame(film);
        let last = match frame {
            None => "the start".to_owned(),
            Some(frame) => {
                let (seat, name) = (frame.seat + 1, &film.names[usize::from(frame.seat)]);
                match (&frame.r#move, frame.left) {
                    (Some(mv), _) => {
                        let took = text::duration(Duration::from_micros(frame.us.unwrap_or(0)));
                        let hand = self.projector.in_hand();
                        let hand = if hand > 0 {
                            format!("; {hand} in hand")
                        } else {
                            String::new()
                        };
                        format!("ply {}: seat {seat} {name} plays {mv} ({took}){hand}", frame.ply)
                    }
                    (None, left) => format!("seat {seat} {name} {} at ply {}", left_text(left), frame.ply),
                }
            }
        };
        let info = frame.and_then(|frame| frame.info.as_ref());
        let info = info.map_or_else(String::new, |info| format!("info {info}"));
        [last, info, clocks.to_owned()]
            .iter()
            .map(|line| Line::from(fit::cut(line, width)))
            .collect()
    }

    /// The moves and faults round the one that is shown, in so many lines.
    fn moves(&self, film: &Film, faults: &[FaultRecord], room: usize, width: usize) -> Vec<Line<'static>> {
        if room < 2 {
            return Vec::new();
        }
        let shown = self.projector.frames();
        let entries = entries(film, faults);
        let at = entries.iter().rposition(|(frames, _)| *frames <= shown).unwrap_or(0);
        let first = at.saturating_sub(room - 2).min(entries.len().saturating_sub(room - 1));
        let mut lines = vec![Line::styled(
            fit::cut("  ply  seat                move       time", width),
            Style::new().add_modifier(Modifier::DIM),
        )];
        for (number, (_, line)) in entries.iter().enumerate().skip(first).take(room - 1) {
            let mark = if number == at && shown > 0 { '>' } else { ' ' };
            let style = match number == at && shown > 0 {
                true => Style::new().add_modifier(Modifier::BOLD),
                false => Style::new(),
            };
            lines.push(Line::styled(fit::cut(&format!("{mark}{line}"), width), style));
        }
        lines
    }
}

fn title(film: &Film, title: &str, width: usize) -> Line<'static> {
    let options: Vec<String> = film
        .options
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let game = format!("{}  {}", film.title, options.join(" "));
    let right = fit::cut(title, width);
    let room = width.saturating_sub(fit::columns(&right) + 1);
    let style = Style::new().add_modifier(Modifier::BOLD);
    Line::styled(format!("{} {right}", fit::left(&game, room)), style)
}

fn left_text(left: Option<LeftBy>) -> &'static str {
    match left {
        Some(LeftBy::Resignation) => "resigns",
        _ => "forfeits",
    }
}

/// A line for each move, leave and fault, with the number of frames that have been shown when it is the last of them.
fn entries(film: &Film, faults: &[FaultRecord]) -> Vec<(usize, String)> {
    let mut faults = faults.iter().peekable();
    let mut entries = Vec::new();
    for (at, frame) in film.frames.iter().enumerate() {
        while let Some(fault) = faults.next_if(|fault| fault.ply <= frame.ply) {
            entries.push((at + 1, fault_entry(fault)));
        }
        let (ply, seat, name) = (frame.ply, frame.seat + 1, &film.names[usize::from(frame.seat)]);
        let name = fit::left(name, 16);
        let line = match &frame.r#move {
            Some(mv) => {
                let took = text::duration(Duration::from_micros(frame.us.unwrap_or(0)));
                let info = frame.info.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("{ply:>4}  {seat} {name}  {:>4}  {took:>9}  {info}", mv.to_string())
            }
            // The fault has said so.
            None if frame.left == Some(LeftBy::Fault) => continue,
            None => format!("{ply:>4}  {seat} {name}  {}", left_text(frame.left)),
        };
        entries.push((at + 1, line));
    }
    entries.extend(faults.map(|fault| (film.frames.len(), fault_entry(fault))));
    entries
}

fn fault_entry(fault: &FaultRecord) -> String {
    let line = text::fault_line("the match", fault);
    format!("{:>4}  {line}", fault.ply)
}

/// What the clocks show: how long the turn has taken, of what it may, and what is left of each bank.
pub(in crate::cli) fn clocks(
    to_move: Seat,
    turn: Duration,
    move_ms_max: Option<u64>,
    banks_ms: Option<&[u64]>,
) -> String {
    let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    let mut text = format!("seat {} to move for {}", to_move.number(), seconds(turn));
    if let Some(limit) = move_ms_max {
        text += &format!(" of {}", seconds(Duration::from_millis(limit)));
    }
    let banks = banks_ms.into_iter().flatten().enumerate().map(|(seat, bank)| {
        let used = if seat == to_move.index() { turn } else { Duration::ZERO };
        let left = Duration::from_millis(*bank).saturating_sub(used);
        format!("seat {} {}", seat + 1, seconds(left))
    });
    let banks: Vec<String> = banks.collect();
    if !banks.is_empty() {
        text += &format!("; left: {}", banks.join(", "));
    }
    text
}
