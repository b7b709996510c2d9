//! Every value of every key of a sheet has an effect, or is refused, in each kind of turn.
//!
//! [`ROWS`] lists the effects, and refusals with their reasons. A kind of turn without a row for a value must refuse
//! the value; the test lists the other values of the JSON Schema. For an effect, the test plays the sheet with and
//! without the value from random positions until the turns differ, or compares another fact. It also compares both
//! sheets with the oracle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ashta_env::chance::{self, GameRng, below};
use ashta_env::game::{Game, Node, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::{SCHEMA, Sheet};
use ashta_rule_tests::changes::{changed, split};
use ashta_rule_tests::{amount, cases, engine, number, oracle, random};
use serde_json::Value;

/// The kinds of turn by letter: throw, series in one hop, series throw by throw, dice, divided total.
pub(crate) const KINDS: &str = "TSEDV";

/// Keys that no turn is about: texts, the drawing in colours, house rules and their names.
const NO_RULES: [&str; 11] =
    ["name", "title", "summary", "place", "minutes", "sources", "rules", "board.look", "words", "flags", "turn.kind"];

/// Default values, which sheets omit. Rows change from them.
const LEFT_OUT: [(&str, &str); 15] = [
    ("board.copy", "rotate"),
    ("board.mark_again", "false"),
    ("turn.again_unused", "true"),
    ("turn.again_on_finish", "false"),
    ("turn.last_throw", "played"),
    ("turn.bonus_order", "after"),
    ("entry.first_while", "empty"),
    ("entry.clear", "false"),
    ("entry.by_bonus", "false"),
    ("entry.tries", "1"),
    ("stacking.block", "none"),
    ("stacking.partner", "closed"),
    ("capture.unit_on_unit", "takes"),
    ("finish.overshoot", "illegal"),
    ("finish.fill", "false"),
];

/// Keys of all base sheets.
const COMMON: &str = r#"
name = "keys"
title = "Keys"
summary = "A sheet that rows change."
seats.allowed = ["SN", "SEN"]
seats.turn_limit = 500
pieces.count = 2
"#;
const SMALL: &str = r#"
board.side = 5
board.course = "C1 E2 N4 W4 S4 E1 N3 E2 S2 W1 N1"
board.marks = ["C1", "E3", "C5", "A3"]
throws.values = [8, 1, 2, 3, 4]
"#;
/// 24 squares around, then two that are private.
const PRIVATE: &str =
    r#"board.side = 7; board.course = "D1 E3 N6 W6 S6 E2 NE1 N2"; board.marks = ["D1", "G4", "D7", "A4"]"#;

pub(crate) fn base(kind: char) -> String {
    let series = "turn.kind = 'series'\nturn.must = 'most'\nturn.stop = [2, 3]";
    let dice = "throws.values = [1, 3, 4, 6]\nthrows.odds = 'equal'\nthrows.dice = 2\nturn.must = 'most'";
    let own = match kind {
        'T' => format!("{SMALL}turn.kind = 'throw'\nturn.must = 'one'\nturn.again = [4, 8]"),
        'S' => format!("{SMALL}{series}\nentry.first = [1]\nentry.next = [1]"),
        'E' => format!("{SMALL}{series}\nturn.hop = 'each'"),
        'D' => format!(
            "{}\n{dice}\nturn.kind = 'dice'\nentry.at = 'count'\nentry.compulsory = true\nstacking.plain = 'two'
             stacking.private = 'any'\nunit.kind = 'together'\ncapture.single_on_unit = 'barred'\ngate.at = 24",
            PRIVATE.replace("; ", "\n")
        ),
        _ => format!(
            "{}{dice}\nturn.kind = 'divide'\nentry.first = [1]\nentry.next = [1]",
            SMALL.replace("throws.values = [8, 1, 2, 3, 4]\n", "")
        ),
    };
    format!("{COMMON}{own}")
}

/// Kinds of turn; the key; its values, separated by `|`, possibly with further changes; changes of the base sheet
/// before the value is set; the effect: `turns` (they differ), another fact, or `refused: ` with words of the reason.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// Changes that rows name in capital letters.
#[rustfmt::skip]
const NAMED: [(&str, &str); 13] = [
    ("TEAMS", "seats.allowed = ['SENW']; seats.teams = 'opposite'"),
    ("ONE_PIECE", "pieces.count = 1; pieces.allowed = [1]"),
    ("LAP", "gate.at = 16; gate.lap = 16; gate.without = 'lap'"),
    ("GATE", "gate.at = 16"),
    ("UNITS", "unit.kind = 'together'"),
    ("DECLARED", "unit.kind = 'declared'; unit.from = ['C5']"),
    ("FIRST", "entry.first = [1]; entry.next = [1]"),
    ("TWO_DICE", "throws.dice = 2; throws.values = [8, 1, 2, 3]; turn.stop = []"),
    ("THREE_DICE", "throws.dice = 3; throws.values = [8, 1, 2, 3]; turn.stop = []; pieces.count = 3"),
    ("CROSSING", "board.side = 3; board.columns = 8; board.course = 'D1 W3 N1 E6 N1 E1 S2 W1 N1 W6 >F1'; board.copy = 'mirror'; board.marks = []; seats.allowed = ['SN']"),
    ("FILLED", "board.side = 7; board.course = 'D1 E3 N6 W6 S6 E2 NE1 N1'; board.marks = []; stacking.plain = 'one'"),
    ("PRIVATE", "board.side = 7; board.course = 'D1 E3 N6 W6 S6 E2 NE1 N2'"),
    ("TWICE", "board.side = 7; board.course = 'D3 S2 E3 N6 W6 S6 E3 N1 NE1'; board.marks = []"),
];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("TSEDV", "seats.allowed", "['SN']", "", "choices"),
    ("TSEDV", "seats.order", "'clockwise'", "", "turns"),
    ("TSEDV", "seats.order", "'clockwise'", "seats.allowed = ['SN']", "refused: has no effect"),
    ("TED", "seats.end", "'placings'", "seats.allowed = ['SN']", "refused: has no effect"),
    ("TED", "seats.end", "'placings'", "TEAMS", "refused: has no effect"),
    ("TSEDV", "seats.allowed", "['SN', 'SN']", "", "refused: twice"),
    ("SV", "seats.teams", "'opposite'", "seats.allowed = ['SENW']", "refused: only works with turn.kind"),
    ("TED", "seats.teams", "'opposite'", "seats.allowed = ['SENW']", "turns"),
    ("TSEDV", "seats.one_mind", "true", "", "refused: has no effect"),
    ("TED", "seats.one_mind", "true", "TEAMS", "players"),
    ("TSEDV", "seats.finished_partner", "'skips'", "", "refused: has no effect"),
    ("TED", "seats.finished_partner", "'skips'", "TEAMS", "turns"),
    ("E", "seats.finished_partner", "'skips'", "TWO_DICE; TEAMS", "turns"),
    ("SV", "seats.end", "'placings'", "", "refused: only works with turn.kind"),
    ("TED", "seats.end", "'placings'", "", "turns"),
    ("E", "seats.end", "'placings'", "TWO_DICE", "turns"),
    ("TSEDV", "seats.turn_limit", "7", "", "limit"),
    ("TSEDV", "board.side", "9", "board.marks = []", "turns"),
    ("TSEV", "board.course", "'C1 W2 N4 E4 S4 W1 N3 W2 S2 E1 N1'", "", "turns"),
    ("TSEDV", "board.course", "'C1 E2 N4 W4 S4 E2 N1 >C1 >C3'", "board.marks = []", "refused: visits C1 more than twice"),
    ("D", "board.course", "'D1 W3 N6 E6 S6 W2 NW1 N2'", "", "turns"),
    ("TSEDV", "board.first_number", "1", "", "numbers"),
    ("TSEDV", "board.marks", "[]", "", "turns"),
    ("TSE", "board.mark_rule", "'block'", "", "turns"),
    ("TE", "board.mark_rule", "'closed'", "", "turns"),
    ("S", "board.mark_rule", "'closed'", "", "refused: must not be \"closed\""),
    ("D", "board.mark_rule", "'block'", "", "refused: marks with turn.kind = \"dice\" need board.mark_rule"),
    ("V", "board.mark_rule", "'block'", "", "refused: must be left out with turn.kind = \"divide\""),
    ("TSEDV", "board.mark_rule", "'block'", "board.marks = []", "refused: "),
    ("TSEV", "board.middle", "['C3']", "", "drawing"),
    ("D", "board.middle", "['D4']", "", "drawing"),
    ("TSEDV", "pieces.count", "3", "", "start"),
    ("TSEDV", "pieces.allowed", "[2, 3]", "", "choices"),
    ("TE", "pieces.setup", "[1, 1]", "stacking.plain = 'one'; pieces.allowed = [1, 2]", "refused: does not have room"),
    ("TE", "pieces.setup", "[0, 0]", "stacking.plain = 'one'; board.marks = []; pieces.allowed = [2]", "refused: does not have room"),
    ("T", "pieces.setup", "[1, 27]", "TWICE; stacking.plain = 'one'; pieces.allowed = [2]", "refused: does not have room"),
    ("T", "pieces.setup", "[0, 0, 0, 1]", "stacking.marked = 'one'; pieces.allowed = [1, 2]", "start"),
    ("TSEDV", "pieces.allowed", "[2, 2]", "", "refused: contains 2 twice"),
    ("TSEDV", "pieces.allowed", "[3]", "", "refused: pieces.count, which is 2"),
    ("T", "board.other_marks", "[{ squares = [] }]", "", "refused: has no effect"),
    ("T", "turn.again", "[1, 1, 8]", "", "refused: contains 1 twice"),
    ("T", "turn.again_on_capture", "true", "turn.most_throws = 1; turn.last_throw = 'lost'", "refused: has no effect"),
    ("T", "turn.again_on_finish", "true", "ONE_PIECE", "refused: has no effect"),
    ("TEV", "entry.next", "[4]", "ONE_PIECE", "refused: has no effect"),
    ("T", "entry.compulsory", "true", "ONE_PIECE", "refused: has no effect"),
    ("T", "entry.clear", "true", "ONE_PIECE", "refused: has no effect"),
    ("TSEV", "words.unit", "'twins'", "", "refused: has no effect"),
    ("TSEDV", "words.borne", "'out'", "", "refused: has no effect"),
    ("TSEDV", "words.mark", "'castle'", "board.marks = []", "refused: has no effect"),
    ("TSEDV", "words.home", "'off'", "", "refused: words.off and words.home must be different words"),
    ("TEV", "pieces.setup", "'start'", "", "start"),
    ("S", "pieces.setup", "'start'", "", "refused: does not work with setup or sent_to"),
    ("D", "pieces.setup", "'start'", "", "refused: must not be \"count\""),
    ("TSEDV", "pieces.setup", "[1, 2, 2, 3]", "", "start"),
    ("TEV", "pieces.sent_to", "'start'", "", "turns"),
    ("TE", "pieces.sent_to", "24", "PRIVATE; board.marks = ['D1', 'G4', 'D7', 'A4']", "turns"),
    ("TE", "pieces.sent_to", "8", "", "refused: to which no other seat comes"),
    ("TE", "pieces.sent_to", "26", "PRIVATE; board.marks = ['D1', 'G4', 'D7', 'A4']", "refused: a number of a square must be between"),
    ("TE", "pieces.sent_to", "24", "PRIVATE; board.marks = []; stacking.plain = 'one'", "refused: with room for any number of pieces"),
    ("SDV", "pieces.sent_to", "24", "", "refused: only works with turn.kind = \"throw\" or turn.hop"),
    ("TE", "pieces.sent_to", "24", "PRIVATE; board.marks = []; gate.at = 24", "refused: must be a square before the gate"),
    ("TE", "pieces.sent_to", "24", "PRIVATE; board.marks = ['D2', 'F4', 'D6', 'B4']", "refused: must be a square without a mark"),
    ("T", "pieces.sent_to", "24", "PRIVATE; board.marks = []; finish.fill = true; stacking.plain = 'one'", "refused: if finish.fill is true"),
    ("TSE", "throws.values", "[5, 1, 2, 3, 4]", "turn.again = []", "odds"),
    ("DV", "throws.values", "[1, 2, 4, 6]", "", "odds"),
    ("TSE", "throws.odds", "'equal' | [1, 2, 3, 4, 5]", "", "odds"),
    ("DV", "throws.odds", "'cowries' | [1, 2, 3, 4]", "", "odds"),
    ("TS", "throws.dice", "2", "", "refused: must be 1 with"),
    ("E", "throws.dice", "3", "TWO_DICE", "turns"),
    ("E", "throws.values", "[0, 1, 2, 3]", "TWO_DICE", "refused: must not contain 0"),
    ("E", "throws.dice", "5", "TWO_DICE", "refused: from 1 to 4"),
    ("E", "throws.dice", "2", "", "refused: must have at most 4 values"),
    ("E", "throws.dice", "2", "", "refused: only works with turn.kind = \"series\" and throws.dice = 1"),
    ("DV", "throws.dice", "1", "", "refused: must be 2 with"),
    ("TDV", "turn.hop", "'each'", "", "refused: only works with turn.kind = \"series\""),
    ("S", "turn.hop", "'each'", "", "turns"),
    ("E", "turn.hop", "'sum'", "FIRST", "turns"),
    ("T", "turn.must", "'no-merge'", "", "turns"),
    ("TSED", "turn.must", "'optional'", "", "turns"),
    ("SE", "turn.must", "'greedy'", "", "turns"),
    ("T", "turn.must", "'most'", "", "refused: must be one of"),
    ("E", "turn.must", "'greedy'", "TWO_DICE", "turns"),
    ("SEDV", "turn.must", "'one'", "", "refused: must be one of"),
    ("SE", "turn.stop", "[2, 3, 4]", "", "turns"),
    ("T", "turn.again", "[1, 8]", "", "turns"),
    ("SEDV", "turn.again", "[1]", "", "refused: only works with turn.kind = \"throw\""),
    ("TSEV", "turn.again_on_capture", "true", "", "turns"),
    ("D", "turn.again_on_capture", "true", "", "refused: only works with turn.kind"),
    ("TSE", "turn.again_on_doublet", "true", "", "refused: only works with turn.kind = \"divide\""),
    ("V", "turn.again_on_doublet", "true", "", "turns"),
    ("T", "turn.most_throws", "2", "", "turns"),
    ("T", "turn.most_throws", "1", "", "refused: turn.again: [4, 8] has no effect"),
    ("T", "turn.most_throws", "2", "turn.again = []", "refused: has no effect"),
    ("T", "turn.divide", "'finish'", "", "turns"),
    ("T", "turn.divide", "'finish'", "UNITS", "refused: only works with unit.kind = \"none\""),
    ("T", "turn.divide", "'finish'", "ONE_PIECE", "refused: has no effect"),
    ("T", "turn.divide", "'finish'", "GATE", "turns"),
    ("TED", "entry.first", "[4]", "", "turns"),
    ("D", "entry.first", "[10]", "ONE_PIECE", "turns"),
    ("D", "entry.first", "[10]", "", "turns"),
    ("D", "entry.first", "[11]", "", "refused: 11 is never thrown"),
    ("V", "entry.first", "'any'", "", "turns"),
    ("S", "entry.first", "'any'", "", "refused: must be [1]"),
    ("TE", "entry.first", "[0, 4]", "throws.values = [0, 1, 2, 3, 4]; turn.again = []", "refused: must not contain 0"),
    ("TED", "entry.next", "[4]", "", "turns"),
    ("V", "entry.next", "'any'", "", "turns"),
    ("S", "entry.next", "'any'", "", "refused: must be equal to entry.first"),
    ("TEV", "entry.first", "[4]", "pieces.setup = 'start'; pieces.sent_to = 'start'; entry.next = 'any'", "refused: has no effect"),
    ("TE", "entry.at", "'count'", "", "turns"),
    ("S", "entry.at", "'count'", "", "refused: must be \"start\" with turn.hop"),
    ("D", "entry.at", "'start'", "", "refused: must be \"count\" with turn.kind"),
    ("SEV", "entry.compulsory", "true", "", "refused: only works with turn.kind = \"throw\" or turn.kind = \"dice\""),
    ("T", "entry.compulsory", "true", "", "turns"),
    ("T", "entry.compulsory", "true", "entry.by_bonus = true; turn.bonus = [4]; entry.first = 'any'; entry.next = 'any'", "refused: has no effect"),
    ("D", "entry.compulsory", "false", "", "refused: must be true with"),
    ("T", "entry.spends", "false", "turn.must = 'optional'", "turns"),
    ("SE", "entry.lost_before", "'off-board' | 'off-course'", "FIRST", "turns"),
    ("E", "entry.lost_before", "'off-board'", "TWO_DICE", "refused: only works without teams and with throws.dice = 1"),
    ("TDV", "entry.lost_before", "'off-board'", "", "refused: only works with turn.kind = \"series\""),
    ("TE", "stacking.plain", "'one'", "", "turns"),
    ("TE", "stacking.plain", "'two'", "pieces.count = 3", "turns"),
    ("TE", "stacking.plain", "'one'", "ONE_PIECE", "refused: has no effect"),
    ("D", "stacking.plain", "'one' | 'any'", "", "refused: needs stacking.plain = \"two\""),
    ("TE", "stacking.inner", "'one'", "GATE", "turns"),
    ("TE", "stacking.inner", "'one'", "PRIVATE; board.marks = []; gate.at = 24", "turns"),
    ("TE", "stacking.inner", "'two'", "GATE; pieces.count = 3", "turns"),
    ("TE", "stacking.inner", "'any'", "GATE; stacking.plain = 'one'", "turns"),
    ("TSEV", "stacking.inner", "'one'", "", "refused: only works with gate.at"),
    ("D", "stacking.inner", "'one'", "", "refused: needs stacking.plain = \"two\", stacking.private = \"any\""),
    ("TE", "stacking.private", "'one'", "PRIVATE; board.marks = ['D1', 'G4', 'D7', 'A4']", "turns"),
    ("TE", "stacking.private", "'two'", "PRIVATE; board.marks = []; pieces.count = 3", "turns"),
    ("TE", "stacking.private", "'any'", "PRIVATE; board.marks = []; stacking.plain = 'one'", "turns"),
    ("TE", "stacking.private", "'one'", "", "refused: has no effect"),
    ("SV", "stacking.private", "'one' | 'two' | 'any'", "PRIVATE; board.marks = ['D1', 'G4', 'D7', 'A4']", "refused: must be left out with turn."),
    ("TE", "stacking.marked", "'one'", "", "turns"),
    ("TE", "stacking.marked", "'one'", "board.marks = []", "refused: has no effect"),
    ("TE", "stacking.marked", "'one'", "board.mark_rule = 'closed'", "refused: has no effect"),
    ("TSEDV", "stacking.marked", "'two'", "", "refused: one of \"one\", \"any\""),
    ("D", "stacking.marked", "'one'", "", "refused: need board.mark_rule = \"share\" and stacking.marked"),
    ("TSE", "unit.kind", "'together'", "", "turns"),
    ("TE", "unit.kind", "'together'", "stacking.plain = 'one'; board.marks = []", "refused: has no effect"),
    ("SE", "unit.kind", "'declared'", "", "refused: must name a square"),
    ("SE", "unit.from", "['E3']", "DECLARED", "turns"),
    ("SE", "unit.split", "false", "DECLARED", "turns"),
    ("TDV", "unit.kind", "'declared'", "", "refused: only works with turn.kind = \"series\""),
    ("D", "unit.kind", "'none'", "", "refused: needs unit.kind = \"together\""),
    ("TSEV", "unit.from", "['C5']", "", "refused: has no effect"),
    ("TE", "unit.area", "'inner'", "UNITS; GATE", "turns"),
    ("TE", "unit.area", "'inner'", "GATE", "refused: has no effect"),
    ("TE", "unit.split", "false", "PRIVATE; board.marks = []; gate.at = 24; UNITS; unit.area = 'inner'", "turns"),
    ("TE", "gate.at", "16", "PRIVATE; board.marks = []; gate.at = 24; UNITS; unit.area = 'inner'", "refused: unit.area: A6 is before the gate"),
    ("SV", "unit.area", "'inner'", "", "refused: only works with gate.at"),
    ("TSE", "unit.speed", "'half' | 'half-spent' | 'half-even'", "UNITS", "turns"),
    ("TE", "unit.speed", "'double'", "UNITS", "turns"),
    ("E", "unit.speed", "'double'", "TWO_DICE; UNITS; capture.single_on_unit = 'shares'", "turns"),
    ("TSEV", "unit.speed", "'half'", "", "refused: has no effect"),
    ("E", "unit.kind", "'together'; unit.speed = 'double'", "TWO_DICE", "turns"),
    ("E", "unit.kind", "'declared'; unit.from = ['C5']", "TWO_DICE", "refused: for a series of several dice"),
    ("E", "unit.split", "false", "TWO_DICE; UNITS; capture.single_on_unit = 'shares'", "turns"),
    ("E", "unit.three", "[1, 2]", "THREE_DICE; UNITS; unit.speed = 'double'; capture.single_on_unit = 'shares'", "turns"),
    ("E", "unit.three", "[7]", "THREE_DICE; UNITS; unit.speed = 'double'; capture.single_on_unit = 'shares'", "refused: 7 is never thrown"),
    ("E", "unit.three", "[1]", "TWO_DICE; UNITS; capture.single_on_unit = 'shares'", "refused: only works with throws.dice = 3"),
    ("TSEDV", "unit.three", "[1]", "", "refused: only works with throws.dice = 3"),
    ("TSE", "unit.split", "false", "UNITS", "turns"),
    ("TSEV", "unit.split", "false", "", "refused: has no effect"),
    ("T", "unit.passable", "false", "UNITS; board.mark_rule = 'closed'", "turns"),
    ("T", "unit.passable", "false", "board.mark_rule = 'closed'", "refused: has no effect"),
    ("SEDV", "unit.passable", "false", "", "refused: only works with turn.kind = \"throw\""),
    ("TSE", "capture.single_on_unit", "'shares'", "UNITS", "turns"),
    ("TE", "capture.single_on_unit", "'barred'", "UNITS", "turns"),
    ("S", "capture.single_on_unit", "'barred'", "UNITS", "refused: must be \"takes\" or \"shares\""),
    ("TSEV", "capture.single_on_unit", "'shares'", "", "refused: has no effect"),
    ("TEV", "capture.single_on_unit", "'barred'", "", "refused: has no effect"),
    ("D", "capture.single_on_unit", "'takes'", "", "refused: needs capture.single_on_unit = \"barred\""),
    ("TSE", "capture.unit_on_single", "'shares'", "UNITS", "turns"),
    ("TSEV", "capture.unit_on_single", "'shares'", "", "refused: has no effect"),
    ("T", "capture.unit_on_single", "'shares'", "UNITS; unit.speed = 'half-even'; throws.values = [1, 3, 5]; turn.again = []", "refused: has no effect"),
    ("TE", "capture.unit_on_unit", "'takes-equal'", "UNITS; pieces.count = 3", "turns"),
    ("TE", "capture.unit_on_unit", "'shares' | 'barred'", "UNITS", "turns"),
    ("E", "capture.unit_on_unit", "'takes-equal' | 'shares' | 'barred'", "THREE_DICE; UNITS; unit.speed = 'double'; capture.single_on_unit = 'shares'", "turns"),
    ("TE", "capture.unit_on_unit", "'shares'", "", "refused: has no effect"),
    ("SDV", "capture.unit_on_unit", "'takes-equal'", "", "refused: capture.unit_on_unit: this value only works"),
    ("TSEDV", "capture.unit_on_single", "'barred'", "", "refused: one of \"takes\", \"shares\""),
    ("TSEV", "capture.group", "'one'", "", "turns"),
    ("TE", "capture.group", "'one'", "stacking.plain = 'one'", "refused: has no effect"),
    ("TSE", "capture.group", "'one'", "UNITS", "refused: has no effect"),
    ("TE", "gate.at", "16", "", "turns"),
    ("D", "gate.at", "20", "", "turns"),
    ("SV", "gate.at", "16", "", "refused: only works with turn.kind"),
    ("TE", "gate.without", "'lap'; gate.lap = 16", "GATE", "turns"),
    ("D", "gate.without", "'lap'; gate.lap = 24 | 'open'", "", "turns"),
    ("TE", "gate.lap", "8", "GATE", "refused: has no effect"),
    ("TE", "gate.lap", "8 | 4", "LAP", "turns"),
    ("TE", "gate.without", "'wait'", "GATE; gate.without = 'open'", "turns"),
    ("D", "gate.lap", "12 | 6", "gate.lap = 24; gate.without = 'lap'", "turns"),
    ("TSEV", "gate.without", "'open'", "", "refused: has no effect"),
    ("TSEV", "gate.lap", "8", "", "refused: has no effect"),
    ("TE", "gate.opened_by", "'team'", "GATE", "refused: has no effect"),
    ("D", "gate.opened_by", "'team'", "TEAMS", "turns"),
    ("D", "gate.opened_by", "'team'", "", "refused: has no effect"),
    ("SE", "finish.bear_off", "[1]", "", "turns"),
    ("TDV", "finish.bear_off", "[1]", "", "refused: only works with turn.kind = \"series\""),
    ("TSEDV", "board.columns", "9", "", "refused: has no course"),
    ("TSEV", "board.columns", "6", "board.copy = 'mirror'; seats.allowed = ['SN']", "drawing"),
    ("D", "board.columns", "8", "board.copy = 'mirror'; seats.allowed = ['SN']", "drawing"),
    ("TSEDV", "board.copy", "'mirror'", "", "refused: has no course"),
    ("TSEDV", "board.copy", "'mirror'", "seats.allowed = ['SN']", "turns"),
    ("T", "board.mark_rule", "'plain'", "", "turns"),
    ("T", "board.mark_again", "true", "", "turns"),
    ("T", "board.mark_again", "true", "board.marks = []", "refused: has no effect"),
    ("T", "board.other_marks", "[{ squares = ['D2', 'D4', 'B2', 'B4'], rule = 'block', again = true }]", "", "turns"),
    ("T", "board.other_marks", "[{ squares = ['C1', 'E3', 'C5', 'A3'] }]", "", "refused: is marked twice"),
    ("T", "turn.again_unused", "false", "", "turns"),
    ("T", "turn.again_unused", "false", "turn.again = []", "refused: false only works with turn.again"),
    ("T", "turn.again_on_finish", "true", "", "turns"),
    ("T", "turn.last_throw", "'lost'", "turn.most_throws = 2", "turns"),
    ("T", "turn.last_throw", "'lost'", "", "refused: only works with turn.most_throws"),
    ("T", "turn.bonus", "[4]", "", "turns"),
    ("T", "turn.bonus", "[4]", "turn.divide = 'finish'", "refused: does not work with turn.divide"),
    ("T", "turn.bonus_order", "'any'", "turn.bonus = [4]", "turns"),
    ("T", "turn.bonus_order", "'any'", "", "refused: only works with turn.bonus"),
    ("T", "turn.bonus_order", "'any'", "turn.bonus = [1]", "refused: the step would look alike"),
    ("T", "entry.first_while", "'never'", "entry.first = [4]", "marks"),
    ("T", "entry.first_while", "'never'", "", "refused: if entry.first and entry.next differ"),
    ("T", "entry.at", "5", "", "turns"),
    ("T", "entry.clear", "true", "", "turns"),
    ("T", "entry.clear", "true", "entry.at = 'count'", "refused: does not work with entry.at = \"count\""),
    ("T", "entry.by_bonus", "true", "turn.bonus = [4]", "turns"),
    ("T", "entry.by_bonus", "true", "", "refused: only works with turn.bonus"),
    ("T", "stacking.block", "'landing'", "", "turns"),
    ("T", "stacking.block", "'passing'", "stacking.block = 'landing'", "turns"),
    ("T", "stacking.block", "'passing'", "UNITS", "refused: only works with unit.kind"),
    ("T", "stacking.block", "'landing'", "stacking.plain = 'one'; stacking.marked = 'one'", "refused: stacking is \"one\" everywhere"),
    ("T", "stacking.block", "'landing'", "stacking.plain = 'one'; stacking.marked = 'one'; stacking.inner = 'two'; GATE", "turns"),
    ("T", "stacking.block", "'landing'", "stacking.plain = 'one'; board.mark_rule = 'plain'", "refused: has no effect"),
    ("T", "stacking.block", "'passing'", "stacking.plain = 'one'; board.mark_rule = 'block'", "turns"),
    ("TE", "stacking.partner", "'shares'", "TEAMS", "turns"),
    ("E", "stacking.partner", "'shares'", "TWO_DICE; TEAMS", "turns"),
    ("TE", "stacking.partner", "'shares'", "", "refused: only works with seats.teams"),
    ("T", "finish.overshoot", "'wasted' | 'bounces'", "", "turns"),
    ("T", "finish.overshoot", "'wasted'", "turn.divide = 'finish'", "refused: if turn.divide is \"finish\""),
    ("T", "finish.from_last", "[8]", "", "turns"),
    ("T", "finish.from_last", "[1]", "", "refused: has no effect"),
    ("T", "finish.from_last", "[8]", "finish.overshoot = 'wasted'", "refused: has no effect"),
    ("T", "finish.from_last", "[8]", "finish.overshoot = 'bounces'", "turns"),
    ("T", "finish.from_last", "[8]", "UNITS", "refused: only works with unit.kind = \"none\" and turn.divide"),
    ("T", "finish.fill", "true", "FILLED; pieces.allowed = [1, 2]", "turns"),
    ("T", "finish.fill", "true", "", "refused: must be \"one\" if finish.fill is true"),
    ("T", "finish.fill", "true", "FILLED", "refused: no other seat may come to the squares"),
    ("TE", "gate.opened_by", "'team'", "TEAMS; GATE", "turns"),
    ("V", "finish.doublets", "[3]", "", "turns"),
    ("TSED", "finish.doublets", "[1]", "", "refused: only works with turn.kind = \"divide\""),
    ("TSE", "throws.odds", "[0, 2, 3, 4, 5]", "", "refused: remove the value"),
    ("DV", "throws.odds", "[1, 0, 3, 4]", "", "refused: remove the value"),
    ("T", "board.marks", "['D2', 'F4', 'D6', 'B4']", "FILLED; pieces.allowed = [1, 2]; finish.fill = true", "drawing"),
    ("T", "unit.kind", "'together'", "CROSSING", "turns"),
    ("E", "entry.lost_before", "'off-board'", "entry.first = [4, 8]; entry.next = [4, 8]", "turns"),
    ("T", "gate.at", "6; gate.without = 'open'", "entry.at = 'count'; entry.first = [8]; entry.next = [8]", "turns"),
    ("T", "stacking.block", "'passing'", "stacking.block = 'landing'; LAP", "turns"),
    ("T", "stacking.block", "'passing'", "stacking.block = 'landing'; turn.divide = 'finish'", "turns"),
    ("T", "entry.spends", "false", "turn.must = 'optional'; entry.first = [2]; entry.next = [1]; entry.first_while = 'never'", "turns"),
    ("T", "entry.tries", "3", "entry.first = [2]; entry.next = [2]", "turns"),
    ("T", "entry.tries", "3", "", "refused: has no effect"),
    ("T", "entry.tries", "3", "throws.values = [0, 8, 1, 2, 3, 4]", "turns"),
    ("T", "entry.tries", "3", "stacking.plain = 'one'", "refused: has no effect"),
    ("T", "entry.tries", "3", "stacking.block = 'landing'", "turns"),
    ("SEDV", "entry.tries", "3", "", "refused: only works with turn.kind = \"throw\""),
];

/// The rows, each with one value.
fn rows() -> impl Iterator<Item = Row> {
    let of_row =
        |&(kinds, key, values, with, seen): &Row| values.split(" | ").map(move |value| (kinds, key, value, with, seen));
    ROWS.iter().flat_map(of_row)
}

/// The changes of a row, with those that it names.
fn changes(written: &str) -> Vec<String> {
    let named =
        |change: String| NAMED.iter().find(|(name, _)| *name == change).map_or(vec![change], |(_, of)| split(of));
    split(written).into_iter().flat_map(named).collect()
}

pub(crate) fn read(table: &toml::Table) -> Result<Arc<Sheet>, String> {
    let text = toml::to_string(table).expect("TOML");
    Sheet::read(&text, "keys.toml").map(Arc::new).map_err(|error| error.to_string())
}

/// The race of a sheet for the largest of its sets of seats.
fn race(sheet: &Arc<Sheet>) -> Race {
    let seats = sheet.seats.allowed.iter().max_by_key(|set| set.len()).expect("seats");
    Race::new(Ruleset::of(Arc::clone(sheet), SeatSet::from_letters(seats).expect("seats"), []).expect("a ruleset"))
}

/// The most positions in which both sheets are compared, and the number of positions that the oracle checks.
const POSITIONS: usize = 4_000;
const CHECKED: usize = 24;

/// Whether some throw leaves other positions in some position.
fn turns_differ(sheets: [&Arc<Sheet>; 2]) -> bool {
    let races = sheets.map(race);
    let mut rng = chance::stream(0x5EE7, 0);
    let mut found = false;
    for at in 0..POSITIONS {
        let position = random::placed(&races[at % 2], &mut rng);
        if races.iter().any(|race| race.parse_state(&position).is_err()) {
            continue;
        }
        let throws = engine::draw(&races[at / 2 % 2], &position, &mut rng);
        if throws.len() > 4 {
            continue;
        }
        // A series that does not end there has no turns.
        let turns = |at: usize| match engine::turns(&races[at], &position, &throws) {
            Ok(turns) if !turns.is_empty() => Ok(turns),
            _ => Err("no such throw"),
        };
        let all = [turns(0), turns(1)];
        found |= all[0] != all[1];
        if at < CHECKED || at % 64 == 0 || all[0] != all[1] {
            for (sheet, turns) in sheets.iter().zip(&all).filter(|(_, turns)| turns.is_ok()) {
                let expected = oracle::turns(&sheet.text(), &position, &throws).map_err(|_| "no such throw");
                assert_eq!(*turns, expected, "engine left, oracle right: {position} {throws:?}\n{}", sheet.text());
            }
        }
        if found && at >= CHECKED {
            break;
        }
    }
    found
}

/// A fact of a sheet that a row can change besides turns.
fn fact(seen: &str, sheet: &Arc<Sheet>) -> String {
    let race = race(sheet);
    let state = race.initial_state(Seat::SOUTH);
    match seen {
        "start" => race.print(&state),
        "drawing" => race.draw(&state),
        "numbers" => race.place_text(5),
        "marks" => race.parse_state("keys S+:off,off/E:off,off/N:off,off S *").is_ok().to_string(),
        "limit" => race.spec().turn_limit.to_string(),
        "players" => sheet.seats.one_mind.to_string(),
        "odds" => {
            let chances = race.chance_outcomes(&state).iter().enumerate();
            let values = |at: usize| race.throw_values(ashta_env::game::Outcome(at as u8));
            chances.map(|(at, chance)| format!("{:?}: {chance:.6}\n", values(at))).collect()
        }
        "choices" => {
            let sets = ["SN", "SEN", "SENW"].map(|letters| SeatSet::from_letters(letters).expect("seats"));
            let is_played =
                |seats: SeatSet, pieces: &str| Ruleset::of(Arc::clone(sheet), seats, [("pieces", pieces)]).is_ok();
            format!("{:?}", sets.map(|seats| ["1", "2", "3", "4"].map(|pieces| is_played(seats, pieces))))
        }
        other => panic!("a row sees `{other}`"),
    }
}

/// The problem of a row for a kind of turn, if what it says is not so.
fn problem(kind: char, (_, key, value, with, seen): Row) -> Option<String> {
    let row = format!("{kind}: {key} = {value} with `{with}`");
    let before = changed(&base(kind).parse().expect("a base sheet"), &changes(with));
    let after = changed(&before, &split(&format!("{key} = {value}")));
    let sheet = read(&after);
    if let Some(reason) = seen.strip_prefix("refused: ") {
        let error = sheet.err().unwrap_or_default();
        let has_key = |line: &str| reason != "has no effect" || line.contains(&format!(" {key}: "));
        let is_refused = error.lines().any(|line| line.contains(reason) && has_key(line));
        return (!is_refused).then(|| format!("{row} is not refused with `{reason}`: {error}"));
    }
    let (before, after) = match (read(&before), sheet) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) => return Some(format!("{row}: without it {error}")),
        (_, Err(error)) => return Some(format!("{row}: {error}")),
    };
    let differs = match seen {
        "turns" => turns_differ([&before, &after]),
        seen => fact(seen, &before) != fact(seen, &after),
    };
    (!differs).then(|| format!("{row} does not change {seen}"))
}

/// The keys of the schema, dotted, with names of their values: words, true and false, and the kinds of others.
fn keys(schema: &Value, at: &Value, key: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    if let Some(name) = at["$ref"].as_str() {
        return keys(schema, schema.pointer(name.trim_start_matches('#')).expect("a definition"), key, found);
    }
    for part in ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|part| at[part].as_array()).flatten() {
        keys(schema, part, key, found);
    }
    if let Some(properties) = at["properties"].as_object() {
        for (name, inner) in properties {
            keys(schema, inner, &if key.is_empty() { name.clone() } else { format!("{key}.{name}") }, found);
        }
        return;
    }
    let words =
        at["const"].as_str().into_iter().chain(at["enum"].as_array().into_iter().flatten().filter_map(Value::as_str));
    let words: Vec<String> = words.map(str::to_owned).collect();
    let types: Vec<&str> = match &at["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let names = types.into_iter().flat_map(|kind| match kind {
        "boolean" => vec!["true", "false"],
        "string" if words.is_empty() => vec!["a text"],
        "integer" => vec!["a number"],
        "array" => vec!["a list"],
        "object" => vec!["a table"],
        _ => Vec::new(),
    });
    found.entry(key.to_owned()).or_default().extend(names.map(str::to_owned).chain(words.clone()));
}

/// The names of a value, as [`keys`] has them.
pub(crate) fn name(value: &toml::Value) -> &str {
    match value {
        toml::Value::String(text) => text,
        toml::Value::Boolean(true) => "true",
        toml::Value::Boolean(false) => "false",
        toml::Value::Array(_) => "a list",
        toml::Value::Table(_) => "a table",
        _ => "a number",
    }
}

/// The name of the first value of a row.
fn name_of(value: &str) -> String {
    let value: toml::Table = split(&format!("value = {value}")).swap_remove(0).parse().expect("a value");
    name(&value["value"]).to_owned()
}

/// The accepted sheets of the rows of a key, with the names of the values.
pub(crate) fn accepted(key: &str) -> Vec<(String, toml::Table)> {
    let sheets = rows_of(key, "").flat_map(|(kinds, _, value, with, _)| {
        let before = move |kind| changed(&base(kind).parse().expect("a base sheet"), &changes(with));
        let key = key.to_owned();
        kinds.chars().map(move |kind| (name_of(value), changed(&before(kind), &split(&format!("{key} = {value}")))))
    });
    sheets.filter(|(_, table)| read(table).is_ok()).collect()
}

/// The rows that say that a value has an effect. An empty name means any value.
fn rows_of(key: &str, value: &str) -> impl Iterator<Item = Row> {
    let is_meant = move |row: &Row| row.1 == key && (value.is_empty() || name_of(row.2) == value);
    rows().filter(move |row| is_meant(row) && !row.4.starts_with("refused"))
}

/// Whether the base sheet of this kind of turn refuses a value that can have an effect in another kind, with an error
/// of the section.
pub(crate) fn is_refused(kind: char, key: &str, value: &str) -> bool {
    let tried = rows_of(key, value).next().map_or_else(|| format!("'{value}'"), |row| row.2.to_owned());
    let sheet = read(&changed(&base(kind).parse().expect("a base sheet"), &split(&format!("{key} = {tried}"))));
    let section = key.split_once('.').map_or(key, |(section, _)| section);
    sheet.is_err_and(|error| error.contains(section))
}

fn is_no_rule(key: &str) -> bool {
    NO_RULES.iter().any(|other| key.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

#[test]
fn every_key_and_value_has_a_row() {
    let mut all = BTreeMap::new();
    keys(&SCHEMA, &SCHEMA, "", &mut all);
    assert!(all.len() > 60 && all["turn.kind"].len() == 4, "{all:?}");
    let unknown: Vec<_> = rows().map(|row| row.1).filter(|key| !all.contains_key(*key)).collect();
    assert!(unknown.is_empty(), "rows of keys that the schema does not have: {unknown:?}");
    let mut missing = Vec::new();
    for kind in KINDS.chars() {
        for (key, values) in all.iter().filter(|(key, _)| !is_no_rule(key)) {
            let mut said: BTreeSet<String> = BTreeSet::new();
            let rows = rows().filter(|row| row.0.contains(kind) && row.1 == key);
            for (value, with) in rows.map(|row| (Some(row.2), row.3)).chain([(None, "")]) {
                let before = changed(&base(kind).parse().expect("a base sheet"), &changes(with));
                said.extend(value.map(name_of));
                // The value before the change is covered, too.
                let whole: Option<toml::Table> = read(&before).ok().and_then(|sheet| sheet.text().parse().ok());
                let (section, inner) = key.split_once('.').expect("a section");
                let old = whole.as_ref().and_then(|whole| whole.get(section)?.get(inner));
                said.extend(old.map(|old| name(old).to_owned()));
                said.extend(LEFT_OUT.iter().filter(|(left, _)| left == key).map(|(_, value)| (*value).to_owned()));
            }
            let is_text = values.contains("a text") && !said.is_empty();
            let left = values.iter().filter(|value| !(said.contains(*value) || *value == "a text" && is_text));
            let is_effect = |value: &str| rows_of(key, value).next().is_some();
            let is_said = |value: &&String| is_effect(value) && is_refused(kind, key, value);
            missing.extend(left.filter(|value| !is_said(value)).map(|value| format!("{kind} {key} {value}")));
        }
    }
    assert!(missing.is_empty(), "ROWS lacks {} values, or NO_RULES keys:\n{}", missing.len(), missing.join("\n"));
}

fn check_rows(kinds: &str) {
    let rows = rows().flat_map(|row| row.0.chars().map(move |kind| (kind, row)));
    let problems: Vec<String> =
        rows.filter(|(kind, _)| kinds.contains(*kind)).filter_map(|(kind, row)| problem(kind, row)).collect();
    assert!(problems.is_empty(), "{} rows are not so:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn rows_of_one_throw_are_so() {
    check_rows("T");
}

#[test]
fn rows_of_a_series_are_so() {
    check_rows("SE");
}

#[test]
fn rows_of_two_dice_are_so() {
    check_rows("DV");
}

/// The base sheet with a random pair of rows on a random course, if it is a good one.
pub(crate) fn random_pair(kind: char, rng: &mut GameRng) -> Option<Arc<Sheet>> {
    let rows: Vec<Row> = rows().filter(|row| row.0.contains(kind) && !row.4.starts_with("refused")).collect();
    let mut table = base(kind).parse().expect("a base sheet");
    if below(4, rng) > 0 {
        table = changed(&table, &split(&random::sheets::course(rng)));
    }
    for (_, key, value, with, _) in [0; 2].map(|_| rows[below(rows.len(), rng)]) {
        table = changed(&changed(&table, &changes(with)), &split(&format!("{key} = {value}")));
    }
    let sheet = read(&table).ok()?;
    let marks = random::sheets::marked_alike(&sheet, rng).iter().map(|mark| format!("'{mark}'")).collect::<Vec<_>>();
    let marked = read(&changed(&table, &[format!("board.marks = [{}]", marks.join(", "))])).ok();
    marked.filter(|_| below(2, rng) == 0).or(Some(sheet)).filter(|sheet| !random::sheets::is_disputed(sheet))
}

/// Where engine and oracle differ in a sheet.
fn difference(sheet: &Arc<Sheet>, rng: &mut GameRng) -> Option<String> {
    let race = Race::new(random::sheets::ruleset(sheet, rng));
    let mut positions = random::played(&race, 4, rng);
    positions.extend((0..8).map(|_| random::placed(&race, rng)));
    positions.into_iter().find_map(|position| {
        if let Err(error) = race.parse_state(&position) {
            return Some(format!("{position} cannot be read: {error}\n{}", sheet.text()));
        }
        let throws = engine::draw(&race, &position, rng);
        let sides = [engine::turns(&race, &position, &throws), oracle::turns(&sheet.text(), &position, &throws)];
        let [left, right] = sides.map(|turns| turns.map_err(|_| "no such throw"));
        let text = || format!("{position} {throws:?}\n  engine {left:?}\n  oracle {right:?}\n{}", sheet.text());
        (throws.len() <= 4 && left != right && left != Ok(BTreeSet::new())).then(text)
    })
}

/// `ASHTA_PAIRS` sets the number of sheets of each kind of turn (by default 40, in `./test deep` 5,000), `ASHTA_SEED`
/// chooses the sheets.
#[test]
fn pairs_of_keys_on_random_courses_are_played_as_the_oracle_does() {
    let mut differences = Vec::new();
    for (kind, test) in KINDS.chars().zip(number("ASHTA_SEED", 0x5EE7) as u64..) {
        let sheets = cases(test).filter_map(|mut rng| Some((random_pair(kind, &mut rng)?, rng)));
        for (sheet, mut rng) in sheets.take(number("ASHTA_PAIRS", amount(40, 5_000))) {
            differences.extend(difference(&sheet, &mut rng));
        }
    }
    assert!(differences.is_empty(), "{} sheets differ:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn two_dice_are_played_as_the_oracle_does() {
    let winding = "board.side = 5; board.copy = 'mirror'; seats.allowed = ['SN']; board.marks = []; board.course = \
                   'E1 W3 N1 W1 N2 E1 N1 E2 S1 W2 N1 E3 S4 W3 N1 >C3'";
    let by_sum = "seats.allowed = ['SN']; entry.first = [10]; pieces.setup = [1, 2, 2, 3]";
    for (changes, position) in [(by_sum, "S+:off,off/N:19,23 N *"), (winding, "S:8,20/N:2,2 S *")] {
        let sheet = read(&changed(&base('D').parse().expect("a base sheet"), &split(changes))).expect("a sheet");
        let position = format!("keys {position}");
        let turns = engine::turns(&race(&sheet), &position, &[4, 6]);
        assert_eq!(turns, oracle::turns(&sheet.text(), &position, &[4, 6]), "{changes}");
    }
}

/// With two dice, pieces count from before the first square, also if that square has the number 0.
#[test]
fn the_words_of_a_die_that_enters_name_its_square() {
    let one = changed(&base('D').parse().expect("a base sheet"), &split("pieces.count = 1; seats.allowed = ['SN']"));
    for first in ["0", "1"] {
        let race = race(&read(&changed(&one, &[format!("board.first_number = {first}")])).expect("a sheet"));
        let mut state = race.parse_state("keys S:off/N:off S *").expect("a position");
        race.throw(&mut state, &[3, 4]).expect("two dice");
        let mut places = Vec::new();
        while let Node::Decision(_) = race.node(&state) {
            let action = race.legal_actions(&state).iter().next().expect("a legal action");
            places.extend(race.step(&state, action).map(|step| race.place_text(step.to)));
            race.apply_action(&mut state, action);
        }
        assert_eq!((places.last().map(String::as_str), race.print(&state)), (Some("7"), "keys S:7/N:off N *".into()));
    }
}

/// The sheet may write what one of its house rules needs, and a house rule what another needs.
#[test]
fn house_rules_bring_idle_keys_to_life() {
    let flag = |name: &str, change: &str| {
        format!("flags.{name}.off.about = ''\nflags.{name}.on.about = ''\nflags.{name}.on.{change}")
    };
    let units = flag("units", "unit.kind = 'together'");
    for (changes, flags, refused) in [
        ("unit.speed = 'half'", vec![], Some("unit.speed: \"half\" has no effect in this game")),
        ("unit.speed = 'half'", vec![units.clone()], None),
        ("unit.kind = 'together'; unit.speed = 'half'", vec![flag("single", "unit.kind = 'none'")], None),
        (
            "",
            vec![flag("slow", "unit.speed = 'half'")],
            Some("flags.slow.on: with this value, unit.speed: \"half\" has no effect in this game"),
        ),
        ("", vec![flag("slow", "unit.speed = 'half'"), units.clone()], None),
        ("", vec![flag("same", "turn.must = 'one'")], Some("flags.same.on: this value changes nothing")),
        // The house rule that has units sets another speed.
        ("unit.speed = 'half'", vec![format!("{units}\nflags.units.on.unit.speed = 'full'")], Some("unit.speed")),
    ] {
        let table = changed(&base('T').parse().expect("a base sheet"), &split(changes));
        let table = changed(&table, &[flags.join("\n")]);
        let error = read(&table).err();
        assert_eq!(error.is_some(), refused.is_some(), "{changes} {flags:?}: {error:?}");
        assert!(error.unwrap_or_default().contains(refused.unwrap_or_default()), "{changes} {flags:?}");
    }
}
