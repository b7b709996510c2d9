// Lessons and puzzles: they leave the stored games alone.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { SITE, blank, pageTests, position, press, ready, state } from "./browser.js";

const { running, pageTest } = pageTests();
const stored = page => page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith("ashta.game")).map(([key, game]) => [key, JSON.parse(game).line]));
const guide = (page, number) => press(page, `#guide-buttons button:nth-child(${number})`);

pageTest("a lesson has three turns, and leads to a game against the easiest bot", {}, async page => {
  await page.addInitScript(() => { localStorage["ashta.settings"] = '{"pace":"none","moving":false,"throws":"auto"}'; });
  await page.goto(`${running.server.url}/games/ashta/?game=ashtapada&seed=1`);
  await page.waitForFunction(() => /choose$/.test(document.body.dataset.state));
  const before = await stored(page), shown = await position(page);
  const learn = async () => {
    await page.click("nav [data-dialog=rules]");
    return press(page, "#rules-text button");
  };
  await learn();
  await guide(page, 1);
  assert.equal(await position(page), shown);
  let now = await learn();
  for (const part of ["1 of 3", "2 of 3", "3 of 3"]) {
    assert.match(await page.textContent("#guide-title"), new RegExp(part));
    while (now.endsWith("throw")) now = await press(page, "#throw");
    for (; now.endsWith("choose"); now = await state(page)) {
      await page.locator("#actions button").first().click();
      await page.waitForFunction(now => document.body.dataset.state !== now, now);
    }
    assert.match(await page.textContent("#guide-text"), /^You played: /);
    assert.deepEqual(await stored(page), before);
    now = await guide(page, 1);
  }
  assert.match(await page.textContent("#seats"), /beginner/);
  assert.equal((await stored(page)).length, 2);
}, blank);

pageTest("a puzzle is the same on a date, shows the loss of each choice, and counts days", {}, async page => {
  const puzzles = JSON.parse(await readFile(join(SITE, "puzzles.json"), "utf8"));
  assert.equal(puzzles.length, 400);
  for (const { losses } of puzzles) assert.ok(losses.length > 2 && losses.filter(loss => loss < 0.05).length === 1, `${losses}`);
  assert.ok(new Set(puzzles.map(({ position }) => position.split(" ")[0])).size > 9);
  await page.addInitScript(() => { localStorage["ashta.settings"] ??= '{"puzzle":null}'; });
  for (const [date, answer, words] of [["2026-11-28", 0, /1 day in a row/], ["2026-11-29", 0, /2 days in a row/], ["2026-11-30", 1, /costs/], ["2026-12-01", 0, /1 day/]]) {
    await page.clock.setFixedTime(new Date(`${date}T01:00:00`));
    await page.goto(`${running.server.url}/games/ashta/?game=siga`);
    await ready(page);
    const before = await stored(page), { losses } = puzzles[Date.parse(date) / 864e5 % 400];
    let now = await press(page, "nav .puzzle");
    await page.evaluate(async worth => {
      const [play, turn] = await Promise.all([import("./play.js"), import("./turn.js")]);
      play.go(turn.choice.turns[worth].actions);
    }, losses.indexOf(losses.toSorted((a, b) => a - b)[answer]));
    await page.waitForFunction(now => document.body.dataset.state !== now, now);
    assert.match(await page.textContent("#guide-text"), words);
    assert.equal(await page.locator("#guide li").count(), losses.length);
    assert.deepEqual(await stored(page), before);
  }
  await page.route("**/bots.json", async route => route.fulfill({ json: { ...await (await route.fetch()).json(), puzzles: undefined } }));
  await page.reload();
  await ready(page);
  assert.ok(await page.isHidden("nav .puzzle"));
}, blank);
