//! What a position is worth to a seat, in whole numbers.
//!
//! A seat is compared with each other seat in turn: in a match that is over, a better place is worth [`WIN`], an equal one
//! nothing; to this comes the difference in standing, which is never worth a place. Points are not looked at, since in some
//! games fewer are better.

use mancala_arena_rules::{Outcome, Ruleset, Seat};

/// The worth of a better place than one other seat; far above any difference in standing.
pub(super) const WIN: i32 = 1 << 24;

/// The worth of `position` to `seat`, as it stands or, in a match that is over, as it came out.
#[inline]
pub(super) fn worth<R: Ruleset>(ruleset: &R, position: &R::Position, seat: Seat) -> i32 {
    let places = match ruleset.to_move(position) {
        Some(_) => 0,
        None => ruleset.outcome(position).map_or(0, |outcome| places(&outcome, seat)) * WIN,
    };
    let standing = ruleset.standing(position);
    let own = standing[seat.index()];
    places + standing.iter().map(|other| own - other).sum::<i32>()
}

/// The seats that `seat` is placed before, less those that are placed before it.
pub(super) fn places(outcome: &Outcome, seat: Seat) -> i32 {
    let own = outcome.places[seat.index()];
    outcome
        .places
        .iter()
        .map(|other| (i32::from(*other) - i32::from(own)).signum())
        .sum()
}

#[cfg(test)]
mod tests {
    use mancala_arena_rules::Pit;

    use super::super::tests::Pile;
    use super::*;

    #[test]
    fn in_a_match_that_goes_on_standings_are_compared() {
        let ruleset = Pile { seats: 3, tokens: 12 };
        let mut position = ruleset.start();
        ruleset.play(&mut position, Pit(0));
        let each: Vec<_> = (0..3).map(|seat| worth(&ruleset, &position, Seat::new(seat))).collect();
        assert_eq!(each, [8, -4, -4], "the twelfth token is worth 4");
    }

    #[test]
    fn in_a_match_that_is_over_each_other_seat_counts_as_beaten_or_not() {
        let ruleset = Pile { seats: 3, tokens: 3 };
        let mut position = ruleset.start();
        ruleset.play(&mut position, Pit(0));
        ruleset.play(&mut position, Pit(0));
        ruleset.play(&mut position, Pit(0));
        let each: Vec<_> = (0..3).map(|seat| worth(&ruleset, &position, Seat::new(seat))).collect();
        assert_eq!(each, [-2 * WIN - 4, 2 * WIN + 5, -1], "the tokens are worth 1, 4 and 2");
    }
}
