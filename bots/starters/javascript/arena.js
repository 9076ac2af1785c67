// Reads messages, asks the bot for its moves, answers. Leave this file alone.
"use strict";

// Prints to standard error; standard output belongs to the arena.
function log(...values) {
  console.error(...values);
}

// Plays match after match, until the arena says `quit` or closes the input.
function run(chooseMove) {
  let start = {};
  let pending = "";

  function read(line) {
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
  }

  // Not with node:readline, which ends lines at other characters too.
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop();
    lines.forEach(read);
  });
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

module.exports = { log, run };
