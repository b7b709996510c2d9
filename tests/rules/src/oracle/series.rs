//! Turns of a series of throws: every use of some of the throws in some order, filtered by the rule
//! about using them.

use std::collections::BTreeSet;

use super::{
    position::{Place, Position},
    rules::Rules,
    steps::distance,
};

/// The throws given to a piece so far, where a piece moves only once.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Given {
    enters: Option<u8>,
    /// The throws of its hop, ascending.
    hop: Vec<u8>,
    /// The partner with which the piece moved as a unit.
    with: Option<usize>,
    bears: Option<u8>,
}

/// A turn under way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    position: Position,
    /// The throws left, ascending.
    unused: Vec<u8>,
    /// By piece; with `hop = each` nothing is noted.
    given: Vec<Given>,
}

/// Every position that the series can leave.
pub(super) fn results(
    rules: &Rules,
    before: &Position,
    seat: usize,
    throws: &[u8],
) -> BTreeSet<Position> {
    let mut unused = kept_throws(rules, before, seat, throws);
    unused.sort();
    let series = Series {
        rules,
        before,
        seat,
    };
    let nodes = series.all_nodes(unused);
    let least = nodes
        .iter()
        .map(|node| node.unused.len())
        .min()
        .unwrap_or(0);
    let fewer = if rules.hop == "sum" {
        with_one_less(&nodes)
    } else {
        BTreeSet::new()
    };
    let is_legal = |node: &Node| match rules.must {
        "optional" => true,
        "greedy" if rules.hop == "sum" => !fewer.contains(&node.given),
        "greedy" => series.next(node).is_empty(),
        _ => node.unused.len() == least,
    };
    nodes
        .into_iter()
        .filter(is_legal)
        .map(|node| node.position)
        .collect()
}

/// Whether any single throw of a series, or any equal dice, move anything.
pub(super) fn can_move(rules: &Rules, before: &Position, seat: usize) -> bool {
    let series = Series {
        rules,
        before,
        seat,
    };
    rules
        .values
        .iter()
        .any(|&value| series.all_nodes(vec![value; rules.dice]).len() > 1)
}

/// The throws that are not lost, without those that move nothing.
fn kept_throws(rules: &Rules, before: &Position, seat: usize, throws: &[u8]) -> Vec<u8> {
    let is_home = before.pieces[seat]
        .iter()
        .any(|piece| piece.place == Place::Home);
    let loses = match rules.lost_before {
        "off-board" => !before.is_on_course(seat) && !is_home,
        "off-course" => !before.is_on_course(seat),
        _ => false,
    };
    let enters = |throw: &u8| rules.enter_first.contains(throw);
    let lost = if loses {
        throws.iter().position(enters).unwrap_or(throws.len())
    } else {
        0
    };
    throws[lost..]
        .iter()
        .copied()
        .filter(|&throw| throw > 0)
        .collect()
}

/// Every allotment with one throw less.
fn with_one_less(nodes: &BTreeSet<Node>) -> BTreeSet<Vec<Given>> {
    let mut less = BTreeSet::new();
    for given in nodes.iter().map(|node| &node.given) {
        for piece in 0..given.len() {
            if given[piece].hop.is_empty() && given[piece] != Given::default() {
                let mut without = given.clone();
                without[piece] = Given::default();
                less.insert(without);
            }
            for at in 0..given[piece].hop.len() {
                let mut without = given.clone();
                for half in [Some(piece), given[piece].with].into_iter().flatten() {
                    without[half].hop.remove(at);
                    without[half].with = given[half].with.filter(|_| given[half].hop.len() > 1);
                }
                less.insert(without);
            }
        }
    }
    less
}

struct Series<'a> {
    rules: &'a Rules,
    before: &'a Position,
    seat: usize,
}

impl Series<'_> {
    /// Every turn under way that some of the throws lead to.
    fn all_nodes(&self, unused: Vec<u8>) -> BTreeSet<Node> {
        let given = vec![Given::default(); self.rules.count];
        let mut open = vec![Node {
            position: self.before.clone(),
            unused,
            given,
        }];
        let mut nodes = BTreeSet::from_iter(open.iter().cloned());
        while let Some(node) = open.pop() {
            for next in self.next(&node) {
                if nodes.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        nodes
    }

    /// The turns after one more step.
    fn next(&self, node: &Node) -> Vec<Node> {
        let mut found = Vec::new();
        for throws in self.portions(&node.unused) {
            if let &[throw] = throws.as_slice() {
                self.enter_or_bear_off(node, throw, &mut found);
            }
            for piece in 0..self.rules.count {
                if self.is_free(node, piece) && self.may_leave_alone(node, piece) {
                    self.hop(node, &[piece], &throws, Some(distance(&throws)), &mut found);
                }
            }
            if self.rules.dice == 1 {
                self.pairs(node, &throws, &mut found);
            }
        }
        if self.rules.dice > 1 {
            self.groups_by_equal_dice(node, &mut found);
        }
        found
    }

    fn pairs(&self, node: &Node, throws: &[u8], found: &mut Vec<Node>) {
        for pair in self.rules.groups(&node.position, self.seat, 2) {
            if pair.iter().all(|&piece| self.is_free(node, piece)) {
                self.hop(node, &pair, throws, self.rules.unit_distance(throws), found);
            }
        }
    }

    /// Two pieces use two equal dice, three pieces three; they move as far as a unit moves by one
    /// of the dice.
    fn groups_by_equal_dice(&self, node: &Node, found: &mut Vec<Node>) {
        for &value in &self.rules.values {
            let equal = node.unused.iter().filter(|&&die| die == value).count();
            for size in 2..=equal.min(3) {
                if size == 3 && !self.rules.three.contains(&value) {
                    continue;
                }
                for group in self.rules.groups(&node.position, self.seat, size) {
                    self.hop(
                        node,
                        &group,
                        &vec![value; size],
                        self.rules.unit_distance(&[value]),
                        found,
                    );
                }
            }
        }
    }

    fn moves_once(&self) -> bool {
        self.rules.hop == "sum"
    }

    fn is_free(&self, node: &Node, piece: usize) -> bool {
        !self.moves_once() || !node.position.pieces[self.seat][piece].moved
    }

    /// The throws that one hop can take.
    fn portions(&self, unused: &[u8]) -> BTreeSet<Vec<u8>> {
        let mut portions = BTreeSet::from([Vec::new()]);
        for &throw in unused {
            let longer: Vec<Vec<u8>> = portions
                .iter()
                .filter(|portion| portion.is_empty() || self.moves_once())
                .map(|portion| [portion.as_slice(), &[throw]].concat())
                .collect();
            portions.extend(longer);
        }
        portions.remove(&Vec::new());
        portions
    }

    /// If a piece moves once a turn, the pieces count that shared a square when the turn began.
    fn may_leave_alone(&self, node: &Node, piece: usize) -> bool {
        let began = self.before.pieces[self.seat][piece];
        if !self.moves_once() || self.rules.unit != "together" {
            return self.rules.may_leave_alone(&node.position, self.seat, piece);
        }
        let together: Vec<usize> = (0..self.rules.count)
            .filter(|&other| self.before.pieces[self.seat][other] == began)
            .collect();
        let left_alone = together.iter().filter(|&&other| {
            let given = &node.given[other];
            !given.hop.is_empty() && given.with.is_none()
        });
        self.rules.split
            || !self.rules.in_area(self.seat, began)
            || left_alone.count() < together.len() % 2
    }

    fn enter_or_bear_off(&self, node: &Node, throw: u8, found: &mut Vec<Node>) {
        for piece in 0..self.rules.count {
            if let Some(after) = self.rules.enter(&node.position, self.seat, piece, throw) {
                found.push(self.noted(node, after, &[throw], &[piece], |given| {
                    given.enters = Some(throw)
                }));
            }
            if self.is_free(node, piece)
                && let Some(after) = self.rules.bear_off(&node.position, self.seat, piece, throw)
            {
                found.push(self.noted(node, after, &[throw], &[piece], |given| {
                    given.bears = Some(throw)
                }));
            }
        }
    }

    fn hop(
        &self,
        node: &Node,
        own: &[usize],
        throws: &[u8],
        distance: Option<i32>,
        found: &mut Vec<Node>,
    ) {
        let after =
            distance.and_then(|distance| self.rules.hop(&node.position, self.seat, own, distance));
        if let Some(after) = after {
            let mut next = self.noted(node, after, throws, own, |given| {
                given.hop = throws.to_vec()
            });
            if let (&[one, other], true) = (own, self.moves_once()) {
                (next.given[one].with, next.given[other].with) = (Some(other), Some(one));
            }
            found.push(next);
        }
    }

    /// The turn after the pieces `own` used `throws`, which led to the position `after`.
    fn noted(
        &self,
        node: &Node,
        mut after: Position,
        throws: &[u8],
        own: &[usize],
        note: impl Fn(&mut Given),
    ) -> Node {
        let mut next = node.clone();
        for throw in throws {
            if let Some(at) = next.unused.iter().position(|unused| unused == throw) {
                next.unused.remove(at);
            }
        }
        if self.moves_once() {
            own.iter().for_each(|&piece| note(&mut next.given[piece]));
        } else {
            after.pieces[self.seat]
                .iter_mut()
                .for_each(|piece| piece.moved = false);
        }
        Node {
            position: after,
            ..next
        }
    }
}
