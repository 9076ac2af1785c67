import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { en } from "../../../arena/assets/en.js";
import { sw } from "../../../arena/assets/sw.js";

const ASSETS = new URL("../../../arena/assets/", import.meta.url);
const read = (name) => readFileSync(new URL(name, ASSETS), "utf8");
const names = readdirSync(ASSETS);
const ours = names.filter((name) => /\.(js|html|css|svg)$/.test(name) && !name.startsWith("uPlot"));
const holes = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

test("every language has every text", () => {
    assert.deepEqual(Object.keys(sw), Object.keys(en));
});

test("a text has the same values to fill in whatever the language", () => {
    for (const key of Object.keys(en)) assert.deepEqual(holes(sw[key]), holes(en[key]), key);
});

test("every text is used", () => {
    const code = ours.filter((name) => name.endsWith(".js") && !["en.js", "sw.js"].includes(name)).map(read).join("\n");
    const unused = Object.keys(en).filter((key) => !new RegExp(`"${key}"|\\.${key}\\b`).test(code));
    assert.deepEqual(unused, []);
});

test("text becomes text: no file of ours builds markup or code from it", () => {
    const forbidden =
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function|srcdoc|setAttribute\("style"|javascript:/;
    for (const name of ours) assert.doesNotMatch(read(name), forbidden, name);
});

test("the shell has no script, style or handler in its markup", () => {
    const html = read("index.html");
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/i);
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/i);
});

test("modules import each other by name in one flat directory", () => {
    for (const name of ours.filter((name) => name.endsWith(".js"))) {
        for (const [, from] of read(name).matchAll(/^(?:import|export) [^;]*?from (\S+);$/gms)) {
            assert.match(from, /^"\.\/[\w.]+\.js"$/, `${name}: ${from}`);
            assert.ok(names.includes(from.slice(3, -1)), `${name}: ${from}`);
        }
    }
});

test("files of others are those that VENDORED.md names", () => {
    const sums = new Map([...read("VENDORED.md").matchAll(/^\| `([^`]+)` .*`([0-9a-f]{64})` \|$/gm)].map(([, name, sum]) => [name, sum]));
    assert.deepEqual([...sums.keys()].sort(), names.filter((name) => /^uPlot.*(js|css|ts)$/.test(name)).sort());
    for (const [name, sum] of sums) {
        assert.equal(createHash("sha256").update(readFileSync(new URL(name, ASSETS))).digest("hex"), sum, name);
    }
});
