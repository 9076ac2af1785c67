//! How matches and times are distributed, counted in a fixed amount of memory.

/// Bins of match lengths at most; so many that a shape is seen, few enough to be read as a table.
const BINS_MAX: u64 = 30;

/// Bins of times in each factor of ten.
const PER_DECADE: usize = 4;

/// Fine bins in each of those, for quantiles.
const FINE: usize = 8;

/// From 1 µs to 1,000 s.
const DECADES: usize = 9;

/// Lower ends of the bins of times, microseconds; the first has all below the second, the last has no upper end.
pub const TIME_EDGES_US: [f64; DECADES * PER_DECADE] = {
    // The fourth roots of 10.
    const STEPS: [f64; PER_DECADE] = [
        1.0,
        1.778_279_410_038_923,
        3.162_277_660_168_379_5,
        5.623_413_251_903_491,
    ];
    let mut edges = [0.0; DECADES * PER_DECADE];
    let mut decade = 1.0;
    let mut at = 0;
    while at < edges.len() {
        edges[at] = decade * STEPS[at % PER_DECADE];
        at += 1;
        if at.is_multiple_of(PER_DECADE) {
            decade *= 10.0;
        }
    }
    edges
};

/// So many matches had `from` to `to` plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bin {
    /// The fewest plies.
    pub from: u64,
    /// The most plies.
    pub to: u64,
    /// Matches.
    pub matches: u64,
}

/// Match lengths, each counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths(Vec<u64>);

impl Lengths {
    pub fn add(&mut self, plies: u32) {
        let plies = plies as usize;
        if self.0.len() <= plies {
            self.0.resize(plies + 1, 0);
        }
        self.0[plies] += 1;
    }

    /// All lengths from the shortest to the longest, in bins of a round width.
    pub fn bins(&self) -> Vec<Bin> {
        let Some(shortest) = self.0.iter().position(|matches| *matches > 0) else {
            return Vec::new();
        };
        let (shortest, end) = (shortest as u64, self.0.len() as u64);
        let widths = (0..).flat_map(|power| [1, 2, 5].map(|step| step * 10_u64.pow(power)));
        let is_wide = |width: &u64| end.div_ceil(*width) - shortest / width <= BINS_MAX;
        let width = { widths }.find(is_wide).expect("some width makes one bin of them");
        (shortest / width..end.div_ceil(width))
            .map(|bin| {
                let (from, to) = (bin * width, ((bin + 1) * width).min(end));
                Bin {
                    from,
                    to: (bin + 1) * width - 1,
                    matches: self.0[from as usize..to as usize].iter().sum(),
                }
            })
            .collect()
    }
}

/// The times of a bot's moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    fine: Vec<u64>,
    /// The longest, microseconds.
    pub longest_us: u64,
    /// How many moves.
    pub moves: u64,
}

impl Default for Times {
    fn default() -> Times {
        Times {
            fine: vec![0; DECADES * PER_DECADE * FINE],
            longest_us: 0,
            moves: 0,
        }
    }
}

impl Times {
    pub(super) fn add(&mut self, us: u64) {
        let bin = ((us.max(1) as f64).log10() * (PER_DECADE * FINE) as f64) as usize;
        let last = self.fine.len() - 1;
        self.fine[bin.min(last)] += 1;
        self.longest_us = self.longest_us.max(us);
        self.moves += 1;
    }

    /// Moves in each of the bins of [`TIME_EDGES_US`].
    pub fn counts(&self) -> Vec<u64> {
        self.fine.chunks_exact(FINE).map(|bin| bin.iter().sum()).collect()
    }

    /// The time in microseconds that the given share of moves did not exceed, some 4 % up or down; absent without a move.
    pub fn quantile_us(&self, share: f64) -> Option<f64> {
        let rank = share * self.moves as f64;
        let mut below = 0;
        let bin = self.fine.iter().position(|count| {
            below += count;
            below > 0 && below as f64 >= rank
        })?;
        let middle = 10_f64.powf((bin as f64 + 0.5) / (PER_DECADE * FINE) as f64);
        Some(middle.min(self.longest_us as f64))
    }
}
