// Draws throws. If the probabilities of the game are those of cowries, draws cowries (shells) with
// the open side, the mouth, up or down; otherwise long dice.
//
// `throws` comes from the engine's `board`: the values, their odds, and the number of dice that are
// thrown together.

import { byId, element, picture, svg } from "./dom.js";
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
// The dots (pips) on each face of a long die: [along, across] from -1 to 1.
const PIPS = {
  1: [[0, 0]],
  2: [
    [-0.3, 0],
    [0.3, 0],
  ],
  3: [
    [-0.5, 0],
    [0, 0],
    [0.5, 0],
  ],
  4: [
    [-0.28, -1],
    [0.28, -1],
    [-0.28, 1],
    [0.28, 1],
  ],
  5: [
    [-0.5, -1],
    [0.5, -1],
    [0, 0],
    [-0.5, 1],
    [0.5, 1],
  ],
  6: [
    [-0.5, -1],
    [0, -1],
    [0.5, -1],
    [-0.5, 1],
    [0, 1],
    [0.5, 1],
  ],
};
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
      svg("circle", { cx: -1, cy: 6, r: 1.1, class: "speck" }),
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

function cowries(mouths, shells) {
  const places = [...Array(shells).keys()];
  // The shells whose mouths are up are spread over the row.
  const up = places.map((at) => (2 * at + 1) % (shells + 1 - (shells % 2))).slice(0, mouths);
  const parts = places.map((at) => {
    const [turn, lift] = LIE[at % LIE.length];
    return svg(
      "g",
      { transform: `translate(${13 + at * 23} ${17 + lift}) rotate(${turn})` },
      cowrie(up.includes(at)),
    );
  });
  return picture(3 + 23 * shells, 35, "", ...parts);
}

function longDie(value) {
  const face = PIPS[value]?.map(([along, across]) =>
    svg("circle", { cx: 42 + along * 42, cy: 15 + across * 4.6, r: 3.1 }),
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

// The number of mouths that are up for a value; null if the game does not use cowries.
function mouthsOf(value, { values, odds }) {
  const at = odds === "cowries" ? values.indexOf(value) : -1;
  return at < 0 ? null : at;
}

function shape(value, throws) {
  const mouths = mouthsOf(value, throws),
    shells = throws.values.length - 1;
  if (mouths === null) return longDie(value);
  return shells <= MOST_SHELLS ? cowries(mouths, shells) : null;
}

// A throw in words: "3 (3 mouths up)".
export function throwWords(value, throws) {
  const mouths = mouthsOf(value, throws);
  if (mouths === null) return String(value);
  return mouths === 0
    ? text("dice.noMouth", { value })
    : text("dice.mouths", { value, count: mouths });
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

let shown = null;
// Shows a throw large on the board for `time` milliseconds.
export function showThrow(values, throws, time) {
  shown?.remove();
  const made = (shown = element(
    "div",
    { class: "throw", "aria-hidden": "true" },
    drawThrows(values, null, throws),
  ));
  byId("place").append(made);
  const end = { opacity: 0, scale: 0.5 },
    still = { opacity: 1, scale: 1, rotate: "0deg" };
  made
    .animate(
      [
        { opacity: 0, scale: 1.6, rotate: "-12deg" },
        { ...still, offset: 0.25 },
        { ...still, offset: 0.8 },
        end,
      ],
      time,
    )
    .finished.then(
      () => made.remove(),
      () => {},
    );
}
