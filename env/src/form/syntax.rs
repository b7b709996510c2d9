//! Explains syntax errors of TOML: their position, the key, and the correct syntax.

use toml::de::Error;

/// Returns the offset, the dotted key and a sentence for each syntax error of a text, at most one
/// for each line. After a string or a list without an end, no more errors are returned.
pub(super) fn syntax_problems(text: &str, errors: &[Error]) -> Vec<(usize, String, String)> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    let line_of = |at: usize| starts.partition_point(|&start| start <= at) - 1;
    let last = |line: usize, is_wanted: fn(&str) -> bool| {
        (0..=line)
            .rev()
            .find(|&line| name(lines[line]).is_some_and(is_wanted))
    };
    let key = |line: usize| {
        let (section, own) = (last(line, is_section), last(line, |_| true));
        [section, own.filter(|_| own != section)]
            .into_iter()
            .flatten()
            .filter_map(|line| name(lines[line]))
            .map(|name| name.trim_matches(['[', ']', ' ']))
            .collect::<Vec<_>>()
            .join(".")
    };
    let mut sorted: Vec<(usize, &Error)> = errors
        .iter()
        .map(|error| (error.span().map_or(0, |span| span.start), error))
        .collect();
    sorted.sort_by_key(|&(at, _)| at);
    sorted.dedup_by_key(|&mut (at, _)| line_of(at));
    let mut problems = Vec::new();
    for (at, error) in sorted {
        let (line, message) = (line_of(at), error.message());
        let ends = name(lines[line]).is_some() || at == text.len();
        let before = line
            .checked_sub(1)
            .filter(|_| ends)
            .and_then(|line| last(line, |_| true));
        let opened = before
            .and_then(|before| Some((before, open_bracket(&text[starts[before]..starts[line]])?)));
        if message == "duplicate key" {
            let section = name(lines[line]).filter(|name| is_section(name));
            let name_of = section
                .or_else(|| text.get(error.span()?))
                .unwrap_or_default();
            let from = if section.is_some() {
                0
            } else {
                last(line, is_section).unwrap_or(0)
            };
            let first = (from..line).find(|&line| name(lines[line]) == Some(name_of));
            let first = first.map_or(String::new(), |line| {
                format!(", the first time in line {}", line + 1)
            });
            let what = if section.is_some() {
                format!("section {name_of}")
            } else {
                format!("`{name_of}`")
            };
            problems.push((at, key(line), format!("{what} is set twice{first}")));
        } else if let Some((_, quote)) = message.split_once("string, expected `") {
            let quote = quote
                .trim_matches('`')
                .repeat(if message.contains("multi-line") { 3 } else { 1 });
            let begins = text[..at].rfind(&quote).unwrap_or(at);
            let problem = format!(
                "the string that begins in line {} has no closing {quote}",
                line_of(begins) + 1
            );
            problems.push((begins, key(line_of(begins)), problem));
            break;
        } else if let Some((line, open)) = opened {
            let close = if open == '[' { ']' } else { '}' };
            problems.push((
                starts[line],
                key(line),
                format!("{open} in line {} has no closing {close}", line + 1),
            ));
            break;
        } else {
            let rest = &text[at..starts[line] + lines[line].len().max(at - starts[line])];
            problems.push((at, key(line), advice(lines[line], rest, message)));
        }
    }
    problems
}

/// Returns the key or the `[section]` at the beginning of a line.
fn name(line: &str) -> Option<&str> {
    let name = line.split('=').next().unwrap_or_default().trim();
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-. ".contains(c);
    let is_name = name.chars().any(|c| c.is_ascii_alphabetic());
    let is_section = is_section(name) && name.trim_matches(['[', ']']).chars().all(is_word);
    (is_name && (is_section || line.contains('=') && name.chars().all(is_word))).then_some(name)
}

fn is_section(name: &str) -> bool {
    name.starts_with('[')
}

/// The first bracket outside of strings and comments that is not closed.
fn open_bracket(text: &str) -> Option<char> {
    let (mut open, mut quote) = (Vec::new(), None);
    for c in text
        .lines()
        .filter(|line| !is_section(line))
        .flat_map(|line| line.chars().chain(['\n']))
    {
        match c {
            '\n' => quote = None,
            c if quote.is_some() => quote = quote.filter(|&quote| quote == '#' || quote != c),
            '"' | '\'' | '#' => quote = Some(c),
            '[' | '{' => open.push(c),
            ']' | '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.first().copied()
}

/// Explains how to correct a line. The TOML parser rejects its `rest` with this `message`.
fn advice(line: &str, rest: &str, message: &str) -> String {
    let value = line.split_once('=').map_or(line, |(_, value)| value).trim();
    if message.starts_with("unexpected key or value") {
        return format!(
            "`{rest}` cannot follow the value: write each key on a new line, and a list in [ ]"
        );
    }
    let is_key = message.starts_with("key with") || message.contains("unquoted key");
    if is_key || message.contains("key") && !line.contains('=') || message.contains("table") {
        return format!("cannot read `{line}`: write `key = value` or `[section]`");
    }
    if value.is_empty() {
        return "the value after `=` is missing".to_owned();
    }
    let problem = message.split(", expected").next().unwrap_or_default();
    format!(
        "cannot read `{value}`: write a number, true, false, \"text\" in quotes or a [list] ({problem})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    #[test]
    fn syntax_errors_say_what_to_write() {
        for (written, line, key, words) in [
            ("k = throw", 3, "a.k", "\"text\" in quotes"),
            ("k = no-merge # so", 3, "a.k", "\"text\" in quotes"),
            ("k = “throw”", 3, "a.k", "\"text\" in quotes"),
            ("k = [SN, SE]", 3, "a.k", "\"text\" in quotes"),
            ("k = [\n \"a\",\n b\n]", 5, "a.k", "\"text\" in quotes"),
            ("k = { x = throw }", 3, "a.k", "\"text\" in quotes"),
            ("k = True", 3, "a.k", "write a number, true"),
            ("k = [5 1 2 3]", 3, "a.k", "a [list]"),
            ("k = [\"a\" \"b\"]", 3, "a.k", "a [list]"),
            ("k = [1..6]", 3, "a.k", "a [list]"),
            ("k = 1-6", 3, "a.k", "a [list]"),
            ("k = [8, 1..4]", 3, "a.k", "a [list]"),
            ("k = \"abc", 3, "a.k", "line 3 has no closing \""),
            ("k = 'abc", 3, "a.k", "line 3 has no closing '"),
            (
                "k = \"\"\"abc\nx = 2\n",
                3,
                "a.k",
                "line 3 has no closing \"\"\"",
            ),
            ("k = [1, 2", 3, "a.k", "line 3 has no closing ]"),
            ("k = [\"[\", # [\n 2\n", 3, "a.k", "line 3 has no closing ]"),
            ("k = { x = 1, y", 3, "a.k", "line 3 has no closing }"),
            ("k \"x\"", 3, "a.b", "`k \"x\"`"),
            ("k: \"x\"", 3, "a.b", "`k: \"x\"`"),
            ("[x", 3, "x", "`[x`"),
            ("= 5", 3, "a.b", "`= 5`"),
            ("k # = 5", 3, "a.b", "`k # = 5`"),
            ("k =", 3, "a.k", "missing"),
            ("k = 02", 3, "a.k", "`02`"),
            ("k = \"a\" m = 3", 3, "a.k", "`m = 3`"),
            ("k = \"SN\", \"SE\"", 3, "a.k", "list"),
            (
                "b = 2",
                3,
                "a.b",
                "`b` is set twice, the first time in line 2",
            ),
            (
                "[c]\n[a]",
                4,
                "a",
                "section [a] is set twice, the first time in line 1",
            ),
            ("k = [1,,2]", 3, "a.k", "`[1,,2]`"),
            ("k = \"a\\qb\"", 3, "a.k", "escaped"),
        ] {
            let text = format!("[a]\nb = 1\n{written}\nz = 2\n[d]\ne = 3\n");
            let problems = syntax_problems(&text, &DeTable::parse_recoverable(&text).1);
            let [(at, found, message)] = &problems[..] else {
                panic!("{written}: {problems:?}")
            };
            assert_eq!(
                (text[..*at].matches('\n').count() + 1, found.as_str()),
                (line, key),
                "{written}: {message}"
            );
            assert!(message.contains(words), "{written}: {message}");
        }
    }
}
