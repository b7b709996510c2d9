// The dock: who is to do what, what was thrown, what is left of it, and the buttons of a turn, each always in its place.
// And the list of moves, for keys and for those who do not see the board.

import { capital, stacked } from "./choice.js";
import { drawThrows } from "./dice.js";
import { button, byId, element, fill, onClick } from "./dom.js";
import { SEATS } from "./game.js";
import { words } from "./log.js";
import * as play from "./play.js";
import * as turn from "./turn.js";

// A worth from 0 to 1 in words: the chance to win; or where all places are played for, the place to be expected.
export function worth(share, { outlook }, seats) {
  return outlook === "placings" ? `place ${(seats - (seats - 1) * share).toFixed(1)}` : `${(100 * share).toFixed(1)} %`;
}

// The moves that can be picked, as they are listed.
export let moves = [];

export function bindDock() {
  onClick({ throw: turn.throwDice, leave: turn.leave, undo: turn.undo, hurry: play.hurry });
}

// What `look` of turn.js gives; `light(option)` when a move is pointed at, and with null when it is not any more.
export function drawDock({ view, can, outcomes }, light) {
  const { board } = play.game, { choice } = turn;
  const hadFocus = byId("moves").contains(document.activeElement);
  byId("turn").className = view.mover ? `seat-${view.mover}` : "over";
  fill(byId("turn-title"), title(view, can));
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
  byId("moves-title").textContent = outcomes ? "What was thrown at your table?" : "Moves";
  if (hadFocus && !byId("moves").contains(document.activeElement)) byId("turn").focus({ preventScroll: true });
}

function title(view, can) {
  if (view.node === "over") return [play.game.result];
  const isPerson = play.isPerson(view.mover), isOnlyPerson = isPerson && play.persons().length === 1;
  const who = element("span", { class: "who" }, isOnlyPerson ? "You" : SEATS[view.mover]);
  if (can) return [who, ` ${isOnlyPerson ? "" : "to "}${can === "choose" ? "move" : "throw"}`];
  if (isPerson) return [who, play.isForced() ? ": only one move" : " to go on"];
  const does = view.node === "chance" ? "throw" : "move";
  return [who, ` (${play.label(view.mover)}) ${play.isPaused ? `to ${does}` : `${does}s …`}`];
}

// What is chosen so far, or what happened last.
function drawNote({ throws }) {
  const last = play.game.lastTurn, done = last && words(last.choices);
  const chosen = turn.choice?.picked.map(move => move.words).join(", then ");
  if (play.trouble) turn.note(`Something went wrong: ${play.trouble}.`, "warning");
  else if (chosen) turn.note(`${capital(chosen)}; ${stacked(turn.choice.unused(throws), ", ")} left`);
  else turn.note(done ? `${SEATS[last.seat]} ${stacked(last.throws, ", ")}: ${done}` : "");
}

// What was drawn of throws, and for which board.
let drawn = { board: null, throws: null };

function drawThrown(view) {
  const { game } = play, { board } = game;
  const now = game.turn(game.at);
  // Where a game begins within a turn, only the position knows what was thrown.
  if (!now.throws.length && now.from === 0) now.throws = view.throws;
  const isNow = now.throws.length > 0 && view.node !== "over";
  const shown = isNow ? now : game.lastTurn;
  const left = !isNow ? [] : view.node === "decision" ? turn.choice?.unused(view.throws) ?? view.throws : null;
  const throws = shown?.throws ?? [], before = drawn.board === board ? drawn.throws : null;
  drawn = { board, throws: JSON.stringify([shown?.from, throws, left, isNow]) };
  if (drawn.throws === before) return;
  // Only what has just been thrown rolls.
  const isFresh = isNow && !before?.startsWith(JSON.stringify([shown.from, throws]).slice(0, -1));
  byId("thrown").className = isFresh ? "fresh" : isNow ? "" : "past";
  fill(byId("thrown"), drawThrows(throws, left, board.throws));
  // Keys scroll what is longer than its place.
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

// Puts what each move is worth at best beside it: `shares` by the names of moves.
export function showHints(shares) {
  const { board, seats } = play.game;
  const best = Math.max(...shares.values());
  for (const made of byId("actions").querySelectorAll("button")) {
    const share = shares.get(made.dataset.move), isBest = share > best - 5e-5;
    made.classList.toggle("best", isBest);
    fill(made.querySelector(".hint"), isBest ? element("span", { "aria-label": "best: " }, "★ ") : null,
      share === undefined ? null : worth(share, board, seats.length));
  }
}
