// A person's choices in a turn: moves of whole pieces, one after the other, until the turn is
// complete.
//
// Follows the graph of moves in the engine's answer to `choices`. This module does not know the
// rules, draw anything or send requests.

import { groups } from "./pieces.js";

export class Choice {
  // `turns`, `moves` and `nodes` of the answer to `choices`, the view of the position, and the
  // names that the game has for things.
  constructor({ turns, moves, nodes }, view, words) {
    Object.assign(this, { turns, moves, nodes, view, words });
    this.picked = [];
  }

  get at() {
    return this.picked.at(-1)?.to ?? 0;
  }

  // The next possible moves: [{ ...move, name, key, moved, to, actions }]. `key` is the key of the
  // group of pieces (pieces.js), `moved` are the pieces that move, `to` the next node, and
  // `actions` the actions of the move.
  get options() {
    const here = groups(this.preview(), this.words);
    return this.nodes[this.at].lines.map(([taken, to, actions]) => {
      const move = this.moves[taken],
        key = `${move.seat} ${move.leaves}${move.is_marked ? " t" : ""}`;
      const group =
        here.find((group) => group.key === key) ??
        here.find(({ seat, place }) => seat === move.seat && place === move.leaves);
      return {
        ...move,
        name: String(taken),
        key: group.key,
        moved: group.pieces.slice(0, move.pieces.length),
        to,
        actions,
      };
    });
  }

  // The move, if only one move is possible and this move captures nothing; otherwise null.
  get forced() {
    const { lines, end } = this.nodes[this.at];
    return lines.length === 1 && !end && !this.moves[lines[0][0]].captures.length
      ? this.options[0]
      : null;
  }

  get isDecided() {
    return this.nodes[this.at].lines.length === 0;
  }

  // The actions of the turn if it ends here; null if a move is required.
  get end() {
    const { end } = this.nodes[this.at];
    return end && [...this.picked.flatMap(({ actions }) => actions), ...end[1]];
  }

  pick(option) {
    this.picked.push(option);
  }

  back() {
    this.picked.pop();
  }

  // The largest `worth` among all turns that are still possible at a node.
  best(at, worth, known = new Map()) {
    if (!known.has(at)) {
      const { lines, end } = this.nodes[at];
      known.set(
        at,
        Math.max(
          ...lines.map(([, to]) => this.best(to, worth, known)),
          end ? worth(this.turns[end[0]]) : -Infinity,
        ),
      );
    }
    return known.get(at);
  }

  // The positions in which the turn can still end.
  get left() {
    const left = new Set();
    this.best(this.at, ({ position }) => left.add(position).size);
    return [...left];
  }

  // A view of the board after the picked moves; captured pieces are marked with `is_taken`.
  preview(view = this.view) {
    const pieces = view.pieces.map((piece) => ({ ...piece }));
    for (const { moved, captures, path, place } of this.picked) {
      for (const piece of moved)
        Object.assign(pieces[piece], { square: path.at(-1) ?? null, place });
      for (const piece of captures) pieces[piece].is_taken = true;
    }
    return { ...view, pieces };
  }

  // The throws that the picked moves have not used.
  unused(throws) {
    const left = [...throws];
    for (const value of this.picked.flatMap((move) => move.throws))
      left.splice(left.lastIndexOf(value), left.includes(value) ? 1 : 0);
    return left;
  }
}

// Throws as a sum: "1+2", "8×3".
export function stacked(throws, separator = "+") {
  const counts = new Map();
  for (const value of throws) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => (count > 1 ? `${value}×${count}` : `${value}`))
    .join(separator);
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
