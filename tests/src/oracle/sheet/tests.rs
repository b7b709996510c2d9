//! Tests of values that the worked examples do not cover, each with a position that distinguishes it.

use super::turns;

const MAIN_PACHEH: &str = include_str!("../../../../env/games/main-pacheh.toml");
const CHAUPAR: &str = include_str!("../../../../env/games/chaupar.toml");
const CHOWKA_5: &str = include_str!("../../../../env/games/chowka-5.toml");
const CHOWKA_7: &str = include_str!("../../../../env/games/chowka-7.toml");
const FALKENER: &str = include_str!("../../../../env/games/ashta-kashte-1892.toml");
const SATURANKAM: &str = include_str!("../../../../env/games/saturankam.toml");
const THAAYAM: &str = include_str!("../../../../env/games/thaayam.toml");
const LUDO: &str = include_str!("../../../../env/games/ludo.toml");
const MENSCH: &str = include_str!("../../../../env/games/mensch.toml");
const PACHIH: &str = include_str!("../../../../env/games/pachih.toml");
const SOKKATTAN: &str = include_str!("../../../../env/games/sokkattan.toml");
const UR: &str = include_str!("../../../../env/games/ur.toml");

/// The afterstates without the name of the game.
fn results(sheet: &str, position: &str, throws: &[u8]) -> Vec<String> {
    let results = turns(sheet, position, throws).unwrap_or_else(|error| panic!("{position}: {error}"));
    results.iter().filter_map(|result| result.split_once(' ')).map(|(_, rest)| rest.to_owned()).collect()
}

#[test]
fn in_single_hops_a_piece_that_came_home_may_be_borne_off() {
    let seats = "S:22,keep/N:off,off S *";
    assert_eq!(
        results(THAAYAM, &format!("thaayam?pieces=2 {seats}"), &[1, 1, 2]),
        ["S:keep,borne/N:off,off N *", "S:keep,keep/N:off,off N *"]
    );
    assert_eq!(
        results(THAAYAM, &format!("thaayam?pieces=2&hop=each {seats}"), &[1, 1, 2]),
        ["S:borne,borne/N:off,off - -"]
    );
}

#[test]
fn in_single_hops_pieces_that_just_met_may_leave_as_twins() {
    assert_eq!(
        results(THAAYAM, "thaayam?pieces=2&hop=each S:4,8/N:off,off S *", &[4, 2]),
        ["S:4,14/N:off,off N *", "S:6,12/N:off,off N *", "S:8,10/N:off,off N *", "S:9t,9t/N:off,off N *"]
    );
}

#[test]
fn twins_take_no_one_and_share_with_singles() {
    assert_eq!(results(THAAYAM, "thaayam?pieces=2 S:12t,12t/N:off,off S *", &[1, 2]), ["S:13t,13t/N:off,off N *"]);
    assert_eq!(
        results(THAAYAM, "thaayam S:5,12t,12t,keep/N:off,off,off,off S *", &[1, 2]),
        ["S:6,13t,13t,keep/N:off,off,off,off N *", "S:8,12t,12t,keep/N:off,off,off,off N *"]
    );
    // South's 11 is North's 3.
    assert_eq!(results(THAAYAM, "thaayam?pieces=2 S:9,keep/N:3t,3t S *", &[2]), ["S:11,keep/N:3t,3t N *"]);
    assert_eq!(results(THAAYAM, "thaayam?pieces=2&twins=none S:9,keep/N:3,3 S *", &[2]), ["S:11,keep/N:off,off S *"]);
}

#[test]
fn a_gatti_made_in_the_series_stays_together() {
    let game = "chowka-5?pieces=2&throws=collect&gatti=inner";
    assert_eq!(
        results(CHOWKA_5, &format!("{game} S+:17,18/N:0,0 S *"), &[4, 1]),
        ["S+:17,23/N:0,0 N *", "S+:18,22/N:0,0 N *", "S+:19,21/N:0,0 N *", "S+:20,20/N:0,0 N *"]
    );
}

#[test]
fn a_gatti_is_met_by_a_gatti_only() {
    // South's 18 is North's 22.
    let game = "chowka-5?pieces=2&gatti=inner";
    assert_eq!(results(CHOWKA_5, &format!("{game} S+:16,home/N+:22,22 S *"), &[2]), ["S+:16,home/N+:22,22 N *"]);
    assert_eq!(results(CHOWKA_5, &format!("{game} S+:16,16/N+:22,22 S *"), &[4]), ["S+:18,18/N+:0,0 S *"]);
    assert_eq!(results(CHOWKA_5, &format!("{game} S+:16,16/N+:0,22 S *"), &[4]), ["S+:18,18/N+:0,0 S *"]);
}

#[test]
fn the_throws_of_a_turn_are_counted_where_there_is_a_most() {
    let game = "main-pacheh?pieces=1&max_throws=3";
    let after = |count: &str, throw| results(MAIN_PACHEH, &format!("{game} S:0/N:0 S *{count}"), &[throw]).join("");
    assert_eq!(after("", 8), "S:8/N:0 S *1");
    assert_eq!(after("1", 4), "S:4/N:0 S *2");
    assert_eq!(after("2", 4), "S:4/N:0 N *");
    assert_eq!(after("2", 3), "S:3/N:0 N *");
    for position in [format!("{game} S:0/N:0 S *3"), "main-pacheh?pieces=1 S:0/N:0 S *1".to_owned()] {
        assert!(turns(MAIN_PACHEH, &position, &[2]).is_err(), "{position}");
    }
}

#[test]
fn one_of_a_group_is_captured_and_the_others_share() {
    // South's 7 is North's 19.
    let game = "ashta-kashte-1892?pieces=3&group=one&must_use=one";
    assert_eq!(
        results(FALKENER, &format!("{game} S:5,home,home/N:19,19,19 S *"), &[2]),
        ["S:7,home,home/N:off,19,19 S *"]
    );
    assert_eq!(
        results(FALKENER, &format!("{game} S:7,7,home/N:17,19,19 N *"), &[2]),
        ["S:7,7,home/N:17,19,21 S *", "S:off,7,home/N:19,19,19 N *"]
    );
}

#[test]
fn a_separate_grace_is_used_for_one_thing_at_least() {
    let game = "ashta-kashte-1892?pieces=2&grace=separate";
    let seats = "S:off,5/N:off,off S *";
    let with_must = results(FALKENER, &format!("{game}&must_use=one {seats}"), &[4]);
    assert_eq!(
        with_must,
        ["S:0,5/N:off,off S *", "S:0,9/N:off,off S *", "S:4,5/N:off,off S *", "S:off,9/N:off,off S *"]
    );
    assert_eq!(results(FALKENER, &format!("{game} {seats}"), &[4]).len(), with_must.len() + 1);
}

#[test]
fn a_double_on_a_castle_moves_too() {
    assert_eq!(
        results(FALKENER, "ashta-kashte-1892?pieces=2&doubles=pair&must_use=one S:0,0/N:off,off S *", &[3]),
        ["S:0,3/N:off,off N *", "S:3,3/N:off,off N *"]
    );
}

#[test]
fn the_outer_ring_is_walked_again_over_the_first_square() {
    // South's 0 is North's 12.
    let position = "chowka-7?pieces=1&no_cut=lap S:23/N:12 S *";
    assert_eq!(results(CHOWKA_7, position, &[1]), ["S+:0/N:off S *"]);
    assert!(turns(CHOWKA_7, "chowka-7?pieces=1 S:0/N:12 S *", &[1]).is_err());
}

#[test]
fn blocked_crosses_have_room_for_one_piece() {
    // South's 3 is North's 15.
    let game = "chowka-7?pieces=2&crosses=block";
    assert_eq!(results(CHOWKA_7, &format!("{game} S:off,2/N:off,15 S *"), &[1]), ["S:1,2/N:off,15 N *"]);
    assert_eq!(results(CHOWKA_7, &format!("{game} S:2,3/N:off,off S *"), &[1]), ["S:2,4/N:off,off N *"]);
}

#[test]
fn a_gate_that_waits_ends_the_game_when_no_seat_can_move() {
    assert_eq!(results(CHOWKA_5, "chowka-5?pieces=1&no_cut=wait S:14/N:15 S *", &[1]), ["S:15/N:15 - -"]);
    let collected = "chowka-5?pieces=1&no_cut=wait&throws=collect S:14/N:15 S *";
    assert_eq!(results(CHOWKA_5, collected, &[8, 1]), ["S:15/N:15 - -"]);
    // North is not stuck while it can enter.
    assert_eq!(results(CHOWKA_7, "chowka-7?pieces=1 S:22/N:off S *", &[1]), ["S:23/N:off N *"]);
    assert_eq!(results(CHOWKA_7, "chowka-7?pieces=1 S:22/N:23 S *", &[1]), ["S:23/N:23 - -"]);
    // A throw more does not help.
    assert_eq!(results(CHOWKA_7, "chowka-7?pieces=1 S:17/N:23 S *", &[6]), ["S:23/N:23 - -"]);
}

#[test]
fn entering_counts_as_all_of_the_dice() {
    assert_eq!(results(SATURANKAM, "saturankam S:off,75/N:0,0 S *", &[1, 1]), ["S:0,75/N:0,0 S *"]);
    assert_eq!(
        results(SATURANKAM, "saturankam S:off,74/N:0,0 S *", &[1, 1]),
        ["S:0,74/N:0,0 S *", "S:off,home/N:0,0 S *"]
    );
    assert_eq!(results(SATURANKAM, "saturankam?finish=exact S:72,home/N:0,0 S *", &[1, 3]), ["S:home,home/N:0,0 - -"]);
    assert_eq!(results(SATURANKAM, "saturankam S:72,home/N:0,0 S *", &[1, 3]), ["S:75,home/N:0,0 N *"]);
}

#[test]
fn a_finished_seat_throws_no_more() {
    let sheet = MAIN_PACHEH.replace("turn_limit", "end = \"placings\"\nturn_limit");
    let game = "main-pacheh?pieces=1";
    assert_eq!(results(&sheet, &format!("{game} S:20/E:0/N:0 S *"), &[4]), ["S:home/E:0/N:0 E *"]);
    assert_eq!(results(&sheet, &format!("{game} S:home/E:20/N:0 E *"), &[4]), ["S:home/E#2:home/N:0 - -"]);
    assert_eq!(results(&sheet, &format!("{game} S:20/N:0 S *"), &[4]), ["S:home/N:0 - -"]);
}

#[test]
fn a_piece_bounces_back_from_the_finish() {
    let sheet = LUDO.replace("[pieces]", "[finish]\novershoot = \"bounces\"\n\n[pieces]");
    let after = |seats: &str, throw| results(&sheet, &format!("ludo?pieces=1 {seats} S *"), &[throw]).join("");
    assert_eq!(after("S:54/N:hand", 2), "S:home/N:hand - -");
    assert_eq!(after("S:53/N:hand", 4), "S:55/N:hand N *");
    assert_eq!(after("S:54/N:hand", 3), "S:55/N:hand N *");
    // Not to its own square.
    assert_eq!(after("S:54/N:hand", 4), "S:54/N:hand N *");
    assert_eq!(after("S:55/N:hand", 6), "S:51/N:hand S *1");
}

#[test]
fn with_fewer_pieces_fewer_squares_are_filled() {
    let after = |game: &str, seats: &str, throw| results(MENSCH, &format!("{game} {seats} S *"), &[throw]).join("");
    assert_eq!(after("mensch?pieces=2", "S:39,41/N:hand,hand", 1), "S:40,41/N:hand,hand - -");
    assert_eq!(after("mensch?pieces=1", "S:37/N:hand", 4), "S:37/N:hand N *");
    assert_eq!(after("mensch?pieces=1", "S:37/N:hand", 3), "S:40/N:hand - -");
    assert!(turns(MENSCH, "mensch?pieces=1 S:41/N:hand S *", &[1]).is_err());
    assert!(turns(MENSCH, "mensch?pieces=1 S:home/N:hand N *", &[1]).is_err());
}

#[test]
fn a_throw_earned_after_two_sixes_begins_the_count_anew() {
    let game = "ludo?pieces=2&capture_again=true";
    // South's 14 is North's 40.
    let after =
        |count: &str, throw| results(LUDO, &format!("{game} S:10,home/N:hand,40 S *{count}"), &[throw]).join("");
    assert_eq!(after("2", 4), "S:14,home/N:hand,hand S *");
    assert_eq!(after("2", 6), "S:10,home/N:hand,40 N *");
    assert_eq!(after("2", 5), "S:15,home/N:hand,40 N *");
    assert_eq!(after("1", 6), "S:16,home/N:hand,40 S *2");
}

#[test]
fn an_unusable_throw_ends_the_turn_where_the_sheet_says_so() {
    let game = "ludo?pieces=1&no_move_again=false";
    assert_eq!(results(LUDO, &format!("{game} S:52/N:hand S *"), &[6]), ["S:52/N:hand N *"]);
    assert_eq!(results(LUDO, &format!("{game} S:40/N:hand S *"), &[6]), ["S:46/N:hand S *1"]);
    // A throw that is used gives its step, and a lost one none.
    let sheet = SOKKATTAN.replace("bonus = [10, 25]", "bonus = [10, 25]\nmost_throws = 2\nlast_throw = \"lost\"");
    let after = |count: &str| results(&sheet, &format!("sokkattan?pieces=1 S:40/N:hand S *{count}"), &[10]).join("");
    assert_eq!(after(""), "S:51/N:hand S *1");
    assert_eq!(after("1"), "S:40/N:hand N *");
}

#[test]
fn seats_walk_courses_of_their_own() {
    // North walks the common row the other way: its 5 is South's 12.
    let north = "D3 >C3 >B3 >A3 >H2 >G2 >F2 >E2 >D2 >C2 >B2 >A2 >H3 >G3 >F3";
    let sheet = UR.replace("copy = \"mirror\"", &format!("courses.N = \"{north}\""));
    let after = |seats: &str, throw| results(&sheet, &format!("ur?pieces=1 {seats} S *"), &[throw]).join("");
    assert_eq!(after("S:10/N:5", 2), "S:12/N:hand N *");
    assert_eq!(after("S:10/N:12", 2), "S:12/N:12 N *");
    assert_eq!(after("S:2/N:hand", 2), "S:4/N:hand S *");
}

#[test]
fn marks_of_several_kinds_have_their_own_effects() {
    let other = "other_marks = [{ squares = [\"E2\"], rule = \"plain\", again = true }, { squares = [\"F2\"] }]";
    let sheet = UR.replace("copy = \"mirror\"", &format!("copy = \"mirror\"\n{other}"));
    let after = |seats: &str, throw| results(&sheet, &format!("ur?pieces=1 {seats} S *"), &[throw]).join("");
    assert_eq!(after("S:7/N:9", 2), "S:9/N:hand S *");
    assert_eq!(after("S:7/N:10", 3), "S:10/N:10 N *");
    assert_eq!(after("S:7/N:8", 1), "S:7/N:8 N *");
}

#[test]
fn a_block_of_one_seat_stops_its_enemies() {
    // South's 14 is North's 48.
    let sheet = PACHIH.replace("[finish]", "[stacking]\nblock = \"passing\"\n\n[finish]");
    let after = |seats: &str, throw| results(&sheet, &format!("pachih?pieces=2 {seats} S *"), &[throw]).join("");
    assert_eq!(after("S:10,home/N:48,48", 4), "S:10,home/N:48,48 N *");
    assert_eq!(after("S:10,home/N:48,48", 10), "S:10,home/N:48,48 N *");
    assert_eq!(after("S:10,home/N:1,48", 4), "S:14,home/N:1,1 N *");
    assert_eq!(after("S:10,home/N:1,48", 10), "S:20,home/N:1,48 N *");
}

#[test]
fn a_group_captures_no_larger_one() {
    // South's 24 is North's 58.
    let game = "chaupar?pieces=2&pairs=group";
    assert_eq!(
        results(CHAUPAR, &format!("{game} S:20,20/N:58,58 S *"), &[2, 2, 6]),
        ["S:20,30/N:58,58 N *", "S:22,28/N:58,58 N *", "S:24,26/N:58,58 N *", "S:24,30/N:6,6 N *"]
    );
    let game = "chaupar?pieces=3&pairs=group";
    let found = results(CHAUPAR, &format!("{game} S:20,20,home/N:58,58,58 S *"), &[2, 2, 6]);
    assert!(found.contains(&"S:24,30,home/N:58,58,58 N *".to_owned()));
    assert!(found.iter().all(|text| text.contains("N:58,58,58")));
    let found = results(CHAUPAR, &format!("{game} S:20,20,20/N:58,58,home S *"), &[2, 2, 2]);
    assert!(found.contains(&"S:24,24,24/N:6,6,home N *".to_owned()));
}

#[test]
fn pieces_on_two_numbers_of_a_square_protect_each_other_and_part() {
    // North's 8 and 76 are South's 42.
    assert_eq!(results(CHAUPAR, "chaupar?pieces=2 S:40,home/N:8,76 S *", &[2, 2, 2]), ["S:46,home/N:8,76 N *"]);
    assert_eq!(results(CHAUPAR, "chaupar?pieces=1 S:40/N:76 S *", &[2, 2, 2]), ["S:46/N:6 N *"]);
    let found = results(CHAUPAR, "chaupar?pieces=2 S:8,76/N:6,7 S *", &[2, 2, 6]);
    assert!(found.contains(&"S:18,76/N:6,7 N *".to_owned()) && !found.contains(&"S:18,80/N:6,7 N *".to_owned()));
}

#[test]
fn a_pair_uses_two_dice() {
    let after = |flags: &str| results(CHAUPAR, &format!("chaupar?pieces=2{flags} S:82,82/N:6,7 S *"), &[1, 1, 5]);
    let all = ["S:82,home/N:6,7 N *", "S:83,83/N:6,7 N *", "S:home,home/N:6,7 - -"];
    assert_eq!(after(""), all);
    assert_eq!(after("&must_use=max"), all);
    assert_eq!(
        after("&must_use=optional"),
        ["S:82,82/N:6,7 N *", "S:82,83/N:6,7 N *"].into_iter().chain(all).collect::<Vec<_>>()
    );
    let slower = ["S:82,home/N:6,7 N *", "S:83,83/N:6,7 N *"];
    assert_eq!(after("&group_pips=1"), slower);
}

#[test]
fn of_four_that_do_not_part_three_leave_together() {
    let sheet = CHAUPAR.replace("speed = \"double\"", "speed = \"double\"\nsplit = false");
    // A pair leaves, and no other goes with the one die that is left.
    assert_eq!(
        results(&sheet, "chaupar S:20,20,20,20/N:6,7,9,10 S *", &[6, 6, 6]),
        ["S:20,20,32,32/N:6,7,9,10 N *", "S:20,32,32,32/N:6,7,9,10 N *"]
    );
}

#[test]
fn dice_that_the_last_piece_leaves_are_lost() {
    let after = |seats: &str| results(CHAUPAR, &format!("chaupar?pieces=1 {seats} S *"), &[1, 1, 2]);
    assert_eq!(after("S:83/E:6/N:20/W:6"), ["S:home/E:6/N:20/W:6 E *"]);
    assert_eq!(after("S:home/E:6/N:20/W:6"), ["S:home/E:6/N:24/W:6 E *"]);
    let sheet = CHAUPAR.replace("\"SENW\"]\nteams = \"opposite\"", "\"SENW\"]\nend = \"placings\"");
    let after = |seats: &str| results(&sheet, &format!("chaupar?pieces=1 {seats} S *"), &[1, 1, 2]);
    assert_eq!(after("S:83/E:6/N:home/W:6"), ["S#2:home/E:6/N:home/W:6 E *"]);
}

#[test]
fn a_captured_piece_enters_with_any_of_the_dice() {
    let game = "chaupar?pieces=2&captured=centre";
    assert_eq!(results(CHAUPAR, &format!("{game} S:24,home/N:hand,home N *"), &[1, 2, 5]), ["S:24,home/N:8,home S *"]);
    // South's 24 is North's 58.
    assert_eq!(results(CHAUPAR, "chaupar?pieces=1&captured=centre S:23/N:58 S *", &[1, 1, 1]), ["S:26/N:hand N *"]);
    assert!(turns(CHAUPAR, "chaupar?pieces=1 S:26/N:hand N *", &[1, 1, 1]).is_err());
}

#[test]
fn as_many_dice_are_thrown_as_the_sheet_has() {
    let position = "S:20/N:7 S *";
    assert_eq!(results(CHAUPAR, &format!("chaupar?pieces=1&dice=2 {position}"), &[3, 4]), ["S:27/N:7 N *"]);
    for (game, throws) in [
        ("chaupar?pieces=1", &[1, 2][..]),
        ("chaupar?pieces=1", &[1, 2, 5, 6]),
        ("chaupar?pieces=1", &[1, 2, 3]),
        ("chaupar?pieces=1&dice=2", &[1, 3, 4]),
    ] {
        assert!(turns(CHAUPAR, &format!("{game} {position}"), throws).is_err(), "{game} {throws:?}");
    }
}

#[test]
fn a_unit_meets_a_unit_as_the_sheet_says() {
    // South's 14 is North's 40.
    let after = |meeting: &str, own: &str, enemies: &str| {
        let keys = format!("unit.kind = \"together\"\nunit.speed = \"double\"\ncapture.unit_on_unit = \"{meeting}\"");
        let sheet = LUDO.replace("name = \"ludo\"", &format!("name = \"ludo\"\n{keys}"));
        results(&sheet, &format!("ludo?pieces=3 S:{own},home/N:{enemies} S *"), &[2])
    };
    let single = "S:10,12,home/N:hand,40,40 N *";
    for (meeting, together) in [
        ("takes", Some("S:14,14,home/N:hand,hand,hand N *")),
        ("takes-equal", Some("S:14,14,home/N:hand,hand,hand N *")),
        ("shares", Some("S:14,14,home/N:hand,40,40 N *")),
        ("barred", None),
    ] {
        let expected: Vec<&str> = [single].into_iter().chain(together).collect();
        assert_eq!(after(meeting, "10,10", "hand,40,40"), expected, "{meeting}");
    }
    assert_eq!(after("takes-equal", "10,10", "40,40,40")[1], "S:14,14,home/N:40,40,40 N *");
    assert_eq!(after("barred", "10,10", "hand,hand,40")[1], "S:14,14,home/N:hand,hand,hand N *");
}

#[test]
fn refuses_values_that_the_sheet_does_not_have() {
    for (sheet, position, throws) in [
        (CHOWKA_5, "chowka-7 S:0,0,0,0/N:0,0,0,0 S *", &[2][..]),
        (CHOWKA_5, "chowka-5 S:0,0,0,0/N:0,0,0,0 S *", &[5]),
        (CHOWKA_5, "chowka-5 S:0,0,0,0/N:0,0,0,0 S *", &[1, 2]),
        (CHOWKA_5, "chowka-5 S:off,0,0,0/N:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5 S:0,0,0,16/N:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5 S:0,0,5,5/N:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5 S:0,0,0,5/N:0,0,0,13 S *", &[2]),
        (CHOWKA_5, "chowka-5 S+:home,home,home,home/N:0,0,0,0 N *", &[2]),
        (CHOWKA_5, "chowka-5?gatti=none S:0,0,0,0/N:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5?turn_order=cw&gatti=inner S:0,0,0,0/N:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5?no_cut=off S+:0,0,0,0/N:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5 S:0,0,0,0/E:0,0,0,0 S *", &[2]),
        (CHOWKA_5, "chowka-5?throws=collect S:0,0,0,0/N:0,0,0,0 S *", &[4, 4]),
        (THAAYAM, "thaayam?pieces=2 S:9t,10/N:off,off S *", &[2]),
        (THAAYAM, "thaayam?pieces=2 S:9,borne/N:off,off S *", &[2]),
        (SATURANKAM, "saturankam S:0,0/N:0,0 S *", &[2, 2]),
    ] {
        assert!(turns(sheet, position, throws).is_err(), "{position} {throws:?}");
    }
    assert!(turns("name = 1", "x S:0/N:0 S *", &[1]).is_err());
}
