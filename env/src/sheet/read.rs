//! Parser of sheets, which reports every problem, and application of house rules.

use serde::Deserialize;
use toml::de::DeTable;
use toml::{Table, Value};

use super::shape::ShapeCheck;
use super::{Sheet, builtin, check, syntax_problems};
use crate::race::turns::text::joined;

/// All problems of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", joined(problems.iter().map(|problem| problem.text(file)), "\n"))]
pub struct SheetError {
    /// The file, or another name for the text.
    pub file: String,
    /// The problems in the order of the text; never empty.
    pub problems: Vec<SheetProblem>,
}

/// A problem of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct SheetProblem {
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// The key, with dots; empty where the whole text is meant.
    pub key: String,
    /// The problem.
    pub message: String,
}

impl SheetProblem {
    /// One line, with the name of the file.
    fn text(&self, file: &str) -> String {
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        let key = if self.key.is_empty() { String::new() } else { format!("{}: ", self.key) };
        format!("{file}{line}: {key}{}", self.message)
    }
}

/// Most problems in one report; validation stops after so many.
const MAX_PROBLEMS: usize = 32;

impl Sheet {
    /// Reads a sheet; `file` names it in errors.
    ///
    /// # Errors
    /// Every problem: syntax, unknown keys and values, and contradictions, without house rules and under each single
    /// one.
    pub fn read(text: &str, file: &str) -> Result<Sheet, SheetError> {
        Sheet::read_as(text, file, true)
    }

    /// Reads a sheet that some version of the program has accepted, as that of a bot, a table or a run: values without
    /// effect are no errors; [`Sheet::idle`] names them.
    ///
    /// # Errors
    /// As [`Sheet::read`].
    pub fn read_saved(text: &str, file: &str) -> Result<Sheet, SheetError> {
        Sheet::read_as(text, file, false)
    }

    /// What has no effect in a valid sheet and its house rules, which [`Sheet::read`] refuses.
    pub fn idle(&self) -> Vec<SheetProblem> {
        let problem = |(key, message)| SheetProblem { line: None, key, message };
        check::idle(self).into_iter().map(problem).collect()
    }

    fn read_as(text: &str, file: &str, is_new: bool) -> Result<Sheet, SheetError> {
        let line = |at: usize| text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count() + 1;
        let (table, syntax) = DeTable::parse_recoverable(text);
        let has_tables = syntax.iter().all(|error| error.message() == "duplicate key");
        let syntax = syntax_problems(text, &syntax).into_iter().map(|(at, key, problem)| (Some(at), key, problem));
        let mut problems: Vec<_> = syntax.collect();
        if has_tables {
            let mut shape = ShapeCheck::new(text, is_new);
            let table = shape.sheet(table.into_inner());
            problems.append(&mut shape.problems);
            match contradictions(&table, &shape.gaps, is_new) {
                Ok((sheet, found)) if problems.is_empty() && found.is_empty() => return Ok(sheet),
                Ok((_, found)) => {
                    problems.extend(found.into_iter().map(|(key, problem)| (shape.offset(&key), key, problem)));
                }
                Err(problem) if problems.is_empty() => problems.push((None, String::new(), problem)),
                Err(_) => {}
            }
        }
        problems.sort_by_key(|&(at, ..)| at);
        problems.truncate(MAX_PROBLEMS);
        let problem = |(at, key, message): (Option<usize>, _, _)| SheetProblem { line: at.map(line), key, message };
        Err(SheetError { file: file.to_owned(), problems: problems.into_iter().map(problem).collect() })
    }

    /// The sheet as TOML.
    pub fn text(&self) -> String {
        self.table().to_string()
    }

    /// The tables of the sheet.
    pub(crate) fn table(&self) -> Table {
        Table::try_from(self).expect("every value of a sheet has a form in TOML")
    }

    /// The sheet with the changes of house rules, one after the other; contradictions are not checked.
    pub(crate) fn changed(&self, changes: &[&Table]) -> Result<Sheet, String> {
        let mut table = self.table();
        for change in changes {
            merge(&mut table, change);
        }
        Sheet::deserialize(table).map_err(|error| error.message().to_owned())
    }
}

/// Changes a table key by key, and replaces any other value.
fn merge(table: &mut Table, change: &Table) {
    for (key, value) in change {
        match (table.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            _ => drop(table.insert(key.clone(), value.clone())),
        }
    }
}

/// A sheet and its contradictions. Where values are missing, those of another sheet stand in: a contradiction counts
/// that is there with each of the built-in sheets. House rules, and what has no effect if the sheet `is_new`, are
/// checked where nothing is missing.
fn contradictions(table: &Table, gaps: &[String], is_new: bool) -> Result<(Sheet, Vec<check::Problem>), String> {
    let mut all: Result<(Sheet, Vec<check::Problem>), String> = Err(String::new());
    for other in &builtin::TEXTS[..if gaps.is_empty() { 1 } else { builtin::TEXTS.len() }] {
        let mut table = table.clone();
        if !gaps.is_empty() {
            let other = other.parse().expect("the built-in sheets are TOML");
            gaps.iter().for_each(|gap| stand_in(&mut table, &other, gap));
        }
        let read = Sheet::deserialize(table).map(|sheet| {
            let found = if gaps.is_empty() { check::all(&sheet) } else { check::one(&sheet) };
            let is_checked = is_new && gaps.is_empty() && found.is_empty();
            (if is_checked { check::idle(&sheet) } else { found }, sheet)
        });
        match (read, &mut all) {
            (Ok((found, _)), Ok((_, old))) => old.retain(|problem| found.contains(problem)),
            (Ok((found, sheet)), Err(_)) => all = Ok((sheet, found)),
            (Err(error), Err(problem)) => *problem = error.message().to_owned(),
            (Err(_), Ok(_)) => {}
        }
    }
    all
}

/// Copies the value of a key of another table, if it has one, into a table.
fn stand_in(table: &mut Table, other: &Table, key: &str) {
    let (name, rest) = key.split_once('.').map_or((key, None), |(name, rest)| (name, Some(rest)));
    match (rest, table.get_mut(name), other.get(name)) {
        (Some(rest), Some(Value::Table(inner)), Some(Value::Table(other))) => stand_in(inner, other, rest),
        (None, None, Some(value)) => drop(table.insert(name.to_owned(), value.clone())),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::builtin;

    fn problems(change: impl Fn(&str) -> String) -> Vec<String> {
        let text = change(&builtin::named("siga").expect("a built-in game").text());
        let error = Sheet::read(&text, "siga.toml").expect_err("a broken sheet");
        assert!(error.to_string().starts_with("siga.toml:"), "{error}");
        error.problems.iter().map(|problem| format!("{}: {}", problem.key, problem.message)).collect()
    }

    #[test]
    fn a_printed_sheet_reads_as_itself() {
        for sheet in builtin::all() {
            assert_eq!(Sheet::read(&sheet.text(), "printed").as_ref(), Ok(&**sheet), "{}", sheet.name);
        }
    }

    #[test]
    fn unknown_keys_and_values_are_named_with_their_lines() {
        let found =
            problems(|text| text.replace("turn_limit", "turn_limits").replace("kind = \"throw\"", "kind = \"thrown\""));
        assert!(found.iter().any(|problem| problem.contains("seats.turn_limits: unknown key")), "{found:?}");
        let error = Sheet::read("name = 3\ntitle = [\n", "x.toml").expect_err("no sheet");
        assert!(error.problems.iter().all(|problem| problem.line.is_some()), "{error}");
    }

    #[test]
    fn a_problem_of_several_seats_is_said_once() {
        let sheet = builtin::named("chowka-5").expect("a built-in game");
        let text = sheet.text().replacen(&format!("\"{}\"", sheet.board.marks[0]), "", 1).replacen("[,", "[", 1);
        let error = Sheet::read(&text, "chowka.toml").expect_err("a mark that some seats have");
        let mut said: Vec<String> = error.problems.iter().map(|problem| problem.message.clone()).collect();
        let count = said.len();
        said.sort_unstable();
        said.dedup();
        assert!(
            said.iter().any(|message| message.contains("missing in board.marks")) && said.len() == count,
            "{error}"
        );
    }

    #[test]
    fn a_missing_required_value_hides_no_other_problem() {
        let broken = |text: &str| {
            let text = text.replace("kind = \"throw\"", "kind = 7").replace("side = 5", "side = \"five\"");
            text.replace("turn_limit = 500", "turn_limit = \"long\"").replace("title = ", "titel = ")
        };
        let found = problems(broken);
        for key in ["turn.kind: ", "board.side: ", "seats.turn_limit: ", "titel: "] {
            assert!(found.iter().any(|problem| problem.starts_with(key)), "{key} in {found:?}");
        }
        let found = problems(|text| text.replace("course = ", "curse = ").replace("again = [", "again = [true, "));
        for words in ["curse: unknown key", "board.course: this key is missing", "turn.again: "] {
            assert!(found.iter().any(|problem| problem.contains(words)), "{words} in {found:?}");
        }
    }

    #[test]
    fn all_contradictions_are_named_at_once() {
        let found = problems(|text| text.replace("side = 5", "side = 4").replace("count = 2", "count = 7"));
        assert!(found.iter().any(|problem| problem.contains("leaves the frame")), "{found:?}");
        let found =
            problems(|text| text.replace("again = [", "again = [9, ").replace("turn_limit = 500", "turn_limit = 0"));
        for words in ["turn.again: 9 is never thrown", "seats.turn_limit"] {
            assert!(found.iter().any(|problem| problem.contains(words)), "{words} in {found:?}");
        }
    }

    #[test]
    fn games_that_cannot_end_are_refused() {
        let text = builtin::named("main-pacheh").expect("a built-in game").text();
        let fives = text.replace("values = [8, 1, 2, 3, 4]", "values = [8, 5, 10, 15, 20]").replace("[4, 8]", "[8]");
        let error = Sheet::read(&fives, "fives.toml").expect_err("19 squares are left from the sixth").to_string();
        assert!(error.contains("no throws lead from") && error.contains("throws.values"), "{error}");
        // Once around the edge, whose squares are all safe, and on after a capture only.
        let safe = |marks: &str, gate: &str| {
            let text = builtin::text("siga").expect("a built-in game");
            let text = text.replace(r#"marks = ["C1", "E3", "C5", "A3"]"#, &format!("marks = {marks}"));
            Sheet::read(&text.replace("[capture]", &format!("[gate]\n{gate}\n[capture]")), "safe.toml")
        };
        let edge = r#"["A1","B1","C1","D1","E1","E2","E3","E4","E5","D5","C5","B5","A5","A4","A3","A2"]"#;
        for gate in ["at = 16", "at = 16\nwithout = \"lap\"\nlap = 16"] {
            let error = safe(edge, gate).expect_err("a game that no seat can win").to_string();
            assert!(error.contains("gate.at: no seat can win: of SN none can ever capture"), "{error}");
        }
        for (marks, gate) in [(edge, "at = 16\nwithout = \"open\""), ("[]", "at = 16"), (edge, "at = 22")] {
            safe(marks, gate).unwrap_or_else(|error| panic!("{marks} {gate}: {error}"));
        }
    }

    fn messages(text: &str) -> Vec<String> {
        let error = Sheet::read(text, "x.toml").expect_err("a broken sheet");
        error.to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_empty_sheet_lacks_every_required_key() {
        let found = messages("");
        let keys: Vec<&str> = found.iter().filter_map(|problem| problem.split(": ").nth(1)).collect();
        assert_eq!(keys, ["name", "title", "summary", "seats", "board", "pieces", "throws", "turn"], "{found:?}");
        assert!(
            found.contains(&"x.toml: board: this key is missing; expected a table with `side` and `course`".into())
        );
    }

    #[test]
    fn contradictions_stand_beside_unknown_and_missing_keys() {
        let found = problems(|text| text.replace("title = ", "titel = ").replace("side = 5", "side = 4"));
        for words in ["titel: unknown key", "title: this key is missing", "board.course: the course leaves the frame"] {
            assert!(found.iter().any(|problem| problem.contains(words)), "{words} in {found:?}");
        }
        let found = problems(|text| text.replace("side = 5", "side = \"five\""));
        assert_eq!(found, ["board.side: expected a whole number from 1 to 26, not \"five\""], "what is left follows");
    }

    #[test]
    fn what_is_expected_is_said_in_words_of_toml() {
        let text = builtin::text("siga").expect("a built-in game");
        let found = messages("board = 5");
        assert!(found.contains(&"x.toml:1: board: expected a table with `side` and `course`, not 5".to_owned()));
        for (key, value, words) in [
            ("values", "[300, 1]", "expected a list of whole numbers from 0 to 30, not [300, 1]"),
            ("turn_limit", "99999999999999999999", "expected a whole number from 1 to 4294967295, not 9999"),
            ("side", "1.5", "expected a whole number from 1 to 26, not 1.5"),
            ("kind", "7", "expected one of \"throw\", \"series\", \"dice\", \"divide\", not 7"),
            ("odds", "5", "expected one of \"cowries\", \"equal\", or a list of whole numbers from 0 to 4294967295"),
            ("marks", "3", "expected a list of texts in quotes, not 3"),
            ("title", "[\"Siga\"]", "expected text in quotes, not [\"Siga\"]"),
            ("again_on_capture", "\"yes\"", "expected true or false, not \"yes\""),
            ("turn.must", "99999999999999999999", "flags.must_use.optional.turn.must: expected one of \"most\", "),
        ] {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let line = lines.iter_mut().find(|line| line.starts_with(&format!("{key} = "))).expect("the key");
            *line = format!("{key} = {value}");
            let found = messages(&lines.join("\n"));
            assert!(found.iter().any(|problem| problem.contains(words)), "{words} in {found:?}");
            for refused in ["u8", "u32", "i128", "any value", "invalid", "field"] {
                assert!(!found.iter().any(|problem| problem.contains(refused)), "{refused} in {found:?}");
            }
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_named_with_its_line_and_hides_nothing() {
        let text = builtin::text("siga").expect("a built-in game");
        let text = text.replace("\nmust = \"one\"\n", "\nmust = \"one\"\nmust = \"most\"\nmost = 3\n");
        let line = text.lines().position(|line| line == "must = \"most\"").expect("the second") + 1;
        let found = messages(&text);
        assert!(found[0].starts_with(&format!("x.toml:{line}: turn.must: `must` comes twice")), "{found:?}");
        assert!(found[1].starts_with(&format!("x.toml:{}: turn.most: unknown key", line + 1)), "{found:?}");
    }

    #[test]
    fn house_rules_and_lists_are_counted_before_they_are_checked() {
        let flag = |at: usize| format!("[flags.f{at}]\nyes = {{}}\nno = {{ turn.again = [77, {}] }}\n", at % 60);
        let text = builtin::text("siga").expect("a built-in game");
        let found = messages(&(text.to_owned() + &(0..1000).map(flag).collect::<String>()));
        assert!(
            found.iter().any(|problem| problem.contains("flags: house rules have 200 values at most")),
            "{found:?}"
        );
        let many = format!("allowed = [{}", "\"SN\", ".repeat(90_000));
        let found = messages(&text.replace("allowed = [", &many));
        assert!(found.iter().any(|problem| problem.contains("seats.allowed: a list has at most")), "{found:?}");
    }

    #[test]
    fn a_saved_sheet_may_have_keys_without_effect() {
        let text = builtin::text("siga").expect("a built-in game");
        let idle =
            text.replace("again = [1, 8]", "again = [1, 1, 8]").replace("[seats]", "[seats]\norder = \"clockwise\"");
        let idle = idle.replace("[board]", "[board]\ncourses = {}");
        let found = messages(&idle);
        for key in ["seats.order: ", "turn.again: 1 comes twice", "board.courses: "] {
            assert!(found.iter().any(|problem| problem.contains(key)), "{key} in {found:?}");
        }
        let keys: Vec<String> =
            Sheet::read_saved(&idle, "x.bot").expect("a sheet").idle().into_iter().map(|of| of.key).collect();
        assert_eq!(keys, ["turn.again", "seats.order"]);
        assert!(Sheet::read_saved(&idle.replace("side = 5", "side = 4"), "x.bot").is_err(), "a contradiction");
    }
}
