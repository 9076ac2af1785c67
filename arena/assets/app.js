/**
 * The shell of every page: header, language, the line that says when the server is away; and which page a path is.
 *
 * Pages are reached by real links, so each is loaded anew: nothing of one page is left over in the next.
 */
import { ApiError, onWaiting } from "./api.js";
import { botPage, pairPage } from "./bots.js";
import { h, shown } from "./dom.js";
import { livePage } from "./live.js";
import { matchPage, matchesPage } from "./matches.js";
import { playPage, playedPage } from "./play.js";
import { ruleListPage, rulesPage } from "./rules.js";
import { standingsPage } from "./standings.js";
import { tablePage } from "./table.js";
import { choose, language, languages, number, t } from "./texts.js";

/**
 * A page: fills `main`, given the parts of the path, and says what it is called.
 * @typedef {(main: HTMLElement, parts: string[]) => Promise<string>} Page
 */

/** @type {[RegExp, Page, string][]} */
const PAGES = [
    [/^\/$/, standingsPage, "/"],
    [/^\/live$/, livePage, "/live"],
    [/^\/matches$/, matchesPage, "/matches"],
    [/^\/matches\/([^/]+)\/([^/]+)$/, matchPage, "/matches"],
    [/^\/bots\/([^/]+)\/([^/]+)$/, botPage, "/"],
    [/^\/pairs\/([^/]+)\/([^/]+)\/([^/]+)$/, pairPage, "/"],
    [/^\/play$/, playPage, "/play"],
    [/^\/play\/([^/]+)$/, tablePage, "/play"],
    [/^\/played\/([^/]+)$/, playedPage, "/play"],
    [/^\/rules$/, ruleListPage, "/rules"],
    [/^\/rules\/([^/]+)$/, rulesPage, "/rules"],
];

/** @type {[string, import("./texts.js").Key][]} */
const LINKS = [
    ["/", "nav_standings"],
    ["/live", "nav_live"],
    ["/matches", "nav_matches"],
    ["/play", "nav_play"],
    ["/rules", "nav_rules"],
    ["/report", "nav_report"],
];

/** @param {string} here the link of the page that is shown */
function header(here) {
    const plan = new URLSearchParams(location.search).get("plan");
    const ofPlan = ["/", "/live", "/matches", "/report"];
    const link = (/** @type {string} */ to) => (plan !== null && ofPlan.includes(to) ? `${to}?plan=${encodeURIComponent(plan)}` : to);
    return h(
        "header",
        { class: "top" },
        h("a", { class: "skip", href: "#main" }, t("skip")),
        h("a", { class: "brand", href: link("/") }, h("img", { src: "/assets/icon.svg", alt: "", width: 32, height: 32 }), "arena"),
        h(
            "nav",
            { "aria-label": t("nav") },
            ...LINKS.map(([to, key]) => h("a", { href: link(to), "aria-current": to === here ? "page" : null }, t(key))),
        ),
        h(
            "label",
            { class: "language" },
            h("span", { class: "unseen" }, t("language")),
            h(
                "select",
                { lang: language, onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value) },
                ...Object.entries(languages).map(([code, texts]) =>
                    h("option", { value: code, lang: code, selected: code === language }, texts.language_name),
                ),
            ),
        ),
    );
}

/** @param {unknown} error */
function problem(error) {
    if (error instanceof ApiError) {
        return h("div", {}, h("h1", {}, t(error.status === 404 ? "not_found" : "failed")), h("p", { class: "problem" }, shown(error.message, 1000)));
    }
    if (error instanceof TypeError) return h("div", {}, h("h1", {}, t("failed")), h("p", { class: "problem" }, t("away")));
    throw error;
}

async function begin() {
    document.documentElement.lang = language;
    const path = location.pathname.replace(/(.)\/$/, "$1");
    const found = PAGES.find(([pattern]) => pattern.test(path));
    const main = h("main", { id: "main", tabindex: -1 });
    const connection = h("p", { class: "connection", role: "status" });
    onWaiting((waiting) => {
        if (waiting === null) connection.textContent = "";
        else if ("waitMs" in waiting) connection.textContent = t("away_again", { seconds: Math.round(waiting.waitMs / 1000) });
        else connection.textContent = t("computing", { read: number(waiting.computing.read), matches: number(waiting.computing.matches) });
        connection.classList.toggle("away", waiting !== null && "waitMs" in waiting);
    });
    document.body.replaceChildren(header(found?.[2] ?? ""), connection, main, h("footer", {}, h("a", { href: "/api/v1/openapi.json" }, t("api"))));
    let title = t("not_found");
    try {
        if (found) {
            const parts = /** @type {RegExpExecArray} */ (found[0].exec(path)).slice(1).map(decodeURIComponent);
            title = await found[1](main, parts);
        } else main.replaceChildren(h("h1", {}, t("not_found")));
    } catch (error) {
        main.replaceChildren(problem(error));
    }
    document.title = `${title} · arena`;
    main.setAttribute("data-ready", "");
}

void begin();
