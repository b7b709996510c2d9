//! Idle keys: keys of a valid sheet that have no effect, such as `unit.speed` in a game without
//! units.
//!
//! A key is idle if the sheet is valid without the key and [`Compared`] is then the same.

use std::sync::Arc;

use serde::Deserialize;
use toml::Table;

use super::{DEFAULTS, Problem, beginning, one, report, value_of};
use crate::game::{Seat, SeatSet};
use crate::race::compile::reach::places_of;
use crate::race::compile::{Cells, GateRule};
use crate::race::position::seating::Participants;
use crate::race::turns;
use crate::sheet::{
    Capture, Entry, FirstWhile, Gate, LastThrow, MarkRule, Odds, Returns, Room, SentTo, Setup,
    Sheet, Stacking, Teams, Turn, TurnKind, UnitKind, Words,
};

/// The parts of a game that a key can change.
#[derive(PartialEq)]
struct Compared {
    /// The keys that no other field contains. A key that does not apply has its default.
    keys: Sheet,
    /// The next seat after each seat, for each set of seats.
    order: Vec<Seat>,
    gate: GateRule,
    /// For each place and each number of steps, the place that a piece reaches while the gate is
    /// open, and while it is closed.
    targets: Vec<[u8; 2]>,
    /// The cells with room for one piece, and for one or two. Only cells that a piece reaches
    /// count.
    room: [Cells; 2],
    /// The cells where two pieces can close the square to an enemy, and where an enemy cannot pass
    /// them.
    blocks: [Cells; 2],
}

impl Compared {
    /// Compiles a valid sheet without house rules.
    fn new(sheet: &Sheet) -> Option<Compared> {
        let Sheet {
            seats,
            board,
            pieces,
            turn,
            stacking,
            unit,
            entry,
            capture,
            gate,
            finish,
            ..
        } = sheet;
        let most = pieces.allowed.iter().copied().max().unwrap_or(pieces.count);
        let rules = turns::compile(Arc::new(sheet.clone()), SeatSet::ALL, most.into()).ok()?;
        let on_course = rules.reachable() & ((1 << rules.home) - 2);
        let cells = |places: u128| {
            places_of(places).fold(0, |cells, place| cells | rules.bits[0][usize::from(place)])
        };
        let (course, marked) = (cells(on_course), cells(on_course & rules.marked));
        let with_room = |least: u8| {
            places_of(on_course)
                .filter(|&place| rules.room[usize::from(place)] >= least)
                .fold(0, |all, at| all | 1 << at)
        };
        let with_two = cells(with_room(2));
        let sets: Vec<SeatSet> = seats
            .allowed
            .iter()
            .filter_map(|set| SeatSet::from_letters(set).ok())
            .collect();
        let met = sets
            .iter()
            .fold(0, |met, &set| met | rules.shared_cells(set, on_course));
        let captures = met & rules.captured;
        let is_declared = unit.kind == UnitKind::Declared;
        let units = with_two
            & if is_declared {
                cells(on_course & rules.declaring)
            } else {
                rules.closing.unit_cells
            };
        let has_units = unit.kind != UnitKind::None && units != 0;
        let singles = with_two
            & captures
            & if is_declared {
                Cells::MAX
            } else {
                !rules.closing.unit_cells
            };
        let moves_units = rules
            .outcomes
            .iter()
            .any(|throw| rules.effects[usize::from(throw.values[0])].unit_steps > 0);
        let waits = pieces.setup == Setup::All(SentTo::Off)
            || pieces.sent_to == Returns::OFF && captures != 0;
        let (has_one_piece, has_one_throw) = (most < 2, turn.throw_limit() == Some(1));

        let mut keys = sheet.clone();
        // Tables contain these keys.
        keys.seats.order = Default::default();
        keys.gate = Gate {
            at: gate.at,
            ..Gate::default()
        };
        keys.finish.from_last.clear();
        if !finish.fill {
            let is_plain = |room: &Room| *room == stacking.plain;
            let [inner, private] =
                [stacking.inner, stacking.private].map(|room| room.filter(is_plain));
            keys.stacking = Stacking {
                inner,
                private,
                marked: stacking.marked,
                partner: stacking.partner,
                ..Default::default()
            };
            clear(
                has_one_piece || marked == 0 || board.mark_rule == MarkRule::Closed,
                &mut keys.stacking.marked,
            );
        }
        // These keys do not apply to every game.
        let has_teams = seats.teams != Teams::None;
        clear(!has_teams, &mut keys.seats.one_mind);
        clear(!has_teams, &mut keys.seats.finished_partner);
        clear(
            has_teams || sets.iter().all(|set| set.len() < 3),
            &mut keys.seats.end,
        );
        clear(board.marks.is_empty(), &mut keys.board.mark_rule);
        clear(
            board.marks.is_empty() || has_one_throw,
            &mut keys.board.mark_again,
        );
        keys.board
            .other_marks
            .retain(|marks| !marks.squares.is_empty());
        clear(
            has_one_throw && turn.last_throw != LastThrow::Lost,
            &mut keys.turn.again,
        );
        keys.turn.again_unused |= has_one_throw;
        clear(
            has_one_throw || captures == 0,
            &mut keys.turn.again_on_capture,
        );
        clear(
            has_one_throw || has_one_piece,
            &mut keys.turn.again_on_finish,
        );
        let Turn {
            again,
            again_on_capture,
            again_on_finish,
            ..
        } = &keys.turn;
        let grants = *again_on_capture
            || *again_on_finish
            || keys.board.mark_kinds().any(|marks| marks.again);
        let is_unlimited = turn.kind == TurnKind::Throw && !grants && again.is_empty();
        clear(is_unlimited, &mut keys.turn.most_throws);
        clear(is_unlimited, &mut keys.turn.last_throw);
        clear(has_one_piece, &mut keys.turn.divide);
        if has_one_piece && entry.first_while == FirstWhile::Empty {
            keys.entry.next = Entry::default().next;
        }
        clear(has_one_piece || entry.by_bonus, &mut keys.entry.compulsory);
        clear(has_one_piece, &mut keys.entry.clear);
        let enters =
            |&value: &u8| value > 0 && entry.first.contains(value) && entry.next.contains(value);
        // A seat that tries has no piece on the course, so only pieces of other seats can block the
        // entry.
        let can_be_blocked =
            rules.closing.to_single[2..] != [0; 2] || has_teams || rules.enters_by_count();
        let can_fail = can_be_blocked || entry.by_bonus || !sheet.throws.values.iter().all(enters);
        if !can_fail {
            keys.entry.tries = Entry::default().tries;
        }
        clear(!waits, &mut keys.entry);
        clear(captures == 0, &mut keys.pieces.sent_to);
        clear(!is_declared, &mut keys.unit.from);
        clear(with_room(3) == 0, &mut keys.unit.three);
        clear(!has_units, &mut keys.unit);
        clear(!moves_units, &mut keys.capture.unit_on_single);
        clear(
            !moves_units || !is_declared && units & captures == 0,
            &mut keys.capture.unit_on_unit,
        );
        if !has_units {
            keys.capture = Capture {
                group: capture.group,
                ..Capture::default()
            };
        }
        clear(singles == 0, &mut keys.capture.group);
        clear(captures == 0, &mut keys.capture);
        let no_words = Words::default();
        let is_off = pieces.setup == Setup::All(SentTo::Off) || pieces.sent_to == Returns::OFF;
        for (is_used, word, default) in [
            (
                board.mark_kinds().any(|marks| !marks.squares.is_empty()),
                &mut keys.words.mark,
                no_words.mark,
            ),
            (has_units, &mut keys.words.unit, no_words.unit),
            (
                !finish.bear_off.is_empty(),
                &mut keys.words.borne,
                no_words.borne,
            ),
            (is_off, &mut keys.words.off, no_words.off),
        ] {
            if !is_used {
                *word = default;
            }
        }

        let order = |&set: &SeatSet| {
            let seating = Participants::new(seats, set, most.into());
            set.iter().map(move |seat| seating.next(seat))
        };
        let steps = |place: u8| (1..=rules.longest).map(move |steps| (place, steps));
        // A piece beyond the gate has opened the gate.
        let target = |(place, steps)| {
            [true, place >= rules.gate].map(|is_open| rules.target(place, steps, is_open))
        };
        let blocks = with_two & met;
        let room = [rules.closing.to_single[0], rules.closing.to_unit[0]];
        Some(Compared {
            keys,
            order: sets.iter().flat_map(order).collect(),
            gate: rules.gate_rule,
            targets: (1..rules.home).flat_map(steps).map(target).collect(),
            room: room.map(|cells| if has_one_piece { 0 } else { cells & course }),
            blocks: [
                rules.closing.to_single[3] & !rules.closing.to_single[2],
                rules.closing.impassable[1],
            ]
            .map(|cells| cells & blocks),
        })
    }
}

/// Sets a key to its default if it `is_idle`.
fn clear<T: Default>(is_idle: bool, value: &mut T) {
    if is_idle {
        *value = T::default();
    }
}

/// The keys of a valid sheet without house rules that have no effect, if they are `wanted`.
fn idle_keys_of(sheet: &Sheet, is_wanted: impl Fn(&str) -> bool) -> Vec<Problem> {
    let (table, compared) = (sheet.table(), Compared::new(sheet));
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
            let is_idle = |sheet: &Sheet| Compared::new(sheet) == compared && one(sheet).is_empty();
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
    let values = flags.iter().flat_map(|(flag, of)| {
        of.values
            .iter()
            .skip(1)
            .map(move |(name, value)| (flag, name, &value.changes))
    });
    let values: Vec<_> = values
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
