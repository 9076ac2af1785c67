//! A tournament played by many machines: a coordinator, which owns plan and results file, and workers, which play.
//!
//! Between them is a NATS server with JetStream; only this module names it. It delivers, and is never the truth: that is
//! the results file. Work goes out in batches of whole rotations, no more of them than the workers can play soon; what a worker
//! sends is stored under the match's id and only then acknowledged. What the server loses is sent out again, what comes
//! twice is stored once.
//!
//! - `ledger`: which matches are out, under which lease, how often they have failed: no I/O.
//! - [`Coordinator`]: the ledger, the results file and the server.
//! - [`Worker`]: takes batches, keeps their leases, sends results; the matches are played by a process of its own
//!   ([`player`]), so that the end of that process, whatever it is, can be told.
//!
//! What a reader would get wrong: a lease is renewed by the plies of its matches, not by the worker being alive.

mod archive;
mod coordinator;
mod crew;
mod ledger;
pub mod player;
mod server;
mod speed;
mod spool;
mod status;
mod wire;
mod worker;

pub use coordinator::{CannotShip, Coordinator, Decided, Outlets, Settings, Shipment};
pub use server::{Access, ServerError};
pub use status::{Status, status};
pub use wire::{Labels, RunReport};
pub use worker::{Worker, WorkerError, WorkerSettings};
