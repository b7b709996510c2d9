//! Idle keys: keys of a valid sheet that have no effect, such as `unit.speed` in a game without units.

use std::sync::Arc;

use super::{DEFAULTS, Problem, one, report, value_of};
use crate::game::{MAX_SEATS, SeatSet};
use crate::race::compile::reach::places_of;
use crate::race::compile::{Cells, Rules};
use crate::race::turns::{self, TurnKeys};
use crate::sheet::{
    Block, FirstWhile, Flags, LastThrow, MarkRoom, MarkRule, Must, Odds, Overshoot, Returns, Room, SentTo, Setup,
    Sheet, Teams, TurnKind, UnitKind, UnitMeeting, Without,
};

/// The cells where pieces of two seats that play together can meet, if the pieces are on these places.
pub(super) fn shared_cells(rules: &Rules, places: u128) -> Cells {
    let sets = rules.sheet.seats.allowed.iter().filter_map(|letters| SeatSet::from_letters(letters).ok());
    sets.fold(0, |cells, seats| cells | rules.shared_cells(seats, places))
}

/// The keys of a valid sheet without house rules that have no effect, with the reasons.
fn idle_keys_of(sheet: &Sheet) -> Vec<Problem> {
    let Sheet { seats, pieces, turn, stacking, unit, entry, capture, gate, finish, .. } = sheet;
    let most = pieces.allowed.iter().copied().max().unwrap_or(pieces.count);
    let Ok(rules) = turns::compile(Arc::new(sheet.clone()), SeatSet::ALL, most.into()) else { return Vec::new() };
    let on_course = rules.reachable() & ((1 << rules.home) - 2);
    let bits = |seat: usize, place: u8| rules.bits[seat][usize::from(place)];
    let cells = |places: u128, seat| places_of(places).fold(0, |cells, place| cells | bits(seat, place));
    let (course, marked) = (cells(on_course, 0), cells(on_course & rules.marked, 0));
    let outer = (0..MAX_SEATS).fold(0, |outer, seat| outer | cells((1 << rules.gate.min(rules.home)) - 2, seat));
    let private = course & !marked & !rules.captured;
    let others = course & !marked & !stacking.private.map_or(0, |_| private);
    let inner = others & !outer;
    let plain = others & !stacking.inner.map_or(0, |_| inner);
    let has_room = |place: &u8| rules.room[usize::from(*place)] > 1;
    let with_two = places_of(on_course).filter(has_room).fold(0, |cells, place| cells | bits(0, place));
    let has_room_for_three = places_of(on_course).any(|place| rules.room[usize::from(place)] > 2);
    let met = shared_cells(&rules, on_course);
    // The cells where a piece can be captured.
    let captures = met & rules.captured;
    let blocks = with_two & met & !if stacking.block == Block::Landing { rules.closed_to_single[2] } else { 0 };
    let are_equal = !has_room_for_three && capture.unit_on_unit == UnitMeeting::TakesEqual;
    let ends_anyway = finish.overshoot == Overshoot::Wasted || finish.from_last == [1];
    let waits = pieces.setup == Setup::All(SentTo::Off) || pieces.sent_to == Returns::OFF && captures != 0;
    let (has_units, is_declared) = (unit.kind != UnitKind::None, unit.kind == UnitKind::Declared);
    let units = with_two & if is_declared { cells(on_course & rules.declaring, 0) } else { rules.unit_cells };
    let singles = with_two & captures & if is_declared { Cells::MAX } else { !rules.unit_cells };
    let moves_units = rules.outcomes.iter().any(|throw| rules.effects[usize::from(throw.values[0])].unit_steps > 0);
    let differs = |room: Option<Room>| room.is_some_and(|room| room != stacking.plain);
    let grants = !turn.again.is_empty()
        || turn.again_on_capture
        || turn.again_on_finish
        || sheet.board.mark_kinds().any(|marks| marks.again);
    let never = matches!(&sheet.throws.odds, Odds::Weights(weights) if weights.contains(&0));
    let no_two = "no two pieces of a seat can stand on such a square";
    let no_teams = seats.teams == Teams::None;
    let is_throw = turn.kind == TurnKind::Throw;
    let fills_marks = finish.fill && stacking.marked != MarkRoom::One && rules.marked >> rules.finished_from != 0;
    let marks = || sheet.board.mark_kinds();
    let is_once = turn.throw_limit() == Some(1);
    let no_off = pieces.setup != Setup::All(SentTo::Off) && pieces.sent_to != Returns::OFF;
    let are_two = seats.allowed.iter().all(|set| set.len() < 3);
    let one_throw = "a turn has one throw: turn.most_throws is 1";
    let needs_no_rule = turn.must == Must::NoMerge && with_two == 0;
    let no_units = "there are no units: unit.kind is \"none\"";
    let rows: [(bool, &str, &[&str]); 42] = [
        (fills_marks, "squares that must be filled have room for one piece", &["board.marks", "board.other_marks"]),
        (never, "a value with odds 0 is never thrown: remove the value", &["throws.odds"]),
        (are_two, "two seats take turns in either order", &["seats.order"]),
        (are_two, "with two seats the first winner ends the game", &["seats.end"]),
        (!no_teams, "with teams the first winners end the game", &["seats.end"]),
        (is_once && turn.last_throw != LastThrow::Lost, one_throw, &["turn.again"]),
        (
            is_once,
            one_throw,
            &["turn.again_unused", "turn.again_on_capture", "turn.again_on_finish", "board.mark_again"],
        ),
        (most < 2, "a seat has one piece", &["entry.compulsory", "entry.clear", "turn.again_on_finish"]),
        (most < 2 && entry.first_while == FirstWhile::Empty, "a seat has one piece", &["entry.next"]),
        (marks().skip(1).any(|marks| marks.squares.is_empty()), "an entry has no squares", &["board.other_marks"]),
        (marks().all(|marks| marks.squares.is_empty()), "no square is marked", &["words.mark"]),
        (!has_units, no_units, &["words.unit"]),
        (finish.bear_off.is_empty(), "no piece is borne off: finish.bear_off is empty", &["words.borne"]),
        (no_off, "no piece ever waits off the board", &["words.off"]),
        (is_throw && !grants, "nothing grants another throw", &["turn.most_throws", "turn.last_throw"]),
        (
            no_teams,
            "there are no teams: seats.teams is \"none\"",
            &["seats.one_mind", "seats.finished_partner", "gate.opened_by"],
        ),
        (gate.at == 0, "there is no gate: gate.at is not set", &["gate.without", "gate.lap"]),
        (gate.without == Without::Open, "gate.without is \"open\"", &["gate.opened_by"]),
        (gate.without != Without::Lap, "gate.without is not \"lap\"", &["gate.lap"]),
        (marked == 0, "no square of the courses is marked", &["stacking.marked"]),
        (sheet.board.marks.is_empty(), "no square of the courses is marked", &["board.mark_rule", "board.mark_again"]),
        (sheet.board.mark_rule == MarkRule::Closed, "a closed mark has room for one piece", &["stacking.marked"]),
        (!has_units, no_units, &["unit.area", "unit.speed", "unit.three", "unit.split", "unit.passable"]),
        (!has_units, no_units, &MEETINGS),
        (!moves_units, "no throw moves a unit", &MEETINGS[1..]),
        (!is_declared && units & captures == 0, "no unit can be captured", &["capture.unit_on_unit"]),
        (!has_room_for_three, "no square has room for three pieces of a seat", &["unit.three"]),
        (are_equal, "every unit has two pieces", &["capture.unit_on_unit"]),
        (!is_declared, "unit.kind is not \"declared\"", &["unit.from"]),
        (units == 0, no_two, &["unit.kind"]),
        (captures == 0, "no piece can be captured", &["pieces.sent_to", "turn.again_on_capture"]),
        (captures == 0, "no piece can be captured", &MEETINGS),
        (singles == 0, "no two single pieces can be captured together", &["capture.group"]),
        (blocks == 0, "no two pieces of a seat can stand on a square and close it", &["stacking.block"]),
        (ends_anyway, "these throws lead from the last square to the finish anyway", &["finish.from_last"]),
        (entry.by_bonus, "entry.by_bonus already requires it", &["entry.compulsory"]),
        (!waits, "no piece ever waits off the board", &ENTRY),
        (most < 2, "a seat has one piece", &["turn.divide", "stacking.plain", "stacking.marked"]),
        (plain == 0 || needs_no_rule, no_two, &["stacking.plain"]),
        (needs_no_rule, no_two, &["turn.must"]),
        (differs(stacking.inner) && (most < 2 || inner == 0), no_two, &["stacking.inner"]),
        (differs(stacking.private) && (most < 2 || private == 0), no_two, &["stacking.private"]),
    ];
    let table = sheet.table();
    let mut problems = repeated(&table);
    for (reason, &key) in rows.iter().filter(|row| row.0).flat_map(|row| row.2.iter().map(|key| (row.1, key))) {
        let is_new = problems.iter().all(|(other, _)| other != key) && !TurnKeys::of(sheet).demands.contains(&key);
        let is_set = value_of(&table, key) != value_of(&DEFAULTS, key);
        report(&mut problems, is_new && is_set, key, format!("has no effect: {reason}"));
    }
    problems
}

/// If a sheet has more values of house rules than this, the check does not try pairs of values.
const MOST_PAIRED: usize = 24;

/// The keys about units that capture or are captured.
const MEETINGS: [&str; 3] = ["capture.single_on_unit", "capture.unit_on_single", "capture.unit_on_unit"];

const ENTRY: [&str; 9] = [
    "entry.first",
    "entry.next",
    "entry.first_while",
    "entry.at",
    "entry.compulsory",
    "entry.clear",
    "entry.by_bonus",
    "entry.spends",
    "entry.lost_before",
];

/// The idle keys of a valid sheet without its house rules, and the idle keys of each house rule. A key of the sheet is
/// not idle if it has an effect with one of the house rules. A key of a house rule is not idle if it has an effect
/// together with one other house rule.
pub(in crate::sheet) fn idle_keys(sheet: &Sheet) -> Vec<Problem> {
    let (flags, sheet) = (&sheet.flags, &Sheet { flags: Flags::default(), ..sheet.clone() });
    let writes = |changes: &toml::Table, key: &str| value_of(changes, key).is_some();
    let has = |found: &[Problem], key: &str| found.iter().any(|(idle, _)| idle == key);
    let values = flags.iter().flat_map(|(flag, of)| {
        of.values
            .iter()
            .skip(1)
            .map(move |(name, value)| (flag, name, &value.changes, sheet.changed(&[&value.changes])))
    });
    let values: Vec<_> =
        values.filter_map(|(flag, name, changes, sheet)| Some((flag, name, changes, sheet.ok()?))).collect();
    let alone: Vec<Vec<Problem>> = values.iter().map(|(.., changed)| idle_keys_of(changed)).collect();
    let mut problems = idle_keys_of(sheet);
    problems.retain(|(key, _)| {
        values.iter().zip(&alone).all(|((_, _, changes, _), found)| writes(changes, key) || has(found, key))
    });
    for ((flag, name, changes, changed), mut left) in values.iter().zip(alone) {
        let at = format!("flags.{flag}.{name}");
        report(&mut problems, changed == sheet, &at, "this value changes nothing: the sheet already has it");
        left.retain(|(key, _)| writes(changes, key));
        if values.len() > MOST_PAIRED {
            continue;
        }
        for (_, _, other, _) in values.iter().filter(|(other, ..)| other != flag) {
            if left.is_empty() {
                break;
            }
            let both = sheet.changed(&[*changes, *other]).ok().filter(|both| one(both).is_empty());
            let found = both.map(|both| idle_keys_of(&both));
            left.retain(|(key, _)| writes(other, key) || found.as_ref().is_none_or(|found| has(found, key)));
        }
        problems
            .extend(left.into_iter().map(|(key, problem)| (at.clone(), format!("with this value, {key} {problem}"))));
    }
    problems
}

/// The keys of lists that contain a value twice. Two entries of `pieces.setup` or of `throws.odds` can be equal.
fn repeated(table: &toml::Table) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (section, keys) in table.iter().filter_map(|(name, of)| Some((name, of.as_table()?))) {
        for (key, list) in keys.iter().filter_map(|(name, of)| Some((name, of.as_array()?))) {
            let is_free = [("pieces", "setup"), ("throws", "odds")].contains(&(section, key));
            let twice = (1..list.len()).find(|&at| !is_free && list[..at].contains(&list[at]));
            let problem = twice.map(|at| (format!("{section}.{key}"), format!("contains {} twice", list[at])));
            problems.extend(problem);
        }
    }
    problems
}
