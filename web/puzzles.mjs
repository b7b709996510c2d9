// Makes the puzzles of the page, from tables of perfect play and bots:
//   node web/puzzles.mjs MODULE FILE
// MODULE is the WebAssembly module. Writes the puzzles to FILE, unless FILE was made from the same module, tables and
// bots. They determine the puzzles.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { load, manifestOf } from "../bindings/js/shared/ashta.js";

const [module, file] = process.argv.slice(2), folder = new URL("../checkpoints/", import.meta.url);
const NUMBER = 400;
// The number of choices of a puzzle, the chance of the best choice, and the smallest loss of the second-best choice.
const [FEWEST, MOST] = [3, 8], [LEAST, GREATEST] = [0.1, 0.95], CLEAR = 0.05;
// The smallest and the largest number of decisions between two puzzles of a source.
const APART = 5, PATIENCE = 1000;

// The tables, the strong bots, and the bots of two seats that have no strong form.
const names = readdirSync(folder).sort(), bytesOf = name => readFileSync(new URL(name, folder));
const isForTwo = name => manifestOf(bytesOf(name)).seats.length === 2 && !names.includes(name.replace(".bot", "-strong.bot"));
const sources = names.filter(name => /(\.table|-strong\.bot)$/.test(name) || name.endsWith(".bot") && isForTwo(name));
const hash = createHash("sha256");
for (const content of [readFileSync(new URL(import.meta.url)), readFileSync(module), ...sources.map(bytesOf)]) hash.update(content);
const key = hash.digest("hex");
if (existsSync(file) && existsSync(`${file}.key`) && readFileSync(`${file}.key`, "utf8") === key) process.exit();

// A generator of random numbers in [0, 1), mulberry32.
let seed = 1;
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function drawn(outcomes) {
  let left = random();
  return (outcomes.find(({ p }) => (left -= p) < 0) ?? outcomes.at(-1)).throw;
}

const isOver = position => position.endsWith(" -"), isChance = position => / (\*\d?|\S*,\*)$/.test(position);
const rounded = share => Math.round(1e4 * share) / 1e4;
const ashta = await load(readFileSync(module)), greedy = ashta.agent("greedy");

// Plays games, mostly with the best choices, and yields puzzles.
function* puzzles(name) {
  const isTable = name.endsWith(".table"), bytes = bytesOf(name);
  // A bot looks a turn ahead to check its values.
  const agent = ashta.read(bytes), checker = isTable ? agent : ashta.read(bytes, "2ply");
  const ask = request => ashta.answer(request, agent);
  const { ruleset, game, flags = {}, seats } = isTable ? JSON.parse(bytes.subarray(16, 16 + bytes.readUInt32LE(12))).ruleset : manifestOf(bytes);
  const query = Object.entries(flags).map(flag => flag.join("=")).join("&");
  for (let round = 0, wait = 0; wait < PATIENCE; round++) {
    let { position } = ask({ op: "new", game: ruleset ?? [game, query].filter(Boolean).join("?"), seats, seed: round });
    while (!isOver(position)) {
      const begins = position, throws = [], own = seats.indexOf(position.split(" ").at(-2));
      while (isChance(position)) {
        const values = drawn(ask({ op: "chance", position }).outcomes);
        throws.push(...values);
        ({ position } = ask({ op: "apply", position, throw: values }));
      }
      const { positions } = ask({ op: "turns", position: begins, throws });
      const values = value(positions.length > 1 && positions.length <= MOST ? positions : [], own, agent);
      const best = positions[Math.max(0, values.indexOf(Math.max(...values)))];
      if (++wait > APART && positions.length >= FEWEST && isClear(values) && !isObvious(position, best)) {
        const { turns } = ask({ op: "choices", position }), ends = turns.map(turn => turn.position);
        const sure = isTable ? ends.map(end => values[positions.indexOf(end)]) : value(ends, own, checker), at = ends.indexOf(best);
        const capturing = turns.filter(({ captures }) => captures.length), isOnly = capturing.length === 1 && capturing[0] === turns[at];
        if (!isOnly && sure[at] === Math.max(...sure) && isClear(sure)) {
          wait = 0;
          yield { position: begins, throws, by: isTable ? null : name.slice(0, -4), value: rounded(sure[at]), losses: sure.map(share => rounded(sure[at] - share)) };
        }
      }
      position = random() < 0.7 ? best : positions[Math.floor(random() * positions.length)];
    }
  }
}

const value = (positions, own, agent) => positions.map(position => ashta.answer({ op: "evaluate", position }, agent).values[own]);

// Whether the best value is far above the others, and far from a won or lost game.
function isClear(values) {
  const [best, second] = values.toSorted((a, b) => b - a);
  return best - second >= CLEAR && best > LEAST && best < GREATEST;
}

// Whether a simple player finds the best turn.
function isObvious(position, best) {
  while (!isChance(position) && !isOver(position) && position !== best) {
    const { action } = ashta.answer({ op: "bestmove", position }, greedy);
    ({ position } = ashta.answer({ op: "apply", position, action }));
  }
  return position === best;
}

// The sources take turns, in a random order. A source without more puzzles is left out.
const makers = sources.map(name => [random(), name]).sort().map(([, name]) => puzzles(name)), all = [];
while (all.length < NUMBER) {
  const maker = makers.shift(), { value, done } = maker.next();
  if (done) continue;
  all.push(value);
  makers.push(maker);
}
writeFileSync(file, JSON.stringify(all));
writeFileSync(`${file}.key`, key);
