//! The driver of a match: carries lines between the state machine and the bots. It judges nothing.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mancala_arena_protocol::{Decoded, FaultCode, Feature, FromBot, decode, excerpt};
use mancala_arena_rules::{AnyGame, AnyMatch, Seat};
use serde_json::Value;
use tokio::time::Instant;

use super::{Fault, Guard, Judged, Machine, Relief};
use crate::bot::{
    Bot, EXCERPT_CHARS, EXIT_PATIENCE, HELD_BACK_PATIENCE, NotStarted, Process, Received, Retirements, SendError,
    StartError, Tree, WRITE_PATIENCE, exit_text, hint,
};
use crate::config::{Ponder, TimeControl};
use crate::record::{FaultRecord, PlyRecord, RECORD_VERSION, Record, SeatRecord, Then, VoidReason, VoidRecord};

/// How long a bot that is charged for processor time is left alone at least before that is read again.
const METER_PAUSE: Duration = Duration::from_millis(1);

/// How long a host that cannot start a bot is left in peace before the match is played again.
const HOST_PAUSE: Duration = Duration::from_millis(250);

/// A game with the forms in which it is told to bots and kept in records, made once for all its matches.
#[derive(Debug)]
pub struct Game {
    name: &'static str,
    texts: Vec<(String, String)>,
    wire: serde_json::Map<String, Value>,
}

impl Game {
    /// The forms of `game`.
    pub fn new(game: &dyn AnyGame) -> Game {
        Game {
            name: game.info().name,
            texts: game.options().to_texts(),
            wire: options_to_wire(game),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its options as bots are told them.
    pub fn options(&self) -> &serde_json::Map<String, Value> {
        &self.wire
    }
}

/// What is fixed before the match.
#[derive(Debug)]
pub struct Setup {
    /// The plan's id.
    pub plan: Arc<str>,
    /// The match's id.
    pub id: u64,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The game.
    pub game: Arc<Game>,
    /// The position before ply 0.
    pub opening: Box<dyn AnyMatch>,
    /// The seed handed to the bots.
    pub seed: u64,
    /// The clocks.
    pub time: TimeControl,
    /// Whether bots may think off turn.
    pub ponder: Ponder,
    /// What follows a fault, by seat.
    pub reliefs: Vec<Relief>,
    /// Whether it is measured what bots use off turn.
    pub measures_off_turn: bool,
    /// Whoever notes when the arena stands still; without it every late move is a fault.
    pub guard: Option<Arc<Guard>>,
}

/// What has come of a match.
#[derive(Debug)]
pub enum Played {
    /// It was played to its end.
    Ended(Box<Record>),
    /// It counts for nobody and is to be played again, from the same opening.
    Void(VoidRecord),
}

/// Somebody who watches a match while it is played.
pub trait Observer: Send {
    /// The match begins.
    fn started(&mut self, _board: &dyn AnyMatch) {}
    /// A turn begins; `machine` has all that has been played before it.
    fn turn(&mut self, _machine: &Machine) {}
    /// A ply has been played.
    fn played(&mut self, _ply: &PlyRecord, _board: &dyn AnyMatch) {}
    /// So long has the arena taken from a move to asking for the next one.
    fn own_time(&mut self, _own: Duration) {}
    /// The bot in `seat` has used so much processor time while it was not its turn.
    fn off_turn(&mut self, _seat: Seat, _used: Duration) {}
    /// A bot has made a fault.
    fn faulted(&mut self, _fault: &FaultRecord) {}
}

/// Nobody watches.
#[derive(Debug)]
pub struct Silent;
impl Observer for Silent {}

/// Plays a match with `bots` by seat. Bots are started where they do not run; those that made a fault are retired.
pub async fn play(
    setup: Setup,
    bots: &mut [&mut Bot],
    retirements: &mut Retirements,
    observer: &mut dyn Observer,
) -> Played {
    let began = Instant::now();
    let started_ms = now_ms();
    let mut opening = String::new();
    setup.opening.write_position(&mut opening);
    let names: Vec<String> = bots.iter().map(|bot| bot.program().name.clone()).collect();
    let mut machine = Machine::new(setup.id.to_string(), setup.opening, setup.time, &names);
    for (index, relief) in setup.reliefs.iter().enumerate() {
        machine.grant(Seat::new(index), relief.clone());
    }
    observer.started(machine.board());
    for bot in bots.iter_mut() {
        bot.take_seat_again(retirements).await;
        bot.begin_transcript(began);
    }
    let mut driver = Driver {
        machine,
        bots,
        retirements,
        observer,
        guard: setup.guard.as_deref(),
        id: setup.id,
        void: None,
        answered: None,
        wall_max: setup.time.wall_ms_max.map(Duration::from_millis),
        off_turn: OffTurn::new(setup.ponder, setup.measures_off_turn, names.len()),
        began,
        line: Vec::with_capacity(512),
        game: &setup.game,
        seed: setup.seed,
        may_ponder: setup.ponder == Ponder::Allow,
        start_ms_max: setup.time.start_ms_max,
        introduced: vec![false; names.len()],
        reliefs: &setup.reliefs,
    };
    driver.start_bots().await;
    if driver.void.is_none() {
        driver.open_match().await;
    }
    while driver.void.is_none()
        && let Some(seat) = driver.machine.to_move()
    {
        driver.observer.turn(&driver.machine);
        driver.turn(seat).await;
        // Bots that answer at once never make the driver wait: let the worker's other tasks have their share.
        tokio::task::consume_budget().await;
    }
    driver.end_off_turn();
    if let Some(void) = driver.void {
        // Processes are kept: starting them again would only add to the load of a host that has just stood still. The next
        // `start` closes the match for them, and what they may still say of it is dropped.
        for bot in bots.iter_mut() {
            if bot.is_running() && bot.hello().has(Feature::SingleMatch) {
                bot.quit(retirements).await;
            }
        }
        return Played::Void(void);
    }
    driver.close_match().await;
    let elapsed_us = began.elapsed().as_micros() as u64;
    let report = driver.machine.into_report();
    let seats = bots
        .iter()
        .zip(&report.counts)
        .map(|(bot, (log_lines, dropped_lines, unknown))| SeatRecord {
            bot: bot.program().id,
            name: bot.program().name.clone(),
            content: bot.program().resolved.content.clone(),
            log_lines: *log_lines,
            dropped_lines: *dropped_lines,
            unknown: *unknown,
        });
    Played::Ended(Box::new(Record {
        record: RECORD_VERSION,
        plan: setup.plan.to_string(),
        r#match: setup.id,
        rotation: setup.rotation,
        game: setup.game.name.to_owned(),
        options: setup.game.texts.clone(),
        opening: serde_json::from_str(&opening).expect("the rules write JSON"),
        seats: seats.collect(),
        seed: setup.seed,
        plies: report.plies,
        end: report.end,
        places: report.places,
        points: report.points,
        faults: report.faults,
        left: report.left,
        started_ms,
        elapsed_us,
        host: None,
    }))
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_millis() as u64
}

struct Driver<'a, 'b> {
    machine: Machine,
    bots: &'a mut [&'b mut Bot],
    retirements: &'a mut Retirements,
    observer: &'a mut dyn Observer,
    guard: Option<&'a Guard>,
    id: u64,
    /// Set when the match is found to be void; nothing is told to the bots then.
    void: Option<VoidRecord>,
    /// When the last move had been read.
    answered: Option<Instant>,
    /// Where processor time is charged: the most that a move may take by the wall.
    wall_max: Option<Duration>,
    off_turn: OffTurn,
    began: Instant,
    line: Vec<u8>,
    game: &'a Game,
    seed: u64,
    may_ponder: bool,
    start_ms_max: u64,
    /// By seat: whether the bot has been told of the match, and is ready.
    introduced: Vec<bool>,
    reliefs: &'a [Relief],
}

impl Driver<'_, '_> {
    /// Starts what does not run: all processes first, then one `hello` after the other.
    async fn start_bots(&mut self) {
        let started: Vec<_> = self.bots.iter_mut().map(|bot| bot.start()).collect();
        for (index, started) in started.into_iter().enumerate() {
            let (from, limit) = (Instant::now(), Duration::from_millis(self.start_ms_max));
            let greeted = match started {
                Ok(None) => {
                    // What it wrote of earlier matches is not of this one.
                    self.bots[index].process().forget_stderr();
                    Ok(())
                }
                Ok(Some(process)) => self.bots[index].greet(process, limit, self.retirements).await,
                Err(not_started) => Err(not_started),
            };
            match greeted {
                Ok(()) => {}
                Err(NotStarted {
                    error: StartError::NoHello { .. },
                    ..
                }) if self.is_void(Seat::new(index), from, from + limit) => return,
                Err(not_started) if not_started.error.is_of_host() => {
                    return self.void_for_host(Seat::new(index)).await;
                }
                Err(not_started) => {
                    if let Judged::Relieved(then) = self.start_fault(Seat::new(index), not_started) {
                        self.replace(Seat::new(index), then).await;
                    }
                }
            }
        }
    }

    /// Sends `start` to every bot and waits for those that announced `ready`.
    async fn open_match(&mut self) {
        for index in 0..self.bots.len() {
            let seat = Seat::new(index);
            if !self.machine.is_in_match(seat) || self.introduced[index] {
                continue;
            }
            if self.bots[index].process().drop_unasked().is_none() {
                self.fault(seat, Fault::OutputFlood).await;
                continue;
            }
            if let Err(error) = self.send_start(seat).await {
                self.cannot_send(seat, error).await;
            }
        }
        let limit_ms = self.start_ms_max;
        let deadline = Instant::now() + Duration::from_millis(limit_ms);
        for index in 0..self.bots.len() {
            let seat = Seat::new(index);
            if self.machine.is_in_match(seat)
                && !self.introduced[index]
                && let Err(fault) = self.wait_until_ready(seat, deadline).await
            {
                let timed_out = matches!(fault, Fault::NotReady { .. });
                if timed_out && self.is_void(seat, deadline - Duration::from_millis(limit_ms), deadline) {
                    return;
                }
                self.fault(seat, fault).await;
            }
        }
        for index in 0..self.bots.len() {
            if self.machine.is_in_match(Seat::new(index)) {
                self.off_turn.begins(Seat::new(index), self.bots[index].process());
            }
        }
    }

    /// Tells a bot of the match.
    async fn send_start(&mut self, seat: Seat) -> Result<Instant, SendError> {
        self.line.clear();
        let game = self.game;
        self.machine
            .write_start(seat, game.name, &game.wire, self.seed, self.may_ponder, &mut self.line);
        self.bots[seat.index()].process().send(&self.line).await
    }

    /// Waits for `ready` from a bot that has announced it.
    async fn wait_until_ready(&mut self, seat: Seat, deadline: Instant) -> Result<(), Fault> {
        let bot = &mut *self.bots[seat.index()];
        if !bot.hello().has(Feature::Ready) {
            return Ok(());
        }
        wait_for_ready(bot.process(), deadline, self.start_ms_max).await
    }

    /// Judges a bot that did not start.
    fn start_fault(&mut self, seat: Seat, not_started: NotStarted) -> Judged {
        let NotStarted { error, hint, stderr } = not_started;
        let judged = self.machine.fault(seat, &Fault::Start(error));
        self.machine.add_to_last_fault(None, hint, stderr);
        self.report_fault();
        judged
    }

    /// Brings a new process into a seat whose own has been let go, and tells it of the match. What fails then is judged as
    /// at first, for as long as the seat is granted another.
    async fn replace(&mut self, seat: Seat, mut then: Then) {
        let limit = Duration::from_millis(self.start_ms_max);
        loop {
            let bot = &mut *self.bots[seat.index()];
            if then == Then::Substituted
                && let Relief::Substitute(program) = &self.reliefs[seat.index()]
            {
                bot.give_seat_to(Arc::clone(program));
            }
            let greeted = match bot.start() {
                Ok(Some(process)) => bot.greet(process, limit, self.retirements).await,
                Ok(None) => Ok(()),
                Err(not_started) => Err(not_started),
            };
            let judged = match greeted {
                Err(not_started) if not_started.error.is_of_host() => return self.void_for_host(seat).await,
                Err(not_started) => self.start_fault(seat, not_started),
                Ok(()) => {
                    // Whether it reads shows when it is asked.
                    let _ = self.send_start(seat).await;
                    match self.wait_until_ready(seat, Instant::now() + limit).await {
                        Ok(()) => {
                            self.introduced[seat.index()] = true;
                            return;
                        }
                        Err(fault) => {
                            let judged = self.machine.fault(seat, &fault);
                            self.retire_faulted(seat).await;
                            judged
                        }
                    }
                }
            };
            match judged {
                Judged::Relieved(next) => then = next,
                _ => return,
            }
        }
    }

    /// Asks for a move and waits until the seat has been judged.
    async fn turn(&mut self, seat: Seat) {
        let process = self.bots[seat.index()].process();
        if self.machine.must_drop_unasked(seat) {
            match process.drop_unasked() {
                Some(lines) => self.machine.dropped(seat, lines),
                None => return self.fault(seat, Fault::OutputFlood).await,
            }
        }
        self.line.clear();
        self.machine.write_turn(&mut self.line);
        self.off_turn.ends(seat, process);
        let meter = self.wall_max.map(|wall_max| Meter::new(process, wall_max));
        let written = match process.send(&self.line).await {
            Ok(written) => written,
            Err(error) => return self.cannot_send(seat, error).await,
        };
        if let Some(answered) = self.answered.take() {
            self.observer.own_time(written - answered);
        }
        let until = self.began + self.machine.asked(written - self.began);
        // When the arena itself no longer waits.
        let last = meter.as_ref().map_or(until, |meter| written + meter.wall_max);
        let mut deadline = until.min(last);
        loop {
            let received = process.receive(deadline).await;
            let judged = match received {
                Received::Line(at) => {
                    self.answered = Some(at);
                    let at = meter.as_ref().map_or(at, |meter| written + meter.used(process));
                    self.machine.line(process.line(), at - self.began)
                }
                Received::Nothing => {
                    // What the arena could not read in time may come yet, and shows that the bot is not at fault.
                    let longest = last + excuse(self.guard, written);
                    let used = meter.as_ref().map(|meter| meter.used(process));
                    let next = match used {
                        None => longest,
                        Some(used) if written + used >= until => deadline,
                        // It uses no more than passes by the wall, for each core that it has.
                        Some(used) => longest.min(Instant::now() + METER_PAUSE.max(until - (written + used))),
                    };
                    if next > deadline {
                        deadline = next;
                        continue;
                    }
                    match used {
                        Some(used) if written + used < until => {
                            let limit = last - written;
                            self.machine.fault(seat, &Fault::WallLimit { limit, used })
                        }
                        _ => self.machine.no_answer(process.unfinished()),
                    }
                }
                Received::TooLong | Received::Flood | Received::Closed => {
                    let fault = fault_of_output(process, received).await;
                    self.machine.fault(seat, &fault)
                }
            };
            match judged {
                Judged::Wait => {}
                Judged::Dropped => process.note_dropped(),
                Judged::Moved => {
                    self.off_turn.begins(seat, process);
                    return self.tell_observers().await;
                }
                Judged::Resigned => return,
                Judged::Faulted | Judged::Relieved(_) => {
                    let code = self.machine.last_fault().map(|fault| fault.code);
                    if code == Some(FaultCode::Late) && self.is_void(seat, written, last) {
                        return;
                    }
                    return self.after_fault(seat, judged).await;
                }
            }
        }
    }

    /// Whether what was asked at `from` and should have come before `until` comes too late now because the arena stood
    /// still; then the match is void.
    fn is_void(&mut self, seat: Seat, from: Instant, until: Instant) -> bool {
        let Some(guard) = self.guard else { return false };
        let now = Instant::now();
        if now < until {
            return false;
        }
        let (stalled, late) = (guard.stalled(from, now), now - until);
        if stalled.excuses(late) {
            let reason = if stalled.suspended {
                VoidReason::Suspended
            } else {
                VoidReason::Stalled
            };
            self.set_void(seat, reason, late, stalled.length);
        }
        self.void.is_some()
    }

    /// The host cannot start a bot now, which is nobody's fault: the match is void. It is left in peace for a moment.
    async fn void_for_host(&mut self, seat: Seat) {
        self.set_void(seat, VoidReason::HostShort, Duration::ZERO, Duration::ZERO);
        tokio::time::sleep(HOST_PAUSE).await;
    }

    fn set_void(&mut self, seat: Seat, reason: VoidReason, late: Duration, stalled: Duration) {
        self.void = Some(VoidRecord {
            r#match: self.id,
            seat: seat.index() as u8,
            ply: self.machine.ply(),
            reason,
            late_us: late.as_micros() as u64,
            stalled_us: stalled.as_micros() as u64,
            at_ms: now_ms(),
        });
    }

    /// The match is over: bots that were stopped run again, and what was measured is told.
    fn end_off_turn(&mut self) {
        for (index, bot) in self.bots.iter_mut().enumerate().filter(|(_, bot)| bot.is_running()) {
            self.off_turn.ends(Seat::new(index), bot.process());
        }
        for (seat, used) in self.off_turn.measured() {
            self.observer.off_turn(seat, used);
        }
    }

    /// Tells how the match ended to every bot that is still alive.
    async fn close_match(&mut self) {
        self.line.clear();
        self.machine.write_end(&mut self.line);
        for bot in self.bots.iter_mut().filter(|bot| bot.is_running()) {
            // A bot that is gone by now has lost nothing: the next match finds out.
            let sent = bot.process().send(&self.line).await;
            if sent.is_err() {
                bot.retire(self.retirements);
            } else if bot.hello().has(Feature::SingleMatch) {
                bot.quit(self.retirements).await;
            }
        }
    }

    async fn cannot_send(&mut self, seat: Seat, error: SendError) {
        if error == SendError::NotReading {
            let until = Instant::now();
            if self.is_void(seat, until - WRITE_PATIENCE, until) {
                return;
            }
        }
        let fault = fault_of_input(self.bots[seat.index()].process(), error).await;
        self.fault(seat, fault).await;
    }

    async fn fault(&mut self, seat: Seat, fault: Fault) {
        let judged = self.machine.fault(seat, &fault);
        self.after_fault(seat, judged).await;
    }

    /// Lets go of the process, and brings a new one where the seat stays in the match.
    async fn after_fault(&mut self, seat: Seat, judged: Judged) {
        self.retire_faulted(seat).await;
        if let Judged::Relieved(then) = judged {
            self.replace(seat, then).await;
        }
    }

    /// Tells a bot of its fault, keeps its last words, and lets it go.
    async fn retire_faulted(&mut self, seat: Seat) {
        retire_faulted(&mut self.machine, self.bots[seat.index()], self.retirements).await;
        self.report_fault();
    }

    fn report_fault(&mut self) {
        if let Some(fault) = self.machine.last_fault() {
            self.observer.faulted(fault);
        }
    }

    /// Tells whoever watches, and the bots that asked for it, of the ply just played.
    async fn tell_observers(&mut self) {
        let Some(ply) = self.machine.last_ply() else { return };
        self.observer.played(ply, self.machine.board());
        if !self
            .bots
            .iter()
            .any(|bot| bot.is_running() && bot.hello().has(Feature::Observe))
        {
            return;
        }
        let mover = ply.seat;
        self.line.clear();
        self.machine.write_last_ply(&mut self.line);
        for (index, bot) in self.bots.iter_mut().enumerate() {
            if index != usize::from(mover) && bot.is_running() && bot.hello().has(Feature::Observe) {
                // Whether it has gone or does not read shows at its own turn.
                let _ = bot.process().send(&self.line).await;
            }
        }
    }
}

/// Tells a bot of the fault that the machine has judged last, adds to that what the process gives away, and lets it go.
pub(crate) async fn retire_faulted(machine: &mut Machine, bot: &mut Bot, retirements: &mut Retirements) {
    if let Some(fault) = machine.last_fault() {
        let mut line = Vec::new();
        machine.write_last_fault(&mut line);
        let Parting { exit, hint, stderr } = part(bot, fault, &line).await;
        machine.add_to_last_fault(exit, hint, stderr);
    }
    bot.retire(retirements);
}

/// What a process gives away when it is told of its fault.
pub(crate) struct Parting {
    /// How it has ended, if it has.
    pub exit: Option<String>,
    /// A hint that is better than the fault's own.
    pub hint: Option<String>,
    /// Its last words.
    pub stderr: Option<String>,
}

/// Tells a bot of its fault by `line`, and asks what its process gives away; then it is to be retired.
pub(crate) async fn part(bot: &mut Bot, fault: &FaultRecord, line: &[u8]) -> Parting {
    let _ = bot.process().send(line).await;
    let stderr = bot.process().last_words().await;
    let exit = bot.process().exit_status(Duration::ZERO).await.map(exit_text);
    let sandboxed = !bot.program().launcher.layers().is_empty();
    let hint = if was_silent(fault) {
        hint::of_held_back(&bot.process().held_back(HELD_BACK_PATIENCE).await)
    } else if fault.code == FaultCode::Exited && fault.hint.is_none() && sandboxed {
        stderr.as_deref().and_then(hint::of_last_words).map(str::to_owned)
    } else {
        None
    };
    Parting { exit, hint, stderr }
}

/// The fault of a process whose output is not as it has to be.
pub(crate) async fn fault_of_output(process: &mut Process, received: Received) -> Fault {
    match received {
        Received::TooLong => Fault::LineTooLong {
            received: excerpt(process.line(), EXCERPT_CHARS),
        },
        Received::Flood => Fault::TurnFlood,
        _ => end_of(process).await.unwrap_or(Fault::ClosedOutput),
    }
}

/// The fault of a process that a line could not be sent to.
pub(crate) async fn fault_of_input(process: &Process, error: SendError) -> Fault {
    match error {
        SendError::NotReading => Fault::NotReading,
        SendError::Closed => end_of(process).await.unwrap_or(Fault::ClosedInput),
    }
}

/// What a bot is charged in a turn, where that is processor time.
struct Meter {
    before: Duration,
    wall_max: Duration,
}

impl Meter {
    /// Begins a turn, which may take `wall_max` by the wall.
    fn new(process: &Process, wall_max: Duration) -> Meter {
        Meter {
            before: used(process).unwrap_or_default(),
            wall_max,
        }
    }

    /// What the bot has used since.
    fn used(&self, process: &Process) -> Duration {
        used(process).map_or(Duration::ZERO, |used| used.saturating_sub(self.before))
    }
}

/// The processor time that a bot has used so far; `None` once its process has ended.
fn used(process: &Process) -> Option<Duration> {
    process.tree().map(Tree::used)
}

/// What becomes of bots while it is not their turn.
struct OffTurn {
    freezes: bool,
    /// By seat, where it is measured: what was used when its last turn ended, and off turn all together.
    seats: Vec<(Option<Duration>, Duration)>,
}

impl OffTurn {
    fn new(ponder: Ponder, measures: bool, seats: usize) -> OffTurn {
        OffTurn {
            freezes: ponder == Ponder::Freeze,
            seats: vec![Default::default(); if measures { seats } else { 0 }],
        }
    }

    /// It is no longer the turn of `seat`.
    fn begins(&mut self, seat: Seat, process: &Process) {
        if self.freezes {
            process.tree().into_iter().for_each(Tree::freeze);
        }
        if let Some((before, _)) = self.seats.get_mut(seat.index()) {
            *before = used(process);
        }
    }

    /// It is the turn of `seat` again, or the match is over.
    fn ends(&mut self, seat: Seat, process: &Process) {
        if let Some((before, sum)) = self.seats.get_mut(seat.index())
            && let Some(before) = before.take()
        {
            *sum += used(process).map_or(Duration::ZERO, |used| used.saturating_sub(before));
        }
        if self.freezes {
            process.tree().into_iter().for_each(Tree::thaw);
        }
    }

    /// What was measured.
    fn measured(&self) -> impl Iterator<Item = (Seat, Duration)> {
        self.seats
            .iter()
            .enumerate()
            .map(|(seat, (_, used))| (Seat::new(seat), *used))
    }
}

/// How much longer an answer is waited for that was asked for at `from`.
fn excuse(guard: Option<&Guard>, from: Instant) -> Duration {
    guard.map_or(Duration::ZERO, |guard| guard.stalled(from, Instant::now()).excuse())
}

/// Waits for `ready`.
pub(crate) async fn wait_for_ready(process: &mut Process, deadline: Instant, limit_ms: u64) -> Result<(), Fault> {
    loop {
        let received = process.receive(deadline).await;
        match received {
            // Read one bot after the other, `ready` may have come long before its stamp: a stamp past the deadline means nothing.
            Received::Line(_) => match decode(process.line(), false) {
                Ok(Decoded::Message {
                    message: FromBot::Ready,
                    ..
                }) => return Ok(()),
                Ok(_) => {}
                Err(error) => {
                    return Err(Fault::NotAMessage {
                        problem: error.to_string(),
                        received: excerpt(process.line(), EXCERPT_CHARS),
                        hint: hint::of_line(process.line()),
                    });
                }
            },
            Received::Nothing => return Err(Fault::NotReady { limit_ms }),
            Received::TooLong | Received::Flood | Received::Closed => {
                return Err(fault_of_output(process, received).await);
            }
        }
    }
}

/// How a process that has closed a pipe has ended, if it has.
async fn end_of(process: &Process) -> Option<Fault> {
    let status = process.exit_status(EXIT_PATIENCE).await?;
    Some(Fault::of_end(status, &process.reports(), process.limits()))
}

/// Whether nothing came of what was waited for, and nothing but stray prints instead, none of which gave away why.
fn was_silent(fault: &FaultRecord) -> bool {
    let is_of_nothing = fault.hint.as_deref().is_none_or(|hint| hint == hint::FLUSH);
    matches!(fault.code, FaultCode::Late | FaultCode::NoHello)
        && fault.late_ms.is_none()
        && fault.received.is_none()
        && is_of_nothing
}

/// Options as they travel: numbers, `true` and `false`, words.
fn options_to_wire(game: &dyn AnyGame) -> serde_json::Map<String, Value> {
    use mancala_arena_rules::OptionValue;
    let value = |value| match value {
        OptionValue::Number(number) => Value::from(number),
        OptionValue::Word(word) => Value::from(word),
        OptionValue::Switch(on) => Value::from(on),
    };
    game.options()
        .iter()
        .map(|(key, option)| (key.to_owned(), value(option)))
        .collect()
}
