# Reads messages, asks the bot for its moves, answers. Leave this file alone.
package Arena;

use strict;
use warnings;

use Carp ();
use IO::Handle;
use JSON::PP ();

my $json = JSON::PP->new->utf8->allow_nonref;

# Prints to standard error; standard output belongs to the arena.
sub log {
    print {*STDERR} "@_\n";
    return;
}

# Plays match after match, until the arena says `quit` or closes the input.
sub run {
    my ($choose_move) = @_;
    local $SIG{__DIE__} = \&Carp::confess;    # an error is shown with its trace
    STDOUT->autoflush(1);
    my $start = {};
    while (my $line = <STDIN>) {
        my $message = $json->decode($line);
        my $type    = $message->{type};
        if ($type eq 'hello') {
            print qq({"type":"hello","protocol":1}\n);
        }
        elsif ($type eq 'start') {
            $start = $message;
        }
        elsif ($type eq 'turn') {
            my $text = chosen_text($choose_move, $message, $start);
            print qq({"type":"move","move":$text,"ply":$message->{ply}}\n);
        }
        elsif ($type eq 'quit') {
            last;
        }

        # `end`, `error`, or of a later release: needs no answer
    }
    return;
}

# The chosen move in JSON. It is written before the bot has touched the value, since a
# number that was used as a string could become one.
sub chosen_text {
    my ($choose_move, $turn, $start) = @_;
    my @legal = @{ $turn->{legal} };
    my @texts = map { $json->encode($_) } @legal;
    my $move  = $choose_move->($turn, $start);
    for my $i (0 .. $#legal) {
        return $texts[$i] if ($legal[$i] // 'null') eq ($move // 'null');
    }
    die 'the chosen move is none of the legal moves: ', $json->encode($move), "\n";
}

1;
