// Whole games: some against bots, and one of each built-in game in which the page offers what the
// engine allows.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import {
  SITE,
  expect,
  hurry,
  newGame,
  open,
  position,
  ready,
  show,
  start,
  state,
} from "./browser.js";
import { Engine } from "./engine.js";

const { translator } = await import(join(SITE, "phrases.js")),
  english = translator(JSON.parse(await readFile(join(SITE, "en.json"), "utf8")).engine);
let running, page;
before(async () => {
  running = await start();
  page = await open(running, { query: "seed=11", viewport: { width: 1000, height: 720 } });
  await hurry(page);
  await page.check("#show-hints");
});
after(() => running.close());

const KINDS = [
  ["ashtapada", "SEN", "bot:expert"],
  ["ashte-kashte", "SENW", "bot:intermediate"],
  ["pagade", "SN", "bot:2ply", { no_cut: "lap" }],
  ["pagade", "teams", "bot:expert"],
];

// Makes the best move by the hints with the mouse: on the board if its piece is there, else in the
// list.
async function choose(isOnBoard) {
  const found = await page.waitForFunction((isOnBoard) => {
    const best = document.querySelector("#actions .best");
    if (!best) return null;
    const words = best.querySelector(".words").firstChild.textContent;
    const can = (piece) =>
      piece.getAttribute("aria-label").toLowerCase().includes(words.toLowerCase());
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
  test(
    `a game of ${game} for ${seats} with ${JSON.stringify(flags)} is played to its end`,
    { timeout: 300000 },
    async () => {
      const others = [...seats.replace("teams", "SENW").slice(1)].map((seat) => [seat, bot]);
      let now = await newGame(page, {
        game,
        seats,
        flags,
        players: Object.fromEntries([["S", "person"], ...others]),
        first: "",
      });
      let choices = 0,
        onBoard = 0;
      while (!now.endsWith("over")) {
        assert.ok(now.endsWith("choose"), `the page waits for a choice, not in state ${now}`);
        if (await choose(choices % 2 === 0)) onBoard += 1;
        choices += 1;
        now = await ready(page, now);
      }
      assert.ok(choices > 5, `a person had ${choices} choices`);
      assert.ok(onBoard > 0, `pieces were clicked ${onBoard} times`);
      await expect(page.locator("#turn-title")).toHaveText(
        /^You win!$|^(?!.*South).*wins?$|^Over|dead/,
      );
      await expect.poll(() => position(page)).toMatch(/(- -)$/);
      await expect(page.locator("#actions button")).toHaveCount(0);
      assert.equal(await state(page), now, "nothing moves any more");
      assert.deepEqual(page.errors, []);
    },
  );
}

// Plays the game on the page to its end with random clicks, by turns on the board and in the list.
// Returns the nodes, and what the page showed: [{ at, words, onBoard, landings, canLeave, chosen
// }].
async function clickThrough() {
  const query = (selector) => [...document.querySelectorAll(selector)];
  const press = (made) =>
    ["pointerdown", "pointerup"].forEach((type) =>
      made.dispatchEvent(new PointerEvent(type, { bubbles: true })),
    );
  const label = (made) => made.getAttribute("aria-label").toLowerCase();
  const settled = (before) =>
    new Promise((resolve) => {
      const look = () => {
        const { state } = document.body.dataset;
        if (state === before || !/(choose|over)$/.test(state)) return;
        observer.disconnect();
        resolve();
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { attributeFilter: ["data-state"] });
      look();
    });
  const play = await import("./play.js"),
    seen = [];
  let seed = 7;
  document.body.dataset.state = "seating";
  play.seat(Object.fromEntries(play.game.seats.map((seat) => [seat, "person"])));
  await settled("seating");
  while (!document.body.dataset.state.endsWith("over")) {
    const { state } = document.body.dataset,
      buttons = query("#actions button"),
      leave = document.getElementById("leave");
    const words = buttons.map((one) => one.querySelector(".words").textContent.toLowerCase()),
      canLeave = !leave.disabled;
    const chosen = (seed = (seed * 48271) % 0x7fffffff) % (words.length + canLeave),
      entry = { at: Number.parseInt(state), words, canLeave, chosen };
    if (chosen === buttons.length) leave.click();
    else if (seen.length % 2) buttons[chosen].click();
    else {
      const pieces = query(".piece.can").map((one) => [
        one,
        label(one).split(". can go: ")[1].split("; or "),
      ]);
      const [piece, own] = pieces.find(([, own]) => own.includes(words[chosen]));
      press(piece);
      Object.assign(entry, {
        onBoard: pieces.flatMap(([, own]) => own),
        landings: [query(".landing").map(label).sort(), own.sort()],
      });
      press(query(".landing").find((one) => label(one) === words[chosen]));
    }
    seen.push(entry);
    await settled(state);
  }
  return { seen, nodes: play.game.nodes.map(({ position, node }) => ({ position, node })) };
}

// Checks a game of `clickThrough`: every decision offers the moves of the engine, and ends in the
// position of the turn.
async function check(engine, { seen, nodes }) {
  for (const [at, { position, node }] of nodes.entries()) {
    if (node !== "decision") continue;
    const { turns, moves, nodes: places } = await engine.ask({ op: "choices", position });
    const shown = seen.filter((entry) => entry.at === at),
      wordsOf = ([move]) => english(moves[move].words).toLowerCase();
    let here = places[0];
    // A turn without a choice is not shown.
    if (!shown.length) assert.equal(turns.length, 1, position);
    for (const { words, onBoard = words, landings = [], canLeave, chosen } of shown) {
      const wanted = here.lines.map(wordsOf).sort();
      for (const list of [words, onBoard]) assert.deepEqual(list.toSorted(), wanted, position);
      assert.deepEqual(landings[0], landings[1], position);
      assert.equal(canLeave, here.end !== null, position);
      // The page groups the moves by piece, so their order differs.
      const line = here.lines.find((line) => wordsOf(line) === words[chosen]);
      here = line ? places[line[1]] : { ...here, lines: [] };
      while (here.lines.length === 1 && !here.end && !moves[here.lines[0][0]].captures.length)
        here = places[here.lines[0][1]];
    }
    assert.equal(nodes[at + 1].position, turns[shown.length ? here.end[0] : 0].position, position);
  }
}

test("every built-in game offers the moves of the engine", { timeout: 500000 }, async () => {
  const engine = new Engine("random"),
    page = await open(running, { query: "seed=5" });
  await hurry(page);
  await page.uncheck("#show-chances");
  // Without painting, the page needs half the time.
  await page.evaluate(() => {
    document.querySelector("main").style.visibility = "hidden";
  });
  for (const { name } of (await engine.ask({ op: "games" })).games) {
    await show(page, (await engine.ask({ op: "new", game: name, seed: 0 })).position);
    await check(engine, await page.evaluate(clickThrough));
  }
  await engine.close();
  assert.deepEqual(page.errors, []);
});
