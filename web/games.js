// The playable games: the built-in games, and the games of opened sheets.
//
// A game has the form of the engine protocol. The game of an opened sheet also has the text of the
// sheet as `sheet`; requests about this game must include the text.

import { advance, ask } from "./ask.js";
import { newSeed } from "./chance.js";
import { fetchBytes } from "./engine.js";
import { listed } from "./module.js";
import * as store from "./store.js";
import { gameTexts, text } from "./text.js";

const known = new Map();
// The groups of the built-in games, { title, games }, with the names of the games.
let shelf = [];

// Loads the games of the engine with their texts, then the sheets in the browser's storage.
export async function learn() {
  const [{ games }, texts] = await Promise.all([listed, gameTexts]);
  shelf = texts.groups;
  for (const game of games) known.set(game.name, translated(game, texts.games[game.name] ?? {}));
  // A sheet that this version refuses is not listed, but stays in the storage.
  for (const sheet of store.sheets()) await read(sheet).then(keep, () => {});
}

// A game with its texts in the language of the page: any text of the sheet, and `flags` with a
// question `about` for each house rule and an answer for each value.
function translated(game, { flags = {}, ...own }) {
  const rules = game.flags.map(({ name, about, values, ...rest }) => ({
    ...rest,
    name,
    about: flags[name]?.about ?? about,
    values: values.map((value) => ({ ...value, about: flags[name]?.[value.name] ?? value.about })),
  }));
  return { ...game, ...own, flags: rules };
}

// The groups of games, the best known games first: [{ title, games }].
export function groups() {
  const named = shelf.flatMap(({ games }) => games),
    others = all().filter(({ name }) => !named.includes(name));
  return [
    ...shelf.map(({ title, games }) => ({ title, games: games.map((name) => known.get(name)) })),
    { title: text("newGame.yourOwn"), games: others },
  ];
}
// The texts that a search looks at.
export const wordsOf = ({ title, place, summary, also = "" }) =>
  [title, place, summary, also].join(" ");

export const all = () => [...known.values()];
export const named = (name) => known.get(name) ?? null;
export const isOwn = (game) => game.sheet !== undefined;

// Reads the game of a sheet. The error has all `problems`: [{ line, key, message }].
export async function read(sheet) {
  const { game } = await ask({ op: "sheet", sheet });
  const other = named(game.name);
  // If the name is built in, the engine accepts only the built-in rules.
  return other && !isOwn(other) ? other : { ...game, sheet };
}

// Adds a game of a sheet to the list. Returns the old game of the same name if its sheet was
// different, otherwise null.
export function keep(game) {
  if (!isOwn(game)) return null;
  const old = named(game.name);
  known.set(game.name, game);
  store.keepSheet(game.sheet, old?.sheet);
  return old && old.sheet !== game.sheet ? old : null;
}

export function remove(name) {
  store.dropSheet(named(name).sheet);
  known.delete(name);
}

// Returns the first position of a game. `start` is the seat that throws first; by default it is
// random.
export const firstPosition = async (game, seats, sheet, start) =>
  (await ask({ op: "new", game, seats, sheet, ...(start ? { start } : { seed: newSeed() }) }))
    .position;

// Plays moves from a position. The game is the game of `sheet`, or a listed game. Returns the
// answer of `advance`, with the game (`about`) and its `board`.
export async function played(position, moves = [], sheet) {
  const name = flagsOf(position.split(" ")[0]).game;
  const about = sheet === undefined ? named(name) : await read(sheet);
  if (!about) {
    // If the position has an error, the engine reports it. The engine can still know a sheet that
    // was removed from the page.
    await ask({ op: "view", position });
    throw new Error(text("games.noSheet", { name }));
  }
  const [answer, board] = await Promise.all([
    advance(position, moves, about.sheet),
    ask({ op: "board", position, sheet: about.sheet }),
  ]);
  return { ...answer, about, board };
}

export const addressOf = (game) =>
  isOwn(game)
    ? `data:text/plain;charset=utf-8,${encodeURIComponent(game.sheet)}`
    : `${game.name}.toml`;

// Fetches the sheet of a built-in game, which is in the same folder as the page.
export async function sheetOf(game) {
  return new TextDecoder().decode(
    await fetchBytes(new URL(`./${game.name}.toml`, import.meta.url)),
  );
}

// Whether a text looks like a sheet, and not like a position or like games.
export const looksLikeSheet = (content) =>
  !content.trim().startsWith("{") && /^\s*(\[+\s*[\w.]+\s*\]|[\w.]+\s*=)/m.test(content);

// The house rules of a game: [{ name, about, default, values: [{ name, about }] }]. The number of
// pieces is the first.
export function houseRules({ flags, pieces }) {
  const { count, allowed } = pieces;
  const numbers = [count, ...allowed.filter((number) => number !== count)].map((number) => ({
    name: String(number),
    about: "",
  }));
  const own = {
    name: "pieces",
    about: text("games.pieces"),
    default: String(count),
    values: numbers,
  };
  return numbers.length > 1 ? [own, ...flags] : flags;
}

const changedRules = (game, flags) =>
  houseRules(game).filter(({ name, default: usual }) => (flags[name] ?? usual) !== usual);

// The house rules of `rules` that differ from the default, as sentences.
export function sentencesOf(game, rules) {
  const { flags } = flagsOf(rules),
    meaning = (name, values) =>
      values.find((value) => value.name === flags[name])?.about || flags[name];
  return changedRules(game, flags).map(
    ({ name, about, values }) =>
      `${(about || name).replace(/(?<!\?)\.?$/, ":")} ${meaning(name, values)}`,
  );
}

// These two functions convert house rules to text, such as { teams: "true" } to "NAME?teams=true",
// and back.
export function rulesText(game, flags) {
  const changed = changedRules(game, flags);
  return (
    game.name +
    (changed.length ? `?${changed.map(({ name }) => `${name}=${flags[name]}`).join("&")}` : "")
  );
}

export function flagsOf(rules) {
  const [game, query = ""] = rules.split("?");
  return {
    game,
    flags: Object.fromEntries(
      query
        .split("&")
        .filter(Boolean)
        .map((flag) => flag.split("=")),
    ),
  };
}
