// The review of a game: the cost of each choice, the luck of each throw, and the turning point.
// They follow from the values of the adviser.

import { ask } from "./ask.js";
import { shown } from "./board.js";
import { drawThrows } from "./dice.js";
import { button, byId, chip, element, fill } from "./dom.js";
import * as estimates from "./estimates.js";
import * as play from "./play.js";
import { learn } from "./stats.js";
import { still } from "./still.js";
import { engine, percent, text } from "./text.js";

// The classes of bad choices, with the smallest cost of each class, as in `ashta analyze`.
const CLASSES = [
  [0.08, "blunder"],
  [0.04, "error"],
  [0.02, "doubtful"],
];
const classOf = ({ cost }) => CLASSES.find(([from]) => cost >= from)?.[1];
// The largest number of choices in the list. The worst choice is the first.
const LISTED = 12;
// Two moves are equally good if their values differ by less than this number.
const SAME = 5e-4;

// Luck and cost of each step, [{ at, seat, step, luck, cost }], as changes of the seat's value.
// `valueAt(at)` returns the values at node `at`, by seat.
export function changes(game, valueAt) {
  return game.steps.map((step, at) => {
    const own = game.seats.indexOf(step.seat);
    const change = valueAt(at + 1)[own] - valueAt(at)[own];
    return {
      at,
      seat: step.seat,
      step,
      luck: step.thrown ? change : 0,
      cost: step.thrown ? 0 : Math.max(0, -change),
    };
  });
}

// The index of the node after the last node where the winner was behind; null if the winner was
// never behind.
function turningPoint(game, valueAt) {
  const end = valueAt(game.last);
  const winner = end.indexOf(Math.max(...end));
  const isAhead = (at) =>
    valueAt(at)[winner] >= Math.max(...valueAt(at).filter((_, seat) => seat !== winner));
  return game.steps.findLastIndex((_, at) => !isAhead(at)) + 1 || null;
}

export const most = (all, key) =>
  all.reduce((best, one) => (one[key] > (best?.[key] ?? 0) ? one : best), null);

// Opens the dialog, and fills it when the adviser has answered. `retry(at, actions)` continues the
// game from node `at` with these actions, if there are any.
export async function openReview(retry) {
  const { game } = play,
    who = estimates.adviser();
  byId("review-result").textContent = text("review.result", {
    result: game.result ?? text("review.notOver"),
    count: game.turns.length - 1,
  });
  byId("review-by").textContent = text("review.busy", { who: who.name, count: game.nodes.length });
  for (const id of ["review-seats", "review-line", "review-moments", "review-choices"])
    fill(byId(id));
  byId("review").showModal();
  const isOld = () => game !== play.game || !byId("review").open;
  await estimates.learn(
    game,
    who,
    game.nodes.map(({ position }) => position),
  );
  if (isOld()) return;
  const valueAt = (at) => estimates.valueAt(game, at, who);
  const all = changes(game, valueAt);
  byId("review-by").textContent = text("review.by", { who: who.name });
  fill(
    byId("review-seats"),
    game.seats.map((seat) => {
      const own = all.filter((change) => change.seat === seat),
        sum = (key) => own.reduce((total, change) => total + change[key], 0);
      const choices = own.filter(({ step, at }) => step.actions && game.nodes[at].choices > 1);
      const luck = sum("luck");
      learn(seat, luck, sum("cost"), who.name);
      return element(
        "li",
        { class: `seat-${seat}` },
        chip(seat),
        element(
          "span",
          {},
          element("b", {}, text(`seat.${seat}`)),
          ` ${play.label(seat)}: `,
          text("review.seat", {
            luck: `${luck < 0 ? "−" : "+"}${percent(Math.abs(luck))}`,
            cost: percent(sum("cost")),
            count: choices.length,
          }),
          CLASSES.map(([, name]) => {
            const count = own.filter((change) => classOf(change) === name).length;
            return count
              ? element("b", { class: `verdict ${name}` }, text(`review.counts.${name}`, { count }))
              : null;
          }),
        ),
      );
    }),
  );
  const costly = all
    .map((change) => ({ ...change, kind: classOf(change) }))
    .filter(({ kind }) => kind)
    .sort((a, b) => b.cost - a.cost);
  fill(
    byId("review-line"),
    estimates.line(game, who, costly, (at) => closing(() => play.goTo(at))()),
  );
  const turn = turningPoint(game, valueAt);
  const moments = [
    [
      text("review.luckiest"),
      most(all, "luck"),
      (change) => text("review.brought", { luck: percent(change.luck) }),
    ],
    [text("review.turning"), turn === null ? null : all[turn - 1], () => text("review.ahead")],
  ];
  fill(
    byId("review-moments"),
    moments.map(
      ([name, change, words]) => change && item(change, `${name}${words(change)}`, retry),
    ),
  );
  const listed = costly.slice(0, LISTED);
  const items = listed.map((change) =>
    item(change, text(`review.classes.${change.kind}`, { cost: percent(change.cost) }), retry),
  );
  fill(byId("review-choices"), items);
  byId("review-none").hidden = costly.length > 0;
  for (const [number, change] of listed.entries()) {
    const best = await better(game, change, who);
    if (isOld()) return;
    if (!best) continue;
    draw(items[number], change, [["better", best.moves]]);
    items[number].append(
      element("p", {}, text("review.better", { words: engine(best.words) })),
      button(
        closing(() => retry(change.at, best.actions)),
        {},
        text("review.play"),
      ),
    );
  }
}

// Draws the position of a step, its moves, and other moves (`tracks`), into its item.
function draw(item, { at, step }, tracks = []) {
  const { game } = play;
  still({
    position: game.nodes[at].position,
    board: game.board,
    sheet: game.about.sheet,
    tracks: [...tracks, [step.thrown ? "" : "played", step.moves ?? []]],
    seenFrom: shown.seenFrom,
  }).then(
    (made) => fill(item.querySelector(".picture"), made),
    () => {},
  );
}

// The best turn instead of a choice, by the adviser; null if there are too many turns, or if no
// turn is better.
async function better(game, { at, seat }, who) {
  if (!game.nodes[at].choices) return null;
  const { turns } = await ask({ ...game.request("choices"), position: game.nodes[at].position });
  await estimates.learn(
    game,
    who,
    turns.map(({ position }) => position),
  );
  const own = game.seats.indexOf(seat),
    worth = ({ position }) => estimates.valueOf(position, who)?.[own] ?? 0;
  const best = turns.reduce((best, turn) => (worth(turn) > worth(best) ? turn : best));
  return worth(best) > worth(game.nodes[at + 1]) ? best : null;
}

// The choice that a person plays again: { game, at, position, before }. `before` is the position
// after the old move. Null if there is none.
let attempt = null;
// What the page says about the new move, as the arguments of `tell` in lesson.js, or null.
export let verdict = null;

// Remembers the choice at node `at`, which a person plays again.
export function startAttempt(at) {
  const { game } = play;
  attempt = { game, at, position: game.nodes[at].position, before: game.nodes[at + 1].position };
  verdict = null;
}

// Follows the changes of the game. After the new move, compares it with the old move and with the
// best move.
export async function followAttempt({ kind, step }, retry) {
  const { game } = play,
    own = attempt;
  if (kind === "taken") attempt = verdict = null;
  const isChosen = () => game.nodes[game.steps.lastIndexOf(step)].choices > 1;
  if (kind !== "moved" || !step.actions || !play.isPerson(step.seat) || !isChosen()) return;
  attempt = verdict = null;
  if (own?.game !== game || game.steps[own.at] !== step) return;
  const { at, position, before } = own,
    after = game.nodes[at + 1].position;
  if (game.nodes[at].position !== position) return;
  const who = estimates.adviser(),
    valueOf = (position) => estimates.valueOf(position, who)[game.seats.indexOf(step.seat)];
  await estimates.learn(game, who, [before, after]);
  const best = await better(game, { at, seat: step.seat }, who);
  if (game !== play.game || game.steps[at] !== step) return;
  const change = valueOf(after) - valueOf(before),
    amount = (share) => ({ change: percent(Math.abs(share)) });
  const result = Math.abs(change) < SAME ? "same" : change > 0 ? "gain" : "loss",
    cost = best ? valueOf(best.position) - valueOf(after) : 0,
    isBest = cost < SAME;
  const about = isBest
    ? text("review.again.isBest")
    : text("review.again.best", { words: engine(best.words), ...amount(cost) });
  judge([
    text(`review.again.${result}`, amount(change)),
    [about],
    [
      [text("review.retry"), () => retry(at)],
      ...(isBest ? [] : [[text("review.play"), () => retry(at, best.actions)]]),
      [text("page.dismiss"), () => judge(null)],
    ],
  ]);
}

function judge(said) {
  verdict = said;
  play.changed({ kind: "judged" });
}

// A step as a button that shows it, with a picture; a choice also has a button to try it again.
function item(change, verdict, retry) {
  const { at, seat, step, kind = "" } = change,
    number = play.game.turns.filter((place) => place <= at).length;
  const made = element(
    "li",
    { class: `moment ${kind}` },
    button(
      closing(() => play.goTo(at)),
      { class: "quiet" },
      element("span", { class: "picture" }),
      element(
        "span",
        {},
        element("b", { class: "verdict" }, verdict),
        step.thrown ? drawThrows(step.thrown, null, play.game.board.throws) : null,
        element(
          "span",
          {},
          text("review.step", {
            number,
            seat: text(`seat.${seat}`),
            words: step.thrown
              ? text("review.throws", { values: step.thrown.join(", ") })
              : step.words,
          }),
        ),
      ),
    ),
    step.actions
      ? button(
          closing(() => retry(at)),
          {},
          text("review.retry"),
        )
      : null,
  );
  draw(made, change);
  return made;
}

const closing = (act) => () => {
  byId("review").close("done");
  act();
};
