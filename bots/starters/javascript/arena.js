// Reads messages, asks the bot for its moves, answers. Leave this file alone.
"use strict";

const readline = require("node:readline");

// Prints to standard error; standard output belongs to the arena.
function log(...values) {
  console.error(...values);
}

// Plays match after match, until the arena says `quit` or closes the input.
function run(chooseMove) {
  let start = {};
  const lines = readline.createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    switch (message.type) {
      case "hello":
        say({ type: "hello", protocol: 1 });
        break;
      case "start":
        start = message;
        break;
      case "turn": {
        const move = chooseMove(message, start);
        say({ type: "move", move, ply: message.ply });
        break;
      }
      case "quit":
        process.stdin.destroy();
        break;
      default: // `end`, `error`, or of a later release: needs no answer
    }
  });
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

module.exports = { log, run };
