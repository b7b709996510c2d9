// The modules of the page: each is imported, and imports form no cycle.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { SITE } from "./browser.js";

const NAMES = (await readdir(SITE)).filter((name) => name.endsWith(".js"));
const texts = new Map(
  await Promise.all(NAMES.map(async (name) => [name, await readFile(join(SITE, name), "utf8")])),
);
// The modules that a module imports, also with `import()`.
const imports = (name) =>
  [
    ...texts
      .get(name)
      .matchAll(/(?:^(?:import|export)\b(?:[^;"]*? from)? |import\()"\.\/([^"]+)"/gm),
  ].map(([, other]) => other);

test("the imports of modules form no ring", () => {
  const done = new Set();
  const visit = (name, path) => {
    assert.ok(!path.includes(name), `a ring of imports: ${[...path, name].join(" → ")}`);
    if (done.has(name)) return;
    for (const other of imports(name)) visit(other, [...path, name]);
    done.add(name);
  };
  for (const name of NAMES) visit(name, []);
  assert.equal(done.size, NAMES.length);
  assert.ok(imports("app.js").length > 10);
});

test("every module is used", () => {
  // index.html loads start.js, `ashta serve` serves native.js instead of engine.js, and the worker
  // is not imported.
  const used = new Set(["start.js", "native.js", ...NAMES.flatMap(imports)]);
  const begun = [...texts.values()]
    .join("\n")
    .matchAll(/(?:import|Worker|register)\((?:new URL\()?"\.\/([^"]+)"/g);
  for (const [, name] of begun) used.add(name);
  assert.deepEqual(
    NAMES.filter((name) => !used.has(name)),
    [],
  );
});
