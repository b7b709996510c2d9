// The web page: connects its parts, draws the page after changes, and handles buttons, dialogs,
// files and links.

import { ask, prepare } from "./ask.js";
import { again, beginNew, resumeGame, availablePlayers } from "./begin.js";
import * as board from "./board.js";
import { drawDock, showHints } from "./dock.js";
import { byId, element, onClick, showText, tell } from "./dom.js";
import * as estimates from "./estimates.js";
import { place } from "./engine.js";
import { openExchange, takeText } from "./exchange.js";
import { bySeat } from "./game.js";
import * as games from "./games.js";
import "./keys.js";
import { drawGuide, learn } from "./lesson.js";
import { drawLog, say, sentence } from "./log.js";
import { findBots, keepOffline } from "./offline.js";
import * as play from "./play.js";
import {
  addAway,
  agentOf,
  best,
  botOf,
  forget,
  label,
  learnBots,
  playerHere,
  playerOrBest,
} from "./players.js";
import { line } from "./record.js";
import { followAttempt, openReview, startAttempt, verdict } from "./review.js";
import { openRules } from "./rules.js";
import { askPlayers } from "./seats.js";
import "./settings.js";
import { sharePicture } from "./share.js";
import { openFile, openSheet, openSheets } from "./sheets.js";
import { land, rattle } from "./sound.js";
import { count } from "./stats.js";
import * as store from "./store.js";
import { text } from "./text.js";
import * as turn from "./turn.js";

const WALKS = { calm: 450, quick: 200, none: 0 };
const { settings } = store;
const isStill = () =>
  !settings.moving ||
  settings.pace === "none" ||
  matchMedia("(prefers-reduced-motion: reduce)").matches;
// The error message if the list of bots could not be loaded, otherwise null.
let noList = null;
let drawing = 0;
// The error message in a dialog, or beside a button.
const aside = element("p", { class: "warning", role: "alert" });

function trouble(words) {
  showText(byId("trouble"), words);
  tell(aside, document.querySelector("dialog[open]") ? words : "");
  if (words) byId("trouble").scrollIntoView({ block: "nearest" });
}

// Shows errors after the text of a key.
const failing = (key) => (error) => fail(text(key), error);

// Shows an error. If the program that answers the requests has stopped, waits until it runs again,
// and continues.
const RETRY = 1000;
let isWaiting = false;
async function fail(what, error) {
  if (error.code !== "stopped") return trouble(`${what}: ${error.message}`);
  trouble(error.message);
  if (isWaiting) return;
  isWaiting = true;
  const runs = () =>
    fetch(new URL("./icon.svg", import.meta.url)).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await runs())) await new Promise((resolve) => setTimeout(resolve, RETRY));
  isWaiting = false;
  trouble("");
  schedule();
  play.go();
}

play.onChange(({ kind, step, node }) => {
  if (kind === "moved") say(sentence(step, node, play.game.board.throws));
  if (step?.thrown && settings.sound && !play.isHurried) rattle();
  if (kind === "taken") noticeRules();
  if (!play.guest) {
    if (["taken", "playing", "seated"].includes(kind)) loadBots();
    if (kind === "moved") count();
  }
  followAttempt({ kind, step }, retry).catch(failing("app.notReviewed"));
  schedule(step?.moves ?? null);
});

// Shows a notice if no bot knows the rules.
function noticeRules() {
  const { rules, letters, about } = play.game;
  showText(
    byId("notice"),
    botOf(rules, letters) !== null
      ? ""
      : `${noList ?? text("app.noBot", { game: about.title, number: letters.length })} ${text("app.untrained")}`,
  );
}

// Draws all recent changes together in the next frame. While bots move without pauses, draws only
// every GLANCE milliseconds.
const GLANCE = 200;
let frame = null,
  glance = null,
  walking = null;
function schedule(walk = null) {
  walking = walk ?? walking;
  if ((settings.pace === "none" || play.isHurried) && play.isBusy())
    glance ??= setTimeout(drawNow, GLANCE);
  else frame ??= requestAnimationFrame(drawNow);
}

function drawNow() {
  clearTimeout(glance);
  cancelAnimationFrame(frame);
  const step = walking;
  frame = glance = walking = null;
  draw(step).catch(failing("app.notDrawn"));
  // Stores the game while the worker answers the request of `draw`.
  setTimeout(keepGame);
}

function keepGame() {
  const { game, players, guest } = play;
  if (!guest)
    store.keepGame({
      line: line(),
      players,
      at: game.at,
      position: game.position,
      isNew: game.last === 0,
    });
}

async function draw(walk) {
  const run = ++drawing,
    isOld = () => run !== drawing;
  const now = await turn.currentTurn(isOld);
  // If the game has changed while this function waited, the next frame draws it.
  if (!now) return;
  const { game } = play,
    { choice } = turn,
    { view, can } = now;
  byId("game-name").textContent = gameName(game);
  byId("game-name").title = games.sentencesOf(game.about, game.rules).join("\n");
  drawBoard(view, walk);
  drawDock(now, (option) => board.lifted || board.lightMove(option));
  drawGuide(verdict);
  keepFocus();
  document.body.classList.toggle("settling", !turn.isSettled());
  // The board and the choices are painted first.
  await new Promise((resolve) => setTimeout(resolve));
  if (isOld()) return;
  drawPast();
  drawLog(game, play.goTo);
  const who = estimates.adviser();
  if (!play.guest)
    Promise.all([drawHints(who, isOld), estimates.drawEstimates(view, who, isOld)]).catch(
      (error) =>
        ["file", "offline"].includes(error.code)
          ? playWithout(who.agent, error)
          : fail(text("app.noChances"), error),
    );
  const state = `${game.at} ${choice?.picked.length ? `then ${choice.picked.length} ` : ""}${can ?? (play.isPaused ? "paused" : view.node)}`;
  // Tests wait for this state. It is set when the buttons react to clicks again.
  const settle = () => {
    document.body.classList.remove("settling");
    document.body.dataset.state = state;
  };
  if (turn.isSettled()) settle();
  else setTimeout(() => isOld() || settle(), turn.SETTLE);
}

// If the element with the focus is gone or can no longer be used, moves the focus to the turn.
let focused = null;
addEventListener("focusin", ({ target }) => {
  focused = target;
});
function keepFocus() {
  const isUsable =
    focused === null || (focused.isConnected && !focused.disabled && focused.checkVisibility());
  if (!isUsable) byId("turn").focus({ preventScroll: true });
}

function gameName({ rules, seats, about, board }) {
  const isUsual = [undefined, about.teams].includes(rules.split("?")[1]),
    number = board.outlook === "teams" ? "teams" : seats.length;
  return text(`app.names.${number}`, about) + (isUsual ? "" : `, ${text("app.houseRules")}`);
}

function drawBoard(view, walk) {
  if (byId("setup").open) return;
  const { game } = play,
    { choice } = turn,
    persons = play.persons();
  const seenFrom =
    settings.seen !== "own" ? settings.seen : persons.length === 1 ? persons[0] : "S";
  // In the turn of a person, the course of this person.
  const course = play.isPerson(view.mover)
    ? view.mover
    : persons.length === 1
      ? persons[0]
      : seenFrom;
  const labels = bySeat(game.seats, play.label);
  for (const part of document.querySelectorAll("main, #review"))
    part.classList.toggle("teams", game.board.outlook === "teams");
  const before = board.shown.board === game.board ? board.shown.view : null,
    winners = view.node === "over" ? game.winners : [];
  board.draw({
    board: game.board,
    view: choice?.preview(view) ?? view,
    seenFrom,
    course,
    labels,
    winners,
    options: choice?.options ?? [],
    moves: game.lastMoves,
  });
  const isGlad = !persons.length || winners.some(play.isPerson);
  if (before?.mover && isGlad && !isStill()) board.celebrate(winners);
  if (!walk?.length) return;
  const time = isStill() ? 0 : WALKS[settings.pace];
  const captured = before ? board.captured(before, walk[0].seat) : [];
  for (const move of walk) board.animateMove(move, time);
  if (time) board.animateCaptured(captured, time);
  if (settings.sound) land(walk.length, captured.length, time);
}

function drawPast() {
  const { game } = play,
    { node, mover } = game.node;
  byId("redo").disabled = play.redoTo() === null;
  byId("slider").max = game.last;
  byId("slider").disabled = game.last === 0;
  byId("slider").value = game.at;
  byId("slider").setAttribute("aria-valuetext", text("app.stepLabel", game));
  for (const id of ["to-start", "turn-back", "step-back"]) byId(id).disabled = game.at === 0;
  for (const id of ["to-end", "turn-on", "step-on"]) byId(id).disabled = game.isAtEnd;
  const waits = play.isPaused && node !== "over" && !play.turnOfPerson();
  byId("past-note").hidden = !(play.isPaused && (waits || !game.isAtEnd || play.note));
  byId("throw").hidden = play.isPaused && node !== "over" && (waits || play.isRecorded(mover));
  byId("play-on").hidden = !byId("throw").hidden;
  const place = game.isAtEnd ? text("app.lastStep") : text("app.step", game);
  const warning = game.isAtEnd || node === "over" ? "" : text("app.replaces");
  byId("past-note").firstElementChild.textContent = [play.note, place, warning]
    .filter(Boolean)
    .join(" ");
}

// Shows the best value that each move can reach, estimated by the adviser, and arrows for the best
// moves.
const ARROWS = 3;
async function drawHints(who, isOld) {
  const { game } = play,
    { choice } = turn;
  if (!settings.hints || !choice) return;
  await estimates.learn(game, who, choice.left);
  if (isOld() || byId("setup").open) return;
  const own = game.seats.indexOf(game.node.mover),
    worth = ({ position }) => estimates.valueOf(position, who)[own];
  const hints = choice.options
    .map((option) => ({ option, share: choice.best(option.to, worth) }))
    .sort((a, b) => b.share - a.share);
  showHints(new Map(hints.map(({ option, share }) => [option.name, share])));
  board.point(
    hints
      .slice(0, ARROWS)
      .map(({ option, share }) => ({ option, isBest: share > hints[0].share - 5e-5 })),
  );
}

// Loads the bots of a game before their first turn.
async function loadBots() {
  const { game } = play;
  for (const seat of game.seats) {
    const agent = agentOf(play.player(seat), game.rules, game.letters);
    try {
      if (agent?.file?.endsWith(".table")) await estimates.loadTable();
      else if (agent) await prepare(agent);
    } catch (error) {
      if (error.code === "stopped") fail("", error);
      else playWithout(agent, error);
    }
  }
}

// Continues without a file that cannot be loaded. The best available player replaces the player
// that needs this file. Without a network, the user chooses among the available players.
function playWithout(agent, error) {
  if (error.code === "offline") {
    addAway(agent);
    trouble(`${error.message}.`);
    return play.guest || allHere() ? schedule() : playOn();
  }
  forget(agent);
  const { rules, letters, position } = play.game;
  trouble(
    text("app.noFile", {
      file: agent.file,
      error: error.message,
      other: label(best(rules, letters)),
    }),
  );
  noticeRules();
  const players = availablePlayers(play.players, position);
  // If the bot failed in its own turn, the game has stopped.
  if (play.trouble) play.playOn(players);
  else play.seat(players);
}

// Whether no player of the game waits for a file.
const allHere = () => {
  const { rules, letters, seats } = play.game;
  return seats.map(play.player).every((player) => playerHere(player, rules, letters) === player);
};

// Continues the game from the shown node. If there is a record, or a player that cannot be loaded,
// first asks for the players.
function playOn() {
  if (allHere() && !play.hasRecorded()) return play.playOn();
  if (!document.querySelector("dialog[open]")) askPlayers(play.playOn);
}

// Goes back to a choice to play it again, or to play these actions.
function retry(at, actions) {
  if (!actions) startAttempt(at);
  scrollTo(0, 0);
  play.goTo(at);
  const go = () => actions && play.go(actions);
  if (!play.hasRecorded()) return go();
  askPlayers((players) => {
    play.playOn(players);
    go();
  });
}

const closeAll = () =>
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close(""));
const goTo = (place) => () => play.goTo(place(play.game));

onClick({
  "[data-dialog=new-game]": openSheets,
  "[data-dialog=seats]": () =>
    askPlayers((chosen) =>
      play.isPaused && !play.game.isAtEnd ? play.seat(chosen) : play.playOn(chosen),
    ),
  "[data-dialog=exchange]": openExchange,
  "[data-dialog=rules]": () => openRules(play.game.about.name, play.game.rules),
  "[data-dialog=settings]": () => byId("settings").showModal(),
  "[data-close]": closeAll,
  ".told .small": (button) => {
    button.parentElement.hidden = true;
    keepFocus();
  },
  "#redo": () => play.redoTo() !== null && play.goTo(play.redoTo()),
  "#to-start": goTo(() => 0),
  "#to-end": goTo((game) => game.last),
  "#step-back": goTo((game) => game.at - 1),
  "#step-on": goTo((game) => game.at + 1),
  "#turn-back": goTo((game) => game.before(game.at, (at) => game.begins(at)) ?? 0),
  "#turn-on": goTo((game) => game.after(game.at, (at) => game.begins(at)) ?? game.last),
  "#play-on": playOn,
  "#look-back": () => openReview(retry).catch(failing("app.notReviewed")),
  "#share, #share-review": () =>
    sharePicture().then(
      (said = "") => tell(aside, said),
      (error) =>
        error.code === "stopped"
          ? fail("", error)
          : tell(aside, `${text("share.trouble")}: ${error.message}`),
    ),
  "#rematch": () => again(0),
  "#swap": () => again(1),
  "#learn": () => learn(),
  "#load-table": () => estimates.loadTable().catch(failing("app.notPerfect")),
});
byId("slider").addEventListener("input", ({ target }) => play.goTo(Number(target.value)));
for (const dialog of document.querySelectorAll("dialog")) {
  // A click outside of a dialog closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close(""));
  // If the dialog has changed the game, moves the focus to the turn, so that the space key throws.
  dialog.addEventListener(
    "close",
    () => dialog.returnValue && byId("turn").focus({ preventScroll: true }),
  );
}
addEventListener("hashchange", openLink);
document.addEventListener("visibilitychange", () => {
  if (play.game && !play.guest && !byId("setup").open)
    store.keepBoard({
      shape: document.querySelector("main").dataset.shape,
      board: byId("board").innerHTML,
      theme: settings.theme,
    });
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) takeFile(event.dataTransfer.files[0]);
});

async function takeFile(file) {
  if (file.name.endsWith(".bot")) return openFile(file);
  const content = await file.text();
  if (games.looksLikeSheet(content)) return openSheet(content);
  closeAll();
  openExchange();
  await takeText(content);
}

// Starts with the game in the link (`#game=…`), if there is one. Otherwise resumes the last game of
// this tab, or the last game that no other tab has. If there is none, starts a new game: the game
// in the address (`?game=NAME`), or the first game of the page.
async function begin() {
  if (await openLink()) return;
  const wanted = new URLSearchParams(location.search).get("game"),
    own = store.ownGame();
  const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload",
    here = isReload ? own : store.gameHere();
  const isWanted = ({ id, line }) =>
    wanted === null || id === here || JSON.parse(line).start.split(" ")[0] === wanted;
  for (const kept of store.games().sort((a, b) => (b.id === own) - (a.id === own))) {
    try {
      if (isWanted(kept) && (await resumeGame(kept))) return;
    } catch {
      // A game that cannot be played any more stays in the storage.
    }
  }
  const first = document.querySelector("meta[name='ashta-game']").content;
  for (const rules of [wanted, first, games.all()[0].name].filter((rules) => rules !== null)) {
    try {
      const about = games.named(games.flagsOf(rules).game),
        seats = about?.seats[0] ?? "SN";
      // If there are bots, a person plays against novices.
      const players = bySeat(seats, (_, at) =>
        at ? playerOrBest("bot:novice", rules, seats) : "person",
      );
      return await beginNew(rules, seats, players, about?.sheet, seats[0]);
    } catch (error) {
      trouble(error.message);
    }
  }
}

// Shows the game in the address of the page, if there is one, and removes it there. Returns whether
// it is shown.
async function openLink() {
  const { href, pathname, search } = location;
  if (!href.includes("#game=")) return false;
  history.replaceState(null, "", pathname + search);
  await takeText(href);
  trouble(
    byId("exchange-trouble").hidden
      ? ""
      : text("app.badLink", { error: byId("exchange-trouble").textContent }),
  );
  return play.game !== null;
}

try {
  store.onLost(() => trouble(text("app.notKept")));
  [noList] = await Promise.all([learnBots(), games.learn()]);
  await findBots();
  await begin();
  // The page can react to input only now.
  for (const part of document.querySelectorAll("[inert]")) part.inert = false;
  const { version } = await ask({ op: "hello" });
  byId("about").textContent = text(`app.about.${place}`, { version });
  keepOffline();
} catch (error) {
  byId("turn-title").textContent = text("app.notLoaded");
  trouble(text("app.noRules", { error: error.message }));
}
