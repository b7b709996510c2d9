// What a person does with a turn: throws, picks moves, takes them back; and the note that says how far it is.

import { ask } from "./ask.js";
import { Choice } from "./choice.js";
import { byId } from "./dom.js";
import { SEATS } from "./game.js";
import * as play from "./play.js";
import { settings } from "./store.js";

// So many milliseconds nothing plays that has just appeared: the second click on one thing is none on the next.
export const SETTLE = 400;

// What a person chooses of the turn at this position, or null; and when it could first be chosen.
export let choice = null;
let chosenAt = null, since = 0;

// What there is to be seen and done where the game is: { view, can, outcomes }, with the throws that can be entered.
// Null where the game has gone on meanwhile.
export async function look(isOld) {
  const { game } = play, { position } = game;
  const view = await ask(game.request("view"));
  const can = play.turnOfPerson(), key = `${can} ${position}`;
  const outcomes = can === "enter" ? (await ask(game.request("chance"))).outcomes : null;
  const choices = can === "choose" && chosenAt !== key ? await ask(game.request("choices")) : null;
  if (isOld() || game !== play.game || position !== game.position) return null;
  if (choices) choice = new Choice(choices, view, game.board.words);
  if (can !== "choose") choice = null;
  // Before the first one there was nothing that could be clicked.
  if (chosenAt !== key) since = chosenAt === null ? -SETTLE : performance.now();
  chosenAt = key;
  return { view, can, outcomes };
}

export const isSettled = () => settings.pace === "none" || performance.now() - since >= SETTLE;
export const throwDice = () => play.turnOfPerson() === "throw" && isSettled() && play.throwDice();
export const enter = thrown => isSettled() && play.go([thrown]);
export const leave = () => choice?.end && isSettled() && finish();

// Picks a move; the turn is played once it is decided.
export function pick(option) {
  if (!option || !choice || play.turnOfPerson() !== "choose" || !isSettled()) return;
  choice.pick(option);
  while (settings.forced && choice.forced) choice.pick(choice.forced);
  if (choice.isDecided) finish();
  else play.changed({ kind: "picked" });
}

function finish() {
  const actions = choice.end;
  choice = null;
  play.go(actions);
}

// Takes the last move of an unfinished turn back, else goes back to where a person chose.
export function undo() {
  if (choice?.picked.length) {
    choice.back();
    play.changed({ kind: "picked" });
  } else if (play.undoTo() !== null) play.goTo(play.undoTo());
}

// Says why a piece that was chosen cannot move.
export async function cannot(group) {
  if (!choice || group.seat !== play.game.node.mover) return;
  const { reasons } = await ask(play.game.request("why"));
  const reason = choice?.picked.length ? null : reasons.find(({ piece }) => group.pieces.includes(piece));
  note(`${SEATS[group.seat]}'s piece ${group.square ? `on ${group.square}` : `(${group.place})`}: ${reason?.words ?? "no throw is left for it"}.`);
}

export function note(text, kind = "soft") {
  byId("turn-note").textContent = byId("turn-note").title = text;
  byId("turn-note").className = kind;
}
