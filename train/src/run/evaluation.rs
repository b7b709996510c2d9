//! Evaluation of an agent by matches against several opponents, and its exploitability.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Context, Result};
use ashta_agents::arena::{Interval, MakeAgent, MatchConfig, MatchProgress, MatchReport, play_match};
use ashta_agents::network::bot::{Regret, Strength, without_folder};
use ashta_agents::network::evaluator::NetEvaluator;
use ashta_agents::network::portable::PortableNet;
use ashta_agents::perfect::exploit::{AgentPolicy, BestResponse};
use ashta_agents::perfect::regret::{Judged, RegretReport, against_perfect};
use ashta_agents::perfect::solve::SolveConfig;
use ashta_agents::play::agent::{Agent, OnePly};
use ashta_agents::play::evaluator::Evaluator;
use ashta_agents::play::stop::Stop;
use ashta_agents::roster::{Lookahead, NamedAgent, Player};
use ashta_env::race::Race;
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};

use crate::run::config::Config;
use crate::run::games;
use crate::run::output::columns;
use crate::run::progress::percent;

/// The result against one opponent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// The opponent.
    pub opponent: String,
    /// The match.
    pub report: MatchReport,
    /// The regret of the agent, if the opponent plays perfectly in a game of two seats.
    pub regret: Option<RegretReport>,
}

impl MatchResult {
    /// The result as one JSON object: the opponent, the match, and the regret if it was measured.
    pub fn row(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Row<'a> {
            opponent: &'a str,
            #[serde(flatten)]
            report: &'a MatchReport,
            #[serde(skip_serializing_if = "Option::is_none")]
            regret: &'a Option<RegretReport>,
        }
        Row { opponent: &self.opponent, report: &self.report, regret: &self.regret }
    }

    /// The result as an entry in the manifest of a bot that plays with this look-ahead.
    pub fn strength(&self, lookahead: Lookahead) -> Strength {
        let [low, high] = self.report.interval;
        let regret = self.regret.as_ref().map(|found| {
            let Interval { mean, interval: [low, high], .. } = found.regret_per_decision;
            Regret { mean, low, high }
        });
        Strength {
            opponent: format!("{}{}", without_folder(&self.opponent), describe_lookahead(lookahead)),
            games: self.report.games,
            score: self.report.score,
            low,
            high,
            // The regret from fewer than two pairs of games has no interval.
            regret: regret.filter(|found| [found.mean, found.low, found.high].iter().all(|x| x.is_finite())),
        }
    }
}

/// The scores as an aligned table of plain text, with a heading and a final line break. The verdict compares the
/// interval with the chance level.
pub fn score_table(results: &[MatchResult]) -> String {
    // The columns for drawn and truncated games exist only if there are such games.
    let has_drawn = results.iter().any(|result| result.report.drawn_games > 0);
    let has_truncated = results.iter().any(|result| result.report.truncated_games > 0);
    let mut heading = ["opponent", "games", "score", "95 % interval", "verdict"].map(str::to_owned).to_vec();
    heading.extend(has_drawn.then(|| "drawn".to_owned()));
    heading.extend(has_truncated.then(|| "truncated".to_owned()));
    let cells = results.iter().map(|MatchResult { opponent, report, .. }| {
        let [low, high] = report.interval;
        let verdict = match report.chance_level {
            level if low > level => "stronger",
            level if high < level => "weaker",
            _ => "not decided",
        };
        let interval = format!("{} to {}", percent(low), percent(high));
        let (games, score) = (HumanCount(report.games).to_string(), percent(report.score));
        let mut row = vec![opponent.clone(), games, score, interval, verdict.to_owned()];
        row.extend(has_drawn.then(|| percent(report.drawn_share())));
        row.extend(has_truncated.then(|| HumanCount(report.truncated_games).to_string()));
        row
    });
    let table: Vec<Vec<String>> = std::iter::once(heading).chain(cells).collect();
    columns(&table, |column| column > 0 && column != 4)
}

/// The look-ahead of a bot in words; manifests append it to the name of an opponent.
pub fn describe_lookahead(lookahead: Lookahead) -> String {
    match lookahead {
        Lookahead::Policy => " (the bot plays without looking ahead)".to_owned(),
        Lookahead::Plies(count) => {
            let plies = ["no ply", "one ply", "two plies", "three plies", "four plies"];
            format!(" (the bot looks {} ahead)", plies[usize::from(count).min(4)])
        }
        Lookahead::Mcts(simulations) => format!(" (the bot searches with {simulations} simulations)"),
        Lookahead::Level(level) => format!(" (the bot plays at the level {level})"),
    }
}

/// Plays a match between two agents.
pub fn against(
    race: &Race,
    agent: MakeAgent<'_, '_, Race>,
    opponent: &Player,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
) -> MatchResult {
    let measured =
        opponent.table().and_then(|table| against_perfect(race, agent, Judged::Played, table, config, progress));
    let (report, regret) = measured.unzip();
    let report = report.unwrap_or_else(|| play_match(race, agent, &|| opponent.agent(), config, progress));
    MatchResult { opponent: opponent.named_agent().to_string(), report, regret }
}

/// The evaluation of a network.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunEvaluation {
    /// One result per opponent: first the opponents of the settings, then perfect play if the evaluator added it.
    pub results: Vec<MatchResult>,
    /// Number of opponents in the settings.
    pub asked: usize,
    /// Exploitability, the score of the best response minus 0.5, if the settings require it.
    pub exploitability: Option<f64>,
}

type NamedPlayer = (String, Player);

/// Evaluates the networks of a run in games; the bot looks one ply ahead.
#[derive(Debug)]
pub struct RunEvaluator {
    /// The game of the run.
    pub race: Arc<Race>,
    config: Config,
    during: Vec<NamedPlayer>,
    opponents: Vec<NamedPlayer>,
    /// Perfect play, if the game is solved. The regret against perfect play (the value that decisions lose) is the most
    /// precise measure.
    perfect: Option<Player>,
    best_response: Option<BestResponse>,
}

impl RunEvaluator {
    /// Creates the evaluator. `agent` loads an opponent by its name in the settings. `perfect` is perfect play, if the
    /// game is solved.
    ///
    /// # Errors
    /// When an opponent does not exist or plays another game, or the game is too large for best responses.
    pub fn new(
        race: &Arc<Race>,
        config: &Config,
        agent: &dyn Fn(&str) -> Result<NamedAgent>,
        perfect: Option<Player>,
    ) -> Result<RunEvaluator> {
        let player = |spec: &String| {
            let player = agent(spec).and_then(|agent| games::player(&agent, race));
            let player = player.with_context(|| format!("section [evaluation], opponent `{spec}`"));
            player.map(|player| (spec.clone(), player))
        };
        if config.evaluation.exploitability {
            BestResponse::positions(race).with_context(|| cannot_exploit(race))?;
        }
        Ok(RunEvaluator {
            during: config.evaluation.during.iter().map(player).collect::<Result<_>>()?,
            opponents: config.evaluation.opponents.iter().map(player).collect::<Result<_>>()?,
            perfect,
            best_response: None,
            race: Arc::clone(race),
            config: config.clone(),
        })
    }

    /// Runs a short evaluation.
    pub fn evaluate(&mut self, net: &Arc<PortableNet>) -> Result<RunEvaluation> {
        let never = Stop::default();
        let results = self.matches(net, &self.during, self.config.evaluation.pairs, &never);
        Ok(RunEvaluation { results, asked: self.during.len(), exploitability: self.exploitability(net, &never)? })
    }

    /// Runs the evaluation at the end of a run. Ends immediately with `None` if `stop` is set.
    pub fn conclude(&mut self, net: &Arc<PortableNet>, stop: &Stop) -> Result<Option<RunEvaluation>> {
        let results = self.matches(net, &self.opponents, self.config.evaluation.final_pairs, stop);
        let exploitability = if stop.is_set() { None } else { self.exploitability(net, stop)? };
        let evaluation = RunEvaluation { results, asked: self.opponents.len(), exploitability };
        Ok((!stop.is_set()).then_some(evaluation))
    }

    /// Plays against the opponents. Also plays against perfect play, if it is available and no opponent plays
    /// perfectly.
    fn matches(&self, net: &Arc<PortableNet>, opponents: &[NamedPlayer], pairs: u64, stop: &Stop) -> Vec<MatchResult> {
        let agent = || Box::new(OnePly::new(NetEvaluator::new(Arc::clone(net)))) as Box<dyn Agent<Race> + Send>;
        let (seed, threads) = (self.config.evaluation.seed, self.config.run.threads);
        let matched = MatchConfig { blocks: pairs, seed, threads, ..MatchConfig::default() };
        let progress = MatchProgress { is_stopped: &|| stop.is_set(), ..MatchProgress::UNWATCHED };
        let meet = |opponent: &Player| against(&self.race, &agent, opponent, &matched, &progress);
        let named = |(name, opponent): &NamedPlayer| MatchResult { opponent: name.clone(), ..meet(opponent) };
        let mut results: Vec<MatchResult> = opponents.iter().map(named).collect();
        if let Some(perfect) = &self.perfect
            && results.iter().all(|result| result.regret.is_none())
        {
            results.push(meet(perfect));
        }
        results
    }

    /// The exploitability of a bot that looks one ply ahead, if the settings require it.
    fn exploitability(&mut self, net: &Arc<PortableNet>, stop: &Stop) -> Result<Option<f64>> {
        if !self.config.evaluation.exploitability {
            return Ok(None);
        }
        let reply = match &mut self.best_response {
            Some(reply) => reply,
            none => none.insert(BestResponse::new(&self.race).with_context(|| cannot_exploit(&self.race))?),
        };
        let values = || Box::new(NetEvaluator::new(Arc::clone(net))) as Box<dyn Evaluator<Race> + Send>;
        let config = SolveConfig { threads: self.config.run.threads, tolerance: 1e-6, certify: false };
        let watch = |_| if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        Ok(reply.find(AgentPolicy::Values(&values), &config, &watch)?.map(|found| found.exploitability()))
    }
}

fn cannot_exploit(race: &Race) -> String {
    format!("section [evaluation], `exploitability`: {} cannot be solved", race.ruleset())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(opponent: &str, games: u64, score: f64, half_width: f64) -> MatchResult {
        let report = MatchReport {
            blocks: games / 2,
            games,
            drawn_games: 0,
            truncated_games: 0,
            truncated_blocks: 0,
            score,
            standard_error: None,
            interval: [score - half_width, score + half_width],
            chance_level: 0.5,
            sides: None,
            decisions_per_game: 0.0,
            turns_per_game: 0.0,
        };
        MatchResult { opponent: opponent.to_owned(), report, regret: None }
    }

    #[test]
    fn the_table_is_aligned_and_its_verdict_follows_the_interval() {
        let results = [
            result("random", 2000, 0.991, 0.004),
            result("greedy+2ply", 16, 0.5, 0.25),
            result("perfect", 2000, 0.472, 0.02),
        ];
        assert_eq!(
            score_table(&results),
            "opponent     games   score     95 % interval  verdict\n\
             random       2,000  99.1 %  98.7 % to 99.5 %  stronger\n\
             greedy+2ply     16  50.0 %  25.0 % to 75.0 %  not decided\n\
             perfect      2,000  47.2 %  45.2 % to 49.2 %  weaker\n"
        );
        let mut ends = results;
        ends[1].report.drawn_games = 4;
        ends[2].report.truncated_games = 3;
        assert_eq!(
            score_table(&ends),
            "opponent     games   score     95 % interval  verdict       drawn  truncated\n\
             random       2,000  99.1 %  98.7 % to 99.5 %  stronger      0.0 %          0\n\
             greedy+2ply     16  50.0 %  25.0 % to 75.0 %  not decided  25.0 %          0\n\
             perfect      2,000  47.2 %  45.2 % to 49.2 %  weaker        0.0 %          3\n"
        );
    }
}
