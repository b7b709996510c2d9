// What the browser keeps: settings, the game under way, and the sheets of games of one's own. Where it keeps nothing, everything else works all the same.

import { line } from "./record.js";

const GAME = "ashta.game", SETTINGS = "ashta.settings", SHEETS = "ashta.sheets";

export const DEFAULTS = {
  throws: "button", forced: true, pace: "calm", moving: true, keys: true, seen: "own", theme: "system", chances: true, hints: false,
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

// The game under way: { line, players, at }, or null.
export const game = () => kept(GAME);

export function keepGame(play) {
  keep(GAME, { line: line(play), players: play.players, at: play.game.at });
}

// Sheets of games, as texts.
export function sheets() {
  const all = kept(SHEETS);
  return Array.isArray(all) ? all.filter(sheet => typeof sheet === "string") : [];
}

export const keepSheets = all => keep(SHEETS, all);
