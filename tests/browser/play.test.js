// Playing on the page: keys, going back and forth, hints, perfect play, dice from a table.

import assert from "node:assert/strict";

import { Engine } from "./engine.js";
import {
  blank,
  copyGame,
  escaped,
  expect,
  hurry,
  inState,
  newGame,
  openTable,
  pageTests,
  playTurn,
  position,
  press,
  ready,
  show,
  state,
} from "./browser.js";

const { running, pageTest } = pageTests();

pageTest(
  "a whole game is played by keys alone, and the focus is never lost",
  {},
  async (page) => {
    await page.addInitScript(() => {
      localStorage["ashta.settings"] = '{"pace":"none","moving":false}';
    });
    await page.goto(`${running.server.url}/games/ashta/?seed=4`);
    await ready(page);
    // Opens the dialog of a new game, and moves the focus through it.
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement.className)).toBe("skip");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    // The focus is on the title; the search is next.
    await page.keyboard.press("Tab");
    await page.keyboard.type("siga");
    await page.keyboard.press("Enter");
    await page.locator("#choose-first").focus();
    await page.keyboard.press("s");
    await page.locator("#new-game button[value=start]").focus();
    await page.evaluate(() => {
      document.body.dataset.state = "new";
    });
    await page.keyboard.press("Enter");
    let now = await ready(page, "new");
    await expect.poll(() => page.evaluate(() => document.activeElement.id)).toBe("turn");
    // Throws with the space key; chooses by number or on the board.
    const is = (selector) =>
      page.evaluate((selector) => document.activeElement.matches(selector), selector);
    for (let turn = 0; !now.endsWith("over"); turn++) {
      if (now.endsWith("throw")) await page.keyboard.press(" ");
      else if (turn % 3 === 0) await page.keyboard.press("1");
      else {
        // The board is the tab stop before the turn.
        if (!(await is("#board *"))) await page.keyboard.press("Shift+Tab");
        while (!(await is(".piece.can"))) await page.keyboard.press("ArrowRight");
        if (turn % 2) await page.keyboard.press("ArrowLeft");
        while (!(await is(".piece.can"))) await page.keyboard.press("ArrowLeft");
        await expect(
          page.locator(".track.lit"),
          "the path of the piece with the focus is lit",
        ).not.toHaveCount(0);
        await page.keyboard.press("Enter");
        await page.keyboard.press("ArrowDown");
        await expect.poll(() => is(".landing")).toBe(true);
        await page.keyboard.press("Enter");
      }
      now = await ready(page, now);
      assert.ok(!(await is("body")), now);
      const stops = await page.evaluate(
        () =>
          [...document.querySelectorAll("#place *, #log *")].filter((one) => one.tabIndex >= 0)
            .length,
      );
      assert.equal(stops, 2, "one tab stop for the board, one for the list of turns");
    }
    // In the list, arrows go from turn to turn; elsewhere they step back and forth.
    await page.locator("#turns").focus();
    for (let press = 0; press < 2; press++) await page.keyboard.press("ArrowDown");
    await expect.poll(() => is("#turns li:nth-child(2) button")).toBe(true);
    await page.keyboard.press("ArrowLeft");
    const played = Number(now.split(" ")[0]);
    await page.waitForFunction(
      (at) => document.body.dataset.state.startsWith(`${at} `),
      played - 1,
    );
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((at) => document.body.dataset.state.startsWith(`${at} `), played);
    await expect(
      page.locator("#news p", { hasText: /throws \d \(/ }),
      "throws are announced",
    ).not.toHaveCount(0);
  },
  blank,
);

pageTest("undo, redo and the undoing of a turn lead to where a person chose", {}, async (page) => {
  await hurry(page);
  let now = await newGame(page, { game: "pagade", players: { S: "person", N: "bot:beginner" } });
  const seen = [];
  for (let choice = 0; choice < 5; choice++) {
    assert.ok(now.endsWith("choose"), now);
    seen.push(await position(page));
    now = await playTurn(page, "last");
  }
  const end = await position(page);
  for (const place of seen.toReversed()) {
    await press(page, "#undo");
    await expect.poll(() => position(page)).toBe(place);
  }
  await expect(page.locator("#undo"), "nothing was chosen before").toBeDisabled();
  for (const place of [...seen.slice(1), end]) {
    await press(page, "#redo");
    await expect.poll(() => position(page)).toBe(place);
  }
  await expect(page.locator("#redo")).toBeDisabled();
  await press(page, "#turn-back");
  await expect.poll(() => position(page), "a whole turn is back at its throw").toMatch(/ S \*$/);
  // Another throw replaces the later moves.
  await press(page, "#throw");
  await expect(page.locator("#redo")).toBeDisabled();
});

async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
}

const landings = (page) =>
  page
    .locator(".landing")
    .evaluateAll((all) => all.map((landing) => landing.getAttribute("aria-label")));

pageTest(
  "a piece is lifted, and lands where it is clicked, dragged or sent by keys",
  {},
  async (page) => {
    const begin = async () => {
      await show(page, "ashte-kashte S:5,9,20,30/N:4,6,10,12 S 4");
    };
    // The turn of North can follow at once.
    const ended = () =>
      page.locator("#turns button", { hasText: "G3 to G7 by 4" }).first().waitFor();
    const piece = page.locator(".piece.can[aria-label*='piece on G3']");
    await begin();
    await page.mouse.click(...(await middle(piece)));
    await expect.poll(() => landings(page)).toEqual(["G3 to G7 by 4"]);
    await expect(page.locator(".landing").first()).toHaveText("4");
    // A click on a landing does not lift the own piece there.
    await page.mouse.click(...(await middle(page.locator(".landing"))));
    await ended();
    await begin();
    const [x, y] = await middle(piece);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 20, { steps: 3 });
    const [toX, toY] = await middle(page.locator(".landing"));
    await page.mouse.move(toX, toY, { steps: 3 });
    await page.mouse.up();
    await ended();
    await begin();
    await piece.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect.poll(() => landings(page)).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => document.activeElement.getAttribute("aria-label")))
      .toMatch(/piece on G3/);
    await page.keyboard.press("Enter");
    await page.locator(".landing").waitFor();
    await page.keyboard.press("Enter");
    await ended();
  },
);

pageTest(
  "a click beside a small square lifts no neighbour",
  { viewport: { width: 375, height: 667 } },
  async (page) => {
    await show(page, "pagade S:12,20,30,40/N:6,7,12,49 S 3,6");
    const [x, y] = await middle(page.locator(".piece.can[aria-label*='piece on K4']"));
    const cell = await page
      .locator("#board .square rect")
      .first()
      .evaluate((square) => square.getBoundingClientRect().width);
    await page.mouse.click(x + 1.1 * cell, y);
    assert.equal(await page.locator(".piece.lifted").count(), 0);
    // The lifted piece and its landings are shown larger.
    await page.mouse.click(x, y);
    const sizes = await page
      .locator(".lifted, .landing")
      .evaluateAll((all) =>
        all
          .map((one) => one.getBoundingClientRect())
          .map(({ x, y, right, bottom, width }) => [
            x > 0 && y > 0 && right < 375 && bottom < 500,
            width,
          ]),
      );
    assert.ok(
      sizes.length > 1 && sizes.every(([isIn, width]) => isIn && width >= 24),
      JSON.stringify(sizes),
    );
    await page.mouse.click(...(await middle(page.locator(".landing").first())));
    await page.waitForFunction(() =>
      document.querySelector("#board svg").getAttribute("viewBox").startsWith("0 0"),
    );
  },
);

pageTest(
  "moves are whole: by each die, by their sum, and with what they capture",
  {},
  async (page) => {
    await show(page, "pagade S:12,20,30,40/N:6,7,12,49 S 3,6");
    const piece = (place) => page.locator(`.piece.can[aria-label*='piece on ${place}']`);
    await page.mouse.click(...(await middle(piece("K4"))));
    await expect
      .poll(() => landings(page))
      .toEqual(["K4 to P9 by 3+6", "K4 to K7 by 3, captures N on K7", "K4 to M9 by 6"]);
    assert.deepEqual(
      await page
        .locator(".landing.captures")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
      ["K4 to K7 by 3, captures N on K7"],
    );
    await page.mouse.click(...(await middle(page.locator(".landing.captures"))));
    // The first move is a preview: the captured piece is pale, and one throw remains.
    await page.locator(".piece.taken").waitFor();
    await expect(page.locator("#turn-note")).toHaveText(
      /^K4 to K7 by 3, captures N on K7; 6 left$/,
    );
    const now = await state(page);
    await page.click("#undo");
    await page.waitForFunction((now) => document.body.dataset.state !== now, now);
    await expect(page.locator(".piece.taken")).toHaveCount(0);
    await page.mouse.click(...(await middle(piece("K4"))));
    await page.mouse.click(...(await middle(page.locator(".landing.captures"))));
    await page.locator(".piece.taken").waitFor();
    await page.mouse.click(...(await middle(piece("O9"))));
    await page.mouse.click(...(await middle(page.locator(".landing"))));
    await page
      .locator("#turns button")
      .first()
      .filter({ hasText: "K4 to K7 by 3, then O9 to S11 by 6, captures N on K7" })
      .waitFor();
    // Either die can be first.
    await show(page, "pagade S:6,7,12,12/N:6,7,12,18 S 3,6");
    const list = (await page.locator("#actions .words").allTextContents()).join("; ");
    assert.match(list, /by 3(;|$)/);
    assert.match(list, /by 6(;|$|,)/);
    // A landing that captures says so, whatever the throw is.
    await show(page, "ashtapada S:5,7/N:5,25 S 4,2");
    const words = await page.locator("#actions .words").allTextContents();
    assert.deepEqual(
      words.filter((text) => text.includes("captures")),
      ["H3 to G8 by 4+2, captures N on G8", "H5 to G8 by 4, captures N on G8"],
    );
  },
);

pageTest(
  "hints are arrows from the piece to the landing, also after the first move of a turn",
  {},
  async (page) => {
    await page.check("#show-hints");
    await show(page, "pagade S:12,20,30,40/N:6,7,12,49 S 3,6");
    for (const picked of [0, 1]) {
      await page.locator(".arrow.best").first().waitFor();
      await expect(page.locator(".arrow")).toHaveCount(
        Math.min(3, await page.locator("#actions button").count()),
      );
      const head = await middle(page.locator(".arrow.best .head").last()),
        best = await page.locator("#actions .best .words").first().textContent();
      await page
        .locator(`.piece.can[aria-label*="${best.split(" ")[0]}"]`)
        .first()
        .press("Enter");
      const end = await middle(page.locator(`.landing[aria-label="${best}"]`));
      assert.ok(Math.hypot(head[0] - end[0], head[1] - end[1]) < 20, `${best}: ${head}, ${end}`);
      if (!picked) await press(page, `.landing[aria-label="${best}"]`);
    }
  },
);

pageTest(
  "a second click on Throw moves nothing, and buttons that have just appeared are pale",
  { query: "seed=2" },
  async (page) => {
    await newGame(page, { game: "saturankam", players: { S: "person", N: "bot:novice" } });
    await page.evaluate(async () => {
      const { isSettled } = await import("./turn.js");
      globalThis.seen = { pale: 0, full: 0, wrong: [] };
      const look = () => {
        for (const made of document.querySelectorAll("#throw:enabled, #actions button")) {
          const isPale = getComputedStyle(made).opacity < 1;
          globalThis.seen[isPale ? "pale" : "full"] += 1;
          if (!isPale && !isSettled()) globalThis.seen.wrong.push(made.textContent);
        }
        requestAnimationFrame(look);
      };
      look();
    });
    const [x, y] = await middle(page.locator("#throw"));
    await page.mouse.dblclick(x, y);
    await inState(page, "1 choose");
    await page.mouse.click(x, y);
    assert.equal(await state(page), "1 choose");
    await expect(page.locator("#throw")).toBeDisabled();
    const { pale, full, wrong } = await page.evaluate(() => globalThis.seen);
    assert.deepEqual(wrong, []);
    assert.ok(pale > 0 && full > 0, `${pale} pale, ${full} full`);
  },
);

pageTest("the page does not jump while it is played", {}, async (page) => {
  await page.click("nav [data-dialog=settings]");
  await page.selectOption("#set-pace", "none");
  await page.click("#settings [data-close]");
  await newGame(page, { game: "ashtapada", players: { S: "person", N: "bot:novice" } });
  await page.evaluate(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) =>
      list.getEntries().forEach((entry) => {
        globalThis.shift += entry.value;
      }),
    ).observe({ type: "layout-shift", buffered: false });
  });
  const turns = () =>
    page.evaluate(() =>
      Number(document.querySelector("#turns .number")?.textContent.split("–").at(-1) ?? 0),
    );
  while ((await turns()) < 20) {
    if ((await state(page)).endsWith("throw")) await press(page, "#throw");
    else await playTurn(page);
  }
  const shift = await page.evaluate(() => globalThis.shift);
  assert.ok(shift <= 0.1, `${shift}`);
});

for (const [width, height] of [
  [375, 667],
  [320, 568],
  [667, 375],
  [820, 1180],
  [640, 400],
]) {
  pageTest(
    `board and dock are in sight at ${width} by ${height}`,
    { viewport: { width, height } },
    async (page) => {
      for (const text of [
        "ashtapada S:6,6/E:off,31/N:23,keep/W:off,off S 4,1,2",
        "pagade S:12,20,30,40/N:6,7,12,49 S 3,6",
      ]) {
        await show(page, text);
        for (const part of [
          "#board svg",
          "#throw",
          "#leave",
          "#undo",
          "#hurry",
          "#turn-note",
          "#thrown",
        ]) {
          const { left, top, right, bottom } = await page
            .locator(part)
            .first()
            .evaluate((element) => element.getBoundingClientRect().toJSON());
          assert.ok(
            left >= -1 && top >= -1 && right <= width + 1 && bottom <= height + 1,
            `${text}: ${part} is at ${[left, top, right, bottom]}`,
          );
        }
        const [board, dock] = await Promise.all(
          ["#board svg", "#turn"].map((part) => page.locator(part).boundingBox()),
        );
        const isApart = board.y + board.height <= dock.y + 1 || board.x + board.width <= dock.x + 1;
        assert.ok(isApart, `${text}: the dock covers the board`);
      }
    },
  );
}

pageTest(
  "nothing is cut off or covered",
  { viewport: { width: 375, height: 667 } },
  async (page) => {
    const boxes = (parts) =>
      page
        .locator(parts)
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const covers = (a, b) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const fits = (part) =>
      page
        .locator(part)
        .evaluate(
          (one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight,
        );
    await show(page, "ashtapada S:5,17/N:2,9 S 4,1,8,4,1,8,3");
    await expect(page.locator("#thrown .die")).toHaveCount(4);
    await expect.poll(() => fits("#thrown")).toBe(true);
    await show(
      page,
      "ludo S:hand,hand,hand,home/E:hand,hand,home,home/N:hand,home,home,home/W:hand,hand,hand,hand S *",
    );
    const pieces = await boxes("#board .piece");
    for (const caption of await boxes("#board .caption"))
      assert.ok(!pieces.some((piece) => covers(piece, caption)), "discs cover a word in a tray");
    // A message leaves the board in sight, and can be dismissed.
    await newGame(page, { game: "ashtapada", players: { S: "person" }, flags: { twins: "none" } });
    const [[notice], [board], [dock]] = await Promise.all(
      ["#notice", "#board svg", "#turn"].map(boxes),
    );
    assert.ok(
      notice.bottom <= board.top && board.bottom <= dock.top + 1 && dock.bottom <= 668,
      JSON.stringify([notice, board, dock]),
    );
    await page.click("#notice button");
    await expect(page.locator("#notice")).toBeHidden();
    // The places of four seats.
    await page.locator("#turn").evaluate((dock) => {
      dock.className = "over";
    });
    await page.locator("#turn-title").evaluate((title) => {
      title.textContent = "Over: 1. South, 2. East, 3. North, 4. West";
    });
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 667 });
      await expect.poll(() => fits("#turn-title")).toBe(true);
    }
    // 1280 by 900 pixels at a zoom of 400 %.
    await page.setViewportSize({ width: 320, height: 225 });
    await expect.poll(async () => (await boxes("#board svg"))[0].height).toBeGreaterThan(150);
  },
);

pageTest(
  "hints and chances are those of the bot, and of perfect play once it is loaded",
  { query: "seed=3" },
  async (page) => {
    const text = "ashtapada S:5,30/N:off,23 S 4,2",
      before = "ashtapada S:5,30/N:off,23 S *";
    await page.check("#show-hints");
    const percent = (share) => `${(100 * share).toFixed(1)} %`;
    const shown = async () => {
      await page.locator("#actions .best").first().waitFor();
      return (await page.locator("#actions .hint").allTextContents()).map((hint) =>
        hint.replace("★ ", ""),
      );
    };
    for (const agent of ["ashtapada", "perfect"]) {
      const engine = new Engine(agent);
      const { turns } = await engine.ask({ op: "choices", position: text });
      const ends = await Promise.all(
        turns.map(({ position }) => engine.ask({ op: "evaluate", position })),
      );
      const shares = ends.map(({ values }) => values[0]);
      const { values } = await engine.ask({ op: "evaluate", position: before });
      await engine.close();
      if (agent === "perfect") {
        await page.click("#load-table");
        await expect(page.locator("#estimates-by")).toContainText("perfect play");
      }
      await show(page, text);
      const hints = await shown();
      assert.equal(hints.length, await page.locator("#actions button").count());
      assert.ok(
        hints.every((hint) => shares.map(percent).includes(hint)),
        agent,
      );
      await expect(page.locator("#actions .best .hint").first(), agent).toHaveText(
        `★ ${percent(Math.max(...shares))}`,
      );
      await page.locator("#seats .bar div").first().waitFor();
      await expect(page.locator("#seats .share").first(), agent).toHaveText(
        percent(Math.max(...shares)),
      );
      const by = agent === "perfect" ? "perfect play" : "the bot ashtapada";
      await expect(page.locator("#estimates-by")).toHaveText(
        new RegExp(`^Chances with the best choice, by ${by}`),
      );
      await show(page, before);
      await page.locator("#seats .bar div").first().waitFor();
      await expect(page.locator("#seats .share"), agent).toHaveText(values.map(percent));
    }
  },
);

pageTest(
  "perfect play sits at a seat and takes the best action",
  { query: "seed=5" },
  async (page) => {
    await hurry(page);
    await newGame(page, { game: "ashtapada", players: { S: "person", N: "perfect" } });
    await expect(page.locator("#load-table"), "its table is loaded").toBeHidden();
    const engine = new Engine("perfect");
    const chosen = [];
    for (let number = 0; number < 12 || chosen.length === 0; number++) {
      const now = await ready(page);
      if (now.endsWith("over")) break;
      await playTurn(page);
    }
    // Checks every choice of North against the table.
    const game = JSON.parse(await copyGame(page));
    assert.deepEqual(game.players, ["person", "perfect"]);
    let at = game.start;
    for (const move of game.moves) {
      if (!Array.isArray(move) && at.split(" ")[2] === "N") {
        const { actions } = await engine.ask({ op: "hint", position: at });
        const worth = new Map(actions.map(({ id, values }) => [id, values[1]]));
        assert.ok(worth.get(move) >= Math.max(...worth.values()) - 1e-6, `${at}: ${move}`);
        chosen.push(move);
      }
      at = (
        await engine.ask({
          op: "apply",
          position: at,
          [Array.isArray(move) ? "throw" : "action"]: move,
        })
      ).position;
    }
    await engine.close();
    assert.ok(chosen.length > 0, "perfect play has chosen");
  },
);

pageTest("what cannot move says why, and so does a lost throw", {}, async (page) => {
  await show(page, "ashte-kashte S:4,8,35,47/N:8,12,23,45 S 3");
  await page.mouse.click(...(await middle(page.locator(".piece.seat-S:not(.can)"))));
  await expect(page.locator("#turn-note")).toHaveText(/waits for a throw of 1/);
  await hurry(page, "hand");
  await show(page, "ashtapada S:off,off/N:off,23 S *");
  await page.locator("#entering button[aria-label='2']").click();
  const says = (words) =>
    page.locator("#turns button").first().filter({ hasText: words }).waitFor();
  await says("South 2: no piece can move (hand: it waits for a throw of 1)");
  // A lost turn has its own sentence, for the turn and for each piece.
  for (const [text, thrown, words] of [
    [
      "ludo S:hand,hand,hand,7/N:hand,hand,hand,3 S *2",
      "6",
      "South 6: 3 throws of 6 in a row: the turn is lost",
    ],
    [
      "ur S:hand,hand,hand,hand,hand,3,9/N:hand,hand,hand,hand,hand,hand,home S *",
      "0",
      "South 0: the turn is lost",
    ],
    ["ashte-kashte S:47,home,home,home/N:8,12,23,45 S *", "8", "South 8: no piece can move ("],
  ]) {
    await show(page, text);
    await page.click(`#entering button[aria-label='${thrown}']`);
    await says(words);
  }
  assert.doesNotMatch(await page.textContent("#turns"), /finished|North/);
});

pageTest("turns in which nothing moves are one line", {}, async (page) => {
  await hurry(page, "hand");
  await show(page, "ashtapada S:off,off/N:off,off S *");
  const enter = (thrown) => press(page, `#entering button[aria-label='${thrown}']`);
  for (const thrown of [2, 3, 2]) await enter(thrown);
  const lines = () => page.locator("#turns button").allTextContents();
  await expect
    .poll(lines)
    .toEqual(["1–3South 2; North 3; South 2: no piece can move (hand: it waits for a throw of 1)"]);
  await enter(1);
  assert.match((await lines())[0], /^4NNorth 1/);
  // A click on a line with several turns shows their end.
  await page.locator("#turns button").last().click();
  await inState(page, /^6 /);
});

pageTest("throws and pieces are heard once that is switched on", {}, async (page) => {
  await page.evaluate(() => {
    globalThis.sounds = 0;
    AudioBufferSourceNode.prototype.start = () => {
      globalThis.sounds += 1;
    };
  });
  const heard = () => page.evaluate(() => globalThis.sounds);
  await newGame(page, { game: "ashte-kashte", players: { S: "person", N: "person" } });
  await press(page, "#throw");
  assert.equal(await heard(), 0, "off by default");
  await page.click("nav [data-dialog=settings]");
  await page.check("#set-sound");
  await page.click("#settings [data-close]");
  await show(page, "ashte-kashte S:4,8,35,47/N:8,12,23,45 S 4");
  await press(page, "#actions button");
  const moved = await heard();
  assert.ok(moved > 0, "a piece lands");
  await page.click("#throw");
  await page.waitForFunction((moved) => globalThis.sounds > moved, moved);
});

pageTest(
  "the shelf shows boards, players and minutes; the table says how strong the bots are",
  {},
  async (page) => {
    await page.click("nav [data-dialog=new-game]");
    await page.locator("[data-game=siga] .mini svg").waitFor();
    await expect(page.locator("[data-game=siga] small").first()).toHaveText(
      "2 players · 8 min · Sri Lanka",
    );
    await page.click("[data-game=siga]");
    await expect(page.locator("#game-facts")).toHaveText(/perfect play/);
    await page
      .locator("#new-game .seat-choices p", { hasText: /easy wins 44 and medium \d+\. Equal/ })
      .waitFor();
    assert.match(
      (await page.locator("#new-game [data-seat=N] > :not([hidden])").allTextContents()).join(),
      /^A person here,Easy,Medium,Hard,Perfect \(loads [\d.]+ MB\),More …$/,
    );
    // Only two pieces of this game are solved.
    await page.click("#to-shelf");
    await page.click("[data-game=ashte-kashte]");
    await expect(page.locator("#game-facts")).not.toHaveText(/perfect/);
  },
);

pageTest(
  "bots are hurried to the next turn of a person",
  { reducedMotion: "no-preference" },
  async (page) => {
    // Here, no timer ends the pause of a bot.
    await page.evaluate(() => {
      const wait = setTimeout;
      globalThis.setTimeout = (act, milliseconds, ...rest) =>
        milliseconds >= 700 ? 0 : wait(act, milliseconds, ...rest);
    });
    await newGame(page, {
      game: "ashtapada",
      seats: "SENW",
      players: { S: "person", E: "random", N: "random", W: "random" },
    });
    for (let step = 0; step < 6; step++) {
      const now = await state(page);
      await page
        .locator(now.endsWith("choose") ? "#actions button" : "#throw")
        .first()
        .click();
      await page.waitForFunction((now) => {
        const { state } = document.body.dataset;
        return (
          !document.getElementById("hurry").disabled ||
          (state !== now && /(choose|throw)$/.test(state))
        );
      }, now);
      await page.keyboard.press("s");
      await ready(page, now);
      await expect(page.locator("#hurry"), "it is the turn of a person").toBeDisabled();
    }
  },
);

pageTest("going back gives no other throws, and going on again goes on", {}, async (page) => {
  await newGame(page, { game: "ashte-kashte", players: { S: "person", N: "bot:novice" } });
  await page.click("#throw");
  await inState(page, /^[1-9]/);
  await ready(page);
  const thrown = () => page.locator("#turns button").last().textContent();
  const before = (await thrown()).replace(/:.*/, "");
  await page.click("#to-start");
  await ready(page);
  await inState(page, "0 throw");
  await page.click("#throw");
  await inState(page, /^[1-9]/);
  assert.equal((await thrown()).replace(/:.*/, ""), before);
  // After a step back and a step forward during the turn of the bot, the bot plays.
  await hurry(page);
  let now = await ready(page);
  if (now.endsWith("choose")) now = await playTurn(page);
  await page.keyboard.press("ArrowLeft");
  await ready(page, now);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    (at) =>
      document.body.dataset.state.endsWith("choose") &&
      document.body.dataset.state.split(" ")[0] >= at,
    Number(now.split(" ")[0]),
  );
});

pageTest("the note about the last turn has all turns in a row of a seat", {}, async (page) => {
  // North enters by a 6, throws again, and moves by a 4.
  const start = "mensch S:hand,hand,hand,7/N:hand,hand,3,30 N *";
  await show(page, JSON.stringify({ players: ["a", "novice"], start, moves: [[6], 0, [4], 1] }));
  await page.click("#to-end");
  await page
    .locator("#last-turn", {
      hasText: "North threw 6, 4: enter on G11, throws again; G11 to G7 by 4",
    })
    .waitFor();
});

pageTest("a game is looked back on, played again, and with other seats", {}, async (page) => {
  await hurry(page);
  await newGame(page, { game: "siga", players: { S: "random", N: "bot:expert" } });
  await inState(page, /over$/);
  // The dock shows the last turn of the log.
  const [, who, throws, done] = /(South|North) threw ([\d, ]+): (.+)/.exec(
    await page.textContent("#last-turn"),
  );
  await expect(page.locator("#turns button").first()).toHaveText(
    new RegExp(`${escaped(`${who} ${throws}: ${done}`)}$`),
  );
  await page.click("#look-back");
  await page.locator("#review-seats li").first().waitFor();
  await expect(page.locator("#review-result")).toHaveText(/wins, after \d+ turns\.$/);
  const [south, north] = await page.locator("#review-seats li").allTextContents();
  const cost = (text) => Number(/cost ([\d.]+) %/.exec(text)[1]);
  assert.ok(cost(south) > cost(north), `${south}; ${north}`);
  const found = await page.evaluate(async () => {
    const { changes } = await import("./review.js");
    const values = [
      [0.5, 0.5],
      [0.7, 0.3],
      [0.6, 0.4],
      [1, 0],
    ];
    const game = {
      seats: ["S", "N"],
      last: 3,
      steps: [
        { seat: "S", thrown: [4] },
        { seat: "S", actions: [0] },
        { seat: "N", thrown: [1] },
      ],
    };
    const all = changes(game, (at) => values[at]);
    return all.map(({ luck, cost }) => [luck, cost].map((share) => Number(share.toFixed(3))));
  });
  assert.deepEqual(found, [
    [0.2, 0],
    [0, 0.1],
    [-0.4, 0],
  ]);
  const words = await page.locator("#review-choices .quiet > :last-child").first().textContent();
  assert.match(words, /^(blunder|error|doubtful), cost [\d.]+ %turn \d+, South: ./);
  await page.locator("#review-choices .still .better").first().waitFor({ state: "attached" });
  // A click on the chart shows this turn, and closes the review.
  await page.locator("#review-line svg").click({ position: { x: 100, y: 20 } });
  await inState(page, /paused$/);
  await page.evaluate(() => document.getElementById("look-back").click());
  await page.locator("#review-choices .quiet").first().click();
  await inState(page, /paused$/);
  await page.click("#to-end");
  await inState(page, /over$/);
  // A button plays the better turn; then the bots continue.
  await page.click("#look-back");
  const better = page.locator("#review-choices li:has(p)").first();
  const best = (await better.locator("p").textContent()).replace("Better: ", ""),
    number = /turn (\d+),/.exec(await better.textContent())[1];
  await page.evaluate(() => {
    document.body.dataset.state = "again";
  });
  await better.locator("button").last().click();
  await inState(page, /over$/);
  await expect(
    page
      .locator("#turns li", { hasText: new RegExp(`^${number}S.*${escaped(best)}$`, "s") })
      .first(),
    best,
  ).toBeAttached();
  await page.evaluate(() => {
    document.body.dataset.state = "again";
  });
  await page.click("#swap");
  await inState(page, /over$/);
  await expect(page.locator("#seats")).toHaveText(/South hard.*North random/s);
});

pageTest(
  "a choice that is played again is compared with the old and the best one",
  {},
  async (page) => {
    await hurry(page);
    await newGame(page, { game: "ashtapada", players: { S: "person", N: "person" } });
    await show(page, "ashtapada S:5,30/N:off,23 S 4,2");
    const [bad, best] = ["H3 to G8 by 4+2", "H3 to H7 by 4, captures N on H7"];
    const choose = (words) => page.locator("#actions button", { hasText: words }).click();
    const said = async (title) => {
      await page.locator("#guide-title", { hasText: title }).waitFor();
      return page.textContent("#guide-text");
    };
    const now = await state(page);
    await choose(bad);
    await ready(page, now);
    // The review of a game that is not over yet.
    await page.evaluate(() => document.getElementById("look-back").click());
    const again = (place) =>
      page.locator(`${place} button`, { hasText: "Try again" }).first().click();
    await again("#review-choices");
    await choose(bad);
    assert.match(
      await said(/^As good as before$/),
      /^The best move is 18\.\d % better: H3 to H7 by 4, then B2 to B4 by 2, captures/,
    );
    await again("#guide");
    await choose(best);
    assert.equal(await said(/^Better than before, by 18\.\d %$/), "This is the best move.");
    await again("#guide");
    await choose(bad);
    await said(/^Worse than before, by 18\.\d %$/);
    await page.locator("#guide button", { hasText: "Play this" }).click();
    await page.locator("#turns", { hasText: "H3 to H7 by 4, then B2" }).waitFor();
    await expect(page.locator("#guide")).toBeHidden();
  },
);

pageTest("throws are typed in from dice at a table", {}, async (page) => {
  await hurry(page, "hand");
  await newGame(page, { game: "pagade", players: { S: "person", N: "greedy" } });
  await expect(page.locator("#entering button")).toHaveCount(10);
  await press(page, "#entering button[aria-label='3 and 6']");
  await expect.poll(() => position(page)).toMatch(/ S 3,6$/);
  assert.ok((await playTurn(page)).endsWith("enter"), "the bot's throws, too");
  await page.getByRole("button", { name: "1 and 1", exact: true }).click();
  await inState(page, /enter$/);
});

pageTest("undo goes back to a typed throw, and then to the own choice", {}, async (page) => {
  await hurry(page, "hand");
  await newGame(page, { game: "ashte-kashte", players: { S: "person", N: "person" } });
  await show(page, "ashte-kashte S:5,9,20,30/N:4,6,10,12 S 3");
  await playTurn(page);
  for (const thrown of [3, 2]) {
    await press(page, `#entering button[aria-label='${thrown}']`);
    await expect.poll(() => position(page)).toMatch(new RegExp(` N ${thrown}$`));
    await press(page, "#undo");
    await expect.poll(() => position(page), "the throw can be typed again").toMatch(/ N \*$/);
  }
  await press(page, "#undo");
  await expect.poll(() => position(page)).toMatch(/ S 3$/);
});

pageTest("rules that no bot knows are said to be so, and baselines play them", {}, async (page) => {
  await hurry(page);
  await openTable(page, "ashtapada");
  await page.click("#flags summary");
  await page.check("input[name=flag-twins][value=none]");
  await expect(page.locator("#new-game form > .warning").first()).toHaveText(
    /^No bot was trained on these rules/,
  );
  await expect(page.locator("#new-game option[value='bot:expert']")).toHaveCount(0);
  await page.click("#new-game [data-close]");
  await newGame(page, { game: "ashtapada", players: { S: "person" }, flags: { twins: "none" } });
  await expect(page.locator("#notice")).toHaveText(
    /No bot knows Ashtapada with these rules for 2 players/,
  );
  await expect(page.locator("#seats")).toHaveText(/untrained/);
  await playTurn(page);
});

pageTest("a game goes on after the page is loaded again", {}, async (page) => {
  await hurry(page);
  let now = await newGame(page, {
    game: "ashte-kashte",
    players: { S: "person", N: "bot:expert" },
  });
  for (let choice = 0; choice < 4; choice++) {
    now = await playTurn(page);
  }
  const before = await position(page);
  await page.reload();
  assert.equal(await ready(page), now);
  await expect.poll(() => position(page)).toBe(before);
  await expect(page.locator("#seats")).toHaveText(/North hard/);
});

pageTest(
  "where the browser keeps nothing, all else works",
  {},
  async (page) => {
    await page.addInitScript(() => {
      for (const name of ["getItem", "setItem"])
        Storage.prototype[name] = () => {
          throw new DOMException("denied", "SecurityError");
        };
    });
    await page.goto(`${running.server.url}/games/ashta/?seed=1`);
    await ready(page);
    await expect(page.locator("#trouble")).toHaveText(/^This browser does not keep games/);
    await press(page, "#throw");
  },
  blank,
);

pageTest(
  "texts say what even play is, tell hints apart, and draw the course of the person to move",
  {},
  async (page) => {
    await page.check("#show-hints");
    assert.match(
      await newGame(page, {
        game: "pagade",
        seats: "SENW",
        players: { S: "person", E: "person", N: "person", W: "person" },
      }),
      /throw$/,
    );
    await show(page, "pagade S:6,7,12,12/E:6,7,12,12/N:6,7,12,12/W:6,7,12,12 E 1,3");
    await page.locator("#actions .best").first().waitFor();
    const hints = await page
      .locator("#actions li")
      .evaluateAll((all) => all.map(({ innerText }) => /★? ?place [\d.]+/.exec(innerText)[0]));
    const best = hints.filter((hint) => hint.startsWith("★")).map((hint) => hint.slice(2));
    assert.ok(
      hints.every((hint) => hint.startsWith("★") || !best.includes(hint)),
      hints.join(),
    );
    await expect(page.locator("#board .way")).toHaveAttribute("class", "way seat-E");
    await openTable(page, "ashtapada");
    await page.check("input[name=seats][value=SENW]");
    await page
      .locator("#new-game .seat-choices p")
      .filter({ hasText: "Equal players win 25." })
      .waitFor();
  },
);
