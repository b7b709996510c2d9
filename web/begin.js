// How games begin: new ones, those that are kept, positions, and records.

import { ask } from "./ask.js";
import { newSeed } from "./chance.js";
import { bySeat, headOf, SEATS } from "./game.js";
import * as games from "./games.js";
import { say } from "./log.js";
import * as play from "./play.js";
import { orBest, seated } from "./players.js";
import * as store from "./store.js";

// Takes another game, beside those that are kept.
async function take(played, players, at, note) {
  await store.claim();
  play.take(played, players, at, note);
}

// A new game, in which `start` throws first, or a seat by lot.
export async function beginNew(rules, seats, players, sheet, start) {
  const first = start ? { start } : { seed: newSeed() };
  const { position } = await ask({ op: "new", game: rules, seats, sheet, ...first });
  await take(await games.played(position, [], sheet), players);
}

// The same game again, from its beginning, each player `further` seats on.
export function again(further) {
  const { rules, seats, letters, about } = play.game;
  const players = bySeat(seats, (_, at) => play.player(seats[(at - further + seats.length) % seats.length]));
  return beginNew(rules, letters, players, about.sheet);
}

// Goes on with a game that is kept; false where another tab has it.
export async function goOn({ id, line, players, at }) {
  const { start, moves, sheet } = JSON.parse(line);
  const played = await games.played(start, moves, sheet);
  if (played.error) throw new Error(`This game cannot be played any more: ${played.error.message}.`);
  if (!await store.claim(id)) return false;
  play.take(played, stillThere(players, start), at);
  return true;
}

// These players of a game; for a bot that is not at hand any more the best one that is.
export function stillThere(players, position) {
  const { rules, letters } = headOf(position);
  return bySeat(Object.keys(players), seat => orBest(players[seat], rules, letters));
}

export async function takePosition(position) {
  const played = await games.played(position);
  const { rules, letters } = headOf(played.begins.position);
  await take(played, seated(letters, play.players, rules));
  say("The position is set up.");
}

// Shows a record from its beginning, or where it says.
export async function takeRecord(record) {
  const played = await games.played(record.start, record.moves, record.sheet);
  const { error, steps, about } = played;
  if (error) throw new Error(`Move ${error.number} of the game is not possible at ${error.position}: ${error.message}.`);
  const { seats } = headOf(record.start);
  if (record.players && record.players.length !== seats.length) {
    throw new Error(`The game names ${record.players.length} players, and there are ${seats.length} seats.`);
  }
  // The game of a record that brings its sheet can be played anew.
  if (!games.named(about.name)) games.keep(about);
  const players = bySeat(seats, (_, at) => `recorded:${record.players?.[at] ?? "unknown"}`);
  await take(played, players, record.at ?? 0, remark(record, steps.at(-1)?.node ?? played.begins));
  say(`A game of ${steps.length} steps, shown from its beginning.`);
}

// What the end of a record says that its moves do not lead to, or nothing.
function remark({ returns = [], ending }, { returns: reached }) {
  if (ending?.forfeited) return `${SEATS[ending.forfeited.seat]} forfeited: ${ending.forfeited.reason}.`;
  if (!returns.length || ending === "open" || ending === "truncated") return "";
  const written = `The record says that the seats get ${returns.join(", ")}, but its moves `;
  if (!reached) return `${written}do not end the game.`;
  const agrees = reached.length === returns.length && reached.every((share, at) => Math.abs(share - returns[at]) < 1e-6);
  return agrees ? "" : `${written}lead to ${reached.join(", ")}.`;
}
