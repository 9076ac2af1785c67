/** The seats that this browser holds, by table: what makes it possible to come back after a reload. */

/** @typedef {{seat: number, token: string, here: boolean}} Held `here`: its person sits at this screen, else the link is given away */

/** @param {string} table */
const key = (table) => `table:${table}`;

/**
 * Where the browser keeps nothing, seats last as long as the page.
 * @type {Map<string, string>}
 */
const passing = new Map();

/**
 * @param {string} table
 * @param {Held[]} seats
 */
export function remember(table, seats) {
    const text = JSON.stringify(seats);
    passing.set(key(table), text);
    try {
        localStorage.setItem(key(table), text);
    } catch {
        // See `passing`.
    }
}

/**
 * @param {string} table
 * @returns {Held[]}
 */
export function held(table) {
    let text = passing.get(key(table)) ?? null;
    try {
        text = localStorage.getItem(key(table)) ?? text;
    } catch {
        // See `passing`.
    }
    return text === null ? [] : JSON.parse(text);
}

/**
 * The seats held at a table, and the one that the address hands over, which is taken out of the address.
 * @param {string} table
 * @returns {Held[]}
 */
export function take(table) {
    const handed = new URLSearchParams(location.hash.slice(1));
    const token = handed.get("token");
    const seat = Number(handed.get("seat"));
    const seats = held(table);
    if (token === null || !Number.isInteger(seat)) return seats;
    const all = [...seats.filter((other) => other.seat !== seat), { seat, token, here: true }];
    remember(table, all);
    history.replaceState(null, "", location.pathname + location.search);
    return all;
}

/**
 * The address that hands a seat to another browser.
 * @param {string} table
 * @param {Held} seat
 */
export function seatLink(table, { seat, token }) {
    return `${location.origin}/play/${encodeURIComponent(table)}#${new URLSearchParams({ seat: String(seat), token })}`;
}
