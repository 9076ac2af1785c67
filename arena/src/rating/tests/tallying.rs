//! A tally against counting by looking at everything.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::rating::rotations::Encounter;

/// What a rotation says, its matches in an order of their own; and how often it was played.
type Said = (Vec<Vec<Encounter>>, u64);

/// Bots and places with the gaps closed.
type Played = (Vec<usize>, Vec<usize>);

/// How many rotations say the same as often, as the tally has it.
fn tallied(matches: &[MatchScore]) -> (u64, BTreeMap<Said, u64>) {
    let tally = tally(BOTS, matches);
    let mut rotations = BTreeMap::new();
    tally.rotations().each(|rotation| {
        let mut said = rotation.matches();
        said.sort_unstable();
        *rotations.entry((said, rotation.copies)).or_default() += rotation.number;
    });
    (tally.distinct(), rotations)
}

/// The same, from lists of all matches. Rotations are copies when they have the same results and the same matches.
fn counted(matches: &[MatchScore]) -> (u64, BTreeMap<Said, u64>) {
    let identity = |score: &MatchScore| (score.fingerprint, score.bots.clone());
    let distinct: BTreeSet<_> = matches.iter().map(identity).collect();
    let mut played: BTreeMap<(u64, usize), (Vec<Played>, Vec<_>)> = BTreeMap::new();
    for score in matches {
        let better = |place: &u8| {
            score
                .places
                .iter()
                .filter(|other| *other < place)
                .collect::<BTreeSet<_>>()
        };
        let places = score.places.iter().map(|place| better(place).len()).collect();
        let (results, matches) = played.entry((score.rotation, score.bots.len())).or_default();
        results.push((score.bots.clone(), places));
        matches.push(identity(score));
    }
    let mut times = BTreeMap::new();
    for (mut results, mut matches) in played.into_values() {
        results.sort_unstable();
        matches.sort_unstable();
        *times.entry((results, matches)).or_default() += 1;
    }
    let mut rotations = BTreeMap::new();
    for ((results, _), times) in times {
        let mut said: Vec<Vec<Encounter>> = results.iter().map(encounters).collect();
        said.sort_unstable();
        *rotations.entry((said, times)).or_default() += 1;
    }
    (distinct.len() as u64, rotations)
}

fn encounters((bots, places): &Played) -> Vec<Encounter> {
    let pairs = (0..bots.len()).flat_map(|seat| (seat + 1..bots.len()).map(move |other| (seat, other)));
    let pairs = pairs.filter(|&(seat, other)| bots[seat] != bots[other]);
    pairs
        .map(|(seat, opponent_seat)| Encounter {
            bot: bots[seat],
            opponent: bots[opponent_seat],
            seat,
            opponent_seat,
            halves: 1 + u8::from(places[seat] < places[opponent_seat]) - u8::from(places[seat] > places[opponent_seat]),
        })
        .collect()
}

const BOTS: usize = 3;

prop_compose! {
    /// Matches of one rotation, complete or not, mostly with each bot in each seat. So few bots, places and fingerprints
    /// that copies are common, and copies that ended otherwise.
    fn rotation()(
        seats in 2..=5_usize,
        all_bots in vec(vec(0..BOTS, 5), 5),
        places in vec(vec(1..=3_u8, 5), 5),
        fingerprints in vec(0..2_u64, 5),
        is_regular in prop::bool::weighted(0.8),
        missing in prop_oneof![3 => Just(0), 1 => Just(1_usize)],
    ) -> Vec<MatchScore> {
        let number = seats - missing;
        (0..number).map(|index| {
            let mut bots = all_bots[if is_regular { 0 } else { index }][..seats].to_vec();
            bots.rotate_left(index);
            MatchScore { fingerprint: fingerprints[index], ..played(0, &bots, &places[index][..seats]) }
        }).collect()
    }
}

fn in_any_order() -> impl Strategy<Value = (Vec<MatchScore>, Vec<MatchScore>)> {
    let numbered = |(number, matches): (usize, Vec<MatchScore>)| {
        matches.into_iter().map(move |score| MatchScore {
            rotation: number as u64,
            ..score
        })
    };
    let matches = vec(rotation(), 0..60).prop_map(move |rotations| -> Vec<MatchScore> {
        rotations.into_iter().enumerate().flat_map(numbered).collect()
    });
    matches.prop_flat_map(|matches| (Just(matches.clone()), Just(matches).prop_shuffle()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_tally_counts_what_looking_at_everything_counts((matches, shuffled) in in_any_order()) {
        let expected = counted(&matches);
        prop_assert_eq!(&tallied(&matches), &expected);
        prop_assert_eq!(&tallied(&shuffled), &expected);
    }
}
