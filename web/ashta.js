// The WebAssembly module as an object: agents and the engine protocol. Works in a window, a worker or Node.

/** Loads the module from a URL or from its bytes. */
export async function load(source) {
  const isBytes = source instanceof ArrayBuffer || ArrayBuffer.isView(source);
  const bytes = isBytes ? source : await fetchBytes(source);
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Ashta(instance.exports);
}

/** Fetches a file as a Uint8Array; calls `progress` with the received and the total number of bytes. */
export async function fetchBytes(url, progress = () => {}) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const length = Number(response.headers.get("content-length"));
  let have = 0;
  const counted = new TransformStream({
    transform(part, stream) {
      have += part.length;
      progress(have, length);
      stream.enqueue(part);
    },
  });
  return new Uint8Array(await new Response(response.body.pipeThrough(counted)).arrayBuffer());
}

/** A refused request: `code` is an error code of the engine protocol, `problems` lists the problems of a sheet. */
export class Refusal extends Error {
  constructor({ code, message, problems }) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.problems = problems;
  }
}

class Ashta {
  #exports;

  constructor(exports) {
    this.#exports = exports;
  }

  /** Returns a baseline agent, such as `greedy+2ply`. */
  agent(name) {
    return this.#agent(this.#withText(name, (at) => this.#exports.ashta_agent_named(at)));
  }

  /**
   * Returns the agent of a bot or table, from the bytes of its file. `lookahead` is the part that would follow the `+`
   * in the name of a bot: `2ply`, `mcts:800`, `policy` or a level; by default one ply.
   */
  read(bytes, lookahead = "") {
    const agent = this.#withBytes(bytes, (at) =>
      this.#withText(lookahead, (text) => this.#exports.ashta_agent_read(at, bytes.length, text)),
    );
    return this.#agent(agent);
  }

  /** Answers a request of the engine protocol, by the rules alone or with an agent. */
  answer(request, agent = null) {
    const answer = this.#withText(JSON.stringify(request), (text) => this.#exports.ashta_answer(agent?.pointer ?? 0, text));
    if (answer === 0) throw this.#failure();
    const text = this.#text(answer);
    this.#exports.ashta_text_free(answer);
    const value = JSON.parse(text);
    if (value.error) throw new Refusal(value.error);
    return value;
  }

  #agent(pointer) {
    if (pointer === 0) throw this.#failure();
    return new Agent(pointer, this.#exports.ashta_agent_free);
  }

  #failure() {
    return new Error(this.#text(this.#exports.ashta_last_error()));
  }

  /** Reads the zero-terminated text at an address. */
  #text(at) {
    const memory = new Uint8Array(this.#exports.memory.buffer, at);
    return new TextDecoder().decode(memory.slice(0, memory.indexOf(0)));
  }

  #withText(text, use) {
    return this.#withBytes(new TextEncoder().encode(`${text}\0`), use);
  }

  #withBytes(bytes, use) {
    const room = this.#exports.ashta_room(bytes.length);
    try {
      // Growing memory invalidates old views, so this makes a new one.
      new Uint8Array(this.#exports.memory.buffer, room, bytes.length).set(bytes);
      return use(room);
    } finally {
      this.#exports.ashta_room_free(room, bytes.length);
    }
  }
}

/** An agent. `free` releases its memory; using the agent afterwards is an error. */
class Agent {
  #pointer;
  #release;

  constructor(pointer, release) {
    this.#pointer = pointer;
    this.#release = release;
  }

  get pointer() {
    if (this.#pointer === 0) throw new Error("the agent was freed");
    return this.#pointer;
  }

  free() {
    if (this.#pointer !== 0) this.#release(this.#pointer);
    this.#pointer = 0;
  }
}
