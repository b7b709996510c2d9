//! Random sheets: built-in games with changes that the reader of sheets accepts, also in
//! combinations that no built-in game has.

use std::{collections::BTreeSet, sync::Arc};

use ashta_env::{
    chance::{GameRng, below},
    game::{MAX_PIECES, Seat, SeatSet},
    race::{Race, board::Square},
    ruleset::Ruleset,
    sheet::{
        Divide, Flags, MarkRule, Marks, Must, Returns, SentTo, Setup, Sheet, Teams, TurnKind,
        UnitKind, WithPartner, builtin,
    },
};
use toml::Table;

use crate::changes;

/// Whether a sheet has a combination of keys.
type Condition = fn(&Sheet) -> bool;

/// Combinations of keys on which engine and oracle differ, or that contradict each other and are
/// accepted. Whoever fixes the cause removes the line.
const DISPUTED: [(&str, Condition); 1] = [("divided throws with other rules", |sheet| {
    let earns = sheet.turn.again_on_finish || marks_again(sheet);
    let is_forced = sheet.entry.compulsory || sheet.entry.clear || sheet.turn.must == Must::NoMerge;
    let ends = sheet.gate.at > 0 || !sheet.finish.from_last.is_empty();
    sheet.turn.divide != Divide::None && (earns || is_forced || ends || has_units(sheet))
})];

/// Whether a sheet has a combination of keys on which engine and oracle are known to differ.
pub fn is_disputed(sheet: &Sheet) -> bool {
    DISPUTED.iter().any(|(_, holds)| holds(sheet))
}

/// Changes of throws one by one. A change is a list of keys with alternative values. `-` removes
/// the key, `some` is a list of some values of the dice, `values` the same or `any`, `number` the
/// number of a square, `numbers` a list.
const THROWS: [&str; 13] = [
    "throws.values = [1, 2, 3, 4, 5, 6] | [0, 1, 2, 3, 4] | [8, 1, 2, 3, 4] | [25, 10, 2, 3, 4, 5, 6] | [1, 2] | \
     [3, 1, 12, 6] | [0, 2, 5, 1]; throws.odds = 'cowries' | 'equal'; turn.again = some; turn.bonus = -; \
     turn.bonus_order = -; finish.from_last = -; entry.first = 'any'; entry.next = 'any'",
    "turn.must = 'one' | 'no-merge' | 'optional'",
    "turn.again = some",
    "turn.again = some",
    "turn.again_on_capture = true | false",
    "turn.again_unused = true | false",
    "turn.again_on_finish = true | false",
    "turn.most_throws = - | 1 | 2 | 3 | 4; turn.last_throw = -",
    "turn.most_throws = 2 | 3; turn.last_throw = 'lost'",
    "turn.bonus = some; turn.bonus_order = 'after' | 'any'",
    "turn.bonus = some; turn.bonus_order = 'after' | 'any'; entry.first = 'any'; entry.next = 'any'; \
     entry.first_while = -; entry.by_bonus = true; entry.at = 'start'",
    "turn.bonus = -; turn.bonus_order = -; entry.by_bonus = -",
    "turn.divide = 'none' | 'finish'",
];

/// Changes of dice that are thrown at once.
const DICE: [&str; 9] = [
    "throws.dice = 2; unit.three = -",
    "throws.dice = 3 | 4",
    "throws.values = [1, 2, 5, 6] | [1, 3, 4, 6] | [1, 2] | [8, 1, 2, 3] | [3, 1, 7] | [4, 1, 2]; \
     throws.odds = 'cowries' | 'equal'; unit.three = - | some; entry.first = 'any'; entry.next = 'any'",
    "turn.must = 'most' | 'greedy' | 'optional'",
    "turn.again_on_capture = true | false",
    "unit.three = some",
    "unit.three = some",
    "finish.bear_off = some",
    "finish.bear_off = -",
];

/// Changes of the pieces: their number, how they enter and how they finish.
const PIECES: [&str; 23] = [
    "entry.first = values; entry.next = values",
    "entry.first = 'any'; entry.next = values; entry.first_while = 'empty' | 'never'",
    "entry.first_while = 'empty'",
    "entry.at = 'start' | 'count'",
    "entry.at = number",
    "entry.compulsory = true | false",
    "entry.clear = true | false",
    "entry.clear = true; entry.at = 'start'; unit.kind = 'together'; unit.split = true | false; turn.bonus = -; \
     turn.bonus_order = -; entry.by_bonus = -",
    "entry.by_bonus = true | false",
    "entry.tries = 2 | 3",
    "entry.spends = true",
    "entry.spends = false; turn.must = 'optional'",
    "finish.overshoot = 'illegal' | 'wasted' | 'bounces'",
    "finish.overshoot = 'illegal' | 'wasted' | 'bounces'",
    "finish.from_last = some",
    "finish.fill = true; stacking.private = 'one'; finish.overshoot = -; finish.from_last = -; turn.again_on_finish = -",
    "finish.fill = false",
    "pieces.count = 1 | 2 | 3 | 4; pieces.allowed = -",
    "pieces.count = 5 | 6 | 7 | 8; pieces.allowed = [5, 6, 7, 8] | [1, 2, 3, 4, 5, 6, 7, 8]",
    "pieces.count = 1; pieces.allowed = [1] | [1, 2]; pieces.setup = 'off' | 'start'",
    "pieces.sent_to = number",
    "pieces.sent_to = 'off' | 'start'; pieces.setup = 'off' | 'start'",
    "pieces.sent_to = 'off' | 'start'; pieces.setup = numbers",
];

/// Changes of pieces that meet: room, teams, units, captures and the gate.
const MEETINGS: [&str; 21] = [
    "stacking.plain = 'one' | 'two' | 'any'; stacking.marked = 'one' | 'any'",
    "stacking.plain = 'one' | 'two' | 'any'; stacking.marked = 'one' | 'any'; stacking.private = 'any'",
    "stacking.private = - | 'one' | 'two' | 'any'",
    "stacking.inner = - | 'one' | 'two' | 'any'",
    "stacking.block = 'none' | 'landing' | 'passing'",
    "stacking.block = 'none' | 'landing' | 'passing'; stacking.plain = 'any'",
    "seats.teams = 'opposite'; seats.allowed = ['SENW'] | ['SN', 'SENW'] | ['SEN', 'SENW']; \
     stacking.partner = 'closed' | 'shares'",
    "seats.teams = 'opposite'; seats.allowed = ['SENW']; stacking.partner = 'closed' | 'shares'",
    "seats.teams = -; stacking.partner = -",
    "seats.allowed = ['SN', 'SEN', 'SENW'] | ['SENW'] | ['SN'] | ['SE', 'SENW'] | ['SEN'] | ['SW', 'SNW', 'SENW']",
    "seats.finished_partner = 'donates' | 'skips'; seats.end = 'first' | 'placings'; \
     seats.order = 'clockwise' | 'counter-clockwise'",
    "unit.kind = 'none' | 'together'; unit.area = 'any' | 'inner'; \
     unit.speed = 'full' | 'half' | 'half-spent' | 'half-even' | 'double'; unit.split = true | false; \
     unit.passable = true | false",
    "unit.kind = 'together'; unit.speed = 'full' | 'half' | 'half-spent' | 'half-even' | 'double'; \
     unit.split = true | false",
    "unit = -; capture = -",
    "capture.single_on_unit = 'takes' | 'shares' | 'barred'; capture.unit_on_single = 'takes' | 'shares'",
    "capture.unit_on_unit = 'takes' | 'takes-equal' | 'shares' | 'barred'",
    "capture.unit_on_unit = 'takes' | 'takes-equal' | 'shares' | 'barred'",
    "capture.group = 'all' | 'one'",
    "gate.at = 5 | 9 | 14 | 40; gate.without = 'wait' | 'open'; gate.lap = -; gate.opened_by = 'own' | 'team'",
    "gate.at = 5 | 9 | 14 | 40; gate.without = 'lap'; gate.lap = 4 | 5 | 6 | 7; gate.opened_by = 'own' | 'team'",
    "gate = -",
];

/// Changes of the board. In the last one most squares come twice, some of them within one throw.
const BOARD: [&str; 6] = [
    "board.mark_rule = 'share' | 'block' | 'closed' | 'plain'",
    "board.mark_again = true | false",
    "board.marks = []; board.other_marks = -",
    "board.first_number = 0 | 1",
    "board.copy = 'mirror'; seats.allowed = ['SN']; seats.teams = -; stacking.partner = -",
    "board.side = 3; board.columns = 8; board.course = 'D1 W3 N1 E6 N1 E1 S2 W1 N1 W6 >F1'; board.copy = 'mirror'; \
     board.marks = []; board.middle = []; board.other_marks = -; board.look = -; \
     seats.allowed = ['SN']; seats.teams = -; stacking.partner = -",
];

fn marks_again(sheet: &Sheet) -> bool {
    sheet
        .board
        .mark_kinds()
        .any(|marks| marks.again && !marks.squares.is_empty())
}

fn has_units(sheet: &Sheet) -> bool {
    sheet.unit.kind != UnitKind::None
}

fn has_several_dice(sheet: &Sheet) -> bool {
    sheet.turn.kind == TurnKind::Series && sheet.throws.dice > 1
}

/// A random sheet of a game in which throws are used one by one, without disputed combinations.
/// Every third sheet throws several dice at once.
pub fn one_throw(rng: &mut GameRng) -> Arc<Sheet> {
    let several = below(3, rng) == 0;
    let is_base = |sheet: &&Arc<Sheet>| match sheet.turn.kind {
        TurnKind::Throw => !several,
        TurnKind::Series => several && has_several_dice(sheet),
        TurnKind::Dice | TurnKind::Divide => false,
    };
    let bases: Vec<&Arc<Sheet>> = builtin::all().iter().filter(is_base).collect();
    let base = bases[below(bases.len(), rng)];
    let mut sheet = Sheet {
        name: "random".to_owned(),
        flags: Flags::new(),
        ..(**base).clone()
    };
    for _ in 0..below(30, rng) {
        sheet = changed(&sheet, rng).unwrap_or(sheet);
    }
    Arc::new(sheet)
}

/// The sheet with some changes, if they go together.
fn changed(sheet: &Sheet, rng: &mut GameRng) -> Option<Sheet> {
    let mut sheet = sheet.clone();
    match below(24, rng) {
        0 | 1 => mark_squares(&mut sheet, rng),
        2 => take_board(&mut sheet, rng),
        _ => {}
    }
    let mut table: Table = sheet.text().parse().expect("TOML");
    let throws = if has_several_dice(&sheet) {
        &DICE[..]
    } else {
        &THROWS
    };
    for _ in 0..=below(3, rng) {
        one_of(one_of(&[throws, &PIECES, &MEETINGS, &BOARD], rng), rng)
            .split("; ")
            .for_each(|key| set(&mut table, key, rng));
    }
    // The text of a sheet omits default values.
    let text = Sheet::read_saved(&table.to_string(), "random.toml")
        .ok()?
        .text();
    Sheet::read(&text, "random.toml")
        .ok()
        .filter(|sheet| !is_disputed(sheet))
}

/// Sets a key to one of its values.
fn set(table: &mut Table, change: &str, rng: &mut GameRng) {
    let (key, values) = change.split_once(" = ").expect("a key with values");
    let thrown: Vec<u8> = table["throws"]["values"]
        .clone()
        .try_into()
        .expect("values");
    let some: Vec<u8> = thrown.into_iter().filter(|_| below(3, rng) == 0).collect();
    let value = match one_of(&values.split(" | ").collect::<Vec<_>>(), rng) {
        "-" => {
            match key.split_once('.') {
                Some((section, key)) => {
                    table
                        .get_mut(section)
                        .and_then(|section| section.as_table_mut()?.remove(key));
                }
                None => drop(table.remove(key)),
            }
            return;
        }
        "values" if some.is_empty() => "'any'".to_owned(),
        "some" | "values" => format!("{some:?}"),
        "number" => (1 + below(12, rng)).to_string(),
        "numbers" => {
            let mut numbers = [0; MAX_PIECES].map(|_| 1 + below(12, rng));
            numbers.sort_unstable();
            format!("{numbers:?}")
        }
        written => written.to_owned(),
    };
    *table = changes::changed(table, &[format!("{key} = {value}")]);
}

/// Gives other marks to the squares of a random number.
fn mark_squares(sheet: &mut Sheet, rng: &mut GameRng) {
    let rule = one_of(
        &[
            MarkRule::Share,
            MarkRule::Block,
            MarkRule::Closed,
            MarkRule::Plain,
        ],
        rng,
    );
    let squares: Vec<String> = marked_alike(sheet, rng)
        .iter()
        .map(Square::to_string)
        .collect();
    let board = &mut sheet.board;
    let is_left = |name: &String| !squares.contains(name);
    board.marks.retain(is_left);
    board
        .other_marks
        .iter_mut()
        .for_each(|marks| marks.squares.retain(is_left));
    board.other_marks.retain(|marks| !marks.squares.is_empty());
    board.other_marks.push(Marks {
        rule,
        again: below(2, rng) == 0,
        squares,
    });
}

/// Takes the board of another game.
fn take_board(sheet: &mut Sheet, rng: &mut GameRng) {
    let other = &builtin::all()[below(builtin::all().len(), rng)];
    sheet.board = other.board.clone();
    if matches!(sheet.pieces.sent_to, Returns::Square(_)) && below(2, rng) == 0 {
        sheet.pieces.sent_to = Returns::Wait(SentTo::Off);
        sheet.pieces.setup = Setup::All(SentTo::Off);
    }
    sheet.seats.allowed = other.seats.allowed.clone();
    sheet.seats.teams = Teams::None;
    sheet.stacking.partner = WithPartner::Closed;
}

/// A ruleset of a sheet, with random seats and pieces.
pub fn ruleset(sheet: &Arc<Sheet>, rng: &mut GameRng) -> Ruleset {
    let letters = &sheet.seats.allowed[below(sheet.seats.allowed.len(), rng)];
    let seats = SeatSet::from_letters(letters).expect("seats of a checked sheet");
    let pieces = sheet.pieces.allowed[below(sheet.pieces.allowed.len(), rng)].to_string();
    Ruleset::of(Arc::clone(sheet), seats, [("pieces", pieces.as_str())])
        .expect("a ruleset of a checked sheet")
}

fn one_of<T: Clone>(all: &[T], rng: &mut GameRng) -> T {
    all[below(all.len(), rng)].clone()
}

/// A game of a valid sheet.
fn race(sheet: &Sheet) -> Option<Race> {
    let sheet = Arc::new(Sheet::read(&sheet.text(), "random.toml").ok()?);
    let seats = SeatSet::from_letters(sheet.seats.allowed.first()?).ok()?;
    Some(Race::new(Ruleset::of(sheet, seats, []).ok()?))
}

/// The squares of a random number on the courses of all seats, and all that have the numbers of
/// those.
pub fn marked_alike(sheet: &Sheet, rng: &mut GameRng) -> BTreeSet<Square> {
    let Some(race) = race(sheet) else {
        return BTreeSet::new();
    };
    let courses: Vec<&[Square]> = Seat::ALL
        .into_iter()
        .map(|seat| race.board().course(seat))
        .filter(|course| !course.is_empty())
        .collect();
    let mut squares = BTreeSet::from([courses[0][below(courses[0].len() - 1, rng)]]);
    loop {
        let is_marked = |number: &usize| {
            courses
                .iter()
                .any(|course| squares.contains(&course[*number]))
        };
        let numbers: Vec<usize> = (0..courses[0].len()).filter(is_marked).collect();
        let more: BTreeSet<Square> = numbers
            .iter()
            .flat_map(|&number| courses.iter().map(move |course| course[number]))
            .collect();
        if more == squares {
            return squares;
        }
        squares = more;
    }
}

/// Keys of a board whose course may cross itself, from the first row to a finish in the middle.
pub fn course(rng: &mut GameRng) -> String {
    let side = 5 + 2 * below(3, rng);
    let (middle, mut direction) = ([side / 2; 2], 0);
    let mut way = vec![[0, below(side, rng)]];
    for _ in 0..8 + below(24, rng) {
        for turn in [0, 0, 1, 3][below(4, rng)..]
            .iter()
            .copied()
            .chain([0, 1, 3])
        {
            let [row, column] = way[way.len() - 1];
            let next = [
                [row + 1, column],
                [row, column + 1],
                [row.wrapping_sub(1), column],
                [row, column.wrapping_sub(1)],
            ];
            let next = next[(direction + turn) % 4];
            if next.iter().all(|&at| at < side) && next != middle {
                direction = (direction + turn) % 4;
                way.push(next);
                break;
            }
        }
    }
    way.push(middle);
    let name =
        |[row, column]: [usize; 2]| format!("{}{}", char::from(b'A' + column as u8), row + 1);
    let course = way.into_iter().map(name).collect::<Vec<_>>().join(" >");
    let copy = ["board.copy = 'mirror'; seats.allowed = ['SN']", ""][below(2, rng)];
    format!("board.side = {side}; board.course = '{course}'; board.marks = []; {copy}")
}

#[cfg(test)]
mod tests {
    use ashta_env::chance;

    use super::*;

    /// A change with a mistyped key or value never gives a valid sheet. The first attempts change
    /// the built-in games themselves, later attempts games with more and more other changes.
    #[test]
    fn every_change_can_be_applied() {
        let mut rng = chance::stream(1, 0);
        let bases = builtin::all();
        for change in [&THROWS[..], &DICE, &PIECES, &MEETINGS, &BOARD].concat() {
            // If a key can be set or removed, it is set.
            let set_keys = change.replace("- | ", "");
            let is_applied = (0..25 * bases.len()).any(|attempt| {
                let base = &bases[attempt % bases.len()];
                let mut sheet = Sheet {
                    name: "random".to_owned(),
                    flags: Flags::new(),
                    ..(**base).clone()
                };
                for _ in 0..attempt / bases.len() {
                    sheet = changed(&sheet, &mut rng).unwrap_or(sheet);
                }
                let mut table: Table = sheet.text().parse().expect("TOML");
                set_keys
                    .split("; ")
                    .for_each(|key| set(&mut table, key, &mut rng));
                Sheet::read_saved(&table.to_string(), "random.toml").is_ok()
            });
            assert!(is_applied, "{change}");
        }
    }
}
