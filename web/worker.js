// The worker of the page: rules and bots in a separate thread, so that the page never waits for
// them.

import { attempt } from "./attempt.js";
import { fetchBytes, load } from "./engine.js";
import { serve } from "./serve.js";

// The positions in which the turn can end; null if there are too many, as in a very long series of
// throws.
const endsOf = (answer, position) =>
  attempt(() => new Set(answer({ op: "choices", position }).turns.map((turn) => turn.position)));

// The agent's values of a position. At a decision they are the values of the best position in which
// the turn can end, so that the best choice does not change the values.
function valuesOf(answer, position) {
  const expected = (position) => answer({ op: "evaluate", position }).values;
  // After a very long series of throws, the agent evaluates the position itself.
  const { node, mover, seats } = answer({ op: "view", position });
  const ends = node === "decision" ? endsOf(answer, position) : null;
  if (!ends) return expected(position);
  const own = seats.findIndex(({ seat }) => seat === mover);
  return [...ends]
    .map(expected)
    .reduce((best, values) => (values[own] > best[own] ? values : best));
}

// The tasks of the worker. `answer(request)` lets the agent of the task answer a request of the
// engine protocol.
const tasks = {
  ask: (answer, { request }) => answer(request),
  prepare: () => true,
  values: (answer, { positions }) => positions.map((position) => valuesOf(answer, position)),
  // Lets an agent play the rest of a turn; returns its actions.
  choose(answer, { position, seed }) {
    const actions = [];
    while (answer({ op: "view", position }).node === "decision") {
      const { action } = answer({ op: "bestmove", position, seed: seed + actions.length });
      actions.push(action);
      ({ position } = answer({ op: "apply", position, action }));
    }
    return actions;
  },
};

// Without a network, a file cannot be fetched.
const fetchFile = (name, progress) =>
  fetchBytes(new URL(`./${name}`, import.meta.url), progress).catch((error) => {
    throw error instanceof TypeError ? Object.assign(error, { code: "offline" }) : error;
  });

serve(self, load, fetchFile, tasks);
