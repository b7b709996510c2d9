//! The turn of two dice for one piece, two pieces or a unit.
//!
//! The smaller die is allotted first. The first action names the piece that takes it. The second
//! action names the piece that takes the other die. If both actions name the same piece, this piece
//! moves by the sum in one hop. Pieces move in the order of the actions. Actions from
//! `LARGER_FIRST` on begin with the larger die; they are legal only if no sequence that begins with
//! the smaller die has the same result.

use std::sync::Arc;

use super::{
    KindOfTurn, TurnMachine,
    text::{Move, MoveKind, TurnNotation, TurnWords},
};
use crate::{
    game::{Action, ActionMask, BySeat, MAX_SEATS, Seat},
    race::{
        compile::Rules,
        moves::{
            ring::{self, ENEMY, OWN, PARTNER, Ring, Squares},
            two_dice::{DieHop, Hops, LARGER, SMALLER, other},
        },
        position::{
            slots::{Set, Slots},
            state::{Phase, State, role, sort},
        },
        turns::actions::{self, DICE_ACTIONS, LARGER_FIRST, PAIRS, PASS, SINGLES, with_pass},
    },
    sheet::values::Must,
};

pub const KIND: KindOfTurn = KindOfTurn {
    letter: 'D',
    name: "turn.kind = \"dice\"",
    dice: 2,
    // A hop uses one die, or the sum of both.
    steps: |[a, b]| 1 << a | 1 << b | 1 << (a + b),
};

#[derive(Clone, Debug)]
pub struct DiceTurns {
    pub rules: Arc<Rules>,
    squares: Arc<BySeat<Squares>>,
    pub is_optional: bool,
    pub has_dead_ends: bool,
    /// The kind of piece in [`Ring`] for the seat that is `[quarters]` quarter turns away,
    /// counter-clockwise.
    piece_kinds: [u8; MAX_SEATS],
    /// Pieces before this place can certainly move by some throw.
    late_from: u8,
}

impl DiceTurns {
    pub fn new(rules: Arc<Rules>) -> DiceTurns {
        let (seating, pieces) = (&rules.seating, rules.pieces());
        // From a place that is far from the gate, all step counts lead to squares before the gate.
        // A piece there can certainly move if other pieces close fewer squares than there are step
        // counts. Each piece of the partner closes one square. Two pieces of an enemy or of the own
        // seat close one square, too.
        let (enemies, partners) = (
            seating.enemies(Seat::SOUTH).len(),
            seating.partners(Seat::SOUTH).len(),
        );
        let closed = partners * pieces + enemies * (pieces / 2) + (pieces - 1) / 2;
        let is_free = rules.hops().count_ones() as usize > closed;
        let squares = Arc::new(BySeat(Seat::ALL.map(|seat| Squares::new(&rules, seat))));
        // A waiting piece also needs a die that lets it enter, and room where it enters.
        let can_enter = |stage: usize| {
            rules
                .faces
                .iter()
                .any(|&face| rules.effects[face].enters[stage])
        };
        let enters_freely = (0..2).all(can_enter)
            && (1..=rules.longest)
                .filter(|&steps| rules.hops() >> steps & 1 == 1)
                .all(|steps| {
                    let (south, entering) = (&squares[Seat::SOUTH], rules.enters_at + steps);
                    south.of(entering) == ring::BESIDE || steps > rules.longest / 2
                });
        DiceTurns {
            is_optional: rules.turn.must == Must::Optional,
            has_dead_ends: rules.waits_at_gate(),
            piece_kinds: [
                OWN,
                ENEMY,
                if rules.seating.has_teams {
                    PARTNER
                } else {
                    ENEMY
                },
                ENEMY,
            ],
            late_from: if is_free && enters_freely {
                rules.gate.saturating_sub(rules.longest)
            } else {
                0
            },
            squares,
            rules,
        }
    }

    /// Returns the pieces of `colour` with their hops by two dice. `ring` must be empty; this
    /// function adds all pieces.
    #[inline(always)]
    fn hops<'a>(
        &'a self,
        ring: &'a mut Ring,
        state: &State,
        colour: Seat,
        dice: [u8; 2],
    ) -> Hops<'a> {
        let (own, squares) = (state.pieces[colour], &self.squares[colour]);
        ring.add(&own, squares, OWN);
        for &other in self.rules.seating.others(colour) {
            let piece = self.piece_kinds[colour.quarters_to(other)];
            ring.add(&state.pieces[other], &self.squares[other], piece);
        }
        Hops::new(
            &self.rules,
            squares,
            own,
            ring,
            dice,
            self.rules.gate_rule.is_open(state, colour),
        )
    }

    /// Returns the first piece and its die, after the first action.
    #[inline]
    fn allotted(&self, state: &State) -> Option<(usize, usize)> {
        let slot = (!Slots::of(state.roles).are(role::FRESH)).iter().next()?;
        Some((
            slot,
            if state.roles[slot] & role::LARGER_FIRST == 0 {
                SMALLER
            } else {
                LARGER
            },
        ))
    }

    fn second_actions(&self, state: &State, colour: Seat) -> ActionMask {
        let Some((slot, die)) = self.allotted(state) else {
            return ActionMask::EMPTY;
        };
        let mut ring = Ring::empty();
        let hops = self.hops(&mut ring, state, colour, [state.steps[slot], state.dice[0]]);
        let may_stop = self.is_optional && hops.firsts(die).contains(slot);
        with_pass(
            ActionMask::of_bits(hops.seconds(slot, die).bits() << SINGLES.0),
            may_stop,
        )
    }

    /// Labels the piece of `slot` with its die. The other die remains.
    fn allot(&self, state: &mut State, slot: usize, die: usize, hops: &Hops) {
        let order = if die == SMALLER {
            0
        } else {
            role::LARGER_FIRST
        };
        state.roles[slot] = role::SINGLE | order;
        state.steps[slot] = hops.dice[die];
        state.dice = [hops.dice[other(die)], 0];
        state.phase = Phase::Allot;
    }

    /// Returns the moves of a turn after the second action.
    fn second_move(&self, state: &State, colour: Seat, action: Action) -> Option<[DieMove; 2]> {
        let (first, die) = self.allotted(state)?;
        let mut ring = Ring::empty();
        let hops = self.hops(
            &mut ring,
            state,
            colour,
            [state.steps[first], state.dice[0]],
        );
        let second = usize::from(action.0 % PAIRS.0);
        if action >= PAIRS {
            return hops
                .firsts(die)
                .contains(first)
                .then(|| [(first, hops.by(first, die)); 2]);
        }
        hops.seconds(first, die).contains(second).then(|| {
            if second == first {
                return [(first, hops.by_sum(first)); 2];
            }
            let [hop, next] = hops.both(first, die, second);
            [(first, hop), (second, next)]
        })
    }

    fn die(&self, state: &State, action: Action) -> u8 {
        let [a, b] = state.dice;
        match b {
            0 => a,
            _ if action >= LARGER_FIRST => a.max(b),
            _ => a.min(b),
        }
    }

    /// Moves one or two pieces, and ends the turn.
    fn resolve(&self, state: &mut State, colour: Seat, moves: Option<[DieMove; 2]>) {
        if let Some([(first, hop), (second, next)]) = moves {
            let mut own = Slots::of(state.pieces[colour])
                .with(first, hop.place)
                .with(second, next.place)
                .bytes();
            sort(&mut own);
            state.pieces[colour] = own;
            let together = second == first + 1 && hop.square == next.square;
            for hop in [hop, next].into_iter().filter(|hop| hop.captures) {
                self.rules
                    .capture(state, colour, hop.place, 1 + usize::from(together));
            }
        }
        self.end_turn(state, false);
    }
}

impl TurnMachine for DiceTurns {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn actions(&self) -> usize {
        DICE_ACTIONS
    }

    fn legal_actions(&self, state: &State) -> ActionMask {
        let colour = self.colour(state);
        if state.phase == Phase::Allot {
            return self.second_actions(state, colour);
        }
        let mut ring = Ring::empty();
        let hops = self.hops(&mut ring, state, colour, state.dice);
        let (lowest, sums, pairs) = (hops.lowest, hops.sums(), hops.pairs());
        let begins =
            |slot: usize, die: usize| lowest.contains(slot) && !hops.others(slot, die).is_empty();
        let mut smaller_first =
            (lowest & sums) | Set::of(|slot| !sums.contains(slot) && begins(slot, SMALLER));
        let order_matters = !hops.is_doublet() && hops.order_matters();
        let mut larger_first = if order_matters {
            Set::of(|slot| begins(slot, LARGER))
        } else {
            Set::NONE
        };
        if self.is_optional || (smaller_first | pairs | larger_first).is_empty() {
            smaller_first = smaller_first | (lowest & hops.firsts(SMALLER));
            larger_first = larger_first | (lowest & hops.firsts(LARGER)).when(!hops.is_doublet());
        }
        let [singles, pairs, larger_first] = [smaller_first, pairs, larger_first].map(Set::bits);
        let actions = singles << SINGLES.0 | pairs << PAIRS.0 | larger_first << LARGER_FIRST.0;
        with_pass(ActionMask::of_bits(actions), self.is_optional)
    }

    fn apply_action(&self, state: &mut State, action: Action) {
        let colour = self.colour(state);
        let moves = match (state.phase, actions::slot(action, self.rules.pieces())) {
            (Phase::Allot, _) => self.second_move(state, colour, action),
            (_, None) => None,
            (_, Some(slot)) => {
                let mut ring = Ring::empty();
                let hops = self.hops(&mut ring, state, colour, state.dice);
                let die = if action >= LARGER_FIRST {
                    LARGER
                } else {
                    SMALLER
                };
                let hop = hops.by(slot, die);
                if (PAIRS..PASS).contains(&action) {
                    hops.pairs()
                        .contains(slot)
                        .then_some([(slot, hop), (slot + 1, hop)])
                } else if !hops.seconds(slot, die).is_empty() {
                    return self.allot(state, slot, die, &hops);
                } else {
                    hops.firsts(die).contains(slot).then_some([(slot, hop); 2])
                }
            }
        };
        debug_assert!(
            moves.is_some() || action == PASS,
            "action {} is not legal in {state:?}",
            action.0
        );
        self.resolve(state, colour, moves);
    }

    fn most_numbered_seats(&self) -> usize {
        2
    }

    /// Returns whether no unfinished colour has a legal move with any throw. The position can then
    /// never change again.
    fn is_dead(&self, state: &State) -> bool {
        let mut unfinished = self
            .rules
            .seating
            .seats
            .iter()
            .filter(|&seat| state.finished[seat] == 0);
        self.has_dead_ends
            && unfinished.all(|colour| {
                // A piece before `late_from` certainly has a move with some throw.
                let is_late = state.pieces[colour][0] >= self.late_from;
                is_late
                    && !self
                        .hops(&mut Ring::empty(), state, colour, [1, 1])
                        .can_ever_move()
            })
    }

    fn ignore_dead_ends(&mut self) {
        self.has_dead_ends = false;
    }
}

impl TurnNotation for DiceTurns {
    fn load(&self, state: &mut State, values: &[u8], phase: Phase) -> Result<(), String> {
        let expected = match phase {
            Phase::Throw | Phase::Over => 0,
            Phase::Choose => 2,
            Phase::Allot => 1,
        };
        self.rules.load_dice(state, values, expected)
    }

    fn role(&self, sign: &str, _: u8, is_zero: bool) -> Option<u8> {
        match sign {
            "+" => (!is_zero).then_some(role::SINGLE),
            "^" => Some(role::SINGLE | role::LARGER_FIRST),
            _ => None,
        }
    }

    /// Checks that one piece has used one die and the other die remains.
    fn is_playable(&self, state: &State, _: &dyn Fn(&State) -> bool) -> bool {
        let (left, taken) = (
            state.dice[0],
            state
                .steps
                .iter()
                .fold(0_u8, |taken, steps| taken.saturating_add(*steps)),
        );
        let before = State {
            dice: [taken, left],
            ..state.unplayed()
        };
        self.rules.can_throw([taken.min(left), taken.max(left)]) && self.can_lead_to(&before, state)
    }

    fn words(&self) -> TurnWords {
        TurnWords {
            turn: &[
                "Two dice are thrown at once. Two pieces take one die each, in either order, or one piece takes both.",
                "A piece that takes both dice moves by their sum in one hop.",
            ],
            used: ["die", "dice"],
            whole: "A unit moves with two equal dice, each of its pieces by one die.",
            both_enter: "If two waiting pieces can enter with one die each, no piece enters with the sum.",
            entering: [
                "either die, or the sum of both,",
                "a die, or the sum of both, of",
            ],
            ..TurnWords::ONE_BY_ONE
        }
    }

    fn action_text(&self, state: &State, action: Action) -> String {
        let Some(slot) = actions::slot(action, self.rules.pieces()) else {
            return "pass".to_owned();
        };
        let place = self
            .rules
            .place_within(state, &state.pieces[self.colour(state)], slot);
        let die = self.die(state, action);
        let unit = &self.rules.words.unit;
        if actions::is_pair(action, self.rules.pieces()) {
            format!("{die},{die}: {unit} on {place}")
        } else {
            format!("{die}: {place}")
        }
    }

    fn commutes(&self, state: &State, actions: &[Action]) -> bool {
        let slots = |&action: &Action| actions::slot(action, self.rules.pieces());
        let [Some(first), Some(second)] = *actions.iter().map(slots).collect::<Vec<_>>() else {
            return true;
        };
        let die = if actions[0] >= LARGER_FIRST {
            LARGER
        } else {
            SMALLER
        };
        let mut ring = Ring::empty();
        first == second
            || self
                .hops(&mut ring, state, self.colour(state), state.dice)
                .is_same_swapped(first, die, second)
    }

    fn unit_move(&self, state: &State, action: Action) -> Option<Move> {
        let (slot, colour) = (
            actions::slot(action, self.rules.pieces())?,
            self.colour(state),
        );
        let die = if action >= LARGER_FIRST {
            LARGER
        } else {
            SMALLER
        };
        // A capture by the first piece can open the gate for the second piece.
        let to = match self.second_move(state, colour, action) {
            Some([_, (_, hop)]) => hop.place,
            None => {
                self.hops(&mut Ring::empty(), state, colour, state.dice)
                    .by(slot, die)
                    .place
            }
        };
        let (kind, from) = (
            MoveKind::of(action, self.rules.pieces()),
            state.pieces[colour][slot],
        );
        let used = actions::together(action, self.rules.pieces());
        Some(Move {
            used,
            ..Move::by(kind, slot, [from, to], self.die(state, action))
        })
    }
}

/// The slot and the hop of a piece.
type DieMove = (usize, DieHop);
