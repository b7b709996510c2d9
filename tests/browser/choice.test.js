// The moves of a turn, as the page offers them: they lead to every result of the turn, and every
// move starts from an existing group of pieces.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SITE } from "./browser.js";
import { Engine } from "./engine.js";

const { Choice } = await import(`${SITE}/choice.js`);
const { groups } = await import(`${SITE}/pieces.js`);

const POSITIONS = [
  "chaupar S:6,15,20,34/E:13,19,25,38/N:17,26,31,34/W:7,21,25,65 S 2,5,6",
  "ashtapada S:off,off/N:off,off N 1,1,2",
  "ashtapada?pieces=4&twins=bell S:5,5,17,21/N:2,9,26,45 S 1,4,2",
  "pagade S:12,20,30,40/N:6,7,12,49 S 3,6",
  "sokkattan S:hand,20,31/N:hand,23,30 S 10",
  "siga S:5,22/N:3,9 S 8",
];

test(
  "the lines of the page lead to every result and name what they capture",
  { timeout: 60000 },
  async () => {
    const engine = new Engine("greedy");
    for (const position of POSITIONS) {
      const [choices, view, { words }] = await Promise.all(
        ["choices", "view", "board"].map((op) => engine.ask({ op, position })),
      );
      const choice = new Choice(choices, view, words),
        reached = new Set();
      const walk = async () => {
        if (choice.end)
          reached.add((await engine.ask({ op: "apply", position, action: choice.end })).position);
        const { options } = choice,
          here = groups(choice.preview(), words);
        assert.equal(new Set(options.map((option) => option.words)).size, options.length, position);
        for (const option of options) {
          assert.equal(option.moved.length, option.pieces.length, `${position}: ${option.words}`);
          assert.ok(
            here.some(({ key }) => key === option.key),
            option.words,
          );
          assert.equal(option.captures.length > 0, option.words.includes(`, ${words.captures} `));
          choice.pick(option);
          await walk();
          choice.back();
        }
      };
      await walk();
      assert.deepEqual(
        [...reached].sort(),
        choices.turns.map((turn) => turn.position).sort(),
        position,
      );
      assert.deepEqual(choice.left.sort(), [...reached].sort(), position);
    }
    await engine.close();
  },
);
