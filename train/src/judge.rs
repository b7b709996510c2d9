//! Matches of one agent against many, as training and `ashta eval` need them.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Context, Result};
use ashta_agents::arena::{MatchConfig, MatchReport, play_match};
use ashta_agents::network::evaluator::NetEvaluator;
use ashta_agents::network::portable::PortableNet;
use ashta_agents::perfect::exploit::{BestReply, Conduct};
use ashta_agents::perfect::regret::{RegretReport, against_perfect};
use ashta_agents::perfect::solve::SolveConfig;
use ashta_agents::play::agent::{Agent, OnePly};
use ashta_agents::play::evaluator::Evaluator;
use ashta_agents::roster::{Player, Roster};
use ashta_env::race::Race;
use serde::{Deserialize, Serialize};

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

/// What was found out about a network.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "JudgementForm", into = "JudgementForm")]
pub struct Judgement {
    /// The results, one an opponent: those that the settings name first, then perfect play where it is at hand.
    pub judged: Vec<Judged>,
    /// How many opponents the settings name.
    pub asked: usize,
    /// What the best reply wins above a half, if the settings ask for it.
    pub exploitability: Option<f64>,
}

/// A [`Judgement`] for formats that do not tell the names of fields.
#[derive(Serialize, Deserialize)]
struct JudgementForm {
    judged: Vec<(String, MatchReport, Option<RegretReport>)>,
    asked: usize,
    exploitability: Option<f64>,
}

impl From<Judgement> for JudgementForm {
    fn from(Judgement { judged, asked, exploitability }: Judgement) -> JudgementForm {
        let form = |Judged { opponent, report, regret }| (opponent, report, regret);
        JudgementForm { judged: judged.into_iter().map(form).collect(), asked, exploitability }
    }
}

impl From<JudgementForm> for Judgement {
    fn from(JudgementForm { judged, asked, exploitability }: JudgementForm) -> Judgement {
        let result = |(opponent, report, regret)| Judged { opponent, report, regret };
        Judgement { judged: judged.into_iter().map(result).collect(), asked, exploitability }
    }
}

/// Judges the networks of a run by games of the bot that looks one ply ahead.
#[derive(Debug)]
pub struct Referee {
    race: Arc<Race>,
    config: Config,
    /// The opponents as the settings name them.
    during: Vec<(String, Player)>,
    opponents: Vec<(String, Player)>,
    /// Where the game is solved: it tells more than any other opponent.
    perfect: Option<Player>,
    best_reply: Option<BestReply>,
}

impl Referee {
    /// Loads the opponents that the settings name; `agent` finds them, and `perfect` is perfect play where the game is
    /// solved.
    ///
    /// # Errors
    /// When an opponent does not exist or plays another game, or the game is too large to find best replies in it.
    pub fn new(
        race: &Arc<Race>,
        config: &Config,
        agent: &dyn Fn(&str) -> Result<Roster>,
        perfect: Option<Player>,
    ) -> Result<Referee> {
        let player = |spec: &String| {
            let player = agent(spec).and_then(|agent| games::player(&agent, race));
            let player = player.with_context(|| format!("section [evaluation], opponent `{spec}`"));
            player.map(|player| (spec.clone(), player))
        };
        if config.evaluation.exploitability {
            BestReply::positions(race).with_context(|| cannot_exploit(race))?;
        }
        Ok(Referee {
            during: config.evaluation.during.iter().map(player).collect::<Result<_>>()?,
            opponents: config.evaluation.opponents.iter().map(player).collect::<Result<_>>()?,
            perfect,
            best_reply: None,
            race: Arc::clone(race),
            config: config.clone(),
        })
    }

    /// As [`Referee::new`], with the agents that this program finds by their names.
    ///
    /// # Errors
    /// As there, or when a table is damaged.
    pub fn here(race: &Arc<Race>, config: &Config) -> Result<Referee> {
        Referee::new(race, config, &games::agent, games::perfect(race)?)
    }

    /// A short evaluation.
    ///
    /// # Errors
    /// When a best reply does not settle.
    pub fn look(&mut self, net: &Arc<PortableNet>) -> Result<Judgement> {
        let judged = self.matches(net, &self.during, self.config.evaluation.pairs);
        Ok(Judgement { judged, asked: self.during.len(), exploitability: self.exploitability(net)? })
    }

    /// The evaluation at the end of a run.
    ///
    /// # Errors
    /// When a best reply does not settle.
    pub fn conclude(&mut self, net: &Arc<PortableNet>) -> Result<Judgement> {
        let judged = self.matches(net, &self.opponents, self.config.evaluation.final_pairs);
        Ok(Judgement { judged, asked: self.opponents.len(), exploitability: self.exploitability(net)? })
    }

    /// Plays the opponents, at last perfect play if that is at hand and was not among them.
    fn matches(&self, net: &Arc<PortableNet>, opponents: &[(String, Player)], pairs: u64) -> Vec<Judged> {
        let agent = || Box::new(OnePly::new(NetEvaluator::new(Arc::clone(net)))) as Box<dyn Agent<Race> + Send>;
        let (seed, threads) = (self.config.evaluation.seed, self.config.run.threads);
        let matched = MatchConfig { blocks: pairs, seed, threads, ..MatchConfig::default() };
        let meet = |opponent: &Player| against(&self.race, &agent, opponent, &matched, &|_| ());
        let named = |(name, opponent): &(String, Player)| Judged { opponent: name.clone(), ..meet(opponent) };
        let mut judged: Vec<Judged> = opponents.iter().map(named).collect();
        if let Some(perfect) = &self.perfect
            && judged.iter().all(|judged| judged.regret.is_none())
        {
            judged.push(meet(perfect));
        }
        judged
    }

    /// What the best reply to a network that looks one ply ahead wins above a half, if the settings ask for it.
    fn exploitability(&mut self, net: &Arc<PortableNet>) -> Result<Option<f64>> {
        if !self.config.evaluation.exploitability {
            return Ok(None);
        }
        let reply = match &mut self.best_reply {
            Some(reply) => reply,
            none => none.insert(BestReply::new(&self.race).with_context(|| cannot_exploit(&self.race))?),
        };
        let values = || Box::new(NetEvaluator::new(Arc::clone(net))) as Box<dyn Evaluator<Race> + Send>;
        let config = SolveConfig { threads: self.config.run.threads, tolerance: 1e-6, certify: false };
        let found = reply.find(Conduct::Values(&values), &config, &|_| ControlFlow::Continue(()))?;
        Ok(Some(found.context("nobody stops it")?.mean() - 0.5))
    }
}

fn cannot_exploit(race: &Race) -> String {
    format!("section [evaluation], `exploitability`: {} cannot be solved", race.ruleset())
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
