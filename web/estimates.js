// What the adviser thinks of the game: a bar for each seat, and a line over all turns. Asked in the background; what
// was answered is kept, so that going back and forth asks nothing.

import { values } from "./ask.js";
import { SEATS } from "./game.js";
import { worth } from "./dock.js";
import { element, picture, svg } from "./svg.js";

// So many positions are asked for in one go, so that nothing else waits long.
const AT_ONCE = 40;

const byId = id => document.getElementById(id);

export class Estimates {
  constructor() {
    this.known = new Map();
    // The game that it is known of.
    this.about = null;
  }

  // Asks for these places of the game as far as they are not known yet; true if anything has become known.
  async learn(game, adviser, all = game.turns) {
    if (this.about !== game.about) this.known.clear();
    this.about = game.about;
    const places = all.map(at => game.nodes[at].position);
    const missing = places.filter(position => !this.known.has(this.key(adviser, position)));
    if (!missing.length) return false;
    for (let from = 0; from < missing.length; from += AT_ONCE) {
      const part = missing.slice(from, from + AT_ONCE);
      const found = await values(part, adviser.agent, game.about.sheet);
      part.forEach((position, at) => this.known.set(this.key(adviser, position), found[at]));
    }
    return true;
  }

  key(adviser, position) {
    return `${adviser.name} ${position}`;
  }

  at(game, at, adviser) {
    return this.known.get(this.key(adviser, game.nodes[at].position)) ?? null;
  }

  drawSeats(play, view, adviser, isShown) {
    const { game } = play;
    const from = game.node.node === "over" ? game.at : game.turnOf(game.at);
    const when = game.begins(from) ? "before the throw" : game.nodes[from].node === "over" ? "at the end" : "with the best choice";
    const now = isShown ? this.at(game, from, adviser) : null;
    const { outlook, has_gate: hasGate } = game.board, { captured } = game.board.words;
    const isPlaces = outlook === "placings";
    byId("seats").replaceChildren(...view.seats.map(({ seat, has_cut: hasCut, finished }, at) => {
      const share = now?.[at];
      const marks = [
        outlook === "teams" ? `with ${SEATS[{ S: "N", N: "S", E: "W", W: "E" }[seat]]}` : null,
        hasGate ? `${hasCut ? "has" : "has not"} ${captured}` : null,
        finished && view.node !== "over" ? `place ${finished}` : null,
      ].filter(Boolean).join(", ");
      const bar = element("div", { class: "bar", "aria-hidden": "true" });
      if (share !== undefined) {
        const fill = element("div", {});
        fill.style.width = `${100 * share}%`;
        bar.append(fill);
      }
      return element("li", { class: `seat-${seat}${view.mover === seat ? " mover" : ""}` },
        element("span", { class: "chip", "aria-hidden": "true" }, seat),
        element("span", { class: "who" }, SEATS[seat], element("span", { class: "soft" }, ` ${play.label(seat)}`), marks ? element("small", {}, marks) : null),
        element("span", { class: "share" }, share === undefined ? "" : worth(share, game.board, view.seats.length)),
        isShown ? bar : null);
    }));
    byId("estimates-by").textContent = isShown ? `${isPlaces ? "Expected places" : "Chances"} ${when}, by ${adviser.name}.` : "";
    this.drawLine(game, view, adviser, isShown);
  }

  // One line for each seat over the turns; partners, and the second of two, would only mirror.
  drawLine(game, view, adviser, isShown) {
    const turns = game.turns;
    if (!isShown || turns.length < 2) return byId("line").replaceChildren();
    const [width, height, edge] = [340, 74, 4];
    const x = number => edge + (width - 2 * edge) * number / (turns.length - 1);
    const y = share => edge + (height - 2 * edge) * (1 - share);
    const parts = [0, 0.5, 1].map(share => svg("path", { class: "rule", d: `M${edge} ${y(share)}H${width - edge}` }));
    const now = turns.findLastIndex(at => at <= game.at);
    parts.push(svg("path", { class: "now", d: `M${x(now)} 0V${height}` }));
    view.seats.forEach(({ seat }, at) => {
      const points = turns.flatMap((place, number) => {
        const known = this.at(game, place, adviser);
        return known ? [`${x(number).toFixed(1)},${y(known[at]).toFixed(1)}`] : [];
      });
      parts.push(svg("polyline", { class: `seat-${seat}`, points: points.join(" ") }));
    });
    const drawing = picture(width, height, `Chances over ${turns.length - 1} turns, shown at turn ${now}`, ...parts);
    drawing.setAttribute("preserveAspectRatio", "none");
    byId("line").replaceChildren(drawing);
  }
}
