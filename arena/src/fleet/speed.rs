//! How fast this machine computes, and how busy it is.

use std::io::Cursor;
use std::time::Instant;

use mancala_arena_bots::house;

/// The search is run so often; the fastest tells what the machine can do, the others what else it was doing.
const ROUNDS: usize = 5;

/// The depth of the fixed search.
const DEPTH: u32 = 9;

/// Fixed searches a second on one core: `house:minimax` to depth 9 from the start position of kalah(6,4), with all that a
/// turn is besides. The best of five, as whatever else runs only makes it slower.
pub fn measure() -> f64 {
    let best = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            search();
            began.elapsed()
        })
        .min()
        .expect("there are rounds");
    1.0 / best.as_secs_f64()
}

/// What the bot is told: a first turn without a clock.
const LINES: &str = concat!(
    r#"{"type":"hello","protocols":[1],"arena":"speed"}"#,
    "\n",
    r#"{"type":"start","match":"0","game":"kalah","options":{"empty_capture":false,"end":"either","pits":6,"seeds":4},"#,
    r#""seat":0,"seats":2,"names":["a","b"],"position":{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"to_move":0},"#,
    r#""time":{"grace_ms":0},"seed":1,"ponder":false}"#,
    "\n",
    r#"{"type":"turn","match":"0","ply":0,"seat":0,"position":{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"#,
    r#""to_move":0},"legal":[0,1,2,3,4,5],"since":[]}"#,
    "\n",
    r#"{"type":"quit"}"#,
    "\n",
);

fn search() -> String {
    let mut output = Vec::new();
    let params = [("depth".to_owned(), DEPTH.to_string())];
    house::run_on("minimax", &params, &mut Cursor::new(LINES), &mut output)
        .expect("the house bot plays by the protocol");
    String::from_utf8(output).expect("JSON is UTF-8")
}

/// Processes that want to compute, by core, averaged over the last minute; 0 where the system does not say.
pub fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let wanting: f64 = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(0.0);
    wanting / crate::tournament::cores().len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_search_ends_in_a_move() {
        let said = search();
        assert!(said.contains("\"move\":"), "{said}");
        assert!(measure() > 0.0);
        assert!(load() >= 0.0);
    }
}
