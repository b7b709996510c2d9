//! Best responses: to perfect play, to agents with values and to agents with any other policy.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use ashta_agents::{
    arena::{Interval, MakeAgent, MatchConfig, MatchProgress},
    perfect::{
        exploit::{AgentPolicy, BestResponse, ExploitStage},
        regret::{Judged, against_perfect},
        solve::{PlayerPolicy, Response, SolveConfig, UNIT},
        table::{Perfect, Table},
    },
    play::{
        agent::{Agent, OnePly, RandomAgent},
        baseline::PipEvaluator,
        evaluator::{Evaluation, Evaluator},
    },
};
use ashta_env::{
    chance,
    game::{BySeat, Game, Node, Seat},
    race::{Race, state::State},
    ruleset::Ruleset,
    sheet::Sheet,
    testing::exact::{self, Play},
    turn_index::{TurnIndex, TurnModel},
};
use ashta_rule_tests::amount;
use ashta_tests::solving::{
    CONFIG, OneByOne, race, response, solved, start, turns, values_by, values_by_steps,
};

#[test]
fn perfect_play_is_unexploitable_and_beats_others_as_games_show() {
    let text = "ashte-kashte?pieces=1&move=optional";
    let turns = turns(text, "SN");
    let solution = solved(&turns, &CONFIG);
    let perfect = &solution.values;
    let start = start(&turns);
    let met = |policies| response(&turns, start, policies, &CONFIG);
    let reply = met([PlayerPolicy::Best, PlayerPolicy::GreedyBy(perfect)]);
    assert!((reply.mean() - 0.5).abs() < 1e-7, "{reply:?}");
    let value = f64::from(solution.values[turns.index().number(Seat::SOUTH, start)]) * UNIT;
    assert!((reply.by_order[0] - value).abs() < 1e-7);

    let race = turns.index().race().clone();
    let pips = values_by_steps(&turns);
    let exact = met([
        PlayerPolicy::GreedyBy(&pips),
        PlayerPolicy::GreedyBy(perfect),
    ]);
    let best = met([PlayerPolicy::Best, PlayerPolicy::GreedyBy(&pips)]);
    assert!(
        best.mean() >= 1.0 - exact.mean() - 1e-7,
        "{best:?} and {exact:?}"
    );

    let table = Arc::new(Table::new(turns.index().clone(), solution, false));
    let matched = MatchConfig {
        blocks: 2_000,
        seed: 5,
        threads: 2,
        batch: 64,
    };
    let agent = || Box::new(OnePly::new(PipEvaluator)) as Box<dyn Agent<Race> + Send>;
    let judge = |agent: MakeAgent<'_, '_, Race>, judged| {
        let (report, regret) = against_perfect(
            &race,
            agent,
            judged,
            &table,
            &matched,
            &MatchProgress::UNWATCHED,
        )
        .expect("two seats");
        (report, regret.expect("games end"))
    };
    let (report, regret) = judge(&agent, Judged::Played);
    let [low, high] = regret.luck_adjusted_score.interval;
    assert!(
        low - 0.001 < exact.mean() && exact.mean() < high + 0.001,
        "{exact:?} for {low} to {high}"
    );
    assert!(
        high - low < (report.interval[1] - report.interval[0]) / 3.0,
        "the luck-corrected interval is narrower"
    );
    let random = || Box::new(RandomAgent) as Box<dyn Agent<Race> + Send>;
    let [played, expected] =
        [Judged::Played, Judged::Expected].map(|judged| judge(&random, judged).1);
    assert!(played.regret_per_decision.mean > regret.regret_per_decision.mean);
    // The match is the same; the expectation has less noise.
    for (played, expected) in [
        (played.regret_per_decision, expected.regret_per_decision),
        (played.optimal_choices, expected.optimal_choices),
    ] {
        let width = |found: Interval| found.interval[1] - found.interval[0];
        assert!(
            (played.mean - expected.mean).abs() < width(played),
            "{played:?} and {expected:?}"
        );
        assert!(
            width(expected) < width(played),
            "{played:?} and {expected:?}"
        );
    }
    assert_eq!(played.decisions, expected.decisions);
    let itself =
        || Box::new(OnePly::new(Perfect::new(Arc::clone(&table)))) as Box<dyn Agent<Race> + Send>;
    let (_, itself) = judge(&itself, Judged::Played);
    assert!(itself.regret_per_decision.mean.abs() < 1e-9, "{itself:?}");
    assert_eq!(itself.optimal_choices.mean, 1.0);
}

/// Counts steps, plus a small random number for each position to break ties; the same from every
/// seat.
#[derive(Clone)]
struct Whim(TurnIndex);

impl Whim {
    fn of(text: &str) -> Whim {
        Whim(BestResponse::positions(&race(text, "SN")).expect("small"))
    }

    /// For the seat that throws.
    fn number(&self, state: &State) -> f32 {
        let Some((seat, [own, other, ..])) = self.0.locate(state) else {
            return 0.5;
        };
        let drawn = chance::mix(u64::from(own) << 16 | u64::from(other)) >> 40;
        let pips = PipEvaluator
            .evaluate(self.0.race(), &[*state])
            .remove(0)
            .values[seat];
        0.75 * pips + 0.25 * (drawn as f32 / (1u64 << 24) as f32)
    }
}

impl Evaluator<Race> for Whim {
    fn evaluate(&mut self, race: &Race, states: &[State]) -> Vec<Evaluation> {
        let answer = |state: &State| match race.node(state) {
            Node::Terminal => race.returns(state).into(),
            Node::Chance(seat) | Node::Decision(seat) => {
                let mut values = BySeat([1.0 - self.number(state); 4]);
                values[seat] = self.number(state);
                values.into()
            }
        };
        states.iter().map(answer).collect()
    }
}

fn go_on(_: ExploitStage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The best response to a policy, from the start.
fn find(race: &Race, policy: AgentPolicy<'_>, config: &SolveConfig) -> Response {
    BestResponse::new(race)
        .expect("small")
        .find(policy, config, &go_on)
        .expect("settles")
        .expect("whole")
}

/// Fails unless both orders of the seats have nearly the same values.
#[track_caller]
fn agree(text: &str, one: &Response, other: &Response, tolerance: f64) {
    for order in [0, 1] {
        assert!(
            (one.by_order[order] - other.by_order[order]).abs() < tolerance,
            "{text}: {one:?} and {other:?}"
        );
    }
}

#[test]
fn best_responses_to_values_and_to_choices_agree() {
    let games = [
        "ashte-kashte?pieces=1&move=optional",
        "pagade?pieces=1&must_use=optional&no_cut=off",
    ];
    for text in &games[..amount(1, games.len())] {
        let values = || Box::new(Whim::of(text)) as Box<dyn Evaluator<Race> + Send>;
        let choices = || Box::new(OnePly::new(Whim::of(text))) as Box<dyn Agent<Race> + Send>;
        let config = SolveConfig {
            threads: 2,
            ..CONFIG
        };
        let race = race(text, "SN");
        let by_values = find(&race, AgentPolicy::Values(&values), &config);
        let by_choices = find(&race, AgentPolicy::Choices(&choices), &config);
        // Probabilities of choices have single precision.
        agree(text, &by_values, &by_choices, 1e-6);
        assert!(by_values.mean() > 0.501, "{text}: {by_values:?}");
    }
}

/// Around the edge of three by three squares and into the middle, for three and four seats.
fn ring(seats: &str) -> Race {
    let text = r#"
        name = "ring"
        title = "Ring"
        summary = "Around the edge and into the middle."
        sources = ["Made for this test"]
        rules = "Go around the edge."
        seats.allowed = ["SEN", "SENW"]
        seats.turn_limit = 1000
        board.side = 3
        board.course = "B1 E1 N2 W2 S1 E1"
        pieces.count = 1
        throws.values = [1, 2, 3]
        turn.kind = "throw"
        turn.must = "optional"
        turn.again = [3]
        stacking.plain = "one"
    "#;
    let sheet = Arc::new(Sheet::read(text, "ring.toml").unwrap_or_else(|error| panic!("{error}")));
    Race::new(Ruleset::seated_of(sheet, Some(seats.len()), []).expect("seats"))
}

#[test]
fn the_best_response_to_random_play_has_the_value_of_an_exhaustive_solver() {
    // Turns of one action: in longer ones the solver draws again at each.
    for (text, seats) in [
        ("ashte-kashte?pieces=1&move=optional", "SN"),
        (
            "ashte-kashte?pieces=1&move=optional&capture_bonus=true",
            "SN",
        ),
        ("ring", "SEN"),
        ("ring", "SENW"),
    ] {
        let race = if text == "ring" {
            ring(seats)
        } else {
            race(text, seats)
        };
        let random = || Box::new(RandomAgent) as Box<dyn Agent<Race> + Send>;
        let found = find(&race, AgentPolicy::Choices(&random), &CONFIG);
        let mut plays = BySeat([Play::Uniform; 4]);
        plays[Seat::SOUTH] = Play::Best;
        let exact = exact::solve(&race, plays).expect("settles");
        let firsts = race.spec().seats;
        let value = |seat| exact.values(&race.initial_state(seat)).expect("a start")[Seat::SOUTH];
        let mean = firsts.iter().map(value).sum::<f64>() / firsts.len() as f64;
        assert!(
            (found.by_seat[0] - mean).abs() < 1e-6,
            "{text} {seats}: {found:?} for {mean}"
        );
        if seats == "SN" {
            assert!(
                (found.by_order[0] - value(Seat::SOUTH)).abs() < 1e-6,
                "{text}: {found:?}"
            );
        }
    }
}

/// In rows of a series, in lanes of one throw, and where seats wait.
#[test]
fn best_responses_by_rows_and_one_by_one_agree() {
    for text in [
        "ashtapada?pieces=1&must_use=greedy",
        "ur?pieces=2",
        "pagade?pieces=1&no_cut=wait",
    ] {
        let (turns, whim) = (turns(text, "SN"), Whim::of(text));
        assert_eq!(turns.has_rows(), text.starts_with("ashtapada"), "{text}");
        let thinks = values_by(&turns, |state, _| whim.number(state));
        for styles in [
            [PlayerPolicy::Best, PlayerPolicy::GreedyBy(&thinks)],
            [PlayerPolicy::GreedyBy(&thinks), PlayerPolicy::Best],
            [PlayerPolicy::Best; 2],
        ] {
            let config = SolveConfig {
                threads: 2,
                ..CONFIG
            };
            let rows = response(&turns, start(&turns), styles, &config);
            let single = response(&OneByOne(&turns), start(&turns), styles, &config);
            agree(text, &rows, &single, 1e-7);
        }
    }
}

#[test]
fn a_best_response_is_found_sooner_from_the_one_before() {
    let mut best = BestResponse::new(&race("ashte-kashte?pieces=1", "SN")).expect("small");
    let values = || Box::new(PipEvaluator) as Box<dyn Evaluator<Race> + Send>;
    let reported = AtomicUsize::new(0);
    let watch = |_| {
        reported.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let mut find = || {
        best.find(AgentPolicy::Values(&values), &CONFIG, &watch)
            .expect("settles")
            .expect("whole")
    };
    let first = find();
    let first_reported = reported.swap(0, Ordering::Relaxed);
    let again = find();
    let again_reported = reported.load(Ordering::Relaxed);
    assert!(
        (first.mean() - again.mean()).abs() < 1e-8,
        "{first:?} and {again:?}"
    );
    assert!(
        again_reported * 3 < first_reported,
        "{again_reported} after {first_reported}"
    );
    assert_eq!(
        best.find(AgentPolicy::Values(&values), &CONFIG, &|_| {
            ControlFlow::Break(())
        })
        .expect("stopped"),
        None
    );
}

#[test]
fn games_without_a_best_response_are_refused() {
    let refused = |text, seats: &str| {
        BestResponse::new(&race(text, seats))
            .expect_err("too much")
            .to_string()
    };
    assert!(
        refused("ashte-kashte", "SN").contains("one seat's pieces"),
        "{}",
        refused("ashte-kashte", "SN")
    );
    let mut best = BestResponse::new(&race("ashtapada?pieces=1", "SN")).expect("small");
    let choices = || Box::new(RandomAgent) as Box<dyn Agent<Race> + Send>;
    let refused = best
        .find(AgentPolicy::Choices(&choices), &CONFIG, &go_on)
        .expect_err("endless");
    assert!(
        refused.to_string().contains("any number of throws"),
        "{refused}"
    );
    struct Half;
    impl Evaluator<Race> for Half {
        fn evaluate(&mut self, _: &Race, states: &[State]) -> Vec<Evaluation> {
            states.iter().map(|_| BySeat([0.4; 4]).into()).collect()
        }
    }
    let values = || Box::new(Half) as Box<dyn Evaluator<Race> + Send>;
    let refused = best
        .find(AgentPolicy::Values(&values), &CONFIG, &go_on)
        .expect_err("no values of two seats");
    assert!(refused.to_string().contains("do not sum to 1"), "{refused}");
}
