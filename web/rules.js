// The rules of each game, short, in words; and its house rules.

import { FLAGS } from "./flags.js";
import { element } from "./svg.js";

const COWRIES = "Four cowries are thrown; what counts is how many lie with the mouth up: 1, 2, 3 or 4, and 8 if none does. A 2 is the most frequent (6 in 16), then 1 and 3 (4 in 16 each), then 4 and 8 (1 in 16 each).";

// [heading, paragraphs]; a paragraph that is a list becomes one.
const RULES = {
  "ashtapada": {
    name: "Ashtapada",
    about: "The race on the board of eight by eight squares that is said to be older than chess. Two, three or four players, two pieces each.",
    text: [
      ["Aim", ["Bring both pieces around the board into your keep, one of the four squares in the middle, and bear them off. Who has borne off all pieces first wins."]],
      ["Course", ["A piece enters on the crosscut square to the right of the middle of its side, goes once around the outer ring against the clock, around the middle ring with the clock, around the inner ring against the clock, and into the keep: 60 steps. Point at a piece to see its way."]],
      ["Throws", [COWRIES, "You throw until a 2 or a 3 comes: that is a series. Then all its throws are shared out among your pieces. Without a piece on the board, throws before the first 1 are lost, and without a 1 the whole series is; a piece in the keep is on the board."]],
      ["Moves", [[
        "A 1 may bring a piece onto the board. It may move on in the same series.",
        "A piece moves by one throw, or by several at once as their sum, in one hop. It moves once in a series.",
        "Two own pieces on a square are twins and may move together by the same throws; or one of them goes alone.",
        "What lies between is jumped. The keep is reached by exact count.",
        "When all pieces are in the keep, each 1 bears one off; not one that came there in this series.",
        "As many throws must be used as can be. The others are lost."]]],
      ["Capture", [[
        "A single piece that lands on a single enemy sends it off the board. With two or more pieces of one enemy it shares the square.",
        "Twins that land together capture every enemy there. Two pieces that come one by one are no twins.",
        "The crosscut squares, marked with a cross, are safe, and anybody may share them.",
        "Who captures has another turn."]]],
      ["Order", ["The turn passes to the left, with the clock: South, West, North, East."]],
    ],
  },
  "ashte-kashte": {
    name: "Ashte Kashte",
    about: "The spiral on seven by seven squares, from Gujarat. Two, three or four players, four pieces each.",
    text: [
      ["Aim", ["Bring all four pieces along the spiral to the goal in the middle. Who has them home first wins."]],
      ["Course", ["A piece starts in hand and counts from the square in the middle of its side: a 3 puts it on the third square after. It goes around the outer, the second and the inner ring, always against the clock, and to the middle: 48 steps."]],
      ["Throws", [COWRIES, "A 4 or an 8 brings another throw, as often as it happens, even if nothing could move."]],
      ["Moves", [[
        "Each throw moves one single, or one double as a whole.",
        "Two own pieces on a square are a double. There are never three.",
        "A single may not pass a double, not even its own, nor land on one of an enemy.",
        "A double passes everything.",
        "On the four protected squares, marked with a cross, only one piece has room; nobody else may land there, and doubles never may.",
        "The goal is reached by exact count, by a double too.",
        "You must move if you can, but need not make a double: if every move would make one, you may leave the throw unused."]]],
      ["Capture", [[
        "A single captures a single enemy; it goes back to hand.",
        "A double captures a single or a double; both of its pieces go back.",
        "A capture brings no further throw."]]],
      ["Order", ["The turn passes to the right, against the clock: South, East, North, West."]],
    ],
  },
  "pagade": {
    name: "Pagade",
    about: "The race around the cross with two long dice. Two players, or four, each for itself or in two teams; four pawns each.",
    text: [
      ["Aim", ["Go once around the cross and home through the arm that you left from. Who has all four pawns home first wins. Four who play each for itself play on for the places; in teams South and North are together, and East and West, and a team wins when all eight pawns are home."]],
      ["Course", ["Pawns stand on 6, 7, 12 and 12 of their course at the beginning. It leads from the middle out through the own belly, the middle row of the own arm, around the whole cross against the clock, and back through the belly: 84 steps to Home."]],
      ["Throws", ["Two long dice with the faces 1, 3, 4 and 6, each equally likely, are thrown once a turn."]],
      ["Moves", [[
        "Two pawns move by one die each, or one moves by the sum in one hop. Either die may go first.",
        "With two equal dice a pair, two own pawns on one square, may move together, by one die each.",
        "Everything may be jumped. A pawn may not land where two own pawns stand, or two of one enemy, or a partner's. A pair may not land on own pawns.",
        "In the own belly and at Home there is room for any number.",
        "Both dice must be used if they can be; else one, if it can be.",
        "Pawns that were cut come in first, from the middle, each by a die; one alone also by the sum."]]],
      ["Cut", [[
        "A pawn that lands on a single enemy cuts it: it starts anew from the middle. A pair cuts a single or a pair.",
        "Only a colour that has cut a pawn may go into its belly on the way home. Until then its pawns wait before it.",
        "Nobody is safe on the ring, and nobody can be cut in a belly."]]],
      ["End", ["If nobody can ever move again, because all wait for a cut that cannot come, the position is dead and those who have no place share what is left. With the further lap (no_cut=lap) a pawn that may not go in goes around once more. A player of a team whose pawns are home throws for the partner."]],
      ["Order", ["The turn passes to the right, against the clock: South, East, North, West."]],
    ],
  },
};

const byId = id => document.getElementById(id);

function paragraph(content) {
  if (!Array.isArray(content)) return element("p", {}, content);
  return element("ul", {}, ...content.map(line => element("li", {}, line)));
}

function flags(game) {
  const rows = FLAGS[game].map(([name, values, meaning]) => element("tr", {},
    element("td", {}, element("code", {}, name)), element("td", {}, values.join(", ")), element("td", {}, meaning)));
  return element("details", {}, element("summary", {}, "House rules"),
    element("p", {}, "Where the old texts leave a question open the answer can be changed, in the dialog of a new game or in the text of a position. The first value is that of the rules above."),
    element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Table of house rules" }, element("table", {},
      element("thead", {}, element("tr", {}, ...["flag", "values", "meaning"].map(head => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...rows))));
}

// Shows the rules of a game, with a tab for each.
export function drawRules(shown) {
  const tabs = Object.entries(RULES).map(([game, { name }]) => element("button", {
    type: "button", role: "tab", id: `rules-of-${game}`, "aria-selected": String(game === shown), "aria-controls": "rules-text",
    tabindex: game === shown ? 0 : -1, onclick: () => pick(game),
    onkeydown: event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const games = Object.keys(RULES);
      if (step) pick(games[(games.indexOf(game) + step + games.length) % games.length]);
    },
  }, name));
  const pick = game => {
    drawRules(game);
    byId(`rules-of-${game}`).focus();
  };
  const { about, text } = RULES[shown];
  byId("rules-tabs").replaceChildren(...tabs);
  byId("rules-text").setAttribute("aria-labelledby", `rules-of-${shown}`);
  byId("rules-text").replaceChildren(element("p", { class: "about" }, about),
    ...text.flatMap(([heading, content]) => [element("h3", {}, heading), ...content.map(paragraph)]), flags(shown));
  byId("rules-text").scrollTop = 0;
}
