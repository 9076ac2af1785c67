// The client loop: reads the arena's messages, asks the bot for its moves, answers.
//
// It does not check moves: the arena does. The one thing a reader would get wrong: standard
// output belongs to the arena, so a bot prints nothing; `log` writes to standard error.

const PROTOCOL = 1;

export const RESIGN = Symbol("resign");

export async function run(chooseMove, options = {}) {
  const { name, version, author, games, features = [], onStart, onPly, onEnd } = options;
  // What is undefined is left out of the JSON.
  const hello = { type: "hello", protocol: PROTOCOL, name, version, author, games, features };

  let start;
  for await (const line of lines(process.stdin)) {
    const message = JSON.parse(line);
    switch (message.type) {
      case "hello":
        if (!message.protocols.includes(PROTOCOL)) {
          throw new Error(`the arena speaks protocol [${message.protocols}], this bot speaks [${PROTOCOL}]`);
        }
        say(hello);
        break;
      case "start":
        start = message;
        await onStart?.(message);
        if (features.includes("ready")) {
          say({ type: "ready" });
        }
        break;
      case "turn": {
        if (start === undefined) {
          throw new Error("a `turn` came before any `start`");
        }
        const move = await chooseMove(message, start);
        say(move === RESIGN ? { type: "resign" } : { type: "move", move, ply: message.ply });
        break;
      }
      case "ply":
        await onPly?.(message);
        break;
      case "end":
        await onEnd?.(message);
        break;
      case "error":
        log(`the arena reports ${message.code}: ${message.message}`);
        break;
      case "quit":
        return;
      default: // of a later release: needs no answer
    }
  }
}

export function info(fields) {
  say({ type: "info", ...fields });
}

export function log(...values) {
  console.error(...values);
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Not with node:readline, which ends lines at other characters too.
async function* lines(input) {
  input.setEncoding("utf8");
  let pending = "";
  for await (const text of input) {
    const complete = (pending + text).split("\n");
    pending = complete.pop();
    yield* complete;
  }
}
