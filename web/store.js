// The storage of the browser: settings, the last games, and opened sheets. If the storage does not
// work, as in private windows or on a full disk, the rest of the page still works.

import { attempt } from "./attempt.js";

const GAME = "ashta.game.",
  SETTINGS = "ashta.settings",
  SHEETS = "ashta.sheets",
  OWN = "ashta.own",
  RESULTS = "ashta.results";
// The largest number of stored games.
const MOST = 20;

const DEFAULTS = {
  throws: "button",
  forced: true,
  pace: "calm",
  moving: true,
  sound: false,
  keys: true,
  letters: false,
  seen: "own",
  language: "",
  theme: "system",
  chances: true,
  hints: false,
  address: "",
  learned: false,
};

const kept = (key) => attempt(() => JSON.parse(localStorage.getItem(key)));
const keep = (key, value) =>
  attempt(() => localStorage.setItem(key, JSON.stringify(value)) ?? true) || lost();

// Tells the listener when the browser first does not store something.
let lost = () => {};
export function onLost(listener) {
  lost = () => {
    lost = () => {};
    listener();
  };
}

const known = Object.entries(kept(SETTINGS) ?? {}).filter(
  ([key, value]) => typeof DEFAULTS[key] === typeof value,
);
export const settings = { ...DEFAULTS, ...Object.fromEntries(known) };
// Changes a setting. Other settings can have changed in another tab.
export function set(key, value) {
  settings[key] = value;
  keep(SETTINGS, { ...kept(SETTINGS), [key]: value });
}

// The game of this tab, and the function that releases its lock.
let own = null,
  release = () => {};
// Whether nothing was thrown in this game yet, and whether the game began in this browser, from its
// first throw.
let isNew = false,
  begun = false;
export const isBegun = () => begun;

// The id of the game at this place in the history of the tab, or null; and of the last game of this
// tab, or null.
export const gameHere = () => history.state?.[OWN] ?? null;
export const ownGame = () => gameHere() ?? attempt(() => sessionStorage.getItem(OWN));

// The stored games, { id, line, players, at, position, when }; the newest game is the first. Leaves
// out damaged games.
export const games = () =>
  attempt(() => Object.keys(localStorage), [])
    .filter((key) => key.startsWith(GAME))
    .map((key) => ({ id: key.slice(GAME.length), ...kept(key) }))
    .filter(({ line }) => typeof line === "string")
    .sort((a, b) => b.when - a.when);

// Reserves a stored game or a new game for this tab, and removes the oldest games if there are too
// many. Returns false if another tab has the game.
export async function claim(
  id = crypto.getRandomValues(new Uint32Array(2)).join("-"),
  isBegun = kept(GAME + id)?.isBegun ?? false,
) {
  if (id !== own && !(await lock(id))) return false;
  // A game without a throw is not kept beside the next game.
  if (id !== own && isNew) attempt(() => localStorage.removeItem(GAME + own));
  for (const old of games()
    .filter((game) => game.id !== id)
    .slice(MOST - 1))
    localStorage.removeItem(GAME + old.id);
  isNew = false;
  begun = isBegun;
  own = id;
  attempt(() => sessionStorage.setItem(OWN, id));
  history.replaceState({ [OWN]: id }, "");
  return true;
}

// Locks a game until this tab reserves another game. If the browser has no locks, every game is
// free.
function lock(id) {
  if (!navigator.locks) return true;
  return new Promise((answer) =>
    navigator.locks
      .request(GAME + id, { ifAvailable: true }, (lock) => {
        answer(lock !== null);
        return (
          lock &&
          new Promise((done) => {
            release();
            release = done;
          })
        );
      })
      .catch(() => answer(true)),
  );
}

// Stores the current game, { line, players, at, position, isNew }.
export function keepGame(game) {
  if (own === null) return;
  isNew = game.isNew;
  keep(GAME + own, { ...game, isBegun: begun, when: Date.now() });
}

// Stores the drawing of the board; start.js shows it at the next visit.
export const keepBoard = (board) => keep("ashta.board", board);

const list = (key) => attempt(() => kept(key).filter(Boolean), []);
// The results of finished games, as in stats.js.
export const results = () => list(RESULTS).filter(({ id }) => id);
export const keepResults = (all) => keep(RESULTS, all);

export const sheets = () => list(SHEETS).filter((sheet) => typeof sheet === "string");

export const dropSheet = (sheet) =>
  keep(
    SHEETS,
    sheets().filter((other) => other !== sheet),
  );
// Stores a sheet instead of an old one. Other tabs can have opened other sheets.
export const keepSheet = (sheet, old) =>
  keep(SHEETS, [...sheets().filter((other) => other !== sheet && other !== old), sheet]);
