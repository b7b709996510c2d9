// The page: puts its parts together, draws when something has changed, and hands over what persons do.

import { ask, prepare, values, version } from "./ask.js";
import { Board } from "./board.js";
import { generator } from "./chance.js";
import { Choice } from "./choice.js";
import { Dock } from "./dock.js";
import { Exchange } from "./exchange.js";
import { SEATS } from "./game.js";
import * as games from "./games.js";
import { bindKeys } from "./keys.js";
import { drawLog, say, sentence } from "./log.js";
import { groups } from "./pieces.js";
import { NewGame, Players } from "./new-game.js";
import { Estimates } from "./estimates.js";
import { Play } from "./play.js";
import { Review } from "./review.js";
import { adviser, agentOf, best, botOf, forget, knows, label, learnBots, seated, sizeOfTable, tableOf } from "./players.js";
import { drawRules } from "./rules.js";
import { dress, drawSettings } from "./settings.js";
import { land, rattle } from "./sound.js";
import * as store from "./store.js";

const byId = id => document.getElementById(id);
const address = new URLSearchParams(location.search);
const asked = address.get("seed");
const random = generator(asked !== null && /^\d{1,15}$/.test(asked) ? Number(asked) : null);
const WALKS = { calm: 450, quick: 200, none: 0 };
// So many milliseconds nothing plays that has just appeared: the second click on one thing is none on the next.
const SETTLE = 400;

const settings = store.settings();
const play = new Play(random, settings, changed);
const estimates = new Estimates();
// The tables of perfect play that are loaded.
const tables = new Set();
// What stands beside the game: that of a record which ended otherwise than its moves.
let note = "";
// What is wrong with the list of bots, or null.
let noList = null;
let drawing = 0;

// What a person chooses of the turn at this position, and when it could first be chosen.
let choice = null, chosenAt = null, since = 0;

const board = new Board(byId("board"), { pick, cannot });
const dock = new Dock({
  throwDice, enter: thrown => isSettled() && play.act([thrown]), pick, leave: () => choice?.end && isSettled() && finish(choice.end), undo, hurry: () => play.hurry(), light: option => board.lightOption(option),
});
const newGame = new NewGame(random, async (position, players, sheet) => take(await games.played(position, [], sheet ?? null), players));
const players = new Players();
const review = new Review({
  show: at => play.goTo(at),
  // Against those who sit there; a record is played on by a person.
  retry: at => {
    play.goTo(at);
    if (play.isPast && play.game.seats.some(seat => play.isRecorded(seat))) playOn();
  },
});
const exchange = new Exchange({ takePosition, takeRecord, takeSheet: text => newGame.openSheet(text), goOn });

function trouble(text) {
  byId("trouble").hidden = !text;
  byId("trouble").textContent = text;
}

function changed(what) {
  if (what.kind === "moved") say(sentence(what.step, what.node, play.game.board.throws));
  if (what.step?.thrown && settings.sound && !play.isHurried) rattle();
  if (what.kind === "taken") noticeRules();
  if (what.kind === "taken" || what.kind === "playing" || what.kind === "seated") loadBots();
  schedule(what.kind === "moved" ? what.step.moves ?? null : null);
}

// Says so where no bot knows the rules.
function noticeRules() {
  const { rules, letters } = play.game;
  byId("notice").hidden = botOf(rules, letters) !== null;
  byId("notice").textContent = `${noList ?? `No bot here knows ${rules} for ${letters}.`} Only players without training can sit down, and the chances are those of greedy.`;
}

// Draws with the next frame, however much happens until then. While bots move at once the eye cannot follow, so that
// little is drawn until they are through.
const GLANCE = 200;
let frame = null, glance = null, walking = null;
function schedule(walk = null) {
  walking = walk ?? walking;
  if ((settings.pace === "none" || play.isHurried) && play.isBusy) {
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
  const can = play.turnOfPerson, key = `${can} ${position}`;
  const outcomes = can === "enter" ? (await ask(game.request("chance"))).outcomes : null;
  const turns = can === "choose" && chosenAt !== key ? (await ask(game.request("choices"))).turns : null;
  // Meanwhile the game may have gone on; then this is drawn in the next frame.
  if (run !== drawing || game !== play.game || position !== game.position) return;
  if (turns) choice = new Choice(turns, groups(view, game.board.words));
  if (can !== "choose") choice = null;
  // Before the first one there was nothing that could be clicked.
  if (chosenAt !== key) since = chosenAt === null ? -SETTLE : performance.now();
  chosenAt = key;
  byId("game-name").textContent = gameName(game);
  // The first paragraph of the rules says what one tries to do.
  byId("aim").textContent = game.about.rules.trim().split("\n\n")[0].replaceAll("\n", " ") || game.about.summary;
  const labels = Object.fromEntries(game.seats.map(seat => [seat, play.label(seat)]));
  const before = board.board === game.board ? board.view : null;
  board.draw({ board: game.board, view: choice?.preview(view) ?? view, seenFrom: seenFrom(), labels, options: choice?.options ?? [], moves: lastMoves() });
  const isStill = !settings.moving || matchMedia("(prefers-reduced-motion: reduce)").matches;
  const time = isStill ? 0 : WALKS[settings.pace];
  if (walk?.length) {
    const captured = before ? board.captured(before, walk[0].seat) : [];
    for (const move of walk) board.walk(move, time);
    if (time) board.flee(captured, time);
    if (settings.sound) land(walk.length, captured.length, time);
  }
  dock.draw(play, view, choice, outcomes);
  drawPast();
  drawLog(game, at => play.goTo(at));
  const who = adviser(game.rules, game.letters, tables.has(tableOf(game.rules, game.letters)));
  drawOpinion(view, who).catch(error => error.code === "file" ? goOnWithout(who.agent, error) : trouble(`The chances cannot be computed: ${error.message}`));
  const now = `${game.at} ${choice?.picked.length ? `then ${choice.picked.length} ` : ""}${can ?? (play.isPaused ? "paused" : view.node)}`;
  // What can be played at once, and not before: for tests.
  if (isSettled()) document.body.dataset.state = now;
  else setTimeout(() => run === drawing && (document.body.dataset.state = now), SETTLE);
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
  const moves = movesOf(own);
  for (let at = own.from, seats = new Set([own.seat]); at > 0;) {
    const before = game.previousTurn(at);
    if (!before || (seats.has(before.seat) && seats.size > 1) || before.seat === own.seat) break;
    seats.add(before.seat);
    moves.unshift(...movesOf(before));
    at = before.from;
  }
  return moves.length || own.from === 0 ? moves : movesOf(game.previousTurn(game.at));
}

const movesOf = ({ choices }) => choices.flatMap(step => step.moves);

function drawPast() {
  const { game } = play;
  byId("redo").disabled = play.redoTo === null;
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

async function drawOpinion(view, who) {
  const { game } = play;
  const run = drawing;
  const table = tableOf(game.rules, game.letters), canLoad = table !== null && !tables.has(table);
  byId("load-table").hidden = !canLoad;
  if (canLoad) byId("load-table").textContent = `Perfect play (${sizeOfTable(game.rules, game.letters)})`;
  estimates.drawSeats(play, view, who, settings.chances);
  if (settings.hints && choice) {
    const positions = [...new Set(choice.left.map(turn => turn.position))];
    const found = await values(positions, who.agent, game.about.sheet);
    const own = game.seats.indexOf(view.mover);
    const worth = new Map(positions.map((position, at) => [position, found[at][own]]));
    const best = turns => Math.max(...turns.map(turn => worth.get(turn.position)));
    if (run === drawing) dock.showHints(new Map(choice.options.map(option => [option.name, best(option.turns)])), game.seats.length);
  }
  if (settings.chances && await estimates.learn(game, who) && run === drawing) estimates.drawSeats(play, view, who, true);
}

// Fetches the bots of a game before it is their turn.
async function loadBots() {
  const { game } = play;
  for (const seat of game.seats) {
    const agent = agentOf(play.player(seat), game.rules, game.letters);
    try {
      if (agent?.file?.endsWith(".table")) await loadTable();
      else if (agent) await prepare(agent);
    } catch (error) {
      goOnWithout(agent, error);
    }
  }
}

// Goes on without a file that cannot be loaded: the seats of its player go to the best that is there.
function goOnWithout(agent, error) {
  forget(agent);
  const { rules, letters } = play.game;
  trouble(`The bot ${agent.file} cannot be loaded: ${error.message}. ${label(best(rules, letters))} takes its place.`);
  noticeRules();
  const players = stillThere(play.players, play.game.position);
  // Its turn may have come before it was known to be missing.
  if (play.trouble) play.playOn(players);
  else play.seat(players);
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

const isSettled = () => settings.pace === "none" || performance.now() - since >= SETTLE;

function throwDice() {
  if (play.turnOfPerson === "throw" && isSettled()) play.throwDice();
}

// Picks a move; the turn is played once it is decided.
function pick(option) {
  if (!choice || play.turnOfPerson !== "choose" || !isSettled()) return;
  choice.pick(option);
  if (choice.turn) finish(choice.turn);
  else schedule();
}

function finish(turn) {
  choice = null;
  play.act(turn.actions);
}

// Says why a piece that was chosen cannot move.
async function cannot(group) {
  if (!choice || group.seat !== play.game.node.mover) return;
  const { reasons } = await ask(play.game.request("why"));
  const reason = choice?.picked.length ? null : reasons.find(({ piece }) => group.pieces.includes(piece));
  dock.tell(`${SEATS[group.seat]}'s piece ${group.square ? `on ${group.square}` : `(${group.place})`}: ${reason?.words ?? "no throw is left for it"}.`);
}

// Takes the last move of an unfinished turn back, else goes back to where a person chose.
function undo() {
  if (choice?.picked.length) {
    choice.back();
    schedule();
  } else if (play.undoTo !== null) play.goTo(play.undoTo);
}

// Takes another game, beside those that are kept.
async function take(played, players, at) {
  note = "";
  await store.claim();
  play.take(played, players, at);
}

// Goes on with a game that is kept; false where another tab has it.
async function goOn({ id, line, players, at }) {
  const { start, moves, sheet } = JSON.parse(line);
  const played = await games.played(start, moves, sheet ?? null);
  if (played.error) throw new Error(`This game cannot be played any more: ${played.error.message}.`);
  if (!await store.claim(id)) return false;
  note = "";
  play.take(played, stillThere(players, start), at);
  return true;
}

async function takePosition(played) {
  const { position } = played.begins;
  const [rules, places] = position.split(" ");
  await take(played, seated(places.split("/").map(seat => seat[0]).join(""), play.players, rules));
  say("The position is set up.");
}

async function takeRecord(played, record, said) {
  const remark = said ?? (record.ending?.forfeited ? `${SEATS[record.ending.forfeited.seat]} forfeited: ${record.ending.forfeited.reason}.` : "");
  // The game of a record that brings its sheet can be played anew.
  if (!games.named(played.about.name)) games.keep(played.about);
  const seats = record.start.split(" ")[1].split("/").map(seat => seat[0]);
  const names = Object.fromEntries(seats.map((seat, at) => [seat, `recorded:${record.players?.[at] ?? "unknown"}`]));
  await take(played, names, record.at ?? 0);
  note = remark;
  say(`A game of ${played.steps.length} steps, shown from its beginning.`);
}

// Plays on from the place that is shown; of a record, by whom is asked first.
function playOn() {
  if (play.game.seats.some(seat => play.isRecorded(seat))) players.open(play, chosen => play.playOn(chosen));
  else play.playOn(play.players);
}

// The same game again, from its beginning, between these players.
async function again(players) {
  const { rules, letters, about } = play.game;
  const { position } = await ask({ op: "new", game: rules, seats: letters, sheet: about.sheet, seed: Math.floor(random() * 2 ** 32) });
  await take(await games.played(position, [], about.sheet ?? null), players);
}

// The players, each one seat further.
function swapped() {
  const { seats } = play.game;
  return Object.fromEntries(seats.map((seat, at) => [seats[(at + 1) % seats.length], play.player(seat)]));
}

function lookBack() {
  const { game } = play;
  const who = adviser(game.rules, game.letters, tables.has(tableOf(game.rules, game.letters)));
  review.open(play, who, () => estimates.learn(game, who, [...game.nodes.keys()]), at => estimates.at(game, at, who))
    .catch(error => trouble(`The game cannot be looked back on: ${error.message}`));
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
    redo: () => play.redoTo !== null && play.goTo(play.redoTo),
    "to-start": () => play.goTo(0),
    "to-end": () => play.goTo(play.game.last),
    "step-back": () => play.goTo(play.game.at - 1),
    "step-on": () => play.goTo(play.game.at + 1),
    "turn-back": () => play.goTo(play.game.before(play.game.at, at => play.game.begins(at)) ?? 0),
    "turn-on": () => play.goTo(play.game.after(play.game.at, at => play.game.begins(at)) ?? play.game.last),
    "play-on": playOn,
    "look-back": lookBack,
    "rematch": () => again(play.players),
    "swap": () => again(swapped()),
  };
  for (const [id, act] of Object.entries(does)) byId(id).addEventListener("click", act);
  byId("slider").addEventListener("input", event => play.goTo(Number(event.target.value)));
  byId("load-table").addEventListener("click", () => loadTable().catch(error => trouble(`Perfect play cannot be loaded: ${error.message}.`)));
  for (const [id, key] of [["show-hints", "hints"], ["show-chances", "chances"]]) {
    byId(id).checked = settings[key];
    byId(id).addEventListener("change", event => setting(key, event.target.checked));
  }
  drawSettings(settings, key => setting(key, settings[key]));
  bindKeys(settings, { ...does, undo, throw: throwDice, hurry: () => play.hurry(), hints: () => byId("show-hints").click(), choose: number => dock.options[number] && pick(dock.options[number]) });
  addEventListener("hashchange", openLink);
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

// The game of the link by which the page was opened; or that which this tab had, or the last one that no other tab has; or
// a new one: of the game that the address asks for (`?game=NAME`), or of the one that the page names as its first.
async function begin() {
  if (await openLink()) return;
  const wanted = address.get("game"), own = store.ownGame();
  const isReload = performance.getEntriesByType("navigation")[0]?.type !== "navigate";
  const isWanted = ({ id, line }) => wanted === null || (isReload && id === own) || JSON.parse(line).start.split(" ")[0] === wanted;
  for (const kept of store.games().sort((a, b) => (b.id === own) - (a.id === own))) {
    try {
      if (isWanted(kept) && await goOn(kept)) return;
    } catch {
      // What cannot be played any more stays where it is kept.
    }
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
  await take(await games.played(position), players);
}

// Shows the game of the page's own address, if it has one, and takes it out of the address; whether it has.
async function openLink() {
  const { href, pathname, search } = location;
  if (!href.includes("#game=")) return false;
  history.replaceState(null, "", pathname + search);
  await exchange.take(href);
  trouble(byId("exchange-trouble").hidden ? "" : `This link cannot be opened. ${byId("exchange-trouble").textContent}`);
  return play.game !== null;
}

dress(settings);
bind();
try {
  [noList] = await Promise.all([learnBots(), games.learn()]);
  await begin();
  // Before, nothing could be answered.
  for (const part of document.querySelectorAll("[inert]")) part.inert = false;
  byId("about").textContent = `ashta ${await version()}. Everything is computed in this browser; nothing is sent anywhere.`;
} catch (error) {
  byId("turn-title").textContent = "The game cannot be loaded";
  trouble(`The rules cannot be loaded: ${error.message}. This page needs a browser with WebAssembly and module workers, and all of its files.`);
}
