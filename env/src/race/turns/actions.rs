//! The fixed action space. An action names the unit that takes the next throw. If a turn divides
//! the total of the dice, an action is a part of the total.
//!
//! An action names a unit by the slot of its first piece. Slots count the mover's pieces in
//! ascending order. So the action space does not depend on the board or the number of pieces and
//! seats. Among interchangeable pieces, only the action of the lowest slot is legal. With more than
//! four pieces, pieces do not move together, and the actions of pairs name slots 4 to 7.

use crate::game::{Action, ActionMask};

/// `SINGLES + slot`: the piece of this slot takes the throw alone.
pub const SINGLES: Action = Action(0);
/// `PAIRS + slot`: this piece and the next equal piece take the throw together (twins, doubles,
/// pairs). If a throw can be divided, this piece finishes with a part and leaves the rest to
/// another piece. If the extra step of a throw (`turn.bonus`) can come before the throw, this piece
/// makes the step first.
pub const PAIRS: Action = Action(4);
/// The throw stays unused. With two dice, all remaining dice stay unused.
pub const PASS: Action = Action(8);
/// `LARGER_FIRST + slot` (two dice): the piece of this slot moves first and takes the larger die.
/// Legal only if no sequence that begins with the smaller die has the same result.
pub const LARGER_FIRST: Action = Action(9);
/// The throw waits until another throw is played (only in a series whose throws are played one by
/// one).
pub const LATER: Action = Action(9);
/// `THREES + slot` (several dice): this piece and the next two equal pieces take three equal dice
/// together.
pub const THREES: Action = Action(13);

/// Size of the action space for turns of one throw, and for series in which each piece makes one
/// hop.
pub const ACTIONS: usize = 9;
/// Size of the action space for series whose throws are played one by one.
pub const EACH_ACTIONS: usize = 10;
/// Size of the action space for such series if three pieces can move together.
pub const THREES_ACTIONS: usize = 15;
/// Size of the action space for turns of two dice.
pub const DICE_ACTIONS: usize = 13;

/// Returns the number of slots that actions can name, for seats with `pieces` pieces.
#[inline]
pub(crate) fn slots(pieces: usize) -> u8 {
    if pieces > usize::from(PAIRS.0) {
        PASS.0
    } else {
        PAIRS.0
    }
}

/// Returns the slot of the first piece that an action names, for seats with `pieces` pieces.
/// Returns `None` for [`PASS`].
#[inline]
pub fn slot(action: Action, pieces: usize) -> Option<usize> {
    match action {
        PASS => None,
        action if action >= LARGER_FIRST => {
            Some(usize::from((action.0 - LARGER_FIRST.0) % PAIRS.0))
        }
        action => Some(usize::from(action.0 % slots(pieces))),
    }
}

/// Returns the number of pieces that an action moves together, for seats with `pieces` pieces.
#[inline]
pub fn together(action: Action, pieces: usize) -> usize {
    match action {
        action if action >= THREES => 3,
        action if (slots(pieces)..PASS.0).contains(&action.0) => 2,
        _ => 1,
    }
}

/// Returns `actions`, with [`PASS`] if the seat is allowed to pass (`may`) or has no actions.
#[inline]
pub(crate) fn with_pass(actions: ActionMask, may: bool) -> ActionMask {
    if may || actions.is_empty() {
        ActionMask::of_bits(actions.bits() | 1 << PASS.0)
    } else {
        actions
    }
}

/// Returns whether an action moves two pieces, for seats with `pieces` pieces.
#[inline]
pub fn is_pair(action: Action, pieces: usize) -> bool {
    together(action, pieces) == 2
}
