// A lesson: three turns of a game, which the engine finds. The throws are given; the learner throws
// them and chooses the moves. A lesson has a panel above the turn.

import { ask } from "./ask.js";
import { beginNew } from "./begin.js";
import { capital } from "./choice.js";
import { button, byId, element, fill, showText } from "./dom.js";
import { bySeat } from "./game.js";
import { played } from "./games.js";
import * as play from "./play.js";
import { botOf } from "./players.js";
import { set, settings } from "./store.js";
import { text } from "./text.js";

// Shows a title, sentences, and buttons with their actions: [[text, act]]. The first of several
// buttons is the main one. Hides the panel if there is no title.
function tell(title, sentences = [], buttons = []) {
  byId("guide").hidden = !title;
  fill(byId("guide-title"), title);
  fill(
    byId("guide-text"),
    sentences.filter(Boolean).map((sentence) => element("p", {}, sentence)),
  );
  fill(
    byId("guide-buttons"),
    buttons.map(([text, act], at) =>
      button(act, { class: at || buttons.length === 1 ? null : "primary", "data-key": text }, text),
    ),
  );
}

// Starts the lesson of a game: its rules, the letters of its seats, and its sheet if it has one.
export async function openLesson(rules, seats, sheet) {
  try {
    const lesson = await ask({ op: "lesson", game: rules, seats, sheet });
    await showStep({ ...lesson, rules, seats, sheet }, 0);
  } catch (error) {
    showText(byId("trouble"), error.message);
  }
}

async function showStep(lesson, number) {
  const { position, throws } = lesson.steps[number];
  play.visit(await played(position, [], lesson.sheet), {
    throws,
    show: () => drawStep(lesson, number),
  });
}

function drawStep(lesson, number) {
  const { game } = play,
    { steps, kind } = lesson,
    { part, throws, shows, words } = steps[number],
    end = [text("lesson.end"), play.leave];
  const title = text("lesson.title", {
    number: number + 1,
    of: steps.length,
    game: game.about.title,
  });
  if (game.at === 0)
    return tell(
      title,
      [
        text(`lesson.parts.${part}`),
        number ? "" : text(`lesson.kinds.${kind}`),
        text("lesson.throw"),
      ],
      [end],
    );
  if (game.at < throws.length) return tell(title, [text("lesson.throwAgain")], [end]);
  if (game.at === throws.length)
    return tell(
      title,
      [...shows.map((shown) => text(`lesson.shows.${shown}`)), text("lesson.choose")],
      [end],
    );
  const done = game.steps[game.at - 1].words,
    isLast = number + 1 === steps.length;
  if (isLast && !settings.learned) set("learned", true);
  tell(
    title,
    [
      text("lesson.did", { words: capital(done) }),
      done === words ? "" : text("lesson.other", { words: capital(words) }),
      isLast ? text("lesson.done") : "",
    ],
    [
      isLast
        ? [text("lesson.play"), () => start(lesson)]
        : [text("lesson.next"), () => showStep(lesson, number + 1)],
      end,
    ],
  );
}

// Starts a game against the easiest bot.
function start({ rules, seats, sheet }) {
  return beginNew(
    rules,
    seats,
    bySeat(seats, (_, at) => (at ? (botOf(rules, seats) ? "bot:beginner" : "random") : "person")),
    sheet,
    seats[0],
  );
}

// Opens the lesson of the current game.
export const learn = ({ rules, letters, about } = play.game) =>
  openLesson(rules, letters, about.sheet);

// Draws the lesson, or what the page says about a move: the arguments of `tell`. Before the first
// throw of a person, offers a lesson.
export function drawGuide(said) {
  const { guest, game } = play,
    isNew = byId("guide").hidden;
  document.body.classList.toggle("visit", guest !== null);
  if (game.node.node === "over" && !settings.learned) set("learned", true);
  byId("learn").hidden =
    guest !== null ||
    settings.learned ||
    !game.begins(0) ||
    game.steps.some(({ seat }) => play.isPerson(seat));
  if (guest) guest.show();
  else tell(...(said ?? [""]));
  if (said && isNew) byId("guide").scrollIntoView({ block: "nearest" });
  if (guest && !play.turnOfPerson()) fill(byId("turn-title"), text("lesson.over"));
}
