//! The games, with their rules and drawn examples.

use std::sync::LazyLock;

use mancala_arena_rules::{GameInfo, OptionInfo, OptionKind, infos, open};

use super::answers::{Example, Game, GameOption, Games, Source};
use super::{Answer, App, Endpoint, Nothing, Places};
use crate::record::PlyRecord;
use crate::report::Filming;
use crate::web::reply::Reply;

pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new::<Nothing, Games>(
        "/games",
        "The games with their rules",
        games,
    )]
}

/// It is always the same.
static GAMES: LazyLock<Reply> = LazyLock::new(|| {
    Reply::json(&Games {
        games: infos().iter().map(|info| describe(info)).collect(),
    })
});

fn games(_: &App, _: &Places, _: Nothing) -> Answer {
    Ok(GAMES.clone())
}

fn describe(info: &'static GameInfo) -> Game {
    Game {
        name: info.name,
        title: info.title,
        summary: info.summary,
        seats: info.seats,
        options: info.options.iter().map(option).collect(),
        points: info.points,
        rules_markdown: info.rules,
        examples: info.examples.iter().map(|shown| example(info, shown)).collect(),
        sources: { info.sources.iter() }
            .map(|source| Source {
                text: source.text,
                used_for: source.used_for,
            })
            .collect(),
    }
}

fn option(info: &'static OptionInfo) -> GameOption {
    let (kind, range, values) = match info.kind {
        OptionKind::Range(least, most) => ("range", Some((least, most)), None),
        OptionKind::Numbers(numbers) => ("numbers", None, Some(numbers.iter().map(u32::to_string).collect())),
        OptionKind::Words(words) => (
            "words",
            None,
            Some(words.iter().map(|word| (*word).to_owned()).collect()),
        ),
        OptionKind::Switch => ("switch", None, Some(vec!["on".to_owned(), "off".to_owned()])),
    };
    GameOption {
        name: info.key,
        kind,
        range,
        values,
        default: info.default.to_string(),
        text: info.help,
    }
}

fn example(info: &GameInfo, shown: &mancala_arena_rules::Example) -> Example {
    let parts = shown.options.split(',').filter_map(|part| part.split_once('='));
    let options: Vec<(String, String)> = parts.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let game = open(info.name, &options).expect("a test of the rules plays every example");
    let names = (1..=game.seats()).map(|seat| format!("seat {seat}")).collect();
    let mut filming = Filming::new(&*game, game.start(), names);
    for mv in shown.moves {
        let seat = filming.board().to_move().expect("an example has no move too many");
        filming.ply(&PlyRecord {
            seat: seat.index() as u8,
            r#move: (*mv).into(),
            elapsed_us: 0,
            info: None,
        });
    }
    Example {
        title: shown.caption,
        options: options.into_iter().collect(),
        film: filming.into_film(),
    }
}
