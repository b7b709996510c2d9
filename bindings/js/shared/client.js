// Sends requests to a worker that answers with serve.js. The worker starts with the first request.
// If a request is aborted, the worker is stopped, and a new worker answers the other requests.

import { Refusal } from "./ashta.js";

export class Client {
  #start;
  #engine;
  #worker = null;
  #waiting = new Map();
  #last = 0;

  /**
   * `start()` returns a new worker; `engine()` returns a promise of the engine that serve.js loads.
   */
  constructor(start, engine) {
    this.#start = start;
    this.#engine = engine;
  }

  /**
   * Sends a request; `progress` is called with the received and the total number of bytes of a
   * file.
   */
  async send(task, rest, { progress, signal } = {}) {
    signal?.throwIfAborted();
    const engine = await this.#engine();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const id = ++this.#last,
        message = { id, task, ...rest };
      const abort = () => {
        this.#end(id).reject(signal.reason);
        this.#worker.terminate();
        this.#worker = null;
        for (const { message } of this.#waiting.values()) this.#post(engine, message);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.set(id, {
        message,
        resolve,
        reject,
        progress,
        release: () => signal?.removeEventListener("abort", abort),
      });
      this.#post(engine, message);
    });
  }

  /** Lets the worker free the content of a file. */
  forget(file) {
    this.#worker?.postMessage({ forget: file });
  }

  #post(engine, message) {
    try {
      this.#worker ??= this.#open(engine);
      this.#worker.postMessage(message);
      // Node ends when all workers are idle.
      this.#worker.ref?.();
    } catch (error) {
      this.#end(message.id).reject(error);
    }
  }

  #open(engine) {
    const worker = this.#start();
    const listen = (kind, take) =>
      worker.on
        ? worker.on(kind, take)
        : worker.addEventListener(kind, (event) => take(event.data ?? event));
    listen("message", (answer) => worker === this.#worker && this.#take(answer));
    listen("error", ({ message }) => worker === this.#worker && this.#fail(message));
    worker.postMessage({ engine });
    return worker;
  }

  #take({ id, progress, answer, error }) {
    if (progress) return this.#waiting.get(id).progress?.(...progress);
    const { resolve, reject } = this.#end(id);
    if (!this.#waiting.size) this.#worker.unref?.();
    if (error) reject(new Refusal(error));
    else resolve(answer);
  }

  /** A worker that cannot start never answers. */
  #fail(message) {
    this.#worker.terminate();
    this.#worker = null;
    for (const id of [...this.#waiting.keys()])
      this.#end(id).reject(new Error(message || "the worker could not be started"));
  }

  #end(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting.release();
    return waiting;
  }
}
