//! Endless relays, and what the rules say of single moves.

use super::*;
use crate::{EndReason, Match, open_text};

fn relay(pits: u8, seeds: u8) -> LayliGoobalay {
    LayliGoobalay {
        sowing: Sowing::Relay,
        pits,
        seeds,
        forced_opening: false,
    }
}

/// The legal moves that change nothing on the board.
fn endless(game: &LayliGoobalay, position: &Position) -> Vec<Pit> {
    let changes_nothing = |mv: &Pit| {
        let mut next = position.clone();
        game.play(&mut next, *mv);
        next.ring == position.ring && next.to_move.is_some()
    };
    game.legal_moves(position).iter().filter(changes_nothing).collect()
}

/// The first position of random matches that is wanted.
fn search(game: &LayliGoobalay, wanted: impl Fn(&Position) -> bool) -> Position {
    let mut random = 1_u64;
    let mut position = game.start();
    for _ in 0..1_000_000 {
        if wanted(&position) {
            return position;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let moves = game.legal_moves(&position);
        match moves.get((random >> 33) as usize % moves.len().max(1)) {
            Some(mv) => game.play(&mut position, mv),
            None => position = game.start(),
        }
    }
    panic!("no such position in a million");
}

/// Sows lap by lap, and says whether the board before the move comes back with the same seeds in hand.
fn comes_round(game: &LayliGoobalay, position: &Position, from: usize) -> bool {
    let mut board = position.clone();
    let mut at = from;
    for _ in 0..10_000_000 {
        at = game.sow(&mut board, at, &mut ());
        if board.is_uur(at) || board.ring[at] == 1 {
            return false;
        }
        if at == from && board.ring == position.ring {
            return true;
        }
    }
    panic!("neither an end nor the first board after ten million laps");
}

#[test]
fn endless_relay_is_void_and_passes_the_turn() {
    for game in [relay(6, 4), relay(4, 4), relay(8, 2)] {
        let position = search(&game, |position| !endless(&game, position).is_empty());
        let mover = position.to_move.expect("the match is not over");
        let mv = endless(&game, &position)[0];
        assert!(comes_round(
            &game,
            &position,
            game.row(mover.index()).start + mv.index()
        ));
        let mut next = position.clone();
        game.play(&mut next, mv);
        assert_eq!(next.to_move, Some(Seat::new(1 - mover.index())));
        next.to_move = position.to_move;
        assert_eq!(next, position);
    }
}

#[test]
fn third_occurrence_of_a_position_ends_the_match_and_counts_it() {
    let game = relay(4, 2);
    let other = |position: &Position| Position {
        to_move: position.to_move.map(|seat| Seat::new(1 - seat.index())),
        ..position.clone()
    };
    let both_may_pass = |position: &Position| {
        position.to_move.is_some()
            && !endless(&game, position).is_empty()
            && !endless(&game, &other(position)).is_empty()
    };
    let position = search(&game, both_may_pass);
    let points = game.points(&position);
    let mut playing = Match::from_position(game.clone(), position);
    for ply in 0..4 {
        assert_eq!(playing.ended(), None, "ply {ply}");
        let mv = endless(&game, playing.position())[0];
        playing.play(mv).expect("an endless relay is legal");
    }
    assert_eq!(playing.ended(), Some(EndReason::Repetition));
    assert_eq!(playing.outcome().expect("the match is over").points, points);
}

#[test]
fn forced_opening_binds_the_first_move_only() {
    let game = LayliGoobalay {
        forced_opening: true,
        ..relay(6, 4)
    };
    let mut position = game.start();
    assert_eq!(game.legal_moves(&position), PitSet::from_bits(1));
    assert_eq!(game.check(&position, Pit(3)), Err(PlayError::ForcedOpening { pit: 0 }));
    assert_eq!(game.check(&position, Pit(6)), Err(PlayError::NoSuchPit { pits: 6 }));
    game.play(&mut position, Pit(0));
    assert!(game.legal_moves(&position).len() > 1);
}

#[test]
fn an_uur_is_never_sown_from_and_a_pit_never_faces_one_alone() {
    for text in ["layli-goobalay", "layli-goobalay:ruleset=chain"] {
        let mut made = 0;
        let mut random = 1_u64;
        for _ in 0..200 {
            let mut playing = open_text(text).expect("a game of the list").start();
            while playing.ended().is_none() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                playing.play_nth((random >> 33) as usize % playing.legal_len());
                let view = playing.view();
                let owners = |seat: usize| view.rows[seat].cells.iter().map(|cell| cell.owner);
                assert!(
                    owners(0).eq(owners(1).rev()),
                    "{text}: uurs lie in facing pairs of one owner"
                );
                made += owners(0).flatten().count();
            }
        }
        assert!(made > 0, "{text}: uurs are made");
    }
}
