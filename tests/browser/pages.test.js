import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ask, browser, complaints, open, played, serious, serve } from "./harness.js";

const ADDRESSES = {};
let chromium;

/** Every page of a results file with a tournament in it. */
async function pages(address) {
    const [plan] = (await ask(address, "/plans")).plans;
    const [{ match }] = (await ask(address, `/plans/${plan.id}/matches?limit=1`)).matches;
    const [a, b] = plan.bots.map(({ name }) => encodeURIComponent(name));
    const { games } = await ask(address, "/games");
    return [
        "/",
        "/live",
        "/matches",
        `/matches?bot=${a}&end=rules`,
        `/matches/${plan.id}/${match}`,
        `/bots/${plan.id}/${a}`,
        `/pairs/${plan.id}/${a}/${b}`,
        "/play",
        "/rules",
        ...games.map(({ name }) => `/rules/${name}`),
    ];
}

before(async () => {
    chromium = await browser();
    ADDRESSES.two = await serve(played("layli-goobalay:pits=4"));
    ADDRESSES.four = await serve(played("mancala-basic:seats=4,pits=4", 1, ["house:random", "house:greedy", "a=house:random", "b=house:greedy"]));
});

for (const colorScheme of ["light", "dark"]) {
    for (const seats of ["two", "four"]) {
        test(`no page complains, and axe-core finds nothing serious: ${colorScheme}, a game for ${seats}`, async () => {
            const context = await chromium.newContext({ colorScheme });
            for (const path of await pages(ADDRESSES[seats])) {
                const page = await context.newPage();
                const found = complaints(page);
                await open(page, ADDRESSES[seats] + path);
                assert.deepEqual(await serious(page), [], path);
                assert.deepEqual(found, [], path);
                assert.match(await page.title(), /. · arena$/, path);
                await page.close();
            }
            await context.close();
        });
    }
}

test("no page is wider than a small phone", async () => {
    const context = await chromium.newContext({ viewport: { width: 360, height: 720 } });
    for (const seats of ["two", "four"]) {
        for (const path of await pages(ADDRESSES[seats])) {
            const page = await context.newPage();
            await open(page, ADDRESSES[seats] + path);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, path);
            await page.close();
        }
    }
    await context.close();
});

test("an address that is no page says so", async () => {
    const page = await chromium.newPage();
    await open(page, `${ADDRESSES.two}/matches/nothing/0`);
    assert.match(await page.textContent("h1"), /Not found/);
    await page.close();
});

test("texts follow the browser's language, and the reader can choose another", async () => {
    const context = await chromium.newContext({ locale: "sw-TZ" });
    const page = await context.newPage();
    await open(page, `${ADDRESSES.two}/`);
    assert.equal(await page.getAttribute("html", "lang"), "sw");
    assert.match(await page.textContent("h1"), /Msimamo/);
    await Promise.all([page.waitForEvent("load"), page.selectOption(".language select", "en")]);
    await page.waitForSelector("main[data-ready]");
    assert.match(await page.textContent("h1"), /Standings/);
    await page.reload();
    await page.waitForSelector("main[data-ready]");
    assert.equal(await page.getAttribute("html", "lang"), "en");
    await context.close();
});
