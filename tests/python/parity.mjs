// Asks a bot about positions through the npm package:
// `node parity.mjs PACKAGE MODULE BOT LOOKAHEAD < POSITIONS`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [ashta, module, file, lookahead] = process.argv.slice(2);
const { Bot, Game, useModule } = await import(pathToFileURL(ashta));
useModule(readFileSync(module));
const bot = await Bot.load(readFileSync(file));
const positions = readFileSync(0, "utf8").trimEnd().split("\n");
const [name, places] = positions[0].split(" ");
const game = await Game.load(name, {
  seats: places
    .split("/")
    .map(([letter]) => letter)
    .join(""),
});
for (const position of positions) {
  const state = game.deserializeState(position),
    legal = state.legalActions();
  const observation = state
    .ask("observe")
    .observation.flatMap((entry, column) => (entry ? [column] : []));
  const action = legal.length ? await bot.choose(state, { lookahead }) : null;
  console.log(
    JSON.stringify({ legal, observation, values: bot.values(state, { lookahead }), action }),
  );
}
