package main

import (
	"encoding/json"
	"testing"
)

func TestChooseMove(t *testing.T) {
	tests := []struct {
		name, game, turn string
		good             []string
	}{
		{
			"kalah: a last seed in the own store is best", "kalah",
			`{"position":{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0]},
			  "seat":0,"legal":[0,1,2,3,4,5]}`,
			[]string{"2"},
		},
		{
			"layli goobalay: the move is legal", "layli-goobalay",
			`{"position":{"pits":[[2,3,1,4],[5,7,1,2]],"captured":[9,5],
			  "uur_owner":[[1,null,null,null],[null,null,null,1]]},
			  "seat":0,"legal":[1,2,3]}`,
			[]string{"1", "2", "3"},
		},
		{
			"mancala basic: the move is legal", "mancala-basic",
			`{"position":{"pits":[[0,0,0,1],[0,0,0,4],[1,9,7,1]],"stores":[6,5,2],
			  "active":[0,1,2],"finished":[]},"seat":2,"legal":[0,1,3]}`,
			[]string{"0", "1", "3"},
		},
		{
			"moves that are no pits can be chosen too", "unknown",
			`{"position":{},"seat":0,"legal":[{"from":3}]}`,
			[]string{`{"from":3}`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var turn Turn
			if err := json.Unmarshal([]byte(test.turn), &turn); err != nil {
				t.Fatal(err)
			}
			move := chooseMove(&turn, &Start{Game: test.game})
			for _, good := range test.good {
				if move.String() == good {
					return
				}
			}
			t.Errorf("chose %v, expected one of %v", move, test.good)
		})
	}
}
