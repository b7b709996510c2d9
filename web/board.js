// Draws a position: squares, pieces, trays, the last moves, and the landings of the lifted piece. A landing is the
// target of a possible move. The user lifts a piece and picks a landing by clicks, by keys, or by dragging. This module
// does not know the rules.

import { stacked } from "./choice.js";
import { byId, fill, svg } from "./dom.js";
import { Frame, SIZE } from "./frame.js";
import { SEATS } from "./game.js";
import { drawn, groups, labelOf, spread, trayed } from "./pieces.js";
import { cannot, pick } from "./turn.js";

// The largest distance between a pointer and the middle of its piece or landing, in squares.
const REACH = 0.7;
// The number of squares between two arrows on a course.
const ARROWS = 6;
// Pieces that share a square have a size of at least LEAST pixels. This minimum is never larger than MOST
// squares.
const LEAST = 24, MOST = 1.5;
// A pointer that moves by more than this number of pixels drags its piece.
const DRAG = 8;

// The content of the drawing: `board` and `view` as the engine describes them; `seenFrom`, the seat at the lower edge;
// `labels`, the name of each player by seat; `options`, the possible moves, as in choice.js; `moves`, the last moves:
// [{ from, path, seat }].
export let shown = { board: null };
// The layout of the drawing, and the smallest size of pieces that share a square.
let frame = null, least = 0;
// The drawn groups of pieces, and the landings of the lifted piece: [{ x, y, made, … }].
let spots = [], landings = [];
// The lifted entry of `spots`, the highlighted group, and the current action of a pointer; each can be null.
export let lifted = null;
let lit = null, press = null;

const [lastLayer, lightLayer, pieceLayer, landingLayer, ghosts] = Array.from({ length: 5 }, () => svg("g", {}));
const root = svg("svg", {
  role: "group", onpointerdown: pressed, onpointermove: moved, onpointerup: released, onpointercancel: drop, onpointerleave: () => light(null),
  onfocusin: ({ target }) => lifted ? lightMove(landingOf(target)?.option) : light(spotOf(target)?.group ?? null),
  onfocusout: () => light(null),
  onkeydown: typed,
});

new ResizeObserver(() => shown.board && !lifted && !press && Math.abs(leastNow() - least) > 1 && draw(shown)).observe(byId("board"));

function leastNow() {
  const pixels = Math.min(root.clientWidth / frame.width, root.clientHeight / frame.height);
  return Math.min(LEAST / (pixels || 1), MOST * SIZE);
}

export function draw(next) {
  const { board, view, seenFrom, labels, moves } = next, before = shown;
  const seats = view.seats.map(({ seat }) => seat);
  shown = next;
  if (before.board !== board || before.seenFrom !== seenFrom) drawGround(board, seats, seenFrom);
  least = leastNow();
  const hadFocus = root.contains(document.activeElement);
  fill(lastLayer, moves.map(move => track(move, "last")));
  lower();
  spots = [];
  const all = groups(view, board.words);
  fill(pieceLayer, onSquares(all), seats.map(seat => inTray(all, seat, labels[seat])));
  if (hadFocus && !root.contains(document.activeElement)) pieceLayer.querySelector("[tabindex]")?.focus();
}

function drawGround(board, seats, seenFrom) {
  frame = new Frame(board, seats, seenFrom);
  // A private square is on the course of only one seat.
  const walker = square => seats.find(seat => board.courses[seat].includes(square));
  const squares = board.squares.map(({ square, ground, seat }) => {
    const [x, y] = frame.corner(square);
    const owner = seat ?? (ground === "belly" ? walker(square) : null);
    const isCrossed = ground === "marked" || (ground === "end" && !seat), size = SIZE - 10;
    return svg("g", { class: `square ${ground}${owner ? ` seat-${owner}` : ""}` }, svg("rect", { x, y, width: SIZE, height: SIZE }),
      isCrossed ? svg("path", { d: `M${x + 5} ${y + 5}l${size} ${size}m0 ${-size}l${-size} ${size}` }) : null,
      ground === "end" ? svg("circle", { cx: x + SIZE / 2, cy: y + SIZE / 2, r: SIZE / 2 - 5, class: "goal" }) : null);
  });
  // The first square of each course has a corner in the seat's colour.
  const starts = seats.map(seat => {
    const [x, y] = frame.corner(board.courses[seat][0]);
    return svg("path", { class: `first seat-${seat}`, d: `M${x + 1} ${y + SIZE - 1}v-11l11 11z` });
  });
  // The course of the seat at the lower edge, with arrows.
  const own = board.courses[seenFrom] ?? [];
  const points = own.map(square => frame.centre(square));
  const arrows = points.slice(1).flatMap(([x, y], at) => {
    const [fromX, fromY] = points[at], turn = Math.atan2(y - fromY, x - fromX) * 180 / Math.PI;
    return at % ARROWS ? [] : [svg("path", { d: "M-5 -4L4 0L-5 4z", transform: `translate(${(x + fromX) / 2} ${(y + fromY) / 2}) rotate(${turn})` })];
  });
  const way = svg("g", { class: `way seat-${seenFrom}` }, svg("polyline", { points: points.join(" ") }), arrows);
  const names = frame.names().map(([text, x, y]) => svg("text", { x, y: y + 4.5 * frame.scale, "text-anchor": "middle", "font-size": 13 * frame.scale, class: "name" }, text));
  const border = svg("path", { class: "border", d: outline(board.squares) });
  root.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  root.setAttribute("class", `look-${board.look}${frame.isCross ? " cross" : ""}`);
  root.setAttribute("aria-label", `Board, seen from ${SEATS[seenFrom]}`);
  fill(ghosts);
  fill(root, svg("g", { "aria-hidden": "true" }, squares, way, starts, lotus(board), border, names, lastLayer, lightLayer),
    pieceLayer, landingLayer, svg("g", { "aria-hidden": "true" }, ghosts));
  fill(byId("board"), root);
}

// The middle field with a lotus; null for boards without home squares.
function lotus(board) {
  const squares = board.squares.filter(({ ground }) => ground === "home");
  if (!squares.length) return null;
  const corners = squares.map(({ square }) => frame.corner(square));
  const [left, top, right, bottom] = [0, 1].map(axis => Math.min(...corners.map(corner => corner[axis])))
    .concat([0, 1].map(axis => Math.max(...corners.map(corner => corner[axis])) + SIZE));
  const r = Math.min(right - left, bottom - top) / 2;
  const petals = [0, 45, 90, 135, 180, 225, 270, 315].map(turn =>
    svg("path", { d: `M0 0C${r * 0.3} ${-r * 0.3} ${r * 0.3} ${-r * 0.62} 0 ${-r * 0.86}C${-r * 0.3} ${-r * 0.62} ${-r * 0.3} ${-r * 0.3} 0 0`, transform: `rotate(${turn})` }));
  return svg("g", { class: "lotus" },
    corners.map(([x, y]) => svg("rect", { x, y, width: SIZE, height: SIZE })),
    svg("path", { class: "rim", d: outline(squares) }),
    svg("g", { transform: `translate(${(left + right) / 2} ${(top + bottom) / 2})` }, petals));
}

function onSquares(all) {
  const bySquare = Map.groupBy(all.filter(group => group.square), group => group.square);
  return [...bySquare].flatMap(([square, here]) => {
    const [x, y] = frame.centre(square);
    const smallest = here.length > 1 || here[0].count > 1 ? least : 0;
    const places = spread(here.length, smallest);
    return here.map((group, at) => {
      const [dx, dy, room, isUpright] = places[at % places.length];
      return placePiece(group, x + dx, y + dy, drawn(group, room, isUpright, smallest));
    });
  });
}

function inTray(all, seat, label) {
  const { width, height, transform, at } = frame.tray(seat), { isCross, scale } = frame;
  const big = isCross ? 1.5 : 1, row = isCross ? 34 : height / 2;
  const plate = svg("g", { class: `tray seat-${seat}${shown.view.mover === seat ? " mover" : ""}`, transform, "aria-hidden": "true" },
    svg("rect", { width, height, rx: 9 }),
    svg("text", { x: 12, y: row + 5 * big, "font-size": 14 * big, class: "seat" }, SEATS[seat]),
    isCross ? svg("text", { x: width - 12, y: row + 6, "text-anchor": "end", "font-size": 16, class: "player" }, label) : null);
  const placed = trayed(all, seat).flatMap((own, side) => own.map(group => {
    const room = isCross ? 38 : 30, middle = isCross ? height - 30 : height / 2;
    const step = group.count > 2 ? room * 0.5 : room * 0.9, span = room + (group.count - 1) * step;
    const caption = group.place, letters = caption.length * (isCross ? 9.5 : 6.6) + 12;
    const start = side === 0 ? (isCross ? 12 : width * 0.3) : width - 8 - span - letters;
    plate.append(svg("text", { x: start, y: middle + (isCross ? 6 : 4), "font-size": isCross ? 17 : 12, class: "caption" }, caption));
    const [x, y] = at(start + letters + span / 2, middle);
    const discs = Array.from({ length: group.count }, (_, number) => {
      const [cx, cy] = at(start + letters + room / 2 + number * step, middle);
      return svg("g", { transform: `translate(${cx - x} ${cy - y})` }, drawn({ ...group, count: 1, isMarked: false }, room * scale, false));
    });
    return placePiece(group, x, y, svg("g", {}, discs));
  }));
  return [plate, ...placed];
}

// Draws a group at a point. If the group can move, it is a button, otherwise a picture.
function placePiece(group, x, y, shape) {
  const options = shown.options.filter(option => option.key === group.key);
  const role = options.length ? { role: "button", tabindex: 0, "aria-pressed": "false" } : { role: "img" };
  const classes = `piece seat-${group.seat}${options.length ? " can" : ""}${group.isTaken ? " taken" : ""}`;
  const made = svg("g", { ...role, class: classes, transform: `translate(${x} ${y})`, "data-key": group.key, "aria-label": labelOf(group, options) }, shape);
  spots.push({ x, y, group, options, made });
  return made;
}

const spotOf = target => spots.find(({ made }) => made.contains(target)) ?? null;
const landingOf = target => landings.find(({ made }) => made.contains(target)) ?? null;
const pointOf = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());

// The piece or landing nearest to a pointer, or null.
function near(event, places) {
  const point = pointOf(event);
  return places.map(place => ({ place, far: Math.hypot(place.x - point.x, place.y - point.y) }))
    .filter(({ far }) => far < REACH * SIZE).sort((a, b) => a.far - b.far)[0]?.place ?? null;
}

// Returns the target of a pointer: a landing of the lifted piece, otherwise a piece that can move, otherwise another
// piece.
function under(event) {
  const landing = landingOf(event.target) ?? near(event, landings);
  if (landing) return { landing };
  const own = spotOf(event.target);
  const spot = own?.options.length ? own : near(event, spots.filter(({ options }) => options.length)) ?? own;
  return { spot };
}

function pressed(event) {
  if (event.button) return;
  const { landing, spot } = under(event);
  press = { x: event.clientX, y: event.clientY, landing, spot, wasLifted: spot === lifted, ghost: null };
  if (spot?.options.length && !press.wasLifted) lift(spot);
}

function moved(event) {
  if (!press) {
    const landing = landingOf(event.target), spot = spotOf(event.target);
    root.classList.toggle("over", Boolean(landing || spot?.options.length));
    if (lifted) return lightMove(landing?.option);
    if ((spot?.group ?? null) !== lit) light(spot?.group ?? null);
    return;
  }
  const isFar = Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG;
  if (!press.ghost && press.spot?.options.length && isFar) {
    root.setPointerCapture(event.pointerId);
    press.ghost = ghostOf({ ...press.spot.group, count: press.spot.options[0].pieces.length });
    press.spot.made.classList.add("dragged");
  }
  const { x, y } = pointOf(event);
  press.ghost?.setAttribute("transform", `translate(${x} ${y})`);
}

function released(event) {
  const ended = press;
  if (!ended) return;
  drop();
  const landing = ended.ghost ? near(event, landings) : ended.landing;
  if (landing) return pick(landing.option);
  const canMove = ended.spot?.options.length > 0;
  if (ended.ghost || ended.wasLifted || !canMove) lower();
  if (ended.spot && !canMove) cannot(ended.spot.group);
}

function drop() {
  press?.ghost?.remove();
  press?.spot?.made.classList.remove("dragged");
  press = null;
}

function typed(event) {
  const { key, target } = event;
  const landing = landingOf(target), spot = spotOf(target);
  if (key === "Escape" && lifted) {
    const from = lifted;
    lower();
    from.made.focus();
  } else if (key === "Enter" || key === " ") {
    if (landing) pick(landing.option);
    else if (spot?.options.length) {
      lift(spot);
      landings[0].made.focus();
    } else return;
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

// Lifts a piece: shows its landings, and the throws that each landing uses.
function lift(spot) {
  lower();
  lifted = spot;
  spot.made.classList.add("lifted");
  spot.made.setAttribute("aria-pressed", "true");
  const bySquare = Map.groupBy(spot.options, option => option.path.at(-1) ?? option.place);
  landings = [...bySquare.values()].flatMap(here => here.map((option, at) => {
    // A piece that leaves the board lands at the end of the tray.
    const { width, height, at: inTray } = frame.tray(option.seat);
    const [x, y] = option.path.length ? frame.centre(option.path.at(-1)) : inTray(width - 60, height / 2);
    const made = svg("g", { class: `landing seat-${option.seat}${option.captures.length ? " captures" : ""}`, role: "button", tabindex: 0, "aria-label": option.words });
    const place = { x: x + (at - (here.length - 1) / 2) * SIZE * 0.6, y, option, made };
    const sum = stacked(option.throws);
    const text = `${option.pieces.length > 1 && here.length > 1 ? "2× " : ""}${sum.length > 4 ? `=${option.throws.reduce((all, value) => all + value)}` : sum}`;
    made.append(svg("circle", { cx: place.x, cy: y, r: SIZE / 2 - 3 }),
      svg("text", { x: place.x, y: y + 5, "text-anchor": "middle", "font-size": text.length > 3 ? 11 : 15 }, text));
    return place;
  }));
  fill(landingLayer, landings.map(({ made }) => made));
  fill(lightLayer);
}

function lower() {
  lifted?.made.classList.remove("lifted");
  lifted?.made.setAttribute("aria-pressed", "false");
  lifted = null;
  landings = [];
  fill(landingLayer);
  fill(lightLayer);
}

// If no piece is lifted, highlights the moves of a group and the rest of its course.
function light(group) {
  lit = group;
  if (lifted) return;
  const options = shown.options.filter(option => option.key === group?.key);
  fill(lightLayer, group && courseOf(group), options.map(option => track(option, "lit")));
}

export const lightMove = option => fill(lightLayer, option && track(option, "lit"));

function courseOf(group) {
  const course = shown.board.courses[group.seat] ?? [];
  // If a square is on the course twice, the second visit is the way back.
  const at = group.isBack ? course.lastIndexOf(group.square) : course.indexOf(group.square);
  if (!group.square || at < 0) return null;
  return svg("polyline", { class: `course seat-${group.seat}`, points: course.slice(at).map(square => frame.centre(square)).join(" ") });
}

// A path as a line with a coloured target.
function track({ from, path, seat }, kind) {
  if (!path?.length) return [];
  const squares = kind === "lit" ? path : [path.at(-1)];
  const tints = squares.map(square => {
    const [x, y] = frame.corner(square);
    return svg("rect", { class: `tint ${kind} seat-${seat}`, x: x + 1.5, y: y + 1.5, width: SIZE - 3, height: SIZE - 3, rx: 4 });
  });
  const points = [from, ...path].filter(Boolean).map(square => frame.centre(square));
  const dot = (name, [cx, cy], r) => svg("circle", { class: `${name} seat-${seat}`, cx, cy, r });
  return [...tints, svg("polyline", { class: `track ${kind} seat-${seat}`, points: points.join(" ") }),
    from ? dot(`start ${kind}`, points[0], kind === "lit" ? 4 : 5) : null, kind === "lit" ? dot("target", points.at(-1), SIZE / 2 - 4) : null];
}

// Returns the captured pieces, [{ seat, square }]. These are pieces of other seats than `mover` that have left the
// squares where they were in the view `before`.
export function captured(before, mover) {
  return before.seats.filter(({ seat }) => seat !== mover).flatMap(({ seat }) => {
    const squares = view => view.pieces.filter(piece => piece.seat === seat && piece.square).map(piece => piece.square);
    const left = squares(shown.view);
    return squares(before).filter(square => !left.includes(square) || !left.splice(left.indexOf(square), 1)).map(square => ({ seat, square }));
  });
}

// After `delay` milliseconds, moves captured pieces back to their start.
export function animateCaptured(captured, delay) {
  for (const { seat, square } of captured) {
    const home = spots.find(({ group }) => group.seat === seat && (group.stage === "waits" || group.square === shown.board.courses[seat][0]));
    if (home) animate({ seat, count: 1 }, [frame.centre(square), [home.x, home.y]], { delay, duration: 2 * delay, fill: "backwards" });
  }
}

// Moves pieces along the path of a move within `duration` milliseconds. Until they arrive, hides the pieces at the end
// of the path.
export async function animateMove({ from, path, seat, pieces: { length: count } }, duration) {
  const squares = [from, ...(path ?? [])].filter(Boolean);
  if (squares.length < 2 || !duration) return;
  const spot = spots.find(({ group }) => group.seat === seat && group.square === squares.at(-1) && group.count === count);
  spot?.made.classList.add("arriving");
  await animate({ seat, count, isJoined: count > 1 }, squares.map(square => frame.centre(square)), { duration });
  spot?.made.classList.remove("arriving");
}

async function animate(group, places, timing) {
  const [endX, endY] = places.at(-1), ghost = ghostOf(group);
  const holder = svg("g", { transform: `translate(${endX} ${endY})` }, ghost);
  ghosts.append(holder);
  const frames = places.map(([x, y]) => ({ transform: `translate(${x - endX}px, ${y - endY}px)` }));
  await ghost.animate(frames, { easing: "ease-in-out", ...timing }).finished.catch(() => {});
  holder.remove();
}

// A moving group, drawn above everything else.
function ghostOf(group) {
  const made = svg("g", { class: `piece seat-${group.seat}` }, drawn(group, SIZE - 3, false));
  ghosts.append(made);
  return made;
}

// The outline of squares as a path: all edges that belong to only one of the squares.
function outline(squares) {
  const corners = squares.map(({ square }) => frame.corner(square));
  const there = new Set(corners.map(String));
  return corners.flatMap(([x, y]) => [
    [0, -SIZE, `M${x} ${y}h${SIZE}`], [0, SIZE, `M${x} ${y + SIZE}h${SIZE}`],
    [-SIZE, 0, `M${x} ${y}v${SIZE}`], [SIZE, 0, `M${x + SIZE} ${y}v${SIZE}`],
  ].filter(([dx, dy]) => !there.has(String([x + dx, y + dy]))).map(([, , edge]) => edge)).join("");
}
