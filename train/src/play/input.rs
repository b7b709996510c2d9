//! What a person can answer at a prompt, and what the game says about itself.
//!
//! Reads words and knows nothing of positions.

use ashta_env::ruleset::Rules;

/// An answer to the prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The choice with this number, from 1.
    Choice(usize),
    /// ENTER alone: show the choices again.
    Again,
    /// Show winning chances.
    Chances,
    /// Draw the board.
    Board,
    /// Print the position.
    Position,
    /// Explain the commands and the game.
    Help,
    /// Go back to the previous decision.
    Undo,
    /// Leave the game.
    Quit,
    /// Something else.
    Unknown(String),
}

impl Answer {
    /// Reads a line; capital or small letters make no difference.
    pub fn read(line: &str) -> Answer {
        let word = line.trim();
        match word.to_lowercase().as_str() {
            "" => Answer::Again,
            "?" => Answer::Chances,
            "b" | "board" => Answer::Board,
            "p" | "position" => Answer::Position,
            "h" | "help" => Answer::Help,
            "u" | "undo" => Answer::Undo,
            "q" | "quit" | "exit" => Answer::Quit,
            number => number.parse().map_or_else(|_| Answer::Unknown(word.to_owned()), Answer::Choice),
        }
    }
}

/// The commands, one a line.
pub const COMMANDS: &str = "\
Answers:
  1, 2, …  play the choice with that number
  ENTER    show the choices again
  ?        what the agent thinks of each choice, and of all seats
  b        draw the board
  p        print the position as text, for --position
  u        undo: back to your previous decision (same turns, same throws)
  h        this help
  q        quit";

/// A game in a few lines of at most 79 columns, under its usual rules.
pub fn rules(rules: &Rules) -> &'static str {
    match rules {
        Rules::Ashtapada(_) => {
            "\
Ashtapada: from the right-hand crosscut square in the middle of your side
counter-clockwise around the outer ring, clockwise around the next one,
counter-clockwise around the third, and into your keep.
Throw until a 2 or 3 comes. A 1 enters a piece; with nothing on the board, all
throws before the first 1 are lost. Throws given to one piece are one hop. When
all that are left are in the keep, a 1 bears one off. Whoever has borne off all
wins. Landing on an unmarked square captures a single enemy. Two on a square
are twins: they can move together, and only twins capture them. After a capture
you throw again."
        }
        Rules::AshteKashte(_) => {
            "\
Ashte Kashte: from the protected square in the middle of your side
counter-clockwise around ring after ring to the goal in the centre, which takes
an exact throw. Each throw moves one piece; after a 4 or 8 you throw again.
Landing on a single enemy captures it. Two on a square are a double: singles
can neither pass nor capture it, doubles can. A protected square holds one
piece and is closed to all others. Whoever has brought all pieces home wins."
        }
        Rules::Pagade(_) => {
            "\
Pagade: down your belly (the middle of your arm), counter-clockwise around the
whole board, up the belly again and home, which takes an exact throw. Both dice
(1, 3, 4, 6) go to one pawn in one hop, or one each to two pawns, or a doublet
moves a pair. Landing on a single enemy cuts it; only a pair cuts a pair. Cut
pawns come back in before anything else moves. Nobody is cut in a belly, and
only who has cut an enemy may go up the belly. Whoever is all home wins."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::ruleset::{GAMES, Ruleset};

    #[test]
    fn answers_are_read() {
        assert_eq!(Answer::read(" 12 \r\n"), Answer::Choice(12));
        assert_eq!(Answer::read("\n"), Answer::Again);
        assert_eq!(Answer::read("Q"), Answer::Quit);
        assert_eq!(Answer::read("undo\n"), Answer::Undo);
        for unknown in ["-1", "1.5", "one", "??", "99999999999999999999999"] {
            assert_eq!(Answer::read(unknown), Answer::Unknown(unknown.to_owned()));
        }
    }

    #[test]
    fn help_fits_the_screen() {
        for game in GAMES {
            let seats = Ruleset::default_seats(2).expect("two seats");
            let ruleset = Ruleset::parse(game, seats).expect("a game");
            let text = rules(ruleset.rules());
            assert!(text.lines().chain(COMMANDS.lines()).all(|line| line.chars().count() < 80), "{text}");
        }
    }
}
