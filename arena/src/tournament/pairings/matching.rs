//! Perfect matchings: who meets whom when everybody meets somebody. Vertices are numbers; knows nothing of bots.
//!
//! Up to [`EXACT_MAX`] vertices the cheapest matching is found exactly, over subsets. Above that a greedy one is improved
//! by exchanges between two pairs; it exists, and is found, whenever each vertex may meet at least half of all.

/// Up to so many vertices everything is exact: 65,536 subsets.
pub const EXACT_MAX: usize = 16;

/// Passes over all pairs of pairs. Each pass lowers the cost; a few are enough.
const PASSES_MAX: usize = 50;

/// Everybody with somebody, the lower number first.
pub type Matching = Vec<[usize; 2]>;

/// Which vertices may meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    vertices: usize,
    edges: Vec<bool>,
}

impl Graph {
    /// Everybody may meet everybody else.
    pub fn complete(vertices: usize) -> Graph {
        let edges = (0..vertices * vertices).map(|at| at / vertices != at % vertices);
        Graph {
            vertices,
            edges: edges.collect(),
        }
    }

    /// Whether the two may meet.
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.edges[a * self.vertices + b]
    }

    /// Says of all pairs of `matching` whether they may meet.
    pub fn set_all(&mut self, matching: &[[usize; 2]], may: bool) {
        for &[a, b] in matching {
            self.edges[a * self.vertices + b] = may;
            self.edges[b * self.vertices + a] = may;
        }
    }
}

/// The sum over a matching. The first number goes before the second.
pub type Cost = (u64, u64);

fn sum(one: Cost, other: Cost) -> Cost {
    (one.0 + other.0, one.1 + other.1)
}

/// What a matching costs.
pub fn total(matching: &Matching, cost: &impl Fn(usize, usize) -> Cost) -> Cost {
    matching.iter().fold((0, 0), |all, [a, b]| sum(all, cost(*a, *b)))
}

/// The cheapest matching, or with many vertices a cheap one; `None` where there is none, or none was found. Of equal ones
/// the one in which low numbers meet low numbers.
pub fn cheapest(graph: &Graph, cost: &impl Fn(usize, usize) -> Cost) -> Option<Matching> {
    if graph.vertices <= EXACT_MAX {
        exact(graph, cost)
    } else {
        greedy(graph, cost).map(|matching| improved(matching, graph, cost))
    }
}

/// The best matching of each even subset, from the best ones of smaller subsets.
fn exact(graph: &Graph, cost: &impl Fn(usize, usize) -> Cost) -> Option<Matching> {
    let subsets = 1_usize << graph.vertices;
    let mut best: Vec<Option<(Cost, usize)>> = vec![None; subsets];
    best[0] = Some(((0, 0), 0));
    for subset in 1..subsets {
        // The partner of the lowest member decides which smaller subset is left.
        let lowest = subset.trailing_zeros() as usize;
        for partner in lowest + 1..graph.vertices {
            if subset >> partner & 1 == 0 || !graph.has(lowest, partner) {
                continue;
            }
            let Some((rest, _)) = best[subset & !(1 << lowest) & !(1 << partner)] else {
                continue;
            };
            let all = sum(rest, cost(lowest, partner));
            if best[subset].is_none_or(|(least, _)| all < least) {
                best[subset] = Some((all, partner));
            }
        }
    }
    let mut left = subsets - 1;
    let mut matching = Matching::new();
    while left != 0 {
        let (_, partner) = best[left]?;
        let lowest = left.trailing_zeros() as usize;
        matching.push([lowest, partner]);
        left &= !(1 << lowest) & !(1 << partner);
    }
    Some(matching)
}

/// Each in turn takes the cheapest partner that is left. Two that are left over and may not meet break up a pair.
fn greedy(graph: &Graph, cost: &impl Fn(usize, usize) -> Cost) -> Option<Matching> {
    let mut matching = Matching::new();
    let mut left: Vec<usize> = (0..graph.vertices).collect();
    let mut over = Vec::new();
    while !left.is_empty() {
        let first = left.remove(0);
        let partners = (0..left.len()).filter(|at| graph.has(first, left[*at]));
        match partners.min_by_key(|at| cost(first, left[*at])) {
            Some(at) => matching.push([first, left.remove(at)]),
            None => over.push(first),
        }
    }
    for two in over.chunks(2) {
        let &[a, b] = two else { return None };
        let broken = (0..matching.len()).find_map(|at| {
            let [c, d] = matching[at];
            let ways = [[[a, c], [b, d]], [[a, d], [b, c]]];
            let way = ways
                .into_iter()
                .find(|way| way.iter().all(|[one, other]| graph.has(*one, *other)));
            Some((at, way?))
        });
        let (at, [one, other]) = broken?;
        matching[at] = one;
        matching.push(other);
    }
    Some(matching)
}

/// Exchanges partners between two pairs wherever that is cheaper.
fn improved(mut matching: Matching, graph: &Graph, cost: &impl Fn(usize, usize) -> Cost) -> Matching {
    for _ in 0..PASSES_MAX {
        let mut better = false;
        for one in 0..matching.len() {
            for other in one + 1..matching.len() {
                let ([a, b], [c, d]) = (matching[one], matching[other]);
                for way in [[[a, c], [b, d]], [[a, d], [b, c]]] {
                    let of = |pairs: [[usize; 2]; 2]| pairs.iter().fold((0, 0), |all, [a, b]| sum(all, cost(*a, *b)));
                    let may = way.iter().all(|[a, b]| graph.has(*a, *b));
                    if may && of(way) < of([matching[one], matching[other]]) {
                        [matching[one], matching[other]] = way;
                        better = true;
                    }
                }
            }
        }
        if !better {
            break;
        }
    }
    matching.iter_mut().for_each(|pair| pair.sort_unstable());
    matching.sort_unstable();
    matching
}

/// `count` matchings of the graph that share no pair, unless none are found within so many steps. At most
/// [`EXACT_MAX`] vertices.
pub fn disjoint(graph: &Graph, count: usize, steps_max: usize) -> Option<Vec<Matching>> {
    let mut search = Search {
        graph: graph.clone(),
        count,
        steps: steps_max,
        found: Vec::new(),
    };
    search.matching(&mut Matching::new(), 0).then_some(search.found)
}

struct Search {
    /// What is left beside the matchings found and the one in the making.
    graph: Graph,
    count: usize,
    steps: usize,
    found: Vec<Matching>,
}

impl Search {
    /// Completes the matching in the making, of which `used` are the members, and all that are to follow.
    fn matching(&mut self, making: &mut Matching, used: usize) -> bool {
        if self.found.len() == self.count {
            return true;
        }
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let vertices = self.graph.vertices;
        if used.count_ones() as usize == vertices {
            self.graph.set_all(making, false);
            self.found.push(std::mem::take(making));
            if self.matching(making, 0) {
                return true;
            }
            *making = self.found.pop().expect("it was pushed above");
            self.graph.set_all(making, true);
            return false;
        }
        let free = |vertex: &usize| used >> vertex & 1 == 0;
        let partners = |vertex: usize, graph: &Graph| -> Vec<usize> {
            (0..vertices)
                .filter(|other| free(other) && graph.has(vertex, *other))
                .collect()
        };
        let scarcest = (0..vertices)
            .filter(free)
            .map(|vertex| (vertex, partners(vertex, &self.graph)))
            .min_by_key(|(_, partners)| partners.len());
        let (vertex, partners) = scarcest.expect("some are free");
        for partner in partners {
            making.push([vertex.min(partner), vertex.max(partner)]);
            if self.matching(making, used | 1 << vertex | 1 << partner) {
                return true;
            }
            making.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_meet(graph: &Graph, matching: &Matching) -> bool {
        matching.iter().all(|[a, b]| graph.has(*a, *b))
    }

    #[test]
    fn the_cheapest_matching_is_not_the_greedy_one() {
        let costs = [[0, 1, 2, 9], [1, 0, 9, 2], [2, 9, 0, 9], [9, 2, 9, 0]];
        let cost = |a: usize, b: usize| (costs[a][b], 0);
        let matching = cheapest(&Graph::complete(4), &cost).expect("there is one");
        assert_eq!(matching, [[0, 2], [1, 3]]);
    }

    #[test]
    fn two_triangles_have_no_matching() {
        let mut graph = Graph::complete(6);
        let between: Matching = (0..3).flat_map(|a| (3..6).map(move |b| [a, b])).collect();
        graph.set_all(&between, false);
        assert_eq!(cheapest(&graph, &|_, _| (0, 0)), None);
        assert_eq!(disjoint(&graph, 1, 1_000), None);
    }

    #[test]
    fn all_of_a_round_robin_is_found() {
        for vertices in [2, 4, 8, 16] {
            let days = disjoint(&Graph::complete(vertices), vertices - 1, 100_000).expect("they exist");
            let mut left = Graph::complete(vertices);
            for day in &days {
                assert_eq!(day.len(), vertices / 2);
                assert!(may_meet(&left, day));
                left.set_all(day, false);
            }
        }
    }

    #[test]
    fn with_many_vertices_a_matching_is_found_where_each_may_meet_half() {
        let vertices = 40;
        let mut graph = Graph::complete(vertices);
        // Everybody may meet those of the other half only: 20 of 40.
        let within: Matching = (0..vertices)
            .flat_map(|a| (a + 1..vertices).map(move |b| [a, b]))
            .filter(|[a, b]| a % 2 == b % 2)
            .collect();
        graph.set_all(&within, false);
        let matching = cheapest(&graph, &|a, b| (a.abs_diff(b) as u64, 0)).expect("there is one");
        assert!(may_meet(&graph, &matching));
        assert_eq!(total(&matching, &|a, b| (a.abs_diff(b) as u64, 0)), (20, 0));
    }
}
