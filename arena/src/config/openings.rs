//! A file of openings: one position in JSON on each line.

use std::collections::HashMap;
use std::path::Path;

use mancala_arena_rules::AnyGame;

use super::ConfigError;
use crate::tournament::read_opening;

/// Bad lines that are listed; a wrong file would list all of them.
const LISTED: usize = 10;

/// Reads a file of openings. Blank lines and lines that begin with `#` are passed over, as are carriage returns and a
/// byte order mark; a position that stands twice is used once and named in a notice.
pub fn read(path: &Path, game: &dyn AnyGame, notices: &mut Vec<String>) -> Result<Vec<String>, ConfigError> {
    let read = std::fs::read_to_string(path);
    let text = read.map_err(|error| ConfigError::Read {
        path: path.to_owned(),
        error,
    })?;
    let (positions, bad, twice) = parse(&text, game);
    let shown = path.display();
    if !bad.is_empty() {
        let lines: Vec<_> = bad
            .iter()
            .take(LISTED)
            .map(|(line, problem)| format!("\n  line {line}: {problem}"))
            .collect();
        let more = bad.len().saturating_sub(LISTED);
        let more = if more > 0 {
            format!("\n  and {more} more")
        } else {
            String::new()
        };
        return Err(ConfigError::Argument(format!(
            "{} lines of `{shown}` are no openings of {}{}{more}\n  expected on each line a position as bots get it, not finished",
            bad.len(),
            game.info().name,
            lines.concat()
        )));
    }
    if positions.is_empty() {
        return Err(ConfigError::Argument(format!(
            "`{shown}` has no opening; expected a position in JSON on each line"
        )));
    }
    for (line, first) in twice {
        notices.push(format!(
            "`{shown}`: the opening of line {line} stands in line {first} already and is used once"
        ));
    }
    Ok(positions)
}

/// Positions, bad lines with what is wrong, and lines that repeat an earlier one.
type Parsed = (Vec<String>, Vec<(usize, String)>, Vec<(usize, usize)>);

fn parse(text: &str, game: &dyn AnyGame) -> Parsed {
    let (mut positions, mut bad, mut twice) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = HashMap::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // The same position may be written in two ways: the game's own tells.
        match read_opening(game, line) {
            Err(problem) => bad.push((index + 1, problem)),
            Ok(position) => match seen.get(&position) {
                Some(first) => twice.push((index + 1, *first)),
                None => {
                    seen.insert(position.clone(), index + 1);
                    positions.push(position);
                }
            },
        }
    }
    (positions, bad, twice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_openings_is_read_with_care() {
        let game = mancala_arena_rules::open_text("kalah:pits=2,seeds=1").unwrap();
        let text = "\u{feff}# comment\r\n\r\n{\"pits\":[[1,1],[1,1]],\"stores\":[0,0],\"to_move\":0}\r\n\
                    { \"pits\": [[1,1],[1,1]], \"stores\": [0,0], \"to_move\": 0 }\n\
                    {\"pits\":[[0,0],[0,0]],\"stores\":[2,2],\"to_move\":null}\n\
                    {\"pits\":[[1],[1,1]],\"stores\":[0,0],\"to_move\":0}\nnonsense";
        let (positions, bad, twice) = parse(text, &*game);
        assert_eq!(positions, [r#"{"pits":[[1,1],[1,1]],"stores":[0,0],"to_move":0}"#]);
        assert_eq!(bad.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [5, 6, 7]);
        assert_eq!(twice, [(4, 3)]);
    }
}
