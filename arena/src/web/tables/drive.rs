//! The driver of one table: brings its bots, carries lines between them and the table, stores the match. It judges nothing.
//!
//! It is not the referee's driver of matches among bots, as that goes from ply to ply to the end: people take moves back,
//! come and go, and may think for hours. What it drives is the same [`Machine`](crate::referee::Machine) over the same
//! [`Bot`], one turn at a time, as the checks of single bots do. The table is locked for moments only, never over a wait,
//! so that a page is answered while a bot thinks; hence nothing that was read of it before a wait holds after it.
//!
//! Nothing here is void: a host that stands still costs a bot its match, as there is nobody who would play it again.

use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::Feature;
use mancala_arena_rules::Seat;
use tokio::time::{Instant, sleep_until};

use super::table::{Stored, Task, Wanted};
use super::{Open, Tables};
use crate::bot::{Bot, NotStarted, Received, Retirements};
use crate::record::Record;
use crate::referee::{Fault, Judged, Parting, fault_of_input, fault_of_output, part, wait_for_ready};

/// A table at which nobody looks is closed after this.
const IDLE_MAX: Duration = Duration::from_secs(3 * 3_600);

/// A table whose match is over and at which nobody looks is closed after this; the match is kept.
const IDLE_OVER_MAX: Duration = Duration::from_secs(600);

/// A driver with the bots that it has brought.
pub struct Driver {
    tables: Arc<Tables>,
    open: Arc<Open>,
    /// By seat.
    guests: Vec<Option<Guest>>,
    retirements: Retirements,
    line: Vec<u8>,
}

/// A bot at the table.
struct Guest {
    bot: Bot,
    /// What it is at the table for; `None` until it has been told of the match.
    told: Option<Wanted>,
    /// Plies that it has been told of, where it observes.
    observed: usize,
}

impl Driver {
    /// A driver that has brought nobody yet.
    pub fn new(tables: Arc<Tables>, open: Arc<Open>) -> Driver {
        let seats = open.table().seats().count();
        Driver {
            tables,
            open,
            guests: (0..seats).map(|_| None).collect(),
            retirements: Retirements::default(),
            line: Vec::new(),
        }
    }

    /// Drives the table until nobody has looked at it for long.
    pub async fn run(&mut self) {
        loop {
            self.bring_bots().await;
            let task = {
                let mut table = self.open.table();
                table.tick(self.open.now());
                table.task()
            };
            match task {
                Task::Ask(seat) => self.turn(seat).await,
                Task::Store => {
                    self.store().await;
                    self.end_match().await;
                }
                Task::Wait(until) => {
                    if self.wait(until, IDLE_MAX).await {
                        return;
                    }
                }
                Task::Done => {
                    if self.wait(None, IDLE_OVER_MAX).await {
                        return;
                    }
                }
            }
            // Bots that answer at once never make the driver wait.
            tokio::task::consume_budget().await;
        }
    }

    /// Lets all bots end, and waits until they have.
    pub async fn dismiss(mut self) {
        for guest in self.guests.iter_mut().flatten() {
            guest.bot.quit(&mut self.retirements).await;
        }
        self.retirements.finish().await;
    }

    /// Waits for a change or for `until`; whether nobody has looked for `idle_max`.
    async fn wait(&self, until: Option<Duration>, idle_max: Duration) -> bool {
        let idle = self.open.looked_at() + idle_max;
        let alarm = until.map_or(idle, |until| (self.open.began + until).min(idle));
        tokio::select! {
            () = self.open.changed.notified() => {}
            () = sleep_until(alarm) => {}
        }
        self.open.looked_at() + idle_max <= Instant::now()
    }

    /// Sees to it that in each seat of a bot that bot sits, and that it knows of the match.
    async fn bring_bots(&mut self) {
        for index in 0..self.guests.len() {
            let seat = Seat::new(index);
            while !self.bring(seat).await {}
            self.tell_plies(seat).await;
        }
    }

    /// One step towards the bot that is to sit there; whether none is needed.
    async fn bring(&mut self, seat: Seat) -> bool {
        let wanted = {
            let table = self.open.table();
            if !table.is_playing(seat) {
                // Who has left without a fault is told the end with the others.
                return true;
            }
            table.wanted(seat)
        };
        let place = &mut self.guests[seat.index()];
        let fits = match (&wanted, &*place) {
            (Some(wanted), Some(guest)) => wanted.name == guest.bot.program().name && !guest.must_go(wanted),
            (None, None) => return true,
            (Some(_), None) => true,
            (None, Some(_)) => false,
        };
        if !fits && let Some(mut guest) = place.take() {
            guest.bot.quit(&mut self.retirements).await;
            return false;
        }
        let Some(wanted) = wanted else { return true };
        let Some(guest) = place else {
            let program = self.tables.bots.get(&wanted.name);
            let bot = Bot::new(Arc::clone(program.expect("a table takes bots that can be had")));
            *place = Some(Guest {
                bot,
                told: None,
                observed: 0,
            });
            return false;
        };
        if guest.told.as_ref() == Some(&wanted) {
            return true;
        }
        match self.introduce(seat).await {
            Ok(()) => self.guest(seat).told = Some(wanted),
            Err(Trouble::Start(not_started)) => {
                let NotStarted { error, hint, stderr } = not_started;
                let index = self.open.fault(seat, &Fault::Start(error));
                self.open.table().referee().add_to_fault(index, None, hint, stderr);
            }
            Err(Trouble::Fault(fault)) => {
                let index = self.open.fault(seat, &fault);
                self.part(seat, index).await;
            }
        }
        false
    }

    /// Starts the bot where it does not run, and tells it of the match.
    async fn introduce(&mut self, seat: Seat) -> Result<(), Trouble> {
        let start_ms_max = self.tables.bots.time().start_ms_max;
        let limit = Duration::from_millis(start_ms_max);
        let Driver {
            guests,
            retirements,
            open,
            line,
            ..
        } = self;
        let guest = guests[seat.index()].as_mut().expect("a bot has been brought");
        let bot = &mut guest.bot;
        if let Some(process) = bot.start().map_err(Trouble::Start)? {
            bot.greet(process, limit, retirements).await.map_err(Trouble::Start)?;
        } else if bot.process().drop_unasked().is_none() {
            return Err(Trouble::Fault(Fault::OutputFlood));
        }
        line.clear();
        {
            let mut table = open.table();
            table.write_start(seat, line);
            guest.observed = table.ply() as usize;
        }
        let process = bot.process();
        if let Err(error) = process.send(line).await {
            return Err(Trouble::Fault(fault_of_input(process, error).await));
        }
        if bot.hello().has(Feature::Ready) {
            let ready = wait_for_ready(bot.process(), Instant::now() + limit, start_ms_max).await;
            ready.map_err(Trouble::Fault)?;
        }
        Ok(())
    }

    /// Tells a bot that observes of the plies of others.
    async fn tell_plies(&mut self, seat: Seat) {
        let Driver { guests, open, line, .. } = self;
        let Some(guest) = guests[seat.index()].as_mut() else {
            return;
        };
        line.clear();
        guest.write_plies(seat, open, line);
        if !line.is_empty() {
            // Whether it has gone or does not read shows at its own turn.
            let _ = guest.bot.process().send(line).await;
        }
    }

    /// Asks a bot for its move and waits until it has been judged.
    async fn turn(&mut self, seat: Seat) {
        let Driver { guests, open, line, .. } = self;
        let Some(guest) = guests[seat.index()].as_mut() else {
            return;
        };
        if open.table().referee().must_drop_unasked(seat) {
            match guest.bot.process().drop_unasked() {
                Some(lines) => open.table().referee().dropped(seat, lines),
                None => {
                    let index = open.fault(seat, &Fault::OutputFlood);
                    return self.part(seat, index).await;
                }
            }
        }
        line.clear();
        guest.write_plies(seat, open, line);
        {
            let mut table = open.table();
            // People may have changed what was to be done; then it is done first.
            if table.task() != Task::Ask(seat) || table.wanted(seat) != guest.told {
                return;
            }
            table.write_turn(line);
        }
        let process = guest.bot.process();
        let written = match process.send(line).await {
            Ok(written) => written,
            Err(error) => {
                let fault = fault_of_input(process, error).await;
                let index = open.fault(seat, &fault);
                return self.part(seat, index).await;
            }
        };
        let until = open.began + open.table().asked(written - open.began);
        let index = loop {
            let received = process.receive(until).await;
            let judged = match received {
                Received::Line(at) => open.table().line(process.line(), at - open.began),
                Received::Nothing => open.table().no_answer(process.unfinished(), open.now()),
                Received::TooLong | Received::Flood | Received::Closed => {
                    let fault = fault_of_output(process, received).await;
                    break open.fault(seat, &fault);
                }
            };
            match judged {
                Judged::Wait => {}
                Judged::Dropped => process.note_dropped(),
                Judged::Moved | Judged::Resigned => return,
                Judged::Faulted | Judged::Relieved(_) => break open.table().last_fault(),
            }
        };
        self.part(seat, index).await;
    }

    /// Tells a bot of its fault, the one at `index`, and lets it go.
    async fn part(&mut self, seat: Seat, index: usize) {
        let Some(mut guest) = self.guests[seat.index()].take() else {
            return;
        };
        self.line.clear();
        let fault = {
            let mut table = self.open.table();
            let referee = table.referee();
            referee.write_fault(index, &mut self.line);
            referee.faults()[index].clone()
        };
        let Parting { exit, hint, stderr } = part(&mut guest.bot, &fault, &self.line).await;
        self.open.table().referee().add_to_fault(index, exit, hint, stderr);
        guest.bot.retire(&mut self.retirements);
    }

    /// Stores the match that is over; only then is its result announced.
    async fn store(&self) {
        let record = self.record();
        let tables = Arc::clone(&self.tables);
        let added = tokio::task::spawn_blocking(move || tables.played.add(record)).await;
        let stored = match added.expect("storing does not panic") {
            Ok(number) => Stored::As(number),
            Err(error) => Stored::Failed(format!("{:#}", anyhow::Error::from(error))),
        };
        self.open.table().set_stored(stored);
    }

    fn record(&self) -> Record {
        let mut record = self.open.table().record();
        for seat in &mut record.seats {
            let program = self.tables.bots.get(&seat.name);
            seat.content = program.and_then(|program| program.resolved.content.clone());
        }
        record.started_ms = self.open.started_ms;
        record.elapsed_us = self.open.now().as_micros() as u64;
        record
    }

    /// Tells the bots how it ended and lets them go.
    async fn end_match(&mut self) {
        self.line.clear();
        self.open.table().referee().write_end(&mut self.line);
        for place in &mut self.guests {
            if let Some(mut guest) = place.take().filter(|guest| guest.bot.is_running()) {
                // A bot that is gone by now has lost nothing.
                let _ = guest.bot.process().send(&self.line).await;
                guest.bot.quit(&mut self.retirements).await;
            }
        }
    }

    fn guest(&mut self, seat: Seat) -> &mut Guest {
        self.guests[seat.index()].as_mut().expect("a bot has been brought")
    }
}

impl Open {
    /// Judges a fault that is not in a line; gives its index.
    fn fault(&self, seat: Seat, fault: &Fault) -> usize {
        let mut table = self.table();
        table.fault(seat, fault, self.now());
        table.last_fault()
    }
}

/// Why a bot could not be told of the match.
enum Trouble {
    Start(NotStarted),
    Fault(Fault),
}

impl Guest {
    /// Whether it plays one match only, and is to be told of another.
    fn must_go(&self, wanted: &Wanted) -> bool {
        let is_told_anew = self.told.as_ref().is_some_and(|told| told != wanted);
        is_told_anew && self.bot.is_running() && self.bot.hello().has(Feature::SingleMatch)
    }

    /// Appends the plies of others that it has not been told of, if it observes.
    fn write_plies(&mut self, seat: Seat, open: &Open, line: &mut Vec<u8>) {
        if !self.bot.is_running() || !self.bot.hello().has(Feature::Observe) {
            return;
        }
        let mut table = open.table();
        if table.wanted(seat) != self.told {
            return;
        }
        let referee = table.referee();
        let plies = referee.plies().len();
        for number in self.observed..plies {
            if usize::from(referee.plies()[number].seat) != seat.index() {
                referee.write_ply(number, line);
            }
        }
        self.observed = plies;
    }
}
