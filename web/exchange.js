// The dialog of games: stored games, the current game as text and as a link, and texts that the
// user pastes. If a text has errors, the dialog shows them, and the current game does not change.

import { ask } from "./ask.js";
import { resumeGame, takePosition, takeRecord } from "./begin.js";
import { button, byId, element, fill, onClick, onFile, options, saveFile, tell } from "./dom.js";
import { looksLikeSheet, named } from "./games.js";
import * as play from "./play.js";
import { line, link, linked, read } from "./record.js";
import { openSetup } from "./setup.js";
import { openSheet } from "./sheets.js";
import { drawStats } from "./stats.js";
import { still } from "./still.js";
import * as store from "./store.js";
import { date, text } from "./text.js";

// Whether links name only this machine.
const isLocal = () =>
  !store.settings.address && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);

// The games in the last pasted text; the user chooses one of them.
let records = [];

const done = (said) => tell(byId("exchange-done"), said);
const refuse = (said) => tell(byId("exchange-trouble"), said);

onClick({
  "#copy-link": async () =>
    copy(await link(), isLocal() ? text("exchange.linkIsLocal") : text("exchange.linkCopied")),
  "#copy-position": () => copy(byId("position-text").value, text("exchange.positionCopied")),
  "#copy-game": () => copy(line(), text("exchange.gameCopied")),
  "#save-game": save,
  "#open-setup": openSetup,
  "#take-pasted": () => takeText(byId("pasted").value),
  "#take-record": () => show(records[byId("record-number").value]),
});
onFile("open-file", async (file) => takeText(await file.text()));

export function openExchange() {
  byId("position-text").value = play.game.position;
  done("");
  refuse("");
  byId("choose-record").hidden = true;
  const kept = store
    .games()
    .map((game) => [game, read(game.line).records?.[0]])
    .filter(([, found]) => found?.record?.moves.length);
  fill(
    byId("kept-games"),
    kept.map(([game, found]) => keptGame(game, found)),
  );
  byId("no-games").hidden = kept.length > 0;
  drawStats();
  byId("exchange").showModal();
}

// A stored game as a card with its board.
function keptGame(game, { record, parts: [players, ...result] }) {
  const { start, sheet } = record,
    name = start.split(" ")[0],
    picture = element("span", { class: "picture" });
  ask({ op: "board", position: start, sheet })
    .then((board) => still({ position: game.position ?? start, board, sheet }))
    .then(
      (made) => fill(picture, made),
      () => {},
    );
  return element(
    "li",
    {},
    button(
      () =>
        orRefuse(async () => {
          if (!(await resumeGame(game))) throw new Error(text("exchange.elsewhere"));
          byId("exchange").close("done");
        }),
      { class: "quiet" },
      picture,
      element(
        "span",
        {},
        element("b", {}, named(name.split("?")[0])?.title ?? name),
        element("span", {}, players),
        element("span", {}, result.join(", ")),
        element("span", { class: "soft" }, date(game.when)),
      ),
    ),
  );
}

async function orRefuse(act, before = "") {
  try {
    await act();
  } catch (error) {
    refuse(before + error.message);
  }
}

async function copy(copied, said) {
  try {
    await navigator.clipboard.writeText(copied);
    done(said);
  } catch {
    // Without access to the clipboard, the user can copy the text by hand.
    byId("paste").open = true;
    byId("pasted").value = copied;
    byId("pasted").focus();
    byId("pasted").select();
    done(text("exchange.noClipboard"));
  }
}

function save() {
  saveFile(
    new File([`${line()}\n`], `${play.game.about.name}.jsonl`, { type: "application/json" }),
  );
  done(text("exchange.saved"));
}

// Opens a text: a link, a position, a game, a file of games, or a sheet.
export async function takeText(pasted) {
  refuse("");
  byId("choose-record").hidden = true;
  if (looksLikeSheet(pasted)) return openSheet(pasted);
  await orRefuse(async () => {
    const found = read((await linked(pasted)) ?? pasted);
    if (found.position) {
      await takePosition(found.position);
      return byId("exchange").close("done");
    }
    records = found.records;
    if (records.length === 1) return show(records[0]);
    fill(
      byId("record-number"),
      options(
        records.map(({ title, trouble }, at) => [
          at,
          `${at + 1}: ${trouble ? text("exchange.unreadable") : title}`,
        ]),
      ),
    );
    byId("choose-record").hidden = false;
    byId("record-number").focus();
    done(text("exchange.found", { count: records.length }));
  });
}

const show = ({ line: number, record, trouble }) =>
  orRefuse(
    async () => {
      if (trouble) throw new Error(trouble);
      await takeRecord(record);
      byId("exchange").close("done");
    },
    records.length > 1 ? text("exchange.line", { number }) : "",
  );
