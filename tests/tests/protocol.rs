//! The engine protocol, with positions and throws from the tests of the rules.

use ashta_agents::protocol::Engine;
use ashta_env::{
    chance,
    game::{Game, Seat},
    race::Race,
    sheet::builtin,
};
use ashta_rule_tests::engine;

/// `turns` of the engine protocol takes every position that it answers, also `… S *1` of a game
/// that limits the throws of a turn.
#[test]
fn whole_turns_go_on_from_their_results() {
    for game in builtin::names() {
        let (mut rng, mut protocol) = (chance::stream(0x0AC1E, 7), Engine::new(None, 0));
        let race = Race::named(game, 2).expect("a game of two");
        let mut position = race.print(&race.initial_state(Seat::SOUTH));
        for _ in 0..60 {
            let Some(throws) =
                Some(engine::draw(&race, &position, &mut rng)).filter(|throws| throws.len() <= 4)
            else {
                continue;
            };
            let request =
                serde_json::json!({"op": "turns", "position": position, "throws": throws})
                    .to_string();
            let answer = protocol.answer(request.as_bytes());
            let positions = answer["positions"]
                .as_array()
                .unwrap_or_else(|| panic!("{request}: {answer}"));
            let next = positions[chance::below(positions.len(), &mut rng)]
                .as_str()
                .expect("a text");
            if next.ends_with(" - -") {
                break;
            }
            next.clone_into(&mut position);
        }
    }
}
