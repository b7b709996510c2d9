//! Finds the largest number of throws of a series that can be used, by depth-first search. The
//! search stops when an allotment uses as many throws as the caller needs.
//!
//! Far from the keep (the finish), the first allotment usually uses enough throws. Near the keep, a
//! long series has too many allotments. Then [`super::fill`] uses dynamic programming.

use super::SeriesTurns;
use super::allot::{Allotment, SeriesTurn, actions, base};
use super::fill;
use crate::game::Action;
use crate::race::position::state::{State, role};
use crate::race::turns::actions::PASS;
use crate::race::turns::series_throws::Remaining;
use crate::sheet::values::Speed;

/// The largest number of tries. After more tries, dynamic programming is faster.
const MOST_TRIED: u32 = 500;

/// A search among the allotments of one turn.
pub(crate) struct Search<'a> {
    turns: &'a SeriesTurns,
    turn: &'a SeriesTurn,
    /// The search stops at this number of used throws.
    enough: u32,
    left: u32,
}

impl SeriesTurns {
    /// Returns whether the pieces can move by the throws that they have so far, and the turn can be
    /// completed legally.
    pub(crate) fn can_complete(&self, state: &State) -> bool {
        let turn = self.turn(state);
        let (own, declared) = (
            &state.pieces[state.mover.index()],
            state.declared[state.mover.index()],
        );
        let kind = |slot: usize| (base(own[slot]), declared >> slot & 1);
        let moves = |slot: usize| {
            let ((from, declared), role) = (kind(slot), state.roles[slot]);
            let count = |roles: u8| {
                let slots = 0..self.seating.pieces;
                slots
                    .filter(|&other| kind(other) == kind(slot) && state.roles[other] & roles != 0)
                    .count()
            };
            role & role::BORNE == 0
                && own[slot] < self.rules.home
                && from.saturating_add(state.steps[slot]) <= self.rules.home
                && (role & role::ENTERED == 0 || turn.closed >> 1 & 1 == 0)
                && (role & (role::LEAD | role::FOLLOWER) == 0
                    || self.may_join(from, declared == 1)
                        && count(role::LEAD) == count(role::FOLLOWER))
        };
        let is_valid = |slot: usize| match state.roles[slot] {
            role::FRESH => true,
            role::BORNE => own[slot] == self.rules.home,
            _ => moves(slot),
        };
        (0..self.seating.pieces).all(is_valid)
            && Search::new(self, &turn, 0)
                .most_used(&Allotment::of(state), self.series.remaining(state))
                .is_some()
    }
}

struct Exhausted;

impl<'a> Search<'a> {
    pub(crate) fn new(turns: &'a SeriesTurns, turn: &'a SeriesTurn, enough: u32) -> Search<'a> {
        Search {
            turns,
            turn,
            enough,
            left: MOST_TRIED,
        }
    }

    /// Returns the largest number of the `remaining` throws that a legal completion of `allotment`
    /// uses. A smaller result is allowed if it is at least `enough`. Returns `None` if `allotment`
    /// cannot be completed legally.
    #[inline]
    pub(crate) fn most_used(&mut self, allotment: &Allotment, remaining: Remaining) -> Option<u32> {
        let found = self.most_used_from(allotment, remaining, Action(0), self.enough);
        found.unwrap_or_else(|Exhausted| {
            fill::most_used(self.turns, self.turn, allotment, remaining, self.enough)
        })
    }

    /// Like [`Search::most_used`], but the next throw goes to the action `least` or a later one. So
    /// equal throws are not tried in two orders.
    fn most_used_from(
        &mut self,
        allotment: &Allotment,
        remaining: Remaining,
        least: Action,
        enough: u32,
    ) -> Result<Option<u32>, Exhausted> {
        let (turns, turn) = (self.turns, self.turn);
        let count = remaining.count();
        // Far from the keep, one unit can take all remaining throws.
        if turns.completes(allotment)
            && (count == 0 || enough == 0 || turns.moves_by(turn, allotment, turns.sum(remaining)))
        {
            return Ok(Some(if enough == 0 { 0 } else { count }));
        }
        let Some((throw, rest)) = remaining.split() else {
            return Ok(turns.is_complete(turn, allotment).then_some(0));
        };
        self.left = self.left.checked_sub(1).ok_or(Exhausted)?;
        let same_throw = rest.split().is_some_and(|(next, _)| next == throw);
        let units = turns.units(turn, allotment, turns.sum(remaining));
        // If no unit can take the smallest throw, no unit can take a larger throw. This is only
        // true if the speed of units does not exclude some throws.
        let (any_alone, any_together) = turns.takers(&units, turns.smallest(remaining));
        if (any_alone | any_together).is_empty()
            && matches!(turns.rules.unit.speed, Speed::Full | Speed::HalfSpent)
        {
            return Ok(turns.is_complete(turn, allotment).then_some(0));
        }
        let (alone, together) = turns.takers(&units, turns.series.pips(throw));
        let most_here = enough.min(turns.most_by_room(turn, allotment, remaining));
        let mut most = None;
        for action in actions(alone, together)
            .iter()
            .filter(|&action| action >= least)
        {
            let next = turns.give(turn, allotment, throw, action);
            let least = if same_throw { action } else { Action(0) };
            let used = self.most_used_from(&next, rest, least, enough.saturating_sub(1))?;
            most = most.max(used.map(|used| used + 1));
            if most >= Some(most_here) {
                return Ok(most);
            }
        }
        let least = if same_throw { PASS } else { Action(0) };
        let unused = self.most_used_from(
            &turns.give(turn, allotment, throw, PASS),
            rest,
            least,
            enough,
        )?;
        Ok(most.max(unused))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::RngExt;

    use super::*;
    use crate::chance;
    use crate::game::{Game, Node};
    use crate::race::Race;
    use crate::sheet::Sheet;
    use crate::sheet::ruleset::Ruleset;

    /// House rules, and a changed speed of units.
    const RULES: [(&str, Option<Speed>); 11] = [
        ("", None),
        ("&must_use=greedy", None),
        ("&must_use=greedy", Some(Speed::Half)),
        ("&must_use=greedy", Some(Speed::HalfEven)),
        ("&must_use=optional", None),
        ("", Some(Speed::HalfEven)),
        ("&twin_speed=half_floor", None),
        ("&must_use=greedy&twin_speed=half_floor", None),
        ("&must_use=greedy&x=block", None),
        ("&x=block&twins=bell&twin_speed=half_floor", None),
        ("&must_use=greedy&twin_split=false", None),
    ];

    /// Plays random turns of two to nine throws. At each position, compares the results of both
    /// searches for every action.
    #[test]
    fn search_and_dynamic_programming_agree_on_the_number_of_used_throws() {
        let mut rng = chance::stream(5, 0);
        let mut compared = 0;
        for ((rules, speed), _) in RULES
            .iter()
            .flat_map(|rules| (0..250).map(move |game| (rules, game)))
        {
            let from = [1, 30, 50][rng.random_range(0..3)];
            let mut own = [0; 4].map(|_| {
                [0, 60, from + rng.random_range(0..60 - from)][rng.random_range(0..8).min(2)]
            });
            own[1] = if rng.random() { own[0] } else { own[1] };
            own.sort_unstable();
            let own = own.map(|place| match place {
                0 => "off".to_owned(),
                60 => "keep".to_owned(),
                place => place.to_string(),
            });
            let throws: Vec<&str> = (0..rng.random_range(1..9))
                .map(|_| ["1", "4", "8"][rng.random_range(0..3)])
                .collect();
            let text = format!(
                "ashtapada?pieces=4{rules} S:{}/N:2,9,26,45 S {},3",
                own.join(","),
                throws.join(",")
            );
            let (mut race, mut state) = Race::parse_position(&text).expect("a valid position");
            if let Some(speed) = *speed {
                let mut sheet = Sheet::clone(race.ruleset().sheet());
                sheet.unit.speed = speed;
                let ruleset =
                    Ruleset::of(Arc::new(sheet), race.ruleset().seats(), [("pieces", "4")]);
                race = Race::new(ruleset.expect("a valid sheet"));
            }
            let turns = race.turns.as_series().expect("Ashtapada has a series");
            while let Node::Decision(_) = race.node(&state) {
                let (turn, allotment) = (turns.turn(&state), Allotment::of(&state));
                let Some((throw, rest)) = turns.series.remaining(&state).split() else {
                    break;
                };
                for action in race.legal_actions(&state).iter().chain([PASS]) {
                    let next = turns.give(&turn, &allotment, throw, action);
                    for enough in [0, 1, rest.count()] {
                        let mut search = Search {
                            left: u32::MAX,
                            ..Search::new(turns, &turn, enough)
                        };
                        let tried = search
                            .most_used_from(&next, rest, Action(0), enough)
                            .ok()
                            .flatten();
                        let filled = fill::most_used(turns, &turn, &next, rest, enough);
                        // Any number of at least `enough` is correct.
                        let [tried, filled] =
                            [tried, filled].map(|most| most.map(|most| most.min(enough)));
                        assert_eq!(
                            filled,
                            tried,
                            "{action:?}, {enough} are enough, at {}",
                            race.print(&state)
                        );
                    }
                    compared += 1;
                }
                let legal = race.legal_actions(&state);
                race.apply_action(
                    &mut state,
                    legal
                        .nth(rng.random_range(0..legal.len()))
                        .expect("one of them"),
                );
            }
        }
        assert!(compared > 5_000, "only {compared} were compared");
    }
}
