// Lessons: they leave the stored games alone.

import assert from "node:assert/strict";

import { blank, expect, inState, pageTests, position, press, state } from "./browser.js";

const { running, pageTest } = pageTests();
const stored = (page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith("ashta.game"))
      .map(([key, game]) => [key, JSON.parse(game).line]),
  );
const guide = (page, number) => press(page, `#guide-buttons button:nth-child(${number})`);

pageTest(
  "a lesson has three turns, and leads to a game against the easiest bot",
  {},
  async (page) => {
    await page.addInitScript(() => {
      localStorage["ashta.settings"] = '{"pace":"none","moving":false,"throws":"auto"}';
    });
    await page.goto(`${running.server.url}/games/ashta/?game=ashtapada&seed=1`);
    await inState(page, /choose$/);
    const before = await stored(page),
      shown = await position(page);
    const learn = async () => {
      await page.click("nav [data-dialog=rules]");
      return press(page, "#rules-text button");
    };
    await learn();
    await guide(page, 1);
    await expect.poll(() => position(page)).toBe(shown);
    let now = await learn();
    for (const part of ["1 of 3", "2 of 3", "3 of 3"]) {
      await expect(page.locator("#guide-title")).toHaveText(new RegExp(part));
      assert.doesNotMatch(await page.textContent("body"), /players\.\w/);
      while (now.endsWith("throw")) now = await press(page, "#throw");
      for (; now.endsWith("choose"); now = await state(page)) {
        await page.locator("#actions button").first().click();
        await page.waitForFunction((now) => document.body.dataset.state !== now, now);
      }
      await expect(page.locator("#guide-text")).toHaveText(/^You played: /);
      assert.deepEqual(await stored(page), before);
      now = await guide(page, 1);
    }
    await expect(page.locator("#seats")).toHaveText(/very easy/);
    assert.equal((await stored(page)).length, 2);
  },
  blank,
);
