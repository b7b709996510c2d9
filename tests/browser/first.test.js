// The first minute: a new player sees what to do, and no buttons that do nothing.

import assert from "node:assert/strict";

import { expect, hurry, newGame, pageTests, playTurn, press } from "./browser.js";

const { pageTest } = pageTests();
const PHONE = { viewport: { width: 375, height: 667 } };
const shown = (page, parts) =>
  page
    .locator(parts)
    .evaluateAll((all) =>
      all.filter((one) => one.checkVisibility({ visibilityProperty: true })).map((one) => one.id),
    );
const fits = (page) =>
  page.locator("#turn").evaluate((one) => one.scrollHeight <= one.clientHeight + 1);

for (const colorScheme of ["light", "dark"]) {
  pageTest(
    `the first turn says what to do, and the course is easy to see, ${colorScheme}`,
    { ...PHONE, colorScheme },
    async (page) => {
      await expect(page.locator("#turn-note")).toHaveText(
        /^Press Throw\. Each player brings two pieces/,
      );
      await expect
        .poll(() => shown(page, "#turn button, #past button, #slider, #moves"))
        .toEqual(["throw", "learn", "players"]);
      await expect.poll(() => fits(page)).toBe(true);
      for (const game of ["ashtapada", "pachisi", "siga", "chowka-5"]) {
        await newGame(page, { game });
        const contrast = await page.evaluate(() => {
          const style = (part) => getComputedStyle(document.querySelector(`#board ${part}`));
          const light = (colour) =>
            colour
              .match(/[\d.]+/g)
              .slice(0, 3)
              .reduce(
                (sum, part, at) => sum + (part / 255) ** 2.2 * [0.2126, 0.7152, 0.0722][at],
                0.05,
              );
          const both = [
            light(style(".way polyline").stroke),
            light(style(".square.marked rect").fill),
          ];
          return (style(".way").opacity * Math.max(...both)) / Math.min(...both);
        });
        assert.ok(contrast >= 3, `${game}: ${contrast}`);
        const note = await page
          .locator("#turn-note")
          .evaluate((one) => one.scrollHeight - one.clientHeight);
        assert.ok(note <= 1, `${game}: ${note} pixels of the note are cut`);
      }
      await newGame(page, { game: "mensch", first: "N" });
      for (const id of ["#last-turn", "#learn"]) await expect(page.locator(id)).toBeVisible();
      await expect(page.locator("#turn-note")).toHaveText("Press Throw.");
    },
  );
}

pageTest(
  "a throw covers no piece; the opponent's turn is apart from it, and moves are grouped",
  { ...PHONE, reducedMotion: "no-preference" },
  async (page) => {
    await newGame(page, { game: "pagade", players: { S: "person", N: "greedy" } });
    await page.click("#throw");
    await page.waitForFunction(() => document.querySelectorAll("#thrown.fresh .die").length === 2);
    const [board, dice] = await Promise.all(
      ["#board svg", "#thrown"].map((part) => page.locator(part).first().boundingBox()),
    );
    assert.ok(dice.y >= board.y + board.height, "the dice cover the board");
    await hurry(page, "button");
    await playTurn(page);
    await expect(page.locator("#last-turn")).toHaveText(/^N North threw \d, \d: ./);
    await press(page, "#throw");
    await expect(page.locator("#thrown .die")).toHaveCount(2);
    await expect(page.locator("#last-turn")).toBeVisible();
    await expect.poll(() => fits(page)).toBe(true);
    const pieces = await page
      .locator("#actions ol")
      .evaluateAll((all) =>
        all.map(
          (own) =>
            new Set(
              [...own.querySelectorAll(".words")].map((one) => one.textContent.split(" to ")[0]),
            ).size,
        ),
      );
    assert.deepEqual(pieces, Array(await page.locator("#actions h3").count()).fill(1));
  },
);

for (const viewport of [PHONE.viewport, { width: 1280, height: 800 }]) {
  pageTest(
    `a new game has players and Start in sight at ${viewport.width}, and house rules as sentences`,
    { viewport },
    async (page) => {
      await newGame(page, { game: "pagade", seats: "SENW", flags: { no_cut: "lap" } });
      await expect(page.locator("#game-name")).toHaveText("Pagade for four, with house rules");
      await expect(page.locator("#notice")).toHaveText(
        /^No bot knows Pagade with these rules for 4 players/,
      );
      // The first card of a game that was played last has its house rules.
      await hurry(page);
      await playTurn(page);
      await page.click("nav [data-dialog=new-game]");
      await page.locator("[data-game=pagade]").first().click();
      await page.locator("#flags-now", { hasText: /way in\? It goes around once more/ }).waitFor();
      assert.doesNotMatch(await page.textContent("#new-game"), /no_cut|=/);
      await page.click("#to-shelf");
      await page.locator("[data-game=ashtapada]").last().click();
      const boxes = await page
        .locator("#choose-seats .card, #new-game select[data-seat], #new-game button[value=start]")
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]),
        );
      assert.ok(
        boxes.every(([top, bottom]) => top >= 0 && bottom <= viewport.height),
        JSON.stringify(boxes),
      );
      const listed = () =>
        page.locator("#new-game [data-seat=N] > :not([hidden])").allTextContents();
      assert.match((await listed()).join(), /^A person here,Easy,Medium,Hard,More …$/);
      await page.selectOption("#new-game [data-seat=N]", "more");
      assert.match((await listed()).join(), /,Very easy.*,Random: /);
    },
  );
}
