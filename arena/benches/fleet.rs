//! The rate of a fleet, against that of one process on the same machine: two workers of one job each, a coordinator and a
//! NATS server beside `--jobs 2`, in turn, results durable in both.
//!
//! Between bots that answer at once, the least favourable case, and between bots that think for 50 ms a move. The workers
//! wait for a league, as they do where there is a fleet. The rate is that of the whole command, starts and ends included.
//!
//! `cargo bench -p mancala-arena --features fleet --bench fleet [-- ROUNDS]`; needs `nats-server`.

mod instant;

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use mancala_arena::tournament::cores;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

const THINKING: Duration = Duration::from_millis(50);

fn main() -> ExitCode {
    let first = std::env::args().nth(1);
    let rounds = match first.as_deref() {
        Some("instant") => {
            instant::play(Duration::ZERO);
            return ExitCode::SUCCESS;
        }
        Some("thinking") => {
            instant::play(THINKING);
            return ExitCode::SUCCESS;
        }
        None | Some("--bench") => 5,
        Some(first) => match first.parse() {
            Ok(rounds) => rounds,
            // Called by itself below, or by a stage of it: the program under test.
            Err(_) => return mancala_arena::main(),
        },
    };
    let place = Place::make();
    println!(
        "{:>5} {:<22} {:>8} {:>10} {:>10} {:>6}",
        "round", "bots", "matches", "jobs 2 /s", "fleet /s", "ratio"
    );
    for (bots, dir, rotations) in [
        ("house:random", None, 40_000),
        ("answer at once", Some("instant"), 40_000),
        ("think 50 ms a move", Some("thinking"), 12),
    ] {
        let league = place.league(dir, rotations);
        let mut ratios: Vec<f64> = (0..rounds)
            .map(|round| {
                let rate = |took: Duration| (2 * rotations) as f64 / took.as_secs_f64();
                let alone = rate(place.play(&league, &format!("{bots}-{round}-alone.db"), &["--jobs", "2"]));
                let fleet = rate(place.play(&league, &format!("{bots}-{round}-fleet.db"), &["--fleet", &place.url]));
                println!(
                    "{round:>5} {bots:<22} {:>8} {alone:>10.1} {fleet:>10.1} {:>6.3}",
                    2 * rotations,
                    fleet / alone
                );
                fleet / alone
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!("{bots}: median ratio {:.3}", ratios[ratios.len() / 2]);
    }
    ExitCode::SUCCESS
}

/// A directory with a server and two workers in it.
struct Place {
    dir: PathBuf,
    url: String,
    /// The server last: workers leave it in good order.
    running: Vec<Child>,
}

impl Place {
    fn make() -> Place {
        let dir = std::env::temp_dir().join(format!("fleet-{}", std::process::id()));
        for bot in ["instant", "thinking"] {
            let bot_dir = dir.join(bot);
            std::fs::create_dir_all(&bot_dir).expect("a directory can be made");
            let text = format!("run = \"'{}' {bot}\"\n", own_path().display());
            std::fs::write(bot_dir.join("bot.toml"), text).expect("it can be written");
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = free.local_addr().expect("it has an address");
        drop(free);
        let system = Path::new("/usr/sbin/nats-server");
        let server = if system.is_file() {
            system
        } else {
            Path::new("nats-server")
        };
        let server = Command::new(server)
            .args(["-a", "127.0.0.1", "-p", &address.port().to_string(), "-js", "-sd"])
            .arg(dir.join("nats"))
            .stderr(Stdio::null())
            .spawn()
            .expect("nats-server starts");
        while TcpStream::connect(address).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut place = Place {
            dir,
            url: format!("nats://{address}"),
            running: Vec::new(),
        };
        // As machines of one core each.
        for core in cores().into_iter().take(2) {
            let worker = place.on_core(
                core,
                &["worker", &place.url, "--jobs", "1", "--dir", &format!("worker{core}")],
            );
            place.running.push(worker);
        }
        place.running.push(server);
        // They measure their speed first.
        std::thread::sleep(Duration::from_secs(3));
        for child in &mut place.running {
            let ended = child.try_wait().expect("it was started");
            assert_eq!(ended, None, "the server and both workers run");
        }
        place
    }

    /// Starts the program on a core of its own.
    fn on_core(&self, core: usize, args: &[&str]) -> Child {
        let own = sched_getaffinity(None).expect("a thread may know its cores");
        let mut one = CpuSet::new();
        one.set(core);
        sched_setaffinity(None, &one).expect("a thread may choose its core");
        let child = self.arena(args).spawn().expect("this program starts");
        sched_setaffinity(None, &own).expect("a thread may choose its cores");
        child
    }

    fn arena(&self, args: &[&str]) -> Command {
        let mut command = Command::new(own_path());
        command
            .args(args)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Writes a league of two bots; of these directories, or house bots.
    fn league(&self, bot: Option<&str>, rotations: u32) -> String {
        let bot = bot.map_or("house = \"random\"".to_owned(), |dir| format!("path = \"{dir}\""));
        let text = format!(
            "game = \"kalah\"\nrotations = {rotations}\n[[bot]]\nname = \"A\"\n{bot}\n[[bot]]\nname = \"B\"\n{bot}\n"
        );
        std::fs::write(self.dir.join("league.toml"), text).expect("it can be written");
        "league.toml".to_owned()
    }

    /// How long it takes to play the whole league.
    fn play(&self, league: &str, db: &str, how: &[&str]) -> Duration {
        let mut args = vec!["run", league, "--db", db];
        args.extend(how);
        let began = Instant::now();
        let status = self.arena(&args).status().expect("this program starts");
        let took = began.elapsed();
        assert!(status.success(), "arena {args:?}: {status}");
        took
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for child in &mut self.running {
            let pid = rustix::process::Pid::from_child(child);
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            let _ = child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn own_path() -> PathBuf {
    std::env::current_exe().expect("this program has a path")
}
