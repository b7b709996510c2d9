// Throws as they lie on the cloth: four cowries, mouths up or down; or Pagade's long dice. Or a number, where the
// house rules throw something else.

import { picture, svg } from "./svg.js";

// The same throw always lies the same way, and not in a row.
const LIE = [[-8, 1], [11, -2], [-5, 2], [14, -1]];
// Which of four are up for each count, so that it is not always the first.
const UP = { 0: [], 1: [2], 2: [1, 3], 3: [0, 2, 3], 4: [0, 1, 2, 3] };
// Pips of a face along a long die: [along, across] from -1 to 1.
const PIPS = {
  1: [[0, 0]],
  3: [[-0.5, 0], [0, 0], [0.5, 0]],
  4: [[-0.28, -1], [0.28, -1], [-0.28, 1], [0.28, 1]],
  6: [[-0.5, -1], [0, -1], [0.5, -1], [-0.5, 1], [0, 1], [0.5, 1]],
};

function cowrie(isUp) {
  const shell = "M0 -13C8 -13 10 -5 9.5 1C9 8 5 13 0 13C-5 13 -9 8 -9.5 1C-10 -5 -8 -13 0 -13Z";
  if (!isUp) {
    return svg("g", { class: "cowrie down" }, svg("path", { d: shell }), svg("path", { class: "shine", d: "M-4 -8C-6 -4 -6 1 -5 5" }),
      svg("circle", { cx: 2, cy: -3, r: 1.3, class: "speck" }), svg("circle", { cx: 4, cy: 3, r: 1, class: "speck" }), svg("circle", { cx: -1, cy: 6, r: 1.1, class: "speck" }));
  }
  const teeth = [-8, -5, -2, 1, 4, 7].map(y => `M-3.4 ${y}h2.2M1.2 ${y}h2.2`).join("");
  return svg("g", { class: "cowrie up" }, svg("path", { d: shell }), svg("path", { class: "mouth", d: "M0.4 -11C-1.4 -5 -1.6 5 0.4 11C1.8 5 1.6 -5 0.4 -11Z" }), svg("path", { class: "teeth", d: teeth }));
}

function cowries(mouths) {
  const parts = LIE.map(([turn, lift], at) =>
    svg("g", { transform: `translate(${13 + at * 23} ${17 + lift}) rotate(${turn})` }, cowrie(UP[mouths].includes(at))));
  return picture(95, 35, "", ...parts);
}

function longDie(value) {
  const pips = PIPS[value].map(([along, across]) => svg("circle", { cx: 42 + along * 42, cy: 15 + across * 4.6, r: 3.1 }));
  return picture(84, 30, "", svg("g", { class: "long-die" },
    svg("rect", { x: 1, y: 3, width: 82, height: 24, rx: 5 }), svg("path", { d: "M3 22.5h78" }), ...pips));
}

// The drawing of one value, as the rules of `view.game` throw it.
function shape(value, rules) {
  if (rules.startsWith("pagade")) return longDie(value);
  if (rules.includes("dice=uniform5")) return null;
  const mouths = value > 4 || (value === 5 && rules.includes("zero_value=5")) ? 0 : value;
  return cowries(mouths);
}

// In words: "3 mouths up".
export function said(value, rules) {
  if (rules.startsWith("pagade") || rules.includes("dice=uniform5")) return String(value);
  const mouths = value > 4 ? 0 : value;
  return `${value} (${mouths === 0 ? "no mouth" : mouths === 1 ? "one mouth" : `${mouths} mouths`} up)`;
}

// Throws side by side; those that `left` no longer has are pale. `left`: null where all count.
export function throws(values, left, rules) {
  const unused = left && [...left];
  const dice = values.map(value => {
    const at = unused ? unused.lastIndexOf(value) : 0;
    if (unused && at >= 0) unused.splice(at, 1);
    return [value, at < 0];
  });
  return dice.map(([value, isUsed]) => {
    const made = document.createElement("span");
    made.className = `die${isUsed ? " used" : ""}`;
    const drawing = shape(value, rules);
    if (drawing) made.append(drawing);
    const number = document.createElement("b");
    number.textContent = value;
    made.append(number);
    return made;
  });
}
