/** What is on the boards now: one drawing a match, each ply shown as it comes in. */
import { Poll, path } from "./api.js";
import { Board, STEP_MS, traceOf } from "./board.js";
import { h } from "./dom.js";
import { Boards } from "./film.js";
import { noPlan, planHead, plansHere, progress } from "./plans.js";
import { number, t } from "./texts.js";

/**
 * @typedef {{match: number, names: string[], film: import("./film.js").Film, bank_ms?: number[] | null, limit_ms?: number | null,
 *   turn_began_ms_ago?: number | null}} OnBoard
 *
 * @typedef {{workers: {worker: string, host: string, jobs: number, played: number, speed: number, load: number, stuck: boolean,
 *   idle: string | null, on_board: number[]}[], out: number, claimed: number, server_away: boolean,
 *   parked: {count: number, first: number[], cause: string}[]}} Fleet
 */

/** Boards drawn at a time: more would not be looked at. */
const DRAWN_MAX = 8;
/** Where more plies than this have come in since the last look, the board jumps to the newest. */
const SHOWN_AT_ONCE = 2;

/** @type {import("./app.js").Page} */
export async function livePage(main) {
    const { plan, plans } = await plansHere();
    if (!plan) {
        main.replaceChildren(noPlan());
        return t("nav_live");
    }
    const state = h("div", {});
    const grid = h("div", { class: "live-grid" });
    main.replaceChildren(planHead(t("nav_live"), plan, plans), state, grid);
    /** @type {Map<number, Watched>} */
    const watched = new Map();
    new Poll(`/plans${path(plan.id)}/live`, (/** @type {any} */ live) => {
        state.replaceChildren(
            progress(live.done, live.planned, live.running),
            live.running && live.rate !== null ? h("p", { class: "hint" }, t("rate", { rate: number(live.rate, live.rate < 10 ? 1 : 0) })) : "",
            live.fleet ? fleetPanel(live.fleet) : "",
        );
        /** @type {OnBoard[]} */
        const boards = live.boards.slice(0, DRAWN_MAX);
        for (const [match, board] of watched) {
            if (!boards.some((other) => other.match === match)) {
                board.element.remove();
                watched.delete(match);
            }
        }
        for (const board of boards) {
            let drawing = watched.get(board.match);
            if (!drawing) {
                drawing = new Watched(board, plan.id);
                watched.set(board.match, drawing);
                grid.append(drawing.element);
            }
            drawing.update(board);
        }
        grid.classList.toggle("empty", boards.length === 0);
        if (boards.length === 0) grid.replaceChildren(h("p", {}, t(live.fleet ? "boards_elsewhere" : live.running ? "between_matches" : "nothing_runs")));
        else for (const child of [...grid.children]) if (child.tagName === "P") child.remove();
    });
    return t("nav_live");
}

/**
 * The workers of a fleet, and what it could not play.
 * @param {Fleet} fleet
 */
function fleetPanel(fleet) {
    const titles = /** @type {const} */ (["fleet_worker", "fleet_host", "fleet_jobs", "fleet_played", "fleet_speed", "fleet_load", "fleet_does"]);
    const numbers = ["fleet_jobs", "fleet_played", "fleet_speed", "fleet_load"];
    const head = titles.map((title) => h("th", { scope: "col", class: numbers.includes(title) ? "number" : null }, t(title)));
    const rows = fleet.workers.map((worker) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, worker.worker),
            h("td", {}, worker.host),
            h("td", { class: "number" }, number(worker.jobs, 0)),
            h("td", { class: "number" }, number(worker.played, 0)),
            h("td", { class: "number" }, number(worker.speed, 1)),
            h("td", { class: "number" }, number(worker.load, 2)),
            h("td", {}, worker.stuck ? t("fleet_stuck") : (worker.idle ?? worker.on_board.slice(0, 4).join(", "))),
        ),
    );
    const table = h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...head)),
        h("tbody", {}, ...rows),
    );
    const parked = fleet.parked.map((one) =>
        h("li", {}, t("fleet_parked", { matches: one.first.join(", "), count: number(one.count, 0), cause: one.cause })),
    );
    return h(
        "section",
        { class: "panel" },
        h("h2", {}, t("fleet")),
        fleet.server_away ? h("p", { class: "problem" }, t("fleet_server_away")) : "",
        h("p", {}, t("fleet_out", { out: number(fleet.out, 0), claimed: number(fleet.claimed, 0) })),
        h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("fleet") }, table),
        parked.length > 0 ? h("ul", {}, ...parked) : "",
    );
}

/** One match that is being played. */
class Watched {
    /**
     * @param {OnBoard} match
     * @param {string} plan
     */
    constructor(match, plan) {
        this.board = new Board(match.film);
        this.element = h(
            "article",
            { class: "panel" },
            h("h2", {}, h("a", { href: `/matches${path(plan, match.match)}` }, t("match_n", { match: match.match }))),
            this.board.element,
        );
        this.film = match.film;
        /** Frames that are on the drawn board. */
        this.drawn = -1;
        this.moving = false;
    }

    /** @param {OnBoard} match */
    update(match) {
        this.film = match.film;
        const { to_move } = match.film.frames.at(-1) ?? match.film.start;
        for (let seat = 0; seat < match.film.seats; seat++) {
            const left = seat === to_move ? timeLeft(match, seat) : (match.bank_ms?.[seat] ?? null);
            this.board.clock(seat, left === null ? null : left / 1000);
        }
        if (!this.moving) void this.catchUp();
    }

    async catchUp() {
        this.moving = true;
        while (this.drawn < this.film.frames.length) {
            const { film } = this;
            const boards = new Boards(film);
            const next = film.frames[this.drawn];
            if (this.drawn < 0 || film.frames.length - this.drawn > SHOWN_AT_ONCE) {
                this.drawn = film.frames.length;
                this.board.show(boards.at(this.drawn), traceOf(film.frames[this.drawn - 1], film.pits));
                break;
            }
            const before = boards.at(this.drawn);
            this.drawn += 1;
            await this.board.play(before, next, STEP_MS / 3);
        }
        this.moving = false;
    }
}

/**
 * @param {OnBoard} match
 * @param {number} seat
 * @returns {number | null} milliseconds
 */
function timeLeft(match, seat) {
    const limit = match.limit_ms ?? match.bank_ms?.[seat] ?? null;
    return limit === null ? null : Math.max(0, limit - (match.turn_began_ms_ago ?? 0));
}
