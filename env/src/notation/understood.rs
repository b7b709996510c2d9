//! The rules of a game in sentences, made from the compiled tables and the values of the sheet. A
//! reader can compare them with the `rules` of the sheet, which the program does not interpret. The
//! file `understood.toml` has the sentences; this module computes the values in them.

use std::sync::LazyLock;

use serde::Serialize;
use toml::{Table, Value};

use crate::{
    game::{Game, Seat},
    notation::Ground,
    race::{
        Race,
        compile::reach::places_of,
        position::state::Series,
        turns::text::{any_of, joined},
    },
    sheet::{Area, BonusOrder, OpenedBy, Teams, UnitKind},
};

/// Rules that belong together, as sentences.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RuleTopic {
    /// The heading.
    pub topic: &'static str,
    /// The rules, one or more.
    pub sentences: Vec<String>,
}

/// The sentences; see the file.
static SENTENCES: LazyLock<Table> = LazyLock::new(|| {
    include_str!("understood.toml")
        .parse()
        .expect("a test reads the file")
});

/// A table of the file: `topics` or `texts`.
fn section(name: &str) -> &'static Table {
    SENTENCES[name]
        .as_table()
        .expect("the file has these tables")
}

/// The values of a game for the sentences, by name. Values that a game does not have are missing.
struct Facts(Table);

impl Facts {
    fn set(&mut self, name: &str, value: impl ToString) {
        self.0
            .insert(name.to_owned(), Value::String(value.to_string()));
    }

    fn set_if(&mut self, is_set: bool, name: &str, value: impl ToString) {
        if is_set {
            self.set(name, value);
        }
    }

    /// The text with this name; empty if this game does not need it.
    fn text(&self, name: &str) -> String {
        let value = self.0.get(name).and_then(Value::as_str);
        let text = match section("texts").get(name) {
            Some(Value::Table(texts)) => value
                .and_then(|value| texts.get(value))
                .or_else(|| texts.get("otherwise")),
            text => text.filter(|_| value.is_some_and(|value| value != "false")),
        };
        text.and_then(Value::as_str)
            .map_or(String::new(), |text| self.filled(text))
    }

    /// Replaces `<NAME>` by values and `{NAME}` by texts.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, from)) = rest.find(['<', '{']).map(|at| rest.split_at(at)) {
            let (name, after) = from[1..].split_once(['>', '}']).unwrap_or((&from[1..], ""));
            filled.push_str(before);
            filled.push_str(&if from.starts_with('{') {
                self.text(name)
            } else {
                self.value(name)
            });
            rest = after;
        }
        filled + rest
    }

    fn value(&self, name: &str) -> String {
        self.0
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }
}

impl Race {
    /// The rules as the program understands them, by topic.
    pub fn understood(&self) -> Vec<RuleTopic> {
        let facts = self.facts();
        let topic = |(topic, text): (&'static String, &'static Value)| {
            let sentences: Vec<String> = facts
                .filled(text.as_str().unwrap_or_default())
                .lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect();
            (!sentences.is_empty()).then_some(RuleTopic { topic, sentences })
        };
        section("topics").iter().filter_map(topic).collect()
    }

    /// The number of a place on South's course and the name of its square: `16 (B1)`.
    fn numbered(&self, place: u8) -> String {
        format!(
            "{} ({})",
            self.place_text(place),
            self.board().course(Seat::SOUTH)[usize::from(place) - 1]
        )
    }

    /// The numbers of the places before the finish for which `holds` is true: `1 to 7, 77`.
    pub(super) fn ranges(&self, holds: impl Fn(u8) -> bool) -> Option<String> {
        let mut ranges: Vec<[u8; 2]> = Vec::new();
        for place in (1..self.rules.home).filter(|&place| holds(place)) {
            match ranges.last_mut() {
                Some([_, last]) if *last + 1 == place => *last = place,
                _ => ranges.push([place; 2]),
            }
        }
        let text = |[first, last]: [u8; 2]| match last - first {
            0 => self.place_text(first),
            1 => format!("{}, {}", self.place_text(first), self.place_text(last)),
            _ => format!("{} to {}", self.place_text(first), self.place_text(last)),
        };
        (!ranges.is_empty()).then(|| joined(ranges.into_iter().map(text), ", "))
    }

    fn facts(&self) -> Facts {
        let (rules, sheet) = (&self.rules, self.ruleset().sheet());
        let mut facts = Facts(Table::new());
        for (part, keys) in sheet
            .table()
            .iter()
            .filter_map(|(part, keys)| Some((part, keys.as_table()?)))
        {
            for (key, value) in keys {
                let is_set = value.as_array().is_none_or(|list| !list.is_empty());
                facts.set_if(is_set, &format!("{part}.{key}"), listed(value));
            }
        }
        facts.set("pieces.allowed", any_of(&sheet.pieces.allowed));
        facts.set("finish.bear_off", any_of(&sheet.finish.bear_off));
        facts.set_if(sheet.seats.teams == Teams::Opposite, "seats.end", "team");
        facts.set_if(sheet.seats.teams == Teams::Opposite, "partners", true);
        facts.set_if(rules.waits_at_gate(), "waits at gate", true);
        facts.set(
            "turn limit",
            counted(self.spec().turn_limit as usize, "turn"),
        );
        self.add_board(&mut facts);
        self.add_throws(&mut facts);
        self.add_entry(&mut facts);
        let most = self.pieces() as u8;
        let room = |count: u8| {
            let places = self.ranges(|place| rules.room[place] == count)?;
            let kind = if count == most && count > 0 {
                "any".to_owned()
            } else {
                count.to_string()
            };
            let mut facts = Facts(Table::new());
            facts.set("room", kind);
            facts.set("places", places);
            Some(facts.text("room"))
        };
        facts.set("room", joined((1..=most).chain([0]).filter_map(room), "\n"));
        let passing = match rules.closing.impassable {
            [0, 0] => "all",
            [0, _] => "blocks",
            _ => "units",
        };
        facts.set("passing", passing);
        let (unit, words) = (&sheet.unit, self.turns.notation().words());
        facts.set(
            "unit",
            if unit.kind == UnitKind::Declared {
                "declared".to_owned()
            } else {
                facts.value("unit.area")
            },
        );
        facts.set(
            "unit from",
            self.ranges(|place| rules.declaring >> place & 1 == 1)
                .unwrap_or_default(),
        );
        let is_anywhere = unit.kind == UnitKind::Together && unit.area == Area::Any;
        facts.set_if(
            is_anywhere && rules.cells[Seat::SOUTH][1] == 0,
            "no unit at first",
            true,
        );
        facts.set_if(unit.kind != UnitKind::None, "captures of units", true);
        let is_contested = |place: u8| rules.contested >> place & 1 == 1 && rules.room[place] > 0;
        let contested = self.ranges(is_contested);
        facts.set_if(contested.is_some(), "contested", "some");
        facts.set("squares of captures", contested.unwrap_or_default());
        if rules.has_gate() {
            facts.set("gate", self.numbered(rules.gate));
            facts.set_if(
                sheet.gate.opened_by == OpenedBy::Team && rules.seating.has_teams,
                "opened by",
                "team",
            );
            facts.set_if(rules.longest > sheet.gate.lap, "many laps", true);
        }
        facts.set(
            "filled",
            self.ranges(|place| place >= rules.finished_from)
                .unwrap_or_default(),
        );
        let last = &sheet.finish.from_last;
        let one = rules
            .faces
            .iter()
            .filter(|&&value| value == 1 && !last.contains(&1));
        let from_last: Vec<u8> = last.iter().chain(one).copied().collect();
        facts.set_if(!last.is_empty(), "from last", any_in_order(&from_last));
        facts.set("distance", facts.value("finish.doublets"));
        facts.set(
            "end of course",
            if rules.goal == rules.home {
                "home"
            } else {
                "borne"
            },
        );
        for (name, text) in [
            ("kind", &*words.turn.join("\n")),
            ("throw", words.used[0]),
            ("throws", words.used[1]),
            ("whole", words.whole),
            ("double", words.double),
            ("half spent", words.half_spent),
            ("shared", words.shared.unwrap_or_default()),
            ("not borne", words.not_borne),
            ("both enter", words.both_enter),
        ] {
            facts.set(name, text);
        }
        facts.set("Throws", capital(words.used[1]));
        facts
    }

    /// Adds the values of the board and of the pieces on it.
    fn add_board(&self, facts: &mut Facts) {
        let (rules, board, course) = (
            &self.rules,
            &self.ruleset().sheet().board,
            self.board().course(Seat::SOUTH),
        );
        let direction = |at: usize| {
            let step = |from: u8, to: u8| i16::from(to) - i16::from(from);
            (
                step(course[at - 1].row, course[at].row),
                step(course[at - 1].column, course[at].column),
            )
        };
        let is_corner = |at: &usize| {
            *at == 0 || *at + 1 == course.len() || direction(*at) != direction(*at + 1)
        };
        facts.set(
            "corners",
            joined(
                (0..course.len()).filter(is_corner).map(|at| course[at]),
                ", ",
            ),
        );
        facts.set("steps", course.len() - 1);
        facts.set("first number", self.place_text(1));
        facts.set("first square", self.numbered(1));
        let comes_again = |place: &u8| {
            course[..usize::from(*place) - 1].contains(&course[usize::from(*place) - 1])
        };
        let again: Vec<String> = (1..rules.home)
            .filter(comes_again)
            .map(|place| self.numbered(place))
            .collect();
        facts.set_if(!again.is_empty(), "second visits", again.join(", "));
        let mut marks = Vec::new();
        for kind in board.mark_kinds() {
            let names = self
                .squares()
                .filter(|&(_, ground)| ground == Ground::Marked)
                .map(|(square, _)| square.to_string())
                .filter(|name| kind.squares.contains(name));
            let names = joined(names, ", ");
            if !names.is_empty() {
                facts.set("mark", names);
                facts.set(
                    "mark rule",
                    Value::try_from(kind.rule)
                        .map(|rule| listed(&rule))
                        .unwrap_or_default(),
                );
                facts.set("mark again", kind.again);
                marks.push(facts.text("mark"));
            }
        }
        facts.set("marks", marks.join("\n"));
        let is_met = |place: u8| rules.cells[Seat::SOUTH][place] != 0;
        let is_private =
            |place: u8| is_met(place) && (rules.contested | rules.marked) >> place & 1 == 0;
        let private = self.ranges(is_private);
        facts.set_if(private.is_some(), "private", private.unwrap_or_default());
        facts.set_if(!is_met(1), "first is own", true);
        facts.set("pieces", counted(self.pieces(), "piece"));
        let setup = &rules.setup;
        facts.set(
            "setup",
            joined(
                setup[setup.len() - self.pieces()..]
                    .iter()
                    .map(|&at| self.place_text(at)),
                ", ",
            ),
        );
        let sent_to = rules.sent_to;
        facts.set_if(
            sent_to > 0,
            "sent to",
            if sent_to > 0 {
                self.numbered(sent_to)
            } else {
                String::new()
            },
        );
    }

    /// Adds the values of throws, and of turns with several throws.
    fn add_throws(&self, facts: &mut Facts) {
        let (rules, turn) = (&self.rules, &self.rules.turn);
        let dice = rules.values_of_throw();
        // The weight of a value of one die is the square root of the weight of its doublet.
        let outcomes = rules
            .outcomes
            .iter()
            .filter(|throw| dice == 1 || throw.values[0] == throw.values[1]);
        let weight = |weight: u32| if dice == 1 { weight } else { weight.isqrt() };
        let weights: Vec<(u8, u32)> = outcomes
            .map(|throw| (throw.values[0], weight(throw.weight)))
            .collect();
        let all: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let chance = |&(value, weight): &(u8, u32)| {
            format!(
                "{value} has the probability {weight}/{all} ({:.1} %)",
                100.0 * f64::from(weight) / f64::from(all)
            )
        };
        facts.set("chances", joined(weights.iter().map(chance), "; "));
        facts.set_if(weights.iter().any(|&(value, _)| value == 0), "zero", true);
        facts.set(
            "granted",
            if turn.stop.is_empty() {
                "throw"
            } else {
                "series"
            },
        );
        facts.set("longest series", Series::LIMIT);
        let grants = !turn.again.is_empty()
            || [
                turn.again_on_doublet,
                turn.again_on_capture,
                turn.again_on_finish,
            ]
            .contains(&true)
            || rules.lands_again != 0;
        facts.set_if(!grants, "nothing grants", true);
        let (has_parts, must) = (
            turn.bonus_order == BonusOrder::Any,
            facts.value("turn.must"),
        );
        facts.set_if(has_parts, "both parts", must);
        let most = turn.throw_limit().unwrap_or_default();
        facts.set_if(most > 0, "most throws", counted(most.into(), "throw"));
    }

    /// Adds the values of the entry of pieces.
    fn add_entry(&self, facts: &mut Facts) {
        let (rules, entry, words) = (
            &self.rules,
            &self.rules.entry,
            self.turns.notation().words(),
        );
        let by = |is_under_way: usize| {
            if entry.by_bonus {
                return "only the extra step".to_owned();
            }
            // A piece that enters by count can use the sum of two dice.
            let all = match rules.enters_by_count() {
                true => {
                    rules
                        .outcomes
                        .iter()
                        .fold(0, |all, throw| all | throw.steps)
                        & !1
                }
                false => rules.faces.iter().fold(0, |all, value| all | 1 << value),
            };
            match (rules.entering_steps(is_under_way, all), words.entering) {
                (0, _) => "nothing".to_owned(),
                (values, [any, _]) if values == all => any.to_owned(),
                (values, [_, of]) => format!("{of} {}", any_of(&Vec::from_iter(places_of(values)))),
            }
        };
        facts.set(
            "waits",
            rules.setup.first() == Some(&0) || rules.sent_to == 0,
        );
        facts.set("Entering", capital(&by(0)));
        facts.set_if(by(0) != by(1), "entering later", by(1));
        facts.set_if(entry.by_bonus, "only by bonus", true);
        facts.set("enters by count", rules.enters_by_count());
        facts.set_if(rules.enters_at == 1, "enters on first", true);
        if rules.enters_by_count() {
            let example = rules
                .faces
                .iter()
                .find(|&&value| rules.enters_at + value < rules.home);
            let square = |value: u8| {
                self.board().course(Seat::SOUTH)[usize::from(rules.enters_at + value) - 1]
            };
            let example = example.map(|&value| format!("{value} on {}", square(value)));
            facts.set_if(example.is_some(), "example", example.unwrap_or_default());
        } else {
            facts.set("entry square", self.numbered(rules.enters_at));
        }
    }
}

/// A value of a sheet in words: a word, a number, or the entries of a list, numbers in ascending
/// order.
fn listed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let mut list = list.clone();
            list.sort_by_key(Value::as_integer);
            any_of(&list.iter().map(listed).collect::<Vec<_>>())
        }
        value => value.to_string(),
    }
}

/// A number of things: `1 piece`, `2 pieces`.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Values in words, ascending: `1, 3 or 6`.
fn any_in_order(values: &[u8]) -> String {
    let mut values = values.to_vec();
    values.sort_unstable();
    any_of(&values)
}

/// The text with a capital first letter.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(rest).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::SCHEMA;

    #[test]
    fn every_text_that_a_sentence_contains_exists() {
        let texts = section("texts").values().flat_map(|text| match text {
            Value::Table(texts) => texts.values().collect(),
            text => vec![text],
        });
        for text in texts
            .chain(section("topics").values())
            .map(|text| text.as_str().expect("a text"))
        {
            for name in text
                .split('{')
                .skip(1)
                .map(|from| from.split_once('}').expect("a name ends").0)
            {
                assert!(section("texts").contains_key(name), "{name} in {text}");
            }
        }
    }

    /// Every text of a sheet key is for a value that the key can have.
    #[test]
    fn the_texts_name_values_of_the_sheet() {
        let words = SCHEMA.to_string();
        for (name, text) in section("texts")
            .iter()
            .filter(|(name, _)| name.contains('.'))
        {
            let (section, key) = name.split_once('.').expect("a key");
            assert!(
                words.contains(&format!("\"{section}\"")) && words.contains(&format!("\"{key}\"")),
                "{name}"
            );
            if let Value::Table(texts) = text {
                let is_free = |word: &&String| {
                    ["true", "false", "otherwise", "1", "team"].contains(&word.as_str())
                };
                for word in texts.keys().filter(|word| !is_free(word)) {
                    assert!(words.contains(&format!("\"{word}\"")), "{name}: {word}");
                }
            }
        }
    }
}
