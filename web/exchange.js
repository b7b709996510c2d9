// The dialog of games: stored games, the current game as text and as a link, and texts that the user pastes. If a text
// has errors, the dialog shows them, and the current game does not change.

import { resumeGame, takePosition, takeRecord } from "./begin.js";
import { button, byId, element, fill, onClick, onFile, options, showText } from "./dom.js";
import { looksLikeSheet, named } from "./games.js";
import * as play from "./play.js";
import { line, link, linked, read } from "./record.js";
import { openSheet } from "./sheets.js";
import * as store from "./store.js";

// Whether the address of the page names only this machine.
const IS_LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);

// The games in the last pasted text; the user chooses one of them.
let records = [];

const done = text => { byId("exchange-done").textContent = text; };
const refuse = text => showText(byId("exchange-trouble"), text);

export function bindExchange() {
  onClick({
    "copy-link": async () => copy(await link(), `Link copied. ${IS_LOCAL ? "It opens only on this machine. To send the game to others, use Copy game." : "It shows the game at this place."}`),
    "copy-position": () => copy(byId("position-text").value, "Position copied."),
    "copy-game": () => copy(line(), "Game copied."),
    "save-game": save,
    "take-pasted": () => takeText(byId("pasted").value),
    "take-record": () => show(records[byId("record-number").value]),
  });
  onFile("open-file", async file => takeText(await file.text()));
}

export function openExchange() {
  byId("position-text").value = play.game.position;
  done("");
  refuse("");
  byId("choose-record").hidden = true;
  const kept = store.games().map(game => [game, read(game.line).records?.[0]]).filter(([, found]) => found?.record?.moves.length);
  fill(byId("kept-games"), kept.map(([game, found]) => keptGame(game, found)));
  byId("no-games").hidden = kept.length > 0;
  byId("exchange").showModal();
}

function keptGame(game, { record, title }) {
  const name = record.start.split(" ")[0];
  const act = () => orRefuse(async () => {
    if (!await resumeGame(game)) throw new Error("This game is open in another tab.");
    byId("exchange").close("done");
  });
  return element("li", {}, button(act, { class: "quiet" },
    element("b", {}, named(name.split("?")[0])?.title ?? name), ` ${title}, `, new Date(game.when).toLocaleString()));
}

async function orRefuse(act, before = "") {
  try {
    await act();
  } catch (error) {
    refuse(before + error.message);
  }
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    done(said);
  } catch {
    // Without access to the clipboard, the user can copy the text by hand.
    byId("pasted").value = text;
    byId("pasted").focus();
    byId("pasted").select();
    done("The browser gives no access to its clipboard. Copy the text below by hand.");
  }
}

function save() {
  const url = URL.createObjectURL(new Blob([`${line()}\n`], { type: "application/json" }));
  element("a", { href: url, download: `${play.game.rules.split("?")[0]}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  done("Game saved.");
}

// Opens a text: a link, a position, a game, a file of games, or a sheet.
export async function takeText(text) {
  refuse("");
  byId("choose-record").hidden = true;
  if (looksLikeSheet(text)) return openSheet(text);
  await orRefuse(async () => {
    const found = read(await linked(text) ?? text);
    if (found.position) {
      await takePosition(found.position);
      return byId("exchange").close("done");
    }
    records = found.records;
    if (records.length === 1) return show(records[0]);
    fill(byId("record-number"), options(records.map(({ title, trouble }, at) => [at, `${at + 1}: ${trouble ? "cannot be read" : title}`])));
    byId("choose-record").hidden = false;
    byId("record-number").focus();
    done(`${records.length} games.`);
  });
}

const show = ({ line: number, record, trouble }) => orRefuse(async () => {
  if (trouble) throw new Error(trouble);
  await takeRecord(record);
  byId("exchange").close("done");
}, records.length > 1 ? `Line ${number}: ` : "");
