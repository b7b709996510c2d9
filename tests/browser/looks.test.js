// The looks of the page: pieces, the layout for the shape of a board, and the end of a game.

import assert from "node:assert/strict";

import { expect, inState, newGame, pageTests, show } from "./browser.js";

const { pageTest } = pageTests();
const box = (page, part) => page.locator(part).first().boundingBox();

pageTest("pieces show emblems, or letters by a setting", {}, async (page) => {
  const shown = () =>
    page.evaluate(
      () =>
        [...document.querySelectorAll(".piece :is(.emblem, .letter)")].find((made) =>
          made.checkVisibility(),
        ).className.baseVal,
    );
  await expect.poll(shown).toBe("emblem");
  await page.click("nav [data-dialog=settings]");
  await page.check("#set-letters");
  await expect.poll(shown).toBe("letter");
});

pageTest(
  "a long board is upright on a phone, and has the whole width of a wide screen",
  { viewport: { width: 375, height: 667 } },
  async (page) => {
    await show(page, "ur-aseb S:hand,hand,hand,hand,7/N:hand,hand,hand,hand,2 S 1");
    await expect
      .poll(() =>
        page.evaluate(() => {
          const { width, height } = document.querySelector("#board svg").viewBox.baseVal;
          return height > 2 * width;
        }),
      )
      .toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForFunction(() => {
      const { width, height } = document.querySelector("#board svg").viewBox.baseVal;
      return width > 2 * height;
    });
    const [board, dock] = [await box(page, ".border"), await box(page, "#turn")];
    assert.ok(
      board.width > 0.85 * 1280 && dock.y + dock.height <= 800,
      JSON.stringify({ board, dock }),
    );
  },
);

pageTest(
  "a large screen has two columns of panels, and the end says by how much",
  { viewport: { width: 1900, height: 950 }, reducedMotion: "no-preference" },
  async (page) => {
    await expect
      .poll(async () => (await box(page, "#chances")).y - (await box(page, "#turn")).y)
      .toBe(0);
    await show(page, "siga S:23,home/N:21,home S 1");
    await page.waitForSelector(".petal");
    await expect(page.locator("#margin")).toHaveText("North: 3 steps behind, 1 of 2 home");
    // No petals fall for the opponent.
    await newGame(page, { game: "siga", players: { S: "person", N: "greedy" } });
    await page.evaluate(() => {
      globalThis.petals = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          globalThis.petals += [...addedNodes].filter((node) => node.matches?.(".petal")).length;
      }).observe(document.getElementById("board"), { childList: true, subtree: true });
    });
    await show(page, "siga S:21,home/N:23,home N 1");
    await inState(page, /over$/);
    assert.equal(await page.evaluate(() => globalThis.petals), 0);
  },
);
