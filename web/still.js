// A small picture of a position, without trays and names.

import { ask } from "./ask.js";
import { svg } from "./dom.js";
import { Drawing } from "./drawing.js";
import { groups } from "./pieces.js";

// The picture of a position with its `board`, as the engine describes it. `tracks` are moves with
// the names of their styles: [[name, moves]]; `seenFrom` is the seat at the lower edge.
export async function still({ position, board, sheet, tracks = [], seenFrom }) {
  const view = await ask({ op: "view", position, sheet }),
    seats = view.seats.map(({ seat }) => seat);
  const drawing = new Drawing(svg, board, seats, seenFrom ?? seats[0]);
  const place = ({ seat }, x, y, shape) =>
    svg("g", { class: `piece seat-${seat}`, transform: `translate(${x} ${y})` }, shape);
  const made = drawing.picture(
    3,
    { "aria-hidden": "true" },
    drawing.onSquares(groups(view, board.words), place),
    tracks.map(([name, moves]) =>
      svg(
        "g",
        { class: name },
        moves.map((move) => drawing.track(move, "last")),
      ),
    ),
  );
  made.classList.add("still");
  return made;
}
