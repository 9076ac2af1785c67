//! The report as a page: one file, no request, readable without scripts but for charts, list of matches and replays.
//!
//! Everything that a bot, a name or a file says passes through [`escape`](super::escape). Should anything ever get through
//! all the same, the page's policy runs only what bears its nonce, a hash of the data that no bot can know while it plays.
//!
//! What the scripts show is in the page as JSON, once; they put it there by calls that take text, never markup.

use std::fmt::Write;

use serde_json::json;

use super::escape::{html, html_name, json_in_script};
use super::league::league;
use super::survey::{LISTED_ALL_MAX, TIME_EDGES_US};
use super::utc::utc;
use super::{MARK, Report, assets, grouped, words};
use crate::config::{Launch, Limits, OpeningSource};
use crate::rating::ml::Seats;
use crate::rating::{Rating, Table};

/// Bots in the cross table at most; it has a cell for each two of them.
const CROSS_MAX: usize = 40;

/// Bots in the charts at most.
const CHARTED_MAX: usize = 40;

/// Kinds of faults that are listed.
const FAULTS_MAX: usize = 200;

/// Runs that are listed.
const RUNS_MAX: usize = 50;

/// Shares of moves for which the time is told.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// A part of the page.
struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

pub fn page(report: &Report<'_>) -> String {
    let title = html(&report.title());
    let data = data(report);
    let nonce = &blake3::hash(data.as_bytes()).to_hex()[..32];
    let sections = sections(report);
    let mut page = String::with_capacity(data.len() + 600_000);
    page += &format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-one-language>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"{MARK} {}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; \
         style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n",
        env!("CARGO_PKG_VERSION")
    );
    for style in assets::STYLES {
        page += &format!("<style nonce=\"{nonce}\">\n{}\n</style>\n", style.trim_end());
    }
    page += "</head>\n<body>\n<a class=\"skip\" href=\"#standings\">Skip to the standings</a>\n<header>\n";
    page += &format!("<h1>{title}</h1>\n<p>{}</p>\n", about(report));
    page += "<nav aria-label=\"Contents\"><ul>\n";
    for Section { id, title, .. } in &sections {
        page += &format!("<li><a href=\"#{id}\">{title}</a></li>\n");
    }
    page += "</ul></nav>\n</header>\n<main>\n";
    for Section { id, title, body } in &sections {
        page += &format!("<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n");
        page += body;
        page += "</section>\n";
    }
    page += "</main>\n<footer><p class=\"hint\">";
    page += &format!(
        "Made by arena {} from a results file.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    );
    page += "<script type=\"application/json\" id=\"data\">";
    page += &data;
    page += "</script>\n";
    page += &format!(
        "<script type=\"importmap\" nonce=\"{nonce}\">{}</script>\n",
        json_in_script(&assets::import_map())
    );
    page += &format!(
        "<script type=\"module\" nonce=\"{nonce}\">\n{}</script>\n</body>\n</html>\n",
        assets::mapped(assets::SCRIPT)
    );
    page
}

fn sections(report: &Report<'_>) -> Vec<Section> {
    let section = |id, title, body| Section { id, title, body };
    vec![
        section("standings", "Standings", standings(report)),
        section("crosstable", "Everybody against everybody", cross_table(report)),
        section("history", "Ratings against matches played", history(report)),
        section("seats", "What a seat is worth", seats(report)),
        section("lengths", "Length of matches", lengths(report)),
        section("times", "Time a move", times(report)),
        section("faults", "Faults", faults(report)),
        section("matches", "Matches", matches(report)),
        section("plan", "Plan", plan(report)),
        section("runs", "Runs, versions and host", runs(report)),
        section("again", "Play it again", again(report)),
    ]
}

/// One line under the title.
fn about(report: &Report<'_>) -> String {
    let plan = report.plan;
    let options: Vec<_> = { plan.plan.game.options.iter() }
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let game = match options.is_empty() {
        true => plan.plan.game.name.clone(),
        false => format!("{}:{}", plan.plan.game.name, options.join(",")),
    };
    let runs = match report.runs {
        [] => String::new(),
        [first, ..] => format!(", first played {}", utc(first.started_ms)),
    };
    let replays = match report.films.len() {
        0 => String::new(),
        1 => "; 1 match can be replayed below".to_owned(),
        films => format!("; {films} matches can be replayed below"),
    };
    html(&format!("{game}, plan {}{runs}{replays}.", plan.id))
}

// Standings ---------------------------------------------------------------------------------------------------------

fn standings(report: &Report<'_>) -> String {
    let standings = report.standings;
    let mut text = String::new();
    for (index, table) in standings.tables.iter().enumerate() {
        if standings.tables.len() > 1 {
            text += &format!("<p>{}</p>\n", html(&words::relation(index, table)));
        }
        text += &standings_table(report, table);
    }
    text += "<ul class=\"notes\">\n";
    for line in words::counts(standings)
        .into_iter()
        .chain(words::voids(standings.voids))
    {
        text += &format!("<li>{}</li>\n", html(&line));
    }
    text += "</ul>\n<h3>What the numbers mean</h3>\n<dl class=\"card\">\n";
    for (sign, meaning) in words::method(standings) {
        text += &format!("<div><dt>{}</dt><dd>{}</dd></div>\n", html(&sign), html(&meaning));
    }
    text + "</dl>\n"
}

fn standings_table(report: &Report<'_>, table: &Table) -> String {
    let standings = report.standings;
    let results = if standings.seats.len() > 2 { "places" } else { "W/D/L" };
    let mut text = scrolled("Standings");
    text += &format!(
        "<table>\n<caption>{}</caption>\n<thead><tr>",
        html(&words::heading(table))
    );
    for (title, class) in [
        ("#", "number"),
        ("bot", ""),
        ("Elo", "number"),
        ("±95%", "number"),
        ("interval", ""),
        ("vs next", "number"),
        ("rank", "number"),
        (results, "number"),
        ("score", "number"),
        ("forfeits", "number"),
        ("ms/move", "number"),
    ] {
        text += &format!("<th scope=\"col\" class=\"{class}\">{title}</th>");
    }
    text += "</tr></thead>\n<tbody>\n";
    let scale = Scale::of(table);
    for line in &table.lines {
        let cells = words::cells(standings, table, line);
        text += &format!(
            "<tr><td class=\"number\">{}</td><th scope=\"row\"><a href=\"#matches?bot={}\">{}</a></th>",
            cells.rank,
            line.bot,
            html_name(&line.name)
        );
        for (cell, class) in [(&cells.rating, "number"), (&cells.margin, "number")] {
            text += &format!("<td class=\"{class}\">{}</td>", html(cell));
        }
        text += &format!("<td class=\"bar\">{}</td>", scale.bar(&line.rating));
        for cell in [
            &cells.ahead,
            &cells.ranks,
            &cells.results,
            &cells.score,
            &cells.forfeits,
            &cells.move_ms,
        ] {
            text += &format!("<td class=\"number\">{}</td>", html(cell));
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n</table>\n</div>\n"
}

/// The scale that the bars of a table share.
struct Scale {
    low: f64,
    high: f64,
}

/// How wide a bar is drawn, and how much of that is margin at each end.
const BAR_WIDTH: f64 = 200.0;
const BAR_MARGIN: f64 = 8.0;

impl Scale {
    fn of(table: &Table) -> Scale {
        let ends = table.lines.iter().flat_map(|line| match line.rating {
            Rating::Fitted { low, high, .. } => [Some(low), Some(high)],
            Rating::Anchor { value } => [Some(value), None],
            Rating::Bound { low, high } => [low, high],
            Rating::Unknown => [None, None],
        });
        let (low, high) = ends
            .flatten()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| {
                (low.min(end), high.max(end))
            });
        // Without any width there would be nothing to divide by.
        if high > low {
            Scale { low, high }
        } else {
            let middle = if low.is_finite() { low } else { 0.0 };
            Scale {
                low: middle - 1.0,
                high: middle + 1.0,
            }
        }
    }

    fn x(&self, value: f64) -> f64 {
        BAR_MARGIN + (BAR_WIDTH - 2.0 * BAR_MARGIN) * (value - self.low) / (self.high - self.low)
    }

    /// An interval, its open ends as arrows. The numbers beside it say the same, so it is hidden from who hears the page.
    fn bar(&self, rating: &Rating) -> String {
        let (value, low, high) = match *rating {
            Rating::Fitted { value, low, high } => (Some(value), Some(low), Some(high)),
            Rating::Anchor { value } => (Some(value), Some(value), Some(value)),
            Rating::Bound { low, high } if low.is_some() || high.is_some() => (None, low, high),
            Rating::Bound { .. } | Rating::Unknown => return String::new(),
        };
        let (from, to) = (
            low.map_or(BAR_MARGIN, |low| self.x(low)),
            high.map_or(BAR_WIDTH - BAR_MARGIN, |high| self.x(high)),
        );
        let mut svg = format!(
            "<svg class=\"interval\" viewBox=\"0 0 {BAR_WIDTH} 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        );
        if self.low < 0.0 && 0.0 < self.high {
            let zero = self.x(0.0);
            svg += &format!("<line class=\"interval-zero\" x1=\"{zero:.1}\" x2=\"{zero:.1}\" y1=\"0\" y2=\"24\"/>");
        }
        let width = (to - from).max(1.0);
        svg += &format!("<rect class=\"interval-bar\" x=\"{from:.1}\" y=\"8\" width=\"{width:.1}\" height=\"8\"/>");
        for (end, x, arrow) in [(low, from, "M8 4L0 12L8 20Z"), (high, to, "M192 4L200 12L192 20Z")] {
            svg += &match end {
                Some(_) => {
                    format!("<line class=\"interval-end\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"5\" y2=\"19\"/>")
                }
                None => format!("<path class=\"interval-open\" d=\"{arrow}\"/>"),
            };
        }
        if let Some(value) = value {
            let x = self.x(value) - 2.0;
            svg += &format!("<rect class=\"interval-value\" x=\"{x:.1}\" y=\"3\" width=\"4\" height=\"18\"/>");
        }
        svg + "</svg>"
    }
}

// Cross table -------------------------------------------------------------------------------------------------------

fn cross_table(report: &Report<'_>) -> String {
    let order = report.order();
    let shown = &order[..order.len().min(CROSS_MAX)];
    let mut text = String::new();
    if shown.len() < order.len() {
        text += &format!(
            "<p>The {} bots at the top of {}; <code>arena crosstable</code> prints all.</p>\n",
            shown.len(),
            order.len()
        );
    }
    text += &scrolled("Everybody against everybody");
    text += "<table class=\"heat-map\">\n<caption>Score of the row against the column in percent, a tie being half; \
             blue from 50 up, orange below. A cell leads to its matches.</caption>\n\
             <thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\">bot</th>";
    for (at, bot) in shown.iter().enumerate() {
        let name = html(&words::name(report.name(*bot)));
        text += &format!("<th scope=\"col\"><abbr title=\"{name}\">{}</abbr></th>", at + 1);
    }
    text += "</tr></thead>\n<tbody>\n";
    for (at, &bot) in shown.iter().enumerate() {
        text += &format!(
            "<tr><td class=\"number\">{}</td><th scope=\"row\">{}</th>",
            at + 1,
            html_name(report.name(bot))
        );
        for &opponent in shown {
            let met = report.scores.get(bot, opponent);
            text += &match met {
                _ if bot == opponent => "<td class=\"heat heat-none\">·</td>".to_owned(),
                None => "<td class=\"heat heat-none\">–</td>".to_owned(),
                Some(met) => format!(
                    "<td class=\"heat heat-{}\"><a href=\"#matches?bot={bot}&amp;opponent={opponent}\" \
                     title=\"{} matches: {} won, {} tied, {} lost\">{:.0}</a></td>",
                    (10.0 * met.share()).round(),
                    met.matches(),
                    met.wins,
                    met.draws,
                    met.losses,
                    100.0 * met.share()
                ),
            };
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n</table>\n</div>\n"
}

// Charts ------------------------------------------------------------------------------------------------------------

/// The bots of the charts: all, or those at the top.
fn charted(report: &Report<'_>) -> Vec<usize> {
    let order = report.order();
    order.into_iter().take(CHARTED_MAX).collect()
}

/// What a chart says where it does not draw all bots.
fn charted_note(report: &Report<'_>) -> String {
    let (charted, all) = (charted(report).len(), report.order().len());
    if charted == all {
        return String::new();
    }
    format!("<p>Drawn: the {charted} bots at the top of {all}.</p>\n")
}

fn history(report: &Report<'_>) -> String {
    if report.survey.history.at.len() < 2 {
        return "<p>Too few matches, or too many bots, for a history.</p>\n".to_owned();
    }
    format!(
        "<p>The likeliest ratings of all matches up to each point (maximum likelihood, as in the standings; no running \
         number with a K factor), in the order of the schedule. A line begins where a number fits. How sure a point is, is \
         left out here: the standings tell it of the last. All points are on the scale of the last.</p>\n\
         {}<div id=\"chart-history\"></div>\n",
        charted_note(report)
    )
}

fn seats(report: &Report<'_>) -> String {
    let standings = report.standings;
    if standings.seats.is_empty() {
        return "<p>Nothing has been played.</p>\n".to_owned();
    }
    let table = standings
        .tables
        .iter()
        .max_by_key(|table| (table.rotations, table.lines.len()));
    let fitted = match table.and_then(|table| table.seat_term.as_ref()) {
        Some(Seats::Fitted(seats)) => &seats[..],
        _ => &[],
    };
    let mut text = words::seat_line(standings).map_or(String::new(), |line| format!("<p>{}</p>\n", html(&line)));
    text += &scrolled("Seats");
    text += "<table>\n<caption>Share of what could be scored from each seat, whoever sat there; Elo against the mean of the \
             seats, at equal strength</caption>\n<thead><tr><th scope=\"col\">seat</th>\
             <th scope=\"col\" class=\"number\">share</th><th scope=\"col\" class=\"number\">Elo</th>\
             <th scope=\"col\" class=\"number\">±95%</th></tr></thead>\n<tbody>\n";
    for (seat, line) in standings.seats.iter().enumerate() {
        let elo = fitted.get(seat);
        text += &format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.1}%</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td></tr>\n",
            seat + 1,
            100.0 * line.share,
            elo.map_or("-".to_owned(), |elo| words::points(elo.value, true)),
            elo.map_or("-".to_owned(), |elo| format!("±{:.0}", elo.margin)),
        );
    }
    text + "</tbody>\n</table>\n</div>\n"
}

fn lengths(report: &Report<'_>) -> String {
    let mut text = String::new();
    let ends: Vec<String> = { crate::record::End::ALL.iter().zip(report.survey.ends) }
        .filter(|(_, matches)| *matches > 0)
        .map(|(end, matches)| format!("{} {}", grouped(matches), words::ended(*end)))
        .collect();
    if ends.is_empty() {
        return "<p>Nothing has been played.</p>\n".to_owned();
    }
    text += &format!("<p>{}.</p>\n", ends.join(", "));
    text + "<div id=\"chart-lengths\"></div>\n"
}

fn times(report: &Report<'_>) -> String {
    let survey = report.survey;
    let mut text =
        "<p>Every move of every match, as the arena measured it. Quantiles are good to some 4 %.</p>\n".to_owned();
    text += &scrolled("Time a move");
    text += "<table>\n<caption>Time a move, by bot: so much or less took half of all moves, 90 % of them, and so on</caption>\
             \n<thead><tr><th scope=\"col\">bot</th><th scope=\"col\" class=\"number\">moves</th>";
    for share in QUANTILES {
        text += &format!("<th scope=\"col\" class=\"number\">{}%</th>", 100.0 * share);
    }
    text += "<th scope=\"col\" class=\"number\">longest</th></tr></thead>\n<tbody>\n";
    for bot in report.order() {
        let times = &survey.times[bot];
        text += &format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>",
            html_name(report.name(bot)),
            grouped(times.moves)
        );
        let quantiles = QUANTILES.map(|share| times.quantile_us(share));
        let longest = (times.moves > 0).then_some(times.longest_us as f64);
        for us in quantiles.into_iter().chain([longest]) {
            text += &format!("<td class=\"number\">{}</td>", us.map_or("-".to_owned(), words::micros));
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n</table>\n</div>\n" + &charted_note(report) + "<div id=\"chart-times\"></div>\n"
}

// Faults and matches ------------------------------------------------------------------------------------------------

fn faults(report: &Report<'_>) -> String {
    let kinds = report.survey.faults();
    if kinds.is_empty() {
        return "<p>Nobody made a fault.</p>\n".to_owned();
    }
    let mut text = format!(
        "<p>{} of {} matches had a fault. The first of each kind of each bot:</p>\n",
        grouped(report.survey.faulty()),
        grouped(report.survey.matches())
    );
    text += &scrolled("Faults");
    text += "<table>\n<caption>Faults by bot and kind, the most frequent first</caption>\n<thead><tr>\
             <th scope=\"col\">bot</th><th scope=\"col\">kind</th><th scope=\"col\" class=\"number\">how many</th>\
             <th scope=\"col\" class=\"number\">first in match</th><th scope=\"col\">what it was</th></tr></thead>\n<tbody>\n";
    for kind in kinds.iter().take(FAULTS_MAX) {
        let first = &kind.first;
        text += &format!(
            "<tr><th scope=\"row\"><a href=\"#matches?bot={}&amp;faults=1\">{}</a></th><td><code>{}</code></td>\
             <td class=\"number\">{}</td><td class=\"number\"><a href=\"#match-{number}\">{number}</a></td>\
             <td class=\"said\">ply {}, seat {}: {}",
            kind.bot,
            html_name(report.name(kind.bot)),
            kind.code.as_str(),
            grouped(kind.count),
            first.ply,
            first.seat + 1,
            html(&first.message),
            number = kind.first_match,
        );
        for (what, said) in [("process", &first.exit), ("hint", &first.hint)] {
            if let Some(said) = said {
                text += &format!("<br>{what}: {}", html(said));
            }
        }
        if let Some(stderr) = &first.stderr {
            text += &format!(
                "<details><summary>the end of its standard error</summary><pre tabindex=\"0\">{}</pre></details>",
                html(stderr)
            );
        }
        text += "</td></tr>\n";
    }
    text += "</tbody>\n</table>\n</div>\n";
    if kinds.len() > FAULTS_MAX {
        text += &format!("<p>And {} more kinds.</p>\n", kinds.len() - FAULTS_MAX);
    }
    text
}

fn matches(report: &Report<'_>) -> String {
    let (listed, all) = (report.survey.list.len(), report.survey.matches());
    let mut text = String::new();
    if listed < all {
        text += &format!(
            "<p><strong>A sample:</strong> {} of {} matches are listed here, evenly spread and with faults; above {} not all \
             are. All numbers above are of all matches; <code>arena matches</code> and <code>arena export</code> list them.</p>\n",
            grouped(listed),
            grouped(all),
            grouped(LISTED_ALL_MAX)
        );
    }
    let films = report.films;
    if !films.is_empty() {
        text += &format!(
            "<p>{} of them can be replayed here: matches with a fault, the first of each kind before others, and a sample \
             spread evenly over all.{} <code>arena show MATCH</code> and <code>arena serve</code> replay every one.</p>\n",
            films.len(),
            match films.left_out {
                0 => String::new(),
                left_out => format!(" For {} more there was no room.", grouped(left_out)),
            }
        );
    }
    text + "<noscript><p>The list of matches and the replays need JavaScript; the tables above do not.</p></noscript>\n\
            <div id=\"match-list\"></div>\n<div id=\"match-replay\"></div>\n"
}

// Plan, runs --------------------------------------------------------------------------------------------------------

fn plan(report: &Report<'_>) -> String {
    let stored = report.plan;
    let mut text = format!(
        "<p>Plan <code>{}</code>, added {} by arena {}, as a league file:</p>\n<pre tabindex=\"0\" id=\"league\">{}</pre>\n",
        html(&stored.id),
        utc(stored.created_ms),
        html(&stored.arena),
        html(&league(&stored.plan))
    );
    text += &scrolled("Bots");
    text += "<table>\n<caption>The bots, and what their programs were</caption>\n<thead><tr><th scope=\"col\">bot</th>\
             <th scope=\"col\">started as</th><th scope=\"col\">content hash</th></tr></thead>\n<tbody>\n";
    for (spec, bot) in stored.plan.bots.iter().zip(&stored.bots) {
        let launch = match &spec.launch {
            Launch::House { .. } => "house bot".to_owned(),
            Launch::Command(words) => words.join(" "),
            Launch::Person => "a person".to_owned(),
        };
        text += &format!(
            "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td><code>{}</code></td></tr>\n",
            html_name(&bot.name),
            html(&words::cut(&launch, 200)),
            html(bot.content.as_deref().unwrap_or("-"))
        );
    }
    text + "</tbody>\n</table>\n</div>\n"
}

fn runs(report: &Report<'_>) -> String {
    let runs = report.runs;
    let mut text = format!("<p>This report was made by arena {}.", env!("CARGO_PKG_VERSION"));
    if runs.is_empty() {
        return text + " The results file tells nothing of the runs.</p>\n";
    }
    text += " What the results file tells of the runs and their host:</p>\n";
    text += &scrolled("Runs");
    text += "<table>\n<caption>Each time that matches of the plan were played</caption>\n<thead><tr>\
             <th scope=\"col\">begun</th><th scope=\"col\">arena</th><th scope=\"col\" class=\"number\">jobs</th>\
             <th scope=\"col\">sandbox</th><th scope=\"col\">limits of a bot</th></tr></thead>\n<tbody>\n";
    for run in runs.iter().take(RUNS_MAX) {
        let sandbox = if run.layers.is_empty() {
            "none".to_owned()
        } else {
            run.layers.join(", ")
        };
        text += &format!(
            "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>\n",
            utc(run.started_ms),
            html(&run.arena),
            run.jobs,
            html(&sandbox),
            if run.layers.is_empty() {
                "-".to_owned()
            } else {
                limits(&run.limits)
            }
        );
    }
    text += "</tbody>\n</table>\n</div>\n";
    if runs.len() > RUNS_MAX {
        text += &format!("<p>And {} more.</p>\n", runs.len() - RUNS_MAX);
    }
    text
}

fn limits(limits: &Limits) -> String {
    format!(
        "{} MiB of memory, {} processes, {} open files, {} MiB of scratch",
        grouped(limits.memory_mib),
        grouped(limits.processes),
        grouped(limits.open_files),
        grouped(limits.scratch_mib)
    )
}

fn again(report: &Report<'_>) -> String {
    let plan = &report.plan.plan;
    let mut text = "<p>Save the league file above as <code>league.toml</code> where the bots are, and run</p>\n\
                    <pre tabindex=\"0\">arena run league.toml --db again.db\narena export --db again.db --no-times</pre>\n\
                    <p>The same plan and seed give the same matches, seats, openings and seeds, whatever the jobs. Bots that \
                    play alike then give equal exports; bots that look at the clock need not.</p>\n"
        .to_owned();
    if matches!(plan.openings, OpeningSource::List(_)) {
        text += "<p>The openings came from a file, which is needed too.</p>\n";
    }
    if plan.bots.iter().any(|bot| !bot.env.is_empty()) {
        text += "<p>Values of environment variables are not in this report; without the same values it is another plan.</p>\n";
    }
    text
}

// -------------------------------------------------------------------------------------------------------------------

/// The beginning of a part that scrolls by itself where it is too wide; whoever uses keys can reach it.
fn scrolled(name: &str) -> String {
    format!("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\n")
}

/// What the scripts show, as JSON fit for a `<script>`.
fn data(report: &Report<'_>) -> String {
    let survey = report.survey;
    let names: Vec<&str> = report.plan.bots.iter().map(|bot| bot.name.as_str()).collect();
    let charted = charted(report);
    let bins = survey.lengths();
    let lengths: Vec<_> = bins.iter().map(|bin| [bin.from, bin.to, bin.matches]).collect();
    let points = survey.history.ratings();
    let ratings = |bot: usize| -> Vec<Option<f64>> {
        let points = points.iter();
        points
            .map(|point| point[bot].map(|rating| (10.0 * rating).round() / 10.0))
            .collect()
    };
    let head = json!({
        "plan": report.plan.id,
        "names": names,
        "seats": report.standings.seats.len(),
        "charted": charted,
        "history": {
            "at": survey.history.at,
            "ratings": charted.iter().map(|bot| ratings(*bot)).collect::<Vec<_>>(),
        },
        "lengths": lengths,
        "times": {
            "edges_us": &TIME_EDGES_US[..],
            "counts": charted.iter().map(|bot| survey.times[*bot].counts()).collect::<Vec<_>>(),
        },
    });
    let head = head.to_string();
    let mut json = head.strip_suffix('}').expect("it is an object").to_owned();
    json += ",\"matches\":";
    json += &survey.list.to_json();
    json += ",\"films\":{";
    for (at, (number, film)) in report.films.films.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(json, "{comma}\"{number}\":{film}").expect("a string takes what is written");
    }
    json += "}}";
    json_in_script(&json)
}
