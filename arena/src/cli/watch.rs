//! A match on the screen while it is played: for `arena play` on a terminal, with persons among the bots or without.
//!
//! The screen has a thread of its own. The match waits after each ply until that has been shown, off every clock. A person is
//! asked here too, whichever seat it is: those who share the terminal share the screen.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mancala_arena_protocol::Turn;
use mancala_arena_rules::{AnyGame, AnyMatch, Seat};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::human::{self, Said};
use super::screen::theatre::{Around, Theatre, clocks};
use super::screen::{Key, Screen, Signals};
use crate::bot::by_hand::Choice;
use crate::config::TimeControl;
use crate::record::{FaultRecord, LeaveRecord, PlyRecord};
use crate::referee::{Machine, Observer};
use crate::report::{Film, Filming};

/// How long an event is waited for before keys are looked at.
const KEY_PAUSE: Duration = Duration::from_millis(20);

/// The screen is drawn at most so often.
const DRAW_PAUSE: Duration = Duration::from_millis(40);

const KEYS: &str = "space pauses  +- speed  ? help  q quits";
const KEYS_ASKED: &str = "←→ choose  enter plays  or type a pit and enter  ? help";

const HELP: &str = "
  space       pauses, or goes on               →  n       while paused: the next move
  +  -        faster, slower                   q  escape  ends the match without a result
";

/// What the screen is told: what happens at the board, or nothing more, as the match is over.
type Event = Option<Happened>;

/// What happens at the board.
enum Happened {
    /// A turn begins, with what is left of the banks.
    Turn(Seat, Option<Vec<u64>>),
    /// A ply has been played; the match waits until the other end is dropped.
    Played(PlyRecord, Sender<()>),
    /// Seats have left.
    Left(Vec<LeaveRecord>),
    Faulted(FaultRecord),
    Asked(Question),
}

/// A person is asked for a move.
struct Question {
    turn: Turn<Value>,
    answer: Sender<Choice>,
}

/// The screen of a match.
pub struct Watch {
    events: Sender<Event>,
    thread: JoinHandle<io::Result<()>>,
}

/// What asks the persons, from any thread.
#[derive(Clone)]
pub struct Asker(Sender<Event>);

/// What tells the screen of the match.
pub struct Ringside {
    events: Sender<Event>,
    /// How many of those that have left have been told.
    left: usize,
}

impl Watch {
    /// Takes the terminal for a match of `game` from `opening`. `quit` is called when the match is to end.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn start(
        game: &Arc<dyn AnyGame>,
        opening: &dyn AnyMatch,
        names: &[String],
        pace: Duration,
        time: TimeControl,
        quit: impl FnOnce() + Send + 'static,
    ) -> io::Result<Watch> {
        let filming = Filming::new(&**game, opening.boxed_clone(), names.to_vec());
        let mut hall = Hall::new(Arc::clone(game), filming, pace, time);
        let mut screen = Screen::open(Signals::View)?;
        let (events, told) = channel();
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || {
            let shown = hall.show(&mut screen, &told);
            // The terminal is given back before anybody prints.
            drop(screen);
            if !matches!(shown, Ok(Left::Over)) {
                quit();
            }
            shown.map(drop)
        })?;
        Ok(Watch { events, thread })
    }

    /// What asks the persons.
    pub fn asker(&self) -> Asker {
        Asker(self.events.clone())
    }

    /// What is told of the match.
    pub fn ringside(&self) -> Ringside {
        Ringside {
            events: self.events.clone(),
            left: 0,
        }
    }

    /// Gives the terminal back.
    ///
    /// # Errors
    /// What the operating system said while drawing.
    pub fn end(self) -> io::Result<()> {
        let _ = self.events.send(None);
        self.thread.join().expect("the screen does not panic")
    }
}

impl Asker {
    /// Asks for a move, and waits for it. Nothing when there is none: the match is to end, or has passed the question by.
    pub fn ask(&self, turn: Turn<Value>) -> Option<Choice> {
        let (answer, answered) = channel();
        self.0.send(Some(Happened::Asked(Question { turn, answer }))).ok()?;
        answered.recv().ok()
    }
}

impl Observer for Ringside {
    fn turn(&mut self, machine: &Machine) {
        self.tell_left(machine.left());
        if let Some(seat) = machine.to_move() {
            let _ = self.events.send(Some(Happened::Turn(seat, machine.banks_ms())));
        }
    }

    fn played(&mut self, ply: &PlyRecord, _board: &dyn AnyMatch) {
        let (shown, wait) = channel();
        if self.events.send(Some(Happened::Played(ply.clone(), shown))).is_ok() {
            // It is never sent, only dropped.
            let _ = wait.recv();
        }
    }

    fn faulted(&mut self, fault: &FaultRecord) {
        let _ = self.events.send(Some(Happened::Faulted(fault.clone())));
    }
}

impl Ringside {
    /// Those who have left so far, where that has not been told yet.
    fn tell_left(&mut self, left: &[LeaveRecord]) {
        if left.len() > self.left {
            let _ = self.events.send(Some(Happened::Left(left[self.left..].to_vec())));
            self.left = left.len();
        }
    }
}

/// Why the screen is left.
enum Left {
    /// The match is over.
    Over,
    /// Somebody wants to go.
    Quit,
}

/// All that is on the screen.
struct Hall {
    game: Arc<dyn AnyGame>,
    filming: Filming,
    theatre: Theatre,
    time: TimeControl,
    faults: Vec<FaultRecord>,
    turn: Option<(Seat, Instant, Option<Vec<u64>>)>,
    /// The match waits until this is dropped.
    waiting: Option<Sender<()>>,
    paused: bool,
    help: bool,
    question: Option<Question>,
    typed: String,
    /// The place of the chosen move among the legal ones.
    chosen: usize,
    /// What was wrong with what was typed.
    wrong: String,
}

impl Hall {
    fn new(game: Arc<dyn AnyGame>, filming: Filming, pace: Duration, time: TimeControl) -> Hall {
        Hall {
            theatre: Theatre::new(filming.film(), pace),
            game,
            filming,
            time,
            faults: Vec::new(),
            turn: None,
            waiting: None,
            paused: false,
            help: false,
            question: None,
            typed: String::new(),
            chosen: 0,
            wrong: String::new(),
        }
    }

    fn show(&mut self, screen: &mut Screen, events: &Receiver<Event>) -> io::Result<Left> {
        let mut drawn: Option<Instant> = None;
        loop {
            if drawn.is_none_or(|drawn| drawn.elapsed() >= DRAW_PAUSE) {
                screen.draw(|frame| self.draw(frame, Instant::now()))?;
                drawn = Some(Instant::now());
            }
            let rest = self.theatre.rest(Instant::now());
            let patience = if self.waiting.is_some() && !self.paused {
                rest.min(KEY_PAUSE)
            } else {
                KEY_PAUSE
            };
            match events.recv_timeout(patience) {
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return Ok(Left::Over),
                Ok(Some(happened)) => self.take(happened),
                Err(RecvTimeoutError::Timeout) => {}
            }
            while let Some(key) = screen.key(Duration::ZERO) {
                if !self.press(key) {
                    return Ok(Left::Quit);
                }
            }
            self.pass(Instant::now());
        }
    }

    fn take(&mut self, happened: Happened) {
        match happened {
            Happened::Turn(seat, banks) => self.turn = Some((seat, Instant::now(), banks)),
            Happened::Played(ply, waiting) => {
                self.turn = None;
                self.withdraw();
                self.filming.ply(&ply);
                self.waiting = Some(waiting);
            }
            Happened::Left(left) => {
                left.iter().for_each(|leave| self.filming.leave(leave));
                self.withdraw();
                let film = self.filming.film();
                self.theatre.projector.seek(film, usize::MAX);
            }
            Happened::Faulted(fault) => {
                self.withdraw();
                self.faults.push(fault);
            }
            Happened::Asked(question) => {
                self.question = Some(question);
                self.chosen = 0;
                self.typed.clear();
                self.wrong.clear();
            }
        }
    }

    /// Whatever is asked is passed by.
    fn withdraw(&mut self) {
        self.question = None;
    }

    /// Time has passed: shows what is due, and lets the match go on once all is shown.
    fn pass(&mut self, now: Instant) {
        if self.paused {
            return;
        }
        self.theatre.advance(self.filming.film(), now);
        if self.theatre.is_over(self.filming.film(), now) {
            self.waiting = None;
        }
    }

    /// Does what a key says; `false` when the match is to end.
    fn press(&mut self, key: Key) -> bool {
        let now = Instant::now();
        if key == Key::Interrupt {
            return false;
        }
        if self.help {
            self.help = false;
            return true;
        }
        if self.question.is_some() {
            return self.press_asked(key);
        }
        match key {
            Key::Char('q') | Key::Escape => return false,
            Key::Char('?' | 'h') => self.help = true,
            Key::Char(' ') => self.paused = !self.paused,
            Key::Char('+' | '=') => self.theatre.faster(now),
            Key::Char('-' | '_') => self.theatre.slower(now),
            Key::Right | Key::Char('n') if self.paused => {
                self.theatre.projector.forward(self.filming.film());
                self.waiting = None;
            }
            _ => {}
        }
        true
    }

    /// As [`press`](Self::press), while a person is asked.
    fn press_asked(&mut self, key: Key) -> bool {
        match key {
            Key::Char('?') => self.help = true,
            Key::Char(c) if self.typed.len() < 20 => self.typed.push(c),
            Key::Backspace => drop(self.typed.pop()),
            Key::Escape => self.typed.clear(),
            Key::Left => self.choose(-1),
            Key::Right => self.choose(1),
            Key::Enter => return self.enter(),
            _ => {}
        }
        if key != Key::Enter {
            self.wrong.clear();
        }
        true
    }

    /// Chooses the legal pit beside the one that is chosen, as the row lies on the screen.
    fn choose(&mut self, by: isize) {
        let Some(question) = &self.question else { return };
        let turned = self.filming.film().seats == 2 && question.turn.seat == 1;
        let (count, by) = (question.turn.legal.len() as isize, if turned { -by } else { by });
        self.chosen = (self.chosen as isize + by).rem_euclid(count.max(1)) as usize;
        self.typed.clear();
    }

    /// What was typed is said, or else the chosen pit; `false` when the match is to end.
    fn enter(&mut self) -> bool {
        let Some(question) = &self.question else { return true };
        let said = if self.typed.is_empty() {
            Said::Choice(Choice::Move(question.turn.legal[self.chosen].clone()))
        } else {
            human::understand(&self.typed, &question.turn, &*self.game)
        };
        self.typed.clear();
        match said {
            Said::Choice(choice) => {
                let _ = question.answer.send(choice);
                self.question = None;
            }
            Said::Quit => return false,
            Said::Help => self.help = true,
            Said::Wrong(why) => self.wrong = why,
        }
        true
    }

    fn draw(&self, frame: &mut ratatui::Frame, now: Instant) {
        let film = self.filming.film();
        let clocks = self
            .turn
            .as_ref()
            .filter(|_| self.waiting.is_none())
            .map(|(seat, began, banks)| {
                clocks(
                    *seat,
                    now.saturating_duration_since(*began),
                    self.time.move_ms_max,
                    banks.as_deref(),
                )
            });
        let pace = self.theatre.pace_text();
        let legal: Option<Vec<usize>> = self.question.as_ref().map(|question| {
            let pits = question.turn.legal.iter().filter_map(Value::as_u64);
            pits.map(|pit| pit as usize).collect()
        });
        let around = Around {
            title: if self.paused { "paused".to_owned() } else { pace },
            faults: &self.faults,
            clocks: clocks.unwrap_or_default(),
            chosen: legal.as_ref().and_then(|legal| legal.get(self.chosen).copied()),
            legal: legal.as_deref(),
            prompt: self.prompt(film),
            keys: if self.question.is_some() { KEYS_ASKED } else { KEYS }.to_owned(),
            help: self
                .help
                .then_some(if self.question.is_some() { human::HELP } else { HELP }),
        };
        self.theatre.draw(frame, film, &around);
    }

    /// The question, and what has been typed.
    fn prompt(&self, film: &Film) -> Vec<Line<'static>> {
        let Some(question) = &self.question else {
            return Vec::new();
        };
        let seat = usize::from(question.turn.seat);
        let asked = format!(
            "seat {} {}, your move: {}",
            seat + 1,
            film.names[seat],
            human::legal_text(&question.turn)
        );
        let typed = match self.typed.as_str() {
            "" => format!("> {}", question.turn.legal[self.chosen]),
            typed => format!("> {typed}"),
        };
        vec![
            Line::styled(asked, Style::new().add_modifier(Modifier::BOLD)),
            Line::from(vec![
                Span::raw(typed),
                Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED)),
                Span::raw(format!("  {}", self.wrong)),
            ]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use mancala_arena_rules::open_text;
    use serde_json::json;

    use super::*;
    use crate::cli::screen::tests::drawn;

    /// A match in which `seat` is asked, with where the answer goes.
    fn asked(seat: u8, legal: &Value) -> (Hall, Receiver<Choice>) {
        let game = open_text("kalah:pits=3").expect("it is a game of ours");
        let filming = Filming::new(&*game, game.start(), vec!["Ann".to_owned(), "Ben".to_owned()]);
        let mut hall = Hall::new(game, filming, Duration::ZERO, TimeControl::default());
        let position = json!({"pits": [[0, 4, 4], [0, 4, 4]], "stores": [4, 4], "to_move": seat});
        let turn = json!({"match": "0", "ply": 0, "seat": seat, "position": position, "legal": legal, "since": []});
        let (answer, answered) = channel();
        hall.take(Happened::Asked(Question {
            turn: serde_json::from_value(turn).expect("it is a turn"),
            answer,
        }));
        (hall, answered)
    }

    fn press(hall: &mut Hall, keys: &[Key]) -> bool {
        keys.iter().all(|key| hall.press(*key))
    }

    fn typed(text: &str) -> Vec<Key> {
        text.chars().map(Key::Char).chain([Key::Enter]).collect()
    }

    #[test]
    fn a_person_types_a_pit() {
        let (mut hall, answered) = asked(0, &json!([1, 2]));
        assert!(press(&mut hall, &typed("2")));
        assert_eq!(answered.try_recv(), Ok(Choice::Move(json!(2))));
    }

    #[test]
    fn a_person_chooses_with_arrow_keys_as_the_row_lies() {
        for (seat, keys, expected) in [
            (0, [Key::Right, Key::Enter], 2),
            (0, [Key::Left, Key::Enter], 2),
            (0, [Key::Up, Key::Enter], 1),
            (1, [Key::Left, Key::Enter], 2),
        ] {
            let (mut hall, answered) = asked(seat, &json!([1, 2]));
            assert!(press(&mut hall, &keys));
            assert_eq!(answered.try_recv(), Ok(Choice::Move(json!(expected))));
        }
    }

    #[test]
    fn what_is_no_pit_is_told_and_asked_again() {
        let (mut hall, answered) = asked(0, &json!([1, 2]));
        assert!(press(&mut hall, &typed("0")));
        let screen = drawn(100, 24, |frame| hall.draw(frame, Instant::now()));
        assert!(
            screen.contains("0 cannot be played: that pit is empty; type one of 1, 2"),
            "{screen}"
        );
        assert!(answered.try_recv().is_err());
        assert!(press(&mut hall, &typed("resign")));
        assert_eq!(answered.try_recv(), Ok(Choice::Resign));
    }

    #[test]
    fn quit_and_the_interrupt_key_end_the_match() {
        for keys in [typed("quit"), vec![Key::Interrupt]] {
            let (mut hall, answered) = asked(0, &json!([1, 2]));
            assert!(!press(&mut hall, &keys));
            drop(hall);
            assert!(answered.recv().is_err());
        }
    }

    #[test]
    fn a_question_that_the_match_has_passed_by_is_no_longer_asked() {
        let (mut hall, answered) = asked(0, &json!([1, 2]));
        hall.take(Happened::Left(Vec::new()));
        assert!(answered.recv().is_err());
        let screen = drawn(80, 24, |frame| hall.draw(frame, Instant::now()));
        assert!(!screen.contains("your move"), "{screen}");
    }

    #[test]
    fn a_ply_is_let_go_once_it_has_been_shown() {
        let (mut hall, _answered) = asked(0, &json!([1, 2]));
        let (shown, wait) = channel();
        let ply = PlyRecord {
            seat: 0,
            r#move: json!(1),
            elapsed_us: 0,
            info: None,
        };
        hall.take(Happened::Played(ply, shown));
        assert_eq!(wait.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty));
        hall.press(Key::Char(' '));
        hall.pass(Instant::now());
        assert_eq!(wait.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty));
        hall.press(Key::Char(' '));
        hall.pass(Instant::now());
        assert_eq!(wait.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected));
    }
}
