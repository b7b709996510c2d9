//! Self-contained HTML pages: numbers as JSON, and a script that draws them. Also writes the report
//! page of a run (`report.html`).

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::run::{
    files::{read, write_whole},
    metrics::LINES,
};

/// The HTML of a page, without its numbers.
const PAGE: &str = include_str!("page.html");
/// The diagrams of a training run. Each has a title, and shows all metrics whose names begin with
/// the second text and end with the third.
const DIAGRAMS: [(&str, &str, &str); 6] = [
    ("Scores against opponents", "eval/vs_", "/score"),
    ("Regret per decision", "eval/regret_per_decision", ""),
    ("Exploitability", "eval/exploitability", ""),
    ("Losses in nats", "train/", "_loss"),
    ("Learning rate", "train/learning_rate", ""),
    (
        "Games of self-play per second",
        "selfplay/games_per_second",
        "",
    ),
];

/// Returns a page with these contents.
pub fn page(title: &str, contents: &impl Serialize) -> Result<String> {
    // The data must not contain the end of the script element or the beginning of a comment.
    let data = serde_json::to_string(contents)?.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    Ok(PAGE.replace("{{title}}", &title).replace("{{data}}", &data))
}

/// Writes `report.html` in the folder of a run: the metrics as curves over the seconds of training.
pub fn write_training_page(run: &Path, title: &str) -> Result<()> {
    let path = run.join(LINES);
    let bytes = read(&path)?;
    let mut curves: BTreeMap<(usize, String), Vec<[f64; 2]>> = BTreeMap::new();
    let (mut rises, mut before) = (Vec::new(), [f64::INFINITY; 2]);
    for (number, line) in bytes
        .split(|&byte| byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let metrics: BTreeMap<String, Value> = serde_json::from_slice(line)
            .with_context(|| format!("{}, line {}", path.display(), number + 1))?;
        let seconds = metrics
            .get("seconds")
            .and_then(Value::as_f64)
            .unwrap_or_default();
        let number = |name: &str| metrics.get(name).and_then(Value::as_f64);
        if let (Some(iteration), Some(rate), Some(lambda)) = (
            number("iteration"),
            number("train/learning_rate"),
            number("train/lambda"),
        ) {
            // Both only fall, unless settings change.
            let now = [rate, lambda];
            let change =
                schedule_change(before, now).filter(|_| rate > before[0] || lambda > before[1]);
            rises.extend(change.map(|change| format!("From iteration {iteration} on, {change}")));
            before = now;
        }
        for (name, value) in &metrics {
            let drawn = |(_, begin, end): &(&str, &str, &str)| {
                name.starts_with(begin) && name.ends_with(end)
            };
            if let (Some(diagram), Some(value)) = (DIAGRAMS.iter().position(drawn), value.as_f64())
            {
                curves
                    .entry((diagram, name.clone()))
                    .or_default()
                    .push([seconds, value]);
            }
        }
    }
    let diagram = |(at, (title, ..)): (usize, &(&str, &str, &str))| {
        let own: Vec<Value> = curves
            .iter()
            .filter(|((diagram, _), _)| *diagram == at)
            .map(|((_, name), points)| json!({"name": name, "points": points}))
            .collect();
        (!own.is_empty()).then(|| json!({"title": title, "curves": own}))
    };
    let diagrams: Vec<Value> = DIAGRAMS.iter().enumerate().filter_map(diagram).collect();
    let contents = json!({"training": diagrams, "title": title, "changes": rises});
    write_whole(&run.join("report.html"), page(title, &contents)?)
}

/// A change of the learning rate or of λ in words; `None` if both are equal after rounding.
pub fn schedule_change(before: [f64; 2], after: [f64; 2]) -> Option<String> {
    let texts = |[rate, lambda]: [f64; 2]| [format!("{rate:.2e}"), format!("{lambda:.2}")];
    let words: Vec<String> = ["the learning rate", "λ"]
        .into_iter()
        .zip(texts(before).into_iter().zip(texts(after)))
        .filter(|(_, (old, new))| old != new)
        .map(|(name, (old, new))| format!("{name} is {new} instead of {old}"))
        .collect();
    (!words.is_empty()).then(|| words.join(", and "))
}
