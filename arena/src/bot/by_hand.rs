//! A seat that is played from within the arena: for the referee a bot like any other.
//!
//! Its program is this one again, which carries lines between the arena's pipes and a socket of the arena; at the socket
//! sits whoever asks a person. So neither the referee nor the clock knows that there is one. The program runs outside of the
//! sandbox: it does nothing of its own.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use mancala_arena_protocol::{BotHello, Turn, VERSIONS};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Program;
use super::launch::{Launcher, RELAY, STAGE_ARGUMENT, scratch};

/// What this program is started with to carry lines.
pub const ARGUMENTS: [&str; 2] = [STAGE_ARGUMENT, RELAY];

/// The variable that names the socket.
const SOCKET_VARIABLE: &str = "MANCALA_ARENA_SEAT";

/// What is done with a turn.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// This move, one of the legal ones.
    Move(Value),
    /// The seat resigns.
    Resign,
}

/// The arena's side of such a seat.
#[derive(Debug)]
pub struct ByHand {
    /// Its bot's place in the plan.
    bot: usize,
    listener: UnixListener,
    /// Where the socket is; nobody else can look into it.
    dir: PathBuf,
}

/// The message that comes in, as far as it matters.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Heard {
    Hello,
    Turn(Turn<Value>),
    Quit,
    #[serde(other)]
    Other,
}

impl ByHand {
    /// Makes the seat, and of `program` the bot that sits there.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn open(program: &Program) -> io::Result<(ByHand, Arc<Program>)> {
        let dir = scratch(&format!("seat-{}", program.id));
        fs::DirBuilder::new().mode(0o700).create(&dir)?;
        let socket = dir.join("socket");
        let listener = UnixListener::bind(&socket).inspect_err(|_| {
            let _ = fs::remove_dir_all(&dir);
        })?;
        let mut resolved = program.resolved.clone();
        let variable = (SOCKET_VARIABLE.to_owned(), socket.display().to_string());
        resolved.env.extend([variable]);
        let program = Program {
            id: program.id,
            name: program.name.clone(),
            resolved,
            launcher: Arc::new(Launcher::direct()),
            hidden: Vec::new(),
        };
        let seat = ByHand {
            bot: program.id,
            listener,
            dir,
        };
        Ok((seat, Arc::new(program)))
    }

    /// The bot that sits there, by its place in the plan.
    pub fn bot(&self) -> usize {
        self.bot
    }

    /// Has every match of the seat played in a thread of its own, each turn as `choose` says: nothing leaves the turn
    /// without an answer. The thread ends with the program.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn play(&self, mut choose: impl FnMut(Turn<Value>) -> Option<Choice> + Send + 'static) -> io::Result<()> {
        let listener = self.listener.try_clone()?;
        let serve = move || {
            // One process after the other: the seat has never more than one.
            for stream in listener.incoming().flatten() {
                // A process that is gone takes its turn with it; the referee has seen to that.
                let _ = converse(&stream, &mut choose);
            }
        };
        std::thread::Builder::new().name("person".to_owned()).spawn(serve)?;
        Ok(())
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn converse(stream: &UnixStream, choose: &mut impl FnMut(Turn<Value>) -> Option<Choice>) -> io::Result<()> {
    let (mut to, mut lines) = (stream, BufReader::new(stream).lines());
    while let Some(line) = lines.next().transpose()? {
        let answer = match serde_json::from_str(&line).map_err(io::Error::other)? {
            Heard::Hello => {
                let hello = BotHello {
                    protocol: VERSIONS[0],
                    ..BotHello::default()
                };
                let mut hello = serde_json::to_value(hello)?;
                hello["type"] = json!("hello");
                hello
            }
            Heard::Turn(turn) => match choose(turn) {
                Some(Choice::Move(chosen)) => json!({ "move": chosen }),
                Some(Choice::Resign) => json!({"type": "resign"}),
                None => continue,
            },
            Heard::Quit => return Ok(()),
            Heard::Other => continue,
        };
        writeln!(to, "{answer}")?;
    }
    Ok(())
}

/// The program beside the seat: carries lines both ways until either side is closed.
pub(super) fn relay() -> ExitCode {
    let Some(socket) = std::env::var_os(SOCKET_VARIABLE) else {
        return ExitCode::FAILURE;
    };
    match carry(Path::new(&socket)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn carry(socket: &Path) -> io::Result<()> {
    let stream = UnixStream::connect(socket)?;
    let mut there = stream.try_clone()?;
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut there);
        let _ = there.shutdown(std::net::Shutdown::Write);
    });
    let (mut back, mut out, mut bytes) = (stream, io::stdout().lock(), [0; 4096]);
    loop {
        let count = back.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        out.write_all(&bytes[..count])?;
        out.flush()?;
    }
}
