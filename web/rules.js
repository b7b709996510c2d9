// The dialog of the rules: the rules and house rules of each game, from its sheet.

import { ask } from "./ask.js";
import { diagram } from "./diagram.js";
import { byId, element, fill, options, showText } from "./dom.js";
import { addressOf, all, flagsOf, houseRules, named, sentencesOf } from "./games.js";
import { openLesson } from "./lesson.js";
import * as play from "./play.js";
import { rule, text } from "./text.js";

// Opens the dialog with the game of this name; `rules` is the current game with its house rules.
export function openRules(name, rules) {
  const show = (game) => draw(game, flagsOf(rules).game === game.name ? rules : game.name);
  fill(
    byId("rules-game"),
    options(
      all().map((game) => [game.name, game.title]),
      name,
    ),
  );
  byId("rules-game").onchange = ({ target }) => show(named(target.value));
  show(named(name) ?? all()[0]);
  byId("rules").showModal();
}

// Draws the rules of a game. `rules` is its name, and the house rules if there are any.
function draw(game, rules) {
  const paragraphs = game.rules
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(Boolean);
  byId("rules-summary").textContent = game.summary;
  byId("rules-lesson").onclick = () => {
    byId("rules").close("done");
    openLesson(rules, rules === play.game.rules ? play.game.letters : game.seats[0], game.sheet);
  };
  fill(
    byId("rules-prose"),
    (paragraphs.length ? paragraphs : [text("rules.noProse")]).map((paragraph) =>
      element("p", {}, paragraph),
    ),
  );
  for (const details of byId("rules-text").querySelectorAll("details")) details.open = false;
  showText(
    byId("rules-current"),
    rules === game.name ? "" : `${text("rules.current")} ${sentencesOf(game, rules).join(" ")}`,
  );
  const seats = rules === play.game.rules ? play.game.letters : game.seats.at(-1);
  diagram(rules, seats, game.sheet).then(
    (parts) => byId("rules-game").value === game.name && fill(byId("rules-pictures"), parts),
    () => fill(byId("rules-pictures")),
  );
  fill(byId("rules-topics"));
  if (rules === game.name) drawTopics(game);
  else
    ask({ op: "rules", game: rules, sheet: game.sheet }).then(
      (answer) => byId("rules-game").value === game.name && drawTopics(answer),
    );
  drawFlags(houseRules(game));
  byId("rules-sources").hidden = !game.sources.length;
  fill(
    byId("rules-sources").lastElementChild,
    game.sources.map((source) => element("li", {}, source)),
  );
  Object.assign(byId("rules-sheet"), { href: addressOf(game), download: `${game.name}.toml` });
  byId("rules-text").scrollTop = 0;
}

// The rules as the engine applies them.
function drawTopics({ understood }) {
  fill(
    byId("rules-topics"),
    understood.map(({ topic, sentences }) => [
      element("dt", {}, rule(topic)),
      element(
        "dd",
        {},
        element(
          "ul",
          {},
          sentences.map((sentence) => element("li", {}, rule(sentence))),
        ),
      ),
    ]),
  );
}

function drawFlags(flags) {
  byId("rules-flags").hidden = !flags.length;
  fill(
    byId("rules-rows"),
    flags.flatMap(({ name, about, values }) =>
      values.map((value, at) =>
        element(
          "tr",
          {},
          at
            ? null
            : element(
                "th",
                { scope: "rowgroup", rowspan: values.length },
                element("code", {}, name),
                about ? ` ${about}` : "",
              ),
          element("td", {}, element("code", {}, value.name)),
          element("td", {}, value.about),
        ),
      ),
    ),
  );
}
