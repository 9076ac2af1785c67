/**
 * A table at which a match is played by hand: one's own side at the bottom, the others' moves seed by seed.
 *
 * The server plays; the page shows what it says and sends what is chosen. The one thing to get wrong: a new state may
 * come in while seeds are still moving; what is shown catches up with it, and only then can a move be chosen.
 */
import { ApiError, Poll, path, post } from "./api.js";
import { Board, STEP_MS, sentence, traceOf } from "./board.js";
import { h, nameOf, shown } from "./dom.js";
import { Boards } from "./film.js";
import { endText } from "./replay.js";
import { remember, seatLink, take } from "./seats.js";
import { seatText, t } from "./texts.js";

/**
 * @typedef {{kind: "person" | "bot", name: string, stands_in_for: string | null, present: boolean, gone_s: number | null,
 *   playing: boolean, can_substitute: boolean, can_return: boolean}} Sitter
 * @typedef {{version: number, ply: number, film: import("./film.js").Film, faults: import("./film.js").Fault[],
 *   legal: number[] | null, mine: number[], seats: Sitter[], clock: {limit_s: number, left_s: number | null} | null,
 *   can_undo: boolean, over: boolean, result: {places: number[], points: number[], end: string} | null,
 *   stored: number | null, store_error: string | null}} State
 */

const ASK_MS = 500;
/** The bot that takes over a seat, unless another is chosen. */
const SUBSTITUTES = ["house:greedy", "house:minimax", "house:mcts", "house:random"];

/** @type {import("./app.js").Page} */
export async function tablePage(main, [id]) {
    const page = new TablePage(id, take(id));
    main.replaceChildren(page.element);
    await page.began;
    return t("play_title");
}

class TablePage {
    /**
     * @param {string} id
     * @param {import("./seats.js").Held[]} seats
     */
    constructor(id, seats) {
        this.id = id;
        this.held = seats;
        /** @type {State | null} */
        this.state = null;
        /** @type {Board | null} */
        this.board = null;
        /** Frames on the drawn board, with what they were: an undo takes some away. */
        this.drawn = 0;
        this.drawnText = "";
        this.moving = false;
        this.sending = false;
        this.clockSetAt = 0;

        this.place = h("div", { class: "table-board" });
        this.turn = h("p", { class: "table-turn", "aria-live": "assertive" });
        this.problem = h("p", { class: "problem", role: "alert", hidden: true });
        this.result = h("div", { class: "result", hidden: true });
        this.undo = h("button", { type: "button", onclick: () => this.send("undo", { ply: this.state?.ply }) }, t("undo"));
        this.resign = h("button", { type: "button", onclick: () => this.dialog.showModal() }, t("resign"));
        this.dialog = h(
            "dialog",
            { "aria-label": t("resign") },
            h("p", {}, t("resign_sure")),
            h(
                "p",
                { class: "turns" },
                h("button", { type: "button", class: "primary", onclick: () => (this.dialog.close(), this.send("resign", {})) }, t("resign")),
                h("button", { type: "button", onclick: () => this.dialog.close() }, t("go_on")),
            ),
        );
        this.gone = h("div", { class: "gone" });
        this.links = h("div", { class: "links" });
        this.element = h(
            "div",
            { class: "table-page" },
            h("h1", { class: "table-title" }, t("play_title")),
            this.turn,
            this.problem,
            this.result,
            this.place,
            h("p", { class: "turns" }, this.undo, this.resign, h("a", { class: "button", href: "/play" }, t("new_table"))),
            this.gone,
            this.links,
            this.dialog,
        );
        /** @type {Promise<void>} resolves with the first state */
        this.began = new Promise((resolve, reject) => {
            this.poll = new Poll(
                `/tables${path(id)}`,
                (state) => {
                    this.take(state);
                    resolve();
                },
                { everyMs: ASK_MS, headers: this.headers(), onrefused: (error) => (this.state ? this.tell(error) : reject(error)) },
            );
        });
        setInterval(() => this.tick(), 250);
    }

    /** @returns {Record<string, string>} */
    headers() {
        const tokens = this.held.filter(({ here }) => here).map(({ token }) => token);
        return tokens.length > 0 ? { "Seat-Token": tokens.join(",") } : {};
    }

    /** @param {unknown} error */
    tell(error) {
        this.problem.textContent = error instanceof ApiError ? shown(error.message, 500) : t("away");
        this.problem.hidden = false;
    }

    /**
     * The frames and names as text: the same text is the same board.
     * @param {State} state
     */
    static text({ film }, count = film.frames.length) {
        return film.frames.slice(0, count).map((frame) => `${frame.seat}:${frame.move ?? frame.left}`).join(" ");
    }

    /** @param {State} state */
    take(state) {
        if (this.state && state.version < this.state.version) return;
        this.state = state;
        this.clockSetAt = performance.now();
        if (!this.board || this.board.film.names.join("\n") !== state.film.names.join("\n")) this.build(state);
        if (TablePage.text(state, this.drawn) !== this.drawnText) {
            // Moves were taken back: there is nothing to show on the way.
            this.drawn = state.film.frames.length;
            this.drawnText = TablePage.text(state);
            this.board?.show(new Boards(state.film).at(this.drawn), traceOf(state.film.frames.at(-1), state.film.pits));
        }
        this.others();
        if (!this.moving) void this.catchUp();
    }

    /**
     * A new board, also when somebody else has taken a seat and names have changed.
     * @param {State} state
     */
    build(state) {
        const { film } = state;
        this.board?.stop();
        this.board = new Board(film, { viewpoint: this.side(), onmove: (move) => void this.move(move) });
        this.place.replaceChildren(this.board.element);
        this.drawn = film.frames.length;
        this.drawnText = TablePage.text(state);
        this.board.show(new Boards(film).at(this.drawn), traceOf(film.frames.at(-1), film.pits));
        const title = this.element.querySelector(".table-title");
        title?.replaceChildren(shown(film.title, 60), " ", h("a", { class: "hint", href: `/rules${path(film.game)}` }, t("nav_rules")));
    }

    /** The seat that belongs at the bottom: one's own, and of several at this screen the one to move. */
    side() {
        const state = /** @type {State} */ (this.state);
        const { film, mine } = state;
        const next = (film.frames.at(-1) ?? film.start).to_move;
        if (next !== null && mine.includes(next)) return next;
        return mine.includes(this.board?.viewpoint ?? -1) ? /** @type {Board} */ (this.board).viewpoint : (mine[0] ?? 0);
    }

    /** Shows the plies that have come in, then lets a move be chosen. */
    async catchUp() {
        this.moving = true;
        while (this.state && this.board && this.drawn < this.state.film.frames.length) {
            const { film } = this.state;
            const frame = film.frames[this.drawn];
            const before = new Boards(film).at(this.drawn);
            this.drawn += 1;
            this.drawnText = TablePage.text(this.state, this.drawn);
            this.board.say(sentence(frame, film.names));
            this.say("");
            if (!(await this.board.play(before, frame, STEP_MS * 1.2))) break;
        }
        this.moving = false;
        this.settle();
    }

    /** Everything that depends on whose turn it is. */
    settle() {
        const { state, board } = this;
        if (!state || !board) return;
        const { film, mine } = state;
        const next = (film.frames.at(-1) ?? film.start).to_move;
        board.viewpoint = this.side();
        const own = !state.over && !this.sending && next !== null && mine.includes(next) && state.legal !== null;
        const offer = own ? { seat: next, moves: /** @type {number[]} */ (state.legal) } : null;
        if (JSON.stringify(offer) !== JSON.stringify(board.offered)) board.offer(offer);
        if (state.over) this.say(t("over"));
        else if (next === null) this.say("");
        else if (!mine.includes(next)) this.say(t("waiting_for", { name: shown(film.names[next], 40) }));
        else this.say(mine.length > 1 ? t("turn_of", { name: shown(film.names[next], 40) }) : t("your_turn"));
        this.element.classList.toggle("own-turn", own);
        this.undo.hidden = !state.can_undo;
        this.undo.disabled = this.sending;
        this.resign.hidden = state.over || mine.length === 0;
        this.finish();
        this.tick();
    }

    /** @param {string} text */
    say(text) {
        if (this.turn.textContent !== text) this.turn.textContent = text;
    }

    /** How it ended. */
    finish() {
        const state = /** @type {State} */ (this.state);
        this.result.hidden = !state.over;
        if (!state.over || this.result.firstChild) return;
        const { film } = state;
        const { places, points, end } = state.result ?? { places: [], points: [], end: "" };
        const order = film.names.map((_, seat) => seat).sort((a, b) => places[a] - places[b]);
        this.result.replaceChildren(
            h("h2", {}, this.headline(places)),
            h(
                "ol",
                { class: "places" },
                ...order.map((seat) =>
                    h("li", { value: places[seat] }, nameOf(film.names[seat]), ` · ${t("points_n", { points: points[seat] })}`),
                ),
            ),
            h("p", { class: "hint" }, endText(end)),
            ...state.faults.map((fault) => h("p", {}, `${shown(film.names[fault.seat], 40)}: ${shown(fault.message, 500)}`)),
            state.store_error ? h("p", { class: "problem" }, shown(state.store_error, 500)) : "",
            h(
                "p",
                { class: "turns" },
                state.stored !== null && h("a", { class: "button primary", href: `/played${path(state.stored)}` }, t("replay")),
                h("a", { class: "button", href: `/play?game=${encodeURIComponent(film.game)}` }, t("once_more")),
            ),
        );
    }

    /** @param {number[]} places */
    headline(places) {
        const { film, mine } = /** @type {State} */ (this.state);
        const best = film.names.filter((_, seat) => places[seat] === 1);
        if (best.length > 1) return t("tied");
        const winner = places.indexOf(1);
        if (mine.length === 1 && mine[0] === winner) return t("you_won");
        return best.length === 1 ? t("won_by", { name: shown(best[0], 40) }) : t("over");
    }

    /** Who is away, whose seats are to be given out, and which can be had back. */
    others() {
        const state = /** @type {State} */ (this.state);
        const given = this.held.filter(({ here, seat }) => !here && state.seats[seat]?.kind === "person" && !state.over);
        const gone = state.seats.map((sitter, seat) => ({ sitter, seat })).filter(({ sitter }) => sitter.can_substitute || sitter.can_return);
        redraw(
            this.links,
            given.map(({ seat }) => `${seat}:${state.seats[seat].present}`).join(),
            () => given.map((seat) => this.link(seat, state.seats[seat.seat].present)),
        );
        redraw(
            this.gone,
            gone.map(({ seat, sitter }) => `${seat}:${sitter.can_return}:${sitter.gone_s === null}`).join(),
            () => gone.map(({ seat, sitter }) => (sitter.can_return ? this.replaced(seat, sitter) : this.away(seat, sitter))),
        );
    }

    /**
     * A bot plays for somebody at this screen.
     * @param {number} seat
     * @param {Sitter} sitter
     */
    replaced(seat, sitter) {
        return h(
            "div",
            { class: "panel link" },
            h("p", {}, t("bot_plays_for", { bot: shown(sitter.name, 40), name: shown(sitter.stands_in_for, 40) })),
            h("p", { class: "turns" }, h("button", { type: "button", class: "primary", onclick: () => this.send("return", { seat }) }, t("take_back_seat"))),
        );
    }

    /**
     * @param {import("./seats.js").Held} seat
     * @param {boolean} present
     */
    link(seat, present) {
        const address = seatLink(this.id, seat);
        const field = h("input", { type: "text", readonly: true, value: address, "aria-label": t("link_of", { seat: seat.seat + 1 }) });
        const said = h("span", { role: "status" });
        const copy = async () => {
            try {
                await navigator.clipboard.writeText(address);
                said.textContent = t("copied");
            } catch {
                field.select();
            }
        };
        const sitHere = () => {
            this.held = this.held.map((other) => (other.seat === seat.seat ? { ...other, here: true } : other));
            remember(this.id, this.held);
            location.reload();
        };
        return h(
            "div",
            { class: "panel link" },
            h("p", {}, h("strong", {}, t("link_of", { seat: seat.seat + 1 })), " ", h("span", { class: "hint" }, t(present ? "link_taken" : "link_help"))),
            h("p", { class: "turns" }, field, h("button", { type: "button", onclick: copy }, t("copy")), h("button", { type: "button", onclick: sitHere }, t("sit_here")), said),
        );
    }

    /**
     * @param {number} seat
     * @param {Sitter} sitter
     */
    away(seat, sitter) {
        const bot = h("select", { "aria-label": t("bot") }, ...SUBSTITUTES.map((name) => h("option", { value: name }, name)));
        return h(
            "div",
            { class: "panel link" },
            h("p", {}, nameOf(sitter.name), ` (${seatText(seat)}) `, t(sitter.gone_s === null ? "not_come" : "is_gone")),
            h("p", { class: "turns" }, bot, h("button", { type: "button", onclick: () => this.send("substitute", { seat, bot: bot.value }) }, t("hand_to_bot"))),
        );
    }

    /** @param {number} move */
    async move(move) {
        await this.send("move", { ply: this.state?.ply, move });
    }

    /**
     * @param {string} what
     * @param {Record<string, any>} body
     */
    async send(what, body) {
        if (this.sending) return;
        const { film, mine } = /** @type {State} */ (this.state);
        const next = (film.frames.at(-1) ?? film.start).to_move;
        this.sending = true;
        this.problem.hidden = true;
        this.board?.offer(null);
        this.poll?.outdate();
        try {
            const seat = next !== null && mine.includes(next) ? next : mine[0];
            const state = await post(`/tables${path(this.id)}/${what}`, { seat, ...body }, this.headers());
            this.sending = false;
            this.take(state);
        } catch (error) {
            this.sending = false;
            this.tell(error);
            this.settle();
        }
    }

    /** The clock runs on between two answers. */
    tick() {
        const { state, board } = this;
        if (!state || !board) return;
        const next = (state.film.frames.at(-1) ?? state.film.start).to_move;
        for (let seat = 0; seat < state.film.seats; seat++) {
            const left = seat === next && !state.over ? (state.clock?.left_s ?? null) : null;
            const gone = (performance.now() - this.clockSetAt) / 1000;
            board.clock(seat, left === null ? null : left - gone, state.clock?.limit_s ?? null);
        }
    }
}

/**
 * Draws the content of `place` anew only when `text`, which stands for it, has changed: what is typed or marked in it stays.
 * @param {HTMLElement} place
 * @param {string} text
 * @param {() => Node[]} content
 */
function redraw(place, text, content) {
    if (place.getAttribute("data-text") === text) return;
    place.setAttribute("data-text", text);
    place.replaceChildren(...content());
}
