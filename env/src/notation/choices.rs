//! The moves of whole pieces that can come next in a turn, and what each captures, as a graph from its first node on.
//!
//! If each throw lands by itself, a node is a position within the turn and a move is one hop. If all throws land at
//! once, every allotment of the throws is split into moves of pieces, in any order, and a node is the set of moves made
//! so far. The page shows the lines of a node and derives nothing.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::BoardStep;
use super::steps::Travel;
use crate::game::{Action, Game, Node, Seat};
use crate::race::Race;
use crate::race::board::Square;
use crate::race::position::state::{State, sort};
use crate::race::turns::text::joined;

/// Every way to play what is left of a turn; see [`Race::turn_graph`].
#[derive(Clone, Default, Debug)]
pub struct TurnGraph {
    /// The moves, each once.
    pub moves: Vec<TurnMove>,
    /// What can come next after the moves made so far: none at first, which is node 0.
    pub nodes: Vec<TurnNode>,
    /// The distinct positions in which the turn can end, each with actions that lead there.
    pub ends: Vec<(State, Vec<Action>)>,
}

/// A move of a piece or a unit.
#[derive(Clone, Debug)]
pub struct TurnMove {
    /// Its way; the words name what it captures.
    pub step: BoardStep,
    /// The place that the pieces leave.
    pub leaves: u8,
    /// Whether they are of a declared unit.
    pub is_declared: bool,
    /// The pieces that it captures, by seat and slot at the beginning of the graph.
    pub captures: Vec<(Seat, usize)>,
}

/// What can come next.
#[derive(Clone, Default, Debug)]
pub struct TurnNode {
    /// The moves that can come next; no two have the same text. Each line has the index of its move in
    /// [`TurnGraph::moves`], the index of the next node, and the actions of the move. Take the actions of the lines in
    /// order, then the actions of the end.
    pub lines: Vec<(usize, usize, Vec<Action>)>,
    /// The index in [`TurnGraph::ends`] of the position in which the turn ends here, and the actions that end it;
    /// `None` if another piece must move.
    pub end: Option<(usize, Vec<Action>)>,
}

impl Race {
    /// The ways to play what is left of the turn of `state`. Empty where there is no decision; `None` where the turn
    /// leads through more than `most` positions.
    pub fn turn_graph(&self, state: &State, most: usize) -> Option<TurnGraph> {
        let Node::Decision(_) = self.node(state) else { return Some(TurnGraph::default()) };
        let (graph, moves, names, ends, nodes, keys, seen) = Default::default();
        let (colour, start, race) = (self.colour(state), state, self);
        let at_once = self.turns.notation().lands_at_once();
        let is_long = at_once && self.pending_throws(state).len() > FEW_THROWS;
        let mut growth = Growth { race, start, colour, most, is_long, graph, moves, names, ends, nodes, keys, seen };
        let mut shown = *state;
        shown.pieces[colour.index()] = self.reached(state).map(|place| self.lapped(state, place));
        growth.node(shown, Vec::new());
        if at_once {
            growth.allot(state, &[], &[])?;
        } else {
            growth.play(0, state, &[], &[])?;
        }
        growth.tell_apart();
        Some(growth.graph)
    }

    /// The squares on which pieces of `start` are captured on the way to `end`, each once.
    pub fn captures(&self, start: &State, end: &State) -> Vec<Square> {
        let captured = self.captured(start, end, self.colour(start)).into_iter();
        let mut squares: Vec<Square> =
            captured.filter_map(|(seat, slot)| self.square(seat, start.pieces[seat.index()][slot])).collect();
        squares.sort_unstable();
        squares.dedup();
        squares
    }
}

/// With more throws than this, a move is listed once, whatever throws make its steps.
const FEW_THROWS: usize = 8;

/// What makes a move what it is: the place that it leaves, whether the pieces are declared, their number, the throws if
/// there are few, and the place that it reaches.
type MoveKey = (u8, bool, usize, Vec<u8>, u8);

/// A graph that is being made.
struct Growth<'a> {
    race: &'a Race,
    start: &'a State,
    /// The owner of the pieces that move.
    colour: Seat,
    most: usize,
    is_long: bool,
    graph: TurnGraph,
    names: HashMap<MoveKey, usize>,
    /// The moves by their names and what they capture.
    moves: HashMap<(usize, Vec<(Seat, usize)>), usize>,
    ends: HashMap<State, usize>,
    /// The nodes by the position that is shown there and, where all throws land at once, the names of the moves made.
    nodes: HashMap<(State, Vec<usize>), usize>,
    keys: Vec<(State, Vec<usize>)>,
    /// Allotments with the names of their moves.
    seen: HashSet<(State, Vec<usize>)>,
}

impl Growth<'_> {
    fn goes_on(&self, state: &State) -> bool {
        self.race.node(state) == self.race.node(self.start)
    }

    /// Follows the positions within a turn. `state` is the position of a node after the actions of `before`, which move
    /// nothing; all actions from the start are `way`.
    fn play(&mut self, at: usize, state: &State, before: &[Action], way: &[Action]) -> Option<()> {
        for action in self.race.legal_actions(state).iter() {
            let (mut next, known) = (*state, self.keys.len());
            self.race.apply_action(&mut next, action);
            let (actions, way) = ([before, &[action]].concat(), [way, &[action]].concat());
            let (mut to, mut rest) = (at, actions.clone());
            if let Some(walk) = self.race.walk(state, action) {
                (to, rest) = (self.node(next, Vec::new()), Vec::new());
                self.line(at, &walk, to, actions);
            }
            if !self.goes_on(&next) {
                let end = self.ending(next, &way);
                self.graph.nodes[to].end.get_or_insert((end, rest));
            } else if to == at || to == known {
                self.play(to, &next, &rest, &way)?;
            }
        }
        (self.keys.len() <= self.most).then_some(())
    }

    /// Follows every way to allot the throws, and takes each apart. The actions of `way` lead to `state`; so far they
    /// make the pieces walk as `walks` says.
    fn allot(&mut self, state: &State, way: &[Action], walks: &[Travel]) -> Option<()> {
        let mut names: Vec<usize> = walks.iter().map(|walk| self.name(walk)).collect();
        names.sort_unstable();
        if !self.seen.insert((*state, names)) {
            return Some(());
        }
        if self.seen.len().max(self.keys.len() / 4) > self.most {
            return None;
        }
        if !self.goes_on(state) {
            let commutes = self.race.turns.notation().commutes(self.start, way);
            let end = (self.ending(*state, way), way.to_vec());
            self.take_apart(0, &walks.iter().collect::<Vec<_>>(), commutes, &end, &mut HashSet::new());
            return Some(());
        }
        for action in self.race.legal_actions(state).iter() {
            let (mut next, mut walks) = (*state, walks.to_vec());
            if let Some(walk) = self.race.walk(state, action) {
                self.race.follow(&mut walks, walk);
            }
            self.race.apply_action(&mut next, action);
            self.allot(&next, &[way, &[action]].concat(), &walks)?;
        }
        Some(())
    }

    /// Adds the moves that a turn has `left` from a node on, in each order in which they can be made.
    fn take_apart(
        &mut self,
        at: usize,
        left: &[&Travel],
        commutes: bool,
        end: &(usize, Vec<Action>),
        seen: &mut HashSet<usize>,
    ) {
        if left.is_empty() {
            self.graph.nodes[at].end.get_or_insert(end.clone());
        }
        for (nth, walk) in left.iter().enumerate().take(if commutes { left.len() } else { 1 }) {
            let Some(shown) = self.landed(&self.keys[at].0, walk) else { continue };
            let name = self.name(walk);
            let mut names = [&self.keys[at].1[..], &[name]].concat();
            names.sort_unstable();
            let to = self.node(shown, names);
            self.line(at, walk, to, Vec::new());
            if seen.insert(to) {
                self.take_apart(to, &[&left[..nth], &left[nth + 1..]].concat(), commutes, end, seen);
            }
        }
    }

    /// The position that is shown after a move; `None` where the pieces do not stand there yet.
    fn landed(&self, shown: &State, walk: &Travel) -> Option<State> {
        let (rules, mut next) = (&self.race.rules, *shown);
        let leaves = walk.taken.from;
        let own = &mut next.pieces[self.colour.index()];
        for _ in 0..walk.count() {
            *own.iter_mut().find(|place| **place == leaves)? = walk.target;
        }
        sort(own);
        if leaves == 0 && !rules.enters_by_count() && walk.target > 1 {
            rules.capture(&mut next, self.colour, 1, 1);
        }
        rules.capture(&mut next, self.colour, walk.target, walk.count());
        next.seat_marks = shown.seat_marks;
        Some(next)
    }

    fn node(&mut self, shown: State, taken: Vec<usize>) -> usize {
        let key = (shown, taken);
        if let Some(&known) = self.nodes.get(&key) {
            return known;
        }
        self.graph.nodes.push(TurnNode::default());
        self.keys.push(key.clone());
        self.nodes.insert(key, self.keys.len() - 1);
        self.keys.len() - 1
    }

    /// Returns the index of the end `state` in [`TurnGraph::ends`]; adds it with the actions of `way` if it is new.
    fn ending(&mut self, state: State, way: &[Action]) -> usize {
        let ends = &mut self.graph.ends;
        *self.ends.entry(state).or_insert_with(|| {
            ends.push((state, way.to_vec()));
            ends.len() - 1
        })
    }

    fn name(&mut self, walk: &Travel) -> usize {
        let (taken, count) = (&walk.taken, self.names.len());
        let throws = if self.is_long { Vec::new() } else { taken.throws.clone() };
        let key = (taken.from, walk.is_declared, walk.count(), throws, walk.target);
        *self.names.entry(key).or_insert(count)
    }

    /// Adds a move from one node to another.
    fn line(&mut self, at: usize, walk: &Travel, to: usize, actions: Vec<Action>) {
        let [before, mut captures] =
            [at, to].map(|node| self.race.captured(self.start, &self.keys[node].0, self.colour));
        captures.retain(|piece| !before.contains(piece));
        let (key, race, start) = ((self.name(walk), captures), self.race, self.start);
        let TurnGraph { moves, nodes, .. } = &mut self.graph;
        let taken = *self.moves.entry(key).or_insert_with_key(|(_, captures)| {
            let mut step = race.board_step(start, walk);
            race.captures_text(start, captures).iter().for_each(|text| step.text += &format!(", {text}"));
            let (leaves, is_declared, captures) = (walk.taken.from, walk.is_declared, captures.clone());
            moves.push(TurnMove { step, leaves, is_declared, captures });
            moves.len() - 1
        });
        if !nodes[at].lines.iter().any(|line| (line.0, line.1) == (taken, to)) {
            nodes[at].lines.push((taken, to, actions));
        }
    }

    /// Adds to the words of moves of one node that read alike where they come from and by which throws.
    fn tell_apart(&mut self) {
        let TurnGraph { moves, nodes, .. } = &mut self.graph;
        let mut alike = BTreeSet::new();
        for node in nodes {
            let mut texts = HashMap::new();
            for &(taken, ..) in &node.lines {
                let other = texts.insert(&moves[taken].step.text, taken);
                alike.extend(other.into_iter().flat_map(|other| [other, taken]));
            }
        }
        for taken in alike {
            let TurnMove { step, leaves, is_declared, .. } = &mut moves[taken];
            let mark = if *is_declared { "t" } else { "" };
            step.text += &format!(" (from {}{mark}, by {})", self.race.place_text(*leaves), joined(&step.throws, "+"));
        }
    }
}
