//! Sends a bot what it was sent in a match on record, and compares what it answers with what it answered then.
//!
//! Its lines are those of the match, with the clocks and times of then; what it answers is judged by rules and protocol as
//! then, but without a limit of time, unless one is asked for. It ends at the first difference: what the bot would have been
//! sent after that is not on record.

use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::{FaultCode, Feature};
use mancala_arena_rules::Seat;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::ask;
use crate::bot::{Bot, NotStarted, Process, Program, Retirements, hello_line};
use crate::config::{Plan, TimeControl};
use crate::record::{Record, ReplayError};
use crate::referee::{Fault, Judged, Machine, Next, Recall, wait_for_ready};

/// As good as no limit, and short enough to be added to any instant.
const NO_LIMIT_MS: u64 = 365 * 24 * 3_600_000;

/// How long it takes at most until a process that was started runs the bot.
const BOT_PATIENCE: Duration = Duration::from_secs(5);

/// What is to be played again.
#[derive(Debug)]
pub struct Request<'a> {
    /// The match.
    pub record: &'a Record,
    /// The plan that it is of.
    pub plan: &'a Plan,
    /// The bot's seat.
    pub seat: Seat,
    /// Only this ply; else all of them.
    pub ply: Option<u32>,
    /// The most that a move may take now.
    pub move_ms_max: Option<u64>,
}

/// An answer to a turn, or what came in its place.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A legal move.
    Move(Value),
    /// It resigned.
    Resignation,
    /// A fault: which, and what was found.
    Fault(FaultCode, String),
}

/// One turn, then and now.
#[derive(Clone, PartialEq, Debug)]
pub struct Turn {
    /// The ply that was asked for.
    pub ply: u32,
    /// What is on record.
    pub then: Answer,
    /// How long it took then; nothing is known of a fault.
    pub then_took: Option<Duration>,
    /// What came now.
    pub now: Answer,
    /// How long it took now.
    pub now_took: Duration,
}

/// What has come of it.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The same answers, so many of them.
    Same(usize),
    /// The fault on record was made again: of this kind, found like this.
    FaultAgain(FaultCode, String),
    /// Another answer, in the turn told last; or a fault on record that was made before any turn and did not come again.
    Differs,
    /// The bot was not asked for the ply that was wanted.
    NotAsked,
}

/// What has come of it, with what helps to find out why.
#[derive(Clone, PartialEq, Debug)]
pub struct Reproduced {
    /// What has come of it.
    pub outcome: Outcome,
    /// What could be done about a fault that was made now.
    pub hint: Option<String>,
    /// The last of what the bot wrote to standard error now, with or without a fault.
    pub stderr: Option<String>,
}

/// What is known of a fault beside its message.
#[derive(Debug, Default)]
struct Clues {
    hint: Option<String>,
    stderr: Option<String>,
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum ReproError {
    /// The record does not follow the rules.
    #[error("the match cannot be played again: {0}")]
    Replay(#[from] ReplayError),
    /// The bot does not start.
    #[error("the bot cannot start: {}", .0.error)]
    NotStarted(NotStarted),
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Move(mv) => write!(f, "{mv}"),
            Answer::Resignation => write!(f, "resigns"),
            Answer::Fault(code, _) => write!(f, "{}", code.as_str()),
        }
    }
}

impl Next<'_> {
    fn answer(&self) -> (Answer, Option<Duration>) {
        match self {
            Next::Plays(ply) => (
                Answer::Move(ply.r#move.clone()),
                Some(Duration::from_micros(ply.elapsed_us)),
            ),
            Next::Faults(fault) => (Answer::Fault(fault.code, fault.message.clone()), None),
            Next::Resigns(_) => (Answer::Resignation, None),
        }
    }
}

/// Plays it again. `started` is told the id of the bot's process before the first line is sent; `each` every turn.
///
/// # Errors
/// [`ReproError`]; that the bot does not start is none where that is on record.
pub async fn repro(
    program: Arc<Program>,
    request: &Request<'_>,
    started: &mut dyn FnMut(u32),
    each: &mut dyn FnMut(&Turn),
) -> Result<Reproduced, ReproError> {
    let mut bot = Bot::new(program);
    let mut retirements = Retirements::default();
    let mut clues = Clues::default();
    let outcome = compare(&mut bot, &mut retirements, request, started, each, &mut clues).await;
    if bot.is_running() {
        // One that made a fault in a turn is gone; its last words are with the fault.
        clues.stderr = bot.process().last_words().await;
    }
    bot.quit(&mut retirements).await;
    retirements.finish().await;
    let Clues { hint, stderr } = clues;
    outcome.map(|outcome| Reproduced { outcome, hint, stderr })
}

async fn compare(
    bot: &mut Bot,
    retirements: &mut Retirements,
    request: &Request<'_>,
    started: &mut dyn FnMut(u32),
    each: &mut dyn FnMut(&Turn),
    clues: &mut Clues,
) -> Result<Outcome, ReproError> {
    let Request { record, plan, seat, .. } = *request;
    let limit_ms = request.move_ms_max.unwrap_or(NO_LIMIT_MS);
    let time = TimeControl {
        move_ms_max: Some(limit_ms),
        start_ms_max: limit_ms.max(plan.time.start_ms_max),
        ..TimeControl::default()
    };
    let mut then = Recall::new(record, plan)?;
    let mut now = Recall::to_judge(record, plan, time)?;

    let again = |fault: &Fault| {
        let on_record = record
            .faults
            .iter()
            .find(|fault| usize::from(fault.seat) == seat.index());
        let is_again = on_record.is_some_and(|on_record| (on_record.ply, on_record.code) == (0, fault.code()));
        is_again.then(|| Outcome::FaultAgain(fault.code(), fault.to_string()))
    };
    if let Err(NotStarted { error, hint, stderr }) = start(bot, retirements, time, started).await {
        let fault = Fault::Start(error);
        return match (again(&fault), fault) {
            (Some(outcome), _) => {
                *clues = Clues { hint, stderr };
                Ok(outcome)
            }
            (None, Fault::Start(error)) => Err(ReproError::NotStarted(NotStarted { error, hint, stderr })),
            (None, _) => Ok(Outcome::Differs),
        };
    }
    let mut line = Vec::new();
    then.write_start(seat, &mut line);
    // Whether it reads shows when it is asked.
    let _ = bot.process().send(&line).await;
    let began = Instant::now();
    if bot.hello().has(Feature::Ready) {
        let deadline = began + Duration::from_millis(time.start_ms_max);
        if let Err(fault) = wait_for_ready(bot.process(), deadline, time.start_ms_max).await {
            clues.hint = fault.hint();
            return Ok(again(&fault).unwrap_or(Outcome::Differs));
        }
    }
    let mut same = 0;
    while let Some(next) = then.next() {
        let ply = then.machine().ply();
        let is_own = next.seat() == seat;
        let is_answer = is_own && next.is_answer(then.machine().to_move());
        if is_answer && request.ply.is_none_or(|only| only == ply) {
            line.clear();
            then.write_turn(&mut line);
            let turn = turn(bot, now.machine(), retirements, began, &line, &next).await;
            each(&turn);
            if let (Answer::Fault(..), Some(fault)) = (&turn.now, now.machine().last_fault()) {
                clues.hint = fault.hint.clone();
                clues.stderr = fault.stderr.clone();
            }
            if let Some(outcome) = decided(&turn, plan) {
                return Ok(outcome);
            }
            same += 1;
            if request.ply.is_some() || turn.then == Answer::Resignation {
                return Ok(Outcome::Same(same));
            }
            then.advance();
            continue;
        }
        if is_own && matches!(next, Next::Faults(_)) && request.ply.is_none() {
            return Ok(Outcome::Differs);
        }
        then.advance();
        now.advance();
        if !is_own && request.ply.is_none() && matches!(next, Next::Plays(_)) && bot.hello().has(Feature::Observe) {
            line.clear();
            then.machine().write_last_ply(&mut line);
            let _ = bot.process().send(&line).await;
        }
    }
    if request.ply.is_some() {
        return Ok(Outcome::NotAsked);
    }
    line.clear();
    then.machine().write_end(&mut line);
    let _ = bot.process().send(&line).await;
    Ok(Outcome::Same(same))
}

/// Starts the bot; whoever wants to look at its process can do so before it is sent anything.
async fn start(
    bot: &mut Bot,
    retirements: &mut Retirements,
    time: TimeControl,
    started: &mut dyn FnMut(u32),
) -> Result<(), NotStarted> {
    let Some(process) = bot.start()? else { return Ok(()) };
    if let Some(id) = id_of_bot(&process).await {
        started(id);
    }
    let limit = Duration::from_millis(time.start_ms_max);
    bot.greet_with(hello_line().as_bytes(), process, limit, retirements)
        .await
}

/// The id of the process that runs the bot, once there is one.
async fn id_of_bot(process: &Process) -> Option<u32> {
    let began = Instant::now();
    while began.elapsed() < BOT_PATIENCE {
        let tree = process.tree()?;
        if let Some(id) = tree.bot() {
            return Some(id);
        }
        sleep(Duration::from_millis(1)).await;
    }
    None
}

/// Asks for one move.
async fn turn(
    bot: &mut Bot,
    judge: &mut Machine,
    retirements: &mut Retirements,
    began: Instant,
    line: &[u8],
    next: &Next<'_>,
) -> Turn {
    let seat = next.seat();
    if judge.must_drop_unasked(seat) {
        // A flood is judged when it is read.
        bot.process().drop_unasked();
    }
    let ply = judge.ply();
    judge.write_turn(&mut Vec::new());
    let sent = Instant::now();
    let asked = bot.process().send(line).await;
    let judged = ask::answer(bot, judge, began, asked, retirements).await;
    let (now, took) = match (judged, judge.last_ply(), judge.last_fault()) {
        (Judged::Moved, Some(ply), _) => (Answer::Move(ply.r#move.clone()), Duration::from_micros(ply.elapsed_us)),
        (Judged::Resigned, ..) => (Answer::Resignation, sent.elapsed()),
        (_, _, fault) => {
            let fault = fault.expect("a turn ends in a move, a resignation or a fault");
            (Answer::Fault(fault.code, fault.message.clone()), sent.elapsed())
        }
    };
    let (then, then_took) = next.answer();
    Turn {
        ply,
        then,
        then_took,
        now,
        now_took: took,
    }
}

/// Whether the comparison ends with this turn.
fn decided(turn: &Turn, plan: &Plan) -> Option<Outcome> {
    match (&turn.then, &turn.now) {
        (Answer::Fault(then, _), Answer::Fault(now, message)) if then == now => {
            Some(Outcome::FaultAgain(*now, message.clone()))
        }
        // There is no limit now that it could be late by.
        (Answer::Fault(FaultCode::Late, _), Answer::Move(_)) => {
            let limit_ms = plan.time.move_ms_max.unwrap_or(plan.time.hang_ms_max) + plan.time.grace_ms;
            let limit = Duration::from_millis(limit_ms);
            Some(match turn.now_took > limit {
                true => {
                    let took = turn.now_took.as_millis();
                    let message = format!("answered after {took} ms, the limit was {} ms", limit.as_millis());
                    Outcome::FaultAgain(FaultCode::Late, message)
                }
                false => Outcome::Differs,
            })
        }
        (then, now) => (then != now).then_some(Outcome::Differs),
    }
}
