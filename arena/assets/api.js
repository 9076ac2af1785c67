/**
 * Asking the server: JSON, one request of a page at a time, and only while the page is seen. No event streams, so that
 * many tabs do not use up the browser's connections.
 */

const ROOT = "/api/v1";
/** The longest wait between two attempts while the server does not answer. */
const WAIT_MS_MAX = 30_000;
/** The wait before asking again for what is being computed. */
const COMPUTING_MS = 1000;

/** The server's answer when it is an error. */
export class ApiError extends Error {
    /**
     * @param {number} status
     * @param {string} message
     */
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function answer(response) {
    const body = await response.json().catch(() => null);
    if (!response.ok) throw new ApiError(response.status, String(body?.error ?? response.statusText));
    return body;
}

/** The server is still computing what was asked for. */
const COMPUTING = 202;

/**
 * Asks once, or until what was asked for has been computed.
 * @param {string} path below the API's root
 * @returns {Promise<any>}
 */
export async function get(path) {
    for (;;) {
        const response = await fetch(ROOT + path, { cache: "no-store" });
        const body = await answer(response);
        if (response.status !== COMPUTING) {
            tell(null);
            return body;
        }
        tell({ computing: body.computing });
        await pause(COMPUTING_MS);
    }
}

/**
 * @param {string} path
 * @param {any} body
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
export async function post(path, body, headers = {}) {
    const response = await fetch(ROOT + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
    });
    return answer(response);
}

/**
 * A path made of parts that may hold any character.
 * @param {...(string | number)} parts
 */
export function path(...parts) {
    return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/**
 * Why nothing comes: the server does not answer and is asked again in `waitMs`, or it has read some of the matches that it
 * must read first. `null`: all is well.
 * @typedef {{waitMs: number} | {computing: {read: number, matches: number}} | null} Waiting
 */

/** @type {(waiting: Waiting) => void} */
let tell = () => {};

/** @param {(waiting: Waiting) => void} listener */
export function onWaiting(listener) {
    tell = listener;
}

/** Resolves when the page is seen. */
function seen() {
    return new Promise((/** @type {(_: void) => void} */ resolve) => {
        if (!document.hidden) return resolve();
        const check = () => {
            if (document.hidden) return;
            document.removeEventListener("visibilitychange", check);
            resolve();
        };
        document.addEventListener("visibilitychange", check);
    });
}

/** @param {number} ms */
function pause(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks again and again for one thing, and tells of each new answer. */
export class Poll {
    /**
     * @param {string} path
     * @param {(body: any) => void} onanswer
     * @param {object} [options]
     * @param {number} [options.everyMs]
     * @param {Record<string, string>} [options.headers]
     * @param {(error: ApiError) => void} [options.onrefused] the server answers, but not with what was asked for; asking ends
     */
    constructor(path, onanswer, options = {}) {
        const { everyMs = 1000, headers = {}, onrefused = () => {} } = options;
        this.path = path;
        this.onanswer = onanswer;
        this.onrefused = onrefused;
        this.everyMs = everyMs;
        this.headers = headers;
        this.stopped = false;
        /** Counts up when an answer that is under way has become stale. */
        this.turn = 0;
        void this.run();
    }

    async run() {
        /** @type {string | null} */
        let tag = null;
        let waitMs = this.everyMs;
        while (!this.stopped) {
            await seen();
            if (this.stopped) return;
            const { turn } = this;
            try {
                /** @type {Record<string, string>} */
                const headers = { ...this.headers };
                if (tag) headers["If-None-Match"] = tag;
                const response = await fetch(ROOT + this.path, { headers, cache: "no-store" });
                const body = response.status === 304 ? null : await answer(response);
                const computing = response.status === COMPUTING;
                if (!computing) tag = response.headers.get("ETag") ?? tag;
                if (waitMs !== this.everyMs) tell(null);
                waitMs = this.everyMs;
                if (body !== null && !computing && turn === this.turn && !this.stopped) this.onanswer(body);
            } catch (error) {
                if (error instanceof ApiError && error.status < 500) {
                    this.onrefused(error);
                    return;
                }
                if (!(error instanceof ApiError || error instanceof TypeError)) throw error;
                waitMs = Math.min(WAIT_MS_MAX, waitMs * 2);
                tell({ waitMs });
            }
            await pause(waitMs);
        }
    }

    /** An answer that has been sent before now is not told any more. */
    outdate() {
        this.turn += 1;
    }

    stop() {
        this.stopped = true;
    }
}
