//! A sheet with the flags of a position applied: the words, numbers and squares that the oracle
//! reads. Their meaning is not known here.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{
    board::{Square, mirrored, square, turned, walk},
    notation::Text,
    position::{Place, Position},
};

/// Squares with one mark.
pub(super) struct Marks {
    squares: Vec<Square>,
    pub rule: &'static str,
    /// Whether a piece that lands there gets one more throw.
    pub again: bool,
}

/// What a turn has done before its next throw: throws that count for `turn.most_throws`, and failed
/// tries to enter.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub made: usize,
    pub tries: usize,
}

/// Declares [`Rules`]: each field with the expression that reads it, which can use the fields
/// before it.
macro_rules! rules {
    ($keys:ident, $text:ident, $most:ident; $($(#[$doc:meta])* $name:ident: $kind:ty = $value:expr;)*) => {
        /// The rules of one game, in the words of the sheet.
        pub(super) struct Rules {
            $($(#[$doc])* pub $name: $kind,)*
        }

        impl Rules {
            /// The rules of a sheet with the flags of `text`; without the flags it has `most`
            /// pieces.
            fn of($keys: &Keys, $text: &Text, $most: i32) -> Result<Rules, String> {
                $(let $name: $kind = $value;)*
                Ok(Rules { $($name,)* })
            }
        }
    };
}

rules! { keys, text, most;
    /// The numbers of the seats that take part.
    seats: Vec<usize> = seats(keys, text)?;
    clockwise: bool = keys.word("seats.order", &["counter-clockwise", "clockwise"]) == "clockwise";
    /// Whether opposite seats are partners: of four.
    teams: bool = keys.word("seats.teams", &["none", "opposite"]) == "opposite" && seats.len() == 4;
    donates: bool = keys.word("seats.finished_partner", &["donates", "skips"]) == "donates";
    /// Whether the others play on for the places.
    placings: bool = keys.word("seats.end", &["first", "placings"]) == "placings" && !teams && seats.len() > 2;
    /// The course of each of the four seats, the finish last; none of a seat that cannot play.
    courses: Vec<Vec<Square>> = (0..4).map(|seat| course(keys, seat)).collect();
    marks: Vec<Marks> = marks(keys);
    count: usize = keys.read("pieces.count").expect("a number of pieces");
    /// Whether the last squares of the course are filled: one for each piece.
    fills: bool = keys.read("finish.fill").unwrap_or(false);
    /// The numbers of the first square and of the finish. If squares are filled, `last` is the next
    /// number, which no piece reaches.
    first: i32 = keys.read("board.first_number").unwrap_or(0);
    last: i32 = first + courses[0].len() as i32 - if fills { (most - count as i32).max(0) } else { 1 };
    /// Whether a piece begins on the first square of its course, by a list of numbers.
    begins_on_first: bool = keys.find("pieces.setup").and_then(Value::as_array).is_some_and(|numbers| {
        numbers.iter().rev().take(count).any(|number| number.as_integer() == Some(first.into()))
    });
    /// Whether pieces can wait off the board.
    knows_off: bool = keys.waits("off");
    /// Whether the first square is private to its owner.
    private_start: bool = keys.waits("start");
    /// The number of the square to which captured pieces return; `None` off the board.
    sent_to: Option<i32> = keys.number("pieces.sent_to").or_else(|| {
        Some(first).filter(|_| keys.word("pieces.sent_to", &["off", "start"]) == "start")
    });
    values: Vec<u8> = keys.read("throws.values").unwrap_or_default();
    /// Dice that are thrown at once.
    dice: usize = keys.read("throws.dice").unwrap_or(1);
    kind: &'static str = keys.word("turn.kind", &["throw", "series", "dice", "divide"]);
    must: &'static str = keys.word("turn.must", &["most", "greedy", "one", "no-merge", "optional"]);
    stop: Vec<u8> = keys.read("turn.stop").unwrap_or_default();
    hop: &'static str = keys.word("turn.hop", &["sum", "each"]);
    again: Vec<u8> = keys.read("turn.again").unwrap_or_default();
    again_on_capture: bool = keys.read("turn.again_on_capture").unwrap_or(false);
    again_on_doublet: bool = keys.read("turn.again_on_doublet").unwrap_or(false);
    again_unused: bool = keys.read("turn.again_unused").unwrap_or(true);
    again_on_finish: bool = keys.read("turn.again_on_finish").unwrap_or(false);
    most_throws: Option<usize> = keys.read("turn.most_throws").filter(|&most| most > 0);
    /// Whether the last of the most throws is lost, if it is one of `again`.
    last_is_lost: bool = keys.word("turn.last_throw", &["played", "lost"]) == "lost";
    bonus: Vec<u8> = keys.read("turn.bonus").unwrap_or_default();
    bonus_may_come_first: bool = keys.word("turn.bonus_order", &["after", "any"]) == "any";
    divides: bool = keys.word("turn.divide", &["none", "finish"]) == "finish";
    enter_first: Vec<u8> = keys.values("entry.first");
    enter_next: Vec<u8> = keys.values("entry.next");
    /// Whether `enter_first` holds until the seat has entered a piece; otherwise it holds while the
    /// course has none of its pieces.
    first_is_once: bool = keys.word("entry.first_while", &["empty", "never"]) == "never";
    /// The number on which pieces enter; `None` if they enter by count.
    enter_at: Option<i32> = keys.number("entry.at").or_else(|| {
        Some(first).filter(|_| keys.word("entry.at", &["start", "count"]) == "start")
    });
    compulsory: bool = keys.read("entry.compulsory").unwrap_or(false);
    clear: bool = keys.read("entry.clear").unwrap_or(false);
    by_bonus: bool = keys.read("entry.by_bonus").unwrap_or(false);
    spends: bool = keys.read("entry.spends").unwrap_or(true);
    /// The number of throws to enter a piece.
    tries: usize = keys.read("entry.tries").unwrap_or(1);
    lost_before: &'static str = keys.word("entry.lost_before", &["never", "off-board", "off-course"]);
    plain: &'static str = keys.word("stacking.plain", &ROOMS);
    inner: &'static str = keys.word("stacking.inner", &OTHER_ROOMS);
    private: &'static str = keys.word("stacking.private", &OTHER_ROOMS);
    marked: &'static str = keys.word("stacking.marked", &ROOMS);
    block: &'static str = keys.word("stacking.block", &["none", "landing", "passing"]);
    shares_with_partner: bool = keys.word("stacking.partner", &["closed", "shares"]) == "shares";
    unit: &'static str = keys.word("unit.kind", &["none", "together", "declared"]);
    /// The squares of `unit.from` as South sees them.
    unit_from: Vec<Square> = keys.squares("unit.from");
    area: &'static str = keys.word("unit.area", &["any", "inner"]);
    speed: &'static str = keys.word("unit.speed", &["full", "half", "half-spent", "half-even", "double"]);
    /// The values of three equal dice that move three pieces together.
    three: Vec<u8> = keys.read("unit.three").unwrap_or_default();
    split: bool = keys.read("unit.split").unwrap_or(true);
    passable: bool = keys.read("unit.passable").unwrap_or(true);
    single_on_unit: &'static str = keys.word("capture.single_on_unit", &MEETINGS);
    unit_on_single: &'static str = keys.word("capture.unit_on_single", &MEETINGS);
    unit_on_unit: &'static str = keys.word("capture.unit_on_unit", &["takes", "takes-equal", "shares", "barred"]);
    group: &'static str = keys.word("capture.group", &["all", "one"]);
    /// The number of the gate; 0 without a gate.
    gate: i32 = keys.read("gate.at").unwrap_or(0);
    without: &'static str = keys.word("gate.without", &["wait", "lap", "open"]);
    lap: i32 = keys.read("gate.lap").unwrap_or(0);
    opened_by_team: bool = keys.word("gate.opened_by", &["own", "team"]) == "team";
    bear_off: Vec<u8> = keys.read("finish.bear_off").unwrap_or_default();
    doublets: Vec<u8> = keys.read("finish.doublets").unwrap_or_default();
    overshoot: &'static str = keys.word("finish.overshoot", &["illegal", "wasted", "bounces"]);
    from_last: Vec<u8> = keys.read("finish.from_last").unwrap_or_default();
    off_word: String = keys.read("words.off").unwrap_or("off".to_owned());
    home_word: String = keys.read("words.home").unwrap_or("home".to_owned());
    borne_word: String = keys.read("words.borne").unwrap_or("borne".to_owned());
}

const ROOMS: [&str; 3] = ["any", "one", "two"];
const OTHER_ROOMS: [&str; 4] = ["", "one", "two", "any"];
const MEETINGS: [&str; 3] = ["takes", "shares", "barred"];

impl Rules {
    /// The rules that `sheet` gives to the game of `text`.
    pub fn read(sheet: &str, text: &Text) -> Result<Rules, String> {
        let keys = Keys(sheet.parse().expect("a sheet is TOML"));
        let most = keys.read("pieces.count").expect("a number of pieces");
        let keys = Keys(with_flags(keys, text)?);
        match keys.read::<String>("name") {
            Some(name) if name == text.name => Rules::of(&keys, text, most),
            _ => Err(format!("the sheet is not that of {:?}", text.name)),
        }
    }

    /// The mark of a square, if it has one.
    pub fn mark(&self, square: Square) -> Option<&Marks> {
        self.marks
            .iter()
            .find(|marks| marks.squares.contains(&square))
    }

    /// The effect of the mark of a square on the pieces there; a plain one has none.
    pub fn mark_rule(&self, square: Square) -> Option<&'static str> {
        self.mark(square)
            .map(|marks| marks.rule)
            .filter(|&rule| rule != "plain")
    }

    /// Whether `seat` has a piece on its course, apart from the squares that its pieces fill at the
    /// end.
    pub fn is_under_way(&self, position: &Position, seat: usize) -> bool {
        let filled = if self.fills { self.count } else { 0 };
        let end = self.last - i32::try_from(filled).unwrap_or(0);
        position.pieces[seat]
            .iter()
            .any(|piece| matches!(piece.place, Place::On(number) if number < end))
    }

    /// Whether `throw` is lost after `made` others of its turn.
    pub fn loses(&self, throw: u8, made: usize) -> bool {
        let is_last = self.most_throws.is_some_and(|most| made + 1 >= most);
        self.last_is_lost && is_last && self.again.contains(&throw)
    }

    /// Refuses throws that cannot be thrown in one turn.
    pub fn check_throws(&self, throws: &[u8]) -> Result<(), String> {
        if let Some(throw) = throws.iter().find(|throw| !self.values.contains(throw)) {
            return Err(format!("{throw} cannot be thrown"));
        }
        let whole = match self.kind {
            "throw" => throws.len() == 1,
            "series" if self.dice > 1 => throws.len() == self.dice,
            "series" => {
                throws.iter().position(|throw| self.stop.contains(throw))
                    == throws.len().checked_sub(1)
            }
            _ => throws.len() == 2,
        };
        if whole && !throws.is_empty() {
            Ok(())
        } else {
            Err(format!("{throws:?} is not what is thrown in a turn"))
        }
    }
}

/// The numbers of the seats of `text`, if the sheet allows them.
fn seats(keys: &Keys, text: &Text) -> Result<Vec<usize>, String> {
    let numbers = text.seat_numbers();
    let letters: String = numbers
        .iter()
        .filter_map(|&seat| "SENW".chars().nth(seat))
        .collect();
    let allowed: Vec<String> = keys.read("seats.allowed").unwrap_or_default();
    if allowed.contains(&letters) {
        Ok(numbers)
    } else {
        Err(format!("{letters} are not the seats of this game"))
    }
}

/// The course of a seat: South's course, rotated or mirrored.
fn course(keys: &Keys, seat: usize) -> Vec<Square> {
    let south = walk(&keys.read::<String>("board.course").expect("a course")).into_iter();
    let rows: i32 = keys.read("board.side").expect("a number of rows");
    let is_square = keys
        .read("board.columns")
        .is_none_or(|columns: i32| columns == rows);
    match (keys.word("board.copy", &["rotate", "mirror"]), seat) {
        (_, 0) => south.collect(),
        ("rotate", _) if is_square => south.map(|square| turned(square, seat, rows)).collect(),
        ("mirror", 2) => south.map(|square| mirrored(square, rows)).collect(),
        _ => Vec::new(),
    }
}

/// The kinds of marked squares.
fn marks(keys: &Keys) -> Vec<Marks> {
    let of = |keys: &Keys, [squares, rule, again]: [&str; 3]| Marks {
        squares: keys.squares(squares),
        rule: keys.word(rule, &["share", "block", "closed", "plain"]),
        again: keys.read(again).unwrap_or(false),
    };
    let others: Vec<Table> = keys.read("board.other_marks").unwrap_or_default();
    let others = others
        .into_iter()
        .map(|other| of(&Keys(other), ["squares", "rule", "again"]));
    [of(
        keys,
        ["board.marks", "board.mark_rule", "board.mark_again"],
    )]
    .into_iter()
    .chain(others)
    .collect()
}

/// The sheet with the number of pieces and the flags that `text` asks for.
fn with_flags(Keys(mut sheet): Keys, text: &Text) -> Result<Table, String> {
    let flags = sheet
        .remove("flags")
        .and_then(|flags| flags.try_into().ok())
        .unwrap_or_else(Table::new);
    let count = sheet["pieces"]["count"].to_string();
    let allowed: Vec<u8> = Keys(sheet.clone())
        .read("pieces.allowed")
        .unwrap_or(vec![1, 2, 3, 4]);
    let others: Vec<String> = allowed
        .iter()
        .map(u8::to_string)
        .filter(|other| *other != count)
        .collect();
    let counts = [&count]
        .into_iter()
        .chain(&others)
        .map(String::as_str)
        .collect();
    let mut known: Vec<(&str, Vec<&str>)> = vec![("pieces", counts)];
    for (name, flag) in &flags {
        let values = flag
            .as_table()
            .expect("a flag")
            .keys()
            .map(String::as_str)
            .filter(|&value| value != "about");
        known.push((name, values.collect()));
    }
    let chosen = text.flags(&known)?;
    sheet["pieces"]["count"] = Value::Integer(chosen[0].parse().expect("a number of pieces"));
    for (flag, value) in flags.values().zip(&chosen[1..]) {
        let mut changes = flag[value].as_table().cloned().unwrap_or_default();
        changes.remove("about");
        merge(&mut sheet, &changes);
    }
    Ok(sheet)
}

/// Changes `sheet` table by table and key by key.
fn merge(sheet: &mut Table, changes: &Table) {
    for (key, change) in changes {
        match (sheet.get_mut(key), change) {
            (Some(Value::Table(inside)), Value::Table(changes)) => merge(inside, changes),
            _ => drop(sheet.insert(key.clone(), change.clone())),
        }
    }
}

/// A sheet read by paths such as `unit.kind`. Values of other types and unknown words panic.
struct Keys(Table);

impl Keys {
    fn find(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let outer = self.0.get(names.next()?)?;
        names.try_fold(outer, |value, name| value.as_table()?.get(name))
    }

    fn read<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        let value = self.find(path)?.clone();
        Some(
            value
                .try_into()
                .unwrap_or_else(|error| panic!("{path}: {error}")),
        )
    }

    /// One of `known`; the first one is the default.
    fn word(&self, path: &str, known: &[&'static str]) -> &'static str {
        let Some(written) = self.read::<String>(path) else {
            return known[0];
        };
        known
            .iter()
            .find(|word| **word == written)
            .unwrap_or_else(|| panic!("{path} is {written:?}"))
    }

    /// The number that is written instead of a word.
    fn number(&self, path: &str) -> Option<i32> {
        self.find(path)
            .filter(|value| value.is_integer())
            .and_then(|_| self.read(path))
    }

    /// Whether pieces wait at `place` by one of the keys about waiting.
    fn waits(&self, place: &str) -> bool {
        let words =
            ["pieces.setup", "pieces.sent_to"]
                .into_iter()
                .map(|path| match self.find(path) {
                    Some(Value::Array(_) | Value::Integer(_)) => "on numbers",
                    _ => self.word(path, &["off", "start"]),
                });
        words.into_iter().any(|word| word == place)
    }

    /// Values of throws; `any` are all numbers but 0.
    fn values(&self, path: &str) -> Vec<u8> {
        match self.find(path) {
            Some(Value::Array(_)) => self.read(path).unwrap_or_default(),
            _ => (1..=u8::MAX)
                .filter(|_| self.word(path, &["any"]) == "any")
                .collect(),
        }
    }

    fn squares(&self, path: &str) -> Vec<Square> {
        self.read::<Vec<String>>(path)
            .unwrap_or_default()
            .iter()
            .map(|name| square(name))
            .collect()
    }
}
