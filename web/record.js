// Games as text: one JSON object on each line, as in the files of an arena, or a single position. This module only
// checks the form of a record. The engine checks the moves when they are replayed.

import { attempt } from "./attempt.js";
import { SEATS } from "./game.js";
import * as play from "./play.js";
import { agentName } from "./players.js";

// The largest number of bytes of the game in a link. The engine refuses longer requests.
const LONGEST = 2 ** 20;

// The current game as an object. If the game comes from a sheet, the object contains the sheet.
function written() {
  const { game } = play;
  return {
    players: game.seats.map(seat => agentName(play.player(seat), game.rules, game.letters)),
    sheet: game.about.sheet, start: game.nodes[0].position, moves: game.moves,
  };
}

export function line() {
  const { game } = play;
  const { node, returns } = game.nodes[game.last];
  const isOver = node === "over", turns = game.turns.filter(at => at < game.last && game.begins(at)).length;
  return JSON.stringify({ ...written(), ending: isOver ? "finished" : "open", returns: isOver ? returns : [], turns });
}

// The game as a link that shows the current node.
export async function link() {
  const text = new Blob([JSON.stringify({ ...written(), at: play.game.at })]);
  const code = new Uint8Array(await new Response(text.stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  const url = new URL(location.href);
  url.search = "";
  url.hash = `game=${btoa(String.fromCharCode(...code)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  return url.href;
}

// Returns the text after `#game=` in a link: a compressed game, or a game or position as plain text. Returns null
// without `#game=`.
export async function linked(text) {
  const [, code] = /#game=([^\s]+)$/.exec(text.trim()) ?? [];
  if (code === undefined) return null;
  try {
    if (!/^[\w-]+$/.test(code)) return decodeURIComponent(code);
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
    return await unpacked(bytes);
  } catch (error) {
    throw error instanceof RangeError ? error : new Error("The link is damaged: a part of it is missing or changed.");
  }
}

// Unpacks a link. A short link can contain a very long text.
async function unpacked(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader(), parts = [];
  for (let size = 0; size <= LONGEST;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    size += value.length;
    parts.push(value);
  }
  reader.cancel();
  throw new RangeError("The link is too long: a game has at most 1 MiB.");
}

// Reads a text: { position }, or { records: [{ line, title, record | trouble }] }; throws an error that names the
// problem.
export function read(text) {
  const trimmed = text.trim();
  if (!trimmed) throw new Error("There is nothing to read: paste a link, a position, a game or a sheet.");
  if (!trimmed.startsWith("{")) {
    const lines = trimmed.split("\n").length;
    if (lines > 1) throw new Error(`This is neither a game nor a position: a position has one line, this text has ${lines} lines.`);
    return { position: trimmed };
  }
  const lines = text.split(/\r?\n/).map((content, at) => [content.trim(), at + 1]).filter(([content]) => content);
  // The first line of the file of an arena can contain the sheet of all its games.
  const isHeader = content => content.startsWith('{"arena"');
  const sheet = isHeader(lines[0][0]) ? attempt(() => JSON.parse(lines[0][0]).sheet) ?? undefined : undefined;
  const records = lines.filter(([content]) => !isHeader(content)).map(([content, number]) => ({ line: number, ...parsed(content, sheet) }));
  if (!records.length) throw new Error("The file has the settings of an arena, but no games.");
  return { records };
}

function parsed(line, sheet) {
  const record = attempt(() => ({ sheet, ...JSON.parse(line) }));
  const trouble = record ? wrong(record) : "This looks like a game, but cannot be read: a part of it is missing or changed.";
  return trouble ? { trouble } : { record, title: title(record) };
}

// The first problem with the form of a record, or null.
function wrong({ start, sheet = "", moves, players = [], at = 0 }) {
  if (typeof start !== "string") return "The game has no first position (`start`).";
  if (typeof sheet !== "string") return "The sheet of the game must be a text (`sheet`).";
  if (!Array.isArray(moves)) return "The game has no list of throws and choices (`moves`).";
  const bad = moves.findIndex(move => !isNumber(move) && !(Array.isArray(move) && move.length && move.every(isNumber)));
  if (bad >= 0) return `Move ${bad + 1} of the game, ${JSON.stringify(moves[bad])}, is neither a throw nor a choice.`;
  const areNames = Array.isArray(players) && players.every(name => typeof name === "string");
  if (!areNames) return "The players of the game must be a list of names (`players`).";
  return isNumber(at) ? null : "The place to show must be a number (`at`).";
}

const isNumber = value => Number.isInteger(value) && value >= 0;

function title({ players = [], returns = [], turns, ending }) {
  const won = returns.length && Math.max(...returns) > Math.min(...returns)
    ? players.filter((_, at) => returns[at] === Math.max(...returns)) : [];
  const end = ending?.forfeited ? `${SEATS[ending.forfeited.seat]} forfeited` : won.length ? `${won.join(" and ")} won` : null;
  return [players.join(" – ") || "a game", turns ? `${turns} turns` : null, end].filter(Boolean).join(", ");
}
