/** The plans of the results file, and which of them is looked at: the one in the address, else one that runs, else the newest. */
import { get, path } from "./api.js";
import { h, shown } from "./dom.js";
import { number, t } from "./texts.js";

/**
 * @typedef {{id: string, game: string, title: string, options: [string, string][], format: string,
 *   bots: {name: string, content?: string | null}[], created_ms: number, arena: string, matches: number,
 *   planned: number | null, running: boolean}} Plan
 */

/**
 * The plan looked at, or `null` where there is none yet.
 * @returns {Promise<{plan: Plan | null, plans: Plan[]}>}
 */
export async function plansHere() {
    /** @type {Plan[]} */
    const plans = (await get("/plans")).plans;
    const wanted = new URLSearchParams(location.search).get("plan");
    const newest = [...plans].sort((a, b) => b.created_ms - a.created_ms);
    const plan = plans.find(({ id }) => id === wanted) ?? newest.find(({ running }) => running) ?? newest[0] ?? null;
    return { plan, plans };
}

/**
 * What a plan is, in a line.
 * @param {Plan} plan
 */
export function planText(plan) {
    return `${shown(plan.title, 60)} · ${shown(plan.format, 30)} · ${t("bots_n", { bots: plan.bots.length })}`;
}

/**
 * The head of a page about a plan: what it is, and the choice where there are several.
 * @param {string} title
 * @param {Plan} plan
 * @param {Plan[]} plans
 */
export function planHead(title, plan, plans) {
    const options = plan.options.map(([key, value]) => `${key}=${value}`).join(", ");
    const choice = h(
        "select",
        {
            onchange: () => {
                const search = new URLSearchParams({ plan: choice.value });
                location.search = search.toString();
            },
        },
        ...plans.map((other) =>
            h("option", { value: other.id, selected: other.id === plan.id }, `${planText(other)} · ${new Date(other.created_ms).toLocaleString()}`),
        ),
    );
    return h(
        "div",
        { class: "page-head" },
        h("h1", {}, title),
        h("p", { class: "plan" }, h("strong", {}, planText(plan)), " ", h("span", { class: "hint" }, shown(options, 300))),
        plans.length > 1 && h("label", { class: "plan-choice" }, `${t("plan")} `, choice),
    );
}

/** What a page about a plan says where there is none. */
export function noPlan() {
    return h("div", {}, h("h1", {}, t("no_plan")), h("p", {}, t("no_plan_help")), h("p", {}, h("a", { class: "button primary", href: "/play" }, t("nav_play"))));
}

/**
 * How much of a plan is played.
 * @param {number} done
 * @param {number | null} planned
 * @param {boolean} running
 */
export function progress(done, planned, running) {
    const text = planned === null ? t("done_n", { done: number(done) }) : t("done_of", { done: number(done), planned: number(planned) });
    return h(
        "p",
        { class: "progress" },
        h("span", { class: running ? "badge running" : "badge" }, t(running ? "running" : "not_running")),
        planned === null ? null : h("progress", { value: done, max: Math.max(1, planned), "aria-label": text }),
        h("span", {}, text),
    );
}

/**
 * The list of a bot's matches, or of two bots'.
 * @param {string} plan
 * @param {string} bot
 * @param {string} [opponent]
 */
export function matchesLink(plan, bot, opponent) {
    const search = new URLSearchParams({ plan, bot });
    if (opponent !== undefined) search.set("opponent", opponent);
    return `/matches?${search}`;
}

/**
 * A name that no path can hold, since browsers take it for a way up: there the list of matches stands for the page.
 * @param {string} name
 */
const isNoPart = (name) => name === "." || name === "..";

/**
 * The page of a bot.
 * @param {string} plan
 * @param {string} bot
 */
export function botLink(plan, bot) {
    return isNoPart(bot) ? matchesLink(plan, bot) : `/bots${path(plan, bot)}`;
}

/**
 * The page of two bots against each other.
 * @param {string} plan
 * @param {string} a
 * @param {string} b
 */
export function pairLink(plan, a, b) {
    return isNoPart(a) || isNoPart(b) ? matchesLink(plan, a, b) : `/pairs${path(plan, a, b)}`;
}
