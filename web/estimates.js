// The values of the adviser: a bar for each seat, and a chart over all turns. The page computes
// values in the background and keeps them. The adviser is perfect play if its table is loaded,
// otherwise a bot, otherwise the agent `greedy`.

import { prepare, values } from "./ask.js";
import { worth } from "./dock.js";
import { byId, chip, element, fill, picture, svg } from "./dom.js";
import { say } from "./log.js";
import { PARTNERS } from "./frame.js";
import * as play from "./play.js";
import * as players from "./players.js";
import { settings } from "./store.js";
import { engine, text } from "./text.js";

// The number of positions in one request. Other requests must wait until this request is answered.
const AT_ONCE = 40;

const tables = new Set();
// The values that are known, by adviser and position; and the game of these positions.
const known = new Map();
let knownOf = null;

const tableNow = () => players.tableOf(play.game.rules, play.game.letters);
// An opened bot can have the name of another bot with other values, so `opened` is a part of the
// key.
export const adviser = () => ({
  ...players.adviser(play.game.rules, play.game.letters, tables.has(tableNow())),
  opened: players.opened,
});

const key = (who, position) => `${who.opened} ${who.name} ${position}`;
// The values of an adviser in a position, or at a node of a game, by seat; null if they are not
// known yet.
export const valueOf = (position, who) => known.get(key(who, position)) ?? null;
export const valueAt = (game, at, who) => valueOf(game.nodes[at].position, who);

// Computes the unknown values of these positions of the game; returns whether any values were
// unknown.
export async function learn(game, who, positions) {
  if (knownOf !== game.about) known.clear();
  knownOf = game.about;
  const missing = positions.filter((position) => !valueOf(position, who));
  for (let from = 0; from < missing.length; from += AT_ONCE) {
    const part = missing.slice(from, from + AT_ONCE);
    const found = await values(part, who.agent, game.about.sheet);
    part.forEach((position, at) => known.set(key(who, position), found[at]));
  }
  return missing.length > 0;
}

export async function loadTable() {
  const table = tableNow(),
    progress = byId("progress");
  progress.hidden = false;
  byId("load-table").disabled = true;
  try {
    await prepare({ file: `${table}.table`, level: "" }, (read, total) => {
      progress.max = total || read;
      progress.value = read;
    });
    tables.add(table);
    say(text("estimates.loaded"));
  } finally {
    progress.hidden = true;
    byId("load-table").disabled = false;
    play.changed({ kind: "loaded" });
  }
}

// Draws the known values. Then computes the unknown values and, unless `isOld()` is now true, draws
// again.
export async function drawEstimates(view, who, isOld) {
  const { game } = play,
    table = tableNow();
  byId("load-table").hidden = table === null || tables.has(table);
  if (table !== null)
    byId("load-table").textContent = text("estimates.load", {
      size: players.sizeOfTable(game.rules, game.letters),
    });
  drawSeats(game, view, who);
  if (
    settings.chances &&
    (await learn(
      game,
      who,
      game.turns.map((at) => game.nodes[at].position),
    )) &&
    !isOld()
  )
    drawSeats(game, view, who);
}

function drawSeats(game, view, who) {
  const isShown = settings.chances,
    isOver = game.node.node === "over";
  const from = isOver ? game.at : game.turnOf(game.at);
  const now = isShown ? valueAt(game, from, who) : null;
  const { outlook, has_gate: hasGate, words } = game.board,
    captured = engine(words.captured);
  const isTeams = outlook === "teams",
    order = [..."SNEW"],
    // Partners are below each other.
    seats = isTeams
      ? view.seats.toSorted((a, b) => order.indexOf(a.seat) - order.indexOf(b.seat))
      : view.seats;
  fill(
    byId("seats"),
    seats.map((own) => {
      const { seat, has_cut: hasCut, finished } = own,
        share = now?.[view.seats.indexOf(own)];
      const marks = [
        isTeams
          ? text("estimates.with", {
              seat: text(`seat.${PARTNERS[seat]}`),
            })
          : null,
        !hasGate
          ? null
          : hasCut
            ? text("estimates.has", { captured })
            : text("estimates.hasNot", { captured }),
        finished && !isOver ? text("estimates.place", { place: finished }) : null,
      ]
        .filter(Boolean)
        .join(", ");
      const bar = element(
        "div",
        { class: "bar", "aria-hidden": "true" },
        share === undefined ? null : element("div", {}),
      );
      if (share !== undefined) bar.firstChild.style.width = `${100 * share}%`;
      return element(
        "li",
        { class: `seat-${seat}${view.mover === seat ? " mover" : ""}` },
        chip(seat),
        element(
          "span",
          { class: "who" },
          text(`seat.${seat}`),
          element("span", { class: "soft" }, ` ${play.label(seat)}`),
          marks ? element("small", {}, marks) : null,
        ),
        element(
          "span",
          { class: "share" },
          share === undefined ? "" : worth(share, game.board, view.seats.length),
        ),
        isShown ? bar : null,
      );
    }),
  );
  const when = `${outlook === "placings" ? "places" : "chances"}.${game.begins(from) ? "throw" : isOver ? "end" : "choice"}`;
  byId("estimates-by").textContent = isShown ? text(`estimates.by.${when}`, { who: who.name }) : "";
  fill(byId("line"), isShown && game.turns.length > 1 ? line(game, who, [], play.goTo) : null);
}

// A chart with a line for each seat over the turns. `marks` are points on the lines: [{ at, seat,
// kind }]. A click calls `goTo(at)` with the nearest turn.
export function line(game, who, marks = [], goTo = null) {
  const { turns } = game,
    [width, height, edge] = [340, 74, 4];
  const x = (number) => edge + ((width - 2 * edge) * number) / Math.max(1, turns.length - 1);
  const y = (share) => edge + (height - 2 * edge) * (1 - share);
  const now = turns.findLastIndex((at) => at <= game.at);
  const rules = [0, 0.5, 1].map((share) =>
    svg("path", { class: "rule", d: `M${edge} ${y(share)}H${width - edge}` }),
  );
  const all = turns.map((at) => valueAt(game, at, who));
  const lines = game.seats.map((seat, own) =>
    svg("polyline", {
      class: `seat-${seat}`,
      points: all
        .flatMap((shares, number) =>
          shares ? [`${x(number).toFixed(1)},${y(shares[own]).toFixed(1)}`] : [],
        )
        .join(" "),
    }),
  );
  const points = marks.flatMap(({ at, seat, kind }) => {
    const number = turns.findLastIndex((turn) => turn <= at),
      share = all[number]?.[game.seats.indexOf(seat)];
    return share === undefined
      ? []
      : [svg("path", { class: `mark ${kind}`, d: `M${x(number)} ${y(share)}h0` })];
  });
  const drawing = picture(
    width,
    height,
    text("estimates.line", { turns: turns.length - 1, now }),
    rules,
    svg("path", { class: "now", d: `M${x(now)} 0V${height}` }),
    lines,
    points,
  );
  drawing.addEventListener("click", ({ clientX }) => {
    const { left, width } = drawing.getBoundingClientRect();
    goTo?.(turns[Math.round(((clientX - left) / width) * (turns.length - 1))]);
  });
  drawing.setAttribute("class", goTo ? "chart can" : "chart");
  drawing.setAttribute("preserveAspectRatio", "none");
  return drawing;
}
