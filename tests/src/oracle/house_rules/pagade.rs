//! Tests of the house rules, partnerships and ends of Pagade that no golden example covers.

use super::super::turns;

fn results(position: &str, dice: [u8; 2]) -> Vec<String> {
    let results = turns(position, &dice).unwrap_or_else(|error| panic!("{position}: {error}"));
    results.into_iter().collect()
}

/// The pieces of every result, without game, mover and pending.
fn pieces(position: &str, dice: [u8; 2]) -> Vec<String> {
    results(position, dice).iter().map(|text| text.split(' ').nth(1).expect("four fields").to_owned()).collect()
}

#[test]
fn optional_dice_may_be_left() {
    let game = "pagade?pieces=2&must_use=optional";
    assert_eq!(
        pieces(&format!("{game} S:cut,20/N:12,12 S *"), [3, 6]).join(" "),
        "S:3,20/N:12,12 S:3,26/N:12,12 S:6,20/N:12,12 S:6,23/N:12,12 S:9,20/N:12,12 S:cut,20/N:12,12"
    );
    assert_eq!(
        pieces(&format!("{game} S:cut,cut/N:12,12 S *"), [3, 6]),
        ["S:3,6/N:12,12", "S:cut,3/N:12,12", "S:cut,6/N:12,12", "S:cut,cut/N:12,12"]
    );
}

#[test]
fn belly_without_a_cut() {
    assert_eq!(pieces("pagade?pieces=1 S:75/N:12 S *", [3, 4]), ["S:75/N:12"]);
    assert_eq!(pieces("pagade?pieces=1&no_cut=lap S:75/N:12 S *", [3, 4]), ["S:14/N:12"]);
    assert_eq!(pieces("pagade?pieces=1&no_cut=off S:75/N:12 S *", [3, 4]), ["S:82/N:12"]);
    // With a cut there is no lap.
    assert_eq!(pieces("pagade?pieces=1&no_cut=lap S+:75/N:12 S *", [3, 4]), ["S+:82/N:12"]);
}

#[test]
fn a_lap_depends_on_the_order_when_the_first_step_cuts() {
    // 30 + 4 cuts North's 68. After it, 73 + 6 enters the belly; before it, 73 + 6 laps to 11.
    let found = pieces("pagade?pieces=2&no_cut=lap S:30,73/N:6,68 S *", [4, 6]);
    assert!(found.contains(&"S+:34,79/N:cut,6".to_owned()) && found.contains(&"S+:11,34/N:cut,6".to_owned()));
}

#[test]
fn the_cut_of_a_partner_opens_the_belly_when_shared() {
    let start = "S+:20,20/E:10,10/N:60,75/W:12,12 N *";
    let found = pieces(&format!("pagade?pieces=2&teams=true {start}"), [3, 3]);
    assert!(found.iter().all(|text| !text.contains("78")));
    let found = pieces(&format!("pagade?pieces=2&teams=true&team_cut=shared {start}"), [3, 3]);
    assert!(found.contains(&"S+:20,20/E:10,10/N:63,78/W:12,12".to_owned()));
    assert!(turns("pagade?pieces=1&teams=true&team_cut=shared S+:9/E:9/N:80/W:9 S *", &[1, 1]).is_ok());
    assert!(turns("pagade?pieces=1&teams=true S+:9/E:9/N:80/W:9 S *", &[1, 1]).is_err());
}

#[test]
fn a_finished_partner_gives_its_throw_or_is_skipped() {
    let seats = "S+:home/E:12/N+:80/W:12";
    assert_eq!(results(&format!("pagade?pieces=1&teams=true {seats} W *"), [1, 3])[0].split(' ').nth(2), Some("S"));
    assert_eq!(
        results(&format!("pagade?pieces=1&teams=true {seats} S *"), [1, 3]),
        ["pagade?pieces=1&teams=true S+:home/E:12/N+:home/W:12 - -"]
    );
    let skip = "pagade?pieces=1&teams=true&finished_partner=skip";
    assert_eq!(results(&format!("{skip} {seats} W *"), [1, 3])[0].split(' ').nth(2), Some("E"));
    assert!(turns(&format!("{skip} {seats} S *"), &[1, 3]).is_err());
    let found = results("pagade?pieces=1&two=two_sets S+:home/E:12/N+:9/W:12 S *", [1, 3]);
    assert_eq!(found, ["pagade?pieces=1&two=two_sets S+:home/E:12/N+:13/W:12 E *"]);
}

#[test]
fn places_are_written_from_the_second_on() {
    assert_eq!(
        results("pagade?pieces=1 S+:80/E+:82/N:12/W:12 S *", [1, 3]),
        ["pagade?pieces=1 S+:home/E+:82/N:12/W:12 E *"]
    );
    assert_eq!(
        results("pagade?pieces=1 S+:home/E+:80/N:12/W:12 E *", [1, 3]),
        ["pagade?pieces=1 S+:home/E+#2:home/N:12/W:12 N *"]
    );
    assert_eq!(
        results("pagade?pieces=1 S+:home/E+#2:home/N+:80/W:12 N *", [1, 3]),
        ["pagade?pieces=1 S+:home/E+#2:home/N+#3:home/W:12 - -"]
    );
    assert_eq!(
        results("pagade?pieces=1 S+:home/E+:home/N+:80/W:12 N *", [1, 3]),
        ["pagade?pieces=1 S+:home/E+:home/N+#3:home/W:12 - -"]
    );
    assert_eq!(
        results("pagade?pieces=1&play_on=false S+:80/E:12/N:12/W:12 S *", [1, 3]),
        ["pagade?pieces=1&play_on=false S+:home/E:12/N:12/W:12 - -"]
    );
}

#[test]
fn turns_go_round_either_way() {
    let seats = "S:12/E:12/N:12/W:12";
    assert!(results(&format!("pagade?pieces=1 {seats} S *"), [1, 3])[0].ends_with(" E *"));
    assert!(results(&format!("pagade?pieces=1&turn_order=cw {seats} S *"), [1, 3])[0].ends_with(" W *"));
    assert!(results("pagade?pieces=1 S:12/E+:home/N:12/W:12 S *", [1, 3])[0].ends_with(" N *"));
}

#[test]
fn a_pair_cuts_two_pieces_that_share_square_eight() {
    // North's 8 and 76 are one square, South's 42.
    let found = pieces("pagade?pieces=2 S:39,39/N:8,76 S *", [3, 3]);
    assert!(found.contains(&"S+:42,42/N:cut,cut".to_owned()));
    assert!(found.iter().all(|text| !text.contains("S:39,42") && !text.contains("S+:39,42")));
}

#[test]
fn a_dead_position_ends_the_game() {
    // South's throw of 1 leaves a position in which no seat can move any more.
    let found = results("pagade?pieces=1 S:75/N:76 S *", [1, 6]);
    assert_eq!(found, ["pagade?pieces=1 S:76/N:76 - -"]);
}

#[test]
fn refuses_broken_positions_and_dice() {
    for position in [
        "pagade?pieces=1 S:80/N:12 S *",
        "pagade?pieces=1 S:24/N:58 S *",
        "pagade?pieces=3 S:8,8,76/N:9,9,9 S *",
        "pagade?pieces=3 S:9,9,9/N:10,12,12 S *",
        "pagade?pieces=1 S+:home/N:12 N *",
        "pagade?pieces=1 S+:home/E:12/N:12/W:12 S *",
        "pagade?pieces=1 S+#2:home/E:12/N:12/W:12 E *",
        "pagade?pieces=1 S+:home/E#2:12/N:12/W:12 N *",
        "pagade?pieces=1 S+:home/E+#3:home/N:12/W:12 N *",
        "pagade?pieces=1&play_on=false S+:home/E:12/N:12/W:12 E *",
        "pagade?pieces=1&teams=true S:12/N:12 S *",
        "pagade?pieces=1&two=two_sets S:12/N:12 S *",
        "pagade?pieces=1 S:12/E:12/N:12 S *",
        "pagade?pieces=1 S:0/N:12 S *",
        "pagade?pieces=1 S:84/N:12 S *",
    ] {
        assert!(turns(position, &[1, 3]).is_err(), "{position}");
    }
    for dice in [&[][..], &[1], &[1, 2], &[1, 3, 4], &[0, 1]] {
        assert!(turns("pagade S:6,7,12,12/N:6,7,12,12 S *", dice).is_err(), "{dice:?}");
    }
}
