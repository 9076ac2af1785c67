/** The page of one bot, and of two bots against each other. */
import { get, path } from "./api.js";
import { intervalBar } from "./charts.js";
import { h, nameOf, shown } from "./dom.js";
import { botLink, matchesLink, pairLink } from "./plans.js";
import { ratingText } from "./standings.js";
import { duration, number, percent, t } from "./texts.js";

/** @typedef {import("./standings.js").Pair} Pair */

/** The scale of shares. */
const SHARES = { min: 0, max: 1 };
/** Faults that a bot's page lists. */
const FAULTS_MAX = 50;

/** @type {import("./app.js").Page} */
export async function botPage(main, [plan, name]) {
    const bot = await get(`/plans${path(plan)}/bots${path(name)}`);
    main.replaceChildren(
        h("h1", {}, nameOf(bot.name)),
        facts([
            [t("rank"), bot.line.rank === null ? null : t("rank_of", { rank: bot.line.rank, bots: bot.bots })],
            ["Elo", ratingText(bot.line.rating)],
            [t("share"), percent(bot.line.share)],
            [t("wdl"), `${number(bot.line.wins)}/${number(bot.line.draws)}/${number(bot.line.losses)}`],
            [t("matches_n"), number(bot.line.matches)],
            [t("forfeits"), number(bot.line.forfeits)],
            [t("time_a_move"), bot.mean_ms === null ? null : duration(bot.mean_ms * 1000)],
            [t("content"), bot.content ? h("code", { class: "content" }, shown(bot.content, 80)) : null],
        ]),
        h("p", {}, h("a", { class: "button", href: matchesLink(plan, bot.name) }, t("all_matches"))),
        h("h2", {}, t("against")),
        against(bot.by_opponent, plan, bot.name),
        ...faults(bot.faults, plan),
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
 * @param {Pair[]} opponents
 * @param {string} plan
 * @param {string} bot
 */
function against(opponents, plan, bot) {
    if (opponents.length === 0) return h("p", {}, t("no_matches"));
    return h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": t("against") },
        h(
            "table",
            { class: "wide-table" },
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
                    const range = { value: other.share, low: other.share_low, high: other.share_high };
                    const text = `${percent(range.value)} (${percent(range.low)} – ${percent(range.high)})`;
                    return h(
                        "tr",
                        {},
                        h("th", { scope: "row" }, h("a", { href: pairLink(plan, bot, other.opponent) }, nameOf(other.opponent))),
                        h("td", { class: "number" }, `${number(other.wins)}/${number(other.draws)}/${number(other.losses)}`),
                        h("td", { class: "number" }, percent(range.value)),
                        h("td", { class: "interval-cell" }, intervalBar(range, SHARES, text, 0.5)),
                        h("td", {}, h("a", { href: matchesLink(plan, bot, other.opponent) }, t("all_matches"))),
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
    const range = { value: pair.score, low: pair.low, high: pair.high };
    const text = `${percent(pair.score)} (${percent(range.low)} – ${percent(range.high)})`;
    main.replaceChildren(
        h(
            "h1",
            {},
            h("a", { href: botLink(plan, a) }, nameOf(a)),
            " – ",
            h("a", { href: botLink(plan, b) }, nameOf(b)),
        ),
        h("p", { class: "score-line" }, h("strong", {}, t("share_of", { name: shown(a, 40) })), ` ${text}`),
        h("div", { class: "score-bar" }, intervalBar(range, SHARES, text, 0.5)),
        facts([
            [t("matches_n"), number(pair.matches)],
            [t("won"), number(pair.wins)],
            [t("drawn"), number(pair.ties)],
            [t("lost"), number(pair.losses)],
            ["Elo", pair.score === null ? null : eloText(pair.elo, pair.elo_low, pair.elo_high)],
            [t("unit"), pair.unit === null ? null : t(pair.unit === "rotation" ? "unit_rotation" : "unit_match")],
        ]),
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
    if (value !== null) return `${number(value)} (${low === null ? "−∞" : number(low)} … ${high === null ? "∞" : number(high)})`;
    if (low !== null) return `≥ ${number(low)}`;
    return high === null ? "–" : `≤ ${number(high)}`;
}
