// The browser's storage: settings, the last games, and opened sheets. Without storage, as in private windows or on full
// disks, everything else works.

import { attempt } from "./attempt.js";

const GAME = "ashta.game.", SETTINGS = "ashta.settings", SHEETS = "ashta.sheets", OWN = "ashta.own";
// The number of kept games.
const MOST = 20;

const DEFAULTS = {
  throws: "button", forced: true, pace: "calm", moving: true, sound: false, keys: true, seen: "own", theme: "system", chances: true, hints: false,
};

const kept = key => attempt(() => JSON.parse(localStorage.getItem(key)));
const keep = (key, value) => attempt(() => localStorage.setItem(key, JSON.stringify(value)));

const known = Object.entries(kept(SETTINGS) ?? {}).filter(([key, value]) => typeof DEFAULTS[key] === typeof value);
export const settings = { ...DEFAULTS, ...Object.fromEntries(known) };
export const keepSettings = () => keep(SETTINGS, settings);

// The game of this tab, and the function that releases its lock.
let own = null, release = () => {};

// The id of the game that this tab had before a reload, or null.
export const ownGame = () => attempt(() => sessionStorage.getItem(OWN));

// The kept games, the last one first: { id, line, players, at, when }. Leaves out damaged ones.
export const games = () => attempt(() => Object.keys(localStorage), []).filter(key => key.startsWith(GAME))
  .map(key => ({ id: key.slice(GAME.length), ...kept(key) })).filter(({ line }) => typeof line === "string")
  .sort((a, b) => b.when - a.when);

// Claims a kept or a new game for this tab; returns false if another tab has it.
export async function claim(id = crypto.getRandomValues(new Uint32Array(2)).join("-")) {
  if (id !== own && !await lock(id)) return false;
  own = id;
  attempt(() => sessionStorage.setItem(OWN, id));
  return true;
}

// Holds the lock of a game until this tab claims another one. Without locks in the browser every game is free.
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

// Keeps the current game, { line, players, at }, and removes the oldest games.
export function keepGame(game) {
  if (own === null) return;
  keep(GAME + own, { ...game, when: Date.now() });
  for (const { id } of games().slice(MOST)) localStorage.removeItem(GAME + id);
}

// The kept sheets, as texts.
export function sheets() {
  const all = kept(SHEETS);
  return Array.isArray(all) ? all.filter(sheet => typeof sheet === "string") : [];
}

export const keepSheets = all => keep(SHEETS, all);
