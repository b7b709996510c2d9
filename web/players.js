// Who can sit at a seat: a person, a bot at a level, perfect play, a baseline; or nobody, where a record plays.
//
// A player is a word: "person", "bot:novice", "bot:2ply", "perfect", "greedy", or "recorded:NAME".

// Bots know one game, with its house rules, and the seats that they were trained on. Below, `seats` are letters.
const BOTS = [
  { name: "ashtapada", game: "ashtapada", seats: "SN" },
  { name: "ashtapada-3p", game: "ashtapada", seats: "SEN" },
  { name: "ashtapada-4p", game: "ashtapada", seats: "SENW" },
  { name: "ashte-kashte", game: "ashte-kashte", seats: "SN" },
  { name: "ashte-kashte-3p", game: "ashte-kashte", seats: "SEN" },
  { name: "ashte-kashte-4p", game: "ashte-kashte", seats: "SENW" },
  { name: "pagade", game: "pagade", seats: "SN" },
  { name: "pagade-lap", game: "pagade?no_cut=lap", seats: "SN" },
  { name: "pagade-4p", game: "pagade", seats: "SENW" },
  { name: "pagade-teams", game: "pagade?teams=true", seats: "SENW" },
];
const TABLES = [{ name: "ashtapada", game: "ashtapada", seats: "SN" }];

const LEVELS = {
  "bot:beginner": "Bot, beginner",
  "bot:novice": "Bot, novice",
  "bot:intermediate": "Bot, intermediate",
  "bot:advanced": "Bot, advanced",
  "bot:expert": "Bot, expert",
  "bot:2ply": "Bot, expert looking a turn further",
};
const BASELINES = {
  "random": "random: any legal action",
  "runner": "runner: runs ahead",
  "hunter": "hunter: captures first",
  "greedy": "greedy: simple rules of thumb",
  "greedy+2ply": "greedy, looking a turn further",
};
const SHORT = { "bot:2ply": "expert, a turn further", "greedy+2ply": "greedy+2ply" };

const found = (list, rules, seats) => list.find(entry => entry.game === rules && entry.seats === seats)?.name ?? null;
export const botOf = (rules, seats) => found(BOTS, rules, seats);
export const tableOf = (rules, seats) => found(TABLES, rules, seats);

// What can be chosen for a seat: [{ group, players: [[player, label, isPossible]] }].
export function choices(rules, seats) {
  const bot = botOf(rules, seats) !== null, table = tableOf(rules, seats) !== null;
  return [
    { group: "", players: [["person", "Person", true]] },
    {
      group: bot ? "Trained bot" : "Trained bot: none for these rules",
      players: [...Object.entries(LEVELS).map(([player, label]) => [player, label, bot]),
        ...(table ? [["perfect", "Perfect play (loads 6 MB)", true]] : [])],
    },
    { group: "Without training", players: Object.entries(BASELINES).map(([player, label]) => [player, label, true]) },
  ];
}

// What the worker is to load for a player; null for a person or a record.
export function agentOf(player, rules, seats) {
  if (player === "person" || player.startsWith("recorded:")) return null;
  if (player === "perfect") return { file: `${tableOf(rules, seats)}.table`, level: "" };
  if (player.startsWith("bot:")) return { file: `${botOf(rules, seats)}.bot`, level: player.slice(4) };
  return { name: player };
}

// Whether a player knows these rules.
export function knows(player, rules, seats) {
  if (player === "perfect") return tableOf(rules, seats) !== null;
  return !player.startsWith("bot:") || botOf(rules, seats) !== null;
}

// Whose opinion is asked for: perfect play if its table is there, else the bot, else a baseline.
export function adviser(rules, seats, hasTable) {
  const [bot, table] = [botOf(rules, seats), tableOf(rules, seats)];
  if (table && hasTable) return { name: "perfect play", agent: { file: `${table}.table`, level: "" } };
  if (bot) return { name: `the bot ${bot}`, agent: { file: `${bot}.bot`, level: "" } };
  return { name: "greedy, as no bot was trained on these rules", agent: { name: "greedy+2ply" } };
}

// A player in a word or two, to stand beside its seat.
export function label(player) {
  if (player === "person") return "person";
  if (player.startsWith("recorded:")) return player.slice(9);
  return SHORT[player] ?? player.replace("bot:", "");
}

// A player as files of games name it: as the program would name the agent.
export function agentName(player, rules, seats) {
  if (player.startsWith("recorded:")) return player.slice(9);
  return player.startsWith("bot:") ? `${botOf(rules, seats)}+${player.slice(4)}` : player;
}

// Who could go on for a recorded player: itself, if this page has it; else the best there is.
export function playerNamed(name, rules, seats) {
  const bot = botOf(rules, seats);
  const own = name.startsWith(`${bot}+`) ? `bot:${name.slice(bot.length + 1)}` : name === bot ? "bot:expert" : name;
  const isOne = own === "person" || own in LEVELS || own in BASELINES || (own === "perfect" && tableOf(rules, seats));
  return isOne ? own : best(rules, seats);
}

// Who takes these seats when the rules or the seats change: those who sat there, if they know the rules; a bot like the
// others; else the best there is.
export function seated(seats, players, rules) {
  const other = Object.values(players).find(player => player !== "person" && !player.startsWith("recorded:"));
  return Object.fromEntries([...seats].map(seat => {
    const player = players[seat]?.startsWith("recorded:") ? "person" : players[seat] ?? other ?? "person";
    return [seat, knows(player, rules, seats) ? player : best(rules, seats)];
  }));
}

// The strongest that needs no table.
export const best = (rules, seats) => botOf(rules, seats) ? "bot:expert" : "greedy+2ply";
