//! Matches of one agent against many, as training and `ashta eval` need them.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Context, Result};
use ashta_agents::agent::{Agent, OnePly};
use ashta_agents::arena::{MatchConfig, MatchReport, play_match};
use ashta_agents::evaluator::Evaluator;
use ashta_agents::exploit::{BestReply, Conduct};
use ashta_agents::net_evaluator::NetEvaluator;
use ashta_agents::portable::PortableNet;
use ashta_agents::regret::{RegretReport, against_perfect};
use ashta_agents::roster::Player;
use ashta_agents::solve::SolveConfig;
use ashta_env::race::Race;
use serde::Serialize;

use crate::config::Config;
use crate::games;
use crate::progress::ScoreRow;

/// The result against one opponent.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// Who it was.
    pub opponent: String,
    /// What happened.
    #[serde(flatten)]
    pub report: MatchReport,
    /// Where the opponent plays perfectly and there are two seats: what the agent gave away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<RegretReport>,
}

impl Judged {
    /// The result as a row of the table.
    pub fn row(&self) -> ScoreRow {
        ScoreRow {
            opponent: self.opponent.clone(),
            games: self.report.games,
            score: self.report.score,
            interval: (self.report.interval[0], self.report.interval[1]),
            chance_level: self.report.chance_level,
        }
    }
}

/// Plays a match between two agents.
pub fn against<'agents>(
    race: &Race,
    agent: &(dyn Fn() -> Box<dyn Agent<Race> + Send + 'agents> + Sync),
    opponent: &Player,
    config: &MatchConfig,
    progress: &(dyn Fn(u64) + Sync),
) -> Judged {
    let opponent_name = opponent.spec().to_string();
    let measured = opponent.table().and_then(|table| against_perfect(race, agent, table, config, progress));
    let (report, regret) = match measured {
        Some((report, regret)) => (report, Some(regret)),
        None => {
            let other = || opponent.agent() as Box<dyn Agent<Race> + Send + 'agents>;
            (play_match(race, agent, &other, config, progress), None)
        }
    };
    Judged { opponent: opponent_name, report, regret }
}

/// Judges a network that looks one ply ahead, at last against perfect play if that is given.
///
/// # Errors
/// When there is no such opponent.
pub fn net(
    race: &Race,
    net: &Arc<PortableNet>,
    opponents: &[String],
    perfect: Option<&Player>,
    config: &Config,
    pairs: u64,
) -> Result<Vec<Judged>> {
    let agent = || Box::new(OnePly::new(NetEvaluator::new(Arc::clone(net)))) as Box<dyn Agent<Race> + Send>;
    let threads = config.run.threads;
    let matched = MatchConfig { blocks: pairs, seed: config.evaluation.seed, threads, ..MatchConfig::default() };
    let mut judged = Vec::new();
    for opponent in opponents {
        let opponent = games::player(&games::agent(opponent)?, race)?;
        judged.push(against(race, &agent, &opponent, &matched, &|_| ()));
    }
    if let Some(perfect) = perfect
        && judged.iter().all(|judged| judged.regret.is_none())
    {
        judged.push(against(race, &agent, perfect, &matched, &|_| ()));
    }
    Ok(judged)
}

/// What finds best replies, if the settings ask for it.
///
/// # Errors
/// When the game cannot be solved.
pub fn best_reply(race: &Race, config: &Config) -> Result<Option<BestReply>> {
    let best = config.evaluation.exploitability.then(|| BestReply::new(race));
    best.transpose().with_context(|| cannot_exploit(race))
}

fn cannot_exploit(race: &Race) -> String {
    format!("section [evaluation], `exploitability`: {} cannot be solved", race.ruleset())
}

/// What the best reply to a network that looks one ply ahead wins above a half.
///
/// # Errors
/// When the reply does not settle.
pub fn exploitability(reply: &mut BestReply, net: &Arc<PortableNet>, threads: usize) -> Result<f64> {
    let values = || Box::new(NetEvaluator::new(Arc::clone(net))) as Box<dyn Evaluator<Race> + Send>;
    let config = SolveConfig { threads, tolerance: 1e-6, certify: false };
    let found = reply.find(Conduct::Values(&values), &config, &|_| ControlFlow::Continue(()))?;
    Ok(found.context("nobody stops it")?.mean() - 0.5)
}

/// Checks that every opponent named in the settings exists and plays the game, before any time is spent.
///
/// # Errors
/// The first one that does not.
pub fn check_opponents(race: &Race, config: &Config) -> Result<()> {
    for opponent in config.evaluation.during.iter().chain(&config.evaluation.opponents) {
        let checked = games::agent(opponent).and_then(|agent| games::player(&agent, race));
        checked.map(drop).with_context(|| format!("section [evaluation], opponent `{opponent}`"))?;
    }
    games::perfect(race)?;
    if config.evaluation.exploitability {
        BestReply::positions(race).with_context(|| cannot_exploit(race))?;
    }
    Ok(())
}

/// The weights of each layer of both networks by name, without the biases.
pub fn layers(net: &PortableNet) -> Vec<(String, Vec<f32>)> {
    let mut layers = Vec::new();
    for (network, mlp) in [("value", net.value()), ("policy", net.policy())] {
        let parameters = mlp.parameters();
        let mut rest = parameters.as_slice();
        for (number, (inputs, outputs)) in mlp.shape().layers().enumerate() {
            let (layer, after) = rest.split_at((inputs + 1) * outputs);
            rest = after;
            let name = if rest.is_empty() { format!("{network}.head") } else { format!("{network}.torso.{number}") };
            layers.push((name, layer[..inputs * outputs].to_vec()));
        }
    }
    layers
}
