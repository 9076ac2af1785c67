/**
 * What the browser tests share: a results file made by real runs, the program that serves it, and a browser that tells of
 * every error on a page.
 *
 * The program is `target/debug/arena-under-test`, or what ARENA names; the browser is /usr/bin/chromium, or what CHROMIUM
 * names.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { HOSTILE } from "./hostile.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const ARENA = process.env.ARENA ?? join(HERE, "../../target/debug/arena-under-test");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];
/** How long a browser may take for one thing before a test gives it up. */
const PATIENCE_MS = 180_000;
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * What is to be done once the tests of a file are over: it is begun within hooks and tests, whose own `after` comes too early.
 * @type {(() => unknown)[]}
 */
const endings = [];
after(async () => {
    for (const end of endings.reverse()) await end();
});

/** Ends something once the tests of the file are over. */
export function atEnd(end) {
    endings.push(end);
}

/** A directory that is gone after the tests of the file. */
export function scratch() {
    const directory = mkdtempSync(join(tmpdir(), "arena-browser-"));
    atEnd(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
}

/** Runs the program to its end. */
export function arena(...args) {
    assert.ok(existsSync(ARENA), `${ARENA}: no such program; cargo build -p mancala-arena-tests makes it`);
    return execFileSync(ARENA, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

/** A tournament among house bots, played to its end. */
export function played(game, rotations = 2, bots = ["house:random", "house:greedy", "twin=house:random"]) {
    const db = join(scratch(), "arena.db");
    arena("run", "--game", game, "--rotations", String(rotations), "--db", db, ...bots);
    return db;
}

/**
 * A tournament among bots that are called by hostile names and say hostile things at every occasion.
 * @returns {{db: string, names: string[]}}
 */
export function playedByHostileBots() {
    const directory = scratch();
    const db = join(directory, "arena.db");
    // A name in a league file prints, is not empty and has no blank at its ends: the others come in through what bots say.
    const names = HOSTILE.filter((name) => /^[^\p{Cc}\p{Cf}]{1,60}$/u.test(name) && name === name.trim() && name !== "");
    const toml = ['game = "kalah:pits=3,seeds=2"', "rotations = 1", "opening_plies = 0", ""];
    names.forEach((name, i) => {
        const command = [process.execPath, join(HERE, "hostile-bot.js"), String(i)];
        toml.push("[[bot]]", `name = ${JSON.stringify(name)}`, `command = ${JSON.stringify(command)}`, "");
    });
    const league = join(directory, "league.toml");
    writeFileSync(league, toml.join("\n"));
    arena("run", league, "--db", db);
    return { db, names };
}

/**
 * Serves a results file until the tests of the file are over.
 * @returns {Promise<string>} the address
 */
export async function serve(db) {
    const server = spawn(ARENA, ["serve", "--db", db, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
    atEnd(() => server.kill());
    const lines = createInterface({ input: server.stdout });
    for await (const line of lines) {
        if (line.startsWith("http://")) return line.trim();
    }
    throw new Error("the server has ended before it named its address");
}

/**
 * A browser for the tests of a file: `newContext` and `newPage` as Playwright has them, patient, for a machine that is busy.
 */
export async function browser() {
    const started = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS, timeout: PATIENCE_MS });
    atEnd(() => started.close());
    const newContext = async (options) => {
        const context = await started.newContext(options);
        context.setDefaultTimeout(PATIENCE_MS);
        return context;
    };
    const newPage = async (options) => (await newContext(options)).newPage();
    return { newContext, newPage };
}

/** Whatever a page complains of: errors of scripts, of the console, dialogs, refused requests. */
export function complaints(page) {
    const found = [];
    page.on("pageerror", (error) => found.push(`error: ${error.message}`));
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) found.push(`${message.type()}: ${message.text()}`);
    });
    page.on("dialog", async (dialog) => {
        found.push(`dialog: ${dialog.message()}`);
        await dialog.dismiss();
    });
    return found;
}

/** Opens an address and waits until its page is drawn. */
export async function open(page, address) {
    await page.goto(address);
    await page.waitForSelector("main[data-ready]");
}

/** What axe-core finds serious or worse. */
export async function serious(page) {
    // Evaluated by the debugger, which the content security policy of the page does not bind.
    await page.evaluate(readFileSync(AXE, "utf8"));
    const { violations } = await page.evaluate(() => window.axe.run(document));
    return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

/** Asks the server's API. */
export async function ask(address, path) {
    for (;;) {
        const response = await fetch(`${address}/api/v1${path}`);
        assert.ok(response.ok, `${path}: ${response.status} ${response.statusText}`);
        if (response.status !== 202) return response.json();
        await setTimeout(100);
    }
}
