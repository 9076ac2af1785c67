//! Playing by hand: tables at which people sit, with other people and with bots.
//!
//! `table` says what happens at a table (no I/O, no clock), `drive` brings its bots, `played` keeps what has been
//! played, `routes` is the HTTP side. Open tables live in memory: they end with the server, and with them their bots.
//! Matches that are over are kept in a file.
//!
//! What is easily got wrong: a table's id is no secret, anybody who knows it may look on; a seat's token is.

mod bots;
mod drive;
mod played;
mod routes;
mod table;
#[cfg(test)]
mod tests;
mod token;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mancala_arena_rules::AnyGame;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

pub use bots::{Bots, Missing};
pub use played::{Played, PlayedError, Summary};
pub use routes::router;
pub(super) use routes::{Operation, operations};

use drive::Driver;
use table::{Setup, Sitter, Table};

/// Tables that can be open at once.
const TABLES_MAX: usize = 32;

/// A table whose match is over makes room for another when nobody has looked at it for so long.
const FORGET_AFTER: Duration = Duration::from_secs(60);

/// All open tables.
#[derive(Debug)]
pub struct Tables {
    open: Mutex<HashMap<String, Arc<Open>>>,
    bots: Bots,
    played: Played,
    drivers: Mutex<JoinSet<()>>,
    closing: watch::Sender<bool>,
}

/// An open table.
#[derive(Debug)]
struct Open {
    table: Mutex<Table>,
    /// Its driver has something to look at.
    changed: Notify,
    began: Instant,
    started_ms: u64,
    /// When somebody last asked for it.
    looked_at: Mutex<Instant>,
    /// The film as JSON, with the version of the table that it is of.
    film: Mutex<Option<(u64, Arc<RawValue>)>>,
}

/// A table to be opened.
#[derive(Debug)]
struct Wish {
    game: Arc<dyn AnyGame>,
    seats: Vec<SeatWish>,
    limit: Option<Duration>,
    rated: bool,
}

/// Who is to sit in a seat.
#[derive(Debug)]
enum SeatWish {
    Person(String),
    Bot(String),
}

/// Why a table cannot be opened.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error("{TABLES_MAX} tables are open, which is as many as there can be; end a match, or try again later")]
    Full,
    #[error(transparent)]
    Played(#[from] PlayedError),
    #[error("cannot draw tokens: {0}")]
    NoRandomness(#[from] std::io::Error),
}

impl Tables {
    /// No table yet; what is played goes to `played`.
    pub fn new(bots: Bots, played: Played) -> Arc<Tables> {
        Arc::new(Tables {
            open: Mutex::default(),
            bots,
            played,
            drivers: Mutex::default(),
            closing: watch::Sender::new(false),
        })
    }

    /// Ends all tables, and waits until their bots have ended.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        let drivers = std::mem::take(&mut *self.drivers.lock().expect("nobody panics while holding the drivers"));
        drivers.join_all().await;
    }

    /// Opens a table; gives its id and, by seat, the tokens of people.
    fn open(self: &Arc<Self>, wish: Wish) -> Result<(String, Vec<Option<String>>), OpenError> {
        // Before anybody plays a match that could not be kept.
        self.played.make_ready()?;
        let mut tokens = Vec::new();
        let mut sitters = Vec::new();
        for seat in wish.seats {
            match seat {
                SeatWish::Bot(name) => {
                    tokens.push(None);
                    sitters.push(Sitter::Bot(name));
                }
                SeatWish::Person(name) => {
                    let token = token::draw()?;
                    let sealed = token::seal(&token);
                    tokens.push(Some(token));
                    sitters.push(Sitter::Person { name, token: sealed });
                }
            }
        }
        let id = token::draw()?[..16].to_owned();
        let setup = Setup {
            id: id.clone(),
            game: wish.game,
            sitters,
            limit: wish.limit,
            rated: wish.rated,
            time: self.bots.time(),
            seed: u64::from_le_bytes(token::random()?),
        };
        let open = Arc::new(Open::new(Table::new(setup)));
        {
            let mut all = self.all();
            if all.len() >= TABLES_MAX {
                all.retain(|_, open| !open.is_forgotten());
            }
            if all.len() >= TABLES_MAX {
                return Err(OpenError::Full);
            }
            all.insert(id.clone(), Arc::clone(&open));
        }
        let mut drivers = self.drivers.lock().expect("nobody panics while holding the drivers");
        // Those that have ended are forgotten, so that the set does not grow.
        while drivers.try_join_next().is_some() {}
        drivers.spawn(Arc::clone(self).drive(id.clone(), open));
        Ok((id, tokens))
    }

    async fn drive(self: Arc<Self>, id: String, open: Arc<Open>) {
        let mut closing = self.closing.subscribe();
        let mut driver = Driver::new(Arc::clone(&self), open);
        tokio::select! {
            () = driver.run() => {}
            _ = closing.wait_for(|closing| *closing) => {}
        }
        self.all().remove(&id);
        driver.dismiss().await;
    }

    fn get(&self, id: &str) -> Option<Arc<Open>> {
        self.all().get(id).map(Arc::clone)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Open>>> {
        self.open.lock().expect("nobody panics while holding the tables")
    }
}

impl Open {
    fn new(table: Table) -> Open {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let began = Instant::now();
        Open {
            table: Mutex::new(table),
            changed: Notify::new(),
            began,
            started_ms: since.unwrap_or_default().as_millis() as u64,
            looked_at: Mutex::new(began),
            film: Mutex::default(),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().expect("nobody panics while holding a table")
    }

    /// The time of the table, which began with it.
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn looked_at(&self) -> Instant {
        *self.looked_at.lock().expect("an instant is copied")
    }

    fn look(&self) {
        *self.looked_at.lock().expect("an instant is copied") = Instant::now();
    }

    /// The film of the table, which is this one, made once for each version.
    fn film(&self, table: &Table) -> Arc<RawValue> {
        let mut made = self.film.lock().expect("nobody panics while holding a film");
        match &*made {
            Some((version, film)) if *version == table.version() => Arc::clone(film),
            _ => {
                let film = to_raw_value(&table.film()).expect("a film has string keys only");
                let film: Arc<RawValue> = Arc::from(film);
                *made = Some((table.version(), Arc::clone(&film)));
                film
            }
        }
    }

    /// Whether its match is over and stored, and nobody looks at it any more.
    fn is_forgotten(&self) -> bool {
        self.looked_at().elapsed() > FORGET_AFTER && self.table().stored().is_some()
    }
}
