// The package `ashta`: games, positions and bots. index.d.ts documents it. All rules are in the
// WebAssembly module, which answers requests of the engine protocol; positions are texts in its
// notation.

import { compile, load, manifestOf, nodeModule, Refusal } from "./shared/ashta.js";
import { Client } from "./shared/client.js";

export { Refusal };

let source = null,
  compiled = null,
  library = null;

export function useModule(from) {
  if (compiled) throw new Error("useModule must be called before the first game or bot");
  source = from;
}

const moduleOf = () =>
  (compiled ??= compile(source ?? new URL("./ashta.wasm", import.meta.url)).catch(startAgain));

// The module with an agent for requests about the rules: an agent remembers the last sheet.
const ready = () =>
  (library ??= moduleOf()
    .then(load)
    .then((ashta) => ({ ashta, rules: ashta.agent("random") }))
    .catch(startAgain));

function startAgain(error) {
  compiled = library = null;
  throw error;
}

// The worker of long searches. Bundlers must see the address only in the form for browsers.
const here = import.meta.url,
  threads = nodeModule("worker_threads");
const searcher = new Client(
  () =>
    threads
      ? new threads.Worker(new URL("./worker.js", here))
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
  moduleOf,
);

export class Game {
  #ask;

  constructor(ask, position, sheet) {
    const [name, places] = position.split(" ");
    this.#ask = ask;
    this.name = name;
    this.seats = places
      .split("/")
      .map(([letter]) => letter)
      .join("");
    this.sheet = sheet;
  }

  static async load(name, { seats, sheet } = {}) {
    const { ashta, rules } = await ready();
    const ask = (request) => ashta.answer({ sheet, ...request }, rules);
    if (/^\d+$/.test(seats)) seats = Number(seats);
    return new Game(ask, ask({ op: "new", game: name ?? undefined, seats }).position, sheet);
  }

  static async names() {
    const { ashta } = await ready();
    return ashta.answer({ op: "hello" }).games;
  }

  initialState({ player, seed } = {}) {
    if (player !== undefined && !this.seats[player])
      throw new RangeError(`player must be from 0 to ${this.seats.length - 1} (got ${player})`);
    const { position } = this.ask({
      op: "new",
      game: this.name,
      seats: this.seats,
      start: this.seats[player],
      seed,
    });
    return new State(this, position);
  }

  deserializeState(position) {
    const { game, seats } = this.ask({ op: "view", position }),
      letters = seats.map(({ seat }) => seat).join("");
    if (game !== this.name || letters !== this.seats)
      throw new Error(`the position is of ${game} ${letters}, not of ${this.name} ${this.seats}`);
    return new State(this, position);
  }

  describe() {
    const base = this.name.split("?")[0];
    return this.ask({ op: "games" }).games.find(({ name }) => name === base);
  }

  board() {
    return this.ask({ op: "board", position: this.initialState({ player: 0 }).toString() });
  }

  ask(request) {
    return this.#ask(request);
  }
}

export class State {
  #text;
  #view = null;

  constructor(game, text) {
    this.game = game;
    this.#text = text;
  }

  ask(op, fields) {
    return this.game.ask({ op, position: this.#text, ...fields });
  }

  view() {
    return (this.#view ??= this.ask("view"));
  }

  turnPlayer() {
    const { mover } = this.view();
    return mover === null ? null : this.game.seats.indexOf(mover);
  }

  currentPlayer() {
    return { chance: -1, decision: this.turnPlayer(), over: -4 }[this.view().node];
  }

  isChanceNode() {
    return this.view().node === "chance";
  }

  isTerminal() {
    return this.view().node === "over";
  }

  throws() {
    return [...this.view().throws];
  }

  legalActions() {
    return this.view().actions.map(({ id }) => id);
  }

  actionToString(action) {
    const found = this.view().actions.find(({ id }) => id === action);
    if (!found)
      throw new RangeError(
        `action ${action} is not legal here; legal actions are ${this.legalActions().join(", ") || "none"}`,
      );
    return found.words;
  }

  chanceOutcomes() {
    return this.ask("chance").outcomes;
  }

  apply(move) {
    const { throw: thrown, actions } = typeof move === "number" ? { actions: move } : (move ?? {});
    return new State(this.game, this.ask("apply", { throw: thrown, action: actions }).position);
  }

  throw(random = Math.random) {
    const outcomes = this.chanceOutcomes(),
      number = random();
    if (!(number >= 0 && number < 1))
      throw new RangeError(
        `random() must return a number of at least 0 and less than 1 (got ${number})`,
      );
    let left = number;
    return this.apply(outcomes.find(({ p }) => (left -= p) < 0) ?? outcomes.at(-1));
  }

  turns() {
    return this.ask("choices").turns.map(({ position, ...turn }) => ({
      ...turn,
      state: new State(this.game, position),
    }));
  }

  returns() {
    return Array.from(this.game.seats, (_, player) => this.view().returns?.[player] ?? 0);
  }

  toString() {
    return this.#text;
  }

  toJSON() {
    return this.#text;
  }
}

// Look-aheads that can take long: the worker searches.
const LONG = /\+([2-9]\d*ply|mcts)/;
let bots = 0;

function release({ agents, file }) {
  for (const agent of agents.values()) agent.free();
  agents.clear();
  searcher.forget(file);
}

const unused = new FinalizationRegistry(release);

export class Bot {
  #ashta;
  #name;
  #bytes;
  #held = { agents: new Map(), file: `bot ${++bots}` };

  constructor(ashta, name, bytes) {
    this.#ashta = ashta;
    this.#name = name;
    this.#bytes = bytes;
    this.#agent("");
    unused.register(this, this.#held);
  }

  static async load(from) {
    const { ashta } = await ready();
    if (typeof from !== "string") return new Bot(ashta, "", bytesOf(from));
    try {
      return new Bot(ashta, from, null);
    } catch (error) {
      if (!/^[\w-]+$/.test(from)) throw error;
      return new Bot(ashta, from, await released(from));
    }
  }

  async choose(state, { lookahead, level, seed, signal } = {}) {
    if (lookahead && level) throw new TypeError("choose takes a look-ahead or a level, not both");
    signal?.throwIfAborted();
    const wanted = lookahead ?? level ?? "",
      request = { op: "bestmove", position: String(state), seed, sheet: state.game.sheet };
    const { action } = LONG.test(this.#nameWith(wanted))
      ? await this.#search(request, wanted, signal)
      : this.#ashta.answer(request, this.#agent(wanted));
    return action;
  }

  values(state, { lookahead = "" } = {}) {
    return this.#ashta.answer(
      { op: "evaluate", position: String(state), sheet: state.game.sheet },
      this.#agent(lookahead),
    ).values;
  }

  manifest() {
    const isTable =
      this.#bytes && new TextDecoder().decode(this.#bytes.subarray(0, 8)) === "ASHTATBL";
    return this.#bytes && !isTable ? manifestOf(this.#bytes) : null;
  }

  free() {
    release(this.#held);
  }

  #nameWith(wanted) {
    return this.#name + (wanted && `+${wanted}`);
  }

  #agent(wanted) {
    const { agents } = this.#held;
    if (!agents.has(wanted)) {
      agents.set(
        wanted,
        this.#bytes
          ? this.#ashta.read(this.#bytes, wanted)
          : this.#ashta.agent(this.#nameWith(wanted)),
      );
    }
    return agents.get(wanted);
  }

  async #search(request, wanted, signal) {
    const ask = (agent, bytes) => searcher.send("ask", { request, agent, bytes }, { signal });
    if (!this.#bytes) return ask({ name: this.#nameWith(wanted) });
    const agent = { file: this.#held.file, level: wanted };
    return ask(agent).catch((error) =>
      error.code === "file" ? ask(agent, this.#bytes) : Promise.reject(error),
    );
  }
}

function bytesOf(content) {
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (ArrayBuffer.isView(content))
    return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  throw new TypeError(`Bot.load takes the bytes of a file or a name (got ${typeof content})`);
}

// The bot with this name in the folder of the package.
async function released(name) {
  try {
    return (
      await import(/* webpackIgnore: true */ /* @vite-ignore */ new URL(`./bots/${name}.js`, here))
    ).default;
  } catch (error) {
    throw new Error(
      `cannot load the bot ${name}: ${error.message}; with a bundler, write: import bot from "ashta/bots/${name}"`,
    );
  }
}
