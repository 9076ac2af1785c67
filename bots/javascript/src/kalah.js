// Kalah: sow into the own store, move again on a last seed there, capture from an own empty pit.
//
// The one thing a reader would get wrong: a sowing of exactly one round ends in the pit that it
// began with, which was emptied, and so captures.

import { Game, filled, numbers, sum } from "./game.js";

class KalahPosition {
  // `ring` is row 0, store 0, row 1, store 1, in sowing order.
  constructor(ring, toMove) {
    this.ring = ring;
    this.toMove = toMove;
  }

  key() {
    return `${this.ring} ${this.toMove}`;
  }

  toWire() {
    const half = this.ring.length / 2;
    return {
      pits: [this.ring.slice(0, half - 1), this.ring.slice(half, -1)],
      stores: [this.ring[half - 1], this.ring[2 * half - 1]],
      to_move: this.toMove,
    };
  }
}

export class Kalah extends Game {
  static gameName = "kalah";
  static optionValues = {
    pits: [6, numbers(1, 12)],
    seeds: [4, numbers(1, 12)],
    empty_capture: [false, [false, true]],
    end: ["either", ["either", "mover"]],
  };

  pliesMax = 10_000;
  #width;

  constructor(options) {
    super(options);
    this.#width = this.options.pits + 1;
  }

  start() {
    const row = Array(this.options.pits).fill(this.options.seeds);
    return new KalahPosition([...row, 0, ...row, 0], 0);
  }

  position({ pits, stores, to_move }) {
    return new KalahPosition([...pits[0], stores[0], ...pits[1], stores[1]], to_move);
  }

  legalMoves({ ring, toMove }) {
    return toMove === null ? [] : filled(this.#row(ring, toMove));
  }

  play(position, move) {
    const me = position.toMove;
    const width = this.#width;
    const ring = position.ring.slice();
    const first = me * width;
    const store = this.#store(me);
    const skipped = this.#store(1 - me);
    let at = first + move;
    let hand = ring[at];
    ring[at] = 0;
    for (; hand > 0; hand -= 1) {
      at += at + 1 === skipped ? 2 : 1;
      if (at >= 2 * width) {
        at -= 2 * width;
      }
      ring[at] += 1;
    }

    let toMove = me;
    if (at !== store) {
      toMove = 1 - me;
      if (at >= first && at < store && ring[at] === 1) {
        const facing = 2 * (width - 1) - at;
        if (ring[facing] > 0 || this.options.empty_capture) {
          ring[store] += ring[facing] + 1;
          ring[at] = 0;
          ring[facing] = 0;
        }
      }
    }

    const after = new KalahPosition(ring, toMove);
    const isEmpty = (seat) => this.#row(ring, seat).every((seeds) => seeds === 0);
    const over = this.options.end === "either" ? isEmpty(0) || isEmpty(1) : isEmpty(toMove);
    return over ? this.finish(after) : after;
  }

  finish(position) {
    const empty = Array(this.options.pits).fill(0);
    const [points0, points1] = this.points(position);
    return new KalahPosition([...empty, points0, ...empty, points1], null);
  }

  points({ ring }) {
    return [0, 1].map((seat) => ring[this.#store(seat)] + sum(this.#row(ring, seat)));
  }

  standing({ ring }) {
    return [ring[this.#store(0)], ring[this.#store(1)]];
  }

  #row(ring, seat) {
    return ring.slice(seat * this.#width, this.#store(seat));
  }

  #store(seat) {
    return (seat + 1) * this.#width - 1;
  }
}
