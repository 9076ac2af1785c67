//! Symmetric positive definite systems, dense, row by row in one vector.

/// The lower triangle `l` with `l lᵀ = a`.
pub(super) struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

/// A pivot this small next to its diagonal element means that the matrix is singular.
const PIVOT_SHARE_MIN: f64 = 1e-10;

impl Cholesky {
    /// Decomposes `a`, of `size` rows; absent when it is not clearly positive definite: when a pivot is at
    /// most `pivot_min` or next to nothing beside its diagonal element. Only the lower triangle of `a` is read.
    pub fn of(mut a: Vec<f64>, size: usize, pivot_min: f64) -> Option<Cholesky> {
        for row in 0..size {
            let (above, from_row) = a.split_at_mut(row * size);
            let current = &mut from_row[..size];
            for column in 0..row {
                let other = &above[column * size..column * size + column + 1];
                let known = dot(&current[..column], &other[..column]);
                current[column] = (current[column] - known) / other[column];
            }
            let pivot = current[row] - dot(&current[..row], &current[..row]);
            if pivot.is_nan() || pivot <= pivot_min.max(PIVOT_SHARE_MIN * current[row]) {
                return None;
            }
            current[row] = pivot.sqrt();
        }
        Some(Cholesky { size, lower: a })
    }

    /// Replaces `b` by the solution `x` of `a x = b`.
    pub fn solve(&self, b: &mut [f64]) {
        let row = |i: usize| &self.lower[i * self.size..i * self.size + i + 1];
        for i in 0..self.size {
            let known = dot(&row(i)[..i], &b[..i]);
            b[i] = (b[i] - known) / row(i)[i];
        }
        for i in (0..self.size).rev() {
            b[i] /= row(i)[i];
            let solved = b[i];
            for (value, factor) in b[..i].iter_mut().zip(row(i)) {
                *value -= factor * solved;
            }
        }
    }

    /// The inverse of `a`.
    pub fn inverse(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.size * self.size];
        for (i, column) in inverse.chunks_exact_mut(self.size.max(1)).enumerate() {
            column[i] = 1.0;
            self.solve(column);
        }
        inverse
    }
}

/// The product of two square matrices.
pub(super) fn product(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    for (row, target) in a.chunks_exact(size.max(1)).zip(out.chunks_exact_mut(size.max(1))) {
        for (&factor, other) in row.iter().zip(b.chunks_exact(size)) {
            for (value, &element) in target.iter_mut().zip(other) {
                *value += factor * element;
            }
        }
    }
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
