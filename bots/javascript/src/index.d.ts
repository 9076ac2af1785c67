/** A move, a value of JSON; in the games of this package a pit's number in the mover's own row. */
export type Move = unknown;

/** A move that was made: in the `since` of a turn, and told to bots that observe. */
export interface Ply<M = Move> {
  ply: number;
  seat: number;
  move: M;
}

/** The time control of a match; a limit that it has not is absent. */
export interface Time {
  move_ms_max?: number;
  bank_ms?: number;
  increment_ms?: number;
  wall_ms_max?: number;
  grace_ms: number;
}

/** A match begins. */
export interface Start {
  match: string;
  game: string;
  options: Record<string, OptionValue>;
  seat: number;
  seats: number;
  names: string[];
  position: Wire;
  time: Time;
  /** Rounded, where it is above `Number.MAX_SAFE_INTEGER`. */
  seed: number;
  ponder: boolean;
}

/** A move is asked for. A limit that there is not is absent, and `last_ms` at the first turn. */
export interface Turn<M = Move> {
  match: string;
  ply: number;
  seat: number;
  position: Wire;
  legal: M[];
  since: Ply<M>[];
  move_ms_max?: number;
  /** By seat. */
  bank_ms?: number[];
  increment_ms?: number;
  last_ms?: number;
}

/** What a bot did wrong. */
export interface Fault {
  seat: number;
  ply: number;
  code: string;
  message: string;
}

/** A match is over. */
export interface End {
  match: string;
  places: number[];
  points: number[];
  reason: string;
  faults: Fault[];
}

/** What `chooseMove` returns to leave the match. */
export const RESIGN: unique symbol;

/** What a bot says of itself, and what else it is told. */
export interface RunOptions {
  name?: string;
  version?: string;
  author?: string;
  /** The games that it plays; absent: any. */
  games?: string[];
  features?: string[];
  /** With the feature `ready` it has time off the clock. */
  onStart?(start: Start): void | Promise<void>;
  /** With the feature `observe` it is told of the others' moves. */
  onPly?(ply: Ply): void | Promise<void>;
  onEnd?(end: End): void | Promise<void>;
}

/**
 * Plays match after match, until the arena says `quit` or closes the input.
 *
 * `chooseMove` returns one of `turn.legal`, or `RESIGN`, or a promise of it. What it throws ends
 * the program, which is a fault of the bot.
 */
export function run(
  chooseMove: (turn: Turn<any>, start: Start) => Move,
  options?: RunOptions,
): Promise<void>;

/**
 * Has `fields` kept with the record of the match. Customary are `score` (more is better),
 * `depth`, `nodes`, `pv` (the moves expected, the bot's own first) and `text`.
 */
export function info(fields: Record<string, unknown>): void;

/** Prints to standard error, whose end the arena shows with a fault. */
export function log(...values: unknown[]): void;

/** The value of a game's option. */
export type OptionValue = boolean | number | string;

/** A position as it stands in the arena's messages. */
export interface Wire {
  pits: number[][];
  to_move: number | null;
  [field: string]: unknown;
}

/** All that is on the board, and who is to move. Never changed: `Game.play` gives a new one. */
export interface Position {
  /** The seat to move; null when the match is over. */
  readonly toMove: number | null;
  /** A text that is equal for equal positions of a game. */
  key(): string;
  /** The position as it stands in the arena's messages. */
  toWire(): Wire;
}

/** Row 0, store 0, row 1, store 1, in sowing order. */
export interface KalahPosition extends Position {
  readonly ring: readonly number[];
}

/** Row 0 and row 1, in sowing order; by place of it, the seat whose uur lies there, or null. */
export interface LayliGoobalayPosition extends Position {
  readonly ring: readonly number[];
  readonly owners: readonly (number | null)[];
  readonly captured: readonly number[];
}

/** Row 0, store 0, row 1, store 1 and so on, in sowing order, and where the seats are. */
export interface MancalaBasicPosition extends Position {
  readonly ring: readonly number[];
  readonly active: readonly number[];
  readonly finished: readonly number[];
  readonly left: readonly number[];
}

/** How a match came out, by seat. */
export interface Outcome {
  /** 1 is best, equal seats share the better place (1, 2, 2, 4). Places decide. */
  places: number[];
  /** As the game counts; in mancala-basic fewer are better. */
  points: number[];
}

/** A game with its options. */
export abstract class Game<P extends Position = Position> {
  /** Every game, by name. */
  static readonly known: Map<string, new (options: Record<string, OptionValue>) => Game<any>>;
  /** The game that the message `start` names, with its options. */
  static fromStart(start: Pick<Start, "game" | "options">): Game<any>;
  /** The game called `name`; an option that is not given has its default. */
  static named(name: string, options?: Record<string, OptionValue>): Game<any>;

  constructor(options: Record<string, OptionValue>);

  /** Its name in messages and commands. */
  readonly name: string;
  /** How many seats there are. */
  readonly seats: number;
  /** The options in force, all of them. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** The occurrence of one position that ends a match; null where there is no such rule. */
  readonly repetitionsMax: number | null;
  /** The plies after which a match ends. */
  readonly pliesMax: number;

  /** The normal position before the first ply. */
  start(): P;
  /** The position of a message, such as `turn.position`. It is not checked. */
  position(wire: Wire): P;
  /** The legal moves of the seat to move, ascending; empty exactly when the match is over. */
  legalMoves(position: P): number[];
  /** The position after a legal move. What comes of any other is not specified. */
  play(position: P, move: number): P;
  /** The position when the match is ended now and counted as at a normal end. */
  finish(position: P): P;
  /** The position when `seat` has resigned; null: the match is over, and `seat` is last. */
  leave(position: P, seat: number): P | null;
  /** Places and points, once the match is over; null before. */
  outcome(position: P): Outcome | null;
  /** The points of each seat if the match were counted as it stands. */
  points(position: P): number[];
  /** A rough measure of how well each seat stands, more is better. No part of the rules. */
  standing(position: P): number[];
}

export class Kalah extends Game<KalahPosition> {}
export class LayliGoobalay extends Game<LayliGoobalayPosition> {}
export class MancalaBasic extends Game<MancalaBasicPosition> {}

/** A match being played: a position with what needs its history. */
export class Match<P extends Position = Position> {
  /** A match from `position`, which becomes ply 0, or from the normal start. */
  constructor(game: Game<P>, position?: P);
  readonly game: Game<P>;
  readonly position: P;
  /** The number of plies played. */
  readonly ply: number;
  /** Why it is over; null while it is not. */
  readonly ended: "rules" | "repetition" | "ply_cap" | "resignation" | null;
  /** The seat to move; null when the match is over. */
  get toMove(): number | null;
  /** The legal moves of the seat to move. */
  legalMoves(): number[];
  /** Plays a move for the seat to move; throws when it is illegal. */
  play(move: number): void;
  /** Takes `seat` out of the match, as when it resigns or makes a fault. */
  leave(seat: number): void;
  /** Places and points, once the match is over; null before. */
  outcome(): Outcome | null;
}
