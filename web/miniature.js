// A small drawing of a board: its squares, marks and finish.

import { picture, svg } from "./dom.js";
import { placeOf } from "./frame.js";

// `board` as the engine describes it.
export function miniature({ rows, columns, squares, look }) {
  const unit = 10;
  const drawing = picture(columns * unit, rows * unit, "", ...squares.flatMap(({ square, ground }) => {
    const [row, column] = placeOf(square), x = column * unit, y = (rows - 1 - row) * unit;
    const mark = ground === "marked" || ground === "end" ? svg("path", { d: `M${x + 2} ${y + 2}l6 6m0 -6l-6 6` }) : null;
    return [svg("rect", { class: ground, x, y, width: unit, height: unit }), mark].filter(Boolean);
  }));
  drawing.setAttribute("class", `ashta-board look-${look}`);
  return drawing;
}
