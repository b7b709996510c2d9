//! Whether a position in the middle of a turn comes about: some position before the last action leads to it, and so on
//! back to a decision at which nothing is allotted yet.

use std::collections::HashSet;

use crate::game::{Action, Game, Node};
use crate::race::series::SeriesTurns;
use crate::race::state::{Kind, Phase, State, role};
use crate::race::{Race, Turns};

/// Throws of one kind that are tried to have been left unused before: whether one more was makes no difference.
const MOST_UNUSED: u32 = 2;

impl Race {
    /// Whether a position within a turn is one that play can reach from the start of the turn. Of a series that is
    /// played throw by throw only the throws and pieces are looked at, since what it has captured is not remembered.
    pub(crate) fn comes_about(&self, state: &State) -> bool {
        if state.phase != Phase::Allot {
            return true;
        }
        match &self.turns {
            Turns::Series(turns) => {
                let own = state.pieces[state.mover.index()];
                let fits = |slot: usize| {
                    state.steps[slot] == 0 || own[slot].max(1).saturating_add(state.steps[slot]) <= turns.keep
                };
                (0..self.seating.pieces).all(fits)
                    && self.series_comes_about(turns, state, MOST_UNUSED, &mut HashSet::new())
            }
            Turns::Each(_) => true,
            Turns::Dice(_) => {
                let taken: u8 = state.steps.iter().fold(0, |taken, steps| taken.saturating_add(*steps));
                let left = state.dice[0];
                let pair = [taken.min(left), taken.max(left)];
                if !self.rules.outcomes.iter().any(|throw| throw.values == pair) {
                    return false;
                }
                let cleared = State { roles: [role::FRESH; 4], steps: [0; 4], dice: [taken, left], ..*state };
                self.leads(&State { phase: Phase::Choose, ..cleared }, state)
            }
            Turns::Divide(turns) => {
                let last = turns.given(state).saturating_sub(1);
                let mut before = *state;
                (before.roles[last], before.steps[last]) = (role::FRESH, 0);
                before.phase = if last == 0 { Phase::Choose } else { Phase::Allot };
                self.leads(&before, state) && self.comes_about(&before)
            }
            Turns::Throw(_) => {
                let [number, whole] = state.dice;
                let own = state.pieces[state.mover.index()];
                let (from, to) = match whole.checked_sub(number) {
                    _ if whole == 0 => (0, 1),
                    Some(part) => (self.rules.home.saturating_sub(part), self.rules.home),
                    None => return false,
                };
                let thrown = if whole > 0 { whole } else { number };
                let is_thrown = self.rules.outcomes.iter().any(|throw| throw.values[0] == thrown);
                is_thrown
                    && (0..self.seating.pieces).filter(|&slot| own[slot] == to).any(|slot| {
                        let mut before = State { phase: Phase::Choose, dice: [thrown, 0], ..*state };
                        before.pieces[state.mover.index()][slot] = from;
                        before.pieces[state.mover.index()].sort_unstable();
                        self.check_seat(&before, state.mover).is_ok() && self.leads(&before, state)
                    })
            }
        }
    }

    /// Whether one action leads from `before` to `state`.
    fn leads(&self, before: &State, state: &State) -> bool {
        let Node::Decision(_) = self.node(before) else { return false };
        self.legal_actions(before).iter().any(|action| self.after(before, action) == *state)
    }

    fn after(&self, before: &State, action: Action) -> State {
        let mut after = *before;
        self.apply_action(&mut after, action);
        after
    }

    /// Whether some throw that is allotted before the next one was given to some unit, or left unused by the last
    /// action, and the position before that comes about.
    fn series_comes_about(
        &self,
        turns: &SeriesTurns,
        state: &State,
        unused: u32,
        seen: &mut HashSet<(State, u32)>,
    ) -> bool {
        if !seen.insert((*state, unused)) {
            return false;
        }
        let next = turns.next_value(state);
        for kind in Kind::ALL.into_iter().filter(|&kind| turns.face(kind) > 0) {
            // Throws are allotted in ascending order of their kinds.
            let is_before = next.is_none_or(|next| turns.stop(next).is_some() || turns.face(kind) <= next);
            if !is_before || state.series.is_full() {
                continue;
            }
            let mut with = *state;
            with.series.push(kind, true);
            for before in self.less(&with, turns.face(kind)) {
                let is_start = before.roles == [role::FRESH; 4] && before.skipped == 0;
                let start = State { phase: Phase::Choose, ..before };
                if is_start && self.leads(&start, state) {
                    return true;
                }
                let goes_back = before.roles != state.roles || before.steps != state.steps;
                if (goes_back || unused > 0)
                    && self.leads(&before, state)
                    && self.series_comes_about(turns, &before, if goes_back { unused } else { unused - 1 }, seen)
                {
                    return true;
                }
            }
        }
        false
    }

    /// The positions with one throw of `pips` less allotted to each unit, and that in which it was left unused.
    fn less(&self, state: &State, pips: u8) -> Vec<State> {
        let mut found = vec![*state];
        let unit_steps = self.rules.does[usize::from(pips)].unit_steps;
        for slot in 0..self.seating.pieces {
            let role = state.roles[slot];
            let steps = if role & role::LEAD != 0 { unit_steps } else { pips };
            let mut before = *state;
            if role & (role::SINGLE | role::LEAD) != 0 && state.steps[slot] >= steps {
                before.steps[slot] -= steps;
                found.push(before);
                if before.steps[slot] == 0 {
                    before.roles[slot] &= role::ENTERED;
                    if role & role::LEAD != 0 {
                        let alike = |other: &usize| {
                            let place = |slot: usize| state.pieces[state.mover.index()][slot].max(1);
                            state.roles[*other] & role::FOLLOWER != 0 && place(*other) == place(slot)
                        };
                        for follower in (0..self.seating.pieces).filter(alike) {
                            let mut before = before;
                            before.roles[follower] &= role::ENTERED;
                            found.push(before);
                        }
                    } else {
                        found.push(before);
                    }
                }
            } else if role & (role::ENTERED | role::BORNE) != 0 && state.steps[slot] == 0 {
                before.roles[slot] = role::FRESH;
                found.push(before);
            }
        }
        if let Some(turns) = self.series().filter(|turns| turns.remembers_skipped()) {
            let bit = turns.skipped_bit(pips).unwrap_or(0);
            found.push(State { skipped: state.skipped & !bit, ..*state });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::chance;
    use crate::game::Outcome;
    use crate::ruleset::Ruleset;

    #[test]
    fn what_no_play_reaches_is_refused() {
        for text in [
            // The 4 was thrown before the first 1 and is lost; nothing else was allotted.
            "ashtapada S:off,off/N:off,off S 4,1,3;",
            "ashtapada S:5,30/N:off,23 S 4,2;",
            "ashtapada S:5,30/N:off,23 S 4,2;5+200",
            "ashtapada S:6,6/N:23,23 S 2;6&1",
            "pagade S:3,12,30,73/N:6,7,12,68 S 6;30+3,73+1",
            "pagade S:3,12,30,73/N:6,7,12,68 S 6;30+5",
            "siga S:20,21/N:off,off S 1;/4",
            "siga S:20,home/N:off,off S 9;/4",
            "ashta-kashte-1892?grace=separate S:off,off,5,5/N:off,off,off,off S 4;in",
            "saturankam S:0,0/N:0,0 S 1,3;0+5",
        ] {
            assert!(Race::parse(text).is_err(), "{text}");
        }
        for text in [
            "ashtapada S:off,off/N:off,off S 4,3;off+0",
            "siga S:20,home/N:off,off S 2;/4",
            "ashta-kashte-1892?grace=separate S:off,off,0,5/N:off,off,off,off S 4;in",
            "saturankam S:0,0/N:0,0 S 1,3;0+3",
        ] {
            assert!(Race::parse(text).is_ok(), "{text}: {:?}", Race::parse(text).err());
        }
    }

    #[test]
    fn what_is_played_comes_about() {
        for game in [
            "ashtapada?pieces=3",
            "ashtapada?must_use=greedy&pieces=3",
            "ashtapada?must_use=optional",
            "ashtapada?twin_speed=half_floor&twins=bell",
            "ashtapada?twin_split=false&x=block&pieces=4",
            "thaayam",
            "thaayam?hop=each",
            "siga?pieces=4",
            "ashta-kashte-1892?grace=separate",
            "chowka-5?throws=collect",
            "pagade?no_cut=lap",
            "saturankam",
        ] {
            let race = Race::new(Ruleset::seated(game, None).expect("a ruleset"));
            let mut rng = chance::stream(21, 0);
            let mut state = race.initial_state(crate::game::Seat::SOUTH);
            let mut within = 0;
            for _ in 0..4_000 {
                match race.node(&state) {
                    Node::Terminal => state = race.initial_state(crate::game::Seat::NORTH),
                    Node::Chance(_) => {
                        let outcome = chance::outcome(race.chance_outcomes(&state), rng.random());
                        race.apply_chance(&mut state, Outcome(outcome.0));
                    }
                    Node::Decision(_) => {
                        within += u32::from(state.phase == Phase::Allot);
                        let text = race.print(&state);
                        assert_eq!(race.parse_state(&text).as_ref(), Ok(&state), "{text}");
                        let legal = race.legal_actions(&state);
                        let action = legal.nth(rng.random_range(0..legal.len())).expect("a legal action");
                        race.apply_action(&mut state, action);
                    }
                }
            }
            assert!(within > 20, "{game}: {within}");
        }
    }
}
