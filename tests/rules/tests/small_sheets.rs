//! Worked examples of small sheets: the results of a turn, and its words.

use std::{collections::BTreeSet, sync::Arc};

use ashta_env::{
    chance,
    game::{Game, Seat, SeatSet},
    race::Race,
    ruleset::Ruleset,
    sheet::{FirstWhile, Sheet},
};
use ashta_rule_tests::{amount, cases, changes::split, engine, number, oracle, random};

use super::sheet_keys::{base_with, read};

const WAITING: &str = "throws.values = [1, 2, 3]; entry.first = [1, 4]; entry.next = [1, 4]";
const THREE: &str = "pieces.count = 3; pieces.allowed = [3]";
const CLEAR: &str = "entry.clear = true; unit.kind = 'together'; board.marks = []";
const BONUS: &str = "turn.again = []; turn.bonus = [3]; turn.bonus_order = 'any'; pieces.count = 1; pieces.allowed = [1]";

/// The kind of turn, changes of its base sheet, North's pieces, the throws, and North's pieces
/// after each turn.
type Example = (
    char,
    [&'static str; 2],
    &'static str,
    &'static [u8],
    &'static [&'static str],
);

const EXAMPLES: &[Example] = &[
    // Waiting pieces that cannot enter do not hold up other pieces.
    ('D', [WAITING, ""], "off,5", &[2, 3], &["off,10"]),
    ('D', [WAITING, ""], "off,5", &[1, 3], &["1,8", "4,5"]),
    ('D', [WAITING, ""], "off,5", &[2, 2], &["4,5"]),
    // One of two waiting pieces enters with the sum, unless each can enter with one die.
    ('D', [WAITING, ""], "off,off", &[2, 2], &["off,4"]),
    ('D', [WAITING, ""], "off,off", &[1, 3], &["off,4"]),
    ('D', [WAITING, ""], "off,off", &[1, 1], &["1,1"]),
    ('D', [WAITING, ""], "off,off", &[2, 3], &["off,off"]),
    (
        'D',
        [WAITING, THREE],
        "off,5,5",
        &[3, 3],
        &["off,5,11", "off,8,8"],
    ),
    ('D', [WAITING, THREE], "off,5,5", &[2, 2], &["4,5,5"]),
    // A unit clears the square of entry, too.
    (
        'T',
        [CLEAR, THREE],
        "off,0,0",
        &[1],
        &["off,0,1", "off,1,1"],
    ),
    (
        'T',
        [
            CLEAR,
            "unit.split = false; pieces.count = 3; pieces.allowed = [3]",
        ],
        "off,0,0",
        &[1],
        &["off,1,1"],
    ),
    (
        'T',
        [
            CLEAR,
            "unit.split = false; pieces.count = 3; pieces.allowed = [3]",
        ],
        "0,0,0",
        &[1],
        &["0,0,1", "0,1,1"],
    ),
    // The throw or the step, if the other part cannot follow.
    ('T', [BONUS, ""], "21", &[3], &["22", "home"]),
    ('T', [BONUS, ""], "20", &[3], &["home"]),
    (
        'T',
        [BONUS, "finish.overshoot = 'bounces'"],
        "21",
        &[3],
        &["23"],
    ),
];

fn sheet(kind: char, changes: &str) -> Result<Arc<Sheet>, String> {
    read(&base_with(
        kind,
        &split(&format!("{changes}; seats.allowed = ['SN']")),
    ))
}

fn race(sheet: &Arc<Sheet>) -> Race {
    let seats = SeatSet::from_letters("SN").expect("seats");
    Race::new(Ruleset::of(Arc::clone(sheet), seats, []).expect("a ruleset"))
}

/// A position in which South's pieces wait and North throws.
fn position(race: &Race, north: &str) -> String {
    let south = vec!["off"; race.pieces()].join(",");
    format!("{} S:{south}/N:{north} N *", race.ruleset().game_text())
}

#[test]
fn turns_of_small_sheets_have_these_results() {
    for &(kind, changes, north, throws, results) in EXAMPLES {
        let changes = changes.join("; ");
        let sheet = sheet(kind, &changes).unwrap_or_else(|error| panic!("{changes}: {error}"));
        let (race, expected) = (
            race(&sheet),
            results.iter().map(|&pieces| pieces.to_owned()).collect(),
        );
        let position = position(&race, north);
        for turns in [
            engine::turns(&race, &position, throws),
            oracle::turns(&sheet.text(), &position, throws),
        ] {
            let own = |text: String| {
                text.split_once("/N:")
                    .and_then(|(_, own)| own.split(' ').next())
                    .map(str::to_owned)
            };
            let turns: BTreeSet<String> =
                turns.expect("a turn").into_iter().filter_map(own).collect();
            assert_eq!(turns, expected, "{changes}: {north} with {throws:?}");
        }
    }
}

#[test]
fn pieces_that_wait_say_for_which_throws() {
    for (changes, north, throws, reason) in [
        (
            WAITING,
            "off,off",
            [2, 3],
            "it waits for a throw of 1 or 2,2",
        ),
        (WAITING, "off,5", [2, 3], "it waits for a throw of 1 or 2,2"),
        (
            "entry.first = [3]; entry.next = [3]",
            "off,off",
            [6, 6],
            "it waits for a throw of 3",
        ),
    ] {
        let race = race(&sheet('D', changes).expect("a sheet"));
        let mut state = race
            .parse_state(&position(&race, north))
            .expect("a position");
        race.throw(&mut state, &throws).expect("two dice");
        assert_eq!(
            race.reasons(&state)
                .first()
                .map(|(_, reason)| reason.as_str()),
            Some(reason),
            "{changes}: {north}"
        );
    }
}

/// Sheets in which no turn takes the last piece of a seat to the end of its course, and the key of
/// the problem.
#[test]
fn sheets_whose_last_piece_cannot_finish_are_refused() {
    let lost = "turn.most_throws = 1; turn.last_throw = 'lost'";
    for (kind, changes, key) in [
        (
            'E',
            "finish.bear_off = [1]; entry.first = [3]; entry.lost_before = 'off-course'".to_owned(),
            "finish.bear_off",
        ),
        (
            'E',
            "finish.bear_off = [1]; entry.first = [2, 3]; entry.lost_before = 'off-course'".to_owned(),
            "finish.bear_off",
        ),
        // Every throw is lost, or every throw that lets a piece enter.
        ('T', format!("{lost}; turn.again = [8, 1, 2, 3, 4]"), "entry.first"),
        ('T', format!("{lost}; turn.again = [1]; entry.first = [1]; entry.next = [1]"), "entry.first"),
        ('T', format!("{lost}; turn.again = [1]; turn.bonus = [1]; entry.by_bonus = true"), "entry.first"),
        // Only a unit moves by an odd number.
        (
            'T',
            "throws.values = [2, 4]; turn.again = []; unit.kind = 'together'; unit.speed = 'half'".to_owned(),
            "throws.values",
        ),
        // No piece is on the course when the last piece waits.
        (
            'T',
            "throws.values = [1, 2, 26]; turn.again = []; entry.at = 'count'; entry.first = [26]".to_owned(),
            "entry.first",
        ),
        // The squares that must be filled are odd and even.
        (
            'T',
            "throws.values = [2, 4]; turn.again = []; board.marks = []; finish.fill = true; stacking.private = 'one'; \
             board.side = 7; board.course = 'D1 E3 N6 W6 S6 E2 NE1 N1'; stacking.plain = 'one'; \
             pieces.allowed = [2]"
                .to_owned(),
            "finish.fill",
        ),
    ] {
        let error = sheet(kind, &changes).err().unwrap_or_default();
        assert!(error.contains(&format!("{key}: no throws lead")), "{changes}: {error}");
    }
    // A 1 that continues the series keeps the later throws.
    for changes in [
        "finish.bear_off = [1]; entry.first = [1]; entry.lost_before = 'off-course'",
        "finish.bear_off = [2]; entry.first = [8, 3]; entry.lost_before = 'off-course'",
        "finish.bear_off = [1]; entry.first = [3]; entry.lost_before = 'off-board'",
    ] {
        sheet('E', changes).unwrap_or_else(|error| panic!("{changes}: {error}"));
    }
}

/// Random sheets begin in valid positions, and the last piece of a seat finishes.
#[test]
fn random_sheets_begin_and_end() {
    for mut rng in cases(0xE7D).take(number("ASHTA_ENDINGS", amount(60, 2_000))) {
        let sheet = random::sheets::one_throw(&mut rng);
        for (letters, pieces) in sheet
            .seats
            .allowed
            .iter()
            .flat_map(|set| sheet.pieces.allowed.iter().map(move |count| (set, count)))
        {
            let seats = SeatSet::from_letters(letters).expect("seats");
            let ruleset = Ruleset::of(
                Arc::clone(&sheet),
                seats,
                [("pieces", pieces.to_string().as_str())],
            );
            let race = Race::new(ruleset.expect("a ruleset"));
            for first in seats.iter() {
                let start = race.initial_state(first);
                assert_eq!(
                    race.parse_state(&race.print(&start)),
                    Ok(start),
                    "{}",
                    sheet.text()
                );
            }
            let finishes = !letters.starts_with('S') || last_piece_finishes(&race, &mut rng);
            assert!(finishes, "{letters} {pieces}\n{}", sheet.text());
        }
    }
}

/// Whether the last piece of South finishes in random turns, while the pieces of other seats wait.
fn last_piece_finishes(race: &Race, rng: &mut chance::GameRng) -> bool {
    let sheet = race.ruleset().sheet();
    let start = race.print(&race.initial_state(Seat::SOUTH));
    let own = start
        .split(' ')
        .nth(1)
        .and_then(|seats| seats.split('/').next())
        .expect("a seat");
    let home = race.place_text(race.last_place() - u8::from(race.bears_off()));
    let first = own[2..].split(',').next().expect("a piece");
    let pieces = [vec![first; 1], vec![&*home; race.pieces() - 1]]
        .concat()
        .join(",");
    let mark = if sheet.gate.at > 0 || sheet.entry.first_while == FirstWhile::Never {
        "+"
    } else {
        ""
    };
    let game = race.ruleset().game_text();
    let waiting = vec![race.place_text(race.waiting_place()); race.pieces()].join(",");
    let others = race
        .spec()
        .seats
        .iter()
        .skip(1)
        .map(|seat| format!("/{seat}{mark}:{waiting}"));
    let mut seats = format!("S{mark}:{pieces}{}", others.collect::<String>());
    let all_home = format!(":{}", vec![&*home; race.pieces()].join(","));
    for _ in 0..20_000 {
        let position = format!("{game} {seats} S *");
        // The seat has finished (in a team, it then throws for its partner), or the game is over.
        // Squares that must be filled have examples above.
        let is_home = seats
            .split('/')
            .next()
            .is_some_and(|own| own.ends_with(&all_home));
        if is_home || race.parse_state(&position).is_err() {
            return true;
        }
        let throws = engine::draw(race, &position, rng);
        let turns: Vec<String> = engine::turns(race, &position, &throws)
            .expect("a turn")
            .into_iter()
            .collect();
        turns[chance::below(turns.len(), rng)]
            .split(' ')
            .nth(1)
            .expect("seats")
            .clone_into(&mut seats);
    }
    false
}

/// A seat whose pieces are all at the finish can still bear them off.
#[test]
fn a_game_is_not_over_while_a_seat_can_bear_off() {
    let sheet = sheet(
        'E',
        "gate.at = 20; finish.bear_off = [1]; pieces.count = 2; pieces.allowed = [2]",
    )
    .expect("a sheet");
    let race = race(&sheet);
    for (south, end) in [("S+:home,home", "S *"), ("S:19,19", "- -")] {
        let position = format!("{} {south}/N:19,19 N *", race.ruleset().game_text());
        let expected = BTreeSet::from([position.replace("N *", end)]);
        for turns in [
            engine::turns(&race, &position, &[3]),
            oracle::turns(&sheet.text(), &position, &[3]),
        ] {
            assert_eq!(turns.as_ref(), Ok(&expected), "{position}");
        }
    }
}
