// Starts new games and stored games, and opens positions and records.

import { bySeat, headOf } from "./game.js";
import * as games from "./games.js";
import { say } from "./log.js";
import * as play from "./play.js";
import { playerOrBest, seated } from "./players.js";
import * as store from "./store.js";
import { text } from "./text.js";

// Shows another game. Stored games do not change.
async function take(played, players, at, note, isBegun) {
  await store.claim(undefined, isBegun);
  play.take(played, players, at, note);
}

// Starts a new game. `start` is the seat that throws first; by default it is random.
export async function beginNew(rules, seats, players, sheet, start) {
  await take(
    await games.played(await games.firstPosition(rules, seats, sheet, start), [], sheet),
    players,
    undefined,
    undefined,
    true,
  );
}

// Starts the same game again. Each player moves to the seat that is `further` seats later.
export function again(further) {
  const { rules, seats, letters, about } = play.game;
  const players = bySeat(seats, (_, at) =>
    play.player(seats[(at - further + seats.length) % seats.length]),
  );
  return beginNew(rules, letters, players, about.sheet);
}

// Resumes a stored game. Returns false if another tab has this game.
export async function resumeGame({ id, line, players, at }) {
  const { start, moves, sheet } = JSON.parse(line);
  const played = await games.played(start, moves, sheet);
  if (played.error) throw new Error(text("begin.gone", { error: played.error.message }));
  if (!(await store.claim(id))) return false;
  play.take(played, availablePlayers(players, start), at);
  return true;
}

// The players, with unavailable bots replaced by the best available player.
export function availablePlayers(players, position) {
  const { rules, letters } = headOf(position);
  return bySeat(Object.keys(players), (seat) => playerOrBest(players[seat], rules, letters));
}

export async function takePosition(position) {
  const played = await games.played(position);
  const { rules, letters } = headOf(played.begins.position);
  await take(played, seated(letters, play.playersOfGame(), rules));
  say(text("begin.isSetUp"));
}

// Shows a record at the node that the record names, or at its first node.
export async function takeRecord(record) {
  const played = await games.played(record.start, record.moves, record.sheet);
  const { error, steps, about } = played;
  if (error) throw new Error(text("begin.illegal", { ...error, error: error.message }));
  const { seats } = headOf(record.start);
  if (record.players && record.players.length !== seats.length) {
    throw new Error(text("begin.players", { count: record.players.length, seats: seats.length }));
  }
  // If the record includes a sheet, adds the game of the sheet to the list of games.
  if (!games.named(about.name)) games.keep(about);
  const players = bySeat(
    seats,
    (_, at) => `recorded:${record.players?.[at] ?? text("begin.unknown")}`,
  );
  await take(played, players, record.at ?? 0, remark(record, steps.at(-1)?.node ?? played.begins));
  say(text("begin.shown", { count: steps.length }));
}

// Returns a remark if the end of a record does not follow from its moves, otherwise "".
function remark({ returns = [], ending }, { returns: reached }) {
  if (ending?.forfeited)
    return text("begin.forfeited", {
      seat: text(`seat.${ending.forfeited.seat}`),
      reason: ending.forfeited.reason,
    });
  if (!returns.length || ending === "open" || ending === "truncated") return "";
  const values = { returns: returns.join(", "), reached: reached?.join(", ") };
  if (!reached) return text("begin.notOver", values);
  const agrees =
    reached.length === returns.length &&
    reached.every((share, at) => Math.abs(share - returns[at]) < 1e-6);
  return agrees ? "" : text("begin.differs", values);
}
