//! The registers of a turn: the facts that a position has about the current turn, besides throws
//! and labels of pieces.
//!
//! A kind of turn declares its registers in `TurnMachine::registers`, and its rules change their
//! bytes. Everything else follows from the declaration: the text of positions, the columns of the
//! observation, the turn-start states that solvers number, and the texts of turn starts. All
//! registers are 0 when another seat begins its turn.
//!
//! A position has three bytes for registers. Different kinds of turn can use one byte for different
//! facts. The start of a turn clears all bytes, so a kind of turn writes back the counts that the
//! next throw of the same seat keeps.

use std::ops::Range;

use super::text::number;
use crate::race::position::state::{Phase, State};

/// The registers of a game. Their order is the order of their texts and of their columns.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// Whether a throw has parts. While a part is open, `dice[1]` is the whole throw, or 0 after an
    /// entry.
    pub has_parts: bool,
    pub counts: Vec<Count>,
    pub flags: Vec<Flags>,
}

/// A number that the next throw of the same turn keeps. It is a part of turn-start states. Every
/// value must be valid with every placing of the pieces: solvers and random tests combine them.
#[derive(Clone, Debug)]
pub struct Count {
    /// The byte of [`State::registers`].
    pub byte: usize,
    /// The sign before the number in the text, which does not repeat a sign. Numbers that every
    /// first throw has are not written.
    pub sign: char,
    /// The largest value. Each value except 0 has a column.
    pub most: u8,
    /// 1 if a throw that is not used yet adds 1, otherwise 0.
    pub throw: u8,
}

/// Facts that a turn forgets before the next throw, as bits.
#[derive(Clone, Debug)]
pub struct Flags {
    /// The byte of [`State::registers`].
    pub byte: usize,
    /// The columns of the bits, counted from the end of the columns of the previous flags.
    pub columns: Range<u16>,
    /// The marks of the bits in the text. The text has a mark if one of its bits is set.
    pub marks: Vec<(String, u8)>,
}

impl Count {
    /// Returns the value at the start of a turn, or after the first throw.
    fn first(&self, phase: Phase) -> u8 {
        if phase == Phase::Throw { 0 } else { self.throw }
    }
}

impl Flags {
    /// A register that is 0 or 1.
    pub fn yes(byte: usize, column: u16) -> Flags {
        Flags {
            byte,
            columns: column..column + 1,
            marks: vec![("+".to_owned(), 1)],
        }
    }
}

impl Registers {
    /// Returns the registers of all turn starts, in ascending order.
    pub fn starts(&self) -> Vec<[u8; 3]> {
        self.counts.iter().fold(vec![[0; 3]], |starts, count| {
            let with = |start: [u8; 3], value| {
                std::array::from_fn(|byte| {
                    if byte == count.byte {
                        value
                    } else {
                        start[byte]
                    }
                })
            };
            starts
                .into_iter()
                .flat_map(|start| {
                    (0..=count.most - count.throw).map(move |value| with(start, value))
                })
                .collect()
        })
    }

    /// Returns the registers before the throw that is not used yet.
    pub fn start(&self, state: &State) -> [u8; 3] {
        let mut start = [0; 3];
        for count in &self.counts {
            start[count.byte] =
                state.registers[count.byte].saturating_sub(count.first(state.phase));
        }
        start
    }

    /// Adds the counts to the text of the throws.
    pub fn print_counts(&self, state: &State, text: &mut String) {
        for count in self
            .counts
            .iter()
            .filter(|count| self.start(state)[count.byte] > 0)
        {
            *text = format!(
                "{}{}{}",
                text.trim_end_matches(count.sign),
                count.sign,
                state.registers[count.byte]
            );
        }
    }

    /// Reads the counts that follow the throws and `next`, the sign of the next throw. Returns
    /// `false` if the game does not have them.
    pub fn read_counts(&self, state: &mut State, next: &str, text: &str) -> bool {
        self.starts().into_iter().any(|start| {
            state.registers = start;
            self.counts
                .iter()
                .for_each(|count| state.registers[count.byte] += count.first(state.phase));
            let mut printed = next.to_owned();
            self.print_counts(state, &mut printed);
            printed == text
        })
    }

    /// Iterates over the marks with the byte and the bits of each.
    fn flag_marks(&self) -> impl Iterator<Item = (&str, usize, u8)> {
        self.flags.iter().flat_map(|flags| {
            flags
                .marks
                .iter()
                .map(|(mark, bits)| (&**mark, flags.byte, *bits))
        })
    }

    /// Returns the marks of a turn whose throws are partly used: the open part of a throw, then the
    /// flags.
    pub fn marks(&self, state: &State) -> Vec<String> {
        let part = if state.dice[1] > 0 {
            format!("/{}", state.dice[1])
        } else {
            "in".to_owned()
        };
        let flags = self
            .flag_marks()
            .filter(|&(_, byte, bits)| state.registers[byte] & bits != 0);
        self.has_parts
            .then_some(part)
            .into_iter()
            .chain(flags.map(|(mark, ..)| mark.to_owned()))
            .collect()
    }

    /// Reads one of [`Registers::marks`]. Returns `None` if the game does not have this mark.
    pub fn read_mark(&self, state: &mut State, mark: &str) -> Option<()> {
        if let Some((_, byte, bits)) = self.flag_marks().find(|&(text, ..)| text == mark) {
            state.registers[byte] |= bits;
            return Some(());
        }
        let whole = if mark == "in" {
            Some(0)
        } else {
            mark.strip_prefix('/').and_then(number)
        };
        whole
            .filter(|_| self.has_parts)
            .map(|whole| state.dice[1] = whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Seat;

    #[test]
    fn two_counts_have_one_text() {
        let count = |byte, sign, throw| Count {
            byte,
            sign,
            most: 3,
            throw,
        };
        let registers = Registers {
            counts: vec![count(1, '*', 1), count(0, '?', 0)],
            ..Registers::default()
        };
        assert_eq!(registers.starts().len(), 3 * 4);
        for (phase, next) in [(Phase::Throw, "*"), (Phase::Choose, "")] {
            let mut texts = Vec::new();
            for start in registers.starts() {
                let mut state = State {
                    phase,
                    registers: start,
                    ..State::empty(Seat::SOUTH)
                };
                state.registers[1] += u8::from(phase == Phase::Choose);
                assert_eq!(registers.start(&state), start);
                let mut text = next.to_owned();
                registers.print_counts(&state, &mut text);
                let mut read = State {
                    registers: [0; 3],
                    ..state
                };
                assert!(
                    registers.read_counts(&mut read, next, &text) && read == state,
                    "{text}"
                );
                texts.push(text);
            }
            let expected = if phase == Phase::Throw {
                ["*", "*?1", "*2?3"]
            } else {
                ["", "?1", "*3?3"]
            };
            assert_eq!([&texts[0], &texts[1], &texts[11]], expected);
            assert!(!registers.read_counts(&mut State::empty(Seat::SOUTH), next, "*4"));
        }
    }
}
