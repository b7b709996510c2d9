// The pictures of the rules: the course of a seat with the numbers of its squares, the meaning of
// marked squares, and the throws with their probabilities.

import { ask } from "./ask.js";
import { shape } from "./dice.js";
import { element, picture, svg } from "./dom.js";
import { Drawing } from "./drawing.js";
import { SIZE } from "./frame.js";
import { firstPosition } from "./games.js";
import { grouped } from "./pieces.js";
import { engine, percent, text } from "./text.js";

// Returns the pictures of a game with its house rules (`rules`), for the first seat of `seats`.
export async function diagram(rules, seats, sheet) {
  const position = await firstPosition(rules, seats, sheet, seats[0]);
  const [board, view, { outcomes }] = await Promise.all(
    ["board", "view", "chance"].map((op) => ask({ op, position, sheet })),
  );
  const drawing = new Drawing(svg, board, [seats[0]], seats[0]);
  return [course(drawing, view), legend(drawing, view), odds(outcomes, board.throws)];
}

// The squares where pieces of the seat begin; none if the pieces wait.
const begins = ({ seenFrom }, { pieces }) =>
  pieces.filter(({ seat, square }) => seat === seenFrom && square).map(({ square }) => square);

function course(drawing, view) {
  const { frame, seenFrom, board } = drawing,
    way = board.courses[seenFrom],
    own = begins(drawing, view);
  return drawing.picture(
    frame.edge,
    { role: "img", "aria-label": text("rules.course", { seat: text(`seat.${seenFrom}`) }) },
    [...new Set(own.length ? own : [way[0]])].map((square) => {
      const [cx, cy] = frame.centre(square);
      return svg("circle", { class: `target seat-${seenFrom}`, cx, cy, r: SIZE / 2 - 3 });
    }),
    [...grouped(way.keys(), (at) => way[at])].map(([square, all]) => {
      const [x, y] = frame.centre(square);
      return all.map((number, at) =>
        svg(
          "text",
          {
            x,
            y: y + 5 + 13 * (at - (all.length - 1) / 2),
            "text-anchor": "middle",
            class: "number",
          },
          String(number + board.first_number),
        ),
      );
    }),
  );
}

// The meaning of the ring, of marked squares, and of the finish.
function legend(drawing, view) {
  const { board, seenFrom } = drawing,
    { words, squares } = board,
    seat = text(`seat.${seenFrom}`);
  const swatch = (ground, ...parts) => {
    const made = picture(
      SIZE,
      SIZE,
      "",
      svg(
        "g",
        { class: `square ${ground}` },
        svg("rect", { width: SIZE, height: SIZE }),
        drawing.ornament(ground, SIZE / 2, SIZE / 2),
      ),
      ...parts,
    );
    made.setAttribute("class", drawing.attributes.class);
    return made;
  };
  const has = (...grounds) => squares.some(({ ground }) => grounds.includes(ground));
  const ring = svg("circle", { class: `target seat-${seenFrom}`, cx: 20, cy: 20, r: 17 });
  const rows = [
    [
      swatch("plain", ring),
      text(`rules.${begins(drawing, view).length ? "begin" : "enter"}`, { seat }),
    ],
    has("marked") ? [swatch("marked"), engine(words.mark)] : null,
    has("end", "home") ? [swatch("end"), engine(words.finish)] : null,
  ];
  return element(
    "ul",
    { class: "legend" },
    rows.map((row) => row && element("li", {}, row)),
  );
}

// The values of a die with their pictures and probabilities.
function odds(outcomes, throws) {
  const share = (value) =>
    outcomes.reduce(
      (sum, { p, throw: all }) =>
        sum + (p * all.filter((one) => one === value).length) / all.length,
      0,
    );
  return element(
    "ul",
    { class: "odds" },
    throws.values.map((value) =>
      element(
        "li",
        {},
        shape(value, throws),
        element("b", {}, String(value)),
        element("span", { class: "soft" }, percent(share(value), 0)),
      ),
    ),
  );
}
