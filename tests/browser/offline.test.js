// The installed page: its manifest, its start without a network, and its updates.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import {
  ROOT,
  SITE,
  blank,
  expect,
  newGame,
  pageTests,
  playTurn,
  press,
  ready,
  start,
} from "./browser.js";

const { running, pageTest } = pageTests();
const isControlled = (page) => page.waitForFunction(() => navigator.serviceWorker.controller);

pageTest(
  "the page can be installed, and without a network it starts and a bot answers",
  { serviceWorkers: "allow" },
  async (page) => {
    await page.goto(`${running.server.url}/games/ashta/?game=ashte-kashte&seed=2`);
    const session = await page.context().newCDPSession(page);
    assert.deepEqual((await session.send("Page.getAppManifest")).errors, []);
    // The tests use private windows.
    assert.deepEqual(
      (await session.send("Page.getInstallabilityErrors")).installabilityErrors.map(
        ({ errorId }) => errorId,
      ),
      ["in-incognito"],
    );
    await session.detach();
    await isControlled(page);
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    if ((await press(page, "#throw")).endsWith("choose")) await playTurn(page);
    await expect(page.locator("#turns")).toHaveText(/North/);
    await expect(page.locator("#seats")).toHaveText(/easy/);
    // The list of games says which bots are in the browser, and a game starts without the others.
    await page.click("nav [data-dialog=new-game]");
    const note = (game) => page.locator(`[data-game=${game}] .away`).last();
    await expect(note("pagade")).toHaveText("needs a network");
    await expect(note("ashte-kashte")).toHaveCount(0);
    await page.click("[data-game=pagade]");
    await expect(page.locator("#new-game option[value='bot:novice']").first()).toBeDisabled();
    await expect(page.locator("#new-game form > .warning").first()).toHaveText(
      /^The bot pagade is not in this browser/,
    );
    await page.click("#new-game [data-close]");
    await newGame(page, { game: "pagade", players: { S: "person" } });
    await expect(page.locator("#seats .seat-N").first()).toHaveText(/untrained/);
    if ((await press(page, "#throw")).endsWith("choose")) await playTurn(page);
    assert.ok(await page.isHidden("#trouble"));
    // A browser that does not know that there is no network.
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "onLine", { get: () => true });
    });
    await page.reload();
    await ready(page);
    await newGame(page, { game: "ludo", players: { S: "person", N: "bot:novice" }, first: "N" });
    await page.locator("#seats-dialog[open]").waitFor();
    await expect(page.locator("#trouble")).toHaveText(
      /^The bot ludo needs a network connection the first time\./,
    );
    await expect(page.locator("#seats-dialog .warning").first()).toHaveText(
      /^The bot ludo is not in this/,
    );
    await page.selectOption("#seats-dialog [data-seat=N]", "greedy");
    await page.click("#seats-dialog [value=take]");
    await page.locator("#throw:enabled").waitFor();
    await expect(page.locator("#seats .seat-N").first()).toHaveText(/greedy/);
    await newGame(page, { game: "ashte-kashte", players: { S: "person", N: "bot:novice" } });
    await page.context().setOffline(false);
    await page.reload();
    await ready(page);
    await page.locator("#seats .bar div").first().waitFor();
    await expect(page.locator("#seats")).toHaveText(/easy/);
    for (const [size, name] of [
      [192, "192"],
      [512, "512"],
      [512, "512-maskable"],
    ]) {
      await expect
        .poll(() =>
          page.evaluate(
            async (src) => (await createImageBitmap(await (await fetch(src)).blob())).width,
            `icon-${name}.png`,
          ),
        )
        .toBe(size);
    }
  },
  blank,
);

test(
  "a new version starts in all tabs when the user starts it, and `ashta serve` removes the service worker",
  { timeout: 120000 },
  async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "ashta-page-")),
      worker = join(folder, "sw.js");
    await cp(SITE, folder, { recursive: true, filter: (name) => !/\.(gz|br|table)$/.test(name) });
    const own = await start({ "/": folder });
    context.after(() => own.close().then(() => rm(folder, { recursive: true })));
    const page = await blank(own, { serviceWorkers: "allow" });
    await page.goto(own.server.url);
    await isControlled(page);
    // A bot is kept after its first use, if it is the bot of this version.
    await writeFile(join(folder, "pagade.bot"), "another version");
    await page.evaluate(() => Promise.all(["pagade.bot", "siga.bot"].map((name) => fetch(name))));
    await page.waitForFunction(() => caches.match("siga.bot", { ignoreSearch: true }));
    assert.ok(
      await page.evaluate(
        async () => (await caches.match("pagade.bot", { ignoreSearch: true })) === undefined,
      ),
    );
    await writeFile(
      worker,
      (await readFile(worker, "utf8")).replace('"app.js"', '"new.js":"","app.js"'),
    );
    await writeFile(join(folder, "new.js"), "");
    await page.reload();
    await page.locator("#notice", { hasText: "A new version" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(own.server.url);
    const take = other.getByRole("button", { name: "Start it" });
    await take.waitFor();
    await expect
      .poll(
        () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).waiting),
        "a second tab starts nothing",
      )
      .toBeTruthy();
    await Promise.all([page, other].map((tab) => tab.waitForEvent("load")).concat(take.click()));
    await other.close();
    await page.waitForFunction(
      async () =>
        !(await navigator.serviceWorker.getRegistration()).waiting &&
        (await caches.match("new.js", { ignoreSearch: true })),
    );
    await cp(join(ROOT, "web", "sw.js"), worker);
    await page.reload();
    await page.waitForFunction(
      async () =>
        !(await navigator.serviceWorker.getRegistration()) && !(await caches.keys()).length,
    );
  },
);
