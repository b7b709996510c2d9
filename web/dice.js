// Draws throws as the dice of the game: cowries (shells) with the open side, the mouth, up or down;
// tetrahedra or sticks, which count or not; cubes; or long dice.
//
// `throws` comes from the engine's `board`: the values, their odds, the number of dice that are
// thrown together, and their look.

import { element, picture, svg } from "./dom.js";
import { text } from "./text.js";

// Angle and height of each drawn cowrie. They look irregular, but never change.
const LIE = [
  [-8, 1],
  [11, -2],
  [-5, 2],
  [14, -1],
  [-12, 0],
  [6, 2],
];
// The dots (pips) on each face of a cube: [x, y] from -1 to 1.
const CORNERS = [
  [-1, -1],
  [1, 1],
  [-1, 1],
  [1, -1],
];
const FACES = [
  [],
  [[0, 0]],
  CORNERS.slice(0, 2),
  [...CORNERS.slice(0, 2), [0, 0]],
  CORNERS,
  [...CORNERS, [0, 0]],
  [...CORNERS, [-1, 0], [1, 0]],
];
// The largest number of drawn shells. For more shells, only their number is shown.
const MOST_SHELLS = 8;
// The largest number of throws that are drawn one by one. If there are more, equal throws are drawn
// once, with a count.
const SIDE_BY_SIDE = 3;

function cowrie(isUp) {
  const shell = "M0 -13C8 -13 10 -5 9.5 1C9 8 5 13 0 13C-5 13 -9 8 -9.5 1C-10 -5 -8 -13 0 -13Z";
  if (!isUp) {
    return svg(
      "g",
      { class: "cowrie down" },
      svg("path", { d: shell }),
      svg("path", { class: "shine", d: "M-4 -8C-6 -4 -6 1 -5 5" }),
      svg("circle", { cx: 2, cy: -3, r: 1.3, class: "speck" }),
      svg("circle", { cx: 4, cy: 3, r: 1, class: "speck" }),
    );
  }
  const teeth = [-8, -5, -2, 1, 4, 7].map((y) => `M-3.4 ${y}h2.2M1.2 ${y}h2.2`).join("");
  return svg(
    "g",
    { class: "cowrie up" },
    svg("path", { d: shell }),
    svg("path", { class: "mouth", d: "M0.4 -11C-1.4 -5 -1.6 5 0.4 11C1.8 5 1.6 -5 0.4 -11Z" }),
    svg("path", { class: "teeth", d: teeth }),
  );
}

// A tetrahedron from above. Two of its corners are marked; it counts if the upper one is marked.
function tetrahedron(isUp) {
  const top = [0, 2],
    [left, right, back] = [
      [-12, 11],
      [12, 11],
      [0, -13],
    ];
  const tip = (corner, ...others) =>
    svg("polygon", {
      class: "tip",
      points: [corner, ...others.map((other) => corner.map((at, i) => at + (other[i] - at) * 0.3))]
        .slice(corner === top ? 1 : 0)
        .join(" "),
    });
  const face = (name, ...points) => svg("polygon", { class: name, points: points.join(" ") });
  return svg(
    "g",
    { class: "tetrahedron" },
    face("light", top, left, back),
    face("dark", top, right, back),
    face("", top, left, right),
    tip(right, left, top, back),
    isUp ? tip(top, left, right, back) : tip(left, right, top, back),
  );
}

// A stick; it counts if its flat side is up.
function stick(isUp) {
  return svg(
    "g",
    { class: `stick ${isUp ? "up" : "down"}` },
    svg("rect", { x: -6, y: -13, width: 12, height: 26, rx: isUp ? 3 : 6 }),
    svg("path", { d: isUp ? "M-3 -6h6M-3 6h6" : "M2.5 -10V10" }),
  );
}

// A row of dice. `count` of them count.
function row(die, count, all) {
  const places = [...Array(all).keys()];
  // The dice that count are spread over the row.
  const up = places.map((at) => (2 * at + 1) % (all + 1 - (all % 2))).slice(0, count);
  const parts = places.map((at) => {
    const [turn, lift] = LIE[at % LIE.length];
    return svg(
      "g",
      { transform: `translate(${14 + at * 25} ${17 + lift}) rotate(${turn})` },
      die(up.includes(at)),
    );
  });
  return picture(3 + 25 * all, 35, "", ...parts);
}

function cube(value) {
  return picture(
    32,
    33,
    "",
    svg(
      "g",
      { class: "cube" },
      svg("rect", { class: "edge", x: 1, y: 3, width: 30, height: 29, rx: 6 }),
      svg("rect", { x: 1, y: 1, width: 30, height: 29, rx: 6 }),
      FACES[value].map(([x, y]) => svg("circle", { cx: 16 + 8 * x, cy: 15.5 + 8 * y, r: 2.9 })),
    ),
  );
}

function longDie(value) {
  // The dots of small numbers are in one line.
  const face = FACES[value]?.map(([x, y]) =>
    svg("circle", { cx: 42 + y * 21, cy: 15 + (value < 4 ? 0 : x) * 4.6, r: 3.1 }),
  ) ?? [svg("text", { x: 42, y: 21, "text-anchor": "middle", "font-size": 17 }, String(value))];
  return picture(
    84,
    30,
    "",
    svg(
      "g",
      { class: "long-die" },
      svg("rect", { x: 1, y: 3, width: 82, height: 24, rx: 5 }),
      svg("path", { d: "M3 22.5h78" }),
      ...face,
    ),
  );
}

// How many dice count for a value; null for dice with numbers.
function countOf(value, { values, odds }) {
  const at = odds === "cowries" ? values.indexOf(value) : -1;
  return at < 0 ? null : at;
}

const TWO_SIDED = { tetrahedra: tetrahedron, sticks: stick };

// The picture of a throw; null if there are too many dice to draw.
export function shape(value, throws) {
  const { values, look } = throws,
    count = countOf(value, throws),
    all = values.length - 1;
  if (count !== null) return all <= MOST_SHELLS ? row(TWO_SIDED[look] ?? cowrie, count, all) : null;
  return String(values) === "1,2,3,4,5,6" ? cube(value) : longDie(value);
}

// A throw in words: "3 (3 mouths up)".
export function throwWords(value, throws) {
  const count = countOf(value, throws),
    kind = TWO_SIDED[throws.look] ? "marks" : "mouths";
  return count === null
    ? String(value)
    : text(`dice.${count ? "up" : "none"}.${kind}`, { value, count });
}

// Draws throws next to each other. If there are many, draws equal throws once. Throws that are not
// in `left` are pale. If `left` is null, no throw is pale.
export function drawThrows(values, left, throws) {
  const counted =
    values.length > SIDE_BY_SIDE
      ? [...new Set(values)].map((value) => [
          value,
          values.filter((other) => other === value).length,
        ])
      : values.map((value) => [value, 1]);
  const unused = left && [...left];
  const take = (value) =>
    unused.includes(value) && unused.splice(unused.lastIndexOf(value), 1).length > 0;
  return counted.map(([value, count]) => {
    const open = unused ? [...Array(count)].filter(() => take(value)).length : count;
    const number =
      count === 1
        ? value
        : open && open < count
          ? text("dice.some", { value, open, count })
          : `${value} ×${count}`;
    return element(
      "span",
      { class: `die${open ? "" : " used"}` },
      shape(value, throws),
      element("b", {}, number),
    );
  });
}
