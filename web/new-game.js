// The dialog of a new game: game, seats, house rules and players.

import { ask } from "./ask.js";
import { beginNew } from "./begin.js";
import { button, byId, element, fill, options } from "./dom.js";
import { bySeat } from "./game.js";
import * as games from "./games.js";
import { miniature } from "./miniature.js";
import { beginnersWins, hasBotHere, playerHere, rulesWithBots, tableOf } from "./players.js";
import { drawPlayers, warn } from "./seats.js";
import { text } from "./text.js";

const LONG = 40;
const SETS = ["SN", "SEN", "SENW", "SEW", "SNW", "ENW", "SE", "SW", "EN", "EW", "NW"];

const dialog = byId("new-game");
// The choices of the user. `name` is the name of the game; it is null at the beginning.
const chosen = {
  name: null,
  seats: "SN",
  flags: {},
  players: { S: "person", E: "bot:novice", N: "bot:novice", W: "bot:novice" },
};
// The sets of seats that the chosen house rules allow.
let sets = [];

export const chosenGame = () => games.named(chosen.name);
const rulesNow = () => games.rulesText(chosenGame(), chosen.flags);

dialog.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const rules = rulesNow(),
      { seats, players } = chosen,
      { sheet } = chosenGame();
    await beginNew(
      rules,
      seats,
      bySeat(seats, (seat) => playerHere(players[seat], rules, seats)),
      sheet,
      byId("choose-first").value,
    );
    dialog.close("done");
  } catch (error) {
    warn(dialog, error.message);
  }
});

// Opens the dialog with the last choices. The first time, opens it with the game of this name.
export function openNewGame({ name }) {
  if (chosenGame()) draw();
  else choose(games.named(name)?.name ?? games.all()[0].name);
  dialog.showModal();
  showChosen();
}

// Chooses a game with its default house rules.
export function choose(name) {
  enableStart(true);
  Object.assign(chosen, { name, flags: {} });
  setPossibleSeats(games.named(name).seats);
  showChosen();
}

// Scrolls the list of games, but not the dialog.
function showChosen() {
  const list = byId("choose-game"),
    card = list.querySelector(".card:has(:checked)");
  const isIn =
    card.offsetTop >= list.scrollTop &&
    card.offsetTop + card.offsetHeight <= list.scrollTop + list.clientHeight;
  if (!isIn) list.scrollTop = card.offsetTop - (list.clientHeight - card.offsetHeight) / 2;
}

function setPossibleSeats(all) {
  sets = all;
  if (!sets.includes(chosen.seats)) chosen.seats = sets[0];
  draw();
}

// Enables or disables the button that starts a game. It is disabled while the sheet in the text
// field has problems.
export function enableStart(isReady) {
  dialog.querySelector("[value=start]").disabled = !isReady;
}

function draw() {
  const game = chosenGame(),
    skill = skillOf(game);
  drawCards(
    "game",
    games.all().map((game) => [game.name, game.title, facts(game), drawing(game)]),
    game.name,
    choose,
  );
  const luck = skill === null ? "" : ` ${text("newGame.skillOf", { wins: (100 - skill) / 2 })}`;
  byId("game-facts").textContent = facts(game);
  byId("game-summary").textContent = game.summary + luck;
  byId("take-sheet").textContent = text("newGame.take", game);
  byId("remove-sheet").hidden = !games.isOwn(game);
  byId("remove-sheet").textContent = text("newGame.remove", game);
  drawFlags(game);
  const isOnly = ({ length }) => sets.filter((other) => other.length === length).length === 1;
  const cards = sets.map((seats) => [
    seats,
    text(`newGame.numbers.${seats.length}`),
    isOnly(seats) ? null : ` ${seats}`,
  ]);
  drawCards("seats", cards, chosen.seats, (seats) => {
    chosen.seats = seats;
    draw();
  });
  const first = byId("choose-first").value;
  fill(
    byId("choose-first"),
    options(
      [
        ["", text("newGame.byLot")],
        ...[...chosen.seats].map((seat) => [seat, text(`seat.${seat}`)]),
      ],
      first,
    ),
  );
  drawPlayers(
    dialog,
    rulesNow(),
    chosen.seats,
    chosen.players,
    boardOf(rulesNow(), chosen.seats, game.sheet),
  );
}

// The boards of games and rules. Each board is requested only once.
const boards = new Map();
function boardOf(rules, seats, sheet) {
  const key = JSON.stringify([rules, seats, sheet]);
  if (!boards.has(key))
    boards.set(
      key,
      games
        .firstPosition(rules, seats, sheet, seats[0])
        .then((position) => ask({ op: "board", position, sheet })),
    );
  return boards.get(key);
}

// Draws cards to choose from: [value, title, note, picture].
function drawCards(name, list, chosen, change) {
  fill(
    byId(`choose-${name}`),
    list.map(([value, title, note, picture]) =>
      element(
        "label",
        { class: "card" },
        picture,
        element("input", {
          type: "radio",
          name,
          value,
          "data-key": value,
          checked: value === chosen,
          onchange: () => change(value),
        }),
        element(
          "span",
          {},
          element("b", {}, title),
          note ? element("small", {}, note) : null,
          name === "game" && hasBotHere(value) === false
            ? element("small", { class: "away" }, text("newGame.away"))
            : null,
        ),
      ),
    ),
  );
}

// An element for a game's small drawing, which appears when the engine has answered.
function drawing(game) {
  const holder = element("span", { class: "mini", "aria-hidden": "true" });
  boardOf(game.name, game.seats.at(-1), game.sheet).then(
    (board) => fill(holder, miniature(board)),
    () => {},
  );
  return holder;
}

// The share of skill in a game for two: it is large if a beginner has a low score against the bot
// at full strength. Otherwise null.
function skillOf({ name, seats: [seats] }) {
  const wins = beginnersWins(name, seats);
  return wins === null || seats.length > 2 ? null : 100 - 2 * wins;
}

function facts(game) {
  const sizes = game.seats.map((seats) => seats.length),
    least = Math.min(...sizes),
    most = Math.max(...sizes);
  const skill = skillOf(game);
  const all = [
    game.place,
    least < most ? text("newGame.sizes", { least, most }) : text("newGame.size", { least }),
    game.minutes ? text("newGame.minutes", game) : null,
    skill === null ? null : text("newGame.skill", { skill }),
    game.seats.some((seats) => tableOf(game.name, seats)) ? text("newGame.solved") : null,
    games.isOwn(game) ? text("newGame.yourOwn") : null,
  ];
  // Lines break only between facts.
  return all
    .filter(Boolean)
    .map((fact) => fact.replaceAll(" ", "\u00a0"))
    .join(" · ");
}

function drawFlags(game) {
  const rows = games.houseRules(game).map(({ name, about, default: usual, values }) => {
    const value = chosen.flags[name] ?? usual,
      meaning = values.find(({ name }) => name === value)?.about ?? "";
    const change = ({ target }) => setFlags({ ...chosen.flags, [name]: target.value });
    return element(
      "label",
      { class: "flag" },
      about || name,
      element(
        "select",
        { "data-flag": name, "data-key": name, onchange: change },
        options(
          values.map(({ name, about }) => [name, about || name]),
          value,
        ),
      ),
      // A list cuts long sentences off.
      meaning.length > LONG ? element("small", {}, meaning) : null,
    );
  });
  fill(byId("choose-flags"), known(), rows);
  byId("flags").hidden = rows.length === 0;
}

// If bots know several sets of rules, draws a button for each set.
function known() {
  const all = [...new Set(rulesWithBots(chosen.name).map((bot) => bot.game))];
  if (all.length < 2) return null;
  const buttons = all.map((rules) =>
    button(
      () => setFlags(games.flagsOf(rules).flags),
      { "data-rules": rules, "data-key": rules, "aria-pressed": String(rules === rulesNow()) },
      games.sentencesOf(games.named(chosen.name), rules).join(" ") || text("newGame.usual"),
    ),
  );
  return element(
    "div",
    { class: "row", role: "group", "aria-labelledby": "with-bots" },
    element("span", { class: "soft", id: "with-bots" }, text("newGame.withBots")),
    buttons,
  );
}

// Sets the house rules and finds the sets of seats that they allow. House rules can contradict each
// other.
export async function setFlags(flags, seats = chosen.seats) {
  Object.assign(chosen, { flags, seats });
  draw();
  const game = chosenGame(),
    rules = rulesNow();
  const all = [...game.seats, ...SETS.filter((seats) => !game.seats.includes(seats))];
  const tried = await Promise.allSettled(
    all.map((seats) => games.firstPosition(rules, seats, game.sheet, seats[0])),
  );
  if (rules !== rulesNow()) return;
  const possible = all.filter((_, at) => tried[at].status === "fulfilled");
  setPossibleSeats(possible.length ? possible : game.seats);
  if (!possible.length) warn(dialog, tried[0].reason.message);
}
