//! Checkpoints of a learner. A resumed learner computes the same bits as a learner without
//! interruption.
//!
//! A safetensors file has the latest weights, their EMA and Adam's moments, each as one row in the
//! order of [`MlpShape`]. It is only for resuming a run; the format of exported bots is in
//! [`crate::network::bot`].

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{
    learn::net::LearnerDevice,
    network::{
        portable::MlpShape,
        tensor_file::{self, MAX_HEADER, NamedTensor, TensorFile},
    },
    play::error::Error,
};

use super::{LearnedNumbers, Learner, LearningConfig};

/// The name of the file of a learner in its directory.
const FILE: &str = "learner.safetensors";
/// The key of the manifest in the metadata.
const KEY: &str = "ashta-learner";
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LearnerManifest {
    format: u32,
    shape: MlpShape,
    steps: u64,
    averaged: bool,
}

impl Learner {
    /// Saves the complete state, without the configuration, in the directory `dir`, which must
    /// exist. After [`load`](Self::load), learning gives the same bits as without the interruption.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        let LearnedNumbers {
            parameters,
            average,
            moments,
        } = self.numbers()?;
        let (steps, averaged) = (self.steps, average.is_some());
        let manifest = LearnerManifest {
            format: FORMAT,
            shape: self.shape.clone(),
            steps,
            averaged,
        };
        let mut tensors = vec![NamedTensor::row("latest", &parameters)];
        tensors.extend(
            average
                .iter()
                .map(|average| NamedTensor::row("average", average)),
        );
        if steps > 0 {
            tensors.extend([
                NamedTensor::row("moment_1", &moments[0]),
                NamedTensor::row("moment_2", &moments[1]),
            ]);
        }
        tensor_file::save(&dir.join(FILE), KEY, "learner", &manifest, &tensors)
    }

    /// Loads a learner from the directory `dir`. If the learner was saved without EMA and the
    /// configuration has EMA, the EMA starts from the latest weights.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, has a learner with another shape, or the device is
    /// not available.
    pub fn load(
        dir: &Path,
        shape: MlpShape,
        config: &LearningConfig,
        device: LearnerDevice,
    ) -> Result<Learner, Error> {
        let bytes =
            tensor_file::read(&dir.join(FILE), MAX_HEADER + 16 * shape.parameters() as u64)?;
        let file = TensorFile::decode(&bytes, KEY)?;
        let manifest: LearnerManifest = serde_json::from_str(&file.manifest)
            .map_err(tensor_file::invalid_manifest("learner"))?;
        for (what, expected, found) in [
            (
                "the format",
                FORMAT.to_string(),
                manifest.format.to_string(),
            ),
            ("the shape", shape.to_string(), manifest.shape.to_string()),
        ] {
            Error::unless(expected == found, || {
                format!("the saved learner has {what} {found}, not {expected}")
            })?;
        }
        file.expect_count(
            1 + usize::from(manifest.averaged) + if manifest.steps > 0 { 2 } else { 0 },
        )?;
        shape.validate()?;
        let read = |name| file.floats(name, &[shape.parameters()]);
        let parameters = read("latest")?;
        let average = match (config.ema, manifest.averaged) {
            (None, _) => None,
            (Some(_), true) => Some(read("average")?),
            (Some(_), false) => Some(parameters.clone()),
        };
        let moment = |name| {
            if manifest.steps > 0 {
                read(name)
            } else {
                Ok(vec![0.0; parameters.len()])
            }
        };
        let moments = [moment("moment_1")?, moment("moment_2")?];
        let learned = LearnedNumbers {
            parameters,
            average,
            moments,
        };
        Learner::from_numbers(shape, config, device, &learned, manifest.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::net::learner::test_support::{random_batch, shape};
    use std::path::PathBuf;

    fn directory(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("ashta-learner-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
        dir
    }

    fn train(learner: &mut Learner, steps: std::ops::Range<u64>) {
        for step in steps {
            learner.step(&random_batch(step), 1e-2);
        }
    }

    fn bits(numbers: &[f32]) -> Vec<u32> {
        numbers.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn a_loaded_learner_continues_to_the_last_bit() {
        let dir = directory("resume");
        let config = LearningConfig {
            weight_decay: 0.1,
            gradient_clip: Some(0.5),
            ..LearningConfig::default()
        };
        for saved_after in [0, 20] {
            let mut straight =
                Learner::new(shape(), &config, LearnerDevice::Cpu, 1).expect("it is valid");
            train(&mut straight, 0..saved_after);
            straight.save(&dir).expect("the directory is writable");
            train(&mut straight, saved_after..70);
            let mut resumed = Learner::load(&dir, shape(), &config, LearnerDevice::Cpu)
                .expect("it was just saved");
            assert_eq!(resumed.steps, saved_after);
            train(&mut resumed, saved_after..70);
            let numbers = |learner: &Learner| {
                let numbers = learner.numbers().expect("players know its layers");
                let LearnedNumbers {
                    parameters,
                    average,
                    moments,
                } = numbers;
                [
                    parameters,
                    average.expect("averaging is on"),
                    moments.concat(),
                ]
                .map(|numbers| bits(&numbers))
            };
            assert_eq!(numbers(&resumed), numbers(&straight));
        }
        std::fs::remove_dir_all(dir).expect("the directory can be removed");
    }

    #[test]
    fn what_was_not_saved_by_such_a_learner_is_refused_by_name() {
        let dir = directory("refused");
        let config = LearningConfig::default();
        let load = |shape| {
            Learner::load(&dir, shape, &config, LearnerDevice::Cpu)
                .expect_err("it must be refused")
                .to_string()
        };
        assert!(
            load(shape()).starts_with("cannot read "),
            "{}",
            load(shape())
        );
        let learner = Learner::new(shape(), &config, LearnerDevice::Cpu, 1).expect("it is valid");
        learner.save(&dir).expect("the directory is writable");
        let other = MlpShape {
            actions: 8,
            ..shape()
        };
        assert!(
            load(other).starts_with("the saved learner has the shape 40 inputs, hidden [24, 16], ")
        );
        std::fs::write(dir.join(FILE), b"text").expect("the directory is writable");
        assert_eq!(
            load(shape()),
            "the file has 4 bytes, too few for the header"
        );
        std::fs::remove_dir_all(&dir).expect("the directory can be removed");
    }
}
