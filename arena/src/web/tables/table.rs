//! A table: one match in which people sit, and perhaps bots. A state machine: requests, lines and times in, no I/O and no
//! clock.
//!
//! The match itself is the referee's [`Machine`], the one that judges bots among themselves; so a bot at a table is under
//! the same rules, faults and limits as everywhere. A table adds what people do: they sit down with a token, take moves
//! back, resign when it is not their turn, go away and come back.
//!
//! What is easily got wrong: while a bot thinks the board must stay as it was told to it. What would change it then (a
//! resignation, a person who comes back to that seat) is a [`Wish`] until the bot has been judged; an undo is refused.
//!
//! Time: the limit of a table is the people's; bots have that of the arena. A person's clock does not run before he has been
//! seen once. When it has run out, the seat of a person who is there is forfeit, as a bot's is; that of a person who is gone
//! is played on by [`STAND_IN`], and he may take it back.

use std::sync::Arc;
use std::time::Duration;

use mancala_arena_rules::{AnyGame, AnyMatch, PlayError, Seat};
use serde_json::Value;

use super::token::{self, Sealed};
use crate::config::TimeControl;
use crate::record::{End, FaultRecord, LeftBy, PlyRecord, RECORD_VERSION, Record, SeatRecord};
use crate::referee::{Fault, Game, Judged, Machine};
use crate::report::{Film, Filming};

/// What plays for a person whose time is over and who is gone.
pub const STAND_IN: &str = "house:greedy";

/// Whoever has not asked for the table for so long is not there.
pub const AWAY_AFTER: Duration = Duration::from_secs(10);

/// Others may give a seat to a bot when its person has been gone for so long.
pub const GONE_AFTER: Duration = Duration::from_secs(30);

/// On top of a person's limit: the way of a move through the network.
const GRACE: Duration = Duration::from_secs(1);

/// What is fixed when the table is opened.
#[derive(Debug)]
pub struct Setup {
    /// The table's id, and the match's for its bots.
    pub id: String,
    /// The game.
    pub game: Arc<dyn AnyGame>,
    /// Who sits down first, by seat.
    pub sitters: Vec<Sitter>,
    /// The most a person's move may take.
    pub limit: Option<Duration>,
    /// Moves cannot be taken back.
    pub rated: bool,
    /// The clocks of the bots.
    pub time: TimeControl,
    /// The seed handed to the bots.
    pub seed: u64,
}

/// Who sits down.
#[derive(Clone, Debug)]
pub enum Sitter {
    /// A person, known by a token.
    Person {
        /// How the person is called.
        name: String,
        /// The token, sealed.
        token: Sealed,
    },
    /// A bot, by the name under which it can be had.
    Bot(String),
}

/// A table with its match.
#[derive(Debug)]
pub struct Table {
    setup: Setup,
    game: Game,
    chairs: Vec<Chair>,
    machine: Machine,
    /// Changes with whatever a page shows, but for clocks and who is there.
    version: u64,
    /// How often moves have been taken back: the bots are told of the match anew each time.
    undone: u32,
    /// The bot that has been asked and has not been judged.
    thinking: Option<Seat>,
    turn_began: Duration,
    stored: Option<Stored>,
}

/// One seat.
#[derive(Debug)]
struct Chair {
    person: Option<Person>,
    /// The bot that plays here now.
    bot: Option<String>,
    /// The last bot that has played for the person.
    stood_in: Option<String>,
    wish: Option<Wish>,
}

#[derive(Debug)]
struct Person {
    name: String,
    token: Sealed,
    first_seen: Option<Duration>,
    last_seen: Option<Duration>,
}

/// What is done as soon as no bot thinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wish {
    Resign,
    TakeBack,
}

/// What has become of the record of a match that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It is kept under this number.
    As(u64),
    /// It could not be stored.
    Failed(String),
}

/// What is to be done for the bots of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// The bot in this seat is to be asked for its move.
    Ask(Seat),
    /// Somebody has to move, until this instant if there is a limit.
    Wait(Option<Duration>),
    /// The match is over, and its record is to be stored.
    Store,
    /// Nothing any more.
    Done,
}

/// A bot that is to sit at the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Changes when it has to be told of the match anew.
    pub telling: u32,
}

/// Whether a seat is taken, as others see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occupant<'a> {
    /// Who plays there now.
    pub name: &'a str,
    /// It is a bot.
    pub is_bot: bool,
    /// The person for whom the bot plays.
    pub stands_in_for: Option<&'a str>,
    /// The person has been there at least once.
    pub has_come: bool,
    /// For how long the person has not been there; `None` when he is, or a bot plays.
    pub gone: Option<Duration>,
}

/// Why a request is refused. Nothing has changed then.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Refused {
    /// No token of that seat was shown.
    #[error("seat {} is not yours: the request shows no token of it", .0.number())]
    NotYours(Seat),
    /// The table has no such seat.
    #[error("no seat index {index}; the table has {seats} seats, counted from 0 here")]
    NoSeat {
        /// What was asked for.
        index: usize,
        /// How many there are.
        seats: usize,
    },
    /// Nothing can be done any more.
    #[error("the match is over")]
    Over,
    /// The seat is out of the match.
    #[error("seat {} has left the match", .0.number())]
    Left(Seat),
    /// The page was behind the match, as with the second of two clicks.
    #[error("ply {asked} is not to be played now; the next is ply {next}")]
    Stale {
        /// The ply that was meant.
        asked: u32,
        /// The one that is next.
        next: u32,
    },
    /// It is somebody else's turn.
    #[error("it is seat {}'s turn", .0.number())]
    NotToMove(Seat),
    /// A bot plays there.
    #[error("`{bot}` plays for seat {}; take the seat back first", .seat.number())]
    BotPlays {
        /// Which seat.
        seat: Seat,
        /// Which bot.
        bot: String,
    },
    /// No bot plays there for a person.
    #[error("no bot plays for the person of seat {}", .0.number())]
    NoBotPlays(Seat),
    /// Against the rules of the game.
    #[error("move {mv} is illegal: {why}; legal: {}", legal.join(", "))]
    Illegal {
        /// What was tried.
        mv: Value,
        /// Why it is.
        why: PlayError,
        /// What is legal.
        legal: Vec<String>,
    },
    /// The result counts.
    #[error("this match is rated; no move can be taken back")]
    Rated,
    /// Somebody else would lose a move.
    #[error("seat {} is another person's; moves are taken back only against bots", .0.number())]
    OthersPlay(Seat),
    /// There is none.
    #[error("seat {} has played nothing that could be taken back", .0.number())]
    NothingPlayed(Seat),
    /// Somebody is there and plays himself.
    #[error("the person of seat {} is there; others may give the seat to a bot {} s after he has gone", .0.number(), GONE_AFTER.as_secs())]
    NotGone(Seat),
}

impl Sitter {
    /// Who it is, for people.
    fn name(&self) -> &str {
        match self {
            Sitter::Person { name, .. } | Sitter::Bot(name) => name,
        }
    }
}

impl Chair {
    fn new(sitter: &Sitter) -> Chair {
        let (person, bot) = match sitter {
            Sitter::Bot(name) => (None, Some(name.clone())),
            Sitter::Person { name, token } => {
                let person = Person {
                    name: name.clone(),
                    token: *token,
                    first_seen: None,
                    last_seen: None,
                };
                (Some(person), None)
            }
        };
        Chair {
            person,
            bot,
            stood_in: None,
            wish: None,
        }
    }

    /// Who has played here, for the record and for bots.
    fn name(&self) -> String {
        match (&self.person, self.bot.as_ref().or(self.stood_in.as_ref())) {
            (Some(person), Some(bot)) => format!("{} ({bot})", person.name),
            (Some(person), None) => person.name.clone(),
            (None, bot) => bot.cloned().unwrap_or_default(),
        }
    }
}

impl Table {
    /// A table at which the match begins now, at time zero.
    ///
    /// # Panics
    /// When there is not one sitter for each seat.
    pub fn new(setup: Setup) -> Table {
        let names: Vec<String> = setup.sitters.iter().map(|sitter| sitter.name().to_owned()).collect();
        Table {
            game: Game::new(&*setup.game),
            chairs: setup.sitters.iter().map(Chair::new).collect(),
            machine: Machine::new(setup.id.clone(), setup.game.start(), setup.time, &names),
            setup,
            version: 0,
            undone: 0,
            thinking: None,
            turn_began: Duration::ZERO,
            stored: None,
        }
    }

    /// What is fixed.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Changes with whatever a page shows, but for clocks and who is there.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The board.
    pub fn board(&self) -> &dyn AnyMatch {
        self.machine.board()
    }

    /// The number of the next ply.
    pub fn ply(&self) -> u32 {
        self.machine.ply()
    }

    /// Whose turn it is; `None` when the match is over.
    pub fn to_move(&self) -> Option<Seat> {
        self.machine.to_move()
    }

    /// What has become of the record, once the match is over and that is known.
    pub fn stored(&self) -> Option<&Stored> {
        self.stored.as_ref()
    }

    /// All seats.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.chairs.len()).map(Seat::new)
    }

    /// The seat with this index.
    ///
    /// # Errors
    /// [`Refused::NoSeat`].
    pub fn seat(&self, index: usize) -> Result<Seat, Refused> {
        let seats = self.chairs.len();
        if index < seats {
            Ok(Seat::new(index))
        } else {
            Err(Refused::NoSeat { index, seats })
        }
    }

    /// The seats whose tokens these are. Every token is compared with every seat's, in a time that tells nothing.
    pub fn seats_of(&self, tokens: &[&str]) -> Vec<Seat> {
        let sealed: Vec<Sealed> = tokens.iter().map(|token| token::seal(token)).collect();
        let is_mine = |seat: &Seat| {
            let person = self.chairs[seat.index()].person.as_ref();
            person.is_some_and(|person| sealed.iter().filter(|sealed| **sealed == person.token).count() > 0)
        };
        self.seats().filter(is_mine).collect()
    }

    /// The people of these seats have asked for the table; whether one of them is there for the first time.
    pub fn seen(&mut self, seats: &[Seat], now: Duration) -> bool {
        let mut has_come = false;
        for seat in seats {
            if let Some(person) = &mut self.chairs[seat.index()].person {
                has_come |= person.first_seen.is_none();
                person.first_seen.get_or_insert(now);
                person.last_seen = Some(now);
            }
        }
        has_come
    }

    /// Who sits in a seat.
    pub fn occupant(&self, seat: Seat, now: Duration) -> Occupant<'_> {
        let chair = &self.chairs[seat.index()];
        let person = chair.person.as_ref();
        let name = person.map(|person| person.name.as_str());
        Occupant {
            name: chair.bot.as_deref().or(name).unwrap_or_default(),
            is_bot: chair.bot.is_some(),
            stands_in_for: name.filter(|_| chair.bot.is_some()),
            has_come: person.is_some_and(|person| person.first_seen.is_some()),
            gone: person
                .filter(|_| chair.bot.is_none())
                .map(|person| now.saturating_sub(person.last_seen.unwrap_or_default()))
                .filter(|gone| *gone >= AWAY_AFTER),
        }
    }

    /// What is left of the limit of the person to move, while his clock runs.
    pub fn time_left(&self, now: Duration) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.saturating_sub(now + GRACE))
    }

    /// Plays a move for the person in `seat`.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn play(&mut self, seat: Seat, ply: u32, mv: &Value, now: Duration) -> Result<(), Refused> {
        self.tick(now);
        let to_move = self.to_move().ok_or(Refused::Over)?;
        if ply != self.ply() {
            return Err(Refused::Stale {
                asked: ply,
                next: self.ply(),
            });
        }
        if seat != to_move {
            return Err(Refused::NotToMove(to_move));
        }
        self.person_plays(seat)?;
        let elapsed = now.saturating_sub(self.clock_began(seat).unwrap_or(now));
        let played = self.machine.play_by_hand(mv, elapsed, None);
        played.map_err(|why| Refused::Illegal {
            mv: mv.clone(),
            why,
            legal: self.legal().iter().map(Value::to_string).collect(),
        })?;
        self.turn_over(now);
        Ok(())
    }

    /// The legal moves; none when the match is over.
    pub fn legal(&self) -> Vec<Value> {
        let board = self.board();
        (0..board.legal_len())
            .filter_map(|index| board.nth_to_wire(index))
            .collect()
    }

    /// Whether the person of `seat` may take his last move back, when all seats of `mine` are his.
    ///
    /// # Errors
    /// Why not.
    pub fn may_undo(&self, seat: Seat, mine: &[Seat]) -> Result<(), Refused> {
        self.undo_to(seat, mine).map(drop)
    }

    /// Takes back the last move of `seat` and all that has followed. `ply` is the one that the page takes for the next.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn undo(&mut self, seat: Seat, ply: Option<u32>, mine: &[Seat], now: Duration) -> Result<(), Refused> {
        self.tick(now);
        if let Some(asked) = ply.filter(|ply| *ply != self.ply()) {
            return Err(Refused::Stale {
                asked,
                next: self.ply(),
            });
        }
        let plies = self.undo_to(seat, mine)?;
        self.undone += 1;
        self.machine = self.machine_after(plies);
        self.turn_over(now);
        Ok(())
    }

    fn undo_to(&self, seat: Seat, mine: &[Seat]) -> Result<usize, Refused> {
        let to_move = self.to_move().ok_or(Refused::Over)?;
        if self.setup.rated {
            return Err(Refused::Rated);
        }
        self.person_plays(seat)?;
        if to_move != seat {
            return Err(Refused::NotToMove(to_move));
        }
        let own = |ply: &PlyRecord| usize::from(ply.seat) == seat.index();
        let last = self.machine.plies().iter().rposition(own);
        let last = last.ok_or(Refused::NothingPlayed(seat))?;
        // Who had left before that stays away, whoever it was.
        let had_left = |other: Seat| {
            let mut left = self.machine.left().iter();
            left.any(|leave| usize::from(leave.seat) == other.index() && leave.ply as usize <= last)
        };
        let is_others = |other: &Seat| !mine.contains(other) && self.person_plays(*other).is_ok() && !had_left(*other);
        match self.seats().find(is_others) {
            Some(other) => Err(Refused::OthersPlay(other)),
            None => Ok(last),
        }
    }

    /// The match as it was before so many plies: played again from its start, so that it knows what has been repeated.
    fn machine_after(&self, plies: usize) -> Machine {
        let names: Vec<String> = self.chairs.iter().map(Chair::name).collect();
        // Another id, so that no bot takes what it is told now for what it knows already.
        let id = format!("{}.{}", self.setup.id, self.undone);
        let mut machine = Machine::new(id, self.setup.game.start(), self.setup.time, &names);
        for (at, ply) in self.machine.plies()[..plies].iter().enumerate() {
            self.leave_again(&mut machine, at);
            let took = Duration::from_micros(ply.elapsed_us);
            let played = machine.play_by_hand(&ply.r#move, took, ply.info.clone());
            played.expect("what was legal is legal when it is played again");
        }
        self.leave_again(&mut machine, plies);
        machine
    }

    /// Who left before that ply leaves again.
    fn leave_again(&self, machine: &mut Machine, ply: usize) {
        for leave in self.machine.left().iter().filter(|leave| leave.ply as usize == ply) {
            match leave.by {
                LeftBy::Resignation => machine.resign(Seat::new(leave.seat.into())),
                LeftBy::Fault => {
                    let mut faults = self.machine.faults().iter();
                    let fault = faults.find(|fault| (fault.seat, fault.ply) == (leave.seat, leave.ply));
                    machine.fault_again(fault.expect("a seat that left by a fault has made one"));
                }
            }
        }
    }

    /// The person of `seat` leaves the match.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn resign(&mut self, seat: Seat, now: Duration) -> Result<(), Refused> {
        self.tick(now);
        let to_move = self.takes_part(seat)?;
        self.person_plays(seat)?;
        if self.thinking.is_some() {
            self.chairs[seat.index()].wish = Some(Wish::Resign);
        } else {
            self.machine.resign(seat);
            self.changed(to_move, now);
        }
        Ok(())
    }

    /// From now on `bot` plays for the person of `seat`: he hands the seat over himself, or is gone and others ask for it.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn substitute(&mut self, seat: Seat, bot: String, by: &[Seat], now: Duration) -> Result<(), Refused> {
        self.tick(now);
        self.takes_part(seat)?;
        self.person_plays(seat)?;
        if !by.contains(&seat) && !self.may_be_substituted(seat, now) {
            return Err(Refused::NotGone(seat));
        }
        self.give_to(seat, bot);
        Ok(())
    }

    /// Whether others may give the seat to a bot.
    pub fn may_be_substituted(&self, seat: Seat, now: Duration) -> bool {
        let gone = self.occupant(seat, now).gone;
        self.is_playing(seat) && gone.is_some_and(|gone| gone >= GONE_AFTER)
    }

    /// The person of `seat`, for whom a bot plays, plays himself again; when it is this seat's turn, after the ply that the
    /// bot has been given: a clock is not set anew by going and coming.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn take_back(&mut self, seat: Seat, now: Duration) -> Result<(), Refused> {
        self.tick(now);
        let to_move = self.takes_part(seat)?;
        let chair = &mut self.chairs[seat.index()];
        if chair.person.is_none() || chair.bot.is_none() {
            return Err(Refused::NoBotPlays(seat));
        }
        if seat == to_move {
            chair.wish = Some(Wish::TakeBack);
        } else {
            chair.bot = None;
            self.changed(to_move, now);
        }
        Ok(())
    }

    /// What has to happen by itself at `now`: the time of a person is over.
    pub fn tick(&mut self, now: Duration) {
        let (Some(seat), Some(deadline)) = (self.to_move(), self.deadline()) else {
            return;
        };
        if now < deadline {
            return;
        }
        if self.occupant(seat, now).gone.is_some() {
            return self.give_to(seat, STAND_IN.to_owned());
        }
        let limit = self.setup.limit.expect("there is a deadline");
        let late = Fault::NoAnswer {
            limit,
            lines: 0,
            unfinished: None,
            hint: None,
            clock: self.setup.time.clock,
        };
        self.machine.fault(seat, &late);
        self.turn_over(now);
    }

    /// The faults made so far.
    pub fn faults(&self) -> &[FaultRecord] {
        self.machine.faults()
    }

    /// What is to be done next for the bots.
    pub fn task(&self) -> Task {
        let Some(seat) = self.to_move() else {
            return if self.stored.is_some() { Task::Done } else { Task::Store };
        };
        if self.chairs[seat.index()].bot.is_some() {
            Task::Ask(seat)
        } else {
            Task::Wait(self.deadline())
        }
    }

    /// The bot that is to sit in a seat.
    pub fn wanted(&self, seat: Seat) -> Option<Wanted> {
        let name = self.chairs[seat.index()].bot.clone()?;
        Some(Wanted {
            name,
            telling: self.undone,
        })
    }

    /// Whether the seat is still in a match that is not over.
    pub fn is_playing(&self, seat: Seat) -> bool {
        self.takes_part(seat).is_ok()
    }

    /// The index of the last fault that was made.
    ///
    /// # Panics
    /// When none has been made.
    pub fn last_fault(&self) -> usize {
        self.machine.faults().len() - 1
    }

    /// Appends the line that opens the match for the bot in `seat`, from the board as it stands.
    pub fn write_start(&mut self, seat: Seat, out: &mut Vec<u8>) {
        self.machine.tell_from_here(seat);
        let (name, options) = (self.game.name(), self.game.options());
        self.machine
            .write_start(seat, name, options, self.setup.seed, false, out);
    }

    /// Appends the line that asks the bot to move for its move; until it has been judged, nothing changes the board.
    ///
    /// # Panics
    /// When it is not a bot's turn.
    pub fn write_turn(&mut self, out: &mut Vec<u8>) {
        let Task::Ask(seat) = self.task() else {
            panic!("a bot is asked when it is its turn");
        };
        self.thinking = Some(seat);
        self.machine.write_turn(out);
    }

    /// The turn's line has been written; gives the instant after which no answer is waited for.
    pub fn asked(&mut self, at: Duration) -> Duration {
        self.machine.asked(at)
    }

    /// A line came from the bot that thinks.
    pub fn line(&mut self, line: &[u8], at: Duration) -> Judged {
        let judged = self.machine.line(line, at);
        self.judged(judged, at)
    }

    /// The bot that thinks has sent nothing in time, but perhaps these bytes.
    pub fn no_answer(&mut self, unfinished: &[u8], at: Duration) -> Judged {
        let judged = self.machine.no_answer(unfinished);
        self.judged(judged, at)
    }

    /// A bot has made a fault that is not in a line, whether or not it was asked.
    pub fn fault(&mut self, seat: Seat, fault: &Fault, at: Duration) {
        let to_move = self.to_move();
        self.machine.fault(seat, fault);
        self.thinking = self.thinking.filter(|thinking| *thinking != seat);
        if let Some(to_move) = to_move {
            self.changed(to_move, at);
        }
    }

    fn judged(&mut self, judged: Judged, now: Duration) -> Judged {
        match judged {
            Judged::Wait | Judged::Dropped => {}
            Judged::Moved | Judged::Resigned | Judged::Faulted | Judged::Relieved(_) => {
                self.thinking = None;
                self.turn_over(now);
            }
        }
        judged
    }

    /// The referee of the match: for what bots are told, and what is known of a fault later.
    pub fn referee(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// The record has been stored, or could not be.
    pub fn set_stored(&mut self, stored: Stored) {
        self.stored = Some(stored);
        self.version += 1;
    }

    /// The record so far. Of a match that is not over places and points are empty, and its end means nothing.
    pub fn record(&self) -> Record {
        let outcome = self.board().outcome();
        let mut opening = String::new();
        self.setup.game.start().write_position(&mut opening);
        let seat = |(bot, chair): (usize, &Chair)| SeatRecord {
            bot,
            name: chair.name(),
            ..SeatRecord::default()
        };
        Record {
            record: RECORD_VERSION,
            plan: "by hand".to_owned(),
            r#match: 0,
            rotation: 0,
            game: self.setup.game.info().name.to_owned(),
            options: self.setup.game.options().to_texts(),
            opening: serde_json::from_str(&opening).expect("the rules write JSON"),
            seats: self.chairs.iter().enumerate().map(seat).collect(),
            seed: self.setup.seed,
            plies: self.machine.plies().to_vec(),
            end: outcome.map_or(End::Rules, |_| self.machine.end()),
            places: outcome.map(|outcome| outcome.places.to_vec()).unwrap_or_default(),
            points: outcome.map(|outcome| outcome.points.to_vec()).unwrap_or_default(),
            faults: self.machine.faults().to_vec(),
            left: self.machine.left().to_vec(),
            started_ms: 0,
            elapsed_us: 0,
            host: None,
        }
    }

    /// What a page draws: the match so far, with its end once the record is stored.
    pub fn film(&self) -> Film {
        if self.stored.is_some() {
            return Film::of(&self.record()).expect("what the referee has judged is a match by the rules");
        }
        let names = self.chairs.iter().map(Chair::name).collect();
        let mut filming = Filming::new(&*self.setup.game, self.setup.game.start(), names);
        filming.go_on(self.machine.plies(), self.machine.left());
        filming.into_film()
    }

    /// The instant at which the time of the person to move is over.
    fn deadline(&self) -> Option<Duration> {
        let seat = self.to_move()?;
        Some(self.clock_began(seat)? + self.setup.limit? + GRACE)
    }

    /// When the clock of a person to move began: with the turn, but not before he had come. `None` for a bot.
    fn clock_began(&self, seat: Seat) -> Option<Duration> {
        let chair = &self.chairs[seat.index()];
        let person = chair.person.as_ref().filter(|_| chair.bot.is_none())?;
        Some(person.first_seen?.max(self.turn_began))
    }

    /// Whether the seat is still in a match that is not over; gives whose turn it is.
    fn takes_part(&self, seat: Seat) -> Result<Seat, Refused> {
        let to_move = self.to_move().ok_or(Refused::Over)?;
        if self.machine.is_in_match(seat) {
            Ok(to_move)
        } else {
            Err(Refused::Left(seat))
        }
    }

    fn person_plays(&self, seat: Seat) -> Result<(), Refused> {
        match &self.chairs[seat.index()].bot {
            None => Ok(()),
            Some(bot) => Err(Refused::BotPlays { seat, bot: bot.clone() }),
        }
    }

    fn give_to(&mut self, seat: Seat, bot: String) {
        let chair = &mut self.chairs[seat.index()];
        (chair.bot, chair.wish) = (Some(bot), None);
        chair.stood_in.clone_from(&chair.bot);
        self.machine.sits_down(seat, chair.name());
        self.version += 1;
    }

    /// A ply has been played, or the board is another: a new turn begins, and what had to wait for it is done.
    fn turn_over(&mut self, now: Duration) {
        self.turn_began = now;
        self.version += 1;
        for seat in self.seats() {
            let chair = &mut self.chairs[seat.index()];
            match chair.wish.take() {
                None => {}
                Some(Wish::Resign) => self.machine.resign(seat),
                Some(Wish::TakeBack) => chair.bot = None,
            }
        }
    }

    /// Something has changed between turns; it is a new turn if it was of the seat to move.
    fn changed(&mut self, was_to_move: Seat, now: Duration) {
        if self.to_move() == Some(was_to_move) {
            self.version += 1;
        } else {
            self.turn_over(now);
        }
    }
}
