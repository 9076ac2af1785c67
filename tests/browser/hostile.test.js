import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ask, browser, complaints, open, playedByHostileBots, serve } from "./harness.js";

let address;
let names;
let chromium;

before(async () => {
    chromium = await browser();
    const made = playedByHostileBots();
    names = made.names;
    address = await serve(made.db);
});

/** Nothing of what a bot said became an element: no picture or script but ours, no handler, no frame. */
async function inert(page, path) {
    const strange = await page.evaluate(() =>
        [...document.querySelectorAll("img, script, iframe, object, embed, form[action]")]
            .filter((element) => !/^\/(assets\/|matches$)/.test(element.getAttribute("src") ?? element.getAttribute("action") ?? ""))
            .concat([...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))))
            .map((element) => element.outerHTML.slice(0, 200)),
    );
    assert.deepEqual(strange, [], path);
}

test("C100: hostile names and texts are inert on every page", async () => {
    const page = await chromium.newPage({ reducedMotion: "reduce" });
    const found = complaints(page);
    const [plan] = (await ask(address, "/plans")).plans;
    assert.deepEqual(plan.bots.map(({ name }) => name).sort(), [...names].sort());
    const { matches } = await ask(address, `/plans/${plan.id}/matches?limit=20`);
    const faulty = (await ask(address, `/plans/${plan.id}/matches?faults=1&limit=5`)).matches;
    assert.ok(faulty.length > 0, "some of the bots have sent a text as their move");
    const name = encodeURIComponent;
    const paths = [
        "/",
        "/live",
        "/matches",
        ...[...matches, ...faulty].map(({ match }) => `/matches/${plan.id}/${match}`),
        ...names.map((one) => `/matches?bot=${name(one)}`),
        ...names.filter((one) => one !== "..").flatMap((one) => [`/bots/${plan.id}/${name(one)}`, `/pairs/${plan.id}/${name(one)}/${name(names[0])}`]),
        "/play",
        `/bots/${plan.id}/${name("<img src=x onerror=alert(1)> nobody")}`,
    ];
    for (const path of paths) {
        await open(page, address + path);
        if (path.startsWith("/matches/")) {
            await page.keyboard.press("End");
            for (const summary of await page.$$("summary")) await summary.click();
        }
        await inert(page, path);
    }
    assert.deepEqual(found.filter((text) => !text.includes("404 (Not Found)")), []);
    await page.close();
});

test("C100: a name is shown as it is written", async () => {
    const page = await chromium.newPage();
    await open(page, `${address}/`);
    const shown = await page.$$eval(".standings-table .name", (cells) => cells.map((cell) => cell.textContent));
    for (const name of names) assert.ok(shown.includes(name), name);
    for (const link of await page.$$eval(".standings-table th a", (links) => links.map((a) => a.href))) {
        await open(page, link);
        assert.doesNotMatch(await page.textContent("h1"), /Not found/, link);
    }
    await page.close();
});

test("C100: what would turn the writing or hide itself is shown as an escape", async () => {
    const page = await chromium.newPage({ reducedMotion: "reduce" });
    const [plan] = (await ask(address, "/plans")).plans;
    await open(page, `${address}/matches/${plan.id}/0`);
    await page.keyboard.press("End");
    const text = await page.evaluate(() => document.body.textContent);
    assert.doesNotMatch(text, /[\u202e\x1b\x00]/);
    await page.close();
});
