import assert from "node:assert/strict";
import { test } from "node:test";

import { Boards, after, notation, parse, placeOf } from "../../../arena/assets/film.js";

const row = (seeds, store = 0, in_play = true) => ({ seeds, owners: seeds.map(() => null), store, in_play });
const kalah = { rows: [row([4, 4]), row([4, 4])], to_move: 0 };

test("places are letters, through a row and its store, then the next row", () => {
    assert.deepEqual(placeOf("A", 2), { seat: 0, pit: 0 });
    assert.deepEqual(placeOf("C", 2), { seat: 0, pit: 2 });
    assert.deepEqual(placeOf("D", 2), { seat: 1, pit: 0 });
    assert.deepEqual(placeOf("a", 6), { seat: 3, pit: 5 });
    assert.throws(() => placeOf("?", 6), /not a place/);
});

test("a ply takes seeds in hand and lets them fall one by one", () => {
    const { view, hand } = after(kalah, { ply: 0, seat: 0, move: 1, steps: "^BCDEA", to_move: 1 }, 2);
    assert.equal(notation(view), "5,0/5,5 1,0 2");
    assert.equal(hand, 0);
});

test("the board before a ply is left as it was", () => {
    after(kalah, { ply: 0, seat: 0, move: 1, steps: "^BCDEA", to_move: 1 }, 2);
    assert.equal(notation(kalah), "4,4/4,4 0,0 1");
});

test("a capture carries all seeds of a place to another", () => {
    const { view } = after(kalah, { ply: 0, seat: 0, move: 0, steps: "*AC*DC", to_move: null }, 2);
    assert.equal(notation(view), "0,4/0,4 8,0 -");
});

test("an uur keeps its owner, whose seat counts from 1 for people", () => {
    const { view } = after(kalah, { ply: 0, seat: 1, move: 0, steps: "!A1", to_move: 0 }, 2);
    assert.equal(notation(view), "4u2,4/4,4 0,0 1");
});

test("an endless relay puts the board back as it was before the ply", () => {
    const { view, hand } = after(kalah, { ply: 0, seat: 0, move: 0, steps: "^ABCD~", to_move: 1 }, 2);
    assert.equal(notation(view), "4,4/4,4 0,0 2");
    assert.equal(hand, 0);
});

test("seats that are out have left the board", () => {
    const { view } = after(kalah, { ply: 0, seat: 1, left: "fault", to_move: null, out: [1] }, 2);
    assert.deepEqual(view.rows.map(({ in_play }) => in_play), [true, false]);
});

const film = (end) => ({
    names: ["a", "b"],
    seats: 2,
    pits: 2,
    start: kalah,
    frames: [{ ply: 0, seat: 0, move: 1, steps: "^BCDEA", to_move: 1 }],
    end,
});

test("a film that leads to its recorded end has nothing wrong with it", () => {
    assert.equal(new Boards(film({ rows: [row([5, 0], 1), row([5, 5])], to_move: 1 })).check(), null);
});

test("a film that leads elsewhere is told by what differs", () => {
    assert.equal(
        new Boards(film({ rows: [row([5, 0], 2), row([5, 5])], to_move: 1 })).check(),
        "the store of seat 1 ends with 1; expected 2",
    );
    assert.equal(
        new Boards(film({ rows: [row([5, 0], 1), row([4, 5])], to_move: 1 })).check(),
        "the row of seat 2 ends as 5,5; expected 4,5",
    );
});

test("seeds that stay in hand are told", () => {
    const wrong = film(null);
    wrong.frames[0].steps = "^BCD";
    assert.equal(new Boards(wrong).check(), "ply 0: 2 seeds stay in hand; expected 0");
});

test("boards can be asked for in any order", () => {
    const boards = new Boards(film(null));
    assert.equal(notation(boards.at(1)), "5,0/5,5 1,0 2");
    assert.equal(notation(boards.at(0)), "4,4/4,4 0,0 1");
    assert.equal(parse("^A!B1*AB~C", 2).length, 5);
});
