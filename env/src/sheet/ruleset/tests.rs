//! Rulesets: flags, seats, pieces and hashes.

use super::*;

fn two(text: &str) -> Result<Ruleset, RulesetError> {
    Ruleset::parse(text, Ruleset::default_seats(2).expect("two seats"))
}

#[test]
fn text_is_canonical() {
    let ruleset = two("ashtapada?must_use=greedy&pieces=3&x=share").expect("valid");
    assert_eq!(ruleset.game_text(), "ashtapada?pieces=3&must_use=greedy");
    assert_eq!(two(&ruleset.game_text()).as_ref(), Ok(&ruleset));
    assert_eq!(ruleset.with("must_use", "max"), two("ashtapada?pieces=3"));
    assert_eq!(
        two("ashtapada").expect("valid").with("pieces", "3"),
        two("ashtapada?pieces=3")
    );
    for (flag, value) in [("pieces", "0"), ("must_use", "never"), ("no_cut", "lap")] {
        assert_eq!(
            ruleset
                .with(flag, value)
                .expect_err("an unknown value")
                .problems
                .len(),
            1,
            "{flag}={value}"
        );
    }
}

#[test]
fn all_problems_are_named_at_once() {
    let error = two("pagade?pieces=5&lap=true&no_cut=never&teams=true").expect_err("four problems");
    assert_eq!(error.problems.len(), 4, "{error}");
    let text = error.to_string();
    for part in [
        "`pieces` does not take `5`",
        "unknown flag `lap`",
        "wait, lap, off",
        "allowed: SENW",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn empty_flags_are_refused() {
    for text in [
        "ashtapada?",
        "ashtapada?pieces=3&",
        "ashtapada?&pieces=3",
        "ashtapada?x=block&&pieces=3",
    ] {
        let error = two(text).expect_err("an empty flag");
        assert_eq!(error.problems, [RulesetProblem::EmptyFlag], "{text}");
    }
    assert_eq!(
        two("ashtapada?=3").expect_err("no name").problems,
        [RulesetProblem::EmptyFlag]
    );
}

#[test]
fn house_rules_that_contradict_each_other_are_refused() {
    let error = two("chowka-5?no_cut=off&gatti=inner")
        .expect_err("no gate, so no inner part")
        .to_string();
    assert!(
        error.contains("contradict each other") && error.contains("unit.area"),
        "{error}"
    );
    let error = two("gavalata?cowries=5&zero=8")
        .expect_err("two lists of values")
        .to_string();
    assert!(
        error.contains("cowries=5 and zero=8 both set `throws.values`"),
        "{error}"
    );
    let teams = Ruleset::parse("pagade?teams=true&two=two_sets", SeatSet::ALL);
    assert!(teams.is_ok(), "the same changes: {teams:?}");
}

#[test]
fn a_sheet_is_serialized_with_its_ruleset() {
    let built_in = two("siga?pieces=1").expect("valid");
    let mut sheet = Sheet::clone(built_in.base());
    sheet.seats.turn_limit = 17;
    let own = Ruleset::of(Arc::new(sheet), built_in.seats(), [("pieces", "1")]).expect("valid");
    assert_ne!(own.hash64(), built_in.hash64());
    for ruleset in [built_in, own] {
        let json = serde_json::to_string(&ruleset).expect("can be written");
        assert_eq!(json.contains("sheet"), !ruleset.is_builtin());
        assert_eq!(
            serde_json::from_str::<Ruleset>(&json).expect("can be read"),
            ruleset
        );
    }
}

#[test]
fn seats_are_checked() {
    let three = |text| Ruleset::parse(text, Ruleset::default_seats(3).expect("three seats"));
    assert!(three("ashtapada").is_ok());
    assert!(three("pagade").is_err());
    let sew = SeatSet::of(&[Seat::SOUTH, Seat::EAST, Seat::WEST]);
    assert!(Ruleset::parse("ashte-kashte", sew).is_ok());
    assert!(Ruleset::parse("ashtapada", sew).is_err());
    assert_eq!(SeatSet::from_letters("WES"), Ok(sew));
    for (letters, words) in [
        ("SSN", "seat `S` is given twice"),
        ("SENWSENW", "seat `S` is given"),
        ("SX", "`X`"),
    ] {
        let text = RulesetText {
            game: "pagade".to_owned(),
            seats: letters.to_owned(),
            flags: BTreeMap::new(),
            sheet: None,
        };
        let error = Ruleset::try_from(text)
            .expect_err("not a set of seats")
            .to_string();
        assert!(error.contains(words), "{letters}: {error}");
    }
}
