// Plays the current game: lets bots choose, throws automatically, waits for persons, and moves back
// and forth. Calls a listener after changes, and draws nothing.

import { advance, ask, choose } from "./ask.js";
import { draw, newSeed } from "./chance.js";
import { PARTNERS } from "./frame.js";
import { bySeat, Game, headOf } from "./game.js";
import * as who from "./players.js";
import { settings } from "./store.js";
import { text } from "./text.js";

const PAUSES = { calm: 900, quick: 300, none: 0 };

// The game, the player of each seat, and a remark about a loaded record.
export let game = null,
  players = {},
  note = "";
// A lesson, or null: { throws, show }. `throws` has the throw at each node, `show` draws the
// lesson.
export let guest = null;
// The state of the game that the lesson interrupts.
let waiting = null;
// Whether the page shows an earlier node. Then nothing moves automatically.
export let isPaused = false;
// Whether automatic moves have no pauses until a person must act. `wake` ends the current pause.
export let isHurried = false;
let wake = () => {};
// The error message, or null.
export let trouble = null;
// The seat of the choosing bot, or null.
let thinking = null;
// The number of the current call of `go`; older calls stop.
let turnstile = 0;

// The listener for changes: { kind, step, node }.
export let changed = () => {};
export function onChange(listener) {
  changed = listener;
}

// The players of the game; during a lesson, the players of the game that waits.
export const playersOfGame = () => (waiting ?? { players }).players;
export const player = (seat) => players[seat] ?? "person";
export const isPerson = (seat) => player(seat) === "person";
export const isRecorded = (seat) => player(seat).startsWith("recorded:");
export const persons = () => game.seats.filter(isPerson);
export const hasRecorded = () => game.seats.some(isRecorded);
// A short name of the player of a seat. Says whether it is the partner of the only person.
export function label(seat) {
  const [you, ...others] = persons(),
    isOnly = you !== undefined && !others.length,
    name = who.label(player(seat), isOnly);
  return isOnly && game.board.outlook === "teams" && PARTNERS[seat] === you
    ? text("players.partner", { player: name })
    : name;
}

// Shows a game and its players. `played` is the result of `played` in games.js.
export function take(played, seated, at = played.steps.length, remark = "", visitor = null) {
  waiting = visitor && (waiting ?? { game, players, note });
  guest = visitor;
  game = new Game(played);
  game.at = Math.min(at, game.last);
  players = seated;
  note = remark;
  trouble = null;
  isPaused = isPast();
  restart("taken");
}

// Shows a position of a lesson, in which only the mover plays, and only one turn.
export function visit(played, visitor) {
  const { position, mover } = played.begins;
  take(
    played,
    bySeat(headOf(position).seats, (seat) => (seat === mover ? "person" : "")),
    played.steps.length,
    "",
    visitor,
  );
}

// Ends the lesson and shows the game that waits.
export function leave() {
  ({ game, players, note } = waiting);
  [guest, waiting, trouble, isPaused] = [null, null, null, isPast()];
  restart("taken");
}

// The action that a person can take now: "throw", "enter" (type in a throw), "choose", or null.
export function turnOfPerson() {
  const { node, mover } = game.node;
  if (node === "over" || thinking) return null;
  if (node === "decision") return isPerson(mover) && !isForced() ? "choose" : null;
  if (guest) return guest.throws[game.at] ? "throw" : null;
  if (settings.throws === "hand") return isRecorded(mover) ? null : "enter";
  return isPerson(mover) && (settings.throws !== "auto" || isPaused) ? "throw" : null;
}

// Whether only one turn is possible and will be played automatically.
export const isForced = () => game.node.choices === 1 && settings.forced && !isPaused && !guest;
// Whether something will move automatically.
export const isBusy = () =>
  !isPaused &&
  !guest &&
  game.node.node !== "over" &&
  !isRecorded(game.node.mover) &&
  !turnOfPerson();
// Whether the shown node is not the last node. Always true for a record.
const isPast = () => !game.isAtEnd || hasRecorded();

// Plays `moves`, if there are any: a throw, or the actions of the rest of a turn. They replace all
// later moves. Then continues until a person must act, the game is over, or another call has
// changed the game.
export async function go(moves = null) {
  const run = ++turnstile,
    isOld = () => run !== turnstile;
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
    // If the program has stopped, the game continues when the program runs again.
    if (error.code !== "stopped") [isPaused, trouble] = [true, error.message];
    changed({ kind: "failed" });
  }
}

function pause() {
  const time = isHurried ? 0 : PAUSES[settings.pace] * (game.node.node === "chance" ? 1 : 0.8);
  return time ? new Promise((resolve) => setTimeout((wake = resolve), time)) : null;
}

// The next automatic moves: a throw, the only possible turn, or a bot's choice.
async function nextMoves() {
  const { node, mover } = game.node;
  if (node === "chance") return drawn();
  if (isPerson(mover)) return (await ask(game.request("choices"))).turns[0].actions;
  thinking = mover;
  changed({ kind: "thinking" });
  return choose(
    game.position,
    who.agentOf(player(mover), game.rules, game.letters),
    newSeed(),
    game.about.sheet,
  );
}

// Returns the throw at the current node. A node that was played before keeps its throw.
async function drawn() {
  const known = guest?.throws[game.at] ?? game.steps[game.at]?.thrown;
  if (known) return [known];
  return [draw((await ask(game.request("chance"))).outcomes)];
}

export const throwDice = () => go(drawn());

// Plays automatic moves without pauses until a person must act.
export function hurry() {
  if (!isBusy()) return;
  isHurried = true;
  wake();
  changed({ kind: "hurried" });
}

// Stops the current action and continues from another state.
function restart(kind) {
  thinking = null;
  changed({ kind });
  go();
}

// Shows another node of the game. At the last node the game continues; at an earlier node nothing
// moves until a person acts.
export function goTo(at) {
  isHurried = false;
  game.at = Math.max(0, Math.min(game.last, at));
  isPaused = isPast();
  restart("went");
}

// Continues the game from the shown node with these players. The first new move replaces the later
// moves.
export function playOn(seated = players) {
  players = seated;
  trouble = null;
  isPaused = false;
  restart("playing");
}

export function seat(seated) {
  players = seated;
  restart("seated");
}

// The targets of undo and redo, or null. A target is a node where a person types the throw or has a
// choice; without persons, the beginning of a turn.
function isStop(at) {
  const { node, choices, mover } = game.nodes[at];
  if (node === "chance" && settings.throws === "hand") return !isRecorded(mover);
  return persons().length ? choices > 1 && isPerson(mover) : game.begins(at);
}
export const undoTo = () => game.before(game.at, isStop);
export const redoTo = () => game.after(game.at, isStop);
