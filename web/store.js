// What the browser keeps: settings, the games played last, and the sheets of games of one's own. Where it keeps nothing,
// everything else works all the same.

import { line } from "./record.js";

const GAME = "ashta.game.", SETTINGS = "ashta.settings", SHEETS = "ashta.sheets", OWN = "ashta.own";
// So many games are kept.
const MOST = 20;

export const DEFAULTS = {
  throws: "button", forced: true, pace: "calm", moving: true, sound: false, keys: true, seen: "own", theme: "system", chances: true, hints: false,
};

function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows and full disks keep nothing.
  }
}

export function settings() {
  const known = Object.entries(kept(SETTINGS) ?? {}).filter(([key, value]) => typeof DEFAULTS[key] === typeof value);
  return { ...DEFAULTS, ...Object.fromEntries(known) };
}

export const keepSettings = values => keep(SETTINGS, values);

// The game of this tab, and what gives it back to the others.
let own = null, release = () => {};

// The number of the game that this tab had before it was loaded again, or null.
export function ownGame() {
  try {
    return sessionStorage.getItem(OWN);
  } catch {
    return null;
  }
}

// Games, the last one first: { id, line, players, at, when }. What cannot be read is left out.
export function games() {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith(GAME))
      .map(key => ({ id: key.slice(GAME.length), ...kept(key) })).filter(({ line }) => typeof line === "string")
      .sort((a, b) => b.when - a.when);
  } catch {
    return [];
  }
}

// Makes a game that of this tab: one that is kept, or a new one; false where another tab has it.
export async function claim(id = crypto.getRandomValues(new Uint32Array(2)).join("-")) {
  if (id !== own && !await lock(id)) return false;
  own = id;
  try {
    sessionStorage.setItem(OWN, id);
  } catch {
    // Then the page cannot know it again when it is loaded again.
  }
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

// Keeps the game under way, and forgets the oldest of too many. One in which nothing was played is not kept.
export function keepGame(play) {
  if (own === null || play.game.last === 0) return;
  keep(GAME + own, { line: line(play), players: play.players, at: play.game.at, when: Date.now() });
  for (const { id } of games().slice(MOST)) localStorage.removeItem(GAME + id);
}

// Sheets of games, as texts.
export function sheets() {
  const all = kept(SHEETS);
  return Array.isArray(all) ? all.filter(sheet => typeof sheet === "string") : [];
}

export const keepSheets = all => keep(SHEETS, all);
