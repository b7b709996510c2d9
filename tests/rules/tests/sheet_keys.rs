//! Every value of every key of a sheet has an effect, or is refused, in each kind of turn.
//!
//! [`rows::ROWS`] lists the effects, and refusals with their reasons. A kind of turn without a row
//! for a value must refuse the value; the test lists the other values of the JSON Schema. For an
//! effect, the test plays the sheet with and without the value from random positions until the
//! turns differ, or compares another fact. It also compares both sheets with the oracle.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use ashta_env::{
    chance::{self, GameRng, below},
    game::{Game, Node, Seat, SeatSet},
    race::Race,
    ruleset::Ruleset,
    sheet::{SCHEMA, Sheet},
};
use ashta_rule_tests::{
    amount, cases,
    changes::{changed, split},
    engine, number, oracle, random,
};
use serde_json::Value;

use rows::{NAMED, ROWS, Row};

mod rows;

/// The kinds of turn by letter: throw, series in one hop, series throw by throw, dice, divided
/// total.
pub(crate) const KINDS: &str = "TSEDV";

/// Keys that no turn is about: texts, the drawing in colours, house rules and their names.
const NO_RULES: [&str; 12] = [
    "name",
    "title",
    "summary",
    "place",
    "minutes",
    "sources",
    "rules",
    "board.look",
    "throws.look",
    "words",
    "flags",
    "turn.kind",
];

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
const PRIVATE: &str = r#"board.side = 7; board.course = "D1 E3 N6 W6 S6 E2 NE1 N2"; board.marks = ["D1", "G4", "D7", "A4"]"#;

/// The base sheet of a kind of turn with these changes.
pub(crate) fn base_with(kind: char, changes: &[String]) -> toml::Table {
    changed(&base(kind).parse().expect("a base sheet"), changes)
}

fn base(kind: char) -> String {
    let series = "turn.kind = 'series'\nturn.must = 'most'\nturn.stop = [2, 3]";
    let dice =
        "throws.values = [1, 3, 4, 6]\nthrows.odds = 'equal'\nthrows.dice = 2\nturn.must = 'most'";
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

/// The rows, each with one value.
fn rows() -> impl Iterator<Item = Row> {
    let of_row = |&(kinds, key, values, with, seen): &Row| {
        values
            .split(" | ")
            .map(move |value| (kinds, key, value, with, seen))
    };
    ROWS.iter().flat_map(of_row)
}

/// The changes of a row, with those that it names.
fn changes(written: &str) -> Vec<String> {
    let named = |change: String| {
        NAMED
            .iter()
            .find(|(name, _)| *name == change)
            .map_or(vec![change], |(_, of)| split(of))
    };
    split(written).into_iter().flat_map(named).collect()
}

pub(crate) fn read(table: &toml::Table) -> Result<Arc<Sheet>, String> {
    let text = toml::to_string(table).expect("TOML");
    Sheet::read(&text, "keys.toml")
        .map(Arc::new)
        .map_err(|error| error.to_string())
}

/// The race of a sheet for the largest of its sets of seats.
fn race(sheet: &Arc<Sheet>) -> Race {
    let seats = sheet
        .seats
        .allowed
        .iter()
        .max_by_key(|set| set.len())
        .expect("seats");
    Race::new(
        Ruleset::of(
            Arc::clone(sheet),
            SeatSet::from_letters(seats).expect("seats"),
            [],
        )
        .expect("a ruleset"),
    )
}

/// The most positions in which both sheets are compared, and the number of positions that the
/// oracle checks.
const POSITIONS: usize = 4_000;
const CHECKED: usize = 24;

/// Whether some throw leaves other positions in some position.
fn turns_differ(sheets: [&Arc<Sheet>; 2]) -> bool {
    let races = sheets.map(race);
    let mut rng = chance::stream(0x5EE7, 0);
    let mut found = false;
    for at in 0..POSITIONS {
        let position = random::placed(&races[at % 2], &mut rng);
        if races
            .iter()
            .any(|race| race.parse_state(&position).is_err())
        {
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
                let expected =
                    oracle::turns(&sheet.text(), &position, &throws).map_err(|_| "no such throw");
                assert_eq!(
                    *turns,
                    expected,
                    "engine left, oracle right: {position} {throws:?}\n{}",
                    sheet.text()
                );
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
        "marks" => race
            .parse_state("keys S+:off,off/E:off,off/N:off,off S *")
            .is_ok()
            .to_string(),
        "limit" => race.spec().turn_limit.to_string(),
        "players" => sheet.seats.one_mind.to_string(),
        "odds" => {
            let chances = race.chance_outcomes(&state).iter().enumerate();
            let values = |at: usize| race.throw_values(ashta_env::game::Outcome(at as u8));
            chances
                .map(|(at, chance)| format!("{:?}: {chance:.6}\n", values(at)))
                .collect()
        }
        "choices" => {
            let sets =
                ["SN", "SEN", "SENW"].map(|letters| SeatSet::from_letters(letters).expect("seats"));
            let is_played = |seats: SeatSet, pieces: &str| {
                Ruleset::of(Arc::clone(sheet), seats, [("pieces", pieces)]).is_ok()
            };
            format!(
                "{:?}",
                sets.map(|seats| ["1", "2", "3", "4"].map(|pieces| is_played(seats, pieces)))
            )
        }
        other => panic!("a row sees `{other}`"),
    }
}

/// The problem of a row for a kind of turn, if what it says is not so.
fn problem(kind: char, (_, key, value, with, seen): Row) -> Option<String> {
    let row = format!("{kind}: {key} = {value} with `{with}`");
    let before = base_with(kind, &changes(with));
    let after = changed(&before, &split(&format!("{key} = {value}")));
    let sheet = read(&after);
    if let Some(reason) = seen.strip_prefix("refused: ") {
        let error = sheet.err().unwrap_or_default();
        let has_key = |line: &str| reason != "has no effect" || line.contains(&format!(" {key}: "));
        let is_refused = error
            .lines()
            .any(|line| line.contains(reason) && has_key(line));
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

/// The keys of the schema, dotted, with names of their values: words, true and false, and the kinds
/// of others.
fn keys(schema: &Value, at: &Value, key: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    if let Some(name) = at["$ref"].as_str() {
        return keys(
            schema,
            schema
                .pointer(name.trim_start_matches('#'))
                .expect("a definition"),
            key,
            found,
        );
    }
    for part in ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|part| at[part].as_array())
        .flatten()
    {
        keys(schema, part, key, found);
    }
    if let Some(properties) = at["properties"].as_object() {
        for (name, inner) in properties {
            keys(
                schema,
                inner,
                &if key.is_empty() {
                    name.clone()
                } else {
                    format!("{key}.{name}")
                },
                found,
            );
        }
        return;
    }
    let words: Vec<String> = at["const"]
        .as_str()
        .into_iter()
        .chain(
            at["enum"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str),
        )
        .map(str::to_owned)
        .collect();
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
    found
        .entry(key.to_owned())
        .or_default()
        .extend(names.map(str::to_owned).chain(words.clone()));
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
    let value: toml::Table = split(&format!("value = {value}"))
        .swap_remove(0)
        .parse()
        .expect("a value");
    name(&value["value"]).to_owned()
}

/// The accepted sheets of the rows of a key, with the names of the values.
pub(crate) fn accepted(key: &str) -> Vec<(String, toml::Table)> {
    rows_of(key, "")
        .flat_map(|(kinds, _, value, with, _)| {
            let before = move |kind| base_with(kind, &changes(with));
            let key = key.to_owned();
            kinds.chars().map(move |kind| {
                (
                    name_of(value),
                    changed(&before(kind), &split(&format!("{key} = {value}"))),
                )
            })
        })
        .filter(|(_, table)| read(table).is_ok())
        .collect()
}

/// The rows that say that a value has an effect. An empty name means any value.
fn rows_of(key: &str, value: &str) -> impl Iterator<Item = Row> {
    let is_meant = move |row: &Row| row.1 == key && (value.is_empty() || name_of(row.2) == value);
    rows().filter(move |row| is_meant(row) && !row.4.starts_with("refused"))
}

/// Whether the base sheet of this kind of turn refuses a value that can have an effect in another
/// kind, with an error of the section.
pub(crate) fn is_refused(kind: char, key: &str, value: &str) -> bool {
    let tried = rows_of(key, value)
        .next()
        .map_or_else(|| format!("'{value}'"), |row| row.2.to_owned());
    let sheet = read(&base_with(kind, &split(&format!("{key} = {tried}"))));
    let section = key.split_once('.').map_or(key, |(section, _)| section);
    sheet.is_err_and(|error| error.contains(section))
}

fn is_no_rule(key: &str) -> bool {
    NO_RULES.iter().any(|other| {
        key.strip_prefix(other)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

#[test]
fn every_key_and_value_has_a_row() {
    let mut all = BTreeMap::new();
    keys(&SCHEMA, &SCHEMA, "", &mut all);
    assert!(all.len() > 60 && all["turn.kind"].len() == 4, "{all:?}");
    let unknown: Vec<_> = rows()
        .map(|row| row.1)
        .filter(|key| !all.contains_key(*key))
        .collect();
    assert!(
        unknown.is_empty(),
        "rows of keys that the schema does not have: {unknown:?}"
    );
    let mut missing = Vec::new();
    for kind in KINDS.chars() {
        for (key, values) in all.iter().filter(|(key, _)| !is_no_rule(key)) {
            let mut said: BTreeSet<String> = BTreeSet::new();
            for (value, with) in rows()
                .filter(|row| row.0.contains(kind) && row.1 == key)
                .map(|row| (Some(row.2), row.3))
                .chain([(None, "")])
            {
                let before = base_with(kind, &changes(with));
                said.extend(value.map(name_of));
                // The value before the change is covered, too.
                let whole: Option<toml::Table> = read(&before)
                    .ok()
                    .and_then(|sheet| sheet.text().parse().ok());
                let (section, inner) = key.split_once('.').expect("a section");
                let old = whole
                    .as_ref()
                    .and_then(|whole| whole.get(section)?.get(inner));
                said.extend(old.map(|old| name(old).to_owned()));
                said.extend(
                    LEFT_OUT
                        .iter()
                        .filter(|(left, _)| left == key)
                        .map(|(_, value)| (*value).to_owned()),
                );
            }
            let is_text = values.contains("a text") && !said.is_empty();
            let left = values
                .iter()
                .filter(|value| !(said.contains(*value) || *value == "a text" && is_text));
            let is_effect = |value: &str| rows_of(key, value).next().is_some();
            let is_said = |value: &&String| is_effect(value) && is_refused(kind, key, value);
            missing.extend(
                left.filter(|value| !is_said(value))
                    .map(|value| format!("{kind} {key} {value}")),
            );
        }
    }
    assert!(
        missing.is_empty(),
        "ROWS lacks {} values, or NO_RULES keys:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

fn check_rows(kinds: &str) {
    let rows = rows().flat_map(|row| row.0.chars().map(move |kind| (kind, row)));
    let problems: Vec<String> = rows
        .filter(|(kind, _)| kinds.contains(*kind))
        .filter_map(|(kind, row)| problem(kind, row))
        .collect();
    assert!(
        problems.is_empty(),
        "{} rows are not so:\n{}",
        problems.len(),
        problems.join("\n")
    );
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
    let rows: Vec<Row> = rows()
        .filter(|row| row.0.contains(kind) && !row.4.starts_with("refused"))
        .collect();
    let mut table = base_with(kind, &[]);
    if below(4, rng) > 0 {
        table = changed(&table, &split(&random::sheets::course(rng)));
    }
    for (_, key, value, with, _) in [0; 2].map(|_| rows[below(rows.len(), rng)]) {
        table = changed(
            &changed(&table, &changes(with)),
            &split(&format!("{key} = {value}")),
        );
    }
    let sheet = read(&table).ok()?;
    let marks = random::sheets::marked_alike(&sheet, rng)
        .iter()
        .map(|mark| format!("'{mark}'"))
        .collect::<Vec<_>>();
    read(&changed(
        &table,
        &[format!("board.marks = [{}]", marks.join(", "))],
    ))
    .ok()
    .filter(|_| below(2, rng) == 0)
    .or(Some(sheet))
    .filter(|sheet| !random::sheets::is_disputed(sheet))
}

/// Where engine and oracle differ in a sheet.
fn difference(sheet: &Arc<Sheet>, rng: &mut GameRng) -> Option<String> {
    let race = Race::new(random::sheets::ruleset(sheet, rng));
    let mut positions = random::played(&race, 4, rng);
    positions.extend((0..8).map(|_| random::placed(&race, rng)));
    positions.into_iter().find_map(|position| {
        if let Err(error) = race.parse_state(&position) {
            return Some(format!(
                "{position} cannot be read: {error}\n{}",
                sheet.text()
            ));
        }
        let throws = engine::draw(&race, &position, rng);
        let [left, right] = [
            engine::turns(&race, &position, &throws),
            oracle::turns(&sheet.text(), &position, &throws),
        ]
        .map(|turns| turns.map_err(|_| "no such throw"));
        let text = || {
            format!(
                "{position} {throws:?}\n  engine {left:?}\n  oracle {right:?}\n{}",
                sheet.text()
            )
        };
        (throws.len() <= 4 && left != right && left != Ok(BTreeSet::new())).then(text)
    })
}

/// `ASHTA_PAIRS` sets the number of sheets of each kind of turn (by default 40, in `./test deep`
/// 5,000), `ASHTA_SEED` chooses the sheets.
#[test]
fn pairs_of_keys_on_random_courses_are_played_as_the_oracle_does() {
    let mut differences = Vec::new();
    for (kind, test) in KINDS.chars().zip(number("ASHTA_SEED", 0x5EE7) as u64..) {
        for (sheet, mut rng) in cases(test)
            .filter_map(|mut rng| Some((random_pair(kind, &mut rng)?, rng)))
            .take(number("ASHTA_PAIRS", amount(40, 5_000)))
        {
            differences.extend(difference(&sheet, &mut rng));
        }
    }
    assert!(
        differences.is_empty(),
        "{} sheets differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

#[test]
fn two_dice_are_played_as_the_oracle_does() {
    let winding = "board.side = 5; board.copy = 'mirror'; seats.allowed = ['SN']; board.marks = []; board.course = \
                   'E1 W3 N1 W1 N2 E1 N1 E2 S1 W2 N1 E3 S4 W3 N1 >C3'";
    let by_sum = "seats.allowed = ['SN']; entry.first = [10]; pieces.setup = [1, 2, 2, 3]";
    for (changes, position) in [
        (by_sum, "S+:off,off/N:19,23 N *"),
        (winding, "S:8,20/N:2,2 S *"),
    ] {
        let sheet = read(&base_with('D', &split(changes))).expect("a sheet");
        let position = format!("keys {position}");
        let turns = engine::turns(&race(&sheet), &position, &[4, 6]);
        assert_eq!(
            turns,
            oracle::turns(&sheet.text(), &position, &[4, 6]),
            "{changes}"
        );
    }
}

/// With two dice, pieces count from before the first square, also if that square has the number 0.
#[test]
fn the_words_of_a_die_that_enters_name_its_square() {
    let one = base_with('D', &split("pieces.count = 1; seats.allowed = ['SN']"));
    for first in ["0", "1"] {
        let race = race(
            &read(&changed(&one, &[format!("board.first_number = {first}")])).expect("a sheet"),
        );
        let mut state = race
            .parse_state("keys S:off/N:off S *")
            .expect("a position");
        race.throw(&mut state, &[3, 4]).expect("two dice");
        let mut places = Vec::new();
        while let Node::Decision(_) = race.node(&state) {
            let action = race
                .legal_actions(&state)
                .iter()
                .next()
                .expect("a legal action");
            places.extend(
                race.step(&state, action)
                    .map(|step| race.place_text(step.to)),
            );
            race.apply_action(&mut state, action);
        }
        assert_eq!(
            (places.last().map(String::as_str), race.print(&state)),
            (Some("7"), "keys S:7/N:off N *".into())
        );
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
        (
            "unit.speed = 'half'",
            vec![],
            Some("unit.speed: \"half\" has no effect in this game"),
        ),
        ("unit.speed = 'half'", vec![units.clone()], None),
        (
            "unit.kind = 'together'; unit.speed = 'half'",
            vec![flag("single", "unit.kind = 'none'")],
            None,
        ),
        (
            "",
            vec![flag("slow", "unit.speed = 'half'")],
            Some("flags.slow.on: with this value, unit.speed: \"half\" has no effect in this game"),
        ),
        (
            "",
            vec![flag("slow", "unit.speed = 'half'"), units.clone()],
            None,
        ),
        (
            "",
            vec![flag("same", "turn.must = 'one'")],
            Some("flags.same.on: this value changes nothing"),
        ),
        // The house rule that has units sets another speed.
        (
            "unit.speed = 'half'",
            vec![format!("{units}\nflags.units.on.unit.speed = 'full'")],
            Some("unit.speed"),
        ),
    ] {
        let table = base_with('T', &split(changes));
        let table = changed(&table, &[flags.join("\n")]);
        let error = read(&table).err();
        assert_eq!(
            error.is_some(),
            refused.is_some(),
            "{changes} {flags:?}: {error:?}"
        );
        assert!(
            error
                .unwrap_or_default()
                .contains(refused.unwrap_or_default()),
            "{changes} {flags:?}"
        );
    }
}
