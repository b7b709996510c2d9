//! Self-play learning against exact values: one-piece Ashte Kashte is small enough to be solved, so
//! learned values are compared with exact ones.

use std::{error::Error as _, sync::Arc};

use ashta_agents::{
    learn::{
        config::{LearningConfig, SelfPlayConfig, TrainConfig},
        net::{Batch, Learner, LearnerDevice},
        replay::{Part, Replay},
        selfplay::{TargetRule, fit_luck, play_games},
    },
    network::{
        bot::Bot,
        evaluator::NetEvaluator,
        portable::{Mlp, NetShape, PortableNet},
    },
    perfect::any::{regret_in, solve_any},
    play::{error::Error, evaluator::Evaluator},
};
use ashta_env::{
    chance,
    game::{Game, Node},
    race::{Race, state::State},
    testing::laws::{LawConfig, check_game},
};
use ashta_tests::solving::race;

#[test]
fn self_play_finds_the_values_of_a_solved_game() {
    let race = race("ashte-kashte?pieces=1", "SN");
    let (starts, truths): (Vec<State>, Vec<f64>) = solve_any(&race, 1_000_000, 1e-9)
        .expect("a small game")
        .states()
        .filter(|(state, _)| matches!(race.node(state), Node::Chance(_)))
        .unzip();
    let NetShape { value, policy } = NetShape::for_spec(race.spec(), &[64], &[8]);
    let lambda = 0.7;
    let config = TrainConfig {
        learning: LearningConfig {
            ema: Some(0.99),
            policy_weight: 0.5,
            ..LearningConfig::default()
        },
        selfplay: SelfPlayConfig {
            series_probability: 0.01,
            branch_turns: 3,
            exploration: 0.0,
            random_start_share: 0.2,
            ..SelfPlayConfig::default()
        },
        ..TrainConfig::default()
    };
    let policy =
        Learner::new(policy, &config.learning, LearnerDevice::Cpu, 1).expect("a valid shape");
    let mut learner =
        Learner::new(value, &config.learning, LearnerDevice::Cpu, 1).expect("a valid shape");
    let net = |value: Mlp| {
        Arc::new(
            PortableNet::new(value, policy.net().expect("finite")).expect("networks of one game"),
        )
    };
    let mut replay = Replay::new(Part::Starts, 20_000, 0);
    let (mut rng, mut batch, mut due) = (chance::stream(1, u64::MAX), Batch::default(), 0);
    for iteration in 0..200_u64 {
        let net = net(learner.latest_net().expect("finite"));
        let games = iteration * 32..(iteration + 1) * 32;
        let records = play_games(&race, &mut NetEvaluator::new(net), &config, 1, games);
        let (coefficients, _) = fit_luck(&records, lambda, race.spec().seats);
        for (record, luck_coefficient) in records.iter().zip(coefficients) {
            let before = replay.added();
            replay.add(
                &race,
                record,
                TargetRule {
                    lambda,
                    luck_coefficient,
                },
            );
            due += replay.added() - before;
        }
        while due >= 128 {
            replay.draw(128, &mut rng, &mut batch);
            learner.step(&batch, if iteration < 100 { 2e-3 } else { 5e-4 });
            due -= 128;
        }
    }
    let mut values = Vec::new();
    NetEvaluator::new(net(learner.net().expect("finite"))).values(&race, &starts, &mut values);
    let first = race.spec().seats.iter().next().expect("two seats");
    let error: f64 = truths
        .iter()
        .zip(&values)
        .map(|(truth, values)| (truth - f64::from(values[first])).abs())
        .sum();
    let mean = error / starts.len() as f64;
    eprintln!("mean error {mean:.4} over {} positions", starts.len());
    assert!(mean < 0.03, "mean error {mean}");
}

/// The loop of the example, on one screen.
#[path = "../../agents/examples/train.rs"]
#[expect(dead_code, reason = "its main function")]
mod train;

#[test]
fn the_example_trains_a_bot_that_beats_greedy() {
    let path = std::env::temp_dir().join(format!("ashta-example-{}.bot", std::process::id()));
    let report = train::train(&path).expect("nothing goes wrong");
    let bot = Bot::load(&path).expect("it was just written");
    std::fs::remove_file(&path).expect("it was just written");
    assert_eq!(
        bot.race().expect("a game that is known").spec().name,
        "ashte-kashte?pieces=2"
    );
    assert!(report.interval[0] > 0.6, "{report:?}");
}

/// A game that is not a race.
#[path = "../../agents/examples/own_game.rs"]
#[expect(dead_code, reason = "its main function")]
mod own_game;

#[test]
fn another_game_is_learned_by_the_same_trainer() {
    let pig = Arc::new(own_game::Pig::for_two());
    let laws = LawConfig {
        seed: 1,
        games: 200,
    };
    check_game(&*pig, &laws).unwrap_or_else(|broken| panic!("{broken}"));
    let path = std::env::temp_dir().join(format!("ashta-pig-{}.bot", std::process::id()));
    own_game::train(&pig, 20_000, &path).expect("nothing goes wrong");
    let bot = Bot::load_for(&path, pig.spec());
    let refused = Bot::load(&path).expect_err("the program does not have the game");
    let race = Race::named("siga", 2).expect("a built-in game");
    let other = Bot::load_for(&path, race.spec()).expect_err("another game");
    std::fs::remove_file(&path).expect("it was just written");
    let reason = |error: Error| error.source().map_or(String::new(), ToString::to_string);
    let [refused, other] = [reason(refused), reason(other)];
    assert!(refused.contains("ruleset of the bot"), "{refused}");
    assert!(
        other.contains("pig for SN") && other.contains("not siga"),
        "{other}"
    );

    let bot = bot.expect("it was just written");
    let report = own_game::play(&pig, &bot);
    assert!(report.interval[0] > 0.5, "{report:?}");
    let solved = solve_any(&*pig, 1_000_000, 1e-9).expect("a small game");
    let regret = regret_in(&*pig, &solved, &mut bot.agent(), 300, 1);
    let rule = regret_in(&*pig, &solved, &mut own_game::HoldAtTwenty, 300, 1);
    assert!(regret.interval[1] < rule.interval[0], "{regret:?} {rule:?}");
}
