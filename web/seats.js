// Who plays each seat, chosen in a dialog: in that of a new game, and in that which changes the players of a game under
// way.

import { byId, chip, element, fill, options, tell } from "./dom.js";
import { bySeat, SEATS } from "./game.js";
import * as play from "./play.js";
import { best, choices, playerNamed } from "./players.js";

// A choice of player for each seat of a game that is played by these rules: `players` by seat, which is changed. Says
// so where no bot knows the rules.
export function drawPlayers(dialog, rules, seats, players, change = (seat, player) => { players[seat] = player; }) {
  const groups = choices(rules, seats);
  fill(dialog.querySelector(".seat-choices"), [...seats].map(seat => {
    const entries = groups.map(({ group, players: all }) => {
      const made = options(all, players[seat]);
      made.forEach((option, at) => { option.disabled = !all[at][2]; });
      return group ? element("optgroup", { label: group }, made) : made;
    });
    const select = element("select", { "data-seat": seat, onchange: ({ target }) => change(seat, target.value) }, entries);
    return element("label", { class: `line seat-${seat}` }, chip(seat), element("span", { class: "seat-name" }, SEATS[seat]), select);
  }));
  warn(dialog, best(rules, seats).startsWith("bot:") ? ""
    : `No bot has been trained on these rules (${rules} for ${seats}); the players without training know them.`);
}

export const warn = (dialog, text) => tell(dialog.querySelector("form > .warning"), text);

// Asks for the players of the rest; `take(players)` with the answer.
export function askPlayers(take) {
  const { rules, letters, seats, node } = play.game, dialog = byId("seats-dialog");
  const players = bySeat(seats, seat => {
    const player = play.player(seat);
    if (!play.isRecorded(seat)) return player;
    return seat === node.mover && !play.persons().length ? "person" : playerNamed(player.slice(9), rules, letters);
  });
  drawPlayers(dialog, rules, letters, players);
  dialog.querySelector("form").onsubmit = ({ submitter }) => submitter?.value === "take" && take(players);
  dialog.showModal();
}
