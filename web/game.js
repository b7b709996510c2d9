// One game: where it began, what was thrown and chosen, every position between, and where in it we are.
//
// Undo, redo and replay are the same thing: another place in it. Another move there drops what came after.
// It knows neither the players nor how it is drawn.

export const SEATS = { S: "South", E: "East", N: "North", W: "West" };

export class Game {
  // `begins`: the node of the first position: { position, node, mover, choices, returns }; `about`: the game, as in
  // games.js; `board`: what of it never changes, as the engine describes it.
  constructor({ begins, about, board }) {
    this.about = about;
    this.board = board;
    this.nodes = [begins];
    // What led from each node to the next: { seat, thrown }, or the rest of a turn: { seat, actions, words, moves }.
    this.steps = [];
    this.at = 0;
  }

  get node() {
    return this.nodes[this.at];
  }

  get position() {
    return this.node.position;
  }

  // A request about the position where we are; that of a sheet brings it along.
  request(op, more = {}) {
    return { op, position: this.position, sheet: this.about.sheet, ...more };
  }

  get last() {
    return this.nodes.length - 1;
  }

  get isAtEnd() {
    return this.at === this.last;
  }

  // The game with its house rules, as the notation has it.
  get rules() {
    return this.position.split(" ")[0];
  }

  // The letters of the seats, in the order of the position.
  get seats() {
    return this.position.split(" ")[1].split("/").map(seat => seat[0]);
  }

  // The same as a word, such as "SEN".
  get letters() {
    return this.seats.join("");
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
    const places = this.nodes.keys();
    return [...places].filter(at => at === 0 || this.begins(at) || this.nodes[at].node === "over");
  }

  // What was thrown in the turn that a place belongs to, up to it; and what was chosen.
  turn(at) {
    return this.between(this.turnOf(at), at);
  }

  // The turn that ended where the turn of `at` begins, or null.
  previousTurn(at) {
    const from = this.turnOf(at);
    if (from === 0) return null;
    const before = this.turnOf(from - 1);
    return this.between(before, from);
  }

  // From and to where the last turn went that is over: the one before this, or this one where the game is.
  lastTurn() {
    const to = this.node.node === "over" || this.begins(this.at) ? this.at : this.turnOf(this.at);
    return [to > 0 ? this.turnOf(to - 1) : 0, to];
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

  between(from, to) {
    const steps = this.steps.slice(from, to);
    return {
      from,
      to,
      seat: this.nodes[from].mover,
      throws: steps.flatMap(step => step.thrown ?? []),
      choices: steps.filter(step => step.actions),
    };
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
