// The dialog that sets up a position. It moves pieces in the text of the position, and the engine
// judges the text.

import { ask } from "./ask.js";
import { attempt } from "./attempt.js";
import { takePosition } from "./begin.js";
import * as board from "./board.js";
import { byId, fill, onClick, options } from "./dom.js";
import { bySeat } from "./game.js";
import { groups } from "./pieces.js";
import * as play from "./play.js";
import { text } from "./text.js";

// The position on the board: { seats: [{ seat, marks, places }], mover }, the parts of the
// notation.
let position = null;

byId("setup-text").addEventListener("input", ({ target }) =>
  show(attempt(() => read(target.value)) ?? position),
);
byId("setup-mover").addEventListener("change", ({ target }) =>
  write({ ...position, mover: target.value }),
);
byId("setup").addEventListener("close", () => {
  byId("place").prepend(byId("board"));
  play.changed({ kind: "set up" });
});
onClick({ "#setup-play": playFromHere });

export function openSetup() {
  byId("exchange").close();
  byId("setup").showModal();
  byId("setup-board").append(byId("board"));
  write(read(play.game.position));
}

// Reads a position of this game, without the marks of declared units. Throws an error if the board
// cannot show it.
function read(written) {
  const { rules, seats: letters } = play.game,
    [game, places, mover] = written.trim().split(/\s+/);
  const seats = places.split("/").map((part) => {
    const [, seat, marks, own] = /^(.)(.*):(.+)$/.exec(part);
    return { seat, marks, places: own.split(",").map((place) => place.replace(/(\d)t$/, "$1")) };
  });
  const isShown = ({ seat, places }, at) =>
    seat === letters[at] &&
    places.every((place) => targets(seat).some((target) => target.place === place));
  if (game !== rules || seats.length !== letters.length || !seats.every(isShown))
    throw new Error(written);
  return { seats, mover: letters.includes(mover) ? mover : letters[0] };
}

// The places of a seat, in the order of the notation: [{ place, path, label, words, isBack }].
// `label` is shown on the board. The last square of a course can be the finish.
function targets(seat) {
  const { courses, first_number: first, words, bears_off: bearsOff, squares } = play.game.board,
    course = courses[seat];
  const { ground } = squares.find(({ square }) => square === course.at(-1)),
    last = ["end", "home"].includes(ground) ? course.length - 1 : null;
  const inTray = (place) => ({ place, path: [], label: place, words: place });
  const onCourse = course.map((square, at) => {
    const place = at === last ? words.home : String(at + first),
      isTwice = course.indexOf(square) !== course.lastIndexOf(square);
    return {
      place,
      path: [square],
      label: isTwice ? place : "",
      words: isTwice ? `${square} (${place})` : square,
      isBack: course.indexOf(square) < at,
    };
  });
  return [inTray(words.off), ...onCourse, ...(bearsOff ? [inTray(words.borne)] : [])];
}

function write(next) {
  for (const { seat, places } of next.seats) {
    const order = targets(seat).map(({ place }) => place);
    places.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  }
  const seats = next.seats.map(({ seat, marks, places }) => `${seat}${marks}:${places}`).join("/");
  byId("setup-text").value = `${play.game.rules} ${seats} ${next.mover} *`;
  show(next);
}

function put({ seat, leaves, place }) {
  const { places } = position.seats.find((own) => own.seat === seat);
  places[places.indexOf(leaves)] = place;
  write(position);
}

// Shows a position, and whether the engine accepts the text. Finished pieces are in their tray.
async function show(next) {
  position = next;
  const {
      board: about,
      seats,
      about: { sheet },
    } = play.game,
    { mover } = position,
    { home } = about.words,
    written = byId("setup-text").value;
  const all = position.seats.flatMap(({ seat, places }) =>
    places.map((place) => {
      const { path, isBack } = targets(seat).find((target) => target.place === place);
      return {
        seat,
        place,
        square: place === home ? null : (path[0] ?? null),
        is_back: isBack,
        is_marked: isBack,
      };
    }),
  );
  const view = { seats: position.seats, mover, pieces: all };
  const places = groups(view, about.words).flatMap(({ key, seat, place: leaves, pieces }) =>
    targets(seat)
      .filter(({ place }) => place !== leaves)
      .map((target) => ({
        ...target,
        key,
        seat,
        leaves,
        pieces: pieces.slice(0, 1),
        throws: [],
        captures: [],
      })),
  );
  board.draw({
    board: about,
    view,
    seenFrom: seats[0],
    course: mover,
    labels: bySeat(seats, play.label),
    winners: [],
    moves: [],
    options: places,
    put,
  });
  fill(
    byId("setup-mover"),
    options(
      seats.map((seat) => [seat, text(`seat.${seat}`)]),
      mover,
    ),
  );
  const problem = await ask({ op: "view", position: written, sheet }).then(
    () => "",
    (error) => error.message,
  );
  if (written === byId("setup-text").value) judge(problem);
}

function judge(problem) {
  byId("setup-play").disabled = Boolean(problem);
  byId("setup-verdict").className = problem ? "warning" : "soft";
  byId("setup-verdict").textContent = problem || text("setup.possible");
}

async function playFromHere() {
  try {
    await takePosition(byId("setup-text").value);
    byId("setup").close("done");
  } catch (error) {
    judge(error.message);
  }
}
