//! The arithmetic of advantages, games that do not depend on how they are divided, and a toy game that is learned.

use super::*;
use crate::agent::{PolicyAgent, RandomAgent};
use crate::arena::{MatchConfig, play_match};
use crate::net::{Learner, LearnerConfig, LearnerDevice, PpoLoss, initial_parameters};
use crate::net_evaluator::NetEvaluator;
use crate::portable::{Mlp, NetShape};
use ashta_env::game::Seat;
use ashta_env::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};
use std::sync::Arc;

const SEED: u64 = 3;

fn config(lambda: f32, luck_correction: bool) -> SelfPlayConfig {
    SelfPlayConfig {
        lambda,
        luck_correction,
        series_probability: 0.01,
        alternatives: 0,
        sideline_turns: 1,
        exploration: 0.0,
        random_start_share: 0.0,
        random_start_turns: 0,
        turn_limit: u32::MAX,
        policy_temperature: 1.0,
    }
}

fn shape(game: &Toy) -> NetShape {
    NetShape::for_spec(game.spec(), &[8], &[16])
}

fn net(shape: &NetShape, policy: Mlp) -> PortableNet {
    let value = Mlp::new(shape.value.clone(), &initial_parameters(&shape.value, 1)).expect("a valid shape");
    PortableNet::new(value, policy).expect("networks of one game")
}

fn untrained(game: &Toy) -> PortableNet {
    let shape = shape(game);
    let policy = Mlp::new(shape.policy.clone(), &initial_parameters(&shape.policy, 2)).expect("a valid shape");
    net(&shape, policy)
}

#[test]
fn advantages_are_those_of_the_seat_that_moves_however_often_it_moves() {
    let thought = |south: f32, expected: f32| {
        let by_seat = |south| BySeat([south, 0.0, 1.0 - south, 0.0]);
        Thought { values: by_seat(south), expected: by_seat(expected) }
    };
    let seats = SeatSet::of(&[Seat::SOUTH, Seat::NORTH]);
    let end = BySeat([1.0, 0.0, 0.0, 0.0]);
    // South moves twice, then North, and South wins.
    let thoughts = [thought(0.5, 0.5), thought(0.7, 0.7), thought(0.6, 0.6)];
    let targets = returns(&thoughts, end, 0.5, seats);
    let close = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    // South's: 0.2 + 0.5 (-0.1) + 0.25 (0.4), then -0.1 + 0.5 (0.4); North's, who lost what he had.
    close(targets[1][Seat::SOUTH] - 0.5, 0.25);
    close(targets[2][Seat::SOUTH] - 0.7, 0.1);
    close(targets[3][Seat::NORTH] - 0.4, -0.4);
    close(targets[0][Seat::SOUTH], 0.5 + 0.5 * 0.25);
    // The third thought was 0.1 better than expected before the dice: luck, which no decision earned.
    let lucky = [thought(0.5, 0.5), thought(0.7, 0.7), thought(0.7, 0.6)];
    let targets = returns(&lucky, end, 0.5, seats);
    close(targets[2][Seat::SOUTH], 0.6 + 0.5 * 0.3);
    close(targets[2][Seat::NORTH], 0.4 - 0.5 * 0.3);
}

#[test]
fn without_a_discount_every_target_is_the_result() {
    for table in [ToyTable::Two, ToyTable::Three, ToyTable::Teams, ToyTable::Placings] {
        let game = Toy::new(table, ToyPieces::Two, ToyThrows::Series);
        let episodes = play_games(&game, &untrained(&game), &config(1.0, false), SEED, 0..20);
        assert!(episodes.iter().any(|episode| episode.decisions.len() > 4));
        for Episode { record, decisions } in episodes {
            let mut total = 0;
            record.visit(&game, |position| {
                total += usize::from(position.is_start);
                assert!(!position.is_start || position.values == record.returns);
            });
            assert_eq!(total, record.main.turns.len());
            for decision in decisions {
                assert!(decision.legal.len() > 1 && decision.legal.contains(decision.action));
                let ways = game.spec().seats.iter().map(|seat| {
                    let mut values = Vec::new();
                    perspective::to_relative(&record.returns, game.spec(), seat, &mut values);
                    values
                });
                assert!(ways.into_iter().any(|values| values == *decision.values), "{decision:?}");
            }
        }
    }
}

#[test]
fn games_are_the_same_however_they_are_divided() {
    let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
    let net = untrained(&game);
    let play = |games| play_games(&game, &net, &config(0.9, true), SEED, games);
    let whole = play(0..9);
    assert_eq!(whole, [play(0..4), play(4..9)].concat());
    assert_ne!(whole[0].record.main.outcomes, whole[1].record.main.outcomes);
}

#[test]
fn the_policy_learns_to_beat_random_play() {
    let game = Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again);
    let shape = shape(&game);
    let score = |policy: Mlp| {
        let net = Arc::new(net(&shape, policy));
        let agent = || Box::new(PolicyAgent { evaluator: NetEvaluator::new(Arc::clone(&net)) }) as Box<_>;
        let config = MatchConfig { blocks: 1000, seed: 5, threads: 1, ..MatchConfig::default() };
        play_match(&game, &agent, &|| Box::new(RandomAgent), &config, &|_| ()).score
    };
    let loss = PpoLoss { clip: 0.2, entropy: 0.01, policy_weight: 1.0 };
    let (ppo, mut rng) = (PpoConfig { epochs: 4, batch: 256, loss }, chance::stream(1, 2));
    for luck_correction in [false, true] {
        let config = config(0.9, luck_correction);
        let mut learner =
            Learner::new(shape.policy.clone(), LearnerConfig::default(), LearnerDevice::Cpu, 2).expect("a valid shape");
        let before = score(learner.net().expect("finite"));
        for iteration in 0..60_u64 {
            let net = net(&shape, learner.latest_net().expect("finite"));
            let episodes = play_games(&game, &net, &config, SEED, iteration * 64..(iteration + 1) * 64);
            let mut decisions: Vec<Decision> = episodes.into_iter().flat_map(|episode| episode.decisions).collect();
            learn(&mut learner, &mut decisions, &ppo, 3e-3, &mut rng);
        }
        let after = score(learner.net().expect("finite"));
        eprintln!("luck correction {luck_correction}: {before:.3} before, {after:.3} after");
        assert!(after > before + 0.05 && after > 0.6, "{before} before, {after} after");
    }
}
