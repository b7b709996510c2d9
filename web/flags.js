// The house rules of each game: flag, its values with the default first, and what they mean. docs/games has the same
// tables, and a test compares them.

export const FLAGS = {
  "ashtapada": [
    ["pieces", ["2", "1", "3", "4"], "pieces of each seat"],
    ["zero_value", ["8", "5"], "what counts when no mouth is up"],
    ["dice", ["sticks", "uniform5"], "four cowries; or a spinner of five equal sectors"],
    ["path", ["zigzag", "spiral_kile"], "the course of the rules; or from the left-hand crosscut square once around and then clockwise to the end"],
    ["must_use", ["max", "greedy", "optional"], "as many throws as can be; any allotment to which no unused throw can be added; any, also none"],
    ["x", ["share", "block"], "crosscut squares are shared; or closed where an enemy stands"],
    ["twins", ["colocated", "none", "bell"], "two own pieces on one square; none; only those declared by moving together from a crosscut square of the opposite side"],
    ["twin_speed", ["full", "half_floor"], "twins move by the throw; or by half of it, rounded down"],
    ["twin_split", ["true", "false"], "whether one of twins may move away alone"],
    ["rule7_keep_counts", ["true", "false"], "whether a piece in the keep counts as on the board when throws before the first 1 are lost"],
  ],
  "ashte-kashte": [
    ["pieces", ["4", "1", "2", "3"], "pieces of each seat"],
    ["path", ["A", "B", "C"], "between the rings: C1–C2 and B2–C3; C1–B2 and B3–C3; or straight steps only, without the corners of the second ring"],
    ["entry", ["start_is_zero", "start_is_one"], "the start square counts 0; or it counts 1"],
    ["move", ["forced_except_merge", "forced", "optional"], "moving is compulsory but for merges; always; never"],
    ["capture_bonus", ["false", "true"], "whether a capture brings another throw"],
  ],
  "pagade": [
    ["pieces", ["4", "1", "2", "3"], "pawns of each seat"],
    ["teams", ["false", "true"], "each for itself; or South and North against East and West"],
    ["no_cut", ["wait", "lap", "off"], "a pawn before its belly whose colour has not cut: waits; goes around once more; goes in"],
    ["must_use", ["max", "optional"], "as many dice as can be; any, also none"],
    ["turn_order", ["ccw", "cw"], "South, East, North, West; or South, West, North, East"],
    ["two", ["one_set", "two_sets"], "two players have one set each; or two, which is the team game with one mind for each team"],
    ["finished_partner", ["donate", "skip"], "a seat that is home throws for its partner; or is left out"],
    ["team_cut", ["own", "shared"], "the belly opens by the colour's own cut; or by that of either partner"],
    ["play_on", ["true", "false"], "four seats play on for the places; or stop at the first"],
  ],
};

// A game with its house rules as text: { game, flags: { name: value } } to "pagade?no_cut=lap", and back.
export function rulesText(game, flags) {
  const changed = FLAGS[game].filter(([name, values]) => (flags[name] ?? values[0]) !== values[0]);
  return game + (changed.length ? `?${changed.map(([name]) => `${name}=${flags[name]}`).join("&")}` : "");
}

export function flagsOf(rules) {
  const [game, query = ""] = rules.split("?");
  return { game, flags: Object.fromEntries(query.split("&").filter(Boolean).map(flag => flag.split("="))) };
}
