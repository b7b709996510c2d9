// Plays a game: lets bots choose, throws for those who want it, waits for persons, and goes back and forth.
//
// It calls its `listener` when anything has changed, and draws nothing.

import { advance, ask, choose } from "./ask.js";
import { draw } from "./chance.js";
import { Game } from "./game.js";
import { agentOf, label } from "./players.js";

const PAUSES = { calm: 900, quick: 300, none: 0 };

export class Play {
  constructor(random, settings, listener) {
    this.random = random;
    this.settings = settings;
    this.listener = listener;
    this.game = null;
    this.players = {};
    // Whether the past is shown: then nothing moves by itself.
    this.isPaused = false;
    // The seat whose bot is choosing, or null.
    this.thinking = null;
    // Whether what moves by itself does so at once, until a person is needed; and what ends the pause under way.
    this.isHurried = false;
    this.wake = () => {};
    // The number of the run of `go` that may still do something.
    this.turnstile = 0;
    this.trouble = null;
  }

  player(seat) {
    return this.players[seat] ?? "person";
  }

  isPerson(seat) {
    return this.player(seat) === "person";
  }

  // The player of a seat in a word or two.
  label(seat) {
    return label(this.player(seat), this.game.seats.filter(other => this.isPerson(other)).length === 1);
  }

  isRecorded(seat) {
    return this.player(seat).startsWith("recorded:");
  }

  // Takes a game over, as `played` of games.js gives it, and its players.
  take(played, players, at = played.steps.length) {
    this.game = new Game(played);
    this.game.add(played.steps);
    this.game.at = Math.min(at, this.game.last);
    this.players = players;
    this.isPaused = this.isPast;
    this.trouble = null;
    this.changed({ kind: "taken" });
    this.go();
  }

  // What a person may do where we are: "throw", "enter" a throw, "choose", or null.
  get turnOfPerson() {
    const { node, mover } = this.game.node;
    if (node === "over" || this.thinking) return null;
    if (node === "chance") {
      if (this.settings.throws === "hand") return this.isRecorded(mover) ? null : "enter";
      if (!this.isPerson(mover)) return null;
      return this.settings.throws === "button" || this.isPaused ? "throw" : null;
    }
    return this.isPerson(mover) && !this.isForced ? "choose" : null;
  }

  // Whether the one way to play the turn will be taken by itself.
  get isForced() {
    const { node, choices } = this.game.node;
    return node === "decision" && choices === 1 && this.settings.forced && !this.isPaused;
  }

  // Whether something will move by itself.
  get isBusy() {
    const { node, mover } = this.game.node;
    return !this.isPaused && node !== "over" && !this.isRecorded(mover) && !this.turnOfPerson;
  }

  changed(what) {
    this.listener(what);
  }

  // Goes on until a person is needed, the game is over, or something else has happened.
  async go() {
    const run = ++this.turnstile;
    const isOld = () => run !== this.turnstile;
    try {
      while (!this.isPaused) {
        const { node, mover } = this.game.node;
        if (node === "over" || this.isRecorded(mover) || this.turnOfPerson) {
          if (this.isHurried) {
            this.isHurried = false;
            this.changed({ kind: "arrived" });
          }
          break;
        }
        await this.pause(node);
        if (isOld()) return;
        if (node === "chance") {
          const thrown = await this.drawn();
          if (isOld()) return;
          await this.make([thrown], isOld);
        } else if (this.isPerson(mover)) {
          const { turns } = await ask(this.game.request("choices"));
          if (isOld()) return;
          await this.make(turns[0].actions, isOld);
        } else {
          await this.letChoose(mover, isOld);
        }
        if (isOld()) return;
      }
    } catch (error) {
      if (!isOld()) this.failed(error);
    }
  }

  async letChoose(seat, isOld) {
    const game = this.game;
    this.thinking = seat;
    this.changed({ kind: "thinking" });
    const seed = Math.floor(this.random() * 2 ** 32);
    const agent = agentOf(this.player(seat), game.rules, game.letters);
    try {
      const actions = await choose(game.position, agent, seed, game.about.sheet);
      if (!isOld()) {
        this.thinking = null;
        await this.make(actions, isOld);
      }
    } finally {
      if (!isOld()) this.thinking = null;
    }
  }

  // Between what happens by itself there is time to see it.
  pause(node) {
    const pause = this.isHurried ? 0 : PAUSES[this.settings.pace] * (node === "chance" ? 1 : 0.8);
    return pause ? new Promise(resolve => setTimeout(this.wake = resolve, pause)) : Promise.resolve();
  }

  // Lets what moves by itself move at once, until a person is needed.
  hurry() {
    if (!this.isBusy) return;
    this.isHurried = true;
    this.wake();
    this.changed({ kind: "hurried" });
  }

  // Plays moves: a throw, or the actions of what is left of a turn.
  async make(moves, isOld) {
    const { steps, error } = await advance(this.game.position, moves, this.game.about.sheet);
    if (isOld()) return;
    if (error) throw new Error(error.message);
    this.game.add(steps);
    this.isPaused = false;
    this.trouble = null;
    this.changed({ kind: "moved", step: steps[0].step, node: steps[0].node });
  }

  failed(error) {
    this.thinking = null;
    this.isPaused = true;
    this.trouble = error.message;
    this.changed({ kind: "failed" });
  }

  // What a person does: a throw, or a turn. What came after it is forgotten.
  async act(moves) {
    const run = ++this.turnstile;
    try {
      await this.make(moves, () => run !== this.turnstile);
      if (run === this.turnstile) this.go();
    } catch (error) {
      if (run === this.turnstile) this.failed(error);
    }
  }

  async throwDice() {
    const run = ++this.turnstile;
    const thrown = await this.drawn();
    if (run === this.turnstile) this.act([thrown]);
  }

  // A throw for the place where we are; what was thrown there once is thrown there again.
  async drawn() {
    const known = this.game.steps[this.game.at]?.thrown;
    return known ?? draw((await ask(this.game.request("chance"))).outcomes, this.random);
  }

  // Shows another place of the game. In the past nothing moves until a player does; at the end the game goes on.
  goTo(at) {
    this.turnstile++;
    this.thinking = null;
    this.isHurried = false;
    this.game.at = Math.max(0, Math.min(this.game.last, at));
    this.isPaused = this.isPast;
    this.changed({ kind: "went" });
    this.go();
  }

  // Whether what is shown is over: an earlier place, or any of a record.
  get isPast() {
    return !this.game.isAtEnd || this.game.seats.some(seat => this.isRecorded(seat));
  }

  // Whether a person had something to choose at a place.
  wasChoice(at) {
    const { node, mover, choices } = this.game.nodes[at];
    return node === "decision" && this.isPerson(mover) && choices > 1;
  }

  // Where undo and redo lead; null where they lead nowhere. With no person at the table they go from turn to turn.
  get undoTo() {
    return this.game.before(this.game.at, at => this.hasPersons ? this.wasChoice(at) : this.game.begins(at));
  }

  get redoTo() {
    return this.game.after(this.game.at, at => this.hasPersons ? this.wasChoice(at) : this.game.begins(at));
  }

  get hasPersons() {
    return this.game.seats.some(seat => this.isPerson(seat));
  }

  // Plays on from here with these players; what came after is forgotten with the first move.
  playOn(players) {
    this.turnstile++;
    this.thinking = null;
    this.players = players;
    this.isPaused = false;
    this.trouble = null;
    this.changed({ kind: "playing" });
    this.go();
  }

  // Other players, or other settings, from here on.
  seat(players) {
    this.turnstile++;
    this.thinking = null;
    this.players = players;
    this.changed({ kind: "seated" });
    this.go();
  }
}
