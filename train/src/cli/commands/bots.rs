//! `ashta bots`: lists the bots that have a name.

use crate::run::{
    evaluation::describe_lookahead,
    games,
    output::{columns, print, print_json, remark_once, with_interval},
};
use anyhow::{Context, Result};
use ashta_agents::{
    network::bot::{Bot, Strength},
    roster::{BotSource, Lookahead},
};
use serde_json::json;

/// Runs the command.
///
/// # Errors
/// When standard output is closed.
pub fn run(as_json: bool) -> Result<()> {
    let mut bots = Vec::new();
    for (name, source) in games::folders().bots() {
        let read = source
            .content()
            .and_then(|content| Ok((Bot::from_bytes(&content)?.manifest, content.len())));
        match read.with_context(|| source.to_string()) {
            Ok((manifest, bytes)) => bots.push((name, manifest, source, bytes)),
            Err(error) => remark_once(&format!("skipped: {error:#}")),
        }
    }
    if as_json {
        let json = bots.iter().map(|(name, manifest, source, bytes)| {
            let path = if let BotSource::File(path) = source {
                Some(path)
            } else {
                None
            };
            json!({
                "name": name,
                "path": path,
                "bytes": bytes,
                "ruleset": manifest.ruleset,
                "seats": manifest.seats,
                "ruleset_hash": format!("{:016x}", manifest.ruleset_hash),
                "encoding": manifest.encoding,
                "hidden": manifest.shape.value.hidden,
                "training": manifest.training,
                "strength": manifest.strength,
            })
        });
        return print_json(&json.collect::<Vec<_>>());
    }
    let mut rows = vec![["name", "game", "network", "KiB", "games", "measured"].map(str::to_owned)];
    for (name, manifest, _, bytes) in &bots {
        let hidden: Vec<String> = manifest
            .shape
            .value
            .hidden
            .iter()
            .map(usize::to_string)
            .collect();
        rows.push([
            name.clone(),
            format!("{} {}", manifest.ruleset, manifest.seats),
            hidden.join("-"),
            bytes.div_ceil(1024).to_string(),
            manifest.training.get("games").cloned().unwrap_or_default(),
            describe_strength(&manifest.strength).unwrap_or_default(),
        ]);
    }
    print(columns(&rows, |column| column == 3 || column == 4))?;
    let example = bots.first().map_or("NAME", |(name, ..)| name.as_str());
    print(format_args!(
        "Use a name in place of a bot file: ashta play {example}+2ply"
    ))
}

/// The last measured score of the bot with one ply of look-ahead. Usually, this score is against
/// the strongest opponent.
fn describe_strength(strength: &[Strength]) -> Option<String> {
    let usual = describe_lookahead(Lookahead::Plies(1));
    let last = strength
        .iter()
        .filter_map(|entry| Some((entry, entry.opponent.strip_suffix(&usual)?)))
        .next_back();
    let (
        Strength {
            score, low, high, ..
        },
        opponent,
    ) = last?;
    Some(format!(
        "{} against {opponent}",
        with_interval(100.0 * score, [100.0 * low, 100.0 * high], 1, " %")
    ))
}
