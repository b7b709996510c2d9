//! Reads sheets and reports their problems together; applies house rules.

use serde::Deserialize;
use toml::{Table, Value};

use super::{SCHEMA, Sheet, check};
use crate::{
    form::{Form, FormProblem},
    race::turns::text::joined,
};

/// All problems of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", joined(problems.iter().map(|problem| problem.text(file)), "\n"))]
pub struct SheetError {
    /// The name of the file, or another name for the text.
    pub file: String,
    /// The problems in the order of the text; never empty.
    pub problems: Vec<FormProblem>,
}

const MAX_PROBLEMS: usize = 32;

/// Keys of earlier versions, with the message for sheets that have them.
const REMOVED: [(&str, &str); 1] = [(
    "board.courses",
    "this version has no courses for single seats: all seats have copies of South's course, see board.copy",
)];

impl Sheet {
    /// Reads a sheet. Errors contain the name `file`.
    ///
    /// # Errors
    /// All problems, up to 32: syntax errors, unknown keys and values, keys without effect, and
    /// values that contradict each other in the sheet or in one of its house rules.
    pub fn read(text: &str, file: &str) -> Result<Sheet, SheetError> {
        Sheet::read_as(text, file, true)
    }

    /// Reads a sheet from a bot file, a table or a run. Perhaps an earlier version of the program
    /// has written it. Keys without effect are allowed; [`Sheet::idle`] lists them.
    ///
    /// # Errors
    /// Those of [`Sheet::read`], except keys without effect.
    pub fn read_saved(text: &str, file: &str) -> Result<Sheet, SheetError> {
        Sheet::read_as(text, file, false)
    }

    /// The keys of a valid sheet and its house rules that have no effect. [`Sheet::read`] refuses
    /// such sheets.
    pub fn idle(&self) -> Vec<FormProblem> {
        let problem = |(key, message)| FormProblem {
            line: None,
            key,
            message,
        };
        check::idle_keys(self).into_iter().map(problem).collect()
    }

    fn read_as(text: &str, file: &str, is_new: bool) -> Result<Sheet, SheetError> {
        let mut reading = Form {
            schema: &SCHEMA,
            removed: &REMOVED,
            has_key,
        }
        .read(text);
        if reading.is_complete {
            match Sheet::deserialize(std::mem::take(&mut reading.table)) {
                Ok(sheet) => {
                    let found = contradictions(&sheet, is_new);
                    if reading.problems.is_empty() && found.is_empty() {
                        return Ok(sheet);
                    }
                    for (key, message) in found {
                        reading.problems.push(FormProblem {
                            line: reading.line(&key),
                            key,
                            message,
                        });
                    }
                }
                Err(error) => reading.problems.push(FormProblem {
                    line: None,
                    key: String::new(),
                    message: unread(&error),
                }),
            }
        }
        let mut problems = reading.problems;
        problems.sort_by_key(|problem| problem.line);
        problems.truncate(MAX_PROBLEMS);
        Err(SheetError {
            file: file.to_owned(),
            problems,
        })
    }

    /// The sheet as TOML.
    pub fn text(&self) -> String {
        self.table().to_string()
    }

    /// The sheet as a TOML table.
    pub(crate) fn table(&self) -> Table {
        Table::try_from(self).expect("every value of a sheet can be written as TOML")
    }

    /// Returns the sheet with the changes of house rules, in order. Contradictions are not checked.
    pub(crate) fn changed(&self, changes: &[&Table]) -> Result<Sheet, String> {
        let mut table = self.table();
        for change in changes {
            merge(&mut table, change);
        }
        Sheet::deserialize(table).map_err(|error| unread(&error))
    }
}

/// Returns whether the types of a sheet have this key in this section. The file of the schema lacks
/// a new key until a test writes the file again.
pub(super) fn has_key(section: &str, name: &str) -> bool {
    let mut table = check::DEFAULTS.clone();
    let keys = if section.is_empty() {
        Some(&mut table)
    } else {
        table.get_mut(section).and_then(|keys| keys.as_table_mut())
    };
    let is_added = keys
        .map(|keys| keys.insert(name.to_owned(), true.into()))
        .is_some();
    is_added
        && !Sheet::deserialize(table)
            .is_err_and(|error| error.message().starts_with("unknown field"))
}

/// The problem of a table that is not a sheet although its keys and values fit the schema.
fn unread(error: &toml::de::Error) -> String {
    format!("cannot read the values as a sheet: {}", error.message())
}

/// Merges `change` into `table`: tables key by key; other values are replaced.
fn merge(table: &mut Table, change: &Table) {
    for (key, value) in change {
        match (table.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            _ => drop(table.insert(key.clone(), value.clone())),
        }
    }
}

/// Returns the contradictions of a sheet and its house rules. A new sheet (`is_new`) without
/// contradictions must not have keys without effect.
fn contradictions(sheet: &Sheet, is_new: bool) -> Vec<check::Problem> {
    let found = check::all(sheet);
    if is_new && found.is_empty() {
        check::idle_keys(sheet)
    } else {
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::builtin;

    #[test]
    fn the_types_have_the_keys_of_the_schema_and_no_others() {
        for (section, name) in [
            ("", "title"),
            ("", "seats"),
            ("board", "columns"),
            ("turn", "bonus"),
        ] {
            assert!(has_key(section, name), "{section}.{name}");
        }
        for (section, name) in [
            ("", "titel"),
            ("board", "curse"),
            ("bored", "side"),
            ("board", "title"),
        ] {
            assert!(!has_key(section, name), "{section}.{name}");
        }
    }

    fn siga() -> &'static str {
        builtin::text("siga").expect("a built-in game")
    }

    /// Fails unless some problem contains each of these words.
    #[track_caller]
    fn assert_has(found: &[String], words: &[&str]) {
        for words in words {
            assert!(
                found.iter().any(|problem| problem.contains(words)),
                "{words} in {found:?}"
            );
        }
    }

    fn problems(change: impl Fn(&str) -> String) -> Vec<String> {
        let text = change(&builtin::named("siga").expect("a built-in game").text());
        let error = Sheet::read(&text, "siga.toml").expect_err("a broken sheet");
        assert!(error.to_string().starts_with("siga.toml:"), "{error}");
        error
            .problems
            .iter()
            .map(|problem| format!("{}: {}", problem.key, problem.message))
            .collect()
    }

    #[test]
    fn built_in_sheets_are_valid_and_read_as_themselves_when_printed() {
        for (sheet, text) in builtin::all().iter().zip(builtin::TEXTS) {
            assert_eq!(
                Sheet::read(text, "built-in sheet").as_ref(),
                Ok(&**sheet),
                "{}",
                sheet.name
            );
            assert_eq!(
                Sheet::read(&sheet.text(), "printed").as_ref(),
                Ok(&**sheet),
                "{}",
                sheet.name
            );
        }
    }

    #[test]
    fn a_problem_of_several_seats_is_said_once() {
        let sheet = builtin::named("chowka-5").expect("a built-in game");
        let text = sheet
            .text()
            .replacen(&format!("\"{}\"", sheet.board.marks[0]), "", 1)
            .replacen("[,", "[", 1);
        let error = Sheet::read(&text, "chowka.toml").expect_err("a mark that some seats have");
        let mut messages: Vec<String> = error
            .problems
            .iter()
            .map(|problem| problem.message.clone())
            .collect();
        let count = messages.len();
        messages.sort_unstable();
        messages.dedup();
        let is_found = messages
            .iter()
            .any(|message| message.contains("on the courses of all seats: add "));
        assert!(is_found && messages.len() == count, "{error}");
    }

    #[test]
    fn a_missing_required_value_hides_no_other_problem() {
        let broken = |text: &str| {
            text.replace("kind = \"throw\"", "kind = 7")
                .replace("side = 5", "side = \"five\"")
                .replace("turn_limit = 500", "turn_limit = \"long\"")
                .replace("title = ", "titel = ")
        };
        let found = problems(broken);
        assert_has(
            &found,
            &[
                "turn.kind: ",
                "board.side: ",
                "seats.turn_limit: ",
                "titel: ",
            ],
        );
        let found = problems(|text| {
            text.replace("course = ", "curse = ")
                .replace("again = [", "again = [true, ")
        });
        assert_has(
            &found,
            &[
                "curse: unknown key",
                "board.course: this key is missing",
                "turn.again: ",
            ],
        );
    }

    #[test]
    fn games_that_cannot_end_are_refused() {
        let text = builtin::named("main-pacheh")
            .expect("a built-in game")
            .text();
        let fives = text
            .replace("values = [8, 1, 2, 3, 4]", "values = [8, 5, 10, 15, 20]")
            .replace("[4, 8]", "[8]");
        let error = Sheet::read(&fives, "fives.toml")
            .expect_err("19 squares are left from the sixth")
            .to_string();
        assert!(
            error.contains("no throws lead the last piece") && error.contains("throws.values"),
            "{error}"
        );
        // The course goes around the edge, where all squares are safe. Only a capture opens the way
        // on.
        let safe = |marks: &str, gate: &str| {
            let text = siga().replace(
                r#"marks = ["C1", "E3", "C5", "A3"]"#,
                &format!("marks = {marks}"),
            );
            Sheet::read(
                &text.replace("[capture]", &format!("[gate]\n{gate}\n[capture]")),
                "safe.toml",
            )
        };
        let edge =
            r#"["A1","B1","C1","D1","E1","E2","E3","E4","E5","D5","C5","B5","A5","A4","A3","A2"]"#;
        for gate in ["at = 16", "at = 16\nwithout = \"lap\"\nlap = 16"] {
            let error = safe(edge, gate)
                .expect_err("a game that no seat can win")
                .to_string();
            assert!(
                error.contains("gate.at: no seat can win: no seat of SN can capture"),
                "{error}"
            );
        }
        for (marks, gate) in [
            (edge, "at = 16\nwithout = \"open\""),
            ("[]", "at = 16"),
            (edge, "at = 22"),
        ] {
            safe(marks, gate).unwrap_or_else(|error| panic!("{marks} {gate}: {error}"));
        }
    }

    fn messages(text: &str) -> Vec<String> {
        Sheet::read(text, "x.toml")
            .expect_err("a broken sheet")
            .to_string()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn an_empty_sheet_lacks_every_required_key() {
        let found = messages("");
        let keys: Vec<&str> = found
            .iter()
            .filter_map(|problem| problem.split(": ").nth(1))
            .collect();
        assert_eq!(
            keys,
            [
                "name", "title", "summary", "seats", "board", "pieces", "throws", "turn"
            ],
            "{found:?}"
        );
        assert!(found.contains(
            &"x.toml: board: this key is missing; expected a table with `side` and `course`".into()
        ));
    }

    #[test]
    fn contradictions_are_reported_beside_unknown_keys() {
        let small = |text: &str| text.replace("side = 5", "side = 4");
        let found = problems(|text| format!("titel = \"Siga\"\n{}", small(text)));
        assert_has(
            &found,
            &[
                "titel: unknown key",
                "board.course: the course leaves the frame",
            ],
        );
        let found = problems(|text| small(&text.replace("title = ", "# ")));
        assert!(found.len() == 1 && found[0].starts_with("title: this key is missing"));
        let found = problems(|text| text.replace("side = 5", "side = \"five\""));
        assert_eq!(
            found,
            ["board.side: expected a whole number from 1 to 26, not \"five\""],
            "no other problem remains"
        );
    }

    #[test]
    fn expected_values_are_described_in_words_of_toml() {
        let text = siga();
        let found = messages("board = 5");
        assert!(found.contains(
            &"x.toml:1: board: expected a table with `side` and `course`, not 5".to_owned()
        ));
        for (key, value, words) in [
            (
                "values",
                "[300, 1]",
                "expected a list of whole numbers from 0 to 30, not [300, 1]",
            ),
            (
                "turn_limit",
                "99999999999999999999",
                "expected a whole number from 1 to 4294967295, not 9999",
            ),
            (
                "side",
                "1.5",
                "expected a whole number from 1 to 26, not 1.5",
            ),
            (
                "kind",
                "7",
                "expected one of \"throw\", \"series\", \"dice\", \"divide\", not 7",
            ),
            (
                "odds",
                "5",
                "expected one of \"cowries\", \"equal\", or a list of whole numbers from 0 to 4294967295",
            ),
            ("marks", "3", "expected a list of texts in quotes, not 3"),
            (
                "title",
                "[\"Siga\"]",
                "expected text in quotes, not [\"Siga\"]",
            ),
            (
                "again_on_capture",
                "\"yes\"",
                "expected true or false, not \"yes\"",
            ),
            (
                "turn.must",
                "99999999999999999999",
                "flags.must_use.optional.turn.must: expected one of \"most\", ",
            ),
        ] {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let line = lines
                .iter_mut()
                .find(|line| line.starts_with(&format!("{key} = ")))
                .expect("the key");
            *line = format!("{key} = {value}");
            let found = messages(&lines.join("\n"));
            assert_has(&found, &[words]);
            for refused in ["u8", "u32", "i128", "any value", "invalid", "field"] {
                assert!(
                    !found.iter().any(|problem| problem.contains(refused)),
                    "{refused} in {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_repeated_key_is_reported_with_its_line_and_hides_nothing() {
        let text = siga().replace(
            "\nmust = \"one\"\n",
            "\nmust = \"one\"\nmust = \"most\"\nmost = 3\n",
        );
        let line = text
            .lines()
            .position(|line| line == "must = \"most\"")
            .expect("the second")
            + 1;
        let found = messages(&text);
        assert!(
            found[0].starts_with(&format!("x.toml:{line}: turn.must: `must` is set twice")),
            "{found:?}"
        );
        assert!(
            found[1].starts_with(&format!("x.toml:{}: turn.most: unknown key", line + 1)),
            "{found:?}"
        );
    }

    #[test]
    fn house_rules_and_lists_are_counted_before_they_are_checked() {
        let flag = |at: usize| {
            format!(
                "[flags.f{at}]\nyes = {{}}\nno = {{ turn.again = [77, {}] }}\n",
                at % 60
            )
        };
        let text = siga();
        let found = messages(&(text.to_owned() + &(0..1000).map(flag).collect::<String>()));
        assert_has(
            &found,
            &["flags: all house rules together can have at most 200 values"],
        );
        let many = format!("allowed = [{}", "\"SN\", ".repeat(90_000));
        let found = messages(&text.replace("allowed = [", &many));
        assert_has(&found, &["seats.allowed: a list can have at most"]);
    }

    /// `turn.must` must be set, so it must not be reported as a key without effect.
    #[test]
    fn every_square_can_be_marked() {
        let text = siga().split("[flags").next().expect("a sheet");
        let all: Vec<String> = (b'A'..=b'E')
            .flat_map(|c| (1..=5).map(move |row| format!("{}{row}", c as char)))
            .collect();
        let all: Vec<String> = all.into_iter().filter(|name| name != "C3").collect();
        let text = text
            .replace(
                r#"marks = ["C1", "E3", "C5", "A3"]"#,
                &format!("marks = {all:?}"),
            )
            .replace("again_on_capture = true", "");
        Sheet::read(&text, "marked.toml").unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn a_saved_sheet_may_have_keys_without_effect() {
        let idle = siga()
            .replace("again = [1, 8]", "again = [1, 1, 8]")
            .replace("[seats]", "[seats]\norder = \"clockwise\"");
        let found = messages(&idle);
        assert_has(&found, &["seats.order: ", "turn.again: contains 1 twice"]);
        let keys: Vec<String> = Sheet::read_saved(&idle, "x.bot")
            .expect("a sheet")
            .idle()
            .into_iter()
            .map(|of| of.key)
            .collect();
        assert_eq!(keys, ["turn.again", "seats.order"]);
        assert!(
            Sheet::read_saved(&idle.replace("side = 5", "side = 4"), "x.bot").is_err(),
            "a contradiction"
        );
    }

    #[test]
    fn a_removed_key_is_refused_with_its_own_message() {
        let text = siga().replace("[board]", "[board]\ncourses = { N = \"C5 E2\" }");
        for error in [
            Sheet::read(&text, "x.toml"),
            Sheet::read_saved(&text, "x.bot"),
        ] {
            let error = error.expect_err("a removed key").to_string();
            assert!(
                error.contains("board.courses: this version has no courses for single seats"),
                "{error}"
            );
        }
    }
}
