// Your bot: make chooseMove better.
package main

// chooseMove returns one of turn.Legal: the first of those that look best.
//
// Both arguments are messages of the arena: a turn has Position, Legal, Seat,
// Ply, LastMs and the clock, a start has Game, Options, Seats and Seed.
func chooseMove(turn *Turn, start *Start) Move {
	// Where to go on: play each move on a copy of the position, and look at
	// what the opponent can do next. logf(...) prints to standard error.
	best, bestRate := turn.Legal[0], -1
	for _, move := range turn.Legal {
		if rated := rate(move, turn, start); rated > bestRate {
			best, bestRate = move, rated
		}
	}
	return best
}

// rate says how good a move looks, by what is common to the games.
//
// Seeds are sown one a pit, to the right. More than one round is not looked at.
func rate(move Move, turn *Turn, start *Start) int {
	pits := turn.Position.Pits
	var row []int
	if turn.Seat < len(pits) {
		row = pits[turn.Seat]
	}
	// No pit of the own row: a game that is not known here.
	pit, ok := move.Pit()
	if !ok || pit >= len(row) {
		return 0
	}

	last := pit + row[pit]
	// The last seed falls into the own store: another move. Nearest pit first.
	if last == len(row) && turn.Position.Stores != nil {
		return 2000 + pit
	}
	// It falls into an empty own pit: it captures the seeds in the facing pit.
	captures := len(pits) == 2 && start.Game != "mancala-basic"
	if captures && last < len(row) && row[last] == 0 {
		if facing := pits[1-turn.Seat][len(row)-1-last]; facing > 0 {
			return 1000 + facing
		}
	}
	// Else, the more seeds move on, the fewer can be captured.
	return row[pit]
}

func main() {
	run(chooseMove)
}
