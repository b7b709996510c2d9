// The npm package: packed, installed into an empty folder, and used like a user does, in Node and
// in Chromium.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";

import { build } from "vite";

import { blank, open, paste, ready, ROOT, start, TARGET } from "./browser.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGE = join(TARGET, "npm"),
  SOURCE = join(ROOT, "bindings", "js");
const OPTIONS = {
  target: "es2022",
  module: "nodenext",
  jsx: "react-jsx",
  lib: ["es2023", "dom"],
  strict: true,
  noEmit: true,
};

let app, ashta, running;
const run = (command, ...words) => promisify(execFile)(command, words, { cwd: app });
const write = (name, text) => writeFile(join(app, name), text);

before(async () => {
  app = await mkdtemp(join(tmpdir(), "ashta-npm-"));
  await write("package.json", JSON.stringify({ name: "app", private: true, type: "module" }));
  const { stdout } = await run("npm", "pack", PACKAGE, "--silent");
  await run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${stdout.trim()}`);
  for (const name of ["@types/react", "boardgame.io", "react", "react-dom"]) {
    await mkdir(dirname(join(app, "node_modules", name)), { recursive: true });
    await symlink(join(HERE, "node_modules", name), join(app, "node_modules", name));
  }
  await cp(join(SOURCE, "examples"), app, { recursive: true });
  ashta = await import(pathToFileURL(join(app, "node_modules", "ashta", "index.js")));
  running = await start({ "/": app });
});
after(async () => {
  await running?.close();
  await rm(app, { recursive: true, force: true });
});

test("the examples have the declared types", { timeout: 120000 }, async () => {
  const example = await readme();
  await write(
    "example.ts",
    `${example}\nconst wrong: string = game.seats.length;\nawait bot.choose(state, { level: "hard" });\nnew State();\n`,
  );
  await write(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: OPTIONS, files: ["example.ts", "Board.tsx"] }),
  );
  const { stdout } = await run(
    process.execPath,
    join(HERE, "node_modules", "typescript", "bin", "tsc"),
    "--pretty",
    "false",
  ).catch((error) => error);
  const last = example.split("\n").length;
  assert.deepEqual(
    [...stdout.matchAll(/^(\S+)\((\d+),/gm)].map(([, file, line]) => [file, line - last]),
    [
      ["example.ts", 1],
      ["example.ts", 2],
      ["example.ts", 3],
    ],
    stdout,
  );
});

const readme = async () =>
  (await readFile(join(SOURCE, "README.md"), "utf8")).split("```js\n")[1].split("```")[0];

test("the example of the page runs in Node, which then ends", { timeout: 60000 }, async () => {
  await write(
    "example.js",
    `${await readme()}\nconsole.log(await bot.choose(game.initialState().throw(() => 0), { lookahead: "2ply" }));`,
  );
  const { stdout } = await run(process.execPath, "example.js");
  assert.match(stdout, /^pagade\?teams=true .* - - \[ (0, 1, 0, 1|1, 0, 1, 0) \]\n\d+\n$/);
});

test(
  "every game is played by turns, throws and actions, with the same positions",
  { timeout: 120000 },
  async () => {
    const { Bot, Game } = ashta,
      greedy = await Bot.load("greedy");
    const names = await Game.names();
    assert.ok(names.length > 20);
    for (const name of names) {
      const game = await Game.load(name);
      assert.equal(game.describe().name, name);
      let state = game.initialState({ seed: 7 }),
        number = 0;
      for (; !state.isTerminal() && number < 40; number++) {
        assert.deepEqual(game.deserializeState(`${state}`).view(), state.view());
        assert.deepEqual(
          state.returns(),
          [...game.seats].map(() => 0),
        );
        const player = state.turnPlayer(),
          values = greedy.values(state);
        assert.ok(
          Math.abs(values.reduce((sum, value) => sum + value) - game.seats.length * 0.5) < 1.01,
          name,
        );
        if (state.isChanceNode()) {
          assert.equal(state.currentPlayer(), -1);
          const outcomes = state.chanceOutcomes();
          assert.ok(Math.abs(outcomes.reduce((sum, { p }) => sum + p, 0) - 1) < 1e-9);
          assert.equal(`${state.throw(() => 0)}`, `${state.apply(outcomes[0])}`);
          assert.equal(`${state.throw(() => 1 - 2 ** -53)}`, `${state.apply(outcomes.at(-1))}`);
          state = state.throw(() => (number * 0.37) % 1);
          continue;
        }
        assert.equal(state.currentPlayer(), player);
        assert.ok(
          state.throws().length > 0 &&
            state.legalActions().every((action) => state.actionToString(action)),
        );
        const turns = state.turns();
        for (const turn of turns) assert.equal(`${state.apply(turn)}`, `${turn.state}`);
        const action = await greedy.choose(state);
        assert.ok(state.legalActions().includes(action));
        state = number % 2 ? state.apply(action) : turns[number % turns.length].state;
      }
    }
  },
);

test("mistakes are named", { timeout: 60000 }, async () => {
  const { Bot, Game, Refusal } = ashta;
  const game = await Game.load("ashtapada"),
    state = game.deserializeState("ashtapada S:5,30/N:off,23 S 4,2");
  const bot = await Bot.load("ashtapada"),
    other = (await Game.load("siga")).initialState();
  for (const [act, words] of [
    [() => Game.load("chess"), /unknown game `chess`/],
    [() => Game.load(null), /`game` is missing/],
    [() => Game.load("siga", { seats: 9 }), /`seats` must be/],
    [() => Game.load(null, { sheet: "name = 1" }), /sheet:1/],
    [() => state.apply(7), /action 7 is not legal/],
    [() => state.apply({ throw: [1] }), /does not wait for a throw/],
    [() => state.apply(), /needs either/],
    [() => state.chanceOutcomes(), /no dice/],
    [() => state.actionToString(5), /legal actions are 0, 1/],
    [() => game.initialState().throw(() => 1), /less than 1 \(got 1\)/],
    [() => game.initialState({ player: 2 }), /from 0 to 1/],
    [() => game.deserializeState("siga S:1 S *"), /./],
    [() => game.deserializeState(`${other}`), /is of siga SN, not of ashtapada SN/],
    [() => Bot.load("nobody"), /cannot load the bot nobody/],
    [() => Bot.load("../index"), /is not an agent/],
    [() => Bot.load("greedy+9ply"), /between 1 and 4/],
    [() => Bot.load(7), /got number/],
    [() => Bot.load(new Uint8Array(99)), /safetensors/],
    [() => bot.choose(other), /made for the game ashtapada/],
    [() => bot.choose(state, { lookahead: "9ply" }), /between 1 and 4/],
    [() => bot.choose(state, { level: "hard" }), /is not a look-ahead/],
    [() => bot.choose(state, { level: "novice", lookahead: "2ply" }), /not both/],
    [() => bot.choose(game.initialState()), /not a decision/],
  ])
    await assert.rejects(async () => act(), words);
  assert.equal(
    await Game.load("siga", { seats: 9 }).catch((error) => error instanceof Refusal && error.code),
    "bad-request",
  );
  assert.notEqual(state.throws(), state.throws());
  assert.equal(
    (await Bot.load(await readFile(join(ROOT, "checkpoints", "gavalata.table")))).manifest(),
    null,
  );
});

test("a search is aborted, and the others go on", { timeout: 60000 }, async () => {
  const { Bot, Game } = ashta;
  const bot = await Bot.load("ashtapada"),
    state = (await Game.load("ashtapada")).deserializeState("ashtapada S:5,30/N:off,23 S 4,2");
  const search = new AbortController(),
    another = new AbortController(),
    long = bot.choose(state, { lookahead: "mcts:1000000", signal: search.signal });
  const others = [
    bot.choose(state, { lookahead: "2ply" }),
    bot.choose(state, { lookahead: "mcts:10" }),
  ];
  setImmediate(() => search.abort(new Error("enough")));
  await assert.rejects(long, /enough/);
  assert.deepEqual(await Promise.all(others), [0, 0]);
  await assert.rejects(bot.choose(state, { signal: AbortSignal.abort() }), { name: "AbortError" });
  bot.free();
  assert.deepEqual(
    await Promise.all([bot.choose(state), bot.choose(state, { lookahead: "2ply" })]),
    [0, 0],
  );
  const { Client } = await import(
    pathToFileURL(join(app, "node_modules", "ashta", "shared", "client.js"))
  );
  const failing = new Client(
      () => {
        throw new Error("no worker");
      },
      async () => {},
    ),
    { signal } = another;
  await assert.rejects(failing.send("ask", {}, { signal }), /no worker/);
  another.abort();
});

test(
  "without a seed, starts and choices are drawn, and a seed repeats them",
  { timeout: 60000 },
  async () => {
    const { Bot, Game } = ashta,
      game = await Game.load("ashte-kashte?pieces=2");
    const state = game.deserializeState("ashte-kashte?pieces=2 S:12,14/N:hand,hand S 1"),
      random = await Bot.load("random"),
      bot = await Bot.load("ashtapada");
    const turn = (await Game.load("ashtapada")).deserializeState("ashtapada S:5,30/N:off,23 S 4,2");
    for (const play of [
      (seed) => `${game.initialState({ seed })}`,
      (seed) => random.choose(state, { seed }),
      (seed) => bot.choose(turn, { level: "beginner", seed }),
    ]) {
      const played = (seed) => Promise.all(Array.from({ length: 40 }, () => play(seed)));
      assert.equal(new Set(await played()).size, 2);
      assert.equal(new Set(await played(7)).size, 1);
    }
    const { position, seed } = game.ask({ op: "new", game: game.name });
    assert.equal(game.ask({ op: "new", game: game.name, seed }).position, position);
  },
);

test("the module and the bots are small", async () => {
  const bots = await Promise.all(
    (await readdir(join(PACKAGE, "bots"))).map((name) => readFile(join(PACKAGE, "bots", name))),
  );
  const largest = bots.reduce((one, other) => (one.length > other.length ? one : other));
  const [module, bot] = [await readFile(join(PACKAGE, "ashta.wasm")), largest].map(
    (content) => brotliCompressSync(content).length,
  );
  console.log(`brotli: the module has ${module} bytes, the largest of ${bots.length} bots ${bot}`);
  assert.ok(module < 500_000 && bot < 200_000);
});

// Builds the entry of the folder with Vite.
const built = (folder, options) =>
  build({
    root: app,
    logLevel: "error",
    base: "./",
    ...options,
    build: { outDir: folder, emptyOutDir: true, ...options.build },
  });

test("two bots and a person play with boardgame.io", { timeout: 120000 }, async () => {
  await write(
    "headless.js",
    `
    export { Client } from "boardgame.io/client";
    export { Local } from "boardgame.io/multiplayer";
    export * from "./boardgame.js";`,
  );
  // Bundled as for a page: Node cannot import the folders of boardgame.io.
  await built("headless", {
    ssr: { noExternal: true },
    build: { ssr: "headless.js", minify: false },
  });
  const { Client, Local, gameOf, botOf } = await import(
    pathToFileURL(join(app, "headless", "headless.js"))
  );
  const { Bot, Game } = ashta,
    game = await Game.load("ashtapada", { seats: "3" }),
    bot = await Bot.load("ashtapada-3p");
  // Bots of boardgame.io wait before each action.
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, time, ...rest) => setTimeout(act, time === 100 ? 0 : time, ...rest);
  try {
    const bots = { 1: botOf(game, bot), 2: botOf(game, bot, { level: "novice" }) };
    const client = Client({
      game: gameOf(game),
      numPlayers: 3,
      playerID: "0",
      multiplayer: Local({ bots }),
      debug: false,
    });
    const turns = new Set();
    let acted = -1;
    const over = new Promise((resolve) =>
      client.subscribe((state) => {
        if (!state) return;
        const { G, ctx, _stateID: number } = state,
          at = game.deserializeState(G.position);
        if (ctx.gameover) return resolve(ctx.gameover);
        assert.equal(at.turnPlayer(), Number(ctx.currentPlayer));
        turns.add(ctx.currentPlayer);
        if (ctx.currentPlayer !== "0" || number === acted) return;
        acted = number;
        setTimeout(() => client.moves.act(at.legalActions()[0]), 0);
      }),
    );
    client.start();
    const { returns } = await over;
    client.stop();
    assert.deepEqual([...turns].sort(), ["0", "1", "2"]);
    assert.equal(returns.length, 3);
    assert.equal(Math.max(...returns), 1);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

// Plays a game in the browser: presses the first button of the person until the text of the end is
// there.
async function playOn(page, buttons) {
  const end = page.getByText(/^(You win|The bot wins)\.$/);
  for (let press = 0; (await end.count()) === 0; press++) {
    assert.ok(press < 500);
    await page.locator(buttons).first().or(end).first().waitFor();
    if ((await end.count()) === 0) await page.locator(buttons).first().click();
  }
}

test("the game in one file is played to its end", { timeout: 180000 }, async () => {
  const text = await readFile(join(SOURCE, "examples", "game.html"), "utf8");
  assert.ok(text.trimEnd().split("\n").length <= 60);
  const page = await blank(running);
  await page.addInitScript(() => {
    const { setTimeout } = window;
    window.setTimeout = (act) => setTimeout(act, 0);
  });
  await page.goto(`${running.server.url}/game.html`);
  await playOn(page, "#buttons button");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test(
  "a page of React, built by Vite, plays a game with searches in a worker",
  { timeout: 180000 },
  async () => {
    await write(
      "index.html",
      '<!doctype html><title>Siga</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="main.tsx"></script>',
    );
    await write(
      "main.tsx",
      `
    import { createRoot } from "react-dom/client";
    import { Siga } from "./Board.tsx";
    createRoot(document.getElementById("root")!).render(<Siga />);`,
    );
    await built("dist", {});
    const files = await readdir(join(app, "dist", "assets"));
    assert.ok(
      files.some((name) => name.endsWith(".wasm")) &&
        files.some((name) => name.startsWith("worker")),
      files.join(" "),
    );
    const page = await blank(running);
    await page.goto(`${running.server.url}/dist/index.html`);
    await playOn(page, "#root > button");
    assert.ok(page.workers().length > 0);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  },
);

test("the drawing is the drawing of the page", { timeout: 120000 }, async (t) => {
  const { drawBoard } = await import(pathToFileURL(join(app, "node_modules", "ashta", "svg.js")));
  const site = await start();
  t.after(() => site.close());
  // On a narrow page, the trays are not beside the board.
  const page = await open(site, { viewport: { width: 700, height: 1000 } });
  const still = (root, part) => [...root.querySelectorAll(part)].map(({ outerHTML }) => outerHTML);
  for (const position of [
    "ashtapada S:5,30/N:off,23 S *",
    "pagade S:6,7,12,14/E:6,7,12,14/N:6,7,12,14/W:6,7,12,14 S *",
    "siga S:5,22/N:3,9 S *",
  ]) {
    const [name, places] = position.split(" "),
      game = await ashta.Game.load(name, { seats: places.split("/").length });
    const text = drawBoard(game.deserializeState(position), { isStyled: false });
    await paste(page, position);
    await ready(page, "pasting");
    const [own, shown] = await page.evaluate(
      ([text, still]) => {
        const read = document.importNode(
            new DOMParser().parseFromString(text, "image/svg+xml").documentElement,
            true,
          ),
          find = eval(still);
        const parts =
          ".square, .first, .way, .lotus, .border, .name, .disc, .tray rect, .tray .seat";
        return [find(read, parts), find(document.querySelector("#board svg"), parts)];
      },
      [text, still.toString()],
    );
    assert.ok(own.length > 20);
    assert.deepEqual(own, shown);
  }
  assert.throws(() => drawBoard({}, { seenFrom: "X" }), /seenFrom must be S, E, N or W/);
  assert.match(
    drawBoard((await ashta.Game.load("pagade")).initialState(), { labels: { S: "<b>&" } }),
    /&#60;b&#62;&#38;/,
  );
  assert.deepEqual(page.errors, []);
});
