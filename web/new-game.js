// The dialog of a new game: game, seats, house rules, who plays each seat, and sheets of one's own; and the one that
// changes the players of a game under way.

import { ask } from "./ask.js";
import { SEATS } from "./game.js";
import * as games from "./games.js";
import { miniature } from "./miniature.js";
import { addBot, beginnersWins, best, choices, isSolved, knows, playerNamed, rulesWithBots } from "./players.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

const NUMBERS = { 2: "Two", 3: "Three", 4: "Four" };
// Every set of seats.
const SETS = ["SN", "SEN", "SENW", "SEW", "SNW", "ENW", "SE", "SW", "EN", "EW", "NW"];

// Cards to choose one of: [value, title, note, picture].
function cards(name, options, chosen, change) {
  return options.map(([value, title, note, picture]) => element("label", { class: "card" }, picture,
    element("input", { type: "radio", name, value, checked: value === chosen, onchange: () => change(value) }),
    element("span", {}, element("b", {}, title), note ? element("small", {}, note) : null)));
}

// The boards of games as small drawings, by name; each is asked for once.
const drawings = new Map();

// The place of a game's drawing, which is filled in when the engine has answered.
function drawing(game) {
  const holder = element("span", { class: "mini", "aria-hidden": "true" });
  if (!drawings.has(game)) {
    const seats = game.seats.at(-1);
    drawings.set(game, ask({ op: "new", game: game.name, seats, start: seats[0], sheet: game.sheet })
      .then(({ position }) => ask({ op: "board", position, sheet: game.sheet })));
  }
  drawings.get(game).then(board => holder.replaceChildren(miniature(board)), () => {});
  return holder;
}

// The share of skill, from 0 to 100, in a game for two: how many of the games that are even between equals a beginner
// loses against the best; null where that was not measured.
function skill({ name, seats: [seats] }) {
  const wins = beginnersWins(name, seats);
  return seats.length === 2 && wins !== null ? 100 - 2 * wins : null;
}

// What distinguishes games at a glance.
function facts(game) {
  const sizes = [...new Set(game.seats.map(seats => seats.length))].sort();
  const players = sizes.length > 1 ? `${sizes[0]} to ${sizes.at(-1)}` : `${sizes[0]}`;
  const share = skill(game);
  const all = [game.place, `${players} players`, game.minutes ? `${game.minutes} min` : null, share === null ? null : `${share} % skill`,
    isSolved(game.name) ? "solved" : null, games.isOwn(game) ? "your own" : null];
  // A line breaks between facts only.
  return all.filter(Boolean).map(fact => fact.replaceAll(" ", "\u00a0")).join(" · ");
}

// A choice of player for each seat: `players` by seat, and `changed(seat, player)`.
function drawPlayers(holder, rules, seats, players, changed) {
  const groups = choices(rules, seats);
  holder.replaceChildren(...[...seats].map(seat => {
    const options = groups.flatMap(({ group, players: all }) => {
      const made = all.map(([player, label, isPossible]) => element("option", { value: player, disabled: !isPossible, selected: players[seat] === player }, label));
      return group ? [element("optgroup", { label: group }, ...made)] : made;
    });
    const select = element("select", { "data-seat": seat, onchange: event => changed(seat, event.target.value) }, ...options);
    return element("label", { class: `line seat-${seat}` }, element("span", { class: "chip", "aria-hidden": "true" }, seat), element("span", { class: "seat-name" }, SEATS[seat]), select);
  }));
}

function warn(dialog, text) {
  const place = dialog.querySelector("form > .warning");
  place.hidden = !text;
  place.textContent = text ?? "";
}

const hasBot = (rules, seats) => best(rules, seats).startsWith("bot:");
const unknownRules = (rules, seats) =>
  `No bot has been trained on these rules (${rules} for ${seats}); the players without training know them.`;

export class NewGame {
  // `start(position, players, sheet)` when a game is to begin; `sheet` is that of a game of one's own.
  constructor(random, start) {
    this.random = random;
    this.start = start;
    this.dialog = byId("new-game");
    // `name`: the game; null before the first time.
    this.chosen = { name: null, seats: "SN", flags: {}, players: { S: "person", E: "bot:novice", N: "bot:novice", W: "bot:novice" } };
    // The sets of seats on which it can be played under the house rules.
    this.sets = [];
    this.asked = 0;
    this.dialog.querySelector("form").addEventListener("submit", event => {
      if (event.submitter?.value !== "start") return;
      event.preventDefault();
      this.begin();
    });
    byId("read-sheet").addEventListener("click", () => this.readSheet());
    byId("take-sheet").addEventListener("click", () => this.takeSheet());
    byId("remove-sheet").addEventListener("click", () => this.removeSheet());
    byId("open-sheet").addEventListener("change", async event => {
      const [file] = event.target.files;
      if (file) await this.openFile(file);
      event.target.value = "";
    });
  }

  // Opens the dialog at a game, the first time at the one under way.
  open(game) {
    if (!games.named(this.chosen.name)) this.pick(games.named(game.name)?.name ?? games.all()[0].name);
    this.draw();
    this.tellSheet("");
    this.refuseSheet([]);
    this.dialog.showModal();
  }

  get game() {
    return games.named(this.chosen.name);
  }

  get rules() {
    return games.rulesText(this.game, this.chosen.flags);
  }

  pick(name, flags = {}) {
    this.startable(true);
    Object.assign(this.chosen, { name, flags });
    this.sets = this.game.seats;
    if (!this.sets.includes(this.chosen.seats)) this.chosen.seats = this.sets[0];
  }

  // Whether Start begins the game that is marked: not while a sheet that was to be played is refused.
  startable(isReady) {
    this.dialog.querySelector("[value=start]").disabled = !isReady;
  }

  draw() {
    const list = games.all().map(game => [game.name, game.title, facts(game), drawing(game)]);
    byId("choose-game").replaceChildren(...cards("game", list, this.chosen.name, name => {
      this.pick(name);
      this.drawRest();
    }));
    this.drawRest();
  }

  // What depends on the game.
  drawRest() {
    const wins = beginnersWins(this.game.name, this.game.seats[0]);
    const luck = wins === null ? "" : ` As a beginner the bot wins ${wins} of 100 games against itself at its best.`;
    byId("game-summary").textContent = this.game.summary + luck;
    byId("take-sheet").textContent = `Take the sheet of ${this.game.title}`;
    byId("remove-sheet").hidden = !games.isOwn(this.game);
    byId("remove-sheet").textContent = `Remove ${this.game.title}`;
    this.drawFlags();
    this.drawSets();
  }

  // What depends on the house rules.
  drawSets() {
    const { chosen } = this;
    const sizes = this.sets.map(seats => seats.length);
    const list = this.sets.map(seats => {
      const isOnlyOne = sizes.filter(size => size === seats.length).length === 1;
      return [seats, NUMBERS[seats.length], isOnlyOne ? null : [...seats].map(seat => SEATS[seat]).join(", ")];
    });
    byId("choose-seats").replaceChildren(...cards("seats", list, chosen.seats, seats => {
      chosen.seats = seats;
      this.drawSeats();
    }));
    this.drawSeats();
  }

  // Who would sit at each seat: those who were chosen, where they know the rules.
  get players() {
    const { rules, chosen: { seats, players } } = this;
    return Object.fromEntries([...seats].map(seat => [seat, knows(players[seat], rules, seats) ? players[seat] : best(rules, seats)]));
  }

  drawSeats() {
    const { rules, chosen: { seats, players } } = this;
    const first = byId("choose-first").value;
    byId("choose-first").replaceChildren(element("option", { value: "" }, "by lot"),
      ...[...seats].map(seat => element("option", { value: seat, selected: seat === first }, SEATS[seat])));
    drawPlayers(this.dialog.querySelector(".seat-choices"), rules, seats, this.players, (seat, player) => { players[seat] = player; });
    warn(this.dialog, hasBot(rules, seats) ? null : unknownRules(rules, seats));
  }

  drawFlags() {
    const { chosen } = this;
    const rows = games.houseRules(this.game).map(({ name, about, default: usual, values }) => {
      const value = chosen.flags[name] ?? usual;
      const meaning = element("small", {}, [about, values.find(({ name }) => name === value)?.about].filter(Boolean).join(" "));
      const select = element("select", { "data-flag": name, onchange: event => {
        chosen.flags[name] = event.target.value;
        this.drawFlags();
        byId("choose-flags").querySelector(`[data-flag="${name}"]`).focus();
        this.askSets();
      } }, ...values.map(option => element("option", { value: option.name, selected: option.name === value }, option.name)));
      return element("label", { class: "flag" }, element("code", {}, name), select, meaning);
    });
    byId("choose-flags").replaceChildren(...this.known(), ...rows);
    byId("flags").hidden = rows.length === 0;
  }

  // The rules that bots were trained on, as buttons, where there are several.
  known() {
    const { chosen, game } = this;
    const all = [...new Set(rulesWithBots(game.name).map(bot => bot.game))];
    if (all.length < 2) return [];
    const buttons = all.map(rules => element("button", { type: "button", "data-rules": rules, "aria-pressed": String(rules === this.rules), onclick: () => {
      chosen.flags = games.flagsOf(rules).flags;
      this.drawFlags();
      byId("choose-flags").querySelector(`[data-rules="${rules}"]`).focus();
      this.askSets();
    } }, rules.split("?")[1]?.replaceAll("&", ", ") ?? "as they stand"));
    return [element("div", { class: "row", role: "group", "aria-label": "Rules that bots know" }, element("span", { class: "soft" }, "Bots know:"), ...buttons)];
  }

  // Asks on which seats the game can be played under the house rules: they may change that, or contradict each other.
  async askSets() {
    const run = ++this.asked;
    // Who knows these rules is seen at once.
    this.drawSeats();
    const { game, rules, chosen } = this;
    const sets = [...game.seats, ...SETS.filter(seats => !game.seats.includes(seats))];
    const answers = await Promise.all(sets.map(seats => ask({ op: "new", game: rules, seats, start: seats[0], sheet: game.sheet })
      .then(() => ({ seats }), error => ({ trouble: error.message }))));
    if (run !== this.asked || rules !== this.rules) return;
    const possible = answers.filter(({ seats }) => seats).map(({ seats }) => seats);
    this.sets = possible.length ? possible : game.seats;
    if (!this.sets.includes(chosen.seats)) chosen.seats = this.sets[0];
    this.drawSets();
    if (!possible.length) warn(this.dialog, answers[0].trouble);
  }

  async begin() {
    const { game, rules, players, chosen: { seats } } = this;
    const first = byId("choose-first").value;
    try {
      const lot = first ? { start: first } : { seed: Math.floor(this.random() * 2 ** 32) };
      const { position } = await ask({ op: "new", game: rules, seats, sheet: game.sheet, ...lot });
      this.dialog.close("done");
      this.start(position, players, game.sheet);
    } catch (error) {
      warn(this.dialog, error.message);
    }
  }

  // Opens the dialog where sheets are read, from wherever something was pasted or dropped.
  reveal() {
    for (const other of document.querySelectorAll("dialog[open]")) if (other !== this.dialog) other.close("");
    if (!this.dialog.open) this.open(games.all()[0]);
    byId("own-games").open = true;
  }

  async openSheet(text) {
    this.reveal();
    byId("sheet-text").value = text;
    await this.readSheet();
  }

  // Opens a file with a sheet, or with a bot.
  async openFile(file) {
    if (!file.name.endsWith(".bot")) return this.openSheet(await file.text());
    this.reveal();
    this.tellSheet("");
    this.refuseSheet([]);
    try {
      const { game, seats, sheet } = await addBot(file.name, new Uint8Array(await file.arrayBuffer()));
      const old = sheet ? games.keep(await games.read(sheet)) : null;
      const { game: name, flags } = games.flagsOf(game);
      this.pick(name, flags);
      this.chosen.seats = seats;
      this.draw();
      this.askSets();
      this.tellSheet(`The bot ${file.name} can sit down, until the page is left.${replaced(old)}`);
    } catch (error) {
      this.refuseSheet([{ line: null, key: file.name, message: error.message }], "The bot cannot be taken:");
    }
  }

  // Reads the sheet of the text field: the game comes into the list and is chosen, or every problem is named.
  async readSheet() {
    this.tellSheet("");
    this.refuseSheet([]);
    try {
      const game = await games.read(byId("sheet-text").value);
      const old = games.keep(game);
      this.pick(game.name);
      this.draw();
      this.tellSheet(`${game.title} is in the list of games, and chosen.${replaced(old)}`);
    } catch (error) {
      const problems = error.problems ?? error.message.split("\n").map(message => ({ line: null, key: "", message }));
      this.refuseSheet(problems);
    }
  }

  tellSheet(text) {
    byId("sheet-done").textContent = text;
  }

  // Names the problems of the sheet; each that has a line leads there.
  refuseSheet(problems, heading = problems.length === 1 ? "The sheet has a problem:" : `The sheet has ${problems.length} problems:`) {
    byId("sheet-trouble").hidden = !problems.length;
    this.startable(!problems.length);
    if (!problems.length) return byId("sheet-trouble").replaceChildren();
    byId("sheet-trouble").replaceChildren(element("p", {}, heading),
      element("ul", {}, ...problems.map(({ line, key, message }) => {
        const text = [line ? `line ${line}` : null, key || null, message].filter(Boolean).join(": ");
        return element("li", {}, line ? element("button", { type: "button", class: "quiet", onclick: () => goToLine(line) }, text) : text);
      })));
    byId("sheet-trouble").scrollIntoView({ block: "nearest" });
  }

  // The sheet of the chosen game, to begin with.
  async takeSheet() {
    this.refuseSheet([]);
    try {
      byId("sheet-text").value = games.isOwn(this.game) ? this.game.sheet : await games.sheetOf(this.game);
      this.tellSheet(games.isOwn(this.game) ? "" : "Change its name, and what is to be played otherwise; then read it.");
    } catch (error) {
      this.tellSheet(`It cannot be loaded: ${error.message}.`);
    }
  }

  removeSheet() {
    const { title } = this.game;
    games.remove(this.chosen.name);
    this.pick(games.all()[0].name);
    this.draw();
    this.tellSheet(`${title} is removed from the list.`);
    byId("read-sheet").focus();
  }
}

const replaced = old => old ? ` It takes the place of ${old.title}, another sheet of the same name; games of that one keep its rules.` : "";

// Marks a line of the sheet in its text field.
function goToLine(number) {
  const field = byId("sheet-text");
  const lines = field.value.split("\n");
  const from = lines.slice(0, number - 1).reduce((sum, line) => sum + line.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + lines[number - 1].length);
  field.scrollTop = field.scrollHeight * (number - 3) / lines.length;
}

export class Players {
  constructor() {
    this.dialog = byId("seats-dialog");
    this.dialog.querySelector("form").addEventListener("submit", event => {
      if (event.submitter?.value === "take") this.take(this.players);
    });
  }

  // Asks for the players of the rest; `take(players)` with the answer.
  open(play, take) {
    const { rules, letters: seats, node } = play.game;
    this.take = take;
    this.players = Object.fromEntries([...seats].map(seat => {
      const player = play.player(seat);
      if (!play.isRecorded(seat)) return [seat, player];
      return [seat, seat === node.mover && !play.hasPersons ? "person" : playerNamed(player.slice(9), rules, seats)];
    }));
    drawPlayers(this.dialog.querySelector(".seat-choices"), rules, seats, this.players, (seat, player) => { this.players[seat] = player; });
    warn(this.dialog, hasBot(rules, seats) ? null : unknownRules(rules, seats));
    this.dialog.showModal();
  }
}
