/**
 * The Markdown that rules are written in, as elements: headings, paragraphs, lists, tables, code, emphasis, links.
 *
 * No HTML passes through: what is no Markdown of these kinds is shown as it stands.
 */
import { h } from "./dom.js";

/**
 * @param {string} text
 * @param {number} [level] of the headings with one `#`
 * @returns {HTMLElement[]}
 */
export function markdown(text, level = 1) {
    return blocks(text.split(/\r?\n/), level);
}

/**
 * @param {string[]} lines
 * @param {number} level
 * @returns {HTMLElement[]}
 */
function blocks(lines, level) {
    /** @type {HTMLElement[]} */
    const made = [];
    let at = 0;
    const take = (/** @type {(line: string) => boolean} */ fits) => {
        const begin = at;
        while (at < lines.length && fits(lines[at])) at++;
        return lines.slice(begin, at);
    };
    while (at < lines.length) {
        const line = lines[at];
        const heading = /^(#+) (.*)/.exec(line);
        if (line.trim() === "") at++;
        else if (heading) {
            at++;
            const tag = /** @type {"h1"} */ (`h${Math.min(6, heading[1].length + level - 1)}`);
            made.push(h(tag, {}, ...inline(heading[2])));
        } else if (line.startsWith("```")) {
            at++;
            made.push(h("pre", { tabindex: 0 }, take((other) => !other.startsWith("```")).join("\n")));
            at++;
        } else if (line.startsWith("|")) made.push(table(take((other) => other.startsWith("|"))));
        else if (ITEM.test(line)) made.push(list(take((other) => ITEM.test(other) || /^\s+\S/.test(other)), level));
        else {
            const paragraph = take((other) => other.trim() !== "" && !/^(#|\||```)/.test(other) && !ITEM.test(other));
            made.push(h("p", {}, ...inline(paragraph.join(" "))));
        }
    }
    return made;
}

const ITEM = /^(?:[-*]|\d+\.) +/;

/**
 * @param {string[]} lines
 * @param {number} level
 */
function list(lines, level) {
    /** @type {string[][]} */
    const items = [];
    for (const line of lines) {
        if (ITEM.test(line)) items.push([line.replace(ITEM, "")]);
        else items[items.length - 1].push(line.trim());
    }
    const tag = /^\d/.test(lines[0]) ? "ol" : "ul";
    return h(
        tag,
        {},
        ...items.map((item) => {
            const nested = item.findIndex((line, i) => i > 0 && ITEM.test(line));
            const own = nested < 0 ? item : item.slice(0, nested);
            return h("li", {}, ...inline(own.join(" ")), ...(nested < 0 ? [] : blocks(item.slice(nested), level)));
        }),
    );
}

/** @param {string[]} lines */
function table(lines) {
    const rows = lines.map((line) =>
        line
            .trim()
            .replace(/^\||\|$/g, "")
            .split("|")
            .map((cell) => cell.trim()),
    );
    const ruled = rows[1]?.every((cell) => /^:?-+:?$/.test(cell));
    const body = rows.slice(ruled ? 2 : 0);
    return h(
        "div",
        { class: "scroll", tabindex: 0, role: "group" },
        h(
            "table",
            {},
            ruled && h("thead", {}, h("tr", {}, ...rows[0].map((cell) => h("th", { scope: "col" }, ...inline(cell))))),
            h("tbody", {}, ...body.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, ...inline(cell)))))),
        ),
    );
}

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function inline(text) {
    /** @type {(Node | string)[]} */
    const made = [];
    let from = 0;
    for (const found of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)|<(https?:[^>\s]+)>/g)) {
        made.push(text.slice(from, found.index));
        const [whole, code, strong, soft, label, target, address] = found;
        if (code !== undefined) made.push(h("code", {}, code));
        else if (strong !== undefined) made.push(h("strong", {}, ...inline(strong)));
        else if (soft !== undefined) made.push(h("em", {}, ...inline(soft)));
        else made.push(link(label ?? address, target ?? address));
        from = /** @type {number} */ (found.index) + whole.length;
    }
    made.push(text.slice(from));
    return made;
}

/**
 * @param {string} label
 * @param {string} target
 */
function link(label, target) {
    return /^https?:/.test(target) ? h("a", { href: target, rel: "noreferrer" }, label) : label;
}
