//! Random sheets: built-in games with changes that the reader of sheets accepts, also in combinations that no built-in
//! game has.

use std::collections::BTreeSet;
use std::sync::Arc;

use ashta_env::chance::{GameRng, below};
use ashta_env::game::{MAX_PIECES, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::board::Square;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::{
    Any, Area, Block, BonusOrder, Capture, CourseCopy, Divide, End, EntryAt, FinishedPartner, FirstWhile, Flags, Group,
    LastThrow, MarkRoom, MarkRule, Marks, Meeting, Must, NamedEntry, NamedOdds, Odds, OpenedBy, Order, Overshoot,
    Returns, Room, SentTo, Setup, Sheet, Speed, Teams, TurnKind, Unit, UnitKind, UnitMeeting, UnitOnSingle, Values,
    WithPartner, Without, builtin,
};

/// Whether a sheet has a combination of keys.
type Condition = fn(&Sheet) -> bool;

/// Combinations of keys on which engine and oracle differ, or that contradict each other and are accepted. Whoever
/// fixes the cause removes the line.
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

const SPEEDS: [Speed; 5] = [Speed::Full, Speed::Half, Speed::HalfSpent, Speed::HalfEven, Speed::Double];

fn marks_again(sheet: &Sheet) -> bool {
    sheet.board.mark_kinds().any(|marks| marks.again && !marks.squares.is_empty())
}

fn has_units(sheet: &Sheet) -> bool {
    sheet.unit.kind != UnitKind::None
}

fn has_several_dice(sheet: &Sheet) -> bool {
    sheet.turn.kind == TurnKind::Series && sheet.throws.dice > 1
}

/// A random sheet of a game in which throws are used one by one, without disputed combinations. Every third sheet
/// throws several dice at once.
pub fn one_throw(rng: &mut GameRng) -> Arc<Sheet> {
    let several = below(3, rng) == 0;
    let is_base = |sheet: &&Arc<Sheet>| match sheet.turn.kind {
        TurnKind::Throw => !several,
        TurnKind::Series => several && has_several_dice(sheet),
        TurnKind::Dice | TurnKind::Divide => false,
    };
    let bases: Vec<&Arc<Sheet>> = builtin::all().iter().filter(is_base).collect();
    let base = bases[below(bases.len(), rng)];
    let mut sheet = Sheet { name: "random".to_owned(), flags: Flags::new(), ..(**base).clone() };
    for _ in 0..below(30, rng) {
        let mut changed = sheet.clone();
        for _ in 0..=below(3, rng) {
            change(&mut changed, rng);
        }
        let read = Sheet::read(&changed.text(), "random.toml").ok();
        if let Some(read) = read.filter(|read| !is_disputed(read)) {
            sheet = read;
        }
    }
    Arc::new(sheet)
}

/// A ruleset of a sheet, with random seats and pieces.
pub fn ruleset(sheet: &Arc<Sheet>, rng: &mut GameRng) -> Ruleset {
    let letters = &sheet.seats.allowed[below(sheet.seats.allowed.len(), rng)];
    let seats = SeatSet::from_letters(letters).expect("seats of a checked sheet");
    let pieces = sheet.pieces.allowed[below(sheet.pieces.allowed.len(), rng)].to_string();
    Ruleset::of(Arc::clone(sheet), seats, [("pieces", pieces.as_str())]).expect("a ruleset of a checked sheet")
}

fn one_of<T: Clone>(all: &[T], rng: &mut GameRng) -> T {
    all[below(all.len(), rng)].clone()
}

fn some_of(all: &[u8], rng: &mut GameRng) -> Vec<u8> {
    all.iter().copied().filter(|_| below(3, rng) == 0).collect()
}

fn values(all: &[u8], rng: &mut GameRng) -> Values {
    match some_of(all, rng) {
        none if none.is_empty() => Values::Named(Any::Any),
        some => Values::These(some),
    }
}

fn letters(sets: &[&str]) -> Vec<String> {
    sets.iter().map(|&set| set.to_owned()).collect()
}

/// Changes one thing, which may lead to a contradiction.
fn change(sheet: &mut Sheet, rng: &mut GameRng) {
    match below(4, rng) {
        0 if has_several_dice(sheet) => change_dice(sheet, rng),
        0 => change_throws(sheet, rng),
        1 => change_entry_and_finish(sheet, rng),
        2 => change_meetings(sheet, rng),
        _ => change_board(sheet, rng),
    }
}

fn change_throws(sheet: &mut Sheet, rng: &mut GameRng) {
    let turn = &mut sheet.turn;
    let thrown = sheet.throws.values.clone();
    match below(12, rng) {
        0 => {
            let sets: [&[u8]; 7] = [
                &[1, 2, 3, 4, 5, 6],
                &[0, 1, 2, 3, 4],
                &[8, 1, 2, 3, 4],
                &[25, 10, 2, 3, 4, 5, 6],
                &[1, 2],
                &[3, 1, 12, 6],
                &[0, 2, 5, 1],
            ];
            sheet.throws.values = one_of(&sets, rng).to_vec();
            sheet.throws.odds = Odds::Named(one_of(&[NamedOdds::Cowries, NamedOdds::Equal], rng));
            let left = |values: &mut Vec<u8>| values.retain(|value| sheet.throws.values.contains(value));
            turn.bonus_order = BonusOrder::After;
            [&mut turn.again, &mut turn.bonus, &mut sheet.finish.from_last].into_iter().for_each(left);
            for values in [&mut sheet.entry.first, &mut sheet.entry.next] {
                if !matches!(values, Values::These(these) if these.iter().all(|one| sheet.throws.values.contains(one)))
                {
                    *values = Values::Named(Any::Any);
                }
            }
        }
        1 => turn.must = one_of(&[Must::One, Must::NoMerge, Must::Optional], rng),
        2 | 3 => turn.again = some_of(&thrown, rng),
        4 => turn.again_on_capture = !turn.again_on_capture,
        5 => turn.again_unused = !turn.again_unused,
        6 => turn.again_on_finish = !turn.again_on_finish,
        7 => {
            turn.most_throws = one_of(&[None, Some(0), Some(1), Some(2), Some(3), Some(4)], rng);
            turn.last_throw = LastThrow::Played;
        }
        8 => {
            turn.most_throws = Some(2 + below(2, rng) as u8);
            turn.last_throw = LastThrow::Lost;
        }
        9 => {
            turn.bonus = some_of(&thrown, rng);
            turn.bonus_order = one_of(&[BonusOrder::After, BonusOrder::Any], rng);
        }
        10 => {
            turn.bonus = some_of(&thrown, rng);
            turn.bonus_order = one_of(&[BonusOrder::After, BonusOrder::Any], rng);
            sheet.entry.first = Values::Named(Any::Any);
            sheet.entry.next = Values::Named(Any::Any);
            sheet.entry.first_while = FirstWhile::Empty;
            sheet.entry.by_bonus = true;
            if sheet.entry.at == EntryAt::Named(NamedEntry::Count) {
                sheet.entry.at = EntryAt::Named(NamedEntry::Start);
            }
        }
        _ => turn.divide = one_of(&[Divide::None, Divide::Finish], rng),
    }
}

/// Changes dice that are thrown at once, and what equal ones move.
fn change_dice(sheet: &mut Sheet, rng: &mut GameRng) {
    match below(8, rng) {
        0 => {
            sheet.throws.dice = 2 + below(3, rng) as u8;
            if sheet.throws.dice == 2 {
                sheet.unit.three.clear();
            }
        }
        1 => {
            let sets: [&[u8]; 6] = [&[1, 2, 5, 6], &[1, 3, 4, 6], &[1, 2], &[8, 1, 2, 3], &[3, 1, 7], &[4, 1, 2]];
            sheet.throws.values = one_of(&sets, rng).to_vec();
            sheet.throws.odds = Odds::Named(one_of(&[NamedOdds::Cowries, NamedOdds::Equal], rng));
            if sheet.throws.dice > 2 && sheet.unit.kind == UnitKind::Together {
                sheet.unit.three = sheet.throws.values.clone();
            }
            sheet.entry.first = Values::Named(Any::Any);
            sheet.entry.next = Values::Named(Any::Any);
        }
        2 => sheet.turn.must = one_of(&[Must::Most, Must::Greedy, Must::Optional], rng),
        3 => sheet.turn.again_on_capture = !sheet.turn.again_on_capture,
        4 | 5 => sheet.unit.three = some_of(&sheet.throws.values.clone(), rng),
        6 => {
            let squares = marked_alike(sheet, rng);
            sheet.unit.kind = UnitKind::Declared;
            sheet.unit.from = squares.iter().map(Square::to_string).collect();
        }
        _ => sheet.finish.bear_off = some_of(&sheet.throws.values.clone(), rng),
    }
}

fn change_entry_and_finish(sheet: &mut Sheet, rng: &mut GameRng) {
    let (entry, finish) = (&mut sheet.entry, &mut sheet.finish);
    let thrown = &sheet.throws.values;
    match below(16, rng) {
        0 => {
            entry.first = values(thrown, rng);
            entry.next = values(thrown, rng);
        }
        1 => {
            entry.first = Values::Named(Any::Any);
            entry.next = values(thrown, rng);
            entry.first_while = one_of(&[FirstWhile::Empty, FirstWhile::Never], rng);
        }
        2 => entry.first_while = FirstWhile::Empty,
        3 => entry.at = EntryAt::Named(one_of(&[NamedEntry::Start, NamedEntry::Count], rng)),
        4 => entry.at = EntryAt::Square(below(12, rng) as u8),
        5 => entry.compulsory = !entry.compulsory,
        6 => entry.clear = !entry.clear,
        7 => entry.by_bonus = !entry.by_bonus,
        8 => {
            entry.spends = !entry.spends;
            if !entry.spends {
                sheet.turn.must = Must::Optional;
            }
        }
        9 | 10 => finish.overshoot = one_of(&[Overshoot::Illegal, Overshoot::Wasted, Overshoot::Bounces], rng),
        11 => finish.from_last = some_of(thrown, rng),
        12 => {
            finish.fill = !finish.fill;
            if finish.fill {
                sheet.stacking.private = Some(Room::One);
                finish.overshoot = Overshoot::Illegal;
                finish.from_last.clear();
                sheet.turn.again_on_finish = false;
            }
        }
        13 => {
            let most = below(MAX_PIECES, rng) as u8 + 1;
            sheet.pieces.allowed = (1..=most).collect();
            sheet.pieces.count = below(usize::from(most), rng) as u8 + 1;
            if matches!(sheet.pieces.setup, Setup::On(_)) {
                sheet.pieces.setup = Setup::All(SentTo::Off);
            }
        }
        14 => sheet.pieces.sent_to = Returns::Square(1 + below(12, rng) as u8),
        _ => {
            let sent_to = one_of(&[SentTo::Off, SentTo::Start], rng);
            sheet.pieces.sent_to = Returns::Wait(sent_to);
            let mut numbers: Vec<u8> = (0..MAX_PIECES).map(|_| 1 + below(12, rng) as u8).collect();
            numbers.sort_unstable();
            let setups = [Setup::All(sent_to), Setup::All(SentTo::Off), Setup::All(SentTo::Start), Setup::On(numbers)];
            sheet.pieces.setup = one_of(&setups, rng);
        }
    }
}

fn change_meetings(sheet: &mut Sheet, rng: &mut GameRng) {
    let stacking = &mut sheet.stacking;
    let rooms = [Room::One, Room::Two, Room::Any];
    match below(18, rng) {
        0 => {
            stacking.plain = one_of(&rooms, rng);
            stacking.marked = one_of(&[MarkRoom::One, MarkRoom::Any], rng);
            if matches!(sheet.pieces.sent_to, Returns::Square(_)) {
                stacking.private = Some(Room::Any);
            }
        }
        1 => stacking.private = one_of(&[None, Some(Room::One), Some(Room::Two), Some(Room::Any)], rng),
        2 => stacking.inner = one_of(&[None, Some(Room::One), Some(Room::Two), Some(Room::Any)], rng),
        3 | 4 => {
            stacking.block = one_of(&[Block::None, Block::Landing, Block::Passing], rng);
            if stacking.plain == Room::One && below(2, rng) == 0 {
                stacking.plain = Room::Any;
            }
        }
        5 | 6 => {
            sheet.seats.teams = Teams::Opposite;
            sheet.seats.allowed = letters(one_of(&[&["SENW"][..], &["SN", "SENW"], &["SEN", "SENW"]], rng));
            stacking.partner = one_of(&[WithPartner::Closed, WithPartner::Shares], rng);
        }
        7 => {
            sheet.seats.teams = Teams::None;
            stacking.partner = WithPartner::Closed;
        }
        8 => {
            let sets: [&[&str]; 6] =
                [&["SN", "SEN", "SENW"], &["SENW"], &["SN"], &["SE", "SENW"], &["SEN"], &["SW", "SNW", "SENW"]];
            sheet.seats.allowed = letters(one_of(&sets, rng));
        }
        9 => {
            sheet.seats.finished_partner = one_of(&[FinishedPartner::Donates, FinishedPartner::Skips], rng);
            sheet.seats.end = one_of(&[End::First, End::Placings], rng);
            sheet.seats.order = one_of(&[Order::Clockwise, Order::CounterClockwise], rng);
        }
        10 => {
            let unit = &mut sheet.unit;
            unit.kind = one_of(&[UnitKind::None, UnitKind::Together], rng);
            unit.area = one_of(&[Area::Any, Area::Inner], rng);
            unit.speed = one_of(&SPEEDS, rng);
            (unit.split, unit.passable) = (below(2, rng) == 0, below(2, rng) == 0);
        }
        11 => {
            let unit = &mut sheet.unit;
            unit.kind = UnitKind::Together;
            (unit.speed, unit.split) = (one_of(&SPEEDS, rng), below(2, rng) == 0);
        }
        12 => {
            sheet.unit = Unit::default();
            sheet.capture = Capture { group: sheet.capture.group, ..Capture::default() };
        }
        13 => {
            sheet.capture.single_on_unit = one_of(&[Meeting::Takes, Meeting::Shares, Meeting::Barred], rng);
            sheet.capture.unit_on_single = one_of(&[UnitOnSingle::Takes, UnitOnSingle::Shares], rng);
        }
        14 | 15 => {
            let all = [UnitMeeting::Takes, UnitMeeting::TakesEqual, UnitMeeting::Shares, UnitMeeting::Barred];
            sheet.capture.unit_on_unit = one_of(&all, rng);
        }
        16 => sheet.capture.group = one_of(&[Group::All, Group::One], rng),
        _ => {
            sheet.gate.at = one_of(&[0, 5, 9, 14, 40], rng);
            sheet.gate.without = one_of(&[Without::Wait, Without::Lap, Without::Open], rng);
            sheet.gate.lap = if sheet.gate.without == Without::Lap { 4 + below(4, rng) as u8 } else { 0 };
            sheet.gate.opened_by = one_of(&[OpenedBy::Own, OpenedBy::Team], rng);
        }
    }
}

fn change_board(sheet: &mut Sheet, rng: &mut GameRng) {
    let rules = [MarkRule::Share, MarkRule::Block, MarkRule::Closed, MarkRule::Plain];
    let board = &mut sheet.board;
    match below(11, rng) {
        0 => board.mark_rule = one_of(&rules, rng),
        1 => board.mark_again = !board.mark_again,
        2 => {
            board.marks.clear();
            board.other_marks.clear();
        }
        3 | 4 => {
            let squares: Vec<String> = marked_alike(sheet, rng).iter().map(Square::to_string).collect();
            let board = &mut sheet.board;
            let is_left = |name: &String| !squares.contains(name);
            board.marks.retain(is_left);
            board.other_marks.iter_mut().for_each(|marks| marks.squares.retain(is_left));
            board.other_marks.retain(|marks| !marks.squares.is_empty());
            board.other_marks.push(Marks { rule: one_of(&rules, rng), again: below(2, rng) == 0, squares });
        }
        5 => board.first_number = 1 - board.first_number.min(1),
        6 => {
            board.copy = CourseCopy::Mirror;
            board.courses.clear();
            sheet.seats.allowed = letters(&["SN"]);
            sheet.seats.teams = Teams::None;
            sheet.stacking.partner = WithPartner::Closed;
        }
        7 => {
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
        8 => write_courses(sheet, rng),
        9 => {
            // Most squares come twice, some of them within one throw.
            (board.side, board.columns) = (3, Some(8));
            board.course = "D1 W3 N1 E6 N1 E1 S2 W1 N1 W6 >F1".to_owned();
            board.copy = CourseCopy::Mirror;
            [&mut board.marks, &mut board.middle].into_iter().for_each(Vec::clear);
            board.other_marks.clear();
            board.courses.clear();
            sheet.seats.allowed = letters(&["SN"]);
            sheet.seats.teams = Teams::None;
            sheet.stacking.partner = WithPartner::Closed;
        }
        _ => meet_head_on(sheet, rng),
    }
}

/// A game of a valid sheet.
fn race(sheet: &Sheet) -> Option<Race> {
    let sheet = Arc::new(Sheet::read(&sheet.text(), "random.toml").ok()?);
    let seats = SeatSet::from_letters(sheet.seats.allowed.first()?).ok()?;
    Some(Race::new(Ruleset::of(sheet, seats, []).ok()?))
}

/// The squares of a random number on the courses of all seats, and all that have the numbers of those.
pub fn marked_alike(sheet: &Sheet, rng: &mut GameRng) -> BTreeSet<Square> {
    let Some(race) = race(sheet) else { return BTreeSet::new() };
    let courses: Vec<&[Square]> =
        Seat::ALL.into_iter().map(|seat| race.board().course(seat)).filter(|course| !course.is_empty()).collect();
    let mut squares = BTreeSet::from([courses[0][below(courses[0].len() - 1, rng)]]);
    loop {
        let is_marked = |number: &usize| courses.iter().any(|course| squares.contains(&course[*number]));
        let numbers: Vec<usize> = (0..courses[0].len()).filter(is_marked).collect();
        let more: BTreeSet<Square> =
            numbers.iter().flat_map(|&number| courses.iter().map(move |course| course[number])).collect();
        if more == squares {
            return squares;
        }
        squares = more;
    }
}

/// A course as jumps from square to square.
fn jumps(course: impl IntoIterator<Item = Square>) -> String {
    course.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" >")
}

/// Writes the courses of all seats as they are, on a frame that is wider.
fn write_courses(sheet: &mut Sheet, rng: &mut GameRng) {
    let Some(race) = race(sheet) else { return };
    let course = |seat: Seat| race.board().course(seat);
    let others = Seat::ALL.into_iter().skip(1).filter(|&seat| !course(seat).is_empty());
    sheet.board.courses = others.map(|seat| (seat.letter().to_string(), jumps(course(seat).iter().copied()))).collect();
    sheet.board.columns = Some(sheet.board.columns.unwrap_or(sheet.board.side) + below(3, rng) as u8);
    if below(2, rng) == 0 {
        sheet.board.course = jumps(course(Seat::SOUTH).iter().copied());
    }
}

/// Another seat walks South's course backwards, or from another square on, to its own finish.
fn meet_head_on(sheet: &mut Sheet, rng: &mut GameRng) {
    let Some(race) = race(sheet) else { return };
    let (seat, set) = one_of(&[(Seat::NORTH, "SN"), (Seat::EAST, "SE"), (Seat::WEST, "SW")], rng);
    let (south, own) = (race.board().course(Seat::SOUTH), race.board().course(seat));
    let (Some((_, way)), Some(&finish)) = (south.split_last(), own.last()) else { return };
    let mut way = way.to_vec();
    if seat == Seat::NORTH || below(2, rng) == 0 {
        way.reverse();
    } else {
        way.rotate_left(below(south.len() - 1, rng));
    }
    way.push(finish);
    sheet.board.courses = [(seat.letter().to_string(), jumps(way))].into();
    sheet.board.marks.clear();
    sheet.board.other_marks.clear();
    sheet.board.look = Default::default();
    sheet.seats.allowed = letters(&[set]);
    sheet.seats.teams = Teams::None;
    sheet.stacking.partner = WithPartner::Closed;
}

/// Keys of a board whose course may cross itself, from the first row to a finish in the middle.
pub fn course(rng: &mut GameRng) -> String {
    let side = 5 + 2 * below(3, rng);
    let (middle, mut direction) = ([side / 2; 2], 0);
    let mut way = vec![[0, below(side, rng)]];
    for _ in 0..8 + below(24, rng) {
        for turn in [0, 0, 1, 3][below(4, rng)..].iter().copied().chain([0, 1, 3]) {
            let [row, column] = way[way.len() - 1];
            let next =
                [[row + 1, column], [row, column + 1], [row.wrapping_sub(1), column], [row, column.wrapping_sub(1)]];
            let next = next[(direction + turn) % 4];
            if next.iter().all(|&at| at < side) && next != middle {
                direction = (direction + turn) % 4;
                way.push(next);
                break;
            }
        }
    }
    way.push(middle);
    let name = |[row, column]: [usize; 2]| format!("{}{}", char::from(b'A' + column as u8), row + 1);
    let course = way.into_iter().map(name).collect::<Vec<_>>().join(" >");
    let copy = ["board.copy = 'mirror'; seats.allowed = ['SN']", ""][below(2, rng)];
    format!("board.side = {side}; board.course = '{course}'; board.marks = []; {copy}")
}
