// The dialog of the rules: the rules and house rules of each game, from its sheet.

import { ask } from "./ask.js";
import { button, byId, element, fill, options } from "./dom.js";
import { addressOf, all, flagsOf, houseRules, named, sentencesOf } from "./games.js";
import { openLesson } from "./lesson.js";
import * as play from "./play.js";
import { text } from "./text.js";

function flags(game) {
  const rows = houseRules(game).flatMap(({ name, about, values }) => values.map((value, at) => element("tr", {},
    at ? null : element("th", { scope: "rowgroup", rowspan: values.length }, element("code", {}, name), about ? ` ${about}` : ""),
    element("td", {}, element("code", {}, value.name)), element("td", {}, value.about))));
  if (!rows.length) return null;
  return element("details", {}, element("summary", {}, text("rules.flags")),
    element("p", {}, text("rules.aboutFlags")),
    element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": text("rules.table") }, element("table", {},
      element("thead", {}, element("tr", {}, [text("rules.rule"), text("rules.value"), text("rules.meaning")].map(head => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows))));
}

// The rules as the engine applies them. `rules` is the name of the game, and the house rules if there are any.
function understood(game, rules) {
  const list = element("dl", {});
  const show = ({ understood }) => fill(list, understood.map(({ topic, sentences }) =>
    [element("dt", {}, topic), element("dd", {}, element("ul", {}, sentences.map(sentence => element("li", {}, sentence))))]));
  if (rules === game.name) show(game);
  else ask({ op: "rules", game: rules, sheet: game.sheet }).then(show);
  return element("details", {}, element("summary", {}, text("rules.understood")),
    rules === game.name ? null : element("p", {}, text("rules.current"), " ", sentencesOf(game, rules).join(" ")), list);
}

// Opens the dialog with the game of this name; `rules` is the current game with its house rules.
export function openRules(name, rules) {
  const draw = game => drawText(game, flagsOf(rules).game === game.name ? rules : game.name);
  fill(byId("rules-game"), options(all().map(game => [game.name, game.title]), name));
  byId("rules-game").onchange = ({ target }) => draw(named(target.value));
  draw(named(name) ?? all()[0]);
  byId("rules").showModal();
}

function lesson(game, rules) {
  const seats = rules === play.game.rules ? play.game.letters : game.seats[0];
  return button(() => {
    byId("rules").close("done");
    openLesson(rules, seats, game.sheet);
  }, {}, text("lesson.open"));
}

function drawText(game, rules) {
  const paragraphs = game.rules.split(/\n\s*\n/).map(paragraph => paragraph.trim()).filter(Boolean);
  fill(byId("rules-text"), element("p", { class: "about" }, game.summary), lesson(game, rules),
    (paragraphs.length ? paragraphs : [text("rules.noProse")]).map(paragraph => element("p", {}, paragraph)),
    understood(game, rules), flags(game),
    game.sources.length ? [element("h3", {}, text("rules.sources")), element("ul", {}, game.sources.map(source => element("li", {}, source)))] : null,
    element("p", {}, element("a", { href: addressOf(game), download: `${game.name}.toml` }, text("rules.sheet")), text("rules.sheetDefines")));
  byId("rules-text").scrollTop = 0;
}
