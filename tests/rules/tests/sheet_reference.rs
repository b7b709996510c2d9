//! The page of all keys of a sheet, `docs/sheet-keys.md`, written from the schema and the built-in
//! games.
//!
//! With which kinds of turn a value goes is found by trying: it is set in built-in games of each
//! kind, also under one house rule, and in the sheets of `sheet_keys`, and goes with the kind where
//! one of them takes it and the key makes a difference.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    sync::Arc,
};

use ashta_env::{
    game::Seat,
    race::Race,
    ruleset::Ruleset,
    sheet::{SCHEMA, Sheet, builtin},
};
use ashta_rule_tests::golden;
use serde_json::Value;
use toml::Table;

use super::sheet_keys;

/// The kinds of turn, in the words of the page. A series is played in two ways.
const KINDS: [&str; 5] = ["throw", "series", "each", "dice", "divide"];

const HEAD: &str = r#"# Every key of a sheet

A [sheet](sheets.md) is a TOML file; these are its keys, section by section. A test writes this page from the schema
(`ashta game --schema`) and the sheets of the built-in games, and fails when it is not up to date.

A key is written in its section, as `order = "clockwise"` below `[seats]`, or with it, as in the examples here. A
default is what a key means that is left out; keys without one are required.

*Turns* are the kinds of turn with which a value goes: `turn.kind`, and *each* is a series with `turn.hop = "each"`. This
was found by trying. The value was set in the built-in games and in test sheets of each kind: one has to take it, and the
key has to make a difference there, unless it makes none in any game. A default only has to be taken. Where a value
needs others beside it, `ashta game FILE` names them; it also says which keys have no effect. *Games* are the built-in
ones that have the value, of themselves or by a house rule (`?`).
"#;

/// Whether a sheet is a good one, by its text.
type Tried = RefCell<HashMap<String, bool>>;

/// A sheet without house rules, as a table.
struct Base {
    name: String,
    table: Table,
}

/// Which of [`KINDS`] the turn of a sheet is.
fn kind(table: &Table) -> usize {
    let of = |key: &str| table["turn"].get(key).and_then(toml::Value::as_str);
    let name = if of("hop") == Some("each") {
        Some("each")
    } else {
        of("kind")
    };
    KINDS
        .iter()
        .position(|&kind| Some(kind) == name)
        .expect("a kind of turn")
}

/// The name of the sheets of `sheet_keys`, which are no built-in games.
const OWN: &str = "keys";

/// The built-in games of themselves and under each of their house rules, and the base sheets of
/// `sheet_keys`.
fn bases() -> Vec<Base> {
    let mut bases = Vec::new();
    for sheet in builtin::all() {
        let rules = sheet
            .flags
            .iter()
            .flat_map(|(flag, of)| of.values.keys().skip(1).map(move |value| (flag, value)))
            .map(|(flag, value)| vec![(flag.as_str(), value.as_str())]);
        for flags in std::iter::once(Vec::new()).chain(rules) {
            let ruleset =
                Ruleset::seated_of(Arc::clone(sheet), None, flags).expect("one house rule");
            let sheet = ruleset.sheet();
            let mut table: Table = sheet.text().parse().expect("TOML");
            table.remove("flags");
            // A key of the sheet can need another house rule.
            let idle =
                Sheet::read_saved(&table.to_string(), "").map_or(Vec::new(), |sheet| sheet.idle());
            for (section, key) in idle
                .iter()
                .filter_map(|problem| problem.key.split_once('.'))
            {
                table
                    .get_mut(section)
                    .and_then(toml::Value::as_table_mut)
                    .map(|section| section.remove(key));
            }
            if game(&table).is_some() {
                bases.push(Base {
                    name: ruleset.game_text(),
                    table,
                });
            }
        }
    }
    let own = |kind| Base {
        name: OWN.to_owned(),
        table: sheet_keys::base_with(kind, &[]),
    };
    bases
        .into_iter()
        .chain(sheet_keys::KINDS.chars().map(own))
        .collect()
}

/// The game of a sheet, if it is a good one.
fn game(table: &Table) -> Option<Race> {
    let sheet = Sheet::read(&table.to_string(), "").ok()?;
    // A house rule can change the seats.
    Some(Race::new(
        Ruleset::seated_of(Arc::new(sheet), None, []).ok()?,
    ))
}

/// Whether a sheet is a good one, found once.
fn is_good(tried: &Tried, table: &Table) -> bool {
    *tried
        .borrow_mut()
        .entry(table.to_string())
        .or_insert_with(|| game(table).is_some())
}

/// Lists that suit the board and the throws of one game.
fn lists(base: &Base, is_of_squares: bool) -> Vec<toml::Value> {
    let race = game(&base.table).expect("a built-in game");
    let squares: Vec<toml::Value> = Seat::ALL
        .into_iter()
        .filter_map(|seat| Some(race.board().course(seat).get(1)?.to_string().into()))
        .collect();
    let weights = vec![1.into(); race.ruleset().sheet().throws.values.len()];
    let numbers = [weights, vec![(race.pieces() as i64).into()]];
    if is_of_squares {
        vec![squares.into()]
    } else {
        numbers.map(toml::Value::Array).to_vec()
    }
}

/// The values to try for a key, and whether lists of squares or of numbers are possible.
struct Choice {
    values: Vec<toml::Value>,
    lists: Option<bool>,
}

/// The names of the values to try.
fn choice_names(choice: &Choice) -> impl Iterator<Item = &str> {
    choice.values.iter().map(sheet_keys::name)
}

/// A key such as `order` in the section `seats`; the section is empty for top-level keys.
struct Key<'a> {
    section: &'a str,
    name: &'a str,
}

impl Key<'_> {
    fn path(&self) -> String {
        if self.section.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}.{}", self.section, self.name)
        }
    }

    fn of<'a>(&self, table: &'a Table) -> Option<&'a toml::Value> {
        let section = if self.section.is_empty() {
            Some(table)
        } else {
            table.get(self.section)?.as_table()
        };
        section?.get(self.name)
    }

    /// A sheet with this value.
    fn set(&self, base: &Base, value: &toml::Value) -> Table {
        let mut table = base.table.clone();
        let section = match self.section {
            "" => &mut table,
            section => table
                .entry(section)
                .or_insert(Table::new().into())
                .as_table_mut()
                .expect("a section"),
        };
        section.insert(self.name.to_owned(), value.clone());
        table
    }

    /// The kinds of turn with which one of `values` goes: a game of the kind takes it, and some
    /// value of `all`, of those that the key can have, makes a difference there. Where there is no
    /// such game, the kinds that take it.
    fn kinds(
        &self,
        tried: &Tried,
        bases: &[Base],
        values: &Choice,
        all: Option<&Choice>,
    ) -> String {
        let tries = |base: &Base, choice: &Choice, of: usize| {
            let own = choice
                .lists
                .map_or_else(Vec::new, |is_of_squares| lists(base, is_of_squares));
            choice.values.iter().chain(&own).any(|value| {
                let table = self.set(base, value);
                kind(&table) == of && is_good(tried, &table)
            })
        };
        let is_taken = |base: &Base, of: usize| tries(base, values, of);
        let matters = |base: &Base, of: usize| all.is_none_or(|all| tries(base, all, of));
        let is_meant = |name: &str| {
            choice_names(values).any(|meant| meant == name)
                || values.lists.is_some() && name == "a list"
        };
        let rows: Vec<usize> = sheet_keys::accepted(&self.path())
            .iter()
            .filter(|(name, _)| all.is_some() && is_meant(name))
            .map(|(_, table)| kind(table))
            .collect();
        let kinds = |goes: &dyn Fn(&Base, usize) -> bool| -> Vec<&str> {
            let has = |of: &usize| rows.contains(of) || bases.iter().any(|base| goes(base, *of));
            (0..KINDS.len()).filter(has).map(|of| KINDS[of]).collect()
        };
        let found = kinds(&|base, of| is_taken(base, of) && matters(base, of));
        let kinds = if found.is_empty() {
            kinds(&is_taken)
        } else {
            found
        };
        if kinds.len() == KINDS.len() {
            "all".to_owned()
        } else {
            kinds.join(", ")
        }
    }

    /// The built-in games with a value that `is` the one meant: a game of itself, or by a house
    /// rule.
    fn games(&self, bases: &[Base], is: impl Fn(Option<&toml::Value>) -> bool) -> Vec<String> {
        let has: Vec<&Base> = bases
            .iter()
            .filter(|base| base.name != OWN && is(self.of(&base.table)))
            .collect();
        let plain: BTreeSet<&str> = has
            .iter()
            .map(|base| base.name.as_str())
            .filter(|name| !name.contains('?'))
            .collect();
        let is_new = |name: &&str| match name.split_once('?') {
            Some((game, _)) => !plain.contains(game),
            None => true,
        };
        has.iter()
            .map(|base| base.name.as_str())
            .filter(is_new)
            .map(|name| format!("`{name}`"))
            .collect()
    }
}

/// The description in one line; a link to code becomes code.
fn line(schema: &Value) -> String {
    schema["description"]
        .as_str()
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}

/// The alternatives of a schema with resolved references; without alternatives, the schema itself.
fn alternatives<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return alternatives(
            root,
            root.pointer(name.trim_start_matches('#'))
                .expect("a definition"),
        );
    }
    match schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        Some(of) => of
            .iter()
            .flat_map(|schema| alternatives(root, schema))
            .collect(),
        None => vec![schema],
    }
}

/// The type of a value; `None` for a word of a choice and for a value that the page omits.
fn type_of(schema: &Value) -> Option<String> {
    let name = match &schema["type"] {
        Value::Array(names) => names
            .iter()
            .find_map(|name| name.as_str().filter(|&name| name != "null")),
        name => name.as_str(),
    };
    let text = match name.filter(|_| schema["const"].is_null())? {
        "null" => return None,
        "boolean" => "`true` or `false`".to_owned(),
        "integer" => "a whole number".to_owned(),
        "string" => "a text".to_owned(),
        "array" => match schema["items"]["type"].as_str() {
            Some("integer") => "a list of whole numbers".to_owned(),
            Some("string") => "a list of texts".to_owned(),
            _ => "a list".to_owned(),
        },
        _ => "a table".to_owned(),
    };
    Some(text)
}

/// A value as it is written, in one line.
fn written(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) if text.contains('\n') => "\"\"\"…\"\"\"".to_owned(),
        value => value.to_string(),
    }
}

/// Values that suit a built-in game, for keys that no built-in game writes.
const SAMPLES: [(&str, &str); 1] = [(
    "board.other_marks",
    "[{ squares = [\"B2\"], rule = \"block\" }]",
)];

/// The part of the page about one key.
fn about(
    page: &mut String,
    root: &Value,
    tried: &Tried,
    bases: &[Base],
    key: &Key,
    schema: &Value,
    is_required: bool,
) {
    let path = key.path();
    let choices = alternatives(root, schema);
    let items: Vec<&str> = choices
        .iter()
        .filter_map(|choice| choice["items"]["type"].as_str())
        .collect();
    let of_lists = items.first().map(|&of| of == "string");
    let words: Vec<toml::Value> = choices
        .iter()
        .filter_map(|choice| toml::Value::try_from(&choice["const"]).ok())
        .collect();
    let default: Option<toml::Value> = toml::Value::try_from(&schema["default"]).ok();
    let is_default = |value: Option<&toml::Value>| value.is_none() || value == default.as_ref();
    let used: Vec<&toml::Value> = bases
        .iter()
        .filter_map(|base| key.of(&base.table))
        .collect();
    let mut others: Vec<&toml::Value> = Vec::new();
    for value in used
        .iter()
        .copied()
        .filter(|&value| !is_default(Some(value)))
    {
        if !others.contains(&value) {
            others.push(value);
        }
    }
    let sample: Option<toml::Value> =
        SAMPLES
            .iter()
            .find(|(key, _)| *key == path)
            .map(|(_, value)| {
                let table: Table = format!("value = {value}").parse().expect("TOML");
                table["value"].clone()
            });
    others.extend(sample.iter());
    let is_no_word = |value: &&toml::Value| !value.is_str() || words.is_empty();
    let free: Vec<toml::Value> = others.iter().copied().filter(is_no_word).cloned().collect();
    let others_in_words = words
        .iter()
        .filter(|&word| !is_default(Some(word)))
        .cloned();
    let all = Choice {
        values: others_in_words.chain(free.iter().cloned()).collect(),
        lists: of_lists,
    };
    let mut types: Vec<String> = choices
        .iter()
        .filter_map(|choice| type_of(choice))
        .collect();
    if !words.is_empty() {
        types.insert(0, "one of the words below".to_owned());
    }
    let default_text = match &default {
        Some(value) => format!("`{}`", written(value)),
        None if is_required => "none, it is required".to_owned(),
        None => "left out".to_owned(),
    };
    writeln!(
        page,
        "\n### {path}\n\n{}\n\n* Type: {}\n* Default: {default_text}",
        line(schema),
        types.join(", or ")
    )
    .expect("text");
    if words.is_empty() {
        let values = if free.is_empty() {
            default.iter().cloned().collect()
        } else {
            free.clone()
        };
        let values = Choice {
            values,
            lists: of_lists,
        };
        let kinds = key.kinds(tried, bases, &values, Some(&values));
        assert!(
            !kinds.is_empty(),
            "{path} goes with no kind of turn, or no value of it is known"
        );
        let games = match key.games(bases, |value| !is_default(value)) {
            games if games.is_empty() => "no built-in one has another value".to_owned(),
            games if games.len() >= builtin::all().len() => "all".to_owned(),
            games => games.join(", "),
        };
        writeln!(page, "* Turns: {kinds}\n* Games: {games}").expect("text");
    }
    let example = others.first().map_or_else(
        || default.as_ref().map(written),
        |value| Some(written(value)),
    );
    writeln!(
        page,
        "* Example: `{path} = {}`",
        example.unwrap_or_default()
    )
    .expect("text");
    if words.is_empty() {
        return;
    }
    page.push_str("\n| value | meaning | turns | games |\n|---|---|---|---|\n");
    for choice in choices {
        let word = toml::Value::try_from(&choice["const"]).ok();
        let has = |value: Option<&toml::Value>| match &word {
            Some(word) => value == Some(word) || value.is_none() && default.as_ref() == Some(word),
            None => value.is_some_and(|value| !value.is_str()),
        };
        let is_usual = word.is_some() && word == default;
        let values = match &word {
            Some(word) => Choice {
                values: vec![word.clone()],
                lists: None,
            },
            None => Choice {
                values: free.clone(),
                lists: of_lists,
            },
        };
        let name = match (&word, type_of(choice)) {
            (Some(word), _) => format!("`{}`", written(word)),
            (None, Some(name)) => name,
            (None, None) => continue,
        };
        let kinds = key.kinds(tried, bases, &values, (!is_usual).then_some(&all));
        let kinds = if kinds.is_empty() {
            "none, it is refused"
        } else {
            &kinds
        };
        let games = match key.games(bases, has) {
            _ if is_usual => "by default".to_owned(),
            games => games.join(", "),
        };
        writeln!(page, "| {name} | {} | {kinds} | {games} |", line(choice)).expect("text");
    }
}

/// Names of keys in the order of a sheet; keys that no sheet writes are last.
fn in_order<'a>(keys: &'a serde_json::Map<String, Value>, written: &[&Table]) -> Vec<&'a String> {
    let mut names: Vec<&String> = keys.keys().collect();
    let place = |name: &String| {
        written
            .iter()
            .filter_map(|table| table.keys().position(|key| key == name))
            .max()
            .unwrap_or(usize::MAX)
    };
    names.sort_by_key(|name| place(name));
    names
}

#[test]
fn the_page_of_keys_is_up_to_date() {
    let (root, bases) = (&*SCHEMA, bases());
    let top = root["properties"].as_object().expect("keys");
    let (mut page, tried) = (HEAD.to_owned(), Tried::default());
    let is_required = |schema: &Value, name: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|required| required == name))
    };
    let tables: Vec<&Table> = bases.iter().map(|base| &base.table).collect();
    let properties = |name: &str| {
        let [of] = alternatives(root, &top[name])[..] else {
            return None;
        };
        of["properties"]
            .as_object()
            .map(|properties| (of, properties))
    };
    page.push_str("\n## The game\n\nThese keys come before all sections.\n");
    let names = in_order(top, &tables);
    for &name in names
        .iter()
        .filter(|name| properties(name).is_none() && **name != "flags")
    {
        let key = Key { section: "", name };
        about(
            &mut page,
            root,
            &tried,
            &bases,
            &key,
            &top[name.as_str()],
            is_required(root, name),
        );
    }
    for &section in &names {
        let Some((of, properties)) = properties(section) else {
            continue;
        };
        writeln!(page, "\n## {section}\n\n{}", line(&top[section.as_str()])).expect("text");
        let inner: Vec<&Table> = tables
            .iter()
            .filter_map(|table| table.get(section)?.as_table())
            .collect();
        for name in in_order(properties, &inner) {
            about(
                &mut page,
                root,
                &tried,
                &bases,
                &Key { section, name },
                &properties[name],
                is_required(of, name),
            );
        }
    }
    let [flag, value] = ["Flag", "FlagValue"].map(|name| &root["$defs"][name]);
    let game = builtin::all()
        .iter()
        .find(|sheet| !sheet.flags.is_empty())
        .expect("a game with house rules");
    let (name, of) = game.flags.first().expect("a house rule");
    let lone = Table::from_iter([(
        "flags".to_owned(),
        Table::from_iter([(name.clone(), toml::Value::try_from(of).expect("TOML"))]).into(),
    )]);
    write!(
        page,
        "\n## flags\n\n{}\n\n* `flags.NAME.about`: {}\n* `flags.NAME.VALUE`: {}\n* `flags.NAME.VALUE.about`: {}\n\nOf \
         `{}`:\n\n```toml\n{}\n```\n",
        line(&top["flags"]),
        line(&flag["properties"]["about"]),
        line(value),
        line(&value["properties"]["about"]),
        game.name,
        lone.to_string().trim(),
    )
    .expect("text");
    golden::compare("../../docs/sheet-keys.md", &page);
}

/// What the page says of a key: the values that are not the default with their kinds of turn, and
/// the kinds that the description names.
fn said(part: &str) -> (Vec<(&str, Vec<&str>)>, Vec<&str>) {
    let kinds_of = |kinds: &'static [&str], text: &str| -> Vec<&str> {
        kinds
            .iter()
            .copied()
            .filter(|kind| text == "all" || text.split(", ").any(|other| other == *kind))
            .collect()
    };
    let mut values = Vec::new();
    for line in part.lines() {
        let cells: Vec<&str> = line.split(" | ").collect();
        match (line.strip_prefix("* Turns: "), &cells[..]) {
            (Some(kinds), _) => values.push(("", kinds_of(&KINDS, kinds))),
            (None, [value, _, kinds, games])
                if value.starts_with("| `") && !games.contains("by default") =>
            {
                values.push((value[2..].trim_matches(['`', '"']), kinds_of(&KINDS, kinds)));
            }
            _ => {}
        }
    }
    let about = part
        .lines()
        .nth(2)
        .and_then(|about| about.split_once(':'))
        .map_or("", |(kinds, _)| kinds);
    let named = about
        .split('`')
        .skip(1)
        .step_by(2)
        .flat_map(|kind| match kind {
            "series" => vec!["series", "each"],
            kind => KINDS.into_iter().filter(|other| *other == kind).collect(),
        });
    (
        values,
        if about.starts_with('`') {
            named.collect()
        } else {
            Vec::new()
        },
    )
}

/// The kinds of turn that the page leaves out refuse the value, and its descriptions name the kinds
/// of its lists.
#[test]
fn the_page_of_keys_says_what_is_accepted() {
    let page = std::fs::read_to_string("../../docs/sheet-keys.md").expect("the page");
    let (mut wrong, mut refused) = (Vec::new(), 0);
    for part in page.split("\n### ").skip(1) {
        let key = part
            .lines()
            .next()
            .filter(|key| !["turn.kind", "turn.hop"].contains(key) && !key.starts_with("words."))
            .unwrap_or_default();
        let (values, named) = if key.is_empty() {
            Default::default()
        } else {
            said(part)
        };
        for (value, kinds) in &values {
            for (letter, kind) in sheet_keys::KINDS
                .chars()
                .zip(KINDS)
                .filter(|(_, kind)| !kinds.contains(kind))
            {
                let is_refused = sheet_keys::is_refused(letter, key, value);
                refused += usize::from(is_refused);
                wrong.extend(
                    (!is_refused).then(|| format!("{key} {value}: {kind} does not refuse it")),
                );
            }
            let is_other = |kind: &&&str| {
                kinds.len() < KINDS.len() && !named.is_empty() && !named.contains(kind)
            };
            wrong.extend(
                kinds
                    .iter()
                    .filter(is_other)
                    .map(|kind| format!("{key} {value}: not described for {kind}")),
            );
        }
        let is_listed = |kind: &&&str| {
            values
                .iter()
                .any(|(_, kinds)| kinds.contains(kind) || kinds.is_empty())
        };
        let missing = named.iter().filter(|kind| !is_listed(kind));
        wrong.extend(
            missing.map(|kind| format!("{key} is described for {kind}, which no value goes with")),
        );
    }
    assert!(
        wrong.is_empty() && refused > 60,
        "{refused} refused\n{}",
        wrong.join("\n")
    );
}
