//! Results from a file: the arena's own exports, or a list as other programs write it. The first line decides which.
//!
//! Keeps only counts, so the length of the file costs no memory. Knows matches of two seats only.

use std::collections::BTreeMap;
use std::io::{BufRead, Cursor, Read};

use anyhow::{Context, bail, ensure};

use crate::cli::results::printable;
use crate::record::read_lines;
use crate::stats::{Pairs, Scored};

/// What was found of two bots.
#[derive(PartialEq, Debug)]
pub struct Found {
    /// Their names, the one first whose results these are; absent where the file has none.
    pub bots: Option<[String; 2]>,
    /// Losses, draws, wins.
    pub matches: [u64; 3],
    /// The rotations of which both matches are there.
    pub pairs: Pairs,
    /// Matches that were not played to an end.
    pub unfinished: u64,
}

/// Reads the results of `bots`, or of the only two that there are.
pub fn read(mut input: impl BufRead, bots: Option<&[String]>) -> anyhow::Result<Found> {
    if input
        .fill_buf()
        .context("cannot read it")?
        .starts_with(b"SQLite format 3")
    {
        bail!("it is a results file; expected what is exported from it:\n  arena export --db FILE | arena stats -");
    }
    let mut head = String::new();
    while head.trim().is_empty() {
        let length = input.read_line(&mut head).context("cannot read it")?;
        ensure!(
            length > 0,
            "it is empty; expected an export of the arena, or results such as `1-0`, one a line"
        );
    }
    let start = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).to_owned();
    let mut tally = Tally::new(bots);
    let input = Cursor::new(head).chain(input);
    if start.starts_with('{') {
        records(input, &mut tally)?;
    } else if start.starts_with("plan,match,") {
        rows(input, &mut tally)?;
    } else if start.starts_with('[') {
        tags(input, &mut tally)?;
    } else {
        list(input, &mut tally)?;
    }
    tally.finish()
}

/// The lines of `input` with their numbers, without blanks around them; blank lines are passed over.
fn lines(input: impl BufRead) -> impl Iterator<Item = anyhow::Result<(usize, String)>> {
    input.lines().enumerate().filter_map(|(at, line)| match line {
        Ok(line) => {
            let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            (!line.is_empty()).then(|| Ok((at + 1, line.to_owned())))
        }
        Err(error) => Some(Err(error).context(format!("line {}", at + 1))),
    })
}

/// `arena export`.
fn records(input: impl BufRead, tally: &mut Tally) -> anyhow::Result<()> {
    for record in read_lines(input) {
        let record = record?;
        let what = format!("match {} of plan {}", record.r#match, record.plan);
        let names: Vec<&str> = record.seats.iter().map(|seat| seat.name.as_str()).collect();
        tally.add_places(&what, (&record.plan, record.rotation), &names, &record.places)?;
    }
    Ok(())
}

/// `arena export --csv`: a row for each seat, those of a match one after another.
fn rows(input: impl BufRead, tally: &mut Tally) -> anyhow::Result<()> {
    struct Match {
        plan: String,
        id: String,
        rotation: u64,
        names: Vec<String>,
        places: Vec<u8>,
    }
    impl Match {
        fn add_to(&self, tally: &mut Tally) -> anyhow::Result<()> {
            let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
            let what = format!("match {} of plan {}", self.id, self.plan);
            tally.add_places(&what, (&self.plan, self.rotation), &names, &self.places)
        }
    }
    let mut columns: Option<[usize; 5]> = None;
    let mut current: Option<Match> = None;
    for line in lines(input) {
        let (number, line) = line?;
        let fields = fields(&line).with_context(|| format!("line {number}: a quote without its end"))?;
        let Some([plan, id, rotation, bot, place]) = columns else {
            let column = |name: &str| {
                let found = fields.iter().position(|field| field == name);
                found.with_context(|| {
                    format!("line {number}: no column `{name}`; expected the form of `arena export --csv`")
                })
            };
            columns = Some([
                column("plan")?,
                column("match")?,
                column("rotation")?,
                column("bot")?,
                column("place")?,
            ]);
            continue;
        };
        let field = |column: usize| fields.get(column).map_or("", String::as_str);
        let expected = |what: &str, found: &str| format!("line {number}: {what} `{found}`: expected a whole number");
        let rotation_number = field(rotation).parse();
        let rotation_number = rotation_number.with_context(|| expected("rotation", field(rotation)))?;
        let place_number = field(place).parse().with_context(|| expected("place", field(place)))?;
        if let Some(last) = current.take_if(|last| (last.plan.as_str(), last.id.as_str()) != (field(plan), field(id))) {
            last.add_to(tally)?;
        }
        let at = current.get_or_insert_with(|| Match {
            plan: field(plan).to_owned(),
            id: field(id).to_owned(),
            rotation: rotation_number,
            names: Vec::new(),
            places: Vec::new(),
        });
        at.names.push(field(bot).to_owned());
        at.places.push(place_number);
    }
    current.map_or(Ok(()), |last| last.add_to(tally))
}

/// The fields of a line of comma-separated values (RFC 4180, but no field goes over several lines); absent where a quote
/// does not end.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("there is a field from the start");
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => field.push(letter),
        }
    }
    (!quoted).then_some(fields)
}

/// Portable game notation: of each match the tags `White`, `Black` and `Result`; all else is passed over.
fn tags(input: impl BufRead, tally: &mut Tally) -> anyhow::Result<()> {
    let mut names: [Option<String>; 2] = [None, None];
    for line in lines(input) {
        let (number, line) = line?;
        let Some((tag, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(' ')) else {
            continue;
        };
        let value = rest.trim().strip_suffix(']').unwrap_or(rest).trim().trim_matches('"');
        match tag {
            "White" => names[0] = Some(value.to_owned()),
            "Black" => names[1] = Some(value.to_owned()),
            "Result" => {
                let result = result(value).with_context(|| wrong_result(number, value))?;
                let [Some(white), Some(black)] = std::mem::take(&mut names) else {
                    bail!(
                        "line {number}: a result without bots; expected the tags `White` and `Black` before `Result`"
                    );
                };
                tally.add(&white, &black, result, None);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Results alone, one a line, as seen by the bot named first.
fn list(input: impl BufRead, tally: &mut Tally) -> anyhow::Result<()> {
    ensure!(
        tally.wanted.is_none(),
        "--bots: the file names no bots; expected `[White \"...\"]` and `[Black \"...\"]`, or an export of the arena"
    );
    tally.nameless = true;
    for line in lines(input) {
        let (number, line) = line?;
        let result = result(&line).with_context(|| wrong_result(number, &line))?;
        tally.count(result, None);
    }
    Ok(())
}

fn wrong_result(line: usize, found: &str) -> String {
    let found: String = printable(found).chars().take(40).collect();
    format!("line {line}: `{found}` is no result; expected `1-0`, `0-1`, `1/2-1/2`, or `*` for a match without an end")
}

/// A result of the first bot; no score where the match was not played to an end, absent where it is none.
fn result(text: &str) -> Option<Option<Scored>> {
    Some(Some(match text {
        "1-0" => Scored::Win,
        "0-1" => Scored::Loss,
        "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" => Scored::Draw,
        "*" => return Some(None),
        _ => return None,
    }))
}

/// The counts so far.
struct Tally {
    /// The bots asked for.
    wanted: Option<[String; 2]>,
    /// The bots met with, in order.
    names: Vec<String>,
    nameless: bool,
    found: Found,
    /// Rotations of which one match is there.
    open: BTreeMap<(String, u64), Scored>,
}

impl Tally {
    fn new(bots: Option<&[String]>) -> Tally {
        Tally {
            wanted: bots.map(|bots| [bots[0].clone(), bots[1].clone()]),
            names: Vec::new(),
            nameless: false,
            found: Found {
                bots: None,
                matches: [0; 3],
                pairs: Pairs::default(),
                unfinished: 0,
            },
            open: BTreeMap::new(),
        }
    }

    /// Adds a match by the places of its seats.
    fn add_places(&mut self, what: &str, rotation: (&str, u64), names: &[&str], places: &[u8]) -> anyhow::Result<()> {
        let (&[first, second], &[place, other]) = (names, places) else {
            bail!(
                "{what} has {} seats; expected 2 (`arena standings` rates bots at tables of more)",
                names.len()
            );
        };
        let scored = match place.cmp(&other) {
            std::cmp::Ordering::Less => Scored::Win,
            std::cmp::Ordering::Equal => Scored::Draw,
            std::cmp::Ordering::Greater => Scored::Loss,
        };
        self.add(first, second, Some(scored), Some(rotation));
        Ok(())
    }

    /// Adds a match, scored for `first`, if it is between the bots asked for or the first two met with.
    fn add(&mut self, first: &str, second: &str, scored: Option<Scored>, rotation: Option<(&str, u64)>) {
        for name in [first, second] {
            if !self.names.iter().any(|known| known == name) {
                self.names.push(name.to_owned());
            }
        }
        let [bot, opponent] = match &self.wanted {
            Some([bot, opponent]) => [bot, opponent],
            None => match &self.names[..] {
                [bot, opponent, ..] => [bot, opponent],
                _ => return,
            },
        };
        if (first, second) == (bot, opponent) {
            self.count(scored, rotation);
        } else if (first, second) == (opponent, bot) {
            self.count(scored.map(reversed), rotation);
        }
    }

    fn count(&mut self, scored: Option<Scored>, rotation: Option<(&str, u64)>) {
        let Some(scored) = scored else {
            self.found.unfinished += 1;
            return;
        };
        self.found.matches[scored as usize] += 1;
        let Some((plan, number)) = rotation else { return };
        let key = (plan.to_owned(), number);
        match self.open.remove(&key) {
            Some(other) => self.found.pairs.add(other, scored),
            None => {
                self.open.insert(key, scored);
            }
        }
    }

    fn finish(mut self) -> anyhow::Result<Found> {
        if self.nameless {
            return Ok(self.found);
        }
        let known = || {
            self.names
                .iter()
                .map(|name| printable(name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        self.found.bots = Some(match self.wanted.take() {
            Some(wanted) => {
                if wanted[0] == wanted[1] {
                    bail!("--bots: twice `{}`; expected two different bots", wanted[0]);
                }
                if let Some(name) = wanted.iter().find(|name| !self.names.contains(name)) {
                    bail!("unknown bot `{name}`\n  bots in the file: {}", known());
                }
                wanted
            }
            None => match &self.names[..] {
                [bot, opponent] => [bot.clone(), opponent.clone()],
                names => bail!(
                    "{} bots; expected two: choose them with --bots A B\n  bots in the file: {}",
                    names.len(),
                    known()
                ),
            },
        });
        Ok(self.found)
    }
}

fn reversed(scored: Scored) -> Scored {
    match scored {
        Scored::Loss => Scored::Win,
        Scored::Draw => Scored::Draw,
        Scored::Win => Scored::Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{csv_header, csv_rows, samples, write_line};

    fn found(text: &str) -> Found {
        read(text.as_bytes(), None).expect("the text can be read")
    }

    fn refused(text: &str) -> String {
        format!("{:#}", read(text.as_bytes(), None).expect_err("the text is refused"))
    }

    #[test]
    fn results_alone_are_those_of_the_first_bot() {
        let found = found("\n1-0\n1-0\r\n 0-1 \n\n1/2-1/2\n*\n");
        assert_eq!((found.matches, found.unfinished, found.bots), ([1, 1, 2], 1, None));
    }

    #[test]
    fn tags_say_who_sat_where() {
        let game = |white: &str, black: &str, result: &str| {
            format!(
                "[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n"
            )
        };
        let text = game("a", "b b", "1-0") + &game("b b", "a", "1-0") + &game("b b", "a", "1/2-1/2");
        let found = found(&text);
        assert_eq!(found.matches, [1, 1, 1]);
        assert_eq!(found.bots, Some(["a".to_owned(), "b b".to_owned()]));
    }

    #[test]
    fn both_exports_of_the_arena_give_the_same_counts() {
        let game = mancala_arena_rules::open("kalah", &[]).unwrap();
        let plan = samples::plan(game.as_ref(), 1);
        let mut lines = Vec::new();
        let mut rows = Vec::new();
        csv_header(&mut rows).unwrap();
        for (id, rotation, seats, places) in [
            (0, 0, ["a", "say \"b\", c"], [1, 2]),
            (1, 0, ["say \"b\", c", "a"], [1, 2]),
            (2, 1, ["a", "say \"b\", c"], [1, 1]),
            (3, 1, ["say \"b\", c", "a"], [2, 1]),
            (4, 2, ["a", "say \"b\", c"], [2, 1]),
        ] {
            let mut record = samples::played(&plan, id, samples::Leaving::Never);
            (record.r#match, record.rotation, record.places) = (id, rotation, places.to_vec());
            for (seat, name) in record.seats.iter_mut().zip(seats) {
                name.clone_into(&mut seat.name);
            }
            write_line(&mut lines, &record).unwrap();
            csv_rows(&mut rows, &record).unwrap();
        }
        let [lines, rows] = [lines, rows].map(|text| found(&String::from_utf8(text).unwrap()));
        assert_eq!(lines, rows);
        assert_eq!(lines.matches, [2, 1, 2]);
        assert_eq!(
            (lines.pairs.wl, lines.pairs.wd, lines.pairs.counts().total()),
            (1, 1, 2)
        );
    }

    #[test]
    fn a_line_that_is_no_result_is_named() {
        assert_eq!(
            refused("1-0\n2-0\n"),
            "line 2: `2-0` is no result; expected `1-0`, `0-1`, `1/2-1/2`, or `*` for a match without an end"
        );
        assert!(refused(" \n").starts_with("it is empty"));
        assert!(refused("[Result \"1-0\"]\n").starts_with("line 1: a result without bots"));
        assert!(refused("plan,match,bot\n").starts_with("line 1: no column `rotation`"));
    }

    #[test]
    fn of_three_bots_two_must_be_chosen() {
        let text = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[White \"c\"]\n[Black \"a\"]\n[Result \"1-0\"]\n";
        assert!(
            refused(text).starts_with("3 bots; expected two: choose them with --bots A B\n  bots in the file: a, b, c")
        );
        let chosen = ["a".to_owned(), "c".to_owned()];
        assert_eq!(read(text.as_bytes(), Some(&chosen)).unwrap().matches, [1, 0, 0]);
    }
}
