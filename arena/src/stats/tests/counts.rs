//! Head-to-head figures against fastchess, fishtest and cutechess, then over every small table.

use super::super::*;
use super::{golden, near, number};

/// The counts of a case, whichever of its forms they have.
pub(super) fn counts(input: &serde_json::Value) -> Counts {
    let count = |value: &serde_json::Value| value.as_u64().expect("a count");
    let list = |key: &str| -> Option<Vec<u64>> { Some(input.get(key)?.as_array()?.iter().map(count).collect()) };
    if let Some(six) = list("LL,LD,WL,DD,WD,WW") {
        let [ll, ld, wl, dd, wd, ww] = six.try_into().expect("six counts");
        return Pairs { ll, ld, wl, dd, wd, ww }.counts();
    }
    if input.get("LL").is_some() {
        let [ll, ld, wl, dd, wd, ww] = ["LL", "LD", "WL", "DD", "WD", "WW"].map(|key| count(&input[key]));
        return Pairs { ll, ld, wl, dd, wd, ww }.counts();
    }
    let histogram = list("pentanomial")
        .or_else(|| list("results_low_to_high"))
        .or_else(|| list("R5"))
        .unwrap_or_else(|| ["losses", "draws", "wins"].map(|key| count(&input[key])).to_vec());
    Counts::of_half_points(&histogram).expect("3 or 5 counts")
}

/// The symmetrised half-width of the plain interval, which fastchess and fishtest print.
fn plain_error(counts: &Counts) -> f64 {
    let moments = counts.moments().expect("there are scores");
    let reach = normal_quantile(0.95) * (moments.variance / counts.total() as f64).sqrt();
    (elo_of_score(moments.mean + reach) - elo_of_score(moments.mean - reach)) / 2.0
}

fn check_fastchess(id: &str) {
    let case = golden(id);
    let expected = &case["expected"];
    let counts = counts(&case["input"]);
    let moments = counts.moments().expect("there are scores");
    near(moments.mean, number(&expected["score"]), 1e-9);
    near(elo_of_score(moments.mean), number(&expected["elo"]), 1e-6);
    near(plain_error(&counts), number(&expected["err"]), 1e-6);
    let nelo = counts.nelo(0.95).expect("the scores differ");
    near(nelo.value, number(&expected["nelo"]), 1e-6);
    // Wilson's ends are near the plain ones, which fastchess prints the half-width of, and never the same.
    near((nelo.high - nelo.low) / 2.0, number(&expected["nerr"]), 0.5);
    let los = format!("{:.2} %", 100.0 * counts.los().expect("the scores differ"));
    assert_eq!(los, expected["los"].as_str().expect("in percent"));
}

#[test]
fn figures_of_matches_agree_with_fastchess() {
    check_fastchess("h2h-wdl-1");
    check_fastchess("h2h-wdl-2");
}

#[test]
fn figures_of_pairs_agree_with_fastchess() {
    check_fastchess("h2h-penta-1");
    check_fastchess("h2h-penta-2");
}

#[test]
fn elo_and_los_agree_with_fishtest() {
    for id in [
        "ft-get-elo-96-111-136",
        "ft-get-elo-34-54-63-64-75",
        "ft-get-elo-13-37-50-25-3",
    ] {
        let case = golden(id);
        let counts = counts(&case["input"]);
        let expected = &case["expected"];
        near(
            elo_of_score(counts.moments().unwrap().mean),
            number(&expected["elo"]),
            1e-6,
        );
        near(plain_error(&counts), number(&expected["err95"]), 1e-6);
        near(counts.los().unwrap(), number(&expected["los"]), 1e-6);
    }
}

#[test]
fn pairs_count_their_matches_and_keep_wins_with_losses_from_draws() {
    use Scored::{Draw, Loss, Win};
    let mut pairs = Pairs::default();
    for (one, other) in [
        (Win, Loss),
        (Loss, Win),
        (Draw, Draw),
        (Win, Win),
        (Draw, Loss),
        (Win, Draw),
    ] {
        pairs.add(one, other);
    }
    assert_eq!(
        pairs,
        Pairs {
            ll: 0,
            ld: 1,
            wl: 2,
            dd: 1,
            wd: 1,
            ww: 1
        }
    );
    assert_eq!(pairs.counts(), Counts::Pairs([0, 1, 3, 1, 1]));
    assert_eq!(pairs.matches(), [3, 4, 5]);
    let score = |counts: Counts| counts.moments().unwrap().mean;
    near(score(pairs.counts()), score(Counts::Matches(pairs.matches())), 1e-12);
    assert_eq!(pairs.counts().ratio(), Some(2.0));
}

#[test]
fn a_histogram_of_half_points_is_of_matches_or_pairs() {
    assert_eq!(Counts::of_half_points(&[1, 2, 3]), Some(Counts::Matches([1, 2, 3])));
    assert_eq!(
        Counts::of_half_points(&[1, 2, 3, 4, 5]),
        Some(Counts::Pairs([1, 2, 3, 4, 5]))
    );
    assert_eq!(Counts::of_half_points(&[1, 2, 3, 4]), None);
}

/// Every table of `cells` counts with a total up to `most`, nothing at all among them.
pub(super) fn tables(cells: usize, most: u64) -> Vec<Counts> {
    fn fill(cells: usize, left: u64, table: &mut Vec<u64>, all: &mut Vec<Counts>) {
        if cells == 0 {
            all.push(Counts::of_half_points(table).expect("3 or 5 cells"));
            return;
        }
        for count in 0..=left {
            table.push(count);
            fill(cells - 1, left - count, table, all);
            table.pop();
        }
    }
    let mut all = Vec::new();
    fill(cells, most, &mut Vec::new(), &mut all);
    all
}

fn doubled(counts: &Counts) -> Counts {
    let histogram: Vec<u64> = counts.half_points().iter().map(|n| 2 * n).collect();
    Counts::of_half_points(&histogram).expect("as many cells")
}

#[test]
fn every_small_table_has_finite_figures_of_some_width_or_none() {
    for counts in tables(3, 12).into_iter().chain(tables(5, 8)) {
        let Some(interval) = counts.interval(CONFIDENCE) else {
            assert_eq!(counts.total(), 0);
            assert_eq!(
                (counts.moments(), counts.nelo(CONFIDENCE), counts.los()),
                (None, None, None)
            );
            continue;
        };
        assert!(
            0.0 <= interval.low && interval.low < interval.high && interval.high <= 1.0,
            "{counts:?}"
        );
        let (low, high) = interval.elo_ends();
        assert!(
            [low, high, interval.elo()].into_iter().flatten().all(f64::is_finite),
            "{counts:?}"
        );
        assert!(low.is_some() || high.is_some(), "{counts:?}");
        let differ = counts.half_points().iter().filter(|&&n| n > 0).count() > 1;
        assert_eq!(counts.nelo(CONFIDENCE).is_some(), differ, "{counts:?}");
        assert_eq!(counts.los().is_some(), differ, "{counts:?}");
        if let (Some(nelo), Some(los)) = (counts.nelo(CONFIDENCE), counts.los()) {
            assert!(nelo.low < nelo.value && nelo.value < nelo.high, "{counts:?}: {nelo:?}");
            assert!(
                nelo.low.is_finite() && nelo.high.is_finite() && (0.0..=1.0).contains(&los),
                "{counts:?}"
            );
        }
        assert!(counts.ratio().is_none_or(f64::is_finite), "{counts:?}");
    }
}

#[test]
fn swapping_the_bots_flips_the_sign_and_doubling_narrows() {
    for counts in tables(3, 12)
        .into_iter()
        .chain(tables(5, 8))
        .filter(|counts| counts.total() > 0)
    {
        let (one, other) = (counts.interval(0.95).unwrap(), counts.swapped().interval(0.95).unwrap());
        near(one.low, 1.0 - other.high, 1e-12);
        near(one.score, 1.0 - other.score, 1e-12);
        let twice = doubled(&counts);
        let narrower = twice.interval(0.95).unwrap();
        assert!(narrower.high - narrower.low < one.high - one.low, "{counts:?}");
        if let (Some(one), Some(other), Some(twice)) =
            (counts.nelo(0.95), counts.swapped().nelo(0.95), twice.nelo(0.95))
        {
            near(one.value, -other.value, 1e-9);
            near(one.low, -other.high, 1e-9);
            assert!(twice.high - twice.low < one.high - one.low, "{counts:?}");
            near(counts.los().unwrap(), 1.0 - counts.swapped().los().unwrap(), 1e-9);
        }
    }
}
