// Bots for the mancala arena: the client loop, and the games' rules for bots that look ahead.
//
// The types and what everything means are in `index.d.ts`. Seats, pits and plies are numbered
// from 0; a row's pits in sowing order, the last one next to its store.

import { Game, Match } from "./game.js";
import { Kalah } from "./kalah.js";
import { LayliGoobalay } from "./layli-goobalay.js";
import { MancalaBasic } from "./mancala-basic.js";

for (const game of [LayliGoobalay, MancalaBasic, Kalah]) {
  Game.known.set(game.gameName, game);
}

export { RESIGN, info, log, run } from "./client.js";
export { Game, Kalah, LayliGoobalay, MancalaBasic, Match };
