// One game: where it began, what was thrown and chosen, every position between, and where in it we are.
//
// Undo, redo and replay are the same thing: another place in it. Another move there drops what came after.
// It knows neither the players nor how it is drawn.

export const SEATS = { S: "South", E: "East", N: "North", W: "West" };

// Something for each of these seats, as an object by seat.
export const bySeat = (seats, find) => Object.fromEntries([...seats].map((seat, at) => [seat, find(seat, at)]));

// What a position says of its game: the rules with its house rules, as the notation has them; the letters of the seats
// in their order; and the same as a word, such as "SEN".
export function headOf(position) {
  const [rules, places] = position.split(" ");
  const seats = places.split("/").map(seat => seat[0]);
  return { rules, seats, letters: seats.join("") };
}

export class Game {
  // `begins`: the node of the first position: { position, node, mover, choices, returns }; `steps`: what was played from
  // it; `about`: the game, as in games.js; `board`: what of it never changes, as the engine describes it.
  constructor({ begins, steps, about, board }) {
    Object.assign(this, headOf(begins.position));
    this.about = about;
    this.board = board;
    this.nodes = [begins];
    // What led from each node to the next: { seat, thrown }, or the rest of a turn: { seat, actions, words, moves }.
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

  // A request about the position where we are; that of a sheet brings it along.
  request(op) {
    return { op, position: this.position, sheet: this.about.sheet };
  }

  get last() {
    return this.nodes.length - 1;
  }

  get isAtEnd() {
    return this.at === this.last;
  }

  // Adds moves at the place where we are, and goes there.
  add(steps) {
    this.steps.length = this.at;
    this.nodes.length = this.at + 1;
    for (const { step, node } of steps) {
      this.steps.push(step);
      this.nodes.push(node);
    }
    this.at = this.last;
  }

  // Whether a turn begins at a place.
  begins(at) {
    return this.nodes[at].position.endsWith(" *");
  }

  // Where the turn began that a place belongs to.
  turnOf(at) {
    while (at > 0 && !this.begins(at)) at--;
    return at;
  }

  // The nearest place before `at` that passes, or null.
  before(at, passes) {
    for (let place = at - 1; place >= 0; place--) if (passes(place)) return place;
    return null;
  }

  // The nearest place after `at` that passes, or the end; null at the end.
  after(at, passes) {
    for (let place = at + 1; place <= this.last; place++) if (passes(place) || place === this.last) return place;
    return null;
  }

  // Places where turns begin, and the end of a game that is over.
  get turns() {
    return [...this.nodes.keys()].filter(at => at === 0 || this.begins(at) || this.nodes[at].node === "over");
  }

  // What was thrown in the turn that a place belongs to, up to it; and what was chosen.
  turn(at) {
    return this.between(this.turnOf(at), at);
  }

  // The turn that ended where the turn of `at` begins, or null.
  previousTurn(at) {
    const from = this.turnOf(at);
    return from === 0 ? null : this.between(this.turnOf(from - 1), from);
  }

  // The last turn that is over: the one before this, or this one where the game is; or null.
  get lastTurn() {
    return this.node.node === "over" ? this.turn(this.at) : this.previousTurn(this.at);
  }

  // The moves to be shown as the last ones: of this turn, and of the turns since this seat's last one.
  get lastMoves() {
    const movesOf = turn => turn?.choices.flatMap(step => step.moves) ?? [];
    const own = this.turn(this.at), moves = movesOf(own), seats = new Set([own.seat]);
    for (let turn = this.previousTurn(this.at); turn && !seats.has(turn.seat); turn = this.previousTurn(turn.from)) {
      seats.add(turn.seat);
      moves.unshift(...movesOf(turn));
    }
    return moves.length ? moves : movesOf(this.previousTurn(this.at));
  }

  // Who won, in words; null before the end.
  get result() {
    const { returns } = this.nodes[this.last];
    if (!returns) return null;
    const names = this.seats.map(seat => SEATS[seat]), most = Math.max(...returns);
    const winners = names.filter((_, at) => returns[at] === most);
    if (winners.length === names.length) return "A dead position: shared";
    if (this.board.outlook === "placings") {
      const places = returns.map(own => 1 + returns.filter(other => other > own).length);
      return `Over: ${names.map((name, at) => [places[at], name]).sort(([a], [b]) => a - b).map(place => place.join(". ")).join(", ")}`;
    }
    return winners.length === 1 ? `${winners[0]} wins` : `${winners.join(" and ")} win`;
  }

  // Who played what from one place to another.
  between(from, to) {
    const steps = this.steps.slice(from, to);
    const throws = steps.flatMap(step => step.thrown ?? []), choices = steps.filter(step => step.actions);
    return { from, to, seat: this.nodes[from].mover, throws, choices };
  }

  // Moves as a file of games has them: the throws of a series together.
  get moves() {
    const moves = [];
    this.steps.forEach(({ thrown, actions }, at) => {
      const goesOn = thrown && Array.isArray(moves.at(-1)) && !this.begins(at);
      if (goesOn) moves.push([...moves.pop(), ...thrown]);
      else moves.push(...(thrown ? [thrown] : actions));
    });
    return moves;
  }
}
