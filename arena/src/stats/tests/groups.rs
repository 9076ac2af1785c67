//! Groups against the rest, outliers and clusters: published numbers, then properties.

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::near;
use crate::stats::{
    CONFIDENCE, MarkedStratum, MeanScore, Stratum, clustered_mean, marked_test, mean_score_test, median,
    modified_z_scores,
};

/// The test of the first of two groups, given by stratum how many units of each have the scores 0, 1 and so on.
fn mean_score(strata: &[[&[u64]; 2]]) -> Option<MeanScore> {
    type Owned = (Vec<(f64, u64)>, u64, f64);
    let owned = |[group, rest]: &[&[u64]; 2]| -> Owned {
        let counts = group.iter().zip(*rest).map(|(one, other)| one + other);
        let scores = counts.enumerate().map(|(score, count)| (score as f64, count));
        let sum = group.iter().enumerate().map(|(score, count)| score as u64 * count);
        (
            scores.filter(|(_, count)| *count > 0).collect(),
            group.iter().sum(),
            sum.sum::<u64>() as f64,
        )
    };
    let owned: Vec<Owned> = strata.iter().map(owned).collect();
    mean_score_test(owned.iter().map(|(scores, group, sum)| Stratum {
        scores,
        group: *group,
        sum: *sum,
    }))
}

/// Migraine headaches by sex, drug and placebo, the same and better: SAS/STAT User's Guide, the FREQ procedure, example
/// "Cochran-Mantel-Haenszel Statistics": 8.3052, p 0.0040. More digits from `StratifiedTable.test_null_odds` of statsmodels
/// 0.15.0.
#[test]
fn mean_scores_of_two_kinds_agree_with_sas() {
    let found = mean_score(&[[&[11, 16], &[20, 5]], [&[16, 12], &[19, 7]]]).expect("there is room");
    near(found.chi_square, 8.305_169_335_459, 1e-9);
    near(found.p, 0.003_953_239_638_417, 1e-9);
}

/// Arthritis by sex, drug and placebo, no, some and marked improvement: G. G. Koch and S. Edwards, Clinical efficacy trials with
/// categorical data, 1988. The numbers are computed with numpy 2 and scipy 1.17.1, from sums and permutation variances.
#[test]
fn mean_scores_of_three_kinds_agree_with_a_computation_elsewhere() {
    let found = mean_score(&[[&[6, 5, 16], &[19, 7, 6]], [&[7, 2, 5], &[10, 0, 1]]]).expect("there is room");
    near(found.chi_square, 14.631_940_141_807, 1e-9);
    near(found.p, 0.000_130_680_864_6, 1e-12);
    near(found.excess, 15.532_881_355_932 / 41.0, 1e-9);
}

#[test]
fn a_group_that_is_alone_or_alike_is_not_tested() {
    assert_eq!(mean_score(&[]), None);
    assert_eq!(mean_score(&[[&[20, 30], &[0, 0]]]), None);
    assert_eq!(mean_score(&[[&[0, 30], &[0, 40]]]), None);
}

/// One unit with a score of its own among 50: the normal law would say that this is a matter of 1 in 10^12. It is 1 in 50.
#[test]
fn a_group_with_too_little_room_is_not_tested() {
    assert_eq!(mean_score(&[[&[0, 1], &[49, 0]]]), None);
    assert_eq!(mean_score(&[[&[96, 4], &[96, 4]]]), None);
    assert!(mean_score(&[[&[95, 5], &[95, 5]]]).is_some());
}

fn marked(strata: &[(u64, u64, u64)], found: u64) -> Option<f64> {
    let strata = strata
        .iter()
        .map(|&(units, marked, group)| MarkedStratum { units, marked, group });
    marked_test(strata, found)
}

/// R. A. Fisher, The design of experiments, 1935, chapter 2: of eight cups all four told right by chance once in 70, three
/// or four of them in 17 of 70.
#[test]
fn marks_in_one_stratum_are_the_lady_tasting_tea() {
    near(marked(&[(8, 4, 4)], 4).expect("it can differ"), 1.0 / 70.0, 1e-12);
    near(marked(&[(8, 4, 4)], 3).expect("it can differ"), 17.0 / 70.0, 1e-12);
    near(marked(&[(8, 4, 4)], 0).expect("it can differ"), 1.0, 1e-12);
}

/// `scipy.stats.fisher_exact([[7, 13], [3, 397]], alternative="greater")` of scipy 1.17.1, then convolutions of its
/// `hypergeom.pmf`; the second of them on the data of migraine headaches.
#[test]
fn marks_agree_with_scipy() {
    let agrees = |strata: &[(u64, u64, u64)], found, expected: f64| {
        near(marked(strata, found).expect("it can differ") / expected, 1.0, 1e-9);
    };
    agrees(&[(420, 10, 20)], 7, 1.966_334_782_468_209e-8);
    agrees(&[(52, 21, 27), (54, 19, 28)], 28, 0.003_292_267_949_009_123);
    agrees(
        &[(30, 5, 10), (50, 2, 20), (40, 0, 5), (25, 7, 8)],
        9,
        0.009_695_818_256_070_89,
    );
}

#[test]
fn marks_that_could_not_have_come_otherwise_are_not_tested() {
    assert_eq!(marked(&[], 0), None);
    assert_eq!(marked(&[(50, 0, 10), (50, 50, 10), (50, 7, 50), (50, 7, 0)], 17), None);
}

/// A million units take no more than a moment, as only terms that count are kept.
#[test]
fn marks_of_many_units_follow_the_normal_law() {
    let strata = [(10_000, 2_000, 1_000); 100];
    // 20,000 are expected, with a variance of 100 * 1000 * 0.2 * 0.8 * 9000 / 9999.
    let error = (100.0 * 1_000.0 * 0.2 * 0.8 * 9_000.0 / 9_999.0_f64).sqrt();
    let found = (20_000.0 + 2.0 * error).round();
    let expected = 1.0 - crate::stats::normal_cdf((found - 0.5 - 20_000.0) / error);
    near(
        marked(&strata, found as u64).expect("it can differ") / expected,
        1.0,
        0.01,
    );
}

/// 0.6745 (x - median) / `scipy.stats.median_abs_deviation`, scipy 1.17.1.
#[test]
fn modified_z_scores_agree_with_scipy() {
    let found = modified_z_scores(&[0.02, -0.03, 0.0, 0.05, 0.41, -0.01, 0.03]);
    let expected = [
        0.0,
        -1.124_166_666_7,
        -0.449_666_666_7,
        0.674_5,
        8.768_5,
        -0.674_5,
        0.224_833_333_3,
    ];
    for (found, expected) in found.iter().zip(expected) {
        near(*found, expected, 1e-9);
    }
}

#[test]
fn among_equals_only_what_differs_stands_apart() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0, 1.0]), Some(2.0));
    assert_eq!(modified_z_scores(&[1.0, 1.0, 1.0, 2.0]), [0.0, 0.0, 0.0, f64::INFINITY]);
}

/// `OLS(y, ones).fit(cov_type="cluster")` of statsmodels 0.15.0, and `t.ppf(0.975, 4)` of scipy 1.17.1.
#[test]
fn the_error_of_clusters_agrees_with_statsmodels() {
    // 0.1 0.3 | -0.2 0.05 0.0 | 0.4 0.35 | -0.1 | 0.2 0.15
    let clusters = [(0.4, 2.0), (-0.15, 3.0), (0.75, 2.0), (-0.1, 1.0), (0.35, 2.0)];
    let found = clustered_mean(clusters).expect("there are five");
    near(found.mean, 0.125, 1e-12);
    near(found.error, 0.087_231_73, 1e-8);
    near(
        found.interval(CONFIDENCE).high,
        0.125 + 2.776_445_105 * 0.087_231_73,
        1e-7,
    );
    assert_eq!(clustered_mean([(1.0, 2.0)]), None);
}

/// With nothing to be found p is below any level as often as that level says: 20 units of 60, in two strata of scores that
/// differ, 4,000 times.
#[test]
fn p_values_of_nothing_are_about_uniform() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut p_values: Vec<f64> = (0..4_000)
        .map(|_| {
            let mut counts = [[[0_u64; 5]; 2]; 2];
            for unit in 0..120 {
                let stratum = unit % 2;
                // A pair's half-points: in the one stratum 0 to 4, in the other mostly 4.
                let score = (rng.next_u32() % 5).max(if stratum == 0 { 0 } else { rng.next_u32() % 5 });
                counts[stratum][usize::from(unit >= 40)][score as usize] += 1;
            }
            let strata = counts.each_ref().map(|[group, rest]| [&group[..], &rest[..]]);
            mean_score(&strata).expect("there is room").p
        })
        .collect();
    p_values.sort_by(f64::total_cmp);
    // The largest distance of the two laws: Kolmogorov's bound at 1 % is 1.63 / sqrt(n).
    let number = p_values.len() as f64;
    let distances = p_values
        .iter()
        .enumerate()
        .map(|(at, p)| (p - (at as f64 + 0.5) / number).abs());
    let distance = distances.fold(0.0, f64::max);
    assert!(distance < 1.63 / number.sqrt(), "{distance}");
    let below = p_values.iter().filter(|p| **p < 0.01).count();
    assert!((20..=60).contains(&below), "{below} of 4,000 below 0.01");
}

/// By stratum the units of group and rest by score.
fn tables() -> impl Strategy<Value = Vec<[Vec<u64>; 2]>> {
    let counts = || proptest::collection::vec(0..40_u64, 5);
    proptest::collection::vec((counts(), counts()).prop_map(|(one, other)| [one, other]), 1..5)
}

proptest! {
    #[test]
    fn rest_and_group_are_as_different_from_each_other(tables in tables()) {
        let strata: Vec<_> = tables.iter().map(|[one, other]| [&one[..], &other[..]]).collect();
        let swapped: Vec<_> = tables.iter().map(|[one, other]| [&other[..], &one[..]]).collect();
        if let (Some(one), Some(other)) = (mean_score(&strata), mean_score(&swapped)) {
            prop_assert!((one.chi_square - other.chi_square).abs() < 1e-6 * (1.0 + one.chi_square));
            prop_assert!(one.excess * other.excess <= 0.0);
        }
    }

    #[test]
    fn a_law_of_marks_is_whole_and_falls(
        strata in proptest::collection::vec((1..60_u64, 0.0..1.0_f64, 0.0..1.0_f64), 1..5),
    ) {
        let part = |units: u64, share: f64| (units as f64 * share).round() as u64;
        let strata: Vec<_> = strata
            .into_iter()
            .map(|(units, marked, group)| (units, part(units, marked), part(units, group)))
            .collect();
        let most = strata.iter().map(|(_, marked, group)| marked.min(group)).sum::<u64>();
        if marked(&strata, 0).is_some() {
            let p: Vec<f64> = (0..=most + 1).map(|found| marked(&strata, found).expect("as before")).collect();
            prop_assert!((p[0] - 1.0).abs() < 1e-12 && p[p.len() - 1] == 0.0);
            prop_assert!(p.windows(2).all(|pair| pair[0] >= pair[1]));
        }
    }
}
