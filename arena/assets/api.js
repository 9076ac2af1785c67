/**
 * Asking the server: JSON, one request of a page at a time, and only while the page is seen. No event streams, so that
 * many tabs do not use up the browser's connections.
 */

const ROOT = "/api/v1";
/** The longest wait between two attempts while the server does not answer. */
const WAIT_MS_MAX = 30_000;

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

/**
 * @param {string} path below the API's root
 * @returns {Promise<any>}
 */
export async function get(path) {
    return answer(await fetch(ROOT + path, { cache: "no-store" }));
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
 * What is told when the server stops answering, and when it answers again: the milliseconds until the next attempt, or `null`.
 * @type {(waitMs: number | null) => void}
 */
let tellConnection = () => {};

/** @param {(waitMs: number | null) => void} listener */
export function onConnection(listener) {
    tellConnection = listener;
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
                tag = response.headers.get("ETag") ?? tag;
                if (waitMs !== this.everyMs) tellConnection(null);
                waitMs = this.everyMs;
                if (body !== null && turn === this.turn && !this.stopped) this.onanswer(body);
            } catch (error) {
                if (error instanceof ApiError && error.status < 500) {
                    this.onrefused(error);
                    return;
                }
                if (!(error instanceof ApiError || error instanceof TypeError)) throw error;
                waitMs = Math.min(WAIT_MS_MAX, waitMs * 2);
                tellConnection(waitMs);
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
