//! How text looks on the screen: each seat has a colour where the output can show it.
//!
//! Exists so that a session writes the same words to a terminal, a file and a test. It knows nothing of games.

use ashta_env::game::Seat;

/// Whether colours are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Words only.
    Plain,
    /// Words with ANSI colours.
    Colours,
}

/// Green, yellow, red and blue, all bold.
const COLOURS: [&str; 4] = ["\x1b[1;32m", "\x1b[1;33m", "\x1b[1;31m", "\x1b[1;34m"];
const BOLD: &str = "\x1b[1m";
const END: &str = "\x1b[0m";

impl Style {
    /// The style for an output: colours for terminals, unless the value of `NO_COLOR` is anything but empty.
    pub fn of(is_terminal: bool, no_color: Option<&std::ffi::OsStr>) -> Style {
        let is_refused = no_color.is_some_and(|value| !value.is_empty());
        if is_terminal && !is_refused { Style::Colours } else { Style::Plain }
    }

    /// The letter of a seat.
    pub fn seat(self, seat: Seat) -> String {
        self.coloured(seat, &seat.letter().to_string())
    }

    /// `text` in the colour of a seat.
    pub fn coloured(self, seat: Seat, text: &str) -> String {
        self.within(COLOURS[seat.index()], text)
    }

    /// `text` in bold letters.
    pub fn bold(self, text: &str) -> String {
        self.within(BOLD, text)
    }

    fn within(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Colours => format!("{code}{text}{END}"),
        }
    }

    /// A drawing of a position with its pieces coloured. Its last line, the letters of the columns, stays plain.
    pub fn drawing(self, drawing: &str) -> String {
        let (rows, columns) = match drawing.rsplit_once('\n') {
            Some(parts) if self == Style::Colours => parts,
            _ => return drawing.to_owned(),
        };
        let coloured = |letter: char| match seat_of(letter) {
            Some(seat) => self.coloured(seat, &letter.to_string()),
            None => letter.to_string(),
        };
        let mut out = String::new();
        for part in rows.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_pieces = word.chars().all(|c| c.is_ascii_digit() || seat_of(c).is_some());
            if is_pieces {
                out.extend(part.chars().map(coloured));
            } else {
                out.push_str(part);
            }
        }
        out + "\n" + columns
    }
}

/// The seat of a piece in a drawing, capital or small.
fn seat_of(letter: char) -> Option<Seat> {
    Seat::from_letter(letter.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        assert_eq!(Style::of(true, None), Style::Colours);
        assert_eq!(Style::of(true, Some("".as_ref())), Style::Colours);
        assert_eq!(Style::of(true, Some("1".as_ref())), Style::Plain);
        assert_eq!(Style::of(false, None), Style::Plain);
    }

    #[test]
    fn only_pieces_are_coloured() {
        let drawing = " 2 [S2N] .  s\n 1  .   > South  off 1\n    E    S";
        assert_eq!(Style::Plain.drawing(drawing), drawing);
        let coloured = Style::Colours.drawing(drawing);
        let south = |text: &str| Style::Colours.coloured(Seat::SOUTH, text);
        let expected = format!(" 2 [{}2{}] .  {}\n", south("S"), Style::Colours.seat(Seat::NORTH), south("s"));
        assert!(coloured.starts_with(&expected), "{coloured:?}");
        assert!(coloured.ends_with(" 1  .   > South  off 1\n    E    S"), "{coloured:?}");
    }
}
