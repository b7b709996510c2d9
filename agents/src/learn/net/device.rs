//! The device on which the learner computes.

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use crate::play::error::Error;

/// The hardware of a learner. Inference does not depend on it: the portable network runs on the
/// CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerDevice {
    /// The CPU, the fastest choice for networks with a few hundred units.
    #[default]
    Cpu,
    /// The first NVIDIA GPU; requires the feature `cuda` of this package.
    Cuda,
    /// The first GPU that WebGPU finds; requires the feature `wgpu` of this package.
    Wgpu,
}

impl LearnerDevice {
    /// Checks that this program can use the device.
    ///
    /// # Errors
    /// When the program was built without the feature of the device.
    pub fn check(self) -> Result<(), Error> {
        self.open().map(|_| ())
    }

    /// The device in burn, without autodiff.
    pub(super) fn open(self) -> Result<Device, Error> {
        match self {
            LearnerDevice::Cpu => Ok(Device::flex()),
            #[cfg(feature = "cuda")]
            LearnerDevice::Cuda => Ok(Device::cuda(0)),
            #[cfg(feature = "wgpu")]
            LearnerDevice::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            #[cfg(not(all(feature = "cuda", feature = "wgpu")))]
            missing => {
                let name = format!("{missing:?}").to_lowercase();
                let refusal =
                    format!("this program cannot run the learner on the device \"{name}\"");
                Err(Error::new(format!(
                    "{refusal}: it was built without the feature `{name}`"
                )))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_always_there() {
        assert_eq!(LearnerDevice::Cpu.open().ok(), Some(Device::flex()));
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_device_that_was_not_built_in_is_refused_by_name() {
        let error = LearnerDevice::Cuda
            .open()
            .expect_err("it was not built in")
            .to_string();
        assert!(
            error.ends_with("device \"cuda\": it was built without the feature `cuda`"),
            "{error}"
        );
    }
}
