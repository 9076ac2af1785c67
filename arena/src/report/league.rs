//! A plan as a league file that gives the same plan again.
//!
//! Values of environment variables are left out, for a report is handed around and they may be secrets; so are openings
//! that came from a file. Both are told in a comment.

use crate::config::{Clock, Format, Goal, Launch, OnFault, OpeningSource, Plan, Ponder};

/// The text of the file.
pub fn league(plan: &Plan) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: String| text += &format!("{key} = {value}\n");
    let options: Vec<_> = { plan.game.options.iter() }
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    line("game", string(&format!("{}:{}", plan.game.name, options.join(","))));
    let name = |bot: usize| string(&plan.bots[bot].name);
    match &plan.format {
        Format::RoundRobin => line("format", string("round-robin")),
        Format::Gauntlet { against } => {
            line("format", string("gauntlet"));
            let names: Vec<_> = against.iter().map(|bot| name(*bot)).collect();
            line("against", format!("[{}]", names.join(", ")));
        }
        Format::Swiss { rounds } => {
            line("format", string("swiss"));
            line("rounds", rounds.to_string());
            line("allow_repeats", "true".to_owned());
        }
        Format::Knockout => line("format", string("knockout")),
        Format::Ladder { goal, .. } => {
            line("format", string("ladder"));
            line(
                "goal",
                match goal {
                    Goal::Best => string("best"),
                    Goal::Order => string("order"),
                    Goal::Bot(bot) => name(*bot),
                },
            );
        }
    }
    line("rotations", plan.rotations.to_string());
    line("seed", plan.seed.to_string());
    line(
        "ponder",
        string(match plan.ponder {
            Ponder::Allow => "allow",
            Ponder::Freeze => "freeze",
        }),
    );
    line("on_fault", on_fault(&plan.on_fault));
    match &plan.openings {
        OpeningSource::RandomPlies(plies) => line("opening_plies", plies.to_string()),
        OpeningSource::List(list) => {
            text += &format!("# openings = FILE, with the {} openings of the plan\n", list.len());
        }
    }
    text + &time(plan) + &bots(plan)
}

fn time(plan: &Plan) -> String {
    let time = &plan.time;
    let mut text = "\n[time]\n".to_owned();
    let limited = time.move_ms_max.or(time.bank_ms).is_some();
    if time.clock == Clock::Cpu {
        text += "clock = \"cpu\"\n";
    } else if !limited {
        text += "clock = false\n";
    }
    let bank = time.bank_ms.is_some();
    for (key, value) in [
        ("move_ms", time.move_ms_max),
        ("bank_ms", time.bank_ms),
        ("increment_ms", bank.then_some(time.increment_ms)),
        ("wall_ms", time.wall_ms_max),
        ("grace_ms", Some(time.grace_ms)),
        ("start_ms", Some(time.start_ms_max)),
        ("hang_ms", Some(time.hang_ms_max)),
    ] {
        if let Some(value) = value {
            text += &format!("{key} = {value}\n");
        }
    }
    text
}

fn bots(plan: &Plan) -> String {
    let mut text = String::new();
    for bot in &plan.bots {
        text += &format!("\n[[bot]]\nname = {}\n", string(&bot.name));
        text += &match &bot.launch {
            Launch::House { name, params } => {
                let params = params.iter().map(|(key, value)| format!(",{key}={value}"));
                let house: String = std::iter::once(name.clone()).chain(params).collect();
                format!("house = {}\n", string(&house))
            }
            Launch::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| string(word)).collect();
                format!("command = [{}]\n", words.join(", "))
            }
            Launch::Person => "# played by a person\n".to_owned(),
        };
        if let Some(dir) = &bot.dir {
            text += &format!("dir = {}\n", string(&dir.to_string_lossy()));
        }
        if let Some(of_this) = &bot.on_fault {
            text += &format!("on_fault = {}\n", on_fault(of_this));
        }
        if !bot.env.is_empty() {
            let names: Vec<_> = bot.env.keys().map(|name| string(name)).collect();
            text += &format!("# env: {}; their values are not told\n", names.join(", "));
        }
    }
    text
}

fn on_fault(on_fault: &OnFault) -> String {
    string(&match on_fault {
        OnFault::Forfeit => "forfeit".to_owned(),
        OnFault::Restart { times } => format!("restart:{times}"),
        OnFault::Substitute { house } => format!("substitute:{house}"),
    })
}

/// A string of TOML: the escapes of JSON are among those of TOML, which asks for one more.
fn string(text: &str) -> String {
    let json = serde_json::to_string(text).expect("a string is JSON");
    json.replace('\u{7f}', "\\u007F")
}
