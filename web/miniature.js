// Small drawings: of a board, with its squares, marks and finish; and of the players around it.

import { picture, svg } from "./dom.js";
import { placeOf } from "./frame.js";
import { EMBLEMS, ornamentOf } from "./ornaments.js";
import { grouped } from "./pieces.js";

// `board` as the engine describes it; `walks`, the seat whose course is drawn, if any.
export function miniature({ rows, columns, squares, look, courses }, walks) {
  const unit = 10;
  const corner = (square) => {
    const [row, column] = placeOf(square);
    return [column * unit, (rows - 1 - row) * unit];
  };
  const ways = Object.entries(courses);
  // The owner of a private square or of a first square.
  const ownerOf = ({ square, ground, seat }) =>
    seat ??
    ways.find(([, way]) => way[0] === square || (ground === "belly" && way.includes(square)))?.[0];
  // The squares of a kind are one path.
  const kinds = grouped(squares, (own) => `ground ${own.ground} seat-${ownerOf(own)}`);
  const drawing = picture(
    columns * unit,
    rows * unit,
    "",
    [...kinds].map(([kind, own]) =>
      svg("path", {
        class: kind,
        d: own.map(({ square }) => `M${corner(square)}h${unit}v${unit}h-${unit}z`).join(""),
      }),
    ),
    squares.flatMap(({ square, ground }) =>
      ornamentOf(look, ground).map(([name, d]) => {
        const [x, y] = corner(square).map((edge) => edge + unit / 2);
        return svg(
          "g",
          { class: "ornament", transform: `translate(${x} ${y}) scale(0.25)` },
          svg("path", { class: name, d }),
        );
      }),
    ),
  );
  if (walks)
    drawing.append(
      svg("polyline", {
        class: `walk seat-${walks}`,
        points: courses[walks].map((square) => corner(square).map((edge) => edge + 5)).join(" "),
      }),
    );
  drawing.setAttribute("class", `ashta-board look-${look}`);
  return drawing;
}

const SIDES = { S: [32, 54], E: [54, 32], N: [32, 10], W: [10, 32] };

// A board with the players that sit around it. Lines link partners.
export function seating(seats, isTeams) {
  const players = Object.entries(SIDES).map(([seat, [x, y]]) =>
    svg(
      "g",
      {
        class: seats.includes(seat) ? `seat-${seat}` : "free",
        transform: `translate(${x} ${y}) scale(0.9)`,
      },
      svg("circle", { r: 10 }),
      svg("path", { d: EMBLEMS[seat] }),
    ),
  );
  const links = isTeams ? ["S", "E"] : [];
  const drawing = picture(
    64,
    64,
    "",
    svg("rect", { x: 16, y: 16, width: 32, height: 32, rx: 4 }),
    links.map((seat) =>
      svg("path", { class: `link seat-${seat}`, d: seat === "S" ? "M32 10V54" : "M10 32H54" }),
    ),
    players,
  );
  drawing.setAttribute("class", `seating${isTeams ? " teams" : ""}`);
  return drawing;
}
