//! Interned sets of numbers: each distinct set is stored once.

/// Interned sets, numbered in the order of insertion.
#[derive(Default, Debug)]
pub(super) struct InternedSets {
    /// The members of all sets, ascending within each.
    members: Vec<u64>,
    /// Where each set ends in `members`.
    ends: Vec<usize>,
    /// Sets by hash, with gaps; [`GAP`] in the gaps.
    table: Vec<u32>,
}

const GAP: u32 = u32::MAX;

impl InternedSets {
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.ends.clear();
        self.table.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The members of a set in ascending order.
    pub(super) fn get(&self, set: u32) -> &[u64] {
        let set = set as usize;
        let start = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.members[start..self.ends[set]]
    }

    /// The number of a set; `members` in ascending order, none twice.
    pub(super) fn insert(&mut self, members: &[u64]) -> u32 {
        if 2 * (self.len() + 1) > self.table.len() {
            self.grow();
        }
        let mut slot = self.slot(members);
        loop {
            match self.table[slot] {
                GAP => break,
                set if self.get(set) == members => return set,
                _ => slot = (slot + 1) % self.table.len(),
            }
        }
        let set = self.len() as u32;
        self.table[slot] = set;
        self.members.extend_from_slice(members);
        self.ends.push(self.members.len());
        set
    }

    fn slot(&self, members: &[u64]) -> usize {
        let hash = members
            .iter()
            .fold(0, |hash: u64, &member| (hash.rotate_left(5) ^ member).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        (hash >> 32) as usize % self.table.len()
    }

    fn grow(&mut self) {
        let size = (2 * self.table.len()).max(256);
        self.table.clear();
        self.table.resize(size, GAP);
        for set in 0..self.len() as u32 {
            let mut slot = self.slot(self.get(set));
            while self.table[slot] != GAP {
                slot = (slot + 1) % size;
            }
            self.table[slot] = set;
        }
    }
}
