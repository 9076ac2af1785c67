//! Leagues played by workers of a fleet, with a NATS server of the test's own.
//!
//! Where `nats-server` is not installed the tests say so and pass over; `tests/run` installs it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use mancala_arena_tests::wait_for;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{arena, code, run, stderr, stdout};
use crate::serve::Server;

/// Kalah between house bots that play the same wherever they play. Limits are long, and the leases that hang on them short
/// enough to run out in a test.
pub const LEAGUE: &str = r#"
game = "kalah"
rotations = ROTATIONS
[time]
move_ms = 3000
start_ms = 3000
[[bot]]
name = "A"
house = "minimax,depth=5"
[[bot]]
name = "B"
house = "greedy"
[[bot]]
name = "C"
house = "random"
"#;

/// The shortest lease for it, and a little more.
pub const LEASE: &str = "--lease-ms 3500";

/// A NATS server, its data, and a directory for those who use it.
pub struct Nats {
    place: TempDir,
    port: u16,
    args: Vec<String>,
    server: Option<Child>,
}

impl Nats {
    /// One with streams. `None`, and that is said, where there is no server to start.
    pub fn start(test: &str) -> Option<Nats> {
        Nats::start_with(test, &[])
    }

    pub fn start_with(test: &str, args: &[&str]) -> Option<Nats> {
        if Command::new(program()).arg("--version").output().is_err() {
            let _ = writeln!(std::io::stderr(), "passed over: nats-server is not here: {test}");
            return None;
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let port = free.local_addr().expect("it has an address").port();
        drop(free);
        let mut nats = Nats {
            place: TempDir::new().expect("a directory can be made"),
            port,
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            server: None,
        };
        nats.start_again();
        Some(nats)
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The directory of those who use it.
    pub fn dir(&self) -> &Path {
        self.place.path()
    }

    /// Where the server keeps its streams.
    pub fn data(&self) -> PathBuf {
        self.dir().join("nats")
    }

    pub fn start_again(&mut self) {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.dir().join("nats.log"))
            .expect("a log can be written");
        let server = Command::new(program())
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"])
            .arg(self.data())
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        self.server = Some(server);
        wait_for("the server listens", || {
            std::net::TcpStream::connect(("127.0.0.1", self.port)).ok().map(drop)
        });
    }

    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Writes the league, with so many rotations.
    pub fn league(&self, rotations: u64) {
        let text = LEAGUE.replace("ROTATIONS", &rotations.to_string());
        fs::write(self.dir().join("league.toml"), text).expect("it can be written");
    }

    pub fn worker(&self, name: &str, more: &str) -> Running {
        let line = format!("worker {} --dir {name} --jobs 1 --no-pin {more}", self.url());
        Running::start(self.dir(), &line)
    }

    /// The league, played by the fleet.
    pub fn coordinator(&self, db: &str, more: &str) -> Running {
        let line = format!("run league.toml --db {db} --events --fleet {} {more}", self.url());
        Running::start(self.dir(), &line)
    }

    /// What `arena fleet status` tells.
    pub fn status(&self) -> Value {
        let output = run(self.dir(), &["fleet", "status", &self.url(), "--format", "json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_str(&stdout(&output)).expect("it is JSON")
    }

    pub fn export(&self, db: &str) -> String {
        let output = run(self.dir(), &["export", "--no-times", "--db", db]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    }

    /// The records as they are stored.
    pub fn records(&self, db: &str) -> Vec<Value> {
        let output = run(self.dir(), &["export", "--db", db]);
        let text = stdout(&output);
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record is JSON"))
            .collect()
    }

    /// The same league played by this machine alone.
    pub fn alone(&self, db: &str) -> String {
        let output = run(self.dir(), &["run", "league.toml", "--db", db]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        self.export(db)
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

fn program() -> &'static str {
    // Debian puts it where only root looks.
    if Path::new("/usr/sbin/nats-server").exists() {
        "/usr/sbin/nats-server"
    } else {
        "nats-server"
    }
}

/// An arena that runs, and what it has said so far.
pub struct Running {
    child: Child,
    said: Arc<Mutex<String>>,
    hearing: JoinHandle<()>,
}

impl Running {
    pub fn start(dir: &Path, line: &str) -> Running {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut child = arena(dir, &words)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the arena starts");
        let said = Arc::new(Mutex::new(String::new()));
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
        let hears = Arc::clone(&said);
        let hearing = std::thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                hears.lock().expect("nobody panics here").push_str(&line);
                line.clear();
            }
        });
        Running { child, said, hearing }
    }

    pub fn said(&self) -> String {
        self.said.lock().expect("nobody panics here").clone()
    }

    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32).expect("a process has a number")
    }

    /// Waits until it has said this.
    pub fn hear(&self, what: &str) {
        wait_for(&format!("`{what}` is said"), || {
            self.said().contains(what).then_some(())
        });
    }

    /// Waits until it has said this so often.
    pub fn hear_times(&mut self, what: &str, times: usize) {
        while self.said().matches(what).count() < times {
            let ended = self.child.try_wait().expect("it can be asked");
            assert_eq!(ended, None, "it has ended: {}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// How many matches it has announced.
    pub fn announced(&self) -> usize {
        self.said().lines().filter(|line| line.starts_with("match ")).count()
    }

    pub fn hear_matches(&mut self, count: usize) {
        while self.announced() < count {
            let ended = self.child.try_wait().expect("it can be asked");
            assert_eq!(ended, None, "it has ended: {}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it runs");
    }

    /// Its exit code, once it has ended and all that it said is heard.
    pub fn ended(&mut self) -> i32 {
        let status = self.child.wait().expect("it can be waited for");
        wait_for("all is heard", || self.hearing.is_finished().then_some(()));
        status.code().unwrap_or_else(|| panic!("{status}: {}", self.said()))
    }

    /// The process that plays for this worker.
    pub fn player(&self) -> Pid {
        wait_for("the worker has a player", || children(self.pid()).first().copied())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The processes that a process has started, and that run.
pub fn children(parent: Pid) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let alive = fields.next().is_some_and(|state| !matches!(state, "" | "Z" | "X"));
        alive && fields.next().and_then(|field| field.parse().ok()) == Some(parent.as_raw_nonzero().get())
    })
    .filter_map(Pid::from_raw)
    .collect()
}

/// A process and all that it has started, and they have.
pub fn tree(root: Pid) -> Vec<Pid> {
    let mut all = vec![root];
    let mut at = 0;
    while at < all.len() {
        all.extend(children(all[at]));
        at += 1;
    }
    all
}

/// A bot in a directory of its own: plays the first legal move after `sleep` seconds.
pub fn write_bot(dir: &Path, sleep: f64, build: &str) {
    fs::create_dir_all(dir).expect("a directory can be made");
    let lines = format!(
        "import json, sys, time\n\
         for line in sys.stdin:\n    \
         m = json.loads(line)\n    \
         if m['type'] == 'hello': print(json.dumps({{'type': 'hello', 'protocol': 1}}), flush=True)\n    \
         if m['type'] == 'turn':\n        \
         time.sleep({sleep})\n        \
         print(json.dumps({{'move': m['legal'][0]}}), flush=True)\n"
    );
    fs::write(dir.join("bot.py"), lines).expect("it can be written");
    fs::write(dir.join("bot.toml"), format!("run = \"python3 bot.py\"\n{build}\n")).expect("it can be written");
}

/// Waits until a worker keeps results in its directory because it cannot send them.
pub fn wait_for_results_on_disk(worker: &Path) {
    wait_for("results are kept on disk", || {
        let files = fs::read_dir(worker.join("unsent")).ok()?.flatten();
        files
            .into_iter()
            .find(|file| file.path().extension().is_some_and(|name| name == "results"))
    });
}

/// A league of two bots, of which the first is the directory `slow`.
pub fn league_of(nats: &Nats, rotations: u64, bots: &str) {
    let text = format!("game = \"kalah\"\nrotations = {rotations}\n[time]\nmove_ms = 3000\nstart_ms = 3000\n{bots}");
    fs::write(nats.dir().join("league.toml"), text).expect("it can be written");
}

pub const SLOW: &str = "[[bot]]\npath = \"slow\"\n[[bot]]\nname = \"B\"\nhouse = \"random\"\n";

#[test]
fn a_fleet_gives_the_export_of_one_machine() {
    let Some(nats) = Nats::start("a_fleet_gives_the_export_of_one_machine") else {
        return;
    };
    nats.league(20);
    let (mut one, mut two) = (nats.worker("one", ""), nats.worker("two", ""));
    let mut coordinator = nats.coordinator("fleet.db", "--transcripts all");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(coordinator.announced(), 120);
    let export = nats.export("fleet.db");
    assert_eq!(export.lines().count(), 120);
    assert_eq!(export, nats.alone("alone.db"));
    let verified = run(nats.dir(), &["verify", "--db", "fleet.db"]);
    assert_eq!(code(&verified), 0, "{}", stdout(&verified));
    let transcript = stdout(&run(nats.dir(), &["show", "7", "--transcript", "--db", "fleet.db"]));
    assert!(transcript.contains("\"type\":\"turn\""), "{transcript}");
    // By machine, as the records say it.
    let mut played = BTreeMap::new();
    for record in nats.records("fleet.db") {
        let worker = record["host"]["worker"].as_str().expect("it is of a fleet").to_owned();
        *played.entry(worker).or_insert(0) += 1;
    }
    let machines = run(nats.dir(), &["workers", "--db", "fleet.db", "--format", "json"]);
    let machines: Vec<Value> = serde_json::from_str(&stdout(&machines)).expect("it is JSON");
    let told = machines.iter().map(|line| {
        let worker = line["worker"].as_str().expect("it has a name").to_owned();
        (worker, line["matches"].as_u64().expect("it has a number"))
    });
    assert_eq!(told.collect::<BTreeMap<_, _>>(), played);
    let table = stdout(&run(nats.dir(), &["workers", "--db", "fleet.db"]));
    assert!(played.keys().all(|worker| table.contains(worker)), "{table}");
    // The same command finds nothing left to play, and needs no worker for that.
    for worker in [&one, &two] {
        worker.signal(Signal::TERM);
    }
    assert_eq!((one.ended(), two.ended()), (0, 0), "{}{}", one.said(), two.said());
    let mut again = nats.coordinator("fleet.db", "");
    assert_eq!(again.ended(), 0, "{}", again.said());
    assert_eq!(again.announced(), 0);
}

#[test]
fn formats_that_hang_on_results_are_the_same_in_a_fleet() {
    let Some(nats) = Nats::start("formats_that_hang_on_results_are_the_same_in_a_fleet") else {
        return;
    };
    let (_one, _two) = (nats.worker("one", ""), nats.worker("two", ""));
    for format in ["swiss", "knockout", "ladder"] {
        nats.league(4);
        let path = nats.dir().join("league.toml");
        let text = fs::read_to_string(&path).expect("it is there");
        fs::write(&path, format!("format = \"{format}\"\n{text}")).expect("it can be written");
        let (fleet, alone) = (format!("{format}.db"), format!("{format}-alone.db"));
        let mut coordinator = nats.coordinator(&fleet, "");
        assert_eq!(coordinator.ended(), 0, "{format}: {}", coordinator.said());
        assert_eq!(nats.export(&fleet), nats.alone(&alone), "{format}");
    }
}

#[test]
fn a_comparison_by_a_fleet_comes_to_the_answer_of_one_machine() {
    let Some(nats) = Nats::start("a_comparison_by_a_fleet_comes_to_the_answer_of_one_machine") else {
        return;
    };
    let _one = nats.worker("one", "");
    let words = "compare kalah house:greedy house:random --move-ms 60000";
    let here: Vec<&str> = words.split(' ').chain(["--db", "here.db"]).collect();
    let url = nats.url();
    let fleet: Vec<&str> = words.split(' ').chain(["--db", "fleet.db", "--fleet", &url]).collect();
    let (here, fleet) = (run(nats.dir(), &here), run(nats.dir(), &fleet));
    assert_eq!(code(&fleet), 0, "{}", stderr(&fleet));
    assert_eq!(stdout(&fleet), stdout(&here));
}

#[test]
fn a_bot_travels_with_its_directory_and_plays_from_it() {
    let Some(nats) = Nats::start("a_bot_travels_with_its_directory_and_plays_from_it") else {
        return;
    };
    write_bot(&nats.dir().join("slow"), 0.0, "build = \"cp bot.py built.py\"");
    league_of(&nats, 3, SLOW);
    let mut worker = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    // Somebody has laid hands on it meanwhile: it is unpacked again.
    let bots = fs::read_dir(nats.dir().join("one/bots"))
        .expect("it was fetched")
        .flatten();
    let unpacked = bots
        .map(|entry| entry.path())
        .find(|path| path.is_dir())
        .expect("it is unpacked");
    fs::write(unpacked.join("bot.py"), "print('another program')\n").expect("it can be written");
    let mut coordinator = nats.coordinator("again.db", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(nats.export("fleet.db"), nats.export("again.db"));
    // A worker that has never seen it finds it on the server, though the league before has taken it away at its end.
    worker.signal(Signal::TERM);
    assert_eq!(worker.ended(), 0, "{}", worker.said());
    let _two = nats.worker("two", "");
    let mut coordinator = nats.coordinator("third.db", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(nats.export("fleet.db"), nats.export("third.db"));
    assert_eq!(nats.export("fleet.db"), nats.alone("alone.db"));
}

#[test]
fn a_bot_that_no_worker_can_build_is_parked_and_the_others_play() {
    let Some(nats) = Nats::start("a_bot_that_no_worker_can_build_is_parked_and_the_others_play") else {
        return;
    };
    // Hidden files stay at home, so that it is built here and nowhere else.
    write_bot(&nats.dir().join("slow"), 0.0, "build = \"test -e .here\"");
    fs::write(nats.dir().join("slow/.here"), "").expect("it can be written");
    let bots = format!("{SLOW}[[bot]]\nname = \"C\"\nhouse = \"greedy\"\n");
    league_of(&nats, 2, &bots);
    let _one = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", "");
    assert_eq!(coordinator.ended(), 4, "{}", coordinator.said());
    let said = coordinator.said();
    assert!(
        said.contains("bot `slow` cannot be started by any worker; its matches are parked"),
        "{said}"
    );
    assert!(
        said.contains("parked: matches 2, 3, 4, 5, 8, 9, 10, 11: a bot of it cannot be started"),
        "{said}"
    );
    assert!(said.contains("stopped after 4 of 12 matches; go on with:"), "{said}");
    let seats: Vec<Value> = nats
        .records("fleet.db")
        .iter()
        .map(|record| record["seats"][0]["name"].clone())
        .collect();
    assert_eq!(seats.len(), 4);
    assert!(!seats.contains(&Value::from("slow")), "{seats:?}");
}

#[test]
fn a_league_for_some_machines_waits_for_one_of_them() {
    let Some(nats) = Nats::start("a_league_for_some_machines_waits_for_one_of_them") else {
        return;
    };
    nats.league(2);
    let other = nats.worker("other", "--label cpu=old");
    let mut coordinator = nats.coordinator("fleet.db", "--only cpu=new");
    other.hear("it is for workers with the label cpu=new");
    coordinator.hear("nobody plays: of the workers that are there (1) none does: does not play plan");
    assert_eq!(coordinator.announced(), 0);
    let _right = nats.worker("right", "--label room=3 --label cpu=new");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    let workers = nats
        .records("fleet.db")
        .into_iter()
        .map(|record| record["host"]["worker"].clone());
    let id = fs::read_to_string(nats.dir().join("right/id")).expect("it has a name");
    assert!(workers.into_iter().all(|worker| worker == id.as_str()));
}

#[test]
fn scaled_limits_are_in_the_plan_and_with_each_match() {
    let Some(nats) = Nats::start("scaled_limits_are_in_the_plan_and_with_each_match") else {
        return;
    };
    nats.league(1);
    let _one = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", "--scale-limits 1000000");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    let records = nats.records("fleet.db");
    // No machine is so fast: limits are stretched as far as they may be.
    assert!(
        records.iter().all(|record| record["host"]["limits_factor"] == 4.0),
        "{records:?}"
    );
    let mut plain = nats.coordinator("plain.db", "");
    assert_eq!(plain.ended(), 0, "{}", plain.said());
    let plain = nats.records("plain.db");
    assert_ne!(plain[0]["plan"], records[0]["plan"]);
    assert_eq!(plain[0]["host"]["limits_factor"], Value::Null);
}

#[test]
fn what_a_fleet_cannot_play_is_refused_before_anything_is_stored() {
    let Some(nats) = Nats::start("what_a_fleet_cannot_play_is_refused_before_anything_is_stored") else {
        return;
    };
    let (url, dir) = (nats.url(), nats.dir());
    write_bot(&dir.join("slow"), 0.0, "");
    nats.league(1);
    let game = "run --game kalah --db none.db house:random";
    for (line, expected) in [
        (
            format!("{game} python3,slow/bot.py --fleet {url}"),
            "bot `bot` is a command of this machine; a fleet needs the bot's directory",
        ),
        (
            format!("run league.toml --db none.db --lease-ms 2000 --fleet {url}"),
            "a lease of 2000 ms is too short: a match can be 3020 ms without a ply",
        ),
        (
            "run league.toml --db none.db --fleet nats://127.0.0.1:1".to_owned(),
            "cannot reach the NATS server `nats://127.0.0.1:1`",
        ),
        (
            "run league.toml --db none.db --fleet http://127.0.0.1".to_owned(),
            "is no address of a NATS server",
        ),
        ("run league.toml --db none.db --only cpu=x".to_owned(), "--fleet <URL>"),
        (format!("worker {url} --label cpu"), "expected KEY=VALUE"),
        (format!("worker {url} --user me"), "--password-file"),
    ] {
        let words: Vec<String> = line.split(' ').map(|word| word.replace(',', " ")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = run(dir, &words);
        assert_eq!(code(&output), 2, "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{line}: {}", stderr(&output));
        assert!(!dir.join("none.db").exists(), "{line}");
    }
    let one = nats.worker("one", "");
    one.hear("waits for a league");
    let output = run(dir, &["worker", &url, "--dir", "one"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("another worker uses the directory `one`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_server_that_asks_who_one_is_lets_in_who_can_say() {
    let test = "a_server_that_asks_who_one_is_lets_in_who_can_say";
    let Some(nats) = Nats::start_with(test, &["--user", "league", "--pass", "s3cret"]) else {
        return;
    };
    nats.league(1);
    fs::write(nats.dir().join("password"), "s3cret\n").expect("it can be written");
    fs::write(nats.dir().join("wrong"), "secret\n").expect("it can be written");
    for more in ["", "--user league --password-file wrong"] {
        let mut refused = nats.coordinator("fleet.db", more);
        assert_eq!(refused.ended(), 2, "{}", refused.said());
        assert!(
            refused.said().contains("refuses these credentials"),
            "{}",
            refused.said()
        );
        assert!(!refused.said().contains("s3cret"), "{}", refused.said());
    }
    let _one = nats.worker("one", "--user league --password-file password");
    let mut coordinator = nats.coordinator("fleet.db", "--user league --password-file password");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(nats.export("fleet.db").lines().count(), 6);
    // In the address as well; it is not shown.
    let url = nats.url().replace("//", "//league:s3cret@");
    let output = run(nats.dir(), &["fleet", "status", &url]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let url = url.replace("s3cret", "s4cret");
    let output = run(nats.dir(), &["fleet", "status", &url]);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(!stderr(&output).contains("s4cret"), "{}", stderr(&output));
}

/// A seed of an NKey, and its public half.
const NKEY: [&str; 2] = [
    "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
    "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
];

/// The user that FLEET.md gives workers, whose password is `s3cret`.
fn documented_worker() -> String {
    let text = include_str!("../../arena/FLEET.md");
    let start = text.find("{ user: worker").expect("the document has it");
    let end = text[start..].find("} }").expect("it ends") + "} }".len();
    text[start..][..end].replace("...", "s3cret")
}

#[test]
fn keys_certificates_and_the_documented_permissions_suffice() {
    let test = "keys_certificates_and_the_documented_permissions_suffice";
    let Some(mut nats) = Nats::start(test) else { return };
    nats.kill();
    for (name, text) in [
        ("ca.pem", include_str!("../tls/ca.pem")),
        ("server.pem", include_str!("../tls/server.pem")),
        ("server.key", include_str!("../tls/server.key")),
        ("seed", NKEY[0]),
        ("password", "s3cret"),
    ] {
        fs::write(nats.dir().join(name), text).expect("it can be written");
    }
    let config = nats.dir().join("nats.conf");
    let [place, worker] = [nats.dir().display().to_string(), documented_worker()];
    let text = format!(
        "tls {{ cert_file: \"{place}/server.pem\", key_file: \"{place}/server.key\" }}\n\
         authorization {{ users: [ {{ nkey: {} }}, {worker} ] }}\n",
        NKEY[1]
    );
    fs::write(&config, text).expect("it can be written");
    nats.args = vec!["-c".to_owned(), config.display().to_string()];
    nats.start_again();
    write_bot(&nats.dir().join("bot"), 0.0, "");
    league_of(
        &nats,
        2,
        "[[bot]]\nname = \"A\"\npath = \"bot\"\n[[bot]]\nname = \"B\"\nhouse = \"greedy\"\n",
    );

    let mut stranger = nats.coordinator("fleet.db", "--nkey seed");
    assert_eq!(
        stranger.ended(),
        2,
        "nobody vouches for the server: {}",
        stranger.said()
    );
    let mut worker = nats.worker("one", "--tls-ca ca.pem --user worker --password-file password");
    let mut coordinator = nats.coordinator("fleet.db", "--tls-ca ca.pem --nkey seed");
    assert_eq!(coordinator.ended(), 0, "{}\n{}", coordinator.said(), worker.said());
    assert_eq!(nats.export("fleet.db").lines().count(), 4);
    worker.signal(Signal::TERM);
    assert_eq!(worker.ended(), 0, "{}", worker.said());
    let log = fs::read_to_string(nats.dir().join("nats.log")).expect("the server writes one");
    assert!(!log.contains("Violation"), "{log}");
}

#[test]
fn results_that_are_too_large_for_a_message_arrive() {
    let test = "results_that_are_too_large_for_a_message_arrive";
    let Some(mut nats) = Nats::start(test) else { return };
    let dir = nats.dir().join("talker");
    write_bot(&dir, 0.01, "");
    // As much as a line may have, and nothing that packing makes smaller.
    let program = fs::read_to_string(dir.join("bot.py")).expect("it was written");
    let program = program.replace(
        "time.sleep(0.01)",
        "time.sleep(0.01)\n        print(json.dumps({'type': 'info', 'text': text(m)}), flush=True)",
    );
    let text = "import random\ndef text(m): return random.Random(m['ply']).randbytes(30000).hex()\n";
    fs::write(dir.join("bot.py"), format!("{text}{program}")).expect("it can be written");
    league_of(
        &nats,
        3,
        "[[bot]]\nname = \"A\"\npath = \"talker\"\n[[bot]]\nname = \"B\"\npath = \"talker\"\n",
    );
    let mut worker = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", "");
    coordinator.hear_matches(1);
    // The server goes away: they wait on disk like any others, and the worker ends all the same when it is told to.
    nats.kill();
    wait_for_results_on_disk(&nats.dir().join("one"));
    worker.signal(Signal::TERM);
    assert_eq!(worker.ended(), 0, "{}", worker.said());
    nats.start_again();
    let again = nats.worker("one", "");
    assert_eq!(coordinator.ended(), 0, "{}\n{}", coordinator.said(), again.said());
    let export = nats.export("fleet.db");
    let longest = export.lines().map(str::len).max().expect("there are matches");
    assert!(longest > 1 << 20, "a record of {longest} bytes fits a message");
    assert_eq!(export, nats.alone("alone.db"));
}

#[test]
fn a_worker_that_is_told_to_end_gives_back_what_it_has_not_begun() {
    let test = "a_worker_that_is_told_to_end_gives_back_what_it_has_not_begun";
    let Some(nats) = Nats::start(test) else { return };
    write_bot(&nats.dir().join("slow"), 0.05, "");
    league_of(&nats, 4, SLOW);
    let mut first = nats.worker("first", "");
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    coordinator.hear_matches(1);
    first.signal(Signal::TERM);
    assert_eq!(first.ended(), 0, "{}", first.said());
    let _second = nats.worker("second", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    let said = coordinator.said();
    assert!(!said.contains("refused") && !said.contains("tried"), "{said}");
    assert_eq!(nats.export("fleet.db").lines().count(), 8);
}

#[test]
fn status_and_live_page_show_who_plays() {
    let Some(nats) = Nats::start("status_and_live_page_show_who_plays") else {
        return;
    };
    write_bot(&nats.dir().join("slow"), 0.05, "");
    league_of(&nats, 20, SLOW);
    let _one = nats.worker("one", "--label room=3");
    let mut coordinator = nats.coordinator("fleet.db", "");
    coordinator.hear_matches(1);
    let status = nats.status();
    let (run_now, worker) = (&status["runs"][0], &status["workers"][0]);
    let id = fs::read_to_string(nats.dir().join("one/id")).expect("it has a name");
    assert_eq!(
        (&run_now["planned"], &run_now["plan"]),
        (&Value::from(40), &worker["plan"]),
        "{status}"
    );
    assert_eq!(
        (&worker["worker"], &worker["labels"]["room"]),
        (&Value::from(id.clone()), &Value::from("3"))
    );
    let plan = run_now["plan"].as_str().expect("it has an id");
    let server = Server::start(nats.dir(), "fleet.db");
    let fleet = wait_for("the page knows the fleet", || {
        let live = server.api(&format!("/plans/{plan}/live"));
        (!live["fleet"]["workers"].as_array()?.is_empty()).then(|| live["fleet"].clone())
    });
    assert_eq!(
        (&fleet["workers"][0]["worker"], &fleet["server_away"]),
        (&Value::from(id), &Value::from(false))
    );
    coordinator.kill();
    // Nobody knows better than what is left of it.
    wait_for("its coordinator is missed", || {
        (nats.status()["left"][0]["plan"] == plan).then_some(())
    });
}

#[test]
fn a_stopped_league_leaves_no_work_behind_and_goes_on() {
    let Some(nats) = Nats::start("a_stopped_league_leaves_no_work_behind_and_goes_on") else {
        return;
    };
    nats.league(100);
    let _one = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", "");
    coordinator.hear_matches(10);
    coordinator.signal(Signal::INT);
    assert_eq!(coordinator.ended(), 4, "{}", coordinator.said());
    let before = nats.export("fleet.db").lines().count();
    assert!((10..600).contains(&before), "{before}");
    let status = nats.status();
    assert_eq!(
        (&status["runs"], &status["left"]),
        (&Value::from(vec![0; 0]), &Value::from(vec![0; 0])),
        "{status}"
    );
    let mut coordinator = nats.coordinator("fleet.db", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(nats.export("fleet.db"), nats.alone("alone.db"));
}

#[test]
fn a_fleet_under_fire_loses_and_doubles_nothing() {
    let Some(mut nats) = Nats::start("a_fleet_under_fire_loses_and_doubles_nothing") else {
        return;
    };
    // A third of 2,000 matches for each pair, and a few more.
    nats.league(334);
    let rounds = if std::env::var_os("ARENA_SLOW_TESTS").is_some() {
        3
    } else {
        1
    };
    let alone = nats.alone("alone.db");
    assert_eq!(alone.lines().count(), 2_004);
    for round in 0..rounds {
        let db = format!("fleet{round}.db");
        let mut killed = nats.worker("killed", "");
        let stopped = nats.worker("stopped", "");
        let _third = nats.worker("third", "");
        let mut coordinator = nats.coordinator(&db, LEASE);
        coordinator.hear_matches(200);
        killed.kill();
        coordinator.hear_matches(400);
        let still = tree(stopped.pid());
        let all = |signal| {
            still.iter().for_each(|pid| {
                let _ = kill_process(*pid, signal);
            });
        };
        all(Signal::STOP);
        let since = std::time::Instant::now();
        coordinator.hear_matches(600);
        nats.kill();
        nats.start_again();
        coordinator.hear_matches(900);
        coordinator.kill();
        let before = nats.export(&db).lines().count();
        let mut coordinator = nats.coordinator(&db, LEASE);
        // Longer than its lease.
        std::thread::sleep(Duration::from_secs(5).saturating_sub(since.elapsed()));
        all(Signal::CONT);
        coordinator.hear_matches(300);
        nats.kill();
        nats.start_again();
        assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
        assert_eq!(before + coordinator.announced(), 2_004, "{}", coordinator.said());
        assert_eq!(nats.export(&db), alone, "{}", coordinator.said());
    }
}
