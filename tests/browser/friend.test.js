// Games with friends by link: the hash chains of chain.js, and two browsers that send a game to and fro.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { elementOf, LENGTH, pick, sha, visits } from "../../web/chain.js";
import { blank, pageTests, paste, press, ready, state } from "./browser.js";

test("the elements of a chain prove each other", async () => {
  assert.equal(await sha(await elementOf("s", 1)), await elementOf("s", 0));
  await assert.rejects(elementOf("s", LENGTH), { fault: "length" });
});

test("a throw after a choice needs a visit of another person", () => {
  const node = (mover, node, choices = 0) => ({ mover, node, choices });
  const turn = choices => [node("S", "chance"), node("S", "decision", choices), node("S", "chance"), node("S", "decision", 1), node("N", "chance")];
  const ends = (ring, choices) => visits(ring, turn(choices), 6).map(({ seat, to }) => seat + to).join(" ");
  assert.equal(ends("SN", 2), "S0 N0 S2 N2 S4 N5");
  assert.equal(ends("SN", 1), "S0 N0 S4 N5");
  assert.equal(ends("SEN", 2), "S0 E0 N0 S2 E2 S4");
});

const { running, pageTest } = pageTests();

// Opens the page with random numbers whose bits never change, so that the throws are always the same.
async function person(byte) {
  const page = await blank(running);
  await page.addInitScript(byte => {
    crypto.getRandomValues = list => list.fill(byte);
    if (location.protocol === "http:") localStorage["ashta.settings"] ??= JSON.stringify({ pace: "none" });
  }, byte);
  await page.goto(`${running.server.url}/games/ashta/?game=ashte-kashte`);
  await ready(page);
  return page;
}
async function takeName(page, name) {
  await page.fill("#friend-name", name);
  await page.click("#friend-dialog [value=take]");
  await page.locator("#send-game:visible").waitFor();
}
async function send(page) {
  await page.click("#send-game");
  await page.waitForFunction(() => /copied/.test(document.getElementById("friend").textContent));
  return page.evaluate(() => navigator.clipboard.readText());
}
async function receive(page, text) {
  await paste(page, text);
  return ready(page, "pasting");
}
async function play(page) {
  for (let now = await state(page); !now.endsWith("waiting");) now = await press(page, now.endsWith("choose") ? "#actions button" : "#throw");
}

// Changes of the last link by their reasons; `before` is the game of an earlier link.
const CHANGES = {
  "in turn 6 was changed: it does not follow from the elements.": ({ moves }) => moves.splice(-2, 1, [3]),
  "in turn 6 does not belong to the chain of <img": ({ friend }) => { friend.elements[0] = "0".repeat(64); },
  "skipped or repeated an element in turn 6.": ({ friend }, before) => { friend.elements[0] = before.friend.elements[0]; },
  "Turn 1 was changed: your browser has another version": ({ moves }) => { moves[0] = [2]; },
  "Turn 6 was played without the elements": ({ moves }) => moves.splice(-2),
  "The rules do not allow the move in turn 6.": ({ moves }) => moves.push(5),
  "changes the rules": record => { record.start = record.start.replace("S *", "N *"); },
  "is damaged": ({ friend }) => { friend.visits = "9"; },
};

pageTest("two persons send a game to and fro", {}, async anna => {
  const bert = await person(2), carl = await person(3), pages = [anna, bert];
  await anna.click("nav [data-dialog=new-game]");
  await anna.selectOption("#choose-first", "S");
  await anna.click("#new-game [value=friend]");
  await anna.evaluate(() => document.getElementById("friend-name").removeAttribute("maxlength"));
  await takeName(anna, `<img src=x onerror=alert(1)>\u202e${"n".repeat(400)}`);
  const texts = [await send(anna)];
  await paste(bert, texts[0]);
  await takeName(bert, "Bert");
  assert.match(await bert.textContent("#friend-question"), /^<img src=x onerror=alert\(1\)>.{0,15} invites you to Ashte Kashte\. You play North\.$/);
  texts.push(await send(bert));
  for (let visit = 2; visit < 9; visit++) {
    const page = pages[visit % 2], before = JSON.parse(texts.at(-1));
    await receive(page, texts.at(-1));
    assert.ok(await page.isDisabled("#undo") && await page.isDisabled("#players"));
    await play(page);
    texts.push(await send(page));
    const { friend: { elements, visits }, moves } = JSON.parse(texts.at(-1)), [thrown] = moves.slice(before.moves.length);
    assert.equal(visits, visit + 1);
    const hash = createHash("sha256").update(`${elements[0]} ${elements[1]} 0`).digest("hex");
    const outcomes = [1, 2, 3, 4, 8].map((value, at) => ({ p: [4, 6, 4, 1, 1][at] / 16, throw: [value] }));
    assert.deepEqual(thrown ?? [], thrown ? pick(outcomes, parseInt(hash.slice(0, 13), 16) / 2 ** 52) : []);
  }
  for (const [reason, change] of Object.entries(CHANGES)) {
    const record = JSON.parse(texts.at(-1));
    change(record, JSON.parse(texts.at(-3)));
    await paste(bert, JSON.stringify(record));
    await bert.waitForFunction(reason => document.getElementById("exchange-trouble").textContent.includes(reason), reason);
  }
  await receive(bert, texts[0]);
  assert.match(await bert.textContent("#friend"), /older than your game/);
  // Without the secret, a browser only shows the game.
  await receive(carl, texts.at(-1));
  assert.match(await carl.textContent("#past-note"), /does not have the secret/);
  // After a reload, the throw is the same.
  assert.match(await receive(bert, texts.at(-1)), /throw$/);
  await press(bert, "#throw");
  const thrown = await bert.textContent("#thrown b");
  await bert.reload();
  await ready(bert);
  await press(bert, "#throw");
  assert.equal(await bert.textContent("#thrown b"), thrown);
  await play(bert);
  // With an address, a link is shared instead of the text.
  await bert.click("nav [data-dialog=settings]");
  for (const [address, kept] of [["nonsense", ""], ["https://example.org/ashta/", "https://example.org/ashta/"]]) {
    await bert.fill("#set-address", address);
    await bert.locator("#set-address").blur();
    assert.equal(await bert.evaluate(() => JSON.parse(localStorage["ashta.settings"]).address ?? ""), kept);
  }
  await bert.click("#settings [data-close]");
  const shared = await bert.evaluate(() => new Promise(resolve => {
    navigator.share = ({ url }) => resolve(url);
    document.getElementById("send-game").click();
  }));
  await anna.goto("about:blank");
  await anna.goto(shared.replace(/^https:..example.org.ashta/, `${running.server.url}/games/ashta`));
  assert.match(await ready(anna), /throw$/);
  assert.deepEqual([...bert.errors, ...carl.errors], []);
}, () => person(1));

pageTest("on an address without SHA-256, the page says so", {}, async page => {
  await page.evaluate(() => Object.defineProperty(crypto, "subtle", { value: undefined }));
  await page.click("nav [data-dialog=new-game]");
  await page.click("#new-game [value=friend]");
  await page.locator("#new-game .warning", { hasText: "needs an https address" }).waitFor();
});
