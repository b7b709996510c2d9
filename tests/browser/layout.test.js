// The layout of the page in all its states: nothing covers anything, and rings of the focus appear
// for keys only.

import assert from "node:assert/strict";

import { expect, hurry, newGame, openGames, pageTests, press, ready, show } from "./browser.js";
import { Engine } from "./engine.js";

const { pageTest } = pageTests();
const DIALOGS = ["new-game", "seats", "exchange", "rules", "settings"];

// The texts that the ring of the focused element covers, and its outline. A text has the middle
// part of its lines, without the space above and below the letters.
function ring() {
  const focused = document.activeElement,
    style = getComputedStyle(focused);
  const { outlineStyle, outlineWidth, outlineOffset } = style;
  if (outlineStyle === "none" || style.opacity === "0" || focused === document.body) return null;
  const grown = ({ left, top, right, bottom }, by) => ({
    left: left - by,
    top: top - by,
    right: right + by,
    bottom: bottom + by,
  });
  const both = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const isEmpty = ({ left, top, right, bottom }) => right - left < 0.5 || bottom - top < 0.5;
  const own = focused.getBoundingClientRect(),
    inner = grown(own, Number.parseFloat(outlineOffset)),
    outer = grown(inner, Number.parseFloat(outlineWidth));
  const visible = (element) => {
    let part = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (let place = element; place; place = place.parentElement)
      if (getComputedStyle(place).overflow !== "visible")
        part = both(part, place.getBoundingClientRect());
    return part;
  };
  const root = focused.closest("dialog") ?? document.body,
    texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT),
    covered = [];
  while (texts.nextNode()) {
    const node = texts.currentNode,
      place = node.parentElement;
    if (!node.data.trim() || !place.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const high = (line.bottom - line.top) / 5;
      const seen = both(
        { left: line.left, right: line.right, top: line.top + high, bottom: line.bottom - high },
        visible(place),
      );
      if (isEmpty(seen) || isEmpty(both(seen, outer))) continue;
      const [x, y] = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2],
        inside = both(seen, inner);
      // The lower edge of a dialog hides texts and rings that scroll.
      if (place.closest(".ends") && !focused.closest(".ends")) continue;
      if (!place.contains(document.elementFromPoint(x, y))) continue;
      if (JSON.stringify(inside) !== JSON.stringify(seen)) covered.push(node.data.trim());
    }
  }
  return { covered, outline: `${outlineStyle} ${outlineWidth}`, element: focused.outerHTML };
}

// The pairs of visible parts of the page, or of the open dialog, of which one covers the other.
function overlaps() {
  const root = document.querySelector("dialog[open]") ?? document.body,
    parts = [];
  const add = (element, rects, shrink = 0) => {
    let clip = { left: -1e4, top: -1e4, right: 1e4, bottom: 1e4 };
    for (let place = element; place !== document.body; place = place.parentElement) {
      if (getComputedStyle(place).overflow === "visible") continue;
      const { left, top, right, bottom } = place.getBoundingClientRect();
      clip = {
        left: Math.max(left, clip.left),
        top: Math.max(top, clip.top),
        right: Math.min(right, clip.right),
        bottom: Math.min(bottom, clip.bottom),
      };
    }
    for (const { left, top, right, bottom } of rects)
      parts.push({
        element,
        left: Math.max(left, clip.left),
        top: Math.max(top + shrink, clip.top),
        right: Math.min(right, clip.right),
        bottom: Math.min(bottom - shrink, clip.bottom),
      });
  };
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest(".visually-hidden");
  const blocks = "button, select, input, textarea, .die, .bar, #board > svg, #line > svg, section";
  for (const element of root.querySelectorAll(`header, ${blocks}, .told, .ends, .chip`))
    if (isSeen(element) && getComputedStyle(element).opacity !== "0")
      add(element, [element.getBoundingClientRect()]);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: node } = texts,
      { parentElement: place } = node;
    if (!node.data.trim() || place.closest("svg, select") || !isSeen(place)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    add(place, range.getClientRects(), 4);
  }
  const nameOf = ({ element }) =>
    element.closest(".ends")
      ? "DIV ends"
      : element.id || `${element.tagName} ${element.className} ${element.textContent.slice(0, 30)}`;
  return parts.flatMap((a, at) =>
    parts
      .slice(at + 1)
      .filter(
        (b) =>
          !a.element.contains(b.element) &&
          !b.element.contains(a.element) &&
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5,
      )
      .map((b) => `${nameOf(a)} / ${nameOf(b)}`),
  );
}

const SIZES = [
  [320, 568],
  [375, 667],
  [568, 320],
  [820, 1180],
  [1280, 800],
  [1440, 900],
  [2560, 1440],
];
const MANY = "ashtapada?pieces=4 S:5,7,17,21/N:2,9,26,45 S 4,1,8,2";
const STATES = {
  "the first throw": (page) => newGame(page, { game: "ludo", seats: "SENW" }),
  "a lesson": async (page) => {
    await page.click("#learn");
    await page.locator("#guide").waitFor();
    await press(page, "#throw");
  },
  "30 moves with hints": async (page) => {
    await show(page, MANY);
    assert.ok(await page.isHidden("#trouble"), "the game of the lesson keeps no players");
    await page.locator("#actions .best").first().waitFor();
    await expect.poll(() => page.locator("#actions button").count()).toBeGreaterThanOrEqual(30);
  },
  "a long board": async (page) => {
    await show(page, "ur S:hand,hand,hand,hand,hand,4,6/N:hand,hand,hand,hand,hand,hand,5 S 2");
    await page.locator("#actions .best").first().waitFor();
  },
  "a notice and a piece that cannot move": async (page) => {
    await newGame(page, { game: "ashtapada", players: { S: "person" }, flags: { twins: "none" } });
    await page.locator("#notice").waitFor();
  },
  "a finished game": (page) => show(page, "ashtapada S:borne,borne/N:23,30 - -"),
  review: async (page) => {
    await page.click("#look-back");
    await page.locator("#review-seats li").first().waitFor();
  },
};

pageTest("nothing covers anything at any size", {}, async (page) => {
  await page.click("nav [data-dialog=settings]");
  await page.selectOption("#set-pace", "none");
  await page.uncheck("#set-moving");
  await page.click("#settings [data-close]");
  await page.check("#show-hints");
  for (const [state, begin] of Object.entries(STATES)) {
    await begin(page);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      for (const part of [0, 1]) {
        await page.evaluate((part) => {
          const place = document.querySelector("dialog[open]") ?? document.documentElement;
          place.scrollTo(0, part * (place.scrollHeight - place.clientHeight));
          return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }, part);
        const all = await page.evaluate(overlaps);
        // The lower edge of a dialog stays in sight while the rest scrolls.
        const found = all.filter((pair) => part === 1 || !pair.includes("DIV ends"));
        assert.deepEqual(found, [], `${state} at ${width} by ${height}, scrolled to ${part}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  }
});

pageTest("rings of the focus appear for keys only, and cover no text", {}, async (page) => {
  const choose = async () => {
    await show(page, "ashtapada S:5,30/N:off,23 S 4,2");
    await page.locator("#actions button").first().waitFor();
  };
  await hurry(page);
  await choose();
  // Clicks on all kinds of parts leave no ring.
  const clicks = ["#place .piece.can", ".landing", "#step-back", "#turns button", "#show-hints"];
  for (const part of [...clicks, "#turn", "#chances"]) {
    await page.locator(part).first().click();
    await ready(page);
    assert.equal(await page.evaluate(ring), null, part);
  }
  for (const dialog of DIALOGS) {
    await page.click(`[data-dialog=${dialog}]`);
    assert.equal(await page.evaluate(ring), null, dialog);
    await page.click("dialog[open] [data-close]");
    assert.equal(await page.evaluate(ring), null, dialog);
  }
  // Keys move the focus through the page and its dialogs.
  const walk = async (what) => {
    const first = await page.evaluate(() => {
      document.activeElement.blur();
      return null;
    });
    assert.equal(first, null);
    const seen = new Set();
    for (let step = 0; step < 80; step++) {
      await page.keyboard.press("Tab");
      const found = await page.evaluate(ring);
      if (!found) continue;
      if (seen.has(found.element)) break;
      seen.add(found.element);
      // The link to the turn appears above the page.
      if (!found.element.includes("skip"))
        assert.deepEqual(found.covered, [], `${what}: ${found.element.slice(0, 200)}`);
    }
    assert.ok(seen.size > 2, `${what}: ${seen.size} rings`);
  };
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    await choose();
    await walk(`the page at ${width}`);
    for (const dialog of DIALOGS) {
      await page.click(`[data-dialog=${dialog}]`);
      await walk(`${dialog} at ${width}`);
      await page.keyboard.press("Escape");
    }
  }
});

// Whether a message is in the window, covered by nothing, and how far it is from a button.
function placed([message, button]) {
  const box = document.querySelector(message).getBoundingClientRect(),
    from = document.querySelector(button).getBoundingClientRect();
  const isOwn = (x, y) => document.querySelector(message).contains(document.elementFromPoint(x, y));
  const [left, top, bottom] = [box.left + 2, box.top + 2, box.bottom - 2];
  return {
    isIn: box.top >= 0 && box.bottom <= innerHeight && isOwn(left, top) && isOwn(left, bottom),
    far: Math.max(box.top - from.bottom, from.top - box.bottom),
  };
}

pageTest(
  "messages appear beside their button and within the window",
  { viewport: { width: 375, height: 700 } },
  async (page) => {
    const check = async (button, message) => {
      // Removes the message of the button before, if there is one.
      await page
        .locator(message)
        .evaluateAll((all) => all.forEach((made) => (made.textContent = "")));
      await page.click(button);
      await page.waitForFunction((message) => {
        const made = document.querySelector(message);
        return made && !made.hidden && made.textContent;
      }, message);
      const { isIn, far } = await page.evaluate(placed, [message, button]);
      assert.ok(isIn, `the message of ${button} is out of sight`);
      assert.ok(far < 120, `the message of ${button} is ${far} pixels from it`);
    };
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 700 });
      await openGames(page);
      for (const button of ["#copy-link", "#copy-position", "#copy-game", "#save-game"])
        await check(button, "#exchange-done");
      await page.fill("#pasted", "nothing");
      await check("#take-pasted", "#exchange-trouble");
      if (width > 375) await page.click("#exchange [data-close]");
    }
    await page.click("#open-setup");
    await page.fill("#setup-text", "siga S:1");
    await page.locator("#setup-verdict.warning").waitFor();
    await expect
      .poll(async () => (await page.evaluate(placed, ["#setup-verdict", "#setup-play"])).isIn)
      .toBe(true);
    await page.click("#setup [data-close]");
    await page.click("[data-dialog=new-game]");
    await page.click("[data-game=siga]");
    await page.click("#take-sheet");
    await page.locator("#sheet-done", { hasText: /./ }).waitFor();
    await page.fill("#sheet-text", "name =");
    await check("#read-sheet", "#sheet-trouble");
    await page.click("#new-game [data-close]");
    // An error that comes while a dialog is open.
    await page.uncheck("#show-chances");
    await show(page, "ashtapada S:borne,borne/N:23,30 - -");
    await page.evaluate(async () => {
      const { prototype } = (await import("./client.js")).Client;
      globalThis.send = prototype.send;
      prototype.send = () => Promise.reject(new Error("no answer"));
    });
    await page.click("#look-back");
    await page.locator("#review [role=alert]", { hasText: "no answer" }).waitFor();
    const late = await page.evaluate(placed, ["#review [role=alert]", "#share-review"]);
    assert.ok(late.isIn, "the error of the review is out of sight");
    await page.evaluate(async () => {
      (await import("./client.js")).Client.prototype.send = globalThis.send;
    });
    await page.click("#review [data-close]");
    // A picture that cannot be made.
    await page.evaluate(() => {
      HTMLCanvasElement.prototype.getContext = () => {
        throw new Error("no canvas");
      };
    });
    await check("#share", "#after + [role=alert]");
    await page.click("#look-back");
    await check("#share-review", "#review [role=alert]");
  },
);

pageTest("the dock cuts no text, and says when no piece can move", {}, async (page) => {
  const cut = () =>
    page.locator("#turn :is(h2, p, #thrown)").evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility() && one.textContent.trim())
        .filter((one) => {
          const { overflowY, webkitLineClamp, textOverflow } = getComputedStyle(one);
          const isLarger =
            one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1;
          // A long note scrolls; everything else has the room that it needs.
          const canScroll = one.id === "turn-note" && overflowY === "auto";
          return webkitLineClamp !== "none" || textOverflow !== "clip" || (isLarger && !canScroll);
        })
        .map((one) => one.textContent),
    );
  // North has played a turn with two moves and a capture; then it is North's turn again, or
  // South's.
  const start = "pagade S:6,7,12,18/N:12,20,30,40 N 3,6",
    record = (moves) => JSON.stringify({ players: ["a", "novice"], start, moves });
  const engine = new Engine("random");
  const { turns } = await engine.ask({ op: "choices", position: start });
  await engine.close();
  const moves = turns.find(({ words }) => /, then .*, cuts/.test(words)).actions;
  for (const shown of [[...moves], [...moves, [1, 1]]]) {
    await show(page, record(shown));
    await page.click("#to-end");
    await page.locator("#last-turn", { hasText: "captures" }).waitFor();
    for (const [width, height] of [...SIZES.slice(1, 6), [640, 400]]) {
      await page.setViewportSize({ width, height });
      await expect.poll(cut, `${width} by ${height}`).toEqual([]);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.evaluate(() => {
    const title = document.getElementById("turn-title");
    globalThis.titles = [];
    new MutationObserver(() => globalThis.titles.push(title.textContent)).observe(title, {
      childList: true,
    });
  });
  await newGame(page, { game: "ashtapada", players: { S: "person", N: "random" } });
  await show(page, "ashtapada S:off,off/N:5,30 S 2");
  const titles = await page.evaluate(() => globalThis.titles);
  assert.ok(titles.includes("You: no piece can move"), titles.join());
  assert.ok(!titles.some((title) => title.includes("only one move")), titles.join());
});
