//! Whether matches come out alike on every machine that plays them: results, times of moves, late moves, by worker.
//!
//! Each worker is compared with all the others together. It finds a machine that is unfair; it does not say why, and with two
//! workers not which of them: both differ from the other. Where one that plays much is unfair, others may stand out too.
//!
//! What a reader would get wrong: the unit of all this is no match but what one worker played of one rotation, as its
//! matches share an opening and tell the same twice. Only like is compared with like: whole rotations of the same bots, and
//! where a rotation is not whole, matches in which the same bots sat in the same seats. So it does not matter which bots a
//! worker was given. Two workers that share a rotation, which is rare, are taken for independent there.
//!
//! Memory: for a rotation of two bots 40 bytes; the results of each set of bots by worker; and rotations that are not
//! whole yet.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;

use crate::record::{HostRecord, MatchScore};
use crate::stats::{
    CONFIDENCE, MarkedStratum, Stratum, clustered_mean, holm, marked_test, mean_score_test, median, modified_z_scores,
};

/// What is less probable than this, allowing for the number of tests, is odd.
pub const LEVEL: f64 = 0.01;

/// Times that differ by no more than this factor are not odd, however sure the difference is.
pub const RATIO_MAX: f64 = 1.25;

/// Modified z-scores above this are odd: see [`modified_z_scores`].
pub const Z_MAX: f64 = 3.5;

/// With fewer workers no z-scores are told: half of them must agree for there to be a scale.
pub const WORKERS_MIN: usize = 5;

/// The moves of a bot that takes less than this on average, microseconds, say more of pipes than of bots.
pub const MOVE_US_MIN: f64 = 50.0;

/// All matches so far, in the form that [`Workers::report`] needs.
#[derive(Debug)]
pub struct Workers {
    /// In the order in which they came.
    workers: Vec<Worker>,
    /// By name; `None` is this machine.
    places: HashMap<Option<String>, usize>,
    /// Rotations that are not whole, by number.
    open: HashMap<u64, Vec<Played>>,
    strata: Vec<StratumTally>,
    strata_by_key: HashMap<Key, usize>,
    units: Vec<UnitPlace>,
    /// By unit and bot of its stratum: the sum of the logarithms of mean times a move, and how many these are.
    logs: Vec<(f64, u32)>,
    bots: Vec<BotTimes>,
}

#[derive(Debug, Default)]
struct Worker {
    hosts: BTreeSet<String>,
    speed: Option<RangeInclusive<f64>>,
    limits: Option<RangeInclusive<f64>>,
    load: f64,
    matches: u64,
    faulty: u64,
    late: u64,
}

/// A match, as a unit needs it. Lists are by seat.
#[derive(Debug)]
struct Played {
    worker: usize,
    bots: Vec<usize>,
    /// Twice the number of other seats beaten, a tie counting half.
    halves: Vec<u32>,
    /// The logarithm of the mean time a move, where there was one.
    logs: Vec<Option<f64>>,
    late: bool,
}

/// What is compared with each other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    /// Whole rotations of these bots, sorted.
    Rotation(Vec<usize>),
    /// Parts of rotations: the bots of each match by seat, sorted by match.
    Part(Vec<Vec<usize>>),
}

#[derive(Debug)]
struct StratumTally {
    /// Whose scores the lists are, sorted.
    bots: Vec<usize>,
    /// By bot: the most half-points of a unit.
    most: Vec<u32>,
    /// By bot: its half-points with how many units had them.
    halves: Vec<BTreeMap<u32, u64>>,
    units: u64,
    late: u64,
    shares: BTreeMap<usize, Share>,
}

/// What one worker played of a stratum.
#[derive(Debug)]
struct Share {
    units: u64,
    late: u64,
    /// By bot of the stratum.
    halves: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct UnitPlace {
    worker: u32,
    stratum: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct BotTimes {
    moves: u64,
    time_us: u64,
    logs: f64,
    number: u64,
}

/// What each worker did, and what is odd about it.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkersReport {
    /// By name, this machine last.
    pub lines: Vec<WorkerLine>,
    /// Bots that are too fast for their times to count: by their place in the plan's list.
    pub fast_bots: Vec<usize>,
}

/// What one worker did.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkerLine {
    /// Its name; absent for what was played where the results are kept.
    pub worker: Option<String>,
    /// The machine's name; several where that has changed.
    pub hosts: Vec<String>,
    /// Matches played.
    pub matches: u64,
    /// How fast it computes: from its slowest start to its fastest.
    pub speed: Option<RangeInclusive<f64>>,
    /// How busy it was when matches ended, on average.
    pub load: Option<f64>,
    /// The factors of its time limits.
    pub limits: Option<RangeInclusive<f64>>,
    /// Matches with a fault.
    pub faulty: u64,
    /// Matches with a late move.
    pub late: u64,
    /// Results against those of the others; absent when there is too little to compare.
    pub results: Option<ResultTest>,
    /// Times of moves beside those of the other workers; absent with fewer than two rotations, or workers.
    pub time: Option<TimeRatio>,
    /// Probability of so many rotations with a late move or more, if that does not depend on the worker: adjusted for the
    /// number of workers. Absent when there is nothing to compare.
    pub late_p: Option<f64>,
    /// What is odd.
    pub odd: Vec<Odd>,
}

/// The bot whose results are the least probable on a worker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ResultTest {
    /// By its place in the plan's list.
    pub bot: usize,
    /// By how much it scores more there than on average over all workers, from -1.0 to 1.0.
    pub excess: f64,
    /// Probability of results as far from expected if they do not depend on the worker: adjusted for all tests that were
    /// made, of all bots and workers.
    pub p: f64,
}

/// How long moves take on a worker, as a multiple of the median of all workers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeRatio {
    /// The multiple.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// How far it is from the median in units of how workers scatter: [`modified_z_scores`]. Absent with fewer than
    /// [`WORKERS_MIN`] workers.
    pub z: Option<f64>,
}

/// What is odd about a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Odd {
    /// A bot scores more there, or less, than elsewhere.
    Results,
    /// Moves take longer there, or less long.
    Time,
    /// Moves come late there more often.
    Late,
}

impl Workers {
    /// Nothing yet, of bots 0 to `bots - 1`.
    pub fn new(bots: usize) -> Workers {
        Workers {
            workers: Vec::new(),
            places: HashMap::new(),
            open: HashMap::new(),
            strata: Vec::new(),
            strata_by_key: HashMap::new(),
            units: Vec::new(),
            logs: Vec::new(),
            bots: vec![BotTimes::default(); bots],
        }
    }

    /// Adds a match. Panics when a bot's number is not below the number of bots.
    pub fn add(&mut self, score: &MatchScore, host: Option<&HostRecord>, faults: u64, late: bool) {
        let place = self.place(host);
        let worker = &mut self.workers[place];
        worker.matches += 1;
        worker.faulty += u64::from(faults > 0);
        worker.late += u64::from(late);
        if let Some(host) = host {
            worker.is_as(host);
        }
        let seats = score.bots.len();
        let logs = (0..seats).map(|seat| self.bots[score.bots[seat]].add(score.moves[seat], score.time_us[seat]));
        let played = Played {
            worker: place,
            logs: logs.collect(),
            halves: (0..seats).map(|seat| halves(&score.places, seat)).collect(),
            bots: score.bots.clone(),
            late,
        };
        let open = self.open.entry(score.rotation).or_default();
        open.push(played);
        if open.len() >= seats {
            let whole = self.open.remove(&score.rotation).expect("a match has just been added");
            self.close(whole);
        }
    }

    /// Whether a match was played on another machine.
    pub fn has_hosts(&self) -> bool {
        self.places.keys().any(Option::is_some)
    }

    fn place(&mut self, host: Option<&HostRecord>) -> usize {
        let name = host.map(|host| host.worker.clone());
        let next = self.workers.len();
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.workers.push(Worker::default());
        }
        place
    }

    /// Adds a rotation's matches, one unit for each worker that played of it.
    fn close(&mut self, mut matches: Vec<Played>) {
        // By content, so that nothing hangs on the order in which matches are told.
        matches.sort_by(|one, other| (one.worker, &one.bots).cmp(&(other.worker, &other.bots)));
        for unit in matches.chunk_by(|one, other| one.worker == other.worker) {
            self.add_unit(unit);
        }
    }

    fn add_unit(&mut self, unit: &[Played]) {
        let worker = unit[0].worker;
        let key = Key::of(unit);
        let place = *self.strata_by_key.entry(key).or_insert_with(|| {
            self.strata.push(StratumTally::of(unit));
            self.strata.len() - 1
        });
        let stratum = &mut self.strata[place];
        let late = u64::from(unit.iter().any(|played| played.late));
        stratum.units += 1;
        stratum.late += late;
        let share = stratum.shares.entry(worker).or_insert_with(|| Share {
            units: 0,
            late: 0,
            halves: vec![0; stratum.bots.len()],
        });
        share.units += 1;
        share.late += late;
        for (at, &bot) in stratum.bots.iter().enumerate() {
            let (mut halves, mut logs) = (0, (0.0, 0));
            for (played, seat) in seatings(unit, bot) {
                halves += played.halves[seat];
                if let Some(log) = played.logs[seat] {
                    logs = (logs.0 + log, logs.1 + 1);
                }
            }
            *stratum.halves[at].entry(halves).or_default() += 1;
            share.halves[at] += u64::from(halves);
            self.logs.push(logs);
        }
        self.units.push(UnitPlace {
            worker: u32::try_from(worker).expect("a fleet has fewer than four thousand million workers"),
            stratum: u32::try_from(place).expect("there is a rotation for each"),
        });
    }

    /// What there is to be said of each worker.
    pub fn report(mut self) -> WorkersReport {
        let mut open: Vec<_> = self.open.drain().collect();
        open.sort_unstable_by_key(|(rotation, _)| *rotation);
        for (_, matches) in open {
            self.close(matches);
        }
        let fast = |bot: &BotTimes| bot.moves > 0 && (bot.time_us as f64) < MOVE_US_MIN * bot.moves as f64;
        let results = self.results();
        let times = self.times(fast);
        let late = self.late();
        let names = self.places.into_iter().map(|(name, place)| (place, name));
        let mut names: Vec<_> = names.collect();
        // This machine last.
        names.sort_by(|(_, one), (_, other)| (one.is_none(), one).cmp(&(other.is_none(), other)));
        let line = |(place, name): (usize, Option<String>)| {
            let worker = &self.workers[place];
            let is_hosted = name.is_some();
            let mut line = WorkerLine {
                worker: name,
                hosts: worker.hosts.iter().cloned().collect(),
                matches: worker.matches,
                speed: worker.speed.clone(),
                load: is_hosted.then(|| worker.load / worker.matches as f64),
                limits: worker.limits.clone(),
                faulty: worker.faulty,
                late: worker.late,
                results: results[place],
                time: times[place],
                late_p: late[place],
                odd: Vec::new(),
            };
            line.odd = line.oddities();
            line
        };
        WorkersReport {
            lines: names.into_iter().map(line).collect(),
            fast_bots: (0..self.bots.len()).filter(|&bot| fast(&self.bots[bot])).collect(),
        }
    }

    /// By worker: the bot whose results are the least probable there.
    ///
    /// One test for each worker and bot, [`mean_score_test`], of the bot's mean score in a unit. A test of one bot of each
    /// stratum would do with two bots, of whom the second scores what the first does not; with more it would be blind where
    /// a bot loses on a slow machine, which is here the first and there the second of its pair. All p values are adjusted
    /// together by Holm's method.
    fn results(&self) -> Vec<Option<ResultTest>> {
        let scores: Vec<Vec<Vec<(f64, u64)>>> = self.strata.iter().map(StratumTally::scores).collect();
        let mut parts: BTreeMap<(usize, usize), Vec<Stratum<'_>>> = BTreeMap::new();
        let tested = if self.bots.len() == 2 { 1 } else { self.bots.len() };
        for (stratum, scores) in self.strata.iter().zip(&scores) {
            for (&worker, share) in &stratum.shares {
                for (at, &bot) in stratum.bots.iter().enumerate() {
                    if bot < tested && stratum.most[at] > 0 {
                        parts.entry((worker, bot)).or_default().push(Stratum {
                            scores: &scores[at],
                            group: share.units,
                            sum: share.halves[at] as f64 / f64::from(stratum.most[at]),
                        });
                    }
                }
            }
        }
        let tests = { parts.into_iter() }.filter_map(|(key, strata)| Some((key, mean_score_test(strata)?)));
        let tests: Vec<_> = tests.collect();
        let adjusted = holm(&tests.iter().map(|(_, test)| test.p).collect::<Vec<_>>());
        let mut least: Vec<Option<(f64, ResultTest)>> = vec![None; self.workers.len()];
        for (&((worker, bot), test), p) in tests.iter().zip(adjusted) {
            let excess = test.excess;
            // Many adjusted ones are 1: the largest statistic is that of the least p.
            if least[worker].is_none_or(|(most, _)| test.chi_square > most) {
                least[worker] = Some((test.chi_square, ResultTest { bot, excess, p }));
            }
        }
        least.into_iter().map(|found| found.map(|(_, test)| test)).collect()
    }

    /// By worker: how long moves take there.
    ///
    /// Of each bot in each match the logarithm of the mean time of its moves, less the mean of that over all matches of the
    /// bot; the mean of these over a worker's matches, with the rotation as cluster, less the median of that over workers.
    /// The interval takes the median for known, and the rotations of a worker for independent: what else the machine did
    /// while it played several of them is not in it.
    fn times(&self, is_fast: impl Fn(&BotTimes) -> bool) -> Vec<Option<TimeRatio>> {
        let means: Vec<Option<f64>> = { self.bots.iter() }
            .map(|bot| (bot.number > 0 && !is_fast(bot)).then(|| bot.logs / bot.number as f64))
            .collect();
        let mut clusters: Vec<Vec<(f64, f64)>> = vec![Vec::new(); self.workers.len()];
        let mut rest = &self.logs[..];
        for unit in &self.units {
            let bots = &self.strata[unit.stratum as usize].bots;
            let (logs, tail) = rest.split_at(bots.len());
            rest = tail;
            let (mut sum, mut number) = (0.0, 0.0);
            for (&bot, &(log, count)) in bots.iter().zip(logs) {
                if let Some(mean) = means[bot] {
                    sum += log - f64::from(count) * mean;
                    number += f64::from(count);
                }
            }
            if number > 0.0 {
                clusters[unit.worker as usize].push((sum, number));
            }
        }
        let means = { clusters.iter() }.map(|clusters| clustered_mean(clusters.iter().copied()));
        let means: Vec<_> = means.collect();
        let known: Vec<f64> = means.iter().flatten().map(|mean| mean.mean).collect();
        let Some(middle) = median(&known).filter(|_| known.len() > 1) else {
            return vec![None; self.workers.len()];
        };
        let mut scores = modified_z_scores(&known).into_iter();
        let ratio = |mean: Option<_>| {
            let interval = mean.map(|mean: crate::stats::ClusteredMean| mean.interval(CONFIDENCE))?;
            let z = scores.next().expect("there is one for each known mean");
            Some(TimeRatio {
                ratio: (interval.value - middle).exp(),
                low: (interval.low - middle).exp(),
                high: (interval.high - middle).exp(),
                z: (known.len() >= WORKERS_MIN).then_some(z),
            })
        };
        means.into_iter().map(ratio).collect()
    }

    /// By worker: probability of so many units with a late move or more.
    ///
    /// [`marked_test`] of the same units and strata, so that neither a slow bot that a worker has been given nor a rotation
    /// in which it is late in every match is held against the worker. One-sided, since where one worker is late the others
    /// are seldom late beside it. Adjusted by Holm's method.
    fn late(&self) -> Vec<Option<f64>> {
        let mut parts: Vec<(Vec<MarkedStratum>, u64)> = vec![(Vec::new(), 0); self.workers.len()];
        for stratum in self.strata.iter().filter(|stratum| stratum.late > 0) {
            for (&worker, share) in &stratum.shares {
                let (strata, late) = &mut parts[worker];
                *late += share.late;
                strata.push(MarkedStratum {
                    units: stratum.units,
                    marked: stratum.late,
                    group: share.units,
                });
            }
        }
        let tests = { parts.into_iter() }.map(|(strata, late)| marked_test(strata, late));
        let tests: Vec<Option<f64>> = tests.collect();
        let mut adjusted = holm(&tests.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
        { tests.iter() }
            .map(|test| test.and_then(|_| adjusted.next()))
            .collect()
    }
}

impl WorkerLine {
    fn oddities(&self) -> Vec<Odd> {
        let results = self.results.is_some_and(|results| results.p < LEVEL);
        let time = self.time.is_some_and(|time| {
            let is_sure = time.low > 1.0 || time.high < 1.0;
            time.ratio.ln().abs() > RATIO_MAX.ln() && is_sure && time.z.is_none_or(|z| z.abs() > Z_MAX)
        });
        let late = self.late_p.is_some_and(|p| p < LEVEL);
        [(Odd::Results, results), (Odd::Time, time), (Odd::Late, late)]
            .into_iter()
            .filter_map(|(odd, is_so)| is_so.then_some(odd))
            .collect()
    }
}

impl Worker {
    fn is_as(&mut self, host: &HostRecord) {
        if !self.hosts.contains(&host.name) {
            self.hosts.insert(host.name.clone());
        }
        self.load += host.load;
        widen(&mut self.speed, host.speed);
        widen(&mut self.limits, host.limits_factor.unwrap_or(1.0));
    }
}

impl BotTimes {
    /// Gives the logarithm of the mean time of these moves, microseconds, if there are any.
    fn add(&mut self, moves: u32, time_us: u64) -> Option<f64> {
        if moves == 0 {
            return None;
        }
        // A clock may find no time at all.
        let log = (time_us.max(1) as f64 / f64::from(moves)).ln();
        self.moves += u64::from(moves);
        self.time_us += time_us;
        self.logs += log;
        self.number += 1;
        Some(log)
    }
}

impl Key {
    fn of(unit: &[Played]) -> Key {
        let sorted = |played: &Played| {
            let mut bots = played.bots.clone();
            bots.sort_unstable();
            bots
        };
        let bots = sorted(&unit[0]);
        if unit.len() == bots.len() && unit[1..].iter().all(|played| sorted(played) == bots) {
            Key::Rotation(bots)
        } else {
            Key::Part(unit.iter().map(|played| played.bots.clone()).collect())
        }
    }
}

impl StratumTally {
    /// For units like this one.
    fn of(unit: &[Played]) -> StratumTally {
        let bots: BTreeSet<usize> = unit.iter().flat_map(|played| played.bots.iter().copied()).collect();
        let most = |&bot: &usize| {
            let others = seatings(unit, bot).map(|(played, _)| played.bots.len() as u32 - 1);
            2 * others.sum::<u32>()
        };
        StratumTally {
            most: bots.iter().map(most).collect(),
            halves: vec![BTreeMap::new(); bots.len()],
            bots: bots.into_iter().collect(),
            units: 0,
            late: 0,
            shares: BTreeMap::new(),
        }
    }

    /// By bot: its scores, from 0.0 to 1.0, with how many units had them.
    fn scores(&self) -> Vec<Vec<(f64, u64)>> {
        let of_bot = |(halves, most): (&BTreeMap<u32, u64>, &u32)| {
            let score = |(halves, units): (&u32, &u64)| (f64::from(*halves) / f64::from(*most), *units);
            halves.iter().map(score).collect()
        };
        self.halves.iter().zip(&self.most).map(of_bot).collect()
    }
}

/// The matches of a unit and the seats in which a bot sat.
fn seatings(unit: &[Played], bot: usize) -> impl Iterator<Item = (&Played, usize)> {
    unit.iter().flat_map(move |played| {
        let seats = 0..played.bots.len();
        seats
            .filter(move |&seat| played.bots[seat] == bot)
            .map(move |seat| (played, seat))
    })
}

/// Twice the number of other seats that a seat beat, a tie counting half.
fn halves(places: &[u8], seat: usize) -> u32 {
    let others = places.iter().enumerate().filter(|(other, _)| *other != seat);
    let of_other = |(_, place): (usize, &u8)| match places[seat].cmp(place) {
        std::cmp::Ordering::Less => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 0,
    };
    others.map(of_other).sum()
}

fn widen(range: &mut Option<RangeInclusive<f64>>, value: f64) {
    *range = Some(match range {
        Some(known) => known.start().min(value)..=known.end().max(value),
        None => value..=value,
    });
}
