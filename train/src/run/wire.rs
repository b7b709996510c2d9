//! Games and weights as data, for other machines.
//!
//! A message with games begins with four bytes that state the version. Data in the format
//! [postcard](https://postcard.jamesmunns.com) follow, with the hash of the rules. Decoding checks
//! every throw and action, so decoded games are valid training data.

use std::ops::Range;

use anyhow::{Context, Result, anyhow, ensure};
use ashta_agents::{
    learn::selfplay::{GameRecord, Trajectory},
    network::portable::{Mlp, NetShape, PortableNet},
};
use ashta_env::{
    game::{Action, Game, Node, Outcome},
    race::{Race, state::State},
};

/// The first bytes of every message; the last of these bytes is the version.
const MAGIC: [u8; 4] = *b"ash\x02";

/// The hash of the rules, the version of the encoding, and the games. The start of each trajectory
/// is a position as text.
type Games = (u64, u32, Vec<GameRecord<String>>);

/// Encodes games.
pub fn encode_games(race: &Race, records: &[GameRecord<State>]) -> Result<Vec<u8>> {
    let text =
        |record: &GameRecord<State>| record.clone().with_starts(|start| Ok(race.print(&start)));
    let games = records.iter().map(text).collect::<Result<_>>()?;
    let message: Games = (race.spec().ruleset_hash, race.spec().encoding, games);
    Ok(postcard::to_extend(&message, MAGIC.to_vec())?)
}

/// Decodes messages that contain the games `numbers`, in this order.
///
/// # Errors
/// When a game is missing or not expected, or a message is damaged or breaks the rules.
pub fn decode_all(
    race: &Race,
    messages: &[Vec<u8>],
    numbers: Range<u64>,
) -> Result<Vec<GameRecord<State>>> {
    let mut records = Vec::new();
    for message in messages {
        records.extend(decode_games(race, message)?);
    }
    ensure!(
        records
            .iter()
            .map(|record| record.number)
            .eq(numbers.clone()),
        "the messages do not contain the games {} to {}, each once and in this order",
        numbers.start,
        numbers.end - 1
    );
    Ok(records)
}

/// Decodes games and replays each by the rules of `race`.
///
/// # Errors
/// When the bytes are not a message with games of this ruleset, or a game breaks the rules.
fn decode_games(race: &Race, bytes: &[u8]) -> Result<Vec<GameRecord<State>>> {
    let content = bytes
        .strip_prefix(&MAGIC)
        .context("these bytes are not games of this version of ashta")?;
    let (found, encoding, games): Games =
        postcard::from_bytes(content).context("the message with games is damaged")?;
    let (expected, current) = (race.spec().ruleset_hash, race.spec().encoding);
    ensure!(
        (found, encoding) == (expected, current),
        "the games have ruleset {found:016x} and encoding {encoding}, not {expected:016x} and {current}"
    );
    let read = |game: GameRecord<String>| {
        let number = game.number;
        record(race, game).map_err(|what| anyhow!("game {number}: {what}"))
    };
    games.into_iter().map(read).collect()
}

fn record(race: &Race, record: GameRecord<String>) -> Result<GameRecord<State>> {
    ensure!(
        race.spec().seats.contains(record.first),
        "the seat of its first throw is not in the game"
    );
    let record = record.with_starts(|text: String| {
        race.parse_state(&text)
            .context("it begins at an invalid position")
    })?;
    ensure!(
        record.main.start == race.initial_state(record.first),
        "it does not begin at the initial position"
    );
    std::iter::once(&record.main)
        .chain(&record.branches)
        .try_for_each(|line| check(race, line))?;
    Ok(record)
}

fn check(race: &Race, line: &Trajectory<State>) -> Result<()> {
    ensure!(
        line.decisions.len() == line.actions.len(),
        "some actions lack the probabilities that the policy network learns"
    );
    let mut state = line.start;
    let mut outcomes = line.outcomes.iter();
    let mut actions = line.actions.iter().zip(&line.decisions);
    loop {
        match race.node(&state) {
            Node::Chance(_) => {
                let Some(&outcome) = outcomes.next() else {
                    break;
                };
                let count = race.chance_outcomes(&state).len();
                ensure!(
                    usize::from(outcome) < count,
                    "it has a throw that the dice do not have"
                );
                race.apply_chance(&mut state, Outcome(outcome));
            }
            Node::Decision(_) => {
                let Some((&action, policy)) = actions.next() else {
                    break;
                };
                let legal = race.legal_actions(&state);
                let mut named = policy
                    .iter()
                    .map(|&(action, _)| action)
                    .chain([Action(action)]);
                ensure!(
                    named.all(|action| legal.contains(action)),
                    "it has an action that is not legal"
                );
                race.apply_action(&mut state, Action(action));
            }
            Node::Terminal => break,
        }
    }
    ensure!(
        outcomes.next().is_none() && actions.next().is_none(),
        "it continues after its end"
    );
    Ok(())
}

/// The weights of both networks; the value network is first.
pub fn weights(net: &PortableNet) -> Vec<f32> {
    [net.value().parameters(), net.policy().parameters()].concat()
}

/// Creates the networks of this shape with these weights.
///
/// # Errors
/// When the number of weights is wrong, or a weight is not finite.
pub fn net(shape: &NetShape, weights: &[f32]) -> Result<PortableNet> {
    let expected = shape.value.parameters() + shape.policy.parameters();
    let found = weights.len();
    ensure!(
        found == expected,
        "there are {found} weights, not {expected}"
    );
    let (value, policy) = weights.split_at(shape.value.parameters());
    Ok(PortableNet::new(
        Mlp::new(shape.value.clone(), value)?,
        Mlp::new(shape.policy.clone(), policy)?,
    )?)
}

#[cfg(test)]
mod tests {
    use ashta_agents::{learn::selfplay::play_games, play::baseline::PipEvaluator};

    use super::*;
    use crate::run::{config::Config, games};

    fn played(game: &str) -> (Race, Vec<GameRecord<State>>) {
        let sets = [
            format!("ruleset.game={game}"),
            "selfplay.turn_limit=60".to_owned(),
        ];
        let config = Config::load(None, &sets).expect("a valid configuration");
        let race = games::configured(&config.ruleset).expect("a game");
        let records = play_games(&race, &mut PipEvaluator, &config.training, 3, 5..9);
        (race, records)
    }

    #[test]
    fn broken_games_are_refused_and_never_panic() {
        let (race, mut records) = played("ashtapada");
        records.truncate(1);
        records[0].branches.truncate(2);
        let bytes = encode_games(&race, &records).expect("a message");
        let error = |bytes: &[u8]| {
            decode_games(&race, bytes)
                .expect_err("it is broken")
                .to_string()
        };
        assert!(error(&bytes[1..]).contains("not games"));
        let older = [&bytes[..3], &[1], &bytes[4..]].concat();
        assert!(error(&older).contains("not games of this version"));
        assert_eq!(
            error(&bytes[..bytes.len() / 2]),
            "the message with games is damaged"
        );
        let (other, _) = played("pagade");
        assert!(
            decode_games(&other, &bytes)
                .expect_err("another game")
                .to_string()
                .contains("ruleset")
        );
        let mut wrong = records.clone();
        wrong[0].main.actions[0] ^= 16;
        let wrong = encode_games(&race, &wrong).expect("a message");
        assert_eq!(error(&wrong), "game 5: it has an action that is not legal");
        let mut long = records.clone();
        long[0].main.outcomes.push(200);
        let long = encode_games(&race, &long).expect("a message");
        assert!(error(&long).starts_with("game 5: it "), "{}", error(&long));
        // After any change of a byte, decoding returns games or an error.
        let mut refused = 0;
        for at in 4..bytes.len().min(4000) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x5A;
            refused += usize::from(decode_games(&race, &bytes).is_err());
        }
        assert!(refused > 100, "only {refused} were refused");
    }
}
