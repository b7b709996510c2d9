// A whole game of each kind: a person clicks, bots play the other seats.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { hurry, newGame, open, position, ready, start, state } from "./browser.js";

let running, page;
before(async () => {
  running = await start();
  page = await open(running, { query: "seed=11", viewport: { width: 1000, height: 720 } });
  await hurry(page);
  await page.check("#show-hints");
});
after(() => running.close());

const KINDS = [
  ["ashtapada", "SN", "bot:novice"], ["ashtapada", "SEN", "bot:expert"], ["ashtapada", "SENW", "bot:beginner"],
  ["ashte-kashte", "SN", "bot:expert"], ["ashte-kashte", "SEN", "bot:advanced"], ["ashte-kashte", "SENW", "bot:intermediate"],
  ["pagade", "SN", "bot:expert"], ["pagade", "SN", "bot:2ply", { no_cut: "lap" }], ["pagade", "SENW", "bot:expert"],
  ["pagade", "SENW", "bot:expert", { teams: "true" }],
];

// Makes the best move by the hints with the mouse: on the board if its piece is there, else in the list.
async function choose(isOnBoard) {
  const found = await page.waitForFunction(isOnBoard => {
    const best = document.querySelector("#actions .best");
    if (!best) return null;
    const words = best.querySelector(".words").firstChild.textContent;
    const can = piece => piece.getAttribute("aria-label").toLowerCase().includes(words.toLowerCase());
    const piece = isOnBoard ? [...document.querySelectorAll(".piece.can")].find(can) : null;
    const target = piece ?? best;
    target.scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = target.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2, words, isPiece: Boolean(piece) };
  }, isOnBoard);
  const { x, y, words, isPiece } = await found.jsonValue();
  await page.mouse.click(x, y);
  // First lifts the piece, then clicks its landing.
  if (isPiece) await page.locator(`.landing[aria-label="${words}" i] circle`).click();
  return isPiece;
}

for (const [game, seats, bot, flags = {}] of KINDS) {
  test(`a game of ${game} for ${seats} with ${JSON.stringify(flags)} is played to its end`, { timeout: 300000 }, async () => {
    const others = [...seats.slice(1)].map(seat => [seat, bot]);
    let now = await newGame(page, { game, seats, flags, players: Object.fromEntries([["S", "person"], ...others]), first: "" });
    let choices = 0, onBoard = 0;
    while (!now.endsWith("over")) {
      assert.ok(now.endsWith("choose"), `the page waits for a choice, not in state ${now}`);
      if (await choose(choices % 2 === 0)) onBoard += 1;
      choices += 1;
      now = await ready(page, now);
    }
    assert.ok(choices > 5, `a person had ${choices} choices`);
    assert.ok(onBoard > 0, `pieces were clicked ${onBoard} times`);
    assert.match(await page.textContent("#turn-title"), /wins?$|^Over|dead/);
    assert.match(await position(page), /(- -)$/);
    assert.equal(await page.locator("#actions button").count(), 0);
    assert.equal(await state(page), now, "nothing moves any more");
    assert.deepEqual(page.errors, []);
  });
}
