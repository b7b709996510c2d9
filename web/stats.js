// The user's own statistics: the finished games of this browser, each counted once, with their
// results by opponent. Luck and loss are known if the user has looked back on the game.

import { byId, element, fill, onClick, saveFile } from "./dom.js";
import { grouped } from "./pieces.js";
import * as play from "./play.js";
import { label } from "./players.js";
import * as store from "./store.js";
import { number, percent, text } from "./text.js";

const PEOPLE = "people";

// Counts the shown game if it is over, began in this browser, and has a person. A game that ends a
// second time, after undo, keeps its first result.
export function count() {
  const { game } = play,
    { returns } = game.node,
    persons = play.persons();
  if (!returns || !persons.length || play.hasRecorded() || !store.isBegun()) return;
  const all = store.results(),
    own = store.ownGame();
  if (all.some(({ id }) => id === own)) return;
  const others = game.seats.map(play.player).filter((player) => player !== "person");
  const most = Math.max(...returns),
    mine = returns[game.seats.indexOf(persons[0])];
  const result = Math.min(...returns) === most ? "draw" : mine === most ? "won" : "lost";
  store.keepResults([
    ...all,
    {
      id: own,
      when: new Date().toISOString(),
      game: game.rules,
      seats: game.letters,
      seat: persons.join(""),
      against: persons.length > 1 ? PEOPLE : [...new Set(others)].sort().join(" "),
      result: persons.length > 1 ? "" : result,
      turns: turns(),
    },
  ]);
}

const turns = () => play.game.turns.length - 1;

// Adds the luck and the loss of a seat to the result of the shown game.
export function learn(seat, luck, loss, by) {
  const all = store.results(),
    found = all.find(
      (one) => one.id === store.ownGame() && one.seat === seat && one.turns === turns(),
    );
  if (!found || play.game.node.node !== "over") return;
  Object.assign(found, { luck, loss, by });
  store.keepResults(all);
}

onClick({
  "#save-stats": () =>
    saveFile(
      new File([JSON.stringify(store.results(), null, 1)], "ashta-games.json", {
        type: "application/json",
      }),
    ),
  "#reset-stats": () => {
    if (confirm(text("stats.sure"))) store.keepResults([]);
    drawStats();
  },
});

const mean = (all, key) => all.reduce((sum, one) => sum + one[key], 0) / all.length;

// A table with a row for each opponent.
export function drawStats() {
  const all = store.results(),
    byOpponent = grouped(all, ({ against }) => against);
  byId("stats").hidden = all.length === 0;
  const rows = [...byOpponent]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([against, games]) => {
      const decided = games.filter(({ result }) => result),
        seen = games.filter(({ luck }) => luck !== undefined);
      const name =
        against === PEOPLE
          ? text("stats.people")
          : against
              .split(" ")
              .map((player) => label(player))
              .join(", ");
      const share = (key) => (seen.length ? percent(mean(seen, key)) : "–");
      return [
        name,
        number(games.length),
        decided.length ? number(decided.filter(({ result }) => result === "won").length) : "–",
        share("luck"),
        share("loss"),
      ];
    });
  fill(
    byId("stats-rows"),
    rows.map(([name, ...values]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        values.map((value) => element("td", {}, value)),
      ),
    ),
  );
}
