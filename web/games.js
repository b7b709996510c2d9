// The games that can be played: those that the engine brings, and those of sheets that were opened here.
//
// A game is what the engine protocol says of it; one of a sheet has that text as `sheet`, without which the engine does
// not know it.

import { advance, ask } from "./ask.js";
import * as store from "./store.js";

const known = new Map();

// Learns the games of the engine, then the sheets that the browser has kept.
export async function learn() {
  for (const game of (await ask({ op: "games" })).games) known.set(game.name, game);
  for (const sheet of store.sheets()) {
    try {
      keep(await read(sheet));
    } catch {
      // A sheet that this version does not take any more is not in the list, and stays where it is kept.
    }
  }
}

export const all = () => [...known.values()];
export const named = name => known.get(name) ?? null;
export const isOwn = game => game.sheet !== undefined;

// The game of a sheet; an error has everything that is wrong with it as `problems`: [{ line, key, message }].
export async function read(sheet) {
  const { game } = await ask({ op: "sheet", sheet });
  const other = named(game.name);
  // Of those that the engine brings it takes no other rules.
  return other && !isOwn(other) ? other : { ...game, sheet };
}

// Puts a game of a sheet into the list, in place of an older one of its name; that one, if it was another.
export function keep(game) {
  if (!isOwn(game)) return null;
  const old = named(game.name);
  known.set(game.name, game);
  keepSheets();
  return old && old.sheet !== game.sheet ? old : null;
}

export function remove(name) {
  known.delete(name);
  keepSheets();
}

const keepSheets = () => store.keepSheets(all().filter(isOwn).map(({ sheet }) => sheet));

// Plays moves from a position, of the game of this sheet or of one in the list: what `advance` answers, and with it what
// the game is (`about`) and its `board`.
export async function played(position, moves = [], sheet) {
  const name = flagsOf(position.split(" ")[0]).game;
  const about = sheet === undefined ? named(name) : await read(sheet);
  if (!about) {
    // The engine says what is wrong with a position; a sheet that was removed here it may still know.
    await ask({ op: "view", position });
    throw new Error(`The sheet of \`${name}\` is not open here.`);
  }
  const answer = await advance(position, moves, about.sheet);
  return { ...answer, about, board: await ask({ op: "board", position, sheet: about.sheet }) };
}

// Where the sheet of a game can be loaded from.
export const addressOf = game => isOwn(game) ? `data:text/plain;charset=utf-8,${encodeURIComponent(game.sheet)}` : `${game.name}.toml`;

// The sheet of a game that the engine brings, as a text; it lies beside the page.
export async function sheetOf(game) {
  const answer = await fetch(new URL(`./${game.name}.toml`, import.meta.url));
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.text();
}

// Whether a text is meant as a sheet, and not as a position or as games.
export const looksLikeSheet = text => !text.trim().startsWith("{") && /^\s*(\[+\s*[\w.]+\s*\]|[\w.]+\s*=)/m.test(text);

// House rules of a game as [{ name, about, default, values: [{ name, about }] }], with the number of pieces as the first.
export function houseRules({ flags, pieces }) {
  const { count, allowed } = pieces;
  const numbers = [count, ...allowed.filter(number => number !== count)].map(number => ({ name: String(number), about: "" }));
  const own = { name: "pieces", about: "Pieces of each seat.", default: String(count), values: numbers };
  return numbers.length > 1 ? [own, ...flags] : flags;
}

// A game with its house rules as text, { teams: "true" } to "NAME?teams=true", and back.
export function rulesText(game, flags) {
  const changed = houseRules(game).filter(({ name, default: usual }) => (flags[name] ?? usual) !== usual);
  return game.name + (changed.length ? `?${changed.map(({ name }) => `${name}=${flags[name]}`).join("&")}` : "");
}

export function flagsOf(rules) {
  const [game, query = ""] = rules.split("?");
  return { game, flags: Object.fromEntries(query.split("&").filter(Boolean).map(flag => flag.split("="))) };
}
