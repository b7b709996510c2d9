// The rules and the bots, in a thread of their own, so that thinking never holds up the page.
//
// One request, one answer. Files of bots and tables are fetched when they are first asked for, and kept; what waits for
// one holds up nothing else.

import { fetchBytes, load } from "./engine.js";

let library = null;
const agents = new Map();

// The content of each file; and what is on its way.
const files = new Map(), coming = new Map();

async function fetchFile(name, progress) {
  if (files.has(name)) return;
  if (!coming.has(name)) coming.set(name, fetchBytes(new URL(`./${name}`, import.meta.url), progress));
  try {
    files.set(name, await coming.get(name));
  } catch (error) {
    throw Object.assign(error, { code: "file" });
  } finally {
    coming.delete(name);
  }
}

// Who answers what is asked of the rules alone: an agent, since one remembers the sheet that it was given last.
let rules = null;

function agent(ashta, wanted) {
  if (!wanted) return rules ??= ashta.agent("random");
  const key = JSON.stringify(wanted);
  if (!agents.has(key)) {
    agents.set(key, wanted.file ? ashta.read(files.get(wanted.file), wanted.level) : ashta.agent(wanted.name));
  }
  return agents.get(key);
}

// What is to be known of a position to go on from it. `choices` is in how many ways the turn can end.
function node(answer, position, sheet, returns) {
  const { node, mover, returns: reached } = answer({ op: "view", position, sheet });
  return { position, node, mover, choices: node === "decision" ? endsOf(answer, position, sheet)?.size ?? Infinity : 0, returns: returns ?? reached };
}

// The positions in which the turn can end; null for a series of very many throws, whose ends are not listed.
function endsOf(answer, position, sheet) {
  try {
    return new Set(answer({ op: "choices", position, sheet }).turns.map(turn => turn.position));
  } catch {
    return null;
  }
}

// Plays moves from a position: what each did, and where it led. The choices of a turn are one step; the throws of a
// series are one each, so that each can be gone back to. Stops at the first move that is not possible, and says which.
function advance(answer, { position, moves, sheet }) {
  const begins = node(answer, position, sheet);
  const steps = [];
  let now = begins;
  const apply = (key, move) => answer({ op: "apply", position: now.position, sheet, [key]: move });
  for (let at = 0; at < moves.length;) {
    const isThrow = Array.isArray(moves[at]);
    const end = isThrow ? at + 1 : moves.findIndex((move, later) => later > at && Array.isArray(move));
    const actions = isThrow ? null : moves.slice(at, end < 0 ? moves.length : end);
    try {
      if (now.node !== (isThrow ? "chance" : "decision")) {
        throw new Error(now.node === "over" ? "the game is over" : `a ${now.node === "chance" ? "throw" : "choice"} is awaited`);
      }
      const isSeries = isThrow && moves[at].length > 1
        && answer({ op: "chance", position: now.position, sheet }).outcomes[0].throw.length === 1;
      for (const thrown of !isThrow ? [null] : isSeries ? moves[at].map(value => [value]) : [moves[at]]) {
        const { position: next, returns, words, moves: made } = isThrow ? apply("throw", thrown) : apply("action", actions);
        const step = isThrow ? { seat: now.mover, thrown }
          : { seat: now.mover, actions, words: words === "pass" ? lost(answer, now.position, sheet) : words, moves: made };
        now = node(answer, next, sheet, returns);
        steps.push({ step, node: now });
      }
    } catch (error) {
      const bad = (actions ?? []).findIndex((_, last) => !isPossible(() => apply("action", actions.slice(0, last + 1))));
      return { begins, steps, error: { number: at + 1 + Math.max(0, bad), position: now.position, message: error.message } };
    }
    at += isThrow ? 1 : actions.length;
  }
  return { begins, steps };
}

// A turn in which nothing moves, in words.
function lost(answer, position, sheet) {
  const { reasons } = answer({ op: "why", position, sheet });
  const words = [...new Set(reasons.map(({ words }) => words))];
  return `nothing moves${words.length ? `: ${words.join("; ")}` : ""}`;
}

function isPossible(act) {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

// What an agent expects of a position. Where something is to be chosen it is what it expects of the best end of the turn,
// so that a value before a choice and those of its ends never contradict each other.
function valuesOf(answer, position) {
  const expected = position => answer({ op: "evaluate", position }).values;
  if (/ (\*|-|\S*,\*)$/.test(position)) return expected(position);
  const { mover, seats } = answer({ op: "view", position });
  const own = seats.findIndex(({ seat }) => seat === mover);
  const ends = endsOf(answer, position);
  // Of a series of very many throws there is only its own word.
  if (!ends) return expected(position);
  return [...ends].map(expected).reduce((best, values) => values[own] > best[own] ? values : best);
}

const tasks = {
  version(ashta) {
    return ashta.version;
  },
  ask(ashta, { request, agent: wanted }) {
    const answers = agent(ashta, wanted);
    const began = performance.now();
    const answer = ashta.answer(request, answers);
    return { ...answer, milliseconds: performance.now() - began };
  },
  advance(ashta, task) {
    const answers = agent(ashta);
    return advance(request => ashta.answer(request, answers), task);
  },
  // Lets an agent play what is left of a turn: its actions.
  choose(ashta, { position, seed, agent: wanted, sheet }) {
    const answers = agent(ashta, wanted);
    const actions = [];
    for (let node = "decision"; node === "decision";) {
      const { action } = ashta.answer({ op: "bestmove", position, sheet, seed: seed + actions.length }, answers);
      actions.push(action);
      ({ position } = ashta.answer({ op: "apply", position, sheet, action }, answers));
      ({ node } = ashta.answer({ op: "view", position, sheet }, answers));
    }
    return actions;
  },
  values(ashta, { positions, agent: wanted, sheet }) {
    const answers = agent(ashta, wanted);
    const answer = request => ashta.answer({ ...request, sheet }, answers);
    return positions.map(position => valuesOf(answer, position));
  },
  // Takes the content of a file that does not lie beside the page.
  file(ashta, { name, bytes }) {
    for (const key of [...agents.keys()].filter(key => JSON.parse(key).file === name)) agents.delete(key);
    files.set(name, bytes);
    agent(ashta, { file: name, level: "" });
    return true;
  },
  prepare(ashta, { agent: wanted }) {
    agent(ashta, wanted);
    return true;
  },
};

// The first message brings the module, if there is one.
self.addEventListener("message", async ({ data: { id, task, engine, ...rest } }) => {
  if (!task) {
    library = load(engine);
    return;
  }
  try {
    if (rest.agent?.file) await fetchFile(rest.agent.file, (read, total) => self.postMessage({ id, progress: [read, total] }));
    self.postMessage({ id, answer: tasks[task](await library, rest) });
  } catch (error) {
    self.postMessage({ id, error: { code: error.code ?? "failed", message: error.message, problems: error.problems } });
  }
});
