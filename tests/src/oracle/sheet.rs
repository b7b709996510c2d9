//! The test oracle of game sheets: a slow and obvious interpreter of one turn of the game of any sheet.
//!
//! It detects values of a sheet that the engine misunderstands. It was written from the descriptions of the values and
//! from the rules, and shares no line with the engine: it compares squares of the board and not converted numbers,
//! tries every allotment and every order, drops illegal ones, and prints the rest. It has text and throws, but no
//! actions, masks, observations or probabilities, and is not fast. It validates only the keys of a sheet that it reads.
//!
//! Readings taken where sheet and rules are silent:
//! * A seat's pieces on its own private first square meet no other seat's; pieces of others on that square meet each
//!   other as anywhere else. A marked square that is private too is a marked one.
//! * `greedy` with `hop = sum`: an allotment is legal when no single unused throw could be added to it.
//! * `hop = each`: pieces on a square of `unit.from` may leave it as a unit, and pieces at the finish may be borne off,
//!   also if they came there in the same series.
//! * `unit.split = false` with pieces together: an odd one may leave alone. With `hop = sum` the pieces that stood
//!   together when the turn began are counted, otherwise those that stand together when one leaves.
//! * A declared piece that leaves alone unmarks its partner. The partner of a piece that moved in this turn is one that
//!   moved with it.
//! * `entry.spends = false`: at least one part is played where `must` asks for a move, and the entry comes first.
//! * Pieces on a first square that is private are no units there.
//! * `divide`: single pieces move, no units; entering counts as all pips of the throw.
//! * `entry.compulsory`: others wait also for a piece that cannot enter with this throw.
//! * The seat that brings its last piece home throws no more, whatever its throw grants.
//! * A usable throw that is passed counts as one that could be used.
//! * A mark that is plain is a plain square for room, units and meetings.
//! * Where the last of the most throws is lost, only those of `again` are counted: another one may earn a throw more.
//! * The step after a throw is made by one piece, not by a unit. With `by_bonus` it moves no piece while others wait,
//!   even if those cannot enter.
//! * A step that may come first: a part that brings the seat's last piece home is enough.
//! * `must` holds for the throw and for the step apart. A 0 brings no piece to the finish.
//! * `entry.clear`: a piece that stands on the square under another number must leave it too.
//! * An own or a partner's unit that cannot be passed stops a piece too, also one that enters by count.
//! * A piece that bounces passes all squares on its way there and back.
//! * A seat with its pieces on the board from the beginning has entered its first one.
//! * Several dice: single pieces use dice one by one, in any order; a unit may also form in the turn and leave with the
//!   next equal dice. `most` counts dice, and `greedy` ends when neither a die nor equal dice can be used.
//! * `unit.split = false` with several dice: three may leave four, and the one that stays is left alone.
//! * Several dice and `half`: a unit that goes nowhere by one of its dice cannot use them.
//! * A captured piece that is sent to a square with a number meets nothing there, and its owner has room for it.
//! * `takes-equal`: the pieces of one seat that count as a unit there are compared; a declared unit has two pieces.
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

/// Every position in which `throws` can legally leave the game of `sheet` (TOML) that stands at `position`.
///
/// `position` is a text at the start of a turn (pending `*`), or where a turn has at most so many throws, after some of
/// them (`*1`). `throws` is one throw, a whole series or the dice thrown at once, as the sheet's turn has it. Each
/// position of the answer names the next seat to act; where the game is over, mover and pending are `-`.
///
/// # Errors
///
/// A sentence that names the problem: a sheet without a key that a turn needs, a text that is not in the canonical form
/// that printing gives, flags or seats that the game does not have, a position that breaks an invariant or is already
/// over, throws that cannot be thrown.
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
    let mut is_used = true;
    let results = match rules.kind {
        "throw" if rules.loses(throws[0], made) => {
            return Ok(BTreeSet::from([rules.text_after(&text, &before, &before, None)]));
        }
        "throw" => {
            is_used = one_throw::can_move(&rules, &before, colour, throws[0]);
            one_throw::results(&rules, &before, colour, throws[0])
        }
        "series" => series::results(&rules, &before, colour, throws),
        "dice" => dice::results(&rules, &before, colour, (throws[0], throws[1])),
        _ => dice::divided(&rules, &before, colour, (throws[0], throws[1])),
    };
    let more = |result: &Position| rules.more_after(throws, made, is_used, result);
    Ok(results.into_iter().map(|result| rules.text_after(&text, &before, &result, more(&result))).collect())
}

/// The text at the start of its turn, and the number of throws made in it.
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
