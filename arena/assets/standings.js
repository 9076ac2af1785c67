/** The standings, live: rows move to their new places, intervals are drawn, and who beat whom stands below. */
import { Poll, get, path } from "./api.js";
import { heatMap, intervalBar, scaleOf } from "./charts.js";
import { h, nameOf } from "./dom.js";
import { botLink, matchesLink, noPlan, pairLink, planHead, plansHere, progress } from "./plans.js";
import { duration, number, percent, t } from "./texts.js";

/**
 * @typedef {{kind: "fitted", value: number, low: number, high: number} | {kind: "anchor", value: number}
 *   | {kind: "bound", low: number | null, high: number | null} | {kind: "unknown"}} Rating
 * @typedef {{rank: number | null, name: string, rating: Rating, ranks: {best: number, worst: number} | null,
 *   matches: number, wins: number, draws: number, losses: number, places: number[], share: number | null,
 *   forfeits: number, move_us_mean: number | null}} Line
 * @typedef {{kind: "apart" | "below", reference: {mean: number} | {anchor: [string, number]} | "opponents",
 *   errors: string | null, rotations: number, lines: Line[]}} Table
 * @typedef {{tables: Table[], matches: number, distinct: number, forfeits: number, voids: number,
 *   seats: {share: number}[], adaptive: boolean}} Standings
 */

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
/** How often the table of all pairs is asked for while matches come in. */
const PAIRS_MS = 5000;

/** @type {import("./app.js").Page} */
export async function standingsPage(main) {
    const { plan, plans } = await plansHere();
    if (!plan) {
        main.replaceChildren(noPlan());
        return t("nav_standings");
    }
    const state = h("div", { "aria-live": "off" });
    const place = h("div", { class: "standings" });
    const pairs = h("div", { class: "pairs" });
    main.replaceChildren(planHead(t("nav_standings"), plan, plans), state, place, pairs, method());

    const seen = await get(`/plans${path(plan.id)}/standings`);
    draw(place, seen, plan);
    new Poll(`/plans${path(plan.id)}/standings`, (/** @type {Standings} */ standings) => draw(place, standings, plan));
    new Poll(`/plans${path(plan.id)}/crosstable`, (crosstable) => drawPairs(pairs, crosstable, plan), { everyMs: PAIRS_MS });
    new Poll("/plans", (body) => {
        const now = body.plans.find((/** @type {{id: string}} */ other) => other.id === plan.id);
        if (now) state.replaceChildren(progress(now.matches, now.planned, now.running));
    });
    return t("nav_standings");
}

/**
 * @param {HTMLElement} place
 * @param {Standings} standings
 * @param {import("./plans.js").Plan} plan
 */
function draw(place, standings, plan) {
    /** @type {Map<string, number>} */
    const before = new Map();
    for (const row of place.querySelectorAll("tr[data-bot]")) {
        before.set(String(row.getAttribute("data-bot")), row.getBoundingClientRect().top);
    }
    const focused = document.activeElement?.closest("tr[data-bot]")?.getAttribute("data-bot");
    const several = standings.tables.length > 1;
    place.replaceChildren(
        ...standings.tables.map((table, i) =>
            h(
                "section",
                {},
                several && h("h2", {}, t(table.kind === "below" ? "table_below" : "table_apart", { table: i + 1 })),
                h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${t("nav_standings")} ${i + 1}` }, tableOf(table, plan)),
                h("p", { class: "hint" }, referenceText(table)),
            ),
        ),
        h(
            "p",
            { class: "hint" },
            t("standings_counts", {
                matches: number(standings.matches),
                distinct: number(standings.distinct),
                forfeits: number(standings.forfeits),
                voids: number(standings.voids),
            }),
            " ",
            standings.matches > 0 ? t("first_seat", { share: percent(standings.seats[0]?.share) }) : "",
        ),
    );
    for (const row of place.querySelectorAll("tr[data-bot]")) {
        const name = String(row.getAttribute("data-bot"));
        if (name === focused) row.querySelector("a")?.focus({ preventScroll: true });
        const from = before.get(name);
        const moved = from === undefined ? 0 : from - row.getBoundingClientRect().top;
        if (moved !== 0 && !reducedMotion.matches) {
            row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 500, easing: "ease-in-out" });
        }
    }
}

/**
 * The ends of a rating, `null` where it is open.
 * @param {Rating} rating
 * @returns {import("./charts.js").Interval | null}
 */
function intervalOf(rating) {
    switch (rating.kind) {
        case "fitted":
            return rating;
        case "anchor":
            return { value: rating.value, low: rating.value, high: rating.value };
        case "bound":
            return { value: null, low: rating.low, high: rating.high };
        default:
            return null;
    }
}

/** @param {Rating} rating */
export function ratingText(rating) {
    const signed = (/** @type {number} */ value) => (value > 0 ? "+" : "") + number(value);
    switch (rating.kind) {
        case "fitted":
            return `${signed(rating.value)} ±${number((rating.high - rating.low) / 2)}`;
        case "anchor":
            return signed(rating.value);
        case "bound":
            if (rating.low !== null && rating.high !== null) return `${signed(rating.low)} … ${signed(rating.high)}`;
            if (rating.low !== null) return `≥ ${signed(rating.low)}`;
            return rating.high === null ? "–" : `≤ ${signed(rating.high)}`;
        default:
            return "–";
    }
}

/** @param {Table} table */
function referenceText({ reference, rotations }) {
    if (reference === "opponents") return t("reference_opponents");
    if ("mean" in reference) return t("reference_mean", { bots: reference.mean, rotations: number(rotations) });
    return t("reference_anchor", { bot: reference.anchor[0], rating: number(reference.anchor[1]), rotations: number(rotations) });
}

/**
 * @param {Table} table
 * @param {import("./plans.js").Plan} plan
 */
function tableOf({ lines }, plan) {
    const intervals = lines.map((line) => intervalOf(line.rating));
    const scale = scaleOf(intervals.flatMap((interval) => interval ?? []));
    const placed = lines.some((line) => line.places.length > 2);
    /** @type {[string, string, string][]} */
    const heads = [
        ["#", "number", t("help_rank")],
        [t("bot"), "", ""],
        ["Elo", "number", t("help_elo")],
        [t("interval"), "interval-cell", t("help_interval")],
        [t("ranks"), "number", t("help_ranks")],
        [t(placed ? "wdl_places" : "wdl"), "number", ""],
        [t("share"), "number", t("help_share")],
        [t("matches_n"), "number", ""],
        [t("forfeits"), "number", ""],
        [t("time_a_move"), "number", ""],
    ];
    return h(
        "table",
        { class: "standings-table" },
        h("thead", {}, h("tr", {}, ...heads.map(([text, name, title]) => h("th", { scope: "col", class: name, title: title || null }, text)))),
        h(
            "tbody",
            {},
            ...lines.map((line, i) => {
                const interval = intervals[i];
                return h(
                    "tr",
                    { "data-bot": line.name },
                    h("td", { class: "number" }, line.rank ?? "–"),
                    h("th", { scope: "row" }, h("a", { href: botLink(plan.id, line.name) }, nameOf(line.name))),
                    h("td", { class: "number" }, ratingText(line.rating)),
                    h("td", { class: "interval-cell" }, interval && intervalBar(interval, scale, ratingText(line.rating))),
                    h("td", { class: "number" }, line.ranks ? (line.ranks.best === line.ranks.worst ? line.ranks.best : `${line.ranks.best}–${line.ranks.worst}`) : "–"),
                    h("td", { class: "number" }, `${number(line.wins)}/${number(line.draws)}/${number(line.losses)}`),
                    h("td", { class: "number" }, percent(line.share)),
                    h("td", { class: "number" }, h("a", { href: matchesLink(plan.id, line.name) }, number(line.matches))),
                    h("td", { class: "number" }, line.forfeits > 0 ? h("a", { class: "bad", href: `${matchesLink(plan.id, line.name)}&faults=1` }, number(line.forfeits)) : "0"),
                    h("td", { class: "number" }, duration(line.move_us_mean)),
                );
            }),
        ),
    );
}

/**
 * @typedef {{bot: string, opponent: string, wins: number, draws: number, losses: number, share: number,
 *   share_low: number | null, share_high: number | null, elo?: number | null, elo_low?: number | null, elo_high?: number | null}} Pair
 */

/**
 * @param {HTMLElement} place
 * @param {Pair[]} crosstable
 * @param {import("./plans.js").Plan} plan
 */
function drawPairs(place, crosstable, plan) {
    // In the order of the standings, as far as that can be read off the pairs: the better share of all first.
    /** @type {Map<string, [number, number]>} */
    const shares = new Map();
    for (const pair of crosstable) {
        const [sum, count] = shares.get(pair.bot) ?? [0, 0];
        shares.set(pair.bot, [sum + pair.share, count + 1]);
    }
    const mean = (/** @type {string} */ bot) => (shares.get(bot)?.[0] ?? 0) / (shares.get(bot)?.[1] ?? 1);
    const bots = [...shares.keys()].sort((a, b) => mean(b) - mean(a));
    if (bots.length < 2) return place.replaceChildren();
    const found = new Map(crosstable.map((pair) => [`${pair.bot}\n${pair.opponent}`, pair]));
    const map = heatMap({
        corner: t("row_against_column"),
        rows: bots.map(nameOf),
        columns: bots.map(nameOf),
        cell: (row, column) => {
            const pair = found.get(`${bots[row]}\n${bots[column]}`);
            if (!pair) return null;
            return {
                share: pair.share,
                text: percent(pair.share),
                href: pairLink(plan.id, pair.bot, pair.opponent),
                title: `${pair.wins}/${pair.draws}/${pair.losses}; ${percent(pair.share_low)} – ${percent(pair.share_high)}`,
            };
        },
    });
    place.replaceChildren(
        h("h2", {}, t("crosstable")),
        h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("crosstable") }, map),
        h("p", { class: "hint" }, t("crosstable_help")),
    );
}

/** What the numbers mean. */
function method() {
    return h(
        "details",
        { class: "method" },
        h("summary", {}, t("method")),
        h(
            "dl",
            {},
            ...[
                ["Elo", t("help_elo")],
                [t("interval"), t("help_interval")],
                [t("ranks"), t("help_ranks")],
                [t("share"), t("help_share")],
                [t("forfeits"), t("help_forfeits")],
            ].flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]),
        ),
    );
}
