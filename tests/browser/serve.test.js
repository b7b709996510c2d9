// The page from `ashta serve`: its engine is the program instead of WebAssembly.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import {
  ROOT,
  TARGET,
  ashta,
  blank,
  expect,
  hurry,
  newGame,
  open,
  openGames,
  position,
  press,
  ready,
  show,
  start,
} from "./browser.js";

let running, folder, program, address;

async function serve(port) {
  const environment = {
    ...process.env,
    HOME: folder,
    ASHTA_CHECKPOINTS: join(ROOT, "checkpoints"),
  };
  program = spawn(join(TARGET, "release", "ashta"), ["serve", "--port", port, "--no-browser"], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await createInterface({ input: program.stdout })[Symbol.asyncIterator]().next();
  return value.replace(/^page: /, "");
}

before(async () => {
  running = await start();
  folder = await mkdtemp(join(tmpdir(), "ashta-"));
  address = await serve("0");
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
  for (const page of [
    await open(running, { query: "seed=5" }),
    await served("game=ashtapada&seed=5"),
  ]) {
    await hurry(page);
    for (const [game, players] of [
      ["siga", { S: "bot:expert", N: "bot:2ply" }],
      ["pagade", { S: "greedy", N: "bot:expert" }],
    ]) {
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

test("a long game is opened by few requests", { timeout: 120000 }, async () => {
  const file = join(folder, "long.jsonl");
  await ashta(
    "arena",
    "random",
    "random",
    "--game",
    "ludo",
    "--seats",
    "4",
    "--pairs",
    "1",
    "--luck",
    "none",
    "--games",
    file,
  );
  const [, game] = (await readFile(file, "utf8")).split("\n");
  const page = await served("game=siga");
  await page.uncheck("#show-chances");
  let requests = 0;
  page.on("request", (request) => {
    requests += request.method() === "POST";
  });
  await show(page, game);
  const steps = Number(await page.getAttribute("#slider", "max"));
  assert.ok(steps > 400 && requests > 1 && requests < 10, `${steps} steps, ${requests} requests`);
  await expect(page.locator("#about")).toHaveText(/computed by the program ashta on this machine/);
  await openGames(page);
  await page.click("#copy-link");
  await page
    .locator("#exchange-done")
    .filter({ hasText: "It opens only on this machine." })
    .waitFor();
  // Links can have the address of another host.
  await page.click("#exchange [data-close]");
  await page.click("nav [data-dialog=settings]");
  for (const [address, kept] of [
    ["nonsense", ""],
    ["https://example.org/ashta/", "https://example.org/ashta/"],
  ]) {
    await page.fill("#set-address", address);
    await page.locator("#set-address").blur();
    await expect
      .poll(() => page.evaluate(() => JSON.parse(localStorage["ashta.settings"]).address ?? ""))
      .toBe(kept);
  }
  await page.click("#settings [data-close]");
  await openGames(page);
  await page.click("#copy-link");
  await page
    .locator("#exchange-done")
    .filter({ hasText: "It shows the game at this place." })
    .waitFor();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^https:..example.org.ashta.#game=/);
  await page.context().close();
});

test(
  "if the program stops, the page says so, and goes on when it runs again",
  { timeout: 120000 },
  async () => {
    const page = await served("seed=3");
    await newGame(page, { game: "ashtapada", players: { S: "person", N: "bot:expert" } });
    let now = await show(page, "ashtapada S:5,30/N:off,23 S 3");
    for (let times = 0; times < 2; times++) {
      const before = await position(page),
        action = now.endsWith("choose") ? "#actions button" : "#throw";
      program.kill();
      await once(program, "exit");
      await page.locator(action).first().click();
      await page
        .locator("#trouble")
        .filter({ hasText: "ashta has stopped. Start it again; your game is kept." })
        .waitFor();
      assert.equal(await position(page), before);
      await page.evaluate(() => {
        document.body.dataset.state = "stopped";
      });
      assert.equal(await serve(new URL(address).port), address);
      await ready(page, "stopped");
      await expect(page.locator("#trouble")).not.toBeVisible();
      // The new program does not have the agents of the old one.
      now = await press(page, action);
      assert.notEqual(await position(page), before);
    }
    assert.deepEqual(
      page.errors.filter((error) => !/ERR_CONNECTION_REFUSED/.test(error)),
      [],
    );
  },
);
