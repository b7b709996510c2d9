// The program that serves the page as the engine, in place of the WebAssembly module: the same object as that of
// `ashta.js`. Requests wait for their answers, so this runs in a worker alone.

import { fetchBytes, Refusal } from "./ashta.js";

export { fetchBytes };

// There is no module to be fetched.
export const source = null;

// The program, ready to be asked.
export const load = async () => ({
  agent: name => ask(`agent?name=${encodeURIComponent(name)}`).agent,
  read: (bytes, lookahead) => ask(`agent?lookahead=${encodeURIComponent(lookahead)}`, bytes).agent,
  answer: (request, agent) => ask(`engine?agent=${agent}`, JSON.stringify(request)),
});

function ask(path, body = "") {
  const request = new XMLHttpRequest();
  request.open("POST", new URL(`./${path}`, import.meta.url), false);
  request.send(body);
  const answer = JSON.parse(request.responseText);
  if (answer.error) throw new Refusal(answer.error);
  return answer;
}
