/**
 * A match to look at: step, play, jump; every ply with its time and what the bot said of it; faults; charts.
 *
 * Works on a film alone, without a server: the report uses it as the pages do.
 */
import { Board, STEP_MS, seatMark, sentence, traceOf } from "./board.js";
import { lineChart } from "./charts.js";
import { h, nameOf, s, shown, shownLines } from "./dom.js";
import { Boards, notation } from "./film.js";
import { duration, t } from "./texts.js";

/**
 * @typedef {import("./film.js").Film} Film
 * @typedef {import("./film.js").Frame} Frame
 */

/** Milliseconds between two plies of a replay at normal speed. */
const PAUSE_MS = 450;

/**
 * What the speeds multiply the times by; 0 shows no seeds on their way.
 * @type {[import("./texts.js").Key, number][]}
 */
const SPEEDS = [
    ["speed_slow", 2.5],
    ["speed_normal", 1],
    ["speed_fast", 0.35],
    ["speed_jump", 0],
];

/** Replays on this page so far, so that each line of each has an id of its own. */
let made = 0;

/** The signs on the buttons. */
const SIGNS = {
    first: "M5 5V19M19 5L9 12L19 19Z",
    back: "M16 5L7 12L16 19Z",
    play: "M7 4L20 12L7 20Z",
    pause: "M8 5V19M16 5V19",
    forward: "M8 5L17 12L8 19Z",
    last: "M19 5V19M5 5L15 12L5 19Z",
    turn: "M5 12A7 7 0 1 1 12 19M5 12L2 9M5 12L8.5 9.5",
};

/**
 * @param {keyof typeof SIGNS} sign
 * @param {string} label
 * @param {() => void} onclick
 */
function button(sign, label, onclick) {
    const element = h("button", { type: "button", class: "sign", onclick });
    mark(element, sign, label);
    return element;
}

/**
 * @param {HTMLButtonElement} element
 * @param {keyof typeof SIGNS} sign
 * @param {string} label
 */
function mark(element, sign, label) {
    element.title = label;
    element.setAttribute("aria-label", label);
    const filled = sign === "turn" || sign === "pause" ? "sign-line" : "sign-full";
    element.replaceChildren(s("svg", { viewBox: "0 0 24 24", class: filled, "aria-hidden": "true" }, s("path", { d: SIGNS[sign] })));
}

export class Replay {
    /**
     * @param {Film} film
     * @param {object} [options]
     * @param {(string | null | undefined)[]} [options.logs] the end of stderr by seat
     * @param {number} [options.viewpoint] the seat at the bottom
     * @param {number} [options.ply] frames already played when it opens
     * @param {boolean} [options.keys] whether the keys of the whole page are for it
     */
    constructor(film, options = {}) {
        const { logs = [], viewpoint = 0, ply = 0, keys = false } = options;
        this.film = film;
        this.boards = new Boards(film);
        this.board = new Board(film, { viewpoint });
        this.at = 0;
        this.pace = 1;
        this.id = `replay-${made++}`;
        /** @type {HTMLElement[]} */
        this.lines = [];
        /**
         * Stands for the playing that is going on.
         * @type {object | null}
         */
        this.playing = null;

        this.buttons = {
            first: button("first", t("first"), () => this.jump(0)),
            back: button("back", t("back"), () => this.jump(this.at - 1)),
            play: button("play", t("play"), () => this.toggle()),
            forward: button("forward", t("forward"), () => this.step()),
            last: button("last", t("last"), () => this.jump(film.frames.length)),
        };
        this.slider = h("input", {
            type: "range",
            class: "replay-slider",
            min: 0,
            max: film.frames.length,
            value: 0,
            "aria-label": t("position_slider"),
            oninput: () => this.jump(Number(this.slider.value)),
        });
        this.count = h("span", { class: "replay-count" });
        this.speed = h(
            "select",
            { onchange: () => (this.pace = Number(this.speed.value)) },
            ...SPEEDS.map(([key, pace]) => h("option", { value: pace, selected: pace === 1 }, t(key))),
        );
        this.list = this.plies();
        this.said = h("div", { class: "replay-info" });
        this.copied = h("span", { class: "replay-copied", role: "status" });
        this.position = h("input", { type: "text", readonly: true, class: "replay-position", "aria-label": t("position"), title: t("position_help") });

        const problem = this.boards.check();
        /** @type {HTMLElement} */
        this.element = h(
            "section",
            { class: "replay", onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event) },
            problem && h("p", { class: "problem", role: "alert" }, t("film_wrong", { problem: shown(problem) })),
            h(
                "div",
                { class: "replay-main" },
                this.board.element,
                h("div", { class: "replay-bar" }, ...Object.values(this.buttons), this.slider, this.count),
                h(
                    "div",
                    { class: "replay-tools" },
                    h("label", {}, `${t("speed")} `, this.speed),
                    button("turn", t("turn_board"), () => (this.board.viewpoint = (this.board.viewpoint + 1) % film.seats)),
                    h("span", { class: "replay-copy" }, this.position, h("button", { type: "button", onclick: () => this.copy() }, t("copy")), this.copied),
                ),
                h("p", { class: "hint" }, t("keys_help")),
            ),
            h("div", { class: "replay-side" }, h("h3", {}, t("plies")), this.list, h("h3", {}, t("info")), this.said),
            this.faults(),
            h("div", { class: "replay-charts" }, ...charts(film)),
            this.stderr(logs),
        );
        // Space on a button presses it and arrows move a slider: only what nothing else wants is for the replay.
        if (keys) document.addEventListener("keydown", (event) => event.target === document.body && this.key(event));
        this.jump(ply);
        // Once it is on the page, the list can be scrolled to its line.
        new ResizeObserver(() => this.scroll()).observe(this.list);
    }

    plies() {
        const { film } = this;
        const line = (/** @type {number} */ count, /** @type {(Node | string)[]} */ cells) =>
            h(
                "li",
                { role: "option", id: `${this.id}-${count}`, "aria-selected": "false", onclick: () => this.jump(count) },
                ...cells.map((cell) => h("span", {}, cell)),
            );
        this.lines = [
            line(0, [t("said_start")]),
            ...film.frames.map((frame, i) =>
                line(i + 1, [
                    String(frame.ply),
                    seatMark(frame.seat),
                    nameOf(film.names[frame.seat]),
                    frame.move === undefined ? (frame.left === "resignation" ? "⚐" : "✗") : `${t("pit")} ${frame.move}`,
                    frame.us === undefined ? "" : duration(frame.us),
                ]),
            ),
        ];
        return h("ol", { class: "replay-plies", role: "listbox", tabindex: 0, "aria-label": t("plies") }, ...this.lines);
    }

    /** @param {(string | null | undefined)[]} logs */
    stderr(logs) {
        const written = logs
            .map((log, seat) =>
                log
                    ? h("details", {}, h("summary", {}, nameOf(this.film.names[seat])), h("pre", { tabindex: 0 }, shownLines(log)))
                    : null,
            )
            .filter((log) => log !== null);
        return written.length > 0 && h("div", { class: "replay-stderr" }, h("h3", {}, t("stderr")), ...written);
    }

    faults() {
        const { faults = [], names } = this.film;
        if (faults.length === 0) return null;
        return h(
            "div",
            { class: "replay-faults" },
            h("h3", {}, t("faults")),
            h(
                "ul",
                {},
                ...faults.map((fault) =>
                    h(
                        "li",
                        {},
                        h("strong", {}, t("fault_at", { name: shown(names[fault.seat], 60), ply: fault.ply ?? "–", code: shown(fault.code) })),
                        h("div", {}, shown(fault.message, 2000)),
                        fault.hint ? h("div", { class: "hint" }, shown(fault.hint, 1000)) : null,
                        fault.received ? h("pre", { tabindex: 0 }, shownLines(fault.received, 4000)) : null,
                        fault.exit ? h("div", {}, shown(fault.exit, 300)) : null,
                        fault.stderr ? h("details", {}, h("summary", {}, t("stderr")), h("pre", { tabindex: 0 }, shownLines(fault.stderr))) : null,
                    ),
                ),
            ),
        );
    }

    /**
     * Shows the board after `count` frames at once.
     * @param {number} count
     */
    jump(count) {
        this.pause();
        this.settle(Math.max(0, Math.min(this.film.frames.length, count)));
    }

    /** @param {number} count */
    settle(count) {
        this.at = count;
        this.board.show(this.boards.at(count), traceOf(this.film.frames[count - 1], this.film.pits));
        this.tell();
    }

    /** Everything but the board, for the ply it has come to. */
    tell() {
        const { film, at } = this;
        const frame = film.frames[at - 1];
        this.slider.value = String(at);
        this.slider.setAttribute("aria-valuetext", frame ? sentence(frame, film.names) : t("said_start"));
        this.count.textContent = `${at} / ${film.frames.length}`;
        this.position.value = notation(this.boards.at(at));
        this.copied.textContent = "";
        this.list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
        const line = this.lines[at];
        line.setAttribute("aria-selected", "true");
        this.list.setAttribute("aria-activedescendant", line.id);
        this.scroll();
        this.said.replaceChildren(...infoOf(frame?.info));
        this.buttons.first.disabled = this.buttons.back.disabled = at === 0;
        this.buttons.last.disabled = this.buttons.forward.disabled = at === film.frames.length;
        this.board.say(this.verdict() ?? (frame ? sentence(frame, film.names) : t("said_start")));
        for (let seat = 0; seat < film.seats; seat++) {
            const place = at === film.frames.length ? film.places?.[seat] : null;
            const points = film.points?.[seat];
            this.board.note(seat, place ? `${t("place_n", { place })}${points === undefined ? "" : ` · ${t("points_n", { points })}`}` : "");
        }
    }

    /** The list shows the line of this ply. Only the list scrolls, never the page. */
    scroll() {
        const line = this.lines[this.at];
        this.list.scrollTop = line.offsetTop - (this.list.clientHeight - line.offsetHeight) / 2;
    }

    /** How the match ended, once it has. */
    verdict() {
        const { film, at } = this;
        if (at < film.frames.length || !film.reason) return null;
        const last = film.frames[at - 1];
        return `${last ? `${sentence(last, film.names)}; ` : ""}${endText(film.reason)}`;
    }

    /**
     * Plays one ply, seed by seed.
     * @returns {Promise<boolean>} whether it came to its end
     */
    async step() {
        this.pause();
        return this.advance();
    }

    async advance() {
        const { film, at } = this;
        if (at >= film.frames.length) return false;
        this.at = at + 1;
        this.tell();
        return this.board.play(this.boards.at(at), film.frames[at], this.pace * STEP_MS);
    }

    toggle() {
        if (this.playing) this.jump(this.at);
        else void this.run();
    }

    pause() {
        this.playing = null;
        mark(this.buttons.play, "play", t("play"));
    }

    /** Plays to the end, or until something else is asked for. */
    async run() {
        const playing = {};
        if (this.at === this.film.frames.length) this.settle(0);
        this.playing = playing;
        mark(this.buttons.play, "pause", t("pause"));
        while (this.playing === playing && (await this.advance())) {
            await new Promise((resolve) => setTimeout(resolve, Math.max(80, this.pace * PAUSE_MS)));
        }
        if (this.playing === playing) this.pause();
    }

    async copy() {
        try {
            await navigator.clipboard.writeText(this.position.value);
        } catch {
            // Without a clipboard (a page from disk) the text is marked, and the reader copies it himself.
            this.position.select();
            return;
        }
        this.copied.textContent = t("copied");
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const own = event.target instanceof Element && event.target.closest("input, select, button, summary, pre, [role=button]");
        if (own || event.altKey || event.ctrlKey || event.metaKey) return;
        const { length } = this.film.frames;
        if (event.key === "ArrowRight" || event.key === "ArrowDown") void this.step();
        else if (event.key === "ArrowLeft" || event.key === "ArrowUp") this.jump(this.at - 1);
        else if (event.key === "Home") this.jump(0);
        else if (event.key === "End") this.jump(length);
        else if (event.key === " ") this.toggle();
        else return;
        event.preventDefault();
    }
}
/**
 * How a match ended.
 * @param {string} reason
 */
export function endText(reason) {
    /** @type {Record<string, import("./texts.js").Key>} */
    const known = {
        rules: "end_rules",
        repetition: "end_repetition",
        ply_cap: "end_ply_cap",
        resignation: "end_resignation",
        fault: "end_fault",
    };
    return Object.hasOwn(known, reason) ? t(known[reason]) : t("end_other", { reason: shown(reason, 40) });
}

/**
 * What a bot said of its move: anything at all.
 * @param {any} info
 * @returns {Node[]}
 */
function infoOf(info) {
    if (info === null || info === undefined) return [h("p", { class: "hint" }, t("info_none"))];
    if (typeof info !== "object" || Array.isArray(info)) return [h("pre", { tabindex: 0 }, shownLines(JSON.stringify(info), 4000))];
    return [
        h(
            "dl",
            {},
            ...Object.entries(info).flatMap(([key, value]) => [
                h("dt", {}, shown(key, 60)),
                h("dd", {}, typeof value === "string" ? shownLines(value, 2000) : shown(JSON.stringify(value), 2000)),
            ]),
        ),
    ];
}

/**
 * @param {Film} film
 * @returns {Node[]}
 */
function charts(film) {
    const plies = film.frames.map((frame) => frame.ply);
    /** @param {(frame: Frame) => number | null} value */
    const bySeat = (value) =>
        film.names.map((name, seat) => ({
            label: shown(name, 30),
            seat,
            values: film.frames.map((frame) => (frame.seat === seat ? value(frame) : null)),
        }));
    const made = [];
    const times = bySeat((frame) => (frame.us === undefined ? null : frame.us / 1000));
    if (times.some((line) => line.values.some((value) => value !== null))) {
        made.push(lineChart({ title: t("chart_time"), x: { label: t("ply"), values: plies }, y: { label: t("milliseconds"), digits: 3 }, lines: times }));
    }
    const scores = bySeat((frame) => (typeof frame.info?.score === "number" ? frame.info.score : null)).filter((line) =>
        line.values.some((value) => value !== null),
    );
    if (scores.length > 0) {
        made.push(lineChart({ title: t("chart_score"), x: { label: t("ply"), values: plies }, y: { label: t("score"), digits: 2 }, lines: scores }));
    }
    return made;
}
