// The dialog of a new game: game, number of players, house rules, who plays each seat; and the one that changes the
// players of a game under way.

import { ask } from "./ask.js";
import { FLAGS, rulesText } from "./flags.js";
import { SEATS } from "./game.js";
import { best, choices, knows, playerNamed } from "./players.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

const GAMES = [
  ["ashtapada", "Ashtapada", "eight by eight, series of throws, twins"],
  ["ashte-kashte", "Ashte Kashte", "seven by seven, doubles that block"],
  ["pagade", "Pagade", "the cross, two long dice, pairs"],
];
// For each game: [value, label, number of seats, flags].
const TABLES = {
  "ashtapada": [["2", "Two", 2, {}], ["3", "Three", 3, {}], ["4", "Four", 4, {}]],
  "ashte-kashte": [["2", "Two", 2, {}], ["3", "Three", 3, {}], ["4", "Four", 4, {}]],
  "pagade": [["2", "Two", 2, {}], ["lap", "Two, with a further lap", 2, { no_cut: "lap" }], ["4", "Four, each for itself", 4, {}],
    ["teams", "Four, in two teams", 4, { teams: "true" }]],
};
const LETTERS = { 2: "SN", 3: "SEN", 4: "SENW" };

function cards(name, options, chosen, change) {
  return options.map(([value, title, note]) => element("label", { class: "card" },
    element("input", { type: "radio", name, value, checked: value === chosen, onchange: () => change(value) }),
    element("span", {}, element("b", {}, title), note ? element("small", {}, note) : null)));
}

// A choice of player for each seat; `players` is changed in place.
function drawPlayers(holder, rules, seats, players, changed) {
  const groups = choices(rules, seats);
  holder.replaceChildren(...[...seats].map(seat => {
    const options = groups.flatMap(({ group, players: all }) => {
      const made = all.map(([player, label, isPossible]) => element("option", { value: player, disabled: !isPossible, selected: players[seat] === player }, label));
      return group ? [element("optgroup", { label: group }, ...made)] : made;
    });
    const select = element("select", { "data-seat": seat, onchange: event => {
      players[seat] = event.target.value;
      changed();
    } }, ...options);
    return element("label", { class: `line seat-${seat}` }, element("span", { class: "chip", "aria-hidden": "true" }, seat), element("span", { class: "seat-name" }, SEATS[seat]), select);
  }));
}

function warn(dialog, text) {
  const place = dialog.querySelector(".warning");
  place.hidden = !text;
  place.textContent = text ?? "";
}

const unknownRules = (rules, seats) =>
  `No bot has been trained on these rules (${rules} for ${seats}); the players without training know them.`;

export class NewGame {
  // `start(position, players)` when a game is to begin.
  constructor(random, start) {
    this.random = random;
    this.start = start;
    this.dialog = byId("new-game");
    this.chosen = { game: "ashtapada", table: "2", flags: {}, players: { S: "person", E: "bot:novice", N: "bot:novice", W: "bot:novice" } };
    this.dialog.querySelector("form").addEventListener("submit", event => {
      if (event.submitter?.value !== "start") return;
      event.preventDefault();
      this.begin();
    });
  }

  open() {
    this.draw();
    this.dialog.showModal();
  }

  get table() {
    const tables = TABLES[this.chosen.game];
    return tables.find(([value]) => value === this.chosen.table) ?? tables[0];
  }

  get rules() {
    const { game, flags } = this.chosen;
    return rulesText(game, { ...flags, ...this.table[3] });
  }

  draw() {
    byId("choose-game").replaceChildren(...cards("game", GAMES, this.chosen.game, value => {
      Object.assign(this.chosen, { game: value, flags: {} });
      this.drawTables();
    }));
    this.drawTables();
  }

  // What depends on the game.
  drawTables() {
    byId("choose-seats").replaceChildren(...cards("table", TABLES[this.chosen.game].map(([value, title]) => [value, title]), this.table[0], value => {
      this.chosen.table = value;
      this.drawRest();
    }));
    this.drawRest();
  }

  // What depends on the number of players.
  drawRest() {
    const seats = LETTERS[this.table[2]];
    byId("choose-first").replaceChildren(element("option", { value: "" }, "by lot"), ...[...seats].map(seat => element("option", { value: seat }, SEATS[seat])));
    this.drawFlags();
    this.drawSeats(seats);
  }

  drawSeats(seats) {
    const { chosen, rules } = this;
    for (const seat of seats) if (!knows(chosen.players[seat], rules, seats)) chosen.players[seat] = best(rules, seats);
    const isKnown = best(rules, seats).startsWith("bot:");
    drawPlayers(this.dialog.querySelector(".seat-choices"), rules, seats, chosen.players, () => {});
    warn(this.dialog, isKnown ? null : unknownRules(rules, seats));
  }

  drawFlags() {
    const { chosen } = this;
    const fixed = this.table[3];
    byId("choose-flags").replaceChildren(...FLAGS[chosen.game].filter(([name]) => !(name in fixed)).map(([name, values, meaning]) => {
      const select = element("select", { "data-flag": name, onchange: event => {
        chosen.flags[name] = event.target.value;
        this.drawSeats(LETTERS[this.table[2]]);
      } }, ...values.map(value => element("option", { value, selected: chosen.flags[name] === value }, value)));
      return element("label", { class: "flag" }, element("code", {}, name), select, element("small", {}, meaning));
    }));
  }

  async begin() {
    const seats = this.table[2], first = byId("choose-first").value;
    try {
      const lot = first ? { start: first } : { seed: Math.floor(this.random() * 2 ** 32) };
      const { position } = await ask({ op: "new", game: this.rules, seats, ...lot });
      const players = Object.fromEntries([...LETTERS[seats]].map(seat => [seat, this.chosen.players[seat]]));
      this.dialog.close("done");
      this.start(position, players);
    } catch (error) {
      warn(this.dialog, error.message);
    }
  }
}

export class Players {
  constructor() {
    this.dialog = byId("seats-dialog");
    this.dialog.querySelector("form").addEventListener("submit", event => {
      if (event.submitter?.value === "take") this.take(this.players);
    });
  }

  // Asks who plays on; `take(players)` with the answer.
  open(play, take) {
    const { rules, letters: seats, node } = play.game;
    this.take = take;
    this.players = Object.fromEntries([...seats].map(seat => {
      const player = play.player(seat);
      if (!play.isRecorded(seat)) return [seat, player];
      return [seat, seat === node.mover && !play.hasPersons ? "person" : playerNamed(player.slice(9), rules, seats)];
    }));
    drawPlayers(this.dialog.querySelector(".seat-choices"), rules, seats, this.players, () => {});
    warn(this.dialog, best(rules, seats).startsWith("bot:") ? null : unknownRules(rules, seats));
    this.dialog.showModal();
  }
}
