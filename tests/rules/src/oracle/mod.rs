//! The test oracle: a second, slow and obvious implementation of one turn of the game of any sheet,
//! for differential testing.
//!
//! It detects rules and values of a sheet that the engine misunderstands. It was written from the
//! descriptions of the values and from the rules, and shares no line with the engine. It compares
//! squares of the board and not converted indices, tries every allotment of the throws and every
//! order of the steps, drops illegal ones, and prints the rest. It has text and throws, but no
//! actions, masks, observations or probabilities, and is not fast. The oracle assumes that the
//! sheet is valid.
//!
//! Decisions where sheet and rules say nothing:
//! * A seat's pieces on its own private first square do not meet other seats; pieces of others meet
//!   each other there as elsewhere. A square that is marked and private counts as marked.
//! * `greedy` with `hop = sum`: an allotment is legal when no single unused throw could be added to
//!   it.
//! * `hop = each`: pieces on a square of `unit.from` may leave it as a unit, and pieces at the
//!   finish may be borne off, even if they arrived in the same series.
//! * `unit.split = false` with pieces together: an odd one may leave alone. With `hop = sum` the
//!   pieces count that shared a square when the turn began, otherwise the pieces that share it when
//!   one leaves.
//! * A declared piece that leaves alone unmarks its partner. The partner of a piece that moved in
//!   this turn is the piece that moved with it.
//! * `entry.spends = false`: if `must` requires a move, at least one part is played; the entry is
//!   first.
//! * Pieces on a private first square are not units.
//! * `divide`: single pieces move, no units; entering counts as all pips of the throw.
//! * The seat that brings its last piece home throws no more, whatever its throw grants.
//! * A usable throw that the seat passes counts as usable.
//! * A plain mark is a plain square for room, units and meetings.
//! * If the last of the allowed throws is lost, only throws of `again` count: another throw may
//!   earn one more.
//! * The step after a throw is made by one piece, not by a unit. With `by_bonus` it moves no piece
//!   while others wait, even if the waiting pieces cannot enter.
//! * `must` holds for the throw and for the step separately. A 0 takes no piece to the finish.
//! * `entry.clear`: a piece on the square must leave it even if the square has another number for
//!   that piece.
//! * A unit of the same seat or its partner that cannot be passed also stops a piece, even one that
//!   enters by count.
//! * A piece that bounces passes all squares in both directions.
//! * A seat with its pieces on the board from the beginning has entered its first one.
//! * Several dice: single pieces use dice one by one, in any order; a unit may also form in the
//!   turn and leave with the next equal dice. `most` counts dice, and `greedy` ends when neither a
//!   die nor equal dice can be used.
//! * `unit.split = false` with several dice: three pieces may leave a fourth one alone.
//! * Several dice and `half`: a unit cannot use dice by which it would not move.
//! * A captured piece that returns to a square with a number meets nobody there, and its owner has
//!   room for it.
//! * `takes-equal` compares the pieces of one seat that form a unit there; a declared unit has two
//!   pieces.
//! * A throw that no piece can use is a failed try to enter (`entry.tries`) if the seat has no
//!   piece on the course; the squares that its pieces fill are not on the course. Failed tries do
//!   not count as throws.
//! * A gate that waits: the game ends as soon as no seat can move with any throw, even if a throw
//!   was granted. With `hop = sum` the oracle tries one throw at a time.

use std::collections::BTreeSet;

use notation::Text;
use position::Position;
use rules::{Counts, Rules};

mod board;
mod dice;
mod ending;
mod notation;
mod one_throw;
mod position;
mod rules;
mod series;
mod steps;

/// Every position in which a legal turn with `throws` can end that starts at `position` of the game
/// of `sheet` (TOML).
///
/// `position` is a text at the start of a turn (pending `*`). If the sheet limits the throws of a
/// turn, some of them may be made already (`*1`), and some tries to enter can have failed (`*?1`).
/// `throws` is one throw, a whole series, or all dice of a throw, depending on the sheet. Each
/// position of the answer names the next seat to act; if the game is over, mover and pending are
/// `-`.
///
/// # Errors
///
/// A sentence that names the problem: the text is not in canonical form; the game does not have the
/// flags or seats; the position breaks an invariant or is over; the throws are impossible.
///
/// # Panics
///
/// If the sheet has a value that is not known here.
pub fn turns(sheet: &str, position: &str, throws: &[u8]) -> Result<BTreeSet<String>, String> {
    let (start, counts) = without_counts(position)?;
    let text = Text::parse(start)?;
    let rules = Rules::read(sheet, &text)?;
    let Counts { made, tries } = counts;
    if made > 0 && rules.most_throws.is_none_or(|most| made >= most) {
        return Err(format!(
            "a turn of this game does not go on after {made} throws"
        ));
    }
    if tries > 0 && tries >= rules.tries {
        return Err(format!(
            "a turn of this game does not go on after {tries} failed tries"
        ));
    }
    rules.check_throws(throws)?;
    let before = Position::read(&rules, &text)?;
    let mover = text.seats[text.mover].seat;
    let colour = rules.colour_moved(&before, mover);
    let mut is_used = true;
    let results = match rules.kind {
        "throw" if rules.loses(throws[0], made) => {
            return Ok(BTreeSet::from([
                rules.text_after(&text, &before, &before, None)
            ]));
        }
        "throw" => {
            is_used = one_throw::can_move(&rules, &before, colour, throws[0]);
            one_throw::results(&rules, &before, colour, throws[0])
        }
        "series" => series::results(&rules, &before, colour, throws),
        "dice" => dice::results(&rules, &before, colour, (throws[0], throws[1])),
        _ => dice::divided(&rules, &before, colour, (throws[0], throws[1])),
    };
    let has_failed = rules.kind == "throw" && !is_used && !rules.is_under_way(&before, colour);
    let more = |result: &Position| {
        rules
            .more_after(throws, made, is_used, result)
            .map(|made| Counts { made, tries: 0 })
            .or_else(|| {
                let made = if rules.last_is_lost { 0 } else { made };
                Some(Counts {
                    made,
                    tries: tries + 1,
                })
                .filter(|counts| has_failed && counts.tries < rules.tries)
            })
    };
    Ok(results
        .into_iter()
        .map(|result| rules.text_after(&text, &before, &result, more(&result)))
        .collect())
}

/// The text at the start of its turn, and the numbers of throws and of failed tries made in it.
fn without_counts(position: &str) -> Result<(&str, Counts), String> {
    let after_star = position.rfind('*').map_or(position.len(), |star| star + 1);
    let (start, counts) = position.split_at(after_star);
    let read = |count: &str| {
        let number = notation::number(count).filter(|&number| number > 0);
        number.ok_or_else(|| format!("{count:?} is no number of throws"))
    };
    let (made, tries) = counts
        .split_once('?')
        .map_or((counts, None), |(made, tries)| (made, Some(tries)));
    let made = if made.is_empty() { 0 } else { read(made)? };
    Ok((
        start,
        Counts {
            made,
            tries: tries.map_or(Ok(0), read)?,
        },
    ))
}
