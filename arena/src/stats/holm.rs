//! Many tests at once.

/// P values adjusted so that calling those up to some level significant errs anywhere with at most that probability,
/// whatever depends on what. In the order given.
///
/// Sture Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics, 1979.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        least = least.max(p_values[index] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}
