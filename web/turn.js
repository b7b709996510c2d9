// The turn in the panel beside the board: who is to do what, what was thrown, and every legal action as a button.

import { SEATS } from "./game.js";
import { label } from "./players.js";
import { drawThrows } from "./dice.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

// A worth from 0 to 1 in words: the chance to win; or where all places are played for, the place to be expected.
export function worth(share, { outlook }, seats) {
  return outlook === "placings" ? `place ${(seats - (seats - 1) * share).toFixed(1)}` : `${(100 * share).toFixed(1)} %`;
}

export class TurnPanel {
  // `does`: { throwDice, enter(values), choose(id), light(action) }.
  constructor(does) {
    this.does = does;
    this.actions = [];
    this.hints = null;
  }

  draw(play, view, outcomes) {
    const { game } = play;
    const panel = byId("turn");
    const hadFocus = panel.contains(document.activeElement) && document.activeElement !== panel;
    this.view = view;
    this.board = game.board;
    this.can = play.turnOfPerson;
    this.hints = null;
    const { mover, node } = view;
    const who = mover ? `${SEATS[mover]}` : "";
    const isSolo = play.hasPersons && game.seats.filter(seat => play.isPerson(seat)).length === 1;
    panel.className = mover ? `seat-${mover}` : "over";
    byId("turn-title").replaceChildren(...this.title(play, view, who, isSolo));
    byId("turn-note").textContent = play.trouble ? `Something went wrong: ${play.trouble}.` : "";
    byId("turn-note").className = play.trouble ? "warning" : "soft";
    this.drawThrown(game, view);
    this.drawThrowing(node === "chance" ? outcomes : null, game.board.throws);
    this.actions = node === "decision" ? view.actions : [];
    byId("actions").replaceChildren(...this.actions.map(action => this.button(action)));
    byId("actions").hidden = this.actions.length === 0;
    if (hadFocus && !panel.contains(document.activeElement)) {
      (panel.querySelector("#throwing button, #actions button:not([disabled])") ?? panel).focus({ preventScroll: true });
    }
  }

  title(play, view, who, isSolo) {
    const { game } = play;
    const strong = element("span", { class: "who" }, who);
    if (view.node === "over") return [this.result(view, game)];
    if (this.can === "throw" || this.can === "enter") return [strong, isSolo && this.can === "throw" ? " – your throw" : " to throw"];
    if (this.can === "choose") return [strong, isSolo ? " – your choice" : " to choose"];
    const name = label(play.player(view.mover));
    if (play.isPaused) return [strong, ` (${name}) to ${view.node === "chance" ? "throw" : "choose"}`];
    return [strong, ` (${name}) ${view.node === "chance" ? "throws" : "is choosing"} …`];
  }

  result(view, game) {
    const { returns } = view;
    const winners = view.seats.filter((_, at) => returns[at] === Math.max(...returns));
    if (winners.length === view.seats.length) return "A dead position: shared";
    if (game.board.outlook === "placings") {
      const order = view.seats.map(({ name, finished }, at) => ({ name, finished, worth: returns[at] })).sort((a, b) => b.worth - a.worth);
      return `Over: ${order.map(({ name, finished }) => finished ? `${finished}. ${name}` : `${name}`).join(", ")}`;
    }
    return winners.length === 1 ? `${winners[0].name} wins` : `${winners.map(({ name }) => name).join(" and ")} win`;
  }

  drawThrown(game, view) {
    const now = game.turn(game.at);
    // Where a game begins within a turn, only the position knows what was thrown.
    if (!now.throws.length && now.from === 0) now.throws = view.throws;
    const before = now.throws.length || view.node === "over" ? null : game.previousTurn(game.at);
    const shown = before ?? (now.throws.length ? now : game.previousTurn(game.at));
    if (!shown || !shown.throws.length) return byId("thrown").replaceChildren();
    const isNow = shown === now && view.node !== "over";
    const left = isNow && view.node === "decision" ? view.throws : isNow ? null : [];
    byId("thrown").className = isNow ? "" : "past";
    byId("thrown").replaceChildren(
      element("span", { class: "by" }, isNow ? "Thrown" : `${SEATS[shown.seat]} threw`),
      ...drawThrows(shown.throws, isNow ? left : null, game.board.throws));
  }

  drawThrowing(outcomes, throws) {
    if (this.can === "throw") {
      const button = element("button", { type: "button", class: "primary big", id: "throw", onclick: () => this.does.throwDice() }, "Throw ", element("kbd", {}, "Space"));
      return byId("throwing").replaceChildren(button);
    }
    if (this.can !== "enter" || !outcomes) return byId("throwing").replaceChildren();
    byId("throwing").replaceChildren(element("p", { class: "soft" }, "What was thrown at your table?"),
      element("div", { class: "outcomes" }, ...outcomes.map(({ throw: values }) => element("button", {
        type: "button", "aria-label": values.join(" and "), onclick: () => this.does.enter(values),
      }, ...drawThrows(values, null, throws)))));
  }

  button(action) {
    const [main, ...more] = action.words.split(", ");
    const number = this.actions.indexOf(action) + 1;
    return element("li", {}, element("button", {
      type: "button", "data-action": action.id, disabled: this.can !== "choose",
      onclick: () => this.does.choose(action.id),
      onpointerenter: () => this.does.light(action), onpointerleave: () => this.does.light(null),
      onfocus: () => this.does.light(action), onblur: () => this.does.light(null),
    }, number <= 9 ? element("kbd", { "aria-hidden": "true" }, String(number)) : "",
    element("span", { class: "words" }, capital(main === "pass" ? "Leave it unused" : main), more.length ? element("em", {}, `, ${more.join(", ")}`) : ""),
    element("span", { class: "hint" })));
  }

  // Puts what each action is worth beside it. `found` is the answer to `hint`.
  showHints(found) {
    this.hints = found;
    const seats = this.view.seats.map(({ seat }) => seat);
    const own = seats.indexOf(this.view.mover);
    const shares = new Map((found?.actions ?? []).map(({ id, values }) => [id, values[own]]));
    const best = Math.max(...shares.values());
    for (const button of byId("actions").querySelectorAll("button")) {
      const share = shares.get(Number(button.dataset.action));
      const hint = button.querySelector(".hint");
      hint.textContent = share === undefined ? "" : worth(share, this.board, seats.length);
      const isBest = share !== undefined && share > best - 5e-5;
      button.classList.toggle("best", isBest);
      if (isBest) hint.prepend(element("span", { "aria-label": "best: " }, "★ "));
    }
  }
}

export const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
