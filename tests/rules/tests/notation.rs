//! The text notation: the examples of the rules, errors and their words, and random invalid texts.

use ashta_env::{
    chance::{GameRng, below},
    race::Race,
    sheet::builtin,
    testing::laws::check_state,
};
use ashta_rule_tests::{cases, laws::Laws, random};

/// The examples of the notation in the rules.
const EXAMPLES: [&str; 5] = [
    "ashtapada S:off,off/N:off,off S *",
    "ashtapada S:5,30/N:off,23 S 4,2",
    "ashtapada S:5,30/N:off,23 S 4,1,*",
    "ashte-kashte S:hand,hand,5,5/N:hand,hand,hand,hand S 1",
    "pagade S+:8,20,30,76/N:6,7,12,12 S 3,3",
];

/// Extensions of this notation: positions within a turn, declared twins, places, finished games.
const WITHIN: [&str; 16] = [
    "ashtapada S:5,30/N:off,23 S 2;5+4",
    "ashtapada S:off,off/N:off,off S 2;off+0",
    "ashtapada S:off,off/N:off,off S 2;off+1",
    "ashtapada S:6,6/N:23,23 S 2;6&1,6~",
    "ashtapada S:keep,keep/N:off,off S 1,3;keep-",
    "ashtapada?must_use=greedy S:57,58/N:off,off S 3;58+1",
    "ashtapada?twins=bell S:14t,14t/N:off,off S 3",
    "pagade S:6,7,12,12/N:6,7,12,12 S 6;12+1",
    "pagade S:20,21,24,24/N:6,7,12,12 S 3;24^4",
    "pagade S+:home,home,home,home/E:6,7,12,12/N+#2:home,home,home,home/W:6,7,12,12 E *",
    "pagade S+:home,home,home,home/N:6,7,12,12 - -",
    "pagade S:75,75,76,76/N:75,75,76,76 - -",
    "thaayam S:off,off,11t,11t/N:off,off,off,off S 4,2;11t&2,11t~",
    "main-pacheh?max_throws=3 S:0,0,0,5/N:0,0,0,0 S *2",
    "chowka-5 S+:0,0,0,17/N:0,0,0,0 S 4",
    "saturankam S:off,5/N:0,20 S 1,1",
];

#[test]
fn examples_are_read_and_printed_as_they_are() {
    for text in EXAMPLES.into_iter().chain(WITHIN) {
        let printed = Race::parse_position(text).map(|(race, state)| race.print(&state));
        assert_eq!(printed.as_deref(), Ok(text));
    }
}

/// Invalid positions, each with words of its error.
const BROKEN: &[(&str, &str)] = &[
    // The line.
    ("", "four parts"),
    ("ashtapada", "this has 1"),
    ("ashtapada S:off,off/N:off,off S *\n", "pending"),
    // The game.
    ("senet S:off,off/N:off,off S *", "unknown game `senet`"),
    (
        "ashtapada?no_cut=lap S:off,off/N:off,off S *",
        "unknown flag `no_cut`",
    ),
    (
        "ashtapada?x=perhaps S:off,off/N:off,off S *",
        "flag `x` does not take `perhaps`",
    ),
    (
        "ashtapada?x=block&x=block S:off,off/N:off,off S *",
        "flag `x` is given twice",
    ),
    // The seats.
    (
        "ashtapada S:off,off/E:off,off S *",
        "not played on the seats `SE`",
    ),
    (
        "pagade?teams=true S:6,7,12,12/N:6,7,12,12 S *",
        "not played on the seats `SN` (allowed: SENW)",
    ),
    (
        "ashtapada X:off,off/N:off,off S *",
        "seat `X:off,off`: it must begin with S, E, N or W",
    ),
    ("ashtapada S:off,off/ S *", "seat ``"),
    (
        "ashtapada N:off,off/S:off,off S *",
        "in the order S, E, N, W",
    ),
    (
        "ashtapada S:off,off/S:off,off S *",
        "each seat can be listed once",
    ),
    ("ashtapada S/N:off,off S *", "`:` is missing"),
    ("ashtapada S:off/N:off,off S *", "must have 2 pieces, not 1"),
    (
        "ashtapada S:,,,,,,,,/N:off,off S *",
        "must have 2 pieces, not 9",
    ),
    ("ashtapada S+:off,off/N:off,off S *", "`+` before the colon"),
    (
        "pagade S#2:home,home,home,home/N:6,7,12,12 S *",
        "`#2` before the colon",
    ),
    // Places.
    ("ashtapada S:off,60/N:off,off S *", "no place `60`"),
    ("ashtapada S:off,-1/N:off,off S *", "no place `-1`"),
    ("ashtapada S:5,off/N:off,off S *", "ascending order"),
    // Invariants of one seat.
    (
        "ashtapada S:5,borne/N:off,off S *",
        "borne off only when all other pieces",
    ),
    (
        "ashtapada?twins=bell S:13t,20/N:off,off S *",
        "marked `t` must be in pairs",
    ),
    // Where twins leave together, none has left yet.
    (
        "ashtapada?twins=bell S:13t,13t/N:off,off S *",
        "marked `t` must be in pairs",
    ),
    (
        "ashte-kashte S:hand,5,5,5/N:hand,hand,hand,hand S *",
        "3 pieces are on 5, but it has room for 2",
    ),
    (
        "pagade S:6,10,10,10/N:6,7,12,12 S *",
        "3 pieces are on 10, but it has room for 2",
    ),
    (
        "pagade S+:8,8,12,76/N:6,7,12,12 S *",
        "3 pieces are on 8, but it has room for 2",
    ),
    ("pagade S:6,7,12,80/N:6,7,12,12 S *", "S has not captured"),
    (
        "pagade S+:6,7,12,12/E+#2:6,7,12,12/N:6,7,12,12/W:6,7,12,12 S *",
        "all its pieces home",
    ),
    (
        "pagade S+:6,7,12,12/E+#4:home,home,home,home/N:6,7,12,12/W:6,7,12,12 S *",
        "the rank must be #2 or #3",
    ),
    // Invariants between seats.
    (
        "ashtapada S:borne,borne/N:borne,borne - -",
        "two seats have won",
    ),
    ("pagade S:6,7,10,12/N:6,7,12,44 S *", "S and N"),
    ("pagade S+:6,7,12,76/N:6,7,12,42 S *", "S and N"),
    (
        "pagade S:6,7,12,12/E+#2:home,home,home,home/N:6,7,12,12/W:6,7,12,12 N *",
        "ranks 1, 2",
    ),
    // Other games.
    (
        "gavalata?cowries=5&zero=8 S:0,0/N:0,0 S *",
        "both set `throws.values`",
    ),
    (
        "thaayam S:off,off,8t,8t/N:off,off,off,off S *",
        "marked `t` must be in pairs",
    ),
    (
        "main-pacheh S:0,0,1,1/N:0,0,0,0 S *",
        "2 pieces are on 1, but it has room for 1",
    ),
    (
        "main-pacheh?max_throws=3 S:0,0,0,0/N:0,0,0,0 S *3",
        "pending `*3`",
    ),
    // The mover.
    (
        "ashtapada S:off,off/N:off,off E *",
        "mover `E`: this seat does not take part",
    ),
    (
        "ashtapada S:off,off/N:off,off s *",
        "mover `s`: must be S, E, N, W or -",
    ),
    (
        "ashtapada S:off,off/N:off,off - -",
        "mover `-`: the game is not over",
    ),
    (
        "ashtapada S:borne,borne/N:off,off S *",
        "mover `S`: the game is over",
    ),
    (
        "pagade S+:home,home,home,home/E:6,7,12,12/N:6,7,12,12/W:6,7,12,12 S *",
        "mover `S`: this seat has finished",
    ),
    // The throws.
    (
        "ashtapada S:borne,borne/N:off,off - *",
        "must be `-` in a finished game",
    ),
    ("ashtapada S:off,off/N:off,off S -", "pending `-`"),
    (
        "ashtapada S:off,off/N:off,off S 4,1",
        "a series ends with 2 or 3",
    ),
    (
        "ashtapada S:off,off/N:off,off S 3,2",
        "a series does not continue after 3",
    ),
    (
        "ashtapada S:off,off/N:off,off S 5,2",
        "a series does not continue after 5",
    ),
    (
        "ashtapada S:off,off/N:off,off S 4*",
        "write a comma before `*`",
    ),
    (
        "ashtapada S:off,off/N:off,off S 04,2",
        "numbers with commas between",
    ),
    (
        "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S 5",
        "one throw of 1, 2, 3, 4 or 8",
    ),
    (
        "pagade S:6,7,12,12/N:6,7,12,12 S 2,3",
        "2 dice of 1, 3, 4 or 6",
    ),
    ("pagade S:6,7,12,12/N:6,7,12,12 S 1,*", "without dice"),
    // Within a turn.
    ("ashtapada S:5,30/N:off,23 S *;5+1", "`;` cannot follow `*`"),
    (
        "ashtapada S:5,30/N:off,23 S 2;9+1",
        "`9+1` does not match a piece",
    ),
    (
        "ashtapada S:5,30/N:off,23 S 2;5+1,5+1",
        "`5+1` does not match a piece",
    ),
    ("ashtapada S:5,30/N:off,23 S 2;5?1", "cannot read `5?1`"),
    ("ashtapada S:5,30/N:off,23 S 2;!1", "cannot read `!1`"),
    (
        "ashtapada S:5,30/N:off,23 S 2;5-",
        "the rules do not lead to this",
    ),
    (
        "ashtapada S:5,5/N:off,23 S 2;5~",
        "the rules do not lead to this",
    ),
    (
        "ashtapada?twins=none S:5,5/N:off,23 S 2;5&1,5~",
        "the rules do not lead to this",
    ),
    (
        "ashtapada?twins=bell S:12,12/N:off,off S 2;12&5,12~",
        "the rules do not lead to this",
    ),
    (
        "ashte-kashte S:hand,hand,hand,5/N:hand,hand,hand,hand S 1;5+1",
        "cannot read `5+1`",
    ),
    ("pagade S:6,7,12,12/N:6,7,12,12 S 1,3;12+1", "1 dice"),
    (
        "pagade S:6,7,12,12/N:6,7,12,12 S 3;12+2",
        "the rules do not lead to this",
    ),
    (
        "pagade S:cut,7,12,12/N:6,7,12,12 S 3;12+1",
        "the rules do not lead to this",
    ),
    ("pagade S:6,7,12,12/N:6,7,12,12 S 3;12&1", "12&1"),
];

#[test]
fn broken_positions_are_refused_by_name() {
    let mut wrong = Vec::new();
    for (text, words) in BROKEN {
        match Race::parse_position(text) {
            Ok((race, state)) => wrong.push(format!(
                "`{text}` is read as `{}`, not `{words}`",
                race.print(&state)
            )),
            Err(error) if !error.to_string().contains(words) => {
                wrong.push(format!("`{text}`: {error}, not `{words}`"))
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_space_too_many_is_not_called_four_parts() {
    for text in [
        "ashtapada  S:off,off/N:off,off S *",
        " ashtapada S:off,off/N:off,off S *",
    ] {
        let error = Race::parse_position(text)
            .expect_err("an empty part")
            .to_string();
        assert!(
            error.contains("four parts") && !error.contains("this has 4"),
            "{error}"
        );
    }
}

#[test]
fn a_series_holds_64_throws_before_its_last() {
    let position = |count: usize| format!("ashtapada S:off,5/N:off,off S {}2", "1,".repeat(count));
    assert_eq!(
        Race::parse_position(&position(64)).map(|(race, state)| race.print(&state)),
        Ok(position(64))
    );
    let error = Race::parse_position(&position(65)).expect_err("one throw too many");
    assert!(error.to_string().contains("at most 64 throws"), "{error}");
}

#[test]
fn a_game_refuses_the_positions_of_another() {
    let (race, _) = Race::parse_position("ashtapada S:off,off/N:off,off S *").expect("valid");
    for (text, found) in [
        (
            "ashtapada?x=block S:off,off/N:off,off S *",
            "ashtapada?x=block SN",
        ),
        (
            "ashtapada S:off,off/E:off,off/N:off,off S *",
            "ashtapada SEN",
        ),
        ("pagade S:6,7,12,12/N:6,7,12,12 S *", "pagade SN"),
    ] {
        let error = race.parse_state(text).expect_err("another game");
        assert_eq!(
            error.to_string(),
            format!("the position belongs to `{found}`, not to `ashtapada SN`")
        );
    }
}

/// A position of random play under a random ruleset, at any node.
fn played(rng: &mut GameRng) -> String {
    let games: Vec<&str> = builtin::names().collect();
    let race = Race::new(random::ruleset(games[below(games.len(), rng)], rng));
    let start = race
        .parse_state(&random::placed(&race, rng))
        .expect("a placed position is valid");
    let mut state = start;
    for _ in 0..below(200, rng) {
        if !random::advance(&race, &mut state, rng) {
            state = start;
        }
    }
    race.print(&state)
}

/// The text with some words between separators replaced; the result is often a position.
fn reworded(text: &str, rng: &mut GameRng) -> String {
    const SPECIAL: [&str; 16] = [
        "off", "keep", "borne", "hand", "home", "cut", "*", "-", "", "off+0", "off+4", "keep-",
        "!4", "1&4", "1~", "S",
    ];
    let mut words: Vec<String> = text
        .split_inclusive([' ', ':', '/', ',', ';', '+', '&'])
        .map(str::to_owned)
        .collect();
    for _ in 0..1 + below(3, rng) {
        let at = below(words.len(), rng);
        let end = words[at]
            .pop()
            .filter(|end| !end.is_alphanumeric() && *end != '*');
        let word = match below(128, rng) {
            number @ 0..85 => number.to_string(),
            other if other < 85 + SPECIAL.len() => SPECIAL[other - 85].to_owned(),
            _ => words[below(words.len(), rng)]
                .trim_end_matches([' ', ':', '/', ',', ';', '+', '&'])
                .to_owned(),
        };
        words[at] = word;
        words[at].extend(end);
    }
    words.concat()
}

/// The text with other throws, and something allotted to some of the mover's pieces.
fn allotted(text: &str, rng: &mut GameRng) -> Option<String> {
    let (position, _) = text.rsplit_once(' ')?;
    let mover = position.chars().last()?;
    let (_, own) = position
        .split([' ', '/'])
        .find(|seat| seat.starts_with(mover) && seat.contains(':'))?
        .split_once(':')?;
    let throws: Vec<&str> = (0..1 + below(3, rng))
        .map(|_| ["1", "2", "3", "4", "6", "8"][below(6, rng)])
        .collect();
    let item = |piece: &str| {
        let (piece, steps) = (piece.trim_end_matches('t'), below(10, rng));
        match below(8, rng) {
            0 | 1 => format!("{piece}+{steps},"),
            2 => format!("{piece}&{steps},"),
            3 => format!("{piece}~,"),
            4 => format!("{piece}^{steps},"),
            5 => format!("{piece}-,"),
            _ => String::new(),
        }
    };
    let items: String = own.split(',').map(item).collect();
    Some(format!(
        "{position} {};{}",
        throws.join(","),
        items.trim_end_matches(',')
    ))
}

/// Every text that parses is a position: it prints as it was written, and keeps the laws.
fn check_whatever_is_read(text: &str) {
    let Ok((race, state)) = Race::parse_position(text) else {
        return;
    };
    let positions = |text: &str| text.split_once(' ').map(|(_, rest)| rest.to_owned());
    assert_eq!(
        positions(&race.print(&state)),
        positions(text),
        "{text} is repaired silently"
    );
    let broken = check_state(&race, &state).err();
    assert!(broken.is_none(), "{text} is read, but {broken:?}");
    let problem = Laws::new(race.ruleset().clone()).check(&state).err();
    assert!(problem.is_none(), "{text} is read, but {problem:?}");
}

#[test]
fn changed_positions_are_read_or_refused() {
    for mut rng in cases(10).take(3000) {
        let text = played(&mut rng);
        check_whatever_is_read(&text);
        check_whatever_is_read(&reworded(&text, &mut rng));
        if let Some(text) = allotted(&text, &mut rng) {
            check_whatever_is_read(&text);
        }
    }
}

#[test]
fn rows_with_wrong_bytes_are_refused_or_are_other_positions() {
    let mut refused = 0;
    for mut rng in cases(61).take(400) {
        let (race, state) = Race::parse_position(&played(&mut rng)).expect("a played position");
        for _ in 0..8 {
            let mut row = state.to_row();
            for _ in 0..1 + below(2, &mut rng) {
                let at = below(row.len(), &mut rng);
                row[at] = [
                    row[at] ^ 1 << below(8, &mut rng),
                    below(256, &mut rng) as u8,
                ][below(2, &mut rng)];
            }
            match race.state_of_row(&row) {
                Ok(read) => assert_eq!(
                    (read.to_row(), race.parse_state(&race.print(&read))),
                    (row, Ok(read))
                ),
                Err(error) => refused += usize::from(!error.to_string().is_empty()),
            }
        }
    }
    assert!(refused > 2000, "{refused} of 3200 rows were refused");

    let (race, state) = Race::parse_position(EXAMPLES[1]).expect("valid");
    let wrong = |at: usize, byte: u8| {
        let mut row = state.to_row();
        row[at] = byte;
        race.state_of_row(&row)
            .expect_err("a wrong byte")
            .to_string()
    };
    assert_eq!(
        wrong(0, 9),
        "the row has layout version 9, but must have version 1"
    );
    assert!(wrong(1, 200).starts_with("the field `pieces` has the place 200"));
    assert!(wrong(33, 1).starts_with("the field `steps` does not fit"));
    assert!(
        race.state_of_row(&[1; 7])
            .expect_err("too short")
            .to_string()
            .contains("7 bytes")
    );
}
