// Asks the worker: the page's one way to the rules and the bots.

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
let last = 0;

worker.addEventListener("message", ({ data }) => {
  const { resolve, reject, progress } = waiting.get(data.id);
  if (data.progress) return progress?.(...data.progress);
  waiting.delete(data.id);
  if (data.error) reject(Object.assign(new Error(data.error.message), { code: data.error.code }));
  else resolve(data.answer);
});

// A worker that cannot even start answers nobody.
worker.addEventListener("error", event => {
  for (const { reject } of waiting.values()) reject(new Error(event.message || "the worker could not be started"));
  waiting.clear();
});

function send(task, rest, progress) {
  return new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject, progress });
    worker.postMessage({ id: last, task, ...rest });
  });
}

// The answer of the engine protocol; errors are thrown, with their `code`.
export const ask = (request, agent) => send("ask", { request, agent });
// Plays `moves` from `position`: { begins, steps: [{ step, node }], error }.
export const advance = (position, moves) => send("advance", { position, moves });
// What the agent expects of each position.
export const values = (positions, agent) => send("values", { positions, agent });
// Loads the files of an agent; `progress(read, total)` in bytes.
export const prepare = (agent, progress) => send("prepare", { agent }, progress);
export const version = () => send("version", {});
