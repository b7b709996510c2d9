// Exported models in onnxruntime-web: they answer the probes of every bot like its networks.

import assert from "node:assert/strict";
import { mkdtemp, open as openFile, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { ROOT, ashta, blank, start } from "./browser.js";

const RUNTIME = dirname(createRequire(import.meta.url).resolve("onnxruntime-web"));
let running, folder, bots;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashta-"));
  const names = await readdir(join(ROOT, "checkpoints"));
  bots = names.filter((name) => name.endsWith(".bot")).map((name) => name.slice(0, -4));
  for (const bot of bots)
    await ashta("export", bot, "--format", "onnx", "-o", join(folder, `${bot}.onnx`));
  running = await start({ "/": folder, "/runtime/": RUNTIME });
});
after(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

// Reads the manifest of a bot file without code of ashta.
async function manifest(bot) {
  const file = await openFile(join(ROOT, "checkpoints", `${bot}.bot`));
  const length = Buffer.alloc(8);
  await file.read(length, 0, 8, 0);
  const header = Buffer.alloc(Number(length.readBigUInt64LE()));
  await file.read(header, 0, header.length, 8);
  await file.close();
  return JSON.parse(JSON.parse(header.toString()).__metadata__.ashta);
}

test("every model answers its probes as the network does", { timeout: 300000 }, async () => {
  const page = await blank(running);
  // Any page of this host can load the runtime.
  await page.route("**/empty.html", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>models</title>" }),
  );
  await page.goto(`${running.server.url}/empty.html`);
  assert.equal(bots.filter((bot) => !bot.endsWith("-strong")).length, 41);
  for (const bot of bots) {
    const { shape, probes } = await manifest(bot);
    const found = await page.evaluate(
      async ({ bot, shape, active }) => {
        const ort = await import("/runtime/ort.wasm.min.mjs");
        ort.env.wasm.wasmPaths = "/runtime/";
        ort.env.wasm.numThreads = 1;
        const session = await ort.InferenceSession.create(`/${bot}.onnx`, {
          executionProviders: ["wasm"],
        });
        const seen = new Float32Array(active.length * shape.observation);
        active.forEach((entries, row) =>
          entries.forEach((entry) => {
            seen[row * shape.observation + entry] = 1;
          }),
        );
        const results = await session.run({
          observation: new ort.Tensor("float32", seen, [active.length, shape.observation]),
          legal_actions: new ort.Tensor(
            "bool",
            new Uint8Array(active.length * shape.actions).fill(1),
            [active.length, shape.actions],
          ),
        });
        await session.release();
        return { policy: [...results.policy.data], values: [...results.values.data] };
      },
      { bot, shape: shape.policy, active: probes.map((probe) => probe.active) },
    );
    let starts = 0,
      farthest = 0;
    probes.forEach((probe, row) => {
      const of = (data, width) => data.slice(row * width, (row + 1) * width);
      const differ = (have, want) =>
        have.forEach((value, at) => {
          farthest = Math.max(farthest, Math.abs(value - want[at]));
        });
      differ(of(found.values, probe.values.length), probe.values);
      if (!probe.policy?.length) {
        starts += 1;
        return;
      }
      const most = Math.max(...probe.policy),
        powers = probe.policy.map((logit) => Math.exp(logit - most));
      const sum = powers.reduce((a, b) => a + b, 0);
      differ(
        of(found.policy, shape.policy.actions),
        powers.map((power) => power / sum),
      );
    });
    assert.ok(farthest <= 1e-5, `${bot} differs by ${farthest}`);
    assert.ok(starts > 0 && starts < probes.length, "both networks are asked");
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
