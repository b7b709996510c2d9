//! Finds the largest number of throws of a series that can be used.
//!
//! With few throws, the search gives each throw to every unit that can take it. With more throws,
//! it tries every choice of pieces that enter, are borne off (leave the board from the finish),
//! move alone and move together. Then the moving units share the throws. Whether a unit can land
//! depends only on the number of throws of each kind that it takes. This is a knapsack problem,
//! solved by dynamic programming over the units, so the time grows slowly with the length of the
//! series.

use std::cell::RefCell;

use super::{
    SeriesTurns,
    allot::{Allotment, SeriesTurn, Units, base},
};
use crate::{
    game::Action,
    race::{
        compile::reach::places_of,
        position::state::{MAX_PIECES, role},
        turns::{
            actions::{PAIRS, PASS},
            series_throws::{AllottedThrow, Remaining},
        },
    },
    sheet::values::Must,
};

/// Up to this number of throws, trying a unit for each throw is faster.
const FEW: u32 = 3;

/// Numbers of throws: of the second kind, of the third kind, and of last throws.
type Counts = [u8; 3];

/// Throws that a unit can take.
struct Share {
    /// The index of its throws other than 1 in [`Lists::counts`].
    at: usize,
    /// 1 if the unit then ends before the finish, otherwise 0.
    away: usize,
    /// The possible counts of throws of 1, as bits.
    ones: u128,
}

/// The share of a piece that enters or is borne off: one throw of 1.
const ONE: Share = Share {
    at: 0,
    away: 0,
    ones: 1 << 1,
};

/// A search for the allotment that uses the largest number of throws.
struct Search<'a> {
    turns: &'a SeriesTurns,
    turn: &'a SeriesTurn,
    /// The kinds of throws, and the number of remaining throws of each kind. 1 is the first kind.
    kinds: [AllottedThrow; 4],
    all: [u8; 4],
    /// The counts of throws of 1 that fit, as bits.
    ones: u128,
    /// With [`Must::Greedy`]: only throws of these kinds are allowed to stay unused, and no unit
    /// can take one of them. Otherwise 0. As `SeriesThrows::bit`s.
    left: u8,
    /// The search stops at this number of used throws.
    enough: u32,
    /// The best result so far.
    most: Option<u32>,
    lists: &'a mut Lists,
}

/// The buffers of a search. The next search reuses them and allocates no memory.
#[derive(Default)]
struct Lists {
    /// The combinations of throws other than 1, up to the remaining ones. The index of a sum of
    /// combinations is the sum of their indices.
    counts: Vec<Counts>,
    shares: Vec<Share>,
    /// After each choice: for each combination of other throws taken, the possible counts of throws
    /// of 1, as bits. The combinations while all units end on the finish come first.
    taken: [Vec<u128>; 2 * MAX_PIECES + 1],
}

thread_local! {
    static LISTS: RefCell<Lists> = RefCell::default();
}

impl SeriesTurns {
    /// Returns the largest number of the `remaining` throws that a legal completion of `allotment`
    /// uses. A smaller result is allowed if it is at least `enough`. Returns `None` if `allotment`
    /// cannot be completed legally.
    #[inline]
    pub fn most_used(
        &self,
        turn: &SeriesTurn,
        allotment: &Allotment,
        remaining: Remaining,
        enough: u32,
    ) -> Option<u32> {
        let count = remaining.count();
        // Far from the finish, one unit can take all remaining throws.
        if self.completes(allotment)
            && (count == 0 || enough == 0 || self.moves_by(turn, allotment, self.sum(remaining)))
        {
            return Some(if enough == 0 { 0 } else { count });
        }
        let Some((throw, rest)) = remaining.split() else {
            return self.is_complete(turn, allotment).then_some(0);
        };
        if count <= FEW {
            let mut most = None;
            for next in self.extensions(turn, allotment, throw) {
                let used = self.most_used(turn, &next, rest, enough.saturating_sub(1));
                most = most.max(used.map(|used| used + 1));
                if most >= Some(enough) {
                    return most;
                }
            }
            let unused = self.give(turn, allotment, throw, PASS);
            return most.max(self.most_used(turn, &unused, rest, enough));
        }
        let kinds = remaining.kinds();
        LISTS.with_borrow_mut(|lists| {
            let mut search = Search {
                turns: self,
                turn,
                kinds: kinds.map(|(throw, _)| throw),
                all: kinds.map(|(_, count)| count),
                ones: u128::MAX >> (127 - kinds[0].1),
                left: 0,
                enough: enough.min(self.most_by_room(turn, allotment, remaining)),
                most: None,
                lists,
            };
            search.run(allotment);
            search.most
        })
    }
}

impl Search<'_> {
    fn run(&mut self, allotment: &Allotment) {
        let [_, second, third, last] = self.all;
        self.lists.counts.clear();
        for second in 0..=second {
            for third in 0..=third {
                let counts = (0..=last).map(|last| [second, third, last]);
                self.lists.counts.extend(counts);
            }
        }
        let remaining = self.kinds.into_iter().zip(self.all);
        let free = match self.turns.must {
            Must::Greedy => remaining
                .filter(|&(_, count)| count > 0)
                .fold(0, |bits, (throw, _)| bits | self.turns.series.bit(throw)),
            _ => 0,
        };
        // Visits all subsets of `free`.
        let mut subset = 0_u8;
        loop {
            self.left = subset | allotment.skipped;
            self.begin(allotment);
            subset = subset.wrapping_sub(free) & free;
            if subset == 0 || self.most >= Some(self.enough) {
                return;
            }
        }
    }

    /// Gives throws to the units that already move, then tries all choices.
    fn begin(&mut self, allotment: &Allotment) {
        let first = &mut self.lists.taken[0];
        first.clear();
        first.resize(2 * self.lists.counts.len(), 0);
        first[0] = 1;
        let mut depth = 0;
        for slot in allotment.roles.have(role::SINGLE | role::LEAD).iter() {
            self.find_shares(allotment, slot);
            if !self.take(depth) {
                return;
            }
            depth += 1;
        }
        self.choose(allotment, depth, 0);
    }

    /// Tries all choices of more pieces that enter, move alone, move together, and are borne off,
    /// in this order. `depth` choices are made. `least` is the number of the first choice to try.
    fn choose(&mut self, allotment: &Allotment, depth: usize, least: usize) {
        // Units that already move are not chosen again.
        let roles = allotment.roles;
        let mut units = self.turns.units(self.turn, allotment, 0);
        units.alone = units.alone & !roles.have(role::SINGLE);
        units.together = units.together & !roles.have(role::LEAD);
        let at_finish = self.turn.own.are(self.turns.rules.home) & !roles.have(role::BORNE);
        units.bearing = at_finish.lowest().when(self.turns.bears);
        self.end(allotment, &units, depth);
        // The slots, whether the piece uses a throw of 1, and the first action.
        let choices = [
            (units.entering, true, 0),
            (units.alone, false, 0),
            (units.together, false, PAIRS.0),
            (units.bearing, true, 0),
        ];
        for (phase, (slots, uses_one, first)) in choices.into_iter().enumerate() {
            for (slot, choice) in slots.iter().map(|slot| (slot, MAX_PIECES * phase + slot)) {
                // In ascending order, so that each set of choices is tried once.
                if choice < least || self.most >= Some(self.enough) {
                    continue;
                }
                let action = Action(first + slot as u8);
                let moved = self.turns.moving(self.turn, allotment, action);
                if uses_one {
                    self.lists.shares.clear();
                    self.lists.shares.push(ONE);
                } else {
                    self.find_shares(&moved, slot);
                }
                if self.take(depth) {
                    self.choose(&moved, depth + 1, choice);
                }
            }
        }
    }

    /// Ends the turn with these choices: finds the largest number of throws that the units can
    /// take. `idle` are the units that do not move.
    fn end(&mut self, allotment: &Allotment, idle: &Units, depth: usize) {
        let is_bearing = !allotment.roles.have(role::BORNE).is_empty();
        let home_or_moving =
            self.turn.own.at_least(self.turns.rules.home) | allotment.roles.have(role::TAKEN);
        let can_bear = (!home_or_moving).is_empty();
        let has_one = self.left & self.turns.series.bit(self.kinds[0]) != 0;
        if is_bearing && !can_bear
            || has_one && !idle.entering.is_empty()
            || self.is_extended_by(idle)
        {
            return;
        }
        // Pieces are borne off if all units are on the finish. An unused throw of 1 must not be
        // able to bear off a piece.
        let can_bear_more = has_one && can_bear && !idle.bearing.is_empty();
        let size = self.lists.counts.len();
        let taken = match (is_bearing, can_bear_more) {
            (true, true) => return,
            (true, false) => 0..size,
            (false, true) => size..2 * size,
            (false, false) => 0..2 * size,
        };
        let must = self.kinds.map(|throw| {
            self.turns.must == Must::Greedy && self.left & self.turns.series.bit(throw) == 0
        });
        let ones = if must[0] { 1 << self.all[0] } else { self.ones };
        for at in taken {
            let ones = self.lists.taken[depth][at] & ones;
            let counts = self.lists.counts[at % size];
            if ones != 0 && (0..3).all(|kind| !must[kind + 1] || counts[kind] == self.all[kind + 1])
            {
                let used = ones.ilog2() + u32::from(counts.iter().sum::<u8>());
                self.most = self.most.max(Some(used));
            }
        }
    }

    /// Returns whether a unit on the course that does not move could take a throw that is allowed
    /// to stay unused.
    fn is_extended_by(&self, idle: &Units) -> bool {
        self.pips_left().any(|pips| {
            let joint = self.turns.joint_steps(pips);
            let is_open =
                |slot: usize, steps: u8| self.open() >> idle.reached.get(slot) >> steps & 1 == 1;
            idle.alone.iter().any(|slot| is_open(slot, pips))
                || joint > 0 && idle.together.iter().any(|slot| is_open(slot, joint))
        })
    }

    /// Iterates over the values of throws that are allowed to stay unused.
    fn pips_left(&self) -> impl Iterator<Item = u8> {
        let (series, left) = (&self.turns.series, self.left);
        series
            .all()
            .filter(move |&throw| left & series.bit(throw) != 0)
            .map(|throw| series.pips(throw))
    }

    /// Returns the places where a piece can land, as bits.
    fn open(&self) -> u64 {
        ((2 << self.turns.rules.home) - 2) & !self.turn.closed
    }

    /// Finds the shares of the unit of `slot`. After taking a share, the unit must be unable to
    /// take more of the throws that are allowed to stay unused.
    fn find_shares(&mut self, allotment: &Allotment, slot: usize) {
        let turns = self.turns;
        let moved = allotment.steps.get(slot);
        let is_pair = allotment.roles.get(slot) & role::LEAD != 0;
        let reached = base(self.turn.own.get(slot)) + moved;
        let steps = |pips: u8| match is_pair {
            true => turns.joint_steps(pips),
            false => pips,
        };
        let is_takeable = |pips: u8| !is_pair || turns.can_join(turns.joint_steps(pips));
        let open = self.open();
        let ends = open & u64::MAX << (reached + u8::from(moved == 0));
        let ends = self
            .pips_left()
            .filter(|&pips| is_takeable(pips))
            .fold(ends, |ends, pips| ends & !(open >> steps(pips)));
        let [by_one, by_kind @ ..] = self.kinds.map(|throw| steps(turns.series.pips(throw)));
        let home = 1 << turns.rules.home;
        self.lists.shares.clear();
        for (at, counts) in self.lists.counts.iter().enumerate() {
            let can_take =
                |kind: usize| counts[kind] == 0 || by_kind[kind] > 0 || turns.can_join(0);
            let moved = (0..3).map(|kind| u32::from(counts[kind]) * u32::from(by_kind[kind]));
            let place = u32::from(reached) + moved.sum::<u32>();
            if place >= 64 || is_pair && !(0..3).all(can_take) {
                continue;
            }
            for (away, ends) in [(0, ends & home), (1, ends & !home)] {
                let here = u128::from(ends >> place);
                let ones = match by_one {
                    0 if turns.can_join(0) => (here & 1).wrapping_neg(),
                    0 => here & 1,
                    _ => here,
                } & self.ones;
                if ones != 0 {
                    self.lists.shares.push(Share { at, away, ones });
                }
            }
        }
    }

    /// Lets one more unit take one of its shares: fills the next `taken`. Returns whether the
    /// remaining throws suffice.
    fn take(&mut self, depth: usize) -> bool {
        let Lists {
            counts,
            shares,
            taken,
        } = &mut *self.lists;
        let (before, next) = taken.split_at_mut(depth + 1);
        let (before, next) = (&before[depth], &mut next[0]);
        let size = counts.len();
        next.clear();
        next.resize(2 * size, 0);
        let mut any = 0;
        for (at, &ones) in before.iter().enumerate().filter(|&(_, &ones)| ones != 0) {
            for share in &*shares {
                let [one, other] = [counts[at % size], counts[share.at]];
                if (0..3).all(|kind| one[kind] + other[kind] <= self.all[kind + 1]) {
                    let after = sums(ones, share.ones) & self.ones;
                    next[((at / size) | share.away) * size + at % size + share.at] |= after;
                    any |= after;
                }
            }
        }
        any != 0
    }
}

/// Returns all sums of a number of one set and a number of the other set. Sets are bits.
fn sums(one: u128, other: u128) -> u128 {
    let (few, many) = if one.count_ones() < other.count_ones() {
        (one, other)
    } else {
        (other, one)
    };
    places_of(few).fold(0, |sums, number| sums | many << number)
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Arc};

    use rand::RngExt;

    use super::*;
    use crate::{
        chance,
        game::{Game, Node},
        race::Race,
        sheet::{Sheet, Speed, ruleset::Ruleset},
    };

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

    /// The results of [`tried`].
    type Known = HashMap<(Allotment, Remaining), Option<u32>>;

    /// [`SeriesTurns::most_used`] by trying all units for each throw, one throw after the other.
    fn tried(
        (turns, turn): (&SeriesTurns, &SeriesTurn),
        allotment: &Allotment,
        remaining: Remaining,
        known: &mut Known,
    ) -> Option<u32> {
        let Some((throw, rest)) = remaining.split() else {
            return turns.is_complete(turn, allotment).then_some(0);
        };
        if let Some(&most) = known.get(&(*allotment, remaining)) {
            return most;
        }
        let unused = turns.give(turn, allotment, throw, PASS);
        let mut most = tried((turns, turn), &unused, rest, known);
        for next in turns.extensions(turn, allotment, throw) {
            most = most.max(tried((turns, turn), &next, rest, known).map(|used| used + 1));
        }
        known.insert((*allotment, remaining), most);
        most
    }

    /// Plays random turns of two to nine throws. At each position, compares the results for every
    /// action.
    #[test]
    fn the_number_of_used_throws_agrees_with_a_search_of_all_allotments() {
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
                let mut known = Known::new();
                for action in race.legal_actions(&state).iter().chain([PASS]) {
                    let next = turns.give(&turn, &allotment, throw, action);
                    let most = tried((turns, &turn), &next, rest, &mut known);
                    for enough in [0, 1, rest.count()] {
                        let found = turns.most_used(&turn, &next, rest, enough);
                        // Any number of at least `enough` is correct.
                        assert_eq!(
                            found.map(|found| found.min(enough)),
                            most.map(|most| most.min(enough)),
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
