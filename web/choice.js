// What a person chooses of a turn: moves of whole pieces, one after the other, until only one turn is left.
//
// It begins with every way to play the turn, as the engine's `choices` lists them, and keeps those that have the moves
// picked so far. It draws nothing and asks nothing.

export class Choice {
  // `turns` as `choices` answers, `groups` the pieces as they stand (pieces.js).
  constructor(turns, groups) {
    const keyOf = new Map(groups.flatMap(group => group.pieces.map(piece => [piece, group.key])));
    // Pieces that stand alike are alike: which of them moves makes no difference.
    const named = move => ({ ...move, key: keyOf.get(move.pieces[0]), name: [keyOf.get(move.pieces[0]), move.pieces.length, move.place, sum(move.throws)].join("|") });
    this.groups = groups;
    this.all = turns.map(turn => ({ ...turn, moves: turn.moves.map(named) }));
    this.picked = [];
    this.left = this.all;
  }

  // The moves that can be picked next: [{ ...move, turns, captures }], each once, with the turns that are left with it.
  // `captures` is whether it captures in all of them.
  get options() {
    const all = this.left.flatMap(turn => without(turn, this.picked).map(move => ({ move, turn })));
    return [...Map.groupBy(all, ({ move }) => move.name).values()].map(found => {
      const [{ move }] = found, turns = [...new Set(found.map(({ turn }) => turn))];
      return { ...move, turns, captures: turns.every(turn => turn.captures.includes(move.path.at(-1))) };
    });
  }

  // The turn, where it is decided: all that are left lead to the same position.
  get turn() {
    return isOne(this.left) ? this.left[0] : null;
  }

  // The turn in which nothing more moves, where there is one and others go on; null where there is none.
  get end() {
    return this.picked.length ? this.left.find(turn => without(turn, this.picked).length === 0) ?? null : null;
  }

  pick(move) {
    this.picked.push(move);
    this.left = this.left.filter(turn => without(turn, this.picked));
  }

  // Takes the last pick back.
  back() {
    this.picked.pop();
    this.left = this.all.filter(turn => without(turn, this.picked));
  }

  // A view of the board with the moves that are picked; what they capture is marked as `is_taken`.
  preview(view) {
    const pieces = view.pieces.map(piece => ({ ...piece }));
    const moved = new Set();
    for (const move of this.picked) {
      for (const piece of this.groups.find(group => group.key === move.key).pieces.filter(piece => !moved.has(piece)).slice(0, move.pieces.length)) {
        moved.add(piece);
        Object.assign(pieces[piece], { square: move.path.at(-1) ?? null, place: move.place });
      }
      if (move.captures) for (const piece of pieces) if (piece.seat !== move.seat && piece.square === move.path.at(-1)) piece.is_taken = true;
    }
    return { ...view, pieces };
  }

  // The throws that the picks leave over, of these.
  unused(throws) {
    const left = [...throws];
    for (const value of this.picked.flatMap(move => move.throws)) left.splice(left.lastIndexOf(value), left.includes(value) ? 1 : 0);
    return left;
  }
}

// Throws as a sum: "1+2", "8×3".
export function stacked(throws, separator = "+") {
  const counts = new Map();
  for (const value of throws) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => count > 1 ? `${value}×${count}` : `${value}`).join(separator);
}

const sum = throws => throws.reduce((all, value) => all + value, 0);
const isOne = turns => turns.every(turn => turn.position === turns[0].position);

// The moves of a turn without those that were picked; null where it lacks one of them.
function without(turn, picked) {
  const moves = [...turn.moves];
  for (const { name } of picked) {
    const at = moves.findIndex(move => move.name === name);
    if (at < 0) return null;
    moves.splice(at, 1);
  }
  return moves;
}

export const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
