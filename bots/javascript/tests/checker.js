// A bot that checks this package's rules against what the arena says.
//
// It plays random moves, seeks what random play hardly meets, and now and then resigns. At every
// turn it plays what has happened by its own rules, and compares position, seat and legal moves;
// at the end of a match reason, places and points. A difference goes to standard error and ends
// the program, which is a fault of the bot: in the next match, when it was found at the end of
// one. Run by `bots/check-rules`.

import { isDeepStrictEqual } from "node:util";

import { Game, Match, RESIGN, log, run } from "../src/index.js";

// In one match of so many it resigns, at one of its first so many turns.
const RESIGNS_ONCE_IN = 6;
const RESIGNS_BEFORE = 40;

let random;
let turnsLeft;
let match;
let what;
// After leaving it is not told all that goes on.
let hasLeft;
// What was played since the last turn, as far as told: all of it, thanks to `observe`.
let since;
let seen;

function onStart(start) {
  random = generator(Math.floor(start.seed / 16) + start.seat);
  turnsLeft = random(RESIGNS_ONCE_IN) === 0 ? random(RESIGNS_BEFORE) : Infinity;
  what = `match ${start.match}`;
  hasLeft = false;
  since = [];
  seen = new Set();
  const game = Game.fromStart(start);
  same("options", game.options, start.options);
  same("seats", game.seats, start.seats);
  match = new Match(game, game.position(start.position));
}

function chooseMove(turn) {
  what = `match ${turn.match}, ply ${turn.ply}`;
  same("since", since, turn.since);
  play(since);
  thoseBeforeLeave(turn.seat);
  same("ply", match.ply, turn.ply);
  same("seat", match.toMove, turn.seat);
  same("position", match.position.toWire(), turn.position);
  same("key", match.position.key(), match.game.position(turn.position).key());
  same("legal moves", match.legalMoves(), turn.legal);
  turnsLeft -= 1;
  if (turnsLeft < 0) {
    match.leave(turn.seat);
    hasLeft = true;
    since = [];
    return RESIGN;
  }
  seen.add(match.position.key());
  const rare = rareMoves();
  const moves = rare.length > 0 ? rare : turn.legal;
  const move = moves[random(moves.length)];
  since = [{ ply: turn.ply, seat: turn.seat, move }];
  return move;
}

// The moves that leave the board as it is, or lead back to a position seen before.
function rareMoves() {
  const { game, position } = match;
  return match.legalMoves().filter((move) => {
    const after = game.play(position, move);
    return isDeepStrictEqual(after.ring, position.ring) || seen.has(after.key());
  });
}

function onPly({ ply, seat, move }) {
  since.push({ ply, seat, move });
}

function onEnd(end) {
  what = `match ${end.match}, end`;
  if (hasLeft && match.ended === null) {
    return;
  }
  play(since);
  while (end.reason === "resignation" && match.toMove !== null) {
    match.leave(match.toMove);
  }
  same("reason", match.ended, end.reason);
  same("places", match.outcome()?.places, end.places);
  same("points", match.outcome()?.points, end.points);
}

function play(plies) {
  for (const ply of plies) {
    thoseBeforeLeave(ply.seat);
    match.play(ply.move);
  }
}

// Who was to move and has not moved has left.
function thoseBeforeLeave(seat) {
  while (match.toMove !== null && match.toMove !== seat) {
    match.leave(match.toMove);
  }
}

// Ends the program unless both are the same as JSON.
function same(field, own, told) {
  if (!isDeepStrictEqual(own, told)) {
    log(`${what}: ${field}: by the own rules ${JSON.stringify(own)}, the arena says ${JSON.stringify(told)}`);
    process.exit(1);
  }
}

// Whole numbers from 0 to below `end`, by Tommy Ettinger's mulberry32: the language has no random
// numbers that can be had again.
function generator(seed) {
  let state = seed | 0;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
}

await run(chooseMove, { name: "rules checker", features: ["ready", "observe"], onStart, onPly, onEnd });
