//! Elo by maximum likelihood: the ratings under which the results of all matches are likeliest, whatever their order.
//!
//! Every pair of seats of a match is one result: win 1, tie 1/2, loss 0, so a match with placements counts as all its
//! pairs. The expected score of a pair is logistic in the difference of the bots' ratings plus the difference of the
//! seats' advantages (R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs, Biometrika, 1952; the
//! term for the seat as in R. R. Davidson and R. J. Beaver, Biometrics, 1977). Draws as halves make it a
//! quasi-likelihood: the ratings stay consistent, but the errors that a binomial model gives are wrong, too wide with
//! draws and too narrow with placements. So the errors come from how the results of whole rotations scatter.
//!
//! Does not ask whether ratings exist: that is decided before, see [`Standings`](super::Standings).

use super::cholesky::{Cholesky, fold, product};
use super::draws::Draws;
use super::rotations::{Encounter, Rotations, Row};
use super::tally::Tally;
use crate::stats::{CONFIDENCE, ELO_PER_LOGIT, student_quantile};

/// Newton's method needs four or five rounds; this many mean that there is no maximum.
const ROUNDS_MAX: usize = 60;

/// Largest step, in log-odds, after which a fit counts as settled: the next would be its square.
const STEP_MAX: f64 = 1e-7;

/// Fits to reweighted rotations from which a bootstrap takes its errors: these are then within 4 %, mostly.
const REPLICATES: usize = 400;

/// Ratings to start from are at most this far from even, in log-odds.
const START_MAX: f64 = 3.0;

/// Where the bootstrap's weights come from, the same in every run.
const BOOTSTRAP_SEED: u64 = 1;

/// A seat worth more than this, in log-odds (about 2,000 Elo), has no finite advantage: everything that could be won
/// from it was won.
const SEAT_LOGITS_MAX: f64 = 12.0;

/// With so many rotations for each parameter none of them draws the fit so far towards itself that CR3 would be too large
/// by more than half a per cent.
const ROTATIONS_PLENTY: f64 = 100.0;

/// What is left at least of a variance that is corrected for being too large on average: where half of it would go, there
/// are too few rotations to be sure of the other half.
const SHARE_MIN: f64 = 0.5;

/// Of what a rotation says, this much at least must be said by others too, or its scatter cannot be told from its pull.
const LEVERAGE_LEFT_MIN: f64 = 1e-8;

/// A value in Elo with its interval at [`CONFIDENCE`].
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Half the width of its interval, which is symmetric.
    pub margin: f64,
    /// The standard error.
    pub error: f64,
}

impl Estimate {
    /// Whether its interval leaves 0 out.
    pub fn is_apart(&self) -> bool {
        self.value.abs() > self.margin
    }
}

/// Where the errors come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Errors {
    /// From the scatter of whole rotations (CR3).
    Rotations,
    /// Some bot's rating hangs on a single rotation, so scatter cannot be measured: from the model, as if all matches
    /// of a rotation had to end alike. Wide, and never too small.
    Model,
    /// From the model, as if every result were independent and a win or a loss: too wide with draws, too narrow with
    /// placements. On request.
    Naive,
    /// From fits to rotations weighted at random (Bayesian bootstrap). On request.
    Bootstrap,
}

impl Errors {
    /// Its word in tables for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Errors::Rotations => "rotations",
            Errors::Model => "model",
            Errors::Naive => "naive",
            Errors::Bootstrap => "bootstrap",
        }
    }
}

/// What is asked of a fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Whether the advantage of seats is fitted, where the matches allow.
    pub seat_term: bool,
    /// Where the errors are to come from.
    pub method: Method,
    /// Whether errors are taken less what CR3 is too large on average; without that they are those of other programs.
    pub corrected: bool,
    /// Virtual draws for each bot, spread over its opponents; 0 for none.
    pub prior: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seat_term: true,
            method: Method::Cr3,
            corrected: true,
            prior: 0.0,
        }
    }
}

/// Where errors are to come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// [`Errors::Rotations`], or [`Errors::Model`] where that cannot be.
    #[default]
    Cr3,
    /// [`Errors::Naive`].
    Naive,
    /// [`Errors::Bootstrap`].
    Bootstrap,
}

/// Whether the advantage of seats is in the fit.
#[derive(Clone, PartialEq, Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Seats {
    /// By seat: its advantage in Elo over the mean of all seats.
    Fitted(Vec<Estimate>),
    /// No: bots did not change seats enough to tell seat from bot.
    Fixed,
    /// No: one seat won everything that the bots' ratings leave open, which no number fits.
    Unbounded,
    /// No: left out on request.
    LeftOut,
}

/// Ratings of bots that can be rated together.
#[derive(Clone, Debug)]
pub struct Fit {
    members: Vec<usize>,
    /// By member, in log-odds, mean 0.
    ratings: Vec<f64>,
    variance: Variance,
    /// By member: the variance of its rating relative to the mean.
    about_mean: Vec<f64>,
    /// By member: its parameter; absent for the one held at 0.
    parameters: Vec<Option<usize>>,
    /// By member: rotations it played in.
    rotations: Vec<u64>,
    /// Rotations in all, copies of each other counted once.
    pub clusters: u64,
    /// Where the errors come from.
    pub errors: Errors,
    /// Whether the advantage of seats is in the fit.
    pub seats: Seats,
}

impl Fit {
    /// The bots, in the order of every index below.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// A member's rating relative to the mean of all members.
    pub fn rating(&self, member: usize) -> Estimate {
        estimate(self.ratings[member], self.about_mean[member], self.rotations[member])
    }

    /// How much higher one member is rated than another; its error is less than those of two ratings together suggest.
    pub fn difference(&self, member: usize, other: usize) -> Estimate {
        let variance = self
            .variance
            .of_difference(self.parameters[member], self.parameters[other]);
        let rotations = self.rotations[member].min(self.rotations[other]);
        estimate(self.ratings[member] - self.ratings[other], variance, rotations)
    }

    /// The expected score of one member, in a seat, against another.
    pub(super) fn expected(&self, one: (usize, usize), other: (usize, usize)) -> f64 {
        logistic(self.log_odds(one, other))
    }

    /// The log-odds that are expected of the first bot of a row.
    pub(super) fn logits(&self, row: &Row) -> f64 {
        let place = |bot| self.members.binary_search(&bot).expect("the row is between members");
        self.log_odds(
            (place(row.bot()), row.seat()),
            (place(row.opponent()), row.opponent_seat()),
        )
    }

    fn log_odds(&self, (one, seat): (usize, usize), (other, other_seat): (usize, usize)) -> f64 {
        let worth = match &self.seats {
            Seats::Fitted(seats) => (seats[seat].value - seats[other_seat].value) / ELO_PER_LOGIT,
            Seats::Fixed | Seats::Unbounded | Seats::LeftOut => 0.0,
        };
        self.ratings[one] - self.ratings[other] + worth
    }

    /// A difference with its standard error, both in log-odds.
    pub(super) fn contrast(&self, member: usize, other: usize) -> (f64, f64) {
        let variance = self
            .variance
            .of_difference(self.parameters[member], self.parameters[other]);
        (self.ratings[member] - self.ratings[other], variance.max(0.0).sqrt())
    }

    /// The degrees of freedom of the error of a member's rating; that of a difference has the fewer of the two.
    pub(super) fn freedom(&self, member: usize) -> u64 {
        freedom(self.rotations[member])
    }

    /// The root of the covariance of all members but the last, relative to the last. Absent where it has none, as when all
    /// rotations ended alike.
    pub(super) fn covariance_root(&self) -> Option<Cholesky> {
        // Parameters of bots come before those of seats, and the last bot has none.
        let bots = self.members.len() - 1;
        let rows = self.variance.counted.chunks_exact(self.variance.size).take(bots);
        let matrix = rows.flat_map(|row| &row[..bots]).copied().collect();
        Cholesky::of(matrix, bots, 0.0)
    }
}

/// From log-odds to Elo. Student's quantile on one degree of freedom less than there are rotations: with few of them
/// the error itself is uncertain.
fn estimate(logits: f64, variance: f64, rotations: u64) -> Estimate {
    let error = variance.max(0.0).sqrt() * ELO_PER_LOGIT;
    Estimate {
        value: logits * ELO_PER_LOGIT,
        margin: error * student_quantile(CONFIDENCE, freedom(rotations) as f64),
        error,
    }
}

fn freedom(rotations: u64) -> u64 {
    rotations.saturating_sub(1).max(1)
}

/// Rates `members`, all of whom must be linked by matches both won and lost; see [`Standings`](super::Standings).
pub fn fit(tally: &Tally, members: &[usize], settings: &Settings) -> Fit {
    let rotations = tally.rotations();
    let rows = rotations.rows();
    Pool::new(tally, &rotations, &rows, members).fit(settings)
}

/// What has been played among members.
pub(super) struct Pool<'a> {
    rotations: &'a Rotations,
    rows: &'a [Row],
    members: &'a [usize],
    /// By bot, its place among the members.
    index: Vec<Option<usize>>,
    seats: usize,
}

impl<'a> Pool<'a> {
    pub fn new(tally: &Tally, rotations: &'a Rotations, rows: &'a [Row], members: &'a [usize]) -> Pool<'a> {
        let mut index = vec![None; tally.bot_count()];
        for (position, &bot) in members.iter().enumerate() {
            index[bot] = Some(position);
        }
        Pool {
            rotations,
            rows,
            members,
            index,
            seats: tally.seats().max(1),
        }
    }

    /// Rates the members; see [`fit`]. Advantages of seats are fitted where they are asked for and the matches allow;
    /// [`Fit::seats`] tells.
    pub fn fit(&self, settings: &Settings) -> Fit {
        let with = Design {
            members: self.members.len(),
            seats: self.seats,
        };
        let without = Design { seats: 1, ..with };
        let (design, rows, maximum, left_out) = if settings.seat_term && with.seats > 1 {
            let rows = self.rows_of(with, settings.prior);
            match with.maximise(&rows, with.start(&rows)) {
                Ok(maximum) => (with, rows, maximum, None),
                Err(reason) => {
                    let rows = self.rows_of(without, settings.prior);
                    let maximum = without.settled(&rows);
                    (without, rows, maximum, Some(reason))
                }
            }
        } else {
            let rows = self.rows_of(without, settings.prior);
            let maximum = without.settled(&rows);
            (without, rows, maximum, Some(Seats::LeftOut))
        };

        let (rotations, total) = self.count();
        let (variance, errors) = match settings.method {
            Method::Cr3 => self.scatter(design, &rows, &maximum, total as f64, settings.corrected),
            Method::Naive => (
                Variance::of_counted(maximum.information.inverse(), design),
                Errors::Naive,
            ),
            Method::Bootstrap => (self.bootstrap(design, &rows, &maximum), Errors::Bootstrap),
        };
        let Maximum { theta, .. } = maximum;
        let parameters: Vec<_> = (0..design.members)
            .map(|member| design.kept(design.bot(member)))
            .collect();
        let seats = left_out.unwrap_or_else(|| {
            let parameters: Vec<_> = (0..design.seats).map(|seat| design.kept(design.seat(seat))).collect();
            let advantages = centred(&parameters, &theta)
                .into_iter()
                .zip(variance.about_mean(&parameters));
            Seats::Fitted(
                advantages
                    .map(|(value, variance)| estimate(value, variance, total))
                    .collect(),
            )
        });
        Fit {
            members: self.members.to_vec(),
            ratings: centred(&parameters, &theta),
            about_mean: variance.about_mean(&parameters),
            variance,
            parameters,
            rotations,
            clusters: total,
            errors,
            seats,
        }
    }

    /// The results among members, and after them the virtual draws.
    fn rows_of(&self, design: Design, prior: f64) -> Vec<Counted> {
        let among = |row: &Row| {
            Some(Counted {
                terms: design.terms(
                    (self.index[row.bot()]?, row.seat()),
                    (self.index[row.opponent()]?, row.opponent_seat()),
                ),
                number: row.number as f64,
                points: row.halves as f64 / 2.0,
                is_virtual: false,
            })
        };
        let mut rows: Vec<Counted> = Vec::with_capacity(self.rows.len());
        rows.extend(self.rows.iter().filter_map(among));
        if prior > 0.0 {
            rows.extend(self.virtual_draws(design, prior));
        }
        rows
    }

    /// `prior` draws for each bot on average: half of what it brings itself goes to its opponents in proportion to how
    /// often it met each, and it gets as much from them. From the same seat, so that no seat gains.
    fn virtual_draws(&self, design: Design, prior: f64) -> Vec<Counted> {
        let mut met = vec![0.0; design.members];
        let among = self
            .rows
            .iter()
            .filter_map(|row| Some((self.index[row.bot()]?, self.index[row.opponent()]?, row.number as f64)));
        let among: Vec<(usize, usize, f64)> = among.collect();
        for &(bot, opponent, number) in &among {
            met[bot] += number;
            met[opponent] += number;
        }
        let draws = among.iter().map(|&(bot, opponent, number)| {
            let draws = prior / 2.0 * (number / met[bot] + number / met[opponent]);
            Counted {
                terms: design.terms((bot, 0), (opponent, 0)),
                number: draws,
                points: draws / 2.0,
                is_virtual: true,
            }
        });
        draws.collect()
    }

    /// Calls `visit` with the encounters between members of each rotation that has any.
    fn each(&self, design: Design, mut visit: impl FnMut(&[(Terms, f64)], u64, u64)) {
        let mut among = Vec::new();
        self.rotations.each(|rotation| {
            among.clear();
            among.extend(rotation.encounters.iter().filter_map(|row: &Encounter| {
                let (bot, opponent) = (self.index[row.bot]?, self.index[row.opponent]?);
                let terms = design.terms((bot, row.seat), (opponent, row.opponent_seat));
                Some((terms, f64::from(row.halves) / 2.0))
            }));
            if !among.is_empty() {
                visit(&among, rotation.copies, rotation.number);
            }
        });
    }

    /// By member the rotations it played in, and all rotations; copies are counted once.
    fn count(&self) -> (Vec<u64>, u64) {
        let mut rotations = vec![0; self.members.len()];
        let mut total = 0;
        let mut bots = Vec::new();
        self.rotations.each(|rotation| {
            bots.clear();
            for row in rotation.encounters {
                if let (Some(bot), Some(opponent)) = (self.index[row.bot], self.index[row.opponent]) {
                    bots.extend([bot, opponent]);
                }
            }
            bots.sort_unstable();
            bots.dedup();
            for &bot in &bots {
                rotations[bot] += rotation.number;
            }
            total += if bots.is_empty() { 0 } else { rotation.number };
        });
        (rotations, total)
    }

    /// The covariance of the parameters, from how the results of `count` rotations scatter.
    ///
    /// CR3, the cluster being the rotation with all its copies: R. M. Bell and D. F. McCaffrey, Bias reduction in standard
    /// errors for linear regression with multi-stage samples, Survey Methodology, 2002, in the form of R's
    /// `sandwich::vcovCL` with `type = "HC3", cadjust = FALSE` (A. Zeileis, S. Köll and N. Graham, Various versatile
    /// variances, Journal of Statistical Software, 2020).
    ///
    /// CR3 is never too small on average, and too large where there are few rotations for each parameter: by a third with
    /// eight bots and seven rotations each. It is taken less what it is too large on average, were results as the
    /// fit expects them: B. E. Hansen, Jackknife standard errors for clustered regression, Journal of Econometrics, 2025.
    fn scatter(
        &self,
        design: Design,
        rows: &[Counted],
        maximum: &Maximum,
        count: f64,
        corrected: bool,
    ) -> (Variance, Errors) {
        let size = design.size();
        let model = maximum.information.inverse();
        let played = rows.iter().filter(|row| !row.is_virtual);
        let per_cluster = played.map(|row| row.number).sum::<f64>() / count;
        // Virtual draws scatter as the model says, since there is nothing else to go by.
        let mut meat = vec![0.0; size * size];
        for row in rows.iter().filter(|row| row.is_virtual) {
            design.add_information(row, logistic(row.terms.value(&maximum.theta)), &mut meat);
        }
        let mut excess = (corrected && count < ROTATIONS_PLENTY * size as f64).then(|| Excess {
            measured: meat.clone(),
            actual: meat.clone(),
        });
        let mut pull = Pull::default();
        let mut hangs = false;
        self.each(design, |encounters, copies, number| {
            if hangs || !pull.find(design, encounters, copies as f64, &maximum.theta, &model) {
                hangs = true;
                return;
            }
            let mut rest = pull.each();
            while let Some((parameter, value)) = rest.next() {
                let row = &mut meat[parameter * size..][..size];
                let weighted = number as f64 * value;
                row[parameter] += weighted * value;
                for (other, value) in rest.clone() {
                    row[other] += weighted * value;
                }
            }
            drop(rest);
            if let Some(excess) = &mut excess {
                pull.add_expected(encounters, copies as f64, number as f64, &maximum.theta, excess, size);
            }
        });
        if hangs {
            let counted = scaled(model, per_cluster);
            return (Variance::of_counted(counted, design), Errors::Model);
        }
        let around = |mut meat: Vec<f64>| {
            fold(&mut meat, size);
            product(&product(&model, &meat, size), &model, size)
        };
        let robust = around(meat);
        let excess = excess.map(|excess| Excess {
            measured: around(excess.measured),
            actual: around(excess.actual),
        });
        // Where all rotations ended alike their scatter is nothing, or nearly. The least that is believed is what one
        // more rotation that went the other way would bring: the most that the model allows, times 1 in `count`.
        let least = per_cluster / (count + per_cluster);
        let variance = Variance {
            counted: scaled(robust, (count - 1.0) / count),
            floor: scaled(model, least),
            excess,
            size,
        };
        (variance, Errors::Rotations)
    }

    /// The covariance over fits in which each rotation weighs as much as an exponential draw says: D. B. Rubin, The
    /// Bayesian bootstrap, Annals of Statistics, 1981. No weight is 0, so that a pool that hangs together still does.
    fn bootstrap(&self, design: Design, rows: &[Counted], maximum: &Maximum) -> Variance {
        let size = design.size();
        let mut draws = Draws::new(BOOTSTRAP_SEED);
        let places: std::collections::HashMap<Terms, usize> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.is_virtual)
            .map(|(place, row)| (row.terms, place))
            .collect();
        let mut weighted = rows.to_vec();
        let mut thetas: Vec<Vec<f64>> = Vec::new();
        for _ in 0..REPLICATES {
            for row in weighted.iter_mut().filter(|row| !row.is_virtual) {
                (row.number, row.points) = (0.0, 0.0);
            }
            self.each(design, |encounters, copies, number| {
                let weight = copies as f64 * (0..number).map(|_| draws.exponential()).sum::<f64>();
                for &(terms, points) in encounters {
                    // Rows are seen by the bot with the lower number, encounters by the one in the lower seat.
                    let (place, points) = match places.get(&terms) {
                        Some(&place) => (place, points),
                        None => (places[&terms.turned()], 1.0 - points),
                    };
                    weighted[place].number += weight;
                    weighted[place].points += weight * points;
                }
            });
            thetas.extend(
                design
                    .maximise(&weighted, maximum.theta.clone())
                    .map(|found| found.theta),
            );
        }
        let number = thetas.len() as f64;
        let mean = |parameter: usize| thetas.iter().map(|theta| theta[parameter]).sum::<f64>() / number;
        let means: Vec<f64> = (0..size).map(mean).collect();
        let mut counted = vec![0.0; size * size];
        for theta in &thetas {
            for i in 0..size {
                for j in 0..size {
                    counted[i * size + j] += (theta[i] - means[i]) * (theta[j] - means[j]) / number;
                }
            }
        }
        // What all rotations agree in has no scatter to resample: see `scatter`.
        let (_, count) = self.count();
        let per_cluster = rows.iter().map(|row| row.number).sum::<f64>() / count as f64;
        let least = per_cluster / (count as f64 + per_cluster);
        Variance {
            counted,
            floor: scaled(maximum.information.inverse(), least),
            excess: None,
            size,
        }
    }
}

/// What a rotation adds to the score equations, corrected for having drawn the fit towards itself: `Z' (I - Z C Z' W)⁻¹ e`
/// with its residuals `e`. Found as `Z' e + Z' Z C (I - Z' W Z C)⁻¹ Z' W e`, which has as many unknowns as the rotation
/// has bots and seats, not as it has results. Copies multiply all sums.
#[derive(Default)]
struct Pull {
    /// First stands what is held at 0: it takes part in the sums below, and all that it gets is left alone.
    parameters: Vec<usize>,
    /// By encounter, where its parameters are among these.
    places: Vec<[usize; 4]>,
    /// `Z' e`, then the outcome.
    values: Vec<f64>,
    /// `Z' W e`, then what solves the system.
    solution: Vec<f64>,
    /// `C` of these parameters.
    model: Vec<f64>,
    /// `I - Z' W Z C`.
    system: Vec<f64>,
}

impl Pull {
    /// Whether it exists: not when some parameter hangs on this rotation alone.
    fn find(&mut self, design: Design, rows: &[(Terms, f64)], copies: f64, theta: &[f64], model: &[f64]) -> bool {
        self.find_places(design, rows);
        self.look_up(model, design.size());
        let own = self.parameters.len();
        for (list, length) in [
            (&mut self.values, own),
            (&mut self.solution, own),
            (&mut self.system, own * own),
        ] {
            list.clear();
            list.resize(length, 0.0);
        }
        for place in 0..own {
            self.system[place * own + place] = 1.0;
        }
        for (&(terms, points), places) in rows.iter().zip(&self.places) {
            let expected = logistic(terms.value(theta));
            let residual = copies * (points - expected);
            let weight = expected * (1.0 - expected);
            for (&place, sign) in places.iter().zip(SIGNS) {
                self.values[place] += sign * residual;
                self.solution[place] += sign * residual * weight;
            }
            let rows_of_model = places.map(|place| &self.model[place * own..][..own]);
            for column in 0..own {
                let effect: f64 = rows_of_model
                    .iter()
                    .zip(SIGNS)
                    .map(|(row, sign)| sign * row[column])
                    .sum();
                for (&place, sign) in places.iter().zip(SIGNS) {
                    self.system[place * own + column] -= sign * copies * weight * effect;
                }
            }
        }
        if !self.eliminate() {
            return false;
        }
        for places in &self.places {
            let inner = places.iter().zip(SIGNS).map(|(place, sign)| {
                let row = &self.model[place * own..][..own];
                sign * row
                    .iter()
                    .zip(&self.solution)
                    .map(|(model, solution)| model * solution)
                    .sum::<f64>()
            });
            let inner: f64 = inner.sum();
            for (&place, sign) in places.iter().zip(SIGNS) {
                self.values[place] += sign * copies * inner;
            }
        }
        true
    }

    /// Adds what `number` rotations like the one just found are expected to bring to the sum of the pulls' squares, were
    /// results as the fit expects them: `(I - A C)⁻¹ A` with `A = Z' W Z`; and what they bring in truth, `A`. Exact where
    /// the weights of its results are equal.
    fn add_expected(
        &mut self,
        rows: &[(Terms, f64)],
        copies: f64,
        number: f64,
        theta: &[f64],
        excess: &mut Excess,
        size: usize,
    ) {
        let own = self.parameters.len();
        let mut information = vec![0.0; own * own];
        for ((terms, _), places) in rows.iter().zip(&self.places) {
            let expected = logistic(terms.value(theta));
            let weight = copies * expected * (1.0 - expected);
            for (&one, sign) in places.iter().zip(SIGNS) {
                for (&other, other_sign) in places.iter().zip(SIGNS) {
                    information[one * own + other] += sign * other_sign * weight;
                }
            }
        }
        self.system = product(&information, &self.model, own);
        for (at, element) in self.system.iter_mut().enumerate() {
            *element = f64::from(at / own == at % own) - *element;
        }
        self.solution.clone_from(&information);
        let solved = self.eliminate();
        debug_assert!(solved, "the pull has been found with the same system");
        // As copies of one rotation they scatter together.
        let times = number * copies;
        for place in 1..own {
            for other in place..own {
                let element = self.parameters[place] * size + self.parameters[other];
                excess.measured[element] += times * self.solution[place * own + other];
                excess.actual[element] += times * information[place * own + other];
            }
        }
    }

    /// Each parameter of the rotation, and what it gets.
    fn each(&self) -> impl Iterator<Item = (usize, f64)> + Clone {
        self.parameters.iter().copied().zip(self.values.iter().copied()).skip(1)
    }

    fn find_places(&mut self, design: Design, rows: &[(Terms, f64)]) {
        let held = design.size();
        let Pull { parameters, places, .. } = self;
        parameters.clear();
        parameters.push(held);
        places.clear();
        places.extend(rows.iter().map(|(terms, _)| {
            terms.parameters().map(|parameter| {
                let parameter = parameter.min(held);
                let known = parameters.iter().position(|&known| known == parameter);
                known.unwrap_or_else(|| {
                    parameters.push(parameter);
                    parameters.len() - 1
                })
            })
        }));
    }

    /// Copies what the model has of these parameters. From as few of its rows as can be, since it is symmetric: with a
    /// million rotations this is what takes time.
    fn look_up(&mut self, model: &[f64], size: usize) {
        let own = self.parameters.len();
        self.model.clear();
        self.model.resize(own * own, 0.0);
        for one in 1..own {
            let row = &model[self.parameters[one] * size..][..size];
            for other in one..own {
                let covariance = row[self.parameters[other]];
                self.model[one * own + other] = covariance;
                self.model[other * own + one] = covariance;
            }
        }
    }

    /// Solves the system in place, for each column of `solution`, by Gauss with pivots from the column.
    fn eliminate(&mut self) -> bool {
        let own = self.parameters.len();
        let width = self.solution.len() / own;
        for column in 1..own {
            let size_of = |row: usize| self.system[row * own + column].abs();
            let pivot = (column..own).max_by(|&a, &b| size_of(a).total_cmp(&size_of(b)));
            let pivot = pivot.expect("the column's own row is among them");
            if size_of(pivot).is_nan() || size_of(pivot) <= LEVERAGE_LEFT_MIN {
                return false;
            }
            if pivot != column {
                for other in 0..width {
                    self.solution.swap(pivot * width + other, column * width + other);
                }
                for other in 0..own {
                    self.system.swap(pivot * own + other, column * own + other);
                }
            }
            for row in column + 1..own {
                let factor = self.system[row * own + column] / self.system[column * own + column];
                for other in column..own {
                    self.system[row * own + other] -= factor * self.system[column * own + other];
                }
                for other in 0..width {
                    self.solution[row * width + other] -= factor * self.solution[column * width + other];
                }
            }
        }
        for row in (1..own).rev() {
            for at in 0..width {
                let known: f64 = (row + 1..own)
                    .map(|other| self.system[row * own + other] * self.solution[other * width + at])
                    .sum();
                let solved = &mut self.solution[row * width + at];
                *solved = (*solved - known) / self.system[row * own + row];
            }
        }
        true
    }
}

/// Results of the same bots in the same seats, as a fit takes them.
#[derive(Clone, Copy)]
struct Counted {
    terms: Terms,
    number: f64,
    points: f64,
    is_virtual: bool,
}

/// Which parameter is whose. The last bot and the last seat are held at 0, since only differences count: their
/// parameters come after all others.
#[derive(Clone, Copy)]
struct Design {
    members: usize,
    seats: usize,
}

/// The parameters of one result: bot and seat, then the opponent's, which count with the opposite sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Terms([u32; 4]);

const SIGNS: [f64; 4] = [1.0, 1.0, -1.0, -1.0];

impl Terms {
    fn value(self, theta: &[f64]) -> f64 {
        let [bot, seat, opponent, opponent_seat] = self.parameters();
        (theta[bot] - theta[opponent]) + (theta[seat] - theta[opponent_seat])
    }

    fn parameters(self) -> [usize; 4] {
        self.0.map(|parameter| parameter as usize)
    }

    /// The same result seen by the opponent.
    fn turned(self) -> Terms {
        let [bot, seat, opponent, opponent_seat] = self.0;
        Terms([opponent, opponent_seat, bot, seat])
    }
}

/// The likelihood of some parameters, and where it leads.
struct Slope {
    likelihood: f64,
    gradient: Vec<f64>,
    /// Its negative second derivative; only the lower triangle.
    information: Vec<f64>,
}

/// Where the likelihood is greatest.
struct Maximum {
    theta: Vec<f64>,
    information: Cholesky,
}

impl Design {
    /// Parameters that are not held.
    fn size(self) -> usize {
        self.members - 1 + self.seats - 1
    }

    fn bot(self, member: usize) -> usize {
        if member + 1 < self.members { member } else { self.size() }
    }

    fn seat(self, seat: usize) -> usize {
        if seat + 1 < self.seats {
            self.members - 1 + seat
        } else {
            self.size() + 1
        }
    }

    fn kept(self, parameter: usize) -> Option<usize> {
        (parameter < self.size()).then_some(parameter)
    }

    fn terms(self, (bot, seat): (usize, usize), (opponent, opponent_seat): (usize, usize)) -> Terms {
        let parameters = [
            self.bot(bot),
            self.seat(seat),
            self.bot(opponent),
            self.seat(opponent_seat),
        ];
        Terms(parameters.map(|parameter| parameter as u32))
    }

    /// Ratings to start from: each bot's share of its results, as if its opponents were all of one strength. Near the
    /// maximum where everybody has met many, and nowhere extreme.
    fn start(self, rows: &[Counted]) -> Vec<f64> {
        let mut scored = vec![(0.5, 0.5); self.size() + 2];
        for row in rows {
            let [bot, _, opponent, _] = row.terms.parameters();
            let lost = row.number - row.points;
            for (parameter, won, lost) in [(bot, row.points, lost), (opponent, lost, row.points)] {
                scored[parameter].0 += won;
                scored[parameter].1 += lost;
            }
        }
        let rating = |member: usize| {
            let (won, lost): (f64, f64) = scored[self.bot(member)];
            (won / lost).ln().clamp(-START_MAX, START_MAX)
        };
        // Relative to the one that is held at 0; seats begin at 0 as well.
        let held = rating(self.members - 1);
        let mut theta = vec![0.0; self.size() + 2];
        for member in 0..self.members - 1 {
            theta[self.bot(member)] = rating(member) - held;
        }
        theta
    }

    /// The maximum without a term for seats, which exists for members linked both ways.
    fn settled(self, rows: &[Counted]) -> Maximum {
        self.maximise(rows, self.start(rows))
            .unwrap_or_else(|_| panic!("members have all scored against each other, directly or through others"))
    }

    /// Newton's method; a step is halved until the likelihood does not fall.
    fn maximise(self, rows: &[Counted], start: Vec<f64>) -> Result<Maximum, Seats> {
        let size = self.size();
        let mut theta = start;
        let mut here = self.slope(rows, &theta);
        for round in 0..ROUNDS_MAX {
            let Slope {
                likelihood,
                gradient: mut step,
                information,
            } = here;
            let Some(information) = Cholesky::of(information, size, 0.0) else {
                return Err(if round == 0 { Seats::Fixed } else { Seats::Unbounded });
            };
            information.solve(&mut step);
            // Those held stay.
            let steps = step.iter().chain(&[0.0, 0.0]);
            let moved = |scale: f64| -> Vec<f64> {
                let each = theta.iter().zip(steps.clone());
                each.map(|(value, step)| value + scale * step).collect()
            };
            if step.iter().all(|step| step.abs() <= STEP_MAX) {
                let theta = self.bounded(moved(1.0))?;
                return Ok(Maximum { theta, information });
            }
            let mut scale = 1.0;
            (theta, here) = loop {
                let next = moved(scale);
                let there = self.slope(rows, &next);
                // Close to the maximum the likelihood moves by less than its rounding.
                if there.likelihood >= likelihood - 1e-12 * likelihood.abs() || scale < 1e-6 {
                    break (self.bounded(next)?, there);
                }
                scale /= 2.0;
            };
        }
        Err(Seats::Unbounded)
    }

    /// The same, unless a seat is worth more than any number.
    fn bounded(self, theta: Vec<f64>) -> Result<Vec<f64>, Seats> {
        let seats = &theta[self.members - 1..self.size()];
        if seats.iter().any(|advantage| advantage.abs() > SEAT_LOGITS_MAX) {
            return Err(Seats::Unbounded);
        }
        Ok(theta)
    }

    /// The likelihood and its derivatives, in one go: there may be a million rows.
    fn slope(self, rows: &[Counted], theta: &[f64]) -> Slope {
        let size = self.size();
        let mut likelihood = 0.0;
        let mut gradient = vec![0.0; size];
        let mut information = vec![0.0; size * size];
        for row in rows {
            let logits = row.terms.value(theta);
            let odds = (-logits.abs()).exp();
            let likelier = 1.0 / (1.0 + odds);
            let expected = if logits > 0.0 { likelier } else { odds * likelier };
            // The last part is `ln(1 + exp(logits))` without overflow.
            likelihood += row.points * logits - row.number * (logits.max(0.0) + (1.0 + odds).ln());
            let residual = row.points - row.number * expected;
            for (parameter, sign) in row.terms.parameters().into_iter().zip(SIGNS) {
                if parameter < size {
                    gradient[parameter] += sign * residual;
                }
            }
            self.add_information(row, expected, &mut information);
        }
        Slope {
            likelihood,
            gradient,
            information,
        }
    }

    /// Adds what a row, of which so much is expected, takes from the second derivative of the likelihood; only to the lower
    /// triangle.
    fn add_information(self, row: &Counted, expected: f64, matrix: &mut [f64]) {
        let size = self.size();
        let weight = row.number * expected * (1.0 - expected);
        let parameters = row.terms.parameters();
        for (i, a) in parameters.into_iter().zip(SIGNS) {
            if i >= size {
                continue;
            }
            for (j, b) in parameters.into_iter().zip(SIGNS) {
                if j <= i {
                    matrix[i * size + j] += weight * a * b;
                }
            }
        }
    }
}

fn scaled(mut matrix: Vec<f64>, factor: f64) -> Vec<f64> {
    matrix.iter_mut().for_each(|element| *element *= factor);
    matrix
}

fn logistic(logits: f64) -> f64 {
    1.0 / (1.0 + (-logits).exp())
}

/// Values of parameters, a parameter held at 0 included, minus their mean.
fn centred(parameters: &[Option<usize>], theta: &[f64]) -> Vec<f64> {
    let values: Vec<f64> = parameters
        .iter()
        .map(|parameter| parameter.map_or(0.0, |p| theta[p]))
        .collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.into_iter().map(|value| value - mean).collect()
}

/// The covariance of all parameters of a design, in log-odds.
#[derive(Clone, Debug)]
struct Variance {
    counted: Vec<f64>,
    /// The least that is believed of any difference.
    floor: Vec<f64>,
    /// Absent where it is next to nothing.
    excess: Option<Excess>,
    size: usize,
}

/// The covariance that is measured on average, were results as the fit expects them, and the one that they have then.
#[derive(Clone, Debug)]
struct Excess {
    measured: Vec<f64>,
    actual: Vec<f64>,
}

/// What is kept of a variance that is measured so large on average, and is so large.
fn share(actual: f64, measured: f64) -> f64 {
    (actual / measured).clamp(SHARE_MIN, 1.0)
}

impl Variance {
    /// With nothing to set a least.
    fn of_counted(counted: Vec<f64>, design: Design) -> Variance {
        let size = design.size();
        Variance {
            floor: vec![0.0; size * size],
            excess: None,
            counted,
            size,
        }
    }

    /// Of a difference between two parameters.
    fn of_difference(&self, one: Option<usize>, other: Option<usize>) -> f64 {
        let of = |matrix: &[f64]| {
            self.at(matrix, one, one) + self.at(matrix, other, other) - 2.0 * self.at(matrix, one, other)
        };
        let share = self
            .excess
            .as_ref()
            .map_or(1.0, |excess| share(of(&excess.actual), of(&excess.measured)));
        (of(&self.counted) * share).max(of(&self.floor))
    }

    /// Of each parameter relative to the mean of all those given.
    fn about_mean(&self, parameters: &[Option<usize>]) -> Vec<f64> {
        let of = |matrix: &[f64]| -> Vec<f64> {
            let number = parameters.len() as f64;
            let row_mean = |&one: &Option<usize>| {
                parameters.iter().map(|&other| self.at(matrix, one, other)).sum::<f64>() / number
            };
            let means: Vec<f64> = parameters.iter().map(row_mean).collect();
            let grand = means.iter().sum::<f64>() / number;
            let each = parameters.iter().zip(&means);
            each.map(|(&one, mean)| self.at(matrix, one, one) - 2.0 * mean + grand)
                .collect()
        };
        let mut variances = of(&self.counted);
        if let Some(excess) = &self.excess {
            let pairs = of(&excess.actual).into_iter().zip(of(&excess.measured));
            for (variance, (actual, measured)) in variances.iter_mut().zip(pairs) {
                *variance *= share(actual, measured);
            }
        }
        let floors = of(&self.floor);
        variances
            .into_iter()
            .zip(floors)
            .map(|(variance, floor)| variance.max(floor))
            .collect()
    }

    fn at(&self, matrix: &[f64], one: Option<usize>, other: Option<usize>) -> f64 {
        one.zip(other)
            .map_or(0.0, |(one, other)| matrix[one * self.size + other])
    }
}
