// Games of one's own, in the dialog of a new game: sheets and bots are opened there, taken to begin with, and removed.

import { button, byId, element, fill, onClick, onFile } from "./dom.js";
import * as games from "./games.js";
import { choose, chosenGame, openNewGame, setFlags, startable } from "./new-game.js";
import { addBot } from "./players.js";

const field = byId("sheet-text");

export function bindSheets() {
  onClick({ "read-sheet": readSheet, "take-sheet": takeSheet, "remove-sheet": removeSheet });
  onFile("open-sheet", openFile);
}

// Opens the dialog where sheets are read, from wherever something was pasted or dropped.
function reveal() {
  for (const other of document.querySelectorAll("dialog[open]:not(#new-game)")) other.close("");
  if (!byId("new-game").open) openSheets(games.all()[0]);
  byId("own-games").open = true;
}

// Opens the dialog of a new game at this one, and nothing is said of sheets yet.
export function openSheets(game) {
  say("");
  openNewGame(game);
}

export function openSheet(text) {
  reveal();
  field.value = text;
  return readSheet();
}

// Opens a file with a sheet, or with a bot.
export async function openFile(file) {
  if (!file.name.endsWith(".bot")) return openSheet(await file.text());
  reveal();
  say("");
  try {
    const { game, seats, sheet } = await addBot(file.name, new Uint8Array(await file.arrayBuffer()));
    const old = sheet ? games.keep(await games.read(sheet)) : null;
    const { game: name, flags } = games.flagsOf(game);
    choose(name);
    setFlags(flags, seats);
    say(`The bot ${file.name} can sit down, until the page is left.${replaced(old)}`);
  } catch (error) {
    refuse([{ key: file.name, message: error.message }], "The bot cannot be taken:");
  }
}

// Reads the sheet of the text field: the game comes into the list and is chosen, or every problem is named.
async function readSheet() {
  say("");
  try {
    const game = await games.read(field.value);
    const old = games.keep(game);
    choose(game.name);
    say(`${game.title} is in the list of games, and chosen.${replaced(old)}`);
  } catch (error) {
    refuse(error.problems ?? error.message.split("\n").map(message => ({ message })));
  }
}

const replaced = old => old ? ` It takes the place of ${old.title}, another sheet of the same name; games of that one keep its rules.` : "";

// Says what has become of a sheet, with which nothing is wrong.
function say(text) {
  byId("sheet-done").textContent = text;
  byId("sheet-trouble").hidden = true;
  startable(true);
}

// Names the problems of a sheet; each that has a line leads there.
function refuse(problems, heading = problems.length === 1 ? "The sheet has a problem:" : `The sheet has ${problems.length} problems:`) {
  startable(false);
  fill(byId("sheet-trouble"), element("p", {}, heading), element("ul", {}, problems.map(({ line, key, message }) => {
    const text = [line ? `line ${line}` : null, key, message].filter(Boolean).join(": ");
    return element("li", {}, line ? button(() => goToLine(line), { class: "quiet" }, text) : text);
  })));
  byId("sheet-trouble").hidden = false;
  byId("sheet-trouble").scrollIntoView({ block: "nearest" });
}

// Marks a line of the sheet in its text field.
function goToLine(number) {
  const lines = field.value.split("\n");
  const from = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + lines[number - 1].length);
  field.scrollTop = field.scrollHeight * (number - 3) / lines.length;
}

// The sheet of the chosen game, to begin with.
async function takeSheet() {
  const game = chosenGame();
  try {
    field.value = games.isOwn(game) ? game.sheet : await games.sheetOf(game);
    say(games.isOwn(game) ? "" : "Change its name, and what is to be played otherwise; then read it.");
  } catch (error) {
    say(`It cannot be loaded: ${error.message}.`);
  }
}

function removeSheet() {
  const { name, title } = chosenGame();
  games.remove(name);
  choose(games.all()[0].name);
  say(`${title} is removed from the list.`);
  byId("read-sheet").focus();
}
