// Draws a position: squares, pieces, trays, the last moves, and the landings of the lifted piece. A
// landing is the target of a possible move. The user lifts a piece and picks a landing by clicks,
// by keys, or by dragging. This module does not know the rules.

import { stacked } from "./choice.js";
import { byId, fill, svg } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Frame, SIZE } from "./frame.js";
import { bySeat } from "./game.js";
import { drawn, grouped, groups } from "./pieces.js";
import { engine, text } from "./text.js";
import { cannot, pick } from "./turn.js";

// The largest distance between a pointer and the middle of its piece or landing, in squares. A
// finger that is on no piece reaches pieces that can move at a distance of FINGER pixels.
const REACH = 0.7,
  FINGER = 22;
// Smaller squares, in pixels, are enlarged while a piece is lifted.
const LEAST = 24;
// A pointer that moves by more than this number of pixels drags its piece.
const DRAG = 8;
// The bend of the arrow of a hint, as a share of its length.
const BEND = 0.12;

// The content of the drawing: `board` and `view` as the engine describes them; `seenFrom`, the seat
// at the lower edge; `course`, the seat whose course is drawn; `labels`, the name of each player by
// seat; `winners`, the seats that have won; `options`, the possible moves, as in choice.js;
// `moves`, the last moves: [{ from, path, seat }]; `hints`, the moves with an arrow: [{ option,
// isBest }]; `put(option)`, if pieces can be put on any place: then `options` are places and not
// moves.
export let shown = { board: null };
let drawing = null;
// The drawn groups of pieces, and the landings of the lifted piece: [{ x, y, made, … }].
let spots = [],
  landings = [];
// The lifted entry of `spots`, the highlighted group, and the current action of a pointer; each can
// be null.
export let lifted = null;
let lit = null,
  press = null;

const [lastLayer, lightLayer, pieceLayer, arrowLayer, landingLayer, ghosts] = Array.from(
  { length: 6 },
  () => svg("g", {}),
);
const root = svg("svg", {
  onpointerdown: pressed,
  onpointermove: moved,
  onpointerup: released,
  onpointercancel: drop,
  onpointerleave: () => light(null),
  onfocusin: ({ target }) => {
    stopAt(target);
    if (lifted) lightMove(landingOf(target)?.option);
    else light(spotOf(target)?.group ?? null);
  },
  onfocusout: () => light(null),
  onkeydown: typed,
});

// The board is one tab stop: the piece or landing that had the focus last, or the whole board.
let stop = root;
function stopAt(element) {
  stop.setAttribute("tabindex", -1);
  stop = element;
  stop.setAttribute("tabindex", 0);
}

new ResizeObserver(() => {
  if (!shown.board || lifted || press) return;
  const { seenFrom, isBeside } = fitting(shown);
  if (seenFrom !== drawing.seenFrom || isBeside !== drawing.frame.isBeside) draw(shown);
}).observe(byId("board"));

// Pixels in a unit of the whole drawing.
const scale = () =>
  Math.min(root.clientWidth / drawing.frame.width, root.clientHeight / drawing.frame.height) || 1;

// If squares are small, enlarges the part of the board with the lifted piece and its landings, at
// most twice.
function zoom() {
  const { width, height } = drawing.frame,
    places = lifted && SIZE * scale() < LEAST ? [lifted, ...landings] : [];
  const [[left, right], [top, bottom]] = ["x", "y"]
    .map((axis) => places.map((place) => place[axis]))
    .map((all) => [Math.min(...all) - SIZE, Math.max(...all) + SIZE]);
  const part = places.length
    ? Math.min(1, Math.max(0.5, (right - left) / width, (bottom - top) / height))
    : 1;
  const begin = (middle, whole) =>
    part < 1 ? Math.max(0, Math.min(middle - (part * whole) / 2, whole - part * whole)) : 0;
  root.setAttribute(
    "viewBox",
    [
      begin((left + right) / 2, width),
      begin((top + bottom) / 2, height),
      part * width,
      part * height,
    ].join(" "),
  );
}

// The largest layout of the drawing: { seenFrom, isBeside }. The seat at the lower edge is
// `seenFrom`, or the next seat if this makes a long board larger; the trays are around the board or
// beside it. The page has its layout by the shape of the board.
const LONG = 2,
  WIDE = 1.25,
  LARGER = 1.1,
  BESIDE = { S: "W", E: "S", N: "E", W: "N" };
function fitting({ board, view, seenFrom }) {
  const place = byId("board"),
    seats = view.seats.map(({ seat }) => seat);
  const isSquare = board.rows === board.columns,
    frames = [seenFrom, ...(isSquare ? [] : [BESIDE[seenFrom]])].flatMap((from) =>
      [false, true].map((isBeside) => ({
        seenFrom: from,
        ...new Frame(board, seats, from, isBeside),
      })),
    );
  const [{ width, height }] = frames,
    ratio = isSquare ? 1 : Math.max(width / height, height / width);
  document.querySelector("main").dataset.shape =
    ratio >= LONG ? "long" : ratio >= WIDE ? "wide" : "even";
  const most = parseFloat(getComputedStyle(place).maxHeight),
    size = (frame) => Math.min(place.clientWidth / frame.width, most / frame.height);
  const least = (one, best) => (one.seenFrom === best.seenFrom ? 1 : LARGER) * size(best);
  return frames.reduce((best, one) => (size(one) > least(one, best) ? one : best));
}

export function draw(next) {
  const { board, view, course, labels, winners, moves } = next,
    before = shown,
    { seenFrom, isBeside } = fitting(next);
  const seats = view.seats.map(({ seat }) => seat);
  shown = next;
  const hadFocus = root.contains(document.activeElement);
  const isSame = drawing?.seenFrom === seenFrom && drawing.frame.isBeside === isBeside;
  if (before.board !== board || !isSame || before.course !== course)
    drawGround(board, seats, seenFrom, course, isBeside);
  fill(
    lastLayer,
    moves.map((move) => drawing.track(move, "last")),
  );
  lower();
  spots = [];
  const all = groups(view, board.words).map((group) => ({ ...group, place: engine(group.place) }));
  fill(
    pieceLayer,
    drawing.onSquares(all, placePiece),
    seats.map((seat) =>
      drawing.inTray(
        all,
        seat,
        view.mover === seat || winners.includes(seat),
        labels[seat],
        placePiece,
      ),
    ),
  );
  point(next.hints ?? []);
  const isLost = !root.contains(document.activeElement);
  if (isLost) stopAt(spots.find(({ options }) => options.length)?.made ?? root);
  if (isLost && hadFocus) stop.focus({ preventScroll: true });
}

function drawGround(board, seats, seenFrom, course, isBeside) {
  drawing = new Drawing(
    svg,
    board,
    seats,
    seenFrom,
    bySeat(seats, (seat) => text(`seat.${seat}`)),
    isBeside,
  );
  root.setAttribute("aria-label", text("board.label", { seat: drawing.names[seenFrom] }));
  for (const [name, value] of Object.entries(drawing.attributes)) root.setAttribute(name, value);
  fill(ghosts);
  fill(
    root,
    svg("g", { "aria-hidden": "true" }, drawing.ground(course), lastLayer, lightLayer),
    pieceLayer,
    svg("g", { class: "arrows", "aria-hidden": "true" }, arrowLayer),
    landingLayer,
    svg("g", { "aria-hidden": "true" }, ghosts),
  );
  fill(byId("board"), root);
}

// A group and its moves in words, for screen readers.
function labelOf(group, options) {
  const where = text(`board.at.${group.stage}`, group),
    values = { ...group, where, seat: drawing.names[group.seat] };
  const pieces =
    group.unit && group.count === 2
      ? text("board.unit", { ...values, unit: engine(group.unit) })
      : text("board.pieces", values);
  const moves = shown.put ? "" : options.map((option) => option.words).join(text("board.or"));
  return (
    pieces + (group.isBack ? text("board.back") : "") + (moves ? text("board.can", { moves }) : "")
  );
}

// Draws a group at a point. If the group can move, it is a button, otherwise a picture.
function placePiece(group, x, y, shape) {
  const options = shown.options.filter((option) => option.key === group.key);
  const role = options.length ? { role: "button", "aria-pressed": "false" } : { role: "img" };
  const classes = `piece seat-${group.seat}${options.length ? " can" : ""}${group.isTaken ? " taken" : ""}${shown.winners.includes(group.seat) ? " won" : ""}`;
  const made = svg(
    "g",
    {
      ...role,
      tabindex: -1,
      class: classes,
      transform: `translate(${x} ${y})`,
      "data-key": group.key,
      "aria-label": labelOf(group, options),
    },
    shape,
  );
  spots.push({ x, y, group, options, made });
  return made;
}

const spotOf = (target) => spots.find(({ made }) => made.contains(target)) ?? null;
const landingOf = (target) => landings.find(({ made }) => made.contains(target)) ?? null;
const pointOf = (event) =>
  new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());

// The piece or landing nearest to a pointer within this reach, or null.
function near(event, places, reach = REACH * SIZE) {
  const point = pointOf(event);
  return (
    places
      .map((place) => ({ place, far: Math.hypot(place.x - point.x, place.y - point.y) }))
      .filter(({ far }) => far < reach)
      .sort((a, b) => a.far - b.far)[0]?.place ?? null
  );
}

// Returns the target of a pointer: a landing of the lifted piece, otherwise a piece that can move,
// otherwise another piece.
function under(event) {
  const landing = landingOf(event.target) ?? near(event, landings);
  if (landing) return { landing };
  const own = spotOf(event.target),
    able = spots.filter(({ options }) => options.length);
  const reach = event.pointerType === "touch" ? FINGER / root.getScreenCTM().a : 0;
  return {
    spot: own?.options.length ? own : (near(event, able) ?? own ?? near(event, able, reach)),
  };
}

function take(option) {
  if (shown.put) shown.put(option);
  else if (pick(option)) lower();
}

function pressed(event) {
  if (event.button) return;
  const { landing, spot } = under(event);
  press = {
    x: event.clientX,
    y: event.clientY,
    landing,
    spot,
    wasLifted: spot === lifted,
    ghost: null,
  };
  if (spot?.options.length && !press.wasLifted) lift(spot);
}

function moved(event) {
  if (!press) {
    const landing = landingOf(event.target),
      spot = spotOf(event.target);
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
  if (landing) return take(landing.option);
  const canMove = ended.spot?.options.length > 0;
  if (ended.ghost || ended.wasLifted || !canMove) lower();
  zoom();
  if (ended.spot && !canMove) cannot(ended.spot.group);
}

function drop() {
  press?.ghost?.remove();
  press?.spot?.made.classList.remove("dragged");
  press = null;
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function typed(event) {
  const { key, target } = event;
  const landing = landingOf(target),
    spot = spotOf(target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (key === "Escape" && lifted) {
    const from = lifted;
    lower();
    from.made.focus();
  } else if (key === "Enter" || key === " ") {
    if (landing) take(landing.option);
    else if (spot?.options.length) {
      lift(spot);
      zoom();
      landings[0].made.focus();
    } else if (spot && key === "Enter") cannot(spot.group);
    else return;
  } else if (STEPS[key]) {
    // From landing to landing, or from piece to piece; pieces that can move are first.
    const places = lifted
      ? landings
      : spots.toSorted((a, b) => Boolean(b.options.length) - Boolean(a.options.length));
    const at = places.findIndex(({ made }) => made === target);
    places.at((Math.max(at, STEPS[key] < 0 ? 0 : -1) + STEPS[key]) % places.length)?.made.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

// The point where a move ends. A piece that leaves the board lands at the end of the tray.
function endOf({ seat, path }) {
  const { at: inTray, exit } = drawing.frame.tray(seat);
  return path.length ? drawing.frame.centre(path.at(-1)) : inTray(...exit);
}

// Draws arrows for hints.
export function point(hints) {
  shown.hints = hints;
  fill(
    arrowLayer,
    hints.toReversed().map(({ option, isBest }) => {
      const { x, y } = spots.find(({ group }) => group.key === option.key),
        [endX, endY] = endOf(option),
        [dx, dy] = [endX - x, endY - y];
      const [bendX, bendY] = [(x + endX) / 2 - dy * BEND, (y + endY) / 2 + dx * BEND],
        turn = Math.atan2(endY - bendY, endX - bendX);
      const d = `M${x} ${y}Q${bendX} ${bendY} ${endX - 12 * Math.cos(turn)} ${endY - 12 * Math.sin(turn)}`;
      return svg(
        "g",
        { class: `arrow seat-${option.seat}${isBest ? " best" : ""}` },
        svg("path", { class: "case", d }),
        svg("path", { d }),
        svg("path", {
          class: "head",
          d: "M-18-10L2 0L-18 10z",
          transform: `translate(${endX} ${endY}) rotate(${(turn * 180) / Math.PI})`,
        }),
      );
    }),
  );
}

// Lifts a piece: shows its landings, and the throws that each landing uses.
function lift(spot) {
  lower();
  lifted = spot;
  spot.made.classList.add("lifted");
  spot.made.setAttribute("aria-pressed", "true");
  const bySquare = grouped(spot.options, (option) => option.path.at(-1) ?? option.place);
  landings = [...bySquare.values()].flatMap((here) =>
    here.map((option, at) => {
      const [x, y] = endOf(option);
      const made = svg("g", {
        class: `landing seat-${option.seat}${option.captures.length ? " captures" : ""}`,
        role: "button",
        tabindex: -1,
        "aria-label": option.words,
      });
      const place = { x: x + (at - (here.length - 1) / 2) * SIZE * 0.6, y, option, made };
      const sum = stacked(option.throws);
      const text =
        option.label ??
        `${option.pieces.length > 1 && here.length > 1 ? "2× " : ""}${sum.length > 4 ? `=${option.throws.reduce((all, value) => all + value)}` : sum}`;
      made.append(
        svg("circle", { cx: place.x, cy: y, r: SIZE / 2 - 3 }),
        svg(
          "text",
          {
            x: place.x,
            y: y + 5,
            "text-anchor": "middle",
            "font-size": 17 - 2 * Math.max(1, text.length - 1),
          },
          text,
        ),
      );
      return place;
    }),
  );
  fill(
    landingLayer,
    landings.map(({ made }) => made),
  );
  fill(lightLayer);
}

function lower() {
  lifted?.made.classList.remove("lifted");
  lifted?.made.setAttribute("aria-pressed", "false");
  lifted = null;
  landings = [];
  zoom();
  fill(landingLayer);
  fill(lightLayer);
}

// If no piece is lifted, highlights the moves of a group and the rest of its course.
function light(group) {
  lit = group;
  if (lifted) return;
  const options = shown.put ? [] : shown.options.filter((option) => option.key === group?.key);
  fill(
    lightLayer,
    group && drawing.course(group),
    options.map((option) => drawing.track(option, "lit")),
  );
}

export const lightMove = (option) => fill(lightLayer, option && drawing.track(option, "lit"));

// Returns the captured pieces, [{ seat, square }]. These are pieces of other seats than `mover`
// that have left the squares where they were in the view `before`.
export function captured(before, mover) {
  return before.seats
    .filter(({ seat }) => seat !== mover)
    .flatMap(({ seat }) => {
      const squares = (view) =>
        view.pieces
          .filter((piece) => piece.seat === seat && piece.square)
          .map((piece) => piece.square);
      const left = squares(shown.view);
      return squares(before)
        .filter((square) => !left.includes(square) || !left.splice(left.indexOf(square), 1))
        .map((square) => ({ seat, square }));
    });
}

// After `delay` milliseconds, moves captured pieces back to their start.
export function animateCaptured(captured, delay) {
  for (const { seat, square } of captured) {
    const home = spots.find(
      ({ group }) =>
        group.seat === seat &&
        (group.stage === "waits" || group.square === shown.board.courses[seat][0]),
    );
    if (home)
      animate({ seat, count: 1 }, [drawing.frame.centre(square), [home.x, home.y]], {
        delay,
        duration: 2 * delay,
        fill: "backwards",
      });
  }
}

// Moves pieces along the path of a move within `duration` milliseconds. Until they arrive, hides
// the pieces at the end of the path.
export async function animateMove({ from, path, seat, pieces: { length: count } }, duration) {
  const squares = [from, ...(path ?? [])].filter(Boolean);
  if (squares.length < 2 || !duration) return;
  const spot = spots.find(
    ({ group }) => group.seat === seat && group.square === squares.at(-1) && group.count === count,
  );
  spot?.made.classList.add("arriving");
  await animate(
    { seat, count, isJoined: count > 1 },
    squares.map((square) => drawing.frame.centre(square)),
    { duration },
  );
  spot?.made.classList.remove("arriving");
}

// Lets petals in the colours of the winners fall over the board.
const PETALS = 48,
  FALL = 2400;
export function celebrate(winners) {
  const { width, height } = drawing.frame;
  for (let number = 0; number < (winners.length && PETALS); number++) {
    const petal = svg("path", {
      d: "M0-9C8-4 7 5 0 9C-7 5-8-4 0-9",
      class: `petal seat-${winners[number % winners.length]}`,
    });
    const random = (from, to) => from + (to - from) * Math.random(),
      x = random(0, width),
      turn = random(-500, 500);
    const at = (x, y, turn) => ({ transform: `translate(${x}px, ${y}px) rotate(${turn}deg)` });
    ghosts.append(petal);
    petal
      .animate([at(x, -SIZE, 0), at(x + random(-2, 2) * SIZE, height + SIZE, turn)], {
        duration: random(1, 2) * FALL,
        delay: random(0, FALL),
        easing: "ease-in",
        fill: "backwards",
      })
      .finished.catch(() => {})
      .then(() => petal.remove());
  }
}

async function animate(group, places, timing) {
  const [endX, endY] = places.at(-1),
    ghost = ghostOf(group);
  const holder = svg("g", { transform: `translate(${endX} ${endY})` }, ghost);
  ghosts.append(holder);
  const frames = places.map(([x, y]) => ({ transform: `translate(${x - endX}px, ${y - endY}px)` }));
  await ghost.animate(frames, { easing: "ease-in-out", ...timing }).finished.catch(() => {});
  holder.remove();
}

// A moving group, drawn above everything else.
function ghostOf(group) {
  const made = svg("g", { class: `piece seat-${group.seat}` }, drawn(svg, group, SIZE - 3));
  ghosts.append(made);
  return made;
}
