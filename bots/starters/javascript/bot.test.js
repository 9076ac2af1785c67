// Run with `node --test`.
"use strict";

const assert = require("node:assert");
const test = require("node:test");

const { chooseMove } = require("./bot.js");

const KALAH = {
  pits: [
    [4, 4, 4, 4, 4, 4],
    [4, 4, 4, 4, 4, 4],
  ],
  stores: [0, 0],
  to_move: 0,
};
const LAYLI_GOOBALAY = {
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
const MANCALA_BASIC = {
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

function choose(game, position, legal) {
  const turn = { ply: 0, seat: position.to_move, position, legal };
  return chooseMove(turn, { game });
}

test("kalah: a last seed in the own store is best", () => {
  assert.strictEqual(choose("kalah", KALAH, [0, 1, 2, 3, 4, 5]), 2);
});

test("layli goobalay: the move is legal", () => {
  const legal = [1, 2, 3];
  assert.ok(legal.includes(choose("layli-goobalay", LAYLI_GOOBALAY, legal)));
});

test("mancala basic: the move is legal", () => {
  const legal = [0, 1, 3];
  assert.ok(legal.includes(choose("mancala-basic", MANCALA_BASIC, legal)));
});

test("moves that are no pits can be chosen too", () => {
  const move = choose("unknown", { to_move: 0 }, [{ from: 3 }]);
  assert.deepStrictEqual(move, { from: 3 });
});
