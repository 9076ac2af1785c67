import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { ARENA, ask, atEnd, browser, complaints, open, scratch, serve } from "./harness.js";

const TABS = 20;
let address;
let chromium;

before(async () => {
    chromium = await browser();
    const db = join(scratch(), "arena.db");
    // Goes on until the tests end it, however busy the machine is with twenty tabs.
    const slow = `${process.execPath} ${fileURLToPath(new URL("slow-bot.js", import.meta.url))}`;
    const how = ["--rotations", "10000", "--jobs", "2", "--guard", "off", "--move-ms", "60000"];
    const run = spawn(ARENA, ["run", "--game", "kalah:pits=4", ...how, "--db", db, `a=${slow}`, `b=${slow}`, "house:greedy"], {
        stdio: ["ignore", "ignore", "inherit"],
    });
    atEnd(() => run.kill());
    // The file is there before it is a results file.
    while (address === undefined) {
        assert.equal(run.exitCode, null, "the run has ended before it made a results file");
        if (existsSync(db)) address = await serve(db).catch(() => undefined);
        else await setTimeout(100);
    }
    for (;;) {
        const { plans } = await ask(address, "/plans");
        if (plans[0]?.matches > 0) break;
        await setTimeout(100);
    }
});

const counted = (page) => page.textContent(".progress > span:last-child");

test("standings move on while a run plays", async () => {
    const page = await chromium.newPage();
    const found = complaints(page);
    await open(page, `${address}/`);
    await page.waitForSelector(".badge.running");
    const text = await counted(page);
    await page.waitForFunction((before) => document.querySelector(".progress > span:last-child").textContent !== before, text);
    assert.deepEqual(found, []);
    await page.close();
});

test("boards of the run are drawn, and plies come in", async () => {
    const page = await chromium.newPage();
    const found = complaints(page);
    await open(page, `${address}/live`);
    await page.waitForSelector(".live-grid .board-svg");
    const board = () => page.$eval(".live-grid", (grid) => grid.textContent);
    const text = await board();
    await page.waitForFunction((before) => document.querySelector(".live-grid").textContent !== before, text);
    assert.deepEqual(found, []);
    await page.close();
});

test("C101: twenty tabs all load and all move on", async () => {
    const context = await chromium.newContext();
    const pages = await Promise.all([...Array(TABS)].map(() => context.newPage()));
    await Promise.all(pages.map((page) => open(page, `${address}/`)));
    await Promise.all(pages.map((page) => page.waitForSelector(".progress")));
    const texts = await Promise.all(pages.map(counted));
    for (const [i, page] of pages.entries()) {
        await page.bringToFront();
        await page.waitForFunction((before) => document.querySelector(".progress > span:last-child").textContent !== before, texts[i]);
    }
    await context.close();
});

test("a page says when the server is away, and goes on when it is back", async () => {
    const page = await chromium.newPage();
    await open(page, `${address}/`);
    await page.waitForSelector(".progress");
    await page.route("**/api/**", (route) => route.abort());
    await page.waitForSelector(".connection.away:not(:empty)");
    await page.unroute("**/api/**");
    await page.waitForFunction(() => document.querySelector(".connection").textContent === "");
    await page.close();
});
