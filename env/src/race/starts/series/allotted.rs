//! The graph of all allotments of a turn, over all throws.
//!
//! Many series lead to the same allotment, so the engine computes each once.

use std::collections::HashMap;

use crate::race::turns::series::SeriesTurns;
use crate::race::turns::series::allot::{Allotment, SeriesTurn};

use super::throws::{KINDS, ThrowList};

/// Allotments by number; 0 is that of nothing.
#[derive(Default, Debug)]
pub(super) struct Allotted {
    allotments: Vec<Allotment>,
    numbers: HashMap<Allotment, u32>,
    /// Concatenated for each allotment and throw: the numbers of the allotments that give the throw to a unit.
    next: Vec<u32>,
    /// By allotment and throw, the end of those.
    ends: Vec<[u32; KINDS]>,
}

impl Allotted {
    /// Finds the allotments of a turn.
    pub(super) fn find(&mut self, turns: &SeriesTurns, throws: &ThrowList, turn: &SeriesTurn) {
        self.allotments.clear();
        self.numbers.clear();
        self.next.clear();
        self.ends.clear();
        self.number(Allotment::NONE);
        let mut at = 0;
        while let Some(&allotment) = self.allotments.get(at) {
            let ends = std::array::from_fn(|kind| {
                for longer in throws.kind(kind).into_iter().flat_map(|throw| turns.extensions(turn, &allotment, throw))
                {
                    let number = self.number(longer);
                    self.next.push(number);
                }
                self.next.len() as u32
            });
            self.ends.push(ends);
            at += 1;
        }
    }

    fn number(&mut self, allotment: Allotment) -> u32 {
        *self.numbers.entry(allotment).or_insert_with(|| {
            self.allotments.push(allotment);
            self.allotments.len() as u32 - 1
        })
    }

    /// The allotments by number.
    pub(super) fn all(&self) -> &[Allotment] {
        &self.allotments
    }

    /// The numbers of the allotments with one more throw, an index of [`ThrowList::kind`].
    #[inline]
    pub(super) fn extensions(&self, allotment: u32, throw: usize) -> &[u32] {
        let allotment = allotment as usize;
        let start = match (allotment, throw) {
            (0, 0) => 0,
            (_, 0) => self.ends[allotment - 1][KINDS - 1],
            _ => self.ends[allotment][throw - 1],
        };
        &self.next[start as usize..self.ends[allotment][throw] as usize]
    }
}
