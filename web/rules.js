// The dialog of the rules: of each game what its sheet says for players, and its house rules.

import { addressOf, all, houseRules, named } from "./games.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

function flags(game) {
  const rows = houseRules(game).flatMap(({ name, about, values }) => values.map((value, at) => element("tr", {},
    at ? null : element("th", { scope: "rowgroup", rowspan: values.length }, element("code", {}, name), about ? ` ${about}` : ""),
    element("td", {}, element("code", {}, value.name)), element("td", {}, value.about))));
  if (!rows.length) return null;
  return element("details", {}, element("summary", {}, "House rules"),
    element("p", {}, "Where the sources leave a question open, the answer can be changed: in the dialog of a new game, or in the text of a position. The first value is that of the rules above."),
    element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Table of house rules" }, element("table", {},
      element("thead", {}, element("tr", {}, ...["rule", "value", "meaning"].map(head => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...rows))));
}

// Shows the rules of the game of this name.
export function drawRules(name) {
  byId("rules-game").replaceChildren(...all().map(game =>
    element("option", { value: game.name, selected: game.name === name }, game.title)));
  byId("rules-game").onchange = event => drawText(named(event.target.value));
  drawText(named(name) ?? all()[0]);
}

function drawText(game) {
  const paragraphs = game.rules.split(/\n\s*\n/).map(text => text.trim()).filter(Boolean);
  const sources = game.sources.length ? [element("h3", {}, "Sources"), element("ul", {}, ...game.sources.map(source => element("li", {}, source)))] : [];
  byId("rules-text").replaceChildren(...[element("p", { class: "about" }, game.summary),
    ...(paragraphs.length ? paragraphs.map(text => element("p", {}, text)) : [element("p", {}, "Its sheet has no rules in prose.")]),
    flags(game), ...sources,
    element("p", {}, element("a", { href: addressOf(game), download: `${game.name}.toml` }, "The sheet of this game"),
      ", from which the program plays it.")].filter(Boolean));
  byId("rules-text").scrollTop = 0;
}
