/** Plays the first legal move after 50 ms of sleep: a run that goes on for long and costs little. */
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === "hello") console.log('{"type":"hello","protocol":1}');
    if (message.type === "turn") {
        await setTimeout(50);
        console.log(JSON.stringify({ move: message.legal[0] }));
    }
}
