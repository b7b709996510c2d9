//! Value iteration for two seats: a zero-sum game, so one number a position is enough.
//!
//! A value is the expected return of the seat that is about to throw, as a fraction of 2³² − 1: finer than single
//! precision, and the other seat's value is exactly the complement of its bits.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use ashta_env::game::Seat;
use ashta_env::turn_index::{Continuation, Side, SideInfo, TurnEnd, TurnModel, TurnVisitor};

use super::sweep::{Kernel, SharedValues, SweepOrder};

/// The bits of the value 1.
pub(super) const ONE: u32 = u32::MAX;
/// The value of one bit.
pub(super) const UNIT: f64 = 1.0 / ONE as f64;

/// Fresh cells for `count` values, all of them a half.
pub(super) fn cells(count: usize) -> Vec<AtomicU32> {
    std::iter::repeat_with(|| AtomicU32::new(ONE / 2)).take(count).collect()
}

/// The order of the positions of two seats. Irreversible gains of a seat (pieces at home, a cut) make the layers;
/// the steps that both seats have made together, from the most to the fewest, make the levels.
#[derive(Debug)]
pub(super) struct PairOrder {
    layers: Vec<SideLayer>,
    /// Pairs of layers, those that the others lead to first.
    pairs: Vec<[usize; 2]>,
}

/// The side positions of one layer.
#[derive(Debug)]
struct SideLayer {
    sides: Range<usize>,
    height: u8,
    /// By steps the first side position with as many or more; one more entry at the end.
    first: Vec<usize>,
}

impl SideLayer {
    fn with_steps(&self, steps: usize) -> Range<usize> {
        match self.first.get(steps..steps + 2) {
            Some(&[first, end]) => first..end,
            _ => 0..0,
        }
    }
}

impl PairOrder {
    /// The order of the positions of these side positions, which are sorted by layer and then by steps.
    pub(super) fn new(sides: &[SideInfo]) -> PairOrder {
        let mut layers: Vec<SideLayer> = Vec::new();
        for layer in sides.chunk_by(|a, b| a.layer == b.layer) {
            let start = layers.last().map_or(0, |layer| layer.sides.end);
            let most = layer.iter().map(|side| usize::from(side.steps)).max().unwrap_or(0);
            let below = |steps: usize| layer.partition_point(|side| usize::from(side.steps) < steps);
            layers.push(SideLayer {
                sides: start..start + layer.len(),
                height: layer[0].height,
                first: (0..=most + 1).map(|steps| start + below(steps)).collect(),
            });
        }
        let mut pairs: Vec<[usize; 2]> = (0..layers.len()).flat_map(|a| (0..=a).map(move |b| [a, b])).collect();
        pairs.sort_by_key(|&[a, b]| std::cmp::Reverse(layers[a].height + layers[b].height));
        PairOrder { layers, pairs }
    }

    /// The positions of a level as ranges of side positions that meet all those of another range, each two side
    /// positions once; where both ranges are the same, their side positions meet each other.
    pub(super) fn blocks(&self, layer: usize, level: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let pair = self.pairs[layer];
        let [a, b] = pair.map(|layer| &self.layers[layer]);
        let total = self.levels(layer) - 1 - level;
        let first = if pair[0] == pair[1] { total.div_ceil(2) } else { 0 };
        let steps = first..a.first.len().min(total + 1);
        let blocks = steps.map(move |steps| (a.with_steps(steps), b.with_steps(total - steps)));
        blocks.filter(|(own, other)| !own.is_empty() && !other.is_empty())
    }
}

impl SweepOrder for PairOrder {
    /// One side position and a range of others.
    type Row = (Side, Range<usize>);
    /// Two side positions, which stand for the positions in which a seat with either of them throws.
    type Item = [Side; 2];

    fn layers(&self) -> usize {
        self.pairs.len()
    }

    fn share(&self, layer: usize) -> f64 {
        let total = self.layers.last().map_or(0, |layer| layer.sides.end) as f64;
        let [a, b] = self.pairs[layer];
        let [first, second] = [a, b].map(|layer| self.layers[layer].sides.len() as f64 / total);
        if a == b { first * second } else { 2.0 * first * second }
    }

    fn levels(&self, layer: usize) -> usize {
        let [a, b] = self.pairs[layer].map(|layer| self.layers[layer].first.len() - 1);
        a + b - 1
    }

    fn rows(&self, layer: usize, level: usize, out: &mut Vec<Self::Row>) {
        for (own, other) in self.blocks(layer, level) {
            let is_same = own == other;
            let rows = other.map(|other| (other as Side, if is_same { other..own.end } else { own.clone() }));
            out.extend(rows);
        }
    }

    fn items(&self, (other, owns): &Self::Row) -> impl Iterator<Item = [Side; 2]> {
        owns.clone().map(|own| [own as Side, *other])
    }
}

/// The policy of one of two players, with the values of the positions in which it throws and of those in which the
/// other one does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Role<'a> {
    pub(super) mine: &'a SharedValues,
    pub(super) theirs: &'a SharedValues,
    pub(super) style: PlayerPolicy<'a>,
}

/// The policy of a player.
#[derive(Clone, Copy, Debug)]
pub enum PlayerPolicy<'a> {
    /// The best response to the other player.
    Best,
    /// The afterstate whose value here is highest for it; among equals the worst for it, so that the score found is a
    /// lower bound. Values are for each position at the start of a turn those of the seat that throws, as fractions of
    /// 2³² − 1 and in the order of [`TurnModel::number`].
    GreedyBy(&'a [AtomicU32]),
    /// A fixed policy, whatever the values.
    Tabular(&'a TabularPolicy),
}

impl PlayerPolicy<'_> {
    /// Whether the player chooses by the values of its afterstates.
    fn is_best(self) -> bool {
        matches!(self, PlayerPolicy::Best)
    }
}

/// The tabulated policy of a player that does not choose by values: the ends of its turns.
#[derive(Debug)]
pub struct TabularPolicy {
    /// For each position the place of its first turn, by number; and one more.
    first: Vec<usize>,
    /// Throws by probability, and the end of the turn.
    turns: Vec<(f32, TurnEnd)>,
}

impl TabularPolicy {
    /// The policy with these turns from each position, in the order of [`TurnModel::number`]: the probabilities of
    /// throws and where they lead. A number that no position has leads nowhere.
    pub fn new(positions: impl Iterator<Item = Vec<(f32, TurnEnd)>>) -> TabularPolicy {
        let mut policy = TabularPolicy { first: vec![0], turns: Vec::new() };
        for turns in positions {
            policy.turns.extend(turns);
            policy.first.push(policy.turns.len());
        }
        policy
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    fn visit(&self, position: usize, visitor: &mut impl TurnVisitor) {
        for &(probability, end) in &self.turns[self.first[position]..self.first[position + 1]] {
            visitor.throws(probability.into());
            visitor.end(end);
        }
    }
}

/// The positions of a game for two.
#[derive(Debug)]
pub(super) struct Duel<'a, T> {
    pub(super) turns: &'a T,
    mover: Seat,
    /// Number of side positions.
    pub(super) count: usize,
}

impl<'a, T: TurnModel> Duel<'a, T> {
    pub(super) fn new(turns: &'a T) -> Duel<'a, T> {
        Duel { turns, mover: turns.movers()[0], count: turns.sides().len() }
    }

    #[inline]
    pub(super) fn cell(&self, [own, other]: [Side; 2]) -> usize {
        usize::from(own) * self.count + usize::from(other)
    }

    #[inline]
    pub(super) fn is_position(&self, [own, other]: [Side; 2]) -> bool {
        self.turns.is_position(self.mover, [own, other, 0, 0])
    }

    #[inline]
    pub(super) fn visit(&self, [own, other]: [Side; 2], visitor: &mut impl TurnVisitor) {
        self.turns.visit(self.mover, [own, other, 0, 0], visitor);
    }

    /// The value of a turn to the player with the first of two side positions, if passing has the value `pass`.
    #[inline]
    pub(super) fn backup(&self, sides: [Side; 2], role: Role<'_>, pass: u32) -> Backup {
        let nothing = Backup::NOTHING;
        let count = self.count;
        let mut choice = BestChoice {
            role,
            sides,
            count,
            pass,
            found: nothing,
            probability: 0.0,
            best: None,
            leads_to: NextPosition::Elsewhere,
        };
        match role.style {
            PlayerPolicy::Best | PlayerPolicy::GreedyBy(_) => self.visit(sides, &mut choice),
            PlayerPolicy::Tabular(policy) => policy.visit(self.cell(sides), &mut choice),
        }
        choice.settle();
        choice.found.scaled(1.0 / (1.0 - self.turns.cut_off()))
    }

    /// The values of two positions that passing leads to from each other: `role` throws with the first of two side
    /// positions, or `reply` with the second. Passing and throwing again without a move are solved for, not iterated.
    #[inline]
    pub(super) fn pair(&self, sides: [Side; 2], [role, reply]: [Role<'_>; 2]) -> [u32; 2] {
        let swapped = [sides[1], sides[0]];
        let pass = !role.theirs[self.cell(swapped)].load(Ordering::Relaxed);
        let first = self.backup(sides, role, pass).moving();
        let is_mirror = sides[0] == sides[1] && role.style.is_best() && reply.style.is_best();
        // The second player uses the new value of the first; otherwise two players who prefer to pass would oscillate.
        let value = bits(first.sum + first.passing * f64::from(pass) * UNIT);
        let second = if is_mirror { first } else { self.backup(swapped, reply, !value).moving() };
        solve_pair(first, second)
    }

    /// The positions in which a seat with this side position throws.
    pub(super) fn positions(&self, own: Side) -> impl Iterator<Item = [Side; 2]> + Clone {
        (0..self.count).map(move |other| [own, other as Side]).filter(|&sides| self.is_position(sides))
    }

    /// As [`fold`], with each side position.
    pub(super) fn fold<A: Send>(
        &self,
        threads: usize,
        start: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, Side) + Sync,
    ) -> Vec<A> {
        fold(self.count, threads, start, visit)
    }
}

/// Calls `visit` once with each of `count` side positions, on so many threads with a fold of its own each; returns the
/// folds.
///
/// # Panics
/// When `visit` does.
pub(crate) fn fold<A: Send>(
    count: usize,
    threads: usize,
    start: impl Fn() -> A + Sync,
    visit: impl Fn(&mut A, Side) + Sync,
) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut folded = start();
        loop {
            let own = next.fetch_add(1, Ordering::Relaxed);
            if own >= count {
                return folded;
            }
            visit(&mut folded, own as Side);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut folds = vec![work()];
        folds.extend(others.into_iter().map(|other| match other.join() {
            Ok(folded) => folded,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        folds
    })
}

/// The values of two positions that passing leads to from each other; a half each where neither can do anything else.
#[inline]
pub(super) fn solve_pair(first: Backup, second: Backup) -> [u32; 2] {
    let going = 1.0 - first.passing * second.passing;
    if going < 1e-12 {
        return [ONE / 2; 2];
    }
    let value = (first.sum + first.passing * (1.0 - second.sum - second.passing)) / going;
    [bits(value), bits(second.sum + second.passing * (1.0 - value))]
}

/// The bits of a value.
#[inline]
pub(super) fn bits(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * f64::from(ONE) + 0.5) as u32
}

/// The backup of a turn: the value of the results that lead to other positions, times their probabilities, and the
/// probabilities of those that do not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backup {
    pub(super) sum: f64,
    /// The other player throws in the same position.
    pub(super) passing: f64,
    /// The same player throws again in the same position.
    pub(super) staying: f64,
}

impl Backup {
    pub(super) const NOTHING: Backup = Backup { sum: 0.0, passing: 0.0, staying: 0.0 };

    #[inline]
    pub(super) fn scaled(self, factor: f64) -> Backup {
        Backup { sum: self.sum * factor, passing: self.passing * factor, staying: self.staying * factor }
    }

    /// The same once the player no longer stays.
    #[inline]
    fn moving(self) -> Backup {
        let moving = 1.0 - self.staying;
        if moving < 1e-12 {
            return Backup { sum: 0.0, passing: 1.0, staying: 0.0 };
        }
        Backup { staying: 0.0, ..self }.scaled(1.0 / moving)
    }
}

/// Chooses the best result of each throw and sums up.
struct BestChoice<'a> {
    role: Role<'a>,
    sides: [Side; 2],
    count: usize,
    pass: u32,
    found: Backup,
    probability: f64,
    /// The value of the best result by the player's policy, and by its own values.
    best: Option<(u32, u32)>,
    /// The position that all results so far lead to.
    leads_to: NextPosition,
}

/// The position that results lead to.
#[derive(Clone, Copy, PartialEq)]
enum NextPosition {
    /// To the same position, with the other player to throw.
    Passing,
    /// To the same position.
    Staying,
    /// At least one to another position.
    Elsewhere,
}

impl BestChoice<'_> {
    #[inline]
    fn at(&self, cells: &SharedValues, own: Side, other: Side) -> u32 {
        cells[usize::from(own) * self.count + usize::from(other)].load(Ordering::Relaxed)
    }

    /// Adds the backup of the current throws.
    #[inline]
    fn settle(&mut self) {
        match (self.best, self.leads_to) {
            (None, _) => {}
            (_, NextPosition::Passing) => self.found.passing += self.probability,
            (_, NextPosition::Staying) => self.found.staying += self.probability,
            (Some((_, value)), NextPosition::Elsewhere) => {
                self.found.sum += self.probability * (f64::from(value) * UNIT)
            }
        }
    }
}

impl TurnVisitor for BestChoice<'_> {
    #[inline]
    fn throws(&mut self, probability: f64) {
        self.settle();
        (self.probability, self.best) = (probability, None);
    }

    // A `TurnEnd` that goes through memory is waited for: not inlined, a quarter of the time more.
    #[inline(always)]
    fn end(&mut self, end: TurnEnd) {
        let TurnEnd { sides: [own, other, ..], then } = end;
        let value = match then {
            Continuation::Next if [own, other] == self.sides => self.pass,
            Continuation::Next => !self.at(self.role.theirs, other, own),
            Continuation::Again => self.at(self.role.mine, own, other),
            Continuation::Won => ONE,
            Continuation::Drawn => ONE / 2,
        };
        let key = match (self.role.style, then) {
            (PlayerPolicy::GreedyBy(values), Continuation::Next) => !self.at(values, other, own),
            (PlayerPolicy::GreedyBy(values), Continuation::Again) => self.at(values, own, other),
            _ => value,
        };
        let leads_to = match then {
            Continuation::Next if [own, other] == self.sides => NextPosition::Passing,
            Continuation::Again if [own, other] == self.sides => NextPosition::Staying,
            _ => NextPosition::Elsewhere,
        };
        match self.best {
            None => (self.best, self.leads_to) = (Some((key, value)), leads_to),
            Some((best, chosen)) => {
                if key > best || (key == best && value < chosen) {
                    self.best = Some((key, value));
                }
                // A pass that is not forced is a result like any other: its value is iterated.
                if leads_to != self.leads_to {
                    self.leads_to = NextPosition::Elsewhere;
                }
            }
        }
    }
}

/// Perfect play of both players.
#[derive(Debug)]
pub(super) struct PerfectKernel<'a, T> {
    pub(super) duel: Duel<'a, T>,
    pub(super) cells: &'a SharedValues,
}

impl<T: TurnModel> PerfectKernel<'_, T> {
    pub(super) fn role(&self) -> Role<'_> {
        Role { mine: self.cells, theirs: self.cells, style: PlayerPolicy::Best }
    }

    /// By how much a turn of looking ahead changes the value of a position.
    pub(super) fn residual(&self, sides: [Side; 2]) -> f64 {
        let value = |sides| f64::from(self.cells[self.duel.cell(sides)].load(Ordering::Relaxed)) * UNIT;
        let pass = !self.cells[self.duel.cell([sides[1], sides[0]])].load(Ordering::Relaxed);
        let Backup { sum, passing, staying } = self.duel.backup(sides, self.role(), pass);
        let ahead = sum + passing * (f64::from(pass) * UNIT) + staying * value(sides);
        (ahead - value(sides)).abs()
    }
}

impl<T: TurnModel> Kernel<[Side; 2]> for PerfectKernel<'_, T> {
    #[inline]
    fn update(&self, sides: [Side; 2], mut set: impl FnMut(usize, u32)) {
        if !self.duel.is_position(sides) {
            return;
        }
        let [value, reply] = self.duel.pair(sides, [self.role(); 2]);
        set(self.duel.cell(sides), value);
        if sides[0] != sides[1] {
            set(self.duel.cell([sides[1], sides[0]]), reply);
        }
    }

    fn distance(&self, old: u32, new: u32) -> f64 {
        f64::from(old.abs_diff(new)) * UNIT
    }
}
