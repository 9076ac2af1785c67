//! Which bots can be rated together.
//!
//! A finite rating exists for all bots of a group exactly when, however the group is split in two, each side has scored
//! something against the other (L. R. Ford, Solution of a ranking problem from binary comparisons, American
//! Mathematical Monthly, 1957): the strongly connected components of "scored something against".

/// The components of the graph with an edge `(a, b)` when `a` scored something against `b`.
///
/// Components come so that nobody in a later one has scored against anybody in an earlier one; bots within ascend.
pub(super) fn strong_components(bots: usize, scored: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let forward = neighbours(bots, scored.iter().copied());
    let backward = neighbours(bots, scored.iter().map(|&(a, b)| (b, a)));
    // Kosaraju: the order in which a depth-first search leaves the bots, backwards, then searches against the edges.
    let mut order = Vec::new();
    let mut seen = vec![false; bots];
    for bot in 0..bots {
        search(bot, &forward, &mut seen, &mut order);
    }
    let mut seen = vec![false; bots];
    let mut components = Vec::new();
    for &bot in order.iter().rev() {
        let mut component = Vec::new();
        search(bot, &backward, &mut seen, &mut component);
        if !component.is_empty() {
            component.sort_unstable();
            components.push(component);
        }
    }
    components
}

/// For each bot the number of its part: bots in different parts are not linked by matches at all.
pub(super) fn parts(bots: usize, met: &[(usize, usize)]) -> Vec<usize> {
    let both = neighbours(bots, met.iter().flat_map(|&(a, b)| [(a, b), (b, a)]));
    let mut seen = vec![false; bots];
    let mut part = vec![0; bots];
    let mut count = 0;
    for bot in 0..bots {
        let mut members = Vec::new();
        search(bot, &both, &mut seen, &mut members);
        count += usize::from(!members.is_empty());
        for member in members {
            part[member] = count - 1;
        }
    }
    part
}

fn neighbours(bots: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); bots];
    for (from, to) in edges {
        lists[from].push(to);
    }
    lists
}

/// Depth first from `start` over bots not yet seen; appends each when it is left. No recursion: a chain can be long.
fn search(start: usize, edges: &[Vec<usize>], seen: &mut [bool], left: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((bot, next)) = path.last_mut() {
        match edges[*bot].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            }
            None => {
                left.push(*bot);
                path.pop();
            }
        }
    }
}
