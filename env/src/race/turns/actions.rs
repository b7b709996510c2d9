//! The fixed action space: the unit that takes the next throw.
//!
//! A unit is named by the slot of its (first) piece among the mover's pieces in ascending order, so the action space is
//! the same for every number of pieces and seats, and for every board. Of equal pieces only the lowest slot is offered:
//! equal pieces give equal actions. With more than four pieces none move together, and the actions of pairs are those
//! of the further slots.

use crate::game::{Action, ActionMask};

/// `SINGLES + slot`: the piece of that slot takes the throw by itself.
pub const SINGLES: Action = Action(0);
/// `PAIRS + slot`: the piece of that slot and the next one like it take the throw together (twins, doubles, pairs).
/// Where a throw is divided, that piece comes home by a part of it; where its step can come first, that piece makes it.
pub const PAIRS: Action = Action(4);
/// The throw is left unused; with two dice the rest of the turn is.
pub const PASS: Action = Action(8);
/// `LARGER_FIRST + slot` (two dice): the piece of that slot moves first and takes the larger die. Offered where no
/// sequence beginning with the smaller die gives the same result.
pub const LARGER_FIRST: Action = Action(9);
/// The throw is set aside until another has been played (a series played throw by throw).
pub const LATER: Action = Action(9);
/// `THREES + slot` (several dice): the piece of that slot and the next two like it take three equal dice together.
pub const THREES: Action = Action(13);

/// Size of the action space of a throw, and of a series with one hop.
pub const ACTIONS: usize = 9;
/// Size of the action space of a series played throw by throw.
pub const EACH_ACTIONS: usize = 10;
/// The same where three pieces can move together.
pub const THREES_ACTIONS: usize = 15;
/// Size of the action space of two dice.
pub const DICE_ACTIONS: usize = 13;

/// The slots that actions can name where so many pieces of a seat play.
#[inline]
pub(crate) fn slots(pieces: usize) -> u8 {
    if pieces > usize::from(PAIRS.0) { PASS.0 } else { PAIRS.0 }
}

/// The slot of the (first) piece that an action of this space names, of so many pieces; `None` for [`PASS`].
#[inline]
pub fn slot(action: Action, pieces: usize) -> Option<usize> {
    match action {
        PASS => None,
        action if action >= LARGER_FIRST => Some(usize::from((action.0 - LARGER_FIRST.0) % PAIRS.0)),
        action => Some(usize::from(action.0 % slots(pieces))),
    }
}

/// The number of pieces that an action moves together, of so many of a seat.
#[inline]
pub fn together(action: Action, pieces: usize) -> usize {
    match action {
        action if action >= THREES => 3,
        action if (slots(pieces)..PASS.0).contains(&action.0) => 2,
        _ => 1,
    }
}

/// These actions, and [`PASS`] where it `may` be chosen or there are no others.
#[inline]
pub(crate) fn with_pass(actions: ActionMask, may: bool) -> ActionMask {
    if may || actions.is_empty() { ActionMask::of_bits(actions.bits() | 1 << PASS.0) } else { actions }
}

/// Whether an action names two pieces, of so many of a seat.
#[inline]
pub fn is_pair(action: Action, pieces: usize) -> bool {
    together(action, pieces) == 2
}
