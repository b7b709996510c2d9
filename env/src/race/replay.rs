//! Backward search within a turn: a position in the middle of a turn is reachable if some position before the last
//! action leads to it, and so on back to a decision at which nothing is allotted yet.

use std::collections::{HashMap, HashSet};

use crate::game::{Action, Game, Node, Seat};
use crate::race::Race;
use crate::race::position::state::{MAX_PIECES, Phase, SeriesKind, State, role};
use crate::race::turns::Turns;
use crate::race::turns::actions::PASS;
use crate::race::turns::each::EachTurns;
use crate::race::turns::series::SeriesTurns;
use crate::race::turns::series_throws::AllottedThrow;

/// Most throws of one kind that are assumed to have been left unused before: one more makes no difference.
const MOST_UNUSED: u32 = 2;

/// Bound on the positions of one turn that are tried.
const MOST_TRIED: usize = 256;

impl Race {
    /// Whether a position within a turn is one that play can reach from the start of the turn.
    pub(crate) fn is_reachable(&self, state: &State) -> bool {
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
            Turns::Each(turns) => self.each_comes_about(turns, state),
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
                self.leads(&before, state) && self.is_reachable(&before)
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

    /// Whether a throw was played last that leads here from a position which begins the turn or itself comes about, and
    /// the throws set aside since can be. A search that exceeds [`MOST_TRIED`] positions accepts the position.
    fn each_comes_about(&self, turns: &EachTurns, state: &State) -> bool {
        let clean = State { skipped: 0, ..*state };
        // Throws are set aside in their order, and only where a later one can be played.
        let set_aside = turns.left(&clean).take(state.skipped.count_ones() as usize);
        let is_in_order = set_aside.fold(0, |bits, throw| bits | turns.series.bit(throw)) == state.skipped;
        let is_played = |state: &State| self.legal_actions(state).iter().any(|action| action != PASS);
        if !is_in_order || !is_played(state) {
            return false;
        }
        state.skipped > 0 && self.begins(turns, &clean) || self.is_after_a_throw(turns, clean)
    }

    /// Whether a throw was played last that leads to `state`, in which nothing is set aside.
    fn is_after_a_throw(&self, turns: &EachTurns, state: State) -> bool {
        let mut memo = HashMap::new();
        let mut seen = HashSet::from([state]);
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            let waits = |enemy: &Seat| state.pieces[enemy.index()].contains(&self.rules.sent_to());
            if state.has_captured && !self.seating.enemies(state.mover).iter().any(waits) {
                continue;
            }
            for throw in turns.series.all() {
                let mut with = state;
                match throw {
                    AllottedThrow::Of(kind) if !state.series.is_full() => with.series.push(kind, true),
                    AllottedThrow::Last(value) if state.dice[0] == 0 => with.dice[0] = value,
                    AllottedThrow::Of(_) | AllottedThrow::Last(_) => continue,
                }
                for before in self.unplayed(&with, turns.series.pips(throw)) {
                    let is_valid = self.seating.seats.iter().all(|seat| self.check_seat(&before, seat).is_ok())
                        && self.check_pieces(&before).is_ok();
                    if !is_valid || seen.contains(&before) || !turns.plays(&before, throw, &state, &mut memo) {
                        continue;
                    }
                    if self.begins(turns, &before) || seen.len() == MOST_TRIED {
                        return true;
                    }
                    seen.insert(before);
                    open.push(before);
                }
            }
        }
        false
    }

    /// Whether a turn whose throws are played one by one can begin so.
    fn begins(&self, turns: &EachTurns, state: &State) -> bool {
        let places = state.pieces[state.mover.index()];
        let is_kept = turns.series.is_on_board(&places) || state.series.counts()[0] > 0;
        state.dice[0] > 0 && !state.has_captured && is_kept
    }

    /// Candidates for the position before a throw of `pips` was played: all that lead to this one, and perhaps others.
    fn unplayed(&self, state: &State, pips: u8) -> Vec<State> {
        let mut found = Vec::new();
        let (rules, mover) = (&*self.rules, state.mover.index());
        let own: [(u8, u8); MAX_PIECES] =
            std::array::from_fn(|slot| (state.pieces[mover][slot], state.declared[mover] >> slot & 1));
        // Of interchangeable pieces only the first is tried.
        let firsts = (0..self.seating.pieces).filter(|&slot| slot == 0 || own[slot - 1] != own[slot]);
        for (slot, count) in firsts.flat_map(|slot| [(slot, 1), (slot, 2)]) {
            let to = own[slot].0;
            let steps = if count == 1 { pips } else { rules.effects[usize::from(pips)].unit_steps };
            if to == 0 || own.get(slot + count - 1) != Some(&own[slot]) {
                continue;
            }
            let hops = |from: u8| (rules.led(from, 1 << steps, true) | rules.led(from, 1 << steps, false)) >> to & 1;
            let leads = |from: &u8| *from == 0 || *from == rules.home && to == rules.goal || hops(*from) == 1;
            let captured = self.uncaptured(state, to);
            for (from, declared) in (0..=rules.home).filter(leads).flat_map(|from| [(from, 0), (from, 1)]) {
                let mut pieces = own;
                pieces[slot..slot + count].fill((from, declared));
                // A declared piece that moved alone has left another.
                let is_moved = |at: usize| (slot..slot + count).contains(&at);
                let left = (0..MAX_PIECES).find(|&at| count == 1 && !is_moved(at) && pieces[at] == (from, 0));
                match left {
                    Some(left) if declared == 1 => pieces[left].1 = 1,
                    None if declared == 1 && count == 1 => continue,
                    _ => {}
                }
                found.extend(captured.iter().map(|before| before.with_pieces(mover, pieces)));
            }
        }
        found
    }

    /// The positions before the mover's landing on this place has captured something or nothing.
    fn uncaptured(&self, state: &State, to: u8) -> Vec<State> {
        let (rules, mover) = (&*self.rules, state.mover.index());
        let mut found = vec![*state];
        if !state.has_captured || rules.contested >> to & 1 == 0 {
            return found;
        }
        let cell = rules.cells[mover][usize::from(to)];
        for enemy in self.seating.enemies(state.mover).iter().map(|enemy| enemy.index()) {
            let is_there = |place: &u8| rules.cells[enemy][usize::from(*place)] == cell;
            for (place, declared) in (1..rules.home).filter(is_there).flat_map(|place| [(place, 0), (place, 1)]) {
                for mut with in found.clone() {
                    while let Some(slot) = with.pieces[enemy].iter().position(|&place| place == rules.sent_to()) {
                        let mut pieces: [(u8, u8); MAX_PIECES] =
                            std::array::from_fn(|at| (with.pieces[enemy][at], with.declared[enemy] >> at & 1));
                        pieces[slot] = (place, declared);
                        with = with.with_pieces(enemy, pieces);
                        found.push(with);
                    }
                }
            }
        }
        // The capture may have been the first.
        let first = found[1..].iter().map(|before| State { has_captured: false, ..*before });
        found.extend(first.collect::<Vec<_>>());
        if rules.has_gate() {
            let shut = found[1..].iter().map(|before| State { cuts: before.cuts & !(1 << mover), ..*before });
            found.extend(shut.collect::<Vec<_>>());
        }
        found
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
        for kind in SeriesKind::ALL.into_iter().filter(|&kind| turns.series.face(kind) > 0) {
            // Throws are allotted in ascending order of their kinds.
            let is_before =
                next.is_none_or(|next| turns.series.stop(next).is_some() || turns.series.face(kind) <= next);
            if !is_before || state.series.is_full() {
                continue;
            }
            let mut with = *state;
            with.series.push(kind, true);
            for before in self.less(&with, turns.series.face(kind)) {
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
        let unit_steps = self.rules.effects[usize::from(pips)].unit_steps;
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
    use crate::sheet::ruleset::Ruleset;

    #[test]
    fn unreachable_positions_are_refused() {
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
            // No piece has entered or moved.
            "thaayam?pieces=2&hop=each S:off,off/N:off,off S 4,2;",
            // Nothing is captured where pieces enter, and what is captured is off the board.
            "thaayam?pieces=2&hop=each S:off,0/N:off,off S 4,2;+",
            "thaayam?pieces=2&hop=each S:off,5/N:10,11 S 4;+",
            // The 4 comes first; a throw is not set aside for none that can be played.
            "thaayam?pieces=2&hop=each S:4,8/N:off,off S 4,8,2;!8",
            "thaayam?pieces=2&hop=each S:23,23/N:off,off S 4,2;!4",
            // Nothing can be played any more.
            "thaayam?pieces=2&hop=each S:23,23/N:off,off S 4;",
        ] {
            assert!(Race::parse(text).is_err(), "{text}");
        }
        for text in [
            "ashtapada S:off,off/N:off,off S 4,3;off+0",
            "siga S:20,home/N:off,off S 2;/4",
            "ashta-kashte-1892?grace=separate S:off,off,0,5/N:off,off,off,off S 4;in",
            "saturankam S:0,0/N:0,0 S 1,3;0+3",
            "thaayam?pieces=2&hop=each S:off,0/N:off,off S 4,2;",
            "thaayam?pieces=2&hop=each S:off,5/N:off,11 S 4;+",
            "thaayam?pieces=2&hop=each S:4,8/N:off,off S 4,8,2;!4",
        ] {
            assert!(Race::parse(text).is_ok(), "{text}: {:?}", Race::parse(text).err());
        }
    }

    #[test]
    fn played_positions_are_reachable() {
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
