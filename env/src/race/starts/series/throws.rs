//! The throws that a turn of Ashtapada can keep, and how likely they are.

use crate::flags::AshtapadaRules;
use crate::games::ashtapada;

/// Where there are no such throws.
pub(super) const NONE: usize = usize::MAX;

/// Throws that do not end the series, counted by kind, whatever their order.
#[derive(Clone, Debug)]
pub(super) struct Throws {
    /// The kind that is allotted last, as an index of [`crate::race::series::allot::THROWS`].
    pub(super) last: usize,
    /// By kind, where in the list the same throws less one of the kind stand, or [`NONE`].
    pub(super) less: [usize; 3],
    /// How many there are.
    pub(super) count: u8,
    /// How likely a series begins with exactly these throws in any order.
    chance: f64,
}

/// All throws that a series can have before the one that ends it, up to a length; shorter ones first.
#[derive(Clone, Debug)]
pub(super) struct ThrowList {
    throws: Vec<Throws>,
    /// How likely a throw ends the series with 2 and with 3.
    ending: [f64; 2],
    /// How likely a 1 comes before the end.
    any_one: f64,
    /// How likely a series is longer.
    cut_off: f64,
}

impl ThrowList {
    /// How many throws before the last a list needs, that series be missing with a probability of at most `missing`.
    pub(super) fn length(rules: &AshtapadaRules, missing: f64) -> usize {
        std::iter::successors(Some(goes_on(rules)), |longer| Some(longer * goes_on(rules)))
            .take_while(|&longer| longer > missing)
            .count()
    }

    /// The list of throws of series with up to `length` throws before the last.
    pub(super) fn new(rules: &AshtapadaRules, length: usize) -> ThrowList {
        let weights = ashtapada::weights(rules).map(f64::from);
        let all: f64 = weights.iter().sum();
        let [one, two, three, four, zero] = weights.map(|weight| weight / all);
        let chances = [one, four, zero];
        let mut list = ThrowList {
            throws: Vec::new(),
            ending: [two, three],
            any_one: weights[0] / (all - weights[3] - weights[4]),
            cut_off: (0..=length).map(|_| goes_on(rules)).product(),
        };
        let side = length + 1;
        let mut found = vec![NONE; side * side * side];
        for count in 0..side {
            for ones in (0..=count).rev() {
                for fours in (0..=count - ones).rev() {
                    let counts = [ones, fours, count - ones - fours];
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
                    list.throws.push(Throws {
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

    pub(super) fn throws(&self) -> &[Throws] {
        &self.throws
    }

    pub(super) fn cut_off(&self) -> f64 {
        self.cut_off
    }

    /// How likely exactly these throws are kept with a last one of 2 and with one of 3.
    pub(super) fn chance(&self, throws: &Throws, is_on_board: bool) -> [f64; 2] {
        let chance = match throws.less[0] {
            _ if is_on_board => throws.chance,
            NONE => 0.0,
            // Whatever came before the first 1 is dropped.
            rest => self.any_one * self.throws[rest].chance,
        };
        self.ending.map(|ending| ending * chance)
    }

    /// How likely nothing is kept.
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

/// How likely a throw does not end the series.
fn goes_on(rules: &AshtapadaRules) -> f64 {
    let [one, two, three, four, zero] = ashtapada::weights(rules).map(f64::from);
    (one + four + zero) / (one + two + three + four + zero)
}
