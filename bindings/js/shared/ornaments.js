// The ornaments of squares for each look of a board, and the emblems of the seats. An ornament is a
// list of layers, [class, path]; its middle is the point (0, 0), and a square is 40 units wide.

const all = (count, draw) => Array.from({ length: count }, (_, at) => draw(at)).join("");
const at = (angle, radius) =>
  `${(radius * Math.sin(angle)).toFixed(1)} ${(-radius * Math.cos(angle)).toFixed(1)}`;
const dot = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

// Petals from the radius `inner` to `outer`. `tip` is the radius that their sides aim at: smaller
// for a sharper tip. With `shift` 0.5, the first petal is between the usual places of two.
const petals = (count, inner, outer, width, tip, shift = 0) =>
  all(count, (number) => {
    const angle = ((number + shift) * 2 * Math.PI) / count,
      low = inner + (outer - inner) / 3;
    return `M${at(angle, inner)}C${at(angle - width, low)} ${at(angle - width, tip)} ${at(angle, outer)}C${at(angle + width, tip)} ${at(angle + width, low)} ${at(angle, inner)}`;
  });

// Two pairs of bands that cross over and under each other. A band has the distance `side` from the
// middle.
const weave = [
  [-5, 1],
  [5, 1],
  [-5, -1],
  [5, -1],
]
  .flatMap(([side, way]) => {
    const point = (along) =>
        `${(0.7071 * (along + side)).toFixed(1)} ${(0.7071 * way * (along - side)).toFixed(1)}`,
      gap = -side * way;
    return [
      [-17, gap - 2.7],
      [gap + 2.7, 17],
    ].map(([from, to]) => `M${point(from)}L${point(to)}`);
  })
  .join("");
// A line that is closed in itself, with a loop at each corner.
const loops =
  "M-10.5-5H10.5A5.5 5.5 0 1 0 5-10.5V10.5A5.5 5.5 0 1 0 10.5 5H-10.5A5.5 5.5 0 1 0-5 10.5V-10.5A5.5 5.5 0 1 0-10.5-5z";
const corners = [
  [0, 0],
  [10.5, 10.5],
  [-10.5, 10.5],
  [10.5, -10.5],
  [-10.5, -10.5],
]
  .map(([x, y]) => dot(x, y, 1.7))
  .join("");
const crosses = all(
  4,
  (number) =>
    `M${at((number * Math.PI) / 2 - 0.17, 15)}L${at((number * Math.PI) / 2 + 0.21, 11)}M${at((number * Math.PI) / 2 + 0.17, 15)}L${at((number * Math.PI) / 2 - 0.21, 11)}`,
);

const LOTUS = [
  ["fill", petals(8, 3, 17, 0.5, 11, 0.5)],
  ["fill", petals(8, 2, 16.5, 0.42, 10)],
  ["deep", petals(8, 1, 8, 0.35, 6, 0.5)],
];

const LOOKS = {
  wood: {
    marked: [
      ["band", weave],
      ["thread", weave],
    ],
  },
  cloth: {
    marked: [
      ["fill", petals(4, 2, 17, 0.6, 13, 0.5)],
      ["deep", petals(4, 3, 12, 0.3, 9, 0.5)],
      ["line", crosses],
    ],
  },
  chalk: {
    marked: [
      ["line", loops],
      ["deep", corners],
    ],
  },
  "palm-leaf": {
    marked: [
      ["fill", petals(4, 0, 17, 0.75, 12, 0.5)],
      ["line", all(4, (number) => `M0 0L${at(((number + 0.5) * Math.PI) / 2, 14)}`)],
      ["line", petals(4, 4, 16, 0.25, 11)],
    ],
  },
  inlay: {
    plain: [["dots", corners]],
    marked: [
      ["fill", petals(8, 4, 17.5, 0.46, 16)],
      ["gem", petals(8, 9, 18, 0.13, 15, 0.5)],
      ["gem", dot(0, 0, 3.4)],
    ],
  },
};

// The ornament of a square with this ground; an empty list if it has none.
export function ornamentOf(look, ground) {
  const own = LOOKS[look] ?? LOOKS.wood;
  if (ground === "end" || ground === "home") return LOTUS;
  return own[ground === "belly" ? "plain" : ground] ?? [];
}

// The emblems of the seats, which tell their pieces apart without colours: a ring, a star, a
// triangle and a cross. The radius of a piece is 10.
export const EMBLEMS = {
  S: `${dot(0, 0, 4.6)}M-2 0a2 2 0 1 1 4 0a2 2 0 1 1-4 0`,
  E: "M0-6.4L1.9-1.9L6.4 0L1.9 1.9L0 6.4L-1.9 1.9L-6.4 0L-1.9-1.9z",
  N: "M0-5.6L5.2 3.6H-5.2z",
  W: "M-1.7-5.2H1.7V-1.7H5.2V1.7H1.7V5.2H-1.7V1.7H-5.2V-1.7H-1.7z",
};
