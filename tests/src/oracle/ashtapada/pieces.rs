//! The pieces of Ashtapada as a text writes them, section 10.1, with the mark of declared twins: `14t`. It does not
//! move pieces.

use super::super::notation::number;

/// Where a piece stands, in the order in which a text lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Off,
    On(usize),
    Keep,
    Borne,
}

/// A piece; `marked` says that it is one of two declared twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub place: Place,
    pub marked: bool,
}

pub(super) const OFF: Piece = Piece { place: Place::Off, marked: false };
pub(super) const KEEP: Piece = Piece { place: Place::Keep, marked: false };
pub(super) const BORNE: Piece = Piece { place: Place::Borne, marked: false };

/// A piece on a path of `length` squares; `marks` states whether this game has declared twins.
pub(super) fn read_piece(word: &str, length: usize, marks: bool) -> Option<Piece> {
    match word {
        "off" => Some(OFF),
        "keep" => Some(KEEP),
        "borne" => Some(BORNE),
        _ => {
            let (digits, marked) = word.strip_suffix('t').map_or((word, false), |digits| (digits, true));
            let index = number(digits).filter(|&index| index < length && (marks || !marked))?;
            Some(Piece { place: Place::On(index), marked })
        }
    }
}

/// The inverse of [`read_piece`].
pub(super) fn write_piece(piece: Piece) -> String {
    match piece.place {
        Place::Off => "off".to_owned(),
        Place::On(index) => format!("{index}{}", if piece.marked { "t" } else { "" }),
        Place::Keep => "keep".to_owned(),
        Place::Borne => "borne".to_owned(),
    }
}

/// The invariants of section 2.4 for the pieces of one seat.
pub(super) fn check_pieces(own: &[Piece]) -> Result<(), String> {
    let borne = own.iter().filter(|piece| piece.place == Place::Borne).count();
    if borne == own.len() {
        return Err("a seat has borne off all its pieces: the game is over".to_owned());
    }
    if borne > 0 && own.iter().any(|piece| !matches!(piece.place, Place::Keep | Place::Borne)) {
        return Err("a piece is borne off while another is not in the keep".to_owned());
    }
    for marked in own.iter().filter(|piece| piece.marked) {
        if own.iter().filter(|&piece| piece == marked).count() % 2 == 1 {
            return Err(format!("the marked pieces on {:?} are not twins", marked.place));
        }
    }
    Ok(())
}
