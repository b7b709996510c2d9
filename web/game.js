// One game: its nodes (positions) and the steps between them (throws and choices). `at` is the
// index of the current node.
//
// Undo, redo and replay only change `at`. A new move replaces the later steps. This module does not
// know the players or the drawing.

import { list, text } from "./text.js";

// Makes an object with a value for each seat.
export const bySeat = (seats, find) =>
  Object.fromEntries([...seats].map((seat, at) => [seat, find(seat, at)]));

// Reads the game of a position: `rules`, the game with its house rules, as in the notation;
// `seats`, the list of the letters of the seats; `letters`, the seats as a word, such as "SEN".
export function headOf(position) {
  const [rules, places] = position.split(" ");
  const seats = places.split("/").map((seat) => seat[0]);
  return { rules, seats, letters: seats.join("") };
}

export class Game {
  // `begins`: the node of the first position, { position, node, mover, choices, returns }; `steps`:
  // the moves from this node; `about`: the game, as in games.js; `board`: the constant parts of the
  // game, as the engine describes them.
  constructor({ begins, steps, about, board }) {
    Object.assign(this, headOf(begins.position));
    this.about = about;
    this.board = board;
    this.nodes = [begins];
    // The steps from each node to the next node: a throw { seat, thrown }, or the rest of a turn {
    // seat, actions, words, moves }.
    this.steps = [];
    this.at = 0;
    this.add(steps);
  }

  get node() {
    return this.nodes[this.at];
  }

  get position() {
    return this.node.position;
  }

  // A request about the current position, with the sheet if the game has one.
  request(op) {
    return { op, position: this.position, sheet: this.about.sheet };
  }

  get last() {
    return this.nodes.length - 1;
  }

  get isAtEnd() {
    return this.at === this.last;
  }

  // Replaces the steps after the current node, and goes to the last node.
  add(steps) {
    this.steps.length = this.at;
    this.nodes.length = this.at + 1;
    for (const { step, node } of steps) {
      this.steps.push(step);
      this.nodes.push(node);
    }
    this.at = this.last;
  }

  // Whether a turn, or another throw after a move, begins at a node.
  begins(at) {
    return this.nodes[at].node === "chance" && !this.steps[at - 1]?.thrown;
  }

  // The first node of the turn of `at`.
  turnOf(at) {
    return this.before(at + 1, (place) => this.begins(place)) ?? 0;
  }

  // The last node before `at` for which `passes` is true, or null.
  before(at, passes) {
    for (let place = at - 1; place >= 0; place--) if (passes(place)) return place;
    return null;
  }

  // The first node after `at` for which `passes` is true, otherwise the last node. If `at` is the
  // last node, null.
  after(at, passes) {
    for (let place = at + 1; place <= this.last; place++)
      if (passes(place) || place === this.last) return place;
    return null;
  }

  // The first node of each turn, and the end of a finished game.
  get turns() {
    return [...this.nodes.keys()].filter(
      (at) => at === 0 || this.begins(at) || this.nodes[at].node === "over",
    );
  }

  // The part of the turn of node `at` before this node.
  turn(at) {
    return this.between(this.turnOf(at), at);
  }

  // The turn before the turn of node `at`, or null.
  previousTurn(at) {
    const from = this.turnOf(at);
    return from === 0 ? null : this.between(this.turnOf(from - 1), from);
  }

  // The last turns in a row of another seat, or null. At the end of the game this is the current turn.
  get lastTurn() {
    if (this.node.node === "over") return this.turn(this.at);
    let turn = this.previousTurn(this.at);
    while (turn?.seat === this.node.mover) turn = this.previousTurn(turn.from);
    // A seat can have several turns in a row.
    let from = turn?.from;
    while (from && this.previousTurn(from).seat === turn.seat) ({ from } = this.previousTurn(from));
    return turn && this.between(from, turn.to);
  }

  // The moves of this turn, and of the turns of other seats just before it. If there are no such
  // moves, the moves of the previous turn.
  get lastMoves() {
    const movesOf = (turn) => turn?.choices.flatMap((step) => step.moves) ?? [];
    const own = this.turn(this.at),
      moves = movesOf(own),
      seats = new Set([own.seat]);
    for (
      let turn = this.previousTurn(this.at);
      turn && !seats.has(turn.seat);
      turn = this.previousTurn(turn.from)
    ) {
      seats.add(turn.seat);
      moves.unshift(...movesOf(turn));
    }
    return moves.length ? moves : movesOf(this.previousTurn(this.at));
  }

  // The seats with the best result; none before the end or after a draw.
  get winners() {
    const { returns = [] } = this.nodes[this.last],
      best = this.seats.filter((_, at) => returns[at] === Math.max(...returns));
    return best.length < this.seats.length ? best : [];
  }

  // The result in words; null before the end.
  get result() {
    const { returns } = this.nodes[this.last];
    if (!returns) return null;
    const nameOf = (seat) => text(`seat.${seat}`),
      names = this.seats.map(nameOf),
      winners = this.winners.map(nameOf);
    if (!winners.length) return text("game.draw");
    if (this.board.outlook === "placings") {
      const places = returns.map((own) => 1 + returns.filter((other) => other > own).length);
      const ordered = names.map((name, at) => [places[at], name]).sort(([a], [b]) => a - b);
      return text("game.places", {
        places: ordered.map((place) => place.join(".\u00a0")).join(", "),
      });
    }
    return text("game.wins", { winners: list(winners), count: winners.length });
  }

  between(from, to) {
    const steps = this.steps.slice(from, to);
    const throws = steps.flatMap((step) => step.thrown ?? []),
      choices = steps.filter((step) => step.actions);
    return { from, to, seat: this.nodes[from].mover, throws, choices };
  }

  // The moves in the form of a games file, where all throws of a series are one list.
  get moves() {
    const moves = [];
    this.steps.forEach(({ thrown, actions }) => {
      const goesOn = thrown && Array.isArray(moves.at(-1));
      if (goesOn) moves.push([...moves.pop(), ...thrown]);
      else moves.push(...(thrown ? [thrown] : actions));
    });
    return moves;
  }
}
