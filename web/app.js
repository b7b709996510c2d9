// The page: puts its parts together, draws when something has changed, and hands over what persons do.

import { ask, prepare, version } from "./ask.js";
import { Board } from "./board.js";
import { generator } from "./chance.js";
import { Exchange } from "./exchange.js";
import { SEATS } from "./game.js";
import * as games from "./games.js";
import { bindKeys } from "./keys.js";
import { drawLog, say, sentence } from "./log.js";
import { NewGame, Players } from "./new-game.js";
import { Estimates } from "./estimates.js";
import { Play } from "./play.js";
import { adviser, agentOf, best, botOf, knows, label, learnBots, seated, sizeOfTable, tableOf } from "./players.js";
import { drawRules } from "./rules.js";
import { dress, drawSettings } from "./settings.js";
import * as store from "./store.js";
import { element } from "./svg.js";
import { TurnPanel, capital } from "./turn.js";

const byId = id => document.getElementById(id);
const address = new URLSearchParams(location.search);
const asked = address.get("seed");
const random = generator(asked !== null && /^\d{1,15}$/.test(asked) ? Number(asked) : null);
const WALKS = { calm: 450, quick: 200, none: 0 };

const settings = store.settings();
const play = new Play(random, settings, changed);
const estimates = new Estimates();
// The tables of perfect play that are loaded.
const tables = new Set();
// What stands beside the game: that of a record which ended otherwise than its moves.
let note = "";
let drawing = 0;

const board = new Board(byId("board"), pick);
const turn = new TurnPanel({
  throwDice: () => play.throwDice(), enter: values => play.act(values), choose, light: action => board.lightAction(action),
});
const newGame = new NewGame(random, async (position, players, sheet) => {
  note = "";
  play.take(await games.played(position, [], sheet ?? null), players);
});
const players = new Players();
const exchange = new Exchange({ takePosition, takeRecord, takeSheet: text => newGame.openSheet(text) });

function trouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble").textContent = text;
}

function changed(what) {
  if (what.kind === "moved") say(sentence(what.step, what.node, play.game.board.throws));
  if (what.kind === "taken") noticeRules();
  if (what.kind === "taken" || what.kind === "playing" || what.kind === "seated") loadBots();
  const walk = what.kind === "moved" && !Array.isArray(what.step.move) ? what.step : null;
  schedule(walk);
}


// Says so where no bot knows the rules.
function noticeRules() {
  const { rules, letters } = play.game;
  byId("notice").hidden = botOf(rules, letters) !== null;
  byId("notice").textContent = `No bot has been trained on ${rules} for ${letters}: only players without training can sit down, and the chances are those of greedy.`;
}

// Draws with the next frame, however much happens until then. While bots move at once the eye cannot follow, so that
// little is drawn until they are through.
const GLANCE = 200;
let frame = null, glance = null, walking = null;
function schedule(walk = null) {
  walking = walk ?? walking;
  if (settings.pace === "none" && play.isBusy) {
    glance ??= setTimeout(drawNow, GLANCE);
    return;
  }
  frame ??= requestAnimationFrame(drawNow);
}

function drawNow() {
  clearTimeout(glance);
  cancelAnimationFrame(frame);
  const step = walking;
  frame = glance = walking = null;
  store.keepGame(play);
  draw(step).catch(error => trouble(`The page cannot be drawn: ${error.message}`));
}

async function draw(walk) {
  const run = ++drawing;
  const { game } = play;
  const position = game.position;
  const view = await ask(game.request("view"));
  const needsOutcomes = view.node === "chance" && play.turnOfPerson === "enter";
  const outcomes = needsOutcomes ? (await ask(game.request("chance"))).outcomes : null;
  // Meanwhile the game may have gone on; then this is drawn in the next frame.
  if (run !== drawing || game !== play.game || position !== game.position) return;
  closeOffer();
  byId("game-name").textContent = gameName(game);
  const labels = Object.fromEntries(game.seats.map(seat => [seat, label(play.player(seat))]));
  board.draw({ board: game.board, view, seenFrom: seenFrom(), labels, canPick: play.turnOfPerson === "choose", moves: lastMoves() });
  const isStill = !settings.moving || matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (walk && !isStill) board.walk(walk, WALKS[settings.pace]);
  turn.draw(play, view, outcomes);
  drawPast();
  drawLog(game, at => play.goTo(at));
  drawOpinion(view);
  document.body.dataset.state = `${game.at} ${play.turnOfPerson ?? (play.isPaused ? "paused" : view.node)}`;
}

function gameName(game) {
  const [, flags] = game.rules.split("?");
  const number = { 2: "two", 3: "three", 4: "four" }[game.seats.length];
  return `${game.about.title} for ${number}${flags ? `, with ${flags.replaceAll("&", ", ")}` : ""}`;
}

function seenFrom() {
  const { seats } = play.game;
  if (settings.seen !== "own") return settings.seen;
  const persons = seats.filter(seat => play.isPerson(seat));
  return persons.length === 1 ? persons[0] : "S";
}

// The moves to be shown as the last ones: of this turn, and of the turns since this seat's last one.
function lastMoves() {
  const { game } = play;
  const own = game.turn(game.at);
  const moves = own.choices.map(moved);
  for (let at = own.from, seats = new Set([own.seat]); at > 0;) {
    const before = game.previousTurn(at);
    if (!before || (seats.has(before.seat) && seats.size > 1) || before.seat === own.seat) break;
    seats.add(before.seat);
    moves.unshift(...before.choices.map(moved));
    at = before.from;
  }
  return moves.length || own.from === 0 ? moves : game.previousTurn(game.at).choices.map(moved);
}

const moved = step => ({ from: step.from, path: step.path, seat: step.moved });

function drawPast() {
  const { game } = play;
  byId("undo").disabled = play.undoTo === null;
  byId("redo").disabled = play.redoTo === null;
  byId("undo-turn").disabled = play.undoTurnTo === null;
  byId("slider").max = game.last;
  byId("slider").value = game.at;
  byId("slider").setAttribute("aria-valuetext", `step ${game.at} of ${game.last}`);
  for (const id of ["to-start", "turn-back", "step-back"]) byId(id).disabled = game.at === 0;
  for (const id of ["to-end", "turn-on", "step-on"]) byId(id).disabled = game.isAtEnd;
  const { node, mover } = game.node;
  const waits = play.isPaused && node !== "over" && !play.turnOfPerson;
  byId("past-note").hidden = !(play.isPaused && (waits || !game.isAtEnd || note));
  byId("play-on").hidden = !(play.isPaused && node !== "over" && (waits || play.isRecorded(mover)));
  const where = game.isAtEnd ? "The end of what was played." : `Step ${game.at} of ${game.last}.`;
  const goesOn = game.isAtEnd || node === "over" ? "" : " What is played from here takes the place of the rest.";
  byId("past-note").firstElementChild.textContent = [note, where + goesOn].filter(Boolean).join(" ");
}

async function drawOpinion(view) {
  const { game } = play;
  const run = drawing;
  const table = tableOf(game.rules, game.letters), canLoad = table !== null && !tables.has(table);
  const who = adviser(game.rules, game.letters, tables.has(table));
  byId("load-table").hidden = !canLoad;
  if (canLoad) byId("load-table").textContent = `Perfect play (${sizeOfTable(game.rules, game.letters)})`;
  estimates.drawSeats(play, view, who, settings.chances);
  if (settings.hints && view.node === "decision") {
    const found = await ask(game.request("hint"), who.agent);
    if (run === drawing) turn.showHints(found);
  }
  if (settings.chances && await estimates.learn(game, who) && run === drawing) estimates.drawSeats(play, view, who, true);
}

// Fetches the bots of a game before it is their turn, and says if that fails.
async function loadBots() {
  const { game } = play;
  try {
    for (const seat of game.seats) {
      const agent = agentOf(play.player(seat), game.rules, game.letters);
      if (agent?.file?.endsWith(".table")) await loadTable();
      else if (agent) await prepare(agent);
    }
  } catch (error) {
    trouble(`A bot cannot be loaded: ${error.message}. Other players can be chosen.`);
  }
}

async function loadTable() {
  const { game } = play;
  byId("progress").hidden = false;
  byId("load-table").disabled = true;
  try {
    const table = tableOf(game.rules, game.letters);
    await prepare({ file: `${table}.table`, level: "" }, (read, total) => {
      byId("progress").max = total || read;
      byId("progress").value = read;
    });
    tables.add(table);
    say("Perfect play is loaded.");
  } finally {
    byId("progress").hidden = true;
    byId("load-table").disabled = false;
    schedule();
  }
}

// A picked piece plays its one action, or offers several.
function pick(group, from) {
  if (play.turnOfPerson !== "choose") return;
  if (group.actions.length === 1) return choose(group.actions[0].id);
  const offer = byId("offer");
  offer.replaceChildren(...group.actions.map(action => element("button", {
    type: "button", onclick: () => choose(action.id), onfocus: () => board.lightAction(action), onpointerenter: () => board.lightAction(action),
  }, capital(action.words))), element("button", { type: "button", class: "quiet", onclick: () => closeOffer(from) }, "Cancel"));
  offer.hidden = false;
  const [place, piece] = [byId("place").getBoundingClientRect(), from.getBoundingClientRect()];
  const room = place.width - offer.offsetWidth;
  offer.style.left = `${Math.max(0, Math.min(room, piece.left + piece.width / 2 - place.left - offer.offsetWidth / 2))}px`;
  const below = piece.bottom - place.top + 6;
  offer.style.top = `${below + offer.offsetHeight > place.height ? Math.max(0, piece.top - place.top - offer.offsetHeight - 6) : below}px`;
  offer.querySelector("button").focus();
  offer.onkeydown = event => {
    if (event.key === "Escape") closeOffer(from);
  };
}

function closeOffer(back) {
  if (byId("offer").hidden) return;
  byId("offer").hidden = true;
  byId("offer").replaceChildren();
  board.light(null);
  back?.focus();
}

function choose(id) {
  if (play.turnOfPerson === "choose") play.act(id);
}

function takePosition(played) {
  note = "";
  const { position } = played.begins;
  const [rules, places] = position.split(" ");
  play.take(played, seated(places.split("/").map(seat => seat[0]).join(""), play.players, rules));
  say("The position is set up.");
}

function takeRecord(played, record, said) {
  note = said ?? (record.ending?.forfeited ? `${SEATS[record.ending.forfeited.seat]} forfeited: ${record.ending.forfeited.reason}.` : "");
  // The game of a record that brings its sheet can be played anew.
  if (!games.named(played.about.name)) games.keep(played.about);
  const seats = record.start.split(" ")[1].split("/").map(seat => seat[0]);
  const names = Object.fromEntries(seats.map((seat, at) => [seat, `recorded:${record.players?.[at] ?? "unknown"}`]));
  play.take(played, names, 0);
  say(`A game of ${played.steps.length} steps, shown from its beginning.`);
}

// Plays on from the place that is shown; of a record, by whom is asked first.
function playOn() {
  if (play.game.seats.some(seat => play.isRecorded(seat))) players.open(play, chosen => play.playOn(chosen));
  else play.playOn(play.players);
}

const focusTurn = () => byId("turn").focus({ preventScroll: true });

function bind() {
  const openers = {
    "new-game": () => newGame.open(play.game.about),
    "seats": () => players.open(play, chosen => play.isPaused && !play.game.isAtEnd ? play.seat(chosen) : play.playOn(chosen)),
    "exchange": () => exchange.open(play),
    "rules": () => {
      drawRules(play.game.about.name);
      byId("rules").showModal();
    },
    "settings": () => byId("settings").showModal(),
  };
  for (const button of document.querySelectorAll("[data-dialog]")) button.addEventListener("click", openers[button.dataset.dialog]);
  for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close(""));
  // So does a click beside a dialog.
  for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("click", event => event.target === dialog && dialog.close(""));
  // From a dialog that has changed the game the keyboard goes to the turn, where the space key throws.
  for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("close", () => dialog.returnValue && focusTurn());
  const does = {
    undo: () => play.undoTo !== null && play.goTo(play.undoTo),
    redo: () => play.redoTo !== null && play.goTo(play.redoTo),
    "undo-turn": () => play.undoTurnTo !== null && play.goTo(play.undoTurnTo),
    "to-start": () => play.goTo(0),
    "to-end": () => play.goTo(play.game.last),
    "step-back": () => play.goTo(play.game.at - 1),
    "step-on": () => play.goTo(play.game.at + 1),
    "turn-back": () => play.goTo(play.game.before(play.game.at, at => play.game.begins(at)) ?? 0),
    "turn-on": () => play.goTo(play.game.after(play.game.at, at => play.game.begins(at)) ?? play.game.last),
    "play-on": playOn,
  };
  for (const [id, act] of Object.entries(does)) byId(id).addEventListener("click", act);
  byId("slider").addEventListener("input", event => play.goTo(Number(event.target.value)));
  byId("load-table").addEventListener("click", () => loadTable().catch(error => trouble(`Perfect play cannot be loaded: ${error.message}.`)));
  for (const [id, key] of [["show-hints", "hints"], ["show-chances", "chances"]]) {
    byId(id).checked = settings[key];
    byId(id).addEventListener("change", event => setting(key, event.target.checked));
  }
  drawSettings(settings, key => setting(key, settings[key]));
  bindKeys(settings, { ...does, throw: () => play.turnOfPerson === "throw" && play.throwDice(), hints: () => byId("show-hints").click(), choose: number => turn.actions[number] && choose(turn.actions[number].id) });
  document.addEventListener("dragover", event => event.preventDefault());
  document.addEventListener("drop", async event => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (!file) return;
    if (file.name.endsWith(".bot")) return newGame.openFile(file);
    const text = await file.text();
    if (games.looksLikeSheet(text)) return newGame.openSheet(text);
    for (const other of document.querySelectorAll("dialog[open]")) if (other.id !== "exchange") other.close("");
    if (!byId("exchange").open) exchange.open(play);
    await exchange.take(text);
  });
}

function setting(key, value) {
  settings[key] = value;
  store.keepSettings(settings);
  dress(settings);
  schedule();
  if (key === "throws" || key === "forced" || key === "pace") play.go();
}

// The game that was under way; or a new one: of the game that the address asks for (`?game=NAME`), or of the one that the
// page names as its first.
async function begin() {
  const wanted = address.get("game");
  const kept = store.game();
  try {
    if (kept) {
      const { start, moves, sheet } = JSON.parse(kept.line);
      const isWanted = wanted === null || start.split(" ")[0] === wanted;
      const played = isWanted ? await games.played(start, moves, sheet ?? null) : null;
      if (played && !played.error) return play.take(played, stillThere(kept.players, start), kept.at);
    }
  } catch {
    // What was kept cannot be read any more; a new game begins instead.
  }
  const first = document.querySelector("meta[name='ashta-game']").content;
  for (const rules of [wanted, first, games.all()[0].name].filter(rules => rules !== null)) {
    try {
      return await beginNew(rules);
    } catch (error) {
      trouble(error.message);
    }
  }
}

// Players of a game that was kept; for a bot that is not at hand any more the best one that is.
function stillThere(players, start) {
  const [rules, places] = start.split(" ");
  const letters = places.split("/").map(seat => seat[0]).join("");
  const isThere = player => player.startsWith("recorded:") || knows(player, rules, letters);
  return Object.fromEntries(Object.entries(players).map(([seat, player]) => [seat, isThere(player) ? player : best(rules, letters)]));
}

async function beginNew(rules) {
  const about = games.named(games.flagsOf(rules).game);
  const seats = about?.seats[0] ?? "SN";
  const { position } = await ask({ op: "new", game: rules, seats, start: seats[0], sheet: about?.sheet });
  const other = knows("bot:novice", rules, seats) ? "bot:novice" : best(rules, seats);
  const players = Object.fromEntries([...seats].map((seat, at) => [seat, at ? other : "person"]));
  play.take(await games.played(position), players);
}

dress(settings);
bind();
try {
  await Promise.all([games.learn(), learnBots()]);
  await begin();
  byId("about").textContent = `ashta ${await version()}. Everything is computed in this browser; nothing is sent anywhere.`;
} catch (error) {
  byId("turn-title").textContent = "The game cannot be loaded";
  trouble(`The rules cannot be loaded: ${error.message}. This page needs a browser with WebAssembly and module workers, and all of its files.`);
}
