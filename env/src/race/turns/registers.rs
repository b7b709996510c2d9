//! The registers of a turn: the facts that a position has about the current turn, besides throws and labels of pieces.
//!
//! A kind of turn declares its registers in `TurnMachine::registers`, and its rules change their bytes. Everything else
//! follows from the declaration: the text of positions, the columns of the observation, the turn-start states that
//! solvers number, and the texts of turn starts. All registers are 0 when another seat begins its turn.

use std::ops::Range;

use super::text::number;
use crate::race::position::state::{Phase, State};

/// The registers of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    /// Whether a throw has parts: `dice[1]` is the whole throw while a part of it is unused, and 0 after an entry.
    pub(crate) has_parts: bool,
    pub(crate) counts: Vec<Count>,
    pub(crate) flags: Vec<Flags>,
}

/// A number that the next throw of the same turn keeps. It is a part of turn-start states.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// The byte of [`State::registers`].
    pub(crate) byte: usize,
    /// The sign before the number in the text, which does not repeat a sign. Numbers that every first throw has are not
    /// written.
    pub(crate) sign: char,
    /// The number of values before a throw: 0 to `values - 1`.
    pub(crate) values: u8,
    /// 1 if a throw that is not used yet adds 1, otherwise 0.
    pub(crate) throw: u8,
}

/// Facts that a turn forgets before the next throw, as bits.
#[derive(Clone, Debug)]
pub(crate) struct Flags {
    /// The byte of [`State::registers`].
    pub(crate) byte: usize,
    /// The columns of the bits, counted from the first column of all flags.
    pub(crate) columns: Range<u16>,
    /// The marks of the bits in the text. The text has a mark if one of its bits is set.
    pub(crate) marks: Vec<(String, u8)>,
}

impl Count {
    /// Returns the number of columns: one for each value except 0.
    pub(crate) fn columns(&self) -> u16 {
        u16::from(self.values - 1 + self.throw)
    }

    /// Returns the value without the throw that is not used yet.
    fn before(&self, state: &State) -> u8 {
        state.registers[self.byte].saturating_sub(self.first(state.phase))
    }

    /// Returns the value at the start of a turn, or after the first throw.
    fn first(&self, phase: Phase) -> u8 {
        if phase == Phase::Throw { 0 } else { self.throw }
    }
}

impl Registers {
    /// Returns the registers of all turn starts, in ascending order.
    pub(crate) fn starts(&self) -> Vec<[u8; 3]> {
        self.counts.iter().fold(vec![[0; 3]], |starts, count| {
            let with = |start: [u8; 3], value| {
                std::array::from_fn(|byte| if byte == count.byte { value } else { start[byte] })
            };
            starts.into_iter().flat_map(|start| (0..count.values).map(move |value| with(start, value))).collect()
        })
    }

    /// Returns the registers before the throw that is not used yet.
    pub(crate) fn start(&self, state: &State) -> [u8; 3] {
        let mut start = [0; 3];
        self.counts.iter().for_each(|count| start[count.byte] = count.before(state));
        start
    }

    /// Adds the counts to the text of the throws.
    pub(crate) fn print_counts(&self, state: &State, text: &mut String) {
        for count in self.counts.iter().filter(|count| count.before(state) > 0) {
            *text = format!("{}{}{}", text.trim_end_matches(count.sign), count.sign, state.registers[count.byte]);
        }
    }

    /// Reads the counts after the throws. Returns the text of the throws.
    ///
    /// # Errors
    /// If a count is too large. A count that is too small, or not written, gives a state with another text.
    pub(crate) fn read_counts<'a>(&self, state: &mut State, mut text: &'a str) -> Result<&'a str, String> {
        for count in self.counts.iter().rev() {
            let written = text.rsplit_once(count.sign).and_then(|(before, value)| Some((before, number(value)?)));
            let (before, value) = written.unwrap_or((text, count.first(state.phase)));
            text = if before.is_empty() { "*" } else { before };
            state.registers[count.byte] = value;
            if count.before(state) >= count.values {
                return Err(format!("the number after `{}` is too large", count.sign));
            }
        }
        Ok(text)
    }

    /// Iterates over the marks with the byte and the bits of each.
    fn flag_marks(&self) -> impl Iterator<Item = (&str, usize, u8)> {
        self.flags.iter().flat_map(|flags| flags.marks.iter().map(|(mark, bits)| (&**mark, flags.byte, *bits)))
    }

    /// Returns the marks of a turn whose throws are partly used.
    pub(crate) fn marks(&self, state: &State) -> Vec<String> {
        let part = if state.dice[1] > 0 { format!("/{}", state.dice[1]) } else { "in".to_owned() };
        let flags = self.flag_marks().filter(|&(_, byte, bits)| state.registers[byte] & bits != 0);
        self.has_parts.then_some(part).into_iter().chain(flags.map(|(mark, ..)| mark.to_owned())).collect()
    }

    /// Reads one of [`Registers::marks`]. Returns `None` if the game does not have this mark.
    pub(crate) fn read_mark(&self, state: &mut State, mark: &str) -> Option<()> {
        if let Some((_, byte, bits)) = self.flag_marks().find(|&(text, ..)| text == mark) {
            state.registers[byte] |= bits;
            return Some(());
        }
        let whole = if mark == "in" { Some(0) } else { mark.strip_prefix('/').and_then(number) };
        whole.filter(|_| self.has_parts).map(|whole| state.dice[1] = whole)
    }
}
