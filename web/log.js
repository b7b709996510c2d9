// The turns of a game in words: the list beside the board, and announcements for screen readers.

import { throwWords } from "./dice.js";
import { button, byId, chip, element } from "./dom.js";
import { grouped } from "./pieces.js";
import { list, text } from "./text.js";

export const words = (choices) => choices.map((step) => step.words).join("; ");

// The drawn lines with their elements. The oldest line is the first. Games are long, so only
// changed lines are drawn again.
const drawn = [];

// Draws the list of turns, with the last turn at the top. A click on a turn calls `goTo(at)`.
export function drawLog(game, goTo) {
  const lines = linesOf(game).map((line) => ({ ...line, key: JSON.stringify(line) }));
  const same = drawn.findIndex(({ key }, at) => key !== lines[at]?.key);
  for (const { made } of drawn.splice(same < 0 ? drawn.length : same)) made.remove();
  for (const line of lines.slice(drawn.length)) {
    drawn.push({ ...line, made: item(line, goTo) });
    byId("turns").prepend(drawn.at(-1).made);
  }
  byId("turns").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const here = drawn.find(
    ({ from, to }) => game.at >= from && (game.at < to || to === game.last),
  )?.made;
  if (!here) return;
  here.firstElementChild.setAttribute("aria-current", "step");
  // Scrolls the list, but not the page.
  const list = byId("turns"),
    top = here.offsetTop;
  if (top < list.scrollTop || top + here.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top;
}

// The list is one tab stop: the arrow keys move the focus from line to line.
byId("turns").addEventListener("keydown", (event) => {
  const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key],
    list = byId("turns");
  if (!step) return;
  const line =
    event.target === list
      ? (list.querySelector("li:has([aria-current])") ?? list.firstElementChild)
      : event.target.closest("li")[step];
  line?.firstElementChild.focus();
  event.preventDefault();
});

// The lines of the list: { from, to, number, turns }. Consecutive turns without moves share a line.
function linesOf(game) {
  const places = game.turns;
  const ends = places.at(-1) < game.last ? [...places.slice(1), game.last] : places.slice(1);
  const lines = [];
  ends.forEach((to, at) => {
    const turn = game.between(places[at], to),
      last = lines.at(-1);
    const isIdle = turn.choices.length > 0 && turn.choices.every((step) => !step.moves.length);
    if (isIdle && last?.isIdle) Object.assign(last, { to, turns: [...last.turns, turn] });
    else lines.push({ from: places[at], to, number: at + 1, turns: [turn], isIdle });
  });
  return lines;
}

function item({ to, number, turns }, goTo) {
  // Turns with the same words share them.
  const parts = [...grouped(turns, ({ choices }) => words(choices))].map(([done, same], at) => [
    at ? "; " : null,
    element(
      "b",
      {},
      same.map(({ seat, throws }) => `${text(`seat.${seat}`)} ${throws.join(", ")}`).join("; "),
    ),
    done ? `: ${done}` : null,
  ]);
  const [seat, numbers] =
    turns.length === 1 ? [turns[0].seat, number] : ["", `${number}–${number + turns.length - 1}`];
  return element(
    "li",
    { class: `seat-${seat}` },
    button(
      () => goTo(to),
      { tabindex: -1 },
      element("span", { class: "number" }, numbers),
      chip(seat),
      element("span", {}, parts),
    ),
  );
}

const MOST_NEWS = 8;

// Announces a text to screen readers.
export function say(news) {
  byId("news").append(element("p", {}, news));
  while (byId("news").children.length > MOST_NEWS) byId("news").firstChild.remove();
}

export function sentence(step, node, throws) {
  const seat = text(`seat.${step.seat}`);
  if (step.thrown)
    return text("log.throws", {
      seat,
      values: list(step.thrown.map((value) => throwWords(value, throws))),
    });
  return `${seat}: ${step.words}.${node.node === "over" ? ` ${text("log.over")}` : ""}`;
}
