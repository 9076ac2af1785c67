//! The summary for a build pipeline, in GitHub's Markdown: the standings, which leads are sure, faults; a line each.

use std::fmt::Write;

use super::escape::markdown_code;
use super::{MARK, Report, grouped, words};
use crate::rating::Reference;

/// Kinds of faults that are listed.
const FAULTS_MAX: usize = 20;

pub fn summary(report: &Report<'_>) -> String {
    let standings = report.standings;
    let mut text = format!("<!-- {MARK} -->\n## {}\n", report.title());
    for (index, table) in standings.tables.iter().enumerate() {
        if standings.tables.len() > 1 {
            write_line(&mut text, &format!("\n{}", words::relation(index, table)));
        }
        let heading = match &table.reference {
            // The only words of a heading that are not ours.
            Reference::Anchor(name, rating) => format!("Elo, {} = {rating}", markdown_code(name, false)),
            _ => words::heading(table),
        };
        write_line(&mut text, &format!("\n{heading}\n"));
        let many_seats = standings.seats.len() > 2;
        let results = if many_seats { "places" } else { "W/D/L" };
        write_line(
            &mut text,
            &format!("| # | bot | Elo | ±95% | vs next | rank | {results} | score | forfeits | ms/move |"),
        );
        write_line(&mut text, "|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|");
        for line in &table.lines {
            let cells = words::cells(standings, table, line);
            let name = markdown_code(&line.name, true);
            write_line(
                &mut text,
                &format!(
                    "| {} | {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
                    cells.rank,
                    // What would be a quote, or HTML, in a cell.
                    cells.rating.replace('<', "&lt;").replace('>', "&gt;"),
                    cells.margin,
                    cells.ahead,
                    cells.ranks,
                    cells.results,
                    cells.score,
                    cells.forfeits,
                    cells.move_ms
                ),
            );
        }
    }
    text.push('\n');
    for line in words::counts(standings)
        .into_iter()
        .chain(words::voids(standings.voids))
    {
        // Names may be in these: as code nothing in them is more than text.
        write_line(&mut text, &format!("- {}", markdown_code(&one_line(&line), false)));
    }
    decisions(report, &mut text);
    faults(report, &mut text);
    text
}

/// Which leads in the standings are sure.
fn decisions(report: &Report<'_>, text: &mut String) {
    let mut lines = Vec::new();
    for table in &report.standings.tables {
        for pair in table.lines.windows(2) {
            let Some(lead) = pair[0].ahead else { continue };
            let [above, below] = [0, 1].map(|at: usize| markdown_code(&pair[at].name, false));
            let by = words::points(lead.value, true);
            lines.push(if lead.is_apart() {
                format!("- decided: {above} is ahead of {below} by {by} ±{:.0} Elo", lead.margin)
            } else {
                format!("- open: {above} or {below} ({by} ±{:.0} Elo)", lead.margin)
            });
        }
    }
    if !lines.is_empty() {
        write_line(text, "\n### Decisions\n");
        lines.iter().for_each(|line| write_line(text, line));
    }
}

fn faults(report: &Report<'_>, text: &mut String) {
    let kinds = report.survey.faults();
    if kinds.is_empty() {
        return;
    }
    write_line(text, "\n### Faults\n");
    for kind in kinds.iter().take(FAULTS_MAX) {
        write_line(
            text,
            &format!(
                "- {}: `{}` {} times; the first in match {} at ply {}: {}",
                markdown_code(report.name(kind.bot), false),
                kind.code.as_str(),
                grouped(kind.count),
                kind.first_match,
                kind.first.ply,
                markdown_code(&words::cut(&kind.first.message, 300), false)
            ),
        );
    }
    if kinds.len() > FAULTS_MAX {
        write_line(text, &format!("- and {} more kinds", kinds.len() - FAULTS_MAX));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write_line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes what is written");
}
