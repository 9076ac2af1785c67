/**
 * The language of the page. All texts are in `en.js` and `sw.js`; adding a language is its file and its line here.
 */
import { en } from "./en.js";
import { sw } from "./sw.js";

/** @typedef {keyof typeof en} Key */

/** @type {Record<string, Record<Key, string>>} */
export const languages = { en, sw };

const REMEMBERED = "language";

/**
 * The language of a document that has but one, such as a report; else what the reader chose, else the first language of the
 * browser that there is, else English.
 * @returns {string}
 */
function chosen() {
    const { lang, dataset } = document.documentElement;
    if ("oneLanguage" in dataset) return lang;
    let remembered = null;
    try {
        remembered = localStorage.getItem(REMEMBERED);
    } catch {
        // A page opened from disk may have no storage: then the browser's languages decide.
    }
    const wanted = [remembered, ...navigator.languages.map((tag) => tag.split("-")[0].toLowerCase())];
    return wanted.find((code) => code !== null && Object.hasOwn(languages, code)) ?? "en";
}

/** The language in force. */
export const language = chosen();

/** @param {string} code */
export function choose(code) {
    try {
        localStorage.setItem(REMEMBERED, code);
    } catch {
        // Without storage the choice holds for this page only, which is about to be loaded again: nothing to do.
    }
    location.reload();
}

/**
 * The text called `key`, its `{name}` filled in.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
    return languages[language][key].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * Seats are 1-based for people.
 * @param {number} seat
 */
export function seatText(seat) {
    return t("seat", { seat: seat + 1 });
}

/**
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function number(value, digits = 0) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    return value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * A share as a percentage.
 * @param {number | null | undefined} share
 */
export function percent(share) {
    return share === null || share === undefined ? "–" : `${number(100 * share, 1)} %`;
}

/**
 * A time a move or a match took, in the unit that reads best.
 * @param {number | null | undefined} us
 */
export function duration(us) {
    if (us === null || us === undefined || !Number.isFinite(us)) return "–";
    if (us < 1000) return `${number(us)} µs`;
    if (us < 1e6) return `${number(us / 1000, us < 1e4 ? 1 : 0)} ms`;
    if (us < 6e7) return `${number(us / 1e6, 1)} s`;
    return `${Math.floor(us / 6e7)} min ${Math.round((us % 6e7) / 1e6)} s`;
}
