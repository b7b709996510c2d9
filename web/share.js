// A picture of a game to share: the board, the chances over the turns, and the luckiest throw of
// the winner.

import { byId, element, saveFile, svg } from "./dom.js";
import * as estimates from "./estimates.js";
import * as play from "./play.js";
import { label } from "./players.js";
import { changes, most } from "./review.js";
import { percent, text } from "./text.js";

const WIDTH = 1080,
  EDGE = 40,
  HIGHEST = 1000,
  INNER = WIDTH - 2 * EDGE;
// A picture has no style sheets, so each of its elements gets these styles.
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "vector-effect",
  "opacity",
  "display",
  "fill-rule",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];

// Shares the picture. If the browser cannot share files, saves it and returns a text that says so.
export async function sharePicture() {
  const { game } = play,
    who = estimates.adviser();
  await estimates.learn(
    game,
    who,
    game.nodes.map(({ position }) => position),
  );
  const file = new File([await png(drawn(game, who))], `${game.rules.split("?")[0]}.png`, {
    type: "image/png",
  });
  if (!navigator.canShare?.({ files: [file] })) {
    saveFile(file);
    return text("share.saved");
  }
  await navigator
    .share({ files: [file], title: game.about.title })
    .catch(({ name }) => name === "AbortError" || saveFile(file));
}

function luckiest(game, who) {
  const all = changes(game, (at) => estimates.valueAt(game, at, who)),
    found = most(
      all.filter(({ seat }) => game.winners.includes(seat)),
      "luck",
    );
  return (
    found &&
    text("share.luckiest", {
      seat: text(`seat.${found.seat}`),
      values: found.step.thrown.join(", "),
      turn: game.turns.filter((at) => at <= found.at).length,
      luck: percent(found.luck),
    })
  );
}

// Draws the parts below each other.
function drawn(game, who) {
  const board = byId("board").firstElementChild.cloneNode(true),
    { width, height } = board.viewBox.baseVal;
  // The last part has the moving pieces and the petals of the celebration.
  board.lastElementChild.remove();
  for (const piece of board.querySelectorAll(".arriving")) piece.classList.remove("arriving");
  const scale = Math.min(INNER / width, HIGHEST / height),
    chart = estimates.line(game, who);
  let y = EDGE;
  const words = (content, size, kind) =>
    content
      ? svg("text", { x: EDGE, y: (y += 1.2 * size), "font-size": size, class: kind }, content)
      : null;
  const place = (part, [wide, high]) => {
    for (const [name, value] of Object.entries({
      x: (WIDTH - wide) / 2,
      y: (y += 24),
      width: wide,
      height: high,
    }))
      part.setAttribute(name, value);
    y += high;
    return part;
  };
  const names = game.seats
    .map((seat, at) => [
      at ? " – " : "",
      svg("tspan", { class: `seat-${seat}` }, text(`seat.${seat}`)),
      ` ${label(play.player(seat))}`,
    ])
    .flat();
  const parts = [
    words(game.about.title, 54, "title"),
    words(game.result ?? "", 38, "title"),
    words(names, 30, "about"),
    place(board, [scale * width, scale * height]),
    place(chart, [INNER, 190]),
    words(luckiest(game, who), 30, "about"),
    words(text("share.by", { who: who.name }), 24, "about"),
  ];
  y = Math.round(y + EDGE);
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${y}`, width: WIDTH, height: y, class: "shared" },
    svg("rect", { width: WIDTH, height: y, class: "ground" }),
    parts.filter(Boolean),
  );
}

async function png(picture) {
  const holder = element(
      "div",
      { class: "visually-hidden", "aria-hidden": "true", inert: true },
      picture,
    ),
    image = new Image();
  document.body.append(holder);
  for (const line of picture.querySelectorAll(":scope > text")) {
    const part = Math.min(1, INNER / line.getComputedTextLength());
    line.setAttribute("font-size", part * line.getAttribute("font-size"));
  }
  for (const part of picture.querySelectorAll("*")) {
    const styles = getComputedStyle(part);
    for (const name of STYLES) part.setAttribute(name, styles.getPropertyValue(name));
  }
  holder.remove();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  await image.decode();
  const canvas = element("canvas", { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
