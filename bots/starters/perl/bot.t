#!/usr/bin/env perl
# Run with `prove bot.t`.

use strict;
use warnings;

use FindBin;
use Test::More tests => 4;

require "$FindBin::Bin/bot.pl";

my $kalah = {
    pits    => [ [ 4, 4, 4, 4, 4, 4 ], [ 4, 4, 4, 4, 4, 4 ] ],
    stores  => [ 0, 0 ],
    to_move => 0,
};
my $layli_goobalay = {
    pits      => [ [ 2, 3, 1, 4 ], [ 5, 7, 1, 2 ] ],
    uur_owner => [ [ 1, undef, undef, undef ], [ undef, undef, undef, 1 ] ],
    captured  => [ 9, 5 ],
    to_move   => 0,
};
my $mancala_basic = {
    pits     => [ [ 0, 0, 0, 1 ], [ 0, 0, 0, 4 ], [ 1, 9, 7, 1 ] ],
    stores   => [ 6, 5, 2 ],
    active   => [ 0, 1, 2 ],
    finished => [],
    to_move  => 2,
};

sub choose {
    my ($game, $position, @legal) = @_;
    my $seat = $position->{to_move};
    my $turn = { ply => 0, seat => $seat, position => $position, legal => \@legal };
    return choose_move($turn, { game => $game });
}

is choose('kalah', $kalah, 0 .. 5), 2,
    'kalah: a last seed in the own store is best';
like choose('layli-goobalay', $layli_goobalay, 1, 2, 3), qr/\A[123]\z/,
    'layli goobalay: the move is legal';
like choose('mancala-basic', $mancala_basic, 0, 1, 3), qr/\A[013]\z/,
    'mancala basic: the move is legal';
is_deeply choose('unknown', { to_move => 0 }, { from => 3 }), { from => 3 },
    'moves that are no pits can be chosen too';
