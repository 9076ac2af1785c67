import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ask, browser, complaints, open, played, serve } from "./harness.js";

let chromium;
const GAMES = ["kalah:pits=4", "layli-goobalay", "layli-goobalay:ruleset=chain,pits=4", "mancala-basic:seats=3,pits=4"];

before(async () => {
    chromium = await browser();
});

/** What is drawn: seeds by seat, the store last. */
function drawn(page) {
    return page.$$eval(".board-svg .row", (rows) => rows.map((row) => [...row.querySelectorAll(".count")].map((count) => Number(count.textContent))));
}

for (const game of GAMES) {
    test(`a replay steps to the recorded end: ${game}`, async () => {
        const address = await serve(played(game, 1));
        const [plan] = (await ask(address, "/plans")).plans;
        const { matches } = await ask(address, `/plans/${plan.id}/matches?limit=3`);
        const page = await chromium.newPage({ reducedMotion: "reduce" });
        const found = complaints(page);
        for (const { match } of matches) {
            const { film } = await ask(address, `/plans/${plan.id}/matches/${match}`);
            await open(page, `${address}/matches/${plan.id}/${match}`);
            for (const _ of film.frames) await page.keyboard.press("ArrowRight");
            assert.deepEqual(await drawn(page), film.end.rows.map((row) => [...row.seeds, row.store]));
            assert.equal(await page.textContent(".replay-count"), `${film.frames.length} / ${film.frames.length}`);
            await page.keyboard.press("Home");
            assert.deepEqual(await drawn(page), film.start.rows.map((row) => [...row.seeds, row.store]));
            assert.equal(await page.$$eval(".problem", (problems) => problems.length), 0);
        }
        assert.deepEqual(found, []);
        await page.close();
    });
}

test("a ply is shown seed by seed, and a jump breaks it off", async () => {
    const address = await serve(played("kalah", 1));
    const [plan] = (await ask(address, "/plans")).plans;
    const { film } = await ask(address, `/plans/${plan.id}/matches/0`);
    const page = await chromium.newPage();
    await open(page, `${address}/matches/${plan.id}/0`);
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".hand .hand-count");
    await page.keyboard.press("End");
    assert.deepEqual(await drawn(page), film.end.rows.map((row) => [...row.seeds, row.store]));
    await page.close();
});

test("a replay plays by itself to its end", async () => {
    const address = await serve(played("mancala-basic:pits=6,seeds=3", 1));
    const [plan] = (await ask(address, "/plans")).plans;
    const { film } = await ask(address, `/plans/${plan.id}/matches/0`);
    const page = await chromium.newPage({ reducedMotion: "reduce" });
    await open(page, `${address}/matches/${plan.id}/0`);
    await page.selectOption(".replay-tools select", { label: "jump" });
    await page.getByRole("button", { name: "play", exact: true }).click();
    const all = `${film.frames.length} / ${film.frames.length}`;
    await page.waitForFunction((text) => document.querySelector(".replay-count").textContent === text, all);
    assert.deepEqual(await drawn(page), film.end.rows.map((row) => [...row.seeds, row.store]));
    await page.close();
});
