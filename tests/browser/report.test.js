// The HTML pages of the program, an arena's report and an analysis: their script runs without
// errors, and games can be stepped through.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ashta, blank, expect, start } from "./browser.js";

let running, folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashta-"));
  running = await start({ "/": folder });
});
after(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

// Steps through the first game on the page, with buttons and keys; returns the number of turns.
async function step(page) {
  const viewer = page.locator(".viewer").first();
  const shown = () => viewer.locator(".report").textContent();
  const slider = viewer.locator("input[type=range]");
  const most = Number(await slider.getAttribute("max"));
  await viewer.getByRole("button", { name: "To the beginning" }).click();
  await expect.poll(shown).toBe("The beginning.");
  const boards = new Set();
  const steps = Math.min(most, 30);
  for (let turn = 1; turn <= steps; turn++) {
    await viewer.getByRole("button", { name: "Next turn" }).click();
    assert.ok((await shown()).startsWith(`${turn}. `), `turn ${turn} says ${await shown()}`);
    boards.add(await viewer.locator(".board svg").innerHTML());
  }
  assert.ok(boards.size > steps / 2, "the board changes");
  await viewer.getByRole("button", { name: "Turn back" }).press("ArrowLeft");
  assert.equal(Number(await slider.inputValue()), steps - 1);
  await viewer.getByRole("button", { name: "To the end" }).click();
  assert.ok((await shown()).startsWith(`${most}. `));
  await slider.fill("1");
  assert.ok((await shown()).startsWith("1. "));
  return most;
}

for (const [game, seats] of [
  ["ashtapada", "2"],
  ["pagade", "2"],
]) {
  test(`the report of an arena of ${game} shows its games`, { timeout: 300000 }, async () => {
    const report = join(folder, game),
      games = join(report, "games.jsonl");
    await ashta(
      "arena",
      "greedy",
      "hunter",
      "--game",
      game,
      "--seats",
      seats,
      "--pairs",
      "1",
      "--luck",
      game,
      "--report",
      report,
      "--games",
      `${report}.jsonl`,
    );
    const page = await blank(running);
    await page.goto(`${running.server.url}/${game}/index.html`);
    await expect(page.locator("h1").first()).toHaveText(new RegExp(`^${game} for ${seats}$`));
    for (const heading of [
      "Ratings",
      "Each against each",
      "Luck and skill",
      "Length of games",
      "Games with the largest swings",
    ]) {
      await expect(page.getByRole("heading", { name: heading, exact: true }), heading).toHaveCount(
        1,
      );
    }
    const summaries = page.locator("details summary");
    assert.ok((await summaries.count()) > 0, games);
    await summaries.first().click();
    assert.ok((await step(page)) > 5);
    assert.deepEqual(page.errors, []);
    await page.context().close();
    await ashta(
      "analyze",
      `${report}.jsonl`,
      "--by",
      "greedy",
      "--html",
      join(folder, `${game}.html`),
    );
    const analysis = await blank(running);
    await analysis.goto(`${running.server.url}/${game}.html`);
    assert.match(await analysis.textContent("h1"), new RegExp(`^${game}`));
    assert.ok((await step(analysis)) > 5);
    assert.deepEqual(analysis.errors, []);
    await analysis.context().close();
  });
}
