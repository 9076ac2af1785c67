//! `arena workers`: whether matches came out alike on every machine that played them.

use std::io::Write;
use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::results::{Results, printable};
use super::table::{self, Align};
use super::text::count;
use super::{Exit, Format, Output};
use crate::rating::workers::{
    LEVEL, MOVE_US_MIN, Odd, RATIO_MAX, WORKERS_MIN, WorkerLine, Workers, WorkersReport, Z_MAX,
};
use crate::store::{Store, StoreError, StoredPlan};

/// What stands for the worker of matches that were played where the results are kept.
const HERE: &str = "(here)";

/// A probability below this is shown as less than it.
const P_MIN: f64 = 0.0001;

/// Compare the machines that played a tournament, and point out those that are unfair
///
/// Of each worker of a fleet how many matches it played, how fast and how busy it was, and whether results, times of moves
/// and late moves there differ from those elsewhere by more than chance explains.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Results,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let store = args.source.open()?;
    let plan = args.source.plan(&store)?;
    let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let workers = read(&store, &plan)?;
    let has_hosts = workers.has_hosts();
    let report = workers.report();
    let text = match args.format {
        Format::Table if !has_hosts => alone(&plan.id, &report),
        Format::Table => text(&names, &report),
        Format::Json | Format::Csv => table::values(&KEYS, &rows(&names, &report), args.format),
    };
    write!(out, "{text}")?;
    Ok(Exit::Done)
}

fn read(store: &Store, plan: &StoredPlan) -> Result<Workers, StoreError> {
    let mut workers = Workers::new(plan.bots.len());
    store.hosted_matches::<StoreError>(&plan.id, |hosted| {
        workers.add(&hosted.score, hosted.host.as_ref(), hosted.faults, hosted.late);
        Ok(())
    })?;
    Ok(workers)
}

fn alone(plan: &str, report: &WorkersReport) -> String {
    let matches = report.lines.iter().map(|line| line.matches).sum();
    format!(
        "{} of plan {plan} stored, none of them played by a worker of a fleet\n",
        count(matches, "match")
    )
}

fn text(names: &[String], report: &WorkersReport) -> String {
    let is_scaled = |line: &WorkerLine| line.limits.as_ref().is_some_and(|limits| *limits != (1.0..=1.0));
    let scaled = report.lines.iter().any(is_scaled);
    let mut titles = vec![
        ("worker", Align::Left),
        ("host", Align::Left),
        ("matches", Align::Right),
        ("speed", Align::Right),
        ("load", Align::Right),
    ];
    if scaled {
        titles.push(("limits", Align::Right));
    }
    titles.extend([
        ("faults", Align::Right),
        ("late", Align::Right),
        ("results", Align::Right),
        ("time", Align::Right),
        ("odd", Align::Left),
    ]);
    let absent = || "-".to_owned();
    let row = |line: &WorkerLine| {
        let mut row = vec![
            worker(line),
            table::name(&printable(&line.hosts.join(", "))),
            line.matches.to_string(),
            line.speed.as_ref().map_or_else(absent, |speed| range(speed, 1)),
            line.load.map_or_else(absent, |load| format!("{load:.2}")),
        ];
        if scaled {
            row.push(line.limits.as_ref().map_or_else(absent, |limits| range(limits, 2)));
        }
        row.extend([
            line.faulty.to_string(),
            line.late.to_string(),
            line.results.map_or_else(absent, |results| probability(results.p)),
            line.time.map_or_else(absent, |time| format!("{:.2}", time.ratio)),
            line.odd.iter().map(word).collect::<Vec<_>>().join(", "),
        ]);
        row
    };
    let rows: Vec<Vec<String>> = report.lines.iter().map(row).collect();
    let mut text = table::table(&titles, &rows) + "\n";
    for line in report.lines.iter().filter(|line| !line.odd.is_empty()) {
        for oddity in oddities(names, report, line) {
            text += &format!("{}: {oddity}\n", worker(line));
        }
    }
    if report.lines.iter().any(|line| !line.odd.is_empty()) {
        text.push('\n');
    }
    text + &card(names, &report.fast_bots, scaled)
}

/// What is odd, in one word.
fn word(odd: &Odd) -> &'static str {
    match odd {
        Odd::Results => "results",
        Odd::Time => "time",
        Odd::Late => "late",
    }
}

/// What the columns mean.
fn card(names: &[String], fast_bots: &[usize], scaled: bool) -> String {
    let percent = 100.0 * (RATIO_MAX - 1.0);
    let mut card = format!(
        "\
A worker is compared with all others; what is odd with one may show in others.
results  p of the bot whose scores differ most there, in rotations of the same
         bots, adjusted for all bots and workers; odd below {LEVEL}
time     of moves, by bot, as a multiple of the median worker's; odd beyond
         {percent} % where sure at 95 % and, of {WORKERS_MIN} workers or more, {Z_MAX} deviations off
late     matches with a late move; odd where adjusted p of so many is below {LEVEL}
-        too little to compare
"
    );
    if scaled {
        card += "\
limits   what time limits were multiplied by: a bot that uses them up takes as
         much longer there
";
    }
    if !fast_bots.is_empty() {
        let fast: Vec<String> = { fast_bots.iter() }
            .map(|&bot| format!("`{}`", printable(&names[bot])))
            .collect();
        card += &format!(
            "time is without bots below {MOVE_US_MIN} µs a move, mostly spent in pipes: {}\n",
            fast.join(", ")
        );
    }
    card
}

fn worker(line: &WorkerLine) -> String {
    match &line.worker {
        Some(worker) => table::name(&printable(worker)),
        None => HERE.to_owned(),
    }
}

/// What is odd about a worker, in words.
fn oddities(names: &[String], report: &WorkersReport, line: &WorkerLine) -> Vec<String> {
    let in_words = |odd: &Odd| match odd {
        Odd::Results => {
            let test = line.results.expect("results are odd where there are some");
            let more = if test.excess > 0.0 { "more" } else { "less" };
            format!(
                "`{}` scores {:.1} points in 100 {more} there than on average",
                table::name(&printable(&names[test.bot])),
                100.0 * test.excess.abs()
            )
        }
        Odd::Time => {
            let time = line.time.expect("times are odd where there are some");
            let (share, what) = if time.ratio > 1.0 {
                (time.ratio - 1.0, "longer")
            } else {
                (1.0 - time.ratio, "shorter")
            };
            format!("moves take {:.0} % {what} than with the median worker", 100.0 * share)
        }
        Odd::Late => {
            let total = |of: fn(&WorkerLine) -> u64| report.lines.iter().map(of).sum::<u64>() - of(line);
            let (late, matches) = (total(|line| line.late), total(|line| line.matches));
            let percent = |late: u64, matches: u64| 100.0 * late as f64 / matches as f64;
            format!(
                "a move was late in {:.1} % of the matches, elsewhere in {:.1} %",
                percent(line.late, line.matches),
                percent(late, matches)
            )
        }
    };
    line.odd.iter().map(in_words).collect()
}

fn range(range: &RangeInclusive<f64>, decimals: usize) -> String {
    let (low, high) = (
        format!("{:.decimals$}", range.start()),
        format!("{:.decimals$}", range.end()),
    );
    if low == high { low } else { format!("{low}-{high}") }
}

fn probability(p: f64) -> String {
    if p < P_MIN {
        format!("<{P_MIN}")
    } else if p < 0.1 {
        format!("{p:.4}")
    } else {
        format!("{p:.2}")
    }
}

const KEYS: [&str; 20] = [
    "worker",
    "hosts",
    "matches",
    "speed_min",
    "speed_max",
    "load",
    "limits_factor_min",
    "limits_factor_max",
    "faults",
    "late",
    "late_p",
    "results_p",
    "results_bot",
    "results_excess",
    "time_ratio",
    "time_low",
    "time_high",
    "time_z",
    "odd",
    "odd_text",
];

/// The values of [`KEYS`], in the same order.
fn rows(names: &[String], report: &WorkersReport) -> Vec<Vec<Value>> {
    let ends = |range: &Option<RangeInclusive<f64>>| {
        let end = |end: fn(&RangeInclusive<f64>) -> &f64| json!(range.as_ref().map(end));
        [end(RangeInclusive::start), end(RangeInclusive::end)]
    };
    let row = |line: &WorkerLine| {
        let (results, time) = (line.results, line.time);
        let [speed_min, speed_max] = ends(&line.speed);
        let [limits_min, limits_max] = ends(&line.limits);
        vec![
            json!(line.worker),
            json!(line.hosts),
            json!(line.matches),
            speed_min,
            speed_max,
            json!(line.load),
            limits_min,
            limits_max,
            json!(line.faulty),
            json!(line.late),
            json!(line.late_p),
            json!(results.map(|results| results.p)),
            json!(results.map(|results| &names[results.bot])),
            json!(results.map(|results| results.excess)),
            json!(time.map(|time| time.ratio)),
            json!(time.map(|time| time.low)),
            json!(time.map(|time| time.high)),
            json!(time.and_then(|time| time.z)),
            json!(line.odd.iter().map(word).collect::<Vec<_>>()),
            json!(oddities(names, report, line).join("; ")),
        ]
    };
    report.lines.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};
    use tempfile::TempDir;

    use super::*;
    use crate::config::Plan;
    use crate::rating::workers::{ResultTest, TimeRatio};
    use crate::record::samples::{self, Leaving};
    use crate::record::{HostRecord, Record};

    fn kalah() -> Plan {
        let game = mancala_arena_rules::open_text("kalah").expect("kalah is one of our games");
        samples::plan(&*game, 7)
    }

    /// A file in which four workers have played 300 rotations, each as chance gave it to them; `treat` is shown each record
    /// with the number of its worker, and another that is random.
    fn file_with(path: &Path, mut treat: impl FnMut(&mut Record, usize, u32)) {
        let plan = kalah();
        let mut store = Store::open_to_write(path).expect("the file can be written");
        store
            .add_plan(&plan, &samples::contents(&plan))
            .expect("the plan is added");
        let writer = store.into_writer(&plan.id(), drop).expect("the plan is known");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for rotation in 0..300 {
            let worker = rng.next_u32() as usize % 4;
            for id in [2 * rotation, 2 * rotation + 1] {
                let mut record = samples::played(&plan, id, Leaving::Never);
                record.host = Some(HostRecord {
                    worker: format!("mill-{worker}"),
                    name: "mill.example".to_owned(),
                    speed: 20.0 + worker as f64,
                    load: 0.5,
                    limits_factor: None,
                });
                treat(&mut record, worker, rng.next_u32());
                writer.submit(&record).expect("it is of this plan");
            }
        }
        drop(writer.finish().expect("everything is stored"));
    }

    fn read_back(path: &Path) -> (Vec<String>, WorkersReport) {
        let store = Store::open(path).expect("the file can be read");
        let plan = store.plans().expect("the file can be read").remove(0);
        let names = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        (names, read(&store, &plan).expect("the file can be read").report())
    }

    #[test]
    fn a_worker_that_favours_a_bot_is_found_in_the_file_and_fair_ones_are_not_odd() {
        let dir = TempDir::new().expect("a temporary directory");
        let (fair, unfair) = (dir.path().join("fair.db"), dir.path().join("unfair.db"));
        file_with(&fair, |_, _, _| {});
        let (names, report) = read_back(&fair);
        assert!(report.lines.iter().all(|line| line.odd.is_empty()), "{report:?}");
        assert_eq!(report.lines.iter().map(|line| line.matches).sum::<u64>(), 600);
        let shown = text(&names, &report);
        assert!(
            shown.contains("mill-2  mill.example") && !shown.contains("mill-2:"),
            "{shown}"
        );

        file_with(&unfair, |record, worker, chance| {
            if worker == 2 && chance % 100 < 40 {
                record.places = record.seats.iter().map(|seat| 1 + seat.bot as u8).collect();
            }
        });
        let (names, report) = read_back(&unfair);
        // The rest that others are compared with has the unfair one in it, so that these may stand out too, but less.
        let p = |line: &WorkerLine| line.results.expect("all have played enough").p;
        let worst = { report.lines.iter() }.min_by(|one, other| p(one).total_cmp(&p(other)));
        let worst = worst.expect("there are four");
        assert_eq!(worst.worker.as_deref(), Some("mill-2"), "{report:?}");
        assert!(worst.odd == [Odd::Results] && p(worst) < 1e-6, "{report:?}");
        assert!(text(&names, &report).contains("mill-2: `bot-0` scores "));
    }

    #[test]
    fn a_slow_worker_on_which_moves_are_late_is_found_in_the_file() {
        let dir = TempDir::new().expect("a temporary directory");
        let path = dir.path().join("slow.db");
        file_with(&path, |record, worker, chance| {
            if worker == 3 {
                record.plies.iter_mut().for_each(|ply| ply.elapsed_us *= 2);
                if chance % 100 < 10 {
                    *record = samples::filled(record.clone());
                    record.seats.iter_mut().for_each(|seat| seat.unknown = 0);
                }
            }
            if worker == 1 {
                record.host = None;
            }
        });
        let (names, report) = read_back(&path);
        let shown = text(&names, &report);
        let last = &report.lines[3];
        assert_eq!((last.worker.as_deref(), last.odd.len()), (None, 0), "{shown}");
        assert_eq!(report.lines[2].odd, [Odd::Time, Odd::Late], "{shown}");
        assert!(
            shown.contains("mill-3: moves take ") && shown.contains("mill-3: a move was late in "),
            "{shown}"
        );
        assert!(shown.contains("\n(here) "), "{shown}");
    }

    fn line(worker: Option<&str>) -> WorkerLine {
        WorkerLine {
            worker: worker.map(str::to_owned),
            hosts: worker.map(|_| "mill.example".to_owned()).into_iter().collect(),
            matches: 400,
            speed: worker.map(|_| 20.0..=20.0),
            load: worker.map(|_| 0.5),
            limits: worker.map(|_| 1.0..=1.0),
            faulty: 3,
            late: 2,
            results: Some(ResultTest {
                bot: 0,
                excess: 0.01,
                p: 1.0,
            }),
            time: Some(TimeRatio {
                ratio: 1.0,
                low: 0.98,
                high: 1.02,
                z: None,
            }),
            late_p: Some(1.0),
            odd: Vec::new(),
        }
    }

    fn sample() -> WorkersReport {
        let mut odd = line(Some("b\u{1b}"));
        odd.late = 40;
        odd.speed = Some(12.0..=19.96);
        odd.odd = vec![Odd::Results, Odd::Late];
        odd.results = Some(ResultTest {
            bot: 1,
            excess: -0.125,
            p: 1e-9,
        });
        let mut slow = line(Some("c"));
        slow.results = None;
        slow.odd = vec![Odd::Time];
        slow.time = Some(TimeRatio {
            ratio: 1.5,
            low: 1.4,
            high: 1.6,
            z: Some(f64::INFINITY),
        });
        WorkersReport {
            lines: vec![line(Some("a")), odd, slow, line(None)],
            fast_bots: vec![1],
        }
    }

    fn names() -> Vec<String> {
        ["deep".to_owned(), "quick, small".to_owned()].to_vec()
    }

    #[test]
    fn the_table_says_in_words_what_is_odd() {
        let mut report = sample();
        let expected = "\
worker  host         matches     speed load faults late results time odd
──────────────────────────────────────────────────────────────────────────────────
a       mill.example     400      20.0 0.50      3    2    1.00 1.00
b\\u{1b} mill.example     400 12.0-20.0 0.50      3   40 <0.0001 1.00 results, late
c       mill.example     400      20.0 0.50      3    2       - 1.50 time
(here)                   400         -    -      3    2    1.00 1.00

b\\u{1b}: `quick, small` scores 12.5 points in 100 less there than on average
b\\u{1b}: a move was late in 10.0 % of the matches, elsewhere in 0.5 %
c: moves take 50 % longer than with the median worker

A worker is compared with all others; what is odd with one may show in others.
results  p of the bot whose scores differ most there, in rotations of the same
         bots, adjusted for all bots and workers; odd below 0.01
time     of moves, by bot, as a multiple of the median worker's; odd beyond
         25 % where sure at 95 % and, of 5 workers or more, 3.5 deviations off
late     matches with a late move; odd where adjusted p of so many is below 0.01
-        too little to compare
time is without bots below 50 µs a move, mostly spent in pipes: `quick, small`
";
        assert_eq!(text(&names(), &report), expected);
        report.lines[0].limits = Some(1.0..=1.5);
        report.fast_bots.clear();
        let shown = text(&names(), &report);
        assert!(
            shown.contains("limits") && shown.contains("1.00-1.50") && !shown.contains("pipes"),
            "{shown}"
        );
    }

    #[test]
    fn programs_are_told_the_same() {
        let (names, report) = (names(), sample());
        let rows = rows(&names, &report);
        let list: Value = serde_json::from_str(&table::values(&KEYS, &rows, Format::Json)).expect("JSON");
        assert_eq!(list[0]["hosts"], json!(["mill.example"]));
        assert_eq!(list[1]["odd"], json!(["results", "late"]));
        assert_eq!(
            (&list[1]["speed_max"], &list[1]["results_bot"]),
            (&json!(19.96), &json!("quick, small"))
        );
        assert_eq!(
            (&list[2]["time_ratio"], &list[2]["results_p"]),
            (&json!(1.5), &Value::Null)
        );
        assert_eq!((&list[3]["worker"], &list[3]["matches"]), (&Value::Null, &json!(400)));
        let csv = table::values(&KEYS, &rows, Format::Csv);
        assert_eq!(csv.lines().count(), 5, "{csv}");
        assert!(
            csv.lines()
                .nth(1)
                .is_some_and(|row| row.starts_with("a,mill.example,400,20.0,20.0,0.5,")),
            "{csv}"
        );
    }

    #[test]
    fn without_a_worker_there_is_one_line() {
        let mut report = sample();
        report.lines.drain(..3);
        assert_eq!(
            alone("abc", &report),
            "400 matches of plan abc stored, none of them played by a worker of a fleet\n"
        );
    }
}
