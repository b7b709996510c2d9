// The drawing of a position: squares, courses, pieces, trays and moves. The page draws with it in
// the document, and svg.js as text: both give the function that makes an element,
// `svg(tag, attributes, ...children)`.

import { Frame, PARTNERS, SEATS, SIZE } from "./frame.js";
import { EMBLEMS, ornamentOf } from "./ornaments.js";
import { drawn, grouped, spread } from "./pieces.js";

// The number of squares between two arrows on a course.
const ARROWS = 6;

export class Drawing {
  // `board` as the engine describes it, the letters of the seats, the seat at the lower edge, the
  // names of seats by letter, and whether the trays are beside the board.
  constructor(svg, board, seats, seenFrom, names = SEATS, isBeside = false) {
    Object.assign(this, {
      svg,
      board,
      seats,
      seenFrom,
      names,
      frame: new Frame(board, seats, seenFrom, isBeside),
    });
  }

  // The attributes of the root.
  get attributes() {
    const { width, height, isCross } = this.frame;
    return {
      viewBox: `0 0 ${width} ${height}`,
      class: `ashta-board look-${this.board.look}${isCross ? " cross" : ""}${this.board.outlook === "teams" ? " teams" : ""}`,
      role: "group",
    };
  }

  // The board with the course of a seat.
  ground(walks = this.seenFrom) {
    const { svg, board, seats, frame } = this;
    // A private square is on the course of only one seat.
    const walker = (square) => seats.find((seat) => board.courses[seat].includes(square));
    const squares = board.squares.map(({ square, ground, seat }) => {
      const [x, y] = frame.corner(square);
      const owner = seat ?? (ground === "belly" ? walker(square) : null);
      return svg(
        "g",
        { class: `square ${ground}${owner ? ` seat-${owner}` : ""}` },
        svg("rect", { x, y, width: SIZE, height: SIZE }),
        ground === "home" ? null : this.ornament(ground, x + SIZE / 2, y + SIZE / 2),
      );
    });
    // The first square of each course has a corner in the seat's colour.
    const starts = seats.map((seat) => {
      const [x, y] = frame.corner(board.courses[seat][0]);
      return svg("path", {
        class: `first seat-${seat}`,
        d: `M${x + 1} ${y + SIZE - 1}v-11l11 11z`,
      });
    });
    // The course has arrows.
    const own = board.courses[walks] ?? [];
    const points = own.map((square) => frame.centre(square));
    const arrows = points.slice(1).flatMap(([x, y], at) => {
      const [fromX, fromY] = points[at],
        turn = (Math.atan2(y - fromY, x - fromX) * 180) / Math.PI;
      return at % ARROWS
        ? []
        : [
            svg("path", {
              d: "M-5 -4L4 0L-5 4z",
              transform: `translate(${(x + fromX) / 2} ${(y + fromY) / 2}) rotate(${turn})`,
            }),
          ];
    });
    const way = svg(
      "g",
      { class: `way seat-${walks}` },
      svg("polyline", { points: points.join(" ") }),
      arrows,
    );
    const names = frame.names().map(([text, x, y]) =>
      svg(
        "text",
        {
          x,
          y: y + 4.5 * frame.scale,
          "text-anchor": "middle",
          "font-size": 13 * frame.scale,
          class: "name",
        },
        text,
      ),
    );
    return [
      squares,
      way,
      starts,
      this.lotus(),
      svg("path", { class: "border", d: this.outline(board.squares) }),
      names,
    ];
  }

  // A picture of the squares without trays; `edge` is the room for names.
  picture(edge, attributes, ...parts) {
    const { left, top, across, down } = this.frame;
    return this.svg(
      "svg",
      {
        ...this.attributes,
        ...attributes,
        viewBox: `${left - edge} ${top - 3} ${across + edge + 3} ${down + edge + 3}`,
      },
      this.ground(),
      ...parts,
    );
  }

  // The middle field with a lotus; null for boards without home squares.
  lotus() {
    const { svg, frame } = this,
      squares = this.board.squares.filter(({ ground }) => ground === "home");
    if (!squares.length) return null;
    const corners = squares.map(({ square }) => frame.corner(square));
    const [left, top, right, bottom] = [0, 1]
      .map((axis) => Math.min(...corners.map((corner) => corner[axis])))
      .concat([0, 1].map((axis) => Math.max(...corners.map((corner) => corner[axis])) + SIZE));
    const scale = Math.min(right - left, bottom - top) / SIZE;
    return svg(
      "g",
      { class: "lotus" },
      corners.map(([x, y]) => svg("rect", { x, y, width: SIZE, height: SIZE })),
      svg("path", { class: "rim", d: this.outline(squares) }),
      this.ornament("home", (left + right) / 2, (top + bottom) / 2, scale),
    );
  }

  // The ornament of a square with this ground, around a point; null if it has none.
  ornament(ground, x, y, scale = 1) {
    const layers = ornamentOf(this.board.look, ground).map(([name, d]) =>
      this.svg("path", { class: name, d }),
    );
    return layers.length
      ? this.svg(
          "g",
          { class: "ornament", transform: `translate(${x} ${y}) scale(${scale})` },
          layers,
        )
      : null;
  }

  // The pieces on squares. `place(group, x, y, shape)` returns the element of a group at a point.
  onSquares(all, place) {
    const bySquare = grouped(
      all.filter((group) => group.square),
      (group) => group.square,
    );
    return [...bySquare].flatMap(([square, here]) => {
      const [x, y] = this.frame.centre(square);
      return spread(here.length).map(([dx, dy, ...size], at) =>
        place(here[at], x + dx, y + dy, drawn(this.svg, here[at], ...size)),
      );
    });
  }

  // The tray of a seat with its pieces; `label` is the name of the player.
  inTray(all, seat, isMover, label, place) {
    const { svg, frame } = this,
      { width, height, transform, at } = frame.tray(seat),
      { isCross, isBeside, scale } = frame;
    const big = isCross ? 1.5 : isBeside ? 0.8 : 1,
      row = isCross ? 34 : isBeside ? 18 : height / 2,
      captions = [];
    const here = all.filter((group) => group.seat === seat && group.square === null);
    const sides = [
      here.filter(({ stage }) => stage === "waits"),
      here.filter(({ stage }) => stage !== "waits"),
    ];
    const room = isCross ? 38 : isBeside ? 19 : 30,
      size = isCross ? 14 : isBeside ? 9 : 12;
    const lettersOf = ({ place }) => place.length * size * 0.64 + (isBeside ? 5 : 10);
    // Waiting pieces are at the left, finished pieces at the right; or below them, if the tray is
    // beside the board. If there is little room, discs overlap more.
    const begin = isCross ? 12 : isBeside ? 8 : width * 0.3;
    let left = begin,
      right = width - 2;
    const placed = sides.flatMap((own, side) => {
      const sharing = isBeside ? own : here,
        middle = isCross ? height - 30 : isBeside ? 55 + 26 * side : height / 2;
      const free = sharing.reduce(
        (free, group) => free - lettersOf(group) - room,
        right - begin - 10,
      );
      const gaps = sharing.reduce((gaps, { count }) => gaps + count - 1, 0),
        most = free / Math.max(1, gaps);
      if (isBeside) left = begin;
      return own.map((group) => {
        const step = Math.max(4, Math.min(group.count > 2 ? room * 0.5 : room * 0.9, most)),
          span = room + (group.count - 1) * step;
        const caption = group.place,
          letters = lettersOf(group),
          isLeft = side === 0 || isBeside;
        const start = isLeft ? left : (right -= span + letters + 6);
        if (isLeft) left += span + letters;
        captions.push(
          svg(
            "text",
            { x: start, y: middle + 0.35 * size, "font-size": size, class: "caption" },
            caption,
          ),
        );
        const [x, y] = at(start + letters + span / 2, middle);
        const discs = Array.from({ length: group.count }, (_, number) => {
          const [cx, cy] = at(start + letters + room / 2 + number * step, middle);
          return svg(
            "g",
            { transform: `translate(${cx - x} ${cy - y})` },
            drawn(svg, { ...group, count: 1, isMarked: false }, room * scale),
          );
        });
        return place(group, x, y, svg("g", {}, discs));
      });
    });
    // A link leads from the sign of a seat to the sign of its partner.
    const partner = isCross && !isBeside && this.board.outlook === "teams" ? PARTNERS[seat] : null,
      edge = isBeside ? 8 : 12,
      nameAt = partner ? 48 : edge;
    const sign = (own, x) =>
      svg("path", {
        d: EMBLEMS[own],
        transform: `translate(${x + 6 * big} ${row}) scale(${big})`,
        class: `sign seat-${own}`,
      });
    const signs = [
      partner ? svg("path", { class: "link", d: `M21 ${row}h36` }) : null,
      sign(seat, edge),
      partner ? sign(partner, 48) : null,
    ];
    const [player, words] = isBeside
      ? [{ x: 8, y: 35 }, Math.min(9, (width - 16) / (0.55 * (label?.length || 1)))]
      : [{ x: width - 12, y: row + (partner ? 28 : 6), "text-anchor": "end" }, 16];
    const plate = svg(
      "g",
      { class: `tray seat-${seat}${isMover ? " mover" : ""}`, transform, "aria-hidden": "true" },
      svg("rect", { width, height, rx: 9 }),
      signs,
      svg(
        "text",
        { x: 16 * big + nameAt, y: row + 5 * big, "font-size": 14 * big, class: "seat" },
        this.names[seat],
      ),
      (isCross || isBeside) && label
        ? svg("text", { ...player, "font-size": words, class: "player" }, label)
        : null,
      captions,
    );
    return [plate, ...placed];
  }

  // A path as a line with a coloured target.
  track({ from, path, seat }, kind) {
    const { svg, frame } = this;
    if (!path?.length) return [];
    const squares = kind === "lit" ? path : [path.at(-1)];
    const tints = squares.map((square) => {
      const [x, y] = frame.corner(square);
      return svg("rect", {
        class: `tint ${kind} seat-${seat}`,
        x: x + 1.5,
        y: y + 1.5,
        width: SIZE - 3,
        height: SIZE - 3,
        rx: 4,
      });
    });
    const points = [from, ...path].filter(Boolean).map((square) => frame.centre(square));
    const dot = (name, [cx, cy], r) => svg("circle", { class: `${name} seat-${seat}`, cx, cy, r });
    return [
      ...tints,
      svg("polyline", { class: `track ${kind} seat-${seat}`, points: points.join(" ") }),
      from ? dot(`start ${kind}`, points[0], kind === "lit" ? 4 : 5) : null,
      kind === "lit" ? dot("target", points.at(-1), SIZE / 2 - 4) : null,
    ];
  }

  // The rest of the course of a group; null if the group is not on it.
  course(group) {
    const course = this.board.courses[group.seat] ?? [];
    // If a square is on the course twice, the second visit is the way back.
    const at = group.isBack ? course.lastIndexOf(group.square) : course.indexOf(group.square);
    if (!group.square || at < 0) return null;
    return this.svg("polyline", {
      class: `course seat-${group.seat}`,
      points: course
        .slice(at)
        .map((square) => this.frame.centre(square))
        .join(" "),
    });
  }

  // The outline of squares as a path: all edges that belong to only one of the squares.
  outline(squares) {
    const corners = squares.map(({ square }) => this.frame.corner(square));
    const there = new Set(corners.map(String));
    return corners
      .flatMap(([x, y]) =>
        [
          [0, -SIZE, `M${x} ${y}h${SIZE}`],
          [0, SIZE, `M${x} ${y + SIZE}h${SIZE}`],
          [-SIZE, 0, `M${x} ${y}v${SIZE}`],
          [SIZE, 0, `M${x + SIZE} ${y}v${SIZE}`],
        ]
          .filter(([dx, dy]) => !there.has(String([x + dx, y + dy])))
          .map(([, , edge]) => edge),
      )
      .join("");
  }
}
