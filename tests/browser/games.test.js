// Whole games: some against bots, and one of each built-in game in which the page offers what the engine allows.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { hurry, newGame, open, position, ready, ROOT, show, start, state } from "./browser.js";
import { Engine } from "./engine.js";

let running, page;
before(async () => {
  running = await start();
  page = await open(running, { query: "seed=11", viewport: { width: 1000, height: 720 } });
  await hurry(page);
  await page.check("#show-hints");
});
after(() => running.close());

const KINDS = [
  ["ashtapada", "SEN", "bot:expert"], ["ashte-kashte", "SENW", "bot:intermediate"],
  ["pagade", "SN", "bot:2ply", { no_cut: "lap" }], ["pagade", "SENW", "bot:expert", { teams: "true" }],
];

// Makes the best move by the hints with the mouse: on the board if its piece is there, else in the list.
async function choose(isOnBoard) {
  const found = await page.waitForFunction(isOnBoard => {
    const best = document.querySelector("#actions .best");
    if (!best) return null;
    const words = best.querySelector(".words").firstChild.textContent;
    const can = piece => piece.getAttribute("aria-label").toLowerCase().includes(words.toLowerCase());
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
  test(`a game of ${game} for ${seats} with ${JSON.stringify(flags)} is played to its end`, { timeout: 300000 }, async () => {
    const others = [...seats.slice(1)].map(seat => [seat, bot]);
    let now = await newGame(page, { game, seats, flags, players: Object.fromEntries([["S", "person"], ...others]), first: "" });
    let choices = 0, onBoard = 0;
    while (!now.endsWith("over")) {
      assert.ok(now.endsWith("choose"), `the page waits for a choice, not in state ${now}`);
      if (await choose(choices % 2 === 0)) onBoard += 1;
      choices += 1;
      now = await ready(page, now);
    }
    assert.ok(choices > 5, `a person had ${choices} choices`);
    assert.ok(onBoard > 0, `pieces were clicked ${onBoard} times`);
    assert.match(await page.textContent("#turn-title"), /wins?$|^Over|dead/);
    assert.match(await position(page), /(- -)$/);
    assert.equal(await page.locator("#actions button").count(), 0);
    assert.equal(await state(page), now, "nothing moves any more");
    assert.deepEqual(page.errors, []);
  });
}

// Plays the game on the page to its end with random clicks, by turns on the board and in the list. Returns the positions
// of all nodes, and what the page showed: [{ at, step, words, landings, isLifted, canLeave, clicked }].
function clickThrough() {
  const query = selector => [...document.querySelectorAll(selector)];
  const press = made => ["pointerdown", "pointerup"].forEach(type => made.dispatchEvent(new PointerEvent(type, { bubbles: true })));
  const labels = made => made.map(one => one.getAttribute("aria-label"));
  let seed = 7;
  const random = below => (seed = seed * 48271 % 0x7fffffff) % below;
  async function clicked(seen) {
    const { state } = document.body.dataset, buttons = query("#actions button"), leave = document.getElementById("leave");
    const entry = { at: Number.parseInt(state), step: state.includes("then"), words: buttons.map(one => one.querySelector(".words").textContent), canLeave: !leave.disabled };
    const chosen = random(buttons.length + entry.canLeave);
    if (chosen === buttons.length) leave.click();
    else if (seen.length % 2) buttons[chosen].click();
    else {
      const pieces = query(".piece.can").map(one => [one, labels([one])[0].split(". Can go: ")[1].split("; or ")]);
      entry.onBoard = pieces.flatMap(([, words]) => words);
      const [piece, words] = pieces.find(([, words]) => words.some(text => text.toLowerCase() === entry.words[chosen].toLowerCase()));
      press(piece);
      const landings = query(".landing");
      entry.landings = [labels(landings), words];
      press(landings.find(one => labels([one])[0].toLowerCase() === entry.words[chosen].toLowerCase()));
    }
    seen.push({ ...entry, chosen });
    await settled(state);
  }
  async function settled(before) {
    while (document.body.dataset.state === before || !/(choose|over)$/.test(document.body.dataset.state)) await new Promise(requestAnimationFrame);
  }
  return import("./play.js").then(async play => {
    const seen = [];
    document.body.dataset.state = "seating";
    play.seat(Object.fromEntries(play.game.seats.map(seat => [seat, "person"])));
    await settled("seating");
    while (!document.body.dataset.state.endsWith("over")) await clicked(seen);
    return { seen, nodes: play.game.nodes.map(({ position, node }) => ({ position, node })) };
  });
}

const lower = words => words.map(text => text.toLowerCase()).sort();

// Checks a game of `clickThrough`: every decision offers the moves of the engine, and ends in the position of the turn.
async function check(engine, { seen, nodes }) {
  for (const [at, { position, node }] of nodes.entries()) {
    if (node !== "decision") continue;
    const { turns, moves, nodes: places } = await engine.ask({ op: "choices", position });
    const shown = seen.filter(entry => entry.at === at);
    let here = places[0], end = here.end;
    // A turn without a choice is not shown.
    if (!shown.length) assert.equal(turns.length, 1, position);
    const forward = line => { here = places[line[1]]; ({ end } = here); };
    for (const { words, onBoard, landings, canLeave, chosen } of shown) {
      const wanted = lower(here.lines.map(([move]) => moves[move].words));
      assert.deepEqual(lower(words), wanted, position);
      if (onBoard) assert.deepEqual(lower(onBoard), wanted, position);
      if (landings) assert.deepEqual(lower(landings[0]), lower(landings[1]), position);
      assert.equal(canLeave, end !== null, position);
      if (chosen === words.length) here = { lines: [], end };
      else forward(here.lines[chosen]);
      while (here.lines.length === 1 && !end && !moves[here.lines[0][0]].captures.length) forward(here.lines[0]);
    }
    assert.equal(nodes[at + 1].position, shown.length ? turns[end[0]].position : turns[0].position, position);
  }
}

test("every built-in game offers the moves of the engine", { timeout: 250000 }, async () => {
  const engine = new Engine("random"), sheet = await open(running, { query: "seed=5" });
  await hurry(sheet);
  await sheet.uncheck("#show-chances");
  for (const name of (await readdir(join(ROOT, "env", "games"))).map(file => file.replace(".toml", ""))) {
    const { position } = await engine.ask({ op: "new", game: name });
    await show(sheet, position);
    await check(engine, await sheet.evaluate(clickThrough));
  }
  await engine.close();
  assert.deepEqual(sheet.errors, []);
});
