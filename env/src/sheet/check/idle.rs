//! Idle keys: keys of a valid sheet that have no effect, such as `unit.speed` in a game without
//! units.
//!
//! A key is idle if the sheet is valid without the key and [`Compared`] is then the same.

use serde::Deserialize;
use toml::Table;

use super::{
    DEFAULTS, Problem, beginning,
    keys::{reset, reset_idle},
    one, report, value_of,
};
use crate::{
    game::{Seat, SeatSet},
    race::{
        compile::{Cells, GateRule, Rules, Throw},
        position::seating::Participants,
        turns,
    },
    sheet::{Odds, Room, Sheet, Teams, UnitKind},
};

/// A valid sheet without house rules, compiled, and the facts that decide which of its keys have an
/// effect. Cells that no piece reaches do not count.
pub struct Effects<'a> {
    pub sheet: &'a Sheet,
    /// The keys of the sheet; [`reset_idle`] resets those without effect.
    pub keys: Table,
    pub rules: Rules,
    sets: Vec<SeatSet>,
    pub most_seats: usize,
    /// Cells of the course.
    course: Cells,
    /// Marked cells.
    pub marked: Cells,
    /// Cells where pieces of two seats can meet.
    met: Cells,
    /// Cells where captures are possible.
    pub captures: Cells,
    pub has_room_for_three: bool,
    /// Cells with room for two pieces.
    with_two: Cells,
    /// Cells where two pieces can be a unit.
    pub units: Cells,
    /// Cells where two single pieces can be captured.
    pub groups: Cells,
}

impl<'a> Effects<'a> {
    fn new(sheet: &'a Sheet, keys: Table) -> Option<Effects<'a>> {
        let rules = turns::compile(sheet, SeatSet::ALL, sheet.most_pieces().into()).ok()?;
        let sets: Vec<SeatSet> = sheet
            .seats
            .allowed
            .iter()
            .filter_map(|set| SeatSet::from_letters(set).ok())
            .collect();
        let on_course = rules.reachable() & ((1 << rules.home) - 2);
        let met = sets
            .iter()
            .fold(0, |met, &set| met | rules.shared_cells(set, on_course));
        let captures = met & rules.captured;
        let with_two = rules.cells_of(rules.places_with_room(2) & on_course);
        let unit_cells = rules.closing.unit_cells;
        let (units, singles) = match sheet.unit.kind {
            UnitKind::Declared => (rules.cells_of(on_course & rules.declaring), Cells::MAX),
            UnitKind::None | UnitKind::Together => (unit_cells, !unit_cells),
        };
        Some(Effects {
            sheet,
            keys,
            most_seats: sets.iter().map(|set| set.len()).max().unwrap_or(0),
            sets,
            course: rules.cells_of(on_course),
            marked: rules.cells_of(on_course & rules.marked),
            has_room_for_three: rules.places_with_room(3) & on_course != 0,
            met,
            captures,
            with_two,
            units: with_two & units,
            groups: with_two & captures & singles,
            rules,
        })
    }

    pub fn has_one_piece(&self) -> bool {
        self.sheet.most_pieces() < 2
    }

    pub fn has_one_throw(&self) -> bool {
        self.sheet.turn.throw_limit() == Some(1)
    }

    pub fn has_teams(&self) -> bool {
        self.sheet.seats.teams != Teams::None
    }

    pub fn has_units(&self) -> bool {
        self.sheet.unit.kind != UnitKind::None && self.units != 0
    }

    pub fn moves_units(&self) -> bool {
        let steps = |throw: &Throw| self.rules.effects[throw.values[0]].unit_steps;
        self.has_units() && self.rules.outcomes.iter().any(|throw| steps(throw) > 0)
    }

    /// Whether [`Compared::room`] contains this value. A value equal to `stacking.plain` is
    /// compared as a key.
    pub fn is_room_compiled(&self, room: Option<Room>) -> bool {
        !self.sheet.finish.fill && room != Some(self.sheet.stacking.plain)
    }
}

/// The parts of a game that a key can change.
#[derive(PartialEq)]
struct Compared {
    /// The keys with an effect that no other field contains.
    keys: Table,
    /// The next seat after each seat, for each set of seats.
    order: Vec<Seat>,
    gate: GateRule,
    /// For each place and each number of steps, the place that a piece reaches while the gate is
    /// open, and while it is closed.
    targets: Vec<[u8; 2]>,
    /// The cells with room for one piece, and for one or two.
    room: [Cells; 2],
    /// The cells where two pieces can close the square to an enemy, and where an enemy cannot pass
    /// them.
    blocks: [Cells; 2],
}

impl Compared {
    fn new(sheet: &Sheet, keys: Table) -> Option<Compared> {
        let mut game = Effects::new(sheet, keys)?;
        reset_idle(&mut game);
        let (rules, closing) = (&game.rules, &game.rules.closing);
        let order = |&set: &SeatSet| {
            let seating = Participants::new(&sheet.seats, set, rules.pieces());
            set.iter().map(move |seat| seating.next(seat))
        };
        let steps = |place: u8| (1..=rules.longest).map(move |steps| (place, steps));
        // A piece beyond the gate has opened the gate.
        let target = |(place, steps)| {
            [true, place >= rules.gate].map(|is_open| rules.target(place, steps, is_open))
        };
        let course = if game.has_one_piece() { 0 } else { game.course };
        let blocks = [
            closing.to_single[3] & !closing.to_single[2],
            closing.impassable[1],
        ];
        Some(Compared {
            order: game.sets.iter().flat_map(order).collect(),
            gate: rules.gate_rule,
            targets: (1..rules.home).flat_map(steps).map(target).collect(),
            room: [closing.to_single[0], closing.to_unit[0]].map(|cells| cells & course),
            blocks: blocks.map(|cells| cells & game.with_two & game.met),
            keys: game.keys,
        })
    }
}

/// The keys of a valid sheet without house rules that have no effect, if they are `wanted`.
fn idle_keys_of(sheet: &Sheet, is_wanted: impl Fn(&str) -> bool) -> Vec<Problem> {
    let table = sheet.table();
    let compared = Compared::new(sheet, table.clone());
    let mut problems = repeated(&table);
    let never = matches!(&sheet.throws.odds, Odds::Weights(weights) if weights.contains(&0));
    report(
        &mut problems,
        never,
        "throws.odds",
        "a value with odds 0 is never thrown: remove the value",
    );
    problems.retain(|(key, _)| is_wanted(key));
    for (section, keys) in table
        .iter()
        .filter_map(|(section, keys)| Some((section, keys.as_table()?)))
    {
        for (name, value) in keys {
            let key = format!("{section}.{name}");
            if !is_wanted(&key) || value_of(&DEFAULTS, &key) == Some(value) || compared.is_none() {
                continue;
            }
            let mut without = table.clone();
            without
                .get_mut(section)
                .and_then(|keys| keys.as_table_mut()?.remove(name));
            // Cheaper than the table of the sheet without the key.
            let mut keys = table.clone();
            reset(&mut keys, &key);
            let is_idle =
                |sheet: &Sheet| Compared::new(sheet, keys) == compared && one(sheet).is_empty();
            let message = format!(
                "{} has no effect in this game",
                beginning(&value.to_string())
            );
            report(
                &mut problems,
                Sheet::deserialize(without).is_ok_and(|sheet| is_idle(&sheet)),
                &key,
                message,
            );
        }
    }
    problems
}

/// If a sheet has more values of house rules than this, the check does not try pairs of values.
const MOST_PAIRED: usize = 24;

/// The idle keys of a valid sheet without its house rules, and the idle keys of each house rule. A
/// key of the sheet is not idle if it has an effect with one of the house rules. A key of a house
/// rule is not idle if it has an effect together with one other house rule.
pub(in crate::sheet) fn idle_keys(sheet: &Sheet) -> Vec<Problem> {
    let (flags, sheet) = (
        &sheet.flags,
        &Sheet {
            flags: Default::default(),
            ..sheet.clone()
        },
    );
    let writes = |changes: &Table, key: &str| value_of(changes, key).is_some();
    let values: Vec<_> = flags
        .iter()
        .flat_map(|(flag, of)| {
            of.values
                .iter()
                .skip(1)
                .map(move |(name, value)| (flag, name, &value.changes))
        })
        .filter_map(|(flag, name, changes)| {
            Some((flag, name, changes, sheet.changed(&[changes]).ok()?))
        })
        .collect();
    // Keeps the keys that are also idle in a changed sheet, and the keys that its changes write.
    let keep_idle = |left: &mut Vec<Problem>, changes: &Table, changed: &Sheet| {
        let found = idle_keys_of(changed, |key| {
            !writes(changes, key) && left.iter().any(|(other, _)| other == key)
        });
        left.retain(|(key, _)| writes(changes, key) || found.iter().any(|(other, _)| other == key));
    };
    let mut problems = idle_keys_of(sheet, |_| true);
    for (_, _, changes, changed) in &values {
        keep_idle(&mut problems, changes, changed);
    }
    for (flag, name, changes, changed) in &values {
        let at = format!("flags.{flag}.{name}");
        report(
            &mut problems,
            changed == sheet,
            &at,
            "this value changes nothing: the sheet already has it",
        );
        let mut left = idle_keys_of(changed, |key| writes(changes, key));
        if values.len() > MOST_PAIRED {
            continue;
        }
        for (_, _, other, _) in values.iter().filter(|(other, ..)| other != flag) {
            if left.is_empty() {
                break;
            }
            let both = sheet
                .changed(&[*changes, *other])
                .ok()
                .filter(|both| one(both).is_empty());
            both.iter()
                .for_each(|both| keep_idle(&mut left, other, both));
        }
        let found = left.into_iter();
        problems.extend(
            found.map(|(key, problem)| (at.clone(), format!("with this value, {key}: {problem}"))),
        );
    }
    problems
}

/// The keys of lists that contain a value twice. Two entries of `pieces.setup` or of `throws.odds`
/// can be equal.
fn repeated(table: &Table) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (section, keys) in table
        .iter()
        .filter_map(|(name, of)| Some((name, of.as_table()?)))
    {
        for (key, list) in keys
            .iter()
            .filter_map(|(name, of)| Some((name, of.as_array()?)))
        {
            let is_free = [("pieces", "setup"), ("throws", "odds")].contains(&(section, key));
            let twice = (1..list.len()).find(|&at| !is_free && list[..at].contains(&list[at]));
            let problem = twice.map(|at| {
                (
                    format!("{section}.{key}"),
                    format!("contains {} twice", list[at]),
                )
            });
            problems.extend(problem);
        }
    }
    problems
}
