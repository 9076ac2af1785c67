//! A running tournament on the screen: how far it is, the standings with their intervals, the matches on the boards, and
//! what happened last. Shows what the store and the runner tell, and decides nothing.
//!
//! It must not slow the run: standings are fitted at most once a second, and less often where that takes long.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use mancala_arena_rules::{AnyGame, Seat, View};
use ratatui::Frame;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use rustix::process::{Signal, getpid, kill_process};
use tokio::sync::watch;

use super::playing::{Event, FaultLines};
use super::screen::board::{self, Lines};
use super::screen::{Key, Screen, fit};
use crate::rating::{Rating, Standings, Tally};
use crate::store::{StoreError, StoredMatch, WriterEvent};
use crate::tournament::{Live, Stop, live};

/// The screen is drawn so often.
const DRAW_PAUSE: Duration = Duration::from_millis(200);

/// Standings are fitted at most so often.
const FIT_PAUSE: Duration = Duration::from_secs(1);

/// And the pause is so many times as long as the last fit took.
const FIT_SHARE: u32 = 100;

/// Lines of what happened that are kept.
const LOG_LINES: usize = 50;

/// Lines of what happened that are shown.
const LOG_SHOWN: usize = 4;

/// A scale ends so far beyond the best and the worst rating, however wide their intervals are.
const SCALE_MARGIN: f64 = 150.0;

/// Columns of a name beside its interval, and beside a board.
const NAME: usize = 18;
const BOARD_NAME: usize = 12;

/// A tournament as it is shown.
pub struct Dashboard {
    title: String,
    names: Vec<String>,
    game: Arc<dyn AnyGame>,
    total: u64,
    before: u64,
    stored: u64,
    faults: u64,
    tally: Tally,
    standings: Option<Standings>,
    fit_next: Instant,
    /// How fast matches are stored.
    rate: live::Rate,
    boards: Vec<(live::Board, View)>,
    log: VecDeque<String>,
    lines: Lines,
    stop: watch::Receiver<Stop>,
    fault_lines: FaultLines,
    /// What is to be said once the screen is left.
    left_behind: String,
}

impl Dashboard {
    /// A tournament, or a part of one, of `total` matches, `before` of which have been played before. `tally` has all matches
    /// that are stored, those of other parts too.
    pub fn new(
        title: String,
        names: Vec<String>,
        game: Arc<dyn AnyGame>,
        total: u64,
        before: u64,
        tally: Tally,
        stop: watch::Receiver<Stop>,
    ) -> Dashboard {
        let now = Instant::now();
        Dashboard {
            title,
            names,
            game,
            total,
            before,
            stored: 0,
            faults: 0,
            standings: None,
            tally,
            fit_next: now,
            rate: live::Rate::default(),
            boards: Vec::new(),
            log: VecDeque::new(),
            lines: Lines::of_terminal(),
            stop,
            fault_lines: FaultLines::default(),
            left_behind: String::new(),
        }
    }

    /// Shows the run until the store has ended; gives why storing failed, if it did, and what is to be said afterwards.
    pub fn show(mut self, mut screen: Screen, events: &Receiver<Event>, live: &Live) -> (Option<StoreError>, String) {
        let _watching = live.watch();
        let mut failure = None;
        let mut drawn: Option<Instant> = None;
        loop {
            let mut event = events.recv_timeout(DRAW_PAUSE / 2);
            let ended = matches!(event, Err(RecvTimeoutError::Disconnected));
            while let Ok(happened) = event {
                failure = self.take(happened).or(failure);
                event = events.try_recv().map_err(|_| RecvTimeoutError::Timeout);
            }
            if ended {
                return (failure, self.left_behind);
            }
            while let Some(key) = screen.key(Duration::ZERO) {
                if key == Key::Interrupt {
                    // As without a screen: whoever listens for signals knows the first from the second.
                    let _ = kill_process(getpid(), Signal::INT);
                }
            }
            let now = Instant::now();
            if drawn.is_none_or(|drawn| now - drawn >= DRAW_PAUSE) {
                self.look(live, now);
                // A terminal that is gone stops nothing.
                let _: io::Result<()> = screen.draw(|frame| self.draw(frame));
                drawn = Some(now);
            }
        }
    }

    fn take(&mut self, event: Event) -> Option<StoreError> {
        let event = match event {
            Event::Store(event) => event,
            Event::Said(text) => {
                self.left_behind += &format!("{text}\n");
                self.note(text);
                return None;
            }
        };
        match event {
            WriterEvent::Stored(stored) => self.add(&stored),
            WriterEvent::AlreadyStored(_) => {}
            WriterEvent::Void(void) => {
                let line = format!("void, and played again: {void}");
                self.left_behind += &format!("{line}\n");
                self.note(line);
            }
            WriterEvent::Failed(error) => return Some(error),
        }
        None
    }

    fn add(&mut self, stored: &StoredMatch) {
        self.stored += 1;
        self.faults += stored.faults.len() as u64;
        self.tally.add(&stored.score);
        let said = self.fault_lines.text(stored);
        said.lines().for_each(|line| self.note(line.to_owned()));
        self.left_behind += &said;
    }

    fn note(&mut self, line: String) {
        self.log.push_back(line);
        while self.log.len() > LOG_LINES {
            self.log.pop_front();
        }
    }

    /// Looks at what has become of the boards, and of the standings when that is due.
    fn look(&mut self, live: &Live, now: Instant) {
        self.boards = live
            .boards()
            .into_iter()
            .filter_map(|board| self.played(board))
            .collect();
        self.rate.note(self.stored, now);
        if now >= self.fit_next && self.tally.matches() > 0 {
            self.standings = Some(Standings::of(&self.names, &self.tally, None, None));
            let took = now.elapsed();
            self.fit_next = now + FIT_PAUSE.max(took * FIT_SHARE);
        }
    }

    /// The board of a match as it stands.
    fn played(&self, board: live::Board) -> Option<(live::Board, View)> {
        let mut playing = self.game.start_from(&board.opening).ok()?;
        let mut left = board.left.iter().peekable();
        for (at, ply) in board.plies.iter().enumerate() {
            while let Some(leave) = left.next_if(|leave| leave.ply as usize <= at) {
                playing.leave(Seat::new(leave.seat.into()));
            }
            let index = playing.find(&ply.r#move).ok()?;
            playing.play_nth(index);
        }
        let view = playing.view();
        Some((board, view))
    }

    fn draw(&self, frame: &mut Frame) {
        let area = frame.area();
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        let dim = Style::new().add_modifier(Modifier::DIM);
        let mut lines = vec![
            Line::styled(fit::cut(&self.title, width), Style::new().add_modifier(Modifier::BOLD)),
            self.progress(width),
            Line::default(),
        ];
        let logged = self.log.len().min(LOG_SHOWN);
        let bottom = logged + 1;
        let room = height.saturating_sub(lines.len() + bottom);
        // The boards have at least the room of one.
        let board = self.boards.first().map_or(0, |(_, view)| view.rows.len() + 2);
        lines.extend(self.standings(room.saturating_sub(board), width));
        let room = height.saturating_sub(lines.len() + bottom);
        lines.extend(self.boards(room, width));
        lines.resize(height.saturating_sub(bottom), Line::default());
        let last = self.log.iter().skip(self.log.len() - logged);
        lines.extend(last.map(|line| Line::from(fit::cut(line, width))));
        lines.push(Line::styled(fit::cut(self.keys(), width), dim));
        frame.render_widget(Paragraph::new(lines), area);
    }

    fn keys(&self) -> &'static str {
        match *self.stop.borrow() {
            Stop::No => "Ctrl-C finishes the matches on the board, a second one stops at once",
            Stop::AfterMatches => "finishing the matches on the board; Ctrl-C again stops at once",
            Stop::Now => "stopping",
        }
    }

    fn progress(&self, width: usize) -> Line<'static> {
        let done = self.before + self.stored;
        let rate = self.rate.per_second();
        let left = rate
            .filter(|rate| *rate > 0.0)
            .map(|rate| (self.total - done) as f64 / rate);
        let text = format!(
            " {done}/{}  {}/s  {} left  {} faults",
            self.total,
            rate.map_or("-".to_owned(), |rate| format!("{rate:.1}")),
            left.map_or("-".to_owned(), clock),
            self.faults
        );
        let bar = width.saturating_sub(fit::columns(&text) + 2);
        let full = (done as f64 / self.total.max(1) as f64 * bar as f64) as usize;
        let (done, open) = match self.lines {
            Lines::Drawn => ("█", "░"),
            Lines::Ascii => ("#", "."),
        };
        let bar = format!("[{}{}]", done.repeat(full), open.repeat(bar - full.min(bar)));
        Line::from(bar + &text)
    }

    /// The standings in at most so many lines.
    fn standings(&self, room: usize, width: usize) -> Vec<Line<'static>> {
        let Some(standings) = self.standings.as_ref().filter(|_| room >= 3) else {
            return Vec::new();
        };
        let all: Vec<_> = standings.tables.iter().flat_map(|table| &table.lines).collect();
        let ends = all
            .iter()
            .filter_map(|line| interval(&line.rating))
            .fold(None, |ends, [low, value, high]| {
                let (least, most) = ends.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
                let [low, high] = [low.max(value - SCALE_MARGIN), high.min(value + SCALE_MARGIN)];
                Some((low.min(least), high.max(most)))
            });
        let head = format!("rank  {}  rating  95 %  matches  faults", fit::left("bot", NAME));
        let mut lines = vec![Line::styled(
            fit::cut(&head, width),
            Style::new().add_modifier(Modifier::DIM),
        )];
        // One line for the head, one blank after.
        let shown = if all.len() > room - 2 { room - 3 } else { all.len() };
        for line in &all[..shown] {
            let rank = line.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
            let (value, error) = rating_texts(&line.rating);
            let text = format!(
                "{rank:>4}  {}  {value:>6}  {error:>4}  {:>7}  {:>6}  ",
                fit::left(&line.name, NAME),
                line.matches,
                line.forfeits
            );
            let bar = width.saturating_sub(fit::columns(&text));
            lines.push(Line::from(text + &self.bar(&line.rating, ends, bar)));
        }
        if shown < all.len() {
            lines.push(Line::from(format!("      and {} more", all.len() - shown)));
        }
        lines.push(Line::default());
        lines
    }

    /// An interval on the scale, with the rating in it.
    fn bar(&self, rating: &Rating, ends: Option<(f64, f64)>, width: usize) -> String {
        let (Some([low, value, high]), Some((least, most))) = (interval(rating), ends) else {
            return String::new();
        };
        if width < 3 || most <= least {
            return String::new();
        }
        let at = |x: f64| {
            ((x - least) / (most - least) * (width - 1) as f64)
                .round()
                .clamp(0.0, (width - 1) as f64)
        };
        let (low, value, high) = (at(low) as usize, at(value) as usize, at(high) as usize);
        let (line, dot) = match self.lines {
            Lines::Drawn => ('─', '●'),
            Lines::Ascii => ('-', 'o'),
        };
        let mark = |column| match column {
            _ if column == value => dot,
            _ if (low..=high).contains(&column) => line,
            _ => ' ',
        };
        (0..=high).map(mark).collect()
    }

    /// As many boards as fit, side by side where they do.
    fn boards(&self, room: usize, width: usize) -> Vec<Line<'static>> {
        let Some((_, first)) = self.boards.first() else {
            return Vec::new();
        };
        let pits = first.rows[0].cells.len();
        let (board_width, board_height) = (2 + 3 * pits + 7 + BOARD_NAME, first.rows.len() + 1);
        let columns = ((width + 2) / (board_width + 2)).max(1);
        let mut lines = Vec::new();
        for boards in self.boards.chunks(columns) {
            if lines.len() + board_height > room {
                break;
            }
            let drawn: Vec<Vec<Line>> = boards.iter().map(|(board, view)| self.small(board, view)).collect();
            for at in 0..board_height {
                let mut spans = Vec::new();
                for lines in &drawn {
                    let taken: usize = lines[at].width();
                    spans.extend(lines[at].spans.clone());
                    spans.push(Span::raw(" ".repeat((board_width + 2).saturating_sub(taken))));
                }
                lines.push(Line::from(spans));
            }
            if lines.len() < room {
                lines.push(Line::default());
            }
        }
        lines
    }

    /// A small board: a line for the match, and one for each seat.
    fn small(&self, board: &live::Board, view: &View) -> Vec<Line<'static>> {
        let head = format!("match {}  ply {}", board.r#match, board.plies.len());
        let mut lines = vec![Line::styled(head, Style::new().add_modifier(Modifier::DIM))];
        let facing = view.rows.len() == 2;
        let order: Vec<usize> = if facing {
            vec![1, 0]
        } else {
            (0..view.rows.len()).collect()
        };
        for seat in order.into_iter().map(Seat::new) {
            let row = &view.rows[seat.index()];
            let mut pits: Vec<String> = row
                .cells
                .iter()
                .map(|cell| match row.in_play {
                    true => format!("{:>2}{}", cell.seeds, cell.owner.map_or(' ', super::board::letter)),
                    false => " - ".to_owned(),
                })
                .collect();
            if facing && seat.index() == 1 {
                pits.reverse();
            }
            let mark = if view.to_move == Some(seat) { ">" } else { " " };
            let bot = board.bots.get(seat.index()).and_then(|bot| self.names.get(*bot));
            let name = fit::cut(bot.map_or("", String::as_str), BOARD_NAME);
            let style = Style::new().fg(board::color(seat));
            lines.push(Line::from(vec![
                Span::raw(format!("{mark}{} [{:>3}] ", pits.concat(), row.store)),
                Span::styled(name, style),
            ]));
        }
        lines
    }
}

/// A time in hours, minutes and seconds.
fn clock(seconds: f64) -> String {
    // What takes a year is as good as never.
    let seconds = seconds.min(365.0 * 86_400.0) as u64;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    match hours {
        0 => format!("{minutes}:{:02}", seconds % 60),
        _ => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
    }
}

/// Lower end, value and upper end, where all are known.
fn interval(rating: &Rating) -> Option<[f64; 3]> {
    match *rating {
        Rating::Fitted { value, low, high } => Some([low, value, high]),
        _ => None,
    }
}

/// A rating in words, and how far its interval goes.
fn rating_texts(rating: &Rating) -> (String, String) {
    match *rating {
        Rating::Fitted { value, low, high } => (format!("{value:+.0}"), format!("±{:.0}", (high - low) / 2.0)),
        Rating::Anchor { value } => (format!("{value:.0}"), String::new()),
        Rating::Bound { low: Some(low), .. } => (format!(">{low:.0}"), String::new()),
        Rating::Bound { high: Some(high), .. } => (format!("<{high:.0}"), String::new()),
        Rating::Bound { .. } | Rating::Unknown => ("-".to_owned(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use mancala_arena_protocol::FaultCode;
    use mancala_arena_rules::open_text;

    use super::*;
    use crate::cli::screen::tests::{drawn, is_as_kept};
    use crate::record::samples::{self, Leaving};
    use crate::record::{FaultRecord, Record};

    fn fault(bot: &str) -> FaultRecord {
        FaultRecord {
            seat: 0,
            bot: bot.to_owned(),
            ply: 4,
            code: FaultCode::Exited,
            message: "exited with status 3".to_owned(),
            received: None,
            legal: None,
            late_ms: None,
            exit: None,
            hint: None,
            then: None,
            stderr: Some("oops".to_owned()),
        }
    }

    /// What is on the board of a match when so many plies have been played.
    fn board(record: &Record, plies: usize) -> live::Board {
        live::Board {
            r#match: record.r#match,
            rotation: record.rotation,
            bots: record.seats.iter().map(|seat| seat.bot).collect(),
            opening: record.opening.to_string(),
            plies: record.plies[..plies].to_vec(),
            left: Vec::new(),
            bank_ms: None,
            turn_ms: 0,
        }
    }

    /// A run after so many matches, with two on the boards.
    fn run(game: &str, matches: u64) -> Dashboard {
        let game = open_text(game).expect("it is a game of ours");
        let plan = samples::plan(&*game, 5);
        let mut names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        names[0] = "名前の長い選手の名前です\u{1b}[2J".to_owned();
        let (_, stop) = watch::channel(Stop::No);
        let tally = Tally::new(names.len());
        let title = format!("{}  a league", game.info().title);
        let mut dashboard = Dashboard::new(title, names, game, 400, 0, tally, stop);
        dashboard.lines = Lines::Drawn;
        for id in 0..matches {
            let stored = StoredMatch {
                score: samples::played(&plan, id, Leaving::Never).score(),
                faults: if id == 3 { vec![fault("bot-1")] } else { Vec::new() },
            };
            dashboard.add(&stored);
        }
        let on_boards = [matches, matches + 1].map(|id| board(&samples::played(&plan, id, Leaving::Never), 6));
        dashboard.boards = on_boards
            .into_iter()
            .filter_map(|board| dashboard.played(board))
            .collect();
        dashboard.standings = Some(Standings::of(&dashboard.names, &dashboard.tally, None, None));
        dashboard
    }

    #[test]
    fn a_run_of_two_three_and_four_seats_is_shown_on_80_columns_and_24_lines() {
        for (name, game) in [
            ("run-kalah.txt", "kalah"),
            ("run-layli-12-pits.txt", "layli-goobalay:pits=12"),
            ("run-mancala-basic-3.txt", "mancala-basic:seats=3"),
            ("run-mancala-basic-4.txt", "mancala-basic:seats=4"),
        ] {
            let dashboard = run(game, 60);
            let found = drawn(80, 24, |frame| dashboard.draw(frame));
            assert!(!found.chars().any(|c| c.is_control() && c != '\n'), "{found}");
            is_as_kept(name, &found);
        }
    }

    #[test]
    fn a_terminal_of_any_size_is_drawn_on() {
        let dashboard = run("kalah", 20);
        for (width, height) in [(1, 1), (10, 3), (40, 12), (200, 60)] {
            drawn(width, height, |frame| dashboard.draw(frame));
        }
    }

    #[test]
    fn what_was_logged_is_said_again_once_the_screen_is_left() {
        let dashboard = run("kalah", 10);
        let line = "bot `bot-1` (seat 1) forfeits match 3 at ply 4: exited with status 3";
        assert_eq!(dashboard.left_behind, format!("{line}\n  stderr: oops\n"));
    }

    #[test]
    fn times_are_told_in_minutes_and_hours() {
        for (seconds, expected) in [(5.9, "0:05"), (65.0, "1:05"), (3_661.0, "1:01:01")] {
            assert_eq!(clock(seconds), expected);
        }
    }
}
