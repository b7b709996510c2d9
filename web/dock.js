// The dock: the player who acts, the throws, and the buttons of a turn, each always at the same
// point of the page. Also the list of moves, for keyboards and screen readers.

import { capital, stacked } from "./choice.js";
import { drawThrows } from "./dice.js";
import { button, byId, chip, element, fill, onClick, showText } from "./dom.js";
import { words } from "./log.js";
import { grouped } from "./pieces.js";
import * as play from "./play.js";
import { engine, list, number as written, percent, text } from "./text.js";
import * as turn from "./turn.js";

// A value from 0 to 1 as text: the chance to win. In games that are played for all ranks, the text
// is the expected rank.
export function worth(share, { outlook }, seats, digits = 1) {
  return outlook === "placings"
    ? text("dock.place", { place: written(seats - (seats - 1) * share, digits) })
    : percent(share, digits);
}

onClick({
  "#throw": turn.throwDice,
  "#leave": turn.leave,
  "#undo": turn.undo,
  "#hurry": play.hurry,
});

// Draws the result of `currentTurn` in turn.js. Calls `light(option)` when a pointer is on a move,
// and `light(null)` when it leaves.
export function drawDock({ view, can, outcomes, isStuck }, light) {
  const { board, steps, nodes, at } = play.game,
    { choice } = turn,
    isOver = view.node === "over";
  const own = [...steps.keys()].filter((step) => step < at && play.isPerson(steps[step].seat)),
    // A move that was the only one was not chosen.
    isNew = !play.guest && !own.some((step) => steps[step].actions && nodes[step].choices > 1),
    isFirst = isNew && ["throw", "enter"].includes(can) && !own.length;
  byId("turn").className =
    `${view.mover ? `seat-${view.mover}` : `over seat-${play.game.winners[0]}`}${isFirst ? " first" : ""}`;
  byId("turn").classList.toggle("choosing", !isOver && play.persons().length > 0);
  fill(byId("turn-title"), title(view, can, isStuck));
  showText(byId("margin"), isOver ? ending(view, board, play.game.winners) : "");
  drawNote(view, isFirst || (isNew && can === "choose") ? can : null);
  drawLast();
  drawThrown(view);
  byId("throw").disabled = can !== "throw";
  byId("leave").disabled = !choice?.end;
  byId("undo").disabled = play.undoTo() === null && !choice?.picked.length;
  byId("hurry").disabled = !play.isBusy() || play.isHurried;
  byId("after").hidden = !isOver;
  drawMoves(choice?.options ?? [], light);
  byId("moves").hidden = !isOver && !outcomes && !choice?.options.length;
  fill(
    byId("entering"),
    outcomes?.map(({ throw: values }) =>
      button(
        () => turn.enter(values),
        { "aria-label": list(values.map(String)) },
        drawThrows(values, null, board.throws),
      ),
    ),
  );
  byId("moves-title").textContent = outcomes
    ? text("dock.yourThrow")
    : isOver
      ? text("dock.after")
      : text("dock.moves");
  // The layout of the next frame is known without a second computation.
  requestAnimationFrame(letScroll);
}

// Draws the moves by piece. If a piece has several moves, each piece has a heading.
function drawMoves(options, light) {
  const byPiece = [...grouped(options, ({ key }) => key).values()],
    hasHeads = byPiece.some((own) => own.length > 1);
  const moves = byPiece.flat();
  fill(
    byId("actions"),
    byPiece.map((own) => {
      const [{ seat, from, leaves }] = own,
        place = engine(from ?? leaves);
      return [
        hasHeads ? element("h3", { class: `seat-${seat}` }, chip(seat), capital(place)) : null,
        element(
          "ol",
          { "aria-label": place },
          own.map((option) =>
            element("li", {}, moveButton(option, moves.indexOf(option) + 1, light)),
          ),
        ),
      ];
    }),
  );
}

function title(view, can, isStuck) {
  const { game } = play,
    [own, ...others] = play.persons();
  if (view.node === "over")
    return [
      !others.length && game.winners.includes(own) && game.board.outlook !== "placings"
        ? text("game.youWin")
        : game.result,
    ];
  const isPerson = play.isPerson(view.mover),
    isOnlyPerson = isPerson && !others.length;
  const who = element(
    "span",
    { class: "who" },
    isOnlyPerson ? text("dock.you") : text(`seat.${view.mover}`),
  );
  if (isStuck) return [who, text("dock.stuck")];
  if (can)
    return [
      who,
      text(`dock.turn.${isOnlyPerson ? "you" : "can"}.${can === "choose" ? "move" : "throw"}`),
    ];
  if (isPerson) return [who, play.isForced() ? text("dock.forced") : text("dock.goesOn")];
  const does = view.node === "chance" ? "throw" : "move";
  return [
    who,
    ` (${play.label(view.mover)})`,
    text(`dock.turn.${play.isPaused ? "can" : "does"}.${does}`),
  ];
}

// Shows the moves that the person has chosen so far. Before the first throw and the first choice of
// a person, shows what to do (`first`). If the person begins, shows the aim of the game, too: two
// sentences of the rules.
function drawNote({ throws }, first) {
  const { rules, summary } = play.game.about,
    [aim] = /^([^.]+\.){1,2}/.exec(rules.trim()) ?? [summary];
  const chosen = turn.choice?.picked.map((move) => move.words).join(text("dock.then"));
  if (play.trouble) turn.showNote(text("dock.trouble", { error: play.trouble }), "warning");
  else if (chosen)
    turn.showNote(
      text("dock.left", {
        moves: capital(chosen),
        throws: stacked(turn.choice.unused(throws), ", "),
      }),
    );
  else
    turn.showNote(
      first
        ? `${text(`dock.first.${first}`)} ${first === "choose" || play.game.lastTurn ? "" : aim}`
        : "",
    );
}

// Shows the last turn of another seat, apart from the throws of this turn.
function drawLast() {
  const last = play.game.lastTurn;
  if (!last) return fill(byId("last-turn"));
  const who = text(`seat.${last.seat}`),
    throws = stacked(last.throws, ", ");
  fill(
    byId("last-turn"),
    element("span", { class: `seat-${last.seat}` }, chip(last.seat)),
    " ",
    [throws ? text("dock.last", { who, throws }) : who, words(last.choices)]
      .filter(Boolean)
      .join(": "),
  );
}

let drawn = { board: null, throws: null };

function drawThrown(view) {
  const { game } = play,
    { board } = game;
  const now = game.turn(game.at);
  // If a game starts in the middle of a turn, only the position contains the throws of this turn.
  if (!now.throws.length && now.from === 0) now.throws = view.throws;
  const throws = view.node === "over" ? [] : now.throws;
  const left = view.node === "decision" ? (turn.choice?.unused(view.throws) ?? view.throws) : null;
  const before = drawn.board === board ? drawn.throws : null;
  drawn = { board, throws: JSON.stringify([now.from, throws, left]) };
  if (drawn.throws === before) return;
  // Only new throws are animated.
  byId("thrown").className = before?.startsWith(JSON.stringify([now.from, throws]).slice(0, -1))
    ? ""
    : "fresh";
  fill(byId("thrown"), drawThrows(throws, left, board.throws));
}

// If a part of the dock has too little room, it scrolls, also by keys.
function letScroll() {
  for (const id of ["thrown", "turn-note", "last-turn"]) {
    const place = byId(id);
    place.tabIndex =
      place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight + 1 ? 0 : -1;
  }
}

function moveButton(option, number, light) {
  const on = () => light(option),
    off = () => light(null);
  return button(
    () => turn.pick(option),
    { "data-move": option.name, onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off },
    number <= 9 ? element("kbd", { "aria-hidden": "true" }, String(number)) : null,
    element("span", { class: "words" }, capital(option.words)),
    element("span", { class: "hint" }),
  );
}

// Shows the best value that each move can reach. `shares` has these values by the names of the
// moves.
export function showHints(shares) {
  const { board, seats } = play.game;
  const best = Math.max(...shares.values()),
    isBest = (share) => share > best - 5e-5;
  // With enough digits to tell the best moves from the others.
  const words = (share, digits) => worth(share, board, seats.length, digits),
    others = [...shares.values()].filter((share) => !isBest(share));
  const digits =
    [1, 2, 3].find((digits) =>
      others.every((share) => words(share, digits) !== words(best, digits)),
    ) ?? 4;
  for (const made of byId("actions").querySelectorAll("button")) {
    const share = shares.get(made.dataset.move);
    made.classList.toggle("best", isBest(share));
    fill(
      made.querySelector(".hint"),
      isBest(share) ? element("span", { "aria-label": text("dock.best") }, "★ ") : null,
      share === undefined ? null : words(share, digits),
    );
  }
}

// By how much a game was won: the steps that the other seats are behind the winners, and their
// pieces at the finish. Without winners, the text is empty.
function ending(view, { courses, words, first_number: first, bears_off: bearsOff }, winners) {
  const seats = view.seats.map(({ seat }) => {
    const places = view.pieces.filter((piece) => piece.seat === seat).map(({ place }) => place),
      end = courses[seat].length - 1;
    // A waiting piece is one step before its course; a piece that was borne off is one step after
    // it.
    const walked = { [words.off]: -1, [words.home]: end, [words.borne]: end + 1 };
    const steps = places.reduce(
      (sum, place) => sum + end + (bearsOff ? 1 : 0) - (walked[place] ?? place - first),
      0,
    );
    return {
      seat,
      steps,
      all: places.length,
      home: places.filter((place) => place === (bearsOff ? words.borne : words.home)).length,
    };
  });
  const won = seats.filter(({ seat }) => winners.includes(seat)),
    least = Math.min(...won.map(({ steps }) => steps));
  return seats
    .map(({ seat, steps, all, home }) => ({ seat, count: steps - least, all, home }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
    .map(
      ({ seat, ...numbers }) =>
        `${text(`seat.${seat}`)}: ${text("ending.behind", numbers)}${won.every(({ home, all }) => home === all) ? `, ${text("ending.home", numbers)}` : ""}`,
    )
    .join("; ");
}
