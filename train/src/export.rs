//! From the networks of a run to a bot file, with its card beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use ashta_agents::learn::net::BURN;
use ashta_agents::network::bot::{Bot, Manifest, Probe, Strength};
use ashta_agents::network::portable::PortableNet;
use ashta_env::chance;
use ashta_env::game::{Game, Node};
use ashta_env::race::Race;
use rand::Rng;

use crate::checkpoint::LoopState;
use crate::config::Config;
use crate::evaluation::MatchResult;
use crate::files::write_whole;
use crate::output::remark;

/// Writes the card of a bot beside `output`: as `README.md`, or as `NAME.md` where a `README.md` stands that is not
/// the card of this bot. Returns where it is.
///
/// # Errors
/// When it cannot be written.
pub fn write_card(output: &Path, manifest: &Manifest, name: &str) -> Result<PathBuf> {
    let readme = output.with_file_name("README.md");
    let is_foreign = match fs::read_to_string(&readme) {
        Ok(text) => !Manifest::is_card_of(&text, name),
        Err(_) => fs::symlink_metadata(&readme).is_ok(),
    };
    let path = if is_foreign { output.with_file_name(format!("{name}.md")) } else { readme };
    if is_foreign {
        remark(format_args!("the README.md beside it is something else, so the card is {}", path.display()));
    }
    write_whole(&path, manifest.card(name))?;
    Ok(path)
}

/// The bot with this network: what it was trained with, how strong it is, and probes. How long that took is stated of
/// runs with a time limit alone: others give the same bytes again.
///
/// # Errors
/// When the network does not answer its own probes, which would be an error of the program.
pub fn bot(
    race: &Race,
    net: &Arc<PortableNet>,
    config: &Config,
    state: &LoopState,
    results: &[MatchResult],
) -> Result<Bot> {
    let mut manifest = Manifest::of(race, net.shape().clone());
    let facts = [
        ("name", config.run.name.clone()),
        ("seed", config.run.seed.to_string()),
        ("games", state.games.to_string()),
        ("iterations", state.iteration.to_string()),
        ("config", config.to_toml()),
        ("learned with", format!("ashta {}, burn {BURN}", manifest.program)),
    ];
    let seconds = config.run.time_limit_minutes.map(|_| ("seconds", format!("{:.0}", state.seconds)));
    let facts = facts.into_iter().chain(seconds);
    manifest.training = facts.map(|(name, value)| (name.to_owned(), value)).collect();
    manifest.strength = results
        .iter()
        .map(|MatchResult { opponent, report, .. }| Strength {
            opponent: format!("{opponent} (the bot looks one ply ahead)"),
            games: report.games,
            score: report.score,
            low: report.interval[0],
            high: report.interval[1],
        })
        .collect();
    manifest.probes = probes(race, net, config.export.probes);
    Ok(Bot { manifest, net: Arc::clone(net) })
}

/// Positions from random games, throws and decisions alternately, with the answers of the network.
fn probes(race: &Race, net: &PortableNet, count: usize) -> Vec<Probe> {
    let mut rng = chance::stream(PROBES, 0);
    let mut probes = Vec::new();
    let mut state = race.initial_state(chance::first_seat(race.spec().seats, &mut rng));
    while probes.len() < count {
        let wants_chance = probes.len() % 2 == 0;
        // Some nodes on, then the next node of the wanted kind.
        let mut nodes_left = 5 + chance::below(20, &mut rng);
        loop {
            match race.node(&state) {
                Node::Terminal => {
                    state = race.initial_state(chance::first_seat(race.spec().seats, &mut rng));
                }
                Node::Chance(seat) | Node::Decision(seat)
                    if nodes_left == 0 && wants_chance == matches!(race.node(&state), Node::Chance(_)) =>
                {
                    let mut active = Vec::new();
                    race.observe_active(&state, seat, &mut active);
                    probes.push(Probe::new(race.print(&state), seat, active, net));
                    break;
                }
                Node::Chance(_) => {
                    let outcome = chance::outcome(race.chance_outcomes(&state), rng.next_u64());
                    race.apply_chance(&mut state, outcome);
                }
                Node::Decision(_) => {
                    let legal = race.legal_actions(&state);
                    let action = legal.nth(chance::below(legal.len(), &mut rng));
                    race.apply_action(&mut state, action.expect("a decision has a legal action"));
                }
            }
            nodes_left = nodes_left.saturating_sub(1);
        }
    }
    probes
}

/// The seed of the games that probes are taken from, the same for every bot.
const PROBES: u64 = 0x0070_726F_6265;
