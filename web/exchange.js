// The dialog of games: those that are kept, the one that is shown as text and as a link, and what others have written.
// What cannot be read is named, and the game under way stays.

import { looksLikeSheet, named, played } from "./games.js";
import { contradiction, line, link, linked, read } from "./record.js";
import * as store from "./store.js";
import { element } from "./svg.js";

const byId = id => document.getElementById(id);

export class Exchange {
  // `takePosition(played)` and `takeRecord(played, record, note)` with what `played` says; `takeSheet(text)`; `goOn(kept)`
  // says whether it could.
  constructor(does) {
    this.does = does;
    this.dialog = byId("exchange");
    this.records = [];
    byId("copy-link").addEventListener("click", async () => this.copy(await link(this.play), "Link copied: it shows the game as it stands here."));
    byId("copy-position").addEventListener("click", () => this.copy(byId("position-text").value, "Position copied."));
    byId("copy-game").addEventListener("click", () => this.copy(line(this.play), "Game copied."));
    byId("save-game").addEventListener("click", () => this.save());
    byId("take-pasted").addEventListener("click", () => this.take(byId("pasted").value));
    byId("take-record").addEventListener("click", () => this.show(this.records[byId("record-number").value]));
    byId("open-file").addEventListener("change", async event => {
      const [file] = event.target.files;
      if (file) await this.take(await file.text());
      event.target.value = "";
    });
  }

  open(play) {
    this.play = play;
    byId("position-text").value = play.game.position;
    this.tell("");
    this.refuse("");
    byId("choose-record").hidden = true;
    const kept = store.games().map(game => [game, read(game.line).records?.[0]]).filter(([, found]) => found?.record);
    byId("kept-games").replaceChildren(...kept.map(([game, found]) => this.keptGame(game, found)));
    byId("no-games").hidden = kept.length > 0;
    this.dialog.showModal();
  }

  // A game that is kept, as a button that goes on with it.
  keptGame(game, { record, title }) {
    const name = record.start.split(" ")[0];
    return element("li", {}, element("button", { type: "button", class: "quiet", onclick: async () => {
      try {
        if (await this.does.goOn(game)) this.dialog.close("done");
        else this.refuse("This game is open in another tab.");
      } catch (error) {
        this.refuse(error.message);
      }
    } }, element("b", {}, named(name.split("?")[0])?.title ?? name), ` ${title}, `, new Date(game.when).toLocaleString()));
  }

  async copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      this.tell(done);
    } catch {
      // Without leave to use the clipboard, the text is there to be copied by hand.
      byId("pasted").value = text;
      byId("pasted").focus();
      byId("pasted").select();
      this.tell("The browser gives no access to its clipboard; the text stands below, to be copied by hand.");
    }
  }

  save() {
    const url = URL.createObjectURL(new Blob([`${line(this.play)}\n`], { type: "application/json" }));
    const link = element("a", { href: url, download: `${this.play.game.rules.split("?")[0]}.jsonl` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    this.tell("Game saved.");
  }

  tell(text) {
    byId("exchange-done").textContent = text;
  }

  refuse(text) {
    byId("exchange-trouble").hidden = !text;
    byId("exchange-trouble").textContent = text;
  }

  // Takes a text: a position, a game, a file of games, or a sheet.
  async take(text) {
    this.refuse("");
    byId("choose-record").hidden = true;
    if (looksLikeSheet(text)) {
      this.dialog.close("");
      return this.does.takeSheet(text);
    }
    try {
      const found = read(await linked(text) ?? text);
      if (found.position) {
        await this.does.takePosition(await played(found.position));
        return this.dialog.close("done");
      }
      this.records = found.records;
      if (found.records.length === 1) return await this.show(found.records[0]);
      byId("record-number").replaceChildren(...found.records.map(({ title, trouble }, at) =>
        element("option", { value: at }, `${at + 1}: ${trouble ? "cannot be read" : title}`)));
      byId("choose-record").hidden = false;
      byId("record-number").focus();
      this.tell(`${found.records.length} games.`);
    } catch (error) {
      this.refuse(error.message);
    }
  }

  async show({ line: number, record, trouble }) {
    const where = this.records.length > 1 ? `Line ${number}: ` : "";
    try {
      if (trouble) throw new Error(trouble);
      const game = await played(record.start, record.moves, record.sheet);
      if (game.error) throw new Error(`Move ${game.error.number} of the game is not possible at ${game.error.position}: ${game.error.message}.`);
      const seats = record.start.split(" ")[1].split("/").length;
      if (record.players && record.players.length !== seats) {
        throw new Error(`The game names ${record.players.length} players, and there are ${seats} seats.`);
      }
      const last = game.steps.at(-1)?.node ?? game.begins;
      await this.does.takeRecord(game, record, contradiction(record, last));
      this.dialog.close("done");
    } catch (error) {
      this.refuse(where + error.message);
    }
  }
}
