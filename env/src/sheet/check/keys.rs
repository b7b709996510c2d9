//! The rules of each key of a sheet, in one list: the kinds of turn that accept the key, the keys
//! that it needs or excludes, and the games in which it has no effect.

use toml::{Table, Value};

use super::{Check, DEFAULTS, idle::Effects, value_of};
use crate::{
    race::turns::{KindOfTurn, text::any_of},
    sheet::values::{
        Block, BonusOrder, Divide, EntryAt, FirstWhile, Hop, LastThrow, MAX_KINDS, MarkRoom,
        MarkRule, Odds, Returns, Room, SentTo, Setup, Sheet, TurnKind, UnitKind, Without,
    },
};

/// The largest number of pieces of a seat if pieces move as units or share throws.
const FEW_PIECES: u8 = 4;

/// Whether a key of a sheet is wrong, and the message.
type Contradiction = (fn(&Sheet) -> bool, &'static str);

/// The rules of a key (`section.key`), of one value (`section.key = VALUE`; `a number` is any
/// number), or of a section.
pub struct KeyRules {
    key: &'static str,
    /// The letters of the kinds of turn that accept a value other than the default; empty if all
    /// kinds do.
    turns: &'static str,
    /// For a list of thrown values: the smallest allowed value.
    least: Option<i64>,
    /// The letters of the kinds of turn that require this value.
    required_by: &'static str,
    /// Keys that must not have their default.
    needs: &'static [&'static str],
    /// Keys that must have their default.
    excludes: &'static [&'static str],
    /// Further conditions that make the key wrong.
    wrong: &'static [Contradiction],
    /// Whether the key has no effect in a game. In [`Effects::keys`], idle keys of earlier rows
    /// already have their defaults.
    is_idle: fn(&Effects) -> bool,
}

const fn key(key: &'static str, turns: &'static str) -> KeyRules {
    KeyRules {
        key,
        turns,
        least: None,
        required_by: "",
        needs: &[],
        excludes: &[],
        wrong: &[],
        is_idle: |_| false,
    }
}

impl KeyRules {
    const fn of_throws(self, least: i64) -> KeyRules {
        KeyRules {
            least: Some(least),
            ..self
        }
    }

    const fn required_by(self, required_by: &'static str) -> KeyRules {
        KeyRules {
            required_by,
            ..self
        }
    }

    const fn needs(self, needs: &'static [&'static str]) -> KeyRules {
        KeyRules { needs, ..self }
    }

    const fn excludes(self, excludes: &'static [&'static str]) -> KeyRules {
        KeyRules { excludes, ..self }
    }

    const fn wrong(self, wrong: &'static [Contradiction]) -> KeyRules {
        KeyRules { wrong, ..self }
    }

    /// The key is in compiled tables, which are compared instead of the key.
    const fn compiled(self) -> KeyRules {
        self.idle(|_| true)
    }

    const fn idle(self, is_idle: fn(&Effects) -> bool) -> KeyRules {
        KeyRules { is_idle, ..self }
    }
}

/// The rules of the keys.
const KEYS: &[KeyRules] = &[
    key("seats.order", "").compiled(),
    key("seats.teams", "TED"),
    key("seats.one_mind", "").idle(plays_alone),
    key("seats.finished_partner", "").idle(plays_alone),
    key("seats.end", "TED").idle(|game| game.has_teams() || game.most_seats < 3),
    key("board.mark_rule", "TSED")
        .wrong(&[(
            |sheet| {
                sheet.turn.kind == TurnKind::Dice
                    && !sheet.board.marks.is_empty()
                    && (sheet.board.mark_rule, sheet.stacking.marked)
                        != (MarkRule::Share, MarkRoom::Any)
            },
            "marks with turn.kind = \"dice\" need board.mark_rule = \"share\" and \
             stacking.marked = \"any\"",
        )])
        .idle(|game| game.sheet.board.marks.is_empty()),
    key(r#"board.mark_rule = "plain""#, "T"),
    key(r#"board.mark_rule = "closed""#, "TED"),
    key("board.mark_again", "T")
        .idle(|game| game.sheet.board.marks.is_empty() || game.has_one_throw()),
    key("board.other_marks", "T")
        .wrong(&[(
            |sheet| {
                sheet.board.other_marks.iter().any(|marks| marks.again)
                    && (sheet.turn.divide != Divide::None || !sheet.entry.spends)
            },
            "marks that grant one more throw do not work with turn.divide or entry.spends \
             = false",
        )])
        .idle(|game| {
            let mut marks = game.sheet.board.other_marks.iter();
            marks.all(|marks| marks.squares.is_empty())
        }),
    key("pieces.count", "").wrong(&[(
        |sheet| sheet.most_pieces() > FEW_PIECES && moves_several(sheet),
        "a seat can have more than 4 pieces only with turn.kind = \"throw\", \
         unit.kind = \"none\", turn.divide = \"none\" and turn.bonus_order = \
         \"after\"",
    )]),
    key(r#"pieces.setup = "start""#, "TEDV"),
    key("pieces.sent_to", "").idle(captures_nothing),
    key(r#"pieces.sent_to = "start""#, "TEDV"),
    key("pieces.sent_to = a number", "TE"),
    key("throws.values", "").wrong(&[
        (
            |sheet| !(2..=16).contains(&sheet.throws.values.len()),
            "must have 2 to 16 values",
        ),
        (
            |sheet| {
                let values = &sheet.throws.values;
                (1..values.len()).any(|at| values[..at].contains(&values[at]))
            },
            "must not contain a value twice",
        ),
        (
            |sheet| {
                has_series(sheet)
                    && sheet.throws.dice > 1
                    && sheet.throws.values.len() > MAX_KINDS + 1
            },
            "must have at most 4 values if throws.dice is more than 1",
        ),
        (
            |sheet| {
                sheet.turn.kind == TurnKind::Divide
                    && sheet.throws.values.iter().any(|&value| value > 15)
            },
            "must not exceed 15 with turn.kind = \"divide\"",
        ),
        (
            |sheet| sheet.throws.dice > 1 && sheet.throws.values.contains(&0),
            "must not contain 0 if throws.dice is more than 1",
        ),
    ]),
    key("throws.odds", "").wrong(&[
        (
            |sheet| {
                weights(sheet).is_some_and(|weights| weights.len() != sheet.throws.values.len())
            },
            "must have one weight for each of throws.values",
        ),
        (
            |sheet| {
                weights(sheet).is_some_and(|weights| {
                    let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
                    !(1..=60_000).contains(&sum)
                })
            },
            "the sum of the weights must be between 1 and 60000",
        ),
    ]),
    key("throws.dice = 1", "").required_by("TS"),
    key("throws.dice = 2", "").required_by("DV"),
    key(r#"turn.must = "most""#, "SEDV"),
    key(r#"turn.must = "greedy""#, "SE"),
    key(r#"turn.must = "one""#, "T"),
    key(r#"turn.must = "optional""#, "TSED"),
    key(r#"turn.must = "no-merge""#, "T").excludes(&[
        "turn.divide",
        "turn.bonus",
        "entry.compulsory",
        "entry.clear",
    ]),
    key("turn.hop", "SE"),
    key("turn.stop", "SE")
        .of_throws(0)
        .excludes(&["throws.dice"])
        .wrong(&[
            (
                |sheet| ends_by_value(sheet) && sheet.turn.stop.is_empty(),
                "must contain at least one value: a series ends with it",
            ),
            (
                |sheet| sheet.turn.stop.len() > 3,
                "must have at most three values",
            ),
            (
                |sheet| ends_by_value(sheet) && kept(sheet).count() > MAX_KINDS,
                "at most 3 values can continue a series: the other throws.values must end it",
            ),
            (
                |sheet| hops_by_sum(sheet) && kept(sheet).min() != Some(&1),
                "the smallest of throws.values that is missing here must be 1 with turn.hop = \
                 \"sum\"",
            ),
        ]),
    key("turn.again", "T")
        .of_throws(0)
        .idle(|game| game.has_one_throw() && game.sheet.turn.last_throw != LastThrow::Lost),
    key("turn.again_on_capture", "TSEV")
        .idle(|game| game.has_one_throw() || captures_nothing(game)),
    key("turn.again_on_doublet", "V"),
    key("turn.again_unused", "T")
        .needs(&["turn.again"])
        .excludes(&["turn.bonus"])
        .idle(|game| game.has_one_throw()),
    key("turn.again_on_finish", "T")
        .excludes(&["finish.fill", "turn.divide", "entry.spends"])
        .idle(|game| game.has_one_throw() || game.has_one_piece()),
    key("turn.most_throws", "T").idle(grants_nothing),
    key("turn.last_throw", "T")
        .needs(&["turn.again"])
        .wrong(&[(
            |sheet| sheet.turn.last_throw == LastThrow::Lost && sheet.turn.throw_limit().is_none(),
            "\"lost\" only works with turn.most_throws",
        )])
        .idle(grants_nothing),
    key("turn.bonus", "T")
        .of_throws(1)
        .excludes(&["turn.divide", "entry.spends", "unit.kind"])
        .wrong(&[(
            |sheet| {
                !sheet.turn.bonus.is_empty()
                    && sheet.gate.at != 0
                    && sheet.gate.without == Without::Wait
            },
            "does not work with a gate unless gate.without is \"lap\" or \"open\"",
        )]),
    key("turn.bonus_order", "T")
        .needs(&["turn.bonus"])
        .wrong(&[(
            |sheet| sheet.turn.bonus_order == BonusOrder::Any && sheet.turn.bonus.contains(&1),
            "must be \"after\" if turn.bonus contains 1: the throw and the step would look alike",
        )]),
    key("turn.divide", "T")
        .excludes(&[
            "unit.kind",
            "entry.spends",
            "entry.compulsory",
            "entry.clear",
            "board.mark_again",
        ])
        .idle(|game| game.has_one_piece()),
    key("entry.first", "").of_throws(1),
    key("entry.first = [1]", "").required_by("S"),
    key("entry.next = [1]", "").required_by("S"),
    key("entry.next", "")
        .of_throws(1)
        .idle(|game| game.has_one_piece() && game.sheet.entry.first_while == FirstWhile::Empty),
    key(r#"entry.first_while = "never""#, "T")
        .excludes(&["gate.at", "pieces.setup"])
        .wrong(&[(
            |sheet| {
                sheet.entry.first_while == FirstWhile::Never
                    && sheet.entry.first == sheet.entry.next
            },
            "\"never\" only works if entry.first and entry.next differ",
        )]),
    key(r#"entry.at = "count""#, "TED")
        .required_by("D")
        .wrong(&[(
            |sheet| sheet.entry.at == EntryAt::COUNT && waits_on_first_square(sheet),
            "must not be \"count\" if pieces wait on their first square: see pieces.setup \
             and pieces.sent_to",
        )]),
    key("entry.at = a number", "T"),
    key("entry.compulsory", "TD")
        .excludes(&["entry.spends"])
        .idle(|game| game.has_one_piece() || game.sheet.entry.by_bonus),
    key("entry.compulsory = true", "").required_by("D"),
    key("entry.clear", "T")
        .excludes(&[r#"entry.at = "count""#, "entry.spends"])
        .idle(|game| game.has_one_piece()),
    key("entry.by_bonus", "T")
        .needs(&["turn.bonus"])
        .excludes(&[r#"entry.at = "count""#, "entry.first", "entry.next"]),
    key("entry.spends", "T")
        .needs(&[r#"turn.must = "optional""#])
        .excludes(&[r#"entry.at = "count""#, "board.mark_again"]),
    key("entry.tries", "T").idle(always_enters),
    key("entry.lost_before", "SE").excludes(&["throws.dice", "seats.teams"]),
    key("entry", "").idle(never_waits),
    key(r#"stacking.plain = "two""#, "").required_by("D"),
    key("stacking.plain", "TED").idle(|game| !game.sheet.finish.fill),
    key("stacking.inner", "TE")
        .needs(&["gate.at"])
        .idle(|game| game.is_room_compiled(game.sheet.stacking.inner)),
    key(r#"stacking.private = "any""#, "").required_by("D"),
    key("stacking.private", "TED")
        .wrong(&[(
            |sheet| sheet.finish.fill && private_room(sheet) != Room::One,
            "must be \"one\" if finish.fill is true",
        )])
        .idle(|game| game.is_room_compiled(game.sheet.stacking.private)),
    key("stacking.marked", "TED").idle(|game| {
        !game.sheet.finish.fill
            && (game.has_one_piece()
                || game.marked == 0
                || game.sheet.board.mark_rule == MarkRule::Closed)
    }),
    key("stacking.block", "T")
        .excludes(&["unit.kind"])
        .wrong(&[(
            |sheet| sheet.stacking.block != Block::None && !has_room_for_two(sheet),
            "only works if some squares have room for two pieces: stacking is \"one\" \
             everywhere",
        )])
        .idle(|game| !game.sheet.finish.fill),
    key("stacking.partner", "TE").needs(&["seats.teams"]),
    key("unit.kind", "TSED"),
    key(r#"unit.kind = "together""#, "").required_by("D"),
    key(r#"unit.kind = "declared""#, "SE")
        .needs(&["unit.from"])
        .excludes(&["throws.dice", "unit.area"]),
    key("unit.from", "").idle(|game| game.sheet.unit.kind != UnitKind::Declared),
    key("unit.area", "TSEV").needs(&["gate.at"]),
    key("unit.speed", "TSEV"),
    key(r#"unit.speed = "double""#, "TE"),
    key("unit.three", "")
        .of_throws(0)
        .wrong(&[(
            |sheet| !sheet.unit.three.is_empty() && sheet.throws.dice < 3,
            "only works with throws.dice = 3 or 4",
        )])
        .idle(|game| !game.has_room_for_three),
    key("unit.split", "TSEV"),
    key("unit.passable", "T")
        .needs(&[r#"board.mark_rule = "closed""#])
        .excludes(&["seats.teams"]),
    key("unit", "").idle(|game| !game.has_units()),
    key(r#"capture.single_on_unit = "barred""#, "TEDV").required_by("D"),
    key("capture.single_on_unit", "").idle(|game| !game.has_units()),
    key("capture.unit_on_single", "TSEV").idle(|game| !game.moves_units()),
    key("capture.unit_on_unit", "TE").idle(|game| {
        let is_declared = game.sheet.unit.kind == UnitKind::Declared;
        !game.moves_units() || !is_declared && game.units & game.captures == 0
    }),
    key("capture.group", "TSEV").idle(|game| game.groups == 0),
    key("capture", "").idle(captures_nothing),
    key("gate.at", "TED"),
    key("gate.without", "").compiled(),
    key("gate.lap", "").compiled(),
    key("gate.opened_by", "").needs(&["gate.at"]).compiled(),
    key("finish.bear_off", "SE").of_throws(1).wrong(&[(
        |sheet| hops_by_sum(sheet) && sheet.finish.bear_off.iter().any(|&value| value != 1),
        "must be [1] with turn.hop = \"sum\"",
    )]),
    key("finish.doublets", "V").of_throws(0),
    key("finish.overshoot", "T").excludes(&["turn.divide", "finish.fill"]),
    key(r#"finish.overshoot = "bounces""#, "").excludes(&[r#"stacking.block = "passing""#]),
    key("finish.from_last", "T")
        .of_throws(1)
        .excludes(&["unit.kind", "turn.divide", "finish.fill"])
        .compiled(),
    key("finish.fill", "T").excludes(&["unit.kind", "turn.divide"]),
    key("words.mark", "").idle(|game| {
        let mut marks = game.sheet.board.mark_kinds();
        marks.all(|marks| marks.squares.is_empty())
    }),
    key("words.unit", "").idle(|game| !game.has_units()),
    key("words.borne", "").idle(|game| game.sheet.finish.bear_off.is_empty()),
    key("words.off", "").idle(|game| {
        let pieces = &game.sheet.pieces;
        pieces.setup != Setup::All(SentTo::Off) && pieces.sent_to != Returns::OFF
    }),
];

fn has_series(sheet: &Sheet) -> bool {
    sheet.turn.kind == TurnKind::Series
}

pub fn hops_by_sum(sheet: &Sheet) -> bool {
    has_series(sheet) && sheet.turn.hop == Hop::Sum
}

/// Whether a series ends with a value of `turn.stop`.
fn ends_by_value(sheet: &Sheet) -> bool {
    has_series(sheet) && sheet.throws.dice == 1
}

/// The values that continue a series.
fn kept(sheet: &Sheet) -> impl Iterator<Item = &u8> {
    sheet
        .throws
        .values
        .iter()
        .filter(|value| !sheet.turn.stop.contains(value))
}

fn weights(sheet: &Sheet) -> Option<&Vec<u32>> {
    match &sheet.throws.odds {
        Odds::Weights(weights) => Some(weights),
        Odds::Named(_) => None,
    }
}

/// Whether an action can move several pieces or use a part of a throw.
fn moves_several(sheet: &Sheet) -> bool {
    sheet.turn.kind != TurnKind::Throw
        || sheet.unit.kind != UnitKind::None
        || sheet.turn.divide != Divide::None
        || sheet.turn.bonus_order == BonusOrder::Any
}

/// Whether pieces wait on their first square until they enter.
fn waits_on_first_square(sheet: &Sheet) -> bool {
    let begins = sheet.pieces.setup == Setup::All(SentTo::Start);
    sheet.pieces.sent_to == Returns::START || begins && sheet.turn.kind != TurnKind::Throw
}

fn private_room(sheet: &Sheet) -> Room {
    sheet.stacking.private.unwrap_or(sheet.stacking.plain)
}

fn has_room_for_two(sheet: &Sheet) -> bool {
    let stacking = &sheet.stacking;
    let inner = stacking.inner.unwrap_or(stacking.plain);
    [stacking.plain, stacking.marked.into(), inner] != [Room::One; 3]
}

fn plays_alone(game: &Effects) -> bool {
    !game.has_teams()
}

fn captures_nothing(game: &Effects) -> bool {
    game.captures == 0
}

/// Whether no piece waits off the board.
fn never_waits(game: &Effects) -> bool {
    let pieces = &game.sheet.pieces;
    pieces.setup != Setup::All(SentTo::Off)
        && (pieces.sent_to != Returns::OFF || captures_nothing(game))
}

/// Whether every throw lets a piece enter if its seat has no piece on the course. Only pieces of
/// other seats can then block the entry.
fn always_enters(game: &Effects) -> bool {
    let entry = &game.sheet.entry;
    let enters =
        |&value: &u8| value > 0 && entry.first.contains(value) && entry.next.contains(value);
    plays_alone(game)
        && game.rules.closing.to_single[2..] == [0; 2]
        && entry.at != EntryAt::COUNT
        && !entry.by_bonus
        && game.sheet.throws.values.iter().all(enters)
}

/// Whether no key grants another throw.
fn grants_nothing(game: &Effects) -> bool {
    let keys = [
        "turn.again",
        "turn.again_on_capture",
        "turn.again_on_finish",
        "board.mark_again",
    ];
    game.sheet.turn.kind == TurnKind::Throw
        && !keys.iter().any(|key| is_set(&game.keys, key))
        && !game
            .sheet
            .board
            .other_marks
            .iter()
            .any(|marks| marks.again && !marks.squares.is_empty())
}

/// The key of a condition, and its value if the condition has one.
fn key_and_value(condition: &str) -> (&str, Option<&str>) {
    let (key, value) = condition.split_once(" = ").unzip();
    (key.unwrap_or(condition), value)
}

/// Whether the key has the value of the condition. Without a value: whether it differs from the
/// default.
fn is_set(table: &Table, condition: &str) -> bool {
    let (key, wanted) = key_and_value(condition);
    let value = value_of(table, key);
    match wanted {
        None => value.is_some() && value != value_of(&DEFAULTS, key),
        Some("a number") => value.is_some_and(Value::is_integer),
        Some(wanted) => value.is_some_and(|value| value.to_string() == wanted),
    }
}

impl Check<'_> {
    /// Reports keys and values that the kind of turn or other keys exclude.
    pub fn check_keys(&mut self) {
        let (letter, name) = (self.kind.letter, self.kind.name);
        for rules in KEYS {
            let (key, wanted) = key_and_value(rules.key);
            if let Some(least) = rules.least {
                self.check_thrown(key, least);
            }
            for (is_wrong, problem) in rules.wrong {
                self.report(is_wrong(self.sheet), key, *problem);
            }
            if !is_set(&self.table, rules.key) {
                if let Some(wanted) = wanted.filter(|_| rules.required_by.contains(letter)) {
                    self.report(true, key, format!("must be {wanted} with {name}"));
                }
                continue;
            }
            if !rules.turns.is_empty() && !rules.turns.contains(letter) {
                let names: Vec<&str> = KindOfTurn::ALL
                    .into_iter()
                    .filter(|kind| rules.turns.contains(kind.letter))
                    .map(|kind| kind.name)
                    .collect();
                let problem = format!("this value only works with {}", any_of(&names));
                self.report(true, key, problem);
            }
            let is_missing = |needed: &&&str| !is_set(&self.table, needed);
            let missing = rules
                .needs
                .iter()
                .filter(is_missing)
                .map(|needed| format!("needs {needed}"));
            let excluded = rules
                .excludes
                .iter()
                .filter(|other| is_set(&self.table, other))
                .filter_map(|other| {
                    let other = key_and_value(other).0;
                    let value = value_of(&self.table, other)?;
                    Some(format!("does not work with {other} = {value}"))
                });
            for problem in missing.chain(excluded).collect::<Vec<_>>() {
                self.report(true, key, problem);
            }
        }
    }

    /// Reports values of a list that no throw has, and values below `least`.
    fn check_thrown(&mut self, key: &str, least: i64) {
        let faces = &self.sheet.throws.values;
        let is_face = |value: i64| faces.iter().any(|&face| i64::from(face) == value);
        // A piece also enters by the sum of both dice.
        let has_sums = self.sheet.turn.kind == TurnKind::Dice && key.starts_with("entry.");
        let is_sum = |value: i64| faces.iter().any(|&face| is_face(value - i64::from(face)));
        let values = value_of(&self.table, key)
            .and_then(Value::as_array)
            .cloned();
        let lacks_values = key.starts_with("entry.") && values.as_ref().is_some_and(Vec::is_empty);
        self.report(lacks_values, key, "must contain at least one value");
        for value in values.iter().flatten().filter_map(Value::as_integer) {
            let is_thrown = is_face(value) || has_sums && is_sum(value);
            let problem = format!("{value} is never thrown: throws.values is {faces:?}");
            self.report(!is_thrown, key, problem);
            self.report(
                value < least,
                key,
                format!("must not contain {value}: it moves nothing"),
            );
        }
    }
}

/// Sets a key or a section to its default.
pub fn reset(table: &mut Table, name: &str) {
    let (section, key) = name.split_once('.').unwrap_or((name, ""));
    let (Some(Value::Table(keys)), Some(Value::Table(defaults))) =
        (table.get_mut(section), DEFAULTS.get(section))
    else {
        return;
    };
    match defaults.get(key) {
        Some(default) => drop(keys.insert(key.to_owned(), default.clone())),
        None if key.is_empty() => *keys = defaults.clone(),
        None => drop(keys.remove(key)),
    }
}

/// Resets idle keys, and keys that compiled tables contain, to their defaults.
pub fn reset_idle(game: &mut Effects) {
    for rules in KEYS {
        if (rules.is_idle)(game) {
            reset(&mut game.keys, key_and_value(rules.key).0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::read::has_key;
    use serde::Deserialize;

    /// Whether sheets have the key of a condition, with its value.
    fn is_possible(condition: &str) -> bool {
        let (name, wanted) = key_and_value(condition);
        let (section, key) = name.split_once('.').unwrap_or(("", name));
        let mut table = DEFAULTS.clone();
        if let Some(wanted) = wanted {
            let wanted = wanted.replace("a number", "1");
            let value: Table = format!("value = {wanted}").parse().expect("a value");
            table[section]
                .as_table_mut()
                .expect("a section")
                .insert(key.to_owned(), value["value"].clone());
        }
        has_key(section, key) && Sheet::deserialize(table).is_ok()
    }

    #[test]
    fn the_rows_name_keys_values_and_kinds_of_turn() {
        for rules in KEYS {
            for condition in rules.needs.iter().chain(rules.excludes).chain([&rules.key]) {
                assert!(is_possible(condition), "{condition}");
            }
            let is_letter = |letter| KindOfTurn::ALL.iter().any(|kind| kind.letter == letter);
            let mut letters = rules.turns.chars().chain(rules.required_by.chars());
            assert!(letters.all(is_letter), "{}", rules.key);
        }
    }
}
