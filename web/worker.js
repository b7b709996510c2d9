// The rules and the bots, in a thread of their own, so that thinking never holds up the page.
//
// One request, one answer, in order. Files of bots and tables are fetched when they are first asked for, and kept.

import { fetchBytes, load } from "./engine.js";

const here = file => new URL(`./${file}`, import.meta.url).href;
const library = load(here("ashta.wasm"));
const agents = new Map();

const files = new Map();

// Who answers what is asked of the rules alone: an agent, since one remembers the sheet that it was given last.
let rules = null;

async function agent(ashta, wanted, progress) {
  if (!wanted) return rules ??= ashta.agent("random");
  const key = JSON.stringify(wanted);
  if (!agents.has(key)) {
    if (wanted.file && !files.has(wanted.file)) files.set(wanted.file, await fetchBytes(here(wanted.file), progress));
    agents.set(key, wanted.file ? ashta.read(files.get(wanted.file), wanted.level) : ashta.agent(wanted.name));
  }
  return agents.get(key);
}

// What is to be known of a position to go on from it.
function node(answer, position, sheet, returns) {
  const view = answer({ op: "view", position, sheet });
  const { node, mover, actions } = view;
  return { view, brief: { position, node, mover, choices: actions.length, returns: returns ?? view.returns } };
}

// Plays moves from a position: what each did in words, and where it led; a series of throws throw by throw, so that
// each can be gone back to. Stops at the first move that is not possible, and says which.
function advance(answer, { position, moves, sheet }) {
  let { view, brief } = node(answer, position, sheet);
  const begins = brief;
  const steps = [];
  for (const [number, move] of moves.entries()) {
    const isSeries = Array.isArray(move) && move.length > 1 && brief.node === "chance"
      && answer({ op: "chance", position: brief.position, sheet }).outcomes[0].throw.length === 1;
    for (const single of isSeries ? move.map(value => [value]) : [move]) {
      try {
        if (Array.isArray(single) ? brief.node !== "chance" : brief.node !== "decision") {
          throw new Error(brief.node === "over" ? "the game is over" : `a ${brief.node === "chance" ? "throw" : "choice"} is awaited`);
        }
        const request = { op: "apply", position: brief.position, sheet, [Array.isArray(single) ? "throw" : "action"]: single };
        const applied = answer(request);
        const action = Array.isArray(single) ? null : view.actions.find(action => action.id === single);
        const step = { move: single, seat: brief.mover };
        if (action) {
          const { words, from, path, seat } = action;
          Object.assign(step, { words, from, path, moved: seat, count: action.pieces.length });
        }
        ({ view, brief } = node(answer, applied.position, sheet, applied.returns));
        steps.push({ step, node: brief });
      } catch (error) {
        return { begins, steps, error: { number: number + 1, position: brief.position, message: error.message } };
      }
    }
  }
  return { begins, steps };
}

const tasks = {
  async version(ashta) {
    return ashta.version;
  },
  async ask(ashta, { request, agent: wanted }, progress) {
    const answers = await agent(ashta, wanted, progress);
    const began = performance.now();
    const answer = ashta.answer(request, answers);
    return { ...answer, milliseconds: performance.now() - began };
  },
  async advance(ashta, task) {
    const answers = await agent(ashta);
    return advance(request => ashta.answer(request, answers), task);
  },
  async values(ashta, { positions, agent: wanted, sheet }, progress) {
    const answers = await agent(ashta, wanted, progress);
    return positions.map(position => ashta.answer({ op: "evaluate", position, sheet }, answers).values);
  },
  // Takes the content of a file that does not lie beside the page.
  async file(ashta, { name, bytes }) {
    for (const key of [...agents.keys()].filter(key => JSON.parse(key).file === name)) agents.delete(key);
    files.set(name, bytes);
    await agent(ashta, { file: name, level: "" });
    return true;
  },
  async prepare(ashta, { agent: wanted }, progress) {
    await agent(ashta, wanted, progress);
    return true;
  },
};

// Answers come in the order of the requests, although some wait for files.
let queue = Promise.resolve();

self.addEventListener("message", ({ data: { id, task, ...rest } }) => {
  queue = queue.then(async () => {
    try {
      const progress = (read, total) => self.postMessage({ id, progress: [read, total] });
      self.postMessage({ id, answer: await tasks[task](await library, rest, progress) });
    } catch (error) {
      self.postMessage({ id, error: { code: error.code ?? "failed", message: error.message, problems: error.problems } });
    }
  });
});
