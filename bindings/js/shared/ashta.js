// The WebAssembly module as an object: agents and the engine protocol. Works in a window, a worker
// or Node.

/** Compiles the module from a URL or from its bytes. */
export async function compile(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return WebAssembly.compile(source);
  // Node does not fetch files, and hosts can have another type for the module.
  try {
    return await WebAssembly.compileStreaming(fetch(source));
  } catch {
    return WebAssembly.compile(await fetchBytes(source));
  }
}

/** Loads the module, compiled or as for `compile`. */
export async function load(source) {
  const module = source instanceof WebAssembly.Module ? source : await compile(source);
  return new Ashta((await WebAssembly.instantiate(module, {})).exports);
}

/**
 * Fetches a file as a Uint8Array; calls `progress` with the received and the total number of bytes.
 */
export async function fetchBytes(url, progress = () => {}) {
  // Node does not fetch addresses of files.
  const files = String(url).startsWith("file:") && nodeModule("fs/promises");
  if (files) return files.readFile(new URL(url));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const length = Number(response.headers.get("content-length"));
  return readAll(response.body, (have) => progress(have, length));
}

/**
 * Reads a stream to its end into a Uint8Array; calls `progress` with the number of bytes after each
 * part.
 */
export async function readAll(stream, progress) {
  const reader = stream.getReader(),
    parts = [];
  let have = 0,
    part = await reader.read();
  try {
    while (!part.done) {
      parts.push(part.value);
      have += part.value.length;
      progress(have);
      part = await reader.read();
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    throw error;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A module of Node, also in Deno and Bun; undefined in browsers. Bundlers do not see it. */
export const nodeModule = (name) => globalThis.process?.getBuiltinModule?.(`node:${name}`);

/**
 * Returns the manifest in the bytes of a bot file: `ruleset`, `seats`, `sheet`, `levels` and more.
 */
export function manifestOf(bytes) {
  try {
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    return JSON.parse(header.__metadata__.ashta);
  } catch {
    throw new Error("this file is not a bot");
  }
}

/**
 * A refused request: `code` is an error code of the engine protocol, `problems` lists the problems
 * of a sheet.
 */
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
   * Returns the agent of a bot or table, from the bytes of its file. `lookahead` is the part that
   * would follow the `+` in the name of a bot: `2ply`, `mcts:800`, `policy` or a level; by default
   * one ply.
   */
  read(bytes, lookahead = "") {
    const agent = this.#withBytes(bytes, (at) =>
      this.#withText(lookahead, (text) => this.#exports.ashta_agent_read(at, bytes.length, text)),
    );
    return this.#agent(agent);
  }

  /** Answers a request of the engine protocol, by the rules alone or with an agent. */
  answer(request, agent = null) {
    if (agent?.pointer === null) throw new Error("the agent was freed");
    // The module has no random numbers.
    const seeded = { ...request, seed: request.seed ?? Math.floor(Math.random() * 2 ** 53) };
    const pointer = agent?.pointer ?? 0;
    const answer = this.#withText(JSON.stringify(seeded), (text) =>
      this.#exports.ashta_answer(pointer, text),
    );
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
    return new Refusal({ code: "failed", message: this.#text(this.#exports.ashta_last_error()) });
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
  #release;

  constructor(pointer, release) {
    this.pointer = pointer;
    this.#release = release;
  }

  free() {
    if (this.pointer) this.#release(this.pointer);
    this.pointer = null;
  }
}
