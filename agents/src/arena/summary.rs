//! The summary of a tournament: scores, Elo ratings, cross table and SPRT.

use std::collections::BTreeMap;

use ashta_env::game::{Payoff, SeatSet, Spec};
use serde::Serialize;

use super::{
    estimate::{Blocks, Interval, MAX_GAME_VARIANCE, quantile, with_error},
    game_loop::{Ending, Move, PlayedGame},
    rating::{Contest, PairScore, Rating, Results, contests, ratings},
    sprt::{Sprt, Verdict},
    tournament::{Entrant, Tournament},
};

/// The facts about one game that the statistics use.
#[derive(Clone, PartialEq, Debug)]
pub struct GameFacts {
    /// The number of its block.
    pub block: u64,
    /// For each side, the index of the agent that plays it.
    pub agents: Vec<usize>,
    /// The return of each side; `None` for a truncated game.
    pub returns: Option<Vec<f64>>,
    /// The luck of each side, if a [`Reference`](super::Reference) (a table or a bot) measured it.
    pub luck: Option<Vec<f64>>,
    /// Number of turns of all seats.
    pub turns: u32,
    /// Number of actions of all seats.
    pub decisions: u32,
    /// The side that forfeited, and the reason.
    pub forfeited: Option<(usize, String)>,
}

impl GameFacts {
    /// Whether the game is a draw: no side forfeited, and all returns are equal.
    pub fn is_drawn(&self) -> bool {
        let has_one_return = |returns: &Vec<f64>| returns.windows(2).all(|pair| pair[0] == pair[1]);
        self.forfeited.is_none() && self.returns.as_ref().is_some_and(has_one_return)
    }

    /// The facts of a game between `sides`.
    pub fn new(sides: &[SeatSet], game: &PlayedGame) -> GameFacts {
        let first = |side: &SeatSet| side.iter().next().expect("a side has a seat");
        let by_side = || {
            sides
                .iter()
                .map(|side| f64::from(game.returns[first(side)]))
        };
        let forfeited = match &game.ending {
            Ending::Forfeited { seat, reason } => {
                let side = sides
                    .iter()
                    .position(|side| side.iter().any(|own| own.letter() == *seat));
                side.map(|side| (side, reason.clone()))
            }
            _ => None,
        };
        GameFacts {
            block: game.block,
            agents: sides
                .iter()
                .map(|side| game.seating.agent(first(side)).unwrap_or(0))
                .collect(),
            returns: (game.ending != Ending::Truncated).then(|| by_side().collect()),
            luck: None,
            turns: game.turns,
            decisions: game
                .moves
                .iter()
                .filter(|made| matches!(made, Move::Choice(_)))
                .count() as u32,
            forfeited,
        }
    }

    /// For each side, its agent, return and luck (0 if it was not measured); empty for a truncated
    /// game.
    pub(super) fn results(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let luck = |side: usize| self.luck.as_ref().map_or(0.0, |luck| luck[side]);
        self.returns
            .iter()
            .flatten()
            .enumerate()
            .map(move |(side, &own)| (self.agents[side], own, luck(side)))
    }
}

/// The results of an agent over all its games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AgentSummary {
    /// Its name.
    pub name: String,
    /// The number of its games. If the agent has several sides in a game, the game counts once for
    /// each side.
    pub games: u64,
    /// Mean return, 0 to 1: the mean over its blocks. `None` without a game that counts.
    #[serde(serialize_with = "with_error")]
    pub score: Option<Interval>,
    /// The luck-adjusted score.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "with_error")]
    pub luck_adjusted_score: Option<Interval>,
    /// The standard error of the score divided by the standard error of the luck-adjusted score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<f64>,
    /// Its mean luck in a game.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "with_error")]
    pub luck: Option<Interval>,
    /// Its Elo rating; `None` without a game that counts.
    pub rating: Option<Rating>,
    /// Games that it forfeited.
    pub forfeits: u64,
    /// The reasons of the first few forfeits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forfeit_reasons: Vec<String>,
    /// Mean time of a decision in milliseconds; `None` if the agent made no decision in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<f64>,
}

/// The results of one agent against another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pairing {
    /// The index of the agent.
    pub agent: usize,
    /// The index of the other agent.
    pub other: usize,
    /// Games in which both played.
    pub games: u64,
    /// The share of games in which the agent had a higher return than the other agent, 0 to 1;
    /// equal returns count half.
    #[serde(serialize_with = "with_error")]
    pub ahead: Interval,
    /// With two sides: the luck-adjusted score.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "with_error")]
    pub luck_adjusted_score: Option<Interval>,
    /// With two sides: the standard error of `ahead` divided by the standard error of the
    /// luck-adjusted score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<f64>,
    /// With two agents: the rating of the agent minus the rating of the other agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Rating>,
}

/// The state of the SPRT of the first agent against another agent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SprtSummary {
    /// The index of the other agent.
    pub other: usize,
    /// The hypotheses.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The log-likelihood ratio of the second hypothesis against the first hypothesis.
    pub ratio: f64,
    /// The ratios at which the test ends.
    pub bounds: [f64; 2],
    /// Its verdict.
    pub verdict: Verdict,
}

/// The results of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// The game with its house rules.
    pub game: String,
    /// The number of seats.
    pub seats: usize,
    /// Blocks without a truncated game.
    pub blocks: u64,
    /// Games of these blocks.
    pub games: u64,
    /// Drawn games: games with equal returns for all sides.
    pub drawn_games: u64,
    /// Games truncated at the turn limit; their blocks do not count in any other number.
    pub truncated_games: u64,
    /// The expected score of an agent among equally strong agents.
    pub chance_level: f64,
    /// The name of the reference that measured the luck.
    pub luck_by: Option<String>,
    /// The version of this reference: the checksum of its bot or table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck_version: Option<String>,
    /// The share of the variance of results that the luck of the throws explains, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck_share: Option<f64>,
    /// The agents, in the order of the entrants.
    pub agents: Vec<AgentSummary>,
    /// The cross table.
    pub pairings: Vec<Pairing>,
    /// Mean number of turns of a game.
    #[serde(serialize_with = "with_error")]
    pub turns_per_game: Interval,
    /// The 10 %, 50 % and 90 % quantiles of the number of turns of a game.
    pub turn_quantiles: [u32; 3],
    /// The states of the SPRT, one for each agent but the first; empty without an SPRT.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sprt: Vec<SprtSummary>,
}

/// The sums of one statistic over the games of each block.
#[derive(Clone, Default)]
pub struct Sums(BTreeMap<u64, BlockSums>);

#[derive(Clone, Default)]
pub struct BlockSums {
    pub value: f64,
    luck: f64,
    games: f64,
    /// Sum of (value − luck − chance level)².
    residual: f64,
}

impl Sums {
    pub fn add(&mut self, block: u64, value: f64, luck: f64, chance_level: f64) {
        let sums = self.0.entry(block).or_default();
        sums.value += value;
        sums.luck += luck;
        sums.games += 1.0;
        sums.residual += (value - luck - chance_level).powi(2);
    }

    fn total(&self, of: fn(&BlockSums) -> f64) -> f64 {
        self.0.values().map(of).sum()
    }

    fn means(&self, of: fn(&BlockSums) -> f64) -> Vec<f64> {
        self.0.values().map(|sums| of(sums) / sums.games).collect()
    }

    /// The means of the blocks. Consecutive blocks play consecutive lineups, and the blocks of one
    /// lineup are a stratum.
    pub fn blocks(&self, lineups: u64) -> Blocks {
        let games = self.total(|sums| sums.games).max(1.0);
        let games_per_block = games / self.0.len().max(1) as f64;
        Blocks {
            scores: self.means(|sums| sums.value),
            luck: self.means(|sums| sums.luck),
            strata: self
                .0
                .keys()
                .map(|block| (block % lineups.max(1)) as usize)
                .collect(),
            independent_variance: self.total(|sums| sums.residual) / games / games_per_block,
        }
    }
}

/// The games that count: games of blocks without a truncated game. Blocks are in ascending order.
pub fn of_whole_blocks(all: &[GameFacts]) -> Vec<&GameFacts> {
    all.chunk_by(|game, next| game.block == next.block)
        .filter(|games| games.iter().all(|game| game.returns.is_some()))
        .flatten()
        .collect()
}

/// For each pair of agents, the sums of the results of the first agent against the second: 1 for a
/// higher return, ½ for an equal return, 0 for a lower return.
fn sums_of_pairs(games: &[&GameFacts]) -> BTreeMap<(usize, usize), Sums> {
    let mut ahead: BTreeMap<(usize, usize), Sums> = BTreeMap::new();
    for game in games {
        for (agent, own, luck) in game.results() {
            for (other, theirs, _) in game.results().filter(|result| result.0 != agent) {
                let score = 0.5 + 0.5 * f64::from(own.total_cmp(&theirs) as i8);
                ahead
                    .entry((agent, other))
                    .or_default()
                    .add(game.block, score, luck, 0.5);
            }
        }
    }
    ahead
}

/// The states of the SPRTs of the first agent against each of the others after `games`. Blocks are
/// in ascending order.
pub fn sprt_summaries(sprt: Sprt, agents: usize, games: &[GameFacts]) -> Vec<SprtSummary> {
    let games = of_whole_blocks(games);
    let has_luck = games
        .iter()
        .all(|game| game.luck.as_ref().is_some_and(|luck| luck.len() == 2));
    let sums = sums_of_pairs(&games);
    let against = |other| {
        let blocks = sums.get(&(0, other)).cloned().unwrap_or_default().blocks(1);
        // In a game of several sides, the two agents are compared several times.
        let count = games
            .iter()
            .filter(|game| game.agents.contains(&0) && game.agents.contains(&other))
            .count();
        let ratio = sprt.ratio(&blocks, count as f64 / blocks.scores.len() as f64, has_luck);
        SprtSummary {
            other,
            sprt,
            ratio,
            bounds: sprt.bounds(),
            verdict: sprt.verdict(ratio),
        }
    };
    (1..agents).map(against).collect()
}

/// The expected score of an agent among equally strong agents: ½ for two sides and for games with
/// placings (where all ranks count), otherwise 1 / sides.
pub fn chance_level(spec: &Spec, sides: usize) -> f64 {
    if spec.payoff == Payoff::Placings {
        0.5
    } else {
        1.0 / sides as f64
    }
}

/// The largest number of reasons for forfeits that a summary lists for each agent.
const LISTED_REASONS: usize = 3;

impl Tournament<'_> {
    /// Sums up the games of an arena. Blocks are in ascending order; blocks with a truncated game
    /// do not count.
    pub fn summary(&self, all: &[GameFacts]) -> Summary {
        let (spec, lineups) = (self.spec(), self.lineups.len() as u64);
        let (games, count) = (of_whole_blocks(all), self.entrants.len());
        let (chance_level, played_on) = (
            chance_level(spec, self.sides.len()),
            spec.payoff == Payoff::Placings,
        );
        let mut own = vec![Sums::default(); count];
        let ahead = sums_of_pairs(&games);
        let mut turns = Sums::default();
        let mut contested: BTreeMap<u64, Vec<Contest>> = BTreeMap::new();
        let mut results: Vec<[f64; 2]> = Vec::new();
        for game in &games {
            let Some(returns) = &game.returns else {
                continue;
            };
            turns.add(game.block, f64::from(game.turns), 0.0, 0.0);
            contested.entry(game.block).or_default().extend(contests(
                &game.agents,
                returns,
                played_on,
            ));
            for (agent, result, luck) in game.results() {
                own[agent].add(game.block, result, luck, chance_level);
                results.push([result, luck]);
            }
        }
        let has_luck = self.reference.is_some() && games.iter().all(|game| game.luck.is_some());
        let adjusts_pairs = has_luck && self.sides.len() == 2;
        let blocks = contested.len();
        let is_upper = |((agent, other), _): &(&(usize, usize), &Sums)| agent < other;
        let results_of_pairs = || {
            ahead.iter().filter(is_upper).map(|(pair, sums)| {
                pair_score(
                    (*pair).into(),
                    &sums.blocks(lineups),
                    sums.total(|sums| sums.games),
                    adjusts_pairs,
                )
            })
        };
        // Compute the ratings from the scores of the pairings, so that ratings and pairings agree.
        let rated_results = match count == 2 || self.sides.len() == 2 {
            true => Results::Pairs(results_of_pairs().collect(), blocks),
            false => Results::Contests(contested.into_values().collect()),
        };
        let rated = ratings(count, &rated_results);
        let ratings = rated(self.anchor);
        let summary = |(agent, entrant): (usize, &Entrant<'_>)| {
            let blocks = own[agent].blocks(lineups);
            let has_games = !blocks.scores.is_empty();
            let adjusted = (has_luck && has_games).then(|| blocks.luck_adjusted());
            let reasons = games.iter().filter_map(|game| {
                game.forfeited
                    .as_ref()
                    .filter(|(side, _)| game.agents[*side] == agent)
            });
            AgentSummary {
                name: entrant.name.clone(),
                games: own[agent].total(|sums| sums.games) as u64,
                score: has_games.then(|| Interval::of_scores(&blocks.scores, &blocks.strata)),
                luck_adjusted_score: adjusted.as_ref().map(|adjusted| adjusted.estimate),
                shrinkage: adjusted.as_ref().map(|adjusted| adjusted.shrinkage),
                luck: adjusted.is_some().then(|| Interval::of(&blocks.luck)),
                rating: ratings[agent],
                forfeits: reasons.clone().count() as u64,
                forfeit_reasons: reasons
                    .take(LISTED_REASONS)
                    .map(|(_, reason)| reason.clone())
                    .collect(),
                milliseconds: entrant.milliseconds(),
            }
        };
        let pairing = |(&(agent, other), sums): (&(usize, usize), &Sums)| {
            let blocks = sums.blocks(lineups);
            let adjusted = adjusts_pairs.then(|| blocks.luck_adjusted());
            Pairing {
                agent,
                other,
                games: sums.total(|sums| sums.games) as u64,
                ahead: Interval::of_scores(&blocks.scores, &blocks.strata),
                luck_adjusted_score: adjusted.as_ref().map(|adjusted| adjusted.estimate),
                shrinkage: adjusted.map(|adjusted| adjusted.shrinkage),
                difference: rated(Some(other))[agent].filter(|_| count == 2),
            }
        };
        let mut lengths: Vec<u32> = games.iter().map(|game| game.turns).collect();
        lengths.sort_unstable();
        Summary {
            game: spec.name.clone(),
            seats: spec.seats.len(),
            blocks: blocks as u64,
            games: games.len() as u64,
            drawn_games: games.iter().filter(|game| game.is_drawn()).count() as u64,
            truncated_games: all.iter().filter(|game| game.returns.is_none()).count() as u64,
            chance_level,
            luck_share: has_luck.then(|| explained(&results)),
            luck_by: self
                .reference
                .as_ref()
                .map(|reference| reference.name.clone()),
            luck_version: self
                .reference
                .as_ref()
                .and_then(|reference| reference.version.clone()),
            agents: self.entrants.iter().enumerate().map(summary).collect(),
            pairings: ahead.iter().map(pairing).collect(),
            turns_per_game: Interval::of(&turns.means(|sums| sums.value)),
            turn_quantiles: [0.1, 0.5, 0.9].map(|share| quantile(&lengths, share)),
            sprt: self.sprt_summaries(all),
        }
    }
}

/// The score of the first of two agents in its `games`; luck-adjusted if `is_adjusted`.
fn pair_score(agents: [usize; 2], blocks: &Blocks, games: f64, is_adjusted: bool) -> PairScore {
    let (score, doubt) = match is_adjusted {
        true => (
            blocks.luck_adjusted().estimate,
            blocks.doubt() / blocks.scores.len() as f64,
        ),
        false => (Interval::of_scores(&blocks.scores, &blocks.strata), 0.0),
    };
    // Without a second block, the variance is unknown.
    let variance = score
        .standard_error
        .map_or(MAX_GAME_VARIANCE, |error| error * error + doubt);
    PairScore {
        agents,
        games,
        score,
        variance,
        is_adjusted,
    }
}

/// Each pair is a result and its luck. Returns the share of the variance of the results that the
/// luck explains, 0 to 1.
fn explained(pairs: &[[f64; 2]]) -> f64 {
    let count = pairs.len().max(1) as f64;
    let mean = |of: usize| pairs.iter().map(|pair| pair[of]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let covariance = |a: usize, b: usize| {
        pairs
            .iter()
            .map(|pair| (pair[a] - means[a]) * (pair[b] - means[b]))
            .sum::<f64>()
    };
    let (both, result, luck) = (covariance(0, 1), covariance(0, 0), covariance(1, 1));
    if result > 0.0 && luck > 0.0 {
        both * both / (result * luck)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arena::Reference, play::baseline::PipEvaluator};
    use ashta_env::race::Race;

    fn arena<'a>(race: &'a Race, reference: Option<Reference<Race>>) -> Tournament<'a> {
        let never = || unreachable!("the games were played before");
        let entrants = ["a", "b"]
            .map(|name| Entrant::new(name.to_owned(), never))
            .into();
        Tournament::new(race, entrants, reference).expect("two entrants")
    }

    fn pair(block: u64, returns: [Option<f64>; 2]) -> [GameFacts; 2] {
        [0, 1].map(|leg| GameFacts {
            block,
            agents: vec![leg, 1 - leg],
            returns: returns[leg].map(|own| {
                if leg == 0 {
                    vec![own, 1.0 - own]
                } else {
                    vec![1.0 - own, own]
                }
            }),
            luck: None,
            turns: 10 * (block as u32 + 1),
            decisions: 0,
            forfeited: (block == 2 && leg == 1).then(|| (0, "it ended".to_owned())),
        })
    }

    #[test]
    fn blocks_with_a_truncated_game_count_for_nothing() {
        let games = [
            pair(0, [Some(1.0), Some(1.0)]),
            pair(1, [Some(0.0), None]),
            pair(2, [Some(1.0), Some(1.0)]),
            pair(3, [Some(0.0), Some(1.0)]),
        ]
        .concat();
        let (race, _) =
            Race::parse_position("ashtapada S:off,off/N:off,off S *").expect("a position");
        let arena = arena(&race, None);
        let found = arena.summary(&games);
        assert_eq!(
            (found.blocks, found.games, found.truncated_games),
            (3, 6, 1)
        );
        let score = |agent: usize| found.agents[agent].score.expect("it has games").mean;
        assert!((score(0) - 5.0 / 6.0).abs() < 1e-12 && (score(1) - 1.0 / 6.0).abs() < 1e-12);
        assert_eq!([found.agents[0].forfeits, found.agents[1].forfeits], [0, 1]);
        assert_eq!((found.turn_quantiles, found.drawn_games), ([10, 30, 40], 0));
        let drawn = [games.as_slice(), &pair(4, [Some(0.5), Some(1.0)])].concat();
        assert_eq!(arena.summary(&drawn).drawn_games, 1);
        assert_eq!(found.agents[1].forfeit_reasons, ["it ended"]);
    }

    #[test]
    fn without_a_finished_game_there_is_no_score_and_no_rating() {
        let (race, _) =
            Race::parse_position("ashtapada S:off,off/N:off,off S *").expect("a position");
        let reference = Reference::new("a reference".to_owned(), None, || Box::new(PipEvaluator));
        for reference in [None, Some(reference)] {
            let found = arena(&race, reference)
                .summary(&[pair(0, [None; 2]), pair(1, [Some(1.0), None])].concat());
            assert_eq!(
                (found.games, found.truncated_games, found.pairings.len()),
                (0, 3, 0)
            );
            for agent in found.agents {
                assert_eq!(
                    (
                        agent.games,
                        agent.score,
                        agent.rating,
                        agent.luck_adjusted_score
                    ),
                    (0, None, None, None)
                );
            }
        }
    }

    #[test]
    fn ratings_follow_what_is_concluded_of_two_agents() {
        // The first agent wins two of three games, but only because of luck. Without luck, the
        // second agent is better.
        let game = |block: u64, leg: usize| {
            let [own, luck] = if block.is_multiple_of(3) {
                [0.0, -0.6]
            } else {
                [1.0, 0.8]
            };
            let [mut returns, mut luck] = [[own, 1.0 - own], [luck, -luck]];
            returns.rotate_left(leg);
            luck.rotate_left(leg);
            let blank = pair(block, [Some(0.0); 2])[leg].clone();
            GameFacts {
                returns: Some(returns.to_vec()),
                luck: Some(luck.to_vec()),
                ..blank
            }
        };
        let games: Vec<GameFacts> = (0..600)
            .flat_map(|block| [0, 1].map(|leg| game(block, leg)))
            .collect();
        let (race, _) =
            Race::parse_position("ashtapada S:off,off/N:off,off S *").expect("a position");
        let reference = Reference::new("a reference".to_owned(), None, || Box::new(PipEvaluator));
        let found = arena(&race, Some(reference)).summary(&games);
        let adjusted = found.pairings[0]
            .luck_adjusted_score
            .expect("luck was measured");
        assert!(
            found.pairings[0].ahead.mean > 0.6 && adjusted.interval[1] < 0.5,
            "{:?}",
            found.pairings[0]
        );
        let elo = [0, 1].map(|agent| found.agents[agent].rating.expect("it has games").elo);
        assert!(elo[0] < elo[1], "{elo:?}");
        let expected = 1.0 / (1.0 + 10_f64.powf((elo[1] - elo[0]) / 400.0));
        assert!(
            (adjusted.mean - expected).abs() < 1e-9,
            "{adjusted:?} for {expected}"
        );
        let difference = found.pairings[0].difference.expect("two agents");
        assert!(
            (elo[0] - elo[1] - difference.elo).abs() < 1e-9 && difference.interval[1] < 0.0,
            "{difference:?}"
        );
    }
}
