/** Playing by hand: whole matches in the browser, by clicks on the board. */
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ask, browser, complaints, open, played, serious, serve } from "./harness.js";

/** Longer than a match takes on a busy machine. */
const MATCH_MS = 240_000;

let address;
let chromium;

before(async () => {
    chromium = await browser();
    address = await serve(played("kalah:pits=3", 1));
});

/** Another person: a browser context of its own, in which seeds do not fly. */
async function person(path, found) {
    const context = await chromium.newContext({ reducedMotion: "reduce" });
    const page = await context.newPage();
    found.push(complaints(page));
    await open(page, address + path);
    return page;
}

/** Sets a table up as the form does: `kinds` by seat are `here`, `link` or a bot's name. */
async function begin(page, kinds, options = {}) {
    await page.locator("details.options > summary").click();
    for (const [name, value] of Object.entries(options)) {
        const field = page.locator("details.options label", { hasText: name }).locator("select, input");
        if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(value);
        else await field.fill(value);
        await field.dispatchEvent("change");
    }
    for (const [seat, kind] of kinds.entries()) {
        const value = kind.includes(":") ? `bot:${kind}` : kind;
        await page.locator(".sitter select").nth(seat).selectOption(value);
    }
    await page.locator(".setup button[type=submit]").click();
    await page.waitForURL(/\/play\/./);
    await page.waitForSelector(".table-board .board-svg");
}

/** Clicks a legal pit whenever there is one; gives up the board when the match is over. */
async function playToTheEnd(page, ...others) {
    const pages = [page, ...others];
    for (let plies = 0; ; plies++) {
        assert.ok(plies < 2_000, "a match ends");
        const next = await Promise.any(pages.map((each) => each.waitForSelector(".legal, .result:not([hidden])", { timeout: MATCH_MS }).then(() => each)));
        const legal = next.locator(".legal");
        if ((await legal.count()) === 0) break;
        // Between looking and clicking the board may have been drawn anew; then it is looked at again.
        await legal.nth(plies % (await legal.count())).click({ timeout: 5_000 }).catch(() => {});
    }
    for (const each of pages) await each.waitForSelector(".result:not([hidden])", { timeout: MATCH_MS });
}

/** The match that was played last, as the server keeps it. */
async function last() {
    const { played } = await ask(address, "/played?limit=1");
    return played[0];
}

for (const [game, kinds, options] of [
    ["kalah", ["here", "house:greedy"], {}],
    ["layli-goobalay", ["house:greedy", "here"], {}],
    ["layli-goobalay", ["here", "house:greedy"], { ruleset: "chain" }],
    ["mancala-basic", ["here", "house:greedy"], {}],
    ["mancala-basic", ["here", "house:greedy", "house:greedy"], { seats: "3" }],
    ["mancala-basic", ["house:greedy", "house:greedy", "here", "house:greedy"], { seats: "4", pits: "4" }],
]) {
    const name = [game, ...Object.values(options)].join(" ");
    test(`a person plays ${name} against house:greedy to the end, and sees it again`, async () => {
        const found = [];
        const page = await person(`/play?game=${game}`, found);
        await begin(page, kinds, options);
        await playToTheEnd(page);
        const match = await last();
        assert.equal(match.game, game);
        assert.equal(match.names.length, kinds.length);
        assert.equal(match.end, "rules");
        await page.locator(".result a").first().click();
        await page.waitForURL(new RegExp(`/played/${match.n}$`));
        await page.waitForSelector(".replay");
        assert.deepEqual(found.flat(), []);
        await page.context().close();
    });
}

test("two browsers play each other by link", async () => {
    const found = [];
    const host = await person("/play?game=kalah", found);
    await begin(host, ["here", "link"], { pits: "3" });
    const link = await host.locator(".link input[readonly]").inputValue();
    const guest = await person(link.slice(address.length), found);
    await guest.waitForSelector(".table-board .board-svg");
    assert.equal(new URL(guest.url()).hash, "", "the token is taken out of the address");
    await playToTheEnd(host, guest);
    assert.equal((await last()).end, "rules");
    // One's own side is at the bottom.
    for (const [page, seat] of [
        [host, 0],
        [guest, 1],
    ]) {
        const tops = await page.$$eval(".row", (rows) => rows.map((row) => [row.getAttribute("class"), row.getBoundingClientRect().top]));
        const lowest = tops.reduce((low, each) => (each[1] > low[1] ? each : low));
        assert.match(lowest[0], new RegExp(`seat-${seat}\\b`));
    }
    assert.deepEqual(found.flat(), []);
    await host.context().close();
    await guest.context().close();
});

test("a reload keeps the seat, and whoever has only the address looks on", async () => {
    const found = [];
    const page = await person("/play?game=layli-goobalay", found);
    await begin(page, ["here", "house:greedy"]);
    await page.locator(".legal").first().click();
    await page.waitForSelector(".row .from");
    await page.reload();
    await page.waitForSelector(".legal", { timeout: MATCH_MS });
    const onlooker = await person(new URL(page.url()).pathname, found);
    await onlooker.waitForSelector(".table-board .board-svg");
    assert.equal(await onlooker.locator(".legal").count(), 0);
    assert.deepEqual(found.flat(), []);
    await page.context().close();
    await onlooker.context().close();
});

test("a move is taken back with the bot's reply", async () => {
    const found = [];
    const page = await person("/play?game=layli-goobalay", found);
    await begin(page, ["here", "house:greedy"]);
    const seeds = () => page.$$eval("[aria-label*=seeds]", (pits) => pits.map((pit) => pit.getAttribute("aria-label")));
    await page.waitForSelector(".legal");
    const start = await seeds();
    await page.locator(".legal").first().click();
    await page.getByRole("button", { name: "take back" }).click({ timeout: MATCH_MS });
    await page.waitForFunction(
        (before) => [...document.querySelectorAll("[aria-label*=seeds]")].map((pit) => pit.getAttribute("aria-label")).join() === before,
        start.join(),
    );
    assert.deepEqual(found.flat(), []);
    await page.context().close();
});

test("axe-core finds nothing serious at a table, in the middle and at the end", async () => {
    const found = [];
    const page = await person("/play?game=kalah", found);
    await begin(page, ["here", "house:greedy"], { pits: "3" });
    await page.waitForSelector(".legal");
    assert.deepEqual(await serious(page), []);
    await playToTheEnd(page);
    assert.deepEqual(await serious(page), []);
    assert.deepEqual(found.flat(), []);
    await page.context().close();
});
