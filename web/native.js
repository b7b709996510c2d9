// If `ashta serve` serves the page, the program is the engine of the worker. This module has the
// same interface as `ashta.js`. Requests are synchronous, so it works only in a worker.

import { fetchBytes as fetched, Refusal } from "./ashta.js";

// There is no WebAssembly module to fetch.
export const source = null;
export const place = "program";

const stopped = () =>
  new Refusal({
    code: "stopped",
    message: "ashta has stopped. Start it again; your game is kept.",
  });

export const fetchBytes = (url, progress) =>
  fetched(url, progress).catch((error) => {
    throw error instanceof TypeError ? stopped() : error;
  });

// The program as an engine. An agent has a number. If the program has removed the agent to make
// room for other agents, `open` opens the agent again.
export const load = async () => ({
  agent: (name) => opened(() => ask(`agent?name=${encodeURIComponent(name)}`).agent),
  read: (bytes, lookahead) =>
    opened(() => ask(`agent?lookahead=${encodeURIComponent(lookahead)}`, bytes).agent),
  answer(request, agent) {
    const answer = () =>
      ask(
        `engine?agent=${agent.number}&page=${encodeURIComponent(self.name)}`,
        JSON.stringify(request),
      );
    try {
      return answer();
    } catch (error) {
      if (error.code !== "no-such-agent") throw error;
      agent.number = agent.open();
      return answer();
    }
  },
});

const opened = (open) => ({ number: open(), open });

function ask(path, body = "") {
  const request = new XMLHttpRequest();
  request.open("POST", new URL(`./${path}`, import.meta.url), false);
  try {
    request.send(body);
  } catch {
    throw stopped();
  }
  const answer = JSON.parse(request.responseText);
  if (answer.error) throw new Refusal(answer.error);
  return answer;
}
