//! The manifest of a bot: the game, training and strength of the bot as JSON in the header of its
//! file.

use std::{collections::BTreeMap, fmt::LowerHex};

use ashta_env::{
    game::{Game, Seat, Spec},
    race::Race,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    network::portable::{NetShape, PortableNet, Scratch},
    play::{
        error::Error,
        level::{Calibration, Level},
    },
};

use super::{FORMAT, MAX_PROBES, card::CONFIG};

/// The game, training and strength of a bot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format.
    pub format: u32,
    /// Version of the program that exported the bot.
    pub program: String,
    /// The ruleset in the text notation, as in [`Spec::name`].
    pub ruleset: String,
    /// The letters of the seats of the game, in the order S, E, N, W.
    pub seats: String,
    /// The sheet of a game that is not built in, as TOML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// [`Spec::ruleset_hash`], 16 hexadecimal digits in the file.
    #[serde(
        serialize_with = "write_digits::<16, _, _>",
        deserialize_with = "read_hash"
    )]
    pub ruleset_hash: u64,
    /// [`Spec::encoding`].
    pub encoding: u32,
    /// CRC-32 of the data of the networks, 8 hexadecimal digits in the file. It is correct only if
    /// the bot was read from a file. Writing a bot does not use this number, but computes it again.
    #[serde(
        serialize_with = "write_digits::<8, _, _>",
        deserialize_with = "read_checksum"
    )]
    pub checksum: u32,
    /// The sizes of the networks.
    pub shape: NetShape,
    /// Facts about the training of the bot, by name, for people and programs.
    pub training: BTreeMap<String, String>,
    /// The measured strength of the bot.
    pub strength: Vec<Strength>,
    /// The levels of difficulty of the bot, the weakest first; empty if the bot was not calibrated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Calibration>,
    /// At most 64 positions with the outputs that a correct reader must reproduce.
    pub probes: Vec<Probe>,
}

/// The result of games against one opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strength {
    /// The opponent, and the look-ahead or level of the bot.
    pub opponent: String,
    /// Number of games.
    pub games: u64,
    /// Mean return per seat of the bot, 0 to 1.
    pub score: f64,
    /// Lower end of the 95 % interval of the score.
    pub low: f64,
    /// Upper end of the 95 % interval of the score.
    pub high: f64,
    /// The regret of the bot, if the opponent was perfect play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<Regret>,
}

/// The regret of a bot against perfect play: the value that its decisions lose, in units of value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regret {
    /// Mean regret per decision.
    pub mean: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
}

/// A position with the outputs of the networks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The position in the text notation, for readers that have the rules of the game.
    pub position: String,
    /// The letter of the seat that observes.
    pub observer: char,
    /// The entries of the observation that are 1, for readers without the rules of the game.
    pub active: Vec<u16>,
    /// The values `[values]`, relative to the observer.
    pub values: Vec<f32>,
    /// The policy logits `[actions]`; empty for turn-start states.
    pub policy: Vec<f32>,
}

impl Manifest {
    /// The manifest of a bot for the game of `spec` with networks of this shape, without training,
    /// strength and probes.
    pub fn new(spec: &Spec, shape: NetShape) -> Manifest {
        Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            ruleset: spec.name.clone(),
            seats: spec.seats.iter().map(Seat::letter).collect(),
            sheet: None,
            ruleset_hash: spec.ruleset_hash,
            encoding: spec.encoding,
            checksum: 0,
            shape,
            training: BTreeMap::new(),
            strength: Vec::new(),
            levels: Vec::new(),
            probes: Vec::new(),
        }
    }

    /// The manifest of a bot for a race game, as [`Manifest::new`], with the sheet of the game if
    /// the game is not built in.
    pub fn of(race: &Race, shape: NetShape) -> Manifest {
        let ruleset = race.ruleset();
        let sheet = (!ruleset.is_builtin()).then(|| ruleset.base().text());
        Manifest {
            sheet,
            ..Manifest::new(race.spec(), shape)
        }
    }

    /// Reads a manifest. Manifests of format 2 can contain folder names of the machine that made
    /// the bot; this function removes them.
    pub(super) fn parse(text: &str) -> Result<Manifest, Error> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        check_format(
            serde_json::from_str::<Version>(text)
                .map_err(Error::because(INVALID))?
                .format,
        )?;
        let mut manifest: Manifest = serde_json::from_str(text).map_err(Error::because(INVALID))?;
        for entry in &mut manifest.strength {
            entry.opponent = without_folder(&entry.opponent).to_owned();
        }
        if let Some(config) = manifest.training.get_mut(CONFIG) {
            let is_list =
                |line: &str| line.starts_with("during = ") || line.starts_with("opponents = ");
            let names_folder = |line: &str| {
                line.starts_with("directory = ") || is_list(line) && line.contains(SEPARATORS)
            };
            *config = config
                .split_inclusive('\n')
                .filter(|line| !names_folder(line))
                .collect();
        }
        Ok(manifest)
    }

    pub(super) fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(Error::because(INVALID))
    }

    /// Adds a result. It replaces an earlier result with the same [`Strength::opponent`].
    pub fn record(&mut self, result: Strength) {
        match self
            .strength
            .iter_mut()
            .find(|other| other.opponent == result.opponent)
        {
            Some(other) => *other = result,
            None => self.strength.push(result),
        }
    }

    /// Checks all values, as far as this is possible without the networks.
    pub(super) fn check(&self) -> Result<(), Error> {
        let require = |what: &str, expected: &str, found: String, holds| {
            Error::unless(holds, || {
                format!("{what} in the manifest is {found}, not {expected}")
            })
        };
        check_format(self.format)?;
        let measured = |what, mean: f64, low: f64, high: f64| {
            let holds = [mean, low, high].into_iter().all(f64::is_finite);
            require(
                what,
                "a finite number",
                format!("{low} to {high} around {mean}"),
                holds,
            )
        };
        for Strength {
            score,
            low,
            high,
            regret,
            ..
        } in &self.strength
        {
            measured("the score of a strength entry", *score, *low, *high)?;
            if let Some(Regret { mean, low, high }) = regret {
                measured("the regret of a strength entry", *mean, *low, *high)?;
            }
        }
        for Calibration {
            temperature,
            level,
            regret,
            regret_interval,
            score,
            score_interval,
            ..
        } in &self.levels
        {
            let holds = temperature.is_finite() && *temperature > 0.0;
            require(
                "the temperature of a level",
                "above 0",
                format!("{temperature} ({level})"),
                holds,
            )?;
            let figures = [&[*regret, *score][..], regret_interval, score_interval].concat();
            let holds = figures.iter().all(|figure| figure.is_finite());
            require(
                "the measurement of a level",
                "finite numbers",
                format!("{figures:?} ({level})"),
                holds,
            )?;
        }
        let levels: Vec<Level> = self.levels.iter().map(|found| found.level).collect();
        let found = levels
            .iter()
            .map(|level| level.name())
            .collect::<Vec<_>>()
            .join(", ");
        let holds =
            levels.iter().all(|&level| level < Level::Expert) && levels.is_sorted_by(|a, b| a < b);
        let problem = "they must be below expert, in ascending order and without repetition";
        Error::unless(holds, || {
            format!("the levels in the manifest are {found}; {problem}")
        })?;
        let probes = self.probes.len();
        require(
            "the number of probes",
            "at most 64",
            probes.to_string(),
            probes <= MAX_PROBES,
        )?;
        for probe in &self.probes {
            let observer = probe.observer;
            let known = self.seats.contains(observer) && Seat::from_letter(observer).is_some();
            require(
                "the observer of a probe",
                "a seat of the game",
                observer.to_string(),
                known,
            )?;
            let NetShape { value, policy } = &self.shape;
            let length = policy.observation;
            let outside = probe
                .active
                .iter()
                .find(|&&entry| usize::from(entry) >= length);
            if let Some(entry) = outside {
                let expected = format!("below {length}");
                require(
                    "an active entry of a probe",
                    &expected,
                    entry.to_string(),
                    false,
                )?;
            }
            let (what, entries) = (
                "the number of active entries of a probe",
                probe.active.len(),
            );
            require(
                what,
                &format!("at most {length}"),
                entries.to_string(),
                entries <= length,
            )?;
            let logits = if self.shape.is_start(&probe.active) {
                0
            } else {
                policy.actions
            };
            for (what, expected, found) in [
                (
                    "the number of values of a probe",
                    value.values,
                    probe.values.len(),
                ),
                (
                    "the number of policy logits of a probe",
                    logits,
                    probe.policy.len(),
                ),
            ] {
                require(
                    what,
                    &expected.to_string(),
                    found.to_string(),
                    expected == found,
                )?;
            }
        }
        Ok(())
    }
}

impl Probe {
    /// The outputs of `net` for a position. `active` are the entries that are 1 in the observation
    /// by `observer`.
    ///
    /// # Panics
    /// When an entry is not below the length of an observation.
    pub fn new(position: String, observer: Seat, active: Vec<u16>, net: &PortableNet) -> Probe {
        let mut scratch = Scratch::default();
        let (values, policy) = net.forward(&active, &mut scratch);
        Probe {
            position,
            observer: observer.letter(),
            values: values.to_vec(),
            policy: policy.to_vec(),
            active,
        }
    }
}

/// The separators in paths on all systems.
const SEPARATORS: [char; 2] = ['/', '\\'];

/// Returns the name of an agent without the folder of its file.
pub fn without_folder(agent: &str) -> &str {
    agent.rsplit(SEPARATORS).next().unwrap_or(agent)
}

const INVALID: &str = "the manifest is not valid";

fn check_format(found: u32) -> Result<(), Error> {
    let is_known = (2..=FORMAT).contains(&found);
    Error::unless(is_known, || {
        format!("the bot has format {found}, this program reads formats 2 and {FORMAT}")
    })
}

fn write_digits<const DIGITS: usize, N: LowerHex, S: Serializer>(
    number: &N,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:0DIGITS$x}"))
}

fn read_hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    read_digits("ruleset_hash", 16, deserializer)
}

fn read_checksum<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(read_digits("checksum", 8, deserializer)? as u32)
}

fn read_digits<'de, D: Deserializer<'de>>(
    what: &str,
    digits: usize,
    deserializer: D,
) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    u64::from_str_radix(&text, 16)
        .ok()
        .filter(|number| format!("{number:0digits$x}") == text)
        .filter(|_| text.len() == digits)
        .ok_or_else(|| {
            serde::de::Error::custom(format!(
                "{what} {text:?} is not {digits} lowercase hexadecimal digits"
            ))
        })
}
