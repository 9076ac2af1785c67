/**
 * A match ready to be drawn: what its steps do to a board. Pure: no page, no clock.
 *
 * Does not know the rules: a film says seed by seed what happens. The one thing to get wrong: a place is a letter for
 * seat * (pits + 1) + pit, and pit number `pits` is that seat's store.
 */

/**
 * @typedef {{seeds: number[], owners?: (number | null)[], store: number, in_play: boolean}} Row
 * @typedef {{rows: Row[], to_move: number | null}} View
 * @typedef {{ply: number, seat: number, move?: number, us?: number, info?: any, steps?: string, left?: string,
 *   to_move: number | null, out?: number[]}} Frame
 * @typedef {{seat: number, bot?: string, ply?: number, code: string, message: string, received?: string,
 *   hint?: string, exit?: string, stderr?: string}} Fault
 * @typedef {{game: string, title: string, options: [string, string][], seats: number, pits: number, names: string[],
 *   start: View, frames: Frame[], end?: View | null, places?: number[] | null, points?: number[] | null,
 *   reason?: string | null, faults?: Fault[]}} Film
 * @typedef {{seat: number, pit: number}} Place
 * @typedef {{kind: "take", at: Place} | {kind: "drop", at: Place} | {kind: "carry", from: Place, to: Place}
 *   | {kind: "mark", at: Place, owner: number} | {kind: "restore"}} Step
 */

/**
 * The place that a letter names.
 * @param {string} letter
 * @param {number} pits
 * @returns {Place}
 */
export function placeOf(letter, pits) {
    const code = letter.charCodeAt(0);
    const number = code >= 97 && code <= 122 ? code - 97 + 26 : code >= 65 && code <= 90 ? code - 65 : NaN;
    if (Number.isNaN(number)) throw new Error(`not a place: ${JSON.stringify(letter)}; expected a letter`);
    return { seat: Math.floor(number / (pits + 1)), pit: number % (pits + 1) };
}

/**
 * The steps of a frame in order.
 * @param {string} text
 * @param {number} pits
 * @returns {Step[]}
 */
export function parse(text, pits) {
    /** @type {Step[]} */
    const steps = [];
    for (let i = 0; i < text.length; i++) {
        switch (text[i]) {
            case "^":
                steps.push({ kind: "take", at: placeOf(text[++i] ?? "", pits) });
                break;
            case "*":
                steps.push({ kind: "carry", from: placeOf(text[++i] ?? "", pits), to: placeOf(text[++i] ?? "", pits) });
                break;
            case "!":
                steps.push({ kind: "mark", at: placeOf(text[++i] ?? "", pits), owner: Number(text[++i]) });
                break;
            case "~":
                steps.push({ kind: "restore" });
                break;
            default:
                steps.push({ kind: "drop", at: placeOf(text[i], pits) });
        }
    }
    return steps;
}

/**
 * A copy that shares nothing with `view`.
 * @param {View} view
 * @returns {View}
 */
export function copy(view) {
    return {
        rows: view.rows.map((row) => ({
            seeds: [...row.seeds],
            owners: row.owners ? [...row.owners] : row.seeds.map(() => null),
            store: row.store,
            in_play: row.in_play,
        })),
        to_move: view.to_move,
    };
}

/** A board on which a ply is being played, with the seeds in hand. */
export class Sowing {
    /** @param {View} view where the ply begins; is not changed */
    constructor(view) {
        this.before = view;
        this.view = copy(view);
        this.hand = 0;
    }

    /** @param {Place} at */
    seeds(at) {
        const row = this.view.rows[at.seat];
        return at.pit === row.seeds.length ? row.store : row.seeds[at.pit];
    }

    /**
     * @param {Place} at
     * @param {number} change
     */
    add(at, change) {
        const row = this.view.rows[at.seat];
        if (at.pit === row.seeds.length) row.store += change;
        else row.seeds[at.pit] += change;
    }

    /** @param {Step} step */
    apply(step) {
        switch (step.kind) {
            case "take": {
                const seeds = this.seeds(step.at);
                this.add(step.at, -seeds);
                this.hand += seeds;
                break;
            }
            case "drop":
                this.add(step.at, 1);
                this.hand -= 1;
                break;
            case "carry": {
                const seeds = this.seeds(step.from);
                this.add(step.from, -seeds);
                this.add(step.to, seeds);
                break;
            }
            case "mark":
                /** @type {(number | null)[]} */ (this.view.rows[step.at.seat].owners)[step.at.pit] = step.owner;
                break;
            case "restore":
                this.view = copy(this.before);
                this.hand = 0;
        }
    }
}

/**
 * The board after `frame`, and how many seeds were left in hand (0, unless the film is wrong).
 * @param {View} view
 * @param {Frame} frame
 * @param {number} pits
 * @returns {{view: View, hand: number}}
 */
export function after(view, frame, pits) {
    const sowing = new Sowing(view);
    for (const step of parse(frame.steps ?? "", pits)) sowing.apply(step);
    sowing.view.to_move = frame.to_move ?? null;
    if (frame.out) sowing.view.rows.forEach((row, seat) => (row.in_play = !frame.out?.includes(seat)));
    return { view: sowing.view, hand: sowing.hand };
}

/** The boards of a film by number of frames played, worked out once and on demand. */
export class Boards {
    /** @param {Film} film */
    constructor(film) {
        this.film = film;
        /** @type {View[]} */
        this.views = [copy(film.start)];
        /** @type {string | null} */
        this.problem = null;
    }

    /**
     * The board after `count` frames.
     * @param {number} count
     * @returns {View}
     */
    at(count) {
        while (this.views.length <= count) {
            const frame = this.film.frames[this.views.length - 1];
            const { view, hand } = after(this.views[this.views.length - 1], frame, this.film.pits);
            if (hand !== 0) this.problem ??= `ply ${frame.ply}: ${hand} seeds stay in hand; expected 0`;
            this.views.push(view);
        }
        return this.views[count];
    }

    /**
     * What is wrong with the film: `null` when its frames lead from the start to the recorded end.
     * @returns {string | null}
     */
    check() {
        const { film } = this;
        const last = this.at(film.frames.length);
        if (this.problem || !film.end) return this.problem;
        for (const [seat, row] of copy(film.end).rows.entries()) {
            const drawn = last.rows[seat];
            if (!drawn) return `seat ${seat + 1} is not on the board; expected a row`;
            if (String(drawn.seeds) !== String(row.seeds)) {
                return `the row of seat ${seat + 1} ends as ${drawn.seeds}; expected ${row.seeds}`;
            }
            if (drawn.store !== row.store) {
                return `the store of seat ${seat + 1} ends with ${drawn.store}; expected ${row.store}`;
            }
            if (String(drawn.owners) !== String(row.owners)) {
                return `the uurs in the row of seat ${seat + 1} end as ${drawn.owners}; expected ${row.owners}`;
            }
            if (drawn.in_play !== row.in_play) {
                return `the row of seat ${seat + 1} ends ${drawn.in_play ? "on" : "off"} the board; expected the other`;
            }
        }
        return null;
    }
}

/**
 * A board as one line of text, to be copied: the rows of the seats in sowing order, the stores, and who is to move.
 * @param {View} view
 */
export function notation(view) {
    const rows = view.rows.map((row) =>
        row.seeds.map((seeds, pit) => seeds + (row.owners?.[pit] == null ? "" : `u${Number(row.owners[pit]) + 1}`)).join(","),
    );
    const stores = view.rows.map((row) => row.store).join(",");
    return `${rows.join("/")} ${stores} ${view.to_move === null ? "-" : view.to_move + 1}`;
}
