// The dialog of games: those that are kept, the one that is shown as text and as a link, and what others have written.
// What cannot be read is named, and the game under way stays.

import { goOn, takePosition, takeRecord } from "./begin.js";
import { button, byId, element, fill, onClick, onFile, options, tell } from "./dom.js";
import { looksLikeSheet, named } from "./games.js";
import * as play from "./play.js";
import { line, link, linked, read } from "./record.js";
import { openSheet } from "./sheets.js";
import * as store from "./store.js";

// What was read last, to choose one of.
let records = [];

const done = text => { byId("exchange-done").textContent = text; };
const refuse = text => tell(byId("exchange-trouble"), text);

export function bindExchange() {
  onClick({
    "copy-link": async () => copy(await link(), "Link copied: it shows the game as it stands here."),
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
  const kept = store.games().map(game => [game, read(game.line).records?.[0]]).filter(([, found]) => found?.record);
  fill(byId("kept-games"), kept.map(([game, found]) => keptGame(game, found)));
  byId("no-games").hidden = kept.length > 0;
  byId("exchange").showModal();
}

// A game that is kept, as a button that goes on with it.
function keptGame(game, { record, title }) {
  const name = record.start.split(" ")[0];
  const act = () => orRefuse(async () => {
    if (!await goOn(game)) throw new Error("This game is open in another tab.");
    byId("exchange").close("done");
  });
  return element("li", {}, button(act, { class: "quiet" },
    element("b", {}, named(name.split("?")[0])?.title ?? name), ` ${title}, `, new Date(game.when).toLocaleString()));
}

// Does something, or says why that is not possible.
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
    // Without leave to use the clipboard, the text is there to be copied by hand.
    byId("pasted").value = text;
    byId("pasted").focus();
    byId("pasted").select();
    done("The browser gives no access to its clipboard; the text stands below, to be copied by hand.");
  }
}

function save() {
  const url = URL.createObjectURL(new Blob([`${line()}\n`], { type: "application/json" }));
  element("a", { href: url, download: `${play.game.rules.split("?")[0]}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  done("Game saved.");
}

// Takes a text: a link, a position, a game, a file of games, or a sheet.
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
