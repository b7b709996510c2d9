//! What a person can answer at a prompt, and what the game says about itself.
//!
//! Reads words and knows nothing of positions.

use ashta_env::sheet::Sheet;

use crate::run::output::wrapped;

/// An answer to the prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerAnswer {
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

impl PlayerAnswer {
    /// Reads a line; capital or small letters make no difference.
    pub fn read(line: &str) -> PlayerAnswer {
        let word = line.trim();
        match word.to_lowercase().as_str() {
            "" => PlayerAnswer::Again,
            "?" => PlayerAnswer::Chances,
            "b" | "board" => PlayerAnswer::Board,
            "p" | "position" => PlayerAnswer::Position,
            "h" | "help" => PlayerAnswer::Help,
            "u" | "undo" => PlayerAnswer::Undo,
            "q" | "quit" | "exit" => PlayerAnswer::Quit,
            number => number.parse().map_or_else(|_| PlayerAnswer::Unknown(word.to_owned()), PlayerAnswer::Choice),
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

/// The rules of a game in lines of at most 79 columns.
pub fn rules(sheet: &Sheet) -> String {
    let title = format!("{}: {}", sheet.title, sheet.summary);
    let paragraphs = std::iter::once(title.as_str()).chain(sheet.rules.split("\n\n"));
    paragraphs.map(|paragraph| wrapped(paragraph, 0)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::sheet::builtin;

    #[test]
    fn answers_are_read() {
        assert_eq!(PlayerAnswer::read(" 12 \r\n"), PlayerAnswer::Choice(12));
        assert_eq!(PlayerAnswer::read("\n"), PlayerAnswer::Again);
        assert_eq!(PlayerAnswer::read("Q"), PlayerAnswer::Quit);
        assert_eq!(PlayerAnswer::read("undo\n"), PlayerAnswer::Undo);
        for unknown in ["-1", "1.5", "one", "??", "99999999999999999999999"] {
            assert_eq!(PlayerAnswer::read(unknown), PlayerAnswer::Unknown(unknown.to_owned()));
        }
    }

    #[test]
    fn help_fits_the_screen() {
        for sheet in builtin::all() {
            let text = rules(sheet);
            assert!(text.lines().chain(COMMANDS.lines()).all(|line| line.chars().count() < 80), "{text}");
        }
    }
}
