// Starts new games and stored games, and opens positions and records.

import { ask } from "./ask.js";
import { newSeed } from "./chance.js";
import { bySeat, headOf, SEATS } from "./game.js";
import * as games from "./games.js";
import { say } from "./log.js";
import * as play from "./play.js";
import { playerOrBest, seated } from "./players.js";
import * as store from "./store.js";

// Shows another game. Stored games do not change.
async function take(played, players, at, note) {
  await store.claim();
  play.take(played, players, at, note);
}

// Starts a new game. `start` is the seat that throws first; by default it is random.
export async function beginNew(rules, seats, players, sheet, start) {
  const first = start ? { start } : { seed: newSeed() };
  const { position } = await ask({ op: "new", game: rules, seats, sheet, ...first });
  await take(await games.played(position, [], sheet), players);
}

// Starts the same game again. Each player moves to the seat that is `further` seats later.
export function again(further) {
  const { rules, seats, letters, about } = play.game;
  const players = bySeat(seats, (_, at) => play.player(seats[(at - further + seats.length) % seats.length]));
  return beginNew(rules, letters, players, about.sheet);
}

// Resumes a stored game. Returns false if another tab has this game.
export async function resumeGame({ id, line, players, at }) {
  const { start, moves, sheet } = JSON.parse(line);
  const played = await games.played(start, moves, sheet);
  if (played.error) throw new Error(`This game cannot be played any more: ${played.error.message}.`);
  if (!await store.claim(id)) return false;
  play.take(played, availablePlayers(players, start), at);
  return true;
}

// The players, with unavailable bots replaced by the best available player.
export function availablePlayers(players, position) {
  const { rules, letters } = headOf(position);
  return bySeat(Object.keys(players), seat => playerOrBest(players[seat], rules, letters));
}

export async function takePosition(position) {
  const played = await games.played(position);
  const { rules, letters } = headOf(played.begins.position);
  await take(played, seated(letters, play.players, rules));
  say("The position is set up.");
}

// Shows a record at the node that the record names, or at its first node.
export async function takeRecord(record) {
  const played = await games.played(record.start, record.moves, record.sheet);
  const { error, steps, about } = played;
  if (error) throw new Error(`Move ${error.number} of the game is not possible at ${error.position}: ${error.message}.`);
  const { seats } = headOf(record.start);
  if (record.players && record.players.length !== seats.length) {
    throw new Error(`The game names ${record.players.length} players, but there are ${seats.length} seats.`);
  }
  // If the record includes a sheet, adds the game of the sheet to the list of games.
  if (!games.named(about.name)) games.keep(about);
  const players = bySeat(seats, (_, at) => `recorded:${record.players?.[at] ?? "unknown"}`);
  await take(played, players, record.at ?? 0, remark(record, steps.at(-1)?.node ?? played.begins));
  say(`A game of ${steps.length} steps, shown from its beginning.`);
}

// Returns a remark if the end of a record does not follow from its moves, otherwise "".
function remark({ returns = [], ending }, { returns: reached }) {
  if (ending?.forfeited) return `${SEATS[ending.forfeited.seat]} forfeited: ${ending.forfeited.reason}.`;
  if (!returns.length || ending === "open" || ending === "truncated") return "";
  const written = `The record says that the seats get ${returns.join(", ")}, but its moves `;
  if (!reached) return `${written}do not end the game.`;
  const agrees = reached.length === returns.length && reached.every((share, at) => Math.abs(share - returns[at]) < 1e-6);
  return agrees ? "" : `${written}lead to ${reached.join(", ")}.`;
}
