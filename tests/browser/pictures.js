// Makes the pictures of the README: the page during a game, and the board of each game. Run it
// after changes of the page: web/build && node tests/browser/pictures.js (tests/browser/run
// installs its packages).

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { ROOT, hurry, newGame, open, playTurn, ready, start } from "./browser.js";

const FOLDER = join(ROOT, "docs", "pictures");
// The number of turns before the picture of the page.
const TURNS = 6;
const BOARD = 140;

const running = await start();
try {
  await mkdir(FOLDER, { recursive: true });
  const page = await open(running, { viewport: { width: 1280, height: 800 }, query: "seed=3" });
  await hurry(page);
  // Plays until South can capture a piece.
  const capture = page.locator("#actions button", { hasText: "captures" });
  for (let turn = 0; turn < TURNS || !(await capture.count()); turn++) await playTurn(page);
  await page.check("#show-hints");
  await page.locator("#actions .best").first().waitFor();
  await page.waitForTimeout(500);
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator(".piece.can[aria-label*=captures]").first().click();
  await page.screenshot({ path: join(FOLDER, "page.png") });
  await page.click("nav [data-dialog=new-game]");
  const games = await page
    .locator(".game")
    .evaluateAll((all) => [...new Set(all.map(({ dataset }) => dataset.game))]);
  await page.click("#new-game [data-close]");
  for (const game of games) {
    await newGame(page, { game });
    await page.evaluate((size) => {
      const board = document.querySelector("#board svg");
      const { width, height } = board.viewBox.baseVal;
      // Draws for a large screen, then scales down.
      Object.assign(board.style, {
        width: `${6 * size}px`,
        height: `${(6 * size * height) / width}px`,
        maxHeight: "none",
        minHeight: 0,
        transform: "scale(calc(1 / 6))",
        transformOrigin: "0 0",
      });
    }, BOARD);
    await page.waitForTimeout(100);
    await page
      .locator("#board svg")
      .first()
      .screenshot({ path: join(FOLDER, `${game}.png`) });
    await page.reload();
    await ready(page);
    await hurry(page);
  }
} finally {
  await running.close();
}
