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

use super::cholesky::{Cholesky, mirror, product};
use super::draws::Draws;
use super::rotations::{Encounter, Rotations, Row};
use super::tally::Tally;
use crate::stats::{CONFIDENCE, ELO_PER_LOGIT, student_quantile};

/// Newton's method needs five or six rounds; this many mean that there is no maximum.
const ROUNDS_MAX: usize = 60;

/// Largest step, in log-odds, after which a fit counts as settled: the next would be its square.
const STEP_MAX: f64 = 1e-7;

/// Fits to reweighted rotations from which a bootstrap takes its errors: these are then within 4 %, mostly.
const REPLICATES: usize = 400;

/// Where the bootstrap's weights come from, the same in every run.
const BOOTSTRAP_SEED: u64 = 1;

/// A seat worth more than this, in log-odds (about 2,000 Elo), has no finite advantage: everything that could be won
/// from it was won.
const SEAT_LOGITS_MAX: f64 = 12.0;

/// Of what a rotation says, this much at least must be said by others too, or its scatter cannot be told from its pull.
const LEVERAGE_LEFT_MIN: f64 = 1e-8;

/// A value in Elo with its interval at [`CONFIDENCE`].
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
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
    /// Virtual draws for each bot, spread over its opponents; 0 for none.
    pub prior: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seat_term: true,
            method: Method::Cr3,
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
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
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

    /// A difference with its standard error, both in log-odds, and the degrees of freedom of that error.
    pub(super) fn contrast(&self, member: usize, other: usize) -> (f64, f64, u64) {
        let variance = self
            .variance
            .of_difference(self.parameters[member], self.parameters[other]);
        let rotations = self.rotations[member].min(self.rotations[other]);
        let value = self.ratings[member] - self.ratings[other];
        (value, variance.max(0.0).sqrt(), freedom(rotations))
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
///
/// With `seat_term`, advantages of seats are fitted where the matches allow; [`Fit::seats`] tells.
pub fn fit(tally: &Tally, members: &[usize], seat_term: bool) -> Fit {
    let rotations = tally.rotations();
    let settings = Settings {
        seat_term,
        ..Settings::default()
    };
    let rows = rotations.rows();
    Pool::new(tally, &rotations, &rows, members).fit(&settings)
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

    /// Rates the members; see [`fit`].
    pub fn fit(&self, settings: &Settings) -> Fit {
        let with = Design {
            members: self.members.len(),
            seats: self.seats,
        };
        let without = Design { seats: 1, ..with };
        let (design, rows, maximum, left_out) = if settings.seat_term && with.seats > 1 {
            let rows = self.rows_of(with, settings.prior);
            match with.maximise(&rows, with.start()) {
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
            Method::Cr3 => self.scatter(design, &rows, &maximum, total as f64),
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
        let mut rows: Vec<Counted> = self.rows.iter().filter_map(among).collect();
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
    fn scatter(&self, design: Design, rows: &[Counted], maximum: &Maximum, count: f64) -> (Variance, Errors) {
        let size = design.size();
        let model = maximum.information.inverse();
        let played = rows.iter().filter(|row| !row.is_virtual);
        let per_cluster = played.map(|row| row.number).sum::<f64>() / count;
        // Virtual draws scatter as the model says, since there is nothing else to go by.
        let mut meat = vec![0.0; size * size];
        let virtual_rows = rows.iter().filter(|row| row.is_virtual);
        design.add_information(virtual_rows, &maximum.theta, &mut meat);
        let mut pull = Pull::default();
        let mut hangs = false;
        self.each(design, |encounters, copies, number| {
            if hangs || !pull.find(design, encounters, copies as f64, &maximum.theta, &model) {
                hangs = true;
                return;
            }
            for (at, &i) in pull.parameters.iter().enumerate() {
                for (&j, b) in pull.parameters.iter().zip(&pull.values) {
                    if j <= i {
                        meat[i * size + j] += number as f64 * pull.values[at] * b;
                    }
                }
            }
        });
        if hangs {
            let counted = scaled(&model, per_cluster);
            return (Variance::of_counted(counted, design), Errors::Model);
        }
        mirror(&mut meat, size);
        let robust = product(&product(&model, &meat, size), &model, size);
        // Where all rotations ended alike their scatter is nothing, or nearly. The least that is believed is what one
        // more rotation that went the other way would bring: the most that the model allows, times 1 in `count`.
        let least = per_cluster / (count + per_cluster);
        let variance = Variance {
            counted: scaled(&robust, (count - 1.0) / count),
            floor: scaled(&model, least),
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
            floor: scaled(&maximum.information.inverse(), least),
            size,
        }
    }
}

/// What a rotation adds to the score equations, corrected for having drawn the fit towards itself: `Z' (I - Z C Z' W)⁻¹ e`
/// with its residuals `e`. Found as `Z' e + Z' Z C (I - Z' W Z C)⁻¹ Z' W e`, which has as many unknowns as the rotation
/// has bots and seats, not as it has results. Copies multiply all sums.
#[derive(Default)]
struct Pull {
    parameters: Vec<usize>,
    /// `Z' e`, then the outcome.
    values: Vec<f64>,
    /// `Z' W e`, then what solves the system.
    solution: Vec<f64>,
    /// `Z' Z` and `Z' W Z`.
    counts: Vec<f64>,
    information: Vec<f64>,
    /// `C` of these parameters.
    model: Vec<f64>,
    system: Vec<f64>,
}

impl Pull {
    /// Whether it exists: not when some parameter hangs on this rotation alone.
    fn find(&mut self, design: Design, rows: &[(Terms, f64)], copies: f64, theta: &[f64], model: &[f64]) -> bool {
        let size = design.size();
        self.parameters.clear();
        for (terms, _) in rows {
            for parameter in terms.0 {
                if parameter < size && !self.parameters.contains(&parameter) {
                    self.parameters.push(parameter);
                }
            }
        }
        let own = self.parameters.len();
        for (list, length) in [
            (&mut self.values, own),
            (&mut self.solution, own),
            (&mut self.counts, own * own),
            (&mut self.information, own * own),
            (&mut self.system, own * own),
        ] {
            list.clear();
            list.resize(length, 0.0);
        }
        self.model.clear();
        for &parameter in &self.parameters {
            let row = &model[parameter * size..][..size];
            self.model.extend(self.parameters.iter().map(|&other| row[other]));
        }
        for &(terms, points) in rows {
            let expected = logistic(terms.value(theta));
            let residual = copies * (points - expected);
            let weight = expected * (1.0 - expected);
            let places = terms
                .0
                .map(|parameter| self.parameters.iter().position(|&other| other == parameter));
            for (place, sign) in places.into_iter().zip(SIGNS) {
                let Some(i) = place else { continue };
                self.values[i] += sign * residual;
                self.solution[i] += sign * residual * weight;
                for (other, other_sign) in places.into_iter().zip(SIGNS) {
                    if let Some(j) = other {
                        self.counts[i * own + j] += sign * other_sign * copies;
                        self.information[i * own + j] += sign * other_sign * copies * weight;
                    }
                }
            }
        }
        for i in 0..own {
            self.system[i * own + i] = 1.0;
            for k in 0..own {
                for j in 0..own {
                    self.system[i * own + j] -= self.information[i * own + k] * self.model[k * own + j];
                }
            }
        }
        if !self.eliminate() {
            return false;
        }
        for k in 0..own {
            let inner: f64 = (0..own).map(|j| self.model[k * own + j] * self.solution[j]).sum();
            for i in 0..own {
                self.values[i] += self.counts[i * own + k] * inner;
            }
        }
        true
    }

    /// Solves the system in place, by Gauss with pivots from the column.
    fn eliminate(&mut self) -> bool {
        let own = self.solution.len();
        for column in 0..own {
            let size_of = |row: usize| self.system[row * own + column].abs();
            let pivot = (column..own).max_by(|&a, &b| size_of(a).total_cmp(&size_of(b)));
            let pivot = pivot.expect("the column's own row is among them");
            if size_of(pivot).is_nan() || size_of(pivot) <= LEVERAGE_LEFT_MIN {
                return false;
            }
            if pivot != column {
                self.solution.swap(pivot, column);
                for other in 0..own {
                    self.system.swap(pivot * own + other, column * own + other);
                }
            }
            for row in column + 1..own {
                let factor = self.system[row * own + column] / self.system[column * own + column];
                for other in column..own {
                    self.system[row * own + other] -= factor * self.system[column * own + other];
                }
                self.solution[row] -= factor * self.solution[column];
            }
        }
        for row in (0..own).rev() {
            let known: f64 = (row + 1..own)
                .map(|other| self.system[row * own + other] * self.solution[other])
                .sum();
            self.solution[row] = (self.solution[row] - known) / self.system[row * own + row];
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
struct Terms([usize; 4]);

const SIGNS: [f64; 4] = [1.0, 1.0, -1.0, -1.0];

impl Terms {
    fn value(self, theta: &[f64]) -> f64 {
        let [bot, seat, opponent, opponent_seat] = self.0;
        (theta[bot] - theta[opponent]) + (theta[seat] - theta[opponent_seat])
    }

    /// The same result seen by the opponent.
    fn turned(self) -> Terms {
        let [bot, seat, opponent, opponent_seat] = self.0;
        Terms([opponent, opponent_seat, bot, seat])
    }
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
        Terms([
            self.bot(bot),
            self.seat(seat),
            self.bot(opponent),
            self.seat(opponent_seat),
        ])
    }

    /// All parameters at 0, those held included.
    fn start(self) -> Vec<f64> {
        vec![0.0; self.size() + 2]
    }

    /// The maximum without a term for seats, which exists for members linked both ways.
    fn settled(self, rows: &[Counted]) -> Maximum {
        self.maximise(rows, self.start())
            .unwrap_or_else(|_| panic!("members have all scored against each other, directly or through others"))
    }

    /// Newton's method; a step is halved until the likelihood does not fall.
    fn maximise(self, rows: &[Counted], start: Vec<f64>) -> Result<Maximum, Seats> {
        let size = self.size();
        let mut theta = start;
        let mut reached = likelihood(rows, &theta);
        for round in 0..ROUNDS_MAX {
            let mut step = vec![0.0; size];
            for row in rows {
                let residual = row.points - row.number * logistic(row.terms.value(&theta));
                for (parameter, sign) in row.terms.0.into_iter().zip(SIGNS) {
                    if parameter < size {
                        step[parameter] += sign * residual;
                    }
                }
            }
            let mut information = vec![0.0; size * size];
            self.add_information(rows.iter(), &theta, &mut information);
            let Some(information) = Cholesky::of(information, size, 0.0) else {
                return Err(if round == 0 { Seats::Fixed } else { Seats::Unbounded });
            };
            information.solve(&mut step);
            let mut scale = 1.0;
            let next = loop {
                let mut next = theta.clone();
                for (value, step) in next.iter_mut().zip(&step) {
                    *value += scale * step;
                }
                let now = likelihood(rows, &next);
                // Close to the maximum the likelihood moves by less than its rounding.
                if now >= reached - 1e-12 * reached.abs() || scale < 1e-6 {
                    reached = now;
                    break next;
                }
                scale /= 2.0;
            };
            theta = next;
            let seats = &theta[self.members - 1..size];
            if seats.iter().any(|advantage| advantage.abs() > SEAT_LOGITS_MAX) {
                return Err(Seats::Unbounded);
            }
            if step.iter().all(|step| step.abs() <= STEP_MAX) {
                return Ok(Maximum { theta, information });
            }
        }
        Err(Seats::Unbounded)
    }

    /// Adds the negative second derivative of the likelihood; only its lower triangle.
    fn add_information<'a>(self, rows: impl Iterator<Item = &'a Counted>, theta: &[f64], matrix: &mut [f64]) {
        let size = self.size();
        for row in rows {
            let expected = logistic(row.terms.value(theta));
            let weight = row.number * expected * (1.0 - expected);
            for (i, a) in row.terms.0.into_iter().zip(SIGNS) {
                if i >= size {
                    continue;
                }
                for (j, b) in row.terms.0.into_iter().zip(SIGNS) {
                    if j <= i {
                        matrix[i * size + j] += weight * a * b;
                    }
                }
            }
        }
    }
}

fn likelihood(rows: &[Counted], theta: &[f64]) -> f64 {
    let each = rows.iter().map(|row| {
        let logits = row.terms.value(theta);
        row.points * logits - row.number * softplus(logits)
    });
    each.sum()
}

fn scaled(matrix: &[f64], factor: f64) -> Vec<f64> {
    matrix.iter().map(|element| element * factor).collect()
}

fn logistic(logits: f64) -> f64 {
    1.0 / (1.0 + (-logits).exp())
}

/// `ln(1 + exp(x))` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
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
    size: usize,
}

impl Variance {
    /// With nothing to set a least.
    fn of_counted(counted: Vec<f64>, design: Design) -> Variance {
        let size = design.size();
        Variance {
            floor: vec![0.0; size * size],
            counted,
            size,
        }
    }

    /// Of a difference between two parameters.
    fn of_difference(&self, one: Option<usize>, other: Option<usize>) -> f64 {
        let of = |matrix: &[f64]| {
            self.at(matrix, one, one) + self.at(matrix, other, other) - 2.0 * self.at(matrix, one, other)
        };
        of(&self.counted).max(of(&self.floor))
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
        let floor = of(&self.floor);
        of(&self.counted)
            .into_iter()
            .zip(floor)
            .map(|(counted, floor)| counted.max(floor))
            .collect()
    }

    fn at(&self, matrix: &[f64], one: Option<usize>, other: Option<usize>) -> f64 {
        one.zip(other)
            .map_or(0.0, |(one, other)| matrix[one * self.size + other])
    }
}
