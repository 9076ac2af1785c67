// Layli Goobalay: seeds are captured from the board, and a capture of three makes two uurs.
//
// Two rulesets. `relay` takes a last seed's pit up and sows on until it falls into an empty pit
// or an uur; `chain` sows on only after a capture. The one thing a reader would get wrong: an
// uur lies in either row and belongs to its maker, so its seeds count for him wherever they lie.

import { Game, numbers } from "./game.js";

// Laps after which a relay counts as endless: the board is put back, and the turn passes.
const LAPS_MAX = 10_000;

class LayliGoobalayPosition {
  // `ring` is row 0 and row 1, in sowing order; `owners` has, by place of the ring, the seat
  // whose uur lies there, null for an ordinary pit.
  constructor(ring, owners, captured, toMove) {
    this.ring = ring;
    this.owners = owners;
    this.captured = captured;
    this.toMove = toMove;
  }

  key() {
    return `${this.ring} ${this.owners} ${this.captured} ${this.toMove}`;
  }

  toWire() {
    const half = this.ring.length / 2;
    return {
      pits: [this.ring.slice(0, half), this.ring.slice(half)],
      uur_owner: [this.owners.slice(0, half), this.owners.slice(half)],
      captured: this.captured.slice(),
      to_move: this.toMove,
    };
  }
}

export class LayliGoobalay extends Game {
  static gameName = "layli-goobalay";
  static optionValues = {
    ruleset: ["relay", ["relay", "chain"]],
    pits: [6, [4, 6, 8, 12]],
    seeds: [4, numbers(1, 12)],
    forced_opening: [false, [false, true]],
  };

  repetitionsMax = 3;
  pliesMax = 1_000;
  #pits;

  constructor(options) {
    super(options);
    if (this.options.forced_opening && this.options.ruleset === "chain") {
      throw new Error("layli-goobalay: `forced_opening` is a rule of ruleset `relay`, found `chain`");
    }
    this.#pits = this.options.pits;
  }

  start() {
    const places = 2 * this.#pits;
    return new LayliGoobalayPosition(
      Array(places).fill(this.options.seeds),
      Array(places).fill(null),
      [0, 0],
      0,
    );
  }

  position({ pits, uur_owner, captured, to_move }) {
    return new LayliGoobalayPosition(pits.flat(), uur_owner.flat(), captured, to_move);
  }

  legalMoves(position) {
    if (position.toMove === null) {
      return [];
    }
    if (this.options.forced_opening && position.key() === this.start().key()) {
      return [0];
    }
    return this.#movable(position);
  }

  play(position, move) {
    const me = position.toMove;
    const board = {
      me,
      ring: position.ring.slice(),
      owners: position.owners.slice(),
      captured: position.captured.slice(),
    };
    const at = me * this.#pits + move;
    if (this.options.ruleset === "chain") {
      this.#sowChain(board, at);
    } else {
      this.#sowRelay(board, at);
    }
    const after = new LayliGoobalayPosition(board.ring, board.owners, board.captured, 1 - me);
    return this.#movable(after).length === 0 ? this.finish(after) : after;
  }

  finish(position) {
    const empty = Array(2 * this.#pits).fill(0);
    return new LayliGoobalayPosition(empty, position.owners, this.points(position), null);
  }

  points({ ring, owners, captured }) {
    const points = captured.slice();
    ring.forEach((seeds, at) => {
      points[owners[at] ?? this.#rowOf(at)] += seeds;
    });
    return points;
  }

  standing({ ring, owners, captured }) {
    const standing = captured.slice();
    ring.forEach((seeds, at) => {
      if (owners[at] !== null) {
        standing[owners[at]] += seeds;
      }
    });
    return standing;
  }

  // The pits that the seat to move may sow from.
  #movable({ ring, owners, toMove }) {
    const first = toMove * this.#pits;
    return numbers(0, this.#pits - 1).filter((pit) => ring[first + pit] > 0 && owners[first + pit] === null);
  }

  #sowRelay(board, from) {
    const { me, ring, owners } = board;
    const before = ring.slice();
    let at = from;
    for (let lap = 0; lap < LAPS_MAX; lap += 1) {
      at = this.#sow(ring, at);
      if (owners[at] !== null) {
        return;
      }
      if (ring[at] === 1) {
        if (this.#rowOf(at) === me) {
          this.#capture(board, at);
        }
        return;
      }
    }
    board.ring = before;
  }

  // Ends, because every capture that sows on has taken seeds off the board.
  #sowChain(board, from) {
    const { me, ring, owners } = board;
    let at = from;
    let sowsOn = true;
    while (sowsOn) {
      at = this.#sow(ring, at);
      if (this.#rowOf(at) !== me || owners[at] !== null) {
        return;
      }
      sowsOn = this.#capture(board, at) && ring[at] > 0;
    }
  }

  // Sows all seeds of a pit, one a pit, nothing skipped, and says where the last fell.
  #sow(ring, from) {
    let at = from;
    let hand = ring[at];
    ring[at] = 0;
    for (; hand > 0; hand -= 1) {
      at = at + 1 === ring.length ? 0 : at + 1;
      ring[at] += 1;
    }
    return at;
  }

  // What the last seed, sown into the own ordinary pit at `at`, does to the facing pit. Says
  // whether the seed and those facing it have left the board.
  #capture({ me, ring, owners, captured }, at) {
    const facing = ring.length - 1 - at;
    if (ring[facing] === 0) {
      return false;
    }
    if (ring[facing] === 3) {
      ring[facing] -= 1;
      ring[at] += 1;
      owners[at] = me;
      owners[facing] = me;
      return false;
    }
    captured[me] += ring[facing] + 1;
    ring[facing] = 0;
    ring[at] -= 1;
    return true;
  }

  #rowOf(at) {
    return at < this.#pits ? 0 : 1;
  }
}
