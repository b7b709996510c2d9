//! The gym against a plain model: a vectorised environment equals single games, reports ends and
//! truncations, and refused actions change nothing.

use std::{num::NonZero, sync::Arc};

use ashta_env::{
    chance::{self, GameRng, below},
    game::{Action, ActionMask, BySeat, Game, Node, Seat},
    gym::{Caller, Env, StepError, VecEnv, VecGame},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::builtin,
};
use ashta_rule_tests::buffers::Buffers;
use rand::Rng;

/// Every built-in game for two, and some for more.
fn games() -> impl Iterator<Item = (&'static str, usize)> {
    let more = [
        ("ashtapada", 4),
        ("ashte-kashte", 3),
        ("pagade?teams=true", 4),
        ("main-pacheh?max_throws=3", 3),
    ];
    builtin::names().map(|game| (game, 2)).chain(more)
}

fn race(game: &str, seats: usize) -> Race {
    Race::new(Ruleset::seated(game, Some(seats)).expect("a valid ruleset"))
}

fn limited(race: &Race, turns: u32) -> Race {
    race.clone()
        .with_turn_limit(NonZero::new(turns).expect("a number of turns"))
}

/// A reference implementation of one game of the gym.
struct Model<'a> {
    game: &'a Race,
    rng: GameRng,
    state: State,
    turns: u32,
    /// The seat that made the last move.
    mover: Seat,
}

impl<'a> Model<'a> {
    fn new(game: &'a Race, rng: GameRng) -> Model<'a> {
        let mut model = Model {
            game,
            rng,
            state: game.initial_state(Seat::SOUTH),
            turns: 0,
            mover: Seat::SOUTH,
        };
        model.restart();
        model
    }

    fn restart(&mut self) {
        self.state = self
            .game
            .initial_state(chance::first_seat(self.game.spec().seats, &mut self.rng));
        self.turns = 0;
        self.throw();
    }

    /// Throws up to the next decision, unless the turn is one too many.
    fn throw(&mut self) {
        let is_turn = matches!(self.game.node(&self.state), Node::Chance(_));
        self.turns += u32::from(is_turn);
        while matches!(self.game.node(&self.state), Node::Chance(_))
            && self.turns <= self.game.spec().turn_limit
        {
            let outcome =
                chance::outcome(self.game.chance_outcomes(&self.state), self.rng.next_u64());
            self.game.apply_chance(&mut self.state, outcome);
        }
    }

    fn act(&mut self, action: Action) {
        if let Node::Decision(seat) = self.game.node(&self.state) {
            self.mover = seat;
        }
        self.game.apply_action(&mut self.state, action);
        self.throw();
    }

    /// Takes an action; a game that is over starts anew instead.
    fn step(&mut self, action: Action) {
        match self.game.node(&self.state) {
            Node::Decision(_) => self.act(action),
            _ => self.restart(),
        }
    }

    /// Writes the gym's report of game `at`.
    fn report(&self, at: usize, out: &mut Buffers) {
        let node = self.game.node(&self.state);
        out.terminated[at] = node == Node::Terminal;
        out.truncated[at] = matches!(node, Node::Chance(_));
        let returns = if node == Node::Terminal {
            self.game.returns(&self.state)
        } else {
            BySeat::default()
        };
        let seats: Vec<Seat> = self.game.spec().seats.iter().collect();
        out.returns
            .row_mut(at)
            .iter_mut()
            .zip(&seats)
            .for_each(|(out, &seat)| *out = returns[seat]);
        let seat = if let Node::Decision(seat) | Node::Chance(seat) = node {
            seat
        } else {
            self.mover
        };
        out.players[at] = seats
            .iter()
            .position(|&other| other == seat)
            .expect("a seat of the game") as i64;
        let observation = out
            .observations
            .row_mut(at)
            .into_slice()
            .expect("rows are contiguous");
        self.game.observe(&self.state, seat, observation);
        let legal = self.game.legal_actions(&self.state);
        out.masks
            .row_mut(at)
            .iter_mut()
            .zip(0..)
            .for_each(|(out, action)| *out = legal.contains(Action(action)));
    }
}

fn random_actions(out: &Buffers, rng: &mut GameRng) -> Vec<Action> {
    let random = |game| {
        let legal = out.legal(game);
        // Any action starts a game anew that is over.
        legal.nth(below(legal.len(), rng)).unwrap_or(Action(31))
    };
    (0..out.players.len()).map(random).collect()
}

/// Steps many games and one model of each with the same actions; returns how many games terminated
/// and truncated.
fn follow(race: Race, count: usize, steps: usize) -> (usize, usize) {
    let game = &Arc::new(race);
    let mut rng = chance::stream(11, u64::MAX);
    let mut envs = VecEnv::new(game, count, Caller::All);
    let (mut found, mut expected) = (
        Buffers::new(game.spec(), count),
        Buffers::new(game.spec(), count),
    );
    envs.reset(11, &mut found.view());
    let mut models: Vec<Model<'_>> = (0..count)
        .map(|at| Model::new(game, chance::stream(11, at as u64)))
        .collect();
    models
        .iter()
        .enumerate()
        .for_each(|(at, model)| model.report(at, &mut expected));
    let (mut terminated, mut truncated) = (0, 0);
    for step in 0..steps {
        assert_eq!(found, expected, "{} after {step} steps", game.spec().name);
        let actions = random_actions(&found, &mut rng);
        found = Buffers::new(game.spec(), count);
        envs.step(&actions, &mut found.view())
            .expect("legal actions");
        for (at, (model, &action)) in models.iter_mut().zip(&actions).enumerate() {
            model.step(action);
            model.report(at, &mut expected);
        }
        terminated += found.terminated.iter().filter(|&&is_over| is_over).count();
        truncated += found.truncated.iter().filter(|&&is_over| is_over).count();
    }
    assert_eq!(
        envs.games()
            .iter()
            .map(|game| game.env.turns())
            .collect::<Vec<_>>(),
        models.iter().map(|model| model.turns).collect::<Vec<_>>()
    );
    (terminated, truncated)
}

#[test]
fn many_games_are_as_many_single_games() {
    for (game, seats) in games() {
        let (terminated, truncated) = follow(race(game, seats), 5, 1500);
        assert!(
            terminated >= 3 && truncated == 0,
            "{game}: {terminated} terminated, {truncated} truncated"
        );
    }
}

#[test]
fn many_games_with_a_turn_limit_are_as_many_single_games() {
    for (game, seats) in games() {
        let (terminated, truncated) = follow(limited(&race(game, seats), 8), 5, 400);
        assert!(
            terminated == 0 && truncated > 20,
            "{game}: {terminated} terminated, {truncated} truncated"
        );
    }
    // With one piece some games end before the limit and some do not.
    let (terminated, truncated) = follow(limited(&race("ashte-kashte?pieces=1", 2), 30), 5, 800);
    assert!(
        terminated > 10 && truncated > 10,
        "{terminated} terminated, {truncated} truncated"
    );
}

#[test]
fn the_first_of_many_games_is_the_single_game_of_the_seed() {
    for (game, seats) in games() {
        let race = race(game, seats);
        for game in [limited(&race, 7), race].map(Arc::new) {
            let mut rng = chance::stream(5, 1);
            let mut env = Env::new(Arc::clone(&game));
            let mut envs = VecEnv::new(&game, 2, Caller::All);
            let mut out = Buffers::new(game.spec(), 2);
            let seats: Vec<Seat> = game.spec().seats.iter().collect();
            let mut seen = env.reset(9);
            envs.reset(9, &mut out.view());
            let mut is_over = false;
            while !is_over {
                assert_eq!(env.seat(), Some(seats[out.players[0] as usize]));
                assert_eq!(env.legal_actions(), out.legal(0));
                let actions = random_actions(&out, &mut rng);
                let step = env.step(actions[0]).expect("a legal action");
                envs.step(&actions, &mut out.view()).expect("legal actions");
                assert_eq!(env.state(), envs.games()[0].env.state());
                assert_eq!(
                    (step.terminated, step.truncated),
                    (out.terminated[0], out.truncated[0])
                );
                let returns: Vec<f32> = seats.iter().map(|&seat| step.returns[seat]).collect();
                assert_eq!(returns, out.returns.row(0).to_vec());
                seen = step.observation;
                assert_eq!(seen.seat, seats[out.players[0] as usize]);
                assert_eq!(seen.mask, out.legal(0));
                assert_eq!(seen.dense(), out.observations.row(0).to_vec());
                is_over = step.terminated || step.truncated;
            }
            assert!(
                seen.mask.is_empty() && seen.dense().contains(&1.0),
                "an end shows the pieces"
            );
            assert_eq!(env.step(Action(0)), Err(StepError::Over));
            assert_eq!((env.seat(), env.is_terminated()), (None, out.terminated[0]));
            assert_eq!(env.is_truncated(), out.truncated[0]);
        }
    }
}

fn states_of(envs: &VecEnv<Race>) -> Vec<State> {
    envs.games().iter().map(|game| *game.env.state()).collect()
}

#[test]
fn a_refused_action_leaves_every_game_unmoved() {
    for (game, seats) in games() {
        let game = Arc::new(race(game, seats));
        let mut rng = chance::stream(7, 1);
        let mut envs = VecEnv::new(&game, 4, Caller::All);
        let mut out = Buffers::new(game.spec(), 4);
        envs.reset(2, &mut out.view());
        for step in 0..60 {
            let actions = random_actions(&out, &mut rng);
            let states = states_of(&envs);
            let written = out.clone();
            let at = step % 4;
            if out.legal(at).is_empty() {
                envs.step(&actions, &mut out.view()).expect("legal actions");
                continue;
            }
            for wrong in (0..=255)
                .map(Action)
                .filter(|&action| !out.legal(at).contains(action))
                .collect::<Vec<_>>()
            {
                let mut actions = actions.clone();
                actions[at] = wrong;
                let expected = StepError::IllegalAction {
                    action: wrong.0,
                    legal: out.legal(at),
                    game: Some(at),
                };
                assert_eq!(envs.step(&actions, &mut out.view()), Err(expected));
            }
            for count in [0, 3] {
                let expected = StepError::Count {
                    expected: 4,
                    found: count,
                };
                assert_eq!(envs.step(&actions[..count], &mut out.view()), Err(expected));
            }
            assert_eq!((states_of(&envs), &out), (states, &written));
            envs.step(&actions, &mut out.view()).expect("legal actions");
        }
    }
}

#[test]
fn errors_name_the_problem() {
    let mut env = Env::new(Arc::new(race("ashte-kashte", 2)));
    let error = env.step(Action(7)).expect_err("no double at the start");
    assert_eq!(
        error.to_string(),
        format!("action 7 is not legal; legal are {:?}", env.legal_actions())
    );
    let error = StepError::IllegalAction {
        action: 3,
        legal: ActionMask::EMPTY,
        game: Some(12),
    };
    assert_eq!(
        error.to_string(),
        "action 3 is not legal in game 12; legal are {}"
    );
    assert_eq!(
        StepError::Count {
            expected: 4,
            found: 3
        }
        .to_string(),
        "3 actions for 4 games"
    );
}

#[test]
fn the_caller_plays_one_seat_and_sees_its_side() {
    for caller in [Caller::One(Seat::NORTH), Caller::Drawn] {
        let game = Arc::new(race("ashte-kashte?pieces=1", 2));
        let mut rng = chance::stream(9, 1);
        let mut envs = VecEnv::new(&game, 6, caller);
        let mut out = Buffers::new(game.spec(), 6);
        let (mut ends, mut seats) = (0, [0; 2]);
        envs.reset(3, &mut out.view());
        while ends < 40 {
            while envs.opponents().next().is_some() {
                for VecGame { env, .. } in envs.opponents() {
                    env.play(
                        env.legal_actions()
                            .nth(0)
                            .expect("an opponent has to choose"),
                    )
                    .expect("it is legal");
                }
            }
            envs.write(&mut out.view());
            for (at, VecGame { env, own, .. }) in envs.games().iter().enumerate() {
                let own = own.expect("the caller has a seat");
                assert!(caller == Caller::Drawn || caller == Caller::One(own));
                assert!(env.seat().is_none_or(|seat| seat == own));
                let mut expected = vec![0.0; game.spec().observation];
                env.observe(own, &mut expected);
                assert_eq!(out.observations.row(at).to_vec(), expected);
                ends += usize::from(out.terminated[at]);
                seats[out.players[at] as usize] += 1;
            }
            envs.play(&random_actions(&out, &mut rng))
                .expect("legal actions");
        }
        assert!(
            seats[1] > 0 && (seats[0] > 0) == (caller == Caller::Drawn),
            "{seats:?}"
        );
    }
}

#[test]
fn a_race_with_another_turn_limit_stays_the_same_game() {
    let sheet = race("ashte-kashte", 2);
    let limited = limited(&sheet, 9);
    assert_eq!(
        (limited.spec().turn_limit, limited.spec().ruleset_hash),
        (9, sheet.spec().ruleset_hash)
    );
    assert_eq!(limited.ruleset(), sheet.ruleset());
}

#[test]
fn a_game_goes_on_from_where_another_one_stands() {
    for (game, seats) in games() {
        let game = Arc::new(race(game, seats));
        let mut env = Env::new(Arc::clone(&game));
        env.reset(3);
        let mut rng = chance::stream(4, 0);
        let mut choose = |env: &Env<Race>| {
            let legal = env.legal_actions();
            legal
                .nth(below(legal.len(), &mut rng))
                .expect("a legal action")
        };
        for _ in 0..40 {
            if env.seat().is_none() {
                env.reset(5);
            }
            env.step(choose(&env)).expect("a legal action");
        }
        let mut other = Env::resume(game, env.snapshot());
        while env.seat().is_some() {
            let action = choose(&env);
            assert_eq!(env.step(action), other.step(action));
            assert_eq!(env.snapshot(), other.snapshot());
        }
    }
}
