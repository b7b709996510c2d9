// The engine of the worker if `ashta serve` serves the page: the program, with the interface of `ashta.js`. Requests
// are synchronous, so this works only in a worker.

import { fetchBytes, Refusal } from "./ashta.js";

export { fetchBytes };

// There is no module to fetch.
export const source = null;

// The program. An agent has a number, and `open` opens it again if the program has dropped it to make room for others.
export const load = async () => ({
  agent: name => opened(() => ask(`agent?name=${encodeURIComponent(name)}`).agent),
  read: (bytes, lookahead) => opened(() => ask(`agent?lookahead=${encodeURIComponent(lookahead)}`, bytes).agent),
  answer(request, agent) {
    const answer = () => ask(`engine?agent=${agent.number}&page=${encodeURIComponent(self.name)}`, JSON.stringify(request));
    try {
      return answer();
    } catch (error) {
      if (error.code !== "no-such-agent") throw error;
      agent.number = agent.open();
      return answer();
    }
  },
});

const opened = open => ({ number: open(), open });

function ask(path, body = "") {
  const request = new XMLHttpRequest();
  request.open("POST", new URL(`./${path}`, import.meta.url), false);
  request.send(body);
  const answer = JSON.parse(request.responseText);
  if (answer.error) throw new Refusal(answer.error);
  return answer;
}
