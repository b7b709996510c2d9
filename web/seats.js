// The choice of a player for each seat: in the dialog of a new game, and in the dialog that changes
// the players of the current game.

import { capital } from "./choice.js";
import { byId, chip, element, fill, options, showText } from "./dom.js";
import { PARTNERS } from "./frame.js";
import { bySeat } from "./game.js";
import * as play from "./play.js";
import { best, botOf, choices, playerHere, playerNamed, scaleOf } from "./players.js";
import { text } from "./text.js";

// Whether the lists show all players. The entry "more" shows them.
let isFull = false;

// Draws the choice of players for these rules. When the user chooses a player, changes `players`.
// Replaces players that do not know the rules, and shows a warning if no bot knows them. `board` is
// the board of the game, or a promise of it.
export function drawPlayers(dialog, rules, seats, players, board) {
  const groups = choices(rules, seats),
    hasBot = best(rules, seats).startsWith("bot:"),
    now = bySeat(seats, (seat) => playerHere(players[seat], rules, seats)),
    you = [...seats].find((seat) => now[seat] === "person");
  const scale = element("p", { class: "soft" });
  const rows = bySeat(seats, (seat) => {
    const isShown =
      isFull ||
      !hasBot ||
      groups.some(
        ({ players: all, isMore }) => isMore && all.some(([player]) => player === now[seat]),
      );
    // The first person is the user.
    const nameOf = (player, words) =>
      player === "person" && (!you || you === seat) ? text("players.you") : words;
    const entries = groups.map(({ group, players: all, isMore }) => {
      const made = options(
        all.map(([player, words, isHere]) => [player, capital(nameOf(player, words)), isHere]),
        now[seat],
      );
      return group ? element("optgroup", { label: group, hidden: isMore && !isShown }, made) : made;
    });
    const change = ({ target }) => {
      if (target.value === "more") isFull = true;
      else players[seat] = target.value;
      drawPlayers(dialog, rules, seats, players, board);
    };
    const select = element(
      "select",
      { "data-seat": seat, "data-key": seat, onchange: change },
      entries,
      isShown ? null : options([["more", text("seats.more")]]),
    );
    return element(
      "label",
      { class: `line seat-${seat}` },
      chip(seat),
      element("span", { class: "seat-name" }, text(`seat.${seat}`)),
      select,
    );
  });
  fill(dialog.querySelector(".seat-choices"), Object.values(rows), scale);
  Promise.resolve(board).then(
    ({ outlook }) => {
      fill(scale, scaleOf(rules, seats, outlook));
      const isTeams = outlook === "teams";
      dialog.querySelector(".seat-choices").classList.toggle("teams", isTeams);
      for (const seat of isTeams ? seats : [])
        rows[seat].children[1].append(
          element("small", {}, text("estimates.with", { seat: text(`seat.${PARTNERS[seat]}`) })),
        );
    },
    () => {},
  );
  const bot = botOf(rules, seats);
  warn(dialog, hasBot ? "" : bot ? text("seats.away", { bot }) : text("seats.noBot"));
}

export const warn = (dialog, warning) => showText(dialog.querySelector("form > .warning"), warning);

// Asks the user for the players of the rest of the game, then calls `take(players)`.
export function askPlayers(take) {
  const { rules, letters, seats, node } = play.game,
    dialog = byId("seats-dialog");
  const players = bySeat(seats, (seat) => {
    const player = play.player(seat);
    if (!play.isRecorded(seat)) return player;
    return seat === node.mover && !play.persons().length
      ? "person"
      : playerNamed(player.slice(9), rules, letters);
  });
  drawPlayers(dialog, rules, letters, players, play.game.board);
  dialog.querySelector("form").onsubmit = ({ submitter }) =>
    submitter?.value === "take" &&
    take(bySeat(seats, (seat) => playerHere(players[seat], rules, letters)));
  dialog.showModal();
}
