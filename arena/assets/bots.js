/** The page of one bot, and of two bots against each other. */
import { get, path } from "./api.js";
import { intervalBar, scaleOf } from "./charts.js";
import { h, nameOf, shown } from "./dom.js";
import { matchesLink } from "./standings.js";
import { duration, number, percent, t } from "./texts.js";

/**
 * @typedef {{opponent: string, wins: number, draws?: number, ties?: number, losses: number, share?: number | null, score?: number | null,
 *   share_low?: number | null, share_high?: number | null, low?: number | null, high?: number | null}} Against
 */

/** Faults that a bot's page lists. */
const FAULTS_MAX = 50;

/** @type {import("./app.js").Page} */
export async function botPage(main, [plan, name]) {
    const bot = await get(`/plans${path(plan)}/bots${path(name)}`);
    main.replaceChildren(
        h("h1", {}, nameOf(bot.name)),
        facts([
            [t("rank"), bot.rank === null || bot.rank === undefined ? null : String(bot.rank)],
            [t("share"), bot.share === undefined ? null : percent(bot.share)],
            [t("matches_n"), bot.matches === undefined ? null : number(bot.matches)],
            [t("forfeits"), bot.forfeits === undefined ? null : number(bot.forfeits)],
            [t("time_a_move"), typeof bot.mean_ms === "number" ? duration(bot.mean_ms * 1000) : null],
            [t("content"), bot.content ? h("code", { class: "content" }, shown(bot.content, 80)) : null],
        ]),
        h("p", {}, h("a", { class: "button", href: matchesLink(plan, bot.name) }, t("all_matches"))),
        h("h2", {}, t("against")),
        against(bot.by_opponent ?? [], plan, bot.name),
        ...faults(bot.faults ?? [], plan),
    );
    return shown(bot.name, 60);
}

/** @param {[string, Node | string | null][]} pairs */
function facts(pairs) {
    return h(
        "dl",
        { class: "facts" },
        ...pairs.flatMap(([term, value]) => (value === null ? [] : [h("div", {}, h("dt", {}, term), h("dd", {}, value))])),
    );
}

/**
 * @param {Against[]} opponents
 * @param {string} plan
 * @param {string} bot
 */
function against(opponents, plan, bot) {
    if (opponents.length === 0) return h("p", {}, t("no_matches"));
    const interval = (/** @type {Against} */ other) => ({
        value: other.share ?? other.score ?? null,
        low: other.share_low ?? other.low ?? 0,
        high: other.share_high ?? other.high ?? 1,
    });
    const scale = { min: -0.02, max: 1.02 };
    return h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": t("against") },
        h(
            "table",
            {},
            h(
                "thead",
                {},
                h(
                    "tr",
                    {},
                    h("th", { scope: "col" }, t("opponent")),
                    h("th", { scope: "col", class: "number" }, t("wdl")),
                    h("th", { scope: "col", class: "number" }, t("share")),
                    h("th", { scope: "col", class: "interval-cell" }, t("interval")),
                    h("th", { scope: "col" }, t("nav_matches")),
                ),
            ),
            h(
                "tbody",
                {},
                ...opponents.map((other) => {
                    const range = interval(other);
                    const text = `${percent(range.value)} (${percent(range.low)} – ${percent(range.high)})`;
                    return h(
                        "tr",
                        {},
                        h("th", { scope: "row" }, h("a", { href: `/pairs${path(plan, bot, other.opponent)}` }, nameOf(other.opponent))),
                        h("td", { class: "number" }, `${number(other.wins)}/${number(other.draws ?? other.ties)}/${number(other.losses)}`),
                        h("td", { class: "number" }, percent(range.value)),
                        h("td", { class: "interval-cell" }, intervalBar(range, scale, text)),
                        h("td", {}, h("a", { href: matchesLink(plan, bot, other.opponent) }, t("nav_matches"))),
                    );
                }),
            ),
        ),
    );
}

/**
 * @param {{match: number, ply: number, code: string, message: string}[]} list
 * @param {string} plan
 * @returns {Node[]}
 */
function faults(list, plan) {
    if (list.length === 0) return [];
    return [
        h("h2", {}, t("faults")),
        h(
            "ul",
            { class: "fault-list" },
            ...list.slice(0, FAULTS_MAX).map((fault) =>
                h(
                    "li",
                    {},
                    h("a", { href: `/matches${path(plan, fault.match)}` }, t("match_n", { match: fault.match })),
                    ` · ${t("ply")} ${fault.ply} · `,
                    h("strong", {}, shown(fault.code, 40)),
                    ` ${shown(fault.message, 500)}`,
                ),
            ),
        ),
    ];
}

/** @type {import("./app.js").Page} */
export async function pairPage(main, [plan, a, b]) {
    const pair = await get(`/plans${path(plan)}/pairs${path(a, b)}`);
    const share = pair.score ?? pair.share ?? null;
    const range = { value: share, low: pair.low ?? pair.share_low ?? 0, high: pair.high ?? pair.share_high ?? 1 };
    const text = `${percent(share)} (${percent(range.low)} – ${percent(range.high)})`;
    const elo = scaleOf([{ value: pair.elo ?? null, low: pair.elo_low ?? null, high: pair.elo_high ?? null }]);
    main.replaceChildren(
        h(
            "h1",
            {},
            h("a", { href: `/bots${path(plan, a)}` }, nameOf(a)),
            " – ",
            h("a", { href: `/bots${path(plan, b)}` }, nameOf(b)),
        ),
        h("p", { class: "score-line" }, h("strong", {}, t("share_of", { name: shown(a, 40) })), ` ${text}`),
        h("div", { class: "score-bar" }, intervalBar(range, { min: -0.02, max: 1.02 }, text)),
        facts([
            [t("matches_n"), number(pair.matches ?? pair.wins + pair.losses + (pair.ties ?? pair.draws ?? 0))],
            [t("won"), number(pair.wins)],
            [t("drawn"), number(pair.ties ?? pair.draws)],
            [t("lost"), number(pair.losses)],
            ["Elo", pair.elo === undefined ? null : eloText(pair.elo, pair.elo_low, pair.elo_high)],
            [t("unit"), pair.unit === undefined ? null : shown(pair.unit, 30)],
        ]),
        pair.elo === undefined
            ? ""
            : h("div", { class: "score-bar" }, intervalBar({ value: pair.elo, low: pair.elo_low, high: pair.elo_high }, elo, "Elo")),
        h("p", {}, h("a", { class: "button", href: matchesLink(plan, a, b) }, t("all_matches"))),
    );
    return `${shown(a, 40)} – ${shown(b, 40)}`;
}

/**
 * @param {number | null} value
 * @param {number | null} low
 * @param {number | null} high
 */
function eloText(value, low, high) {
    const text = (/** @type {number | null} */ elo, /** @type {string} */ open) => (elo === null || elo === undefined ? open : number(elo));
    return `${text(value, "±∞")} (${text(low, "−∞")} … ${text(high, "+∞")})`;
}
