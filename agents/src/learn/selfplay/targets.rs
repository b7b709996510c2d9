//! TD(λ) targets of recorded games, computed from the value estimates of the turns.
//!
//! ```text
//! G_t = E_t + λ (G_t+1 − E_t − c (A_t − E_t))
//!
//! E_t: expectation over throws of the best value
//! A_t: best value of the actual throw; A_t − E_t is its luck
//! ```
//!
//! The luck has mean 0 and is a control variate: the mean of the target does not depend on its
//! coefficient c. With exact values, c = 1 removes all luck. With rough values, especially in games
//! for more than two seats, c = 1 can add more noise than it removes. So c is fitted by least
//! squares. The coefficient of a game is fitted on the other games, so it does not depend on the
//! luck of its own game.

use ashta_env::game::{BySeat, SeatSet};

use super::record::{GameRecord, Trajectory, TurnTarget};

/// The parameters of value targets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TargetRule {
    /// λ of TD(λ), 0 to 1.
    pub lambda: f32,
    /// The coefficient c of the luck of the throw.
    pub luck_coefficient: f32,
}

/// The sum of luck times change, and the sum of squared luck, over turns. The coefficient c is
/// their ratio.
type LuckSums = [f64; 2];

impl<S> Trajectory<S> {
    /// The targets of all turns, computed backward from the last turn. Targets are clamped to 0 to
    /// 1: without the luck they can exceed this range, because errors of untrained values add up
    /// over a long game.
    pub fn targets(&self, rule: TargetRule, seats: SeatSet) -> Vec<TurnTarget> {
        self.targets_and_luck(rule, seats).0
    }

    /// The targets, and the sums over the turns whose target uses later values.
    fn targets_and_luck(&self, rule: TargetRule, seats: SeatSet) -> (Vec<TurnTarget>, LuckSums) {
        let mut targets = vec![TurnTarget::default(); self.turns.len()];
        let mut sums = LuckSums::default();
        let mut later: BySeat<f32> = self.end;
        for (turn, target) in self.turns.iter().zip(&mut targets).rev() {
            let lambda = if turn.is_followed { rule.lambda } else { 0.0 };
            for seat in seats.iter() {
                let (expected, best) = (turn.expected[seat], turn.best[seat]);
                let (luck, change) = (best - expected, later[seat] - expected);
                if turn.is_followed {
                    sums[0] += f64::from(luck) * f64::from(change);
                    sums[1] += f64::from(luck) * f64::from(luck);
                }
                let before = expected + lambda * (change - rule.luck_coefficient * luck);
                target.before_throw[seat] = before.clamp(0.0, 1.0);
                target.after_throw[seat] = (best + lambda * (later[seat] - best)).clamp(0.0, 1.0);
            }
            later = target.before_throw;
        }
        (targets, sums)
    }
}

/// Returns the coefficient of the luck for each game, fitted on all other games, and the
/// coefficient fitted on all games. If there is no luck, a coefficient is 1. The side branches of a
/// game use the coefficient of the game.
pub fn fit_luck<S>(records: &[GameRecord<S>], lambda: f32, seats: SeatSet) -> (Vec<f32>, f32) {
    let rule = TargetRule {
        lambda,
        luck_coefficient: 1.0,
    };
    let sums: Vec<LuckSums> = records
        .iter()
        .map(|record| record.main.targets_and_luck(rule, seats).1)
        .collect();
    let all = sums
        .iter()
        .fold([0.0; 2], |all, own| [all[0] + own[0], all[1] + own[1]]);
    // The coefficient gives the targets the smallest variance.
    let coefficient = |[both, squared]: LuckSums, least| {
        if squared > least {
            (both / squared) as f32
        } else {
            1.0
        }
    };
    // If the luck of the other games is smaller, it is only a rounding error.
    let of_others = |own: &LuckSums| coefficient([all[0] - own[0], all[1] - own[1]], 1e-9 * all[1]);
    (sums.iter().map(of_others).collect(), coefficient(all, 0.0))
}
