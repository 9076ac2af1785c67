//! House bots by what they do; the parts of a bot have their tests beside them.

mod pile;
mod sessions;

use std::cell::Cell;
use std::time::{Duration, Instant};

use mancala_arena_protocol::{Control, Start};
use mancala_arena_rules::kalah::Kalah;
use mancala_arena_rules::{Listed, Match, Moves, Options, Outcome, Ruleset, Seat, Visitor, visit};

pub(super) use self::pile::Pile;
use super::dice::Dice;
use super::greedy::Greedy;
use super::mcts::Mcts;
use super::minimax::Minimax;
use super::random::Random;
use super::{HOUSE, House, HouseError, check, find};
use crate::client::{GameBot, GameTurn, Player, TimeLeft};

pub(super) fn kalah(pits: u32, seeds: u32) -> Kalah {
    let given = [("pits", pits), ("seeds", seeds)].map(|(key, value)| (key.to_owned(), value.to_string()));
    Kalah::from_options(&Options::parse(Kalah::INFO, &given).unwrap()).unwrap()
}

/// Positions with a seat to move, met in matches of random moves.
pub(super) fn positions<R: Ruleset>(ruleset: &R, seed: u64, count: usize) -> Vec<R::Position> {
    let mut dice = Dice::new(seed, 0);
    let mut found = Vec::new();
    while found.len() < count {
        let mut playing = Match::new(ruleset.clone());
        while playing.to_move().is_some() {
            if dice.below(4) == 0 {
                found.push(playing.position().clone());
            }
            let legal = ruleset.legal_moves(playing.position());
            playing.play(legal.get(dice.below(legal.len())).unwrap()).unwrap();
        }
    }
    found.truncate(count);
    found
}

fn bot<B: House>(name: &str, params: &[(&str, &str)]) -> B {
    let params: Vec<_> = params
        .iter()
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    B::new(&find(name, &params).unwrap().1)
}

fn start(seed: u64) -> Start {
    Start {
        r#match: "r1-01".to_owned(),
        game: "kalah".to_owned(),
        options: serde_json::Map::new(),
        seat: 0,
        seats: 2,
        names: vec!["a".to_owned(), "b".to_owned()],
        position: serde_json::Value::Null,
        time: Control::default(),
        seed,
        ponder: false,
    }
}

fn turn<R: Ruleset>(ruleset: &R, position: &R::Position, ply: u32) -> GameTurn<R::Position> {
    GameTurn {
        ply,
        seat: ruleset.to_move(position).unwrap(),
        position: position.clone(),
        time: TimeLeft::default(),
    }
}

/// Plays a match, after four random plies that the seed decides.
fn play<R: Ruleset>(ruleset: &R, seed: u64, players: &mut [Box<dyn Player<R>>]) -> Outcome {
    let mut playing = Match::new(ruleset.clone());
    let mut opening = Dice::new(seed, 1);
    while let Some(seat) = playing.to_move() {
        let mv = if playing.ply() < 4 {
            let legal = ruleset.legal_moves(playing.position());
            legal.get(opening.below(legal.len())).unwrap()
        } else {
            players[seat.index()]
                .turn(&turn(ruleset, playing.position(), playing.ply()))
                .mv
        };
        playing.play(mv).expect("a house bot plays legal moves");
    }
    playing.outcome().unwrap()
}

/// How often `a` is placed before `b`, and `b` before `a`, with both in both seats for each of `pairs` openings.
fn compare<R: Ruleset>(ruleset: &R, a: &mut impl GameBot, b: &mut impl GameBot, pairs: u64) -> (u32, u32) {
    let mut wins = (0, 0);
    for seed in 0..pairs {
        for seat_of_a in 0..2 {
            let mut players = vec![
                a.start(ruleset.clone(), &start(seed)),
                b.start(ruleset.clone(), &start(seed)),
            ];
            players.rotate_right(seat_of_a);
            let places = play(ruleset, seed, &mut players).places;
            wins.0 += u32::from(places[seat_of_a] < places[1 - seat_of_a]);
            wins.1 += u32::from(places[seat_of_a] > places[1 - seat_of_a]);
        }
    }
    wins
}

fn beats(a: &mut impl GameBot, b: &mut impl GameBot, pairs: u64, at_least: u32) {
    let (won, lost) = compare(&kalah(6, 4), a, b, pairs);
    assert!(won >= at_least, "won {won} and lost {lost} of {} matches", 2 * pairs);
}

#[test]
fn greedy_beats_random() {
    beats(
        &mut bot::<Greedy>("greedy", &[]),
        &mut bot::<Random>("random", &[]),
        50,
        90,
    );
}

#[test]
fn greedy_with_random_ties_beats_random() {
    let mut greedy = bot::<Greedy>("greedy", &[("ties", "random")]);
    beats(&mut greedy, &mut bot::<Random>("random", &[]), 50, 90);
}

#[test]
fn minimax_beats_greedy() {
    let mut minimax = bot::<Minimax>("minimax", &[("depth", "4")]);
    beats(&mut minimax, &mut bot::<Greedy>("greedy", &[]), 25, 40);
}

#[test]
fn deeper_minimax_beats_shallower() {
    let mut deep = bot::<Minimax>("minimax", &[("depth", "6")]);
    beats(&mut deep, &mut bot::<Minimax>("minimax", &[("depth", "2")]), 25, 35);
}

#[test]
fn mcts_beats_random() {
    let mut mcts = bot::<Mcts>("mcts", &[("nodes", "200")]);
    beats(&mut mcts, &mut bot::<Random>("random", &[]), 10, 20);
}

#[test]
fn more_playouts_beat_fewer() {
    let mut many = bot::<Mcts>("mcts", &[("nodes", "1000")]);
    beats(&mut many, &mut bot::<Mcts>("mcts", &[("nodes", "50")]), 10, 15);
}

/// With four seats, the searching bot wins well above its quarter of the matches.
fn wins_among_four(searching: &mut impl GameBot) -> u32 {
    let ruleset = Pile { seats: 4, tokens: 30 };
    let mut wins = 0;
    for seed in 0..100 {
        let own = (seed % 4) as usize;
        let mut players: Vec<_> = (0..4)
            .map(|seat| bot::<Random>("random", &[("seed", &seat.to_string())]).start(ruleset.clone(), &start(seed)))
            .collect();
        players[own] = searching.start(ruleset.clone(), &start(seed));
        wins += u32::from(play(&ruleset, seed, &mut players).places[own] == 1);
    }
    wins
}

#[test]
fn minimax_beats_three_random_bots() {
    let wins = wins_among_four(&mut bot::<Minimax>("minimax", &[("depth", "5")]));
    assert!(wins >= 70, "{wins} of 100");
}

#[test]
fn mcts_beats_three_random_bots() {
    let wins = wins_among_four(&mut bot::<Mcts>("mcts", &[("nodes", "200")]));
    assert!(wins >= 70, "{wins} of 100");
}

/// What a move does to the worth of the match for its mover, both sides playing perfectly on.
fn perfect<R: Ruleset>(ruleset: &R, position: &R::Position, seat: Seat) -> i32 {
    let Some(mover) = ruleset.to_move(position) else {
        return super::worth::worth(ruleset, position, seat).signum();
    };
    let moves = ruleset.legal_moves(position);
    let each = moves.iter().map(|mv| {
        let mut next = position.clone();
        ruleset.play(&mut next, mv);
        perfect(ruleset, &next, seat)
    });
    if mover == seat { each.max() } else { each.min() }.unwrap()
}

#[test]
fn minimax_never_gives_a_won_or_drawn_match_away() {
    let ruleset = kalah(3, 2);
    let mut minimax = bot::<Minimax>("minimax", &[("depth", "64")]).start(ruleset.clone(), &start(0));
    let mut kept = 0;
    for position in positions(&ruleset, 5, 200) {
        let turn = turn(&ruleset, &position, 0);
        let before = perfect(&ruleset, &position, turn.seat);
        let mut next = position.clone();
        ruleset.play(&mut next, minimax.turn(&turn).mv);
        assert_eq!(perfect(&ruleset, &next, turn.seat), before, "at {position:?}");
        kept += u32::from(before == 1);
    }
    assert!(kept > 50, "only {kept} of the positions were won");
}

/// The moves a bot plays at some positions, in an order and with a past of its own.
struct Choices<'a> {
    name: &'a str,
    params: &'a [(String, String)],
    order: Vec<usize>,
}

impl Visitor for Choices<'_> {
    type Output = Vec<String>;
    fn visit<R: Listed>(self, ruleset: R) -> Vec<String> {
        fn chosen<R: Listed, B: House>(mut bot: B, ruleset: &R, order: &[usize]) -> Vec<String> {
            let positions = positions(ruleset, 11, order.len());
            let mut player = bot.start(ruleset.clone(), &start(42));
            let mut moves = vec![String::new(); order.len()];
            for (count, at) in order.iter().enumerate() {
                if count % 70 == 69 {
                    player = bot.start(ruleset.clone(), &start(42));
                }
                let answer = player.turn(&turn(ruleset, &positions[*at], *at as u32));
                moves[*at] = format!("{answer:?}");
            }
            moves
        }
        let params = find(self.name, self.params).unwrap().1;
        match self.name {
            "random" => chosen(Random::new(&params), &ruleset, &self.order),
            "greedy" => chosen(Greedy::new(&params), &ruleset, &self.order),
            "minimax" => chosen(Minimax::new(&params), &ruleset, &self.order),
            "mcts" => chosen(Mcts::new(&params), &ruleset, &self.order),
            other => panic!("`{other}` is missing here"),
        }
    }
}

#[test]
fn a_move_depends_on_seed_ply_and_position_alone() {
    let settings = [
        ("random", vec![]),
        ("greedy", vec![("ties", "random")]),
        ("minimax", vec![("nodes", "3000"), ("table_mb", "1"), ("info", "on")]),
        ("minimax", vec![("depth", "4"), ("info", "on")]),
        ("mcts", vec![("nodes", "100"), ("info", "on")]),
    ];
    for (name, params) in settings {
        let params: Vec<_> = params
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        let choices = |order: Vec<usize>| {
            let visitor = Choices {
                name,
                params: &params,
                order,
            };
            visit("kalah", &[], visitor).unwrap()
        };
        let forwards = choices((0..300).collect());
        let backwards = choices((0..300).rev().collect());
        assert_eq!(forwards, backwards, "{name}");
    }
}

#[test]
fn another_seed_makes_other_choices() {
    let ruleset = kalah(6, 4);
    let choices = |match_seed, bot_seed: &str| {
        let mut player = bot::<Random>("random", &[("seed", bot_seed)]).start(ruleset.clone(), &start(match_seed));
        let positions = positions(&ruleset, 3, 50);
        let moves = positions
            .iter()
            .map(|position| player.turn(&turn(&ruleset, position, 9)).mv);
        moves.collect::<Vec<_>>()
    };
    assert_ne!(choices(1, "0"), choices(2, "0"));
    assert_ne!(choices(1, "0"), choices(1, "1"));
}

thread_local! {
    static LOOKS: Cell<u32> = const { Cell::new(0) };
    static BEGUN: Instant = Instant::now();
}

/// A clock on which a millisecond passes at each look.
fn ticking() -> Instant {
    LOOKS.set(LOOKS.get() + 1);
    BEGUN.with(|begun| *begun + Duration::from_millis(LOOKS.get().into()))
}

/// How many looks at the clock a bot takes for a move of 100 ms.
fn looks_at_the_clock(mut bot: impl GameBot) -> u32 {
    let ruleset = kalah(6, 4);
    let mut turn = turn(&ruleset, &ruleset.start(), 0);
    turn.time.move_max = Some(Duration::from_millis(100));
    let before = LOOKS.get();
    bot.start(ruleset, &start(0)).turn(&turn);
    LOOKS.get() - before
}

#[test]
fn minimax_stops_when_its_time_is_up() {
    let mut timed: Minimax = bot("minimax", &[]);
    timed.now = ticking;
    assert_eq!(
        looks_at_the_clock(timed),
        91,
        "one to begin, then one for each of 90 ms"
    );
}

#[test]
fn minimax_stops_when_its_time_is_up_before_its_depth() {
    let mut timed: Minimax = bot("minimax", &[("depth", "40")]);
    timed.now = ticking;
    assert_eq!(looks_at_the_clock(timed), 91);
}

#[test]
fn mcts_stops_when_its_time_is_up() {
    let mut timed: Mcts = bot("mcts", &[]);
    timed.now = ticking;
    assert_eq!(looks_at_the_clock(timed), 91);
}

#[test]
fn mcts_stops_at_its_nodes_before_its_time_is_up() {
    let mut timed: Mcts = bot("mcts", &[("nodes", "64")]);
    timed.now = ticking;
    assert_eq!(looks_at_the_clock(timed), 3);
}

#[test]
fn minimax_without_limit_or_clock_looks_eight_plies_ahead() {
    let ruleset = kalah(6, 4);
    let answer = |params: &[(&str, &str)]| {
        let mut player = bot::<Minimax>("minimax", params).start(ruleset.clone(), &start(0));
        player.turn(&turn(&ruleset, &ruleset.start(), 0)).info.unwrap()
    };
    let free = answer(&[("info", "on")]);
    assert_eq!(free.depth, Some(8));
    assert_eq!(free, answer(&[("info", "on"), ("depth", "8")]));
}

#[test]
fn names_and_parameters_are_checked() {
    let error = |name: &str, params: &[(&str, &str)]| {
        let params: Vec<_> = params
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        check(name, &params).unwrap_err().to_string()
    };
    assert_eq!(
        error("alphazero", &[]),
        "unknown house bot `alphazero`; there are: random, greedy, minimax, mcts"
    );
    assert_eq!(
        error("minimax", &[("deep", "4")]),
        "house bot `minimax` has no parameter `deep`; it has: depth, nodes, table_mb, info"
    );
    assert_eq!(
        error("minimax", &[("depth", "0")]),
        "house bot `minimax`: `depth=0` is out of range; `depth` takes 1 to 64"
    );
    assert_eq!(
        error("minimax", &[("depth", "4"), ("depth", "5")]),
        "house bot `minimax`: `depth` is given twice"
    );
    assert_eq!(
        error("mcts", &[("c", "nan")]),
        "house bot `mcts`: `c=nan` is out of range; `c` takes 0.0 to 100.0"
    );
    assert_eq!(
        error("random", &[("seed", "-1")]),
        "house bot `random`: `seed=-1` is out of range; `seed` takes a whole number from 0"
    );
    assert_eq!(
        error("greedy", &[("ties", "last")]),
        "house bot `greedy`: `ties=last` is out of range; `ties` takes first, random"
    );
}

#[test]
fn every_bot_can_be_made_with_nothing_and_refuses_what_it_does_not_know() {
    for bot in HOUSE {
        check(bot.name, &[]).unwrap();
        let unknown = check(bot.name, &[("colour".to_owned(), "red".to_owned())]);
        assert!(matches!(unknown, Err(HouseError::UnknownParam { .. })), "{unknown:?}");
    }
}
