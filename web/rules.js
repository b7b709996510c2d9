// The dialog of the rules: of each game what its sheet says for players, and its house rules.

import { byId, element, fill, options } from "./dom.js";
import { addressOf, all, houseRules, named } from "./games.js";

function flags(game) {
  const rows = houseRules(game).flatMap(({ name, about, values }) => values.map((value, at) => element("tr", {},
    at ? null : element("th", { scope: "rowgroup", rowspan: values.length }, element("code", {}, name), about ? ` ${about}` : ""),
    element("td", {}, element("code", {}, value.name)), element("td", {}, value.about))));
  if (!rows.length) return null;
  return element("details", {}, element("summary", {}, "House rules"),
    element("p", {}, "Where the sources leave a question open, the answer can be changed: in the dialog of a new game, or in the text of a position. The first value is that of the rules above."),
    element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Table of house rules" }, element("table", {},
      element("thead", {}, element("tr", {}, ["rule", "value", "meaning"].map(head => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows))));
}

// Opens the dialog at the game of this name.
export function openRules(name) {
  fill(byId("rules-game"), options(all().map(game => [game.name, game.title]), name));
  byId("rules-game").onchange = ({ target }) => drawText(named(target.value));
  drawText(named(name) ?? all()[0]);
  byId("rules").showModal();
}

function drawText(game) {
  const paragraphs = game.rules.split(/\n\s*\n/).map(text => text.trim()).filter(Boolean);
  fill(byId("rules-text"), element("p", { class: "about" }, game.summary),
    (paragraphs.length ? paragraphs : ["Its sheet has no rules in prose."]).map(text => element("p", {}, text)), flags(game),
    game.sources.length ? [element("h3", {}, "Sources"), element("ul", {}, game.sources.map(source => element("li", {}, source)))] : null,
    element("p", {}, element("a", { href: addressOf(game), download: `${game.name}.toml` }, "The sheet of this game"),
      ", from which the program plays it."));
  byId("rules-text").scrollTop = 0;
}
