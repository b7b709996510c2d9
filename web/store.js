// What the browser keeps: settings, the games played last, and the sheets of games of one's own. Where it keeps nothing,
// as in private windows and on full disks, everything else works all the same.

import { attempt } from "./attempt.js";

const GAME = "ashta.game.", SETTINGS = "ashta.settings", SHEETS = "ashta.sheets", OWN = "ashta.own";
// So many games are kept.
const MOST = 20;

const DEFAULTS = {
  throws: "button", forced: true, pace: "calm", moving: true, sound: false, keys: true, seen: "own", theme: "system", chances: true, hints: false,
};

const kept = key => attempt(() => JSON.parse(localStorage.getItem(key)));
const keep = (key, value) => attempt(() => localStorage.setItem(key, JSON.stringify(value)));

const known = Object.entries(kept(SETTINGS) ?? {}).filter(([key, value]) => typeof DEFAULTS[key] === typeof value);
export const settings = { ...DEFAULTS, ...Object.fromEntries(known) };
export const keepSettings = () => keep(SETTINGS, settings);

// The game of this tab, and what gives it back to the others.
let own = null, release = () => {};

// The number of the game that this tab had before it was loaded again, or null.
export const ownGame = () => attempt(() => sessionStorage.getItem(OWN));

// Games, the last one first: { id, line, players, at, when }. What cannot be read is left out.
export const games = () => attempt(() => Object.keys(localStorage), []).filter(key => key.startsWith(GAME))
  .map(key => ({ id: key.slice(GAME.length), ...kept(key) })).filter(({ line }) => typeof line === "string")
  .sort((a, b) => b.when - a.when);

// Makes a game that of this tab: one that is kept, or a new one; false where another tab has it.
export async function claim(id = crypto.getRandomValues(new Uint32Array(2)).join("-")) {
  if (id !== own && !await lock(id)) return false;
  own = id;
  attempt(() => sessionStorage.setItem(OWN, id));
  return true;
}

// Holds the lock of a game until another one is taken. Where a browser gives no locks every game is free.
function lock(id) {
  if (!navigator.locks) return true;
  return new Promise(answer => navigator.locks.request(GAME + id, { ifAvailable: true }, lock => {
    answer(lock !== null);
    return lock && new Promise(done => {
      release();
      release = done;
    });
  }).catch(() => answer(true)));
}

// Keeps the game under way, { line, players, at }, and forgets the oldest of too many.
export function keepGame(game) {
  if (own === null) return;
  keep(GAME + own, { ...game, when: Date.now() });
  for (const { id } of games().slice(MOST)) localStorage.removeItem(GAME + id);
}

// Sheets of games, as texts.
export function sheets() {
  const all = kept(SHEETS);
  return Array.isArray(all) ? all.filter(sheet => typeof sheet === "string") : [];
}

export const keepSheets = all => keep(SHEETS, all);
