//! The throws of a series or of several dice: the kept throws and the unused throws, with their
//! observations and texts. The modules [`super::series`] (one hop for each piece) and
//! [`super::each`] (throws are played one by one) use this module.

use std::sync::Arc;

use super::{
    FoundEntries,
    registers::{Flags, Registers},
    text::joined,
};
use crate::{
    game::{Action, Seat},
    race::{
        compile::{Rules, reach::bits},
        position::{
            slots::Slots,
            state::{MAX_PIECES, Phase, Series, SeriesKind, State, role},
        },
        turns::actions::{self, LATER, PASS, THREES},
    },
    sheet::values::{Hop, LostBefore, Must},
};

/// The register of the kinds of throws that stay unused or are set aside, as
/// [`SeriesThrows::bit`]s.
pub const SKIPPED: usize = 0;
/// The register of a capture in this turn: 0 or 1.
pub const CAPTURED: usize = 2;

/// The throws of a series under one ruleset.
#[derive(Clone, Debug)]
pub struct SeriesThrows {
    rules: Arc<Rules>,
    lost_before: LostBefore,
    /// The place of the finish. This copy is next to other data that each throw reads.
    home: u8,
    /// The number of dice; 1 if a series continues until a value ends it.
    dice: u8,
    /// The values that continue a series, in ascending order; 0 for missing kinds.
    faces: [u8; 4],
    /// The throw of each outcome of the die.
    outcomes: Vec<AllottedThrow>,
}

/// One throw to allot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllottedThrow {
    Of(SeriesKind),
    Last(u8),
}

/// Throws to allot, counted by kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Remaining {
    pub counts: [u8; 3],
    /// The throw that ended the series, or 0.
    pub last: u8,
}

/// The number of columns that count one kind of throw: three for at least 1, 2 and 3 throws, and
/// seven for the bits of the count.
const COUNT_COLUMNS: u16 = 10;

impl SeriesThrows {
    pub fn new(rules: Arc<Rules>) -> SeriesThrows {
        let values: Vec<u8> = rules.outcomes.iter().map(|throw| throw.values[0]).collect();
        let stops = |value: &u8| rules.effects[*value].stops;
        let mut faces = [0; 4];
        faces
            .iter_mut()
            .zip(values.iter().filter(|value| !stops(value)))
            .for_each(|(face, value)| *face = *value);
        let outcome = |value: &u8| match faces.iter().position(|face| face == value) {
            Some(kind) => AllottedThrow::Of(SeriesKind::OF_DICE[kind]),
            None => AllottedThrow::Last(*value),
        };
        let outcomes = values.iter().map(outcome).collect();
        let (lost_before, dice) = (rules.entry.lost_before, rules.dice);
        SeriesThrows {
            lost_before,
            home: rules.home,
            dice,
            faces,
            outcomes,
            rules,
        }
    }

    /// Returns whether a series can have any length.
    pub fn is_unlimited(&self) -> bool {
        self.dice == 1
    }

    /// A turn records the throws that stay unused or are set aside. If throws are played one by
    /// one, it also records whether it has captured.
    pub fn registers(&self) -> Registers {
        let mark = |throw| (format!("!{}", self.pips(throw)), self.bit(throw));
        let skipped = Flags {
            byte: SKIPPED,
            columns: 0..8,
            marks: self.all().map(mark).collect(),
        };
        let flags = match (self.rules.turn.hop, self.rules.turn.must) {
            (Hop::Each, _) => vec![skipped, Flags::yes(CAPTURED, 0)],
            (Hop::Sum, Must::Greedy) => vec![skipped],
            (Hop::Sum, _) => Vec::new(),
        };
        Registers {
            flags,
            ..Registers::default()
        }
    }

    /// Iterates over all throws, in the order of allotment.
    pub fn all(&self) -> impl Iterator<Item = AllottedThrow> + '_ {
        SeriesKind::OF_DICE
            .into_iter()
            .filter(|&kind| self.face(kind) > 0)
            .map(AllottedThrow::Of)
            .chain(self.lasts().map(AllottedThrow::Last))
    }

    fn lasts(&self) -> impl Iterator<Item = u8> + '_ {
        self.outcomes.iter().filter_map(|throw| match throw {
            AllottedThrow::Last(value) => Some(*value),
            AllottedThrow::Of(_) => None,
        })
    }

    pub fn chance_of(&self, throw: AllottedThrow) -> f64 {
        self.outcomes
            .iter()
            .zip(self.rules.chances.iter())
            .filter(|&(&other, _)| other == throw)
            .map(|(_, chance)| chance)
            .sum()
    }

    /// Returns the index of `value` among the values that end a series.
    pub fn stop(&self, value: u8) -> Option<usize> {
        self.lasts().position(|last| last == value)
    }

    /// Returns the face value of a throw that continues the series.
    #[inline]
    pub fn face(&self, kind: SeriesKind) -> u8 {
        self.faces[kind as usize - 1]
    }

    #[inline]
    pub fn pips(&self, throw: AllottedThrow) -> u8 {
        match throw {
            AllottedThrow::Of(kind) => self.face(kind),
            AllottedThrow::Last(value) => value,
        }
    }

    /// Returns the bit of a throw in a set of throws, such as the skipped throws.
    pub fn bit(&self, throw: AllottedThrow) -> u8 {
        match throw {
            AllottedThrow::Of(kind) => 1 << kind as u8,
            AllottedThrow::Last(value) => {
                32 << self
                    .lasts()
                    .take_while(|&last| last != value)
                    .count()
                    .min(2)
            }
        }
    }

    #[inline]
    pub fn apply_chance(&self, state: &mut State, outcome: usize) {
        let thrown = match self.outcomes[outcome] {
            // If the series is full, the next throw must end the series.
            AllottedThrow::Of(_) if state.series.is_full() => {
                self.all().last().unwrap_or(AllottedThrow::Last(0))
            }
            thrown => thrown,
        };
        match thrown {
            AllottedThrow::Of(kind) => {
                self.keep_throw(state, kind);
                if self.dice > 1 && state.series.iter().count() == usize::from(self.dice) {
                    state.phase = Phase::Choose;
                }
            }
            AllottedThrow::Last(value) => {
                state.dice[0] = value;
                state.phase = Phase::Choose;
            }
        }
    }

    /// Returns whether the seat keeps every throw: it has a piece on the board (with some rules: on
    /// the course), or the rules never lose a throw.
    #[inline]
    pub fn is_on_board(&self, places: &[u8; MAX_PIECES]) -> bool {
        let own = Slots::of(*places);
        let beyond = match self.lost_before {
            LostBefore::Never => return true,
            LostBefore::OffBoard => self.home + 1,
            LostBefore::OffCourse => self.home,
        };
        !(own.at_least(1) & !own.at_least(beyond)).is_empty()
    }

    /// Returns whether a throw lets a piece enter while no piece is on the course.
    #[inline]
    fn enters(&self, value: u8) -> bool {
        self.rules.effects[value].enters[0]
    }

    /// Adds a throw to the series. If no own piece is on the board, throws before the first throw
    /// that lets a piece enter are lost.
    #[inline]
    fn keep_throw(&self, state: &mut State, kind: SeriesKind) {
        let is_kept = self.enters(self.face(kind))
            || !state.series.is_empty()
            || self.is_on_board(&state.pieces[state.mover]);
        state.series.push(kind, is_kept);
    }

    /// Returns the throws that the mover keeps: all counted throws, and the throw that ended the
    /// series (0 if this throw is lost or used).
    #[inline]
    pub fn kept_throws(&self, state: &State) -> (Series, u8) {
        let is_kept = !state.series.is_empty()
            || state.phase == Phase::Allot
            || self.enters(state.dice[0])
            || self.is_on_board(&state.pieces[state.mover]);
        (state.series, if is_kept { state.dice[0] } else { 0 })
    }

    #[inline]
    pub fn remaining(&self, state: &State) -> Remaining {
        let (series, last) = self.kept_throws(state);
        Remaining {
            counts: series.counts(),
            last,
        }
    }

    /// Iterates over the kinds of throws with the number of unused throws of each kind, in the
    /// order of allotment.
    #[inline]
    pub fn remaining_throws(&self, state: &State) -> impl Iterator<Item = (AllottedThrow, u8)> {
        let (series, last) = self.kept_throws(state);
        SeriesKind::OF_DICE
            .into_iter()
            .map(move |kind| (AllottedThrow::Of(kind), series.count(kind)))
            .chain(std::iter::once((
                AllottedThrow::Last(last),
                u8::from(last > 0),
            )))
    }

    /// Removes one of the mover's unused throws.
    #[inline]
    pub fn use_up(&self, state: &mut State, throw: AllottedThrow) {
        let (series, last) = self.kept_throws(state);
        (state.series, state.dice[0]) = match throw {
            AllottedThrow::Of(kind) => (series.without(kind), last),
            AllottedThrow::Last(_) => (series, 0),
        };
    }

    pub fn columns(&self) -> u16 {
        self.last_column() + self.lasts().count() as u16
    }

    /// Returns the first column of the throws that end the series.
    fn last_column(&self) -> u16 {
        COUNT_COLUMNS * if self.dice > 1 { 4 } else { 3 }
    }

    pub fn observe(&self, state: &State, at: u16, active: &mut FoundEntries) {
        let (series, last) = self.kept_throws(state);
        for (kind, of) in (0..)
            .zip(SeriesKind::OF_DICE)
            .filter(|&(_, of)| series.count(of) > 0)
        {
            let (at, count) = (at + kind * COUNT_COLUMNS, series.count(of));
            active.extend((0..u16::from(count.min(3))).map(|more| at + more));
            active.extend(bits(count).map(|bit| at + 3 + bit));
        }
        active.extend(
            self.stop(last)
                .map(|stop| at + self.last_column() + stop as u16),
        );
    }

    /// Loads the throws from the text of a position: the unused throws, or all throws in the order
    /// of throwing. `may_be_unended` means that the last throw does not have to end the series.
    pub fn load(
        &self,
        state: &mut State,
        values: &[u8],
        phase: Phase,
        may_be_unended: bool,
    ) -> Result<(), String> {
        let (dice, count) = (usize::from(self.dice), values.len());
        let is_other = match phase {
            Phase::Choose => count != dice,
            Phase::Throw => count >= dice,
            Phase::Allot | Phase::Over => count > dice,
        };
        let (last, series) = match values.split_last() {
            _ if dice > 1 && is_other => {
                return Err(format!(
                    "this game throws {dice} dice, but the text has {count}"
                ));
            }
            _ if dice > 1 => (0, values),
            Some((&last, series)) if phase != Phase::Throw && self.stop(last).is_some() => {
                (last, series)
            }
            _ if may_be_unended => (0, values),
            _ => {
                return Err(format!(
                    "a series ends with {}",
                    joined(self.lasts(), " or ")
                ));
            }
        };
        state.dice[0] = last;
        if series.len() > Series::LIMIT {
            return Err(format!(
                "a series has at most {} throws before the one that ends it",
                Series::LIMIT
            ));
        }
        for &value in series {
            let kind = SeriesKind::OF_DICE
                .into_iter()
                .find(|&kind| self.face(kind) == value && value > 0)
                .ok_or_else(|| format!("a series does not continue after {value}"))?;
            if phase == Phase::Allot {
                state.series.push(kind, true)
            } else {
                self.keep_throw(state, kind)
            }
        }
        Ok(())
    }

    /// Returns the values of the kinds of throws that stay unused or are set aside.
    pub fn skipped(&self, state: &State) -> Vec<u8> {
        self.all()
            .filter(|&throw| state.registers[SKIPPED] & self.bit(throw) != 0)
            .map(|throw| self.pips(throw))
            .collect()
    }

    /// Returns the words for an action that takes the throw `next`.
    pub fn action_text(
        &self,
        state: &State,
        colour: Seat,
        action: Action,
        next: Option<AllottedThrow>,
    ) -> String {
        let Some(value) = next.map(|throw| self.pips(throw)) else {
            return "pass".to_owned();
        };
        let (own, rules) = (&state.pieces[colour], &self.rules);
        let slot = actions::slot(action, rules.pieces()).unwrap_or(0);
        let place = rules.place_within(state, own, slot);
        let is_waiting = state.roles[slot] == role::FRESH;
        match action {
            PASS => format!("{value}: unused"),
            LATER => format!("{value}: later"),
            _ if actions::is_pair(action, rules.pieces()) => {
                format!("{value}: {} on {place}", rules.words.unit)
            }
            _ if action >= THREES => format!("{value}: three on {place}"),
            _ if is_waiting && own[slot] == 0 => format!("{value}: enter"),
            _ if is_waiting && own[slot] == rules.home => format!("{value}: bear off"),
            _ => format!("{value}: {place}"),
        }
    }
}

impl Remaining {
    /// Returns the kinds of throws with their numbers, in the order of allotment.
    #[inline]
    pub fn kinds(self) -> [(AllottedThrow, u8); 4] {
        let [first, second, third] =
            SeriesKind::ALL.map(|kind| (AllottedThrow::Of(kind), self.counts[kind as usize - 1]));
        [
            first,
            second,
            third,
            (AllottedThrow::Last(self.last), u8::from(self.last > 0)),
        ]
    }

    #[inline]
    pub fn count(self) -> u32 {
        self.counts
            .iter()
            .map(|&count| u32::from(count))
            .sum::<u32>()
            + u32::from(self.last != 0)
    }

    /// Returns the next throw to allot, and the throws after it.
    #[inline]
    pub fn split(mut self) -> Option<(AllottedThrow, Remaining)> {
        let kind = match self.counts {
            [1..=u8::MAX, _, _] => SeriesKind::First,
            [_, 1..=u8::MAX, _] => SeriesKind::Second,
            [_, _, 1..=u8::MAX] => SeriesKind::Third,
            _ if self.last > 0 => {
                return Some((
                    AllottedThrow::Last(self.last),
                    Remaining { last: 0, ..self },
                ));
            }
            _ => return None,
        };
        self.counts[kind as usize - 1] -= 1;
        Some((AllottedThrow::Of(kind), self))
    }
}
