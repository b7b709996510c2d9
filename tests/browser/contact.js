// Makes the contact sheet of the page: each game at the beginning, in the middle and at the end, on
// a phone and on two wide screens, in light and dark colours. Run it after web/build:
//   node tests/browser/contact.js [FOLDER FOR THE SINGLE PICTURES]

import { join } from "node:path";

import { ROOT, blank, ready, start } from "./browser.js";

const SHEET = join(ROOT, "docs", "pictures", "contact.jpg");
// Each stage is a share of the turns of the game. Each has one size and both colours.
const SIZES = [
  [375, 700],
  [1280, 800],
  [2560, 1440],
];
const STAGES = { begin: 0, middle: 0.5, end: 1 };
const folder = process.argv[2];
const JPEG = { type: "jpeg", quality: 75 };
const SETTINGS = JSON.stringify({ pace: "none", moving: false, learned: true });

// Plays a whole game without pictures, and shows it.
async function showWholeGame(game) {
  const [{ advance, ask, choose }, games, play, { draw, newSeed }, players] = await Promise.all(
    ["ask", "games", "play", "chance", "players"].map((name) => import(`./${name}.js`)),
  );
  const seats = games.named(game).seats.at(-1),
    begin = await games.firstPosition(game, seats, undefined, "S"),
    agent = players.agentOf("greedy", game, seats),
    moves = [];
  for (let position = begin, node = "chance"; node !== "over";) {
    const next =
      node === "chance"
        ? [draw((await ask({ op: "chance", position })).outcomes)]
        : await choose(position, agent, newSeed());
    const { steps } = await advance(position, next);
    moves.push(...next);
    ({ position, node } = steps.at(-1).node);
  }
  const greedy = Object.fromEntries([...seats].map((seat) => [seat, "greedy"]));
  play.take(await games.played(begin, moves), greedy);
}

const running = await start();
try {
  // Smaller pictures than the window save time.
  const page = await blank(running, { deviceScaleFactor: 0.6 });
  await page.addInitScript((settings) => {
    localStorage.setItem("ashta.settings", settings);
  }, SETTINGS);
  const address = `${running.server.url}/games/ashta/`;
  await page.goto(`${address}?seed=1`);
  await ready(page);
  const names = await page.evaluate(async () =>
    (await import("./games.js")).all().map(({ name }) => name),
  );
  const rows = [];
  for (const game of names) {
    await page.goto(`${address}?seed=2&game=${game}`);
    await ready(page);
    await page.evaluate(showWholeGame, game);
    const pictures = { light: [], dark: [] };
    for (const [stage, share] of Object.entries(STAGES)) {
      await page.evaluate(async (share) => {
        const play = await import("./play.js");
        play.goTo(Math.round(share * play.game.last));
      }, share);
      await ready(page);
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        for (const [colorScheme, row] of Object.entries(pictures)) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.waitForTimeout(150);
          const name = `${game}-${stage}-${width}-${colorScheme}.jpg`;
          const made = await page.screenshot({ path: folder && join(folder, name), ...JPEG });
          row.push(`<img src="data:image/jpeg;base64,${made.toString("base64")}">`);
        }
      }
    }
    rows.push(
      `<section>${game}<p>${pictures.light.join("")}<p>${pictures.dark.join("")}</section>`,
    );
  }
  await page.goto("about:blank");
  await page.setViewportSize({ width: 3660, height: 800 });
  await page.setContent(
    `<!doctype html><style>body { columns: 2; font: 24px sans-serif } img { height: 150px; margin-right: 4px }
    p { margin: 0; white-space: nowrap } section { break-inside: avoid }</style>${rows.join("")}`,
  );
  await page.screenshot({ path: SHEET, fullPage: true, ...JPEG });
} finally {
  await running.close();
}
