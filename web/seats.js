// The choice of a player for each seat: in the dialog of a new game, and in the dialog that changes the players of the
// current game.

import { byId, chip, element, fill, options, showText } from "./dom.js";
import { bySeat } from "./game.js";
import * as play from "./play.js";
import { best, choices, playerNamed, playerOrBest } from "./players.js";
import { text } from "./text.js";

// Draws the choice of players for these rules. When the user chooses a player, changes `players`. Replaces players that
// do not know the rules, and shows a warning if no bot knows them.
export function drawPlayers(dialog, rules, seats, players, outlook) {
  const groups = choices(rules, seats, outlook);
  fill(dialog.querySelector(".seat-choices"), [...seats].map(seat => {
    const entries = groups.map(({ group, players: all }) => {
      const made = options(all, playerOrBest(players[seat], rules, seats));
      made.forEach((option, at) => { option.disabled = !all[at][2]; });
      return group ? element("optgroup", { label: group }, made) : made;
    });
    const select = element("select", { "data-seat": seat, onchange: ({ target }) => { players[seat] = target.value; } }, entries);
    return element("label", { class: `line seat-${seat}` }, chip(seat), element("span", { class: "seat-name" }, text(`seat.${seat}`)), select);
  }));
  warn(dialog, best(rules, seats).startsWith("bot:") ? ""
    : text("seats.noBot", { rules, seats }));
}

export const warn = (dialog, warning) => showText(dialog.querySelector("form > .warning"), warning);

// Asks the user for the players of the rest of the game, then calls `take(players)`.
export function askPlayers(take) {
  const { rules, letters, seats, node } = play.game, dialog = byId("seats-dialog");
  const players = bySeat(seats, seat => {
    const player = play.player(seat);
    if (!play.isRecorded(seat)) return player;
    return seat === node.mover && !play.persons().length ? "person" : playerNamed(player.slice(9), rules, letters);
  });
  drawPlayers(dialog, rules, letters, players, play.game.board.outlook);
  dialog.querySelector("form").onsubmit = ({ submitter }) => submitter?.value === "take" && take(players);
  dialog.showModal();
}
