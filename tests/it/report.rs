//! `arena report`: what it says, where it writes, what it refuses.

use serde_json::Value;
use tempfile::TempDir;

use crate::cases::hostile;
use crate::program::{code, run, stderr, stdout, unread};

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("the page has data");
    let (json, _) = rest.split_once("</script>").expect("they end");
    serde_json::from_str(json).expect("they are JSON")
}

fn play(dir: &TempDir, game: &str, bots: &[&str]) {
    let args = ["run", "--game", game, "--rotations", "4", "--move-ms", "60000"];
    let args: Vec<&str> = args.iter().chain(bots).copied().collect();
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

fn lines(value: &Value) -> Vec<Value> {
    value.as_array().expect("a list").clone()
}

/// C095 (BattlesnakeOfficial/rules PR 78, Disservin/fastchess#962): a tie that JSON calls none, a win that is stored as
/// unfinished and counted as a tie.
#[test]
fn c095_text_json_csv_html_and_markdown_tell_the_same_of_every_match() {
    let resigns = format!("resigns={}", hostile("resigns.py"));
    let illegal = concat!("illegal=", env!("CARGO_BIN_EXE_scripted-bot"), " --illegal 2");
    for game in [
        "kalah:pits=3,seeds=2",
        "mancala-basic:seats=3,pits=4",
        "mancala-basic:seats=4,pits=4",
    ] {
        let dir = TempDir::new().unwrap();
        play(
            &dir,
            game,
            &["house:random", "house:greedy", "twin=house:random", &resigns, illegal],
        );
        let json = stdout(&run(dir.path(), &["matches", "--format", "json"]));
        let json: Vec<Value> = serde_json::from_str(&json).expect("matches are JSON");
        let csv = stdout(&run(dir.path(), &["matches", "--format", "csv"]));
        let text = stdout(&run(dir.path(), &["matches", "--limit", "1000"]));
        let page = stdout(&run(dir.path(), &["report", "-o", "-"]));
        let summary = stdout(&run(dir.path(), &["report", "--format", "markdown"]));
        let page_data = data(&page);
        let list = &page_data["matches"];
        assert_eq!(list["length"], json.len());
        assert_eq!(
            list["ids"],
            serde_json::json!([1, json.len()]),
            "all matches, from 0 on"
        );
        let names = lines(&page_data["names"]);
        let seats = json[0]["bots"].as_array().expect("a list").len();
        let points = lines(&list["points"]);
        let mut ends = Vec::new();
        for (at, found) in json.iter().enumerate() {
            let index = |column: &str| list[column][at].as_u64().expect("an index") as usize;
            let bots = lines(&list["seatings"][index("seating")]);
            let bots: Vec<Value> = { bots.iter() }
                .map(|bot| names[bot.as_u64().unwrap() as usize].clone())
                .collect();
            let outcome = &list["outcomes"][index("outcome")];
            let forfeits = lines(&outcome[1]);
            let forfeits: Vec<Value> = (0..seats).map(|seat| forfeits.contains(&seat.into()).into()).collect();
            assert_eq!(Value::from(bots), found["bots"]);
            assert_eq!(outcome[0], found["places"]);
            assert_eq!(Value::from(forfeits), found["forfeits"]);
            assert_eq!(outcome[2], found["end"]);
            assert_eq!(points[at * seats..(at + 1) * seats], lines(&found["points"]));
            assert_eq!(list["plies"][at], found["plies"]);
            let joined = |key: &str, by: &str| {
                lines(&found[key])
                    .iter()
                    .map(Value::to_string)
                    .collect::<Vec<_>>()
                    .join(by)
            };
            let row = csv.lines().nth(at + 1).expect("a row for each match");
            let (places, end) = (joined("places", " "), found["end"].as_str().unwrap());
            assert!(
                row.contains(&format!(",{places},{},", joined("points", " "))) && row.contains(end),
                "{row}"
            );
            let row = text
                .lines()
                .find(|line| line.split('│').nth(1).map(str::trim) == Some(&at.to_string()));
            let row = row.expect("a line for each match");
            assert!(row.contains(&joined("places", ", ")) && row.contains(end), "{row}");
            ends.push(end.to_owned());
        }
        for end in ["rules", "resignation", "fault"] {
            assert!(
                ends.iter().any(|found| found == end) || seats > 2,
                "{game}: none ended by {end}"
            );
        }
        let standings = stdout(&run(dir.path(), &["standings", "--format", "json"]));
        let standings: Value = serde_json::from_str(&standings).expect("standings are JSON");
        for line in standings["tables"]
            .as_array()
            .expect("tables")
            .iter()
            .flat_map(|table| lines(&table["lines"]))
        {
            let results = if seats == 2 {
                format!("{}/{}/{}", line["wins"], line["draws"], line["losses"])
            } else {
                let places = lines(&line["places"]);
                let count = |place: usize| places.get(place).map_or("0".to_owned(), Value::to_string);
                (0..seats).map(count).collect::<Vec<_>>().join("/")
            };
            let (name, forfeits) = (line["name"].as_str().expect("a name"), &line["forfeits"]);
            let row = summary
                .lines()
                .find(|row| row.contains(&format!("| `{name}` |")))
                .expect("a row");
            assert!(
                row.contains(&format!("| {results} |")) && row.contains(&format!("| {forfeits} |")),
                "{row}"
            );
            let (_, row) = page.split_once(&format!("<bdi>{name}</bdi>")).expect("a row");
            let (row, _) = row.split_once("</tr>").expect("it ends");
            assert!(
                row.contains(&format!(">{results}<")) && row.contains(&format!(">{forfeits}<")),
                "{row}"
            );
        }
    }
}

/// C097 (rvben/rumdl#184, sharkdp/fd#24): a panic where nobody reads on.
#[test]
fn c097_a_reader_that_goes_away_ends_a_report_quietly() {
    let dir = TempDir::new().unwrap();
    play(&dir, "kalah", &["house:random", "house:greedy"]);
    for args in [&["report", "-o", "-"][..], &["report", "--format", "markdown"]] {
        let output = unread(dir.path(), args);
        assert_eq!((stderr(&output), code(&output)), (String::new(), 0));
    }
}

/// C100 (Entkenntnis/htw#509, osuAkatsuki/bancho.py#761): names that ran as HTML.
#[test]
fn c100_names_and_what_bots_write_stay_text() {
    let dir = TempDir::new().unwrap();
    let league = format!(
        "game = \"kalah\"\nrotations = 1\n[time]\nmove_ms = 60000\n[[bot]]\nname = \"<img src=x onerror=alert(1)>\"\n\
         command = {}\n[[bot]]\nname = \"</title><script>alert(1)</script>\"\nhouse = \"random\"\n",
        Value::from(hostile("says_markup.py"))
    );
    std::fs::write(dir.path().join("league.toml"), league).unwrap();
    let played = run(dir.path(), &["run", "league.toml"]);
    assert_eq!(code(&played), 0, "{}", stderr(&played));
    let page = stdout(&run(dir.path(), &["report", "-o", "-"]));
    assert!(
        page.contains("not_a_message") && page.contains("alert(1)"),
        "what the bot did is told"
    );
    let honest = TempDir::new().unwrap();
    play(&honest, "kalah", &["house:random", "house:greedy"]);
    let plain = stdout(&run(honest.path(), &["report", "-o", "-"]));
    for markup in ["<script", "</script", "<img", "</title", "onerror=alert(1)>"] {
        assert_eq!(page.matches(markup).count(), plain.matches(markup).count(), "{markup}");
    }
}

#[test]
fn a_report_replaces_a_report_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    play(&dir, "kalah", &["house:random", "house:greedy"]);
    let file = |name: &str| dir.path().join(name);
    for _ in 0..2 {
        let output = run(dir.path(), &["report"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).starts_with("report.html: ") && stdout(&output).contains("8 matches"));
    }
    let output = run(dir.path(), &["report", "--format", "markdown", "-o", "summary.md"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    std::fs::write(file("notes.html"), "mine").unwrap();
    std::fs::create_dir(file("there")).unwrap();
    for (name, problem) in [
        ("notes.html", "no report"),
        ("there", "is a directory"),
        ("arena.db", "the results file itself"),
        ("nowhere/report.html", "cannot write"),
    ] {
        let output = run(dir.path(), &["report", "-o", name]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_to_string(file("notes.html")).unwrap(), "mine");
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")),
        "{left:?}"
    );
}

#[test]
fn of_several_plans_one_is_chosen() {
    let dir = TempDir::new().unwrap();
    play(&dir, "kalah", &["house:random", "house:greedy"]);
    play(&dir, "mancala-basic", &["house:random", "house:greedy"]);
    let output = run(dir.path(), &["report", "-o", "-"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--plan ID"), "{}", stderr(&output));
    let matches: Value = serde_json::from_str(&stdout(&run(dir.path(), &["matches", "--format", "json"]))).unwrap();
    let plan = matches[0]["plan"].as_str().unwrap();
    let page = stdout(&run(dir.path(), &["report", "-o", "-", "--plan", plan]));
    assert!(page.contains("<title>Kalah: 2 bots, 8 matches</title>"));
}
