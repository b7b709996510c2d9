// How a game is played on the page: by keys, back and forth, with hints, by perfect play, with dice from a table.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Engine } from "./engine.js";
import { hurry, newGame, open, paste, position, ready, start, state } from "./browser.js";

let running;
before(async () => { running = await start(); });
after(() => running.close());

// A page that is closed when the test is over, and has had no errors.
function pageTest(name, options, body) {
  test(name, { timeout: 300000 }, async () => {
    const page = await open(running, options);
    await body(page);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });
}

pageTest("turns are played by keys alone", {}, async page => {
  // To the dialog of a new game, and through it.
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.ok(await page.isVisible("#new-game"));
  const focus = () => page.evaluate(() => document.activeElement.value ?? document.activeElement.textContent);
  await page.locator("input[name=game]:checked").focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await focus(), "ashte-kashte");
  await page.locator("#choose-first").focus();
  await page.keyboard.press("s");
  await page.locator("#new-game button[value=start]").focus();
  await page.evaluate(() => { document.body.dataset.state = "new"; });
  await page.keyboard.press("Enter");
  await ready(page, "new");
  assert.match(await page.textContent("#game-name"), /^Ashte Kashte for two$/);
  // The throw by the space key, the choice by its number or on the board.
  assert.equal(await page.evaluate(() => document.activeElement.id), "turn");
  for (let turn = 0; turn < 6; turn++) {
    let now = await state(page);
    if (now.endsWith("throw")) {
      await page.keyboard.press(" ");
      now = await ready(page, now);
    }
    if (!now.endsWith("choose")) continue;
    if (turn % 2 === 0) await page.keyboard.press("1");
    else {
      await page.locator(".piece.can").first().focus();
      assert.ok(await page.locator(".track.lit").count() > 0, "the path of the piece with the focus is lit");
      await page.keyboard.press("Enter");
      if (await page.isVisible("#offer")) await page.keyboard.press("Enter");
    }
    await ready(page, now);
  }
  const played = Number((await state(page)).split(" ")[0]);
  assert.ok(played >= 12, `${played} steps were played`);
  // Arrows go back and forth, U undoes.
  await page.keyboard.press("ArrowLeft");
  await ready(page);
  await page.waitForFunction(at => document.body.dataset.state.startsWith(`${at} `), played - 1);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(at => document.body.dataset.state.startsWith(`${at} `), played);
  assert.ok((await page.locator("#news p").allTextContents()).some(text => /throws \d \(/.test(text)), "throws are announced");
});

pageTest("undo, redo and the undoing of a turn lead to where a person chose", {}, async page => {
  await hurry(page);
  let now = await newGame(page, { game: "pagade", players: { S: "person", N: "bot:beginner" } });
  const seen = [];
  for (let choice = 0; choice < 5; choice++) {
    assert.ok(now.endsWith("choose"), now);
    seen.push(await position(page));
    await page.locator("#actions button").last().click();
    now = await ready(page, now);
  }
  const end = await position(page);
  for (const place of seen.toReversed()) {
    now = await state(page);
    await page.click("#undo");
    await ready(page, now);
    assert.equal(await position(page), place);
  }
  assert.ok(await page.isDisabled("#undo"), "nothing was chosen before");
  for (const place of [...seen.slice(1), end]) {
    now = await state(page);
    await page.click("#redo");
    await ready(page, now);
    assert.equal(await position(page), place);
  }
  assert.ok(await page.isDisabled("#redo"));
  now = await state(page);
  await page.click("#undo-turn");
  await ready(page, now);
  assert.match(await position(page), / S \*$/, "a whole turn is back at its throw");
  // Another throw there takes the place of what came after.
  now = await state(page);
  await page.click("#throw");
  await ready(page, now);
  assert.ok(await page.isDisabled("#redo"));
});

pageTest("a piece with one action plays it, with more it offers them", {}, async page => {
  await paste(page, "ashtapada S:6,6/N:23,23 S 1,2");
  await ready(page, "pasting");
  const twins = page.getByRole("button", { name: /^South: twins on H4/ });
  await twins.click();
  assert.deepEqual(await page.locator("#offer button").allTextContents(), ["H4 to H5 by 1", "Twins H4 to H5 by 1", "Cancel"]);
  await page.keyboard.press("Escape");
  assert.ok(!await page.isVisible("#offer"));
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /twins on H4/);
  await twins.click();
  const now = await state(page);
  await page.click("#offer button:nth-child(2)");
  await page.waitForFunction(now => document.body.dataset.state !== now, now);
  await page.click("#undo");
  await ready(page);
  await paste(page, "ashte-kashte S:hand,hand,hand,3/N:hand,hand,hand,hand S 3");
  await ready(page, "pasting");
  await page.locator(".piece.can[aria-label*='piece on G1']").click();
  await page.waitForFunction(() => !document.body.dataset.state.startsWith("0 "));
  await page.locator("#turns button").filter({ hasText: "G1 to G4 by 3" }).waitFor();
});

pageTest("hints and chances are those of the bot, and of perfect play once it is loaded", { query: "seed=3" }, async page => {
  const text = "ashtapada S:5,30/N:off,23 S 4,2", before = "ashtapada S:5,30/N:off,23 S *";
  await page.check("#show-hints");
  const percent = share => `${(100 * share).toFixed(1)} %`;
  const shown = async () => {
    await page.locator("#actions .best").first().waitFor();
    return (await page.locator("#actions .hint").allTextContents()).map(hint => hint.replace("★ ", ""));
  };
  for (const agent of ["ashtapada", "perfect"]) {
    const engine = new Engine(agent);
    const hint = await engine.ask({ op: "hint", position: text });
    const { values } = await engine.ask({ op: "evaluate", position: before });
    await engine.close();
    if (agent === "perfect") {
      await page.click("#load-table");
      await page.waitForFunction(() => document.getElementById("estimates-by").textContent.includes("perfect play"));
    }
    await paste(page, text);
    await ready(page, "pasting");
    assert.deepEqual(await shown(), hint.actions.map(({ values }) => percent(values[0])), agent);
    await paste(page, before);
    await ready(page, "pasting");
    await page.locator("#seats .bar div").first().waitFor();
    assert.deepEqual(await page.locator("#seats .share").allTextContents(), values.map(percent), agent);
  }
});

pageTest("perfect play sits at a seat and takes the best action", { query: "seed=5" }, async page => {
  await hurry(page);
  await newGame(page, { game: "ashtapada", players: { S: "person", N: "perfect" } });
  assert.equal(await page.locator("#load-table").isVisible(), false, "its table is loaded");
  const engine = new Engine("perfect");
  const chosen = [];
  for (let number = 0; number < 12 || chosen.length === 0; number++) {
    const now = await ready(page);
    if (now.endsWith("over")) break;
    await page.locator("#actions button").first().click();
    await ready(page, now);
  }
  // Everything that North chose, checked against the table.
  await page.click("nav [data-dialog=exchange]");
  await page.evaluate(() => { navigator.clipboard.writeText = async text => { globalThis.copied = text; }; });
  await page.click("#copy-game");
  const game = JSON.parse(await page.evaluate(() => globalThis.copied));
  assert.deepEqual(game.players, ["person", "perfect"]);
  let at = game.start;
  for (const move of game.moves) {
    if (!Array.isArray(move) && at.split(" ")[2] === "N") {
      const { actions } = await engine.ask({ op: "hint", position: at });
      const worth = new Map(actions.map(({ id, values }) => [id, values[1]]));
      assert.ok(worth.get(move) >= Math.max(...worth.values()) - 1e-6, `${at}: ${move}`);
      chosen.push(move);
    }
    at = (await engine.ask({ op: "apply", position: at, [Array.isArray(move) ? "throw" : "action"]: move })).position;
  }
  await engine.close();
  assert.ok(chosen.length > 0, "perfect play has chosen");
});

pageTest("throws are typed in from dice at a table", {}, async page => {
  await hurry(page, "hand");
  await newGame(page, { game: "pagade", players: { S: "person", N: "greedy" } });
  assert.equal(await page.locator(".outcomes button").count(), 10);
  let now = await state(page);
  await page.getByRole("button", { name: "3 and 6", exact: true }).click();
  now = await ready(page, now);
  assert.match(await position(page), / S 3,6$/);
  await page.locator("#actions button").first().click();
  now = await ready(page, now);
  await page.locator("#actions button").first().click();
  now = await ready(page, now);
  assert.ok(now.endsWith("enter"), "the bot's throws, too");
  await page.getByRole("button", { name: "1 and 1", exact: true }).click();
  await page.waitForFunction(() => document.body.dataset.state.endsWith("enter"));
});

pageTest("rules that no bot knows are said to be so, and baselines play them", {}, async page => {
  await hurry(page);
  await page.click("nav [data-dialog=new-game]");
  await page.click("#flags summary");
  await page.selectOption("[data-flag=twins]", "none");
  assert.match(await page.textContent("#new-game form > .warning"), /No bot has been trained on these rules \(ashtapada\?twins=none for SN\)/);
  assert.ok(await page.locator("#new-game option[value='bot:expert']").first().isDisabled());
  await page.click("#new-game [data-close]");
  const now = await newGame(page, { game: "ashtapada", players: { S: "person" }, flags: { twins: "none" } });
  assert.match(await page.textContent("#notice"), /No bot has been trained/);
  assert.match(await page.textContent("#seats"), /greedy\+2ply/);
  await page.locator("#actions button").first().click();
  await ready(page, now);
});

pageTest("a game goes on after the page is loaded again", {}, async page => {
  await hurry(page);
  let now = await newGame(page, { game: "ashte-kashte", players: { S: "person", N: "bot:expert" } });
  for (let choice = 0; choice < 4; choice++) {
    await page.locator("#actions button").first().click();
    now = await ready(page, now);
  }
  const before = await position(page);
  await page.reload();
  assert.equal(await ready(page), now);
  assert.equal(await position(page), before);
  assert.match(await page.textContent("#seats"), /North expert/);
});

test("where the browser keeps nothing, all else works", { timeout: 300000 }, async () => {
  const context = await running.browser.newContext();
  await context.addInitScript(() => {
    for (const name of ["getItem", "setItem"]) Storage.prototype[name] = () => { throw new DOMException("denied", "SecurityError"); };
  });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", error => errors.push(error.message));
  await page.goto(`${running.server.url}/games/ashta/?seed=1`);
  const now = await ready(page);
  await page.click("#throw");
  await ready(page, now);
  assert.deepEqual(errors, []);
  await context.close();
});
