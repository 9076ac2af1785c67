//! Symmetric positive definite systems, dense, row by row in one vector.
//!
//! All but narrow stripes of the work is products of blocks, which `ndarray` does as fast as the processor can: a pool of
//! a thousand bots is a matrix of a million numbers.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayBase, ArrayView2, ArrayViewMut2, Axis, Ix2, RawData};

/// The lower triangle `l` with `l lᵀ = a`.
pub(super) struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

/// A pivot this small next to its diagonal element means that the matrix is singular.
const PIVOT_SHARE_MIN: f64 = 1e-10;

/// Rows and columns that are worked on together.
const BLOCK: usize = 48;

impl Cholesky {
    /// Decomposes `a`, of `size` rows; absent when it is not clearly positive definite: when a pivot is at
    /// most `pivot_min` or next to nothing beside its diagonal element. Only the lower triangle of `a` is read.
    pub fn of(mut a: Vec<f64>, size: usize, pivot_min: f64) -> Option<Cholesky> {
        let diagonal: Vec<f64> = (0..size).map(|i| a[i * size + i]).collect();
        for start in (0..size).step_by(BLOCK) {
            let end = size.min(start + BLOCK);
            let matrix = ArrayViewMut2::from_shape((size, size), &mut a).expect("it has as many elements");
            let (known, open) = matrix.split_at(Axis(1), start);
            let mut stripe = block(open, start..size, 0..end - start);
            let below = block(known.view(), start..size, 0..start);
            let beside = block(known.view(), start..end, 0..start);
            general_mat_mul(-1.0, &below, &beside.t(), 1.0, &mut stripe);
            for (row, whole) in diagonal.iter().enumerate().skip(start) {
                let (above, from_row) = a.split_at_mut(row * size);
                let current = &mut from_row[start..end];
                for column in 0..current.len().min(row - start) {
                    let other = &above[(start + column) * size + start..][..=column];
                    let inner = dot(&current[..column], &other[..column]);
                    current[column] = (current[column] - inner) / other[column];
                }
                if let Some(own) = (row < end).then_some(row - start) {
                    let pivot = current[own] - dot(&current[..own], &current[..own]);
                    if pivot.is_nan() || pivot <= pivot_min.max(PIVOT_SHARE_MIN * whole) {
                        return None;
                    }
                    current[own] = pivot.sqrt();
                }
            }
        }
        Some(Cholesky { size, lower: a })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.size..=i * self.size + i]
    }

    /// Element `i` of the product of the triangle with a vector.
    pub fn times(&self, i: usize, vector: &[f64]) -> f64 {
        dot(self.row(i), &vector[..=i])
    }

    /// Of a difference between two variables whose covariance `a` is; one that comes after all others is always 0.
    pub fn variance_of_difference(&self, one: usize, other: usize) -> f64 {
        let element = |i: usize, j: usize| if i < self.size && j <= i { self.row(i)[j] } else { 0.0 };
        let squares = (0..self.size).map(|j| (element(one, j) - element(other, j)).powi(2));
        squares.sum()
    }

    /// Replaces `b` by the solution `x` of `a x = b`.
    pub fn solve(&self, b: &mut [f64]) {
        for i in 0..self.size {
            let row = self.row(i);
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        for i in (0..self.size).rev() {
            let row = self.row(i);
            b[i] /= row[i];
            let solved = b[i];
            for (value, factor) in b[..i].iter_mut().zip(row) {
                *value -= factor * solved;
            }
        }
    }

    /// The inverse of `a`: the product of the inverse of the triangle, transposed, with itself.
    pub fn inverse(&self) -> Vec<f64> {
        let size = self.size;
        let shape = (size, size);
        let lower = ArrayView2::from_shape(shape, &self.lower).expect("it has as many elements");
        let mut triangle = vec![0.0; size * size];
        for start in (0..size).step_by(BLOCK) {
            let end = size.min(start + BLOCK);
            let matrix = ArrayViewMut2::from_shape(shape, &mut triangle).expect("it has as many elements");
            let (done, open) = matrix.split_at(Axis(0), start);
            let mut stripe = block(open, 0..end - start, 0..start);
            let before = block(lower, start..end, 0..start);
            let done = block(done.view(), 0..start, 0..start);
            general_mat_mul(-1.0, &before, &done, 0.0, &mut stripe);
            // Forward substitution within the block, with the unit matrix to the right of what is known.
            for row in start..end {
                triangle[row * size + row] = 1.0;
                let (above, from_row) = triangle.split_at_mut(row * size);
                let current = &mut from_row[..=row];
                for other in start..row {
                    let factor = self.lower[row * size + other];
                    for (value, element) in current.iter_mut().zip(&above[other * size..=other * size + other]) {
                        *value -= factor * element;
                    }
                }
                let pivot = self.lower[row * size + row];
                current.iter_mut().for_each(|value| *value /= pivot);
            }
        }
        let triangle = ArrayView2::from_shape(shape, &triangle).expect("it has as many elements");
        let mut inverse = vec![0.0; size * size];
        for start in (0..size).step_by(BLOCK) {
            let end = size.min(start + BLOCK);
            let matrix = ArrayViewMut2::from_shape(shape, &mut inverse).expect("it has as many elements");
            let left = block(triangle, start..size, start..size);
            let right = block(triangle, start..size, start..end);
            let mut stripe = block(matrix, start..size, start..end);
            general_mat_mul(1.0, &left.t(), &right, 0.0, &mut stripe);
        }
        mirror(&mut inverse, size);
        inverse
    }
}

/// A part of a matrix. (The macro for this holds code that we forbid.)
fn block<S: RawData<Elem = f64>>(
    mut matrix: ArrayBase<S, Ix2>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ArrayBase<S, Ix2> {
    matrix.slice_axis_inplace(Axis(0), rows.into());
    matrix.slice_axis_inplace(Axis(1), columns.into());
    matrix
}

/// Makes the upper triangle what the lower one is.
pub(super) fn mirror(matrix: &mut [f64], size: usize) {
    for row in 0..size {
        for column in 0..row {
            matrix[column * size + row] = matrix[row * size + column];
        }
    }
}

/// Adds the two halves of a matrix onto each other, so that it does not matter in which of them something was counted.
pub(super) fn fold(matrix: &mut [f64], size: usize) {
    for row in 0..size {
        for column in 0..row {
            let sum = matrix[row * size + column] + matrix[column * size + row];
            matrix[row * size + column] = sum;
            matrix[column * size + row] = sum;
        }
    }
}

/// The product of two square matrices.
pub(super) fn product(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    let shape = (size, size);
    let view = |elements| ArrayView2::from_shape(shape, elements).expect("it has as many elements");
    let mut target = ArrayViewMut2::from_shape(shape, &mut out).expect("it has as many elements");
    general_mat_mul(1.0, &view(a), &view(b), 0.0, &mut target);
    out
}

/// In eight sums, which a processor can have under way together.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}
