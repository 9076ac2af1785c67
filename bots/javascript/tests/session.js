// The bot of `client.test.js`: it plays its last legal move, resigns at ply 9, and reports on
// standard error what it is told. Its argument is the JSON of its options.

import { RESIGN, info, log, run } from "../src/index.js";

const options = JSON.parse(process.argv[2]);
await run(
  async (turn) => {
    if (turn.ply === 9) {
      info({ score: -9 });
      return RESIGN;
    }
    return turn.legal.at(-1);
  },
  { ...options, onStart: log, onPly: log, onEnd: log },
);
