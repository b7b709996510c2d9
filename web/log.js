// The turns of a game in words: as a list beside the board, and spoken as they happen.

import { SEATS } from "./game.js";
import { said } from "./dice.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

// The words of a turn's choices; what was left unused is not told where something was used.
function words(choices) {
  const used = choices.filter(({ words }) => words !== "pass");
  if (used.length) return used.map(step => step.words).join("; ");
  return choices.length ? "nothing moves" : "";
}

// The list of turns, the last one first; `goTo(at)` when one is picked.
export function drawLog(game, goTo) {
  const turns = game.turns;
  const items = turns.slice(0, -1).map((from, number) => {
    const turn = game.between(from, turns[number + 1]);
    return item(game, turn, number + 1, goTo);
  });
  const lastFrom = turns.at(-1);
  if (lastFrom < game.last) items.push(item(game, game.between(lastFrom, game.last), turns.length, goTo));
  byId("turns").replaceChildren(...items.reverse());
  byId("turns").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function item(game, { from, to, seat, throws, choices }, number, goTo) {
  const isHere = game.at >= from && (game.at < to || to === game.last);
  return element("li", { class: `seat-${seat}` }, element("button", {
    type: "button", "aria-current": isHere ? "step" : null, onclick: () => goTo(to),
  }, element("span", { class: "number" }, `${number}`), element("span", { class: "chip", "aria-hidden": "true" }, seat),
  element("span", {}, element("b", {}, `${SEATS[seat]} ${throws.join(", ")}`), choices.length ? `: ${words(choices)}` : "")));
}

const MOST_NEWS = 8;

// Says something to those who listen.
export function say(text) {
  byId("news").append(element("p", {}, text));
  while (byId("news").children.length > MOST_NEWS) byId("news").firstChild.remove();
}

// One move in words.
export function told(step, node, rules) {
  const who = SEATS[step.seat];
  if (Array.isArray(step.move)) return `${who} throws ${step.move.map(value => said(value, rules)).join(" and ")}.`;
  if (node.node === "over") return `${who}: ${step.words}. The game is over.`;
  return step.words === "pass" ? `${who} moves nothing.` : `${who}: ${step.words}.`;
}
