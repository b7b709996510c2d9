// A game looked back on: what each choice cost, how lucky each throw was, and what decided it; by the adviser's values.

import { SEATS } from "./game.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

// What a choice is called from this cost on, as `ashta analyze` calls it.
const CLASSES = [[0.08, "blunder"], [0.04, "error"], [0.02, "doubtful"]];
// So many choices are listed at most, the worst first.
const LISTED = 12;

// What every step of a game changed for the seat that made it: [{ at, seat, step, luck, cost }], in shares of the win.
// `valueAt(at)`: the values at a place, by seat.
export function changes(game, valueAt) {
  return game.steps.map((step, at) => {
    const own = game.seats.indexOf(step.seat);
    const change = valueAt(at + 1)[own] - valueAt(at)[own];
    return { at, seat: step.seat, step, luck: step.thrown ? change : 0, cost: step.thrown ? 0 : Math.max(0, -change) };
  });
}

// The last step before which the seat that gained most was not ahead, or null where it always was.
export function turningPoint(game, valueAt) {
  const end = valueAt(game.last);
  const winner = end.indexOf(Math.max(...end));
  const isAhead = at => valueAt(at)[winner] >= Math.max(...valueAt(at).filter((_, seat) => seat !== winner));
  return game.steps.findLastIndex((_, at) => !isAhead(at)) + 1 || null;
}

const percent = share => `${(100 * share).toFixed(1)} %`;
const most = (all, key) => all.reduce((best, one) => one[key] > (best?.[key] ?? 0) ? one : best, null);

export class Review {
  // `show(at)` goes to a place, `retry(at)` plays on from it.
  constructor({ show, retry }) {
    this.dialog = byId("review");
    this.does = { show, retry };
  }

  // Opens at once, and fills in when the adviser has answered: `learn()` makes every value known, `valueAt` gives it.
  async open(play, adviser, learn, valueAt) {
    const { game } = play;
    byId("review-result").textContent = `${game.result ?? "Not over yet"}, after ${game.turns.length - 1} turns.`;
    byId("review-by").textContent = `${adviser.name} values ${game.nodes.length} positions …`;
    for (const id of ["review-seats", "review-moments", "review-choices"]) byId(id).replaceChildren();
    this.dialog.showModal();
    await learn();
    if (game !== play.game || !this.dialog.open) return;
    const all = changes(game, valueAt);
    byId("review-by").textContent = `Luck and costs in chances to win, by ${adviser.name}: luck is what a throw changes, a cost is what the best choice would have kept.`;
    byId("review-seats").replaceChildren(...game.seats.map(seat => {
      const own = all.filter(change => change.seat === seat), sum = key => own.reduce((total, change) => total + change[key], 0);
      const choices = own.filter(({ step, at }) => step.actions && game.nodes[at].choices > 1);
      const luck = sum("luck");
      return element("li", { class: `seat-${seat}` }, element("span", { class: "chip", "aria-hidden": "true" }, seat),
        element("span", {}, element("b", {}, SEATS[seat]), ` ${play.label(seat)}: luck ${luck < 0 ? "−" : "+"}${percent(Math.abs(luck))}, choices cost ${percent(sum("cost"))} (${choices.length} choices)`));
    }));
    const turn = turningPoint(game, valueAt);
    const moments = [
      ["Biggest mistake", most(all, "cost"), change => `cost ${percent(change.cost)}`],
      ["Luckiest throw", most(all, "luck"), change => `brought ${percent(change.luck)}`],
      ["Turning point", turn === null ? null : all[turn - 1], () => "from here on the winner was ahead"],
    ];
    byId("review-moments").replaceChildren(...moments.filter(([, change]) => change).map(([name, change, words]) => this.item(game, change, `${name}: `, words(change))));
    const costly = all.filter(({ cost }) => cost >= CLASSES.at(-1)[0]).sort((a, b) => b.cost - a.cost).slice(0, LISTED);
    byId("review-choices").replaceChildren(...costly.map(change => this.item(game, change, "", `${CLASSES.find(([from]) => change.cost >= from)[1]}, cost ${percent(change.cost)}`)));
    byId("review-none").hidden = costly.length > 0;
  }

  // A step as a button that shows it, and for a choice one that plays it again.
  item(game, { at, seat, step }, before, after) {
    const number = game.turns.filter(place => place <= at).length;
    const words = step.thrown ? `throws ${step.thrown.join(", ")}` : step.words;
    const does = act => () => {
      this.dialog.close("done");
      act(at);
    };
    return element("li", {}, element("button", { type: "button", class: "quiet", onclick: does(this.does.show) },
      element("b", {}, before), `turn ${number}, ${SEATS[seat]}: ${words} (${after})`),
    step.actions ? element("button", { type: "button", onclick: does(this.does.retry) }, "Try again") : null);
  }
}
