//! Elo ratings of many agents from all their games: the Bradley–Terry model for two sides,
//! Plackett–Luce for more.
//!
//! An agent of strength e^r wins with a probability proportional to its strength. If a game
//! continues until all ranks are decided (placings), the second rank is decided in the same way
//! among the remaining agents, and so on. A rating is the maximum-likelihood estimate of r,
//! converted to Elo. Intervals are computed from blocks, because the games of a block are not
//! independent.

use serde::Serialize;

use super::estimate::{Interval, student_95};

/// A contest of agents for one rank in a game. Agents with equal returns share the rank.
#[derive(Clone)]
pub struct Contest {
    /// The numbers of the agents; an agent with several sides is listed once for each side.
    pub agents: Vec<usize>,
    /// The share of each agent in the rank; the shares sum to 1.
    pub shares: Vec<f64>,
}

/// The rating of an agent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// In Elo; a difference of 400 means a factor of ten in strength.
    pub elo: f64,
    /// The 95 % confidence interval; an unknown bound is infinite.
    pub interval: [f64; 2],
}

/// Elo for each unit of r.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Weight of a very weak prior that all agents are equal. The prior gives a rating to agents
/// without games.
const PRIOR: f64 = 1e-4;

/// The contests of a game. `agents` and `returns` have an entry for each side. If the game was
/// `played_on`, there is a contest for each rank, otherwise only for the first rank. Sides with
/// equal returns share their ranks.
pub fn contests(agents: &[usize], returns: &[f64], played_on: bool) -> Vec<Contest> {
    if !played_on {
        let total: f64 = returns.iter().sum();
        let shares = returns.iter().map(|own| own / total).collect();
        return if total > 0.0 {
            vec![Contest {
                agents: agents.to_vec(),
                shares,
            }]
        } else {
            Vec::new()
        };
    }
    let mut left: Vec<(usize, f64)> = agents
        .iter()
        .copied()
        .zip(returns.iter().copied())
        .collect();
    let mut contests = Vec::new();
    while left.len() > 1 {
        let best = left
            .iter()
            .map(|&(_, own)| own)
            .fold(f64::NEG_INFINITY, f64::max);
        let equal = left.iter().filter(|&&(_, own)| own >= best).count();
        if equal == left.len() {
            break;
        }
        let share = |&(_, own): &(usize, f64)| if own >= best { 1.0 / equal as f64 } else { 0.0 };
        let agents = left.iter().map(|&(agent, _)| agent).collect();
        let contest = Contest {
            agents,
            shares: left.iter().map(share).collect(),
        };
        contests.extend(std::iter::repeat_n(contest, equal));
        left.retain(|&(_, own)| own < best);
    }
    contests
}

/// The score of one agent against another over the blocks of an arena.
#[derive(Clone, Copy)]
pub struct PairScore {
    /// The numbers of the agents.
    pub agents: [usize; 2],
    /// Number of games.
    pub games: f64,
    /// The score of the first agent, 0 to 1.
    pub score: Interval,
    /// The variance of the score, if its interval is reliable even if all blocks have equal scores.
    pub variance: f64,
    /// Whether luck was removed from the score.
    pub is_adjusted: bool,
}

/// The results from which ratings are computed.
#[derive(Clone)]
pub enum Results {
    /// The scores of pairs of agents, and the number of blocks. No block has games of two pairs.
    Pairs(Vec<PairScore>, usize),
    /// The contests of each block.
    Contests(Vec<Vec<Contest>>),
}

/// Number of games with an uncertain result that gives the observed variance of blocks the weight
/// ½.
const DOUBT: f64 = 20.0;

/// The weight of the observed variance after this number of games with an uncertain result.
fn trust(games: f64) -> f64 {
    games / (games + DOUBT)
}

impl PairScore {
    fn contest(&self) -> Contest {
        Contest {
            agents: self.agents.to_vec(),
            shares: vec![self.score.mean, 1.0 - self.score.mean],
        }
    }

    /// The variance of a game if all games are independent; a game of the prior was drawn.
    fn game_variance(&self) -> f64 {
        let share = (self.games * self.score.mean + 0.5) / (self.games + 1.0);
        share * (1.0 - share)
    }

    /// The variance of the sum of the results. If luck is not removed, agents that nearly always
    /// win or lose can have equal scores in all blocks. So the observed variance is mixed with the
    /// variance of independent games.
    fn sum_variance(&self) -> f64 {
        let trust = if self.is_adjusted {
            1.0
        } else {
            trust(4.0 * self.game_variance() * self.games)
        };
        self.games * (trust * self.games * self.variance + (1.0 - trust) * self.game_variance())
    }

    /// The weight of a drawn game of the prior: below 1 if the games vary less than independent
    /// games.
    fn drawn_game(&self) -> f64 {
        (self.sum_variance() / (self.games * self.game_variance())).min(1.0)
    }

    /// The rating of the first agent minus the rating of the second agent: the score on the scale
    /// of Elo. Unknown bounds are infinite.
    fn difference(&self) -> Rating {
        let elo = |share: f64| ELO * (share / (1.0 - share)).ln();
        // If one agent wins all games, a game of the prior is drawn.
        let least = 0.5 / (self.games + 1.0);
        let Interval {
            mean,
            interval: [low, high],
            ..
        } = self.score;
        let interval = [elo(low.min(1.0 - least)), elo(high.max(least))];
        Rating {
            elo: elo(mean.clamp(least, 1.0 - least)),
            interval,
        }
    }
}

/// Fits the ratings of `agents` agents; an agent without games has no rating. The argument of the
/// returned function is the anchor, the agent with rating 0. Without an anchor, the mean of all
/// ratings is 0.
///
/// With two agents, the rating and its interval are the score and its interval on the scale of Elo.
/// With more agents, the prior is one additional drawn game for each agent, divided equally among
/// all opponents of the agent. So even an agent that has won every game has a finite rating.
pub fn ratings(
    agents: usize,
    results: &Results,
) -> impl Fn(Option<usize>) -> Vec<Option<Rating>> + use<> {
    let (contests, difference): (Vec<(f64, Contest)>, _) = match results {
        Results::Pairs(pairs, _) => {
            let only = pairs
                .first()
                .filter(|_| agents == 2)
                .map(PairScore::difference);
            (
                pairs
                    .iter()
                    .map(|pair| (pair.games, pair.contest()))
                    .collect(),
                only,
            )
        }
        Results::Contests(blocks) => (
            blocks
                .iter()
                .flatten()
                .map(|contest| (1.0, contest.clone()))
                .collect(),
            None,
        ),
    };
    let mut even = even_games(agents, &contests);
    if let Results::Pairs(pairs, _) = results {
        for (weight, contest) in &mut even {
            let pair = pairs.iter().find(|pair| pair.agents[..] == contest.agents);
            *weight *= pair.map_or(1.0, PairScore::drawn_game);
        }
    }
    let (r, factor) = most_likely(agents, contests.iter().chain(&even));
    let (mut variance, degrees) = match results {
        Results::Pairs(pairs, blocks) => {
            let mut variance = zero(agents);
            for pair in pairs {
                // The covariance of a contest with equal chances is ¼.
                add_covariance(
                    &mut variance,
                    4.0 * pair.sum_variance(),
                    &pair.contest(),
                    &[0.5, 0.5],
                );
            }
            (variance, blocks.saturating_sub(pairs.len()))
        }
        Results::Contests(blocks) => (contest_variance(&r, blocks), blocks.len().saturating_sub(1)),
    };
    for (weight, contest) in &even {
        add_covariance(
            &mut variance,
            weight * weight,
            contest,
            &expected(&r, contest),
        );
    }
    let quantile = student_95(degrees.max(1) as f64);
    let is_rated = move |agent: usize| {
        contests
            .iter()
            .any(|(_, contest)| contest.agents.contains(&agent))
    };
    move |anchor| {
        let rated = (0..agents).filter(|&agent| is_rated(agent)).count();
        let weight = |agent| match anchor {
            Some(anchor) => f64::from(u8::from(agent == anchor)),
            None => f64::from(u8::from(is_rated(agent))) / rated as f64,
        };
        let origin: Vec<f64> = (0..agents).map(weight).collect();
        let zero: f64 = r.iter().zip(&origin).map(|(r, weight)| r * weight).sum();
        let of = |agent: usize| {
            let mut direction: Vec<f64> = origin.iter().map(|weight| -weight).collect();
            direction[agent] += 1.0;
            if let Some(difference) = difference {
                return difference.times(direction[0]);
            }
            // The variance of the gradient gives the variance of the solution (sandwich estimator).
            let variance = quadratic_form(&variance, &solve(&factor, &direction));
            let (elo, half) = (
                ELO * (r[agent] - zero),
                ELO * quantile * variance.max(0.0).sqrt(),
            );
            Rating {
                elo,
                interval: [elo - half, elo + half],
            }
        };
        let is_known = |agent| is_rated(agent) && anchor.is_none_or(&is_rated);
        (0..agents)
            .map(|agent| is_known(agent).then(|| of(agent)))
            .collect()
    }
}

impl Rating {
    /// This share of a difference of ratings.
    fn times(self, share: f64) -> Rating {
        // Adding 0 turns -0 into 0.
        let times = |elo: f64| if share == 0.0 { 0.0 } else { share * elo + 0.0 };
        let [a, b] = self.interval.map(times);
        Rating {
            elo: times(self.elo),
            interval: [a.min(b), a.max(b)],
        }
    }
}

/// The ratings of highest likelihood in weighted contests, and the factor of the curvature of the
/// likelihood.
fn most_likely<'a>(
    agents: usize,
    contests: impl Iterator<Item = &'a (f64, Contest)> + Clone,
) -> (Vec<f64>, Matrix) {
    let mut r = vec![0.0; agents];
    let mut factor = Matrix::new();
    for _ in 0..200 {
        let mut gradient: Vec<f64> = r.iter().map(|r| -PRIOR * r).collect();
        let mut curvature = zero(agents);
        (0..agents).for_each(|agent| curvature[agent][agent] = PRIOR);
        for (weight, contest) in contests.clone() {
            let expected = expected(&r, contest);
            for ((&agent, share), expected) in
                contest.agents.iter().zip(&contest.shares).zip(&expected)
            {
                gradient[agent] += weight * (share - expected);
            }
            add_covariance(&mut curvature, *weight, contest, &expected);
        }
        factor = cholesky(&curvature);
        let step = solve(&factor, &gradient);
        let longest = step
            .iter()
            .fold(0.0_f64, |longest, step| longest.max(step.abs()));
        // Far from the solution, a full step can be too large.
        let share = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        r.iter_mut()
            .zip(&step)
            .for_each(|(r, step)| *r += share * step);
        if longest < 1e-10 {
            break;
        }
    }
    (r, factor)
}

/// The variance of the gradient: the observed variance of blocks, mixed with the variance of
/// independent games. The weight of the observed variance grows with the number of games of an
/// agent that had an uncertain result.
fn contest_variance(r: &[f64], blocks: &[Vec<Contest>]) -> Matrix {
    let agents = r.len();
    let (mut observed, mut modelled) = (zero(agents), zero(agents));
    let mut uncertain = vec![0.0; agents];
    for block in blocks {
        let mut gradient = vec![0.0; agents];
        for contest in block {
            let expected = expected(r, contest);
            for ((&agent, share), expected) in
                contest.agents.iter().zip(&contest.shares).zip(&expected)
            {
                gradient[agent] += share - expected;
                uncertain[agent] += 4.0 * expected * (1.0 - expected);
            }
            add_covariance(&mut modelled, 1.0, contest, &expected);
        }
        for (row, own) in observed.iter_mut().zip(&gradient) {
            row.iter_mut()
                .zip(&gradient)
                .for_each(|(entry, other)| *entry += own * other);
        }
    }
    let shares: Vec<f64> = uncertain
        .into_iter()
        .map(|games| trust(games).sqrt())
        .collect();
    for ((row, modelled), own) in observed.iter_mut().zip(&modelled).zip(&shares) {
        for ((entry, modelled), other) in row.iter_mut().zip(modelled).zip(&shares) {
            *entry = modelled + own * other * (*entry - modelled);
        }
    }
    observed
}

/// The drawn games of the prior with their weights: one game for each agent, divided equally among
/// all its opponents.
fn even_games(agents: usize, contests: &[(f64, Contest)]) -> Vec<(f64, Contest)> {
    let mut have_met = vec![vec![false; agents]; agents];
    for (_, contest) in contests {
        for &agent in &contest.agents {
            contest
                .agents
                .iter()
                .filter(|&&other| other != agent)
                .for_each(|&other| have_met[agent][other] = true);
        }
    }
    let others: Vec<f64> = have_met
        .iter()
        .map(|met| met.iter().filter(|&&met| met).count() as f64)
        .collect();
    let pairs = (0..agents).flat_map(|agent| (agent + 1..agents).map(move |other| (agent, other)));
    let game = |(agent, other): (usize, usize)| {
        let weight = 0.5 / others[agent] + 0.5 / others[other];
        (
            weight,
            Contest {
                agents: vec![agent, other],
                shares: vec![0.5, 0.5],
            },
        )
    };
    pairs
        .filter(|&(agent, other)| have_met[agent][other])
        .map(game)
        .collect()
}

/// The expected share of each agent of a contest at ratings `r`.
fn expected(r: &[f64], contest: &Contest) -> Vec<f64> {
    let best = contest
        .agents
        .iter()
        .map(|&agent| r[agent])
        .fold(f64::NEG_INFINITY, f64::max);
    let strengths: Vec<f64> = contest
        .agents
        .iter()
        .map(|&agent| (r[agent] - best).exp())
        .collect();
    let total: f64 = strengths.iter().sum();
    strengths.iter().map(|strength| strength / total).collect()
}

/// A square matrix, row by row.
type Matrix = Vec<Vec<f64>>;

fn zero(count: usize) -> Matrix {
    vec![vec![0.0; count]; count]
}

/// Adds `weight` times the covariance of the shares of a contest.
fn add_covariance(matrix: &mut Matrix, weight: f64, contest: &Contest, expected: &[f64]) {
    for (&agent, own) in contest.agents.iter().zip(expected) {
        matrix[agent][agent] += weight * own;
        for (&other, theirs) in contest.agents.iter().zip(expected) {
            matrix[agent][other] -= weight * own * theirs;
        }
    }
}

/// The quadratic form of `vector`: vᵀMv.
fn quadratic_form(matrix: &Matrix, vector: &[f64]) -> f64 {
    let row = |row: &Vec<f64>| {
        row.iter()
            .zip(vector)
            .map(|(entry, other)| entry * other)
            .sum::<f64>()
    };
    matrix
        .iter()
        .zip(vector)
        .map(|(entries, own)| own * row(entries))
        .sum()
}

/// The lower triangle whose product with its transpose is `matrix`, which is symmetric and positive
/// definite.
fn cholesky(matrix: &Matrix) -> Matrix {
    let mut lower = zero(matrix.len());
    for row in 0..matrix.len() {
        for column in 0..=row {
            let known: f64 = (0..column)
                .map(|at| lower[row][at] * lower[column][at])
                .sum();
            let rest = matrix[row][column] - known;
            lower[row][column] = if row == column {
                rest.max(1e-300).sqrt()
            } else {
                rest / lower[column][column]
            };
        }
    }
    lower
}

/// Solves a linear system: returns the x for which the product of `lower`, its transpose and x is
/// `vector`.
fn solve(lower: &Matrix, vector: &[f64]) -> Vec<f64> {
    let (mut x, count) = (vector.to_vec(), vector.len());
    for row in 0..count {
        let known: f64 = (0..row).map(|at| lower[row][at] * x[at]).sum();
        x[row] = (x[row] - known) / lower[row][row];
    }
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|at| lower[at][row] * x[at]).sum();
        x[row] = (x[row] - known) / lower[row][row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::chance;
    use rand::RngExt;

    fn duel(first: usize, second: usize, score: f64) -> Vec<Contest> {
        contests(&[first, second], &[score, 1.0 - score], false)
    }

    /// The ratings from contests; every agent has games.
    fn rate(agents: usize, blocks: &[Vec<Contest>]) -> impl Fn(Option<usize>) -> Vec<Rating> {
        let rated = ratings(agents, &Results::Contests(blocks.to_vec()));
        move |anchor| rated(anchor).into_iter().flatten().collect()
    }

    fn pair(agents: [usize; 2], games: f64, mean: f64, error: f64) -> PairScore {
        let score = Interval {
            mean,
            standard_error: Some(error),
            interval: [mean - 2.0 * error, mean + 2.0 * error],
        };
        PairScore {
            agents,
            games,
            score: score.within([0.0, 1.0]),
            variance: error * error,
            is_adjusted: true,
        }
    }

    #[test]
    fn two_agents_have_the_ratings_of_their_score() {
        for (mean, error) in [
            (0.5, 0.0),
            (0.5131, 0.0015),
            (0.75, 0.02),
            (0.9, 0.03),
            (0.99, 0.01),
            (1.0, 0.0),
            (0.0, 0.01),
        ] {
            let played = pair([0, 1], 200.0, mean, error);
            let elo = |share: f64| ELO * (share / (1.0 - share)).ln();
            let rated = ratings(2, &Results::Pairs(vec![played], 100));
            let [low, high] = played.score.interval;
            // Half a game is the limit of a score whose interval is near 0 or 1.
            let [low, high] = [elo(low.min(1.0 - 0.5 / 201.0)), elo(high.max(0.5 / 201.0))];
            for (anchor, shares) in [
                (Some(1), [1.0, 0.0]),
                (Some(0), [0.0, 1.0]),
                (None, [0.5, 0.5]),
            ] {
                for (agent, share) in shares.into_iter().enumerate() {
                    let Rating {
                        elo: found,
                        interval,
                    } = rated(anchor)[agent].expect("it has games");
                    let expected = if agent == 0 {
                        [low, high]
                    } else {
                        [-high, -low]
                    }
                    .map(|bound| if share == 0.0 { 0.0 } else { share * bound });
                    assert_eq!(interval, expected, "{mean} {error} {anchor:?}");
                    assert!(
                        found.is_finite() && expected[0] <= found && found <= expected[1],
                        "{mean} {error}: {found}"
                    );
                    if agent == 0 && (0.01..0.99).contains(&mean) {
                        assert!(
                            (found - share * elo(mean)).abs() < 1e-9,
                            "{mean} {error}: {found}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn precise_scores_give_precise_ratings_of_many_agents() {
        let strengths = [0.0, 30.0, -50.0, 110.0];
        let score = |a: usize, b: usize| 1.0 / (1.0 + ((strengths[b] - strengths[a]) / ELO).exp());
        for error in [0.001, 0.01, 0.03] {
            let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
            let pairs = pairs
                .map(|(a, b)| pair([a, b], 60.0, score(a, b), error))
                .collect();
            for (rating, elo) in ratings(4, &Results::Pairs(pairs, 180))(Some(0))
                .into_iter()
                .zip(strengths)
            {
                let Rating {
                    elo: found,
                    interval: [low, high],
                } = rating.expect("all have games");
                // The prior has the weight of one game of 180 if the error is as large as the error
                // of games.
                assert!(
                    (found - elo).abs() < 1.0 && low <= elo && elo <= high,
                    "{error}: {found} for {elo}"
                );
                // With four agents, a difference has half the variance of a pair; the factor 0.24
                // is p (1 - p).
                let expected = ELO * 1.97 * error / 0.24 / 2.0_f64.sqrt();
                assert!(
                    elo == 0.0 || ((high - found) / expected - 1.0).abs() < 0.15,
                    "{error}: {}",
                    (high - found) / expected
                );
            }
        }
        let alone = ratings(3, &Results::Pairs(vec![pair([0, 2], 60.0, 0.6, 0.01)], 30));
        assert_eq!(alone(None)[1], None, "an agent without games has no rating");
        assert_eq!(
            alone(Some(1)),
            [None; 3],
            "a difference from an agent without games is unknown"
        );
    }

    #[test]
    fn two_agents_are_rated_by_their_contests() {
        let blocks: Vec<_> = (0..400)
            .map(|game| duel(0, 1, if game % 4 == 0 { 0.0 } else { 1.0 }))
            .collect();
        let found = rate(2, &blocks)(None);
        // A score of 75 % is 190.85 Elo. With the prior (half a game won and half a game lost), it
        // is 190.27 Elo.
        assert!(
            (found[0].elo - found[1].elo - 190.27).abs() < 0.1,
            "{found:?}"
        );
        assert!((found[0].elo + found[1].elo).abs() < 1e-9);
        let anchored = rate(2, &blocks)(Some(1));
        assert_eq!((anchored[1].elo, anchored[1].interval), (0.0, [0.0, 0.0]));
        assert!((anchored[0].elo - 190.27).abs() < 0.1);
        // The standard error of the logit is 1 / sqrt(n p q).
        let half = 1.96 * ELO / (400.0_f64 * 0.75 * 0.25).sqrt();
        assert!(
            (anchored[0].elo - anchored[0].interval[0] - half).abs() < 1.0,
            "{anchored:?}"
        );
    }

    #[test]
    fn an_agent_that_always_wins_has_a_rating_too() {
        let blocks: Vec<_> = (0..50).map(|_| duel(0, 1, 1.0)).collect();
        // The odds are 50.5 to 0.5, and the upper bound of the interval is very high.
        let found = rate(2, &blocks)(Some(1))[0];
        assert!(
            (found.elo - 801.7).abs() < 1.0 && found.interval[0] < 400.0,
            "{found:?}"
        );
        assert!(found.interval[1] > 1200.0, "{found:?}");
    }

    #[test]
    fn intervals_of_an_agent_that_nearly_always_wins_hold() {
        // A score of 97.6 % is 643 Elo. A block has two games.
        for pairs in [5, 15, 60] {
            let held = (0..500).filter(|&seed| {
                let mut rng = chance::stream(seed, 2);
                let mut one = || {
                    duel(
                        0,
                        1,
                        if rng.random::<f64>() < 0.976 {
                            1.0
                        } else {
                            0.0
                        },
                    )
                };
                let blocks: Vec<_> = (0..pairs).map(|_| [one(), one()].concat()).collect();
                let [low, high] = rate(2, &blocks)(Some(1))[0].interval;
                low <= 643.4 && 643.4 <= high
            });
            let held = held.count();
            assert!(held >= 465, "{pairs} pairs: {held} of 500");
        }
    }

    #[test]
    fn places_are_contested_one_after_the_other() {
        let played = contests(&[7, 8, 9, 7], &[1.0 / 3.0, 1.0, 0.0, 2.0 / 3.0], true);
        let agents: Vec<&[usize]> = played
            .iter()
            .map(|contest| contest.agents.as_slice())
            .collect();
        assert_eq!(agents, [&[7, 8, 9, 7][..], &[7, 9, 7], &[7, 9]]);
        assert_eq!(played[1].shares, [0.0, 0.0, 1.0]);
        let tied = contests(&[0, 1, 2], &[0.5, 0.5, 0.0], true);
        assert_eq!(
            (tied.len(), tied[0].shares.clone()),
            (2, vec![0.5, 0.5, 0.0])
        );
        assert!(contests(&[0, 1], &[0.5, 0.5], true).is_empty());
        assert_eq!(contests(&[0, 1], &[0.5, 0.5], false)[0].shares, [0.5, 0.5]);
        assert!(contests(&[0, 1], &[0.0, 0.0], false).is_empty());
    }

    /// Draws one of `agents` with probabilities proportional to their strengths, and returns its
    /// index.
    fn drawn(strengths: &[f64], agents: &[usize], rng: &mut impl RngExt) -> usize {
        let mut left =
            rng.random::<f64>() * agents.iter().map(|&agent| strengths[agent]).sum::<f64>();
        agents
            .iter()
            .position(|&agent| {
                left -= strengths[agent];
                left < 0.0
            })
            .unwrap_or(agents.len() - 1)
    }

    #[test]
    fn strengths_are_found_again_within_their_intervals() {
        let truth = [0.0, 120.0, -80.0, 300.0, -340.0];
        let strengths = truth.map(|elo| (elo / ELO).exp());
        let (mut held, mut all) = (0, 0);
        for run in 0..60 {
            let mut rng = chance::stream(run, 0);
            // Each game has four agents and continues until all ranks are decided.
            let blocks: Vec<Vec<Contest>> = (0..300)
                .map(|game| {
                    let mut left: Vec<usize> = (0..4).map(|seat| (seat + game) % 5).collect();
                    let agents = left.clone();
                    let mut returns = vec![0.0; 4];
                    for place in 0..4 {
                        let agent = left.remove(drawn(&strengths, &left, &mut rng));
                        let side = agents
                            .iter()
                            .position(|&other| other == agent)
                            .expect("it sits");
                        returns[side] = 1.0 - f64::from(place) / 3.0;
                    }
                    contests(&agents, &returns, true)
                })
                .collect();
            for (rating, elo) in rate(5, &blocks)(None).iter().zip(truth) {
                all += 1;
                held += u32::from(rating.interval[0] <= elo && elo <= rating.interval[1]);
            }
        }
        let share = f64::from(held) / f64::from(all);
        assert!((0.90..=0.99).contains(&share), "{share}");
    }
}
