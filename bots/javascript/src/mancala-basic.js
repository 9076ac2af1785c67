// Mancala basic: sow through every store, never capture, and be the first whose row is empty.
//
// Two to four seats in a ring. The one thing a reader would get wrong: a last seed in any store,
// not only the own one, is an extra turn, but for a seat that has just emptied its row.

import { Game, filled, numbers, sum } from "./game.js";

class MancalaBasicPosition {
  // `ring` is row 0, store 0, row 1, store 1 and so on, in sowing order; the seats are `active`
  // (ascending), or have gone: `finished` and `left`, in the order in which they went.
  constructor({ ring, active, finished, left, toMove }) {
    this.ring = ring;
    this.active = active;
    this.finished = finished;
    this.left = left;
    this.toMove = toMove;
  }

  key() {
    return `${this.ring} ${this.finished} ${this.left} ${this.toMove}`;
  }

  toWire() {
    const seats = this.active.length + this.finished.length + this.left.length;
    const width = this.ring.length / seats;
    const rows = numbers(0, seats - 1).map((seat) => this.ring.slice(seat * width, (seat + 1) * width));
    return {
      pits: rows.map((row) => row.slice(0, -1)),
      stores: rows.map((row) => row[width - 1]),
      active: this.active.slice(),
      finished: this.finished.slice(),
      ...(this.left.length > 0 && { left: this.left.slice() }),
      to_move: this.toMove,
    };
  }
}

export class MancalaBasic extends Game {
  static gameName = "mancala-basic";
  static optionValues = {
    seats: [2, [2, 3, 4]],
    pits: [6, [4, 6, 7]],
    seeds: [4, [3, 4]],
    all_places: [true, [false, true]],
    alternate_starter: [true, [false, true]],
  };

  pliesMax = 50_000;
  #width;

  constructor(options) {
    super(options);
    this.seats = this.options.seats;
    // The source lets a number of pits that does not fit the seats fall back to six.
    if (this.options.pits === (this.seats === 2 ? 4 : 7)) {
      this.options.pits = 6;
    }
    this.#width = this.options.pits + 1;
  }

  start() {
    const row = [...Array(this.options.pits).fill(this.options.seeds), 0];
    return new MancalaBasicPosition({
      ring: Array(this.seats).fill(row).flat(),
      active: numbers(0, this.seats - 1),
      finished: [],
      left: [],
      toMove: 0,
    });
  }

  position({ pits, stores, active, finished, left = [], to_move }) {
    const ring = pits.flatMap((row, seat) => [...row, stores[seat]]);
    return new MancalaBasicPosition({ ring, active, finished, left, toMove: to_move });
  }

  legalMoves({ ring, toMove }) {
    return toMove === null ? [] : filled(this.#row(ring, toMove));
  }

  play(position, move) {
    const { active, toMove: me } = position;
    const width = this.#width;
    const ring = position.ring.slice();
    let seat = me;
    let at = me * width + move;
    let hand = ring[at];
    ring[at] = 0;
    for (; hand > 0; hand -= 1) {
      if (at === (seat + 1) * width - 1) {
        seat = following(active, seat);
        at = seat * width;
      } else {
        at += 1;
      }
      ring[at] += 1;
    }

    if (this.#row(ring, me).every((seeds) => seeds === 0)) {
      const stillActive = active.filter((other) => other !== me);
      const over = !this.options.all_places || stillActive.length === 1;
      return new MancalaBasicPosition({
        ring,
        active: stillActive,
        finished: [...position.finished, me],
        left: position.left,
        toMove: over ? null : following(active, me),
      });
    }
    const inStore = at === (seat + 1) * width - 1;
    return new MancalaBasicPosition({ ...position, ring, toMove: inStore ? me : following(active, me) });
  }

  // The seat takes the worst place that is free; its row and store leave the ring as they are.
  leave(position, seat) {
    if (!position.active.includes(seat)) {
      return position;
    }
    const active = position.active.filter((other) => other !== seat);
    let { toMove } = position;
    if (active.length === 1) {
      toMove = null;
    } else if (toMove === seat) {
      toMove = following(position.active, seat);
    }
    return new MancalaBasicPosition({ ...position, active, left: [...position.left, seat], toMove });
  }

  finish(position) {
    return new MancalaBasicPosition({ ...position, toMove: null });
  }

  // Seats that finished come first, in that order; then those still on the board, the fewer
  // seeds in the row the better; then those that left, the first to leave last.
  outcome(position) {
    if (position.toMove !== null) {
      return null;
    }
    const points = this.points(position);
    const places = Array(this.seats);
    position.finished.forEach((seat, at) => {
      places[seat] = at + 1;
    });
    for (const seat of position.active) {
      const better = position.active.filter((other) => points[other] < points[seat]).length;
      places[seat] = position.finished.length + better + 1;
    }
    position.left.forEach((seat, at) => {
      places[seat] = this.seats - at;
    });
    return { places, points };
  }

  points({ ring }) {
    return numbers(0, this.seats - 1).map((seat) => sum(this.#row(ring, seat)));
  }

  standing(position) {
    const board = this.seats * this.options.pits * this.options.seeds;
    const standing = this.points(position);
    position.finished.forEach((seat, at) => {
      standing[seat] = board * (this.seats - 1 - at);
    });
    for (const seat of position.left) {
      standing[seat] = -board;
    }
    return standing;
  }

  #row(ring, seat) {
    return ring.slice(seat * this.#width, seat * this.#width + this.options.pits);
  }
}

// The next of the `active` seats after `seat`, in sowing order.
function following(active, seat) {
  return active.find((other) => other > seat) ?? active[0];
}
