// The turn of a person: throwing, picking moves, undoing moves, and the note about the turn.

import { ask } from "./ask.js";
import { Choice } from "./choice.js";
import { byId } from "./dom.js";
import * as play from "./play.js";
import { settings } from "./store.js";
import { text } from "./text.js";

// New buttons do nothing for this number of milliseconds, so that a double click does not press the
// next button.
export const SETTLE = 400;

// The choice of the person in the current turn, or null; and the time when the buttons of this turn
// appeared.
export let choice = null;
let chosenAt = null,
  since = 0;

// Returns the current turn: { view, can, outcomes, isStuck }. `outcomes` are the possible throws if
// a person types the throw, otherwise null. `isStuck` says that no piece can move. Returns null if
// the game has changed before the engine answered.
export async function currentTurn(isOld) {
  const { game } = play,
    { position, node } = game.node;
  const can = play.turnOfPerson(),
    key = `${can} ${game.at}/${game.last} ${position}`;
  const isNew = can === "choose" && (chosenAt !== key || !choice),
    isOnly = node === "decision" && game.node.choices === 1;
  const [view, choices, chances] = await Promise.all([
    ask(game.request("view")),
    isNew || isOnly ? ask(game.request("choices")) : null,
    can === "enter" ? ask(game.request("chance")) : null,
  ]);
  if (isOld() || game !== play.game || position !== game.position) return null;
  if (isNew) choice = new Choice(choices, view, game.board.words);
  if (can !== "choose") choice = null;
  // The buttons of the first turn work immediately.
  if (chosenAt !== key) since = chosenAt === null ? -SETTLE : performance.now();
  chosenAt = key;
  const outcomes = chances?.outcomes ?? null;
  return { view, can, outcomes, isStuck: isOnly && !choices.nodes[0].lines.length };
}

export const isSettled = () => settings.pace === "none" || performance.now() - since >= SETTLE;
export function throwDice() {
  if (play.turnOfPerson() !== "throw" || !isSettled()) return;
  // The button answers before the engine does.
  byId("throw").disabled = true;
  play.throwDice();
}
export const enter = (thrown) => isSettled() && play.go([thrown]);
export const leave = () => choice?.end && isSettled() && finish();

// Picks a move; plays the turn when it is complete. Returns whether the move was picked.
export function pick(option) {
  if (!option || !choice || play.turnOfPerson() !== "choose" || !isSettled()) return false;
  choice.pick(option);
  while (settings.forced && choice.forced) choice.pick(choice.forced);
  if (choice.isDecided) finish();
  else play.changed({ kind: "picked" });
  return true;
}

function finish() {
  const actions = choice.end;
  choice = null;
  play.go(actions);
}

// Removes the last picked move, or goes back to the last choice of a person.
export function undo() {
  if (choice?.picked.length) {
    choice.back();
    play.changed({ kind: "picked" });
  } else if (play.undoTo() !== null) play.goTo(play.undoTo());
}

// The reason why no piece can move now; empty at the end of the game.
function reasonToWait() {
  const { node, mover } = play.game.node,
    can = play.turnOfPerson();
  if (node === "over") return "";
  if (can) return can === "throw" ? text("turn.throwFirst") : text("turn.enterFirst");
  return play.isPaused ? text("turn.playOn") : text("turn.other", { seat: text(`seat.${mover}`) });
}

// Explains why a clicked piece cannot move.
export async function cannot(group) {
  if (!choice) return showNote(reasonToWait());
  const { reasons } = await ask(play.game.request("why"));
  const reason = reasons.find(({ piece }) => group.pieces.includes(piece))?.words;
  if (!choice || !(reason || choice.moves.some(({ seat }) => seat === group.seat))) return;
  const values = {
    ...group,
    seat: text(`seat.${group.seat}`),
    reason: reason && !choice.picked.length ? reason : text("turn.leftOver"),
  };
  showNote(group.square ? text("turn.pieceOn", values) : text("turn.pieceAt", values));
}

export function showNote(note, kind = "soft") {
  const place = byId("turn-note");
  place.textContent = note;
  place.className = kind;
}
