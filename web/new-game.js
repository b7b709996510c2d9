// The dialog of a new game. Its first step is the shelf with all games, its second step the table:
// the players and the house rules of the chosen game.

import { ask } from "./ask.js";
import { beginNew } from "./begin.js";
import { button, byId, element, fill, onClick, options } from "./dom.js";
import { bySeat, headOf } from "./game.js";
import * as games from "./games.js";
import { miniature, seating } from "./miniature.js";
import { botOf, hasBotHere, playerHere, tableOf } from "./players.js";
import { drawPlayers, warn } from "./seats.js";
import * as store from "./store.js";
import { text } from "./text.js";

const ALL = "SENW";
const SETS = ["SN", "SEN", ALL, "SEW", "SNW", "ENW", "SE", "SW", "EN", "EW", "NW"];
// The number of games that were played last.
const LAST = 4;

const dialog = byId("new-game"),
  search = byId("find-game");
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
onClick({ "#to-shelf": showShelf });
byId("flags").addEventListener("toggle", drawBoards);
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  byId("shelf-games").querySelector(".game:not([hidden])")?.click();
});

function showStep(step) {
  for (const part of dialog.querySelectorAll("[data-step]"))
    part.hidden = part.dataset.step !== step;
  dialog.scrollTop = 0;
  byId("new-game-title").focus();
}

// Opens the dialog at the shelf.
export function openNewGame() {
  dialog.showModal();
  showShelf();
}

export function showShelf() {
  warn(dialog, "");
  byId("new-game-title").textContent = text("newGame.title");
  search.value = "";
  const groups = games
    .groups()
    .map(({ title, games: own }) => [title, own.map((game) => card(game))]);
  fill(
    byId("shelf-games"),
    [[text("newGame.last"), lastGames()], ...groups]
      .filter(([, cards]) => cards.length)
      .map(([title, cards]) =>
        element("section", {}, element("h3", {}, title), element("div", { class: "shelf" }, cards)),
      ),
  );
  showStep("shelf");
}

// A card of each game that was played last, with its seats and house rules.
function lastGames() {
  const last = new Map();
  for (const { line } of store.games()) {
    const { start, moves } = JSON.parse(line),
      { rules, letters } = headOf(start),
      { game, flags } = games.flagsOf(rules);
    if (moves.length && games.named(game) && !last.has(game)) last.set(game, [flags, letters]);
  }
  return [...last]
    .slice(0, LAST)
    .map(([name, own]) => card(games.named(name), () => choose(name, ...own), ""));
}

// The card of a game. A search looks for its `words`.
function card(game, act = () => choose(game.name), words = games.wordsOf(game)) {
  return button(
    act,
    {
      class: "game",
      "data-game": game.name,
      "data-words": words.toLowerCase(),
    },
    drawing(game),
    element(
      "span",
      {},
      element("b", {}, game.title),
      element("small", {}, facts(game)),
      element("small", { class: "summary" }, game.summary),
      hasBotHere(game.name) === false
        ? element("small", { class: "away" }, text("newGame.away"))
        : null,
    ),
  );
}

function find() {
  const wanted = search.value.trim().toLowerCase();
  for (const made of byId("shelf-games").querySelectorAll(".game"))
    made.hidden = !made.dataset.words.includes(wanted);
}

function facts({ seats, minutes, place }) {
  const sizes = seats.map(({ length }) => length),
    least = Math.min(...sizes),
    most = Math.max(...sizes);
  const all = [
    least < most ? text("newGame.sizes", { least, most }) : text("newGame.size", { least }),
    minutes ? text("newGame.minutes", { minutes }) : null,
    place,
  ];
  // Lines break only between facts.
  return all
    .filter(Boolean)
    .map((fact) => fact.replaceAll(" ", "\u00a0"))
    .join(" · ");
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

// An element for a game's small drawing, which appears when the engine has answered.
function drawing({ name, seats, sheet }) {
  const holder = element("span", { class: "mini", "aria-hidden": "true" });
  boardOf(name, seats.at(-1), sheet).then(
    (board) => fill(holder, miniature(board)),
    () => {},
  );
  return holder;
}

// Chooses a game, by default with its default house rules, and shows the table.
export function choose(name, flags = {}, seats = chosen.seats) {
  Object.assign(chosen, { name, flags });
  const game = chosenGame();
  byId("new-game-title").textContent = game.title;
  fill(byId("table-board"), drawing(game));
  byId("game-summary").textContent = game.summary;
  byId("flags").open = false;
  showStep("table");
  sets = game.seats;
  setFlags(flags, sets.includes(seats) || Object.keys(flags).length ? seats : sets[0]);
}

function draw() {
  const game = chosenGame(),
    rules = rulesNow();
  byId("game-facts").textContent = [
    facts(game),
    tableOf(game.name, chosen.seats) ? text("newGame.solved") : null,
  ]
    .filter(Boolean)
    .join(" · ");
  byId("remove-sheet").hidden = !games.isOwn(game);
  drawSizes(game);
  drawSides(game);
  drawFlags(game);
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
    rules,
    chosen.seats,
    chosen.players,
    boardOf(rules, chosen.seats, game.sheet),
  );
}

// The numbers of players, and two teams. In some games, a house rule makes teams, such as `x=true`;
// in others, four players are always two teams ("").
function drawSizes({ seats: usual, teams }) {
  const [flag, value] = teams?.split("=") ?? [],
    { [flag]: now, ...flags } = chosen.flags;
  const isTeams = Boolean(flag) && now === value;
  const sizes = Object.values(
    Object.fromEntries(
      (isTeams ? usual : sets)
        .toReversed()
        .map((seats) => [
          seats.length,
          seats.length === chosen.seats.length && !isTeams ? chosen.seats : seats,
        ]),
    ),
  ).map((seats) => [seats, flags, teams === "" && seats === ALL]);
  if (flag) sizes.push([ALL, { ...flags, [flag]: value }, true]);
  fill(
    byId("choose-seats"),
    sizes.map(([seats, flags, inTeams]) =>
      element(
        "label",
        { class: "card" },
        element("input", {
          type: "radio",
          name: "seats",
          value: inTeams && flag ? "teams" : seats,
          "data-key": seats + inTeams,
          checked: seats === chosen.seats && (!flag || inTeams === isTeams),
          onchange: () => setFlags(flags, seats),
        }),
        seating(seats, inTeams),
        element("b", {}, text(`newGame.numbers.${inTeams ? "teams" : seats.length}`)),
      ),
    ),
  );
}

// If the players can sit at different sides, a small board with buttons for the sides.
function drawSides(game) {
  const same = sets.filter(({ length }) => length === chosen.seats.length);
  byId("choose-sides").hidden = same.length < 2;
  const shared = (seats) => [...seats].filter((seat) => chosen.seats.includes(seat)).length;
  fill(
    byId("sides"),
    drawing(game),
    [...ALL].map((seat) => {
      const isTaken = chosen.seats.includes(seat),
        [next] = same
          .filter((seats) => seats.includes(seat) !== isTaken)
          .sort((a, b) => shared(b) - shared(a));
      return button(
        () => {
          chosen.seats = next;
          draw();
        },
        {
          class: `side seat-${seat}`,
          "data-side": seat,
          "data-key": seat,
          "aria-pressed": String(isTaken),
          disabled: !next,
        },
        isTaken ? text(`seat.${seat}`) : text("newGame.free"),
      );
    }),
  );
}

// The house rules as questions. If an answer changes the board, each answer has a picture.
function drawFlags(game) {
  const rules = rulesNow(),
    usual = game.teams?.split("=")[0];
  const rows = games
    .houseRules(game)
    .filter(({ name }) => name !== usual)
    .map(({ name, about, default: first, values }) =>
      element(
        "fieldset",
        { "data-flag": name },
        element("legend", {}, about || name),
        values.map((answer) => {
          const flags = { ...chosen.flags, [name]: answer.name },
            other = games.rulesText(game, flags);
          const note =
            answer.name === first
              ? text("newGame.usual")
              : botOf(other, chosen.seats)
                ? text("newGame.trained")
                : null;
          return element(
            "label",
            { class: "answer" },
            element("input", {
              type: "radio",
              name: `flag-${name}`,
              value: answer.name,
              "data-key": `${name} ${answer.name}`,
              checked: other === rules,
              onchange: () => setFlags(flags),
            }),
            element("span", { class: "mini", "data-rules": other, "aria-hidden": "true" }),
            element(
              "span",
              {},
              answer.about || answer.name,
              note ? element("small", {}, note) : null,
            ),
          );
        }),
      ),
    );
  fill(byId("choose-flags"), rows);
  byId("flags").hidden = rows.length === 0;
  const { [usual]: _, ...others } = chosen.flags;
  byId("flags-now").textContent = games.sentencesOf(game, games.rulesText(game, others)).join(" ");
  drawBoards();
}

async function drawBoards() {
  if (!byId("flags").open || !chosenGame()) return;
  const { seats } = chosen,
    { sheet } = chosenGame();
  for (const rule of byId("choose-flags").children) {
    const places = [...rule.querySelectorAll(".mini")],
      tried = await Promise.allSettled(
        places.map(({ dataset }) => boardOf(dataset.rules, seats, sheet)),
      );
    const found = tried.map(({ value }) => value),
      looks = new Set(
        found.map((board) => board && JSON.stringify([board.squares, board.courses])),
      );
    if (looks.size > 1 && !looks.has(undefined))
      places.forEach((place, at) => fill(place, miniature(found[at], seats[0])));
  }
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
  if (game !== chosenGame() || rules !== rulesNow()) return;
  const possible = all.filter((_, at) => tried[at].status === "fulfilled");
  sets = possible.length ? possible : game.seats;
  if (!sets.includes(chosen.seats))
    chosen.seats = sets.find((own) => own.length === chosen.seats.length) ?? sets[0];
  draw();
  if (!possible.length) warn(dialog, tried[0].reason.message);
}
