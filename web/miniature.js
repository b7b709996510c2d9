// A small drawing of a board: its squares, marks and finish.

import { picture, svg } from "./dom.js";
import { placeOf } from "./frame.js";
import { ornamentOf } from "./ornaments.js";

// `board` as the engine describes it.
export function miniature({ rows, columns, squares, look }) {
  const unit = 10;
  const drawing = picture(
    columns * unit,
    rows * unit,
    "",
    ...squares.flatMap(({ square, ground }) => {
      const [row, column] = placeOf(square),
        x = column * unit,
        y = (rows - 1 - row) * unit;
      const mark = ornamentOf(look, ground).map(([name, d]) => svg("path", { class: name, d }));
      return [
        svg("rect", { class: ground, x, y, width: unit, height: unit }),
        svg(
          "g",
          { class: "ornament", transform: `translate(${x + 5} ${y + 5}) scale(0.25)` },
          mark,
        ),
      ];
    }),
  );
  drawing.setAttribute("class", `ashta-board look-${look}`);
  return drawing;
}
