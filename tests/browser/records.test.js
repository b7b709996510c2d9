// Positions and games as text: copied, pasted, opened, dropped, replayed; and errors in damaged
// ones.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";

import {
  ROOT,
  ashta,
  copyGame,
  drop,
  expect,
  hurry,
  inState,
  newGame,
  open,
  openGames,
  paste,
  playTurn,
  position,
  press,
  ready,
  show,
  start,
  state,
} from "./browser.js";
import { Engine } from "./engine.js";

let running, page, folder;
before(async () => {
  running = await start();
  page = await open(running);
  await hurry(page);
  folder = await mkdtemp(join(tmpdir(), "ashta-"));
});
after(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

// A test on the shared page, which must have no errors.
function pageTest(name, body) {
  test(name, { timeout: 300000 }, async () => {
    await body();
    assert.deepEqual(page.errors, []);
  });
}

// Two games of an arena, as text.
async function arena(game, seats) {
  const file = join(folder, `${game}-${seats}.jsonl`);
  await ashta(
    "arena",
    "greedy",
    "hunter",
    "--game",
    game,
    "--seats",
    String(seats),
    "--pairs",
    "1",
    "--luck",
    "none",
    "--games",
    file,
  );
  return { file, text: await readFile(file, "utf8") };
}

// The last position of a record, by the program.
async function endOf(record) {
  const engine = new Engine("random");
  let answer = { position: record.start };
  for (const move of record.moves) {
    answer = await engine.ask({
      op: "apply",
      position: answer.position,
      [Array.isArray(move) ? "throw" : "action"]: move,
    });
  }
  await engine.close();
  return answer;
}

const games = (text) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((line) => line.start);

pageTest("positions are copied and pasted, with their house rules", async () => {
  for (const text of [
    "pagade?no_cut=lap S:8,20,30,75/N:6,7,12,12 N *",
    "ashtapada S:6,6/E:off,31/N:23,keep S 4,1,2",
    "ashte-kashte S:hand,4,5,5/E:hand,hand,hand,hand/W:hand,hand,hand,home E *",
    "ashtapada S:5,30/N:off,23 S 2;5+4",
  ]) {
    await paste(page, text);
    await page.waitForFunction(() => document.body.dataset.state !== "pasting");
    // Bots may have moved on; the pasted position is the first one.
    assert.equal(JSON.parse(await copyGame(page)).start, text);
  }
  await show(page, "pagade S:75,75,76,76/N:75,75,76,76 - -");
  await expect(page.locator("#turn-title")).toHaveText(/can ever move again: a draw/);
  await openGames(page);
  await page.click("#copy-position");
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("pagade S:75,75,76,76/N:75,75,76,76 - -");
  await page.click("#exchange [data-close]");
});

pageTest("a game is copied, pasted, looked through and played on", async () => {
  let now = await newGame(page, {
    game: "ashtapada",
    players: { S: "person", N: "bot:novice" },
    first: "N",
  });
  for (let choice = 0; choice < 6 && !now.endsWith("over"); choice++) {
    now = await playTurn(page);
  }
  const end = await position(page);
  const text = await copyGame(page);
  const game = JSON.parse(text);
  assert.deepEqual(game.players, ["person", "ashtapada+novice"]);
  assert.equal((await endOf(game)).position, end);
  assert.equal(game.ending, "open");
  await writeFile(join(folder, "own.jsonl"), `${text}\n`);
  assert.match(
    await ashta("analyze", join(folder, "own.jsonl"), "--by", "greedy"),
    /ashtapada\+novice/,
    "the program reads it",
  );
  await show(page, text);
  await expect.poll(() => position(page)).toBe(game.start);
  await expect(page.locator("#seats")).toHaveText(/North easy/);
  await press(page, "#to-end");
  await expect.poll(() => position(page)).toBe(end);
  // From the third step on, a person plays against a stronger bot.
  await page.locator("#slider").fill("3");
  await inState(page, /^3 /);
  const third = await position(page);
  await page.click("#play-on");
  await page.selectOption("#seats-dialog [data-seat=S]", "person");
  await page.selectOption("#seats-dialog [data-seat=N]", "bot:expert");
  await page.evaluate(() => {
    document.body.dataset.state = "playing";
  });
  await page.click("#seats-dialog [value=take]");
  await ready(page, "playing");
  await expect(page.locator("#seats")).toHaveText(/South you.*North hard/s);
  await page.locator("#slider").fill("3");
  await inState(page, /^3 /);
  await expect.poll(() => position(page), "what came before is kept").toBe(third);
});

for (const [game, seats] of [
  ["ashtapada", 2],
  ["ashte-kashte", 3],
  ["pagade", 2],
]) {
  pageTest(`a record of an arena is replayed to its end: ${game} for ${seats}`, async () => {
    const { file, text } = await arena(game, seats);
    const records = games(text);
    await openGames(page);
    await page.setInputFiles("#open-file", file);
    await page.locator("#choose-record").waitFor();
    await expect(page.locator("#record-number option")).toHaveCount(records.length);
    const record = records[1];
    await page.selectOption("#record-number", "1");
    await page.evaluate(() => {
      document.body.dataset.state = "opening";
    });
    await page.click("#take-record");
    await ready(page, "opening");
    // Steps through the turns, in a short game to the end; then jumps to the end.
    let turns = 0;
    while ((await page.isEnabled("#turn-on")) && (game === "ashtapada" || turns < 20)) {
      await press(page, "#turn-on");
      turns += 1;
    }
    assert.equal(turns, game === "ashtapada" ? record.turns : 20);
    assert.equal(await page.evaluate(() => scrollY), 0, "only the list of turns scrolls");
    if (await page.isEnabled("#to-end")) {
      await press(page, "#to-end");
    }
    const end = await endOf(record);
    await expect.poll(() => position(page)).toBe(end.position);
    assert.deepEqual(end.returns, record.returns);
    const winner = record.players[record.returns.indexOf(1)];
    await expect(page.locator("#turn-title")).toHaveText(/wins$/);
    await expect(page.locator("#seats")).toHaveText(new RegExp(winner.replace("+", "\\+")));
    // The last line has the number of the last turn.
    await expect(page.locator("#turns .number").first()).toHaveText(
      new RegExp(`(^|–)${record.turns}$`),
    );
    assert.ok(await page.isHidden("#past-note"), "nothing contradicts the record");
  });
}

pageTest("a file is dropped on the page", async () => {
  const { text } = await arena("pagade", 2);
  const line = text.trim().split("\n")[1];
  await drop(page, "game.jsonl", line);
  await ready(page, "dropping");
  await expect.poll(() => position(page)).toBe(JSON.parse(line).start);
});

pageTest("what cannot be read is named, and the game under way stays", async () => {
  await newGame(page, { game: "pagade", players: { S: "person", N: "greedy" } });
  const before = await position(page);
  const record = {
    players: ["a", "b"],
    start: "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S *",
    moves: [[3], 0],
  };
  const broken = [
    ["", /nothing to read: paste/],
    ["https://example.org/#game=abc", /link is damaged/],
    [
      `https://example.org/#game=${deflateRawSync(Buffer.alloc(2 ** 26, " ")).toString("base64url")}`,
      /^The link is too long: a game has at most 1 MiB/,
    ],
    ["ashtapada S:5,61/N:off,23 S *", /there is no place `61`/],
    ["senet S:1,1/N:1,1 S *", /senet/],
    ["pagade?lap=true S:6,7,12,12/N:6,7,12,12 S *", /unknown flag `lap`/],
    ["one line\nanother line", /neither a game nor a position.*2 lines/],
    ["{", /cannot be read: a part of it is missing/],
    ['{"arena":1,"game":"pagade"}', /no game/],
    [JSON.stringify({ ...record, start: undefined }), /no first position/],
    [JSON.stringify({ ...record, moves: "3" }), /no list of throws/],
    [JSON.stringify({ ...record, moves: [[3], "x"] }), /Move 2 of the game, "x", is neither/],
    [
      JSON.stringify({ ...record, moves: [[3], 0, 0] }),
      /Move 3 of the game .* at ashte-kashte .*: .*dice must be thrown first/,
    ],
    [JSON.stringify({ ...record, moves: [[3], 7] }), /Move 2 .*action 7 is not legal/],
    [JSON.stringify({ ...record, moves: [[5]] }), /Move 1 .*\[5\] cannot be thrown/],
    [JSON.stringify({ ...record, players: ["a"] }), /names 1 players, but there are 2 seats/],
    [JSON.stringify({ ...record, start: "nowhere" }), /position/],
  ];
  for (const [text, message] of broken) {
    await paste(page, text);
    await expect(page.locator("#exchange-trouble"), text).toHaveText(message);
    await expect(page.locator("#exchange-trouble"), text).toBeVisible();
    await expect(page.locator("#exchange"), "the dialog stays, and what was pasted").toBeVisible();
    await expect(page.locator("#pasted")).toHaveValue(text);
  }
  // One bad line among good ones is reported; the others can be shown.
  await paste(page, `${JSON.stringify(record)}\n{"start":1}\n`);
  await page.locator("#choose-record").waitFor();
  await expect(page.locator("#record-number option")).toHaveText(["1: a – b", "2: cannot be read"]);
  await page.selectOption("#record-number", "1");
  await page.click("#take-record");
  await page.waitForFunction(() => !document.getElementById("exchange-trouble").hidden);
  await expect(page.locator("#exchange-trouble")).toHaveText(
    /^Line 2: The game has no first position/,
  );
  await page.click("#exchange [data-close]");
  assert.equal(await position(page), before);
  // If moves contradict the end of a record, the page shows both.
  await show(page, JSON.stringify({ ...record, ending: "finished", returns: [1, 0] }));
  await expect(page.locator("#past-note")).toHaveText(/its moves do not end the game/);
});

pageTest(
  "a link shows the game at the place where it was copied, and damaged ones are named",
  async () => {
    assert.match(
      await newGame(page, { game: "pagade", players: { S: "bot:expert", N: "bot:beginner" } }),
      /over$/,
    );
    await page.locator("#slider").fill("7");
    await inState(page, /^7 /);
    const shown = await position(page);
    await openGames(page);
    await page.click("#copy-link");
    const link = await page.waitForFunction(
      () => document.getElementById("exchange-done").textContent && navigator.clipboard.readText(),
    );
    const url = await link.jsonValue();
    console.log(
      `link: a game of ${await page.getAttribute("#slider", "max")} steps in ${url.length} letters`,
    );
    assert.ok(url.length <= 2048, url);
    await page.click("#exchange [data-close]");
    const other = await page.context().newPage();
    await other.goto(url);
    assert.match(await ready(other), /^7 paused$/);
    await expect.poll(() => position(other)).toBe(shown);
    assert.equal(
      await other.getAttribute("#slider", "max"),
      await page.getAttribute("#slider", "max"),
    );
    assert.ok(!other.url().includes("#"), "what is played from here is not what the link shows");
    // Pasted, and in the address of an open page.
    await show(page, url);
    await expect.poll(() => position(page)).toBe(shown);
    await page.evaluate(() => {
      document.body.dataset.state = "linked";
      location.hash = `#game=${encodeURIComponent("ashtapada S:5,30/N:off,23 S *")}`;
    });
    await ready(page, "linked");
    await expect.poll(() => position(page)).toMatch(/^ashtapada S:5,30\/N:off,23 /);
    const before = await position(page);
    await page.evaluate(() => {
      location.hash = "#game=damaged";
    });
    await page.locator("#trouble").waitFor();
    await expect(page.locator("#trouble")).toHaveText(
      /^This link cannot be opened. The link is damaged/,
    );
    assert.equal(await position(page), before);
    await other.close();
  },
);

pageTest("games are kept beside each other, and each tab has its own", async () => {
  await page.evaluate(() => localStorage.clear());
  const kept = async (tab) => {
    await tab.click("nav [data-dialog=exchange]");
    const names = await tab.locator("#kept-games b").allTextContents();
    await tab.click("#exchange [data-close]");
    return names;
  };
  let now = await newGame(page, { game: "ashtapada", players: { S: "person", N: "greedy" } });
  await playTurn(page);
  const first = await position(page);
  now = await newGame(page, { game: "siga", players: { S: "person", N: "greedy" } });
  if (now.endsWith("choose")) await playTurn(page);
  const second = await position(page);
  // Another tab resumes the game that no tab has, not the game of this one.
  const other = await page.context().newPage();
  await other.goto(`${running.server.url}/games/ashta/`);
  await ready(other);
  await expect.poll(() => position(other)).toBe(first);
  // A game that the address names becomes another kept game.
  await other.goto(`${running.server.url}/games/ashta/?game=pagade`);
  await ready(other);
  await expect.poll(() => position(other)).toMatch(/^pagade /);
  now = await state(other);
  await hurry(other);
  await playTurn(other);
  assert.deepEqual((await kept(other)).toSorted(), ["Ashtapada", "Pagade", "Siga"]);
  // After a reload each tab has its game, whatever its address says.
  await other.reload();
  await ready(other);
  await expect.poll(() => position(other)).toMatch(/^pagade /);
  await page.reload();
  await ready(page);
  await expect.poll(() => position(page)).toBe(second);
  // Browsers slow down hidden tabs.
  await page.bringToFront();
  // A tab cannot take the game of another tab.
  await openGames(page);
  await page.locator("#kept-games button").filter({ hasText: "Pagade" }).click();
  await expect(page.locator("#exchange-trouble")).toHaveText(/another tab/);
  await page.locator("#kept-games button").filter({ hasText: "Ashtapada" }).click();
  await page.waitForFunction(() => !document.getElementById("exchange").open);
  await expect(page.locator("#game-name")).toHaveText(/^Ashtapada/);
  await expect.poll(() => position(page)).toBe(first);
  // The last twenty games are kept.
  for (let number = 0; number < 22; number++) {
    await show(page, `siga S:${(number % 5) + 1},${(number % 5) + 2}/N:3,4 S *`);
  }
  await expect.poll(async () => (await kept(page)).length).toBe(20);
  // The list does not show a damaged game.
  await page.evaluate(() => {
    const key = Object.keys(localStorage).find((key) => key.startsWith("ashta.game."));
    localStorage.setItem(key, JSON.stringify({ line: "{", players: {}, at: 0, when: 1 }));
  });
  await expect.poll(async () => (await kept(page)).length).toBe(19);
  await other.close();
});

test(
  "each place in the history of a tab keeps its game, also before the first throw",
  { timeout: 120000 },
  async () => {
    const tab = await open(running);
    assert.match(
      await newGame(tab, { game: "pagade", players: { S: "person", N: "greedy" } }),
      /^0 throw$/,
    );
    await tab.goto(`${running.server.url}/games/ashta/?game=siga`);
    await ready(tab);
    for (const [go, game] of [
      ["reload", "siga"],
      ["goBack", "pagade"],
      ["goForward", "siga"],
    ]) {
      await tab[go]();
      await ready(tab);
      await expect.poll(() => position(tab), go).toMatch(new RegExp(`^${game} `));
    }
    await tab.context().close();
  },
);

test("tabs keep each other's settings and sheets", { timeout: 120000 }, async () => {
  const first = await open(running),
    second = await first.context().newPage();
  await second.goto(`${running.server.url}/games/ashta/?game=siga`);
  await ready(second);
  const sheet = await readFile(join(ROOT, "env", "games", "siga.toml"), "utf8");
  for (const [tab, field, value, name] of [
    [first, "pace", "quick", "one"],
    [second, "theme", "dark", "two"],
  ]) {
    await tab.click("nav [data-dialog=settings]");
    await tab.selectOption(`#set-${field}`, value);
    await tab.click("#settings [data-close]");
    await drop(tab, "own.toml", sheet.replace(/^name = .*$/m, `name = "${name}"`));
    await tab.locator("#sheet-done").filter({ hasText: "is in the list" }).waitFor();
  }
  await first.reload();
  await ready(first);
  assert.deepEqual(
    await Promise.all(["pace", "theme"].map((field) => first.inputValue(`#set-${field}`))),
    ["quick", "dark"],
  );
  await first.click("nav [data-dialog=new-game]");
  for (const name of ["one", "two"])
    await expect(first.locator(`[data-game=${name}]`)).toHaveCount(1);
  await first.context().close();
});

pageTest("a position is set up by clicks, keys and text, and the engine judges it", async () => {
  const textIs = (text) =>
    page.waitForFunction((text) => document.getElementById("setup-text").value === text, text);
  const verdict = (words) => page.locator("#setup-verdict", { hasText: words }).waitFor();
  const move = async (piece, landing) => {
    await page.locator(`#setup .piece[aria-label="${piece}"]`).press("Enter");
    await page.locator(`.landing[aria-label="${landing}"]`).press("Enter");
  };
  // The last square of a course is the finish, or an ordinary place.
  for (const [text, piece, landing, end] of [
    [
      "ur S:hand,hand,hand,hand,hand,hand,5/N:hand,hand,hand,hand,hand,hand,hand N *",
      "South: a piece on A2",
      "F1",
      "ur S:hand,hand,hand,hand,hand,hand,home/N:hand,hand,hand,hand,hand,hand,hand N *",
    ],
    [
      "mensch S:hand,hand,hand,4/N:hand,hand,hand,hand S *",
      "South: 3 pieces waiting (hand)",
      "F5",
      "mensch S:hand,hand,4,43/N:hand,hand,hand,hand S *",
    ],
    [
      "ashtapada S:5,30/N:off,23 S 4,2",
      "North: a piece on H7",
      "off",
      "ashtapada S:5,30/N:off,off S *",
    ],
    [
      "pagade S:6,7,9,12/N:6,7,12,12 S *",
      "South: a piece on J3",
      "J4 (79)",
      "pagade S:7,9,12,79/N:6,7,12,12 S *",
    ],
  ]) {
    await show(page, text);
    await openGames(page);
    await page.click("#open-setup");
    // Bots may have moved on.
    await page.fill("#setup-text", text);
    await move(piece, landing);
    await textIs(end);
    if (!text.startsWith("pagade")) {
      await verdict("This position is possible.");
      await page.click("#setup [data-close]");
    }
  }
  await verdict("beyond its gate");
  await expect(page.locator("#setup-play")).toBeDisabled();
  await page.fill("#setup-text", "pagade S+:7,9,12,79/N:6,7,12,12 S *");
  await verdict("This position is possible.");
  await page.selectOption("#setup-mover", "N");
  await page.locator("#setup .piece[aria-label='South: a piece on K1']").click();
  await page.locator(".landing[aria-label='K4']").click();
  await textIs("pagade S+:7,12,12,79/N:6,7,12,12 N *");
  await page.click("#setup-play");
  await page.waitForFunction(() => document.querySelector("#place #board"));
  assert.equal(JSON.parse(await copyGame(page)).start, "pagade S+:7,12,12,79/N:6,7,12,12 N *");
});
