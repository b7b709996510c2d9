// Games as sheets: every built-in game can be played, with its rules and house rules. Own sheets
// are opened, refused with their problems, kept, played, and included in records.

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

import {
  ROOT,
  SITE,
  ashta,
  copyGame,
  drop,
  escaped,
  expect,
  hurry,
  newGame,
  open,
  openTable,
  pageTests,
  paste,
  position,
  press,
  ready,
  show,
  state,
} from "./browser.js";

const { translator } = await import(join(SITE, "phrases.js")),
  english = translator(JSON.parse(await readFile(join(SITE, "en.json"), "utf8")).understood);
const FOLDER = join(ROOT, "env", "games");
const NAMES = (await readdir(FOLDER))
  .filter((file) => file.endsWith(".toml"))
  .map((file) => file.slice(0, -5))
  .sort();
const sheetOf = (name) => readFile(join(FOLDER, `${name}.toml`), "utf8");
const texts = JSON.parse(await readFile(join(FOLDER, "texts.en.json"), "utf8"));

const { running, pageTest } = pageTests();
let folder, own;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashta-"));
  own = (await sheetOf("siga"))
    .replace('name = "siga"', 'name = "my-race"')
    .replace('title = "Siga"', 'title = "My race"');
});
after(() => rm(folder, { recursive: true }));

// Makes some choices by clicks, alternately on the board and in the list; returns their number.
async function choose(page, now, most) {
  let made = 0;
  for (; made < most && now.endsWith("choose"); made++) {
    const pieces = page.locator(".piece.can");
    if (made % 2 && (await pieces.count())) {
      await pieces.last().focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
    } else await page.locator("#actions button").first().click();
    now = await ready(page, now);
  }
  return made;
}

async function openDialog(page) {
  await page.click("nav [data-dialog=new-game]");
  await page.evaluate(() => {
    document.getElementById("own-games").open = true;
  });
}

const problems = (page) => page.locator("#sheet-trouble li").allTextContents();
// The games of the shelf, and the chosen game.
const games = (page) =>
  page.locator(".game").evaluateAll((all) => [...new Set(all.map(({ dataset }) => dataset.game))]);
const isChosen = (page, title) => page.locator("#new-game-title", { hasText: title }).waitFor();

async function started(page) {
  await page.evaluate(() => {
    document.body.dataset.state = "new";
  });
  await page.click("#new-game button[value=start]");
  return ready(page, "new");
}

pageTest(
  "every game is started and played by clicks, for as many as there can be",
  {},
  async (page) => {
    await hurry(page);
    await page.click("nav [data-dialog=new-game]");
    await expect.poll(async () => (await games(page)).sort()).toEqual(NAMES);
    await page.click("#new-game [data-close]");
    for (const game of NAMES) {
      const title = /^title = "(.*)"/m.exec(await sheetOf(game))[1];
      await openTable(page, game);
      const seats = (
        await page
          .locator("input[name=seats]")
          .evaluateAll((all) => all.map((field) => field.value))
      ).at(-1);
      await page.click("#new-game [data-close]");
      const players = Object.fromEntries(
        [...seats.replace("teams", "SENW")].map((seat, at) => [seat, at ? "greedy" : "person"]),
      );
      const now = await newGame(page, { game, seats, players });
      await expect(page.locator("#game-name"), game).toHaveText(
        new RegExp(`^${escaped(title)} (for|in)`),
      );
      assert.ok((await choose(page, now, 6)) > 0, `${game} ${seats}: a choice, not ${now}`);
      const [steps] = (await state(page)).split(" ").map(Number);
      assert.ok(steps >= 6, `${game} ${seats}: ${steps} steps`);
      await expect.poll(() => position(page)).toMatch(new RegExp(`^${game}`));
      await expect(
        page.locator("[data-state$=over], #thrown .die").first(),
        `${game}: throws are drawn`,
      ).toBeAttached();
      assert.deepEqual(page.errors, [], `${game} ${seats}`);
    }
  },
);

pageTest("cowries and dice lie as the sheet counts them", {}, async (page) => {
  await show(page, "chowka-7 S:off,off,off,3/N:off,off,off,off S 12");
  assert.deepEqual(
    [
      await page.locator("#thrown .cowrie").count(),
      await page.locator("#thrown .cowrie.up").count(),
    ],
    [6, 0],
  );
  await show(page, "gavalata?cowries=5 S:3,4/N:0,0 S 5");
  assert.deepEqual(
    [
      await page.locator("#thrown .cowrie").count(),
      await page.locator("#thrown .cowrie.up").count(),
    ],
    [5, 5],
  );
  await show(page, "ashtapada?dice=uniform5 S:6,20/N:off,off S 4,2");
  await expect(page.locator("#thrown .cowrie")).toHaveCount(0);
  await expect(page.locator("#thrown .long-die circle")).toHaveCount(6);
});

// The dialog has the sentences that the program prints for these rules, in the words of the page.
async function isUnderstood(page, rules) {
  const { understood } = JSON.parse(await ashta("game", rules, "--json"));
  await expect(page.locator("#rules-text dt")).toHaveText(understood.map(({ topic }) => topic));
  await expect(page.locator("#rules-text dd li")).toHaveText(
    understood.flatMap(({ sentences }) => sentences.map((sentence) => english(sentence))),
  );
}

pageTest("the rules are said with the house rules of the game under way", {}, async (page) => {
  await paste(page, "pagade?no_cut=lap S:6,7,12,12/N:6,7,12,12 S *");
  await page.click("nav [data-dialog=rules]");
  await isUnderstood(page, "pagade?no_cut=lap");
  await expect(page.locator("#rules-text")).toHaveText(/their number is reduced by 68\./);
  await page.selectOption("#rules-game", "siga");
  await isUnderstood(page, "siga");
  await page.selectOption("#rules-game", "pagade");
  await isUnderstood(page, "pagade?no_cut=lap");
});

pageTest("the rules and the house rules of each game are those of its sheet", {}, async (page) => {
  await page.click("nav [data-dialog=rules]");
  for (const game of NAMES) {
    const sheet = await sheetOf(game);
    await page.selectOption("#rules-game", game);
    await isUnderstood(page, game);
    await page.evaluate(() =>
      document.querySelectorAll("#rules-text details").forEach((details) => {
        details.open = true;
      }),
    );
    const text = (await page.textContent("#rules-text")).replaceAll(/\s+/g, " ");
    const prose = /^rules = """\n([^]*?)"""/m.exec(sheet)[1].split("\n\n");
    for (const paragraph of prose)
      assert.ok(text.includes(paragraph.trim().replaceAll(/\s+/g, " ")), `${game}: ${paragraph}`);
    const flags = [...sheet.matchAll(/^\[flags\.(\w+)\.(\S+)\]\nabout = "(.*)"/gm)],
      { flags: answers } = texts.games[game];
    for (const [, flag, value, about] of flags)
      assert.ok(
        text.includes(flag) && text.includes(value) && text.includes(answers[flag][value] ?? about),
        `${game}: ${flag}`,
      );
    assert.ok((await page.locator("#rules-text tbody td code").count()) >= flags.length);
  }
  await page.click("#rules [data-close]");
  // The dialog of a new game explains the chosen house rules.
  await openTable(page, "gavalata");
  await page.click("#flags summary");
  await page.check("input[name=flag-marks][value=none]");
  await expect(page.locator("[data-flag=marks]").first()).toHaveText(
    "Are pieces safe on castles?Yes.usualNo, only on your own start square.",
  );
  // An answer about squares has a picture.
  await expect(page.locator("[data-flag=marks] .mini svg")).toHaveCount(2);
  await page.check("input[name=flag-cowries][value='5']");
  await page.check("input[name=flag-zero][value='8']");
  await expect(page.locator("#new-game form > .warning")).toHaveText(/contradict each other/);
});

pageTest("house rules decide on which seats a game is played", {}, async (page) => {
  await openTable(page, "mensch");
  await page.click("#flags summary");
  await page.check("input[name=flag-side_by_side][value=true]");
  await page.locator("input[name=seats][value=SN]").waitFor({ state: "detached" });
  await expect(page.locator("input[name=seats][value=SW]").first()).toBeChecked();
  // Two teams are a choice beside the numbers of players. Answers that bots know are marked.
  await page.click("#to-shelf");
  await page.click("#shelf-games [data-game=pagade]");
  await page.click("#flags summary");
  await expect(page.locator("label:has([name=flag-no_cut][value=lap]) small").first()).toHaveText(
    "bots know it",
  );
  await page.check("input[name=seats][value=teams]");
  await page.locator("#new-game .seat-choices.teams").waitFor();
  await expect(page.locator("#new-game .seat-choices").first()).toHaveText(/^SSouthwith North/);
  await page.check("input[name=seats][value=SN]");
  await page.locator("#new-game .seat-choices:not(.teams)").waitFor();
});

pageTest("three players choose their sides on a board; a search finds games", {}, async (page) => {
  await page.click("nav [data-dialog=new-game]");
  await page.fill("#find-game", "gujarat");
  assert.deepEqual(
    await page
      .locator(".game:visible")
      .evaluateAll((all) => all.map(({ dataset }) => dataset.game)),
    ["ashte-kashte"],
  );
  await page.press("#find-game", "Enter");
  await page.check("input[name=seats][value=SEN]");
  await page.click("[data-side=E]");
  await expect(page.locator("#sides [aria-pressed=true]")).toHaveText(["South", "North", "West"]);
});

pageTest(
  "a sheet is opened as a file, played, kept, and goes along with its games",
  {},
  async (page) => {
    await hurry(page);
    const file = join(folder, "my-race.toml");
    await writeFile(file, own);
    await openDialog(page);
    await page.setInputFiles("#open-sheet", file);
    await isChosen(page, "My race");
    await page.locator("#sheet-done", { hasText: "My race is in the list" }).waitFor();
    await expect(page.locator("#new-game option[value='bot:expert']")).toHaveCount(0);
    await page.selectOption("#new-game [data-seat=N]", "greedy");
    await page.selectOption("#choose-first", "S");
    const now = await started(page);
    await expect(page.locator("#game-name")).toHaveText("My race for two");
    assert.ok((await choose(page, now, 4)) > 0);
    await page.locator("#seats .bar div").first().waitFor();
    const before = [await state(page), await position(page)];
    assert.match(before[1], /^my-race /);
    await page.reload();
    assert.deepEqual([await ready(page), await position(page)], before, "the game goes on");
    await page.click("nav [data-dialog=new-game]");
    await expect.poll(() => games(page), "the sheet is kept").toContain("my-race");
    await page.click("#new-game [data-close]");
    // Its rules are listed with the others, and the page reads its position.
    await page.click("nav [data-dialog=rules]");
    await expect(page.locator("#rules-game")).toHaveValue("my-race");
    await page.click("#rules [data-close]");
    const line = await copyGame(page);
    assert.equal(JSON.parse(line).sheet, own);
    await show(page, before[1]);
    // On another page the record includes the sheet.
    const other = await open(running);
    await show(other, line);
    await expect(other.locator("#game-name")).toHaveText("My race for two");
    if (await other.isEnabled("#to-end")) {
      await press(other, "#to-end");
    }
    await expect.poll(() => position(other)).toBe(before[1]);
    assert.deepEqual(other.errors, []);
    await other.context().close();
    // After the removal the current game stays.
    await openTable(page, "my-race");
    await page.click("#remove-sheet");
    await expect.poll(() => games(page)).not.toContain("my-race");
    await page.click("#new-game [data-close]");
    await paste(page, before[1]);
    await expect(page.locator("#exchange-trouble")).toHaveText(/my-race/);
    await page.click("#exchange [data-close]");
    await expect(page.locator("#game-name")).toHaveText("My race for two");
  },
);

pageTest("a broken sheet is refused with all its problems, and mended", {}, async (page) => {
  await openDialog(page);
  const broken = own
    .replace('mark_rule = "share"', 'mark_rule = "shared"')
    .replace('odds = "cowries"', 'odds = "cowrie"')
    .replace("[throws]", "[throws]\nshells = 4");
  await page.fill("#sheet-text", broken);
  await page.click("#read-sheet");
  await page.locator("#sheet-trouble li").first().waitFor();
  const named = await problems(page);
  assert.ok(named.length >= 3, named.join("\n"));
  for (const part of [/^line \d+: .*mark_rule/, /odds/, /shells/])
    assert.ok(
      named.some((text) => part.test(text)),
      `${part} in ${named}`,
    );
  assert.ok(!(await games(page)).includes("my-race"));
  // A click on a problem goes to its line.
  await page.locator("#sheet-trouble li button").filter({ hasText: "shells" }).click();
  const marked = await page.evaluate(() => {
    const { value, selectionStart, selectionEnd } = document.getElementById("sheet-text");
    return value.slice(selectionStart, selectionEnd);
  });
  assert.equal(marked, "shells = 4");
  // A contradiction, a text that is not TOML, and a name that is taken.
  for (const [text, message] of [
    [own.replace("S4 E1 N3", "S4 E1 N9"), /course/],
    ["name = ", /line 1/],
    [(await sheetOf("siga")).replace("turn_limit = ", "turn_limit = 1"), /siga.*name/],
  ]) {
    await page.fill("#sheet-text", text);
    await page.click("#read-sheet");
    await page.waitForFunction(
      (source) => new RegExp(source).test(document.getElementById("sheet-trouble").textContent),
      message.source,
    );
  }
  await page.fill("#sheet-text", own);
  await page.click("#read-sheet");
  await isChosen(page, "My race");
  await expect(page.locator("#sheet-trouble")).not.toBeVisible();
});

pageTest(
  "a sheet is pasted among positions and games, and dropped on the page",
  {},
  async (page) => {
    await paste(page, own);
    await isChosen(page, "My race");
    await expect(page.locator("#exchange")).not.toBeVisible();
    await page.click("#new-game [data-close]");
    const second = own.replaceAll("my-race", "other-race").replace("side = 5", "side = 4");
    await drop(page, "race.toml", second);
    await expect(page.locator("#sheet-trouble li", { hasText: "course" })).toBeVisible();
    await drop(page, "race.toml", second.replace("side = 4", "side = 5"));
    await isChosen(page, "My race");
    await page.click("#to-shelf");
    await expect.poll(() => games(page)).toContain("other-race");
  },
);

pageTest(
  "the sheet of a game is there to begin with, and its address begins the game",
  {},
  async (page) => {
    await page.goto(`${running.server.url}/games/ashta/?seed=1&game=thaayam`);
    await ready(page);
    await expect(page.locator("#game-name")).toHaveText("Thaayam for two");
    await openTable(page, "thaayam");
    await page.click("#take-sheet");
    await page.waitForFunction(() => document.getElementById("sheet-text").value.length > 0);
    await expect(page.locator("#sheet-text")).toHaveValue(await sheetOf("thaayam"));
  },
);

pageTest("a bot that is opened here knows its game; what is none is refused", {}, async (page) => {
  await openDialog(page);
  await page.setInputFiles("#open-sheet", {
    name: "race.bot",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("no bot at all"),
  });
  await expect(
    page.locator("#sheet-trouble li", { hasText: "race.bot: this file is not a bot" }),
  ).toBeVisible();
  const bytes = await readFile(join(ROOT, "checkpoints", "ashte-kashte-3p.bot"));
  await page.setInputFiles("#open-sheet", {
    name: "opened.bot",
    mimeType: "application/octet-stream",
    buffer: bytes,
  });
  await expect(page.locator("#sheet-done")).toHaveText(/opened\.bot is available/);
  await isChosen(page, "Ashte Kashte");
  await expect(page.locator("input[name=seats][value=SEN]").first()).toBeChecked();
});
