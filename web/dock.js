// The dock: the player who acts, the throws, and the buttons of a turn, each always at the same point of the page. Also
// the list of moves, for keyboards and screen readers.

import { capital, stacked } from "./choice.js";
import { drawThrows } from "./dice.js";
import { button, byId, element, fill, onClick, showText } from "./dom.js";
import { ending } from "./ending.js";
import { awaited } from "./friend.js";
import { SEATS } from "./game.js";
import { words } from "./log.js";
import * as play from "./play.js";
import { text } from "./text.js";
import * as turn from "./turn.js";

// A value from 0 to 1 as text: the chance to win. In games that are played for all ranks, the text is the expected
// rank.
export function worth(share, { outlook }, seats, digits = 1) {
  return outlook === "placings" ? `place ${(seats - (seats - 1) * share).toFixed(digits)}` : `${(100 * share).toFixed(digits)} %`;
}

export let moves = [];

export function bindDock() {
  onClick({ throw: turn.throwDice, leave: turn.leave, undo: turn.undo, hurry: play.hurry });
}

// Draws the result of `currentTurn` in turn.js. Calls `light(option)` when a pointer is on a move, and `light(null)`
// when it leaves.
export function drawDock({ view, can, outcomes }, light) {
  const { board } = play.game, { choice } = turn;
  byId("turn").className = view.mover ? `seat-${view.mover}` : `over seat-${play.game.winners[0]}`;
  fill(byId("turn-title"), title(view, can));
  showText(byId("margin"), view.node === "over" ? ending(view, board, play.game.winners) : "");
  drawNote(view);
  drawThrown(view);
  byId("throw").disabled = can !== "throw";
  byId("leave").disabled = !choice?.end;
  byId("undo").disabled = play.undoTo() === null && !choice?.picked.length;
  byId("hurry").disabled = !play.isBusy() || play.isHurried;
  byId("after").hidden = view.node !== "over";
  moves = choice?.options ?? [];
  fill(byId("actions"), moves.map((option, at) => element("li", {}, moveButton(option, at + 1, light))));
  fill(byId("entering"), outcomes?.map(({ throw: values }) =>
    button(() => turn.enter(values), { "aria-label": values.join(" and ") }, drawThrows(values, null, board.throws))));
  byId("moves-title").textContent = outcomes ? "Your throw" : "Moves";
}

function title(view, can) {
  if (view.node === "over") return [play.game.result];
  if (play.isWaiting()) return [text("friend.waiting", { name: awaited() })];
  const isPerson = play.isPerson(view.mover), isOnlyPerson = isPerson && play.persons().length === 1;
  const who = element("span", { class: "who" }, isOnlyPerson ? "You" : SEATS[view.mover]);
  if (can) return [who, ` ${isOnlyPerson ? "" : "to "}${can === "choose" ? "move" : "throw"}`];
  if (isPerson) return [who, play.isForced() ? ": only one move" : " to continue"];
  const does = view.node === "chance" ? "throw" : "move";
  return [who, ` (${play.label(view.mover)}) ${play.isPaused ? `to ${does}` : `${does}s …`}`];
}

// Shows the moves that the person has chosen so far, or the last turn.
function drawNote({ throws }) {
  const last = play.game.lastTurn, done = last && words(last.choices);
  const chosen = turn.choice?.picked.map(move => move.words).join(", then ");
  if (play.trouble) turn.showNote(`Something went wrong: ${play.trouble}.`, "warning");
  else if (chosen) turn.showNote(`${capital(chosen)}; ${stacked(turn.choice.unused(throws), ", ")} left`);
  else turn.showNote(done ? `${SEATS[last.seat]} ${stacked(last.throws, ", ")}: ${done}` : "");
}

let drawn = { board: null, throws: null };

function drawThrown(view) {
  const { game } = play, { board } = game;
  const now = game.turn(game.at);
  // If a game starts in the middle of a turn, only the position contains the throws of this turn.
  if (!now.throws.length && now.from === 0) now.throws = view.throws;
  const isNow = now.throws.length > 0 && view.node !== "over";
  const shown = isNow ? now : game.lastTurn;
  const left = !isNow ? [] : view.node === "decision" ? turn.choice?.unused(view.throws) ?? view.throws : null;
  const throws = shown?.throws ?? [], before = drawn.board === board ? drawn.throws : null;
  drawn = { board, throws: JSON.stringify([shown?.from, throws, left, isNow]) };
  if (drawn.throws === before) return;
  // Only new throws are animated.
  const isFresh = isNow && !before?.startsWith(JSON.stringify([shown.from, throws]).slice(0, -1));
  byId("thrown").className = isFresh ? "fresh" : isNow ? "" : "past";
  fill(byId("thrown"), drawThrows(throws, left, board.throws));
  // If there is too little room for the throws, keys can scroll them.
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = byId("thrown");
  if (scrollWidth > clientWidth || scrollHeight > clientHeight) byId("thrown").setAttribute("tabindex", "0");
  else byId("thrown").removeAttribute("tabindex");
}

function moveButton(option, number, light) {
  const on = () => light(option), off = () => light(null);
  return button(() => turn.pick(option), { "data-move": option.name, onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off },
    number <= 9 ? element("kbd", { "aria-hidden": "true" }, String(number)) : null,
    element("span", { class: "words" }, capital(option.words)),
    element("span", { class: "hint" }));
}

// Shows the best value that each move can reach. `shares` has these values by the names of the moves.
export function showHints(shares) {
  const { board, seats } = play.game;
  const best = Math.max(...shares.values()), isBest = share => share > best - 5e-5;
  // With enough digits to tell the best moves from the others.
  const text = (share, digits) => worth(share, board, seats.length, digits), others = [...shares.values()].filter(share => !isBest(share));
  const digits = [1, 2, 3].find(digits => others.every(share => text(share, digits) !== text(best, digits))) ?? 4;
  for (const made of byId("actions").querySelectorAll("button")) {
    const share = shares.get(made.dataset.move);
    made.classList.toggle("best", isBest(share));
    fill(made.querySelector(".hint"), isBest(share) ? element("span", { "aria-label": "best: " }, "★ ") : null,
      share === undefined ? null : text(share, digits));
  }
}
