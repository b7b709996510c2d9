// Games with friends by link: begins them, opens their links, and shows whose visit it is. chain.js has the protocol.

import { ask } from "./ask.js";
import { attempt } from "./attempt.js";
import { elementOf, fault, LinkGame, randomHex, verify, visits } from "./chain.js";
import { byId, showText } from "./dom.js";
import { bySeat, Game, headOf } from "./game.js";
import * as games from "./games.js";
import * as play from "./play.js";
import * as store from "./store.js";
import { text } from "./text.js";

const LONGEST_NAME = 40;

// A name on one line, without control characters and piles of marks.
const clean = name => [...String(name).replace(/[\p{C}\p{Z}]+/gu, " ").replace(/(\p{M}{2})\p{M}+/gu, "$1").trim()].slice(0, LONGEST_NAME).join("");
const nameOf = ({ ring, names }, seat) => clean(names[ring.indexOf(seat)] ?? "") || text(`seat.${seat}`);

// Explains the fault of a link in words. Other errors stay as they are.
async function explained(act, game, friend) {
  try {
    return await act();
  } catch (error) {
    if (!error.fault) throw error;
    const { fault: key, at, seat } = error;
    const turn = game?.turns.filter(place => place <= (at < 0 ? game.last : at)).length;
    throw new Error(text(`friend.fault.${key}`, { turn, name: seat && nameOf(friend, seat) }));
  }
}

// Asks for the name of this person; returns "" if the person cancels.
function askName(question) {
  const dialog = byId("friend-dialog"), field = byId("friend-name");
  byId("friend-question").textContent = question;
  field.value = store.settings.name;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise(resolve => { dialog.onclose = () => resolve(dialog.returnValue && clean(field.value)); });
}

// Begins a game in which this person plays `own`. `start` is the seat that throws first; by default it is random.
export const beginFriend = (rules, letters, own, sheet, start) => explained(async () => {
  const at = letters.indexOf(own), ring = letters.slice(at) + letters.slice(0, at);
  return join({ start: await games.firstPosition(rules, letters, sheet, start), sheet, moves: [], friend: { id: randomHex(8), ring, visits: 0, elements: [], names: [] } },
    text("friend.begin", { count: letters.length - 1 }));
});

// Lets this person take the next free seat of a game.
async function join(record, question, about = null) {
  const { visits: at, ring, elements, names } = record.friend, seed = randomHex(32), element = await elementOf(seed, 0);
  const name = await askName(question);
  if (store.friend(record.friend.id)) throw fault("tab");
  if (!name) return false;
  store.set("name", name);
  if (about && !games.named(about.name)) games.keep(about);
  return take(keep(record, { visits: at + 1, elements: [...elements, element], names: [...names, name] }, ring[at], seed));
}

// Stores a changed game with its secret, and returns them.
function keep({ start, sheet, moves, friend }, changes, seat, seed) {
  const now = { ...friend, ...changes }, players = headOf(start).seats.map(seat => nameOf(now, seat));
  const kept = { record: { players, start, sheet, moves, friend: now }, seat, seed };
  if (!store.keepFriend(now.id, kept)) throw fault("storage");
  return kept;
}

// Shows a stored game. The page then plays the steps from node `from` on. Returns false if another tab has the game.
async function take({ record, seat, seed }, { id, played, from = 0, note = "" } = {}) {
  const { friend, start, sheet } = record;
  played ??= await games.played(start, [], sheet);
  if (!await store.claim(id ?? `friend-${friend.id}`) && (id || !await store.claim())) return false;
  const players = bySeat(friend.ring, other => other === seat ? "person" : `friend:${nameOf(friend, other)}`);
  play.take({ ...played, steps: played.steps.slice(0, from), friend: new LinkGame(record, seat, seed, played.steps, note) }, players);
  return true;
}

function isWellFormed({ start, friend: { id, ring, visits, elements, names } }) {
  return /^[0-9a-f]{16}$/.test(id) && [...ring].sort().join() === headOf(start).seats.sort().join() && Number.isInteger(visits) && visits > 0
    && [elements, names].every(list => Array.isArray(list) && list.length === Math.min(visits, ring.length)) && elements.every(element => /^[0-9a-f]{64}$/.test(element));
}

// Opens a game by link, or the stored game `id`. Returns false if this browser has no part in the game, or if another
// tab has the stored game.
export const openFriend = (record, id) => explained(async () => {
  if (!attempt(() => isWellFormed(record))) throw fault("form");
  const { ring } = record.friend, kept = store.friend(record.friend.id), basis = ({ start, sheet, friend }) => JSON.stringify([start, sheet, friend.ring]);
  if (kept && basis(kept.record) !== basis(record)) throw fault("other");
  const before = kept?.record ?? { moves: [], friend: { visits: 0, elements: [] } };
  const isOld = before.friend.visits > record.friend.visits, [old, now] = isOld ? [record, before] : [before, record];
  const played = await games.played(now.start, now.moves, now.sheet), game = new Game(played);
  await explained(async () => {
    const other = old.moves.findIndex((move, at) => String(move) !== String(now.moves[at]));
    const isAfter = at => new Game({ ...played, steps: played.steps.slice(0, at + 1) }).moves.length > other;
    if (other >= 0) throw fault("version", game.steps.findIndex((_, at) => isAfter(at)));
    if (played.error) throw fault("rules", game.last);
    await verify(now.friend, game, async at => (await ask({ op: "chance", position: game.nodes[at].position, sheet: now.sheet })).outcomes, old.friend);
  }, game, now.friend);
  const own = ring[now.friend.visits], from = visits(ring, game.nodes, before.friend.visits).at(-1)?.to;
  if (!kept) {
    if (!own) return false;
    const { about } = played, invited = [about.title, ...games.sentencesOf(about, game.rules)].join(". ");
    await join(record, text("friend.join", { name: nameOf(now.friend, ring[0]), game: invited, seat: text(`seat.${own}`) }), about);
    return true;
  }
  return take(keep(now, {}, kept.seat, kept.seed), { id, played, from, note: isOld ? text("friend.old") : "" });
});

let isEnding = false;
// Ends the visit of this person if it is over, and reveals its element.
export async function endVisit() {
  const { game } = play, { friend } = game;
  if (isEnding || friend?.stage(game) !== "ending") return;
  isEnding = true;
  await explained(async () => {
    const { record, seat, seed } = friend, { visits: count, id } = record.friend, elements = await friend.elements(game);
    if (store.friend(id)?.record.friend.visits !== count) throw fault("tab");
    friend.record = keep({ ...record, moves: game.moves }, { visits: count + 1, elements }, seat, seed).record;
  }).finally(() => { isEnding = false; });
  play.changed({ kind: "ended" });
}

// The name of the person that the game waits for; null if it does not wait for a friend.
export function awaited({ game } = play) {
  const visit = play.isWaiting() && game.friend.visit(game);
  return visit ? nameOf(game.friend.record.friend, visit.seat) : null;
}

export function drawFriend() {
  const { game } = play, { friend } = game, isSending = play.isWaiting(), name = awaited();
  byId("send-game").hidden = !isSending;
  if (friend) [byId("throw").hidden, byId("play-on").hidden] = [isSending, true];
  showText(byId("friend"), friend ? [friend.note, isSending ? next(game, name) : "", game.steps.length ? text("friend.holds") : ""].filter(Boolean).join(" ") : "");
}

function next({ friend, node }, name) {
  const { visits: count, ring } = friend.record.friend;
  if (!name) return text("friend.over");
  if (count < ring.length) return text("friend.invite", { name });
  const send = text("friend.send", { name });
  return friend.visit(play.game).seat === node.mover ? send : `${text("friend.again", { name: nameOf(friend.record.friend, node.mover), friend: name })} ${send}`;
}
