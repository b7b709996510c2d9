//! Writes into rows of arrays with any strides. Rows are usually contiguous. They are then written as slices, which is
//! much faster than indexing.

use ndarray::ArrayViewMut1;

use crate::game::{Action, ActionMask};

/// Writes 1 in the `active` columns and 0 in all others.
#[inline]
pub(super) fn write_active<T: Copy + From<u8>>(mut row: ArrayViewMut1<'_, T>, active: &[u16]) {
    row.fill(T::from(0));
    if let Some(row) = row.as_slice_mut() {
        active.iter().for_each(|&column| row[usize::from(column)] = T::from(1));
    } else {
        active.iter().for_each(|&column| row[usize::from(column)] = T::from(1));
    }
}

/// Writes for each action whether it is in `mask`.
#[inline]
pub(super) fn write_mask(mut row: ArrayViewMut1<'_, bool>, mask: ActionMask) {
    let is_legal = |action: usize| mask.contains(Action(action as u8));
    if let Some(row) = row.as_slice_mut() {
        row.iter_mut().enumerate().for_each(|(action, cell)| *cell = is_legal(action));
    } else {
        row.iter_mut().enumerate().for_each(|(action, cell)| *cell = is_legal(action));
    }
}
