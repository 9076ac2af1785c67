// Run with `tsc && node --test build/bot.test.js`.

import * as assert from "node:assert";
import { test } from "node:test";

import type { Move, Position, Start, Turn } from "./arena.js";
import { chooseMove } from "./bot.js";

const KALAH: Position = {
  pits: [
    [4, 4, 4, 4, 4, 4],
    [4, 4, 4, 4, 4, 4],
  ],
  stores: [0, 0],
  to_move: 0,
};
const LAYLI_GOOBALAY: Position = {
  pits: [
    [2, 3, 1, 4],
    [5, 7, 1, 2],
  ],
  uur_owner: [
    [1, null, null, null],
    [null, null, null, 1],
  ],
  captured: [9, 5],
  to_move: 0,
};
const MANCALA_BASIC: Position = {
  pits: [
    [0, 0, 0, 1],
    [0, 0, 0, 4],
    [1, 9, 7, 1],
  ],
  stores: [6, 5, 2],
  active: [0, 1, 2],
  finished: [],
  to_move: 2,
};

function choose(game: string, position: Position, legal: Move[]): Move {
  const seat = position.to_move ?? 0;
  const match = "test";
  const start: Start = {
    type: "start",
    match,
    game,
    options: {},
    seat,
    seats: 2,
    names: [],
    position,
    time: { grace_ms: 20 },
    seed: 1,
    ponder: true,
  };
  const turn: Turn = {
    type: "turn",
    match,
    ply: 0,
    seat,
    position,
    legal,
    since: [],
  };
  return chooseMove(turn, start);
}

test("kalah: a last seed in the own store is best", () => {
  assert.strictEqual(choose("kalah", KALAH, [0, 1, 2, 3, 4, 5]), 2);
});

test("layli goobalay: the move is legal", () => {
  const legal: Move[] = [1, 2, 3];
  assert.ok(legal.includes(choose("layli-goobalay", LAYLI_GOOBALAY, legal)));
});

test("mancala basic: the move is legal", () => {
  const legal: Move[] = [0, 1, 3];
  assert.ok(legal.includes(choose("mancala-basic", MANCALA_BASIC, legal)));
});

test("moves that are no pits can be chosen too", () => {
  const move = choose("unknown", { to_move: 0 }, [{ from: 3 }]);
  assert.deepStrictEqual(move, { from: 3 });
});
