//! Differential testing of the engine against the oracles: random positions of random rulesets,
//! whole sets of afterstates compared as text.
//!
//! Half of the positions come from random play, half are random valid placings, which hit rare
//! constellations more often. `ASHTA_ORACLE_POSITIONS` sets the number of positions for each game
//! (by default 120, in `./test deep` 10,000; twice as many for the three games with the most house
//! rules).

use ashta_env::{
    chance::GameRng,
    game::{Game, Node},
    race::Race,
    ruleset::Ruleset,
    sheet::{Sheet, builtin},
};
use ashta_rule_tests::{amount, cases, engine, number, oracle, random};

fn positions() -> usize {
    number("ASHTA_ORACLE_POSITIONS", amount(120, 10_000))
}

/// The most throws of a series that the oracle can take: it tries every allotment, in every order.
fn longest(race: &Race) -> usize {
    match race.ruleset().pieces() {
        1 => 12,
        2 => 6,
        _ => 4,
    }
}

/// A series or the dice; `None` for a series that the oracle takes too long for.
fn draw(race: &Race, position: &str, rng: &mut GameRng) -> Option<Vec<u8>> {
    Some(engine::draw(race, position, rng)).filter(|values| values.len() <= longest(race))
}

fn check(race: &Race, position: &str, rng: &mut GameRng) -> bool {
    let Some(throws) = draw(race, position, rng) else {
        return false;
    };
    let expected = oracle::turns(&race.ruleset().base().text(), position, &throws);
    let found = engine::turns(race, position, &throws);
    assert!(
        expected.is_ok(),
        "{position} {throws:?}: oracle says {expected:?}"
    );
    assert_eq!(
        found, expected,
        "{position} with {throws:?}: engine left, oracle right"
    );
    let mut state = race.parse_state(position).expect("a valid position");
    race.throw(&mut state, &throws).expect("a throw");
    while let Node::Decision(_) = race.node(&state) {
        let (text, before) = (race.print(&state), state);
        assert_eq!(
            race.parse_state(&text),
            Ok(state),
            "{text}\n{}",
            race.ruleset().base().text()
        );
        let action = random::action(race, &state, rng);
        race.apply_action(&mut state, action);
        assert_ne!(state, before, "{text}: action {} changes nothing", action.0);
    }
    true
}

fn lock_step(game: &str, positions: usize, stream: u64) {
    let (mut cases, mut checked) = (cases(0x0AC1E + stream), 0);
    while checked < positions {
        let mut rng = cases.next().expect("cases never end");
        let race = Race::new(random::ruleset(game, &mut rng));
        for position in random::played(&race, 12, &mut rng) {
            checked += usize::from(check(&race, &position, &mut rng));
        }
        for _ in 0..12 {
            let position = random::placed(&race, &mut rng);
            checked += usize::from(check(&race, &position, &mut rng));
        }
    }
}

/// Random sheets of games that use throws one by one.
#[test]
fn random_sheets() {
    let (mut cases, mut checked) = (cases(0x0AC1E + 6), 0);
    while checked < positions() {
        let mut rng = cases.next().expect("cases never end");
        let sheet = random::sheets::one_throw(&mut rng);
        let race = Race::new(random::sheets::ruleset(&sheet, &mut rng));
        let placed: Vec<String> = (0..6).map(|_| random::placed(&race, &mut rng)).collect();
        for position in random::played(&race, 6, &mut rng).iter().chain(&placed) {
            checked += usize::from(check(&race, position, &mut rng));
        }
    }
}

#[test]
fn ashtapada() {
    lock_step("ashtapada", positions(), 0);
}

#[test]
fn ashte_kashte() {
    lock_step("ashte-kashte", positions(), 1);
}

#[test]
fn pagade() {
    lock_step("pagade", positions(), 2);
}

/// Half of the sheets, so that two tests share the work.
fn lock_step_by_sheet(half: usize) {
    for (stream, game) in (16..).zip(builtin::names()).skip(half).step_by(2) {
        lock_step(game, positions(), stream);
    }
}

#[test]
fn every_other_sheet() {
    lock_step_by_sheet(0);
}

#[test]
fn the_sheets_in_between() {
    lock_step_by_sheet(1);
}

#[test]
fn sheets_by_default_get_their_share() {
    let mut cases = cases(0x0AC1E + 4);
    for game in builtin::names() {
        for seats in 2..=4 {
            let Ok(ruleset) = Ruleset::seated(game, Some(seats)) else {
                continue;
            };
            let (race, mut rng) = (Race::new(ruleset), cases.next().expect("cases never end"));
            for _ in 0..positions() / 10 {
                let position = random::placed(&race, &mut rng);
                check(&race, &position, &mut rng);
            }
        }
    }
}

#[test]
fn pieces_that_cannot_stand_together_do_not_begin_together() {
    let pagade = builtin::named("pagade").expect("a built-in game").text();
    // South's 29 is East's 12, and East does not play against South alone.
    let read = |setup: &str, allowed: &str| {
        let text = pagade
            .replace("[6, 7, 12, 12]", setup)
            .replace("allowed = [\"SN\", \"SENW\"]\n", allowed);
        let text = if allowed.ends_with("# ") {
            text.replace("end = \"placings\"\n", "")
        } else {
            text
        };
        Sheet::read(text.split("[flags").next().expect("a sheet"), "pagade.toml")
            .map_err(|error| error.to_string())
    };
    let met = read("[6, 12, 12, 29]", "allowed = [\"SN\", \"SENW\"]\n").expect_err("they meet");
    assert!(
        met.contains("pieces.setup: pieces of two seats begin on one square"),
        "{met}"
    );
    // Two seats have no order and no placings.
    let alone = "allowed = [\"SN\"]\n# ";
    assert_eq!(read("[6, 12, 12, 29]", alone).err(), None);
    assert!(read("[6, 12, 12, 30]", "allowed = [\"SN\", \"SENW\"]\n").is_ok());
}
