//! A sheet with the flags of a position applied: the words, numbers and squares that the oracle reads. Their meaning is
//! not known here.

use toml::{Table, Value};

use super::super::notation::Text;
use super::board::{Square, mirrored, square, turned, walk};

/// Squares with one mark.
pub(super) struct Marks {
    squares: Vec<Square>,
    pub rule: &'static str,
    /// Whether a piece that lands there gets one more throw.
    pub again: bool,
}

/// The rules of one game, in the words of the sheet.
pub(super) struct Rules {
    /// The numbers of the seats that take part.
    pub seats: Vec<usize>,
    pub clockwise: bool,
    /// Whether opposite seats are partners: of four.
    pub teams: bool,
    pub donates: bool,
    /// Whether the others play on for the places.
    pub placings: bool,
    /// The course of each of the four seats, the finish last; none of a seat that cannot play.
    pub courses: Vec<Vec<Square>>,
    /// The numbers of the first square and of the finish. If squares are filled, `last` is the next number, which no
    /// piece reaches.
    pub first: i32,
    pub last: i32,
    pub marks: Vec<Marks>,
    pub count: usize,
    /// Whether pieces can wait off the board.
    pub knows_off: bool,
    /// The number of the square to which captured pieces return; `None` off the board.
    pub sent_to: Option<i32>,
    /// Whether the first square is private to its owner.
    pub private_start: bool,
    pub values: Vec<u8>,
    /// Dice that are thrown at once.
    pub dice: usize,
    pub kind: &'static str,
    pub must: &'static str,
    pub stop: Vec<u8>,
    pub hop: &'static str,
    pub again: Vec<u8>,
    pub again_on_capture: bool,
    pub again_on_doublet: bool,
    pub again_unused: bool,
    pub again_on_finish: bool,
    pub most_throws: Option<usize>,
    /// Whether the last of the most throws is lost, if it is one of `again`.
    pub last_is_lost: bool,
    pub bonus: Vec<u8>,
    pub bonus_may_come_first: bool,
    pub divides: bool,
    pub enter_first: Vec<u8>,
    pub enter_next: Vec<u8>,
    /// Whether `enter_first` holds until the seat has entered a piece; otherwise it holds while the course has none of
    /// its pieces.
    pub first_is_once: bool,
    /// The number on which pieces enter; `None` if they enter by count.
    pub enter_at: Option<i32>,
    pub compulsory: bool,
    pub clear: bool,
    pub by_bonus: bool,
    pub spends: bool,
    pub lost_before: &'static str,
    pub plain: &'static str,
    pub inner: &'static str,
    pub private: &'static str,
    pub marked: &'static str,
    pub block: &'static str,
    pub shares_with_partner: bool,
    pub unit: &'static str,
    /// The squares of `unit.from` as South sees them.
    pub unit_from: Vec<Square>,
    pub area: &'static str,
    pub speed: &'static str,
    /// The values of three equal dice that move three pieces together.
    pub three: Vec<u8>,
    pub split: bool,
    pub passable: bool,
    pub single_on_unit: &'static str,
    pub unit_on_single: &'static str,
    pub unit_on_unit: &'static str,
    pub group: &'static str,
    /// The number of the gate; 0 without a gate.
    pub gate: i32,
    pub without: &'static str,
    pub lap: i32,
    pub opened_by_team: bool,
    pub bear_off: Vec<u8>,
    pub doublets: Vec<u8>,
    pub overshoot: &'static str,
    pub from_last: Vec<u8>,
    /// Whether the last squares of the course are filled: one for each piece.
    pub fills: bool,
    pub off_word: String,
    pub home_word: String,
    pub borne_word: String,
}

const ROOMS: [&str; 3] = ["any", "one", "two"];
const OTHER_ROOMS: [&str; 4] = ["", "one", "two", "any"];
const MEETINGS: [&str; 3] = ["takes", "shares", "barred"];
const UNIT_MEETINGS: [&str; 4] = ["takes", "takes-equal", "shares", "barred"];
const WAITING: [&str; 2] = ["off", "start"];
const MARK_RULES: [&str; 4] = ["share", "block", "closed", "plain"];

impl Rules {
    /// The rules that `sheet` gives to the game of `text`.
    pub fn read(sheet: &str, text: &Text) -> Result<Rules, String> {
        let sheet: Table = sheet.parse().map_err(|error| format!("{error}"))?;
        let written_count = Keys(sheet.clone()).number("pieces.count", None)?;
        let keys = Keys(with_flags(sheet, text)?);
        if keys.text("name", None)? != text.name {
            return Err(format!("the sheet is not that of {:?}", text.name));
        }
        let courses: Vec<Vec<Square>> = (0..4).map(|seat| course(&keys, seat)).collect::<Result<_, _>>()?;
        let first = keys.number("board.first_number", Some(0))?;
        let count = keys.number("pieces.count", None)?;
        let fills = keys.is_set("finish.fill", false)?;
        let finish = first + i32::try_from(courses[0].len()).map_err(|_| "the course is too long")? - 1;
        let unfilled = if fills { count.max(written_count) - count - 1 } else { 0 };
        let setup = match keys.find("pieces.setup") {
            Some(Value::Array(_)) => "numbers",
            _ => keys.word("pieces.setup", &WAITING)?,
        };
        let returns = match keys.find("pieces.sent_to") {
            Some(Value::Integer(_)) => "number",
            _ => keys.word("pieces.sent_to", &WAITING)?,
        };
        let seats = seats(&keys, text)?;
        let teams = keys.word("seats.teams", &["none", "opposite"])? == "opposite" && seats.len() == 4;
        Ok(Rules {
            clockwise: keys.word("seats.order", &["counter-clockwise", "clockwise"])? == "clockwise",
            donates: keys.word("seats.finished_partner", &["donates", "skips"])? == "donates",
            placings: keys.word("seats.end", &["first", "placings"])? == "placings" && !teams && seats.len() > 2,
            seats,
            teams,
            first,
            last: finish - unfilled,
            courses,
            marks: marks(&keys)?,
            count: usize::try_from(count).map_err(|_| "a negative number of pieces")?,
            knows_off: setup == "off" || returns == "off",
            private_start: setup == "start" || returns == "start",
            sent_to: match returns {
                "off" => None,
                "start" => Some(first),
                _ => Some(keys.number("pieces.sent_to", None)?),
            },
            values: keys.numbers("throws.values")?,
            dice: usize::try_from(keys.number("throws.dice", Some(1))?).map_err(|_| "a negative number of dice")?,
            kind: keys.needed_word("turn.kind", &["throw", "series", "dice", "divide"])?,
            must: keys.needed_word("turn.must", &["most", "greedy", "one", "no-merge", "optional"])?,
            stop: keys.numbers("turn.stop")?,
            hop: keys.word("turn.hop", &["sum", "each"])?,
            again: keys.numbers("turn.again")?,
            again_on_capture: keys.is_set("turn.again_on_capture", false)?,
            again_on_doublet: keys.is_set("turn.again_on_doublet", false)?,
            again_unused: keys.is_set("turn.again_unused", true)?,
            again_on_finish: keys.is_set("turn.again_on_finish", false)?,
            most_throws: usize::try_from(keys.number("turn.most_throws", Some(0))?).ok().filter(|&most| most > 0),
            last_is_lost: keys.word("turn.last_throw", &["played", "lost"])? == "lost",
            bonus: keys.numbers("turn.bonus")?,
            bonus_may_come_first: keys.word("turn.bonus_order", &["after", "any"])? == "any",
            divides: keys.word("turn.divide", &["none", "finish"])? == "finish",
            enter_first: keys.values("entry.first")?,
            enter_next: keys.values("entry.next")?,
            first_is_once: keys.word("entry.first_while", &["empty", "never"])? == "never",
            enter_at: match keys.find("entry.at") {
                Some(Value::Integer(_)) => Some(keys.number("entry.at", None)?),
                _ => Some(first).filter(|_| keys.word("entry.at", &["start", "count"]) != Ok("count")),
            },
            compulsory: keys.is_set("entry.compulsory", false)?,
            clear: keys.is_set("entry.clear", false)?,
            by_bonus: keys.is_set("entry.by_bonus", false)?,
            spends: keys.is_set("entry.spends", true)?,
            lost_before: keys.word("entry.lost_before", &["never", "off-board", "off-course"])?,
            plain: keys.word("stacking.plain", &ROOMS)?,
            inner: keys.word("stacking.inner", &OTHER_ROOMS)?,
            private: keys.word("stacking.private", &OTHER_ROOMS)?,
            marked: keys.word("stacking.marked", &ROOMS)?,
            block: keys.word("stacking.block", &["none", "landing", "passing"])?,
            shares_with_partner: keys.word("stacking.partner", &["closed", "shares"])? == "shares",
            unit: keys.word("unit.kind", &["none", "together", "declared"])?,
            unit_from: keys.squares("unit.from")?,
            area: keys.word("unit.area", &["any", "inner"])?,
            speed: keys.word("unit.speed", &["full", "half", "half-spent", "half-even", "double"])?,
            three: keys.numbers("unit.three")?,
            split: keys.is_set("unit.split", true)?,
            passable: keys.is_set("unit.passable", true)?,
            single_on_unit: keys.word("capture.single_on_unit", &MEETINGS)?,
            unit_on_single: keys.word("capture.unit_on_single", &MEETINGS)?,
            unit_on_unit: keys.word("capture.unit_on_unit", &UNIT_MEETINGS)?,
            group: keys.word("capture.group", &["all", "one"])?,
            gate: keys.number("gate.at", Some(0))?,
            without: keys.word("gate.without", &["wait", "lap", "open"])?,
            lap: keys.number("gate.lap", Some(0))?,
            opened_by_team: keys.word("gate.opened_by", &["own", "team"])? == "team",
            bear_off: keys.numbers("finish.bear_off")?,
            doublets: keys.numbers("finish.doublets")?,
            overshoot: keys.word("finish.overshoot", &["illegal", "wasted", "bounces"])?,
            from_last: keys.numbers("finish.from_last")?,
            fills,
            off_word: keys.text("words.off", Some("off"))?,
            home_word: keys.text("words.home", Some("home"))?,
            borne_word: keys.text("words.borne", Some("borne"))?,
        })
    }

    /// The mark of a square, if it has one.
    pub fn mark(&self, square: Square) -> Option<&Marks> {
        self.marks.iter().find(|marks| marks.squares.contains(&square))
    }

    /// The effect of the mark of a square on the pieces there; a plain one has none.
    pub fn mark_rule(&self, square: Square) -> Option<&'static str> {
        self.mark(square).map(|marks| marks.rule).filter(|&rule| rule != "plain")
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
            "series" => throws.iter().position(|throw| self.stop.contains(throw)) == throws.len().checked_sub(1),
            _ => throws.len() == 2,
        };
        if whole && !throws.is_empty() { Ok(()) } else { Err(format!("{throws:?} is not what is thrown in a turn")) }
    }
}

/// The numbers of the seats of `text`, if the sheet allows them.
fn seats(keys: &Keys, text: &Text) -> Result<Vec<usize>, String> {
    let numbers = text.seat_numbers();
    let letters: String = numbers.iter().filter_map(|&seat| "SENW".chars().nth(seat)).collect();
    let allowed = keys.list("seats.allowed")?;
    if !allowed.iter().any(|seats| seats.as_str() == Some(&letters)) {
        return Err(format!("{letters} are not the seats of this game"));
    }
    Ok(numbers)
}

/// The course of a seat: written in the sheet, or South's course rotated or mirrored.
fn course(keys: &Keys, seat: usize) -> Result<Vec<Square>, String> {
    let own = format!("board.courses.{}", ["S", "E", "N", "W"][seat]);
    if keys.find(&own).is_some() {
        return walk(&keys.text(&own, None)?);
    }
    let south = walk(&keys.text("board.course", None)?)?.into_iter();
    let rows = keys.number("board.side", None)?;
    let is_square = keys.number("board.columns", Some(rows))? == rows;
    Ok(match (keys.word("board.copy", &["rotate", "mirror"])?, seat) {
        (_, 0) => south.collect(),
        ("rotate", _) if is_square => south.map(|square| turned(square, seat, rows)).collect(),
        ("mirror", 2) => south.map(|square| mirrored(square, rows)).collect(),
        _ => Vec::new(),
    })
}

/// The kinds of marked squares.
fn marks(keys: &Keys) -> Result<Vec<Marks>, String> {
    let mut all = vec![Marks {
        squares: keys.squares("board.marks")?,
        rule: keys.word("board.mark_rule", &MARK_RULES)?,
        again: keys.is_set("board.mark_again", false)?,
    }];
    for other in keys.list("board.other_marks")? {
        let keys = Keys(other.as_table().ok_or("other marks are tables")?.clone());
        all.push(Marks {
            squares: keys.squares("squares")?,
            rule: keys.word("rule", &MARK_RULES)?,
            again: keys.is_set("again", false)?,
        });
    }
    Ok(all)
}

/// The sheet with the number of pieces and the flags that `text` asks for.
fn with_flags(mut sheet: Table, text: &Text) -> Result<Table, String> {
    let keys = Keys(sheet.clone());
    let count = keys.number("pieces.count", None)?.to_string();
    let allowed = match keys.numbers("pieces.allowed")? {
        none if none.is_empty() => vec![1, 2, 3, 4],
        some => some,
    };
    let others = allowed.iter().map(u8::to_string).filter(|other| *other != count);
    let counts: Vec<String> = [count.clone()].into_iter().chain(others).collect();
    let flags = match sheet.remove("flags") {
        Some(Value::Table(flags)) => flags,
        _ => Table::new(),
    };
    let tables: Vec<(&String, &Table)> =
        flags.iter().filter_map(|(name, flag)| flag.as_table().map(|flag| (name, flag))).collect();
    let mut known: Vec<(&str, Vec<&str>)> = vec![("pieces", counts.iter().map(String::as_str).collect())];
    for (name, flag) in &tables {
        known.push((name, flag.keys().map(String::as_str).filter(|&value| value != "about").collect()));
    }
    if let Some((name, _)) = known.iter().find(|(_, values)| values.is_empty()) {
        return Err(format!("flag {name:?} of the sheet has no values"));
    }
    let rows: Vec<(&str, &[&str])> = known.iter().map(|(name, values)| (*name, values.as_slice())).collect();
    let chosen = text.flags(&rows)?;
    if chosen[0] != count {
        let number: i64 = chosen[0].parse().map_err(|_| "no number of pieces")?;
        merge(&mut sheet, &table("pieces", table("count", Value::Integer(number))));
    }
    for ((_, flag), value) in tables.into_iter().zip(&chosen[1..]) {
        if let Some(Value::Table(changes)) = flag.get(*value) {
            let mut changes = changes.clone();
            changes.remove("about");
            merge(&mut sheet, &changes);
        }
    }
    Ok(sheet)
}

/// A table of one key.
fn table(key: &str, value: impl Into<Value>) -> Table {
    Table::from_iter([(key.to_owned(), value.into())])
}

/// Changes `sheet` table by table and key by key.
fn merge(sheet: &mut Table, changes: &Table) {
    for (key, change) in changes {
        match (sheet.get_mut(key), change) {
            (Some(Value::Table(inside)), Value::Table(changes)) => merge(inside, changes),
            _ => {
                sheet.insert(key.clone(), change.clone());
            }
        }
    }
}

/// A sheet read by paths such as `unit.kind`. A missing key has the default of the caller.
struct Keys(Table);

impl Keys {
    fn find(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let outer = self.0.get(names.next()?)?;
        names.try_fold(outer, |value, name| value.as_table()?.get(name))
    }

    fn text(&self, path: &str, default: Option<&str>) -> Result<String, String> {
        match self.find(path) {
            Some(Value::String(text)) => Ok(text.clone()),
            None => default.map(str::to_owned).ok_or_else(|| format!("the sheet has no {path}")),
            Some(other) => Err(format!("{path} is {other}, not a text")),
        }
    }

    /// One of `known`; the first one is the default.
    fn word(&self, path: &str, known: &[&'static str]) -> Result<&'static str, String> {
        let written = self.text(path, Some(known[0]))?;
        known.iter().copied().find(|word| *word == written).ok_or_else(|| format!("{path} is {written:?}"))
    }

    fn needed_word(&self, path: &str, known: &[&'static str]) -> Result<&'static str, String> {
        self.text(path, None).and_then(|_| self.word(path, known))
    }

    fn is_set(&self, path: &str, default: bool) -> Result<bool, String> {
        match self.find(path) {
            Some(Value::Boolean(value)) => Ok(*value),
            None => Ok(default),
            Some(other) => Err(format!("{path} is {other}, not true or false")),
        }
    }

    fn number(&self, path: &str, default: Option<i32>) -> Result<i32, String> {
        match self.find(path) {
            Some(value) => {
                let number = value.as_integer().and_then(|number| i32::try_from(number).ok());
                number.ok_or_else(|| format!("{path} is {value}, not a number"))
            }
            None => default.ok_or_else(|| format!("the sheet has no {path}")),
        }
    }

    fn list(&self, path: &str) -> Result<&[Value], String> {
        match self.find(path) {
            Some(Value::Array(values)) => Ok(values),
            None => Ok(&[]),
            Some(other) => Err(format!("{path} is {other}, not a list")),
        }
    }

    fn numbers(&self, path: &str) -> Result<Vec<u8>, String> {
        let number = |value: &Value| value.as_integer().and_then(|number| u8::try_from(number).ok());
        let numbers: Option<Vec<u8>> = self.list(path)?.iter().map(number).collect();
        numbers.ok_or_else(|| format!("{path} is not a list of small numbers"))
    }

    /// Values of throws; `any` are all numbers but 0.
    fn values(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.find(path) {
            Some(Value::Array(_)) => self.numbers(path),
            _ => self.word(path, &["any"]).map(|_| (1..=u8::MAX).collect()),
        }
    }

    fn squares(&self, path: &str) -> Result<Vec<Square>, String> {
        let name = |value: &Value| square(value.as_str().ok_or_else(|| format!("{path} has {value}, no square"))?);
        self.list(path)?.iter().map(name).collect()
    }
}
