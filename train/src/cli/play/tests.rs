//! Plays sessions from scripts.

use super::*;
use crate::run::games;
use ashta_env::ruleset::Ruleset;

/// The output for a person who types `input`.
fn played(game: &str, seats: usize, person: Seat, agent: &str, seed: u64, input: &str) -> String {
    let seats = Ruleset::default_seats(seats).expect("a number of seats");
    let race = Race::new(Ruleset::parse(game, seats).expect("a game"));
    run(&race, None, person, agent, seed, input, false).0
}

/// The output for a person who continues from `position`, and the record.
fn resumed(position: &str, input: &str) -> (String, Vec<String>) {
    let (race, state) = Race::parse_position(position).expect("a position");
    run(&race, Some(state), Seat::SOUTH, "greedy", 1, input, false)
}

fn run(
    race: &Race,
    position: Option<State>,
    person: Seat,
    agent: &str,
    seed: u64,
    input: &str,
    shows_chances: bool,
) -> (String, Vec<String>) {
    let agent = games::player(&games::agent(agent).expect("an agent"), race).expect("any game");
    let table = PlayTable {
        race,
        persons: SeatSet::of(&[person]),
        agent: agent.agent(),
        evaluator: agent.evaluator(),
        agent_name: agent.named_agent().to_string(),
        seed,
        position,
        shows_chances,
        record: None,
    };
    let mut output = Vec::new();
    let mut session = Session::new(table, input.as_bytes(), &mut output);
    session.play().expect("memory can be read and written");
    let record = session.record();
    (String::from_utf8(output).expect("text"), record)
}

fn ones() -> String {
    "1\n".repeat(20_000)
}

#[test]
fn whole_games_are_played() {
    for (game, seats, person, agent) in [
        ("ashtapada", 2, Seat::SOUTH, "greedy"),
        ("ashtapada", 3, Seat::EAST, "random"),
        ("ashtapada?pieces=4", 4, Seat::WEST, "hunter"),
        ("ashte-kashte", 2, Seat::NORTH, "greedy"),
        ("ashte-kashte", 4, Seat::SOUTH, "runner"),
        ("pagade?no_cut=lap", 2, Seat::SOUTH, "greedy"),
        ("pagade", 4, Seat::EAST, "runner"),
        ("pagade?teams=true&no_cut=lap", 4, Seat::NORTH, "runner"),
    ] {
        let text = played(game, seats, person, agent, 5, &ones());
        let end = text.lines().last().expect("an end");
        let place = format!("{person} (you)");
        assert!(
            end.contains("win") || end.contains(&place),
            "{game} {seats}: {end}"
        );
        assert!(
            text.lines().all(|line| !line.contains("not an answer")),
            "{game} {seats}"
        );
    }
}

#[test]
fn finished_partners_move_for_each_other() {
    let text = resumed(
        "pagade?teams=true S+:home,home,home,home/E:6,7,12,12/N+:70,75,home,home/W:6,7,12,12 S *",
        "q\n",
    )
    .0;
    assert!(text.contains(" for N"), "{text}");
}

const DECISION: &str = "ashtapada S:5,30/N:off,23 S 4,2";

#[test]
fn a_choice_is_printed_and_made() {
    let (text, record) = resumed(DECISION, "1\n");
    assert!(text.contains("You throw 4, 2:\n  1  "), "{text}");
    assert!(
        text.contains("H3 to H7 by 4, then B2 to B4 by 2, captures N on H7, throws again"),
        "{text}"
    );
    assert_eq!(record[0], DECISION);
    assert!(
        record[1].starts_with("ashtapada S:11,30/N:off,23 N "),
        "{record:?}"
    );
}

#[test]
fn questions_leave_the_position_alone() {
    let (text, record) = resumed(DECISION, "?\nb\np\nh\n\n0\n9\nfoo\nq\n");
    assert_eq!(
        text.matches("You throw 4, 2:").count(),
        3,
        "at first, with chances, and after ENTER"
    );
    assert!(text.contains(" %*") || text.contains(" % *"), "{text}");
    assert!(text.contains("Before the choice: S "), "{text}");
    assert_eq!(
        text.matches("A  ").count(),
        2,
        "the board at first and by b: {text}"
    );
    assert_eq!(
        text.matches(DECISION).count(),
        2,
        "by p and at the end: {text}"
    );
    assert!(text.contains("u        undo"), "{text}");
    assert!(
        text.contains("There is no choice 0: type a number from 1 to 4."),
        "{text}"
    );
    assert!(text.contains("There is no choice 9"), "{text}");
    assert!(
        text.contains("`foo` is not an answer: type a number from 1 to 4, or h for help."),
        "{text}"
    );
    assert_eq!(record, [DECISION]);
}

#[test]
fn the_end_of_the_input_quits() {
    let (text, _) = resumed(DECISION, "");
    assert!(text.ends_with(&format!("\n{DECISION}\n")), "{text}");
    let (text, _) = resumed(DECISION, "\u{fffd}");
    assert!(text.ends_with(&format!("\n{DECISION}\n")), "{text}");
}

#[test]
fn undo_goes_back_to_the_decision_before() {
    let (text, record) = resumed(DECISION, "u\n1\nu\np\nq\n");
    assert!(text.contains("there is nothing to undo"), "{text}");
    assert!(
        text.ends_with(&format!(
            "{DECISION}\nYour choice (1-4, h for help): {DECISION}\n"
        )),
        "{text}"
    );
    assert_eq!(record, [DECISION]);
    // The same turns get the same throws, so the same choices give the same game.
    let straight = resumed(DECISION, "1\n1\n1\nq\n");
    let undone = resumed(DECISION, "1\n1\nu\n1\n1\nq\n");
    assert_eq!(straight.1, undone.1);
}

#[test]
fn chances_are_shown_all_the_time() {
    let race = Race::new(Ruleset::parse("pagade", SeatSet::ALL).expect("a game"));
    let text = run(&race, None, Seat::SOUTH, "greedy", 4, "1\n1\n1\n", true).0;
    assert!(text.contains("  [S place "), "{text}");
    assert!(text.contains("Before the choice: S place "), "{text}");
}

#[test]
fn ends_are_announced() {
    let end = |position: &str| {
        resumed(position, "1\n")
            .0
            .lines()
            .last()
            .expect("an end")
            .to_owned()
    };
    assert_eq!(
        end("ashte-kashte S:45,home,home,home/N:hand,hand,hand,hand S 3"),
        "You win."
    );
    assert_eq!(
        end("ashte-kashte S:hand,hand,hand,hand/N:45,home,home,home N 3"),
        "N wins."
    );
    let team = "pagade?teams=true S+:home,home,home,home/E:6,7,12,12/N+:81,home,home,home/W:6,7,12,12 N 3,3";
    assert_eq!(end(team), "Your team wins: S and N.");
    let places = "pagade S+:home,home,home,home/E+#2:home,home,home,home/N+:81,home,home,home/W:6,7,12,12 N 3,3";
    assert_eq!(end(places), "1. S (you), 2. E, 3. N, 4. W");
}

#[test]
fn help_fits_the_screen() {
    for sheet in ashta_env::sheet::builtin::all() {
        let text = rules(sheet);
        assert!(
            text.lines()
                .chain(COMMANDS.lines())
                .all(|line| line.chars().count() < 80),
            "{text}"
        );
    }
}
