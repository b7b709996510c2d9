// Games with friends by link: the hash chains of chain.js, and two browsers that send a game to and fro.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { elementOf, LENGTH, LinkGame, pick, sha, verify, visits } from "../../web/chain.js";
import { blank, pageTests, paste, press, ready, state } from "./browser.js";

const OUTCOMES = [1, 2, 3].map(value => ({ p: 1 / 3, throw: [value] }));
const node = (mover, node, choices = 0) => ({ mover, node, choices });

// A game of chain.js alone: South throws and chooses, then North throws and passes, and so on.
async function played(length) {
  const game = { nodes: [node("S", "chance")], steps: [], isAtEnd: true, get last() { return this.steps.length; } };
  const friend = { ring: "SN", visits: 2, elements: [await elementOf("s", 0), await elementOf("n", 0)] };
  const games = { S: new LinkGame({ friend }, "S", "s", []), N: new LinkGame({ friend }, "N", "n", []) };
  while (friend.visits < length) {
    const seat = "SN"[friend.visits % 2], own = games[seat];
    assert.equal(own.stage(game), "own");
    game.steps.push({ thrown: pick(OUTCOMES, await own.chance(game)) }, { actions: [0] });
    game.nodes.push(node(seat, "decision", seat === "S" ? 2 : 1), node("NS"[friend.visits % 2], "chance"));
    assert.deepEqual([own.stage(game), games["NS"[friend.visits % 2]].stage(game)], ["ending", "friend"]);
    Object.assign(friend, { elements: await own.elements(game), visits: friend.visits + 1 });
  }
  return { game, friend };
}

test("the elements of a chain prove each other, and the throws follow from them", async () => {
  assert.equal(await sha(await elementOf("s", 1)), await elementOf("s", 0));
  await assert.rejects(elementOf("s", LENGTH), { fault: "length" });
  const { game, friend } = await played(8), none = { visits: 0, elements: [] };
  const check = (changes, known = none, changed = game) => verify({ ...friend, ...changes }, changed, () => OUTCOMES, known);
  await check({});
  const known = { visits: 5, elements: [await elementOf("s", 2), await elementOf("n", 1)] };
  await check({}, known);
  const steps = game.steps.map((step, at) => at === 8 ? { thrown: [step.thrown[0] % 3 + 1] } : step);
  await assert.rejects(check({}, known, { ...game, steps }), { fault: "throw", at: 8, seat: "S" });
  await assert.rejects(check({ elements: [await elementOf("x", 3), friend.elements[1]] }, known), { fault: "foreign", seat: "S" });
  for (const number of [2, 4]) {
    await assert.rejects(check({ elements: [friend.elements[0], await elementOf("n", number)] }, known), { fault: "skipped", seat: "N" });
  }
  for (const visits of [7, 9]) await assert.rejects(check({ visits }, known), { fault: "visits" });
});

test("a throw after a choice needs a visit of another person", () => {
  const turn = choices => [node("S", "chance"), node("S", "decision", choices), node("S", "chance"), node("S", "decision", 1), node("N", "chance")];
  assert.deepEqual(visits("SN", turn(2), 5).map(({ seat, to }) => seat + to), ["S0", "N0", "S2", "N2", "S4"]);
  assert.deepEqual(visits("SN", turn(1), 4).map(({ seat, to }) => seat + to), ["S0", "N0", "S4", "N5"]);
  assert.deepEqual(visits("SEN", turn(2), 6).map(({ seat, to }) => seat + to), ["S0", "E0", "N0", "S2", "E2", "S4"]);
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
const waits = page => page.locator("#send-game:visible").waitFor();
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
  let now = await state(page);
  while (!/(waiting|over)$/.test(now)) now = await press(page, now.endsWith("choose") ? "#actions button" : "#throw");
}
async function takeName(page, name) {
  await page.fill("#friend-name", name);
  await page.click("#friend-dialog [value=take]");
  await waits(page);
}

pageTest("two persons send a game to and fro", {}, async anna => {
  const bert = await person(2), hostile = `<img src=x onerror=alert(1)>\u202e${"n".repeat(400)}`;
  await anna.click("nav [data-dialog=new-game]");
  await anna.selectOption("#choose-first", "S");
  await anna.click("#new-game [value=friend]");
  await anna.evaluate(() => document.getElementById("friend-name").removeAttribute("maxlength"));
  await takeName(anna, hostile);
  const invitation = await send(anna);
  await paste(bert, invitation);
  await takeName(bert, "Bert");
  assert.match(await bert.textContent("#friend-question"), /^<img src=x onerror=alert\(1\)>.{0,15} invites you to Ashte Kashte\. You play North\.$/);
  const texts = [await send(bert)], pages = [anna, bert];
  for (let visit = 2; visit < 9; visit++) {
    const page = pages[visit % 2], before = JSON.parse(texts.at(-1));
    await receive(page, texts.at(-1));
    assert.ok(await page.isDisabled("#undo") && await page.isDisabled("#players"));
    await play(page);
    texts.push(await send(page));
    const { friend: { elements, visits }, moves } = JSON.parse(texts.at(-1)), [thrown] = moves.slice(before.moves.length);
    assert.equal(visits, visit + 1);
    if (!thrown) continue;
    const hash = createHash("sha256").update(`${elements[0]} ${elements[1]} 0`).digest("hex");
    const odds = [1, 2, 3, 4, 8].map((value, at) => ({ p: [4, 6, 4, 1, 1][at] / 16, throw: [value] }));
    assert.deepEqual(thrown, pick(odds, parseInt(hash.slice(0, 13), 16) / 2 ** 52));
  }
  // Changed links are refused with the reason.
  const refused = async (change, reason) => {
    const record = JSON.parse(texts.at(-1));
    change(record, record.friend);
    await paste(bert, JSON.stringify(record));
    await bert.waitForFunction(reason => document.getElementById("exchange-trouble").textContent.includes(reason), reason);
  };
  await refused(({ moves }) => { moves.splice(-2, 1, [3]); }, "in turn 6 was changed: it does not follow from the elements.");
  await refused((_, { elements }) => { elements[0] = "0".repeat(64); }, "in turn 6 does not belong to the chain of <img");
  await refused((_, friend) => { friend.elements[0] = JSON.parse(texts.at(-3)).friend.elements[0]; }, "skipped or repeated an element in turn 6.");
  await refused(({ moves }) => { moves[0] = [2]; }, "Turn 1 was changed: your browser has another version");
  await refused(({ moves }) => { moves.length -= 2; }, "Turn 6 was played without the elements");
  await refused(record => { record.start = record.start.replace("S *", "N *"); }, "changes the rules");
  await refused((_, friend) => { friend.visits = "9"; }, "is damaged");
  await receive(bert, texts.at(-2));
  await receive(bert, invitation);
  assert.match(await bert.textContent("#friend"), /older than your game/);
  // Without the secret, a browser only shows the game.
  const carl = await person(3);
  await receive(carl, texts.at(-1));
  assert.match(await carl.textContent("#past-note"), /does not have the secret/);
  // After a reload, the throw is the same. A link with a public address is shared.
  assert.match(await receive(bert, texts.at(-1)), /throw$/);
  const thrown = async () => {
    await press(bert, "#throw");
    return bert.textContent("#thrown b");
  };
  const first = await thrown();
  await bert.reload();
  await ready(bert);
  assert.equal(await thrown(), first);
  await play(bert);
  await bert.click("nav [data-dialog=settings]");
  for (const address of ["nonsense", "https://example.org/ashta/"]) {
    await bert.fill("#set-address", address);
    await bert.locator("#set-address").blur();
    assert.equal(await bert.evaluate(() => JSON.parse(localStorage["ashta.settings"]).address ?? ""), address.startsWith("https") ? address : "");
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
