//! What holds in every game, over the whole list and many option values.

mod support;

use mancala_arena_rules::{
    AnyGame, AnyMatch, EndReason, GameError, Hand, OptionError, OptionKind, Row, Seat, View, infos, open, open_text,
};
use support::{Random, games};

/// Random matches of each game a property is tried on.
const ROUNDS: u64 = 20;

/// Every game that can be built from [`games`], some times over with another random generator.
fn for_every_game(mut check: impl FnMut(&dyn AnyGame, &mut Random, &str)) {
    let mut built = 0;
    for (index, (name, options)) in games().iter().enumerate() {
        match open(name, options) {
            Ok(game) => {
                for round in 0..ROUNDS {
                    let mut random = Random::new((index as u64 * 7919) << 8 | round << 1);
                    check(&*game, &mut random, &format!("{name} {options:?}"));
                }
                built += 1;
            }
            Err(GameError::Options(OptionError::Conflict { .. })) => {}
            Err(other) => panic!("{name} {options:?}: {other}"),
        }
    }
    assert!(built > 100, "{built} games are many");
}

fn seeds(view: &View) -> u32 {
    let row = |row: &Row| row.store + row.cells.iter().map(|cell| cell.seeds).sum::<u32>();
    view.rows.iter().map(row).sum()
}

/// Plays at random to the end and returns the indices played.
fn play_out(playing: &mut dyn AnyMatch, random: &mut Random, mut each: impl FnMut(&dyn AnyMatch)) -> Vec<usize> {
    let mut played = Vec::new();
    while playing.ended().is_none() {
        let index = random.below(playing.legal_len());
        playing.play_nth(index);
        played.push(index);
        each(playing);
    }
    played
}

#[test]
fn seeds_never_appear_or_vanish() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        let all = seeds(&playing.view());
        play_out(&mut *playing, random, |now| {
            assert_eq!(seeds(&now.view()), all, "{title}");
        });
    });
}

#[test]
fn every_match_ends_by_its_rules_or_limits_with_places_for_all() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        play_out(&mut *playing, random, |now| {
            assert_eq!(now.to_move().is_none(), now.ended().is_some(), "{title}");
            assert_eq!(now.legal_len() == 0, now.ended().is_some(), "{title}");
            assert_eq!(now.outcome().is_some(), now.ended().is_some(), "{title}");
        });
        let endless = game.info().name == "layli-goobalay" && playing.ended() == Some(EndReason::Repetition);
        assert!(
            endless || playing.ended() == Some(EndReason::Rules),
            "{title}: {:?}",
            playing.ended()
        );
        let outcome = playing.outcome().expect("the match is over");
        assert_eq!(outcome.places.len(), game.seats(), "{title}");
        for place in outcome.places.iter() {
            let better = outcome.places.iter().filter(|other| *other < place).count();
            assert_eq!(usize::from(*place), better + 1, "{title}: places {:?}", outcome.places);
        }
    });
}

#[test]
fn replaying_the_moves_gives_the_same_end() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        let played = play_out(&mut *playing, random, |_| {});
        let mut again = game.start();
        for index in played {
            again.play_nth(index);
        }
        assert_eq!(again.view(), playing.view(), "{title}");
        assert_eq!(again.outcome(), playing.outcome(), "{title}");
        assert_eq!(again.ended(), playing.ended(), "{title}");
    });
}

#[test]
fn the_steps_of_a_ply_lead_to_the_position_after_it() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        while playing.ended().is_none() {
            let mut hand = Hand::over(&playing.view());
            let steps = playing.play_nth_in_steps(random.below(playing.legal_len()));
            for step in &steps {
                hand.apply(*step);
            }
            assert_eq!(hand.seeds(), 0, "{title}: {steps:?}");
            assert_eq!(hand.board().rows.len(), playing.seats(), "{title}");
            for (drawn, row) in hand.board().rows.iter().zip(playing.view().rows) {
                assert_eq!(
                    (&drawn.cells, drawn.store),
                    (&row.cells, row.store),
                    "{title}: {steps:?}"
                );
            }
        }
    });
}

#[test]
fn a_copy_of_a_match_goes_its_own_way() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        let before = playing.view();
        let mut copy = playing.boxed_clone();
        play_out(&mut *copy, random, |_| {});
        assert_eq!(playing.view(), before, "{title}");
        playing.play_nth(0);
        assert_eq!(playing.ply(), 1, "{title}");
    });
}

#[test]
fn options_in_force_build_the_same_game_again() {
    for_every_game(|game, _, title| {
        let again = open(game.info().name, &game.options().to_texts()).expect("options in force are valid");
        assert_eq!(again.options(), game.options(), "{title}");
        assert_eq!(again.start().view(), game.start().view(), "{title}");
        assert!(again.notices().is_empty(), "{title}: what has fallen back fits");
        let keys: Vec<_> = game.options().iter().map(|(key, _)| key).collect();
        let declared: Vec<_> = game.info().options.iter().map(|option| option.key).collect();
        assert_eq!(keys, declared, "{title}");
    });
}

#[test]
fn whoever_leaves_first_is_last_and_the_last_to_stay_is_first() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        let all = seeds(&playing.view());
        let first = random.below(game.seats());
        let mut gone = Vec::new();
        for turn in 0..game.seats() - 1 {
            let seat = (first + turn) % game.seats();
            assert_eq!(playing.ended(), None, "{title}");
            playing.leave(Seat::new(seat));
            gone.push(seat);
        }
        assert_eq!(playing.ended(), Some(EndReason::Resignation), "{title}");
        assert_eq!(seeds(&playing.view()), all, "{title}");
        let places = playing.outcome().expect("the match is over").places;
        for (turn, seat) in gone.into_iter().enumerate() {
            assert_eq!(usize::from(places[seat]), game.seats() - turn, "{title}");
        }
    });
}

#[test]
fn leaving_in_the_middle_lets_the_others_play_to_the_end() {
    for_every_game(|game, random, title| {
        let mut playing = game.start();
        for _ in 0..3 {
            if playing.ended().is_none() {
                playing.play_nth(random.below(playing.legal_len()));
            }
        }
        if playing.ended().is_some() {
            return;
        }
        let leaver = Seat::new(random.below(game.seats()));
        playing.leave(leaver);
        play_out(&mut *playing, random, |now| {
            assert_ne!(now.to_move(), Some(leaver), "{title}");
        });
        let places = playing.outcome().expect("the match is over").places;
        assert_eq!(usize::from(places[leaver.index()]), game.seats(), "{title}");
    });
}

#[test]
fn options_out_of_range_are_refused_and_the_range_is_named() {
    for info in infos() {
        for option in info.options {
            let wrong: &[&str] = match option.kind {
                OptionKind::Range(..) => &["0", "13", "-1", "4.0", "", " ", "99999999999999999999", "six"],
                OptionKind::Numbers(_) => &["0", "5", "-4", "4.0", "", "99999999999999999999", "four"],
                OptionKind::Words(_) => &["", "Relay", "other", "0"],
                OptionKind::Switch => &["", "ON", "yes", "1", "0"],
            };
            for value in wrong {
                let given = [(option.key.to_owned(), (*value).to_owned())];
                let error = open(info.name, &given).expect_err("the value is out of range");
                let GameError::Options(OptionError::OutOfRange {
                    game,
                    key,
                    value: found,
                    expected,
                }) = error
                else {
                    panic!("{}: `{}={value}` gives {error}", info.name, option.key);
                };
                assert_eq!((game, key, found.as_str()), (info.name, option.key, *value));
                assert_eq!(expected, option.kind.to_string());
            }
        }
    }
}

#[test]
fn unknown_repeated_and_malformed_options_and_unknown_games_are_refused() {
    for info in infos() {
        let name = info.name;
        let key = info.options[0].key;
        let value = info.options[0].default;
        assert!(matches!(
            open_text(&format!("{name}:colour=red")),
            Err(GameError::Options(OptionError::Unknown { .. }))
        ));
        assert!(matches!(
            open_text(&format!("{name}:{key}={value},{key}={value}")),
            Err(GameError::Options(OptionError::Twice { .. }))
        ));
        assert!(matches!(
            open_text(&format!("{name}:{key}")),
            Err(GameError::Syntax { .. })
        ));
    }
    assert!(matches!(open_text("owari"), Err(GameError::UnknownGame { .. })));
}

#[test]
fn forced_opening_of_the_chain_rules_is_a_conflict() {
    let conflict = open_text("layli-goobalay:ruleset=chain,forced_opening=on");
    assert!(matches!(
        conflict,
        Err(GameError::Options(OptionError::Conflict { .. }))
    ));
}

#[test]
fn pits_that_do_not_fit_the_seats_fall_back_to_six_with_a_notice() {
    for (text, pits, notices) in [
        ("mancala-basic:seats=2,pits=4", 6, 1),
        ("mancala-basic:seats=3,pits=7", 6, 1),
        ("mancala-basic:seats=4,pits=7", 6, 1),
        ("mancala-basic:seats=2,pits=7", 7, 0),
        ("mancala-basic:seats=4,pits=4", 4, 0),
        ("mancala-basic", 6, 0),
    ] {
        let game = open_text(text).expect("the options are in range");
        assert_eq!(game.options().number("pits"), pits, "{text}");
        assert_eq!(game.start().view().rows[0].cells.len(), pits as usize, "{text}");
        assert_eq!(game.notices().len(), notices, "{text}");
    }
}

#[test]
fn only_mancala_basic_without_an_alternate_starter_keeps_its_seats() {
    for_every_game(|game, _, title| {
        let fixed = game.info().name == "mancala-basic" && !game.options().switch("alternate_starter");
        assert_eq!(game.rotates_seats(), !fixed, "{title}");
    });
}

#[test]
fn every_game_tells_its_rules_and_names_its_sources() {
    for info in infos() {
        assert!(info.rules.starts_with(&format!("# {}\n", info.title)), "{}", info.name);
        for option in info.options {
            assert!(
                info.rules.contains(&format!("| `{}` |", option.key)),
                "{}: {}",
                info.name,
                option.key
            );
        }
        assert!(
            !info.sources.is_empty() && !info.summary.is_empty() && !info.points.is_empty(),
            "{}",
            info.name
        );
        assert!((3..=6).contains(&info.examples.len()), "{}", info.name);
    }
}
