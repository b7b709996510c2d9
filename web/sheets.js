// Opens sheets and bots in the dialog of a new game. Also copies and removes the sheets of games.

import { button, byId, element, fill, onClick, onFile, tell } from "./dom.js";
import * as games from "./games.js";
import { choose, chosenGame, openNewGame, showShelf } from "./new-game.js";
import { addBot } from "./players.js";
import { text } from "./text.js";

const field = byId("sheet-text");

onClick({ "#read-sheet": readSheet, "#take-sheet": takeSheet, "#remove-sheet": removeSheet });
onFile("open-sheet", openFile);

// Opens the dialog of a new game at its text field for sheets.
function reveal() {
  for (const other of document.querySelectorAll("dialog[open]:not(#new-game)")) other.close("");
  if (byId("new-game").open) showShelf();
  else openSheets();
  byId("own-games").open = true;
  byId("own-games").scrollIntoView();
}

// Opens the dialog of a new game with this game, without a message about sheets.
export function openSheets() {
  say("");
  openNewGame();
}

export function openSheet(sheet) {
  reveal();
  field.value = sheet;
  return readSheet();
}

export async function openFile(file) {
  if (!file.name.endsWith(".bot")) return openSheet(await file.text());
  reveal();
  say("");
  try {
    const { game, seats, sheet } = await addBot(
      file.name,
      new Uint8Array(await file.arrayBuffer()),
    );
    const old = sheet ? games.keep(await games.read(sheet)) : null;
    const { game: name, flags } = games.flagsOf(game);
    choose(name, flags, seats);
    say(text("sheets.botOpened", { file: file.name }) + replaced(old));
  } catch (error) {
    refuse([{ key: file.name, message: error.message }], text("sheets.botRefused"));
  }
}

// Reads the sheet in the text field: adds the game to the list and chooses it, or shows every
// problem.
async function readSheet() {
  say("");
  try {
    const game = await games.read(field.value);
    const old = games.keep(game);
    choose(game.name);
    say(text("sheets.opened", game) + replaced(old));
  } catch (error) {
    refuse(error.problems ?? error.message.split("\n").map((message) => ({ message })));
  }
}

const replaced = (old) => (old ? ` ${text("sheets.replaces", old)}` : "");

// Shows a message instead of problems.
function say(said) {
  tell(byId("sheet-done"), said);
  byId("sheet-trouble").hidden = true;
}

// Shows the problems of a sheet; a click on a problem goes to its line.
function refuse(problems, heading = text("sheets.problems", { count: problems.length })) {
  fill(
    byId("sheet-trouble"),
    element("p", {}, heading),
    element(
      "ul",
      {},
      problems.map(({ line, key, message }) => {
        const words = [line ? text("sheets.line", { line }) : null, key, message]
          .filter(Boolean)
          .join(": ");
        return element(
          "li",
          {},
          line ? button(() => goToLine(line), { class: "quiet" }, words) : words,
        );
      }),
    ),
  );
  byId("sheet-trouble").hidden = false;
  byId("sheet-trouble").scrollIntoView({ block: "nearest" });
}

function goToLine(number) {
  const lines = field.value.split("\n");
  const from = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + lines[number - 1].length);
  field.scrollTop = (field.scrollHeight * (number - 3)) / lines.length;
}

// Copies the sheet of the chosen game into the text field.
async function takeSheet() {
  const game = chosenGame();
  reveal();
  try {
    field.value = games.isOwn(game) ? game.sheet : await games.sheetOf(game);
    say(games.isOwn(game) ? "" : text("sheets.change"));
  } catch (error) {
    say(text("sheets.notLoaded", { error: error.message }));
  }
}

function removeSheet() {
  const { name, title } = chosenGame();
  games.remove(name);
  reveal();
  say(text("sheets.removed", { title }));
}
