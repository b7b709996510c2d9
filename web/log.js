// The turns of a game in words: as a list beside the board, and spoken as they happen.

import { SEATS } from "./game.js";
import { said } from "./dice.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

// The words of a turn's choices.
export const words = choices => choices.map(step => step.words).join("; ");

// What is drawn: the game, and for each turn its places and its element, the first one first. Games grow long, so that
// only what has changed is drawn again.
let drawn = { game: null, items: [] };

// The list of turns, the last one first; `goTo(at)` when one is picked.
export function drawLog(game, goTo) {
  if (drawn.game !== game) {
    drawn = { game, items: [] };
    byId("turns").replaceChildren();
  }
  const lines = linesOf(game);
  const isSame = (item, at) => item.from === lines[at]?.from && item.to === lines[at].to && item.last === game.steps[item.to - 1];
  let kept = drawn.items.findIndex((item, at) => !isSame(item, at));
  if (kept < 0) kept = drawn.items.length;
  for (const { element } of drawn.items.splice(kept)) element.remove();
  for (const line of lines.slice(kept)) {
    const made = item(line, goTo);
    drawn.items.push({ from: line.from, to: line.to, last: game.steps[line.to - 1], element: made });
    byId("turns").prepend(made);
  }
  mark(game);
}

// Marks the turn that is shown.
function mark(game) {
  byId("turns").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const here = drawn.items.find(({ from, to }) => game.at >= from && (game.at < to || to === game.last));
  here?.element.firstElementChild.setAttribute("aria-current", "step");
  if (!here) return;
  // The list scrolls, the page stays where it is.
  const list = byId("turns"), top = here.element.offsetTop;
  if (top < list.scrollTop || top + here.element.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top;
}

// The lines of the list: { from, to, number, turns }. Turns in a row in which nothing moved are one line.
function linesOf(game) {
  const places = game.turns;
  const ends = places.at(-1) < game.last ? [...places.slice(1), game.last] : places.slice(1);
  const lines = [];
  ends.forEach((to, at) => {
    const turn = game.between(places[at], to);
    const isIdle = turn.choices.length > 0 && turn.choices.every(step => !step.moves.length);
    if (isIdle && lines.at(-1)?.isIdle) {
      lines.at(-1).turns.push(turn);
      lines.at(-1).to = to;
    } else lines.push({ from: places[at], to, number: at + 1, turns: [turn], isIdle });
  });
  return lines;
}

function item({ to, number, turns }, goTo) {
  const names = turns.map(({ seat, throws }) => `${SEATS[seat]} ${throws.join(", ")}`);
  const done = [...new Set(turns.map(({ choices }) => words(choices)))].filter(Boolean).join("; ");
  const [seat, numbers] = turns.length === 1 ? [turns[0].seat, number] : ["", `${number}–${number + turns.length - 1}`];
  return element("li", { class: `seat-${seat}` }, element("button", { type: "button", onclick: () => goTo(to) },
    element("span", { class: "number" }, numbers), element("span", { class: "chip", "aria-hidden": "true" }, seat),
    element("span", {}, element("b", {}, names.join("; ")), done ? `: ${done}` : "")));
}

const MOST_NEWS = 8;

// Says something to those who listen.
export function say(text) {
  byId("news").append(element("p", {}, text));
  while (byId("news").children.length > MOST_NEWS) byId("news").firstChild.remove();
}

// One move in words.
export function sentence(step, node, throws) {
  const who = SEATS[step.seat];
  if (step.thrown) return `${who} throws ${step.thrown.map(value => said(value, throws)).join(" and ")}.`;
  if (node.node === "over") return `${who}: ${step.words}. The game is over.`;
  return `${who}: ${step.words}.`;
}
