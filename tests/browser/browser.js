// Helpers of all tests of the page: open it in a headless Chromium, click through it, and collect
// its errors.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { chromium, expect as playwright } from "@playwright/test";

import { serve } from "./server.js";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
export const SITE = join(TARGET, "web");
// Assertions about the page that wait until they hold, so that busy machines pass. What must not
// change is read once.
export const expect = playwright.configure({ timeout: 60000 });
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

// Runs the program; returns its output.
export async function ashta(...words) {
  const { stdout } = await promisify(execFile)(join(TARGET, "release", "ashta"), words, {
    cwd: ROOT,
    maxBuffer: 2 ** 28,
  });
  return stdout;
}

// Starts a browser and a file host, with the page in a subfolder, as on many hosts. End both with
// `close`.
export async function start(folders = { "/games/ashta/": SITE }) {
  assert.ok(
    Object.values(folders).every(existsSync),
    `build the page first, with web/build: ${Object.values(folders)}`,
  );
  const executablePath = process.env.CHROMIUM ?? CHROMIUM.find(existsSync);
  // Chromium has no sandbox for root, as in containers.
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid() === 0 ? ["--no-sandbox"] : [],
  });
  const server = await serve(folders);
  return {
    browser,
    server,
    async close() {
      await browser.close();
      server.close();
    },
  };
}

// Opens a page with its own storage; collects all errors of the page and its console in
// `page.errors`. The page has no service worker, so that all requests come from the page itself.
export async function blank({ browser }, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    serviceWorkers: "block",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const page = await context.newPage();
  // A generous limit: machines may be busy.
  page.setDefaultTimeout(60000);
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  return page;
}

// Opens the page with its first game, ready to play.
export async function open(running, { query = "seed=1", ...options } = {}) {
  const page = await blank(running, options);
  await page.goto(`${running.server.url}/games/ashta/?game=ashtapada&${query}`);
  await ready(page);
  return page;
}

// For a file of tests: its browser, and a function that declares a test with its own page, which
// must have no errors.
export function pageTests() {
  const running = {};
  before(async () => Object.assign(running, await start()));
  after(() => running.close());
  function pageTest(name, options, body, begin = open) {
    test(name, { timeout: 300000 }, async () => {
      const page = await begin(running, options);
      await body(page);
      assert.deepEqual(page.errors, []);
      await page.context().close();
    });
  }
  return { running, pageTest };
}

// Waits until the page waits for a person or the game is over; returns the state, such as "AT
// choose". `after` is a state to wait out.
export async function ready(page, after = null) {
  const handle = await page.waitForFunction((after) => {
    const { state } = document.body.dataset;
    return state && state !== after && /(choose|throw|enter|paused|over)$/.test(state)
      ? state
      : null;
  }, after);
  return handle.jsonValue();
}

// Waits for a state of the page that is or matches `wanted`.
export const inState = (page, wanted) =>
  expect(page.locator("body")).toHaveAttribute("data-state", wanted);

// A pattern of this text alone.
export const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

export const state = (page) => page.evaluate(() => document.body.dataset.state);

// Clicks what leads to another step of the game, and waits for it.
export async function press(page, selector) {
  const now = await state(page);
  await page.locator(selector).first().click();
  return ready(page, now);
}

// Plays a turn with the `first` or `last` move of the list; returns the state after it.
export async function playTurn(page, which = "first") {
  let now = await state(page);
  const place = now.split(" ")[0];
  assert.ok(now.endsWith("choose"), now);
  while (now.split(" ")[0] === place) {
    await page.locator("#actions button")[which]().click();
    now = await ready(page, now);
  }
  return now;
}

// Sets the quick settings in the page's dialog.
export async function hurry(page, throws = "auto") {
  await page.click("nav [data-dialog=settings]");
  await page.selectOption("#set-pace", "none");
  await page.uncheck("#set-moving");
  await page.selectOption("#set-throws", throws);
  await page.click("#settings [data-close]");
  await page.waitForFunction(() => /(choose|enter|over)$/.test(document.body.dataset.state));
}

// Opens the dialog of a new game, and there the table of a game.
export async function openTable(page, game) {
  await page.click("nav [data-dialog=new-game]");
  // A game that was played last has a first card with its house rules.
  await page.locator(`#shelf-games [data-game="${game}"]`).last().click();
}

// Starts a game in the dialog: { game, seats, players: { S: "person" }, first, flags }. `seats` can
// be "teams".
export async function newGame(page, { game, seats = "SN", players = {}, first = "S", flags = {} }) {
  const before = await state(page);
  await openTable(page, game);
  if (Object.keys(flags).length) await page.click("#flags summary");
  for (const [flag, value] of Object.entries(flags))
    await page.check(`input[name="flag-${flag}"][value="${value}"]`);
  const sizes = page.locator("input[name=seats]"),
    values = await sizes.evaluateAll((all) => all.map(({ value }) => value));
  await sizes
    .nth(values.findIndex((value) => value === seats || value.length === seats.length))
    .check();
  for (const seat of ["S", "E", "N", "W"].filter((seat) => !seats.includes(seat))) {
    const side = page.locator(`[data-side=${seat}][aria-pressed=true]`);
    if (seats !== "teams" && (await side.isVisible())) await side.click();
  }
  for (const [seat, player] of Object.entries(players))
    await page.selectOption(`#new-game [data-seat=${seat}]`, player);
  await page.selectOption("#choose-first", first);
  await page.evaluate(() => {
    document.body.dataset.state = "new";
  });
  await page.click("#new-game button[value=start]");
  return ready(page, before === "new" ? null : "new");
}

// Opens the dialog of games with all its parts.
export async function openGames(page) {
  await page.click("nav [data-dialog=exchange]");
  await page.evaluate(() => {
    for (const part of document.querySelectorAll("#exchange details")) part.open = true;
  });
}

// Reads the shown position from the dialog of games.
export async function position(page) {
  await page.click("nav [data-dialog=exchange]");
  const text = await page.inputValue("#position-text");
  await page.click("#exchange [data-close]");
  return text;
}

// Pastes a text into the dialog of games, which stays open if the text is refused.
export async function paste(page, text) {
  if (!(await page.isVisible("#exchange"))) await openGames(page);
  await page.fill("#pasted", text);
  await page.evaluate(() => {
    document.body.dataset.state = "pasting";
  });
  await page.click("#take-pasted");
}

// Shows the game or position of a text.
export async function show(page, text) {
  await paste(page, text);
  return ready(page, "pasting");
}

// Copies the game to the clipboard; returns its text.
export async function copyGame(page) {
  await openGames(page);
  await page.click("#copy-game");
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await page.click("#exchange [data-close]");
  return text;
}

// Drops a file on the page.
export function drop(page, name, text) {
  return page.evaluate(
    ([name, text]) => {
      document.body.dataset.state = "dropping";
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      document.body.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    },
    [name, text],
  );
}
