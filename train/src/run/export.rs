//! Exports the networks of a run as a bot file or an ONNX model.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, bail};
use ashta_agents::{
    learn::{net::BURN, trainer::load_net},
    network::{
        bot::{Bot, Manifest, Probe},
        portable::PortableNet,
    },
    roster::{
        Lookahead,
        folders::{BOT, Folders},
    },
};
use ashta_env::{
    chance::{self, GameRng},
    game::{Game, Node},
    race::Race,
};
use rand::Rng;

use crate::run::{
    checkpoint::{self, LoopState},
    config::Config,
    evaluation::MatchResult,
    files::write_whole,
    games,
    rundir::{RunDir, RunInfo},
};

/// The ending of bot files or of ONNX models.
pub fn ending(is_onnx: bool) -> &'static str {
    if is_onnx { "onnx" } else { BOT }
}

/// Exports a bot as a bot file or an ONNX model, and writes the card of the bot to the file `card`.
/// `source` is the folder of a run, the path of a bot file, or the name of a bot. The exported file
/// is `output`; without `output`, it is in the current folder and has the name of the bot. Returns
/// the path of the exported file. `checkpoint` chooses the checkpoint of a run: `latest` (the
/// default), `best`, or the number of an iteration.
///
/// # Errors
/// When the run, the checkpoint or the bot cannot be read, or a file cannot be written.
pub fn write(
    source: &str,
    checkpoint: Option<&str>,
    output: Option<&Path>,
    card: Option<&Path>,
    is_onnx: bool,
    folders: &Folders,
) -> Result<PathBuf> {
    let (name, bot) = match Path::new(source).is_dir() {
        true => of_run(Path::new(source), checkpoint.unwrap_or("latest"))?,
        false => {
            let found = games::bot(folders, source, "only bots can be exported");
            let (found, bot) =
                found.with_context(|| format!("{source} is not the folder of a run"))?;
            if let Some(checkpoint) = checkpoint {
                bail!("checkpoint {checkpoint}: {source} is a bot, and only runs have checkpoints");
            }
            (found.name(), bot)
        }
    };
    let is_named = output.is_some();
    let output = output.map_or_else(
        || PathBuf::from(format!("{name}.{}", ending(is_onnx))),
        Path::to_owned,
    );
    let name = output
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let bytes = bot.to_bytes()?;
    // The ONNX model contains the checksum of the networks, which only a bot from a bot file knows.
    let bytes = if is_onnx {
        Bot::from_bytes(&bytes)?.to_onnx(&name)?
    } else {
        bytes
    };
    let is_other = || std::fs::read(&output).map_or(output.exists(), |old| old != bytes);
    if !is_named && is_other() {
        bail!(
            "{} exists and is another bot or checkpoint: name the file to write with --output",
            output.display()
        );
    }
    write_whole(&output, bytes)?;
    if let Some(card) = card {
        write_whole(card, bot.manifest.card(&name))?;
    }
    Ok(output)
}

/// The bot of a checkpoint, and the name of its run.
fn of_run(run: &Path, checkpoint: &str) -> Result<(String, Bot)> {
    let rundir = RunDir::open(run)?;
    let config = Config::of_run(run, &[])?;
    let race = games::configured(&config.ruleset)?;
    let current = RunInfo::of(&race, config.run.seed);
    rundir.check(&current, "export")?;
    let iteration = match checkpoint {
        "latest" => rundir.latest()?.context("the run has no checkpoint yet")?,
        "best" => rundir
            .best()?
            .context("the run has no best checkpoint yet")?,
        number => match number.parse() {
            Ok(number) if rundir.checkpoints()?.contains(&number) => number,
            _ => bail!(
                "there is no checkpoint `{number}`: use latest, best or one of {:?}",
                rundir.checkpoints()?
            ),
        },
    };
    rundir.check_checkpoint(iteration)?;
    let dir = rundir.checkpoint(iteration);
    let net = Arc::new(load_net(race.spec(), &config.training, &dir)?);
    let state = checkpoint::load_state(&dir)?;
    // The settings of the run can have changed after this checkpoint.
    let config = if state.config.is_empty() {
        config
    } else {
        Config::from_toml(&state.config)?
    };
    Ok((
        config.run.name.clone(),
        bot(&race, &net, &config, &state, &[]),
    ))
}

/// Creates the bot of a network, with the facts of its training, its strength and probes (positions
/// with their evaluations, as tests). The bot states the seconds of training only if the run has a
/// time limit. Without a time limit, the same settings always give the same bytes.
pub fn bot(
    race: &Race,
    net: &Arc<PortableNet>,
    config: &Config,
    state: &LoopState,
    results: &[MatchResult],
) -> Bot {
    let mut manifest = Manifest::of(race, net.shape().clone());
    let facts = [
        ("name", config.run.name.clone()),
        ("seed", config.run.seed.to_string()),
        ("games", state.games.to_string()),
        ("iterations", state.iteration.to_string()),
        ("config", config.without_paths()),
        (
            "recipe",
            state.history.recipe().unwrap_or_else(|| config.recipe()),
        ),
        (
            "learned with",
            format!("ashta {}, burn {BURN}", manifest.program),
        ),
    ];
    let seconds = config
        .run
        .time_limit_minutes
        .map(|_| ("seconds", format!("{:.0}", state.seconds)));
    let changes = Some(("changes", state.history.text())).filter(|(_, text)| !text.is_empty());
    manifest.training = facts
        .into_iter()
        .chain(seconds)
        .chain(changes)
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    manifest.strength = results
        .iter()
        .filter_map(|result| result.strength(Lookahead::Plies(1)))
        .collect();
    manifest.probes = probes(race, net, config.export.probes);
    Bot {
        manifest,
        net: Arc::clone(net),
    }
}

/// Positions from random games with the values of the network. Chance nodes and decision nodes
/// alternate.
fn probes(race: &Race, net: &PortableNet, count: usize) -> Vec<Probe> {
    let mut rng = chance::stream(PROBES, 0);
    let start = |rng: &mut GameRng| race.initial_state(chance::first_seat(race.spec().seats, rng));
    // Between two probes, 5 to 24 throws and actions are applied at random.
    let nodes = |rng: &mut GameRng| 5 + chance::below(20, rng);
    let (mut probes, mut state) = (Vec::new(), start(&mut rng));
    let mut nodes_left = nodes(&mut rng);
    while probes.len() < count {
        let node = race.node(&state);
        let is_wanted = matches!(node, Node::Chance(_)) == (probes.len() % 2 == 0);
        match node {
            Node::Terminal => state = start(&mut rng),
            Node::Chance(seat) | Node::Decision(seat) if nodes_left == 0 && is_wanted => {
                let mut active = Vec::new();
                race.observe_active(&state, seat, &mut active);
                probes.push(Probe::new(race.print(&state), seat, active, net));
                nodes_left = nodes(&mut rng);
                continue;
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
    probes
}

/// Seed of the games for probes, the same for every bot.
const PROBES: u64 = 0x0070_726F_6265;
