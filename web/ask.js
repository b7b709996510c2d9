// Sends requests to the worker, which has the rules and the bots. All other modules send their requests with this
// module.

import { attempt } from "./attempt.js";
import { rules } from "./start.js";

// The name of this tab. It stays the same after a reload, so that the program can cancel old requests of the tab.
const tab = attempt(() => sessionStorage["ashta-tab"] ??= String(Math.random())) ?? String(Math.random());
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: tab });
const waiting = new Map();
let last = 0;

worker.addEventListener("message", ({ data }) => {
  const { resolve, reject, progress } = waiting.get(data.id);
  if (data.progress) return progress?.(...data.progress);
  waiting.delete(data.id);
  if (data.error) reject(Object.assign(new Error(data.error.message), data.error));
  else resolve(data.answer);
});

// A worker that cannot start never answers.
let broken = null;
worker.addEventListener("error", event => {
  broken = new Error(event.message || "the worker could not be started");
  for (const { reject } of waiting.values()) reject(broken);
  waiting.clear();
});

const ready = rules.then(engine => worker.postMessage({ engine }, engine ? [engine.buffer] : []));

async function send(task, rest, progress) {
  await ready;
  if (broken) throw broken;
  return new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject, progress });
    worker.postMessage({ id: last, task, ...rest });
  });
}

// Answers a request of the engine protocol. Errors have a `code` and, for a sheet, `problems`.
export const ask = (request, agent) => send("ask", { request, agent });
// Plays `moves` from `position`; returns { begins, steps: [{ step, node }], error }. If the game is not built in,
// `sheet` is required.
export const advance = (position, moves, sheet) => send("advance", { position, moves, sheet });
// Returns the actions that the agent chooses for the rest of a turn.
export const choose = (position, agent, seed, sheet) => send("choose", { position, agent, seed, sheet });
// Returns the agent's values of each position, by seat.
export const values = (positions, agent, sheet) => send("values", { positions, agent, sheet });
// Loads the file of an agent. Calls `progress(read, total)` with numbers of bytes.
export const prepare = (agent, progress) => send("prepare", { agent }, progress);
// Sends the worker a file that the host does not have. Throws an error if the file is damaged.
export const give = (file, bytes) => send("prepare", { agent: { file, level: "" }, bytes });
