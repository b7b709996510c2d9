// The worker of client.js: answers requests with agents, which it keeps.
//
// Each request gets one answer. The worker fetches the file of a bot or table when it is first
// needed, and keeps it until the message `{ forget: name }`. Meanwhile, it answers other requests.

// The number of agents that the worker keeps.
const MOST = 32;

/**
 * Answers the messages of `port`. The first message contains the `engine` for `load`.
 * `fetchFile(name, progress)` returns a promise of the bytes of a file. `tasks` has a function for
 * each task: `(answer, fields of the request)`, where `answer(request)` lets the agent answer a
 * request of the engine protocol.
 */
export function serve(port, load, fetchFile, tasks) {
  let library = null;
  const agents = new Map();
  // The content of each file, or the promise of the content.
  const files = new Map();

  function fileOf(name, progress) {
    if (!files.has(name)) {
      files.set(
        name,
        fetchFile(name, progress).catch((error) => {
          files.delete(name);
          throw ["stopped", "offline"].includes(error.code)
            ? error
            : Object.assign(error, { code: "file" });
        }),
      );
    }
    return files.get(name);
  }

  function free(key) {
    agents.get(key).free?.();
    agents.delete(key);
  }

  function forgetFile(name) {
    for (const key of [...agents.keys()].filter((key) => JSON.parse(key).file === name)) free(key);
    files.delete(name);
  }

  // Returns an agent; `content` is the content of its file, if it has one. A request that needs
  // only the rules also goes to an agent, because an agent remembers the last sheet.
  function agentOf(ashta, wanted, content) {
    const key = JSON.stringify(wanted);
    const agent =
      agents.get(key) ?? (content ? ashta.read(content, wanted.level) : ashta.agent(wanted.name));
    // The most recently used agent is the last.
    agents.delete(key);
    agents.set(key, agent);
    if (agents.size > MOST) free(agents.keys().next().value);
    return agent;
  }

  port.onmessage = async ({
    data: { id, task, engine, forget, agent: wanted = { name: "random" }, bytes, sheet, ...rest },
  }) => {
    if (forget) return forgetFile(forget);
    if (!task) {
      library = load(engine);
      return;
    }
    try {
      // The host does not have this file.
      if (bytes) {
        forgetFile(wanted.file);
        files.set(wanted.file, bytes);
      }
      const content =
        wanted.file &&
        (await fileOf(wanted.file, (...read) => port.postMessage({ id, progress: read })));
      const ashta = await library,
        asked = agentOf(ashta, wanted, content);
      const answer = (request) => ashta.answer({ sheet, ...request }, asked);
      port.postMessage({ id, answer: tasks[task](answer, rest) });
    } catch (error) {
      port.postMessage({
        id,
        error: { code: error.code ?? "failed", message: error.message, problems: error.problems },
      });
    }
  };
}
