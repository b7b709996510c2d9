// Sends requests to the worker, which has the rules and the bots. All other modules send their
// requests with this module.

import { client } from "./module.js";
import { engine, text } from "./text.js";

// Sends a request. The words of moves and reasons in the answer, and errors, are in the language of
// the page.
async function send(...request) {
  try {
    const answer = await client.send(...request);
    const parts = [
      answer.moves,
      answer.reasons,
      answer.steps?.map((part) => part.step ?? part),
    ].flat();
    // Instead of "pass", say why nothing moves.
    for (const part of parts)
      if (part?.words) part.words = engine(part.words.replace("pass", part.why?.idle ?? "pass"));
    return answer;
  } catch (error) {
    error.message =
      error.code === "offline"
        ? text("offline.first", { bot: request[1].agent.file.replace(".bot", "") })
        : engine(error.message);
    throw error;
  }
}

// Answers a request of the engine protocol. Errors have a `code` and, for a sheet, `problems`.
export const ask = (request, agent) => send("ask", { request, agent });
// Plays `moves` from `position`; returns { begins, steps: [{ step, node }], error }. Stops at the
// first illegal move, with an error. If the game is not built in, `sheet` is required.
export async function advance(position, moves, sheet) {
  const { begins, steps, refused: error } = await ask({ op: "replay", position, moves, sheet });
  for (const node of [begins, ...steps.map(({ node }) => node)]) node.choices ??= Infinity;
  return { begins, steps, error };
}
// Returns the actions that the agent chooses for the rest of a turn.
export const choose = (position, agent, seed, sheet) =>
  send("choose", { position, agent, seed, sheet });
// Returns the agent's values of each position, by seat.
export const values = (positions, agent, sheet) => send("values", { positions, agent, sheet });
// Loads the file of an agent. Calls `progress(read, total)` with numbers of bytes.
export const prepare = (agent, progress) => send("prepare", { agent }, { progress });
// Sends the worker a file that the host does not have. Throws an error if the file is damaged.
export const give = (file, bytes) => send("prepare", { agent: { file, level: "" }, bytes });
