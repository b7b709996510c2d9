//! Colours of seats in the terminal. The crate `console` leaves them out if standard output is not
//! a terminal, or if the user disables colours (`NO_COLOR`).

use std::fmt::Display;

use ashta_env::game::Seat;
use console::{Color, Style};

/// The colour of each seat.
const COLOURS: [Color; 4] = [Color::Green, Color::Yellow, Color::Red, Color::Blue];

/// `text` in the colour of a seat.
pub fn coloured(seat: Seat, text: impl Display) -> String {
    Style::new()
        .fg(COLOURS[seat.index()])
        .bold()
        .apply_to(text)
        .to_string()
}

/// `text` in bold letters.
pub fn bold(text: impl Display) -> String {
    Style::new().bold().apply_to(text).to_string()
}

/// A drawing of a position with coloured pieces. The last line, with the letters of the columns,
/// stays plain.
pub fn drawing(drawing: &str) -> String {
    let Some((rows, columns)) = drawing.rsplit_once('\n') else {
        return drawing.to_owned();
    };
    let piece = |letter: char| {
        seat_of(letter).map_or_else(|| letter.to_string(), |seat| coloured(seat, letter))
    };
    let mut out = String::new();
    for part in rows.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let is_pieces = part
            .trim_end_matches(|c: char| !c.is_ascii_alphanumeric())
            .chars()
            .all(|c| c.is_ascii_digit() || seat_of(c).is_some());
        if is_pieces {
            out.extend(part.chars().map(piece));
        } else {
            out.push_str(part);
        }
    }
    out + "\n" + columns
}

/// The seat of a piece in a drawing, from its capital or small letter.
fn seat_of(letter: char) -> Option<Seat> {
    Seat::from_letter(letter.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pieces_are_coloured() {
        let plain = " 2 [S2N] .  s\n 1  .   > South  off 1\n    E    S";
        assert_eq!(drawing(plain), plain, "standard output is not a terminal");
        console::set_colors_enabled(true);
        let found = drawing(plain);
        let [south, north] = [Seat::SOUTH, Seat::NORTH].map(|seat| coloured(seat, seat.letter()));
        let small = coloured(Seat::SOUTH, 's');
        console::set_colors_enabled(false);
        assert!(
            found.starts_with(&format!(" 2 [{south}2{north}] .  {small}\n")),
            "{found:?}"
        );
        assert!(
            found.ends_with(" 1  .   > South  off 1\n    E    S"),
            "{found:?}"
        );
    }
}
