//! The rules of a game in sentences, made from the compiled tables and the values of the sheet. A reader can compare
//! them with the `rules` of the sheet, which the program does not interpret.

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
    /// The rules as the program understands them, by topic.
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
        let topics = topics.into_iter().filter(|(_, sentences)| !sentences.is_empty());
        topics.map(|(topic, sentences)| RuleTopic { topic, sentences }).collect()
    }

    fn words_of_turn(&self) -> TurnWords {
        self.turns.notation().words()
    }

    /// The number of a place on South's course and the name of its square: `16 (B1)`.
    fn numbered(&self, place: u8) -> String {
        format!("{} ({})", self.place_text(place), self.board().course(Seat::SOUTH)[usize::from(place) - 1])
    }

    /// The numbers of the places before the finish for which `holds` is true: `1 to 7, 77`.
    pub(super) fn ranges(&self, holds: impl Fn(u8) -> bool) -> Option<String> {
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
        let mut sentences = vec![format!("These seats can play: {}.", any_of(&seats.allowed)), order.to_owned()];
        match seats.teams {
            Teams::None => sentences.push("Each seat plays for itself.".to_owned()),
            Teams::Opposite => {
                let players = if seats.one_mind { "One player plays both." } else { "Each has its own player." };
                let finished = match seats.finished_partner {
                    FinishedPartner::Donates => "A seat whose pieces have finished throws for its partner's pieces.",
                    FinishedPartner::Skips => "The turns of a seat whose pieces have finished are skipped.",
                };
                let teams = "If four seats play, opposite seats are partners: South and North, East and West.";
                sentences.extend([teams, players, finished].map(str::to_owned));
            }
        }
        sentences
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
        let given = board.courses.iter().map(|(seat, course)| format!("The course of {seat} is `{course}`."));
        let mut sentences = vec![
            format!("South's course goes in straight lines over {corners}."),
            format!("It has {} steps and ends at the finish ({}).", course.len() - 1, words.finish),
            others.to_owned(),
            format!("Squares are numbered along the course of each seat, from {} on.", self.place_text(1)),
        ];
        let comes_again = |place: &u8| course[..usize::from(*place) - 1].contains(&course[usize::from(*place) - 1]);
        let again: Vec<String> = (1..self.rules.home).filter(comes_again).map(|place| self.numbered(place)).collect();
        if !again.is_empty() {
            sentences.push(format!("The course visits these squares for the second time: {}.", again.join(", ")));
        }
        sentences.extend(given);
        for kind in board.mark_kinds() {
            let marks = self.squares().filter(|&(_, ground)| ground == Ground::Marked);
            let marks = marks.map(|(square, _)| square.to_string()).filter(|name| kind.squares.contains(name));
            let marks: Vec<String> = marks.collect();
            if marks.is_empty() {
                continue;
            }
            sentences.push(format!("Marked squares ({}): {}.", words.mark, marks.join(", ")));
            let rule = match kind.rule {
                MarkRule::Share => "Pieces of all seats can be there together.",
                MarkRule::Block => "A piece cannot land there while an enemy is there.",
                MarkRule::Closed => "Only one piece of any seat can be there, and a unit cannot land there.",
                MarkRule::Plain => "The rules of plain squares apply there.",
            };
            sentences.push(rule.to_owned());
            sentences.extend(kind.again.then(|| "A piece that lands there gets one more throw.".to_owned()));
        }
        let is_met = |place: u8| self.rules.cells[0][usize::from(place)] != 0;
        let is_private = |place: u8| is_met(place) && (self.rules.contested | self.rules.marked) >> place & 1 == 0;
        if let Some(private) = self.ranges(is_private) {
            sentences.push(format!("Private squares ({}) of this seat only: {private}.", words.private));
        }
        if !is_met(1) {
            sentences
                .push("On the first square of its course a seat's pieces meet no piece of another seat.".to_owned());
        }
        sentences
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
            Returns::START => "A captured piece returns to the first square of its course.".to_owned(),
            Returns::Square(_) => format!("A captured piece returns to {}.", self.numbered(self.rules.sent_to())),
        };
        let allowed = any_of(&pieces.allowed);
        let count = format!("Each seat has {}; it can have {allowed}.", counted(self.pieces(), "piece"));
        vec![count, begin, returns]
    }

    fn about_throws(&self) -> Vec<String> {
        let dice = self.rules.values_of_throw();
        let thrown = match self.rules.sheet.throws.dice {
            1 => "A throw is one number.".to_owned(),
            count => format!("{count} dice are thrown at once. Each die has these probabilities."),
        };
        // The weight of a value of one die is the square root of the weight of its doublet.
        let outcomes = self.rules.outcomes.iter().filter(|throw| dice == 1 || throw.values[0] == throw.values[1]);
        let weight = |weight: u32| if dice == 1 { weight } else { weight.isqrt() };
        let weights: Vec<(u8, u32)> = outcomes.map(|throw| (throw.values[0], weight(throw.weight))).collect();
        let all: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let chance = |&(value, weight): &(u8, u32)| {
            format!("{value} has the probability {weight}/{all} ({:.1} %)", 100.0 * f64::from(weight) / f64::from(all))
        };
        let mut sentences = vec![thrown, format!("{}.", joined(weights.iter().map(chance), "; "))];
        sentences.extend(weights.iter().any(|&(value, _)| value == 0).then(|| "A 0 moves nothing.".to_owned()));
        sentences
    }

    fn about_turn(&self) -> Vec<String> {
        let (turn, words) = (&self.rules.sheet.turn, self.words_of_turn());
        let mut sentences: Vec<String> = words.turn.iter().map(|&text| text.to_owned()).collect();
        let mut add = |is_added: bool, text: String| sentences.extend(is_added.then_some(text));
        let one = words.used[0];
        let granted = if turn.stop.is_empty() { "throw" } else { "series" };
        add(!turn.stop.is_empty(), format!("A series ends with {}.", any_in_order(&turn.stop)));
        add(!turn.stop.is_empty(), format!("It has at most {} throws before this last throw.", Series::LIMIT));
        let must = match turn.must {
            Must::Most => format!("As many {} as possible must be used.", words.used[1]),
            Must::Greedy => {
                format!("{} may be used in any order, until no more of them can be used.", capital(words.used[1]))
            }
            Must::One => format!("A {one} must be used if any piece can use it."),
            Must::NoMerge => format!("A {one} must be used, unless each move by it would lead onto an own piece."),
            Must::Optional => format!("No {one} has to be used."),
        };
        add(true, must);
        add(true, format!("Unused {} are lost.", words.used[1]));
        let unused = if turn.again_unused { "also where it could not be used" } else { "if it could be used" };
        add(!turn.again.is_empty(), format!("{} grants one more throw, {unused}.", any_in_order(&turn.again)));
        add(turn.again_on_finish, "A piece that reaches the finish grants one more throw.".to_owned());
        add(turn.again_on_doublet, format!("A doublet grants one more {granted}."));
        add(turn.again_on_capture, format!("Captures grant one more {granted}, whatever their number."));
        let grants = !turn.again.is_empty()
            || [turn.again_on_doublet, turn.again_on_capture, turn.again_on_finish].contains(&true)
            || self.rules.lands_again != 0;
        add(!grants, format!("Nothing grants one more {granted}."));
        if let Some(most) = turn.throw_limit() {
            let (most, is_lost) = (counted(most.into(), "throw"), turn.last_throw == LastThrow::Lost);
            add(!is_lost, format!("A turn has at most {most}; the last grants no further throw."));
            add(is_lost, format!("If {most} in a row grant a throw, the last is lost and ends the turn."));
            add(is_lost, "A throw that is granted for another reason restarts the count.".to_owned());
        }
        let (when, how) = match turn.bonus_order {
            BonusOrder::After => ("After", "by any piece"),
            BonusOrder::Any => ("With", "before or after the throw, both if possible, by any piece"),
        };
        let how = if self.rules.sheet.entry.by_bonus { format!("{how}.") } else { format!("{how} on the board.") };
        let bonus = any_in_order(&turn.bonus);
        add(!turn.bonus.is_empty(), format!("{when} {bonus} an extra step of 1 is played {how}"));
        let divides = turn.divide == Divide::Finish;
        add(divides, "A throw may be divided between two pieces on the board, at least 1 for each.".to_owned());
        add(divides, "One of the two must reach the finish with its part.".to_owned());
        sentences
    }

    fn about_entry(&self) -> Vec<String> {
        let (rules, entry, words) = (&self.rules, &self.rules.sheet.entry, self.words_of_turn());
        if rules.setup().first() != Some(&0) && rules.sent_to() != 0 {
            return vec!["All pieces begin on the board and return to it.".to_owned()];
        }
        let by = |is_under_way: usize| {
            if entry.by_bonus {
                return "only the extra step".to_owned();
            }
            // A piece that enters by count can use the sum of two dice.
            let all = match rules.enters_by_count() {
                true => rules.outcomes.iter().fold(0, |all, throw| all | throw.steps) & !1,
                false => rules.faces.iter().fold(0, |all, value| all | 1 << value),
            };
            match (rules.entering_steps(is_under_way, all), words.entering) {
                (0, _) => "nothing".to_owned(),
                (values, [any, _]) if values == all => any.to_owned(),
                (values, [_, of]) => format!("{of} {}", any_of(&Vec::from_iter(places_of(values)))),
            }
        };
        let mut sentences = vec![format!("{} lets a waiting piece enter.", capital(&by(0)))];
        if by(0) != by(1) {
            let (first, then) = match entry.first_while {
                FirstWhile::Empty => ("while no own piece is on the course", "Otherwise"),
                FirstWhile::Never => ("for the first piece of a seat, once in the game", "Later"),
            };
            sentences.push(format!("This applies {first}. {then} {} does.", by(1)));
        }
        if rules.enters_by_count() {
            sentences.push("It enters on the square with the thrown number.".to_owned());
            let example = rules.faces.iter().find(|&&value| rules.entry + value < rules.home);
            sentences.extend(example.map(|value| {
                let square = self.board().course(Seat::SOUTH)[usize::from(rules.entry + value) - 1];
                format!("South's pieces enter with {value} on {square}.")
            }));
        } else {
            let first = if rules.entry == 1 { "the first square, " } else { "" };
            sentences.push(format!("It enters on {first}{}.", self.numbered(rules.entry)));
        }
        let mut add = |is_added: bool, text: &str| sentences.extend(is_added.then(|| text.to_owned()));
        add(entry.compulsory, "A waiting piece that can enter must enter before other pieces move.");
        add(entry.by_bonus, "While a piece waits, only a waiting piece can use the extra step.");
        add(entry.clear, "While a piece waits, an own piece on that square must move first, if it can.");
        add(entry.spends, "The value that lets a piece enter is used up.");
        add(
            !entry.spends,
            "Entering does not use up the throw: after it any piece on the board may also play its number.",
        );
        add(!entry.spends, "Either part may be left out.");
        let (board, course) = match entry.lost_before {
            LostBefore::Never => return sentences,
            LostBefore::OffBoard => ("board", "A piece at the finish is on the board; one that was borne off is not."),
            LostBefore::OffCourse => ("course", "A piece at the finish is not on the course."),
        };
        sentences.push(format!("While no own piece is on the {board}, throws before the first entry are lost."));
        sentences.push(course.to_owned());
        sentences
    }

    fn about_stacking(&self) -> Vec<String> {
        let most = self.pieces() as u8;
        let about = |count: u8| {
            let numbers = self.ranges(|place| self.rules.room[usize::from(place)] == count)?;
            Some(match count {
                0 => format!("No piece ever reaches {numbers}."),
                _ if count == most => format!("Any number of own pieces can be on each of {numbers}."),
                1 => format!("Only one own piece can be on each of {numbers}."),
                _ => format!("At most {count} own pieces can be on each of {numbers}."),
            })
        };
        let mut sentences: Vec<String> = (1..=most).chain([0]).filter_map(about).collect();
        let passing = match self.rules.impassable {
            [0, 0] => "Everything can be passed.",
            [0, _] => "A piece may not pass a square with two pieces of one enemy.",
            _ => "A piece that moves alone may not pass a square with two pieces of one seat.",
        };
        sentences.push(passing.to_owned());
        if self.rules.sheet.stacking.block != Block::None {
            sentences.push("A piece cannot land on a square with two pieces of one enemy.".to_owned());
        }
        sentences
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
            Speed::Half => "A unit moves by half of each throw, rounded down. It cannot use a 1.",
            Speed::HalfSpent => words.half_spent,
            Speed::HalfEven => "A unit moves by half of an even throw. It cannot use an odd throw.",
            Speed::Double => words.double,
        };
        let split = if unit.split { "One of the two may leave alone." } else { "Neither of the two may leave alone." };
        let what = format!("Two own pieces {what} a unit ({word}), which may move as one.");
        let mut sentences = vec![what, speed.to_owned(), split.to_owned()];
        if unit.kind == UnitKind::Together && unit.area == Area::Any && self.rules.cells[0][1] == 0 {
            sentences.push("Pieces on the first square of their course are not a unit.".to_owned());
        }
        sentences.extend(words.shared.map(str::to_owned));
        if !unit.three.is_empty() {
            let three = any_in_order(&unit.three);
            sentences.push(format!("Three pieces on one square may also move together, with three dice of {three}."));
        }
        sentences
    }

    fn about_captures(&self) -> Vec<String> {
        let (rules, sheet) = (&self.rules, &self.rules.sheet);
        let is_contested = |place: u8| rules.contested >> place & 1 == 1 && rules.room[usize::from(place)] > 0;
        let Some(contested) = self.ranges(is_contested) else {
            return vec!["Nothing is ever captured.".to_owned()];
        };
        let word = &sheet.words.captures;
        let mut sentences = vec![
            format!("Pieces are captured only on {contested}."),
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
            sentences.push(met(sheet.capture.single_on_unit, "A single piece", "an enemy's unit"));
            sentences.push(met(sheet.capture.unit_on_single.into(), "A unit", "an enemy's single piece"));
            sentences.push(match sheet.capture.unit_on_unit {
                UnitMeeting::Takes => met(Meeting::Takes, "A unit", "an enemy's unit"),
                UnitMeeting::TakesEqual => {
                    format!(
                        "A unit that lands on an enemy's unit {word} it, unless it is the smaller unit: then both stay."
                    )
                }
                UnitMeeting::Shares => met(Meeting::Shares, "A unit", "an enemy's unit"),
                UnitMeeting::Barred => met(Meeting::Barred, "A unit", "an enemy's unit"),
            });
        }
        if sheet.seats.teams == Teams::Opposite {
            sentences.push("Partners never capture each other.".to_owned());
            sentences.push(match sheet.stacking.partner {
                WithPartner::Closed => {
                    "A square where pieces are captured is closed while a piece of the partner is there.".to_owned()
                }
                WithPartner::Shares => "Pieces of partners can be together on any square.".to_owned(),
            });
        }
        sentences
    }

    fn about_gate(&self) -> Vec<String> {
        let (rules, gate, lap) = (&self.rules, &self.rules.sheet.gate, self.rules.sheet.gate.lap);
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
            Without::Lap if rules.longest > lap => {
                format!("Before that its pieces go round again: their number is reduced by {lap} as often as needed.")
            }
            Without::Lap => format!("Before that its pieces go round again: their number is reduced by {lap}."),
            Without::Open => "Before that its pieces may go there, too.".to_owned(),
        };
        vec![format!("The course from {from} on opens to a seat once {owner}."), without]
    }

    fn about_finish(&self) -> Vec<String> {
        let (rules, finish) = (&self.rules, &self.rules.sheet.finish);
        if finish.fill {
            let filled = self.ranges(|place| place >= rules.finished_from).unwrap_or_default();
            return vec![
                format!("There is no finish: the last squares of the course, {filled}, must be filled."),
                "They are reached by exact throws.".to_owned(),
            ];
        }
        let reached = match finish.overshoot {
            Overshoot::Illegal => "The finish is reached by an exact throw.",
            Overshoot::Wasted => "The finish is reached by any throw that is large enough; the rest is lost.",
            Overshoot::Bounces => {
                "The finish is reached by an exact throw. With a larger throw a piece goes back by the rest."
            }
        };
        let mut sentences = vec![format!("{reached} Any number of pieces can be there.")];
        if !finish.from_last.is_empty() {
            let one = rules.faces.iter().filter(|&&value| value == 1 && !finish.from_last.contains(&1));
            let values = any_in_order(&finish.from_last.iter().chain(one).copied().collect::<Vec<_>>());
            sentences.push(format!("From the square before it, {values} moves a piece there."));
        }
        if !finish.doublets.is_empty() {
            let numbers = any_in_order(&finish.doublets);
            let squares = if finish.doublets == [1] { "square" } else { "squares" };
            sentences.push(format!(
                "A piece that is {numbers} {squares} away from the finish reaches it only by a doublet of that number."
            ));
            sentences.push("The piece uses one of the two dice.".to_owned());
        }
        if rules.goal == rules.home {
            sentences.push(format!("A piece there ({}) has finished.", rules.sheet.words.home));
        } else {
            sentences.push(format!("A throw of {} bears a piece off from there.", any_of(&finish.bear_off)));
            sentences.push("Pieces are borne off only when all remaining pieces are at the finish.".to_owned());
            sentences.extend(Some(self.words_of_turn().not_borne.to_owned()).filter(|text| !text.is_empty()));
            sentences.push(format!("A piece that was borne off ({}) has finished.", rules.sheet.words.borne));
        }
        sentences
    }

    fn about_end(&self) -> Vec<String> {
        let (rules, seats) = (&self.rules, &self.rules.sheet.seats);
        let (who, then) = match (seats.teams, seats.end) {
            (Teams::Opposite, _) => ("team", "the game ends"),
            (Teams::None, End::First) => ("seat", "the game ends"),
            (Teams::None, End::Placings) => ("seat", "with more than two seats, the others play for the next ranks"),
        };
        let mut sentences = vec![format!("The first {who} whose pieces have all finished wins; {then}.")];
        if rules.waits_at_gate() {
            sentences.push("When no seat that has not finished can ever move again, the game ends.".to_owned());
            sentences.push("These seats share the remaining ranks.".to_owned());
        }
        let limit = counted(self.spec().turn_limit as usize, "turn");
        sentences.push(format!("After {limit} the game is truncated: no seat has won."));
        sentences.push("A further throw after a move counts as a turn for this limit.".to_owned());
        sentences
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

/// The text with a capital first letter.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}
