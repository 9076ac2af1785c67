//! A table at which bots play match after match, refereed by the arena.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mancala_arena::bot::launch::Launcher;
use mancala_arena::bot::{Bot, Program, Retirements};
use mancala_arena::config::{Ponder, Resolved, TimeControl};
use mancala_arena::record::{Record, Transcript};
use mancala_arena::referee::{Game, Observer, Played, Setup, play, transcript};
use mancala_arena_rules::{AnyGame, AnyMatch, Seat, open_text};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{LOG_VARIABLE, wait_for, wait_until_gone};

/// A bot that takes part.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Its name at the table.
    pub name: String,
    /// What is started.
    pub program: PathBuf,
    /// With these arguments.
    pub args: Vec<String>,
}

impl Entrant {
    /// A bot named as its program's arguments.
    pub fn new<A: Into<String>>(program: impl Into<PathBuf>, args: impl IntoIterator<Item = A>) -> Entrant {
        let args: Vec<String> = args.into_iter().map(Into::into).collect();
        Entrant {
            name: args.join(" "),
            program: program.into(),
            args,
        }
    }

    /// What is started for it: number `id` of those who take part, working in `dir`, where it keeps its log.
    pub fn into_program(self, id: usize, dir: &Path) -> Arc<Program> {
        let log = dir.join(id.to_string()).display().to_string();
        Arc::new(Program {
            id,
            name: self.name,
            resolved: Resolved {
                program: self.program,
                args: self.args,
                dir: dir.to_owned(),
                env: BTreeMap::from([(LOG_VARIABLE.to_owned(), log)]),
                content: None,
            },
            launcher: Arc::new(Launcher::direct()),
            hidden: Vec::new(),
        })
    }
}

/// Bots, their processes, and the runtime that they are played in.
#[derive(Debug)]
pub struct Table {
    runtime: Runtime,
    bots: Vec<Bot>,
    retirements: Retirements,
    dir: TempDir,
    played: u64,
    /// Whether the bots may think off turn.
    pub ponder: Ponder,
    /// The processor time used off turn, by seat, in each match.
    pub off_turn: Vec<Vec<Duration>>,
}

/// Notes what bots use off turn.
#[derive(Default)]
struct Gauge {
    off_turn: Vec<Duration>,
}

impl Observer for Gauge {
    fn off_turn(&mut self, _seat: Seat, used: Duration) {
        self.off_turn.push(used);
    }
}

impl Table {
    /// A table with a seat for each entrant; nobody has been started yet.
    pub fn new(entrants: impl IntoIterator<Item = Entrant>) -> Table {
        let dir = tempfile::tempdir().expect("a directory can be made");
        let entrants = entrants.into_iter().enumerate();
        let bots = entrants
            .map(|(id, entrant)| Bot::new(entrant.into_program(id, dir.path())))
            .collect();
        Table {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime can be built"),
            bots,
            retirements: Retirements::default(),
            dir,
            played: 0,
            ponder: Ponder::Allow,
            off_turn: Vec::new(),
        }
    }

    /// Plays a match from the start position.
    pub fn play(&mut self, game: &str, time: TimeControl) -> Record {
        self.play_from(opening(game, 0, 0), time)
    }

    /// Plays a match from an opening.
    pub fn play_from(&mut self, (game, opening): (Arc<dyn AnyGame>, Box<dyn AnyMatch>), time: TimeControl) -> Record {
        let setup = Setup {
            plan: "0123456789ab".into(),
            id: self.played,
            rotation: self.played,
            game: Arc::new(Game::new(&*game)),
            opening,
            seed: self.played,
            time,
            ponder: self.ponder,
            reliefs: Vec::new(),
            measures_off_turn: true,
            guard: None,
        };
        self.played += 1;
        let mut bots: Vec<&mut Bot> = self.bots.iter_mut().collect();
        let mut gauge = Gauge::default();
        let played = self
            .runtime
            .block_on(play(setup, &mut bots, &mut self.retirements, &mut gauge));
        self.off_turn.push(gauge.off_turn);
        match played {
            Played::Ended(record) => *record,
            Played::Void(void) => panic!("without a guard no match is void: {void:?}"),
        }
    }

    /// What was said in the last match.
    pub fn transcript(&self) -> Transcript {
        transcript(&self.bots)
    }

    /// What the bot in `seat` has noted: the id of its process with `started`, a message, or another note.
    pub fn log(&self, seat: usize) -> Vec<(u32, String)> {
        let text = std::fs::read_to_string(self.dir.path().join(seat.to_string())).unwrap_or_default();
        // The last line may still be on its way.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let entry = |line: &str| {
            let (id, rest) = line.split_once(' ').expect("a note begins with a process id");
            (id.parse().expect("a process id is a number"), rest.to_owned())
        };
        whole.lines().map(entry).collect()
    }

    /// The processes that the bot in `seat` has had, in order.
    pub fn processes(&self, seat: usize) -> Vec<u32> {
        let started = self.log(seat).into_iter().filter(|(_, note)| note == "started");
        started.map(|(id, _)| id).collect()
    }

    /// The messages of a type that the bot in `seat` has read.
    pub fn messages(&self, seat: usize, kind: &str) -> Vec<Value> {
        let notes = self.log(seat).into_iter();
        notes
            .filter_map(|(_, note)| serde_json::from_str::<Value>(&note).ok())
            .filter(|message| message["type"] == kind)
            .collect()
    }

    /// Waits until the bot in `seat` has read its `count`-th message of a type, and gives that.
    pub fn message(&self, seat: usize, kind: &str, count: usize) -> Value {
        wait_for(kind, || self.messages(seat, kind).into_iter().nth(count - 1))
    }

    /// Says `quit` to all bots, waits until the arena has done with them, and then until none of their processes is left.
    pub fn close(&mut self) {
        let (bots, retirements) = (&mut self.bots, &mut self.retirements);
        self.runtime.block_on(async {
            for bot in bots {
                bot.quit(retirements).await;
            }
            std::mem::take(retirements).finish().await;
        });
        let groups: Vec<u32> = (0..self.bots.len()).flat_map(|seat| self.processes(seat)).collect();
        wait_until_gone(&groups);
    }
}

/// The game, and its position after some plies that depend on `seed`.
pub fn opening(game: &str, plies: usize, seed: usize) -> (Arc<dyn AnyGame>, Box<dyn AnyMatch>) {
    let game = open_text(game).expect("the game is one of ours");
    let mut board = game.start();
    for ply in 0..plies {
        board.play_nth((seed + 3 * ply) % board.legal_len());
    }
    let mut position = String::new();
    board.write_position(&mut position);
    let opening = game.start_from(&position).expect("a position of the game");
    (game, opening)
}

/// A time control in which nobody is late because the machine is busy.
pub fn patient() -> TimeControl {
    TimeControl {
        move_ms_max: Some(60_000),
        start_ms_max: 60_000,
        ..TimeControl::default()
    }
}
