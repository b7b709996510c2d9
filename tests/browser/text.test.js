// The texts of the page: each language has all of them, and each is used.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { ROOT, pageTests } from "./browser.js";

const WEB = join(ROOT, "web");
const files = (await readdir(WEB)).sort();
const read = name => readFile(join(WEB, name), "utf8");
const PLURALS = ["zero", "one", "two", "few", "many", "other"];
// The keys of a file, each with the names of its values.
function keys(texts, path = "") {
  const isForms = typeof texts === "object" && Object.keys(texts).every(name => PLURALS.includes(name));
  if (typeof texts === "string" || isForms) {
    const names = new Set(Object.values(typeof texts === "string" ? [texts] : texts).flatMap(form => form.match(/\{\w+\}/g) ?? []));
    return [`${path} ${[...names].sort().join(" ")}`.trim()];
  }
  return Object.entries(texts).flatMap(([name, part]) => keys(part, path ? `${path}.${name}` : name)).sort();
}

const { pageTest } = pageTests();
const page = await read("index.html");
const languages = /ashta-languages" content="([^"]+)"/.exec(page)[1].split(" ");
const english = keys(JSON.parse(await read("en.json")));

test("every language has a file with all keys", async () => {
  assert.ok(languages.length >= 2);
  for (const language of languages) assert.deepEqual(keys(JSON.parse(await read(`${language}.json`))), english, language);
});

test("every key is used, and every used key exists", async () => {
  const sources = (await Promise.all(files.filter(name => /\.(js|html)$/.test(name)).map(read))).join("\n");
  const known = english.map(key => key.split(" ")[0]);
  const used = [...sources.matchAll(/(?:\btext\(|data-(?:text|label)=)["`]([\w.-]+)(\$\{)?/g)].map(([, key, isOpen]) => [key, Boolean(isOpen)]);
  const uses = (key, [found, isOpen]) => isOpen ? key.startsWith(found) : key === found;
  assert.deepEqual(used.filter(use => !known.some(key => uses(key, use))), []);
  assert.deepEqual(known.filter(key => !used.some(use => uses(key, use))), []);
});

pageTest("the page is in the language of the browser, or of the setting", { locale: "de-AT" }, async page => {
  assert.equal(await page.getAttribute("html", "lang"), "de");
  await page.click("nav [data-dialog=settings]");
  await Promise.all([page.waitForEvent("load"), page.selectOption("#set-language", "en")]);
  await page.waitForFunction(() => document.documentElement.lang === "en");
});
