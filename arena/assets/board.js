/**
 * A board of any game, drawn as SVG: seeds, stores, uurs, whose turn it is; moves asked for and shown seed by seed.
 *
 * Does not know the rules: what is legal is told to it, and what a move does stands in the film. The one thing to get
 * wrong: the drawing turns so that the seat `viewpoint` is at the bottom, sowing counter-clockwise; positions never turn.
 */
import { Sowing, after, copy, parse } from "./film.js";
import { h, nameOf, s, shown } from "./dom.js";
import { duration, seatText, t } from "./texts.js";

/**
 * @typedef {import("./film.js").View} View
 * @typedef {import("./film.js").Frame} Frame
 * @typedef {import("./film.js").Place} Place
 * @typedef {{x: number, y: number, rx: number, ry: number, label: [number, number], index: [number, number] | null}} Spot
 * @typedef {{width: number, height: number, wood: SVGElement[], spots: Spot[][], tags: [number, number][]}} Layout
 * @typedef {{group: SVGGElement, seeds: SVGGElement, count: SVGTextElement, mark: SVGGElement, spot: Spot}} Drawn
 */

/** Seeds drawn one by one in a pit; more are a number. */
const DOTS_PIT = 12;
/** Seeds drawn one by one in a store beside the rows, and in one at a corner. */
const DOTS_STORE = 48;
const DOTS_CORNER = 30;
/** A ply is never shown for longer than this, however many laps it sows, at the speed of one step in `STEP_MS`. */
const PLY_MS_MAX = 5000;
/**
 * Where the seeds in a hand lie.
 * @type {Spot}
 */
const PALM = { x: 0, y: 0, rx: 36, ry: 36, label: [0, 0], index: [0, 0] };
/** A step at normal speed. */
export const STEP_MS = 170;

/**
 * The shape of a seat, so that colour alone never tells seats apart.
 * @type {string[]}
 */
const SHAPES = ["M-9-9H9V9H-9Z", "M0-10A10 10 0 1 1 0 10A10 10 0 1 1 0-10Z", "M0-11L11 9H-11Z", "M0-12L12 0L0 12L-12 0Z"];

/**
 * The shape of a seat inside a drawing.
 * @param {number} seat
 * @param {number} x
 * @param {number} y
 * @param {number} [size]
 */
function shape(seat, x, y, size = 1) {
    return s("path", { d: SHAPES[seat], class: `shape seat-${seat}`, transform: `translate(${x} ${y}) scale(${size})` });
}

/**
 * The shape of a seat for running text.
 * @param {number} seat
 */
export function seatMark(seat) {
    return s("svg", { class: "seat-mark", viewBox: "-14 -14 28 28", "aria-hidden": "true" }, shape(seat, 0, 0));
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Two rows that face each other, stores at the right hand of their owners.
 * @param {number} pits
 * @param {number} viewpoint
 * @returns {Layout}
 */
function facing(pits, viewpoint) {
    const width = 240 + 100 * pits;
    const height = 384;
    const left = 170;
    /** @type {Spot[][]} */
    const spots = [[], []];
    for (const seat of [0, 1]) {
        const own = seat === viewpoint;
        for (let pit = 0; pit < pits; pit++) {
            spots[seat].push({
                x: left + 100 * (own ? pit : pits - 1 - pit),
                y: own ? 264 : 120,
                rx: 44,
                ry: 44,
                label: [0, own ? 74 : -57],
                index: [0, own ? -52 : 66],
            });
        }
        spots[seat].push({
            x: own ? width - 66 : 66,
            y: height / 2,
            rx: 42,
            ry: 108,
            label: [0, own ? 138 : -121],
            index: null,
        });
    }
    const wood = [s("rect", { class: "wood", x: 6, y: 8, width: width - 12, height: height - 16, rx: 60 })];
    return { width, height, wood, spots, tags: [] };
}

/**
 * A ring of three or four rows: the sides of a triangle or a square, stores in the corners.
 * @param {number} seats
 * @param {number} pits
 * @param {number} viewpoint
 * @returns {Layout}
 */
function ring(seats, pits, viewpoint) {
    // At the sharper corners of a triangle the numbers of two rows would meet.
    const corner = seats === 3 ? 156 : 116;
    const side = 2 * corner + 100 * (pits - 1);
    const inner = side / 2 / Math.tan(Math.PI / seats);
    const outer = side / 2 / Math.sin(Math.PI / seats);
    const margin = 100;
    const width = (seats === 3 ? side : 2 * inner) + 2 * margin;
    const height = (seats === 3 ? inner + outer : 2 * inner) + 2 * margin;
    const cx = width / 2;
    const cy = seats === 3 ? margin + outer : height / 2;
    /** @param {number} x @param {number} y @param {number} k how often turned counter-clockwise */
    const turned = (x, y, k) => {
        const a = (-2 * Math.PI * k) / seats;
        return /** @type {[number, number]} */ ([x * Math.cos(a) - y * Math.sin(a), x * Math.sin(a) + y * Math.cos(a)]);
    };
    /** @type {Spot[][]} */
    const spots = [];
    /** @type {[number, number][]} */
    const tags = [];
    for (let seat = 0; seat < seats; seat++) {
        const k = (seat - viewpoint + seats) % seats;
        const [ix, iy] = turned(0, -1, k);
        const row = [];
        for (let pit = 0; pit < pits; pit++) {
            const [x, y] = turned(-side / 2 + corner + 100 * pit, inner, k);
            row.push({
                x: cx + x,
                y: cy + y,
                rx: 44,
                ry: 44,
                label: /** @type {[number, number]} */ ([ix * 66, iy * 66 + 8]),
                index: /** @type {[number, number]} */ ([ix * -60, iy * -60 + 8]),
            });
        }
        const [x, y] = turned(side / 2, inner, k);
        const reach = 80 / Math.hypot(x, y);
        row.push({
            x: cx + x,
            y: cy + y,
            rx: 56,
            ry: 56,
            label: /** @type {[number, number]} */ ([-x * reach, -y * reach + 8]),
            index: null,
        });
        spots.push(row);
        const [tx, ty] = turned(0, inner - 132, k);
        tags.push([cx + tx, cy + ty]);
    }
    const corners = [...Array(seats).keys()].map((k) => turned(side / 2, inner, k).map((v, i) => v + [cx, cy][i]).join(","));
    const wood = ["wood-ring-edge", "wood-ring"].map((name) => s("polygon", { class: name, points: corners.join(" ") }));
    return { width, height, wood, spots, tags };
}

/** @param {Spot} spot */
function dotsMax(spot) {
    return spot.index ? DOTS_PIT : spot.rx === spot.ry ? DOTS_CORNER : DOTS_STORE;
}

/**
 * The number of a pit; none for a store.
 * @param {Spot} spot
 * @param {number} pit
 */
function pitNumber({ x, y, index }, pit) {
    return index && s("text", { class: "index", x: x + index[0], y: y + index[1], "aria-hidden": "true" }, pit);
}

/**
 * Where `count` seeds lie in a hole.
 * @param {number} count
 * @param {Spot} spot
 * @returns {[number, number][]}
 */
function heap(count, spot) {
    if (count <= 5 && spot.rx === spot.ry) {
        const radius = [0, 0, 11, 13, 15, 18][count];
        return [...Array(count).keys()].map((i) => {
            const a = (2 * Math.PI * i) / count + 0.6 * count;
            return [radius * Math.cos(a), radius * Math.sin(a)];
        });
    }
    const shrink = 0.72 / Math.sqrt(dotsMax(spot));
    return [...Array(count).keys()].map((i) => {
        const r = shrink * Math.sqrt(i + 0.5);
        return [r * spot.rx * Math.cos(2.39996 * i), r * spot.ry * Math.sin(2.39996 * i)];
    });
}

export class Board {
    /**
     * @param {{names: string[], seats: number, pits: number}} film
     * @param {object} [options]
     * @param {number} [options.viewpoint]
     * @param {(move: number) => void} [options.onmove]
     * @param {boolean} [options.plates] names beside the board
     */
    constructor(film, options = {}) {
        const { viewpoint = 0, onmove = () => {}, plates = true } = options;
        this.film = film;
        this.onmove = onmove;
        /** @type {number} */
        this.seen = viewpoint;
        /** @type {View | null} */
        this.view = null;
        /** @type {{seat: number, moves: number[]} | null} */
        this.offered = null;
        /**
         * The places that the last ply began and ended at.
         * @type {Place[]}
         */
        this.trace = [];
        /**
         * Stands for the ply that is being shown; another one means that it was broken off.
         * @type {object | null}
         */
        this.run = null;
        /** @type {Drawn[][]} */
        this.drawn = [];
        /** @type {SVGGElement[]} */
        this.rows = [];
        this.hand = s("g", { class: "hand" });
        /** @type {SVGGElement[]} */
        this.tags = [];

        this.canvas = s("svg", { role: "group", "aria-label": t("board") });
        this.plates = film.names.map((name, seat) => this.plate(name, seat));
        this.above = h("div", { class: "plates plates-above" });
        this.below = h("div", { class: "plates plates-below" });
        this.said = h("p", { class: "board-said", "aria-live": "polite" });
        this.element = h("div", { class: `board board-${film.seats}` });
        if (plates) this.element.append(this.above);
        this.element.append(h("div", { class: "board-frame" }, this.canvas));
        if (plates) this.element.append(this.below, this.said);
        this.canvas.addEventListener("keydown", (event) => this.key(event));
        this.build();
    }

    /**
     * Who sits there, what he has, and how long he still may think.
     * @param {string} name
     * @param {number} seat
     */
    plate(name, seat) {
        const parts = {
            store: h("span", { class: "plate-store" }),
            note: h("span", { class: "plate-note" }),
            clock: h("span", { class: "plate-clock" }),
            turn: h("span", { class: "plate-turn" }),
        };
        const element = h(
            "div",
            { class: `plate seat-${seat}` },
            seatMark(seat),
            h("span", { class: "plate-who" }, nameOf(name), h("small", {}, `${seatText(seat)} · `, parts.store)),
            parts.note,
            parts.turn,
            parts.clock,
        );
        return { element, ...parts };
    }

    /** The seat at the bottom. */
    get viewpoint() {
        return this.seen;
    }

    set viewpoint(seat) {
        if (seat === this.seen) return;
        this.seen = seat;
        this.build();
        if (this.view) this.show(this.view, this.trace);
    }

    /** Draws the empty board. */
    build() {
        const { seats, pits } = this.film;
        const layout = seats === 2 ? facing(pits, this.seen) : ring(seats, pits, this.seen);
        this.canvas.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
        this.canvas.setAttribute("class", `board-svg pits-${pits}`);
        this.drawn = layout.spots.map((row, seat) => row.map((spot, pit) => this.hole(spot, seat, pit)));
        // Numbers of pits stand beside the pits: what is seen of a button has to be in its name.
        this.rows = this.drawn.map((row, seat) =>
            s("g", { class: `row seat-${seat}` }, ...row.map(({ group }) => group), ...row.map(({ spot }, pit) => pitNumber(spot, pit))),
        );
        this.tags = layout.tags.map(([x, y], seat) =>
            s("g", { class: "tag" }, s("circle", { class: "tag-ring", cx: x, cy: y, r: 30 }), shape(seat, x, y, 1.6)),
        );
        this.canvas.replaceChildren(...layout.wood, ...this.tags, ...this.rows, this.hand);

        const order = [...Array(seats).keys()].map((k) => (this.seen + k) % seats);
        // Clockwise from the left, as the others sit round the table.
        this.above.replaceChildren(...order.slice(1).reverse().map((seat) => this.plates[seat].element));
        this.below.replaceChildren(this.plates[this.seen].element);
    }

    /**
     * @param {Spot} spot
     * @param {number} seat
     * @param {number} pit
     * @returns {Drawn}
     */
    hole(spot, seat, pit) {
        const store = pit === this.film.pits;
        const seeds = s("g", { class: "seeds" });
        const count = s("text", { class: "count", x: spot.label[0], y: spot.label[1] });
        const mark = s("g", { class: "mark" });
        const box = (/** @type {number} */ grow, /** @type {string} */ name, dy = 0) =>
            s("rect", {
                class: name,
                x: -spot.rx - grow,
                y: -spot.ry - grow + dy,
                width: 2 * (spot.rx + grow),
                height: 2 * (spot.ry + grow),
                rx: spot.rx + grow,
            });
        const group = s(
            "g",
            { class: store ? "hole store" : "hole pit", transform: `translate(${spot.x} ${spot.y})`, role: "img" },
            box(4, "rim"),
            box(0, "deep"),
            box(-3, "floor", 3),
            seeds,
            box(3, "ring"),
            count,
            mark,
        );
        if (!store) {
            group.addEventListener("click", () => this.choose(seat, pit));
        }
        return { group, seeds, count, mark, spot };
    }

    /**
     * Shows a board at once, without moving anything.
     * @param {View} view
     * @param {Place[]} [trace] places to mark: where the last ply began and where it ended
     */
    show(view, trace = []) {
        this.stop();
        this.view = copy(view);
        this.trace = trace;
        this.hand.replaceChildren();
        for (const [seat, row] of this.view.rows.entries()) {
            this.rows[seat].classList.toggle("out", !row.in_play);
            this.plates[seat].element.classList.toggle("out", !row.in_play);
            for (let pit = 0; pit <= this.film.pits; pit++) this.draw({ seat, pit }, this.view);
        }
        this.turn();
    }

    /** Says whose turn it is. */
    turn() {
        for (const [seat, plate] of this.plates.entries()) {
            const moves = this.view?.to_move === seat;
            plate.element.classList.toggle("to-move", moves);
            this.tags[seat]?.classList.toggle("to-move", moves);
            plate.turn.textContent = moves ? t("to_move") : this.view?.rows[seat].in_play ? "" : t("row_left");
        }
    }

    /**
     * Draws one place as it is.
     * @param {Place} at
     * @param {View} view
     */
    draw(at, view) {
        const { group, seeds, count, mark, spot } = this.drawn[at.seat][at.pit];
        const row = view.rows[at.seat];
        const store = at.pit === row.seeds.length;
        const number = store ? row.store : row.seeds[at.pit];
        const owner = store ? null : (row.owners?.[at.pit] ?? null);
        if (seeds.getAttribute("data-count") !== String(number)) {
            seeds.setAttribute("data-count", String(number));
            const dots = number > dotsMax(spot) ? null : heap(number, spot);
            const size = store ? 8 : 9;
            seeds.replaceChildren(
                ...(dots?.map(([x, y], i) =>
                    s("circle", { class: `seed seed-${(i * 7 + at.pit) % 3}`, cx: x.toFixed(1), cy: y.toFixed(1), r: size }),
                ) ?? [s("text", { class: "many", y: 14 }, number)]),
            );
            count.textContent = String(number);
        }
        if (store) this.plates[at.seat].store.textContent = t("in_store", { seeds: number });
        if (mark.getAttribute("data-owner") !== String(owner)) {
            mark.setAttribute("data-owner", String(owner));
            mark.replaceChildren();
            group.classList.remove("uur", "uur-0", "uur-1", "uur-2", "uur-3");
            if (owner !== null) {
                group.classList.add("uur", `uur-${owner}`);
                mark.append(s("circle", { class: "mark-back", cx: 33, cy: -33, r: 17 }), shape(owner, 33, -33));
            }
        }
        const traced = this.trace.findIndex((place) => place.seat === at.seat && place.pit === at.pit);
        group.classList.toggle("from", traced === 0);
        group.classList.toggle("last", traced > 0);
        const legal = this.offered?.seat === at.seat && this.offered.moves.includes(at.pit);
        group.classList.toggle("legal", legal);
        group.setAttribute("role", legal ? "button" : "img");
        if (!legal) group.removeAttribute("tabindex");
        const values = { pit: at.pit, seeds: number, seat: at.seat + 1, owner: owner === null ? 0 : owner + 1 };
        const label = store ? "label_store" : legal ? "label_own_pit" : owner === null ? "label_pit" : "label_uur";
        group.setAttribute("aria-label", t(label, values));
    }

    /**
     * Plays a ply seed by seed and ends on the board after it, also when it is broken off by `stop` or `show`.
     * @param {View} before
     * @param {Frame} frame
     * @param {number} stepMs 0: at once
     * @returns {Promise<boolean>} whether it was shown to its end
     */
    async play(before, frame, stepMs) {
        const { pits } = this.film;
        const { view } = after(before, frame, pits);
        const steps = parse(frame.steps ?? "", pits);
        const trace = traceOf(frame, pits);
        if (stepMs === 0 || steps.length === 0 || reducedMotion.matches || document.hidden) {
            this.show(view, trace);
            return true;
        }
        this.offer(null);
        this.show(before, trace.slice(0, 1));
        const run = {};
        this.run = run;
        const sowing = new Sowing(before);
        const longest = PLY_MS_MAX * (stepMs / STEP_MS);
        const pace = Math.min(stepMs, longest / steps.length);
        const whole = await new Promise((/** @type {(whole: boolean) => void} */ resolve) => {
            /** @type {Place | null} */
            let at = null;
            let done = 0;
            let began = performance.now();
            const tick = (/** @type {number} */ now) => {
                if (this.run !== run) return resolve(false);
                while (done < steps.length && now - began >= pace) {
                    const step = steps[done++];
                    sowing.apply(step);
                    began += pace;
                    if ("at" in step) {
                        this.draw(step.at, sowing.view);
                        at = step.at;
                    } else if (step.kind === "carry") {
                        this.draw(step.from, sowing.view);
                        this.draw(step.to, sowing.view);
                        at = step.to;
                    } else {
                        at = null;
                    }
                }
                if (done === steps.length) return resolve(true);
                this.carry(at, steps[done], Math.min(1, (now - began) / pace), sowing);
                requestAnimationFrame(tick);
            };
            requestAnimationFrame(tick);
        });
        if (whole) this.show(view, trace);
        return whole;
    }

    /**
     * Draws the hand on its way to the place of `step`.
     * @param {Place | null} from
     * @param {import("./film.js").Step} step
     * @param {number} share of the way
     * @param {Sowing} sowing
     */
    carry(from, step, share, sowing) {
        const begin = step.kind === "carry" ? step.from : from;
        const end = step.kind === "carry" ? step.to : "at" in step ? step.at : from;
        const seeds = step.kind === "carry" ? sowing.seeds(step.from) : sowing.hand;
        if (!begin || !end || seeds === 0) return this.hand.replaceChildren();
        const a = this.drawn[begin.seat][begin.pit].spot;
        const b = this.drawn[end.seat][end.pit].spot;
        const eased = share * share * (3 - 2 * share);
        const lift = 26 * Math.sin(Math.PI * share);
        this.hand.setAttribute(
            "transform",
            `translate(${(a.x + (b.x - a.x) * eased).toFixed(1)} ${(a.y + (b.y - a.y) * eased - lift).toFixed(1)})`,
        );
        if (this.hand.getAttribute("data-count") === String(seeds) && this.hand.firstChild) return;
        this.hand.setAttribute("data-count", String(seeds));
        const dots = heap(Math.min(seeds, DOTS_PIT), PALM);
        this.hand.replaceChildren(
            ...dots.map(([x, y], i) => s("circle", { class: `seed seed-${i % 3}`, cx: x.toFixed(1), cy: y.toFixed(1), r: 9 })),
            s("circle", { class: "hand-back", cx: 0, cy: -46, r: 18 }),
            s("text", { class: "hand-count", y: -38 }, seeds),
        );
    }

    /** Breaks off what is being shown. */
    stop() {
        this.run = null;
        this.hand.replaceChildren();
    }

    /**
     * Lets these moves be chosen.
     * @param {{seat: number, moves: number[]} | null} offer
     */
    offer(offer) {
        const held = this.canvas.contains(document.activeElement);
        this.offered = offer;
        const view = this.view;
        if (!view) return;
        for (const [seat, row] of view.rows.entries()) row.seeds.forEach((_, pit) => this.draw({ seat, pit }, view));
        if (!offer || offer.moves.length === 0) return;
        this.reach(offer.moves[0]);
        if (held) this.drawn[offer.seat][offer.moves[0]].group.focus();
    }

    /**
     * Makes one legal pit the one that Tab reaches.
     * @param {number} pit
     */
    reach(pit) {
        const offer = this.offered;
        if (!offer) return;
        for (const move of offer.moves) {
            this.drawn[offer.seat][move].group.setAttribute("tabindex", move === pit ? "0" : "-1");
        }
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const offer = this.offered;
        if (!offer || event.altKey || event.ctrlKey || event.metaKey) return;
        const pit = this.drawn[offer.seat].findIndex((drawn) => drawn.group === document.activeElement);
        const place = offer.moves.indexOf(pit);
        if (place < 0) return;
        const last = offer.moves.length - 1;
        /** @type {Record<string, number>} */
        const to = {
            ArrowRight: Math.min(last, place + 1),
            ArrowUp: Math.min(last, place + 1),
            ArrowLeft: Math.max(0, place - 1),
            ArrowDown: Math.max(0, place - 1),
            Home: 0,
            End: last,
        };
        if (event.key === "Enter" || event.key === " ") this.choose(offer.seat, pit);
        else if (event.key in to) {
            this.reach(offer.moves[to[event.key]]);
            this.drawn[offer.seat][offer.moves[to[event.key]]].group.focus();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    }

    /**
     * @param {number} seat
     * @param {number} pit
     */
    choose(seat, pit) {
        if (this.offered?.seat === seat && this.offered.moves.includes(pit)) this.onmove(pit);
    }

    /**
     * The clock beside a name; `null` takes it away.
     * @param {number} seat
     * @param {number | null} leftS
     * @param {number | null} [limitS]
     */
    clock(seat, leftS, limitS = null) {
        const { clock } = this.plates[seat];
        clock.textContent = leftS === null ? "" : clockText(leftS);
        clock.classList.toggle("short", leftS !== null && limitS !== null && leftS < Math.min(10, limitS / 3));
    }

    /**
     * A word beside a name: a place, a fault.
     * @param {number} seat
     * @param {string} text
     */
    note(seat, text) {
        this.plates[seat].note.textContent = text;
    }

    /**
     * Says a sentence under the board, also to who cannot see it.
     * @param {string} text
     */
    say(text) {
        if (this.said.textContent !== text) this.said.textContent = text;
    }
}

/** @param {number} seconds */
function clockText(seconds) {
    const left = Math.max(0, Math.ceil(seconds));
    return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

/**
 * Where a ply began and where its last seed fell.
 * @param {Frame | undefined} frame
 * @param {number} pits
 * @returns {Place[]}
 */
export function traceOf(frame, pits) {
    if (!frame || frame.move === undefined) return [];
    const drops = parse(frame.steps ?? "", pits).filter((step) => step.kind === "drop");
    const last = /** @type {{at: Place} | undefined} */ (drops.at(-1));
    const from = { seat: frame.seat, pit: frame.move };
    return last ? [from, last.at] : [from];
}

/**
 * What happened at a ply, as a sentence.
 * @param {Frame} frame
 * @param {string[]} names
 */
export function sentence(frame, names) {
    const name = shown(names[frame.seat], 40);
    if (frame.move === undefined) return t(frame.left === "resignation" ? "said_resigned" : "said_left", { name });
    const time = frame.us === undefined ? "" : ` (${duration(frame.us)})`;
    return t("said_played", { name, pit: frame.move }) + time;
}
