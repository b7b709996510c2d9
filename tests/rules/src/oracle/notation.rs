//! The text notation of positions: parsing and printing of what all games have in common. Only the
//! canonical form that printing gives is accepted. The meaning of the words for places is not known
//! here.

/// The letters of the seats 0 to 3.
const LETTERS: [char; 4] = ['S', 'E', 'N', 'W'];

/// A position cut into its parts. The mover is one of `seats` and the dice are still to be thrown.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// The game with its flags, as written.
    pub game: String,
    /// The game without its flags.
    pub name: String,
    /// The flags as written, name and value.
    flags: Vec<(String, String)>,
    /// The seats that take part, in the order South, East, North, West.
    pub seats: Vec<SeatText>,
    /// The index in `seats` of the seat to act.
    pub mover: usize,
}

/// One seat of a position.
#[derive(Clone, Debug)]
pub(super) struct SeatText {
    /// 0 South, 1 East, 2 North, 3 West.
    pub seat: usize,
    /// `+`: this colour has made a cut (Pagade).
    pub has_cut: bool,
    /// `#` and a number: the place that a finished seat has won (Pagade).
    pub place: Option<usize>,
    /// The places of the pieces, as written.
    pub pieces: Vec<String>,
}

impl Text {
    /// Cuts a text apart.
    pub fn parse(position: &str) -> Result<Text, String> {
        let fields: Vec<&str> = position.split(' ').collect();
        let &[game, seats, mover, pending] = fields.as_slice() else {
            return Err(format!(
                "a position has 4 fields, this has {}",
                fields.len()
            ));
        };
        let (name, flags) = match game.split_once('?') {
            None => (game, Vec::new()),
            Some((name, flags)) => (name, flags.split('&').map(flag).collect::<Result<_, _>>()?),
        };
        let seats = seats
            .split('/')
            .map(seat_text)
            .collect::<Result<Vec<_>, _>>()?;
        if !seats.is_sorted_by(|before, after| before.seat < after.seat) {
            return Err("seats are not in the order S, E, N, W".to_owned());
        }
        if mover == "-" {
            return Err("the game is over".to_owned());
        }
        if pending != "*" {
            return Err(format!("pending {pending:?} is not the start of a turn"));
        }
        let mover = seats
            .iter()
            .position(|text| mover == LETTERS[text.seat].to_string())
            .ok_or_else(|| format!("mover {mover:?} takes no part"))?;
        Ok(Text {
            game: game.to_owned(),
            name: name.to_owned(),
            flags,
            seats,
            mover,
        })
    }

    /// The values of the flags of a game: `table` lists every flag, in the order of the sheet, with
    /// its values, the default first. The answer has one value for each row.
    pub fn flags<'a>(&self, table: &[(&str, Vec<&'a str>)]) -> Result<Vec<&'a str>, String> {
        let mut values: Vec<&str> = table.iter().map(|(_, values)| values[0]).collect();
        let mut next_row = 0;
        for (flag, value) in &self.flags {
            let row = table
                .iter()
                .position(|(name, _)| name == flag)
                .ok_or_else(|| format!("{} has no flag {flag:?}", self.name))?;
            if row < next_row {
                return Err(format!("flag {flag:?} is written twice or out of order"));
            }
            values[row] = match table[row].1.iter().position(|known| known == value) {
                None => return Err(format!("flag {flag:?} has no value {value:?}")),
                Some(0) => {
                    return Err(format!(
                        "flag {flag:?} is written although {value:?} is its default"
                    ));
                }
                Some(at) => table[row].1[at],
            };
            next_row = row + 1;
        }
        Ok(values)
    }

    /// The seats that take part, by number.
    pub fn seat_numbers(&self) -> Vec<usize> {
        self.seats.iter().map(|text| text.seat).collect()
    }

    /// The pieces of every seat in the order of `seats`, each read by `read` and checked for number
    /// and order.
    pub fn pieces<P: Ord>(
        &self,
        count: usize,
        read: impl Fn(&str) -> Option<P>,
    ) -> Result<Vec<Vec<P>>, String> {
        let mut all = Vec::new();
        for text in &self.seats {
            let letter = LETTERS[text.seat];
            let mut own = Vec::new();
            for word in &text.pieces {
                own.push(read(word).ok_or_else(|| {
                    format!("{letter} has a piece on {word:?}, which is no place")
                })?);
            }
            if own.len() != count {
                return Err(format!("{letter} has {} pieces and not {count}", own.len()));
            }
            if !own.is_sorted() {
                return Err(format!("the pieces of {letter} are not in ascending order"));
            }
            all.push(own);
        }
        Ok(all)
    }
}

/// Joins a position: the inverse of [`Text::parse`]. `mover` is a seat number, absent when the game
/// is over.
pub(super) fn print(game: &str, seats: &[SeatText], mover: Option<usize>) -> String {
    let seats: Vec<String> = seats
        .iter()
        .map(|text| {
            let cut = if text.has_cut { "+" } else { "" };
            let place = text
                .place
                .map_or(String::new(), |place| format!("#{place}"));
            format!(
                "{}{cut}{place}:{}",
                LETTERS[text.seat],
                text.pieces.join(",")
            )
        })
        .collect();
    let end = mover.map_or("- -".to_owned(), |seat| format!("{} *", LETTERS[seat]));
    format!("{game} {} {end}", seats.join("/"))
}

/// A number without sign and leading zeros.
pub(super) fn number(word: &str) -> Option<usize> {
    word.parse()
        .ok()
        .filter(|number: &usize| number.to_string() == word)
}

fn flag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("flag {text:?} has no value"))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn seat_text(text: &str) -> Result<SeatText, String> {
    let broken = || format!("{text:?} is not a seat with its pieces");
    let (head, pieces) = text.split_once(':').ok_or_else(broken)?;
    let mut letters = head.chars();
    let letter = letters.next().ok_or_else(broken)?;
    let seat = LETTERS
        .iter()
        .position(|&known| known == letter)
        .ok_or_else(broken)?;
    let rest = letters.as_str();
    let (has_cut, rest) = rest
        .strip_prefix('+')
        .map_or((false, rest), |rest| (true, rest));
    let place = match rest.strip_prefix('#') {
        Some(place) => Some(number(place).ok_or_else(broken)?),
        None if rest.is_empty() => None,
        None => return Err(broken()),
    };
    Ok(SeatText {
        seat,
        has_cut,
        place,
        pieces: pieces.split(',').map(str::to_owned).collect(),
    })
}
