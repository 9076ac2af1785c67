//! Run with `cargo test`.

use super::arena::{Move, Position, Start, Turn};
use super::choose_move;

fn moves(pits: &[usize]) -> Vec<Move> {
    let to_move = |&pit: &usize| Move {
        text: pit.to_string(),
        pit: Some(pit),
    };
    pits.iter().map(to_move).collect()
}

fn choose(game: &str, seat: usize, position: Position, legal: Vec<Move>) -> Move {
    let start = Start {
        game: game.to_owned(),
        ..Start::default()
    };
    let turn = Turn {
        seat,
        position,
        legal,
        ..Turn::default()
    };
    choose_move(&turn, &start).clone()
}

#[test]
fn kalah_a_last_seed_in_the_own_store_is_best() {
    let position = Position {
        pits: vec![vec![4; 6], vec![4; 6]],
        stores: vec![0, 0],
        ..Position::default()
    };
    let chosen = choose("kalah", 0, position, moves(&[0, 1, 2, 3, 4, 5]));
    assert_eq!(chosen.pit, Some(2));
}

#[test]
fn layli_goobalay_the_move_is_legal() {
    let position = Position {
        pits: vec![vec![2, 3, 1, 4], vec![5, 7, 1, 2]],
        uur_owner: vec![
            vec![Some(1), None, None, None],
            vec![None, None, None, Some(1)],
        ],
        captured: vec![9, 5],
        ..Position::default()
    };
    let legal = moves(&[1, 2, 3]);
    assert!(legal.contains(&choose("layli-goobalay", 0, position, legal.clone())));
}

#[test]
fn mancala_basic_the_move_is_legal() {
    let position = Position {
        pits: vec![vec![0, 0, 0, 1], vec![0, 0, 0, 4], vec![1, 9, 7, 1]],
        stores: vec![6, 5, 2],
        active: vec![0, 1, 2],
        ..Position::default()
    };
    let legal = moves(&[0, 1, 3]);
    assert!(legal.contains(&choose("mancala-basic", 2, position, legal.clone())));
}

#[test]
fn moves_that_are_no_pits_can_be_chosen_too() {
    let other = Move {
        text: r#"{"from":3}"#.to_owned(),
        pit: None,
    };
    let chosen = choose("unknown", 0, Position::default(), vec![other.clone()]);
    assert_eq!(chosen, other);
}
