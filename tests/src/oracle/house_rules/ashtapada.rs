//! Tests of the house rules of Ashtapada that no golden example covers, each with a position that distinguishes it.

use super::super::turns;

/// The pieces of every result, without game, mover and pending.
fn pieces(position: &str, throws: &[u8]) -> Vec<String> {
    let results = turns(position, throws).unwrap_or_else(|error| panic!("{position}: {error}"));
    results.iter().map(|result| result.split(' ').nth(1).expect("four fields").to_owned()).collect()
}

#[test]
fn the_next_seat_is_to_the_left() {
    let only = |position: &str| turns(position, &[2]).expect("a position").pop_first().expect("a result");
    let all = "S:off,off/E:off,off/N:off,off/W:off,off";
    assert!(only(&format!("ashtapada {all} S *")).ends_with(" W *"));
    assert!(only(&format!("ashtapada {all} E *")).ends_with(" S *"));
    assert!(only("ashtapada S:off,off/E:off,off/N:off,off S *").ends_with(" N *"));
}

#[test]
fn captures_are_decided_for_each_enemy_seat_on_a_square() {
    // South lands on H7, which holds East's twins and North's single.
    let position = "ashtapada S:5,30/E:2,2/N:off,23 S *";
    assert!(pieces(position, &[4, 3]).contains(&"S:9,33/E:2,2/N:off,off".to_owned()));
}

#[test]
fn must_use_optional_allows_everything_less() {
    let results = pieces("ashtapada?must_use=optional S:57,58/N:off,off S *", &[1, 3]);
    assert_eq!(
        results,
        ["S:57,58/N:off,off", "S:57,59/N:off,off", "S:58,58/N:off,off", "S:58,keep/N:off,off", "S:59,keep/N:off,off"]
    );
}

#[test]
fn blocked_crosscut_squares_are_closed_to_landing_and_entering() {
    // North's 14 is South's start E1, North's 17 is H1, South's 3.
    assert_eq!(pieces("ashtapada?x=block S:off,1/N:14,17 S *", &[1, 2]), ["S:off,4/N:14,17"]);
    assert_eq!(pieces("ashtapada?x=block S:off,1/N:off,17 S *", &[2]), ["S:off,1/N:off,17"]);
}

#[test]
fn without_twins_nothing_moves_jointly_and_nothing_is_protected() {
    let results = pieces("ashtapada?twins=none S:6,6/N:23,23 S *", &[3]);
    assert_eq!(results, ["S:6,9/N:off,off"]);
}

#[test]
fn twins_at_half_speed_round_down() {
    let results = pieces("ashtapada?twin_speed=half_floor S:6,6/N:off,off S *", &[3]);
    assert_eq!(results, ["S:6,9/N:off,off", "S:7,7/N:off,off"]);
    // A joint 1 covers nothing by itself and is spent with other throws.
    let results = pieces("ashtapada?must_use=optional&twin_speed=half_floor S:5,5/N:off,off S *", &[1, 4, 2]);
    assert!(results.contains(&"S:8,8/N:off,off".to_owned()) && results.contains(&"S:6,6/N:off,off".to_owned()));
}

#[test]
fn unsplittable_twins_leave_together() {
    let results = pieces("ashtapada?twin_split=false S:6,6/N:off,off S *", &[3]);
    assert_eq!(results, ["S:9,9/N:off,off"]);
    // Of three, one is free.
    let results = pieces("ashtapada?pieces=3&twin_split=false S:6,6,6/N:off,off,off S *", &[1, 3]);
    let own: Vec<&str> = results.iter().filter_map(|text| text.strip_suffix("/N:off,off,off")).collect();
    assert_eq!(own, ["S:6,10,10", "S:6,6,10", "S:7,7,9", "S:7,9,9"]);
    // Twins that form on the start square in this turn are free.
    let results = pieces("ashtapada?twin_split=false S:off,off/N:off,off S *", &[1, 1, 2]);
    assert!(results.contains(&"S:0,2/N:off,off".to_owned()));
}

#[test]
fn declared_twins_begin_on_the_opposite_side() {
    let game = "ashtapada?twins=bell";
    let results = pieces(&format!("{game} S:12,12/N:off,off S *"), &[2]);
    assert_eq!(results, ["S:12,14/N:off,off"]);
    let results = pieces(&format!("{game} S:13,13/N:off,off S *"), &[2]);
    assert_eq!(results, ["S:13,15/N:off,off", "S:15t,15t/N:off,off"]);
    let results = pieces(&format!("{game} S:15t,15t/N:off,off S *"), &[2]);
    assert_eq!(results, ["S:15,17/N:off,off", "S:17t,17t/N:off,off"]);
    let results = pieces("ashtapada?twins=bell&twin_split=false S:15t,15t/N:off,off S *", &[2]);
    assert_eq!(results, ["S:17t,17t/N:off,off"]);
    let results = pieces(&format!("{game} S:58t,58t/N:off,off S *"), &[2]);
    assert_eq!(results, ["S:58,keep/N:off,off", "S:keep,keep/N:off,off"]);
}

#[test]
fn only_declared_twins_are_protected() {
    // South's 9 is North's 23.
    let results = pieces("ashtapada?twins=bell S:6,30/N:23,23 S *", &[3]);
    assert_eq!(results, ["S:6,33/N:23,23", "S:9,30/N:off,off"]);
    let results = pieces("ashtapada?pieces=3&twins=bell S:off,6,30/N:23,23t,23t S *", &[3]);
    assert!(results.contains(&"S:off,9,30/N:off,23t,23t".to_owned()));
    // South's declared twins land on North's: South's 15 is North's 1, and 18 is 4.
    let results = pieces("ashtapada?twins=bell S:15t,15t/N:4,4 S *", &[3]);
    assert_eq!(results, ["S:15,18/N:off,off", "S:18t,18t/N:off,off"]);
}

#[test]
fn one_of_four_marked_pieces_unmarks_one_other() {
    let game = "ashtapada?pieces=4&twins=bell";
    let results = pieces(&format!("{game} S:20t,20t,20t,20t/N:off,off,off,off S *"), &[2]);
    assert_eq!(results, ["S:20,20t,20t,22/N:off,off,off,off", "S:20t,20t,22t,22t/N:off,off,off,off"]);
    let both = pieces(&format!("{game} S:20t,20t,20t,20t/N:off,off,off,off S *"), &[1, 2]);
    assert!(both.contains(&"S:20,20,21,22/N:off,off,off,off".to_owned()));
    assert!(both.contains(&"S:20t,20t,21,22/N:off,off,off,off".to_owned()));
}

#[test]
fn a_none_up_of_five() {
    assert!(turns("ashtapada S:off,off/N:off,off S *", &[5, 2]).is_err());
    assert!(turns("ashtapada?zero_value=5 S:off,off/N:off,off S *", &[8, 2]).is_err());
    let results = pieces("ashtapada?zero_value=5&dice=uniform5 S:1,keep/N:off,off S *", &[5, 2]);
    assert_eq!(results, ["S:8,keep/N:off,off"]);
}

#[test]
fn the_spiral_has_58_squares() {
    let results = pieces("ashtapada?path=spiral_kile S:54,keep/N:off,off S *", &[1, 3]);
    assert_eq!(results, ["S:keep,keep/N:off,off"]);
    assert!(turns("ashtapada?path=spiral_kile S:58,keep/N:off,off S *", &[2]).is_err());
    // H1 is index 4 of South and 18 of North, and an X square.
    assert_eq!(pieces("ashtapada?path=spiral_kile S:2,keep/N:off,18 S *", &[2]), ["S:4,keep/N:off,18"]);
}

#[test]
fn a_long_series_ends_in_time() {
    let results = pieces("ashtapada?pieces=4 S:0,0,5,5/N:off,off,off,off S *", &[1, 1, 1, 4, 4, 8, 2]);
    assert!(results.len() > 100);
}

#[test]
fn refuses_broken_positions_and_series() {
    for position in [
        "ashtapada S:5,borne/N:off,off S *",
        "ashtapada S:borne,borne/N:off,off N *",
        "ashtapada S:60,keep/N:off,off S *",
        "ashtapada S:keep,5/N:off,off S *",
        "ashtapada S:5t,5t/N:off,off S *",
        "ashtapada?twins=bell S:5t,6t/N:off,off S *",
        "ashtapada S:off,off/E:off,off S *",
        "ashtapada S+:off,off/N:off,off S *",
        "ashtapada?x=block&must_use=greedy S:off,off/N:off,off S *",
        "ashtapada?pieces=2 S:off,off/N:off,off S *",
    ] {
        assert!(turns(position, &[2]).is_err(), "{position}");
    }
    for throws in [&[][..], &[1, 4], &[2, 2], &[0, 2], &[9]] {
        assert!(turns("ashtapada S:off,off/N:off,off S *", throws).is_err(), "{throws:?}");
    }
}
