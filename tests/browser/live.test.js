import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";

import { ARENA, ask, atEnd, browser, complaints, open, scratch, serve } from "./harness.js";

const TABS = 20;
let address;
let chromium;

before(async () => {
    chromium = await browser();
    const db = join(scratch(), "arena.db");
    // Slow enough to go on while the tests look at it, and ended by them.
    const bots = ["house:greedy", "house:mcts,ms=40", "other=house:mcts,ms=40"];
    const run = spawn(ARENA, ["run", "--game", "kalah", "--rotations", "10000", "--db", db, ...bots], { stdio: "ignore" });
    atEnd(() => run.kill());
    for (let i = 0; i < 600; i++) {
        try {
            address = await serve(db);
            break;
        } catch {
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    }
    for (;;) {
        const { plans } = await ask(address, "/plans");
        if (plans[0]?.matches > 0) break;
        await new Promise((resolve) => setTimeout(resolve, 100));
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
