//! One turn of one bot that plays with nobody: ask, wait, let the machine judge.
//!
//! As in a match, but for what a match needs on a machine that has other things to do: no stall of the arena excuses a late
//! answer here.

use mancala_arena_rules::Seat;
use tokio::time::Instant;

use crate::bot::{Bot, Received, Retirements, SendError};
use crate::referee::{Judged, Machine, fault_of_input, fault_of_output, retire_faulted};

/// Waits until the machine has judged the seat that was asked; `began` is when its match did. After a fault the process
/// has been let go.
pub async fn answer(
    bot: &mut Bot,
    machine: &mut Machine,
    began: Instant,
    asked: Result<Instant, SendError>,
    retirements: &mut Retirements,
) -> Judged {
    let seat = machine.to_move().expect("the match goes on");
    let judged = match asked {
        Ok(asked) => judged(bot, machine, seat, began, asked).await,
        Err(error) => {
            let fault = fault_of_input(bot.process(), error).await;
            machine.fault(seat, &fault)
        }
    };
    if judged == Judged::Faulted {
        retire_faulted(machine, bot, retirements).await;
    }
    judged
}

async fn judged(bot: &mut Bot, machine: &mut Machine, seat: Seat, began: Instant, asked: Instant) -> Judged {
    let until = began + machine.asked(asked - began);
    let process = bot.process();
    loop {
        let received = process.receive(until).await;
        let judged = match received {
            Received::Line(at) => machine.line(process.line(), at - began),
            Received::Nothing => machine.no_answer(process.unfinished()),
            Received::TooLong | Received::Flood | Received::Closed => {
                let fault = fault_of_output(process, received).await;
                machine.fault(seat, &fault)
            }
        };
        match judged {
            Judged::Wait => {}
            Judged::Dropped => process.note_dropped(),
            judged => return judged,
        }
    }
}
