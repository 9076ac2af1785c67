//! Random numbers from a fixed seed, so that the same matches always give the same table.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Above 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        (f64::from(self.0.next_u32()) + 0.5) / 4_294_967_296.0
    }

    /// With mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Two of mean 0 and variance 1 (G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates,
    /// Annals of Mathematical Statistics, 1958).
    pub fn normals(&mut self) -> [f64; 2] {
        let radius = (2.0 * self.exponential()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        [radius * cosine, radius * sine]
    }
}
