//! The cost of fewer bits: choices that change when values are rounded.

use std::sync::atomic::Ordering;

use ashta_env::turn_index::{Continuation, Side, TurnEnd, TurnModel, TurnVisitor};
use serde::Serialize;

use super::duel::{Duel, ONE, UNIT};
use super::sweep::SharedValues;

/// How choices by rounded values differ from those by exact ones.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Differences {
    /// Throws of all positions whose results do not all have the same value.
    pub choices: u64,
    /// Those in which the result of the highest rounded value is not one of the highest value.
    pub different: u64,
    /// The largest difference in value between the two.
    pub largest_loss: f64,
}

/// Compares the choices of two seats by `values` and by `rounded`, both fractions of 2³² − 1 in the order of
/// [`TurnModel::number`].
pub fn differences<T: TurnModel>(
    turns: &T,
    values: &SharedValues,
    rounded: &SharedValues,
    threads: usize,
) -> Differences {
    let duel = Duel::new(turns);
    let visit = |found: &mut Differences, own: Side| {
        for sides in duel.positions(own) {
            let mut choice = RoundedChoice { values, rounded, count: duel.count, best: None, found };
            duel.visit(sides, &mut choice);
            choice.settle();
        }
    };
    let folds = duel.fold(threads.max(1), Differences::default, visit);
    folds.into_iter().fold(Differences::default(), |sum, fold| Differences {
        choices: sum.choices + fold.choices,
        different: sum.different + fold.different,
        largest_loss: sum.largest_loss.max(fold.largest_loss),
    })
}

struct RoundedChoice<'a> {
    values: &'a SharedValues,
    rounded: &'a SharedValues,
    count: usize,
    /// The highest and the lowest value, and the highest rounded value with the value of its result.
    best: Option<(u32, u32, u32, u32)>,
    found: &'a mut Differences,
}

impl RoundedChoice<'_> {
    fn settle(&mut self) {
        if let Some((highest, lowest, _, chosen)) = self.best.take()
            && highest > lowest
        {
            self.found.choices += 1;
            if chosen < highest {
                self.found.different += 1;
                self.found.largest_loss = self.found.largest_loss.max(f64::from(highest - chosen) * UNIT);
            }
        }
    }
}

impl TurnVisitor for RoundedChoice<'_> {
    fn throws(&mut self, _probability: f64) {
        self.settle();
    }

    fn end(&mut self, end: TurnEnd) {
        let [own, other, ..] = end.sides;
        let at = |cells: &SharedValues, own: Side, other: Side| {
            cells[usize::from(own) * self.count + usize::from(other)].load(Ordering::Relaxed)
        };
        let [value, rounded] = [self.values, self.rounded].map(|cells| match end.then {
            Continuation::Next => !at(cells, other, own),
            Continuation::Again => at(cells, own, other),
            Continuation::Won => ONE,
            Continuation::Drawn => ONE / 2,
        });
        self.best = Some(match self.best {
            None => (value, value, rounded, value),
            Some((highest, lowest, best, chosen)) => {
                let (best, chosen) = if rounded > best { (rounded, value) } else { (best, chosen) };
                (highest.max(value), lowest.min(value), best, chosen)
            }
        });
    }
}
