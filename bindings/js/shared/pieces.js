// Groups of pieces: the pieces of a seat on the same place. A group is joined if its pieces move
// together.

import { SIZE } from "./frame.js";
import { EMBLEMS } from "./ornaments.js";

// Map.groupBy, which Node 20 and Safari 17.3 do not have.
export function grouped(items, keyOf) {
  const found = new Map();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}

// Groups the pieces of a view. `words` are the names that the game has for things. Returns
//   [{ key, seat, place, stage, square, count, isMarked, isBack, isJoined, unit, pieces }].
// The stage of a place is "waits", "course", "finish" or "borne".
export function groups(view, words) {
  const stages = { [words.off]: "waits", [words.home]: "finish", [words.borne]: "borne" };
  const keyOf = ({ seat, place, is_marked: isMarked, is_back: isBack }) =>
    `${seat} ${place}${isMarked && !isBack ? " t" : ""}`;
  const found = grouped(view.pieces.keys(), (at) => keyOf(view.pieces[at]));
  return [...found].map(([key, pieces]) => {
    const {
      seat,
      place,
      square,
      is_marked: isMarked,
      is_back: isBack,
      is_unit: isJoined,
    } = view.pieces[pieces[0]];
    return {
      key,
      seat,
      place,
      stage: stages[place] ?? "course",
      square,
      isMarked,
      isBack,
      isJoined,
      unit: isJoined ? words.unit : null,
      isTaken: view.pieces[pieces[0]].is_taken,
      count: pieces.length,
      pieces,
    };
  });
}

// The distance of discs from the middle of a shared square, in diameters of a disc.
const COVERED = 0.4;

// A turned and lacquered disc with the letter and the emblem of its seat; drawing.css shows one of
// the two.
function disc(svg, x, y, radius, seat, isRinged) {
  return svg(
    "g",
    { transform: `translate(${x} ${y}) scale(${radius / 10})` },
    svg("circle", { r: 10, cy: 0.9, class: "shade" }),
    svg("circle", { r: 10, class: "disc" }),
    svg("circle", { r: 7.6, class: isRinged ? "ring marked" : "ring" }),
    seat ? svg("path", { d: EMBLEMS[seat], class: "emblem" }) : null,
    seat
      ? svg("text", { class: "letter", "font-size": 10.5, y: 3.7, "text-anchor": "middle" }, seat)
      : null,
    svg("path", { d: "M-8.3-2.7A8.7 8.7 0 0 1 1.5-8.6", class: "gloss" }),
  );
}

// Draws a group around the origin with the elements that `svg(tag, attributes, ...children)` makes.
// The group is at most `room` wide and high, but its discs have at least the size `least`. If
// `isUpright` is true, the discs are one above the other.
export function drawn(svg, group, room, isUpright, least = 0) {
  const { count, seat, isJoined, isMarked: ring } = group;
  if (count === 1) {
    const radius = Math.max(room / 2 - (room > SIZE / 2 ? 4 : 1.5), least / 2);
    return svg("g", {}, halo(svg, radius + 3), disc(svg, 0, 0, radius, seat, ring));
  }
  const radius = Math.max(
    isUpright ? Math.min(room / 2 - 1, 10) : (room / 2 - 2) / 1.62,
    least / 2,
  );
  const apart = isUpright ? radius * 0.75 : radius * 0.62;
  const at = (side) => (isUpright ? [0, side * apart] : [side * apart, 0]);
  const [wide, high] = isUpright ? [radius, radius + apart] : [radius + apart, radius];
  const capsule = isJoined
    ? svg("rect", {
        class: "capsule",
        x: -wide - 2.5,
        y: -high - 2.5,
        width: 2 * wide + 5,
        height: 2 * high + 5,
        rx: radius + 2.5,
      })
    : null;
  const badge =
    count > 2
      ? svg(
          "g",
          { transform: `translate(${wide} ${-high + 2})` },
          svg("circle", { r: 7.5, class: "badge" }),
          svg(
            "text",
            { class: "badge-text", "font-size": 11, y: 4, "text-anchor": "middle" },
            String(count),
          ),
        )
      : null;
  return svg(
    "g",
    {},
    halo(svg, Math.max(wide, high) + 3),
    capsule,
    disc(svg, ...at(-1), radius, "", ring),
    disc(svg, ...at(1), radius, seat, ring),
    badge,
  );
}

const halo = (svg, radius) => svg("circle", { r: radius, class: "halo" });

// Returns where to draw each group on a square: [x, y, room, isUpright], relative to the middle of
// the square. Discs that are larger than their room overlap.
export function spread(number, least) {
  if (number === 1) return [[0, 0, SIZE - 3, false]];
  const quarter = Math.max(SIZE / 4, least * COVERED);
  if (number === 2) return [-1, 1].map((side) => [side * quarter, 0, SIZE / 2, true]);
  return [
    [-quarter, -quarter],
    [quarter, -quarter],
    [-quarter, quarter],
    [quarter, quarter],
  ].map(([x, y]) => [x, y, SIZE / 2, false]);
}
