import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { arena, browser, complaints, open, played, playedByHostileBots, serious } from "./harness.js";

const chromium = await browser();

/** The report of a results file, written beside it. */
function reported(db, ...args) {
    const file = join(dirname(db), "report.html");
    arena("report", "--db", db, "-o", file, ...args);
    return file;
}

/**
 * Opens a report from disk. Every request beside the file itself is refused, and told.
 * @returns {Promise<{page: import("playwright-core").Page, found: string[]}>}
 */
async function opened(file, options = {}, hash = "") {
    const context = await chromium.newContext({ offline: true, reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    const found = complaints(page);
    const address = `file://${file}`;
    await page.route("**/*", (route) => {
        const { url } = { url: route.request().url() };
        if (url.split("#")[0] === address || url.startsWith("data:")) return route.continue();
        found.push(`asks for ${url}`);
        return route.abort();
    });
    await open(page, address + hash);
    return { page, found };
}

/** What is drawn: seeds by seat, the store last. */
function drawn(page) {
    return page.$$eval(".board-svg .row", (rows) => rows.map((row) => [...row.querySelectorAll(".count")].map((count) => Number(count.textContent))));
}

/** The data of a report. */
function data(file) {
    const [, json] = readFileSync(file, "utf8").match(/id="data">(.*?)<\/script>/s) ?? [];
    return JSON.parse(json ?? "");
}

for (const game of ["kalah", "layli-goobalay:pits=4", "mancala-basic:seats=4,pits=4"]) {
    const bots = ["house:random", "house:greedy", "second=house:random", "third=house:random"];

    test(`a report works from disk without a network: ${game}`, async () => {
        const file = reported(played(game, 2, bots));
        const { page, found } = await opened(file);
        assert.equal(await page.locator("#standings tbody tr").count(), 4);
        for (const chart of ["history", "lengths", "times"]) {
            assert.ok((await page.locator(`#chart-${chart} canvas`).count()) > 0, `${chart} is drawn`);
        }
        const { matches } = data(file);
        assert.match((await page.textContent("#match-list [role=status]")) ?? "", new RegExp(`^${matches.length} of ${matches.length} `));
        assert.deepEqual(found, []);
        await page.context().close();
    });

    test(`a replay in a report steps to the recorded end: ${game}`, async () => {
        const file = reported(played(game, 1, bots));
        const { films } = data(file);
        const { page, found } = await opened(file);
        for (const [id, film] of Object.entries(films).slice(0, 3)) {
            await page.evaluate((hash) => (location.hash = hash), `match-${id}`);
            await page.getByRole("heading", { name: `Match ${id}`, exact: true }).waitFor();
            const next = page.getByRole("button", { name: "one ply on" });
            for (const _ of film.frames) await next.click();
            assert.deepEqual(await drawn(page), film.end.rows.map((row) => [...row.seeds, row.store]));
            assert.equal(await page.locator(".problem").count(), 0);
        }
        assert.deepEqual(found, []);
        await page.context().close();
    });
}

test("a cell of the cross table leads to its matches, and the way back to all", async () => {
    const file = reported(played("kalah", 3));
    const { page, found } = await opened(file);
    await page.locator("#crosstable td a").first().click();
    await page.waitForFunction(() => document.querySelector("#match-list [role=status]")?.textContent?.startsWith("6 of 18"));
    const names = await page.$$eval("#match-list tbody td.names", (cells) => [...new Set(cells.map((cell) => cell.textContent.split(", ").sort().join()))]);
    assert.equal(names.length, 1);
    await page.goBack();
    await page.goto(`file://${file}#matches`);
    await page.waitForFunction(() => document.querySelector("#match-list [role=status]")?.textContent?.startsWith("18 of 18"));
    assert.deepEqual(found, []);
    await page.context().close();
});

test("the list is filtered and paged by keys alone, and the focus stays", async () => {
    const file = reported(played("kalah", 40, ["house:random", "house:greedy"]));
    const { page, found } = await opened(file);
    const says = (text) =>
        page.waitForFunction((text) => document.querySelector("#match-list [role=status]")?.textContent?.includes(text), text);
    await page.getByRole("button", { name: "next" }).focus();
    await page.keyboard.press("Enter");
    await says("page 2 of 2");
    await page.getByLabel("end").focus();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => location.hash.includes("end=rules"));
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-key")), "end");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => document.querySelector("#match-list [role=status]")?.textContent?.startsWith("0 of 80 "));
    await page.keyboard.press("Space");
    await says("80 of 80 ");
    // The way into the page: the first stop leads past the contents.
    await page.evaluate(() => document.activeElement?.blur());
    await page.reload();
    await page.waitForSelector("main[data-ready]");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.className), "skip");
    assert.deepEqual(found, []);
    await page.context().close();
});

test("hostile names and texts stay text in a report", async () => {
    const { db, names } = playedByHostileBots();
    const file = reported(db);
    const { page, found } = await opened(file);
    const shown = await page.$$eval("#standings tbody bdi", (all) => all.map((one) => one.textContent));
    assert.deepEqual([...shown].sort(), [...names].sort());
    for (const id of Object.keys(data(file).films)) {
        await page.evaluate((hash) => (location.hash = hash), `match-${id}`);
        await page.getByRole("heading", { name: `Match ${id}`, exact: true }).waitFor();
        await page.getByRole("button", { name: "to the end" }).click();
        if (Number(id) > 20) break;
    }
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(found, []);
    await page.context().close();
});

test("markup that got into a report would not run", async () => {
    const file = reported(played("kalah", 1));
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("<main>", "<main><script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"));
    const { page, found } = await opened(file);
    assert.notEqual(await page.title(), "run");
    assert.ok(found.some((complaint) => complaint.includes("Content Security Policy")), found.join("\n"));
    await page.context().close();
});

test("a report can be read without scripts", async () => {
    const file = reported(played("kalah", 1));
    const context = await chromium.newContext({ offline: true, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    assert.equal(await page.locator("#standings tbody tr").count(), 3);
    assert.equal(await page.locator("#crosstable tbody tr").count(), 3);
    assert.match((await page.textContent("noscript")) ?? "", /need JavaScript/);
    await context.close();
});

for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [360, "light"], [360, "dark"]]) {
    test(`axe-core finds nothing serious in a report, ${width} px wide, ${colorScheme}`, async () => {
        const file = reported(played("kalah", 2));
        const [id] = Object.keys(data(file).films);
        const { page, found } = await opened(file, { viewport: { width, height: 800 }, colorScheme }, `#match-${id}`);
        await page.locator(".replay").waitFor();
        assert.deepEqual(await serious(page), []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, "nothing sticks out");
        assert.deepEqual(found, []);
        await page.context().close();
    });
}

test("an empty results file makes a report without complaints", async () => {
    const db = played("kalah", 1);
    const file = reported(db);
    assert.ok(existsSync(file));
    // The list of a report without matches, as the program writes it.
    const empty = { length: 0, seatings: [], outcomes: [], ids: [], seating: [], outcome: [], points: [], plies: [], tenths: [], faults: [] };
    const json = JSON.stringify({ ...data(file), seats: 0, history: { at: [], ratings: [] }, lengths: [], matches: empty, films: {} });
    writeFileSync(file, readFileSync(file, "utf8").replace(/(id="data">).*?(<\/script>)/s, (_, start, end) => start + json + end));
    const { page, found } = await opened(file);
    assert.match((await page.textContent("#match-list [role=status]")) ?? "", /^0 of 0 /);
    assert.deepEqual(found, []);
    await page.context().close();
});

test("a report is in English whatever the browser speaks", async () => {
    const { page, found } = await opened(reported(played("kalah")), { locale: "sw-KE" });
    const summaries = await page.$$eval("figure summary", (all) => all.map((one) => one.textContent));
    assert.ok(summaries.length > 0);
    assert.deepEqual([...new Set(summaries)], ["The numbers as a table"]);
    assert.deepEqual(found, []);
    await page.context().close();
});
