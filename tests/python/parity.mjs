// Asks a bot about positions through WebAssembly: `node parity.mjs LOADER MODULE BOT LOOKAHEAD < POSITIONS`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [loader, module, file, lookahead] = process.argv.slice(2);
const { load } = await import(pathToFileURL(loader));
const ashta = await load(readFileSync(module));
const bot = ashta.read(readFileSync(file), lookahead);
for (const position of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const { actions } = ashta.answer({ op: "legal", position });
  const { observation } = ashta.answer({ op: "observe", position });
  const { values } = ashta.answer({ op: "evaluate", position }, bot);
  const action = actions.length ? ashta.answer({ op: "bestmove", position, seed: 0 }, bot).action : null;
  const columns = observation.flatMap((entry, column) => (entry ? [column] : []));
  console.log(JSON.stringify({ legal: actions.map(({ id }) => id), observation: columns, values, action }));
}
