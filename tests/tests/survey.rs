//! Surveys add up: luck and regret per turn sum to the results of the games, for any agents.

use std::sync::Arc;

use ashta_agents::arena::{MatchConfig, MatchProgress};
use ashta_agents::perfect::survey::{Shortlist, Surveyed, SurveyedPosition, Whose, survey};
use ashta_agents::perfect::table::{Perfect, Table};
use ashta_agents::play::agent::{Agent, OnePly};
use ashta_agents::play::baseline::Baseline;
use ashta_env::race::Race;
use ashta_tests::solving;

/// A game of one piece a seat with its table, in full precision.
fn solved(text: &str) -> (Race, Arc<Table>) {
    (solving::race(text, "SN"), solving::table(text, "SN", false))
}

const GAMES: MatchConfig = MatchConfig { blocks: 200, seed: 5, threads: 1, batch: 64 };

fn itself(race: &Race, table: &Arc<Table>, config: &MatchConfig) -> (Surveyed, Vec<SurveyedPosition>) {
    let perfect = || Box::new(OnePly::new(Perfect::new(Arc::clone(table)))) as Box<dyn Agent<Race> + Send>;
    let shortlist = Shortlist::default();
    let found = survey(race, &perfect, Whose::Both, table, Some(&shortlist), config, &MatchProgress::UNWATCHED);
    (found, shortlist.positions(12))
}

#[test]
fn luck_and_regret_add_up_to_the_results() {
    for text in
        ["ashte-kashte?pieces=1&move=optional", "ashtapada?pieces=1&must_use=greedy", "pagade?pieces=1&no_cut=lap"]
    {
        let (race, table) = solved(text);
        for baseline in [Baseline::Random, Baseline::Greedy] {
            let found =
                survey(&race, &|| baseline.agent(), Whose::Agent, &table, None, &GAMES, &MatchProgress::UNWATCHED);
            let (report, nature) = (&found.report, &found.nature);
            assert_eq!((report.truncated_games, nature.games), (0, report.games), "{text}");
            // Every game is won or lost, so the variance follows from the score if each result is right.
            assert!((nature.variance - report.score * (1.0 - report.score)).abs() < 1e-4, "{text}: {nature:?}");
            let shares = nature.variance_shares.expect("games differ");
            assert!((shares.dice + shares.choices + shares.first_throw - 1.0).abs() < 1e-9, "{shares:?}");
            assert!((nature.lengths.mean.mean - report.turns_per_game).abs() < 1e-9);
            let decisions = nature.choices.mean * nature.turns as f64;
            assert!((decisions - found.regret.decisions as f64).abs() < 1e-6, "{text}: {decisions}");
        }
    }
}

#[test]
fn perfect_play_against_itself_has_no_regret() {
    let (race, table) = solved("ashte-kashte?pieces=1&move=optional");
    let (found, positions) = itself(&race, &table, &GAMES);
    let (report, nature) = (&found.report, &found.nature);
    assert_eq!((report.score, nature.games), (0.5, GAMES.blocks));
    assert_eq!(found.regret.regret_per_game.mean, 0.0);
    let shares = nature.variance_shares.expect("games differ");
    assert!(shares.choices == 0.0 && (shares.dice + shares.first_throw - 1.0).abs() < 1e-9, "{shares:?}");
    assert!((nature.lengths.mean.mean - report.turns_per_game).abs() < 1e-9);
    assert!(nature.choices.mean > 0.5 && nature.best_to_second == nature.best_to_worst, "to move or not");
    assert!(!positions.is_empty() && positions.len() <= 12);
    for position in &positions {
        let state = race.parse_state(&position.position).expect("the notation");
        assert_eq!(race.draw(&state), position.board);
        assert!(position.best.value - position.natural.value == position.regret && position.regret > 0.0);
        assert!(position.natural.turn != position.best.turn, "{position:?}");
    }
}

#[test]
fn threads_and_batches_change_no_survey() {
    let (race, table) = solved("ashte-kashte?pieces=1&move=optional");
    let (reference, positions) = itself(&race, &table, &GAMES);
    for (threads, batch) in [(2, 7), (3, 1000), (1, 1)] {
        let (found, others) = itself(&race, &table, &MatchConfig { threads, batch, ..GAMES });
        assert!(found.nature == reference.nature && found.regret == reference.regret, "{threads} threads");
        assert_eq!(others, positions);
    }
}
