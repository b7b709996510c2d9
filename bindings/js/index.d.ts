/**
 * Sets the WebAssembly module: its address or its bytes; by default the file in the package. Call
 * it first.
 */
export function useModule(from: string | URL | ArrayBuffer | Uint8Array): void;

/**
 * A refused request. `code` is an error code of the engine protocol, `file` if a file cannot be
 * loaded, or `failed`. `problems` lists the problems of a sheet.
 */
export class Refusal extends Error {
  readonly code: string;
  readonly problems?: { line: number | null; key: string; message: string }[];
}

/** A throw: the values of the dice. */
export interface Throw {
  throw: number[];
}

/** A possible throw and its exact probability. */
export interface Outcome extends Throw {
  p: number;
}

/** A move of a piece, or of pieces that move together. */
export interface Move {
  /** The letter of the seat. */
  seat: string;
  /** Indices in `pieces` of `State.view`. */
  pieces: number[];
  /** The square before the move; `null` if the pieces are not on the board. */
  from: string | null;
  /** The squares of the move. */
  path: string[];
  /** The place at the end of the move, in the notation. */
  place: string;
  throws: number[];
  words: string;
}

/** A whole turn. */
export interface Turn {
  /** The actions of the turn, in order. */
  actions: number[];
  words: string;
  moves: Move[];
  /** The squares on which the turn captures. */
  captures: string[];
  /** The position after the turn. */
  state: State;
}

/** The answer to `view` of the engine protocol: everything that is needed to draw a position. */
export interface View {
  readonly game: string;
  readonly node: "chance" | "decision" | "over";
  readonly mover: string | null;
  readonly throws: readonly number[];
  readonly seats: readonly {
    seat: string;
    name: string;
    has_cut: boolean;
    finished: number | null;
  }[];
  readonly pieces: readonly {
    seat: string;
    square: string | null;
    place: string;
    is_unit: boolean;
    is_back: boolean;
    is_marked: boolean;
  }[];
  readonly actions: readonly (Move & { id: number; text: string })[];
  readonly returns?: readonly number[];
}

/**
 * The rules of a game for a certain set of seats. Players have numbers from 0, in the order of
 * `seats`.
 */
export class Game {
  private constructor();
  /**
   * Loads a game. House rules can follow the name: `"pagade?teams=true"`. `seats` is the number of
   * seats or their letters, such as `"SEW"`; the default is the first set of seats of the game. For
   * a game of your own, `sheet` has the rules as TOML, and the name can be `null`.
   *
   * Rejects with a `Refusal` if the name, the seats or the sheet are wrong.
   */
  static load(
    name: string | null,
    options?: { seats?: number | string; sheet?: string },
  ): Promise<Game>;
  /** The names of the built-in games. */
  static names(): Promise<string[]>;
  /** The name with the house rules. */
  readonly name: string;
  /** The letters of the seats: S, E, N, W. */
  readonly seats: string;
  readonly sheet?: string;
  /**
   * The position before the first throw. Without `player`, `seed` determines the first player, or
   * it is random.
   */
  initialState(options?: { player?: number; seed?: number }): State;
  /** Reads a position in the notation, as `State.toString` returns it. */
  deserializeState(position: string): State;
  /**
   * Describes the game for people: `title`, `summary`, `flags` and more, as `ashta game --json`.
   */
  describe(): Record<string, any>;
  /** The facts for drawing the board, as the operation `board` of the engine protocol. */
  board(): Record<string, any>;
  /** Answers a request of the engine protocol, by the rules alone. Throws a `Refusal`. */
  ask(request: { op: string; [field: string]: unknown }): Record<string, any>;
}

/** A position. It never changes: `apply` and `throw` return a new one. */
export class State {
  private constructor();
  readonly game: Game;
  /** The player who must choose; -1 at chance nodes, -4 at the end. */
  currentPlayer(): number;
  /** The player whose turn it is, also at chance nodes; `null` at the end. */
  turnPlayer(): number | null;
  /** Whether the dice must be thrown now. */
  isChanceNode(): boolean;
  /** Whether the game is over. */
  isTerminal(): boolean;
  /** The unused throws, in the order thrown. */
  throws(): number[];
  /** The legal actions in ascending order; empty before a throw and at the end. */
  legalActions(): number[];
  /** Describes a legal action in words. Throws a `RangeError` if the action is not legal. */
  actionToString(action: number): string;
  /** The possible throws. Throws a `Refusal` if no dice are thrown here. */
  chanceOutcomes(): Outcome[];
  /**
   * Returns the position after an action, a throw, or the actions of a turn. Throws a `Refusal` if
   * it is not legal.
   */
  apply(move: number | Throw | { actions: number[] }): State;
  /**
   * Throws the dice. `random()` returns a number of at least 0 and less than 1; the default is
   * `Math.random`.
   */
  throw(random?: () => number): State;
  /**
   * All ways to play the turn, one for each position at its end. Empty before a throw and at the
   * end. Throws a `Refusal` if the turn leads through too many positions.
   */
  turns(): Turn[];
  /** The return of each player, 0 to 1; all 0 before the end. */
  returns(): number[];
  view(): View;
  /** Answers a request of the engine protocol about this position, such as `observe` or `why`. */
  ask(op: string, fields?: Record<string, unknown>): Record<string, any>;
  /** The position in the notation. */
  toString(): string;
  toJSON(): string;
}

export type Level = "beginner" | "novice" | "intermediate" | "advanced" | "expert";

/** A player. */
export class Bot {
  private constructor();
  /**
   * Loads a bot or a table of perfect play from the bytes of its file, a baseline by its name
   * (`"greedy"`), or a small bot by its name (`"ashtapada"`). With a bundler, import small bots
   * from `ashta/bots/NAME` instead.
   *
   * Rejects if the file is damaged or the name is unknown.
   */
  static load(from: string | ArrayBuffer | Uint8Array): Promise<Bot>;
  /**
   * The manifest of a bot file: `ruleset`, `seats`, `levels` and more; `null` for baselines and
   * tables.
   */
  manifest(): Record<string, any> | null;
  /**
   * Chooses an action. `lookahead` is `"policy"`, `"1ply"` (the default), `"2ply"`, `"mcts:800"` or
   * similar; `level` is a level of difficulty, which has one ply. Equal positions and seeds give
   * equal actions; the default seed is random.
   *
   * Look-aheads of 2 plies or more and tree search run in a worker. An aborted search ends at once, and
   * `choose` rejects with the reason of the signal; the other searches of the worker start again.
   * Rejects with a `Refusal` if the position is not a decision of the bot's game, or if the turn
   * leads through too many positions.
   */
  choose(
    state: State,
    options?: { lookahead?: string; level?: Level; seed?: number; signal?: AbortSignal },
  ): Promise<number>;
  /**
   * The value of a position for each player, 0 to 1: the expected return. A long look-ahead blocks
   * the thread.
   */
  values(state: State, options?: { lookahead?: string }): number[];
  /** Releases the memory of the bot; otherwise this happens when the bot is garbage. */
  free(): void;
}
