/** Setting up a table to play at by hand, the list of what was played, and the replay of one of those. */
import { get, path, post } from "./api.js";
import { seatMark } from "./board.js";
import { h, nameOf, shown } from "./dom.js";
import { Replay, endText } from "./replay.js";
import { remember } from "./seats.js";
import { seatText, t } from "./texts.js";

/** @typedef {import("./rules.js").Option} Option */
/** @typedef {import("./rules.js").Game} Game */

/** The option that says how many sit at the board, in games that have one. */
const SEATS = "seats";
const LIMITS_S = [null, 30, 60];
/** What a person was called last time. */
const NAMED = "name";

/** @type {import("./app.js").Page} */
export async function playPage(main) {
    const [{ games }, { bots }, played] = await Promise.all([get("/games"), get("/bots"), get("/played").catch(() => null)]);
    main.replaceChildren(h("h1", {}, t("play_title")), h("p", {}, t("play_intro")), h("div", { class: "beside" }, setup(games, bots), playedList(played)));
    return t("play_title");
}

/**
 * The form that opens a table.
 * @param {Game[]} games
 * @param {string[]} bots
 */
function setup(games, bots) {
    const wanted = new URLSearchParams(location.search).get("game");
    const game = h(
        "select",
        { onchange: () => choose() },
        ...games.map(({ name, title }) => h("option", { value: name, selected: name === wanted }, title)),
    );
    const summary = h("p", { class: "hint" });
    const options = h("div", { class: "fields" });
    const seats = h("div", { class: "seats-setup" });
    const limit = h(
        "select",
        { onchange: () => (other.hidden = limit.value !== "other") },
        ...LIMITS_S.map((seconds) => h("option", { value: seconds ?? "" }, seconds === null ? t("limit_none") : t("seconds_n", { seconds }))),
        h("option", { value: "other" }, t("limit_other")),
    );
    const seconds = h("input", { type: "number", min: 1, max: 3600, value: 120 });
    const other = h("label", { hidden: true }, t("limit_seconds"), seconds);
    const rated = h("input", { type: "checkbox" });
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    /** @type {Map<string, HTMLSelectElement | HTMLInputElement>} */
    let controls = new Map();
    /** @type {{kind: HTMLSelectElement, name: HTMLInputElement}[]} */
    let sitters = [];

    const chosen = () => /** @type {Game} */ (games.find(({ name }) => name === game.value));
    const choose = () => {
        const { options: all, summary: text } = chosen();
        summary.replaceChildren(h("span", { lang: "en" }, text), " ", h("a", { href: `/rules${path(game.value)}` }, t("nav_rules")));
        controls = new Map(all.map((option) => [option.name, control(option)]));
        options.replaceChildren(
            ...all.map((option) => {
                const field = /** @type {HTMLElement} */ (controls.get(option.name));
                if (option.name === SEATS) field.addEventListener("change", sit);
                return h("label", { class: "field", title: option.text }, h("span", { class: "option-name" }, optionName(option.name)), field);
            }),
        );
        sit();
    };
    const sit = () => {
        const count = Number(controls.get(SEATS)?.value ?? chosen().seats[0]);
        const before = sitters.map(({ kind, name }) => ({ kind: kind.value, name: name.value }));
        const made = [...Array(count).keys()].map((seat) => sitter(seat, bots, before[seat]));
        sitters = made;
        seats.replaceChildren(...made.map(({ element }) => element));
    };
    choose();

    const open = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const set = [...controls].map(([key, field]) => `${key}=${field instanceof HTMLInputElement && field.type === "checkbox" ? (field.checked ? "on" : "off") : field.value}`);
        const people = sitters.map(({ kind, name }) => {
            if (kind.value.startsWith("bot:")) return { bot: kind.value.slice(4) };
            return { person: name.value.trim() || t("guest") };
        });
        const moveSeconds = limit.value === "other" ? Number(seconds.value) : limit.value === "" ? null : Number(limit.value);
        begin.disabled = true;
        try {
            const { table, tokens } = await post("/tables", {
                game: set.length > 0 ? `${game.value}:${set.join(",")}` : game.value,
                seats: people,
                move_seconds: moveSeconds,
                rated: rated.checked,
            });
            const here = sitters.map(({ kind }) => kind.value === "here");
            remember(
                table,
                tokens.flatMap((/** @type {string | null} */ token, /** @type {number} */ seat) =>
                    token === null ? [] : [{ seat, token, here: here[seat] }],
                ),
            );
            location.assign(`/play${path(table)}`);
        } catch (error) {
            problem.textContent = shown(error instanceof Error ? error.message : error, 500);
            problem.hidden = false;
            begin.disabled = false;
        }
    };
    const begin = h("button", { type: "submit", class: "primary big" }, t("begin"));
    return h(
        "form",
        { class: "panel setup", onsubmit: open },
        h("label", { class: "field" }, h("span", {}, t("game")), game),
        summary,
        h("details", { class: "options" }, h("summary", {}, t("options")), options),
        h("fieldset", {}, h("legend", {}, t("seats")), seats),
        h("div", { class: "fields" }, h("label", { class: "field" }, h("span", {}, t("limit")), limit), other),
        h("label", { class: "check" }, rated, t("rated")),
        problem,
        h("p", { class: "turns" }, begin),
    );
}

/** @param {string} name */
function optionName(name) {
    return name.replaceAll("_", " ");
}

/** @param {Option} option */
function control(option) {
    const value = String(option.default);
    if (option.values) {
        const values = option.values.map(String);
        if (values.length === 2 && values.includes("on") && values.includes("off")) {
            return h("input", { type: "checkbox", checked: value === "on" });
        }
        return h("select", {}, ...values.map((each) => h("option", { value: each, selected: each === value }, each)));
    }
    return h("input", { type: "number", min: option.range?.[0], max: option.range?.[1], value, required: true });
}

/**
 * The line that says who sits in a seat.
 * @param {number} seat
 * @param {string[]} bots
 * @param {{kind: string, name: string} | undefined} before
 */
function sitter(seat, bots, before) {
    const preset = before?.kind ?? (seat === 0 ? "here" : `bot:${bots.find((bot) => bot === "house:greedy") ?? bots[0] ?? ""}`);
    const kind = h(
        "select",
        { "aria-label": seatText(seat), onchange: () => (name.hidden = kind.value.startsWith("bot:")) },
        h("option", { value: "here", selected: preset === "here" }, t("sits_here")),
        h("option", { value: "link", selected: preset === "link" }, t("sits_elsewhere")),
        ...bots.map((bot) => h("option", { value: `bot:${bot}`, selected: preset === `bot:${bot}` }, t("sits_bot", { bot: shown(bot, 40) }))),
    );
    let remembered = null;
    try {
        remembered = seat === 0 ? localStorage.getItem(NAMED) : null;
    } catch {
        // Without storage a name is typed again each time.
    }
    const name = h("input", {
        type: "text",
        maxlength: 40,
        placeholder: t("name"),
        "aria-label": t("name_of_seat", { seat: seat + 1 }),
        value: before?.name ?? remembered ?? "",
        hidden: preset.startsWith("bot:"),
        onchange: () => {
            try {
                if (seat === 0) localStorage.setItem(NAMED, name.value);
            } catch {
                // As above.
            }
        },
    });
    const element = h("div", { class: "sitter" }, h("span", { class: "sitter-seat" }, seatMark(seat), ` ${seatText(seat)}`), kind, name);
    return { element, kind, name };
}

/** @param {any} body */
function playedList(body) {
    const list = body?.played ?? body?.matches ?? [];
    return h(
        "section",
        { hidden: list.length === 0 },
        h("h2", {}, t("played")),
        h(
            "ul",
            { class: "played-list" },
            ...list.map((/** @type {any} */ match) =>
                h(
                    "li",
                    {},
                    h("a", { href: `/played${path(match.n)}` }, t("match_n", { match: match.n })),
                    ` ${shown(match.game, 40)}: `,
                    ...match.names.flatMap((/** @type {string} */ name, /** @type {number} */ seat) => [
                        seat > 0 ? " – " : "",
                        nameOf(name),
                        ` ${match.points?.[seat] ?? ""}`,
                    ]),
                    h("span", { class: "hint" }, ` ${endText(match.end)} · ${new Date(match.started_ms).toLocaleString()}`),
                ),
            ),
        ),
    );
}

/** @type {import("./app.js").Page} */
export async function playedPage(main, [id]) {
    const body = await get(`/played${path(id)}`);
    const film = body.film ?? body;
    const title = t("match_n", { match: id });
    main.replaceChildren(h("h1", {}, title), h("p", { class: "hint" }, shown(film.title, 60)), new Replay(film, { keys: true }).element);
    return title;
}
