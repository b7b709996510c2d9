// The worker of the page: rules and bots in a separate thread, so that the page never waits for them.

import { attempt } from "./attempt.js";
import { fetchBytes, load } from "./engine.js";
import { serve } from "./serve.js";

// Whether a position is a decision: not a chance node (`*`, `*2` after two throws, `4,*` in a series) and not the end
// (`-`).
const isDecision = position => !/ (\*\d?|-|\S*,\*)$/.test(position);

// A position with the information that is needed to continue from it. `choices` is the number of positions in which the
// turn can end.
function node(answer, position, returns) {
  const { node, mover, returns: reached } = answer({ op: "view", position });
  return { position, node, mover, choices: node === "decision" ? endsOf(answer, position)?.size ?? Infinity : 0, returns: returns ?? reached };
}

// The positions in which the turn can end; null if there are too many, as in a very long series of throws.
const endsOf = (answer, position) => attempt(() => new Set(answer({ op: "choices", position }).turns.map(turn => turn.position)));

// A turn without moves, in words.
function passWords(answer, position) {
  const words = new Set(answer({ op: "why", position }).reasons.map(({ words }) => words));
  return `nothing moves${words.size ? `: ${[...words].join("; ")}` : ""}`;
}

// The agent's values of a position. At a decision they are the values of the best position in which the turn can end,
// so that the best choice does not change the values.
function valuesOf(answer, position) {
  const expected = position => answer({ op: "evaluate", position }).values;
  // After a very long series of throws, the agent evaluates the position itself.
  const ends = isDecision(position) ? endsOf(answer, position) : null;
  if (!ends) return expected(position);
  const { mover, seats } = answer({ op: "view", position });
  const own = seats.findIndex(({ seat }) => seat === mover);
  return [...ends].map(expected).reduce((best, values) => values[own] > best[own] ? values : best);
}

// The tasks of the worker. `answer(request)` lets the agent of the task answer a request of the engine protocol.
const tasks = {
  ask: (answer, { request }) => answer(request),
  prepare: () => true,
  values: (answer, { positions }) => positions.map(position => valuesOf(answer, position)),
  // Lets an agent play the rest of a turn; returns its actions.
  choose(answer, { position, seed }) {
    const actions = [];
    while (isDecision(position)) {
      const { action } = answer({ op: "bestmove", position, seed: seed + actions.length });
      actions.push(action);
      ({ position } = answer({ op: "apply", position, action }));
    }
    return actions;
  },
  // Plays moves from a position; returns each step and its result. The choices of a turn are one step; each throw of a
  // series is one step. Stops at the first illegal move and returns an error.
  advance(answer, { position, moves }) {
    const begins = node(answer, position);
    const steps = [];
    let now = begins;
    const apply = (key, move) => answer({ op: "apply", position: now.position, [key]: move });
    for (let at = 0, end; at < moves.length; at = end) {
      const isThrow = Array.isArray(moves[at]);
      end = at + 1;
      while (!isThrow && end < moves.length && !Array.isArray(moves[end])) end++;
      const actions = isThrow ? [] : moves.slice(at, end);
      try {
        if (now.node !== (isThrow ? "chance" : "decision")) {
          const reasons = { over: "the game is over", chance: "the dice must be thrown first", decision: "an action must be chosen first" };
          throw new Error(reasons[now.node]);
        }
        const isSeries = isThrow && moves[at].length > 1
          && answer({ op: "chance", position: now.position }).outcomes[0].throw.length === 1;
        for (const thrown of !isThrow ? [null] : isSeries ? moves[at].map(value => [value]) : [moves[at]]) {
          const { position: next, returns, words, moves: made } = isThrow ? apply("throw", thrown) : apply("action", actions);
          const step = isThrow ? { seat: now.mover, thrown }
            : { seat: now.mover, actions, words: words === "pass" ? passWords(answer, now.position) : words, moves: made };
          now = node(answer, next, returns);
          steps.push({ step, node: now });
        }
      } catch (error) {
        const bad = actions.findIndex((_, last) => !attempt(() => apply("action", actions.slice(0, last + 1))));
        return { begins, steps, error: { number: at + 1 + Math.max(0, bad), position: now.position, message: error.message } };
      }
    }
    return { begins, steps };
  },
};

serve(self, load, (name, progress) => fetchBytes(new URL(`./${name}`, import.meta.url), progress), tasks);
