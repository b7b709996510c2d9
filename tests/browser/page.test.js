// The page as a whole: weight, speed, layout on a phone, accessibility.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import {
  SITE,
  blank,
  expect,
  hurry,
  newGame,
  pageTests,
  playTurn,
  press,
  ready,
  show,
  state,
} from "./browser.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
// The table is the second step of a new game.
const DIALOGS = ["new-game", "table", "seats", "exchange", "rules", "settings"];

const { running, pageTest } = pageTests();

pageTest(
  "the page is light, and its table is fetched only when it is asked for",
  {},
  async (page) => {
    const { server } = running;
    server.asked.length = 0;
    const began = performance.now();
    await page.goto(`${server.url}/games/ashta/`);
    await ready(page);
    const loaded = performance.now() - began;
    await page.locator("#seats .bar div").first().waitFor();
    await press(page, "#throw");
    const bytes = server.asked.reduce((sum, { bytes }) => sum + bytes, 0);
    console.log(
      `page: ${server.asked.length} files, ${(bytes / 1e6).toFixed(2)} MB, ready after ${loaded.toFixed(0)} ms`,
    );
    assert.ok(bytes < 1e6, `${bytes} bytes were loaded`);
    const bots = server.asked.filter(({ path }) => path.endsWith(".bot"));
    assert.deepEqual(
      bots.map(({ path }) => path),
      ["/games/ashta/ashte-kashte.bot"],
      "one bot, once",
    );
    assert.ok(bots[0].bytes <= 200 * 1024);
    assert.ok(!server.asked.some(({ path }) => path.endsWith(".table")));
  },
  blank,
);

pageTest(
  "modules are fetched at once, and the rules before the bots, which nothing waits for",
  {},
  async (page) => {
    const { server } = running;
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 150,
      downloadThroughput: 2e5,
      uploadThroughput: 1e5,
    });
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route("**/*.bot", async (route) => {
      await held;
      await route.continue();
    });
    server.asked.length = 0;
    const began = performance.now();
    await page.goto(`${server.url}/games/ashta/`, { waitUntil: "commit" });
    await ready(page);
    await page.click("#throw");
    await page.locator("#turns li").first().waitFor();
    const paint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0].startTime,
    );
    console.log(
      `at 1.6 Mbit/s and 150 ms: first paint after ${paint.toFixed(0)} ms, first throw after ${(performance.now() - began).toFixed(0)} ms`,
    );
    release();
    await page.locator("#seats .bar div").first().waitFor();
    const names = server.asked.map(({ path }) => path.split("/").at(-1));
    const own = names.filter(
      (name) => name.endsWith(".js") && name !== "worker.js" && name !== "start.js",
    );
    const html = await readFile(join(SITE, "index.html"), "utf8");
    assert.deepEqual(
      [...new Set(own)].toSorted(),
      [...html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, name]) => name).toSorted(),
    );
    assert.ok(names.indexOf("ashta.wasm") < names.findIndex((name) => name.endsWith(".bot")));
  },
  blank,
);

pageTest("every small bot chooses in a blink", {}, async (page) => {
  const measured = await page.evaluate(async () => {
    // The measurement uses the module without the page.
    const { fetchBytes, load } = await import("./ashta.js");
    const ashta = await load(new URL("ashta.wasm", location.href));
    const found = {};
    for (const [name, game, seats] of [
      ["ashtapada", "ashtapada", 2],
      ["ashtapada-3p", "ashtapada", 3],
      ["ashtapada-4p", "ashtapada", 4],
      ["ashte-kashte", "ashte-kashte", 2],
      ["ashte-kashte-3p", "ashte-kashte", 3],
      ["ashte-kashte-4p", "ashte-kashte", 4],
      ["pagade", "pagade", 2],
      ["pagade-lap", "pagade?no_cut=lap", 2],
      ["pagade-4p", "pagade", 4],
      ["pagade-teams", "pagade?teams=true", 4],
    ]) {
      const bot = ashta.read(await fetchBytes(`${name}.bot`));
      let { position } = ashta.answer({ op: "new", game, seats, seed: 1 });
      const times = [];
      for (let move = 0; times.length < 30; move++) {
        const { node } = ashta.answer({ op: "view", position });
        if (node === "chance") {
          const { outcomes } = ashta.answer({ op: "chance", position });
          ({ position } = ashta.answer({
            op: "apply",
            position,
            throw: outcomes[move % outcomes.length].throw,
          }));
          continue;
        }
        const began = performance.now();
        const { action } = ashta.answer({ op: "bestmove", position }, bot);
        times.push(performance.now() - began);
        // Fails if the action is not legal.
        ({ position } = ashta.answer({ op: "apply", position, action }));
      }
      times.sort((a, b) => a - b);
      found[name] = { median: times[15], most: times[29], choices: times.length };
    }
    return found;
  });
  assert.equal(Object.keys(measured).length, 10);
  for (const [name, { median, most, choices }] of Object.entries(measured)) {
    console.log(`${name}: ${median.toFixed(2)} ms a choice, at most ${most.toFixed(2)} ms`);
    assert.equal(choices, 30);
  }
});

// Plays until every part of the page has content: hints, the chart of chances, the list of turns.
async function busy(page) {
  await hurry(page);
  await page.check("#show-hints");
  await newGame(page, { game: "ashtapada", players: { S: "person", N: "bot:expert" } });
  for (let choice = 0; choice < 4; choice++) {
    await playTurn(page);
  }
  await page.locator("#actions .best").first().waitFor();
}

async function opened(page, dialog) {
  await page.click(`[data-dialog=${dialog.replace("table", "new-game")}]`);
  if (dialog === "table") await page.locator(".game").last().click();
  if (["new-game", "table"].includes(dialog))
    await page.evaluate(() =>
      document.querySelectorAll("#new-game details").forEach((details) => {
        details.open = true;
      }),
    );
  if (dialog === "rules")
    await page.evaluate(() => {
      document.querySelector("#rules-text details").open = true;
    });
}

pageTest(
  "before the rules are there, clicks do nothing",
  {},
  async (page) => {
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route("**/ashta.wasm", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${running.server.url}/games/ashta/`);
    for (const button of await page.locator("button:visible").all()) {
      const { x, y, width, height } = await button.boundingBox();
      await page.mouse.click(x + width / 2, y + height / 2);
    }
    assert.equal(await page.locator("dialog[open]").count(), 0);
    release();
    assert.match(await ready(page), /^0 throw$/);
  },
  blank,
);

for (const [width, height] of [
  [375, 700],
  [1280, 800],
])
  pageTest(
    `the board of the last visit, at first the first board, is there at once, at ${width}`,
    { viewport: { width, height } },
    async (page) => {
      let release, held;
      await page.route("**/ashta.wasm", async (route) => {
        await held;
        await route.continue();
      });
      const visit = (address) => {
        held = new Promise((resolve) => {
          release = resolve;
        });
        return page.goto(address);
      };
      const box = async () => {
        const found = await page.locator("#board svg:visible").evaluateAll((all) =>
          all.map((one) => {
            const { x, y, width, height } = one.getBoundingClientRect();
            return [one.getAttribute("viewBox"), x, y, width, height].join(" ");
          }),
        );
        assert.equal(found.length, 1);
        return found[0];
      };
      const address = `${running.server.url}/games/ashta/`;
      for (const game of ["pagade", null]) {
        await visit(address);
        const early = await box();
        release();
        await ready(page);
        assert.equal(await box(), early);
        if (game) await newGame(page, { game });
      }
      await visit(`${address}?game=siga`);
      assert.equal(await page.locator("#board svg").count(), 0);
      release();
      await ready(page);
    },
    blank,
  );

for (const [file, place, words, goesOn] of [
  ["worker.js", "#trouble", "The rules cannot be loaded", false],
  ["ashta.wasm", "#trouble", "The rules cannot be loaded", false],
  ["dice.js", "#trouble", "The page cannot be loaded without dice.js.", false],
  ["bots.json", "#notice", "The list of bots (bots.json) cannot be loaded: 404", true],
  ["ashte-kashte.bot", "#trouble", "The bot ashte-kashte.bot cannot be loaded", true],
]) {
  test(
    `a page without ${file} says so${goesOn ? ", and its games go on" : ""}`,
    { timeout: 60000 },
    async () => {
      const page = await blank(running);
      await page.route(`**/${file}`, (route) => route.fulfill({ status: 404 }));
      await page.goto(`${running.server.url}/games/ashta/`);
      await page.locator(place).filter({ hasText: words }).waitFor();
      if (goesOn) {
        await hurry(page);
        for (let turn = 0; turn < 4; turn++) {
          assert.match(await ready(page), / choose$/);
          await playTurn(page);
        }
        assert.ok(Number((await state(page)).split(" ")[0]) >= 12);
        await expect(page.locator("#seats .seat-N").first()).toHaveText(/untrained/);
        await page.locator("#seats .bar div").first().waitFor();
      }
      await page.context().close();
    },
  );
}

pageTest(
  "groups of up to eight pieces stay in their square, and a finger reaches the nearest piece",
  { viewport: { width: 375, height: 667 }, hasTouch: true },
  async (page) => {
    const found = await page.evaluate(async () => {
      const { drawn, spread } = await import("./pieces.js"),
        { svg } = await import("./dom.js");
      const root = svg("svg", { class: "ashta-board", viewBox: "-50 -50 100 100", width: 400 });
      document.body.append(root);
      const unit = root.getScreenCTM().a,
        [middle, top] = [root.getScreenCTM().e, root.getScreenCTM().f];
      const wrong = [];
      for (let number = 1; number <= 8; number++)
        for (const count of [1, 2, 3, 8]) {
          const pieces = spread(number).map(([x, y, ...size], at) => {
            const group = { count, seat: "SENW"[at % 4], isJoined: count === 2, isMarked: at > 3 };
            return svg("g", { transform: `translate(${x} ${y})` }, drawn(svg, group, ...size));
          });
          root.replaceChildren(...pieces);
          const boxes = pieces
            .map((piece) => piece.getBoundingClientRect())
            .map((box) => ({
              left: (box.left - middle) / unit,
              right: (box.right - middle) / unit,
              top: (box.top - top) / unit,
              bottom: (box.bottom - top) / unit,
            }));
          const isIn = (box) => Object.values(box).every((side) => Math.abs(side) <= 20.5);
          const isApart = (a, b) =>
            a === b ||
            Math.min(a.right - b.left, b.right - a.left, a.bottom - b.top, b.bottom - a.top) < 1;
          if (!boxes.every((a) => isIn(a) && boxes.every((b) => isApart(a, b))))
            wrong.push([number, count, JSON.stringify(boxes)]);
        }
      return wrong;
    });
    assert.deepEqual(found, []);
    await show(page, "pagade S:12,20,29,40/N+:6,7,62,62 S 3,6");
    const piece = await page.locator(".piece.can[aria-label*='piece on P11']").boundingBox();
    for (const beside of [0, 16]) {
      await page.touchscreen.tap(piece.x + piece.width / 2, piece.y + piece.height / 2 - beside);
      await expect(page.locator(".piece.lifted")).toHaveAttribute("aria-label", /on P11/);
      await page.locator(".lifted").press("Escape");
    }
    const pairs = await page
      .locator("#board .piece")
      .evaluateAll((all) =>
        all
          .filter((one) => one.querySelectorAll(".disc").length === 2)
          .map((one) => one.getBoundingClientRect().width),
      );
    const { width } = await page.locator("#board .square").first().boundingBox();
    assert.ok(pairs.length && pairs.every((pair) => pair <= 1.3 * width), `${pairs}`);
  },
);

pageTest(
  "nothing is wider than a phone",
  { viewport: { width: 375, height: 740 }, hasTouch: true },
  async (page) => {
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    const positions = [
      "ashtapada S:6,6/E:off,31/N:23,keep/W:off,off S 4,1,2",
      "ashte-kashte S:hand,4,5,5/E:hand,hand,3,7/N:hand,hand,22,22/W:hand,hand,20,home S 3",
      "pagade?teams=true S:6,7,12,12/E+:cut,cut,30,home/N:6,7,12,12/W:6,7,12,12 S 1,4",
    ];
    for (const position of positions) {
      await show(page, position);
      await expect.poll(isWide, position).toBe(false);
      // A finger can hit small pieces, too.
      const piece = await page.locator(".piece.can").first().boundingBox();
      await page.touchscreen.tap(piece.x + piece.width / 2 + 8, piece.y + piece.height / 2);
      await page.waitForSelector(".piece.lifted");
    }
    for (const dialog of DIALOGS) {
      await opened(page, dialog);
      await expect.poll(isWide, dialog).toBe(false);
      const inner = await page.evaluate(() => {
        const form = document.querySelector("dialog[open] form");
        return form.scrollWidth - form.clientWidth;
      });
      assert.ok(inner <= 0, `${dialog} is ${inner} pixels too wide`);
      await page.keyboard.press("Escape");
    }
  },
);

for (const colorScheme of ["light", "dark"]) {
  pageTest(`axe finds no barrier, ${colorScheme}`, { colorScheme }, async (page) => {
    await busy(page);
    await page.evaluate(() => {
      localStorage["ashta.results"] = '[{ "id": "1", "against": "bot:novice", "result": "won" }]';
    });
    const script = await readFile(AXE, "utf8");
    await page.evaluate(script);
    const check = async (what) => {
      const { violations, passes } = await page.evaluate(() =>
        globalThis.axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
        }),
      );
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`,
      );
      assert.deepEqual(found, [], what);
      assert.ok(passes.length > 10);
    };
    await check("the page");
    for (const dialog of DIALOGS) {
      await opened(page, dialog);
      await check(dialog);
      await page.keyboard.press("Escape");
    }
    await show(page, "ashtapada S:borne,borne/N:23,30 - -");
    await check("a finished game");
    await page.click("#look-back");
    await page.locator("#review-seats li").first().waitFor();
    await check("review");
  });
}

pageTest("the board is described to those who do not see it", {}, async (page) => {
  await show(page, "ashtapada S:6,6/N:23,23 S 1,2");
  const labels = await page
    .locator("#board .piece")
    .evaluateAll((all) => all.map((piece) => piece.getAttribute("aria-label")));
  assert.deepEqual(labels.sort(), [
    "North: twins on H7",
    "South: twins on H4. Can go: H4 to H7 by 1+2; or H4 to H5 by 1; or H4 to H6 by 2; or twins H4 to H7 by 1+2, captures NN on H7",
  ]);
  await expect(page.locator("#board svg").first()).toHaveAttribute(
    "aria-label",
    "Board, seen from South",
  );
});

pageTest(
  "on a phone, a link begins with its button",
  { viewport: { width: 375, height: 667 }, hasTouch: true },
  async (page) => {
    assert.equal(await page.locator("h1").ariaSnapshot(), '- heading "Ashta" [level=1]');
    await show(
      page,
      JSON.stringify({
        players: ["a", "b"],
        start: "ashtapada S:5,30/N:off,23 S *",
        moves: [[4], [2], 0, 1],
      }),
    );
    await expect(page.locator("#throw")).not.toBeVisible();
    const { y, height } = await page.locator("#play-on").boundingBox();
    assert.ok(y > 0 && y + height <= 667, `${y} + ${height}`);
    const piece = page.locator("#board .piece.seat-S").first();
    await piece.tap();
    await expect(page.locator("#turn-note")).toHaveText("Press Play from here to move a piece.");
    await page.click("#play-on");
    await page.selectOption("#seats-dialog [data-seat=S]", "person");
    await page.click("#seats-dialog [value=take]");
    await page.locator("#throw:enabled").waitFor();
    await piece.tap();
    await expect(page.locator("#turn-note")).toHaveText("Throw first, then move a piece.");
  },
);

pageTest("long unbroken words do not widen the page", {}, async (page) => {
  const word = "W".repeat(240),
    sheet = (await readFile(join(SITE, "siga.toml"), "utf8"))
      .replace(/^name = .*$/m, 'name = "long"')
      .replace(/^title = .*$/m, `title = "${word}"`)
      .replace(/^summary = .*$/m, `summary = "${word}"`);
  await show(
    page,
    JSON.stringify({ players: [word, word], sheet, start: "long S:1,2/N:3,4 S *", moves: [] }),
  );
  for (const dialog of DIALOGS) {
    await opened(page, dialog);
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await page.evaluate(() =>
        [document.documentElement, document.querySelector("dialog[open] form")].map(
          (part) => part.scrollWidth - part.clientWidth,
        ),
      );
      assert.deepEqual(wide, [0, 0], `${dialog} at ${width}`);
    }
    await page.keyboard.press("Escape");
  }
});
