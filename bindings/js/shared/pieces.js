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
// All parts of the group are within a rectangle of this width and height. If the rectangle is
// higher than wide, the discs of the group are one above the other.
export function drawn(svg, group, width, height = width) {
  const { count, seat, isJoined, isMarked: ring } = group;
  const [half, isUpright] = [Math.min(width, height) / 2, height > width];
  const isSmall = 2 * half <= SIZE / 2,
    pad = isSmall ? 0.5 : 2.5;
  if (count === 1) {
    const radius = half - (isSmall ? 1.5 : 4);
    return svg(
      "g",
      {},
      frame(svg, "halo", radius, radius, pad),
      disc(svg, 0, 0, radius, seat, ring),
    );
  }
  // The distance of both discs from the middle, in radii.
  const apart = isUpright ? 0.75 : 0.62;
  const radius = Math.min(
    half - 1.5,
    (Math.max(width, height) / 2 - (isSmall ? 1.5 : 2)) / (1 + apart),
  );
  const at = (side) => (isUpright ? [0, side * apart * radius] : [side * apart * radius, 0]);
  const [wide, high] = at(1).map((far) => far + radius);
  const size = Math.min(6.5, 0.55 * half);
  const badge =
    count > 2
      ? svg(
          "g",
          // On the disc without an emblem.
          { transform: `translate(${isUpright ? wide - size : size - wide} ${size - high})` },
          svg("circle", { r: size, class: "badge" }),
          svg(
            "text",
            { class: "badge-text", "font-size": 1.5 * size, y: size / 2, "text-anchor": "middle" },
            String(count),
          ),
        )
      : null;
  return svg(
    "g",
    {},
    frame(svg, "halo", wide, high, pad),
    isJoined ? frame(svg, "capsule", wide, high, pad) : null,
    disc(svg, ...at(-1), radius, "", ring),
    disc(svg, ...at(1), radius, seat, ring),
    badge,
  );
}

// A rounded frame around discs that reach `wide` and `high` from the middle.
const frame = (svg, name, wide, high, pad) =>
  svg("rect", {
    class: name,
    x: -wide - pad,
    y: -high - pad,
    width: 2 * (wide + pad),
    height: 2 * (high + pad),
    rx: Math.min(wide, high) + pad,
  });

// Returns where to draw each group on a square: [x, y, width, height], relative to the middle of
// the square. The rectangles do not overlap, and they are within the square.
export function spread(number) {
  const columns = Math.ceil(Math.sqrt(number)),
    rows = Math.ceil(number / columns);
  const [width, height] = [columns, rows].map((count) => (count === 1 ? SIZE - 3 : SIZE / count));
  return Array.from({ length: number }, (_, at) => [
    ((at % columns) - (columns - 1) / 2) * width,
    (Math.floor(at / columns) - (rows - 1) / 2) * height,
    width,
    height,
  ]);
}
