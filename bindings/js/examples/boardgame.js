// A game and its bots for boardgame.io: the state G is the position as text.
//
//   const game = await Game.load("ashtapada", { seats: 3 }), bot = await Bot.load(bytes); Client({
//   game: gameOf(game), numPlayers: 3, multiplayer: Local({ bots: { 1: botOf(game, bot, { level:
//   "novice" }) } }) })

import { Bot } from "boardgame.io/ai";
import { INVALID_MOVE } from "boardgame.io/core";

// Throws the dice until a player must choose.
function thrown(state, random) {
  while (state.isChanceNode()) state = state.throw(() => random.Number());
  return { position: String(state) };
}

/** The game for boardgame.io. Its move `act` has one argument: a legal action. */
export function gameOf(game) {
  const at = ({ position }) => game.deserializeState(position);
  const player = ({ G, ctx }) => at(G).turnPlayer() ?? Number(ctx.currentPlayer);
  return {
    name: game.name.replace(/\W/g, "-"),
    minPlayers: game.seats.length,
    maxPlayers: game.seats.length,
    setup: ({ random }) => thrown(game.initialState({ seed: random.Die(2 ** 31) }), random),
    moves: {
      act({ G, random }, action) {
        const state = at(G);
        return state.legalActions().includes(action)
          ? thrown(state.apply(action), random)
          : INVALID_MOVE;
      },
    },
    turn: {
      order: { first: player, next: player },
      endIf: ({ G, ctx }) => String(player({ G, ctx })) !== ctx.currentPlayer,
    },
    endIf: ({ G }) => (at(G).isTerminal() ? { returns: at(G).returns() } : undefined),
    ai: {
      enumerate: (G) =>
        at(G)
          .legalActions()
          .map((action) => ({ move: "act", args: [action] })),
    },
  };
}

/** A class for the option `bots` of boardgame.io; `options` are those of `bot.choose`. */
export const botOf = (game, bot, options) =>
  class extends Bot {
    async play({ G, ctx }, playerID) {
      const state = game.deserializeState(G.position),
        action = await bot.choose(state, options);
      return { action: this.enumerate(G, ctx, playerID)[state.legalActions().indexOf(action)] };
    }
  };
