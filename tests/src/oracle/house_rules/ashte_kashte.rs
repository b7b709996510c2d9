//! Tests of the house rules of Ashte Kashte that no golden example covers.

use super::super::turns;

fn results(position: &str, throw: u8) -> Vec<String> {
    turns(position, &[throw]).expect("a legal question").into_iter().collect()
}

#[test]
fn the_start_square_may_be_index_one() {
    let game = "ashte-kashte?pieces=1&entry=start_is_one";
    assert_eq!(results(&format!("{game} S:hand/N:hand S *"), 1), [format!("{game} S:1/N:hand N *")]);
    // North on its index 13 stands on South's start square and closes it.
    assert_eq!(results(&format!("{game} S:hand/N:13 S *"), 1), [format!("{game} S:hand/N:13 N *")]);
    assert_eq!(results(&format!("{game} S:46/N:13 S *"), 3), [format!("{game} S:home/N:13 - -")]);
}

#[test]
fn paths_change_where_pieces_meet() {
    // F6 is the corner where North changes rings: North's index 39 on A, 24 on B, and no index on C.
    let captures = |path: &str, south: usize, north: usize| {
        let position = format!("ashte-kashte?pieces=1{path} S:{south}/N:{north} N *");
        results(&position, 1) == [format!("ashte-kashte?pieces=1{path} S:hand/N:{} S *", north + 1)]
    };
    assert!(captures("", 31, 38) && !captures("", 31, 23));
    assert!(captures("&path=B", 32, 23) && !captures("&path=B", 32, 38));
    assert!(!captures("&path=C", 31, 38) && !captures("&path=C", 31, 23));
    assert!(results("ashte-kashte?pieces=1&path=C S:46/N:hand S *", 1)[0].contains("S:home"));
    assert!(turns("ashte-kashte?pieces=1&path=C S:47/N:hand S *", &[1]).is_err());
}

#[test]
fn passing_depends_on_the_compulsion() {
    let position = |flags: &str| format!("ashte-kashte?pieces=2{flags} S:3,home/N:hand,hand S *");
    assert_eq!(results(&position(""), 1).len(), 1);
    assert_eq!(results(&position("&move=optional"), 1).len(), 2);
    let only_merge = |flags: &str| format!("ashte-kashte?pieces=2{flags} S:44,47/N:hand,hand S *");
    assert_eq!(results(&only_merge(""), 3).len(), 2);
    assert_eq!(results(&only_merge("&move=forced"), 3).len(), 1);
}

#[test]
fn a_capture_may_grant_a_throw() {
    let position = |flags: &str| format!("ashte-kashte?pieces=1{flags} S:8/N:22 S *");
    assert_eq!(results(&position(""), 2), ["ashte-kashte?pieces=1 S:10/N:hand N *"]);
    assert!(results(&position("&capture_bonus=true"), 2)[0].ends_with("S:10/N:hand S *"));
}

#[test]
fn three_seats_go_to_the_right() {
    let results = results("ashte-kashte?pieces=1 E:hand/N:hand/W:hand W *", 3);
    assert_eq!(results, ["ashte-kashte?pieces=1 E:hand/N:hand/W:3 E *"]);
}

#[test]
fn refuses_broken_positions() {
    for position in [
        "ashte-kashte S:hand,5,5,5/N:hand,hand,hand,hand S *",
        "ashte-kashte S:hand,hand,6,6/N:hand,hand,hand,hand S *",
        "ashte-kashte S:hand,hand,hand,10/N:hand,hand,hand,22 S *",
        "ashte-kashte S:home,home,home,home/N:hand,hand,hand,hand N *",
        "ashte-kashte S:0,hand,hand,hand/N:hand,hand,hand,hand N *",
        "ashte-kashte S:hand,hand,hand,48/N:hand,hand,hand,hand N *",
        "ashte-kashte S:hand,hand,hand/N:hand,hand,hand,hand N *",
        "ashte-kashte S:hand,hand,hand,hand/E:hand,hand,hand,hand S *",
    ] {
        assert!(turns(position, &[1]).is_err(), "{position}");
    }
    let start = "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S *";
    assert!(turns(start, &[5]).is_err() && turns(start, &[1, 2]).is_err() && turns(start, &[]).is_err());
}
