//! What a format is called, how much there is to play, and how it ended, for people.

use std::fmt::Write;

use super::table::{Align, name, table};
use super::text::count;
use crate::config::{Format, Goal, Plan};
use crate::tournament::pairings::{
    ERROR, EXTRA_ROTATIONS_MAX, Form, Kind, Knockout, Ladder, Rounds, SwissLine, Table, standings, winner,
};
use crate::tournament::{Pairings, Shard};

/// How many matches there are.
pub fn total(pairings: &Pairings) -> String {
    let most = count(pairings.matches_max(), "match");
    if pairings.matches_min() == pairings.matches_max() {
        most
    } else {
        format!("at most {most}")
    }
}

/// What they consist of.
pub fn extent(pairings: &Pairings, plan: &Plan) -> String {
    let rotations = count(plan.rotations, "rotation");
    match pairings.kind() {
        Kind::Fixed { schedule, .. } => format!(
            "{rotations} of {} for each of {}",
            count(schedule.rotation_len(), "match"),
            count(schedule.groups(), "group")
        ),
        Kind::Rounds(rounds) => format!(
            "{} of {rotations} of {} at each table",
            count(rounds.len(), "round"),
            count(pairings.rotation_len(), "match"),
        ),
        Kind::Ladder(ladder) => format!(
            "{} of {}",
            count(ladder.rotations_max(), "rotation"),
            count(ladder.rotation_len(), "match"),
        ),
    }
}

/// Who meets whom, and how evenly where that is known.
pub fn notes(pairings: &Pairings, plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Kind::Fixed { shard, .. } = pairings.kind()
        && *shard != Shard::WHOLE
    {
        lines.push(format!("part {shard} of the schedule"));
    }
    match &plan.format {
        Format::RoundRobin => {}
        Format::Gauntlet { against } => {
            let names: Vec<_> = against
                .iter()
                .map(|bot| format!("`{}`", plan.bots[*bot].name))
                .collect();
            lines.push(format!("gauntlet: every match is against {}", names.join(" or ")));
        }
        Format::Swiss { .. } => lines.push(
            "swiss: a table won is 1 point, as is a bye, a level one 1/2; bots of about equal points meet".to_owned(),
        ),
        Format::Knockout => lines.push(format!(
            "knockout: the bracket is seeded by the order of the bots; a level tie plays up to {EXTRA_ROTATIONS_MAX} \
             rotations more, then the bot that was listed first goes on"
        )),
        Format::Ladder { goal, window } => lines.push(format!(
            "ladder: plays until {} for sure (error {:.0} %, however often one looks); at most {} side by side",
            sought(*goal, plan),
            100.0 * ERROR,
            count(window * pairings.rotation_len(), "match"),
        )),
    }
    lines.extend(
        pairings
            .schedule()
            .map(|schedule| format!("balance: {}", schedule.balance())),
    );
    lines
}

/// How a format that has a result of its own has ended, or stands; empty for the others.
pub fn result(pairings: &Pairings, plan: &Plan) -> String {
    match pairings.kind() {
        Kind::Fixed { .. } => String::new(),
        Kind::Rounds(rounds) => match rounds.form() {
            Form::Swiss(_) => swiss(rounds, plan),
            Form::Knockout(form) => knockout(form, rounds, plan),
        },
        Kind::Ladder(of) => ladder(of, plan),
    }
}

/// What a ladder is to find out, as what will then be known.
fn sought(goal: Goal, plan: &Plan) -> String {
    match goal {
        Goal::Best => "the best bot is known".to_owned(),
        Goal::Order => "the order of the bots is known".to_owned(),
        Goal::Bot(bot) => format!("who is better than `{}` is known", plan.bots[bot].name),
    }
}

/// What is counted in halves.
fn halves(halves: u64) -> String {
    (halves as f64 / 2.0).to_string()
}

fn swiss(rounds: &Rounds, plan: &Plan) -> String {
    let titles = [
        ("#", Align::Right),
        ("bot", Align::Left),
        ("points", Align::Right),
        ("won", Align::Right),
        ("level", Align::Right),
        ("lost", Align::Right),
        ("byes", Align::Right),
        ("Buchholz", Align::Right),
        ("S-B", Align::Right),
    ];
    let lines = standings(plan.bots.len(), rounds.played());
    let row = |(place, line): (usize, &SwissLine)| {
        vec![
            (place + 1).to_string(),
            name(&plan.bots[line.bot].name),
            halves(line.halves),
            line.won.to_string(),
            line.level.to_string(),
            line.lost.to_string(),
            line.byes.to_string(),
            halves(line.buchholz),
            (line.sonneborn_berger as f64 / 4.0).to_string(),
        ]
    };
    let rows: Vec<_> = lines.iter().enumerate().map(row).collect();
    format!(
        "\nswiss, {} of {}:\n{}\
         Points: 1 for a table won, 1/2 for a level one, 1 for a bye. Equal points: by Buchholz (the opponents' points), \
         then\nSonneborn-Berger (the points of those won against, half of those level with), then the order of the plan. A \
         bye counts\nthere as an opponent with the bot's own points.\n",
        rounds.played().len(),
        count(rounds.len(), "round"),
        table(&titles, &rows)
    )
}

fn knockout(form: &Knockout, rounds: &Rounds, plan: &Plan) -> String {
    let shown = |bot: usize| format!("`{}`", plan.bots[bot].name);
    let tie = |tie: &Table| {
        let on = winner(tie);
        let [first, second] = tie.bots;
        let (out, [of_on, of_out]) = if on == first {
            (second, tie.halves)
        } else {
            (first, [tie.halves[1], tie.halves[0]])
        };
        let score = format!("{} : {}", halves(of_on), halves(of_out));
        if of_on == of_out {
            format!(
                "{} is level with {}, {score}, and goes on as the bot listed first",
                shown(on),
                shown(out)
            )
        } else {
            format!("{} beats {}, {score}", shown(on), shown(out))
        }
    };
    let mut text = String::new();
    for (number, round) in rounds.played().iter().enumerate() {
        let title = if number as u64 + 1 == rounds.len() {
            "final".to_owned()
        } else {
            format!("round {}", number + 1)
        };
        let _ = writeln!(text, "\n{title}:");
        for table in &round.tables {
            let _ = writeln!(text, "  {}", tie(table));
        }
    }
    if let Some(winner) = form.winner(rounds.played()) {
        let _ = writeln!(text, "\nwinner: {}", shown(winner));
    }
    text
}

fn ladder(ladder: &Ladder, plan: &Plan) -> String {
    let Format::Ladder { goal, .. } = plan.format else {
        return String::new();
    };
    let reached = ladder.is_over() && ladder.open().is_empty();
    // What came in after the decision is no reason to take it back.
    let last = if reached {
        ladder.clone()
    } else {
        ladder.clone().with_all_results()
    };
    let titles = [("#", Align::Right), ("bot", Align::Left), ("rotations", Align::Right)];
    let row = |(place, bot): (usize, usize)| {
        let plays = last.plays()[bot].to_string();
        vec![(place + 1).to_string(), name(&plan.bots[bot].name), plays]
    };
    let rows: Vec<_> = last.ranking().into_iter().enumerate().map(row).collect();
    let rotations = count(last.rotations(), "rotation");
    let open: Vec<String> = last
        .open()
        .iter()
        .map(|(one, other)| format!("`{}` and `{}`", plan.bots[*one].name, plan.bots[*other].name))
        .collect();
    let verdict = if open.is_empty() {
        format!(
            "{} for sure after {rotations} (error {:.0} %)",
            sought(goal, plan),
            100.0 * ERROR
        )
    } else {
        format!("after {rotations} it is open who is better of {}", open.join(", "))
    };
    format!("\nladder: {verdict}\n{}", table(&titles, &rows))
}
