/**
 * Elements made by calls, the only way anything gets into a page: text stays text, whoever wrote it.
 *
 * Styles are classes, or attributes of SVG: the content security policy forbids `style`.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes a function is a listener (`onclick`), `true` an empty attribute; `null`, `undefined` and `false` none
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name === "style" || (name.startsWith("on") && typeof value !== "function")) {
            throw new Error(`attribute ${name} is not set on an element: use a class, or a function`);
        }
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
    }
    for (const child of children) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(typeof child === "number" ? String(child) : child);
        }
    }
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    fill(element, attributes, children);
    return element;
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    fill(element, attributes, children);
    return element;
}

/**
 * Text of a bot, a name or a file, fit to be shown: control characters and marks that turn the direction of writing
 * become visible, and it is cut.
 * @param {unknown} text
 * @param {number} [max] characters
 */
export function shown(text, max = 200) {
    const characters = [...String(text)];
    const cut = characters.length > max;
    return (
        characters
            .slice(0, max)
            .map((c) => (/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(c) ? escaped(c) : c))
            .join("") + (cut ? "…" : "")
    );
}

/** @param {string} character */
function escaped(character) {
    return `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`;
}

/**
 * Text of several lines, as [`shown`] but with its line ends.
 * @param {unknown} text
 * @param {number} [max]
 */
export function shownLines(text, max = 20000) {
    return String(text)
        .slice(0, max)
        .split(/\r?\n/)
        .map((line) => shown(line.replaceAll("\t", "    "), max))
        .join("\n");
}

/**
 * A name, apart from the writing around it.
 * @param {unknown} name
 * @returns {HTMLElement}
 */
export function nameOf(name) {
    const text = shown(name, 80);
    return h("bdi", { class: "name", title: [...text].length > 24 ? text : null }, text.trim() === "" ? "∅" : text);
}
