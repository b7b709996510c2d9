//! The kinds of turn.

pub mod actions;
pub(crate) mod dice;
pub(crate) mod divide;
pub(crate) mod each;
pub(crate) mod series;
pub(crate) mod throw;

use dice::DiceTurns;
use divide::DivideTurns;
use each::EachTurns;
use series::SeriesTurns;
use throw::ThrowTurns;

/// The kinds of turn.
#[derive(Clone, Debug)]
pub(crate) enum Turns {
    Throw(ThrowTurns),
    Series(SeriesTurns),
    Each(EachTurns),
    Dice(DiceTurns),
    Divide(DivideTurns),
}

impl Turns {
    /// Continues games in which no seat can ever move again.
    pub(crate) fn ignore_dead_ends(&mut self) {
        match self {
            Turns::Throw(turns) => turns.waits = false,
            Turns::Dice(turns) => turns.waits = false,
            Turns::Series(_) | Turns::Each(_) | Turns::Divide(_) => {}
        }
    }
}
