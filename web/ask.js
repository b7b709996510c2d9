// Asks the worker: the page's one way to the rules and the bots.

import { attempt } from "./attempt.js";
import { rules } from "./start.js";

// The name of this tab, also after it is loaded anew: the program then ends what the tab no longer waits for.
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

// A worker that cannot even start does not answer.
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

// The answer of the engine protocol; errors are thrown, with their `code` and, of a sheet, `problems`.
export const ask = (request, agent) => send("ask", { request, agent });
// Plays `moves` from `position`: { begins, steps: [{ step, node }], error }. `sheet` is that of a game which the engine
// does not bring.
export const advance = (position, moves, sheet) => send("advance", { position, moves, sheet });
// The actions by which the agent plays what is left of a turn.
export const choose = (position, agent, seed, sheet) => send("choose", { position, agent, seed, sheet });
// What the agent expects of each position.
export const values = (positions, agent, sheet) => send("values", { positions, agent, sheet });
// Loads the files of an agent; `progress(read, total)` in bytes.
export const prepare = (agent, progress) => send("prepare", { agent }, progress);
// Gives the worker a file that does not lie beside the page; an error says what is wrong with it.
export const give = (file, bytes) => send("prepare", { agent: { file, level: "" }, bytes });
