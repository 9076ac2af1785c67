//! Where a bot is checked: its processes one after the other, matches against random moves, and notes of all that it did.

use std::collections::BTreeMap;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::{BotHello, Decoded, FAULTS, FaultCode, Feature, FromBot, decode, excerpt};
use mancala_arena_rules::{AnyGame, Seat, infos, open};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{Settings, ask};
use crate::bot::{Bot, EXCERPT_CHARS, NotStarted, Process, Program, Retirements, SendError, Way, exit_text};
use crate::config::TimeControl;
use crate::record::{FaultRecord, Transcript};
use crate::referee::{Fault, Game, Judged, Machine, fault_of_input, retire_faulted, transcript, wait_for_ready};

/// How long one check goes on asking: a bot that answers at once is asked for all that there is, a slow one for less.
pub const CHECK_TIME: Duration = Duration::from_secs(6);

/// The pause inside a line that arrives in two pieces.
const PIECE_PAUSE: Duration = Duration::from_millis(15);

/// How long a field is that makes a line long; a twentieth of what a line may hold.
const LONG_FIELD: usize = 48 * 1024;

/// One bot, its current process, and what is known of it.
pub struct Bench {
    bot: Bot,
    /// The clocks of most matches.
    pub time: TimeControl,
    seed: u64,
    /// The games to be checked.
    pub games: Vec<Arc<dyn AnyGame>>,
    /// Whether only those that were asked for are.
    pub games_are_given: bool,
    /// What all checks have noted.
    pub notes: Notes,
    retirements: Retirements,
    /// The check that is being made.
    check: &'static str,
    asks_until: Instant,
    /// Matches that this process has begun.
    matches: u64,
    transcripts: Vec<(String, Transcript)>,
}

/// What was noted in all checks together.
#[derive(Debug, Default)]
pub struct Notes {
    /// What the bot says of itself.
    pub hello: Option<BotHello>,
    /// The limit of a move.
    pub move_ms_max: u64,
    /// How long the start took, until `hello`.
    pub start: Duration,
    /// Matches that it has taken part in.
    pub matches: u64,
    /// Moves that it has made.
    pub moves: u64,
    /// Moves that named their ply.
    pub named: u64,
    /// Matches that it has resigned.
    pub resigned: u64,
    /// How long its moves took that had the usual limit: how many, together, and the longest with where that was.
    pub timed: u64,
    pub time: Duration,
    pub longest: Option<(Duration, String)>,
    /// Lines that were no messages, and the first of them.
    pub log_lines: Strays,
    /// Answers that nobody had asked for, or no longer.
    pub unasked: Strays,
    /// Types and fields that the protocol does not know.
    pub unknown: BTreeMap<String, u64>,
    /// What it played, match by match, when each was the so manieth of one process.
    pub reference: Option<Vec<(String, Vec<Value>)>>,
    /// The memory that it held at even distances in a long run of matches, and how many matches lie between.
    pub memory: Vec<u64>,
    pub memory_step: u64,
    /// The most that it may hold.
    pub memory_max: u64,
}

/// Lines that should not be there.
#[derive(Debug, Default)]
pub struct Strays {
    /// How many.
    pub count: u64,
    /// The first, cut and escaped, with where it was.
    pub first: Option<String>,
}

impl Strays {
    fn add(&mut self, line: &[u8], title: &str) {
        self.count += 1;
        self.first
            .get_or_insert_with(|| format!("`{}` ({title})", excerpt(line, EXCERPT_CHARS)));
    }
}

/// Why a check failed.
#[derive(Debug)]
pub struct Failure {
    /// In which match and where in it, if in one.
    pub at: Option<String>,
    /// What was found.
    pub found: String,
    pub code: Option<FaultCode>,
    pub advice: Option<String>,
    pub stderr: Option<String>,
}

impl Failure {
    /// Not a fault in a match, but not what was expected either.
    pub fn new(found: impl Into<String>) -> Failure {
        Failure {
            at: None,
            found: found.into(),
            code: None,
            advice: None,
            stderr: None,
        }
    }

    fn of_start(not_started: NotStarted) -> Failure {
        let NotStarted { error, hint, stderr } = not_started;
        let fault = Fault::Start(error);
        Failure {
            at: None,
            found: fault.to_string(),
            code: Some(fault.code()),
            advice: hint.or_else(|| advice(fault.code())),
            stderr,
        }
    }

    fn of_fault(fault: &FaultRecord, title: &str) -> Failure {
        let mut found = fault.message.clone();
        for (what, more) in [("received", &fault.received), ("the process", &fault.exit)] {
            if let Some(more) = more
                && !fault.message.contains(more.as_str())
            {
                found.push_str(&format!("; {what} {more}"));
            }
        }
        Failure {
            at: Some(format!("{title}, ply {}", fault.ply)),
            found,
            code: Some(fault.code),
            advice: fault.hint.clone().or_else(|| advice(fault.code)),
            stderr: fault.stderr.clone(),
        }
    }
}

/// What is advised to whoever makes such a fault.
fn advice(code: FaultCode) -> Option<String> {
    { FAULTS.iter() }
        .find(|fault| fault.code == code)
        .map(|fault| fault.advice.to_owned())
}

/// How lines are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Delivery {
    /// Just so.
    #[default]
    Plain,
    /// With a field that the protocol does not know.
    UnknownField,
    /// With so long a field that the protocol does not know that the line is a long one.
    LongLine,
    /// After a message whose type the protocol does not know.
    UnknownMessage,
    /// In two pieces, with a pause between.
    Pieces,
}

/// A match to be played with the bot.
#[derive(Clone, Debug)]
pub struct Match {
    pub game: Arc<dyn AnyGame>,
    /// The bot's seat.
    pub seat: usize,
    /// Random plies that lead to its opening.
    pub opening_plies: usize,
    /// Of the opening and the other seats' moves.
    pub draw: u64,
    /// What the bot is given as its seed.
    pub seed: u64,
    /// After so many moves of the bot it is broken off, without an `end`.
    pub turns_max: usize,
    /// In place of the usual ids.
    pub id: Option<String>,
    /// In place of the usual names.
    pub names: Option<Vec<String>>,
    /// In place of the usual clocks.
    pub time: Option<TimeControl>,
    pub may_ponder: bool,
    pub delivery: Delivery,
    /// Another seat that makes a fault at its second turn.
    pub leaver: Option<usize>,
}

impl Match {
    /// A usual match to its end, from the start position.
    pub fn new(game: &Arc<dyn AnyGame>, seat: usize) -> Match {
        Match {
            game: Arc::clone(game),
            seat,
            opening_plies: 0,
            draw: 0,
            seed: 1,
            turns_max: usize::MAX,
            id: None,
            names: None,
            time: None,
            may_ponder: true,
            delivery: Delivery::Plain,
            leaver: None,
        }
    }

    fn title(&self) -> String {
        format!("{}, seat {}", describe(&*self.game), self.seat + 1)
    }
}

/// What a match has come to.
#[derive(Debug)]
pub struct Played {
    /// What the bot played.
    pub moves: Vec<Value>,
    /// Whether it was played to its end.
    pub is_whole: bool,
}

impl Bench {
    pub fn new(program: Arc<Program>, settings: &Settings) -> Bench {
        let notes = Notes {
            move_ms_max: settings.time.move_ms_max.unwrap_or_default(),
            memory_max: program.launcher.limits().memory_mib << 20,
            ..Notes::default()
        };
        Bench {
            bot: Bot::new(program),
            time: settings.time,
            seed: settings.seed,
            games: settings.games.clone(),
            games_are_given: !settings.games.is_empty(),
            notes,
            retirements: Retirements::default(),
            check: "",
            asks_until: Instant::now(),
            matches: 0,
            transcripts: Vec::new(),
        }
    }

    /// Begins another check, with a process that is not there yet.
    pub async fn begin(&mut self, check: &'static str) {
        self.check = check;
        self.renew().await;
        self.allow(CHECK_TIME);
    }

    /// Goes on asking for so long.
    pub fn allow(&mut self, time: Duration) {
        self.asks_until = Instant::now() + time;
    }

    /// Whether this check has asked for as long as it may.
    pub fn is_spent(&self) -> bool {
        Instant::now() >= self.asks_until
    }

    /// Lets the process go; the next match has another one.
    pub async fn renew(&mut self) {
        self.bot.quit(&mut self.retirements).await;
        self.matches = 0;
        // Those that leave slowly are not to gather.
        self.retirements.wait_for_all_but(4).await;
    }

    /// Ends all that runs, and gives what was said.
    pub async fn close(mut self) -> Vec<(String, Transcript)> {
        self.bot.quit(&mut self.retirements).await;
        self.retirements.finish().await;
        self.transcripts
    }

    /// What the bot has announced; nothing before its first `hello`.
    pub fn has(&self, feature: Feature) -> bool {
        self.notes.hello.as_ref().is_some_and(|hello| hello.has(feature))
    }

    /// How long the bot may take to leave.
    pub fn grace(&self) -> Duration {
        Duration::from_millis(self.bot.program().launcher.limits().quit_ms)
    }

    /// The bot's process, which the last match has left running.
    pub fn process(&mut self) -> &mut Process {
        self.bot.process()
    }

    /// Starts the bot, where it does not run, and exchanges `hello`.
    pub async fn start(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        self.bot.begin_transcript(began);
        let started = self.start_with(None).await;
        self.notes.start = self.notes.start.max(began.elapsed());
        self.take_notes("hello");
        started
    }

    /// As [`Bench::start`], with this line as the arena's `hello`.
    pub async fn start_offering(&mut self, hello: &str) -> Result<BotHello, Failure> {
        self.bot.begin_transcript(Instant::now());
        let started = self.start_with(Some(hello)).await;
        self.take_notes("hello");
        started.map(|()| self.bot.hello().clone())
    }

    async fn start_with(&mut self, hello: Option<&str>) -> Result<(), Failure> {
        let limit = Duration::from_millis(self.time.start_ms_max);
        let Some(process) = self.bot.start().map_err(Failure::of_start)? else {
            return Ok(());
        };
        self.matches = 0;
        let greeted = match hello {
            None => self.bot.greet(process, limit, &mut self.retirements).await,
            Some(line) => {
                let line = line.as_bytes();
                self.bot.greet_with(line, process, limit, &mut self.retirements).await
            }
        };
        greeted.map_err(Failure::of_start)?;
        self.notes.hello = Some(self.bot.hello().clone());
        Ok(())
    }

    /// Plays a match. Of a bot that wants a fresh process for each it has one.
    pub async fn play(&mut self, spec: &Match) -> Result<Played, Failure> {
        if self.matches > 0 && self.has(Feature::SingleMatch) {
            self.renew().await;
        }
        self.bot.begin_transcript(Instant::now());
        let mut machine = self.machine(spec);
        let played = self.play_by(spec, &mut machine).await;
        self.take_notes(&spec.title());
        played
    }

    /// Sends `start` and waits for `ready`, nothing else.
    pub async fn open(&mut self, spec: &Match) -> Result<(), Failure> {
        self.bot.begin_transcript(Instant::now());
        let mut machine = self.machine(spec);
        let opened = self.open_by(spec, &mut machine).await;
        self.take_notes(&spec.title());
        opened
    }

    /// The first turn from `plies` plies on of the match that [`Bench::join_late`] would play: its ply and who is to move.
    pub fn late_turn(&self, spec: &Match, plies: u32) -> Option<(u32, usize)> {
        let mut machine = self.machine(spec);
        let mut dice = self.dice(spec.draw);
        while machine.ply() < plies {
            machine.to_move()?;
            play_randomly(&mut machine, &mut dice);
        }
        Some((plies, machine.to_move()?.index()))
    }

    /// Lets the bot join a match late: it is asked for a move for the first time when `plies` plies have been played, and
    /// told of all of them.
    pub async fn join_late(&mut self, spec: &Match, plies: u32) -> Result<(), Failure> {
        let began = Instant::now();
        self.bot.begin_transcript(began);
        let mut machine = self.machine(spec);
        self.open_by(spec, &mut machine).await?;
        let mut dice = self.dice(spec.draw);
        while machine.ply() < plies {
            play_randomly(&mut machine, &mut dice);
        }
        machine.tell_all_again(machine.to_move().expect("the caller knows that the match goes on"));
        let joined = self.turn(&mut machine, spec, began).await;
        self.take_notes(&spec.title());
        joined.map(drop)
    }

    /// Says `quit`, if at all, and closes the bot's input: how it ended and after how long, if it did within its grace.
    pub async fn dismiss(&mut self, says_quit: bool) -> Option<(ExitStatus, Duration)> {
        let grace = self.grace();
        let began = Instant::now();
        self.bot.begin_transcript(began);
        let process = self.bot.process();
        if says_quit {
            let _ = process.send(b"{\"type\":\"quit\"}\n").await;
        }
        process.held_back(grace).await;
        let status = process.exit_status(grace.saturating_sub(began.elapsed())).await;
        let ended = status.map(|status| (status, began.elapsed()));
        self.take_notes(if says_quit { "quit" } else { "end of input" });
        self.bot.retire(&mut self.retirements);
        self.matches = 0;
        ended
    }

    fn machine(&self, spec: &Match) -> Machine {
        let mut board = spec.game.start();
        let mut dice = self.dice(spec.draw ^ 1 << 63);
        for _ in 0..spec.opening_plies {
            let before = board.boxed_clone();
            board.play_nth(below(&mut dice, board.legal_len()));
            if board.to_move().is_none() {
                board = before;
                break;
            }
        }
        let mut position = String::new();
        board.write_position(&mut position);
        let board = spec.game.start_from(&position).expect("the rules read what they write");
        let usual = || {
            (0..spec.game.seats()).map(|seat| match seat == spec.seat {
                true => "checked".to_owned(),
                false => format!("random-{}", seat + 1),
            })
        };
        let names = spec.names.clone().unwrap_or_else(|| usual().collect());
        let id = spec.id.clone().unwrap_or_else(|| self.notes.matches.to_string());
        Machine::new(id, board, spec.time.unwrap_or(self.time), &names)
    }

    fn dice(&self, draw: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ draw)
    }

    /// That the bot has not ended by itself, and does not within `patience`.
    pub async fn expect_alive(&mut self, patience: Duration) -> Result<(), Failure> {
        if !self.bot.is_running() {
            return Ok(());
        }
        let process = self.bot.process();
        let Some(status) = process.exit_status(patience).await else {
            return Ok(());
        };
        let stderr = process.last_words().await;
        self.bot.retire(&mut self.retirements);
        Err(Failure {
            stderr,
            ..Failure::new(format!("{} after a match, before the next one", exit_text(status)))
        })
    }

    async fn open_by(&mut self, spec: &Match, machine: &mut Machine) -> Result<(), Failure> {
        // In a tournament it would be started again; that is no reason not to tell of it.
        self.expect_alive(Duration::ZERO).await?;
        self.start_with(None).await?;
        self.notes.matches += 1;
        self.matches += 1;
        let seat = Seat::new(spec.seat);
        if self.process().drop_unasked().is_none() {
            return Err(self.faulted(&Fault::OutputFlood, machine, spec).await);
        }
        let mut line = Vec::new();
        let game = Game::new(&*spec.game);
        machine.write_start(seat, game.name(), game.options(), spec.seed, spec.may_ponder, &mut line);
        if let Err(error) = deliver(self.bot.process(), &line, spec.delivery).await {
            let fault = fault_of_input(self.bot.process(), error).await;
            return Err(self.faulted(&fault, machine, spec).await);
        }
        let limit = self.time.start_ms_max;
        if self.has(Feature::Ready)
            && let Err(fault) =
                wait_for_ready(self.bot.process(), Instant::now() + Duration::from_millis(limit), limit).await
        {
            return Err(self.faulted(&fault, machine, spec).await);
        }
        Ok(())
    }

    async fn play_by(&mut self, spec: &Match, machine: &mut Machine) -> Result<Played, Failure> {
        let began = Instant::now();
        self.open_by(spec, machine).await?;
        let mut dice = self.dice(spec.draw);
        let mut line = Vec::new();
        let (mut moves, mut others_turns) = (Vec::new(), 0);
        while let Some(seat) = machine.to_move() {
            if seat.index() != spec.seat {
                others_turns += usize::from(spec.leaver == Some(seat.index()));
                if others_turns == 2 {
                    others_turns += 1;
                    machine.fault(seat, &Fault::ClosedInput);
                    continue;
                }
                play_randomly(machine, &mut dice);
                if self.has(Feature::Observe) {
                    line.clear();
                    machine.write_last_ply(&mut line);
                    // Whether it reads shows when it is asked.
                    let _ = deliver(self.bot.process(), &line, spec.delivery).await;
                }
                continue;
            }
            if moves.len() >= spec.turns_max || self.is_spent() {
                return Ok(Played { moves, is_whole: false });
            }
            if !self.turn(machine, spec, began).await? {
                continue;
            }
            let ply = machine.last_ply().expect("one was played");
            moves.push(ply.r#move.clone());
            if spec.time.is_none() {
                self.notes.time(Duration::from_micros(ply.elapsed_us), || {
                    format!("{}, ply {}", spec.title(), machine.ply() - 1)
                });
            }
        }
        line.clear();
        machine.write_end(&mut line);
        // A bot that is gone by now has lost nothing: the next match finds out.
        let _ = deliver(self.bot.process(), &line, spec.delivery).await;
        Ok(Played { moves, is_whole: true })
    }

    /// Asks for a move, after what was written unasked has been dropped as in a match; whether one was made.
    async fn turn(&mut self, machine: &mut Machine, spec: &Match, began: Instant) -> Result<bool, Failure> {
        let seat = machine.to_move().expect("the match goes on");
        if machine.must_drop_unasked(seat) && self.bot.process().drop_unasked().is_none() {
            return Err(self.faulted(&Fault::OutputFlood, machine, spec).await);
        }
        let mut line = Vec::new();
        machine.write_turn(&mut line);
        let asked = deliver(self.bot.process(), &line, spec.delivery).await;
        match ask::answer(&mut self.bot, machine, began, asked, &mut self.retirements).await {
            Judged::Faulted => {
                let fault = machine.last_fault().expect("it was judged");
                Err(Failure::of_fault(fault, &spec.title()))
            }
            Judged::Resigned => {
                self.notes.resigned += 1;
                Ok(false)
            }
            _ => {
                self.notes.moves += 1;
                Ok(true)
            }
        }
    }

    /// Judges a fault that is not in an answer.
    async fn faulted(&mut self, fault: &Fault, machine: &mut Machine, spec: &Match) -> Failure {
        machine.fault(Seat::new(spec.seat), fault);
        retire_faulted(machine, &mut self.bot, &mut self.retirements).await;
        Failure::of_fault(machine.last_fault().expect("one was made"), &spec.title())
    }

    /// Looks through what was said since the transcript was begun, and keeps it.
    fn take_notes(&mut self, title: &str) {
        let where_ = format!("check {}, {title}", self.check);
        let said = self.bot.transcript();
        for line in said.head().chain(said.rest()) {
            let is_dropped = line.way == Way::Dropped;
            if is_dropped || line.way == Way::FromBot {
                self.notes.line(line.bytes, is_dropped, &where_);
            }
        }
        self.transcripts.push((where_, transcript([&self.bot])));
    }
}

impl Notes {
    fn line(&mut self, line: &[u8], is_dropped: bool, title: &str) {
        match decode(line, true) {
            Ok(Decoded::Log) => self.log_lines.add(line, title),
            Ok(Decoded::Message {
                message,
                unknown_fields,
            }) => {
                for field in unknown_fields {
                    *self.unknown.entry(format!("field `{field}`")).or_default() += 1;
                }
                match message {
                    FromBot::Unknown { kind } => *self.unknown.entry(format!("type `{kind}`")).or_default() += 1,
                    FromBot::Info(_) => {}
                    FromBot::Move { ply, .. } if !is_dropped => self.named += u64::from(ply.is_some()),
                    _ if is_dropped => self.unasked.add(line, title),
                    _ => {}
                }
            }
            // Blank, or a fault that has been judged.
            _ => {}
        }
    }

    fn time(&mut self, took: Duration, title: impl FnOnce() -> String) {
        self.timed += 1;
        self.time += took;
        if self.longest.as_ref().is_none_or(|(longest, _)| took > *longest) {
            self.longest = Some((took, title()));
        }
    }
}

/// Sends a line; gives when the bot had all of it.
async fn deliver(process: &mut Process, line: &[u8], delivery: Delivery) -> Result<Instant, SendError> {
    let with_field = |value: &str| {
        let object = line.strip_suffix(b"}\n").expect("a line is an object");
        [object, b",\"x_check\":", value.as_bytes(), b"}\n"].concat()
    };
    match delivery {
        Delivery::Plain => process.send(line).await,
        Delivery::UnknownField => process.send(&with_field(r#"{"list":[1,null,true],"text":"é"}"#)).await,
        Delivery::LongLine => {
            process
                .send(&with_field(&format!("\"{}\"", "x".repeat(LONG_FIELD))))
                .await
        }
        Delivery::UnknownMessage => {
            process.send(b"{\"type\":\"x_check\",\"text\":\"ignore me\"}\n").await?;
            process.send(line).await
        }
        Delivery::Pieces => {
            let (first, rest) = line.split_at(line.len() / 2);
            process.send(first).await?;
            sleep(PIECE_PAUSE).await;
            process.send(rest).await
        }
    }
}

fn play_randomly(machine: &mut Machine, dice: &mut ChaCha8Rng) {
    let board = machine.board();
    let mv = board.nth_to_wire(below(dice, board.legal_len()));
    let mv = mv.expect("the index is of a legal move");
    machine.write_turn(&mut Vec::new());
    machine.asked(Duration::ZERO);
    machine.line(format!("{{\"move\":{mv}}}").as_bytes(), Duration::ZERO);
}

/// A number below `bound`; that some come a little more often does not matter here.
fn below(dice: &mut ChaCha8Rng, bound: usize) -> usize {
    dice.next_u32() as usize % bound
}

/// How many plies random moves need to the end of a match of `game`.
pub fn random_plies(game: &dyn AnyGame, seed: u64) -> u32 {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut board = game.start();
    while board.to_move().is_some() {
        board.play_nth(below(&mut dice, board.legal_len()));
    }
    board.ply()
}

/// The game as it is written on a command line, without what is usual.
pub fn describe(game: &dyn AnyGame) -> String {
    let name = game.info().name;
    let usual = open(name, &[])
        .map(|usual| usual.options().to_texts())
        .unwrap_or_default();
    let options = game.options().to_texts();
    let unusual = options.iter().filter(|option| !usual.contains(option));
    let unusual: Vec<String> = unusual.map(|(key, value)| format!("{key}={value}")).collect();
    match unusual.is_empty() {
        true => name.to_owned(),
        false => format!("{name}:{}", unusual.join(",")),
    }
}

/// Every game there is, with its usual options.
pub fn all_games() -> Vec<Arc<dyn AnyGame>> {
    let usual = infos().into_iter().map(|info| open(info.name, &[]));
    usual.map(|game| game.expect("a game has defaults")).collect()
}
