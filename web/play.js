// Plays the game under way: lets bots choose, throws for those who want it, waits for persons, and goes back and forth.
//
// It calls a listener when anything has changed, and draws nothing.

import { advance, ask, choose } from "./ask.js";
import { draw, newSeed } from "./chance.js";
import { Game } from "./game.js";
import * as who from "./players.js";
import { settings } from "./store.js";

const PAUSES = { calm: 900, quick: 300, none: 0 };

// The game; who plays each seat; and what stands beside it, that of a record which ended otherwise than its moves.
export let game = null, players = {}, note = "";
// Whether the past is shown: then nothing moves by itself.
export let isPaused = false;
// Whether what moves by itself does so at once, until a person is needed; and what ends the pause under way.
export let isHurried = false;
let wake = () => {};
// What went wrong, or null.
export let trouble = null;
// The seat whose bot is choosing, or null.
let thinking = null;
// The number of the run of `go` that may still do something.
let turnstile = 0;

// Says that something has changed: { kind, step, node }.
export let changed = () => {};
export function onChange(listener) {
  changed = listener;
}

export const player = seat => players[seat] ?? "person";
export const isPerson = seat => player(seat) === "person";
export const isRecorded = seat => player(seat).startsWith("recorded:");
export const persons = () => game.seats.filter(isPerson);
export const hasRecorded = () => game.seats.some(isRecorded);
// The player of a seat in a word or two.
export const label = seat => who.label(player(seat), persons().length === 1);

// Takes a game over, as `played` of games.js gives it, and its players.
export function take(played, seated, at = played.steps.length, remark = "") {
  game = new Game(played);
  game.at = Math.min(at, game.last);
  players = seated;
  note = remark;
  trouble = null;
  isPaused = isPast();
  restart("taken");
}

// What a person may do where we are: "throw", "enter" a throw, "choose", or null.
export function turnOfPerson() {
  const { node, mover } = game.node;
  if (node === "over" || thinking) return null;
  if (node === "decision") return isPerson(mover) && !isForced() ? "choose" : null;
  if (settings.throws === "hand") return isRecorded(mover) ? null : "enter";
  return isPerson(mover) && (settings.throws === "button" || isPaused) ? "throw" : null;
}

// Whether the one way to play the turn will be taken by itself.
export const isForced = () => game.node.choices === 1 && settings.forced && !isPaused;
// Whether something will move by itself.
export const isBusy = () => !isPaused && game.node.node !== "over" && !isRecorded(game.node.mover) && !turnOfPerson();
// Whether what is shown is over: an earlier place, or any of a record.
export const isPast = () => !game.isAtEnd || hasRecorded();

// Plays moves, if there are any: a throw, or the actions of what is left of a turn, after which all that came there is
// forgotten. Then goes on until a person is needed, the game is over, or something else has happened.
export async function go(moves = null) {
  const run = ++turnstile, isOld = () => run !== turnstile;
  try {
    while (moves || isBusy()) {
      if (!moves) await pause();
      if (isOld()) return;
      const next = await (moves ?? nextMoves());
      if (isOld()) return;
      const { steps, error } = await advance(game.position, next, game.about.sheet);
      if (isOld()) return;
      if (error) throw new Error(error.message);
      game.add(steps);
      isPaused = false;
      moves = thinking = trouble = null;
      changed({ kind: "moved", ...steps[0] });
    }
    if (!isHurried) return;
    isHurried = false;
    changed({ kind: "arrived" });
  } catch (error) {
    if (isOld()) return;
    thinking = null;
    isPaused = true;
    trouble = error.message;
    changed({ kind: "failed" });
  }
}

// Between what happens by itself there is time to see it.
function pause() {
  const time = isHurried ? 0 : PAUSES[settings.pace] * (game.node.node === "chance" ? 1 : 0.8);
  return time ? new Promise(resolve => setTimeout(wake = resolve, time)) : null;
}

// What moves by itself: a throw, the one way to play a turn, or what a bot chooses.
async function nextMoves() {
  const { node, mover } = game.node;
  if (node === "chance") return drawn();
  if (isPerson(mover)) return (await ask(game.request("choices"))).turns[0].actions;
  thinking = mover;
  changed({ kind: "thinking" });
  return choose(game.position, who.agentOf(player(mover), game.rules, game.letters), newSeed(), game.about.sheet);
}

// A throw for the place where we are; what was thrown there once is thrown there again.
async function drawn() {
  return [game.steps[game.at]?.thrown ?? draw((await ask(game.request("chance"))).outcomes)];
}

export const throwDice = () => go(drawn());

// Lets what moves by itself move at once, until a person is needed.
export function hurry() {
  if (!isBusy()) return;
  isHurried = true;
  wake();
  changed({ kind: "hurried" });
}

// Goes on from another state; what was under way is given up.
function restart(kind) {
  thinking = null;
  changed({ kind });
  go();
}

// Shows another place of the game. In the past nothing moves until a player does; at the end the game goes on.
export function goTo(at) {
  isHurried = false;
  game.at = Math.max(0, Math.min(game.last, at));
  isPaused = isPast();
  restart("went");
}

// Plays on from here with these players; what came after is forgotten with the first move.
export function playOn(seated = players) {
  players = seated;
  trouble = null;
  isPaused = false;
  restart("playing");
}

// Other players from here on.
export function seat(seated) {
  players = seated;
  restart("seated");
}

// Where undo and redo lead; null where they lead nowhere. They go to where a person had something to choose; with no
// person at the table from turn to turn.
const isStop = at => persons().length ? game.nodes[at].choices > 1 && isPerson(game.nodes[at].mover) : game.begins(at);
export const undoTo = () => game.before(game.at, isStop);
export const redoTo = () => game.after(game.at, isStop);
