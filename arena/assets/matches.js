/** The list of matches with its filters, and the page of one match. */
import { Poll, get, path } from "./api.js";
import { h, nameOf, shown } from "./dom.js";
import { botLink, noPlan, planHead, plansHere } from "./plans.js";
import { Replay, endText } from "./replay.js";
import { duration, number, seatText, t } from "./texts.js";

/**
 * @typedef {{match: number, rotation: number, bots: string[], places: number[], points: number[], forfeits: boolean[],
 *   end: string, plies: number, faults: number, started_ms: number, elapsed_us: number}} Summary
 */

/**
 * What is counted of a bot in a match, where there was any.
 * @type {[string, import("./texts.js").Key][]}
 */
const COUNTS = [
    ["log_lines", "log_lines"],
    ["dropped_lines", "dropped_lines"],
    ["unknown", "unknown_fields"],
];
/**
 * What a line of a transcript is.
 * @type {Record<string, import("./texts.js").Key>}
 */
const SAID = {
    to_bot: "said_to_bot",
    unsent: "said_unsent",
    from_bot: "said_from_bot",
    log: "said_log",
    dropped: "said_dropped",
    unfinished: "said_unfinished",
    gap: "said_gap",
};
const ENDS = ["rules", "repetition", "ply_cap", "resignation", "fault"];
const FILTERS = ["bot", "opponent", "end", "faults"];
const A_PAGE = 50;

/** @type {import("./app.js").Page} */
export async function matchesPage(main) {
    const { plan, plans } = await plansHere();
    if (!plan) {
        main.replaceChildren(noPlan());
        return t("nav_matches");
    }
    const asked = new URLSearchParams(location.search);
    const wanted = new URLSearchParams({ limit: String(A_PAGE) });
    for (const key of [...FILTERS, "before", "after"]) {
        const value = asked.get(key);
        if (value) wanted.set(key, value);
    }
    const place = h("div", {});
    main.replaceChildren(planHead(t("nav_matches"), plan, plans), filters(plan, asked), place);
    const address = `/plans${path(plan.id)}/matches?${wanted}`;
    drawList(place, await get(address), plan.id, asked);
    if (!asked.has("before") && !asked.has("after")) new Poll(address, (body) => drawList(place, body, plan.id, asked));
    return t("nav_matches");
}

/**
 * @param {import("./plans.js").Plan} plan
 * @param {URLSearchParams} asked
 */
function filters(plan, asked) {
    const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ values) =>
        h(
            "label",
            {},
            label,
            h(
                "select",
                { name },
                h("option", { value: "" }, t("any")),
                ...values.map(([value, text]) => h("option", { value, selected: asked.get(name) === value }, text)),
            ),
        );
    const bots = /** @type {[string, string][]} */ (plan.bots.map(({ name }) => [name, shown(name, 60)]));
    const form = h(
        "form",
        { class: "filters", method: "get", action: "/matches" },
        h("input", { type: "hidden", name: "plan", value: plan.id }),
        choice("bot", t("bot"), bots),
        choice("opponent", t("opponent"), bots),
        choice("end", t("end"), ENDS.map((end) => [end, endText(end)])),
        h("label", { class: "check" }, h("input", { type: "checkbox", name: "faults", value: "1", checked: asked.has("faults") }), t("only_faults")),
        h("button", { type: "submit", class: "primary" }, t("filter")),
        FILTERS.some((key) => asked.has(key)) && h("a", { class: "button", href: `/matches?plan=${encodeURIComponent(plan.id)}` }, t("filter_none")),
    );
    // What is not asked for stays out of the address.
    form.addEventListener("formdata", (event) => {
        for (const key of FILTERS) if (event.formData.get(key) === "") event.formData.delete(key);
    });
    return form;
}

/**
 * @param {HTMLElement} place
 * @param {{matches: Summary[], next: number | null, previous: number | null, total: number}} body
 * @param {string} plan
 * @param {URLSearchParams} asked
 */
function drawList(place, { matches, next, previous, total }, plan, asked) {
    const turn = (/** @type {string | null} */ key, /** @type {number} */ id) => {
        const search = new URLSearchParams(asked);
        search.set("plan", plan);
        search.delete("before");
        search.delete("after");
        if (key !== null) search.set(key, String(id));
        return `/matches?${search}`;
    };
    const heads = ["match", "seats_and_points", "end", "plies", "faults_n", "time"];
    place.replaceChildren(
        h("p", { class: "hint" }, t("matches_found", { total: number(total) })),
        matches.length === 0 ? h("p", {}, t("no_matches")) : matchTable(matches, plan, /** @type {any} */ (heads)),
        h(
            "p",
            { class: "turns" },
            previous !== null && h("a", { class: "button", href: turn(null, 0) }, t("newest")),
            previous !== null && h("a", { class: "button", href: turn("after", previous) }, t("newer")),
            next !== null && h("a", { class: "button", href: turn("before", next) }, t("older")),
        ),
    );
}

/**
 * @param {Summary[]} matches
 * @param {string} plan
 * @param {import("./texts.js").Key[]} heads
 */
function matchTable(matches, plan, heads) {
    return h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": t("nav_matches") },
        h(
            "table",
            { class: "match-table" },
            h("thead", {}, h("tr", {}, ...heads.map((head, i) => h("th", { scope: "col", class: i === 0 || i > 2 ? "number" : "" }, t(head))))),
            h("tbody", {}, ...matches.map((match) => matchRow(match, plan))),
        ),
    );
}

/**
 * @param {Summary} match
 * @param {string} plan
 */
function matchRow(match, plan) {
    return h(
        "tr",
        {},
        h("td", { class: "number" }, h("a", { href: `/matches${path(plan, match.match)}` }, match.match)),
        h(
            "td",
            {},
            h(
                "div",
                { class: "sides" },
                ...match.bots.map((name, seat) =>
                    h(
                        "span",
                        { class: match.places[seat] === 1 ? "side first" : "side" },
                        nameOf(name),
                        ` ${match.points[seat]}`,
                        match.forfeits[seat] && h("span", { class: "bad", title: t("forfeits") }, " ✗"),
                    ),
                ),
            ),
        ),
        h("td", { class: "end" }, endText(match.end)),
        h("td", { class: "number" }, match.plies),
        h("td", { class: match.faults > 0 ? "number bad" : "number" }, match.faults),
        h("td", { class: "number" }, duration(match.elapsed_us)),
    );
}

/** @type {import("./app.js").Page} */
export async function matchPage(main, [plan, id]) {
    const match = await get(`/plans${path(plan)}/matches${path(id)}`);
    const { film } = match;
    const replay = new Replay(film, { keys: true });
    const title = t("match_n", { match: match.match });
    main.replaceChildren(
        h("h1", {}, title),
        h(
            "p",
            { class: "versus" },
            ...film.names.flatMap((/** @type {string} */ name, /** @type {number} */ seat) => [
                seat > 0 && " – ",
                h("a", { href: botLink(plan, name) }, nameOf(name)),
            ]),
            h("span", { class: "hint" }, ` ${shown(film.title, 60)} · ${new Date(match.started_ms).toLocaleString()} · ${duration(match.elapsed_us)}`),
        ),
        replay.element,
        seatsOf(match),
        ...transcript(match.transcript, film.names),
    );
    return title;
}

/** @param {any} match */
function seatsOf(match) {
    return h(
        "details",
        { class: "match-facts" },
        h("summary", {}, t("match_facts")),
        h(
            "dl",
            {},
            ...[
                [t("rotation"), number(match.rotation)],
                [t("seed"), String(match.seed)],
            ].flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]),
            ...match.seats.flatMap((/** @type {any} */ seat, /** @type {number} */ i) => [
                h("dt", {}, seatText(i)),
                h(
                    "dd",
                    {},
                    nameOf(seat.name),
                    seat.content ? h("code", { class: "content" }, ` ${shown(seat.content, 80)}`) : null,
                    ...COUNTS.filter(([key]) => seat[key] > 0).map(([key, text]) => h("div", {}, t(text, { lines: number(seat[key]) }))),
                ),
            ]),
        ),
    );
}

/**
 * @param {{us: number, seat: number, what: string, text: string}[] | null | undefined} lines
 * @param {string[]} names
 * @returns {Node[]}
 */
function transcript(lines, names) {
    if (!lines || lines.length === 0) return [];
    return [
        h(
            "details",
            { class: "transcript" },
            h("summary", {}, t("transcript")),
            h(
                "div",
                { class: "scroll", tabindex: 0, role: "region", "aria-label": t("transcript") },
                h(
                    "table",
                    {},
                    h("thead", {}, h("tr", {}, ...[t("time"), t("bot"), t("direction"), t("line")].map((head) => h("th", { scope: "col" }, head)))),
                    h(
                        "tbody",
                        {},
                        ...lines.map((line) =>
                            h(
                                "tr",
                                {},
                                h("td", { class: "number" }, duration(line.us)),
                                h("td", {}, nameOf(names[line.seat] ?? line.seat)),
                                h("td", {}, Object.hasOwn(SAID, line.what) ? t(SAID[line.what]) : shown(line.what, 30)),
                                h("td", {}, h("code", {}, shown(line.text, 4000))),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ];
}
