//! The exported bot: one file that any program can load and play with.
//!
//! It is a safetensors file with a manifest in its header. The manifest has the game of the bot,
//! the shape of its networks, its training, its measured strength, and probes. A probe is a
//! position with the outputs that a correct reader must reproduce. `docs/bot-format.md` describes
//! the format for other languages. Reading does not need burn, checks every byte and never panics.

mod card;
mod manifest;
mod onnx;

use std::{path::Path, sync::Arc};

use ashta_env::{
    game::{Game, SeatSet, Spec},
    race::Race,
    ruleset::Ruleset,
    sheet::Sheet,
};
use safetensors::Dtype;

use crate::{
    network::{
        evaluator::NetEvaluator,
        portable::{Mlp, MlpShape, NetShape, PortableNet, Scratch},
        tensor_file::{self, NamedTensor, TensorFile},
    },
    play::{agent::OnePly, error::Error},
};

pub use manifest::{Manifest, Probe, Regret, Strength, without_folder};

/// The version of the format that this program writes; it also reads format 2, which has no
/// checksum of the header.
pub const FORMAT: u32 = 3;

/// The key of the manifest in the metadata.
const KEY: &str = "ashta";
/// The name of the last tensor of a file. Its data is the CRC-32 of all bytes before it,
/// little-endian.
const SEAL: &str = "checksum";
const SEAL_BYTES: usize = 4;
/// The largest error of an output for a probe: relative if the size of the expected output is above
/// 1, otherwise absolute.
const TOLERANCE: f32 = 1e-4;
/// The largest number of probes in a file, so that reading is fast.
pub const MAX_PROBES: usize = 64;
/// The largest file of a bot, in bytes.
const MAX_FILE: u64 = 256 << 20;
/// The largest size of a file without its weights, in bytes.
const BESIDE_WEIGHTS: u64 = 16 << 20;

/// The networks of a bot with their manifest.
#[derive(Clone, Debug)]
pub struct Bot {
    /// The game, training and strength of the bot.
    pub manifest: Manifest,
    /// The networks of the bot.
    pub net: Arc<PortableNet>,
}

impl Bot {
    /// Reads a bot from a file and checks it as [`Bot::from_bytes`] does.
    ///
    /// # Errors
    /// When the file cannot be read, or its content is not a valid bot.
    pub fn load(path: impl AsRef<Path>) -> Result<Bot, Error> {
        let path = path.as_ref();
        Bot::from_bytes(&Bot::content(path)?).map_err(in_file(path))
    }

    /// Reads a bot of any [`Game`](ashta_env::game::Game) from a file. Checks the file, its probes,
    /// and that the bot plays the game `spec`.
    ///
    /// # Errors
    /// When the file cannot be read, its content is not a valid bot, or the bot plays another game.
    pub fn load_for(path: impl AsRef<Path>, spec: &Spec) -> Result<Bot, Error> {
        let path = path.as_ref();
        let bot = Bot::decode(&Bot::content(path)?).map_err(in_file(path))?;
        bot.check_ruleset(spec).map_err(in_file(path))?;
        Ok(bot)
    }

    /// An agent that plays by the value network, one ply ahead, in the game of [`Bot::race`]. To
    /// play in another [`Race`], first call [`Bot::check_ruleset`].
    pub fn agent(&self) -> OnePly<NetEvaluator> {
        OnePly::new(self.evaluator())
    }

    /// An evaluator with the networks of the bot, for positions of its game.
    pub fn evaluator(&self) -> NetEvaluator {
        NetEvaluator::new(Arc::clone(&self.net))
    }

    /// Reads the bytes of a file. It does not check whether the file is a bot.
    ///
    /// # Errors
    /// When the file cannot be read or is too large.
    pub fn content(path: &Path) -> Result<Vec<u8>, Error> {
        tensor_file::read(path, MAX_FILE).map_err(in_file(path))
    }

    /// Reads a bot from the content of its file and checks everything: this program has the same
    /// rules and encoding, the networks fit the game, and they reproduce the outputs of the probes.
    /// No content causes a panic.
    ///
    /// # Errors
    /// When the content is not a valid bot, or this program cannot play its game.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bot, Error> {
        let bot = Bot::decode(bytes)?;
        bot.race()?;
        Ok(bot)
    }

    /// Reads a bot without checking its game.
    fn decode(bytes: &[u8]) -> Result<Bot, Error> {
        let file = TensorFile::decode(bytes, KEY)?;
        let check = |what: &str, bytes: &[u8], expected: u32| {
            let found = tensor_file::checksum(&[bytes]);
            Error::unless(expected == found, || {
                format!(
                    "the file is damaged: the checksum of {what} is {found:08x}, not {expected:08x}"
                )
            })
        };
        let mut weights = file.data;
        let seal = file.tensor(SEAL, &[Dtype::U8], &[SEAL_BYTES]);
        if let (Ok(_), Some((before, sum))) = (&seal, weights.split_last_chunk()) {
            check(
                "the file",
                &bytes[..bytes.len() - SEAL_BYTES],
                u32::from_le_bytes(*sum),
            )?;
            weights = before;
        }
        let manifest = Manifest::parse(&file.manifest)?;
        let seals = if manifest.format > 2 {
            seal.map(|_| 1)?
        } else {
            0
        };
        let shape = &manifest.shape;
        shape.validate()?;
        let network = |name, shape: &MlpShape| -> Result<Mlp, Error> {
            let parameters = tensors(name, shape)
                .into_iter()
                .map(|(name, dimensions)| file.floats(&name, &dimensions));
            Mlp::new(
                shape.clone(),
                &parameters.collect::<Result<Vec<_>, _>>()?.concat(),
            )
        };
        let (value, policy) = (
            network(VALUE, &shape.value)?,
            network(POLICY, &shape.policy)?,
        );
        file.expect_count(
            tensors(VALUE, &shape.value).len() + tensors(POLICY, &shape.policy).len() + seals,
        )?;
        check("the weights", weights, manifest.checksum)?;
        let bot = Bot {
            net: Arc::new(PortableNet::new(value, policy)?),
            manifest,
        };
        bot.check()?;
        Ok(bot)
    }

    /// Checks that the file of a bot with networks of this shape, in half precision, is not too
    /// large.
    ///
    /// # Errors
    /// When the file would be too large.
    pub fn check_size(shape: &NetShape) -> Result<(), Error> {
        let bytes =
            2 * (shape.value.parameters() + shape.policy.parameters()) as u64 + BESIDE_WEIGHTS;
        tensor_file::check_size(bytes, MAX_FILE)
    }

    /// Writes the bot to a file atomically: `path` always has either the old content or the new
    /// content.
    ///
    /// # Errors
    /// When the file cannot be written, or the bot is not valid ([`Bot::to_bytes`]).
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        self.to_bytes()
            .and_then(|bytes| tensor_file::write(path, &bytes))
            .map_err(in_file(path))
    }

    /// The content of the bot's file. Equal bots have the same bytes. If half precision can store
    /// all weights exactly, each weight has 16 bits, otherwise 32 bits.
    ///
    /// # Errors
    /// When a value in the manifest is invalid, the networks do not reproduce the probes, or the
    /// file is too large.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        self.check()?;
        let networks = [(VALUE, self.net.value()), (POLICY, self.net.policy())];
        let parameters = networks
            .iter()
            .flat_map(|(_, network)| network.parameters());
        let dtype = tensor_file::smallest_type(parameters.copied());
        let mut named = Vec::new();
        for (network, mlp) in networks {
            let numbers = mlp
                .shape()
                .split(mlp.parameters())
                .flat_map(|(weights, bias)| [weights, bias]);
            for ((name, shape), numbers) in tensors(network, mlp.shape()).into_iter().zip(numbers) {
                named.push(NamedTensor::floats(name, shape, numbers, dtype));
            }
        }
        // The library sorts tensors by type, so the only tensor of bytes is the last one.
        named.push(NamedTensor::bytes(SEAL, &[0; SEAL_BYTES]));
        let encode = |manifest: &Manifest| -> Result<Vec<u8>, Error> {
            tensor_file::encode(KEY, manifest.to_json()?, &named)
        };
        // The checksum of the weights is in the header, so setting the checksum does not change the
        // data.
        let bytes = encode(&self.manifest)?;
        let data = TensorFile::decode(&bytes, KEY)?.data;
        let checksum = tensor_file::checksum(&[&data[..data.len() - SEAL_BYTES]]);
        let mut bytes = encode(&Manifest {
            format: FORMAT,
            checksum,
            ..self.manifest.clone()
        })?;
        tensor_file::check_size(bytes.len() as u64, MAX_FILE)?;
        seal(&mut bytes);
        Ok(bytes)
    }

    /// The game that the bot plays.
    ///
    /// # Errors
    /// When this program does not have the game, or has another version of it.
    pub fn race(&self) -> Result<Race, Error> {
        let Manifest {
            ruleset,
            seats,
            sheet,
            ..
        } = &self.manifest;
        let seats = SeatSet::from_letters(seats).map_err(Error::because("the seats of the bot"))?;
        let ruleset = match sheet {
            None => Ruleset::parse(ruleset, seats),
            Some(text) => {
                let sheet = Sheet::read_saved(text, "the sheet of the bot")
                    .map_err(Error::because("the game of the bot"))?;
                Ruleset::of(Arc::new(sheet), seats, Ruleset::split(ruleset).1)
            }
        };
        let race = Race::new(ruleset.map_err(Error::because("the ruleset of the bot"))?);
        self.check_ruleset(race.spec())?;
        Ok(race)
    }

    /// Checks that the bot plays the game of `spec`, with the same encoding and numbers of actions
    /// and values.
    ///
    /// # Errors
    /// When something differs; the message describes the first difference.
    pub fn check_ruleset(&self, spec: &Spec) -> Result<(), Error> {
        let NetShape { value, policy } = &self.manifest.shape;
        let game = Manifest::new(
            spec,
            NetShape::for_spec(spec, &value.hidden, &policy.hidden),
        );
        let describe = |manifest: &Manifest| {
            format!(
                "{} for {} (ruleset {:016x})",
                manifest.ruleset, manifest.seats, manifest.ruleset_hash
            )
        };
        let bot = &self.manifest;
        // Rulesets with the same hash are equal, even if their names differ.
        let hashes = if bot.ruleset_hash == game.ruleset_hash {
            Default::default()
        } else {
            (describe(&game), describe(bot))
        };
        let starts = (
            spec.start_observation.to_string(),
            value.observation.to_string(),
        );
        let pairs = [
            ("the game #", hashes),
            (
                "encoding #",
                (game.encoding.to_string(), bot.encoding.to_string()),
            ),
            (
                "observations of length #",
                (spec.observation.to_string(), policy.observation.to_string()),
            ),
            ("turn-start observations of length #", starts),
            (
                "# actions",
                (spec.actions.to_string(), policy.actions.to_string()),
            ),
            (
                "value vectors of length #",
                (
                    game.shape.value.values.to_string(),
                    value.values.to_string(),
                ),
            ),
            (
                "the value head #",
                (
                    format!("{:?}", game.shape.value.value_head),
                    format!("{:?}", value.value_head),
                ),
            ),
        ];
        for (what, (expected, found)) in pairs {
            Error::unless(expected == found, || {
                format!(
                    "the bot was made for {}, not {expected}",
                    what.replace('#', &found)
                )
            })?;
        }
        Ok(())
    }

    /// Checks the values of the manifest, the sizes of the weights, and the probes.
    fn check(&self) -> Result<(), Error> {
        self.manifest.check()?;
        let (expected, found) = (self.net.shape(), &self.manifest.shape);
        Error::unless(expected == found, || {
            format!("the shape of the networks in the manifest is {found:?}, not {expected:?}")
        })?;
        self.net.value().check_sums()?;
        self.net.policy().check_sums()?;
        let mut scratch = Scratch::default();
        for (index, probe) in self.manifest.probes.iter().enumerate() {
            let (values, policy) = self.net.forward(&probe.active, &mut scratch);
            for (kind, expected, found) in [
                ("value", &probe.values, values),
                ("logit", &probe.policy, policy),
            ] {
                for (place, (&expected, &found)) in expected.iter().zip(found).enumerate() {
                    let is_near = (expected - found).abs() <= TOLERANCE * expected.abs().max(1.0);
                    Error::unless(is_near && found.is_finite() && expected.is_finite(), || {
                        format!("probe {index}: {kind} {place} is {found}, not {expected}")
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// Writes the checksum of all other bytes into the last four bytes.
fn seal(bytes: &mut [u8]) {
    let (content, seal) = bytes.split_at_mut(bytes.len() - SEAL_BYTES);
    seal.copy_from_slice(&tensor_file::checksum(&[content]).to_le_bytes());
}

fn in_file(path: &Path) -> impl FnOnce(Error) -> Error {
    Error::because(format!("bot file {}", path.display()))
}

/// The prefix of the tensor names of the value network.
const VALUE: &str = "value";
/// The prefix of the tensor names of the policy network.
const POLICY: &str = "policy";

/// The names and shapes of the tensors of a network, in the order of its parameters.
fn tensors(network: &str, shape: &MlpShape) -> Vec<(String, Vec<usize>)> {
    let mut tensors = Vec::new();
    for (name, (inputs, outputs)) in shape.layer_names().zip(shape.layers()) {
        tensors.push((format!("{network}.{name}.weight"), vec![inputs, outputs]));
        tensors.push((format!("{network}.{name}.bias"), vec![outputs]));
    }
    tensors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::level::{Calibration, Level};
    use ashta_env::game::{BySeat, Payoff, Seat, SeatSet};
    use std::error::Error as _;

    fn spec() -> Spec {
        Spec {
            name: "fake?flag=true".into(),
            seats: SeatSet::of(&[Seat::SOUTH, Seat::NORTH]),
            payoff: Payoff::Winner,
            teams: BySeat(Seat::ALL.map(|seat| SeatSet::of(&[seat]))),
            actions: 3,
            observation: 6,
            start_observation: 5,
            encoding: 4,
            ruleset_hash: 0x0123_4567_89ab_cdef,
            turn_limit: 100,
        }
    }

    fn bot() -> Bot {
        let shape = NetShape::for_spec(&spec(), &[4], &[5, 3]);
        let network = |shape: &MlpShape| {
            let parameters: Vec<f32> = (0..shape.parameters())
                .map(|x| (x * 7 % 23) as f32 / 11.0 - 0.8)
                .collect();
            Mlp::new(shape.clone(), &parameters).expect("the shape is valid")
        };
        let net =
            PortableNet::new(network(&shape.value), network(&shape.policy)).expect("they fit");
        let mut manifest = Manifest::new(&spec(), shape);
        manifest.training.insert("games".into(), "20000".into());
        let random = "random".to_owned();
        manifest.record(Strength {
            opponent: random,
            games: 100,
            score: 0.9,
            low: 0.83,
            high: 0.95,
            regret: None,
        });
        for active in [vec![0, 3], vec![], vec![5, 1, 2]] {
            manifest.probes.push(Probe::new(
                "some position".into(),
                Seat::NORTH,
                active,
                &net,
            ));
        }
        Bot {
            manifest,
            net: Arc::new(net),
        }
    }

    fn explain(error: Error) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text += &format!(": {error}");
            cause = error.source();
        }
        text
    }

    fn refusal(bytes: &[u8]) -> String {
        explain(Bot::decode(bytes).expect_err("it must be refused"))
    }

    /// The file of [`bot`] with a text in its header replaced by another text of the same length.
    fn altered(from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = bot().to_bytes().expect("the bot is valid");
        let place = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes());
        let place = place.unwrap_or_else(|| panic!("the header has no {from}"));
        bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
        seal(&mut bytes);
        bytes
    }

    #[test]
    fn results_are_recorded_once_for_each_opponent() {
        let mut bot = bot();
        let regret = |mean| {
            Some(Regret {
                mean,
                low: 0.0,
                high: 0.5,
            })
        };
        let perfect = Strength {
            opponent: "perfect".into(),
            regret: regret(0.25),
            ..bot.manifest.strength[0].clone()
        };
        bot.manifest.record(perfect);
        bot.manifest.record(Strength {
            games: 200,
            ..bot.manifest.strength[0].clone()
        });
        let read =
            Bot::decode(&bot.to_bytes().expect("the bot is valid")).expect("it was just written");
        let entries: Vec<_> = read
            .manifest
            .strength
            .iter()
            .map(|entry| (&*entry.opponent, entry.games))
            .collect();
        assert_eq!(entries, [("random", 200), ("perfect", 100)]);
        assert_eq!(read.manifest.strength[1].regret, regret(0.25));
        let card = read.manifest.card("name");
        assert!(
            card.contains("| random | 200 | 90.0 [83.0, 95.0] | |\n| perfect | 100 | 90.0 "),
            "{card}"
        );
        assert!(
            card.contains(" | 0.250000 [0.000000, 0.500000] |\n"),
            "{card}"
        );
        bot.manifest.strength[1].regret = regret(f64::NAN);
        let refused = explain(bot.to_bytes().expect_err("no number"));
        assert!(
            refused.contains("the regret of a strength entry"),
            "{refused}"
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let path =
            std::env::temp_dir().join(format!("ashta-bot-{}.safetensors", std::process::id()));
        let bot = bot();
        bot.write(&path)
            .expect("the temporary directory is writable");
        let read = Bot::content(&path)
            .and_then(|bytes| Bot::decode(&bytes))
            .expect("it was just written");
        std::fs::remove_file(&path).expect("it was just written");
        assert_eq!(
            Manifest {
                checksum: 0,
                ..read.manifest.clone()
            },
            bot.manifest
        );
        assert_eq!(read.net.value().parameters(), bot.net.value().parameters());
        assert_eq!(
            read.net.policy().parameters(),
            bot.net.policy().parameters()
        );
        assert_eq!(
            read.to_bytes().ok(),
            bot.to_bytes().ok(),
            "the same bot is the same bytes"
        );
        let missing = explain(Bot::load(&path).expect_err("it was removed"));
        assert!(
            missing.starts_with(&format!("bot file {0}: cannot read {0}: ", path.display())),
            "{missing}"
        );
    }

    #[test]
    fn the_header_is_as_the_format_page_says() {
        let bytes = bot().to_bytes().expect("the bot is valid");
        let file = TensorFile::decode(&bytes, KEY).expect("it was just encoded");
        let begins = concat!(
            r#"{"format":3,"program":""#,
            env!("CARGO_PKG_VERSION"),
            r#"","ruleset":"fake?flag=true","seats":"SN","ruleset_hash":"0123456789abcdef","encoding":4,"#,
            r#""checksum":"CHECKSUM","#,
            r#""shape":{"value":{"observation":5,"hidden":[4],"values":2,"actions":0,"value_head":"softmax"},"#,
            r#""policy":{"observation":6,"hidden":[5,3],"values":2,"actions":3,"value_head":"softmax"}},"#,
            r#""training":{"games":"20000"},"#,
            r#""strength":[{"opponent":"random","games":100,"score":0.9,"low":0.83,"high":0.95}],"#,
            r#""probes":[{"position":"some position","observer":"N","active":[0,3],"values":["#,
        );
        let begins = begins.replace(
            "CHECKSUM",
            &format!(
                "{:08x}",
                tensor_file::checksum(&[&file.data[..file.data.len() - 4]])
            ),
        );
        assert!(file.manifest.starts_with(&begins), "{}", file.manifest);
    }

    #[test]
    fn every_prefix_is_refused() {
        let bytes = bot().to_bytes().expect("the bot is valid");
        for length in 0..bytes.len() {
            assert!(
                Bot::decode(&bytes[..length]).is_err(),
                "{length} of {} bytes",
                bytes.len()
            );
        }
        assert!(
            Bot::decode(&[&bytes[..], &[0]].concat()).is_err(),
            "a byte too many"
        );
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let bytes = bot().to_bytes().expect("the bot is valid");
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[place] ^= 1 << bit;
                assert!(Bot::decode(&bytes).is_err(), "bit {bit} of byte {place}");
            }
        }
    }

    #[test]
    fn every_defect_is_named() {
        for (from, to, expected) in [
            (
                r#"\"format\":3"#,
                r#"\"format\":7"#,
                "the bot has format 7, this program reads formats 2 and 3",
            ),
            (
                r#""ashta":"#,
                r#""other":"#,
                "the header has no metadata entry \"ashta\"",
            ),
            (
                r#"\"hidden\":[5,3]"#,
                r#"\"hidden\":[5,4]"#,
                "tensor policy.torso.1.weight is F32 [5, 3], not F32 [5, 4]",
            ),
            (
                r#"\"hidden\":[5,3]"#,
                r#"\"hidden\":[513]"#,
                "tensor policy.torso.0.weight is F32 [6, 5], not F32 [6, 513]",
            ),
            (
                r#"\"values\":2,"#,
                r#"\"values\":9,"#,
                "number of values of the network is 9, not 1 to 4",
            ),
            (
                r#""value.head.bias""#,
                r#""value.head.bits""#,
                "there is no tensor value.head.bias",
            ),
            (
                r#"\"active\":[0,3]"#,
                r#"\"active\":[0,6]"#,
                "an active entry of a probe in the manifest is 6, not below 6",
            ),
            (
                r#"\"observer\":\"N\""#,
                r#"\"observer\":\"E\""#,
                "the observer of a probe in the manifest is E, not a seat of the game",
            ),
            (
                r#"\"ruleset_hash\":\"0123"#,
                r#"\"ruleset_hash\":\"+123"#,
                "the manifest is not valid: ruleset_hash \"+123456789abcdef\" is not 16 lowercase hexadecimal digits at line 1 column 103",
            ),
        ] {
            assert_eq!(refusal(&altered(from, to)), expected);
        }
        let extra = altered(r#"\"games\":100"#, r#"\"gamer\":100"#);
        assert!(refusal(&extra).starts_with("the manifest is not valid: unknown field `gamer`"));
        let bytes = bot().to_bytes().expect("the bot is valid");
        let start = 8 + usize::from(bytes[0]) + 256 * usize::from(bytes[1]);
        let with_bias = |bias: f32| {
            let mut bytes = [&bytes[..start], &bias.to_le_bytes(), &bytes[start + 4..]].concat();
            seal(&mut bytes);
            bytes
        };
        assert_eq!(
            refusal(&with_bias(f32::NAN)),
            "parameter 68 of the network is NaN"
        );
        let error = refusal(&with_bias(0.5));
        assert!(
            error.starts_with("the file is damaged: the checksum of the weights is "),
            "{error}"
        );
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let mut wrong = bot();
        wrong.manifest.strength[0].score = f64::NAN;
        assert!(wrong.to_bytes().is_err());
        let calibration = |level, score| Calibration {
            level,
            temperature: 0.1,
            regret: 0.01,
            regret_interval: [0.009, 0.011],
            games: 200,
            score,
            score_interval: [0.3, 0.5],
        };
        for (levels, expected) in [
            (
                vec![calibration(Level::Novice, f64::NAN)],
                "the measurement of a level in the manifest is [0.01, NaN",
            ),
            (
                vec![calibration(Level::Expert, 0.4)],
                "the levels in the manifest are expert; they must be below expert",
            ),
            (
                vec![calibration(Level::Novice, 0.4); 2],
                "the levels in the manifest are novice, novice; they must",
            ),
        ] {
            let mut wrong = bot();
            wrong.manifest.levels = levels;
            let error = explain(wrong.to_bytes().expect_err("levels that cannot be"));
            assert!(error.starts_with(expected), "{error}");
        }
        let mut wrong = bot();
        wrong.manifest.probes[2].policy[2] += 0.1;
        let error = explain(wrong.to_bytes().expect_err("the network answers otherwise"));
        assert!(error.starts_with("probe 2: logit 2 is "), "{error}");
        let mut wrong = bot();
        wrong.manifest.shape.value.hidden[0] = 6;
        assert!(wrong.to_bytes().is_err());
    }

    #[test]
    fn a_bot_for_another_game_is_refused_by_name() {
        let refusal =
            |spec: Spec| explain(bot().check_ruleset(&spec).expect_err("the game differs"));
        bot()
            .check_ruleset(&spec())
            .expect("the bot was made for it");
        for (other, expected) in [
            (
                Spec {
                    name: "fake".into(),
                    ruleset_hash: 1,
                    ..spec()
                },
                "the game fake?flag=true for SN (ruleset 0123456789abcdef), \
                 not fake for SN (ruleset 0000000000000001)",
            ),
            (
                Spec {
                    encoding: 5,
                    ..spec()
                },
                "encoding 4, not 5",
            ),
            (
                Spec {
                    observation: 7,
                    ..spec()
                },
                "observations of length 6, not 7",
            ),
            (
                Spec {
                    start_observation: 4,
                    ..spec()
                },
                "turn-start observations of length 5, not 4",
            ),
            (
                Spec {
                    actions: 4,
                    ..spec()
                },
                "3 actions, not 4",
            ),
        ] {
            assert_eq!(refusal(other), format!("the bot was made for {expected}"));
        }
    }
}
