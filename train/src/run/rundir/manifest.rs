//! The manifest of a checkpoint: a list of its files with checksums, to detect damage before the
//! files are used.

use std::{collections::BTreeMap, io::BufReader, path::Path};

use anyhow::{Context, Result, ensure};
use ashta_agents::play::files::open_regular;
use flate2::CrcReader;
use serde::{Deserialize, Serialize};

use super::RunInfo;
use crate::run::files::{entries, read, sync_folder, write_whole};

const MANIFEST: &str = "manifest.json";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointManifest {
    /// The run of the checkpoint.
    pub run: RunInfo,
    /// The files of the checkpoint, by their paths relative to its folder.
    files: BTreeMap<String, FileFacts>,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFacts {
    bytes: u64,
    /// CRC-32 of the content.
    crc32: u32,
}

impl CheckpointManifest {
    /// Writes the manifest of the files in the folder of a checkpoint. Afterwards, all files are on
    /// disk.
    pub fn write(folder: &Path, run: &RunInfo) -> Result<()> {
        let mut manifest = CheckpointManifest {
            run: run.clone(),
            files: BTreeMap::new(),
        };
        manifest.add(folder, "")?;
        write_whole(
            &folder.join(MANIFEST),
            serde_json::to_string_pretty(&manifest)?,
        )
    }

    /// Reads the manifest in the folder of a checkpoint.
    pub fn read(folder: &Path) -> Result<CheckpointManifest> {
        let path = folder.join(MANIFEST);
        serde_json::from_slice(&read(&path)?)
            .with_context(|| format!("{} is not the manifest of a checkpoint", path.display()))
    }

    /// Checks the files of a folder against the manifest.
    ///
    /// # Errors
    /// When a file is missing or has changed.
    pub fn check(&self, folder: &Path) -> Result<()> {
        for (name, facts) in &self.files {
            let path = folder.join(name);
            let found = FileFacts::of(&path)?;
            let (now, then) = (found.bytes, facts.bytes);
            ensure!(
                now == then,
                "{} has {now} bytes, not {then}",
                path.display()
            );
            ensure!(
                found == *facts,
                "{} has changed: its checksum is different",
                path.display()
            );
        }
        Ok(())
    }

    fn add(&mut self, folder: &Path, prefix: &str) -> Result<()> {
        for path in entries(folder)? {
            let name = format!(
                "{prefix}{}",
                path.file_name().unwrap_or_default().to_string_lossy()
            );
            if path.is_dir() {
                self.add(&path, &format!("{name}/"))?;
            } else {
                self.files.insert(name, FileFacts::of(&path)?);
            }
        }
        sync_folder(folder)
    }
}

impl FileFacts {
    /// Makes sure that the content of a file is on disk, then describes the file.
    fn of(path: &Path) -> Result<FileFacts> {
        let read = || -> std::io::Result<FileFacts> {
            let file = open_regular(path)?;
            file.sync_all()?;
            let mut reader = CrcReader::new(BufReader::with_capacity(1 << 16, file));
            let bytes = std::io::copy(&mut reader, &mut std::io::sink())?;
            Ok(FileFacts {
                bytes,
                crc32: reader.crc().sum(),
            })
        };
        read().with_context(|| format!("cannot read {}", path.display()))
    }
}
