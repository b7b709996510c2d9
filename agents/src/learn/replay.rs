//! The replay buffer: the latest samples of self-play, from which batches are drawn.
//!
//! Samples are sparse, and the newest samples overwrite the oldest. Samples are drawn like cards
//! from a deck: all samples once in random order, then all samples again in a new order. So each
//! sample is drawn equally often. A buffer that was saved and loaded draws the same batches to the
//! last bit.

use std::path::Path;

use ashta_env::{
    chance::{self, GameRng},
    game::{Action, ActionMask, Game, MAX_SEATS},
};
use serde::{Deserialize, Serialize};

use crate::{
    learn::{
        net::{Batch, Sample},
        selfplay::{GameRecord, TargetRule, TrainingPosition},
    },
    network::{
        portable::MlpShape,
        tensor_file::{self, MAX_HEADER, NamedTensor, TensorFile},
    },
    play::{error::Error, perspective},
};

/// A ring buffer of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    part: Part,
    capacity: usize,
    actions: usize,
    samples: Vec<Stored>,
    /// Number of samples ever added. The next sample is stored at this number modulo the capacity.
    added: u64,
    /// The indices of the samples that are still to be drawn. The last index is drawn next.
    deck: Vec<u32>,
}

/// The kind of positions that a network learns from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Turn-start states, for the value network.
    Starts,
    /// All other positions, for the policy network.
    Turns,
}

#[derive(Clone, Debug, PartialEq)]
struct Stored {
    active: Box<[u16]>,
    values: Box<[f32]>,
    policy: Box<[(Action, f32)]>,
    legal: ActionMask,
}

const FILE: &str = "replay.safetensors";
const KEY: &str = "ashta-replay";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferManifest {
    format: u32,
    part: Part,
    capacity: usize,
    samples: usize,
    added: u64,
    values: usize,
    actions: usize,
    actives: usize,
    policies: usize,
    deck: usize,
}

const FORMAT: u32 = 4;

impl Replay {
    /// An empty replay buffer for at most `capacity` samples, in a game with `actions` actions.
    ///
    /// # Panics
    /// When `capacity` is 0.
    pub fn new(part: Part, capacity: usize, actions: usize) -> Replay {
        assert!(
            capacity > 0,
            "the capacity of a replay buffer must be at least 1"
        );
        Replay {
            part,
            capacity,
            actions,
            samples: Vec::new(),
            added: 0,
            deck: Vec::new(),
        }
    }

    /// Number of samples in the buffer.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether the buffer has no samples.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Number of samples ever added.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Replays a game and adds its positions of the part of this buffer, with targets by `rule`.
    /// The seat that throws or decides observes the position.
    pub fn add<G: Game>(&mut self, game: &G, record: &GameRecord<G::State>, rule: TargetRule) {
        record.visit(game, rule, |position| self.add_position(game, &position));
    }

    /// Adds a position of a replayed game if the position belongs to the part of this buffer. To
    /// fill several buffers, replay the game once and call this function for each position and each
    /// buffer.
    pub fn add_position<G: Game>(&mut self, game: &G, position: &TrainingPosition<'_, G::State>) {
        if position.is_start != (self.part == Part::Starts) {
            return;
        }
        let (mut active, mut values) = (Vec::with_capacity(64), Vec::with_capacity(MAX_SEATS));
        game.observe_active(position.state, position.seat, &mut active);
        perspective::to_relative(&position.values, game.spec(), position.seat, &mut values);
        let legal = if position.policy.is_empty() {
            ActionMask::EMPTY
        } else {
            game.legal_actions(position.state)
        };
        let (active, values) = (active.as_slice().into(), values.into());
        let sample = Stored {
            active,
            values,
            policy: position.policy.into(),
            legal,
        };
        match self
            .samples
            .get_mut((self.added % self.capacity as u64) as usize)
        {
            Some(oldest) => *oldest = sample,
            None => self.samples.push(sample),
        }
        self.added += 1;
    }

    /// Fills `batch` with the next `count` samples of the deck. When the deck is empty, all samples
    /// are shuffled into a new deck.
    ///
    /// # Panics
    /// When the buffer has no samples.
    pub fn draw(&mut self, count: usize, rng: &mut GameRng, batch: &mut Batch) {
        batch.clear();
        let mut policy = vec![0.0; self.actions];
        for _ in 0..count {
            let place = self.deck.pop().unwrap_or_else(|| {
                self.deck.extend(0..self.samples.len() as u32);
                for last in (1..self.deck.len()).rev() {
                    self.deck.swap(last, chance::below(last + 1, rng));
                }
                self.deck.pop().expect("the buffer has a sample")
            });
            let sample = &self.samples[place as usize];
            policy.fill(0.0);
            sample
                .policy
                .iter()
                .for_each(|&(action, probability)| policy[usize::from(action.0)] = probability);
            let has_policy = !sample.policy.is_empty();
            batch.push(Sample {
                active: &sample.active,
                values: &sample.values,
                policy: has_policy.then_some((sample.legal, policy.as_slice())),
            });
        }
    }

    /// Saves the replay buffer in the directory `dir`, which must exist.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        let mut lengths = Vec::with_capacity(2 * self.samples.len());
        let (mut actives, mut values, mut legal) = (Vec::new(), Vec::new(), Vec::new());
        let (mut chosen, mut policies) = (Vec::new(), Vec::new());
        for sample in &self.samples {
            lengths.extend([sample.active.len() as u16, sample.policy.len() as u16]);
            actives.extend_from_slice(&sample.active);
            values.extend_from_slice(&sample.values);
            legal.push(sample.legal.bits());
            chosen.extend(sample.policy.iter().map(|&(action, _)| u16::from(action.0)));
            policies.extend(sample.policy.iter().map(|&(_, probability)| probability));
        }
        let manifest = BufferManifest {
            format: FORMAT,
            part: self.part,
            capacity: self.capacity,
            samples: self.samples.len(),
            added: self.added,
            values: self.samples.first().map_or(0, |sample| sample.values.len()),
            actions: self.actions,
            actives: actives.len(),
            policies: policies.len(),
            deck: self.deck.len(),
        };
        let tensors = [
            NamedTensor::shorts("lengths", &lengths),
            NamedTensor::shorts("actives", &actives),
            NamedTensor::row("values", &values),
            NamedTensor::longs("legal", &legal),
            NamedTensor::shorts("actions", &chosen),
            NamedTensor::row("policies", &policies),
            NamedTensor::longs("deck", &self.deck),
        ];
        tensor_file::save(&dir.join(FILE), KEY, "replay buffer", &manifest, &tensors)
    }

    /// Loads a replay buffer from the directory `dir`.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, was saved with another part or capacity, or does
    /// not fit a network of this shape.
    pub fn load(
        dir: &Path,
        part: Part,
        capacity: usize,
        shape: &MlpShape,
    ) -> Result<Replay, Error> {
        let actions = shape.actions;
        // The largest size of a sample in bytes: its lengths, legal actions and index in the deck
        // (at most 16), its values, its entries and its policy.
        let most = 16 + 4 * shape.values + 2 * shape.observation + 6 * actions;
        let bytes = tensor_file::read(&dir.join(FILE), MAX_HEADER + (capacity * most) as u64)?;
        let file = TensorFile::decode(&bytes, KEY)?;
        let manifest: BufferManifest = serde_json::from_str(&file.manifest)
            .map_err(tensor_file::invalid_manifest("replay buffer"))?;
        let name = |part: Part| format!("{part:?}").to_lowercase();
        for (what, expected, found) in [
            (
                "the format",
                FORMAT.to_string(),
                manifest.format.to_string(),
            ),
            ("the part", name(part), name(manifest.part)),
            (
                "the capacity",
                capacity.to_string(),
                manifest.capacity.to_string(),
            ),
            (
                "the number of actions",
                actions.to_string(),
                manifest.actions.to_string(),
            ),
        ] {
            Error::unless(expected == found, || {
                format!("the saved replay buffer has {what} {found}, not {expected}")
            })?;
        }
        let damaged =
            |what: &str| Error::new(format!("the saved replay buffer is damaged: {what}"));
        let check = |holds: bool, what: &str| if holds { Ok(()) } else { Err(damaged(what)) };
        let count = manifest.samples;
        check(
            count == 0 || manifest.values == shape.values,
            "the network has another number of values",
        )?;
        let pairs = count
            .checked_mul(2)
            .ok_or_else(|| damaged("too many samples"))?;
        let all_values = count
            .checked_mul(manifest.values)
            .ok_or_else(|| damaged("too many values"))?;
        let (lengths, legal) = (file.shorts("lengths", pairs)?, file.longs("legal", count)?);
        let (actives, values) = (
            file.shorts("actives", manifest.actives)?,
            file.floats("values", &[all_values])?,
        );
        let chosen = file.shorts("actions", manifest.policies)?;
        let policies = file.floats("policies", &[manifest.policies])?;
        check(
            actives
                .iter()
                .all(|&index| usize::from(index) < shape.observation),
            "an entry is out of range",
        )?;
        check(
            chosen.iter().all(|&action| usize::from(action) < actions),
            "an action is out of range",
        )?;
        let mut samples = Vec::with_capacity(count);
        let mut actives = actives.as_slice();
        let mut policies = chosen
            .iter()
            .map(|&action| Action(action as u8))
            .zip(policies);
        for (number, (lengths, bits)) in lengths.chunks_exact(2).zip(legal).enumerate() {
            let (active, rest) = actives
                .split_at_checked(lengths[0].into())
                .ok_or_else(|| damaged("entries are missing"))?;
            actives = rest;
            let policy: Box<[_]> = policies.by_ref().take(lengths[1].into()).collect();
            check(
                policy.len() == usize::from(lengths[1]),
                "policies are missing",
            )?;
            let legal = ActionMask::of_bits(bits);
            let is_legal = policy.iter().all(|&(action, _)| legal.contains(action));
            check(is_legal, "a policy has an action that is not legal")?;
            let values = values[number * manifest.values..][..manifest.values].into();
            samples.push(Stored {
                active: active.into(),
                values,
                policy,
                legal,
            });
        }
        let is_count = samples.len() as u64 == manifest.added.min(capacity as u64);
        check(
            is_count,
            "the number of samples does not match the number of samples ever added",
        )?;
        let deck = file.longs("deck", manifest.deck)?;
        check(
            deck.iter().all(|&place| (place as usize) < samples.len()),
            "a sample of the deck is out of range",
        )?;
        Ok(Replay {
            samples,
            added: manifest.added,
            deck,
            ..Replay::new(part, capacity, actions)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        learn::{config::TrainConfig, selfplay::play_games},
        network::portable::NetShape,
        play::baseline::PipEvaluator,
    };
    use ashta_env::testing::toy::{Toy, ToyPieces, ToyTable, ToyThrows};

    fn config() -> TrainConfig {
        let mut config = TrainConfig::default();
        let selfplay = &mut config.selfplay;
        (selfplay.series_probability, selfplay.branch_turns) = (0.01, 3);
        (
            selfplay.random_start_share,
            selfplay.random_start_turns,
            selfplay.exploration,
        ) = (0.2, 4, 0.0);
        (selfplay.turn_limit, config.learning.policy_temperature) = (u32::MAX, 0.02);
        config
    }

    fn filled(part: Part, capacity: usize) -> Replay {
        let game = Toy::new(ToyTable::Three, ToyPieces::Two, ToyThrows::Series);
        let mut replay = Replay::new(part, capacity, game.spec().actions);
        for record in play_games(&game, &mut PipEvaluator, &config(), 3, 0..20) {
            replay.add(
                &game,
                &record,
                TargetRule {
                    lambda: 0.7,
                    luck_coefficient: 1.0,
                },
            );
        }
        replay
    }

    #[test]
    fn the_newest_samples_stay() {
        let (all, few) = (filled(Part::Starts, 100_000), filled(Part::Starts, 50));
        assert_eq!((few.len(), few.added()), (50, all.added()));
        let newest = &all.samples[all.len() - 50..];
        assert!(newest.iter().all(|sample| few.samples.contains(sample)));
    }

    #[test]
    fn every_sample_is_drawn_equally_often() {
        let mut replay = filled(Part::Starts, 50);
        let (mut rng, mut batch, mut order) = (chance::stream(1, 2), Batch::default(), Vec::new());
        for _ in 0..3 {
            let mut drawn = Vec::new();
            for _ in 0..5 {
                replay.draw(10, &mut rng, &mut batch);
                drawn.extend(batch.observations.iter().map(<[u16]>::to_vec));
            }
            order.push(drawn.clone());
            let mut all: Vec<Vec<u16>> = replay
                .samples
                .iter()
                .map(|sample| sample.active.to_vec())
                .collect();
            drawn.sort();
            all.sort();
            assert_eq!(drawn, all);
        }
        assert_ne!(order[0], order[1], "in another order each time");
    }

    #[test]
    fn a_loaded_replay_draws_the_same_batches() {
        let dir = std::env::temp_dir().join(format!("ashta-replay-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
        let mut replay = filled(Part::Turns, 200);
        replay.draw(50, &mut chance::stream(1, 1), &mut Batch::default());
        replay.save(&dir).expect("writable");
        let game = Toy::new(ToyTable::Three, ToyPieces::Two, ToyThrows::Series);
        let shape = NetShape::for_spec(game.spec(), &[8], &[8]).policy;
        let mut loaded = Replay::load(&dir, Part::Turns, 200, &shape).expect("just saved");
        assert_eq!(loaded, replay);
        let (mut first, mut second) = (Batch::default(), Batch::default());
        // The rest of the deck, and a part of the next deck.
        replay.draw(200, &mut chance::stream(1, 2), &mut first);
        loaded.draw(200, &mut chance::stream(1, 2), &mut second);
        assert_eq!(first, second);
        let other = Replay::load(&dir, Part::Turns, 300, &shape).expect_err("another capacity");
        assert_eq!(
            other.to_string(),
            "the saved replay buffer has the capacity 200, not 300"
        );
        let other = Replay::load(&dir, Part::Starts, 200, &shape).expect_err("another part");
        assert_eq!(
            other.to_string(),
            "the saved replay buffer has the part turns, not starts"
        );
        let few = MlpShape {
            observation: 3,
            ..shape
        };
        let other =
            Replay::load(&dir, Part::Turns, 200, &few).expect_err("a network with fewer inputs");
        assert_eq!(
            other.to_string(),
            "the saved replay buffer is damaged: an entry is out of range"
        );
        std::fs::remove_dir_all(&dir).expect("the temporary directory is writable");
    }
}
