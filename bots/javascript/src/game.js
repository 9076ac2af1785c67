// What the games share: how a game is asked, and a match with its history.
//
// A game is its rules with option values, and changes nothing: `play` gives a new position. The
// one thing a reader would get wrong: a position knows no history. That the same position too
// often or too many plies end a match is known to `Match` alone.

export class Game {
  static known = new Map();

  static fromStart(start) {
    return Game.named(start.game, start.options);
  }

  static named(name, options = {}) {
    const Known = Game.known.get(name);
    if (Known === undefined) {
      throw new Error(`unknown game \`${name}\`; known games: ${[...Game.known.keys()].join(", ")}`);
    }
    return new Known(options);
  }

  seats = 2;
  repetitionsMax = null;

  constructor(options) {
    const { gameName, optionValues } = this.constructor;
    this.name = gameName;
    this.options = {};
    for (const [key, [byDefault]] of Object.entries(optionValues)) {
      this.options[key] = byDefault;
    }
    for (const [key, value] of Object.entries(options)) {
      if (!Object.hasOwn(optionValues, key)) {
        const known = Object.keys(optionValues).join(", ");
        throw new Error(`${gameName} has no option \`${key}\`; its options: ${known}`);
      }
      const values = optionValues[key][1];
      if (!values.includes(value)) {
        const expected = values.map((each) => JSON.stringify(each)).join(", ");
        throw new Error(`${gameName}: \`${key}\` is ${JSON.stringify(value)}, expected one of ${expected}`);
      }
      this.options[key] = value;
    }
  }

  leave(_position, _seat) {
    return null;
  }

  outcome(position) {
    if (position.toMove !== null) {
      return null;
    }
    const points = this.points(position);
    return { places: placesBy(points), points };
  }
}

// Ranks seats by a value of which more is better; equal seats share the better place.
function placesBy(values) {
  return values.map((value) => 1 + values.filter((other) => other > value).length);
}

export class Match {
  ply = 0;
  ended = null;
  #leaver = null;
  #seen = new Map();

  constructor(game, position = game.start()) {
    this.game = game;
    this.position = position;
    if (position.toMove === null) {
      this.ended = "rules";
    } else {
      this.#isRepeated();
    }
  }

  get toMove() {
    return this.ended === null ? this.position.toMove : null;
  }

  legalMoves() {
    return this.ended === null ? this.game.legalMoves(this.position) : [];
  }

  play(move) {
    const legal = this.legalMoves();
    if (!legal.includes(move)) {
      throw new Error(`illegal move ${JSON.stringify(move)}; legal: ${legal.join(", ")}`);
    }
    this.position = this.game.play(this.position, move);
    this.ply += 1;
    if (this.position.toMove === null) {
      this.ended = "rules";
    } else if (this.#isRepeated()) {
      this.#finish("repetition");
    } else if (this.ply >= this.game.pliesMax) {
      this.#finish("ply_cap");
    }
  }

  leave(seat) {
    if (this.ended !== null) {
      return;
    }
    const position = this.game.leave(this.position, seat);
    if (position === null) {
      this.#leaver = seat;
      this.ended = "resignation";
      return;
    }
    this.position = position;
    if (position.toMove === null) {
      this.ended = "resignation";
    }
  }

  outcome() {
    if (this.ended === null) {
      return null;
    }
    if (this.#leaver === null) {
      return this.game.outcome(this.position);
    }
    const points = this.game.points(this.position);
    return { places: placesBy(points.map((_, seat) => (seat === this.#leaver ? 0 : 1))), points };
  }

  #finish(reason) {
    this.position = this.game.finish(this.position);
    this.ended = reason;
  }

  // Counts the position, and says whether it has occurred too often.
  #isRepeated() {
    if (this.game.repetitionsMax === null) {
      return false;
    }
    const key = this.position.key();
    const times = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, times);
    return times >= this.game.repetitionsMax;
  }
}

// The whole numbers from `first` to `last`.
export function numbers(first, last) {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

// The pits of a row that hold seeds.
export function filled(row) {
  const pits = [];
  row.forEach((seeds, pit) => {
    if (seeds > 0) {
      pits.push(pit);
    }
  });
  return pits;
}
