//! The fixed action space: which unit takes the next throw.
//!
//! A unit is named by the slot of its (first) piece among the mover's pieces in ascending order, so the action space is
//! the same for every number of pieces and seats, and for every board. Of equal pieces only the lowest slot is offered:
//! equal pieces give equal actions.

use crate::game::Action;

/// `SINGLES + slot`: the piece of that slot takes the throw by itself.
pub const SINGLES: Action = Action(0);
/// `PAIRS + slot`: the piece of that slot and the next one like it take the throw together (twins, doubles, pairs).
pub const PAIRS: Action = Action(4);
/// The throw is left unused; in Pagade the rest of the turn is.
pub const PASS: Action = Action(8);
/// `LARGER_FIRST + slot` (Pagade): the pawn of that slot moves first and takes the larger die. Offered where no
/// sequence beginning with the smaller die gives the same result.
pub const LARGER_FIRST: Action = Action(9);

/// Size of the action space of Ashtapada and Ashte Kashte.
pub const ACTIONS: usize = 9;
/// Size of the action space of Pagade.
pub const PAGADE_ACTIONS: usize = 13;
