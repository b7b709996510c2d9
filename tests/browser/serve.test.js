// The page from `ashta serve`: its engine is the program instead of WebAssembly.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { blank, hurry, newGame, open, position, ready, ROOT, start, TARGET } from "./browser.js";

let running, folder, program, address;

before(async () => {
  running = await start();
  folder = await mkdtemp(join(tmpdir(), "ashta-"));
  const environment = { ...process.env, HOME: folder, ASHTA_CHECKPOINTS: join(ROOT, "checkpoints") };
  program = spawn(join(TARGET, "release", "ashta"), ["serve", "--port", "0", "--no-browser"],
    { cwd: folder, env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await createInterface({ input: program.stdout })[Symbol.asyncIterator]().next();
  address = value.replace(/^page: /, "");
});
after(async () => {
  program?.kill();
  await running?.close();
  await rm(folder, { recursive: true, force: true });
});

async function served(query) {
  const page = await blank(running);
  await page.goto(`${address}?${query}`);
  await ready(page);
  return page;
}

test("games come out as on a static host", { timeout: 120000 }, async () => {
  const ends = [];
  for (const page of [await open(running, { query: "seed=5" }), await served("game=ashtapada&seed=5")]) {
    await hurry(page);
    for (const [game, players] of [["siga", { S: "bot:expert", N: "bot:2ply" }], ["pagade", { S: "greedy", N: "bot:expert" }]]) {
      assert.match(await newGame(page, { game, players }), /over$/);
      ends.push(await position(page));
    }
    assert.deepEqual(page.errors, []);
  }
  const [siga, pagade] = ends;
  assert.deepEqual(ends, [siga, pagade, siga, pagade]);
});

test("a person plays, with hints by perfect play", { timeout: 60000 }, async () => {
  const page = await served("seed=3");
  await hurry(page);
  const players = { S: "person", N: "perfect" };
  let now = await newGame(page, { game: "ashtapada", players });
  await page.check("#show-hints");
  for (let choice = 0; choice < 3 && now.endsWith("choose"); choice += 1) {
    await page.waitForSelector("#actions .best");
    await page.click("#actions .best");
    now = await ready(page, now);
  }
  assert.match(now, /(choose|over)$/);
  assert.deepEqual(page.errors, []);
});
