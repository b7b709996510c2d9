//! Evaluation of an agent by matches against several opponents, and its exploitability.

use std::sync::Arc;

use anyhow::{Context, Result};
use ashta_agents::{
    arena::{
        Interval, MakeAgent, MatchConfig, MatchProgress, MatchReport, PlayedGame, luck_of_sides,
        play_watched_match,
    },
    network::{
        bot::{Regret, Strength, without_folder},
        evaluator::NetEvaluator,
        portable::PortableNet,
    },
    perfect::{
        exploit::{AgentPolicy, BestResponse},
        regret::{Judged, RegretReport, against_perfect},
        solve::SolveConfig,
    },
    play::{
        agent::{Agent, OnePly},
        evaluator::Evaluator,
        stop::{Stop, stop_if},
    },
    roster::{Lookahead, NamedAgent, Player},
};
use ashta_env::race::Race;
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};

use crate::run::{config::Config, games, output::columns, progress::percent};

/// The result against one opponent.
#[derive(Clone, Debug, Serialize)]
pub struct MatchResult {
    /// The opponent.
    pub opponent: String,
    /// The match.
    #[serde(flatten)]
    pub report: MatchReport,
    /// The regret of the agent, if the opponent plays perfectly in a game of two seats and a game
    /// was finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<RegretReport>,
}

impl MatchResult {
    /// The result as an entry in the manifest of a bot that plays with this look-ahead; `None`
    /// without a finished game.
    pub fn strength(&self, lookahead: Lookahead) -> Option<Strength> {
        let (score, [low, high]) = (self.report.score?, self.report.interval);
        let regret = self.regret.as_ref().map(|found| {
            let Interval {
                mean,
                interval: [low, high],
                ..
            } = found.regret_per_decision;
            Regret { mean, low, high }
        });
        Some(Strength {
            opponent: format!(
                "{}{}",
                without_folder(&self.opponent),
                describe_lookahead(lookahead)
            ),
            games: self.report.games,
            score,
            low,
            high,
            // The regret from fewer than two pairs of games has no interval.
            regret: regret.filter(|found| {
                [found.mean, found.low, found.high]
                    .iter()
                    .all(|x| x.is_finite())
            }),
        })
    }
}

/// The scores as an aligned table of plain text, with a heading and a final line break. The verdict
/// compares the interval with the chance level.
pub fn score_table(results: &[MatchResult]) -> String {
    // The columns for drawn and truncated games exist only if there are such games.
    let has_drawn = results.iter().any(|result| result.report.drawn_games > 0);
    let has_truncated = results
        .iter()
        .any(|result| result.report.truncated_games > 0);
    let mut heading = ["opponent", "games", "score", "95 % interval", "verdict"]
        .map(str::to_owned)
        .to_vec();
    heading.extend(has_drawn.then(|| "drawn".to_owned()));
    heading.extend(has_truncated.then(|| "truncated".to_owned()));
    let cells = results.iter().map(
        |MatchResult {
             opponent, report, ..
         }| {
            let [low, high] = report.interval;
            let verdict = match report.chance_level {
                _ if report.score.is_none() => "no finished game",
                level if low > level => "stronger",
                level if high < level => "weaker",
                _ => "not decided",
            };
            let interval = format!("{} to {}", percent(low), percent(high));
            let (games, none) = (HumanCount(report.games).to_string(), || "-".to_owned());
            let (score, interval) = report
                .score
                .map_or_else(|| (none(), none()), |score| (percent(score), interval));
            let mut row = vec![opponent.clone(), games, score, interval, verdict.to_owned()];
            row.extend(has_drawn.then(|| percent(report.drawn_share())));
            row.extend(has_truncated.then(|| HumanCount(report.truncated_games).to_string()));
            row
        },
    );
    let table: Vec<Vec<String>> = std::iter::once(heading).chain(cells).collect();
    columns(&table, |column| column > 0 && column != 4)
}

/// The look-ahead of a bot in words; manifests append it to the name of an opponent.
pub fn describe_lookahead(lookahead: Lookahead) -> String {
    match lookahead {
        Lookahead::Policy => " (the bot plays without looking ahead)".to_owned(),
        Lookahead::Plies(count) => {
            let plies = [
                "no ply",
                "one ply",
                "two plies",
                "three plies",
                "four plies",
            ];
            format!(
                " (the bot looks {} ahead)",
                plies[usize::from(count).min(4)]
            )
        }
        Lookahead::Mcts(simulations) => {
            format!(" (the bot searches with {simulations} simulations)")
        }
        Lookahead::Level(level) => format!(" (the bot plays at the level {level})"),
    }
}

/// Plays a match between two agents. If the opponent does not play perfectly, the report also has a
/// luck-adjusted score by the values of `net`, if it is given.
pub fn against(
    race: &Race,
    agent: MakeAgent<'_, '_, Race>,
    opponent: &Player,
    config: &MatchConfig,
    progress: &MatchProgress<'_>,
    net: Option<&Arc<PortableNet>>,
) -> MatchResult {
    let (report, regret) = opponent
        .table()
        .and_then(|table| against_perfect(race, agent, Judged::Played, table, config, progress))
        .unzip();
    let opponents = || opponent.agent();
    let luck = |game: &PlayedGame| {
        net.map(|net| luck_of_sides(race, &mut NetEvaluator::new(Arc::clone(net)), game))
    };
    let report = report
        .unwrap_or_else(|| play_watched_match(race, agent, &opponents, config, progress, &luck));
    MatchResult {
        opponent: opponent.named_agent().to_string(),
        report,
        regret: regret.flatten(),
    }
}

/// The evaluation of a network.
#[derive(Clone, Debug)]
pub struct RunEvaluation {
    /// One result per opponent: first the opponents of the settings, then perfect play if the
    /// evaluator added it.
    pub results: Vec<MatchResult>,
    /// Exploitability, the score of the best response minus 0.5, if the settings require it.
    pub exploitability: Option<f64>,
}

/// A measure of the strength of a checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measure {
    /// The name of the measure; measures with different names cannot be compared.
    pub name: String,
    /// The value: a score, or minus the regret per decision.
    pub value: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
}

impl RunEvaluation {
    /// The most precise measure: the regret if it was measured, otherwise the mean score against
    /// all opponents, adjusted for luck. `None` without opponents or finished games.
    pub fn measure(&self) -> Option<Measure> {
        if let Some(regret) = self
            .results
            .iter()
            .find_map(|result| result.regret.as_ref())
        {
            let Interval {
                mean,
                interval: [_, high],
                ..
            } = regret.regret_per_decision;
            return Some(Measure {
                name: "regret".to_owned(),
                value: -mean,
                low: -high.min(1.0),
            });
        }
        let score = |result: &MatchResult| {
            let plain = (result.report.score?, result.report.interval);
            let (mean, [low, high]) = result
                .report
                .luck_adjusted_score
                .map_or(plain, |of| (of.mean, of.interval));
            Some([mean, (high - low) / 2.0])
        };
        let scores: Vec<[f64; 2]> = self.results.iter().map(score).collect::<Option<_>>()?;
        let count = scores.len() as f64;
        let value = scores.iter().map(|[mean, _]| mean).sum::<f64>() / count;
        let half = scores
            .iter()
            .map(|[_, half]| half * half)
            .sum::<f64>()
            .sqrt()
            / count;
        let opponents: Vec<&str> = self
            .results
            .iter()
            .map(|result| result.opponent.as_str())
            .collect();
        let name = format!("score against {}", opponents.join(", "));
        (count > 0.0).then_some(Measure {
            name,
            value,
            low: value - half,
        })
    }
}

impl Measure {
    /// Compares this measure of the newest checkpoint with the highest measure so far, and updates
    /// the highest measure. Returns whether the newest checkpoint is the best: the highest measure
    /// does not beat it beyond its interval. If the names differ, earlier measures do not count.
    pub fn is_best(self, highest: &mut Option<Measure>) -> bool {
        let before = highest.take().filter(|before| before.name == self.name);
        let is_best = before
            .as_ref()
            .is_none_or(|before| self.value >= before.low);
        *highest = Some(
            before
                .filter(|before| before.value > self.value)
                .unwrap_or(self),
        );
        is_best
    }
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
    /// Perfect play, if the game is solved. The regret against perfect play (the value that
    /// decisions lose) is the most precise measure.
    perfect: Option<Player>,
    best_response: Option<BestResponse>,
}

impl RunEvaluator {
    /// Creates the evaluator. `agent` loads an opponent by its name in the settings. `perfect` is
    /// perfect play, if the game is solved.
    ///
    /// # Errors
    /// When an opponent does not exist or plays another game, or the game is too large for best
    /// responses.
    pub fn new(
        race: &Arc<Race>,
        config: &Config,
        agent: &dyn Fn(&str) -> Result<NamedAgent>,
        perfect: Option<Player>,
    ) -> Result<RunEvaluator> {
        let player = |spec: &String| {
            let player = agent(spec)
                .and_then(|agent| games::player(&agent, race))
                .with_context(|| format!("section [evaluation], opponent `{spec}`"));
            player.map(|player| (spec.clone(), player))
        };
        if config.evaluation.exploitability {
            BestResponse::positions(race).with_context(|| cannot_exploit(race))?;
        }
        Ok(RunEvaluator {
            during: config
                .evaluation
                .during
                .iter()
                .map(player)
                .collect::<Result<_>>()?,
            opponents: config
                .evaluation
                .opponents
                .iter()
                .map(player)
                .collect::<Result<_>>()?,
            perfect,
            best_response: None,
            race: Arc::clone(race),
            config: config.clone(),
        })
    }

    /// Runs a short evaluation.
    pub fn evaluate(&mut self, net: &Arc<PortableNet>) -> Result<RunEvaluation> {
        let never = Stop::default();
        // Regret is more precise than any score.
        let luck = Some(net).filter(|_| self.perfect.is_none());
        let results = self.matches(
            net,
            &self.during,
            self.config.evaluation.pairs,
            luck,
            &never,
        );
        Ok(RunEvaluation {
            results,
            exploitability: self.exploitability(net, &never)?,
        })
    }

    /// Runs the evaluation at the end of a run. Ends immediately with `None` if `stop` is set.
    pub fn conclude(
        &mut self,
        net: &Arc<PortableNet>,
        stop: &Stop,
    ) -> Result<Option<RunEvaluation>> {
        let results = self.matches(
            net,
            &self.opponents,
            self.config.evaluation.final_pairs,
            None,
            stop,
        );
        let exploitability = if stop.is_set() {
            None
        } else {
            self.exploitability(net, stop)?
        };
        let evaluation = RunEvaluation {
            results,
            exploitability,
        };
        Ok((!stop.is_set()).then_some(evaluation))
    }

    /// Plays against the opponents. Also plays against perfect play, if it is available and no
    /// opponent plays perfectly. The values of `luck`, if given, adjust the scores for luck.
    fn matches(
        &self,
        net: &Arc<PortableNet>,
        opponents: &[NamedPlayer],
        pairs: u64,
        luck: Option<&Arc<PortableNet>>,
        stop: &Stop,
    ) -> Vec<MatchResult> {
        let agent = || {
            Box::new(OnePly::new(NetEvaluator::new(Arc::clone(net)))) as Box<dyn Agent<Race> + Send>
        };
        let (seed, threads) = (self.config.evaluation.seed, self.config.run.threads);
        let matched = MatchConfig {
            blocks: pairs,
            seed,
            threads,
            ..MatchConfig::default()
        };
        let progress = MatchProgress {
            is_stopped: &|| stop.is_set(),
            ..MatchProgress::UNWATCHED
        };
        let meet =
            |opponent: &Player| against(&self.race, &agent, opponent, &matched, &progress, luck);
        let named = |(name, opponent): &NamedPlayer| MatchResult {
            opponent: name.clone(),
            ..meet(opponent)
        };
        let mut results: Vec<MatchResult> = opponents.iter().map(named).collect();
        if let Some(perfect) = &self.perfect
            && opponents
                .iter()
                .all(|(_, opponent)| opponent.table().is_none())
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
            none => none
                .insert(BestResponse::new(&self.race).with_context(|| cannot_exploit(&self.race))?),
        };
        let values =
            || Box::new(NetEvaluator::new(Arc::clone(net))) as Box<dyn Evaluator<Race> + Send>;
        let config = SolveConfig {
            threads: self.config.run.threads,
            tolerance: 1e-6,
            certify: false,
        };
        let watch = |_| stop_if(stop.is_set());
        Ok(reply
            .find(AgentPolicy::Values(&values), &config, &watch)?
            .map(|found| found.exploitability()))
    }
}

fn cannot_exploit(race: &Race) -> String {
    format!(
        "section [evaluation], `exploitability`: {} cannot be solved",
        race.ruleset()
    )
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
            score: Some(score),
            standard_error: None,
            interval: [score - half_width, score + half_width],
            luck_adjusted_score: None,
            chance_level: 0.5,
            sides: None,
            decisions_per_game: 0.0,
            turns_per_game: 0.0,
        };
        MatchResult {
            opponent: opponent.to_owned(),
            report,
            regret: None,
        }
    }

    #[test]
    fn the_newest_checkpoint_is_the_best_unless_an_earlier_one_is_better_beyond_its_interval() {
        let mut highest = None;
        for (name, value, low, is_best) in [
            ("score against random", 0.90, 0.88, true),
            ("score against random", 0.89, 0.87, true),
            ("score against random", 0.879, 0.86, false),
            ("score against random", 0.92, 0.91, true),
            ("score against random", 0.9, 0.89, false),
            ("regret", -0.0005, -0.0006, true),
            ("regret", -0.00055, -0.00065, true),
            ("regret", -0.00061, -0.0007, false),
            ("score against random", 0.5, 0.4, true),
        ] {
            let found = Measure {
                name: name.to_owned(),
                value,
                low,
            };
            assert_eq!(found.is_best(&mut highest), is_best, "{name} {value}");
        }
    }

    #[test]
    fn the_measure_is_the_mean_of_luck_adjusted_scores() {
        let measure = |results: &[MatchResult]| {
            RunEvaluation {
                results: results.to_vec(),
                exploitability: None,
            }
            .measure()
        };
        let mut results = [
            result("random", 200, 0.9, 0.03),
            result("greedy", 200, 0.6, 0.04),
        ];
        let plain = measure(&results).expect("games were finished");
        assert_eq!(plain.name, "score against random, greedy");
        assert!(
            (plain.value - 0.75).abs() < 1e-12 && (plain.low - 0.725).abs() < 1e-12,
            "{plain:?}"
        );
        results[1].report.luck_adjusted_score = Some(Interval {
            mean: 0.64,
            standard_error: None,
            interval: [0.64, 0.64],
        });
        let adjusted = measure(&results).expect("games were finished");
        assert!(
            (adjusted.value - 0.77).abs() < 1e-12 && (adjusted.low - 0.755).abs() < 1e-12,
            "{adjusted:?}"
        );
        results[0].report.score = None;
        assert_eq!((measure(&results), measure(&[])), (None, None));
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
        let mut truncated = result("random", 0, 0.5, 0.5);
        (truncated.report.score, truncated.report.truncated_games) = (None, 40);
        assert_eq!(
            score_table(&[truncated]),
            "opponent  games  score  95 % interval  verdict           truncated\n\
             random        0      -              -  no finished game         40\n"
        );
    }
}
