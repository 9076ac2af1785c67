import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ask, browser, complaints, open, played, serious, serve } from "./harness.js";

let chromium;
/** A game for two, and one for four. */
let two;
let four;

before(async () => {
    chromium = await browser();
    const bots = ["house:random", "house:greedy", "a-bot-whose-name-is-rather-long-for-a-phone=house:random"];
    two = await serve(played("layli-goobalay:pits=4", 2, bots));
    four = await serve(played("mancala-basic:seats=4,pits=4", 1, ["house:random", "house:greedy", "a=house:random", "b=house:greedy"]));
});

/** Every page of a results file with a tournament in it; those where the number of seats matters, for four seats too. */
async function pages() {
    const [plan] = (await ask(two, "/plans")).plans;
    const [{ match }] = (await ask(two, `/plans/${plan.id}/matches?limit=1`)).matches;
    const [a, b] = plan.bots.map(({ name }) => encodeURIComponent(name));
    const { games } = await ask(two, "/games");
    const [planOfFour] = (await ask(four, "/plans")).plans;
    const table = async (game, seats) => {
        const body = JSON.stringify({ game, seats: [{ person: "Asha" }, ...Array(seats - 1).fill({ person: "Juma" })] });
        const headers = { "Content-Type": "application/json", Origin: two };
        return (await (await fetch(`${two}/api/v1/tables`, { method: "POST", headers, body })).json()).table;
    };
    return [
        "/",
        "/live",
        "/matches",
        `/matches?bot=${a}&end=rules`,
        `/matches/${plan.id}/${match}`,
        `/bots/${plan.id}/${a}`,
        `/pairs/${plan.id}/${a}/${b}`,
        "/play",
        `/play/${await table("kalah:pits=12", 2)}`,
        `/play/${await table("mancala-basic:seats=3", 3)}`,
        "/rules",
        ...games.map(({ name }) => `/rules/${name}`),
    ]
        .map((path) => two + path)
        .concat(["/", `/matches/${planOfFour.id}/0`].map((path) => four + path));
}

for (const colorScheme of ["light", "dark"]) {
    test(`no page complains, and axe-core finds nothing serious: ${colorScheme}`, async () => {
        const page = await chromium.newPage({ colorScheme });
        const found = complaints(page);
        for (const address of await pages()) {
            await open(page, address);
            assert.deepEqual(await serious(page), [], address);
            assert.deepEqual(found, [], address);
            assert.match(await page.title(), /. · arena$/, address);
        }
        await page.close();
    });
}

test("no page is wider than a small phone", async () => {
    const page = await chromium.newPage({ viewport: { width: 360, height: 720 } });
    for (const address of await pages()) {
        await open(page, address);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, address);
    }
    await page.close();
});

test("an address that is no page says so", async () => {
    const page = await chromium.newPage();
    await open(page, `${two}/matches/nothing/0`);
    assert.match(await page.textContent("h1"), /Not found/);
    await page.close();
});

test("texts follow the browser's language, and the reader can choose another", async () => {
    const context = await chromium.newContext({ locale: "sw-TZ" });
    const page = await context.newPage();
    await open(page, `${two}/`);
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
