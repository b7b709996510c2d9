//! The turn graph: all ways to play the rest of a turn, as moves of pieces and units with their
//! captures.
//!
//! If a piece lands after each throw, a node is a position within the turn, and a move is one hop.
//! If all pieces land at the end of the turn, each assignment of throws is split into moves of
//! pieces, in any order, and a node is the set of moves made so far. The web page shows the
//! possible moves of a node (its `lines`).

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use crate::{
    game::{Action, Game, Node, Seat},
    race::{
        Race,
        board::Square,
        position::state::{State, sort},
        turns::{
            actions::PASS,
            text::{Move, joined},
        },
    },
};

/// All ways to play the rest of a turn; see [`Race::turn_graph`].
#[derive(Clone, Default, Debug)]
pub struct TurnGraph {
    /// The distinct moves; their texts include the captures.
    pub moves: Vec<Move>,
    /// The nodes. Each has the moves that can follow the moves made so far. Node 0 is the start.
    pub nodes: Vec<TurnNode>,
    /// The distinct positions at the end of the turn, each with actions that lead to it.
    pub ends: Vec<(State, Vec<Action>)>,
}

/// The moves that can follow, or the end of the turn.
#[derive(Clone, Default, Debug)]
pub struct TurnNode {
    /// The possible moves, with distinct texts. Each line has the index of its move in
    /// [`TurnGraph::moves`], the index of the next node, and the actions of the move. The actions
    /// of a turn are the actions of its lines, in order, and then the actions of its end.
    pub lines: Vec<(usize, usize, Vec<Action>)>,
    /// If the turn can end here: the index of its end in [`TurnGraph::ends`], and the actions that
    /// end the turn. `None` if another piece must move.
    pub end: Option<(usize, Vec<Action>)>,
}

impl Race {
    /// All ways to play the rest of the turn of `state`. Empty if `state` is not a decision; `None`
    /// if the turn leads through more than `most` positions.
    pub fn turn_graph(&self, state: &State, most: usize) -> Option<TurnGraph> {
        let Node::Decision(_) = self.node(state) else {
            return Some(TurnGraph::default());
        };
        let (graph, moves, numbers, ends, nodes, keys, visited) = Default::default();
        let (colour, start, race) = (self.colour(state), state, self);
        let at_once = self.turns.notation().lands_at_once();
        let is_long = at_once && self.pending_throws(state).len() > FEW_THROWS;
        let mut growth = Growth {
            race,
            start,
            colour,
            most,
            is_long,
            graph,
            moves,
            numbers,
            ends,
            nodes,
            keys,
            visited,
        };
        growth.node(self.within(state), Vec::new());
        if at_once {
            growth.allot(state, &[], &[])?;
        } else {
            growth.play(0, state, &[], &[])?;
        }
        growth.merge();
        growth.distinguish();
        Some(growth.graph)
    }

    /// The distinct squares on which pieces of `start` are captured in a turn that ends in `end`.
    pub fn captures(&self, start: &State, end: &State) -> Vec<Square> {
        let mut squares: Vec<Square> = self
            .captured(start, end, self.colour(start))
            .into_iter()
            .filter_map(|(seat, slot)| self.square(seat, start.pieces[seat][slot]))
            .collect();
        squares.sort_unstable();
        squares.dedup();
        squares
    }
}

/// With more pending throws than this, moves that differ only in their throws are one move.
const FEW_THROWS: usize = 8;

/// The identity of a move: the place that the pieces leave, whether they are declared, their
/// number, the throws (empty if there are many), and the place that they reach.
type MoveKey = (u8, bool, usize, Vec<u8>, u8);

/// Captured pieces, by seat and slot.
type Captured = Vec<(Seat, usize)>;

/// Builds a [`TurnGraph`].
struct Growth<'a> {
    race: &'a Race,
    start: &'a State,
    /// The owner of the pieces that move.
    colour: Seat,
    most: usize,
    is_long: bool,
    graph: TurnGraph,
    /// The number of each identity of a move.
    numbers: HashMap<MoveKey, usize>,
    /// The moves by their numbers, captures and unused throws.
    moves: HashMap<(usize, Captured, Vec<u8>), usize>,
    ends: HashMap<State, usize>,
    /// The nodes by the position that is shown and, if all pieces land at the end, the numbers of
    /// the moves made.
    nodes: HashMap<(State, Vec<usize>), usize>,
    keys: Vec<(State, Vec<usize>)>,
    /// Visited assignments of throws, with the numbers of their moves.
    visited: HashSet<(State, Vec<usize>)>,
}

impl Growth<'_> {
    fn is_within_turn(&self, state: &State) -> bool {
        self.race.node(state) == self.race.node(self.start)
    }

    /// Follows the positions within a turn. `state` is the position of node `at` after the actions
    /// `before`, which move no piece; `way` has all actions from the start. Returns `None` if there
    /// are too many positions.
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
            if !self.is_within_turn(&next) {
                let end = self.ending(next, &way);
                self.graph.nodes[to].end.get_or_insert((end, rest));
            } else if to == at || to == known {
                self.play(to, &next, &rest, &way)?;
            }
        }
        (self.keys.len() <= self.most).then_some(())
    }

    /// Follows every way to assign the throws to pieces, and splits each into moves. The actions
    /// `way` lead to `state` and make the moves `walks`. Returns `None` if there are too many
    /// positions.
    fn allot(&mut self, state: &State, way: &[Action], walks: &[Move]) -> Option<()> {
        let mut numbers: Vec<usize> = walks.iter().map(|walk| self.number(walk)).collect();
        numbers.sort_unstable();
        if !self.visited.insert((*state, numbers)) {
            return Some(());
        }
        if self.visited.len().max(self.keys.len() / 4) > self.most {
            return None;
        }
        if !self.is_within_turn(state) {
            let commutes = self.race.turns.notation().commutes(self.start, way);
            let end = (self.ending(*state, way), way.to_vec());
            self.split(
                0,
                &walks.iter().collect::<Vec<_>>(),
                commutes,
                &end,
                &mut HashSet::new(),
            );
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

    /// Adds the moves `left` of a turn after the node `at`, in every possible order.
    fn split(
        &mut self,
        at: usize,
        left: &[&Move],
        commutes: bool,
        end: &(usize, Vec<Action>),
        visited: &mut HashSet<usize>,
    ) {
        if left.is_empty() {
            self.graph.nodes[at].end.get_or_insert(end.clone());
        }
        for (nth, walk) in left
            .iter()
            .enumerate()
            .take(if commutes { left.len() } else { 1 })
        {
            let Some(shown) = self.shown_after(&self.keys[at].0, walk) else {
                continue;
            };
            let number = self.number(walk);
            let mut numbers = [&self.keys[at].1[..], &[number]].concat();
            numbers.sort_unstable();
            let to = self.node(shown, numbers);
            self.line(at, walk, to, Vec::new());
            if visited.insert(to) {
                self.split(
                    to,
                    &[&left[..nth], &left[nth + 1..]].concat(),
                    commutes,
                    end,
                    visited,
                );
            }
        }
    }

    /// The position that is shown after a move; `None` if the pieces are not on the place that the
    /// move leaves.
    fn shown_after(&self, shown: &State, walk: &Move) -> Option<State> {
        let (rules, mut next) = (&self.race.rules, *shown);
        let leaves = walk.from;
        let own = &mut next.pieces[self.colour];
        for _ in walk.pieces() {
            *own.iter_mut().find(|place| **place == leaves)? = walk.to;
        }
        sort(own);
        if leaves == 0 && !rules.enters_by_count() && walk.to > 1 {
            rules.capture(&mut next, self.colour, 1, 1);
        }
        rules.capture(&mut next, self.colour, walk.to, walk.pieces().len());
        next.seat_marks = shown.seat_marks;
        Some(next)
    }

    /// The index of the node with this position and these moves; adds it if it is new.
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

    /// Returns the index of the end `state` in [`TurnGraph::ends`]; adds it with the actions of
    /// `way` if it is new.
    fn ending(&mut self, state: State, way: &[Action]) -> usize {
        let ends = &mut self.graph.ends;
        *self.ends.entry(state).or_insert_with(|| {
            ends.push((state, way.to_vec()));
            ends.len() - 1
        })
    }

    /// The number of the identity of a move.
    fn number(&mut self, walk: &Move) -> usize {
        let count = self.numbers.len();
        let throws = if self.is_long {
            Vec::new()
        } else {
            walk.throws.clone()
        };
        let key = (
            walk.from,
            walk.is_declared,
            walk.pieces().len(),
            throws,
            walk.to,
        );
        *self.numbers.entry(key).or_insert(count)
    }

    /// Adds a move from one node to another.
    fn line(&mut self, at: usize, walk: &Move, to: usize, actions: Vec<Action>) {
        let [before, mut captures] = [at, to].map(|node| {
            self.race
                .captured(self.start, &self.keys[node].0, self.colour)
        });
        captures.retain(|piece| !before.contains(piece));
        let (mut state, mut unused, race, start) =
            (self.keys[at].0, Vec::new(), self.race, self.start);
        for &action in &actions {
            unused.extend(
                (action == PASS)
                    .then(|| race.pending_throws(&state))
                    .into_iter()
                    .flatten(),
            );
            race.apply_action(&mut state, action);
        }
        let key = (self.number(walk), captures, unused);
        let TurnGraph { moves, nodes, .. } = &mut self.graph;
        let taken = *self
            .moves
            .entry(key)
            .or_insert_with_key(|(_, captures, unused)| {
                let mut text = race.move_text(walk);
                race.captures_text(start, captures)
                    .iter()
                    .for_each(|taken| text += &format!(", {taken}"));
                moves.push(Move {
                    captures: captures.clone(),
                    unused: unused.clone(),
                    text,
                    ..walk.clone()
                });
                moves.len() - 1
            });
        if !nodes[at]
            .lines
            .iter()
            .any(|line| (line.0, line.1) == (taken, to))
        {
            nodes[at].lines.push((taken, to, actions));
        }
    }

    /// Removes moves of a node that differ from another move only in their throws, if both can lead
    /// to the same ends.
    fn merge(&mut self) {
        let TurnGraph { moves, nodes, .. } = &mut self.graph;
        let like = |taken: usize| {
            let next = &moves[taken];
            (
                next.from,
                next.is_declared,
                next.pieces().len(),
                next.to,
                &next.captures,
            )
        };
        let mut known = HashMap::new();
        for at in 0..nodes.len() {
            let mut lines = nodes[at].lines.clone();
            lines.sort_by_key(|line| moves[line.0].throws.len());
            let mut kept: Vec<(usize, usize, Vec<Action>)> = Vec::new();
            for line in lines {
                let mut is_same = |other: &(usize, usize, Vec<Action>)| {
                    like(other.0) == like(line.0)
                        && ends_after(nodes, other.1, &mut known)
                            == ends_after(nodes, line.1, &mut known)
                };
                if !kept.iter().any(&mut is_same) {
                    kept.push(line);
                }
            }
            nodes[at].lines.retain(|line| kept.contains(line));
        }
    }

    /// Appends what differs to the texts of moves, if several moves of a node have the same text:
    /// unused throws, or the origin and the throws.
    fn distinguish(&mut self) {
        let race = self.race;
        let unused = |Move { unused, .. }: &Move| match unused.is_empty() {
            true => String::new(),
            false => format!(" ({} unused)", joined(unused, ", ")),
        };
        let origin = |Move {
                          from,
                          throws,
                          is_declared,
                          ..
                      }: &Move| {
            let mark = if *is_declared { "t" } else { "" };
            format!(
                " (from {}{mark}, by {})",
                race.place_text(*from),
                joined(throws, "+")
            )
        };
        for difference in [&unused as &dyn Fn(&Move) -> String, &origin] {
            let TurnGraph { moves, nodes, .. } = &mut self.graph;
            let mut alike = BTreeSet::new();
            for node in nodes {
                let mut texts = HashMap::new();
                for &(taken, ..) in &node.lines {
                    let other = texts.insert(&moves[taken].text, taken);
                    alike.extend(other.into_iter().flat_map(|other| [other, taken]));
                }
            }
            for taken in alike {
                let text = difference(&moves[taken]);
                moves[taken].text += &text;
            }
        }
    }
}

/// Returns the ends that can follow a node, in ascending order.
fn ends_after(
    nodes: &[TurnNode],
    at: usize,
    known: &mut HashMap<usize, Rc<BTreeSet<usize>>>,
) -> Rc<BTreeSet<usize>> {
    if let Some(ends) = known.get(&at) {
        return Rc::clone(ends);
    }
    let own = nodes[at].end.iter().map(|end| end.0);
    let later = nodes[at]
        .lines
        .iter()
        .flat_map(|line| Vec::from_iter(ends_after(nodes, line.1, known).iter().copied()));
    let ends = Rc::new(own.chain(later).collect());
    known.insert(at, Rc::clone(&ends));
    ends
}
