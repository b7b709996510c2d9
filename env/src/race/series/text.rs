//! What the notation asks of a series: its values, and whether labels read from a text can stand.

use super::SeriesTurns;
use super::allot::{Allotment, KINDS, THROWS, Throw, base};
use crate::flags::Twins;
use crate::race::state::{Series, State, role};

impl SeriesTurns {
    /// Sets the throws of the series that do not end it.
    pub(crate) fn load(&self, state: &mut State, values: &[u8]) -> Result<(), String> {
        if values.len() > Series::LIMIT {
            return Err(format!("a series holds at most {} throws before the one that ends it", Series::LIMIT));
        }
        for &value in values {
            let kind = KINDS.into_iter().find(|&kind| self.face(kind) == value);
            state.series.push(kind.ok_or_else(|| format!("{value} is no throw that a series goes on after"))?);
        }
        Ok(())
    }

    /// The values of the kinds of throws in a set of skipped ones.
    pub(crate) fn skipped_values(&self, skipped: u8) -> impl Iterator<Item = u8> {
        let throws = THROWS.into_iter().filter(move |throw| skipped & throw.bit() != 0);
        throws.map(|throw| self.pips(throw))
    }

    /// The bit of the kind of throw with this value in a set of skipped ones.
    pub(crate) fn skipped_bit(&self, value: u8) -> Option<u8> {
        THROWS.into_iter().find(|&throw| self.pips(throw) == value).map(Throw::bit)
    }

    /// The value of the throw that the next action allots; `None` when nothing is kept.
    pub(crate) fn next_value(&self, state: &State) -> Option<u8> {
        self.remaining(state).split().map(|(throw, _)| self.pips(throw))
    }

    /// Whether labels read from a text are those of a turn under way.
    pub(crate) fn check_allotment(&self, state: &State) -> Result<(), String> {
        let own = &state.pieces[state.mover.index()];
        let (mut leads, mut followers) = ([0; 64], [0; 64]);
        for (slot, &place) in own.iter().enumerate().take(self.seating.pieces) {
            let role = state.roles[slot];
            let is_moving = role & (role::SINGLE | role::LEAD | role::FOLLOWER) != 0;
            let target = u32::from(base(place)) + u32::from(state.steps[slot]);
            if is_moving && place >= self.keep || target > u32::from(self.keep) && place < self.keep {
                return Err("a piece goes beyond the keep".to_owned());
            }
            if role & role::BORNE != 0 && place != self.keep {
                return Err("only a piece in the keep is borne off".to_owned());
            }
            let may_join = self.rules.twins != Twins::Bell
                || state.declared[state.mover.index()] >> slot & 1 == 1
                || self.opposite >> base(place) & 1 == 1;
            if role & (role::LEAD | role::FOLLOWER) != 0 && !may_join {
                return Err("only declared twins move together, or two pieces on a marked square opposite".to_owned());
            }
            leads[usize::from(base(place)) & 63] += i32::from(role & role::LEAD != 0);
            followers[usize::from(base(place)) & 63] += i32::from(role & role::FOLLOWER != 0);
        }
        if leads != followers || leads.iter().any(|&count| count > 0) && self.rules.twins == Twins::None {
            return Err("twins move two by two".to_owned());
        }
        let is_legal = self.begins(&self.turn(state), &Allotment::of(state), self.remaining(state));
        is_legal.then_some(()).ok_or_else(|| "no legal turn begins with this allotment".to_owned())
    }
}
