// Plays a game: lets bots choose, throws for those who want it, waits for persons, and goes back and forth.
//
// It calls its `listener` when anything has changed, and draws nothing.

import { advance, ask } from "./ask.js";
import { draw } from "./chance.js";
import { Game } from "./game.js";
import { agentOf } from "./players.js";

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

  isRecorded(seat) {
    return this.player(seat).startsWith("recorded:");
  }

  // Takes a game over, as `played` of games.js gives it, and its players.
  take(played, players, at = played.steps.length) {
    this.game = new Game(played);
    this.game.add(played.steps);
    this.game.at = Math.min(at, this.game.last);
    this.players = players;
    this.isPaused = !this.game.isAtEnd || this.game.seats.some(seat => this.isRecorded(seat));
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

  // Whether the one action that there is will be taken by itself.
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
        if (node === "over" || this.isRecorded(mover) || this.turnOfPerson) break;
        await this.pause(node);
        if (isOld()) return;
        if (node === "chance") {
          const { outcomes } = await ask(this.game.request("chance"));
          if (isOld()) return;
          await this.make(draw(outcomes, this.random), isOld);
        } else if (this.isPerson(mover)) {
          const { actions } = await ask(this.game.request("legal"));
          if (isOld()) return;
          await this.make(actions[0].id, isOld);
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
      const { action } = await ask(game.request("bestmove", { seed }), agent);
      if (!isOld()) {
        this.thinking = null;
        await this.make(action, isOld);
      }
    } finally {
      if (!isOld()) this.thinking = null;
    }
  }

  // Between what happens by itself there is time to see it.
  pause(node) {
    const pause = PAUSES[this.settings.pace] * (node === "chance" ? 1 : 0.8);
    return pause ? new Promise(resolve => setTimeout(resolve, pause)) : Promise.resolve();
  }

  async make(move, isOld) {
    const { steps, error } = await advance(this.game.position, [move], this.game.about.sheet);
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

  // What a person does: a throw or a choice. What came after it is forgotten.
  async act(move) {
    const run = ++this.turnstile;
    try {
      await this.make(move, () => run !== this.turnstile);
      if (run === this.turnstile) this.go();
    } catch (error) {
      if (run === this.turnstile) this.failed(error);
    }
  }

  async throwDice() {
    const run = ++this.turnstile;
    const { outcomes } = await ask(this.game.request("chance"));
    if (run === this.turnstile) this.act(draw(outcomes, this.random));
  }

  // Shows another place of the game; nothing moves there until a player does.
  goTo(at) {
    this.turnstile++;
    this.thinking = null;
    this.game.at = Math.max(0, Math.min(this.game.last, at));
    this.isPaused = true;
    this.changed({ kind: "went" });
  }

  // Whether a person had something to choose at a place.
  wasChoice(at) {
    const { node, mover, choices } = this.game.nodes[at];
    return node === "decision" && this.isPerson(mover) && choices > 1;
  }

  wasTurn(at) {
    return this.game.begins(at) && this.isPerson(this.game.nodes[at].mover);
  }

  // Where undo, redo and the undoing of a turn lead; null where they lead nowhere. With no person at the table they
  // go from turn to turn.
  get undoTo() {
    return this.game.before(this.game.at, at => this.hasPersons ? this.wasChoice(at) : this.game.begins(at));
  }

  get redoTo() {
    return this.game.after(this.game.at, at => this.hasPersons ? this.wasChoice(at) : this.game.begins(at));
  }

  get undoTurnTo() {
    return this.game.before(this.game.at, at => this.hasPersons ? this.wasTurn(at) : this.game.begins(at));
  }

  get hasPersons() {
    return this.game.seats.some(seat => this.isPerson(seat));
  }

  // Plays on from here with these players; what came after is forgotten.
  playOn(players) {
    this.turnstile++;
    this.thinking = null;
    this.players = players;
    this.game.add([]);
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
