//! One turn of Ashtapada, sections 2 and 8: every allotment of the kept throws to units, in every order of moving.
//!
//! An allotment says which throws enter, move and bear off which pieces. All allotments are built by giving one throw
//! after another to anything that could take it; each is then played literally and dropped when no order of its steps
//! is legal. The rule about using the throws selects among the legal ones at the end.
//!
//! Readings taken where the rules are silent:
//! * `must_use=greedy`: an allotment is legal when no single unused throw could be added to it.
//! * `x=block`: only entering and the final landing are closed, by any piece of any enemy.
//! * `twins=bell`: marked pieces (`14t`) belong together two by two. Which of four on a square belong together is not
//!   part of a position, so every pairing is tried; pieces that moved together in this turn belong together. Steps
//!   follow one another, so a piece whose twin has left may move jointly with an unmarked one on the two squares.
//! * `twin_split=false` with co-located twins limits the single moves away from a square, of pieces that began there.

use std::collections::{BTreeMap, BTreeSet};

use super::geometry::{
    ASHTAPADA_CROSSCUT, ASHTAPADA_SIZE, ASHTAPADA_SPIRAL_LEGS, ASHTAPADA_ZIGZAG, Square, squares, turned, turned_path,
    walk,
};
use super::notation::{SeatText, Text, number, print};
use pieces::{BORNE, KEEP, OFF, Piece, Place, check_pieces, read_piece, write_piece};

mod pieces;

const FLAGS: [(&str, &[&str]); 10] = [
    ("pieces", &["2", "1", "3", "4"]),
    ("zero_value", &["8", "5"]),
    ("dice", &["sticks", "uniform5"]),
    ("path", &["zigzag", "spiral_kile"]),
    ("must_use", &["max", "greedy", "optional"]),
    ("x", &["share", "block"]),
    ("twins", &["colocated", "none", "bell"]),
    ("twin_speed", &["full", "half_floor"]),
    ("twin_split", &["true", "false"]),
    ("rule7_keep_counts", &["true", "false"]),
];

/// See [`super::turns`].
pub(super) fn turns(text: &Text, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let game = Game::read(text, throws)?;
    let outcomes = game.outcomes(&game.kept(throws));
    Ok(outcomes.into_iter().map(|outcome| game.text_after(text, outcome)).collect())
}

/// The throws allotted to one piece, or to two pieces that move together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Unit {
    /// Each piece as it stood at the start of the turn, and whether a 1 enters it.
    pieces: Vec<(Piece, bool)>,
    /// The throws of its one hop, ascending; empty when it stays.
    hop: Vec<u8>,
    /// Whether a 1 bears it off.
    bears: bool,
}

impl Unit {
    /// Where its first piece stands before any hop.
    fn before_hop(&self) -> Place {
        let (piece, enters) = self.pieces[0];
        if enters { Place::On(0) } else { piece.place }
    }
}

/// An allotment of throws. Units and unused throws are sorted, so equal allotments compare equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Allotment {
    units: Vec<Unit>,
    unused: Vec<u8>,
}

/// The pieces of all seats after the turn, and whether an enemy piece was captured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    pieces: Vec<Vec<Piece>>,
    captured: bool,
}

/// A piece of the mover while the turn is played.
#[derive(Clone, Debug)]
struct Walker {
    piece: Piece,
    /// The other half of its declared twins.
    twin: Option<usize>,
}

struct Game<'a> {
    must_use: &'a str,
    block: bool,
    twins: &'a str,
    half_speed: bool,
    twin_split: bool,
    keep_counts: bool,
    /// The path of each seat that takes part; the keep follows the last square.
    paths: Vec<Vec<Square>>,
    crosscut: Vec<Square>,
    /// The two crosscut squares in the middle of the side opposite the mover.
    opposite: Vec<Square>,
    pieces: Vec<Vec<Piece>>,
    mover: usize,
}

impl<'a> Game<'a> {
    fn read(text: &'a Text, throws: &[u8]) -> Result<Self, String> {
        let flags = text.flags(&FLAGS)?;
        let &[count, zero_value, _, path, must_use, x, twins, twin_speed, twin_split, keep_counts] = flags.as_slice()
        else {
            return Err("a flag is missing".to_owned());
        };
        let seats = text.seat_numbers();
        if ![&[0, 2][..], &[0, 1, 2], &[0, 1, 2, 3]].contains(&seats.as_slice()) {
            return Err("the seats of ashtapada are S and N, or S, E and N, or all four".to_owned());
        }
        if let Some(mark) = text.seats.iter().find(|seat| seat.has_cut || seat.place.is_some()) {
            return Err(format!("seat {} carries a mark that ashtapada does not have", mark.seat));
        }
        check_series(throws, zero_value)?;
        let south = if path == "zigzag" { squares(ASHTAPADA_ZIGZAG) } else { walk("D1", ASHTAPADA_SPIRAL_LEGS) };
        let pieces = text.pieces(number(count).unwrap_or(0), |word| read_piece(word, south.len(), twins == "bell"))?;
        pieces.iter().try_for_each(|own| check_pieces(own))?;
        let own_seat = seats[text.mover];
        Ok(Game {
            must_use,
            block: x == "block",
            twins,
            half_speed: twin_speed == "half_floor",
            twin_split: twin_split == "true",
            keep_counts: keep_counts == "true",
            paths: seats.iter().map(|&seat| turned_path(&south, seat, ASHTAPADA_SIZE)).collect(),
            crosscut: squares(ASHTAPADA_CROSSCUT),
            opposite: squares("D8 E8").iter().map(|&square| turned(square, own_seat, ASHTAPADA_SIZE)).collect(),
            pieces,
            mover: text.mover,
        })
    }

    fn text_after(&self, text: &Text, outcome: Outcome) -> String {
        let seats: Vec<SeatText> = text
            .seats
            .iter()
            .zip(&outcome.pieces)
            .map(|(seat, own)| {
                let mut own = own.clone();
                own.sort();
                SeatText { pieces: own.into_iter().map(write_piece).collect(), ..seat.clone() }
            })
            .collect();
        let numbers = text.seat_numbers();
        let own_seat = numbers[self.mover];
        let next = if outcome.pieces[self.mover].iter().all(|&piece| piece == BORNE) {
            None
        } else if outcome.captured {
            Some(own_seat)
        } else {
            // To the left: South, West, North, East.
            (1..4).map(|steps| (own_seat + 4 - steps) % 4).find(|seat| numbers.contains(seat))
        };
        print(&text.game, &seats, next)
    }

    /// DISCARD: without a piece on the board, the throws before the first 1 are lost.
    fn kept(&self, throws: &[u8]) -> Vec<u8> {
        let on_board = |piece: &Piece| match piece.place {
            Place::On(_) => true,
            Place::Keep => self.keep_counts,
            Place::Off | Place::Borne => false,
        };
        if self.pieces[self.mover].iter().any(on_board) {
            throws.to_vec()
        } else {
            throws.iter().copied().skip_while(|&throw| throw != 1).collect()
        }
    }

    /// The results of every allotment that the rule about using the throws allows.
    fn outcomes(&self, kept: &[u8]) -> BTreeSet<Outcome> {
        let levels = self.allotments(kept);
        match self.must_use {
            "max" => {
                let most = levels.iter().rev().map(|level| self.play_all(level)).find(|results| !results.is_empty());
                most.unwrap_or_default()
            }
            "greedy" => {
                let mut known: BTreeMap<Allotment, BTreeSet<Outcome>> = BTreeMap::new();
                for allotment in levels.iter().flatten() {
                    known.insert(allotment.clone(), self.play(allotment));
                }
                let could_use_more = |allotment: &Allotment| {
                    self.with_one_more(allotment).iter().any(|larger| !known[larger].is_empty())
                };
                let stuck = known.iter().filter(|(allotment, _)| !could_use_more(allotment));
                stuck.flat_map(|(_, results)| results.clone()).collect()
            }
            _ => levels.iter().flat_map(|level| self.play_all(level)).collect(),
        }
    }

    fn play_all(&self, allotments: &BTreeSet<Allotment>) -> BTreeSet<Outcome> {
        allotments.iter().flat_map(|allotment| self.play(allotment)).collect()
    }

    /// All allotments, legal or not, by the number of throws that they use.
    fn allotments(&self, kept: &[u8]) -> Vec<BTreeSet<Allotment>> {
        let mut unused = kept.to_vec();
        unused.sort();
        let alone = |&piece: &Piece| Unit { pieces: vec![(piece, false)], hop: Vec::new(), bears: false };
        let nothing = Allotment { units: self.pieces[self.mover].iter().map(alone).collect(), unused };
        let mut levels = vec![BTreeSet::from([nothing])];
        for _ in kept {
            let last = levels.last().expect("the first level was made above");
            let next = last.iter().flat_map(|allotment| self.with_one_more(allotment)).collect();
            levels.push(next);
        }
        levels
    }

    /// Every allotment that gives one of the unused throws to something that might take it. Allotments left out here (a
    /// 4 that enters, a hop beyond the keep, pieces on two squares moving together) stay illegal with any further
    /// throw.
    fn with_one_more(&self, allotment: &Allotment) -> Vec<Allotment> {
        let mut found = Vec::new();
        for (at, &throw) in allotment.unused.iter().enumerate() {
            let mut rest = allotment.unused.clone();
            rest.remove(at);
            let mut keep_changed = |units: &[Unit], change: &dyn Fn(&mut Vec<Unit>)| {
                let mut units = units.to_vec();
                change(&mut units);
                units.sort();
                found.push(Allotment { units, unused: rest.clone() });
            };
            for (first, unit) in allotment.units.iter().enumerate() {
                match unit.before_hop() {
                    Place::Off if throw == 1 => {
                        keep_changed(&allotment.units, &|units| units[first].pieces[0].1 = true)
                    }
                    Place::Keep if throw == 1 && !unit.bears => {
                        keep_changed(&allotment.units, &|units| units[first].bears = true);
                    }
                    Place::On(_) if self.hop_fits(unit, throw) => keep_changed(&allotment.units, &|units| {
                        units[first].hop.push(throw);
                        units[first].hop.sort();
                    }),
                    _ => {}
                }
                for second in first + 1..allotment.units.len() {
                    if self.could_join(unit, &allotment.units[second]) {
                        keep_changed(&allotment.units, &|units| {
                            let other = units.remove(second);
                            units[first].pieces.extend(other.pieces);
                            units[first].pieces.sort();
                            units[first].hop.push(throw);
                        });
                    }
                }
            }
        }
        found
    }

    fn hop_fits(&self, unit: &Unit, throw: u8) -> bool {
        let Place::On(from) = unit.before_hop() else { return false };
        let hop: Vec<u8> = unit.hop.iter().copied().chain([throw]).collect();
        from + self.distance(unit.pieces.len(), &hop) <= self.keep()
    }

    fn could_join(&self, one: &Unit, other: &Unit) -> bool {
        let free = |unit: &Unit| unit.pieces.len() == 1 && unit.hop.is_empty();
        let on_path = matches!(one.before_hop(), Place::On(_));
        self.twins != "none" && free(one) && free(other) && on_path && one.before_hop() == other.before_hop()
    }

    fn keep(&self) -> usize {
        self.paths[0].len()
    }

    fn distance(&self, size: usize, hop: &[u8]) -> usize {
        let halved = size == 2 && self.half_speed;
        hop.iter().map(|&throw| usize::from(if halved { throw / 2 } else { throw })).sum()
    }

    /// The results of an allotment: entering, then the hops in every order, then bearing off. Entering first loses no
    /// result, as it blocks no piece; bearing off comes last, as it needs every piece in the keep.
    fn play(&self, allotment: &Allotment) -> BTreeSet<Outcome> {
        if !self.twin_split && self.twins == "colocated" && self.splits_twins(allotment) {
            return BTreeSet::new();
        }
        let hops: Vec<usize> = (0..allotment.units.len()).filter(|&at| !allotment.units[at].hop.is_empty()).collect();
        let mut results = BTreeSet::new();
        for walkers in pairings(allotment) {
            for order in orders(&hops) {
                results.extend(self.play_in_order(allotment, walkers.clone(), &order));
            }
        }
        results
    }

    /// Whether more pieces leave a square alone than the odd one.
    fn splits_twins(&self, allotment: &Allotment) -> bool {
        self.pieces[self.mover].iter().filter(|piece| matches!(piece.place, Place::On(_))).any(|stands| {
            let together = self.pieces[self.mover].iter().filter(|piece| piece.place == stands.place).count();
            let leave_alone = allotment.units.iter().filter(|unit| {
                unit.pieces.len() == 1 && !unit.hop.is_empty() && unit.pieces[0].0.place == stands.place
            });
            leave_alone.count() > together % 2
        })
    }

    /// Plays the steps one by one; `None` as soon as one is illegal. `walkers` are the pieces of the units in turn.
    fn play_in_order(&self, allotment: &Allotment, mut walkers: Vec<Walker>, order: &[usize]) -> Option<Outcome> {
        let mut pieces = self.pieces.clone();
        let mut captured = false;
        let members = members(allotment);
        for (walker, &(_, enters)) in walkers.iter_mut().zip(allotment.units.iter().flat_map(|unit| &unit.pieces)) {
            if enters {
                if self.block && self.enemies_on(&pieces, self.paths[self.mover][0]).next().is_some() {
                    return None;
                }
                walker.piece.place = Place::On(0);
            }
        }
        for &at in order {
            let to = self.hop(&mut walkers, &members[at], &allotment.units[at].hop)?;
            if to < self.keep() {
                captured |= self.land(&mut pieces, members[at].len(), self.paths[self.mover][to])?;
            }
        }
        for (unit, own) in allotment.units.iter().zip(&members).filter(|(unit, _)| unit.bears) {
            if walkers.iter().any(|walker| !matches!(walker.piece.place, Place::Keep | Place::Borne)) {
                return None;
            }
            debug_assert_eq!(unit.before_hop(), Place::Keep, "only a piece that began in the keep is borne off");
            walkers[own[0]].piece = BORNE;
        }
        pieces[self.mover] = walkers.into_iter().map(|walker| walker.piece).collect();
        pieces[self.mover].sort();
        Some(Outcome { pieces, captured })
    }

    /// Moves a unit and updates the marks; returns the index on which it lands, the keep included.
    fn hop(&self, walkers: &mut [Walker], own: &[usize], hop: &[u8]) -> Option<usize> {
        let before: Vec<Piece> = own.iter().map(|&at| walkers[at].piece).collect();
        let Place::On(from) = before[0].place else { return None };
        let distance = self.distance(own.len(), hop);
        let to = from + distance;
        if distance == 0 || to > self.keep() {
            return None;
        }
        let bell = self.twins == "bell";
        if let &[one, other] = own {
            if before[1].place != before[0].place {
                return None;
            }
            if bell {
                let on_opposite = self.opposite.contains(&self.paths[self.mover][from]);
                match (before[0].marked, before[1].marked) {
                    (true, true) => {
                        if walkers[one].twin != Some(other) {
                            let left = [walkers[one].twin, walkers[other].twin];
                            for (half, twin) in [(left[0], left[1]), (left[1], left[0])] {
                                if let Some(half) = half {
                                    walkers[half].twin = twin;
                                }
                            }
                        }
                    }
                    (false, false) if on_opposite => {}
                    _ => return None,
                }
                (walkers[one].twin, walkers[other].twin) = (Some(other), Some(one));
            }
        } else if bell && before[0].marked {
            if !self.twin_split {
                return None;
            }
            if let Some(twin) = walkers[own[0]].twin.take() {
                walkers[twin].piece.marked = false;
                walkers[twin].twin = None;
            }
        }
        let lands = Piece { place: Place::On(to), marked: bell && own.len() == 2 };
        for &at in own {
            walkers[at].piece = if to == self.keep() { KEEP } else { lands };
        }
        Some(to)
    }

    /// Captures on `square` by a unit of `size` pieces; returns whether anything was captured, `None` if it is closed.
    fn land(&self, pieces: &mut [Vec<Piece>], size: usize, square: Square) -> Option<bool> {
        if self.crosscut.contains(&square) {
            let closed = self.block && self.enemies_on(pieces, square).next().is_some();
            return if closed { None } else { Some(false) };
        }
        let there: Vec<(usize, usize)> = self.enemies_on(pieces, square).collect();
        let mut captured = false;
        for &(seat, at) in &there {
            let owned = there.iter().filter(|&&(owner, _)| owner == seat).count();
            let protected = match self.twins {
                "colocated" => owned >= 2,
                "bell" => pieces[seat][at].marked,
                _ => false,
            };
            if size == 2 || !protected {
                captured = true;
                pieces[seat][at] = OFF;
            }
        }
        Some(captured)
    }

    fn enemies_on(&self, pieces: &[Vec<Piece>], square: Square) -> impl Iterator<Item = (usize, usize)> {
        let mut there = Vec::new();
        for (seat, own) in pieces.iter().enumerate().filter(|&(seat, _)| seat != self.mover) {
            for (at, piece) in own.iter().enumerate() {
                if matches!(piece.place, Place::On(index) if self.paths[seat][index] == square) {
                    there.push((seat, at));
                }
            }
        }
        there.into_iter()
    }
}

/// For every unit, the numbers of its pieces when all pieces of all units are counted through.
fn members(allotment: &Allotment) -> Vec<Vec<usize>> {
    let mut next = 0..;
    allotment.units.iter().map(|unit| next.by_ref().take(unit.pieces.len()).collect()).collect()
}

/// The pieces of all units at the start of the turn, once for every way to pair the marked ones on each square.
fn pairings(allotment: &Allotment) -> Vec<Vec<Walker>> {
    let pieces = allotment.units.iter().flat_map(|unit| &unit.pieces);
    let mut done = Vec::new();
    let mut open: Vec<Vec<Walker>> = vec![pieces.map(|&(piece, _)| Walker { piece, twin: None }).collect()];
    while let Some(walkers) = open.pop() {
        let Some(first) = walkers.iter().position(|walker| walker.piece.marked && walker.twin.is_none()) else {
            done.push(walkers);
            continue;
        };
        for second in first + 1..walkers.len() {
            if walkers[second].piece == walkers[first].piece && walkers[second].twin.is_none() {
                let mut paired = walkers.clone();
                (paired[first].twin, paired[second].twin) = (Some(second), Some(first));
                open.push(paired);
            }
        }
    }
    done
}

fn orders(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

fn check_series(throws: &[u8], zero_value: &str) -> Result<(), String> {
    for throw in throws {
        if !["1", "2", "3", "4", zero_value].contains(&throw.to_string().as_str()) {
            return Err(format!("the sticks never show {throw}"));
        }
    }
    let stops = |throw: &u8| matches!(throw, 2 | 3);
    if throws.iter().position(stops) == throws.len().checked_sub(1) && !throws.is_empty() {
        Ok(())
    } else {
        Err(format!("{throws:?} is no series: it ends with the first 2 or 3"))
    }
}

#[cfg(test)]
mod tests;
