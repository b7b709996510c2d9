// The dock: who is to do what, what was thrown, what is left of it, and the buttons of a turn, each always in its place.
// And the list of moves, for keys and for those who do not see the board.

import { capital, stacked } from "./choice.js";
import { SEATS } from "./game.js";
import { words } from "./log.js";
import { drawThrows } from "./dice.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

// A worth from 0 to 1 in words: the chance to win; or where all places are played for, the place to be expected.
export function worth(share, { outlook }, seats) {
  return outlook === "placings" ? `place ${(seats - (seats - 1) * share).toFixed(1)}` : `${(100 * share).toFixed(1)} %`;
}

export class Dock {
  // `does`: { throwDice, enter(values), pick(option), leave, undo, hurry, light(option) }.
  constructor(does) {
    this.does = does;
    this.options = [];
    for (const [id, act] of [["throw", does.throwDice], ["leave", does.leave], ["undo", does.undo], ["hurry", does.hurry]]) byId(id).addEventListener("click", act);
  }

  // `choice`: what a person is choosing, or null; `outcomes`: the throws that can be entered, or null.
  draw(play, view, choice, outcomes) {
    const { game } = play;
    const list = byId("moves");
    const hadFocus = list.contains(document.activeElement);
    this.board = game.board;
    this.can = play.turnOfPerson;
    byId("turn").className = view.mover ? `seat-${view.mover}` : "over";
    byId("turn-title").replaceChildren(...this.title(play, view));
    this.note(play, choice, view);
    this.drawThrown(game, view, choice);
    byId("throw").disabled = this.can !== "throw";
    byId("leave").disabled = !choice?.end;
    byId("undo").disabled = play.undoTo === null && !choice?.picked.length;
    byId("hurry").disabled = !play.isBusy || play.isHurried;
    byId("after").hidden = view.node !== "over";
    this.options = choice ? choice.options : [];
    byId("actions").replaceChildren(...this.options.map(option => this.button(option)));
    byId("entering").replaceChildren(...(outcomes ?? []).map(({ throw: values }) => element("button", {
      type: "button", "aria-label": values.join(" and "), onclick: () => this.does.enter(values),
    }, ...drawThrows(values, null, game.board.throws))));
    byId("moves-title").textContent = outcomes ? "What was thrown at your table?" : "Moves";
    if (hadFocus && !list.contains(document.activeElement)) byId("turn").focus({ preventScroll: true });
  }

  title(play, view) {
    const { game } = play;
    if (view.node === "over") return [game.result];
    const isOnlyPerson = play.isPerson(view.mover) && game.seats.filter(seat => play.isPerson(seat)).length === 1;
    const who = element("span", { class: "who" }, isOnlyPerson ? "You" : SEATS[view.mover]);
    if (this.can) return [who, ` ${isOnlyPerson ? "" : "to "}${this.can === "choose" ? "move" : "throw"}`];
    if (play.isPerson(view.mover)) return [who, play.isForced ? `: only one move` : " to go on"];
    const does = view.node === "chance" ? "throw" : "move";
    return [who, ` (${play.label(view.mover)}) ${play.isPaused ? `to ${does}` : `${does}s …`}`];
  }

  // What is chosen so far, or what is to be done, or what happened last.
  note(play, choice, view) {
    const { game } = play;
    const last = game.between(...game.lastTurn());
    const done = words(last.choices);
    const chosen = choice?.picked.map(move => move.words).join(", then ");
    const text = play.trouble ? `Something went wrong: ${play.trouble}.`
      : chosen ? `${capital(chosen)}; ${stacked(choice.unused(view.throws), ", ")} left`
        : done ? `${SEATS[last.seat]} ${stacked(last.throws, ", ")}: ${done}` : "";
    this.tell(text, play.trouble ? "warning" : "soft");
  }

  tell(text, kind = "soft") {
    byId("turn-note").textContent = text;
    byId("turn-note").title = text;
    byId("turn-note").className = kind;
  }

  drawThrown(game, view, choice) {
    const now = game.turn(game.at);
    // Where a game begins within a turn, only the position knows what was thrown.
    if (!now.throws.length && now.from === 0) now.throws = view.throws;
    const isNow = now.throws.length > 0 && view.node !== "over";
    const shown = isNow ? now : game.previousTurn(game.at);
    const left = !isNow ? [] : view.node === "decision" ? choice?.unused(view.throws) ?? view.throws : null;
    if (this.drawnOn !== game.board) this.drawnThrows = null;
    this.drawnOn = game.board;
    const throws = shown?.throws ?? [], drawn = JSON.stringify([shown?.from, throws, left, isNow]);
    if (drawn === this.drawnThrows) return;
    // Only what has just been thrown rolls.
    const isFresh = isNow && !(this.drawnThrows ?? "").startsWith(JSON.stringify([shown.from, throws]).slice(0, -1));
    this.drawnThrows = drawn;
    byId("thrown").className = isFresh ? "fresh" : isNow ? "" : "past";
    byId("thrown").replaceChildren(...(throws.length ? drawThrows(throws, left, game.board.throws) : []));
    // Keys scroll what is longer than its place.
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = byId("thrown");
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) byId("thrown").setAttribute("tabindex", "0");
    else byId("thrown").removeAttribute("tabindex");
  }

  button(option) {
    const number = this.options.indexOf(option) + 1;
    return element("li", {}, element("button", {
      type: "button", "data-move": option.name, onclick: () => this.does.pick(option),
      onpointerenter: () => this.does.light(option), onpointerleave: () => this.does.light(null),
      onfocus: () => this.does.light(option), onblur: () => this.does.light(null),
    }, number <= 9 ? element("kbd", { "aria-hidden": "true" }, String(number)) : "",
    element("span", { class: "words" }, capital(option.words), option.captures ? element("em", {}, `, ${this.board.words.captures}`) : ""),
    element("span", { class: "hint" })));
  }

  // Puts what each move is worth at best beside it: `shares` by the names of moves.
  showHints(shares, seats) {
    const best = Math.max(...shares.values());
    for (const button of byId("actions").querySelectorAll("button")) {
      const share = shares.get(button.dataset.move);
      const hint = button.querySelector(".hint");
      hint.textContent = share === undefined ? "" : worth(share, this.board, seats);
      const isBest = share !== undefined && share > best - 5e-5;
      button.classList.toggle("best", isBest);
      if (isBest) hint.prepend(element("span", { "aria-label": "best: " }, "★ "));
    }
  }
}
