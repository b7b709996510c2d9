// The dialog of the rules: the rules and house rules of each game, from its sheet.

import { ask } from "./ask.js";
import { byId, element, fill, options } from "./dom.js";
import { addressOf, all, flagsOf, houseRules, named } from "./games.js";

function flags(game) {
  const rows = houseRules(game).flatMap(({ name, about, values }) => values.map((value, at) => element("tr", {},
    at ? null : element("th", { scope: "rowgroup", rowspan: values.length }, element("code", {}, name), about ? ` ${about}` : ""),
    element("td", {}, element("code", {}, value.name)), element("td", {}, value.about))));
  if (!rows.length) return null;
  return element("details", {}, element("summary", {}, "House rules"),
    element("p", {}, "House rules answer questions that the sources leave open. They can be changed in the dialog of a new game or in the text of a position. The first value is that of the rules above."),
    element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Table of house rules" }, element("table", {},
      element("thead", {}, element("tr", {}, ["rule", "value", "meaning"].map(head => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows))));
}

// The rules as the engine applies them. `rules` is the name of the game, and the house rules if there are any.
function understood(game, rules) {
  const list = element("dl", {});
  const show = ({ understood }) => fill(list, understood.map(({ topic, sentences }) =>
    [element("dt", {}, topic), element("dd", {}, element("ul", {}, sentences.map(text => element("li", {}, text))))]));
  if (rules === game.name) show(game);
  else ask({ op: "rules", game: rules, sheet: game.sheet }).then(show);
  return element("details", {}, element("summary", {}, "The rules as the program understands them"),
    rules === game.name ? null : element("p", {}, "With the house rules of the current game: ", element("code", {}, rules)), list);
}

// Opens the dialog with the game of this name; `rules` is the current game with its house rules.
export function openRules(name, rules) {
  const draw = game => drawText(game, flagsOf(rules).game === game.name ? rules : game.name);
  fill(byId("rules-game"), options(all().map(game => [game.name, game.title]), name));
  byId("rules-game").onchange = ({ target }) => draw(named(target.value));
  draw(named(name) ?? all()[0]);
  byId("rules").showModal();
}

function drawText(game, rules) {
  const paragraphs = game.rules.split(/\n\s*\n/).map(text => text.trim()).filter(Boolean);
  fill(byId("rules-text"), element("p", { class: "about" }, game.summary),
    (paragraphs.length ? paragraphs : ["The sheet of this game has no rules in prose."]).map(text => element("p", {}, text)),
    understood(game, rules), flags(game),
    game.sources.length ? [element("h3", {}, "Sources"), element("ul", {}, game.sources.map(source => element("li", {}, source)))] : null,
    element("p", {}, element("a", { href: addressOf(game), download: `${game.name}.toml` }, "The sheet of this game"),
      ", which defines it for the program."));
  byId("rules-text").scrollTop = 0;
}
