//! The oracle of game sheets: a slow and obvious interpreter of one turn of whatever game a sheet describes.
//!
//! It exists so that a value of a sheet misunderstood in the engine is noticed. It was written from the descriptions of
//! the values and from the rules, and shares no line with the engine: it compares squares of the board and not
//! converted numbers, tries every allotment and every order, drops what the rules forbid, and prints what is left. It
//! knows text and throws, and nothing of actions, masks, observations, probabilities or speed. It checks of a sheet
//! only what it reads.
//!
//! Readings taken where sheet and rules are silent:
//! * A seat's pieces on its own private first square are met by nobody; others who stand on that square meet each other
//!   as anywhere else. A marked square that is private too is a marked one.
//! * `greedy` with `hop = sum`: an allotment is legal when no single unused throw could be added to it.
//! * `hop = each`: whatever stands on a square of `unit.from` may leave it as a unit, and whatever stands at the finish
//!   may be borne off, also if it came there in the same series.
//! * `unit.split = false` with pieces together: an odd one may leave alone. With `hop = sum` the pieces that stood
//!   together when the turn began are counted, otherwise those that stand together when one leaves.
//! * A declared piece that leaves alone unmarks the one that it belonged to. Nobody belongs to one who moved in this
//!   turn but those who moved with it.
//! * `entry.spends = false`: at least one part is played where `must` asks for a move.
//! * `divide`: single pieces move, no units; entering counts as all pips of the throw.
//! * `entry.compulsory`: others wait also for a piece that cannot enter with this throw.
//! * The seat that brings its last piece home throws no more, whatever its throw grants.
//! * The gate that waits: the game ends as soon as no seat can move with any throw, also where one more was granted.
//!   With `hop = sum` one throw at a time is tried.

use std::collections::BTreeSet;

use super::notation::Text;
use position::Position;
use rules::Rules;

mod board;
mod dice;
mod ending;
mod one_throw;
mod position;
mod rules;
mod series;
mod steps;
#[cfg(test)]
mod tests;

/// Every position in which `throws` can legally leave the game of `sheet` (TOML) that stands at `position`.
///
/// `position` is a text at the start of a turn (pending `*`), or where a turn has at most so many throws, after some of
/// them (`*1`). `throws` is one throw, a whole series or two dice, as the sheet's turn has it. Each position of the
/// answer names the next seat to act; where the game is over, mover and pending are `-`.
///
/// # Errors
///
/// A sentence that names what is wrong: a sheet without what a turn needs, a text that is not in the one form that
/// printing gives, flags or seats that the game does not have, a position that breaks an invariant or is already over,
/// throws that cannot be thrown.
pub fn turns(sheet: &str, position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let (start, made) = without_count(position)?;
    let text = Text::parse(start)?;
    let rules = Rules::read(sheet, &text)?;
    if made > 0 && rules.most_throws.is_none_or(|most| made >= most) {
        return Err(format!("a turn of this game does not go on after {made} throws"));
    }
    rules.check_throws(throws)?;
    let before = Position::read(&rules, &text)?;
    let mover = text.seats[text.mover].seat;
    let colour = rules.colour_moved(&before, mover);
    let results = match rules.kind {
        "throw" => one_throw::results(&rules, &before, colour, throws[0]),
        "series" => series::results(&rules, &before, colour, throws),
        "dice" => dice::results(&rules, &before, colour, (throws[0], throws[1])),
        _ => dice::divided(&rules, &before, colour, (throws[0], throws[1])),
    };
    let granted = |result: &Position| rules.grants_more(throws, made, result.captures);
    Ok(results.into_iter().map(|result| rules.text_after(&text, &before, &result, granted(&result), made)).collect())
}

/// The text as it would be at the start of its turn, and how many throws were made in it.
fn without_count(position: &str) -> Result<(&str, usize), String> {
    let after_star = position.rfind('*').map_or(position.len(), |star| star + 1);
    match position.split_at(after_star) {
        (start, "") => Ok((start, 0)),
        (start, count) => {
            let made = super::notation::number(count).filter(|&made| made > 0);
            Ok((start, made.ok_or_else(|| format!("{count:?} is no number of throws"))?))
        }
    }
}
