// A whole game of each kind, clicked through by a person against bots.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { hurry, newGame, open, position, ready, start, state } from "./browser.js";

let running;
before(async () => { running = await start(); });
after(() => running.close());

const KINDS = [
  ["ashtapada", "2", "N", "bot:novice"], ["ashtapada", "3", "EN", "bot:expert"], ["ashtapada", "4", "ENW", "bot:beginner"],
  ["ashte-kashte", "2", "N", "bot:expert"], ["ashte-kashte", "3", "EN", "bot:advanced"], ["ashte-kashte", "4", "ENW", "bot:intermediate"],
  ["pagade", "2", "N", "bot:expert"], ["pagade", "lap", "N", "bot:2ply"], ["pagade", "4", "ENW", "bot:expert"], ["pagade", "teams", "ENW", "bot:expert"],
];

// Takes the action that the hints praise: on the board where its piece can be pointed at, else in the list.
async function choose(page, isOnBoard) {
  const best = page.locator("#actions .best").first();
  await best.waitFor();
  const id = Number(await best.getAttribute("data-action"));
  const pieces = page.locator(`.piece.can`);
  if (!isOnBoard || await pieces.count() === 0) return best.click();
  // The piece whose words are those of the action.
  const words = await best.locator(".words").textContent();
  const labels = await pieces.evaluateAll(all => all.map(piece => piece.getAttribute("aria-label")));
  const at = labels.findIndex(label => label.toLowerCase().includes(words.toLowerCase()));
  if (at < 0) return best.click();
  await pieces.nth(at).click();
  const offer = page.locator("#offer");
  if (await offer.isVisible()) await offer.getByRole("button", { name: words, exact: true }).click();
  return id;
}

for (const [game, table, others, bot] of KINDS) {
  test(`a game of ${game}, ${table}, is played to its end`, { timeout: 120000 }, async () => {
    const page = await open(running, { query: "seed=11" });
    await hurry(page);
    await page.check("#show-hints");
    let now = await newGame(page, { game, table, players: Object.fromEntries([["S", "person"], ...[...others].map(seat => [seat, bot])]), first: "" });
    let choices = 0;
    while (!now.endsWith("over")) {
      assert.ok(now.endsWith("choose"), `the page waits for a choice, not in state ${now}`);
      await choose(page, choices % 2 === 0);
      choices += 1;
      now = await ready(page, now);
    }
    assert.ok(choices > 10, `a person had ${choices} choices`);
    assert.match(await page.textContent("#turn-title"), /wins?$|^Over|dead/);
    assert.match(await position(page), /(- -)$/);
    assert.equal(await page.locator("#actions button").count(), 0);
    assert.equal(await state(page), now, "nothing moves any more");
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });
}
