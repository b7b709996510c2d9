// The texts of the page: each language has all of them, and each is used. The phrases of the engine
// are translated.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { ROOT, SITE, expect, pageTests } from "./browser.js";

const WEB = join(ROOT, "web");
const files = (await readdir(WEB)).sort();
const read = (name) => readFile(join(WEB, name), "utf8");
const PLURALS = ["zero", "one", "two", "few", "many", "other"];
// The texts of a language without the patterns for phrases of the engine, which English does not
// need.
async function textsOf(language) {
  const { engine, understood, ...texts } = JSON.parse(await read(`${language}.json`));
  return { engine, understood, texts };
}
const SHEETS = join(ROOT, "env", "games");
const sheetTexts = async (language) =>
  JSON.parse(await readFile(join(SHEETS, `texts.${language}.json`), "utf8"));
const sheetOf = (name) => readFile(join(SHEETS, `${name}.toml`), "utf8");
// The rules of a game in English.
const prose = async (name) => /(?<=^rules = """\n)[^]*?(?=""")/m.exec(await sheetOf(name))[0];
// The words that the rules of a game use, too.
const IN_RULES = /^(piece|square|throw|capture)$/;
// The keys of a file, each with the names of its values.
function keys(texts, path = "") {
  const isForms =
    typeof texts === "object" && Object.keys(texts).every((name) => PLURALS.includes(name));
  if (typeof texts === "string" || isForms) {
    const names = new Set(
      Object.values(typeof texts === "string" ? [texts] : texts).flatMap(
        (form) => form.match(/\{\w+\}/g) ?? [],
      ),
    );
    return [`${path} ${[...names].sort().join(" ")}`.trim()];
  }
  return Object.entries(texts)
    .flatMap(([name, part]) => keys(part, path ? `${path}.${name}` : name))
    .sort();
}

const { pageTest } = pageTests();
const page = await read("index.html");
const languages = /ashta-languages" content="([^"]+)"/.exec(page)[1].split(" ");
const english = keys((await textsOf("en")).texts);

test("every language has a file with all keys", async () => {
  assert.ok(languages.length >= 2);
  for (const language of languages)
    assert.deepEqual(keys((await textsOf(language)).texts), english, language);
});

test("every key is used, and every used key exists", async () => {
  const sources = (
    await Promise.all(files.filter((name) => /\.(js|html)$/.test(name)).map(read))
  ).join("\n");
  const known = english.map((key) => key.split(" ")[0]);
  const used = [
    ...sources.matchAll(/(?:\b(?:text|failing)\(|data-(?:text|label)=)["`]([\w.-]+)(\$\{)?/g),
  ].map(([, key, isOpen]) => [key, Boolean(isOpen)]);
  const uses = (key, [found, isOpen]) => (isOpen ? key.startsWith(found) : key === found);
  assert.deepEqual(
    used.filter((use) => !known.some((key) => uses(key, use))),
    [],
  );
  assert.deepEqual(
    known.filter((key) => !used.some((use) => uses(key, use))),
    [],
  );
});

// The texts of a value, without their keys.
const words = (part) =>
  typeof part === "string" ? [part] : Object.values(part).flatMap((own) => words(own));

test("the texts use the words of the glossary", async () => {
  const glossary = JSON.parse(await read("glossary.json"));
  for (const language of languages) {
    const { engine = {}, texts } = await textsOf(language),
      { groups, games } = await sheetTexts(language);
    const questions = Object.values(games).map(({ summary, flags }) => [summary, flags]);
    const rules =
      language === "en" ? await Promise.all(groups.flatMap((group) => group.games).map(prose)) : [];
    for (const { use, not } of glossary[language]) {
      const other = new RegExp(`(?<![\\p{L}.])(${not})(?!\\p{L})`, "iu");
      assert.deepEqual(
        words([engine, texts, groups, questions, IN_RULES.test(use) ? rules : []]).filter((own) =>
          other.test(own),
        ),
        [],
        use,
      );
    }
  }
});

test("every built-in game has its texts in every language", async () => {
  const names = (await readdir(SHEETS)).filter((name) => name.endsWith(".toml"));
  for (const language of languages) {
    const { groups, games } = await sheetTexts(language),
      listed = groups.flatMap((group) => group.games);
    assert.deepEqual([...listed].sort(), names.map((name) => name.slice(0, -5)).sort());
    for (const name of listed) {
      const sheet = await sheetOf(name),
        { rules, flags } = games[name];
      const answers = [...sheet.matchAll(/^\[flags\.(\w+)(?:\.(\S+))?\]/gm)];
      for (const [, flag, value = "about"] of answers)
        assert.ok(flags[flag]?.[value], `${language}: ${name} ${flag} ${value}`);
      assert.ok(
        Object.values(flags).every(({ about }) => about.endsWith("?")),
        name,
      );
      if (language === "en") continue;
      assert.equal(
        rules.split("\n\n").length,
        (await prose(name)).trim().split("\n\n").length,
        name,
      );
    }
  }
});

test("index.html has no texts of its own", () => {
  const body = page.slice(page.indexOf("<body>"), page.indexOf("<noscript>")),
    [, about] = /name="description" content="([^"]+)/.exec(page);
  assert.deepEqual(
    [...body.matchAll(/>([^<]*\w\w[^<]*)</g)].map(([, words]) => words),
    ["Ashta", about, "Enter"],
  );
  assert.ok(!/ (aria-label|title|placeholder|alt)="/.test(body));
});

test("moves, reasons and rules are translated in every game", async () => {
  const [{ load }, { translator }] = await Promise.all(
    ["ashta.js", "phrases.js"].map((name) => import(join(SITE, name))),
  );
  const ashta = await load(await readFile(join(SITE, "ashta.wasm"))),
    rules = ashta.agent("random");
  const ask = (request) => ashta.answer(request, rules),
    phrases = new Set(),
    missing = new Set();
  const sentences = new Set(),
    understand = (rules) => {
      for (const { topic, sentences: own } of rules)
        for (const said of [topic, ...own]) sentences.add(said);
    };
  for (const { name, seats, understood, flags } of ask({ op: "games" }).games) {
    understand(understood);
    for (const { name: flag, values } of flags)
      for (const value of values.slice(1))
        understand(ask({ op: "rules", game: `${name}?${flag}=${value.name}` }).understood);
    let { position } = ask({ op: "new", game: name, seats: seats.at(-1), seed: 1 }),
      node = "chance";
    for (let step = 0; step < 150 && node !== "over"; step++) {
      const { turns, moves, outcomes } = ask({
          op: node === "chance" ? "chance" : "choices",
          position,
        }),
        all = outcomes ?? turns;
      const why = node === "chance" ? {} : ask({ op: "why", position }),
        next = all[((7919 * step) % 997) % all.length];
      const { steps } = ask({
        op: "replay",
        position,
        moves: outcomes ? [next.throw] : next.actions,
      });
      for (const { words, idle } of [
        ...(moves ?? []),
        ...(why.reasons ?? []),
        why,
        ...steps.map(({ step }) => step),
      ])
        phrases.add(words ?? idle ?? "pass");
      ({
        node: { position, node },
      } = steps.at(-1));
    }
  }
  assert.ok(phrases.size > 1000, `${phrases.size}`);
  for (const language of languages.filter((language) => language !== "en")) {
    const { engine, understood } = await textsOf(language),
      miss = (phrase) => missing.add(`${language}: ${phrase}`);
    phrases.forEach(translator(engine, miss));
    sentences.forEach(translator(understood, miss));
  }
  assert.deepEqual([...missing], []);
});

pageTest(
  "the page is in the language of the browser, or of the setting",
  { locale: "de-AT" },
  async (page) => {
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await page.click("nav [data-dialog=settings]");
    await Promise.all([page.waitForEvent("load"), page.selectOption("#set-language", "en")]);
    await page.waitForFunction(() => document.documentElement.lang === "en");
  },
);

pageTest("dates and players are written for the reader", { locale: "en-GB" }, async (page) => {
  const [date, ...names] = await page.evaluate(async () => {
    const { date } = await import("./text.js"),
      { readable } = await import("./players.js");
    const names = ["pagade-teams+novice", "ray-7+novice", "greedy+2ply", "Kasparov"];
    return [date("2026-11-03T12:00:00"), ...names.map(readable)];
  });
  assert.match(date, /^3 Nov 2026, /);
  assert.deepEqual(names, ["easy", "easy (ray-7)", "greedy+2ply", "Kasparov"]);
});
