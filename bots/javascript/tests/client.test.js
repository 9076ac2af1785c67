// The client loop, with sessions of its own. Run with `node --test`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";

const HELLO = { type: "hello", protocols: [1], arena: "mancala-arena 0.1.0" };
const START = { type: "start", match: "1", game: "kalah", seat: 0 };
const TURN = { type: "turn", match: "1", ply: 4, seat: 0, legal: [3, 5] };
const QUIT = { type: "quit" };

// What the bot of `session.js` answers, logs and exits with.
function session(messages, options = {}) {
  const bot = fileURLToPath(new URL("session.js", import.meta.url));
  const input = messages.map((message) => JSON.stringify(message) + "\n").join("");
  const done = spawnSync(process.execPath, [bot, JSON.stringify(options)], { input, encoding: "utf8" });
  const answers = done.stdout.split("\n").filter((line) => line !== "");
  return { answers: answers.map((line) => JSON.parse(line)), log: done.stderr, status: done.status };
}

test("each turn is answered with its ply", () => {
  const { answers, status } = session([HELLO, START, TURN, TURN, QUIT]);
  const move = { type: "move", move: 5, ply: 4 };
  assert.deepEqual(answers, [{ type: "hello", protocol: 1, features: [] }, move, move]);
  assert.equal(status, 0);
});

test("hello says what is given", () => {
  const about = { name: "sower", games: ["kalah"], features: ["observe"] };
  assert.deepEqual(session([HELLO], about).answers, [{ type: "hello", protocol: 1, ...about }]);
});

test("ready is said where announced", () => {
  assert.deepEqual(session([START], { features: ["ready"] }).answers, [{ type: "ready" }]);
  assert.deepEqual(session([START]).answers, []);
});

test("plies, ends and faults are told", () => {
  const { answers, log } = session([
    { type: "ply", move: 2 },
    { type: "end", places: [1, 2] },
    { type: "error", code: "illegal_move", message: "illegal move 5" },
    { type: "later" },
  ]);
  assert.deepEqual(answers, []);
  assert.match(log, /move: 2[^]*places: \[ 1, 2 \][^]*illegal_move: illegal move 5/);
});

test("a bot can resign and inform", () => {
  const { answers } = session([START, { ...TURN, ply: 9 }]);
  assert.deepEqual(answers, [{ type: "info", score: -9 }, { type: "resign" }]);
});

test("nothing is read after quit", () => {
  assert.deepEqual(session([QUIT, HELLO]), { answers: [], log: "", status: 0 });
});

test("an arena of another protocol is refused", () => {
  const { status, log } = session([{ ...HELLO, protocols: [2] }]);
  assert.equal(status, 1);
  assert.match(log, /protocol \[2\]/);
});
