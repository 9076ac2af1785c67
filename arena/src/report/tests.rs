//! Whole reports from records that were never in a file.

use serde_json::Value;

use super::survey::{LISTED_ALL_MAX, Seen, Survey};
use super::*;
use crate::config::{self, Format, Launch, Overrides, Plan};
use crate::rating::head_to_head;
use crate::record::samples::{Leaving, contents, filled, plan, played};
use crate::record::{End, MatchScore, Record};
use crate::store::StoredBot;

/// Names that would be something else than text if anybody let them.
const HOSTILE: [&str; 6] = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a|b`c*d_e [f](javascript:g)",
    "\u{202e}gnp.tob",
    "&lt;b&gt; @everyone #1",
    "\" onclick=\"alert(1)",
];

fn stored(plan: Plan, matches: usize) -> StoredPlan {
    let bots = plan.bots.iter().zip(contents(&plan));
    StoredPlan {
        id: plan.id(),
        bots: bots
            .map(|(bot, content)| StoredBot {
                name: bot.name.clone(),
                content,
            })
            .collect(),
        plan,
        arena: "0.1.0".to_owned(),
        created_ms: 1_700_000_000_000,
        matches: matches as u64,
    }
}

fn surveyed(bots: usize, records: &[Record], sample: u64) -> Survey {
    let mut survey = Survey::new(bots, records.len() as u64, sample);
    for record in records {
        let seats: Vec<u8> = record.plies.iter().map(|ply| ply.seat).collect();
        let ply_us: Vec<u64> = record.plies.iter().map(|ply| ply.elapsed_us).collect();
        survey.add(&Seen {
            score: &record.score(),
            faults: record.faults.len() as u64,
            elapsed_us: record.elapsed_us,
            seats: &seats,
            ply_us: &ply_us,
        });
        for fault in &record.faults {
            survey.add_fault(record.r#match, record.seats[usize::from(fault.seat)].bot, fault);
        }
    }
    survey
}

/// The page and the summary.
fn made(plan: Plan, records: &[Record], voids: u64) -> (String, String) {
    let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let survey = surveyed(names.len(), records, 5);
    let mut standings = Standings::of(&names, &survey.tally, None, None);
    standings.voids = voids;
    let mut films = Films::default();
    let (faulty, sample) = survey.replayed(5);
    for record in records {
        if faulty.contains(&record.r#match) || sample.contains(&record.r#match) {
            films.push(record.r#match, &Film::of(record).expect("it follows the rules"));
        }
    }
    let plan = stored(plan, records.len());
    let report = Report {
        plan: &plan,
        runs: &[],
        standings: &standings,
        scores: &head_to_head(&survey.tally),
        survey: &survey,
        films: &films,
    };
    (report.to_html(), report.to_markdown())
}

/// The data of a page.
fn data(page: &str) -> Value {
    let start = page.find("id=\"data\">").expect("the page has data") + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").expect("they end");
    serde_json::from_str(&page[start..end]).expect("they are JSON")
}

/// What is to be read without scripts.
fn visible(page: &str) -> &str {
    page.split_once("<script").map_or(page, |(visible, _)| visible)
}

/// Id, bots, places, points, forfeits, end, plies.
type Listed = (u64, Vec<u64>, Vec<u64>, Vec<u64>, Vec<u64>, String, u64);

/// The list of a page, as scores with nothing but what it tells.
fn listed(data: &Value) -> Vec<Listed> {
    let list = &data["matches"];
    let numbers = |value: &Value| -> Vec<u64> {
        let values = value.as_array().expect("a list").iter();
        values.map(|value| value.as_u64().expect("a number")).collect()
    };
    let column = |name: &str| numbers(&list[name]);
    let runs = column("ids");
    let steps = runs.chunks_exact(2).flat_map(|run| vec![run[0]; run[1] as usize]);
    let ids = steps.scan(0, |next, step| {
        *next += step;
        Some(*next - 1)
    });
    let (seating, outcome, points, plies) = (column("seating"), column("outcome"), column("points"), column("plies"));
    ids.enumerate()
        .map(|(at, id)| {
            let bots = numbers(&list["seatings"][seating[at] as usize]);
            let result = &list["outcomes"][outcome[at] as usize];
            (
                id,
                bots.clone(),
                numbers(&result[0]),
                points[at * bots.len()..(at + 1) * bots.len()].to_vec(),
                numbers(&result[1]),
                result[2].as_str().expect("a word").to_owned(),
                plies[at],
            )
        })
        .collect()
}

/// All games, with two to four seats.
fn plans() -> Vec<Plan> {
    [
        "kalah:pits=3,seeds=2",
        "layli-goobalay:pits=4",
        "mancala-basic:seats=3",
        "mancala-basic:seats=4",
    ]
    .map(|text| plan(&*mancala_arena_rules::open_text(text).expect("a game"), 7))
    .to_vec()
}

#[test]
fn the_page_lists_every_match_as_it_was_however_it_ended() {
    let mut ends = Vec::new();
    for plan in plans() {
        let records: Vec<_> = (0..60).map(|id| played(&plan, id, Leaving::Sometimes)).collect();
        ends.extend(records.iter().map(|record| record.end));
        let (page, _) = made(plan, &records, 0);
        let found = listed(&data(&page));
        assert_eq!(found.len(), records.len());
        for (record, (id, bots, places, points, forfeits, end, plies)) in records.iter().zip(found) {
            let score = record.score();
            assert_eq!(id, record.r#match);
            assert_eq!(bots, score.bots.iter().map(|bot| *bot as u64).collect::<Vec<_>>());
            assert_eq!(
                places,
                score.places.iter().map(|place| u64::from(*place)).collect::<Vec<_>>()
            );
            assert_eq!(
                points,
                score.points.iter().map(|points| u64::from(*points)).collect::<Vec<_>>()
            );
            let forfeited: Vec<u64> = (0..)
                .zip(&score.forfeits)
                .filter(|(_, is)| **is)
                .map(|(seat, _)| seat)
                .collect();
            assert_eq!(forfeits, forfeited);
            assert_eq!(End::from_word(&end), Some(record.end));
            assert_eq!(plies, u64::from(score.plies));
        }
    }
    for end in [End::Rules, End::Resignation, End::Fault] {
        assert!(ends.contains(&end), "{end:?} never came up");
    }
}

#[test]
fn standings_in_the_page_and_in_markdown_are_those_of_the_terminal() {
    for plan in plans() {
        let records: Vec<_> = (0..60).map(|id| played(&plan, id, Leaving::Sometimes)).collect();
        let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        let standings = Standings::of(&names, &surveyed(names.len(), &records, 0).tally, None, None);
        let (page, summary) = made(plan, &records, 0);
        for table in &standings.tables {
            assert!(page.contains(&escape::html(&words::heading(table))));
            for line in &table.lines {
                let cells = words::cells(&standings, table, line);
                let row = format!("| `{}` | {} | {} |", line.name, cells.rating, cells.margin);
                let row = row.replace('<', "&lt;").replace('>', "&gt;");
                assert!(summary.contains(&row), "{row}\n{summary}");
                let row = [
                    &cells.ahead,
                    &cells.ranks,
                    &cells.results,
                    &cells.score,
                    &cells.forfeits,
                ];
                let row = row
                    .map(|cell| format!("<td class=\"number\">{}</td>", escape::html(cell)))
                    .concat();
                assert!(page.contains(&row), "{row}");
            }
        }
    }
}

#[test]
fn hostile_texts_are_text_in_the_page_and_in_markdown() {
    let mut plan = plan(
        &*mancala_arena_rules::open_text("mancala-basic:seats=3").expect("a game"),
        7,
    );
    let honest = made(plan.clone(), &[played(&plan, 0, Leaving::Never)], 0).0;
    for (bot, name) in plan.bots.iter_mut().zip(HOSTILE) {
        bot.name = name.to_owned();
        bot.launch = Launch::Command(HOSTILE.map(str::to_owned).to_vec());
        bot.env.insert("SECRET".to_owned(), "the value of it".to_owned());
    }
    let mut records: Vec<_> = (0..40).map(|id| played(&plan, id, Leaving::Sometimes)).collect();
    records[0] = filled(records[0].clone());
    for record in &mut records {
        for fault in &mut record.faults {
            fault.message = HOSTILE.concat();
            fault.stderr = Some(HOSTILE.concat());
            fault.received = Some(HOSTILE.concat());
        }
    }
    let (page, summary) = made(plan, &records, 0);
    let count = |text: &str, what: &str| text.matches(what).count();
    for markup in ["<script", "</script", "<img", "<b>", "onclick=\"", "<style", "\u{202e}"] {
        assert_eq!(count(&page, markup), count(&honest, markup), "{markup}");
    }
    assert!(!page.contains("the value of it") && page.contains("SECRET"));
    for line in summary.lines() {
        // Outside of code spans there is nothing of theirs.
        let outside: String = line.split('`').step_by(2).collect();
        assert!(!outside.contains("alert") || line.contains("``"), "{line}");
        assert!(
            !line.starts_with('|') || count(line, "|") - count(line, "\\|") == 11,
            "{line}"
        );
    }
}

#[test]
fn an_empty_file_and_one_of_voids_and_one_match_make_reports() {
    for plan in plans() {
        let (page, summary) = made(plan.clone(), &[], 3);
        assert!(page.contains("0 matches") && page.contains("voids: 3") && page.contains("Nothing has been played"));
        assert!(summary.contains("0 matches") && summary.contains("voids: 3"));
        assert_eq!(data(&page)["matches"]["length"], 0);
        let (page, summary) = made(plan.clone(), &[played(&plan, 0, Leaving::Never)], 0);
        assert!(page.contains("1 match<") && !visible(&page).contains("NaN") && !summary.contains("NaN"));
        assert_eq!(data(&page)["films"].as_object().map(serde_json::Map::len), Some(1));
    }
}

/// A match that takes as much room in the list as one does.
fn score(id: u64) -> MatchScore {
    let bot = (id % 9) as usize;
    MatchScore {
        r#match: id,
        rotation: id / 2,
        bots: vec![bot, (bot + 1 + (id / 9 % 8) as usize) % 9],
        places: vec![1, 2],
        points: vec![28 + (id % 7) as u32, 20 - (id % 7) as u32],
        forfeits: vec![false; 2],
        end: End::Rules,
        plies: 30 + (id % 13) as u32,
        moves: vec![15; 2],
        time_us: vec![1_000; 2],
        fingerprint: id,
    }
}

fn survey_of(matches: u64) -> Survey {
    let mut survey = Survey::new(9, matches, 10);
    for id in 0..matches {
        survey.add(&Seen {
            score: &score(id),
            faults: u64::from(id % 1_000 == 1),
            elapsed_us: 2_500_000,
            seats: &[0],
            ply_us: &[id],
        });
    }
    survey
}

#[test]
fn a_match_takes_about_twenty_bytes_of_a_page() {
    let matches = 10_000;
    let json = survey_of(matches).list.to_json();
    assert!(json.len() < 24 * matches as usize, "{} bytes", json.len());
}

#[test]
fn of_too_many_matches_a_sample_is_listed_and_all_are_counted() {
    let matches = LISTED_ALL_MAX + 50_000;
    let survey = survey_of(matches);
    assert_eq!((survey.matches(), survey.tally.matches()), (matches, matches));
    assert_eq!(survey.list.len(), matches / 2 + matches / 1_000);
    assert_eq!(survey.times[0].moves, matches.div_ceil(9));
    assert_eq!(survey.lengths().iter().map(|bin| bin.matches).sum::<u64>(), matches);
}

#[test]
fn replayed_matches_are_spread_over_all() {
    let (faulty, sample) = survey_of(1_000).replayed(100);
    assert!(faulty.is_empty());
    assert_eq!(sample, [50, 150, 250, 350, 450, 550, 650, 750, 850, 950]);
}

#[test]
fn the_first_fault_of_each_kind_is_replayed_before_others() {
    let plan = plans().remove(0);
    let mut records: Vec<_> = (0..400).map(|id| played(&plan, id, Leaving::Sometimes)).collect();
    let with_faults: Vec<u64> = { records.iter().filter(|record| !record.faults.is_empty()) }
        .map(|record| record.r#match)
        .collect();
    let last = *with_faults.last().expect("somebody made a fault");
    records[last as usize].faults[0].code = mancala_arena_protocol::FaultCode::Late;
    let survey = surveyed(2, &records, 0);
    let (faulty, _) = survey.replayed(4);
    assert_eq!((faulty.len(), faulty.last()), (4, Some(&last)));
    assert_eq!(survey.faulty(), with_faults.len() as u64);
    let kinds = survey.faults();
    assert_eq!(
        kinds.iter().map(|kind| kind.count).sum::<u64>(),
        with_faults.len() as u64
    );
    assert_eq!(
        (
            kinds.last().expect("a kind").count,
            kinds.last().expect("a kind").first_match
        ),
        (1, last)
    );
}

#[test]
fn quantiles_of_times_are_right_to_some_percent() {
    let mut survey = Survey::new(1, 1, 0);
    let ply_us: Vec<u64> = (1..=100_000).collect();
    survey.add(&Seen {
        score: &MatchScore {
            bots: vec![0],
            places: vec![1],
            points: vec![0],
            forfeits: vec![false],
            ..score(0)
        },
        faults: 0,
        elapsed_us: 0,
        seats: &vec![0; ply_us.len()],
        ply_us: &ply_us,
    });
    let times = &survey.times[0];
    for share in [0.1, 0.5, 0.9, 0.99] {
        let found = times.quantile_us(share).expect("there are moves");
        assert!((found / (share * 100_000.0) - 1.0).abs() < 0.04, "{share}: {found}");
    }
    assert_eq!((times.moves, times.longest_us), (100_000, 100_000));
    assert_eq!(times.counts().iter().sum::<u64>(), 100_000);
}

#[test]
fn the_history_ends_with_the_standings_and_is_on_their_scale() {
    let plan = plan(
        &*mancala_arena_rules::open_text("mancala-basic:seats=3").expect("a game"),
        7,
    );
    let records: Vec<_> = (0..120).map(|id| played(&plan, id, Leaving::Never)).collect();
    let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let survey = surveyed(3, &records, 0);
    let standings = Standings::of(&names, &survey.tally, None, None);
    let points = survey.history.ratings();
    assert_eq!((points.len(), survey.history.at.last()), (50, Some(&120)));
    for line in &standings.tables[0].lines {
        let crate::rating::Rating::Fitted { value, .. } = line.rating else {
            panic!("all are rated");
        };
        let last = points[49][line.bot].expect("all are rated");
        assert!((last - value).abs() < 1e-6, "{last} and {value}");
    }
}

#[test]
fn the_league_file_of_a_plan_gives_the_plan_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("league.toml");
    let again = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        let prepared = config::from_file(&path, &Overrides::default(), |_| Ok(()));
        prepared.unwrap_or_else(|error| panic!("{error}\n{text}")).plan
    };
    let bots = r#"
        [[bot]]
        house = "minimax,depth=3"
        on_fault = "substitute:greedy"
        [[bot]]
        name = "back\\slash \"quoted\" é"
        command = ["sh", "-c", "a b\t\"c\" \\ \u007f"]
        dir = "/"
        [[bot]]
        name = "third"
        house = "random"
    "#;
    for settings in [
        "",
        "seed = 7\nrotations = 3\nopening_plies = 0\nponder = \"freeze\"\non_fault = \"restart:2\"",
        "format = \"gauntlet\"\nagainst = [\"third\", \"minimax-depth-3\"]",
        "format = \"swiss\"\nrounds = 2",
        "format = \"knockout\"",
        "format = \"ladder\"\ngoal = \"third\"",
        "format = \"ladder\"\ngoal = \"order\"\n[time]\nclock = false\nhang_ms = 1234",
        "[time]\nbank_ms = 1000\nincrement_ms = 10\ngrace_ms = 0",
        "[time]\nbank_ms = 1000\nmove_ms = 500\nstart_ms = 77",
        "[time]\nclock = \"cpu\"\nmove_ms = 40\nwall_ms = 900",
    ] {
        let plan = again(&format!("game = \"kalah:pits=4\"\n{settings}\n{bots}"));
        assert_eq!(again(&league::league(&plan)), plan);
    }
    assert!(matches!(
        again(&league::league(&again(&format!(
            "game = \"kalah\"\nformat = \"swiss\"\n{bots}"
        ))))
        .format,
        Format::Swiss { .. }
    ));
}
