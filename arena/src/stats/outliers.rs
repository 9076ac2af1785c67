//! Which of a few numbers stand apart from the others, told by what outliers do not move: medians.

/// The middle value, or the mean of the two in the middle. Absent without any.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The modified z-score of each value, 0.6745 (x - median) / MAD, in the order given; MAD is the median of the absolute
/// deviations from the median. Above 3.5 on either side a value is called an outlier.
///
/// B. Iglewicz and D. C. Hoaglin, How to detect and handle outliers, ASQC Quality Press, 1993. Where more than half of the
/// values are the same the MAD is 0: these have the score 0 then, and all others an infinite one.
pub fn modified_z_scores(values: &[f64]) -> Vec<f64> {
    let Some(middle) = median(values) else {
        return Vec::new();
    };
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let scale = median(&deviations).expect("there are as many as there are values");
    let score = |value: &f64| {
        let deviation = value - middle;
        if deviation == 0.0 {
            0.0
        } else {
            0.6745 * deviation / scale
        }
    };
    values.iter().map(score).collect()
}
