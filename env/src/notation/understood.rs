//! The rules of a game as they are understood: sentences made from the tables and from the values of the sheet with its
//! house rules, never from its prose.

use serde::Serialize;

use crate::game::{Game, Seat};
use crate::notation::Ground;
use crate::race::Race;
use crate::race::compile::reach::places_of;
use crate::race::position::state::Series;
use crate::race::turns::text::{TurnWords, any_of, joined};
use crate::sheet::{
    Area, Block, BonusOrder, CourseCopy, Divide, End, FinishedPartner, FirstWhile, Group, LastThrow, LostBefore,
    MarkRule, Meeting, Must, OpenedBy, Order, Overshoot, Returns, SentTo, Setup, Speed, Teams, UnitKind, UnitMeeting,
    WithPartner, Without,
};

/// Rules that belong together, as sentences.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RuleTopic {
    /// The heading.
    pub topic: &'static str,
    /// The rules, one or more.
    pub sentences: Vec<String>,
}

impl Race {
    /// The rules as they are understood, for all sets of seats.
    pub fn understood(&self) -> Vec<RuleTopic> {
        let topics: [(&'static str, Vec<String>); 12] = [
            ("Seats", self.about_seats()),
            ("Board", self.about_board()),
            ("Pieces", self.about_pieces()),
            ("Throws", self.about_throws()),
            ("Turn", self.about_turn()),
            ("Entry", self.about_entry()),
            ("Own pieces on a square", self.about_stacking()),
            ("Units", self.about_units()),
            ("Captures", self.about_captures()),
            ("Gate", self.about_gate()),
            ("Finish", self.about_finish()),
            ("End of the game", self.about_end()),
        ];
        let said = topics.into_iter().filter(|(_, sentences)| !sentences.is_empty());
        said.map(|(topic, sentences)| RuleTopic { topic, sentences }).collect()
    }

    fn words_of_turn(&self) -> TurnWords {
        self.turns.notation().words()
    }

    /// The number of a place on South's course and the name of its square: `16 (B1)`.
    fn numbered(&self, place: u8) -> String {
        format!("{} ({})", self.place_text(place), self.board().course(Seat::SOUTH)[usize::from(place) - 1])
    }

    /// The numbers of places on the course: `1 to 7 and 77`.
    fn ranges(&self, holds: impl Fn(u8) -> bool) -> Option<String> {
        let mut ranges: Vec<[u8; 2]> = Vec::new();
        for place in (1..self.rules.home).filter(|&place| holds(place)) {
            match ranges.last_mut() {
                Some([_, last]) if *last + 1 == place => *last = place,
                _ => ranges.push([place; 2]),
            }
        }
        let text = |[first, last]: [u8; 2]| match last - first {
            0 => self.place_text(first),
            1 => format!("{}, {}", self.place_text(first), self.place_text(last)),
            _ => format!("{} to {}", self.place_text(first), self.place_text(last)),
        };
        (!ranges.is_empty()).then(|| joined(ranges.into_iter().map(text), ", "))
    }

    fn about_seats(&self) -> Vec<String> {
        let seats = &self.rules.sheet.seats;
        let order = match seats.order {
            Order::CounterClockwise => "The turn passes to the right: South, East, North, West.",
            Order::Clockwise => "The turn passes to the left: South, West, North, East.",
        };
        let mut said = vec![format!("These seats can play: {}.", any_of(&seats.allowed)), order.to_owned()];
        match seats.teams {
            Teams::None => said.push("Each seat plays for itself.".to_owned()),
            Teams::Opposite => {
                let players = if seats.one_mind { "One player has both." } else { "Each of the two has a player." };
                let finished = match seats.finished_partner {
                    FinishedPartner::Donates => "A seat whose own pieces have finished throws for its partner's.",
                    FinishedPartner::Skips => "The turns of a seat whose own pieces have finished are skipped.",
                };
                let teams = "Where four seats play, opposite ones are partners: South and North, East and West.";
                said.extend([teams, players, finished].map(str::to_owned));
            }
        }
        said
    }

    fn about_board(&self) -> Vec<String> {
        let (words, course) = (&self.rules.sheet.words, self.board().course(Seat::SOUTH));
        let direction = |at: usize| {
            let step = |from: u8, to: u8| i16::from(to) - i16::from(from);
            (step(course[at - 1].row, course[at].row), step(course[at - 1].column, course[at].column))
        };
        let is_corner = |at: &usize| *at == 0 || *at + 1 == course.len() || direction(*at) != direction(*at + 1);
        let corners = joined((0..course.len()).filter(is_corner).map(|at| course[at]), ", ");
        let board = &self.rules.sheet.board;
        let others = match (board.copy, board.courses.is_empty()) {
            (CourseCopy::Rotate, true) => "The other seats have the same course, seen from their own sides.",
            (CourseCopy::Mirror, true) => "North has the same course, mirrored: the first row is the last.",
            (_, false) => "Other seats have courses of their own.",
        };
        let given = board.courses.iter().map(|(seat, course)| format!("That of {seat} is `{course}`."));
        let mut said = vec![
            format!("South's course goes in straight lines over {corners}."),
            format!("It has {} steps and ends at the finish ({}).", course.len() - 1, words.finish),
            others.to_owned(),
            format!("Squares have numbers along a seat's own course, the first one {}.", self.place_text(1)),
        ];
        let comes_again = |place: &u8| course[..usize::from(*place) - 1].contains(&course[usize::from(*place) - 1]);
        let again: Vec<String> = (1..self.rules.home).filter(comes_again).map(|place| self.numbered(place)).collect();
        if !again.is_empty() {
            said.push(format!("These numbers are on squares that came before: {}.", again.join(", ")));
        }
        said.extend(given);
        for kind in board.mark_kinds() {
            let marks = self.squares().filter(|&(_, ground)| ground == Ground::Marked);
            let marks = marks.map(|(square, _)| square.to_string()).filter(|name| kind.squares.contains(name));
            let marks: Vec<String> = marks.collect();
            if marks.is_empty() {
                continue;
            }
            said.push(format!("Marked squares ({}): {}.", words.mark, marks.join(", ")));
            let rule = match kind.rule {
                MarkRule::Share => "Pieces of any seats stand together there.",
                MarkRule::Block => "No piece lands there where an enemy stands.",
                MarkRule::Closed => "One piece in all, of any seat, stands there, and no unit lands there.",
                MarkRule::Plain => "What holds elsewhere holds there, too.",
            };
            said.push(rule.to_owned());
            said.extend(kind.again.then(|| "A piece that lands there gets one more throw.".to_owned()));
        }
        let is_met = |place: u8| self.rules.cells[0][usize::from(place)] != 0;
        let is_private = |place: u8| is_met(place) && (self.rules.contested | self.rules.marked) >> place & 1 == 0;
        if let Some(private) = self.ranges(is_private) {
            said.push(format!("Private squares ({}), where no other seat comes: {private}.", words.private));
        }
        if !is_met(1) {
            said.push("On the first square of its course a seat's pieces meet no piece of another seat.".to_owned());
        }
        said
    }

    fn about_pieces(&self) -> Vec<String> {
        let (pieces, sheet) = (&self.rules.sheet.pieces, &self.rules.sheet);
        let setup = self.rules.setup();
        let setup = &setup[setup.len() - self.pieces()..];
        let begin = match &pieces.setup {
            Setup::All(SentTo::Off) => format!("All pieces begin off the board ({}).", sheet.words.off),
            Setup::All(SentTo::Start) => format!("All pieces begin on the first square, {}.", self.numbered(1)),
            Setup::On(_) => format!("Pieces begin on {}.", joined(setup.iter().map(|&at| self.place_text(at)), ", ")),
        };
        let returns = match pieces.sent_to {
            Returns::OFF => "A captured piece goes off the board and must enter again.".to_owned(),
            Returns::START => "A captured piece goes back to the first square of its course.".to_owned(),
            Returns::Square(_) => format!("A captured piece goes back to {}.", self.numbered(self.rules.sent_to())),
        };
        let allowed = any_of(&pieces.allowed);
        let count = format!("Each seat has {}; it can have {allowed}.", counted(self.pieces(), "piece"));
        vec![count, begin, returns]
    }

    fn about_throws(&self) -> Vec<String> {
        let dice = self.rules.values_of_throw();
        let thrown = match (self.rules.sheet.throws.dice, dice) {
            (1, _) => "A throw is one number.".to_owned(),
            (count, 1) => format!("A throw is that of {count} dice, which are alike."),
            _ => "A throw is that of two dice, which are alike.".to_owned(),
        };
        // The weight of a value of one of two dice is the root of that of its doublet.
        let outcomes = self.rules.outcomes.iter().filter(|throw| dice == 1 || throw.values[0] == throw.values[1]);
        let weight = |weight: u32| if dice == 1 { weight } else { weight.isqrt() };
        let weights: Vec<(u8, u32)> = outcomes.map(|throw| (throw.values[0], weight(throw.weight))).collect();
        let all: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let chance = |&(value, weight): &(u8, u32)| {
            format!("{value} comes {weight} in {all} times ({:.1} %)", 100.0 * f64::from(weight) / f64::from(all))
        };
        let mut said = vec![thrown, format!("{}.", joined(weights.iter().map(chance), "; "))];
        said.extend(weights.iter().any(|&(value, _)| value == 0).then(|| "A 0 moves nothing.".to_owned()));
        said
    }

    fn about_turn(&self) -> Vec<String> {
        let (turn, words) = (&self.rules.sheet.turn, self.words_of_turn());
        let mut said: Vec<String> = words.turn.iter().map(|&text| text.to_owned()).collect();
        let mut say = |is_said: bool, text: String| said.extend(is_said.then_some(text));
        let one = words.used[0];
        let granted = if turn.stop.is_empty() { "throw" } else { "series" };
        say(!turn.stop.is_empty(), format!("A series ends with {}.", any_in_order(&turn.stop)));
        say(!turn.stop.is_empty(), format!("It holds at most {} throws before that.", Series::LIMIT));
        let must = match turn.must {
            Must::Most => format!("As many {} as can be used in any way must be used.", words.used[1]),
            Must::Greedy => {
                format!("{} may be used in any way, until no more of them can be used.", capital(words.used[1]))
            }
            Must::One => format!("A {one} must be used if any piece can move by it."),
            Must::NoMerge => format!("A {one} must be used, unless each move by it would lead onto an own piece."),
            Must::Optional => format!("No {one} has to be used."),
        };
        say(true, must);
        say(true, "What is not used is lost.".to_owned());
        let unused = if turn.again_unused { "also where it could not be used" } else { "if it could be used" };
        say(!turn.again.is_empty(), format!("{} grants one more throw, {unused}.", any_in_order(&turn.again)));
        say(turn.again_on_finish, "A piece that gets to the finish grants one more throw.".to_owned());
        say(turn.again_on_doublet, format!("A doublet grants one more {granted}."));
        say(turn.again_on_capture, format!("Captures grant one more {granted}, however many there were."));
        let grants = !turn.again.is_empty()
            || [turn.again_on_doublet, turn.again_on_capture, turn.again_on_finish].contains(&true)
            || self.rules.lands_again != 0;
        say(!grants, format!("Nothing grants one more {granted}."));
        if let Some(most) = turn.throw_limit() {
            let (most, is_lost) = (counted(most.into(), "throw"), turn.last_throw == LastThrow::Lost);
            say(!is_lost, format!("A turn has at most {most}; the last grants no more."));
            say(is_lost, format!("After {most} in a row that their values grant, the last is lost and ends the turn."));
            say(is_lost, "A throw that is granted for another reason begins the count anew.".to_owned());
        }
        let (when, how) = match turn.bonus_order {
            BonusOrder::After => ("After", "too, by any piece"),
            BonusOrder::Any => ("With", "before or after, both if they can be played, by any piece"),
        };
        let how = if self.rules.sheet.entry.by_bonus { format!("{how}.") } else { format!("{how} on the board.") };
        let bonus = any_in_order(&turn.bonus);
        say(!turn.bonus.is_empty(), format!("{when} {bonus} a step of 1 is to be played, {how}"));
        let divides = turn.divide == Divide::Finish;
        say(divides, "A throw may be divided between two pieces on the board, at least 1 for each.".to_owned());
        say(divides, "One of the two has to get to the finish with its part.".to_owned());
        said
    }

    fn about_entry(&self) -> Vec<String> {
        let (rules, entry, words) = (&self.rules, &self.rules.sheet.entry, self.words_of_turn());
        if rules.setup().first() != Some(&0) && rules.sent_to() != 0 {
            return vec!["All pieces begin on the board and return to it.".to_owned()];
        }
        let by = |is_under_way: usize| {
            if entry.by_bonus {
                return "the step that follows a throw, and it alone,".to_owned();
            }
            // A piece that enters by count may take the sum of two dice.
            let all = match rules.enters_by_count() {
                true => rules.outcomes.iter().fold(0, |all, throw| all | throw.steps) & !1,
                false => rules.faces.iter().fold(0, |all, value| all | 1 << value),
            };
            match (rules.entering(is_under_way, all), words.entering) {
                (0, _) => "nothing".to_owned(),
                (values, [any, _]) if values == all => any.to_owned(),
                (values, [_, of]) => format!("{of} {}", any_of(&Vec::from_iter(places_of(values)))),
            }
        };
        let mut said = vec![format!("{} brings a waiting piece onto the board.", capital(&by(0)))];
        if by(0) != by(1) {
            let (first, then) = match entry.first_while {
                FirstWhile::Empty => ("while no own piece is on the course", "Otherwise"),
                FirstWhile::Never => ("for the first piece of a seat, once in the game", "Later"),
            };
            said.push(format!("That is so {first}. {then} {} does.", by(1)));
        }
        if rules.enters_by_count() {
            said.push("It enters on the square with the number that was thrown.".to_owned());
            let example = rules.faces.iter().find(|&&value| rules.entry + value < rules.home);
            said.extend(example.map(|value| {
                let square = self.board().course(Seat::SOUTH)[usize::from(rules.entry + value) - 1];
                format!("South's pieces enter with {value} on {square}.")
            }));
        } else {
            let first = if rules.entry == 1 { "the first square, " } else { "" };
            said.push(format!("It enters on {first}{}.", self.numbered(rules.entry)));
        }
        let mut say = |is_said: bool, text: &str| said.extend(is_said.then(|| text.to_owned()));
        say(entry.compulsory, "A piece that waits and can enter must, before others move.");
        say(entry.by_bonus, "While a piece waits, the step is for it alone.");
        say(entry.clear, "While a piece waits, an own piece on that square moves before anything else, if it can.");
        say(entry.spends, "Entering uses up what was thrown for it.");
        say(
            !entry.spends,
            "Entering does not use up the throw: after it any piece on the board may also play its number.",
        );
        say(!entry.spends, "Each of the two parts may be left.");
        let (board, course) = match entry.lost_before {
            LostBefore::Never => return said,
            LostBefore::OffBoard => ("board", "A piece at the finish is on the board; one that was borne off is not."),
            LostBefore::OffCourse => ("course", "A piece at the finish is not on the course."),
        };
        said.push(format!("While no own piece is on the {board}, throws before the first that enters are lost."));
        said.push(course.to_owned());
        said
    }

    fn about_stacking(&self) -> Vec<String> {
        let most = self.pieces() as u8;
        let about = |count: u8| {
            let numbers = self.ranges(|place| self.rules.room[usize::from(place)] == count)?;
            Some(match count {
                0 => format!("No piece ever comes to {numbers}."),
                _ if count == most => format!("Any number of own pieces can stand on each of {numbers}."),
                1 => format!("Only one own piece can stand on each of {numbers}."),
                _ => format!("At most {count} own pieces can stand on each of {numbers}."),
            })
        };
        let mut said: Vec<String> = (1..=most).chain([0]).filter_map(about).collect();
        let passing = match self.rules.impassable {
            [0, 0] => "Everything can be passed.",
            [0, _] => "A piece may not pass a square where two pieces of one enemy stand.",
            _ => "A piece that moves alone may not pass a square where two pieces of one seat stand.",
        };
        said.push(passing.to_owned());
        if self.rules.sheet.stacking.block != Block::None {
            said.push("No piece lands on a square where two pieces of one enemy stand.".to_owned());
        }
        said
    }

    fn about_units(&self) -> Vec<String> {
        let (unit, words) = (&self.rules.sheet.unit, self.words_of_turn());
        let word = &self.rules.sheet.words.unit;
        let what = match (unit.kind, unit.area) {
            (UnitKind::None, _) => return vec!["No two pieces move as one.".to_owned()],
            (UnitKind::Together, Area::Any) => "on one square are".to_owned(),
            (UnitKind::Together, Area::Inner) => "on a plain square from the gate on are".to_owned(),
            (UnitKind::Declared, _) => {
                let from = self.ranges(|place| self.rules.declaring >> place & 1 == 1).unwrap_or_default();
                format!("that leave {from} together are until the finish")
            }
        };
        let speed = match unit.speed {
            Speed::Full => words.whole,
            Speed::Half => "A unit moves by half of each throw, rounded down; it takes no 1.",
            Speed::HalfSpent => words.half_spent,
            Speed::HalfEven => "A unit moves by half of an even throw; it takes no odd one.",
            Speed::Double => words.double,
        };
        let split = if unit.split { "One of the two may leave alone." } else { "Neither of the two may leave alone." };
        let what = format!("Two own pieces {what} a unit ({word}), which may move as one.");
        let mut said = vec![what, speed.to_owned(), split.to_owned()];
        if unit.kind == UnitKind::Together && unit.area == Area::Any && self.rules.cells[0][1] == 0 {
            said.push("Pieces on the first square of their course are no unit.".to_owned());
        }
        said.extend(words.shared.map(str::to_owned));
        if !unit.three.is_empty() {
            let three = any_in_order(&unit.three);
            said.push(format!("Three pieces on one square may move so, too, with three dice of {three}."));
        }
        said
    }

    fn about_captures(&self) -> Vec<String> {
        let (rules, sheet) = (&self.rules, &self.rules.sheet);
        let is_contested = |place: u8| rules.contested >> place & 1 == 1 && rules.room[usize::from(place)] > 0;
        let Some(contested) = self.ranges(is_contested) else {
            return vec!["Nothing is ever captured.".to_owned()];
        };
        let word = &sheet.words.captures;
        let mut said = vec![
            format!("Pieces are captured on {contested}, and on no other square."),
            match sheet.capture.group {
                Group::All => format!("A single piece that lands on single enemies {word} all of them."),
                Group::One => format!("A single piece that lands on single enemies of a seat {word} one of them."),
            },
        ];
        if sheet.unit.kind != UnitKind::None {
            let met = |meeting: Meeting, who: &str, whom: &str| match meeting {
                Meeting::Takes => format!("{who} that lands on {whom} {word} it."),
                Meeting::Shares => format!("{who} that lands on {whom} shares the square with it."),
                Meeting::Barred => format!("{who} may not land on {whom}."),
            };
            said.push(met(sheet.capture.single_on_unit, "A single piece", "an enemy's unit"));
            said.push(met(sheet.capture.unit_on_single.into(), "A unit", "an enemy's single piece"));
            said.push(match sheet.capture.unit_on_unit {
                UnitMeeting::Takes => met(Meeting::Takes, "A unit", "an enemy's unit"),
                UnitMeeting::TakesEqual => {
                    format!(
                        "A unit that lands on an enemy's unit {word} it, unless that has more pieces: then both stay."
                    )
                }
                UnitMeeting::Shares => met(Meeting::Shares, "A unit", "an enemy's unit"),
                UnitMeeting::Barred => met(Meeting::Barred, "A unit", "an enemy's unit"),
            });
        }
        if sheet.seats.teams == Teams::Opposite {
            said.push("Partners never capture each other.".to_owned());
            said.push(match sheet.stacking.partner {
                WithPartner::Closed => {
                    "A square where enemies are captured is closed while a partner's piece is there.".to_owned()
                }
                WithPartner::Shares => "Pieces of partners stand together anywhere.".to_owned(),
            });
        }
        said
    }

    fn about_gate(&self) -> Vec<String> {
        let (rules, gate) = (&self.rules, &self.rules.sheet.gate);
        if !rules.has_gate() {
            return Vec::new();
        }
        let from = self.numbered(rules.gate);
        let owner = match gate.opened_by {
            OpenedBy::Team if rules.seating.has_teams => "it or its partner has captured a piece",
            OpenedBy::Own | OpenedBy::Team => "it has captured a piece",
        };
        let without = match gate.without {
            Without::Wait => "Before that no piece of the seat may go there.".to_owned(),
            Without::Lap if rules.longest > gate.lap => {
                format!("Before that its pieces go round again, by {} less as often as it takes.", gate.lap)
            }
            Without::Lap => format!("Before that its pieces go round again: their number becomes {} less.", gate.lap),
            Without::Open => "Before that its pieces may go there all the same.".to_owned(),
        };
        vec![format!("The course from {from} on opens to a seat once {owner}."), without]
    }

    fn about_finish(&self) -> Vec<String> {
        let (rules, finish) = (&self.rules, &self.rules.sheet.finish);
        if finish.fill {
            let filled = self.ranges(|place| place >= rules.finished_from).unwrap_or_default();
            return vec![
                format!("There is no finish: the last squares of the course, {filled}, are to be filled."),
                "They are reached by exact throws.".to_owned(),
            ];
        }
        let reached = match finish.overshoot {
            Overshoot::Illegal => "The finish is reached by an exact throw.",
            Overshoot::Wasted => "The finish is reached by any throw that is large enough; the rest is wasted.",
            Overshoot::Bounces => {
                "The finish is reached by an exact throw. By a larger one a piece goes back by the rest."
            }
        };
        let mut said = vec![format!("{reached} Any number of pieces can be there.")];
        if !finish.from_last.is_empty() {
            let one = rules.faces.iter().filter(|&&value| value == 1 && !finish.from_last.contains(&1));
            let values = any_in_order(&finish.from_last.iter().chain(one).copied().collect::<Vec<_>>());
            said.push(format!("From the square before it, {values} brings a piece there."));
        }
        if !finish.doublets.is_empty() {
            let numbers = any_in_order(&finish.doublets);
            said.push(format!("From {numbers} squares away it is reached only by a doublet of that number."));
            said.push("One of the two dice brings the piece in.".to_owned());
        }
        if rules.goal == rules.home {
            said.push(format!("A piece there ({}) has finished.", rules.sheet.words.home));
        } else {
            said.push(format!("A throw of {} bears a piece off from there.", any_of(&finish.bear_off)));
            said.push("Pieces are borne off only once all that are left are at the finish.".to_owned());
            said.extend(Some(self.words_of_turn().not_borne.to_owned()).filter(|text| !text.is_empty()));
            said.push(format!("A piece that was borne off ({}) has finished.", rules.sheet.words.borne));
        }
        said
    }

    fn about_end(&self) -> Vec<String> {
        let (rules, seats) = (&self.rules, &self.rules.sheet.seats);
        let (who, then) = match (seats.teams, seats.end) {
            (Teams::Opposite, _) => ("team", "the game ends"),
            (Teams::None, End::First) => ("seat", "the game ends"),
            (Teams::None, End::Placings) => ("seat", "with more than two the others play on for the places"),
        };
        let mut said = vec![format!("The first {who} whose pieces have all finished wins; {then}.")];
        if rules.waits_at_gate() {
            said.push("When no seat that has not finished can ever move again, the game ends.".to_owned());
            said.push("These seats share the places that are left.".to_owned());
        }
        let limit = counted(self.spec().turn_limit as usize, "turn");
        said.push(format!("After {limit} the game is truncated: no seat has won."));
        said.push("For that limit a further throw after a move counts as a turn.".to_owned());
        said
    }
}

/// A number of things: `1 piece`, `2 pieces`.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Values in words, ascending: `1, 3 or 6`.
fn any_in_order(values: &[u8]) -> String {
    let mut values = values.to_vec();
    values.sort_unstable();
    any_of(&values)
}

/// A sentence from its words.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}
