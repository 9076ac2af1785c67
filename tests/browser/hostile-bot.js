/** Plays the first legal move and says hostile things at every occasion; now and then what it says is a fault. */
import { createInterface } from "node:readline";

import { HOSTILE } from "./hostile.js";

const number = Number(process.argv[2]);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
let plies = number;

for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    const text = HOSTILE[plies % HOSTILE.length];
    if (message.type === "hello") say({ type: "hello", protocol: 1, name: HOSTILE[number], author: text, version: text });
    else if (message.type === "start") process.stderr.write(`${text}\n`);
    else if (message.type === "turn") {
        plies += 1;
        process.stderr.write(`${text}\n`);
        process.stdout.write(`log: ${text.replaceAll(/[\r\n]/g, " ")}\n`);
        say({ type: "info", score: plies % 5, text, [text]: text, pv: [text, { [text]: text }] });
        if (plies % 37 === 0) say({ type: "move", move: text });
        else say({ type: "move", move: message.legal[0] });
    }
}
