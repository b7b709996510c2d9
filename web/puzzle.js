// The puzzle of the day: the best use of a throw. puzzles.json has the positions and the loss of each choice.

import { ask } from "./ask.js";
import { capital } from "./choice.js";
import { worth } from "./dock.js";
import { element } from "./dom.js";
import { played } from "./games.js";
import { tell } from "./lesson.js";
import * as play from "./play.js";
import { set, settings } from "./store.js";
import { engine, number, text } from "./text.js";

// The number of today's date; the same everywhere on this date.
const today = (now = new Date()) => Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / 864e5;

export async function openPuzzle() {
  const puzzles = await fetch(new URL("./puzzles.json", import.meta.url)).then(answer => answer.json());
  const day = today(), puzzle = puzzles[day % puzzles.length];
  const thrown = await played(puzzle.position, [puzzle.throws]), { steps } = thrown;
  const { turns } = await ask({ op: "choices", position: steps.at(-1).node.position });
  play.visit(thrown, { throws: steps.map(({ step }) => step.thrown), show: () => drawPuzzle(day, puzzle, turns) });
}

function drawPuzzle(day, { by, value, losses }, turns) {
  const { game } = play, close = [text("puzzle.close"), play.leave];
  if (game.at <= play.guest.throws.length) return tell(text("puzzle.title"), [text("puzzle.question", { game: game.about.title, seat: text(`seat.${game.node.mover}`) })], [close]);
  const own = losses[turns.findIndex(turn => turn.position === game.position)], { board, seats } = game;
  // Only the first answer of a day counts.
  const { day: last, streak } = settings.puzzle;
  if (last !== day) set("puzzle", { day, streak: own ? 0 : 1 + (last === day - 1 ? streak : 0) });
  const places = board.outlook === "placings";
  const lost = loss => places ? text("puzzle.places", { loss: number((seats.length - 1) * loss, 2) }) : text("puzzle.percent", { loss: number(100 * loss, 1) });
  const lines = turns.map(({ words, position }, at) => ({ words, loss: losses[at], isOwn: position === game.position })).sort((a, b) => a.loss - b.loss);
  tell(text("puzzle.title"), [
    own ? text("puzzle.wrong", { loss: lost(own) }) : text("puzzle.right"), settings.puzzle.streak ? text("puzzle.streak", { count: settings.puzzle.streak }) : "",
    by ? text("puzzle.bot", { name: by }) : text("puzzle.perfect"),
  ], [close], element("ol", {}, lines.map(({ words, loss, isOwn }) => element("li", { "aria-current": isOwn ? "true" : null },
    element("span", { class: "words" }, capital(engine(words))), element("span", { class: "hint" }, loss ? `−${lost(loss)}` : `★ ${worth(value, board, seats.length)}`)))));
}
