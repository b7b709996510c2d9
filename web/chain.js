// The throws of a game by link. No person can choose or foresee a throw.
//
// Each person has a secret seed. The SHA-256 of the seed, the SHA-256 of this hash and so on form a chain of LENGTH
// elements. The last hash is element 0, the hash before it element 1. An element proves the earlier elements, but does
// not reveal the later ones. Elements are lower-case hexadecimal texts; SHA-256 takes such a text in UTF-8.
//
// A game is a list of visits. A visit is everything that a person does between opening a link and sending the next
// link. Each visit reveals the next element of the visitor. In the first visits, all persons publish element 0. Then
// the visitor is the seat to move; but if this seat made the last visit, the visitor is the next person of the ring.
// A visitor plays only the own seat, and does not throw after a choice between several turns. This throw needs another
// visit of the same person, after a visit of another person. So visitors learn their throws only after their last
// choice, and only the visitor knows the element that these throws need.
//
// The SHA-256 of the text `E1 E2 … N` gives a throw. `E1 E2 …` are the newest elements of all persons, in the order of
// the ring and with the element of this visit. N counts the throws of the visit from 0. The first 13 digits of the
// hash, divided by 2^52, are a number from 0 to 1. It selects an outcome of the engine's `chance`, in its order.

export const LENGTH = 2000;

// The problem of a link: `fault` names it; `at` is the node, and `seat` the seat where it is.
export const fault = (fault, at, seat) => Object.assign(new Error(fault), { fault, at, seat });

const hex = bytes => [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, "0")).join("");
export const randomHex = size => hex(crypto.getRandomValues(new Uint8Array(size)));

export async function sha(text) {
  if (!globalThis.crypto?.subtle) throw fault("crypto");
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

// Returns `text` and its `times` following hashes.
async function hashes(text, times) {
  const all = [text];
  while (all.length <= times) all.push(await sha(all.at(-1)));
  return all;
}

// The element with this number in the chain of a seed.
export async function elementOf(seed, number) {
  if (number >= LENGTH) throw fault("length");
  return (await hashes(seed, LENGTH - number)).at(-1);
}

// Returns the first `count` visits of a game, or all if there are fewer: { seat, from, to }, from node to node. If a
// visit is not finished, `to` is the number of nodes.
export function visits(ring, nodes, count) {
  const all = [...ring].slice(0, count).map(seat => ({ seat, from: 0, to: 0 }));
  while (all.length < count && nodes[all.at(-1).to]?.mover) {
    const { seat: last, to: from } = all.at(-1), { mover } = nodes[from];
    const seat = mover === last ? ring[(ring.indexOf(last) + 1) % ring.length] : mover;
    all.push({ seat, from, to: endOf(nodes, seat, from) });
  }
  return all;
}

function endOf(nodes, seat, from) {
  let hasChosen = false;
  for (let at = from; at < nodes.length; at++) {
    const { node, mover, choices } = nodes[at];
    if (mover !== seat || (hasChosen && node === "chance")) return at;
    hasChosen ||= node === "decision" && choices > 1;
  }
  return nodes.length;
}

const countOf = (all, seat) => all.filter(visit => visit.seat === seat).length;

// Draws one of `outcomes` [{ p, throw }] with its probability, by a number from 0 to 1.
export function pick(outcomes, number) {
  for (const outcome of outcomes) {
    number -= outcome.p;
    if (number < 0) return outcome.throw;
  }
  return outcomes.at(-1).throw;
}

// The number from 0 to 1 for a throw.
export const chance = async (elements, number) => parseInt((await sha([...elements, number].join(" "))).slice(0, 13), 16) / 2 ** 52;

// Checks that a game continues `known`, and checks the later throws. `visits` is the number of visits, `elements` are
// the newest elements in the order of the ring. `outcomesAt(at)` returns the possible throws at a node. Throws a fault.
export async function verify({ ring, visits: count, elements }, { nodes, steps }, outcomesAt, known) {
  const all = visits(ring, nodes, count);
  if (all.length < count || all.at(-1).to !== steps.length) throw fault("visits", all.at(-1).to);
  // One more hash than necessary shows whether a wrong element is a later one of the chain.
  const chains = await Promise.all([...ring].map(async (seat, own) => {
    const used = countOf(all, seat), old = known.elements[own];
    const chain = used ? (await hashes(elements[own], used)).reverse() : [];
    if (!old || chain[countOf(all.slice(0, known.visits), seat)] === old) return chain.slice(1);
    throw fault(chain.includes(old) ? "skipped" : "foreign", all.findLast(visit => visit.seat === seat).from, seat);
  }));
  for (let done = Math.max(known.visits, ring.length); done < count; done++) {
    const newest = [...ring].map((seat, own) => chains[own][countOf(all.slice(0, done + 1), seat) - 1]);
    let number = 0;
    for (let at = all[done].from; at < all[done].to; at++) {
      if (!steps[at].thrown) continue;
      const thrown = pick(await outcomesAt(at), await chance(newest, number++));
      if (String(thrown) !== String(steps[at].thrown)) throw fault("throw", at, all[done].seat);
    }
  }
}

// A game by link in this browser: the public `record`, the own `seat` and `seed`, and all `steps` that the page shows
// one after the other.
export class LinkGame {
  constructor(record, seat, seed, steps, note) {
    Object.assign(this, { record, seat, seed, steps, note });
  }

  // The current visit; null after the end of the game.
  visit({ nodes }) {
    const { ring, visits: count } = this.record.friend;
    return visits(ring, nodes, count + 1)[count] ?? null;
  }

  // Returns what happens next. "own": this person acts; "coming": the page shows the next step of the last link;
  // "ending": the visit ends and reveals an element; "friend": a friend acts; "over": nothing; "past": an earlier node.
  stage(game) {
    if (!game.isAtEnd) return "past";
    if (this.steps.length > game.last) return "coming";
    const visit = this.visit(game);
    if (visit?.seat !== this.seat) return visit ? "friend" : "over";
    return visit.to === game.nodes.length ? "own" : "ending";
  }

  // The newest elements, with the own element of the current visit.
  async elements({ nodes }) {
    const { ring, visits: count, elements } = this.record.friend;
    const number = countOf(visits(ring, nodes, count), this.seat);
    this.next = this.next?.number === number ? this.next : { number, element: await elementOf(this.seed, number) };
    return elements.with(ring.indexOf(this.seat), this.next.element);
  }

  // The number from 0 to 1 for the next throw.
  async chance(game) {
    const { from } = this.visit(game);
    return chance(await this.elements(game), game.steps.slice(from).filter(step => step.thrown).length);
  }
}
