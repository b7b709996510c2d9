// The drawing of a position as SVG text; svg.d.ts documents it.

import { Drawing } from "./shared/drawing.js";
import { SEATS } from "./shared/frame.js";
import { groups } from "./shared/pieces.js";
import style from "./style.js";

const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

// Returns an element as { text }.
function svg(tag, attributes, ...children) {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const content = children
    .flat(2)
    .filter((child) => child !== null)
    .map((child) => child.text ?? escaped(child));
  return { text: `<${tag}${written.join("")}>${content.join("")}</${tag}>` };
}

// A group of pieces in words, for screen readers.
function labelOf({ seat, count, unit, stage, square, place, isBack }) {
  const what = count === 1 ? "a piece" : unit && count === 2 ? unit : `${count} pieces`;
  const where =
    stage === "course"
      ? `on ${square}`
      : `${{ waits: "waiting", finish: "at the finish", borne: "through" }[stage]} (${place})`;
  return `${SEATS[seat]}: ${what} ${where}${isBack ? ", on the way home" : ""}`;
}

export function drawBoard(
  state,
  {
    seenFrom = state.game.seats[0],
    labels = {},
    moves = [],
    isStyled = true,
    hasLetters = false,
  } = {},
) {
  if (!Object.hasOwn(SEATS, seenFrom))
    throw new RangeError(`seenFrom must be S, E, N or W (got ${seenFrom})`);
  const view = state.view();
  const drawing = new Drawing(svg, state.ask("board"), [...state.game.seats], seenFrom),
    all = groups(view, drawing.board.words);
  const place = (group, x, y, shape) =>
    svg(
      "g",
      {
        role: "img",
        class: `piece seat-${group.seat}`,
        transform: `translate(${x} ${y})`,
        "aria-label": labelOf(group),
      },
      shape,
    );
  return svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      ...drawing.attributes,
      "aria-label": `Board, seen from ${SEATS[seenFrom]}`,
      class: `ashta-colours ${hasLetters ? "ashta-letters " : ""}${drawing.attributes.class}`,
    },
    isStyled ? svg("style", {}, style) : null,
    svg(
      "g",
      { "aria-hidden": "true" },
      drawing.ground(),
      moves.map((move) => drawing.track(move, "last")),
    ),
    drawing.onSquares(all, place),
    drawing.seats.map((seat) =>
      drawing.inTray(all, seat, view.mover === seat, labels[seat], place),
    ),
  ).text;
}
