// Reads messages, asks the bot for its moves, answers. Leave this file alone.

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Move is JSON text: the number of a pit in every game so far.
type Move json.RawMessage

// Pit returns the number of the pit, and whether the move is one.
func (m Move) Pit() (int, bool) {
	var pit uint16
	err := json.Unmarshal(m, &pit)
	return int(pit), err == nil && string(m) != "null"
}

func (m Move) String() string { return string(m) }

func (m Move) MarshalJSON() ([]byte, error) { return m, nil }

func (m *Move) UnmarshalJSON(text []byte) error {
	*m = append(Move(nil), text...)
	return nil
}

// A Position is by seat, and by pit where there is a second index. What a game
// does not have is nil.
type Position struct {
	Pits     [][]int  `json:"pits"`
	ToMove   *int     `json:"to_move"`
	Stores   []int    `json:"stores"`
	Captured []int    `json:"captured"`
	UurOwner [][]*int `json:"uur_owner"`
	Active   []int    `json:"active"`
	Finished []int    `json:"finished"`
	Left     []int    `json:"left"`
}

// A Start begins a match.
type Start struct {
	Match    string         `json:"match"`
	Game     string         `json:"game"`
	Options  map[string]any `json:"options"`
	Seat     int            `json:"seat"`
	Seats    int            `json:"seats"`
	Names    []string       `json:"names"`
	Position Position       `json:"position"`
	Time     Time           `json:"time"`
	Seed     uint64         `json:"seed"`
	Ponder   bool           `json:"ponder"`
}

// A Time is the time control of a match. Limits that it does not have are nil.
type Time struct {
	GraceMs     float64  `json:"grace_ms"`
	MoveMsMax   *float64 `json:"move_ms_max"`
	BankMs      *float64 `json:"bank_ms"`
	IncrementMs *float64 `json:"increment_ms"`
	WallMsMax   *float64 `json:"wall_ms_max"`
}

// A Turn asks for a move. Times that it does not have are nil.
type Turn struct {
	Match       string    `json:"match"`
	Ply         int       `json:"ply"`
	Seat        int       `json:"seat"`
	Position    Position  `json:"position"`
	Legal       []Move    `json:"legal"`
	Since       []Ply     `json:"since"`
	MoveMsMax   *float64  `json:"move_ms_max"`
	BankMs      []float64 `json:"bank_ms"`
	IncrementMs *float64  `json:"increment_ms"`
	LastMs      *float64  `json:"last_ms"`
}

// A Ply is a move that was made.
type Ply struct {
	Ply  int  `json:"ply"`
	Seat int  `json:"seat"`
	Move Move `json:"move"`
}

// logf prints to standard error; standard output belongs to the arena.
func logf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
}

// run plays match after match, until the arena says quit or closes the input.
func run(chooseMove func(*Turn, *Start) Move) {
	input := bufio.NewReader(os.Stdin)
	start := &Start{}
	for {
		line, err := input.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		check(err)
		var message struct {
			Type string `json:"type"`
		}
		check(json.Unmarshal(line, &message))
		switch message.Type {
		case "hello":
			say(map[string]any{"type": "hello", "protocol": 1})
		case "start":
			start = &Start{}
			check(json.Unmarshal(line, start))
		case "turn":
			turn := &Turn{}
			check(json.Unmarshal(line, turn))
			move := chooseMove(turn, start)
			say(map[string]any{"type": "move", "move": move, "ply": turn.Ply})
		case "quit":
			return
		default: // "end", "error", or of a later release: needs no answer
		}
	}
}

func say(message any) {
	line, err := json.Marshal(message)
	check(err)
	_, err = os.Stdout.Write(append(line, '\n'))
	check(err)
}

// check ends the bot where it cannot go on.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
