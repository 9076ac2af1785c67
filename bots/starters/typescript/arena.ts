// Reads messages, asks the bot for its moves, answers. Leave this file alone.

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

// The number of a pit in every game so far; a later game may have others.
export type Move = Json;

// By seat, and by pit where there is a second index. What a game does not have is
// absent.
export interface Position {
  readonly pits?: readonly (readonly number[])[];
  readonly to_move: number | null;
  readonly stores?: readonly number[];
  readonly captured?: readonly number[];
  readonly uur_owner?: readonly (readonly (number | null)[])[];
  readonly active?: readonly number[];
  readonly finished?: readonly number[];
  readonly left?: readonly number[];
}

export interface Start {
  readonly type: "start";
  readonly match: string;
  readonly game: string;
  readonly options: { readonly [name: string]: number | string | boolean };
  readonly seat: number;
  readonly seats: number;
  readonly names: readonly string[];
  readonly position: Position;
  readonly time: {
    readonly grace_ms: number;
    readonly move_ms_max?: number;
    readonly bank_ms?: number;
    readonly increment_ms?: number;
    readonly wall_ms_max?: number;
  };
  readonly seed: number;
  readonly ponder: boolean;
}

export interface Turn {
  readonly type: "turn";
  readonly match: string;
  readonly ply: number;
  readonly seat: number;
  readonly position: Position;
  readonly legal: readonly Move[];
  readonly since: readonly {
    readonly ply: number;
    readonly seat: number;
    readonly move: Move;
  }[];
  readonly move_ms_max?: number;
  readonly bank_ms?: readonly number[];
  readonly increment_ms?: number;
  readonly last_ms?: number;
}

type ToBot =
  | { readonly type: "hello"; readonly protocols: readonly number[] }
  | Start
  | Turn
  | { readonly type: "quit" };

type FromBot =
  | { readonly type: "hello"; readonly protocol: 1 }
  | { readonly type: "move"; readonly move: Move; readonly ply: number };

// Prints to standard error; standard output belongs to the arena.
export function log(...values: unknown[]): void {
  console.error(...values);
}

// Plays match after match, until the arena says `quit` or closes the input.
export function run(chooseMove: (turn: Turn, start: Start) => Move): void {
  let start: Start;
  let pending = "";

  function read(line: string): void {
    const message = JSON.parse(line) as ToBot;
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
    pending = lines.pop() ?? "";
    lines.forEach(read);
  });
}

function say(message: FromBot): void {
  process.stdout.write(JSON.stringify(message) + "\n");
}
