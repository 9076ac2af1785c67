//! What standings say, in the words and numbers that people read: the terminal's table, the report and its summary in
//! Markdown share them, so that they cannot differ. What is counted and fitted is for [`crate::rating`].

use crate::rating::ml::{Errors, Estimate, Seats};
use crate::rating::{Line, Rating, Reference, Standings, Table, TableKind};
use crate::record::End;

/// Names longer than this are cut where a table has no room.
const NAME_MAX: usize = 20;

/// Below this share of matches that are no copies a warning is due.
const DISTINCT_SHARE_MIN: f64 = 0.9;

/// Above this share of matches with a forfeit a warning is due.
const FORFEITED_SHARE_MAX: f64 = 0.01;

/// Below this probability ratings are said not to fit.
const CYCLES_SHARE: f64 = 0.05;

/// A name, cut where it is too long for a table.
pub fn name(name: &str) -> String {
    cut(name, NAME_MAX)
}

/// A name, cut where it is longer than `most` characters.
pub fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let kept: String = name.chars().take(most - 1).collect();
    format!("{kept}…")
}

/// How a table relates to those above, where there are several; `index` counts from 0.
pub fn relation(index: usize, table: &Table) -> String {
    let relation = match (index, table.kind) {
        (0, _) => "these bots can be compared with each other only",
        (_, TableKind::Apart) => "no match links it to the tables above",
        (_, TableKind::Below) => "nobody in it scored against a table above it was linked to: how far below is open",
    };
    format!("Table {}: {relation}", index + 1)
}

/// What the numbers of a table are relative to.
pub fn heading(table: &Table) -> String {
    let reference = match &table.reference {
        Reference::Mean(bots) => format!("Elo, 0 = mean of the {bots} rated bots"),
        Reference::Anchor(anchor, rating) => format!("Elo, {} = {rating}", name(anchor)),
        Reference::Opponents if table.lines.iter().any(|line| line.rank.is_some()) => {
            return "Elo: too one-sided for numbers; bounds count a bot's opponents as 0".to_owned();
        }
        Reference::Opponents => return "Elo: no matches yet".to_owned(),
    };
    match table.errors {
        Some(Errors::Rotations) => format!("{reference}; ± 95 % from {} rotations (CR3)", table.rotations),
        Some(Errors::Model) => format!("{reference}; ± 95 % from the model (too few rotations)"),
        Some(Errors::Naive) => format!("{reference}; ± 95 % as if all results were independent"),
        Some(Errors::Bootstrap) => format!("{reference}; ± 95 % from {} rotations (bootstrap)", table.rotations),
        None => reference,
    }
}

/// What the columns of a table say of one bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cells {
    /// Its rank.
    pub rank: String,
    /// Its rating.
    pub rating: String,
    /// Half the width of the interval.
    pub margin: String,
    /// The lead over the next bot.
    pub ahead: String,
    /// The ranks that the data leave open.
    pub ranks: String,
    /// Wins, draws and losses, or with more than two seats how often it came first, second and so on.
    pub results: String,
    /// The share of what it could have scored.
    pub score: String,
    /// Matches forfeited.
    pub forfeits: String,
    /// Mean time of a move, milliseconds.
    pub move_ms: String,
}

/// The cells of a line.
pub fn cells(standings: &Standings, table: &Table, line: &Line) -> Cells {
    let signed = !matches!(table.reference, Reference::Anchor(..));
    let (rating, margin) = rating_cells(&line.rating, signed);
    Cells {
        rank: or_dash(line.rank),
        rating,
        margin,
        ahead: line.ahead.map_or(String::new(), ahead),
        ranks: or_dash(line.ranks.map(|ranks| format!("{}-{}", ranks.best, ranks.worst))),
        results: if standings.seats.len() > 2 {
            places(line, standings.seats.len())
        } else {
            wins_draws_losses(line)
        },
        score: or_dash(line.share.map(|share| format!("{:.1}%", 100.0 * share))),
        forfeits: line.forfeits.to_string(),
        move_ms: or_dash(line.move_us_mean.map(|us| format!("{:.1}", us / 1_000.0))),
    }
}

/// A lead with its own interval, marked where that holds no lead as well.
fn ahead(lead: Estimate) -> String {
    let mark = if lead.is_apart() { "" } else { "?" };
    format!("{mark}{} ±{:.0}", points(lead.value, true), lead.margin)
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

fn wins_draws_losses(line: &Line) -> String {
    format!("{}/{}/{}", line.wins, line.draws, line.losses)
}

pub fn places(line: &Line, seats: usize) -> String {
    let counts = (0..seats).map(|place| line.places.get(place).unwrap_or(&0).to_string());
    counts.collect::<Vec<_>>().join("/")
}

/// A rating in whole points, with a sign where 0 means something. Never `-0`.
pub fn points(value: f64, signed: bool) -> String {
    let value = value.round() + 0.0;
    if signed && value != 0.0 {
        format!("{value:+.0}")
    } else {
        format!("{value:.0}")
    }
}

fn rating_cells(rating: &Rating, signed: bool) -> (String, String) {
    let end = |value: f64| points(value, signed);
    match *rating {
        Rating::Fitted { value, high, .. } => (end(value), format!("±{:.0}", high - value)),
        Rating::Anchor { value } => (end(value), "set".to_owned()),
        Rating::Bound {
            low: Some(low),
            high: Some(high),
        } => (format!("{}..{}", end(low), end(high)), String::new()),
        Rating::Bound {
            low: Some(low),
            high: None,
        } => (format!("> {}", end(low)), String::new()),
        Rating::Bound {
            low: None,
            high: Some(high),
        } => (format!("< {}", end(high)), String::new()),
        Rating::Bound { low: None, high: None } | Rating::Unknown => ("-".to_owned(), String::new()),
    }
}

/// What was counted over all bots.
pub fn counts(standings: &Standings) -> Vec<String> {
    let Standings {
        matches,
        distinct,
        forfeits,
        forfeited,
        ..
    } = *standings;
    let percent = 100.0 * forfeited as f64 / matches.max(1) as f64;
    let mut lines = vec![format!(
        "{matches} matches, {distinct} of them distinct; {forfeits} forfeits, in {percent:.1}% of matches"
    )];
    if (distinct as f64) < DISTINCT_SHARE_MIN * matches as f64 {
        lines.push(format!(
            "warning: {} matches are copies, which tell nothing new: play more openings",
            matches - distinct
        ));
    }
    if forfeited as f64 > FORFEITED_SHARE_MAX * matches as f64 {
        lines
            .push("warning: forfeits count as losses; for play alone: `arena standings --without-forfeits`".to_owned());
    }
    if standings.left_out > 0 {
        lines.push(format!(
            "left out: {} matches with a forfeit, as asked for",
            standings.left_out
        ));
    }
    if standings.adaptive {
        lines.push("who met whom hung on earlier results, for which ±95% makes no allowance".to_owned());
    }
    lines.extend(seat_line(standings));
    lines.extend(cycle_line(standings));
    if let Some(name) = &standings.anchor_unrated {
        lines.push(format!(
            "warning: `{name}` has no rating yet that others could be relative to"
        ));
    }
    lines
}

/// Whether bots beat each other in circles, by the table with most bots.
fn cycle_line(standings: &Standings) -> Option<String> {
    let table = standings.tables.iter().max_by_key(|table| table.lines.len())?;
    let rated = table.lines.iter().filter(|line| line.ranks.is_some()).count();
    let Some(cycles) = &table.cycles else {
        return (rated > 2).then(|| "rock-paper-scissors: cannot be told yet".to_owned());
    };
    let name = |bot: &usize| {
        let line = table.lines.iter().find(|line| line.bot == *bot);
        line.map_or(String::new(), |line| cut(&line.name, 11))
    };
    let p = cycles.p;
    if p >= CYCLES_SHARE {
        return Some(format!("no sign of rock-paper-scissors (p = {p:.2})"));
    }
    let circle = cycles.strongest.as_ref().map(|circle| {
        let [a, b, c] = [0, 1, 2].map(|at: usize| name(&circle.bots[at]));
        format!(
            "\n         more than rated: {a} on {b}, {b} on {c}, {c} on {a} (p = {:.2})",
            circle.p
        )
    });
    Some(format!(
        "warning: one number a bot does not fit, some score more on one than on another (p = {p:.4}){}",
        circle.unwrap_or_default()
    ))
}

/// How much the seats are worth, by the table with most bots.
pub fn seat_line(standings: &Standings) -> Option<String> {
    let table = standings
        .tables
        .iter()
        .max_by_key(|table| (table.rotations, table.lines.len()))?;
    let share = |seat: usize| standings.seats.get(seat).map_or(0.0, |line| 100.0 * line.share);
    let term = match table.seat_term.as_ref()? {
        Seats::LeftOut => return None,
        Seats::Fixed => "its worth cannot be told: bots did not change seats".to_owned(),
        Seats::Unbounded => "no number fits its worth".to_owned(),
        Seats::Fitted(seats) => match seats[..] {
            // The two are opposite, so one is worth twice as much against the other as against their mean.
            [Estimate { value, margin, .. }, _] => {
                format!("worth {} ±{:.0} Elo", points(2.0 * value, true), 2.0 * margin)
            }
            _ => {
                let each = seats.iter().enumerate().map(|(seat, estimate)| {
                    format!("{}: {} ±{:.0}", seat + 1, points(estimate.value, true), estimate.margin)
                });
                return Some(format!("Elo by seat: {}", each.collect::<Vec<_>>().join(", ")));
            }
        },
    };
    Some(format!("the first seat scores {:.1}%; {term}", share(0)))
}

/// What the numbers mean: a sign of the table, and its meaning.
pub fn method(standings: &Standings) -> Vec<(String, String)> {
    let card = |sign: &str, meaning: &str| (sign.to_owned(), meaning.to_owned());
    let mut lines = vec![card(
        "Elo",
        "likeliest ratings for all scores (win 1, tie 1/2); 400 are odds of 10:1",
    )];
    let any = |test: fn(&Line) -> bool| standings.tables.iter().flat_map(|table| &table.lines).any(test);
    if any(|line| matches!(line.rating, Rating::Fitted { .. })) {
        lines.extend([
            card("±95%", "holds for a run that was not stopped because of what it showed"),
            card(
                "vs next",
                "lead over the bot below with its own ±95%; ? where it may be none",
            ),
            card(
                "rank",
                "a-b: no rank outside fits the data, for all bots at once (95 %)",
            ),
        ]);
    }
    if any(|line| matches!(line.rating, Rating::Bound { .. })) {
        lines.push(card(
            "> <",
            "won or lost everything: only a bound (95 %), no number fits",
        ));
    }
    if standings.prior > 0.0 {
        let prior = standings.prior;
        lines.push(card(
            "prior",
            &format!("{prior} virtual draws for each bot draw all ratings together"),
        ));
    }
    if let Some(k) = standings.elo_k {
        lines.push(card(
            &format!("K={k}"),
            "running number from 1500: depends on the order, for watching only",
        ));
    }
    lines
}

/// That matches were void, where some were.
pub fn voids(voids: u64) -> Option<String> {
    (voids > 0).then(|| {
        format!(
            "voids: {voids}; the arena or its host stood still, and nobody is charged: these matches were played again"
        )
    })
}

/// Why matches ended.
pub fn ended(end: End) -> &'static str {
    match end {
        End::Rules => "ended by the rules",
        End::Repetition => "ended by repetition",
        End::PlyCap => "ended by the cap on plies",
        End::Resignation => "ended by resignation",
        End::Fault => "ended by a fault",
    }
}

/// A time in the unit that suits it, to three digits.
pub fn micros(us: f64) -> String {
    let (value, unit) = match us {
        0.0..1e3 => (us, "µs"),
        1e3..1e6 => (us / 1e3, "ms"),
        _ => (us / 1e6, "s"),
    };
    let digits = match value {
        0.0..9.995 if unit != "µs" => 2,
        0.0..99.95 if unit != "µs" => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_by_characters() {
        assert_eq!(name("ääääääääääääääääääää"), "ääääääääääääääääääää");
        assert_eq!(name("ääääääääääääääääääää!"), "äääääääääääääääääää…");
    }
}
