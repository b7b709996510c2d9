// Games as text: one JSON object on each line, as in the files of an arena, or a single position.
// This module only checks the form of a record. The engine checks the moves when they are replayed.

import { readAll } from "./ashta.js";
import { attempt } from "./attempt.js";
import * as play from "./play.js";
import { agentName, readable } from "./players.js";
import { settings } from "./store.js";
import { list, text } from "./text.js";

// The largest number of bytes of the game in a link. The engine refuses longer requests.
const LONGEST = 2 ** 20;

// The current game as an object. If the game comes from a sheet, the object contains the sheet.
function written() {
  const { game } = play;
  return {
    players: game.seats.map((seat) => agentName(play.player(seat), game.rules, game.letters)),
    sheet: game.about.sheet,
    start: game.nodes[0].position,
    moves: game.moves,
  };
}

export function line() {
  const { game } = play;
  const { node, returns } = game.nodes[game.last];
  const isOver = node === "over",
    turns = game.turns.filter((at) => at < game.last && game.begins(at)).length;
  return JSON.stringify({
    ...written(),
    ending: isOver ? "finished" : "open",
    returns: isOver ? returns : [],
    turns,
  });
}

// The game as a link that shows the current node.
export async function link() {
  const content = new Blob([JSON.stringify({ ...written(), at: play.game.at })]);
  const code = new Uint8Array(
    await new Response(
      content.stream().pipeThrough(new CompressionStream("deflate-raw")),
    ).arrayBuffer(),
  );
  const url = new URL(settings.address || location.href);
  url.search = "";
  url.hash = `game=${btoa(String.fromCharCode(...code))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")}`;
  return url.href;
}

// Returns the text after `#game=` in a link: a compressed game, or a game or position as plain
// text. Returns null without `#game=`.
export async function linked(pasted) {
  const [, code] = /#game=([^\s]+)$/.exec(pasted.trim()) ?? [];
  if (code === undefined) return null;
  try {
    if (!/^[\w-]+$/.test(code)) return decodeURIComponent(code);
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    // A short link can contain a very long text.
    return new TextDecoder().decode(
      await readAll(
        new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")),
        (size) => {
          if (size > LONGEST) throw new RangeError(text("record.longLink"));
        },
      ),
    );
  } catch (error) {
    throw error instanceof RangeError ? error : new Error(text("record.damagedLink"));
  }
}

// Reads a text: { position }, or { records: [{ line, title, record | trouble }] }; throws an error
// that names the problem.
export function read(pasted) {
  const trimmed = pasted.trim();
  if (!trimmed) throw new Error(text("record.nothing"));
  if (!trimmed.startsWith("{")) {
    const lines = trimmed.split("\n").length;
    if (lines > 1) throw new Error(text("record.neither", { lines }));
    return { position: trimmed };
  }
  const lines = pasted
    .split(/\r?\n/)
    .map((content, at) => [content.trim(), at + 1])
    .filter(([content]) => content);
  // The first line of the file of an arena can contain the sheet of all its games.
  const isHeader = (content) => content.startsWith('{"arena"');
  const sheet = isHeader(lines[0][0])
    ? (attempt(() => JSON.parse(lines[0][0]).sheet) ?? undefined)
    : undefined;
  const records = lines
    .filter(([content]) => !isHeader(content))
    .map(([content, number]) => ({ line: number, ...parsed(content, sheet) }));
  if (!records.length) throw new Error(text("record.noGames"));
  return { records };
}

function parsed(line, sheet) {
  const record = attempt(() => ({ sheet, ...JSON.parse(line) }));
  const trouble = record ? wrong(record) : text("record.damaged");
  if (trouble) return { trouble };
  const parts = described(record).filter(Boolean);
  return { record, parts, title: parts.join(", ") };
}

// The first problem with the form of a record, or null.
function wrong({ start, sheet = "", moves, players = [], at = 0 }) {
  if (typeof start !== "string") return text("record.noStart");
  if (typeof sheet !== "string") return text("record.sheet");
  if (!Array.isArray(moves)) return text("record.noMoves");
  const bad = moves.findIndex(
    (move) => !isNumber(move) && !(Array.isArray(move) && move.length && move.every(isNumber)),
  );
  if (bad >= 0)
    return text("record.badMove", { number: bad + 1, move: JSON.stringify(moves[bad]) });
  const areNames = Array.isArray(players) && players.every((name) => typeof name === "string");
  if (!areNames) return text("record.players");
  return isNumber(at) ? null : text("record.at");
}

const isNumber = (value) => Number.isInteger(value) && value >= 0;

// The players, the number of turns and the result of a record, in words.
function described({ players: names = [], returns = [], turns, ending }) {
  const players = names.map(readable);
  const won =
    returns.length && Math.max(...returns) > Math.min(...returns)
      ? players.filter((_, at) => returns[at] === Math.max(...returns))
      : [];
  const end = ending?.forfeited
    ? text("record.forfeited", { seat: text(`seat.${ending.forfeited.seat}`) })
    : won.length
      ? text("record.won", { players: list(won) })
      : null;
  return [
    players.join(" – ") || text("record.game"),
    turns ? text("record.turns", { count: turns }) : null,
    end,
  ];
}
