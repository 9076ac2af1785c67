/**
 * The scripts of the report: charts, the list of matches, replays. The tables of the report are there without them.
 *
 * All data are in the page. What is asked for (which matches, which replay) stands in the address after `#`, so that a cell
 * of the cross table is a plain link and the browser's way back works.
 */
import { histogram, lineChart } from "./charts.js";
import { h, nameOf, shown } from "./dom.js";
import { Replay, endText } from "./replay.js";
import { duration, number } from "./texts.js";

/**
 * @typedef {{length: number, seatings: number[][], outcomes: [number[], number[], string][], ids: number[],
 *   seating: number[], outcome: number[], points: number[], plies: number[], tenths: number[], faults: number[]}} Columns
 * @typedef {{plan: string, names: string[], seats: number, charted: number[], history: {at: number[],
 *   ratings: (number | null)[][]}, lengths: [number, number, number][], times: {edges_us: number[], counts: number[][]},
 *   matches: Columns, films: Record<string, import("./film.js").Film>}} Data
 */

/** Lines of the list of matches on one page of it. */
const LINES = 50;

/** Bots in a chart as long as nothing else is chosen. */
const CHOSEN_MAX = 7;

/** @param {string} id */
function place(id) {
    return /** @type {HTMLElement | null} */ (document.getElementById(id));
}

/** @type {Data} */
const data = JSON.parse(place("data")?.textContent ?? "");
const { names, matches, films } = data;

// Matches ------------------------------------------------------------------------------------------------------------

/** The match's number by its place in the list. */
const ids = new Float64Array(matches.length);
for (let run = 0, at = 0, last = -1; run < matches.ids.length; run += 2) {
    for (let times = matches.ids[run + 1]; times > 0; times--) ids[at++] = last += matches.ids[run];
}

/** Faults by place in the list, where there are any. */
const faults = new Map();
for (let i = 0; i < matches.faults.length; i += 2) faults.set(matches.faults[i], matches.faults[i + 1]);

/**
 * Places in the list of the matches that are asked for.
 * @param {URLSearchParams} wanted
 */
function found(wanted) {
    const [bot, opponent] = ["bot", "opponent"].map((key) => (wanted.get(key) ? Number(wanted.get(key)) : null));
    const end = wanted.get("end");
    const fits = matches.seatings.map(
        (bots) => (bot === null || bots.includes(bot)) && (opponent === null || bots.includes(opponent)),
    );
    const ended = matches.outcomes.map(([, , reason]) => !end || reason === end);
    const places = [];
    for (let at = 0; at < matches.length; at++) {
        if (!fits[matches.seating[at]] || !ended[matches.outcome[at]]) continue;
        if (wanted.get("faults") && !faults.has(at)) continue;
        if (wanted.get("replay") && !Object.hasOwn(films, ids[at])) continue;
        places.push(at);
    }
    return places;
}

/**
 * A line of the list.
 * @param {number} at
 */
function line(at) {
    const id = ids[at];
    const bots = matches.seatings[matches.seating[at]];
    const [places, forfeits, reason] = matches.outcomes[matches.outcome[at]];
    const bySeat = (/** @type {(seat: number) => Node | string} */ cell) =>
        bots.flatMap((_, seat) => [seat > 0 ? ", " : "", cell(seat)]);
    const points = matches.points.slice(at * bots.length, (at + 1) * bots.length);
    return h(
        "tr",
        {},
        h("td", { class: "number" }, Object.hasOwn(films, id) ? h("a", { href: `#match-${id}` }, `${id} ▶`) : String(id)),
        h(
            "td",
            { class: "names" },
            ...bySeat((seat) =>
                forfeits.includes(seat)
                    ? h("span", { class: "forfeit" }, nameOf(names[bots[seat]]), " (forfeit)")
                    : nameOf(names[bots[seat]]),
            ),
        ),
        h("td", {}, places.join(", ")),
        h("td", {}, points.join(", ")),
        h("td", { class: "end" }, endText(reason)),
        h("td", { class: "number" }, number(matches.plies[at])),
        h("td", { class: "number" }, String(faults.get(at) ?? 0)),
        h("td", { class: "number" }, duration(100 * matches.tenths[at])),
    );
}

/**
 * The form above the list; every change is a new address.
 * @param {URLSearchParams} wanted
 */
function filter(wanted) {
    const go = (/** @type {string} */ key, /** @type {string} */ value) => {
        const next = new URLSearchParams(wanted);
        if (value) next.set(key, value);
        else next.delete(key);
        next.delete("page");
        location.hash = `matches?${next}`;
    };
    const select = (/** @type {string} */ key, /** @type {string} */ label, /** @type {[string, string][]} */ options) => {
        const element = h(
            "select",
            { "data-key": key, onchange: () => go(key, element.value) },
            h("option", { value: "" }, "any"),
            ...options.map(([value, text]) => h("option", { value, selected: wanted.get(key) === value }, text)),
        );
        return h("label", {}, label, element);
    };
    const check = (/** @type {string} */ key, /** @type {string} */ label) => {
        const element = h("input", {
            type: "checkbox",
            "data-key": key,
            checked: wanted.get(key) === "1",
            onchange: () => go(key, element.checked ? "1" : ""),
        });
        return h("label", { class: "check" }, element, label);
    };
    /** @type {[string, string][]} */
    const bots = names.map((name, bot) => [String(bot), shown(name, 40)]);
    const ends = [...new Set(matches.outcomes.map(([, , reason]) => reason))];
    return h(
        "div",
        { class: "filter", role: "search", "aria-label": "Which matches" },
        select("bot", "bot", bots),
        select("opponent", "opponent", bots),
        select("end", "end", ends.map((end) => [end, endText(end)])),
        check("faults", "with a fault"),
        check("replay", "that can be replayed here"),
    );
}

/** @param {URLSearchParams} wanted */
function list(wanted) {
    const places = found(wanted);
    const pages = Math.max(1, Math.ceil(places.length / LINES));
    const page = Math.min(pages, Math.max(1, Number(wanted.get("page")) || 1));
    const turn = (/** @type {number} */ to, /** @type {string} */ label) => {
        const next = new URLSearchParams(wanted);
        next.set("page", String(to));
        return h("button", { type: "button", "data-key": label, disabled: to < 1 || to > pages, onclick: () => (location.hash = `matches?${next}`) }, label);
    };
    const heads = ["match", "bots by seat", "places", "points", "end", "plies", "faults", "took"];
    const numeric = new Set(["match", "plies", "faults", "took"]);
    const shownNow = places.slice((page - 1) * LINES, page * LINES);
    return [
        filter(wanted),
        h("p", { role: "status" }, `${number(places.length)} of ${number(matches.length)} listed matches; page ${number(page)} of ${number(pages)}`),
        h(
            "div",
            { class: "scroll", tabindex: 0, role: "region", "aria-label": "List of matches" },
            h(
                "table",
                {},
                h("caption", {}, "Matches; ▶ can be replayed here"),
                h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col", class: numeric.has(head) ? "number" : null }, head)))),
                h("tbody", {}, ...shownNow.map(line)),
            ),
        ),
        h("div", { class: "pages" }, turn(page - 1, "previous"), turn(page + 1, "next")),
    ];
}

/**
 * The replay of a match, or how to get one.
 * @param {string} id
 */
function replay(id) {
    const title = h("h3", { tabindex: -1 }, `Match ${id}`);
    const film = Object.hasOwn(films, id) ? films[id] : null;
    if (!film) {
        return [title, h("p", {}, "This report has no replay of it. ", h("code", {}, `arena show ${id} --plan ${data.plan}`), " shows it.")];
    }
    const logs = film.names.map((_, seat) => film.faults?.filter((fault) => fault.seat === seat && fault.stderr).at(-1)?.stderr);
    return [title, new Replay(film, { logs }).element];
}

/** Shows what the address asks for. */
function follow() {
    const asked = location.hash.slice(1);
    const filter = asked.match(/^matches(?:\?(.*))?$/);
    // Without a place in the page, and without a filter, all are listed.
    const query = filter ? (filter[1] ?? "") : asked === "" ? "" : undefined;
    const [, id] = asked.match(/^match-(\d+)$/) ?? [];
    const listPlace = place("match-list");
    const replayPlace = place("match-replay");
    if (!listPlace || !replayPlace) return;
    if (id !== undefined) {
        replayPlace.replaceChildren(...replay(id));
        replayPlace.scrollIntoView();
        replayPlace.querySelector("h3")?.focus({ preventScroll: true });
    }
    const first = listPlace.childElementCount === 0;
    if (query !== undefined || first) {
        // Whoever works with keys goes on where the change was made.
        const focused = listPlace.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
        listPlace.replaceChildren(...list(new URLSearchParams(query ?? "")));
        if (focused) /** @type {HTMLElement | null} */ (listPlace.querySelector(`[data-key="${focused}"]`))?.focus();
        else if (filter) place("matches")?.scrollIntoView();
    }
}

// Charts -------------------------------------------------------------------------------------------------------------

/**
 * A chart with a line for each chosen bot.
 * @param {string} id
 * @param {(chosen: number[]) => HTMLElement} draw from places in the list of charted bots
 */
function byBot(id, draw) {
    const target = place(id);
    if (!target) return;
    const chosen = new Set(data.charted.map((_, i) => i).slice(0, CHOSEN_MAX));
    const figure = h("div");
    const redraw = () => figure.replaceChildren(draw([...chosen].sort((a, b) => a - b)));
    const boxes = data.charted.map((bot, i) => {
        const box = h("input", {
            type: "checkbox",
            checked: chosen.has(i),
            onchange: () => {
                if (box.checked) chosen.add(i);
                else chosen.delete(i);
                redraw();
            },
        });
        return h("label", {}, box, nameOf(names[bot]));
    });
    target.replaceChildren(figure, h("fieldset", { class: "bots" }, h("legend", {}, "Bots in the chart"), ...boxes));
    redraw();
}

/** @param {number} i */
function label(i) {
    return shown(names[data.charted[i]], 24);
}

function charts() {
    const { history, lengths, times } = data;
    byBot("chart-history", (chosen) =>
        lineChart({
            title: "Rating against matches played",
            x: { label: "matches", values: history.at },
            y: { label: "Elo", digits: 0 },
            lines: chosen.map((i) => ({ label: label(i), values: history.ratings[i] })),
        }),
    );
    place("chart-lengths")?.replaceChildren(
        histogram({
            title: "How many matches had how many plies",
            label: "plies",
            count: "matches",
            bins: lengths.map(([from, to, count]) => ({ from, to: to + 1, count })),
        }),
    );
    // Nothing before the first move and after the last one of anybody.
    const used = times.edges_us.map((_, bin) => times.counts.some((counts) => counts[bin] > 0));
    const [first, last] = [used.indexOf(true), used.lastIndexOf(true)];
    if (first < 0) return;
    const bins = times.edges_us.slice(first, last + 1);
    byBot("chart-times", (chosen) =>
        lineChart({
            title: "Share of moves by time",
            x: { label: "time a move", values: bins.map(Math.log10), text: (log) => duration(10 ** log) },
            y: { label: "% of moves", digits: 1 },
            lines: chosen.map((i) => {
                const counts = times.counts[i].slice(first, last + 1);
                const all = counts.reduce((sum, count) => sum + count, 0);
                return { label: label(i), values: counts.map((count) => (all > 0 ? (100 * count) / all : null)) };
            }),
        }),
    );
}

charts();
follow();
addEventListener("hashchange", follow);
const main = document.querySelector("main");
if (main) main.dataset.ready = "";
