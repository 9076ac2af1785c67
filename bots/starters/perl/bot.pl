#!/usr/bin/env perl
# Your bot: make `choose_move` better.

use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Arena;

# Returns one of `@{ $turn->{legal} }`: the first of those that look best.
#
# Both arguments are messages of the arena: `turn` has `position`, `legal`, `seat`,
# `ply`, `last_ms` and the clock, `start` has `game`, `options`, `seats` and `seed`.
sub choose_move {
    my ($turn, $start) = @_;

    # Where to go on: play each move on a copy of the position, and look at what the
    # opponent can do next. `Arena::log(...)` prints to standard error.
    my ($best, $best_rate) = (undef, -1);
    for my $move (@{ $turn->{legal} }) {
        my $rate = rate($move, $turn, $start);
        ($best, $best_rate) = ($move, $rate) if $rate > $best_rate;
    }
    return $best;
}

# Says how good a move looks, by what is common to the games.
#
# Seeds are sown one a pit, to the right. More than one round is not looked at.
sub rate {
    my ($move, $turn, $start) = @_;
    my $pits = $turn->{position}{pits} // [];
    my $row  = $pits->[ $turn->{seat} ] // [];

    # No pit of the own row: a game that is not known here.
    return 0 if ($move // '') !~ /\A\d+\z/ || $move >= @$row;

    my $last = $move + $row->[$move];

    # The last seed falls into the own store: another move. Nearest pit first.
    return 2000 + $move if $last == @$row && $turn->{position}{stores};

    # It falls into an empty own pit: it captures the seeds in the facing pit.
    my $captures = @$pits == 2 && $start->{game} ne 'mancala-basic';
    if ($captures && $last < @$row && $row->[$last] == 0) {
        my $facing = $pits->[ 1 - $turn->{seat} ][ @$row - 1 - $last ];
        return 1000 + $facing if $facing > 0;
    }

    # Else, the more seeds move on, the fewer can be captured.
    return $row->[$move];
}

Arena::run(\&choose_move) unless caller;

1;
