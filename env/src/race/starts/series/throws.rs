//! The multisets of throws that a series can keep, and their probabilities.

use crate::race::position::state::{MAX_KINDS, SeriesKind};
use crate::race::turns::series::SeriesTurns;
use crate::race::turns::series_throws::AllottedThrow;

/// The most values that end a series.
pub(super) const MAX_STOPS: usize = 3;
/// Kinds of throws: those after which a series goes on, and those that end it.
pub(super) const KINDS: usize = MAX_KINDS + MAX_STOPS;

/// Stands for absent throws.
pub(super) const NONE: usize = usize::MAX;

/// Throws that do not end the series, counted by kind, whatever their order.
#[derive(Clone, Debug)]
pub(super) struct ThrowCounts {
    /// The kind that is allotted last, as an index of [`ThrowList::kind`].
    pub(super) last: usize,
    /// By kind, where in the list the same throws less one of the kind stand, or [`NONE`].
    pub(super) less: [usize; 3],
    /// Their number.
    pub(super) count: u8,
    /// The probability that a series begins with exactly these throws in any order.
    chance: f64,
}

/// All throws that a series can have before the one that ends it, up to a length; shorter ones first.
#[derive(Clone, Debug)]
pub(super) struct ThrowList {
    throws: Vec<ThrowCounts>,
    kinds: [Option<AllottedThrow>; KINDS],
    /// The probability that a throw ends the series, by ending value.
    ending: Vec<f64>,
    /// The probability of a 1 before the end.
    any_one: f64,
    /// The probability of a longer series.
    cut_off: f64,
}

impl ThrowList {
    /// Number of throws before the last that a list needs, so that series are missing with a probability of at most
    /// `missing`.
    pub(super) fn length(turns: &SeriesTurns, missing: f64) -> usize {
        let goes_on = goes_on(turns);
        std::iter::successors(Some(goes_on), |longer| Some(longer * goes_on))
            .take_while(|&longer| longer > missing)
            .count()
    }

    /// The list of throws of series with up to `length` throws before the last.
    pub(super) fn new(turns: &SeriesTurns, length: usize) -> ThrowList {
        let kinds = SeriesKind::ALL.map(|kind| (turns.series.face(kind) > 0).then_some(AllottedThrow::Of(kind)));
        let mut all = [None; KINDS];
        all[..MAX_KINDS].copy_from_slice(&kinds);
        let stops = turns.series.all().filter(|throw| matches!(throw, AllottedThrow::Last(_)));
        all[MAX_KINDS..].iter_mut().zip(stops).for_each(|(kind, stop)| *kind = Some(stop));
        let chance = |throw: Option<AllottedThrow>| throw.map_or(0.0, |throw| turns.series.chance_of(throw));
        let chances = kinds.map(chance);
        let ending: Vec<f64> = all[MAX_KINDS..].iter().flatten().map(|&throw| turns.series.chance_of(throw)).collect();
        let ends: f64 = ending.iter().sum();
        let mut list = ThrowList {
            throws: Vec::new(),
            kinds: all,
            any_one: chances[0] / (chances[0] + ends),
            cut_off: (0..=length).map(|_| 1.0 - ends).product(),
            ending,
        };
        let side = length + 1;
        let mut found = vec![NONE; side * side * side];
        for count in 0..side {
            for ones in (0..=count).rev() {
                for fours in (0..=count - ones).rev() {
                    let counts = [ones, fours, count - ones - fours];
                    if counts.iter().zip(kinds).any(|(&count, kind)| count > 0 && kind.is_none()) {
                        continue;
                    }
                    let at = |counts: [usize; 3]| (counts[0] * side + counts[1]) * side + counts[2];
                    let less = std::array::from_fn(|kind| {
                        let mut less = counts;
                        less[kind] = less[kind].wrapping_sub(1);
                        if counts[kind] == 0 { NONE } else { found[at(less)] }
                    });
                    // The throw that came last is any of them.
                    let before = chances.iter().zip(less).filter(|&(_, less)| less != NONE);
                    let chance = before.map(|(chance, less)| chance * list.throws[less].chance).sum();
                    found[at(counts)] = list.throws.len();
                    list.throws.push(ThrowCounts {
                        last: counts.iter().rposition(|&count| count > 0).unwrap_or(0),
                        less,
                        count: count as u8,
                        chance: if count == 0 { 1.0 } else { chance },
                    });
                }
            }
        }
        list
    }

    pub(super) fn throws(&self) -> &[ThrowCounts] {
        &self.throws
    }

    /// The kinds of throws by number: those after which a series goes on in the order in which they are allotted, then
    /// those that end it.
    pub(super) fn kind(&self, kind: usize) -> Option<AllottedThrow> {
        self.kinds[kind]
    }

    /// Number of values that end a series.
    pub(super) fn stops(&self) -> usize {
        self.ending.len()
    }

    pub(super) fn cut_off(&self) -> f64 {
        self.cut_off
    }

    /// The probability that exactly these throws are kept, with each of the values that end a series.
    pub(super) fn chance(&self, throws: &ThrowCounts, is_on_board: bool) -> impl Iterator<Item = f64> {
        let chance = match throws.less[0] {
            _ if is_on_board => throws.chance,
            NONE => 0.0,
            // Throws before the first 1 are dropped.
            rest => self.any_one * self.throws[rest].chance,
        };
        self.ending.iter().map(move |ending| ending * chance)
    }

    /// The probability that nothing is kept.
    pub(super) fn chance_of_nothing(&self, is_on_board: bool) -> f64 {
        if is_on_board { 0.0 } else { 1.0 - self.any_one }
    }

    /// The number of the throws with these counts in the list.
    #[cfg(test)]
    pub(super) fn find(&self, counts: [usize; 3]) -> usize {
        let before = |throws: usize, kind: usize| {
            self.throws.iter().position(|longer| longer.less[kind] == throws).unwrap_or(NONE)
        };
        let kinds = counts.into_iter().enumerate().flat_map(|(kind, count)| std::iter::repeat_n(kind, count));
        kinds.fold(0, before)
    }
}

/// The probability that a throw does not end the series.
fn goes_on(turns: &SeriesTurns) -> f64 {
    turns
        .series
        .all()
        .filter(|throw| matches!(throw, AllottedThrow::Of(_)))
        .map(|throw| turns.series.chance_of(throw))
        .sum()
}
