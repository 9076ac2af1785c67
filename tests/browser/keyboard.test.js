import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ask, browser, complaints, open, played, serve } from "./harness.js";

let address;
let chromium;

before(async () => {
    chromium = await browser();
    address = await serve(played("kalah:pits=4", 1));
});

/** Presses Tab until the focused element is `wanted`. */
async function tabTo(page, wanted) {
    for (let i = 0; i < 80; i++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate((selector) => document.activeElement?.matches(selector), wanted)) return;
    }
    assert.fail(`Tab does not reach ${wanted}`);
}

test("from the standings to a replay and through it, by keys alone", async () => {
    const page = await chromium.newPage({ reducedMotion: "reduce" });
    const found = complaints(page);
    await open(page, `${address}/`);
    await tabTo(page, "nav a[href^='/matches']");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".match-table");
    await tabTo(page, ".match-table a");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".replay");
    await tabTo(page, ".replay-plies");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.match(await page.textContent(".replay-count"), /^2 /);
    await page.keyboard.press("End");
    const [, at, all] = /^(\d+) \/ (\d+)$/.exec(await page.textContent(".replay-count"));
    assert.equal(at, all);
    assert.deepEqual(found, []);
    await page.close();
});

test("a table is set up and a move chosen by keys alone", async () => {
    const page = await chromium.newPage({ reducedMotion: "reduce" });
    const found = complaints(page);
    await open(page, `${address}/play?game=kalah`);
    await tabTo(page, ".setup button[type=submit]");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/play\/./);
    await page.waitForSelector(".legal");
    await tabTo(page, ".legal");
    const first = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), first);
    assert.match(first, /^pit \d+, \d+ seeds$/);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".row.seat-0 .from, .row.seat-1 .from");
    assert.deepEqual(found, []);
    await page.close();
});

test("the focus is seen on every control", async () => {
    const page = await chromium.newPage();
    const [plan] = (await ask(address, "/plans")).plans;
    await open(page, `${address}/matches/${plan.id}/0`);
    for (let i = 0; i < 25; i++) {
        await page.keyboard.press("Tab");
        const seen = await page.evaluate(() => {
            const element = document.activeElement;
            return element === document.body || getComputedStyle(element).outlineStyle !== "none" || element.matches(".skip");
        });
        assert.ok(seen, await page.evaluate(() => document.activeElement.outerHTML.slice(0, 200)));
    }
    await page.close();
});
