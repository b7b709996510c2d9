// The possible players of a seat: a person, a bot at a level, perfect play, a baseline, or a player
// in a record.
//
// A player is a text: "person", "bot:novice", "bot:2ply", "perfect", "greedy", or "recorded:NAME".

import { give } from "./ask.js";
import { manifestOf } from "./ashta.js";
import { bySeat } from "./game.js";
import { flagsOf } from "./games.js";
import { number, text } from "./text.js";

// The trained bots, { name, game, seats, levels }, and the tables of perfect play, { name, game,
// seats, bytes }. `game` includes the house rules, `seats` are letters, `levels` come from the
// manifest of the bot, and `bytes` is the size of the file.
let BOTS = [],
  TABLES = [];
// The number of bots from opened files.
export let opened = 0;

// The files that cannot be loaded now, because they are not in the browser and there is no network.
let away = new Set();
export const setAway = (isHere) => {
  const all = [
    ...BOTS.filter(({ isOpened }) => !isOpened).map(({ name }) => `${name}.bot`),
    ...TABLES.map(({ name }) => `${name}.table`),
  ];
  away = new Set(all.filter((file) => !isHere(file)));
};
export const addAway = ({ file }) => away.add(file);

// Loads the list of bots and tables on the host, which `web/build` or `ashta serve` creates.
// Returns an error message if this fails, otherwise null.
export async function learnBots() {
  try {
    const answer = await fetch(new URL("./bots.json", import.meta.url));
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const { bots, tables } = await answer.json();
    BOTS = bots;
    TABLES = tables.map(({ name, bytes, ruleset: { game, seats, flags = {} } }) => ({
      name,
      bytes,
      seats,
      game: [
        game,
        Object.entries(flags)
          .map((flag) => flag.join("="))
          .join("&"),
      ]
        .filter(Boolean)
        .join("?"),
    }));
    return null;
  } catch (error) {
    return text("players.noList", { error: error.message });
  }
}

// Removes a bot or table whose file cannot be loaded.
export function forget({ file }) {
  [BOTS, TABLES] = [
    [BOTS, ".bot"],
    [TABLES, ".table"],
  ].map(([list, end]) => list.filter(({ name }) => name + end !== file));
}

// Adds a bot from an opened file, until the user leaves the page. Returns { game, seats, sheet }
// from the manifest of the bot.
export async function addBot(file, bytes) {
  const { ruleset: game, seats, sheet, levels = [] } = manifestOf(bytes);
  await give(file, bytes);
  opened += 1;
  BOTS = [{ name: file.replace(/\.bot$/, ""), game, seats, levels, isOpened: true }, ...BOTS];
  return { game, seats, sheet };
}

// Whether a bot of a game can be loaded now, or null if the game has no bot.
export function hasBotHere(name) {
  const own = BOTS.filter(({ game }) => game.split("?")[0] === name);
  return own.length ? own.some((bot) => !away.has(`${bot.name}.bot`)) : null;
}

// The levels of bots, the weakest first. Three of them are offered first.
const LEVELS = [
  "bot:beginner",
  "bot:novice",
  "bot:intermediate",
  "bot:advanced",
  "bot:expert",
  "bot:2ply",
];
const USUAL = ["bot:novice", "bot:intermediate", "bot:expert"];
const BASELINES = ["random", "runner", "hunter", "greedy", "greedy+2ply"];

// Normalizes rules: the order of their flags does not matter.
const ordered = (rules) =>
  JSON.stringify([rules.split("?")[0], Object.entries(flagsOf(rules).flags).sort()]);
const found = (list, rules, seats) =>
  list.find((entry) => entry.seats === seats && ordered(entry.game) === ordered(rules)) ?? null;
export const botOf = (rules, seats) => found(BOTS, rules, seats)?.name ?? null;
export const tableOf = (rules, seats) => found(TABLES, rules, seats)?.name ?? null;
// The number of games, out of a hundred, that a level of a bot wins against the bot at full
// strength; null if unknown.
const winsOf = (player, bot) => {
  const known = bot?.levels.find(({ level }) => `bot:${level}` === player);
  return known ? Math.round(100 * known.score) : null;
};
export const sizeOfTable = (rules, seats) =>
  `${number(found(TABLES, rules, seats).bytes / 2 ** 20, 1)} MB`;

// The possible players of a seat: [{ group, players: [[player, label, isPossible]], isMore }]. The
// page offers groups with `isMore` on request.
export function choices(rules, seats) {
  const known = (player) => knows(player, rules, seats),
    entry = (player) => [player, label(player), isHere(player, rules, seats)];
  const perfect = () => [
    "perfect",
    text("players.perfect", { size: sizeOfTable(rules, seats) }),
    isHere("perfect", rules, seats),
  ];
  return [
    {
      group: "",
      players: [
        ["person", text("players.person"), true],
        ...USUAL.filter(known).map(entry),
        ...["perfect"].filter(known).map(perfect),
      ],
    },
    {
      group: text("players.more"),
      isMore: true,
      players: LEVELS.filter((player) => !USUAL.includes(player) && known(player)).map(entry),
    },
    {
      group: text("players.untrained"),
      isMore: true,
      players: BASELINES.map((player) => [player, text(`players.baselines.${player}`), true]),
    },
  ].filter(({ players }) => players.length);
}

// How strong the levels are, in a sentence; "" if unknown. `outlook` is as in the engine's answer
// to `board`.
export function scaleOf(rules, seats, outlook) {
  const [easy, medium] = USUAL.map((player) => winsOf(player, found(BOTS, rules, seats)));
  if (easy === null || medium === null) return "";
  const even = outlook === "winner" ? Math.round(100 / seats.length) : 50,
    values = { easy, medium, even };
  return outlook === "placings" ? text("players.scores", values) : text("players.wins", values);
}

const isRecorded = (player) => player.startsWith("recorded:");

// The agent of a player for the worker; null for persons and records.
export function agentOf(player, rules, seats) {
  if (player === "person" || isRecorded(player)) return null;
  if (player === "perfect") return { file: `${tableOf(rules, seats)}.table`, level: "" };
  if (player.startsWith("bot:"))
    return { file: `${botOf(rules, seats)}.bot`, level: player.slice(4) };
  return { name: player };
}

function knows(player, rules, seats) {
  if (player === "perfect") return tableOf(rules, seats) !== null;
  if (!player.startsWith("bot:")) return true;
  const bot = found(BOTS, rules, seats);
  return (
    bot !== null &&
    (["bot:expert", "bot:2ply"].includes(player) ||
      bot.levels.some(({ level }) => `bot:${level}` === player))
  );
}

// Whether a player knows the rules and can be loaded now.
const isHere = (player, rules, seats) =>
  knows(player, rules, seats) && !away.has(agentOf(player, rules, seats)?.file);

// The agent that evaluates the chances: perfect play if its table is loaded, otherwise the bot,
// otherwise a baseline.
export function adviser(rules, seats, hasTable) {
  const bot = botOf(rules, seats);
  if (hasTable)
    return { name: text("players.advisers.perfect"), agent: agentOf("perfect", rules, seats) };
  if (bot && away.has(`${bot}.bot`))
    return { name: text("players.advisers.away"), agent: { name: "greedy+2ply" } };
  if (bot)
    return { name: text("players.advisers.bot", { bot }), agent: agentOf("bot:", rules, seats) };
  return { name: text("players.advisers.greedy"), agent: { name: "greedy+2ply" } };
}

// The name of a recorded player for readers: the level of a bot of this page, such as "easy"; for
// the levels of other bots also the name of the bot.
export function readable(name) {
  if (name === "person") return text("players.onePerson");
  const [bot, level] = name.split("+");
  if (!LEVELS.includes(`bot:${level}`) || BASELINES.includes(name)) return name;
  const words = text(`players.short.${level}`);
  return BOTS.some((own) => own.name === bot) ? words : `${words} (${bot})`;
}

// A short name of a player. If there is only one person in the game, the person is "you".
export function label(player, isOnlyPerson = false) {
  if (player === "person") return isOnlyPerson ? text("players.you") : text("players.onePerson");
  if (isRecorded(player)) return readable(player.slice(9));
  return player === "perfect"
    ? text("players.advisers.perfect")
    : text(`players.short.${player.replace("bot:", "")}`);
}

// The name of a player in games files; the program uses the same names.
export function agentName(player, rules, seats) {
  if (isRecorded(player)) return player.slice(9);
  return player.startsWith("bot:") ? `${botOf(rules, seats)}+${player.slice(4)}` : player;
}

// The player that replaces the recorded player `name`: the same player if it is available,
// otherwise the best available player.
export function playerNamed(name, rules, seats) {
  const bot = botOf(rules, seats);
  const own = name.startsWith(`${bot}+`)
    ? `bot:${name.slice(bot.length + 1)}`
    : name === bot
      ? "bot:expert"
      : name;
  const isOne =
    own === "person" ||
    BASELINES.includes(own) ||
    ([...LEVELS, "perfect"].includes(own) && knows(own, rules, seats));
  return isOne ? own : best(rules, seats);
}

// The players after a change of rules or seats. Persons replace recorded players, new seats get the
// same bot as the other seats, and the best available player replaces players that do not know the
// rules.
export function seated(seats, players, rules) {
  const other = Object.values(players).find((player) => player !== "person" && !isRecorded(player));
  return bySeat(seats, (seat) =>
    playerOrBest(
      isRecorded(players[seat] ?? "") ? "person" : (players[seat] ?? other ?? "person"),
      rules,
      seats,
    ),
  );
}

// Returns the player if it knows these rules, otherwise the best available player.
export const playerOrBest = (player, rules, seats) =>
  knows(player, rules, seats) ? player : best(rules, seats);
// Returns the player if it can be loaded now, otherwise the best available player.
export const playerHere = (player, rules, seats) =>
  isHere(player, rules, seats) ? player : best(rules, seats);
// The strongest available player that does not need a table.
export const best = (rules, seats) =>
  isHere("bot:expert", rules, seats) ? "bot:expert" : "greedy+2ply";
