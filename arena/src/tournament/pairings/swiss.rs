//! Swiss rounds: bots of about equal points meet, no two a second time.
//!
//! A table gives 1 point to whoever made more of its matches, and 1/2 to both when they made the same. A round is the
//! perfect matching with the least sum of squared differences in points. Among equal points the upper half meets the
//! lower one. With an odd number one bot rests: it meets the *bye*, which is in every other respect a bot with the fewest
//! points, so nobody rests twice before everybody has. A bye counts as a table won.
//!
//! Rounds are looked ahead, so that all can be played: when each bot meets at most half of the others nothing can go
//! wrong; when more, a round is only taken if the rest is seen to be possible, for up to [`EXACT_MAX`] bots by a search.
//! Where that fails, and for more bots, the round is the cheapest day that is left of a round robin.
//!
//! When everybody has met everybody, all may meet again.

use super::matching::{EXACT_MAX, Graph, Matching, cheapest, disjoint, total};
use super::rounds::Round;
use crate::tournament::tables::pair;

/// Steps of the search for the rounds that are left: some milliseconds.
const STEPS_MAX: usize = 20_000;

/// Swiss pairing.
#[derive(Clone, Debug)]
pub struct Swiss {
    bots: usize,
    rounds: u64,
    /// Matchings that are left in the cycle and share no pair, at least as many as there are rounds to come in it.
    days: Vec<Matching>,
}

/// A bot's line in the final table. Points and results of tables are counted in halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwissLine {
    /// The bot, by its place in the plan.
    pub bot: usize,
    /// Points, in halves.
    pub halves: u64,
    /// The sum of its opponents' points, in halves; a bye is an opponent with its own points.
    pub buchholz: u64,
    /// The sum of the points of those it has won against and half of those it was level with, in quarters; a bye is an
    /// opponent with its own points.
    pub sonneborn_berger: u64,
    /// Tables won, byes not counted.
    pub won: u64,
    /// Tables level.
    pub level: u64,
    /// Tables lost.
    pub lost: u64,
    /// Rounds in which it rested.
    pub byes: u64,
}

impl Swiss {
    /// So many rounds of so many bots, at least 2.
    pub fn new(bots: usize, rounds: u64) -> Swiss {
        Swiss {
            bots,
            rounds,
            days: Vec::new(),
        }
    }

    /// The most rounds in which no two bots meet twice, and nobody rests twice.
    pub fn rounds_max(bots: usize) -> u64 {
        bots.next_multiple_of(2) as u64 - 1
    }

    /// Rounds that tell the best of so many bots, and one more.
    pub fn rounds_usual(bots: usize) -> u64 {
        let telling = u64::from(bots.next_power_of_two().ilog2());
        (telling + 1).min(Swiss::rounds_max(bots))
    }

    /// Rounds.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Tables of every round.
    pub fn tables(&self) -> u64 {
        self.bots as u64 / 2
    }

    /// The tables of the round after those played, and who rests. Rounds are paired in order, each once.
    pub fn pair(&mut self, played: &[Round]) -> (Matching, Option<usize>) {
        let vertices = self.bots.next_multiple_of(2);
        let cycle = vertices - 1;
        let since = played.len() % cycle;
        let mut graph = Graph::complete(vertices);
        for round in &played[played.len() - since..] {
            let tables = round.tables.iter().map(|table| table.bots);
            let bye = round.bye.map(|bot| [bot, self.bots]);
            graph.set_all(&tables.chain(bye).collect::<Vec<_>>(), false);
        }
        let to_come = (self.rounds as usize - played.len()).min(cycle - since);
        let places = Places::of(&standings(self.bots, played));
        let matching = if since + to_come <= vertices / 2 {
            // By Dirac's theorem: in the last round each may still meet half of all.
            let matching = places.cheapest(&graph);
            matching.expect("there is a matching where each may meet half of all")
        } else {
            self.with_look_ahead(&graph, &places, since == 0, to_come - 1)
        };
        let (bye, mut tables): (Matching, Matching) = matching.into_iter().partition(|pair| pair[1] == self.bots);
        tables.sort_unstable_by_key(|table| table.map(|bot| places.of_bot[bot]).into_iter().min());
        (tables, bye.first().map(|pair| pair[0]))
    }

    /// A round after which `more` rounds are possible.
    fn with_look_ahead(&mut self, graph: &Graph, places: &Places, first: bool, more: usize) -> Matching {
        let vertices = self.bots.next_multiple_of(2);
        if first {
            let day = |day: usize| (0..vertices / 2).map(move |table| pair(vertices, day * (vertices / 2) + table));
            self.days = (0..vertices - 1)
                .map(|number| day(number).map(sorted).collect())
                .collect();
        }
        if vertices <= EXACT_MAX
            && let Some(matching) = places.cheapest(graph)
        {
            let mut rest = graph.clone();
            rest.set_all(&matching, false);
            if let Some(days) = disjoint(&rest, more, STEPS_MAX) {
                self.days = days;
                return matching;
            }
        }
        let cost = |a: usize, b: usize| places.cost(places.of_bot[a], places.of_bot[b]);
        let best = (0..self.days.len()).min_by_key(|day| total(&self.days[*day], &cost));
        self.days.remove(best.expect("there is a day for every round to come"))
    }
}

/// The standings as a matching needs them, by place from 0. The bye comes last.
struct Places {
    /// The bot at each place.
    bots: Vec<usize>,
    /// The place of each bot.
    of_bot: Vec<usize>,
    halves: Vec<u64>,
    /// How many have these points.
    equal: Vec<usize>,
}

impl Places {
    fn of(lines: &[SwissLine]) -> Places {
        let count = lines.len();
        let bots: Vec<usize> = lines.iter().map(|line| line.bot).chain([count]).collect();
        let mut of_bot = vec![0; count + 1];
        bots.iter().enumerate().for_each(|(place, bot)| of_bot[*bot] = place);
        let halves: Vec<u64> = lines.iter().map(|line| line.halves).collect();
        let equal = halves.chunk_by(|a, b| a == b);
        let equal = equal.flat_map(|group| std::iter::repeat_n(group.len(), group.len()));
        Places {
            bots,
            of_bot,
            equal: equal.collect(),
            halves,
        }
    }

    /// The cheapest matching of a graph of bots; of equally good ones, that in which those in front meet those in front.
    fn cheapest(&self, graph: &Graph) -> Option<Matching> {
        let vertices = self.halves.len().next_multiple_of(2);
        let mut by_place = Graph::complete(vertices);
        let pairs = (0..vertices).flat_map(|a| (a + 1..vertices).map(move |b| [a, b]));
        let barred: Vec<_> = pairs
            .filter(|[a, b]| !graph.has(self.bots[*a], self.bots[*b]))
            .collect();
        by_place.set_all(&barred, false);
        let matching = cheapest(&by_place, &|a, b| self.cost(a, b))?;
        Some(
            matching
                .into_iter()
                .map(|pair| sorted(pair.map(|at| self.bots[at])))
                .collect(),
        )
    }

    /// What it costs that two places meet: the squared difference in points, then how far they are from the upper half
    /// meeting the lower one. The bye goes to the last who may have it.
    fn cost(&self, a: usize, b: usize) -> (u64, u64) {
        let (front, back) = (a.min(b), a.max(b));
        let bots = self.halves.len();
        let least = self.halves[bots - 1];
        let apart = (self.halves[front] - self.halves.get(back).unwrap_or(&least)).pow(2);
        let off = if back == bots {
            (back - 1 - front) * bots
        } else if apart == 0 {
            (back - front).abs_diff(self.equal[front] / 2)
        } else {
            back - front
        };
        (apart, (off as u64).pow(2))
    }
}

fn sorted(mut pair: [usize; 2]) -> [usize; 2] {
    pair.sort_unstable();
    pair
}

/// The table after the rounds played, best first: points, then Buchholz, Sonneborn-Berger, the plan's order.
pub fn standings(bots: usize, played: &[Round]) -> Vec<SwissLine> {
    let mut lines: Vec<SwissLine> = (0..bots)
        .map(|bot| SwissLine {
            bot,
            halves: 0,
            buchholz: 0,
            sonneborn_berger: 0,
            won: 0,
            level: 0,
            lost: 0,
            byes: 0,
        })
        .collect();
    for round in played {
        for table in &round.tables {
            for (&bot, result) in table.bots.iter().zip(table.results()) {
                lines[bot].halves += result;
                match result {
                    2 => lines[bot].won += 1,
                    1 => lines[bot].level += 1,
                    _ => lines[bot].lost += 1,
                }
            }
        }
        if let Some(bot) = round.bye {
            lines[bot].halves += 2;
            lines[bot].byes += 1;
        }
    }
    let halves: Vec<u64> = lines.iter().map(|line| line.halves).collect();
    for table in played.iter().flat_map(|round| &round.tables) {
        let ([a, b], [of_a, of_b]) = (table.bots, table.results());
        for (bot, result, opponent) in [(a, of_a, b), (b, of_b, a)] {
            lines[bot].buchholz += halves[opponent];
            lines[bot].sonneborn_berger += result * halves[opponent];
        }
    }
    for bot in played.iter().filter_map(|round| round.bye) {
        lines[bot].buchholz += halves[bot];
        lines[bot].sonneborn_berger += 2 * halves[bot];
    }
    lines.sort_by_key(|line| std::cmp::Reverse((line.halves, line.buchholz, line.sonneborn_berger)));
    lines
}
