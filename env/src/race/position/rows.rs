//! Positions as rows of bytes, for arrays of many positions of one game.

use super::state::{MAX_KINDS, MAX_PIECES, Phase, Series, State};
use crate::game::{BySeat, MAX_SEATS, Seat};

/// The version of the layout of rows, in the first byte of each row.
pub const ROW_VERSION: u8 = 1;

/// The fields of a row and their lengths in bytes, in order. The fields of pieces have
/// [`MAX_PIECES`] bytes for each seat or for the mover. The registers of a turn have the names of
/// their usual meanings.
pub const ROW_FIELDS: [(&str, usize); 15] = [
    ("version", 1),
    ("pieces", MAX_SEATS * MAX_PIECES),
    ("steps", MAX_PIECES),
    ("roles", MAX_PIECES),
    ("dice", 2),
    ("finished", MAX_SEATS),
    ("declared", MAX_SEATS),
    ("mover", 1),
    ("phase", 1),
    ("seat_marks", 1),
    ("skipped", 1),
    ("thrown", 1),
    ("has_captured", 1),
    ("series", MAX_KINDS + 1),
    ("order", 16),
];

/// The length of a row in bytes.
pub const ROW: usize = {
    let (mut sum, mut field) = (0, 0);
    while field < ROW_FIELDS.len() {
        sum += ROW_FIELDS[field].1;
        field += 1;
    }
    sum
};

impl State {
    /// Returns the position as a row with the fields [`ROW_FIELDS`].
    #[inline]
    pub fn to_row(&self) -> [u8; ROW] {
        let State {
            series,
            pieces,
            steps,
            roles,
            dice,
            finished,
            declared,
            registers,
            ..
        } = self;
        let (pieces, (counts, order)) = (pieces.0.as_flattened(), series.parts());
        let turn = [self.mover.index() as u8, self.phase as u8, self.seat_marks];
        let parts: [&[u8]; 11] = [
            &[ROW_VERSION],
            pieces,
            steps,
            roles,
            dice,
            &finished.0,
            &declared.0,
            &turn,
            registers,
            &counts,
            &order,
        ];
        let (mut row, mut at) = ([0; ROW], 0);
        for part in parts {
            row[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        row
    }

    /// Returns the position of a row that [`State::to_row`] has made. Any other row gives some
    /// state, perhaps an invalid one; [`Race::state_of_row`](crate::race::Race::state_of_row)
    /// checks rows.
    #[inline]
    pub fn from_row(row: &[u8; ROW]) -> State {
        let rest = &mut &row[1..];
        let pieces = std::array::from_fn(|_| take(rest));
        let (steps, roles, dice, finished, declared) =
            (take(rest), take(rest), take(rest), take(rest), take(rest));
        let [mover, phase, seat_marks] = take(rest);
        let (mover, phases) = (
            Seat::ALL[usize::from(mover) % MAX_SEATS],
            [Phase::Throw, Phase::Choose, Phase::Allot, Phase::Over],
        );
        let (phase, registers) = (phases[usize::from(phase) % 4], take(rest));
        let series = Series::of_parts(take(rest), take(rest));
        State {
            series,
            pieces: BySeat(pieces),
            steps,
            roles,
            dice,
            finished: BySeat(finished),
            declared: BySeat(declared),
            mover,
            phase,
            seat_marks,
            registers,
        }
    }
}

/// Takes the first bytes of `rest`, which has enough of them.
#[inline]
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    if let Some((found, after)) = rest.split_first_chunk() {
        (bytes, *rest) = (*found, after);
    }
    bytes
}
