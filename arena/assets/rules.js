/** The rules of the games, their options, and examples that were played by the program itself. */
import { get, path } from "./api.js";
import { Board, STEP_MS, traceOf } from "./board.js";
import { h, shown } from "./dom.js";
import { Boards } from "./film.js";
import { markdown } from "./markdown.js";
import { language, t } from "./texts.js";

/**
 * @typedef {{name: string, kind?: string, values?: (string | number)[] | null, range?: [number, number] | null,
 *   default: string | number, text: string}} Option
 * @typedef {{name: string, title: string, summary: string, seats: [number, number], options: Option[], rules_markdown: string,
 *   examples: {title: string, text?: string | null, film: import("./film.js").Film}[], sources: any[]}} Game
 */

/** @type {import("./app.js").Page} */
export async function ruleListPage(main) {
    /** @type {Game[]} */
    const games = (await get("/games")).games;
    main.replaceChildren(
        h("h1", {}, t("nav_rules")),
        h(
            "div",
            { class: "cards" },
            ...games.map((game) =>
                h(
                    "article",
                    { class: "panel" },
                    h("h2", {}, h("a", { href: `/rules${path(game.name)}` }, game.title)),
                    h("p", { lang: "en" }, game.summary),
                    h("p", { class: "hint" }, seatsText(game)),
                    h("a", { class: "button", href: `/play?game=${encodeURIComponent(game.name)}` }, t("nav_play")),
                ),
            ),
        ),
    );
    return t("nav_rules");
}

/** @param {Game} game */
function seatsText({ seats: [least, most] }) {
    return least === most ? t("seats_n", { seats: least }) : t("seats_range", { least, most });
}

/** @type {import("./app.js").Page} */
export async function rulesPage(main, [name]) {
    /** @type {Game[]} */
    const games = (await get("/games")).games;
    const game = games.find((other) => other.name === name);
    if (!game) {
        main.replaceChildren(h("h1", {}, t("not_found")), h("p", {}, h("a", { href: "/rules" }, t("nav_rules"))));
        return t("not_found");
    }
    main.replaceChildren(
        language !== "en" ? h("p", { class: "hint" }, t("rules_in_english")) : "",
        h(
            "div",
            { class: "beside" },
            h(
                "div",
                {},
                h("div", { class: "prose", lang: "en" }, ...markdown(game.rules_markdown)),
                h("p", {}, h("a", { class: "button primary", href: `/play?game=${encodeURIComponent(game.name)}` }, t("play_this"))),
            ),
            h("section", {}, h("h2", {}, t("examples")), h("div", { class: "examples" }, ...game.examples.map(example))),
        ),
    );
    return game.title;
}

/** @param {Game["examples"][number]} shownExample */
function example({ title, text, film }) {
    const board = new Board(film);
    const boards = new Boards(film);
    const last = film.frames.length - 1;
    const before = boards.at(Math.max(0, last));
    const frame = film.frames[last];
    const reset = () => board.show(before, traceOf(film.frames[last - 1], film.pits));
    reset();
    const again = h("button", { type: "button", onclick: reset, disabled: true }, t("example_before"));
    const play = h(
        "button",
        {
            type: "button",
            class: "primary",
            onclick: async () => {
                play.disabled = again.disabled = true;
                await board.play(before, frame, STEP_MS * 1.6);
                again.disabled = false;
                play.disabled = false;
            },
        },
        t("example_play", { pit: frame?.move ?? "", seat: (frame?.seat ?? 0) + 1 }),
    );
    return h(
        "article",
        { class: "panel example" },
        h("h3", { lang: "en" }, shown(title, 300)),
        text ? h("p", { lang: "en" }, text) : null,
        board.element,
        frame ? h("p", { class: "turns" }, play, again) : null,
    );
}
