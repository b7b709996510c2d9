// Draws a position: squares, pieces, trays, the path of the piece under the pointer, the last moves. Reports which
// group of pieces was picked, and knows no rules.

import { SEATS } from "./game.js";
import { Frame, SIZE } from "./frame.js";
import { drawn, groups, labelOf, spread, trayed } from "./pieces.js";
import { svg } from "./svg.js";

// How near a pointer must be to a piece, in pixels of the screen: a fingertip.
const FINGER = 24;

export class Board {
  // `pick(group, element)` when a group that can move is picked.
  constructor(holder, pick) {
    this.holder = holder;
    this.pick = pick;
    this.board = null;
    this.seenFrom = null;
    this.lit = null;
  }

  // `board` and `view` as the engine describes them; who sits below; `labels` by seat; whether pieces can be picked; what was
  // moved last: [{ from, path, seat }].
  draw({ board, view, seenFrom, labels, canPick, moves }) {
    const seats = view.seats.map(({ seat }) => seat);
    if (this.board !== board || this.seenFrom !== seenFrom) this.drawGround(board, seats, seenFrom);
    this.board = board;
    this.seenFrom = seenFrom;
    this.view = view;
    this.canPick = canPick;
    const focused = this.svg.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.lastLayer.replaceChildren(...moves.flatMap(move => this.track(move, "last")));
    this.lightLayer.replaceChildren();
    this.spots = [];
    const all = groups(view, board.words);
    this.pieceLayer.replaceChildren(...this.onSquares(all), ...seats.flatMap(seat => this.inTray(all, seat, labels[seat])));
    if (focused !== null) {
      const again = this.pieceLayer.querySelector(`[data-key="${focused}"][tabindex]`) ?? this.pieceLayer.querySelector("[tabindex]");
      again?.focus();
    }
  }

  drawGround(board, seats, seenFrom) {
    const frame = this.frame = new Frame(board, seats, seenFrom);
    // A private square lies on one course alone.
    const walker = square => Object.keys(board.courses).find(seat => board.courses[seat].includes(square));
    const squares = board.squares.map(({ square, ground, seat }) => {
      const [x, y] = frame.corner(square);
      const owner = seat ?? (ground === "belly" ? walker(square) : null);
      const parts = [svg("rect", { x, y, width: SIZE, height: SIZE })];
      if (ground === "marked" || (ground === "end" && !seat)) {
        parts.push(svg("path", { d: `M${x + 5} ${y + 5}L${x + SIZE - 5} ${y + SIZE - 5}M${x + SIZE - 5} ${y + 5}L${x + 5} ${y + SIZE - 5}` }));
      }
      if (ground === "end") parts.push(svg("circle", { cx: x + SIZE / 2, cy: y + SIZE / 2, r: SIZE / 2 - 5, class: "goal" }));
      return svg("g", { class: `square ${ground}${owner ? ` seat-${owner}` : ""}` }, ...parts);
    });
    // The first square of each course has a corner in the colour of its seat.
    const starts = seats.map(seat => {
      const [x, y] = frame.corner(board.courses[seat][0]);
      return svg("path", { class: `first seat-${seat}`, d: `M${x + 1} ${y + SIZE - 1}v-11l11 11z` });
    });
    const names = frame.names().map(([text, x, y]) => svg("text", { x, y: y + 4.5 * frame.scale, "text-anchor": "middle", "font-size": 13 * frame.scale, class: "name" }, text));
    const border = svg("path", { class: "border", d: outline(board.squares, frame) });
    const middle = this.middle(board, frame);
    this.lastLayer = svg("g", { class: "moves" });
    this.lightLayer = svg("g", { class: "lights" });
    this.pieceLayer = svg("g", {});
    this.ghosts = svg("g", {});
    this.svg = svg("svg", { viewBox: `0 0 ${frame.width} ${frame.height}`, class: frame.isCross ? "cross" : "", role: "group", "aria-label": `Board, seen from ${SEATS[seenFrom]}` },
      svg("g", { "aria-hidden": "true" }, ...squares, ...starts, middle, border, ...names, this.lastLayer, this.lightLayer),
      this.pieceLayer, svg("g", { "aria-hidden": "true" }, this.ghosts));
    this.svg.addEventListener("click", event => this.clicked(event));
    this.svg.addEventListener("pointermove", event => this.hovered(event));
    this.svg.addEventListener("pointerleave", () => this.light(null));
    this.svg.addEventListener("focusin", event => this.light(this.groupOf(event.target)));
    this.svg.addEventListener("focusout", () => this.light(null));
    this.svg.addEventListener("keydown", event => {
      const group = this.groupOf(event.target);
      if (!group || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      this.pick(group, event.target);
    });
    this.holder.replaceChildren(this.svg);
  }

  // The middle that is drawn as one: a field with a lotus of lines; null where there is none.
  middle(board, frame) {
    const squares = board.squares.filter(({ ground }) => ground === "home");
    if (!squares.length) return null;
    const corners = squares.map(({ square }) => frame.corner(square));
    const [left, top, right, bottom] = [0, 1].map(axis => Math.min(...corners.map(corner => corner[axis])))
      .concat([0, 1].map(axis => Math.max(...corners.map(corner => corner[axis])) + SIZE));
    const r = Math.min(right - left, bottom - top) / 2;
    const petals = [0, 45, 90, 135, 180, 225, 270, 315].map(turn =>
      svg("path", { d: `M0 0C${r * 0.3} ${-r * 0.3} ${r * 0.3} ${-r * 0.62} 0 ${-r * 0.86}C${-r * 0.3} ${-r * 0.62} ${-r * 0.3} ${-r * 0.3} 0 0`, transform: `rotate(${turn})` }));
    return svg("g", { class: "lotus" },
      ...corners.map(([x, y]) => svg("rect", { x, y, width: SIZE, height: SIZE })),
      svg("path", { class: "rim", d: outline(squares, frame) }),
      svg("g", { transform: `translate(${(left + right) / 2} ${(top + bottom) / 2})` }, ...petals));
  }

  onSquares(all) {
    const bySquare = Map.groupBy(all.filter(group => group.square), group => group.square);
    return [...bySquare].flatMap(([square, here]) => {
      const [x, y] = this.frame.centre(square);
      const places = spread(here.length);
      return here.map((group, at) => {
        const [dx, dy, room, isUpright] = places[at % places.length];
        return this.placed(group, x + dx, y + dy, drawn(group, room, isUpright));
      });
    });
  }

  inTray(all, seat, label) {
    const { x, y, width, height, turn } = this.frame.tray(seat);
    const isCross = this.frame.isCross, isMover = this.view.mover === seat;
    const { scale } = this.frame;
    const [cos, sin] = [Math.cos(turn * Math.PI / 180) * scale, Math.sin(turn * Math.PI / 180) * scale];
    const spot = (along, down) => [x + along * cos - down * sin, y + along * sin + down * cos];
    const big = isCross ? 1.5 : 1, row = isCross ? 34 : height / 2;
    const plate = svg("g", { class: `tray seat-${seat}${isMover ? " mover" : ""}`, transform: `translate(${x} ${y}) rotate(${turn}) scale(${scale})`, "aria-hidden": "true" },
      svg("rect", { width, height, rx: 9 }),
      svg("text", { x: 12, y: row + 5 * big, "font-size": 14 * big, class: "seat" }, SEATS[seat]),
      isCross ? svg("text", { x: width - 12, y: row + 6, "text-anchor": "end", "font-size": 16, class: "player" }, label) : null);
    const parts = [plate];
    trayed(all, seat).forEach((own, side) => own.forEach(group => {
      const room = isCross ? 38 : 30, middle = isCross ? height - 30 : height / 2;
      const step = group.count > 2 ? room * 0.5 : room * 0.9, span = room + (group.count - 1) * step;
      const caption = group.place, letters = caption.length * (isCross ? 9.5 : 6.6) + 12;
      const start = side === 0 ? (isCross ? 12 : width * 0.3) : width - 8 - span - letters;
      plate.append(svg("text", { x: start, y: middle + (isCross ? 6 : 4), "font-size": isCross ? 17 : 12, class: "caption" }, caption));
      const single = { ...group, count: 1, isMarked: false };
      const discs = [...Array(group.count).keys()].map(at => {
        const [cx, cy] = spot(start + letters + room / 2 + at * step, middle);
        return svg("g", { transform: `translate(${cx} ${cy})` }, drawn(single, room * scale, false));
      });
      const [cx, cy] = spot(start + letters + span / 2, middle);
      parts.push(this.placed(group, cx, cy, svg("g", { transform: `translate(${-cx} ${-cy})` }, ...discs)));
    }));
    return parts;
  }

  // A group at its place: a button where it can move, else a picture.
  placed(group, x, y, shape) {
    const isMovable = this.canPick && group.actions.length > 0;
    const role = isMovable ? { role: "button", tabindex: 0 } : { role: "img" };
    const made = svg("g", {
      ...role, class: `piece seat-${group.seat}${isMovable ? " can" : ""}`, transform: `translate(${x} ${y})`,
      "data-key": group.key, "aria-label": labelOf(group),
    }, shape);
    this.spots.push({ x, y, group, isMovable, made });
    return made;
  }

  groupOf(target) {
    const made = target.closest?.(".piece.can");
    return made ? this.spots.find(spot => spot.made === made)?.group ?? null : null;
  }

  // The nearest group to a pointer, or null; what can move comes first.
  near(event, mustMove) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return null;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const reach = Math.max(SIZE * 0.55, FINGER / matrix.a);
    const nearest = spots => spots
      .map(spot => ({ spot, far: Math.hypot(spot.x - point.x, spot.y - point.y) }))
      .filter(({ far }) => far < reach)
      .sort((a, b) => a.far - b.far)[0]?.spot ?? null;
    return nearest(this.spots.filter(spot => spot.isMovable)) ?? (mustMove ? null : nearest(this.spots));
  }

  clicked(event) {
    const own = this.groupOf(event.target);
    const spot = own ? this.spots.find(({ group }) => group === own) : this.near(event, true);
    if (spot) this.pick(spot.group, spot.made);
  }

  hovered(event) {
    const own = event.target.closest?.(".piece");
    const group = this.spots.find(({ made }) => made === own)?.group ?? this.near(event, false)?.group ?? null;
    this.svg.classList.toggle("over", Boolean(group && this.canPick && group.actions.length));
    if (group !== this.lit) this.light(group);
  }

  // Lights where a group can go, and faintly the course that lies before it.
  light(group) {
    this.lit = group;
    if (!group) return this.lightLayer.replaceChildren();
    const actions = this.canPick ? group.actions : [];
    this.lightLayer.replaceChildren(...this.course(group), ...actions.flatMap(action => this.track({ ...action, seat: group.seat }, "lit")));
  }

  lightAction(action) {
    this.lightLayer.replaceChildren(...(action?.path.length ? this.track(action, "lit") : []));
  }

  course(group) {
    const course = this.board.courses[group.seat] ?? [];
    // Of a square that comes twice, the second visit is the way back.
    const at = group.isBack ? course.lastIndexOf(group.square) : course.indexOf(group.square);
    if (!group.square || at < 0) return [];
    const points = course.slice(at).map(square => this.frame.centre(square).join(","));
    return [svg("polyline", { class: `course seat-${group.seat}`, points: points.join(" ") })];
  }

  // A path as a line with a head, its squares tinted.
  track({ from, path, seat }, kind) {
    if (!path?.length) return [];
    const squares = kind === "lit" ? path : [path.at(-1)];
    const tints = squares.map(square => {
      const [x, y] = this.frame.corner(square);
      return svg("rect", { class: `tint ${kind} seat-${seat}`, x: x + 1.5, y: y + 1.5, width: SIZE - 3, height: SIZE - 3, rx: 4 });
    });
    const points = [from, ...path].filter(Boolean).map(square => this.frame.centre(square).join(","));
    const [x, y] = this.frame.centre(path.at(-1));
    const end = kind === "lit" ? svg("circle", { class: `target seat-${seat}`, cx: x, cy: y, r: SIZE / 2 - 4 }) : null;
    const start = from ? svg("circle", { class: `start ${kind} seat-${seat}`, cx: this.frame.centre(from)[0], cy: this.frame.centre(from)[1], r: kind === "lit" ? 4 : 5 }) : null;
    return [...tints, svg("polyline", { class: `track ${kind} seat-${seat}`, points: points.join(" ") }), start, end].filter(Boolean);
  }

  // Lets a piece walk along its path, within `milliseconds`; what stands at the end is hidden until it arrives.
  walk({ from, path, moved, count }, milliseconds) {
    const squares = [from, ...(path ?? [])].filter(Boolean);
    if (squares.length < 2 || !milliseconds) return;
    const group = { seat: moved, count, isJoined: count > 1, isMarked: false };
    const ghost = svg("g", { class: `piece seat-${moved}` }, drawn(group, SIZE - 3, false));
    const [endX, endY] = this.frame.centre(squares.at(-1));
    const spot = this.spots.find(spot => spot.group.seat === moved && spot.group.square === squares.at(-1) && spot.group.count === count);
    if (spot) spot.made.classList.add("arriving");
    this.ghosts.append(svg("g", { transform: `translate(${endX} ${endY})` }, ghost));
    const frames = squares.map(square => {
      const [x, y] = this.frame.centre(square);
      return { transform: `translate(${x - endX}px, ${y - endY}px)` };
    });
    ghost.animate(frames, { duration: milliseconds, easing: "ease-in-out" }).finished.catch(() => {}).finally(() => {
      ghost.parentNode?.remove();
      spot?.made.classList.remove("arriving");
    });
  }
}

// The edges of squares that have no neighbour there, as a path: the border of a board of any shape.
function outline(squares, frame) {
  const corners = squares.map(({ square }) => frame.corner(square));
  const there = new Set(corners.map(String));
  return corners.flatMap(([x, y]) => [
    [0, -SIZE, `M${x} ${y}h${SIZE}`], [0, SIZE, `M${x} ${y + SIZE}h${SIZE}`],
    [-SIZE, 0, `M${x} ${y}v${SIZE}`], [SIZE, 0, `M${x + SIZE} ${y}v${SIZE}`],
  ].filter(([dx, dy]) => !there.has(String([x + dx, y + dy]))).map(([, , edge]) => edge)).join("");
}
