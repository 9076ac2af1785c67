// The rules, by the examples of `arena rules GAME`. Run with `node --test`.

import assert from "node:assert/strict";
import test from "node:test";

import { Game, Kalah, LayliGoobalay, Match } from "../src/index.js";

// The match after these moves from the start.
function played(game, options, moves) {
  const match = new Match(Game.named(game, options));
  for (const move of moves) {
    match.play(move);
  }
  return match;
}

// Each row after the last move, as `4,4,0/5,5,5`.
function check(game, options, moves, rows) {
  const match = played(game, options, moves);
  assert.equal(match.position.toWire().pits.join("/"), rows);
  return match;
}

const SMALL = { seats: 3, pits: 4, seeds: 3 };

test("kalah: a last seed in the own store moves again", () => {
  assert.equal(check("kalah", {}, [2], "4,4,0,5,5,5/4,4,4,4,4,4").toMove, 0);
});

test("kalah: a last seed in an empty own pit captures", () => {
  const match = check("kalah", {}, [4, 0, 0], "0,5,5,5,0,5/0,0,5,5,5,5");
  assert.deepEqual(match.position.toWire().stores, [8, 0]);
});

test("kalah: a sowing of one round captures", () => {
  check("kalah", { pits: 2, seeds: 5 }, [0], "0,6/6,0");
});

test("kalah: `empty_capture` takes a seed that faces nothing", () => {
  const match = check("kalah", { empty_capture: true }, [5, 0, 1], "4,0,5,5,5,0/0,6,6,5,5,5");
  assert.deepEqual(match.position.toWire().stores, [2, 0]);
  assert.deepEqual(played("kalah", {}, [5, 0, 1]).position.toWire().stores, [1, 0]);
});

test("kalah: an empty row ends the match", () => {
  const match = check("kalah", { pits: 4, seeds: 2 }, [1, 3, 2, 0, 3], "0,0,0,0/0,0,0,0");
  assert.equal(match.ended, "rules");
  assert.deepEqual(match.legalMoves(), []);
  assert.deepEqual(match.outcome(), { places: [2, 1], points: [2, 14] });
});

test("kalah: the option `end` says whose empty row ends it", () => {
  const over = (end, wire) => {
    const game = Game.named("kalah", { pits: 2, seeds: 1, end });
    return game.play(game.position(wire), 1).toMove === null;
  };
  const ownRow = { pits: [[0, 1], [2, 1]], stores: [0, 0], to_move: 0 };
  const otherRow = { pits: [[1, 0], [0, 3]], stores: [0, 0], to_move: 1 };
  assert.deepEqual([over("either", ownRow), over("mover", ownRow)], [true, true]);
  assert.deepEqual([over("either", otherRow), over("mover", otherRow)], [true, false]);
});

test("layli goobalay: a relay ends in an empty own pit and captures", () => {
  const match = check("layli-goobalay", {}, [0], "2,7,0,6,1,6/6,6,0,0,6,6");
  assert.deepEqual(match.position.toWire().captured, [2, 0]);
});

test("layli goobalay: a capture of three makes two uurs", () => {
  const match = check("layli-goobalay", {}, [0, 5], "3,14,2,0,2,6/3,0,7,2,1,6");
  assert.deepEqual(match.position.toWire().uur_owner, [
    [null, null, 1, null, null, null],
    [null, null, null, 1, null, null],
  ]);
});

test("layli goobalay: a last seed in an uur ends the turn", () => {
  const match = check("layli-goobalay", {}, [0, 5, 0, 0], "0,15,3,0,2,6/0,1,1,3,1,6");
  assert.equal(match.toMove, 0);
  assert.deepEqual(match.legalMoves(), [1, 4, 5]);
});

test("layli goobalay: an endless relay changes nothing and passes the turn", () => {
  const match = check("layli-goobalay", { seeds: 3 }, [5, 3, 5], "1,2,1,0,3,4/0,8,0,2,7,0");
  assert.equal(match.toMove, 1);
});

test("layli goobalay: chain sows on after a capture", () => {
  const match = check("layli-goobalay", { ruleset: "chain" }, [3, 0], "1,5,5,1,5,5/0,6,5,5,5,0");
  assert.deepEqual(match.position.toWire().captured, [0, 5]);
});

test("layli goobalay: chain makes uurs from a filled pit", () => {
  const moves = [0, 0, 3, 5, 3];
  const match = check("layli-goobalay", { ruleset: "chain" }, moves, "1,6,6,0,4,6/1,2,7,5,5,0");
  assert.equal(match.position.toWire().uur_owner[0][4], 0);
});

test("layli goobalay: the forced opening holds for the first move", () => {
  const match = played("layli-goobalay", { forced_opening: true }, []);
  assert.deepEqual(match.legalMoves(), [0]);
  match.play(0);
  assert.ok(match.legalMoves().length > 1);
});

test("layli goobalay: the third occurrence of a position ends the match", () => {
  const game = Game.named("layli-goobalay", { pits: 4, seeds: 2 });
  const ordinary = [null, null, null, null];
  const position = game.position({
    pits: [[1, 0, 1, 2], [3, 2, 0, 2]],
    uur_owner: [ordinary, ordinary],
    captured: [5, 0],
    to_move: 0,
  });
  const match = new Match(game, position);
  const board = ({ pits }) => pits.join("/");
  while (match.ended === null) {
    const before = board(match.position.toWire());
    const passes = (move) => board(game.play(match.position, move).toWire()) === before;
    match.play(match.legalMoves().find(passes));
  }
  assert.deepEqual([match.ended, match.ply], ["repetition", 4]);
  assert.deepEqual(match.outcome(), { places: [1, 2], points: [9, 7] });
});

test("layli goobalay: the cap on plies ends the match and counts it", () => {
  class Short extends LayliGoobalay {
    pliesMax = 1;
  }
  const match = new Match(new Short({}));
  match.play(0);
  assert.equal(match.ended, "ply_cap");
  assert.deepEqual(match.outcome(), { places: [1, 1], points: [24, 24] });
});

test("mancala basic: a last seed in the own store moves again", () => {
  assert.equal(check("mancala-basic", {}, [2], "4,4,0,5,5,5/4,4,4,4,4,4").toMove, 0);
});

test("mancala basic: a last seed in the store of another moves again", () => {
  const match = check("mancala-basic", SMALL, [1, 2, 1, 2, 0, 3], "0,1,1,0/5,1,5,5/4,3,0,4");
  assert.equal(match.toMove, 0);
});

test("mancala basic: an empty row has finished, without an extra turn", () => {
  const moves = [2, 2, 2, 0, 1, 3, 2, 2, 3];
  const match = check("mancala-basic", SMALL, moves, "0,0,0,0/6,4,1,1/6,4,0,5");
  assert.equal(match.toMove, 1);
  assert.deepEqual(match.position.toWire().finished, [0]);
});

test("mancala basic: those who have finished are passed over", () => {
  check("mancala-basic", SMALL, [2, 2, 2, 0, 1, 3, 2, 2, 3, 0, 3], "0,0,0,0/1,6,3,3/7,5,0,0");
});

test("mancala basic: without `all_places` the first empty row ends the match", () => {
  const match = played("mancala-basic", { ...SMALL, all_places: false }, [2, 2, 2, 0, 1, 3, 2, 2, 3]);
  assert.deepEqual(match.outcome(), { places: [1, 2, 3], points: [0, 12, 15] });
});

test("mancala basic: the first to leave is last", () => {
  const match = played("mancala-basic", SMALL, []);
  match.leave(0);
  assert.equal(match.toMove, 1);
  assert.deepEqual(match.position.toWire().left, [0]);
  match.leave(2);
  assert.equal(match.ended, "resignation");
  assert.deepEqual(match.outcome(), { places: [3, 1, 2], points: [12, 12, 12] });
});

test("mancala basic: pits that do not fit the seats become six", () => {
  assert.equal(Game.named("mancala-basic", { pits: 4 }).options.pits, 6);
  assert.equal(Game.named("mancala-basic", { pits: 7, seats: 3 }).options.pits, 6);
});

test("every game gives its positions back", () => {
  for (const name of Game.known.keys()) {
    const game = Game.named(name);
    let position = game.start();
    while (position.toMove !== null) {
      assert.deepEqual(game.position(position.toWire()), position);
      position = game.play(position, game.legalMoves(position).at(-1));
    }
  }
});

test("two seats forfeit by leaving", () => {
  const match = new Match(new Kalah({}));
  match.leave(0);
  assert.equal(match.ended, "resignation");
  assert.deepEqual(match.outcome(), { places: [2, 1], points: [24, 24] });
});

test("what is not known is refused", () => {
  for (const [name, options] of [
    ["owari", {}],
    ["kalah", { rows: 2 }],
    ["kalah", { pits: 13 }],
    ["kalah", { pits: "6" }],
    ["layli-goobalay", { ruleset: "chain", forced_opening: true }],
  ]) {
    assert.throws(() => Game.named(name, options), Error, JSON.stringify([name, options]));
  }
});

test("an illegal move is refused", () => {
  const match = new Match(new Kalah({}));
  match.play(5);
  assert.throws(() => match.play(6));
});
