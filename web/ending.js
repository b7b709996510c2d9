// By how much a game was won: the steps that the other seats are behind the winners, and their pieces at the finish.

import { text } from "./text.js";

// `view` and `board` as the engine describes them. Without winners, the text is empty.
export function ending(view, { courses, words, first_number: first, bears_off: bearsOff }, winners) {
  const seats = view.seats.map(({ seat }) => {
    const places = view.pieces.filter(piece => piece.seat === seat).map(({ place }) => place), end = courses[seat].length - 1;
    // A waiting piece is one step before its course; a piece that was borne off is one step after it.
    const walked = { [words.off]: -1, [words.home]: end, [words.borne]: end + 1 };
    const steps = places.reduce((sum, place) => sum + end + (bearsOff ? 1 : 0) - (walked[place] ?? place - first), 0);
    return { seat, steps, all: places.length, home: places.filter(place => place === (bearsOff ? words.borne : words.home)).length };
  });
  const won = seats.filter(({ seat }) => winners.includes(seat)), least = Math.min(...won.map(({ steps }) => steps));
  return seats.map(({ seat, steps, all, home }) => ({ seat, count: steps - least, all, home })).filter(({ count }) => count > 0).sort((a, b) => a.count - b.count)
    .map(({ seat, ...numbers }) => `${text(`seat.${seat}`)}: ${text("ending.behind", numbers)}${won.every(({ home, all }) => home === all) ? `, ${text("ending.home", numbers)}` : ""}`)
    .join("; ");
}
