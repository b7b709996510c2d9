//! Elo ratings of many agents from all their games: the Bradley–Terry model for two sides, Plackett–Luce for more.
//!
//! An agent of strength e^r wins with a probability proportional to its strength. If a game continues until all ranks
//! are decided (placings), the second rank is decided in the same way among the remaining agents, and so on. A rating
//! is the maximum-likelihood estimate of r, converted to Elo. Intervals are computed from blocks, because the games of
//! a block are not independent.

use serde::Serialize;

use super::estimate::student_95;

/// A contest of agents for one rank in a game. Agents with equal returns share the rank.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Contest {
    /// The numbers of the agents; an agent with several sides is listed once for each side.
    pub(super) agents: Vec<usize>,
    /// The share of each agent in the rank; the shares sum to 1.
    pub(super) shares: Vec<f64>,
}

/// The rating of an agent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// In Elo; a difference of 400 means a factor of ten in strength.
    pub elo: f64,
    /// The 95 % confidence interval.
    pub interval: [f64; 2],
}

/// Elo for each unit of r.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Weight of a very weak prior that all agents are equal. The prior gives a rating to agents without games.
const PRIOR: f64 = 1e-4;

/// The contests of a game. `agents` and `returns` have an entry for each side. If the game was `played_on`, there is a
/// contest for each rank, otherwise only for the first rank. Sides with equal returns share their ranks.
pub(super) fn contests(agents: &[usize], returns: &[f64], played_on: bool) -> Vec<Contest> {
    if !played_on {
        let total: f64 = returns.iter().sum();
        let shares = returns.iter().map(|own| own / total).collect();
        return if total > 0.0 { vec![Contest { agents: agents.to_vec(), shares }] } else { Vec::new() };
    }
    let mut left: Vec<(usize, f64)> = agents.iter().copied().zip(returns.iter().copied()).collect();
    let mut contests = Vec::new();
    while left.len() > 1 {
        let best = left.iter().map(|&(_, own)| own).fold(f64::NEG_INFINITY, f64::max);
        let equal = left.iter().filter(|&&(_, own)| own >= best).count();
        if equal == left.len() {
            break;
        }
        let share = |&(_, own): &(usize, f64)| if own >= best { 1.0 / equal as f64 } else { 0.0 };
        let agents = left.iter().map(|&(agent, _)| agent).collect();
        let contest = Contest { agents, shares: left.iter().map(share).collect() };
        contests.extend(std::iter::repeat_n(contest, equal));
        left.retain(|&(_, own)| own < best);
    }
    contests
}

/// Number of games with an uncertain result that gives the observed variance of blocks the weight ½.
const DOUBT: f64 = 20.0;

/// Fits the ratings of `agents` agents to the contests of each block. The argument of the returned function is the
/// anchor, the agent with rating 0. Without an anchor, the mean of all ratings is 0.
///
/// The prior is one additional drawn game for each agent, divided equally among all opponents of the agent. So even an
/// agent that has won every game has a finite rating, with a wide interval. The variance is a weighted mean of the
/// observed variance of blocks and the variance of independent games. The weight of the observed variance grows with
/// the number of games that had an uncertain result.
pub(super) fn ratings(agents: usize, blocks: &[Vec<Contest>]) -> impl Fn(Option<usize>) -> Vec<Rating> {
    let even = even_games(agents, blocks);
    let mut r = vec![0.0; agents];
    let mut factor = Matrix::new();
    for _ in 0..200 {
        let mut gradient: Vec<f64> = r.iter().map(|r| -PRIOR * r).collect();
        let mut curvature = zero(agents);
        (0..agents).for_each(|agent| curvature[agent][agent] = PRIOR);
        let weighted = blocks.iter().flatten().map(|contest| (1.0, contest));
        for (weight, contest) in weighted.chain(even.iter().map(|(weight, contest)| (*weight, contest))) {
            let expected = expected(&r, contest);
            for ((&agent, share), expected) in contest.agents.iter().zip(&contest.shares).zip(&expected) {
                gradient[agent] += weight * (share - expected);
            }
            add_covariance(&mut curvature, weight, contest, &expected);
        }
        factor = cholesky(&curvature);
        let step = solve(&factor, &gradient);
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        // Far from the solution, a full step can be too large.
        let share = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        r.iter_mut().zip(&step).for_each(|(r, step)| *r += share * step);
        if longest < 1e-10 {
            break;
        }
    }
    // The variance of the block gradients at the solution gives the variance of the solution (sandwich estimator).
    let (mut observed, mut modelled) = (zero(agents), zero(agents));
    let mut informative = vec![0.0; agents];
    for block in blocks {
        let mut gradient = vec![0.0; agents];
        for contest in block {
            let expected = expected(&r, contest);
            for ((&agent, share), expected) in contest.agents.iter().zip(&contest.shares).zip(&expected) {
                gradient[agent] += share - expected;
                informative[agent] += 4.0 * expected * (1.0 - expected);
            }
            add_covariance(&mut modelled, 1.0, contest, &expected);
        }
        for (row, own) in observed.iter_mut().zip(&gradient) {
            row.iter_mut().zip(&gradient).for_each(|(entry, other)| *entry += own * other);
        }
    }
    for (weight, contest) in &even {
        let expected = expected(&r, contest);
        add_covariance(&mut observed, *weight, contest, &expected);
        add_covariance(&mut modelled, *weight, contest, &expected);
    }
    let quantile = student_95((blocks.len() as f64 - 1.0).max(1.0));
    move |anchor| {
        let weight = |agent| anchor.map_or(1.0 / agents as f64, |anchor| f64::from(u8::from(agent == anchor)));
        let origin: Vec<f64> = (0..agents).map(weight).collect();
        let zero: f64 = r.iter().zip(&origin).map(|(r, weight)| r * weight).sum();
        let of = |agent: usize| {
            let mut direction: Vec<f64> = origin.iter().map(|weight| -weight).collect();
            direction[agent] += 1.0;
            let moved = solve(&factor, &direction);
            let trust = informative[agent] / (informative[agent] + DOUBT);
            let variance =
                trust * quadratic_form(&observed, &moved) + (1.0 - trust) * quadratic_form(&modelled, &moved);
            let (elo, half) = (ELO * (r[agent] - zero), ELO * quantile * variance.max(0.0).sqrt());
            Rating { elo, interval: [elo - half, elo + half] }
        };
        (0..agents).map(of).collect()
    }
}

/// The drawn games of the prior with their weights: one game for each agent, divided equally among all its opponents.
fn even_games(agents: usize, blocks: &[Vec<Contest>]) -> Vec<(f64, Contest)> {
    let mut have_met = vec![vec![false; agents]; agents];
    for contest in blocks.iter().flatten() {
        for &agent in &contest.agents {
            contest.agents.iter().filter(|&&other| other != agent).for_each(|&other| have_met[agent][other] = true);
        }
    }
    let others: Vec<f64> = have_met.iter().map(|met| met.iter().filter(|&&met| met).count() as f64).collect();
    let pairs = (0..agents).flat_map(|agent| (agent + 1..agents).map(move |other| (agent, other)));
    let game = |(agent, other): (usize, usize)| {
        let weight = 0.5 / others[agent] + 0.5 / others[other];
        (weight, Contest { agents: vec![agent, other], shares: vec![0.5, 0.5] })
    };
    pairs.filter(|&(agent, other)| have_met[agent][other]).map(game).collect()
}

/// The expected share of each agent of a contest at ratings `r`.
fn expected(r: &[f64], contest: &Contest) -> Vec<f64> {
    let best = contest.agents.iter().map(|&agent| r[agent]).fold(f64::NEG_INFINITY, f64::max);
    let strengths: Vec<f64> = contest.agents.iter().map(|&agent| (r[agent] - best).exp()).collect();
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
    let row = |row: &Vec<f64>| row.iter().zip(vector).map(|(entry, other)| entry * other).sum::<f64>();
    matrix.iter().zip(vector).map(|(entries, own)| own * row(entries)).sum()
}

/// The lower triangle whose product with its transpose is `matrix`, which is symmetric and positive definite.
fn cholesky(matrix: &Matrix) -> Matrix {
    let mut lower = zero(matrix.len());
    for row in 0..matrix.len() {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| lower[row][at] * lower[column][at]).sum();
            let rest = matrix[row][column] - known;
            lower[row][column] = if row == column { rest.max(1e-300).sqrt() } else { rest / lower[column][column] };
        }
    }
    lower
}

/// Solves a linear system: returns the x for which the product of `lower`, its transpose and x is `vector`.
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

    #[test]
    fn two_agents_are_rated_by_their_score() {
        let blocks: Vec<_> = (0..400).map(|game| duel(0, 1, if game % 4 == 0 { 0.0 } else { 1.0 })).collect();
        let found = ratings(2, &blocks)(None);
        // A score of 75 % is 190.85 Elo. With the prior (half a game won and half a game lost), it is 190.27 Elo.
        assert!((found[0].elo - found[1].elo - 190.27).abs() < 0.1, "{found:?}");
        assert!((found[0].elo + found[1].elo).abs() < 1e-9);
        let anchored = ratings(2, &blocks)(Some(1));
        assert_eq!((anchored[1].elo, anchored[1].interval), (0.0, [0.0, 0.0]));
        assert!((anchored[0].elo - 190.27).abs() < 0.1);
        // The standard error of the logit is 1 / sqrt(n p q).
        let half = 1.96 * ELO / (400.0_f64 * 0.75 * 0.25).sqrt();
        assert!((anchored[0].elo - anchored[0].interval[0] - half).abs() < 1.0, "{anchored:?}");
    }

    #[test]
    fn an_agent_that_always_wins_has_a_rating_too() {
        let blocks: Vec<_> = (0..50).map(|_| duel(0, 1, 1.0)).collect();
        let found = ratings(3, &blocks)(None);
        assert!(found[0].elo > found[2].elo + 300.0 && found[2].elo > found[1].elo + 300.0, "{found:?}");
        // The odds are 50.5 to 0.5, and the upper bound of the interval is very high.
        let found = ratings(2, &blocks)(Some(1))[0];
        assert!((found.elo - 801.7).abs() < 1.0 && found.interval[0] < 400.0, "{found:?}");
        assert!(found.interval[1] > 1200.0, "{found:?}");
    }

    #[test]
    fn intervals_of_an_agent_that_nearly_always_wins_hold() {
        // A score of 97.6 % is 643 Elo. A block has two games.
        for pairs in [5, 15, 60] {
            let held = (0..500).filter(|&seed| {
                let mut rng = chance::stream(seed, 2);
                let mut one = || duel(0, 1, if rng.random::<f64>() < 0.976 { 1.0 } else { 0.0 });
                let blocks: Vec<_> = (0..pairs).map(|_| [one(), one()].concat()).collect();
                let [low, high] = ratings(2, &blocks)(Some(1))[0].interval;
                low <= 643.4 && 643.4 <= high
            });
            let held = held.count();
            assert!(held >= 465, "{pairs} pairs: {held} of 500");
        }
    }

    #[test]
    fn places_are_contested_one_after_the_other() {
        let played = contests(&[7, 8, 9, 7], &[1.0 / 3.0, 1.0, 0.0, 2.0 / 3.0], true);
        let agents: Vec<&[usize]> = played.iter().map(|contest| contest.agents.as_slice()).collect();
        assert_eq!(agents, [&[7, 8, 9, 7][..], &[7, 9, 7], &[7, 9]]);
        assert_eq!(played[1].shares, [0.0, 0.0, 1.0]);
        let tied = contests(&[0, 1, 2], &[0.5, 0.5, 0.0], true);
        assert_eq!((tied.len(), tied[0].shares.clone()), (2, vec![0.5, 0.5, 0.0]));
        assert!(contests(&[0, 1], &[0.5, 0.5], true).is_empty());
        assert_eq!(contests(&[0, 1], &[0.5, 0.5], false)[0].shares, [0.5, 0.5]);
        assert!(contests(&[0, 1], &[0.0, 0.0], false).is_empty());
    }

    /// Draws one of `agents` with probabilities proportional to their strengths, and returns its index.
    fn drawn(strengths: &[f64], agents: &[usize], rng: &mut impl RngExt) -> usize {
        let mut left = rng.random::<f64>() * agents.iter().map(|&agent| strengths[agent]).sum::<f64>();
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
                        let side = agents.iter().position(|&other| other == agent).expect("it sits");
                        returns[side] = 1.0 - f64::from(place) / 3.0;
                    }
                    contests(&agents, &returns, true)
                })
                .collect();
            for (rating, elo) in ratings(5, &blocks)(None).iter().zip(truth) {
                all += 1;
                held += u32::from(rating.interval[0] <= elo && elo <= rating.interval[1]);
            }
        }
        let share = f64::from(held) / f64::from(all);
        assert!((0.90..=0.99).contains(&share), "{share}");
    }
}
