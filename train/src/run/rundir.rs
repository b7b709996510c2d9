//! The folder of a run: the names of its files. An interruption at any moment leaves the folder
//! usable.
//!
//! ```text
//! runs/<name>-<seed>/
//!   config.toml          every setting of the run
//!   run.json             origin of the run: program, seed, ruleset, encoding
//!   metrics.jsonl        one line per iteration
//!   tensorboard/         the same metrics and histograms, for TensorBoard
//!   report.html          the metrics as curves
//!   checkpoints/<n>/     a checkpoint; the folder gets this name after its last file was written;
//!                        manifest.json has the length and the checksum of each file
//!   latest, best         the number of a checkpoint
//!   bots/                exported bots
//!   lock                 locked while a process trains here
//! ```
//!
//! The callers write the contents of checkpoints and metrics; this module only knows their names.

use std::{
    fs::{self, File, OpenOptions},
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use ashta_agents::learn::numerics::fingerprint;
use ashta_env::{game::Game, race::Race};
use serde::{Deserialize, Serialize};

use crate::run::{
    files::{
        self, BOTS_FOLDER, TEMPORARY, cannot_write, entries, open_to_write, read, read_if_there,
        remove, sync_folder, write_whole,
    },
    output::remark,
};
use manifest::CheckpointManifest;

mod manifest;

const CONFIG: &str = "config.toml";
const INFO: &str = "run.json";
const CHECKPOINTS: &str = "checkpoints";
const LATEST: &str = "latest";
const BEST: &str = "best";
const LOCK: &str = "lock";
/// The program renames damaged checkpoints: the new name ends with this word and a number.
const DAMAGED: &str = "damaged";

/// The origin of a run. It lets the program refuse another game or seed, and lets a person find the
/// same version of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Version of the program.
    pub version: String,
    /// Commit of the program, if the build stated it (environment variable `ASHTA_COMMIT`).
    pub commit: Option<String>,
    /// Seed of the run.
    pub seed: u64,
    /// The ruleset and its seats as text: the game with its flags, and the letters of the seats.
    pub ruleset: String,
    /// Hash of the ruleset with its seats, 16 hexadecimal digits.
    pub ruleset_hash: String,
    /// Version of the encoding of actions and observations.
    pub encoding: u32,
    /// A checksum (8 hexadecimal digits) of some floating-point results, which differ on machines
    /// that round differently. On a machine with another checksum, the run continues, but its
    /// numbers differ in their last bits.
    #[serde(default)]
    pub numerics: String,
    /// Start of the run, in seconds since 1970.
    pub started: u64,
}

impl RunInfo {
    /// Describes a run that begins now and trains a bot for `race`, with this version of the
    /// program.
    pub fn of(race: &Race, seed: u64) -> RunInfo {
        let spec = race.spec();
        RunInfo {
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: option_env!("ASHTA_COMMIT").map(str::to_string),
            seed,
            ruleset: race.ruleset().to_string(),
            ruleset_hash: format!("{:016x}", spec.ruleset_hash),
            encoding: spec.encoding,
            numerics: format!("{:08x}", fingerprint()),
            started: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        }
    }

    fn read(run: &Path) -> Result<RunInfo> {
        let file = run.join(INFO);
        let not_a_run = || {
            format!(
                "{} is not the folder of a run: cannot read {}",
                run.display(),
                file.display()
            )
        };
        serde_json::from_slice(&read(&file).with_context(not_a_run)?).with_context(not_a_run)
    }

    fn write(&self, run: &Path) -> Result<()> {
        write_whole(&run.join(INFO), serde_json::to_string_pretty(self)? + "\n")
    }
}

/// The folder of a run.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    info: RunInfo,
    /// The locked file while this process is allowed to write. `None` if this process only reads
    /// the run.
    lock: Option<File>,
}

impl RunDir {
    /// Creates the folder of a new run, `<directory>/<name>-<seed>`, or the same name with `-2`,
    /// `-3`, … if it exists. Nothing is overwritten. `config` is the text of the complete settings.
    pub fn begin(directory: &Path, name: &str, config: &str, info: &RunInfo) -> Result<RunDir> {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot create the folder {}", directory.display()))?;
        let path = make_unused(directory, &format!("{name}-{}", info.seed))?;
        for folder in [CHECKPOINTS, BOTS_FOLDER] {
            fs::create_dir(path.join(folder)).with_context(|| cannot_write(&path.join(folder)))?;
        }
        let lock = Some(lock(&path)?);
        write_whole(&path.join(CONFIG), config)?;
        info.write(&path)?;
        sync_folder(directory)?;
        Ok(RunDir {
            path,
            info: info.clone(),
            lock,
        })
    }

    /// Opens an existing run for reading; another process can be training in it.
    ///
    /// # Errors
    /// When `path` is not the folder of a run.
    pub fn open(path: &Path) -> Result<RunDir> {
        // If `run.json` is damaged, take the copy in the newest checkpoint.
        let stated = |iteration: u64| {
            Some(
                CheckpointManifest::read(&checkpoint(path, iteration))
                    .ok()?
                    .run,
            )
        };
        let newest = || checkpoints(path).ok()?.into_iter().rev().find_map(stated);
        let info = RunInfo::read(path).or_else(|error| newest().ok_or(error))?;
        Ok(RunDir {
            path: path.to_path_buf(),
            info,
            lock: None,
        })
    }

    /// Opens an existing run for training, and removes files that an interruption left incomplete.
    /// Returns the run and the iteration of its newest checkpoint. Without a checkpoint, the run
    /// starts again from the beginning. With `falls_back`, renames damaged checkpoints and returns
    /// the newest intact checkpoint.
    ///
    /// # Errors
    /// When `path` is not the folder of a run, when `current` has another ruleset, encoding or seed
    /// than the run, when another process is training in it, when the newest checkpoint is damaged
    /// or all checkpoints are lost, or when a file cannot be written.
    pub fn resume(
        path: &Path,
        current: &RunInfo,
        falls_back: bool,
    ) -> Result<(RunDir, Option<u64>)> {
        let stated = RunDir::open(path);
        let is_new = || entries(&path.join(CHECKPOINTS)).is_ok_and(|entries| entries.is_empty());
        let mut run = match stated {
            // A run without checkpoints starts again from the beginning, so it does not need
            // `run.json`.
            Err(_) if is_new() => RunDir {
                path: path.to_path_buf(),
                info: current.clone(),
                lock: None,
            },
            stated => stated?,
        };
        run.check(current, "resume")?;
        run.lock = Some(lock(path)?);
        if RunInfo::read(path).is_err() {
            remark(format_args!(
                "{} is damaged; the program writes it again",
                path.join(INFO).display()
            ));
            run.info.write(path)?;
        }
        for entry in entries(path)?
            .into_iter()
            .chain(entries(&path.join(CHECKPOINTS))?)
        {
            if entry.extension().is_some_and(|ending| ending == TEMPORARY) {
                remove(&entry)?;
            }
        }
        let newest = run.newest_whole(falls_back)?;
        match newest {
            Some(iteration) => write_whole(&path.join(LATEST), format!("{iteration}\n"))?,
            None => ensure!(
                !path.join(LATEST).exists(),
                "{} had checkpoints, but {} contains none now; remove the file {} to start the run over",
                path.display(),
                path.join(CHECKPOINTS).display(),
                path.join(LATEST).display()
            ),
        }
        Ok((run, newest))
    }

    /// The newest checkpoint, if there is one. Fails if this checkpoint is damaged. With
    /// `falls_back`, renames damaged checkpoints instead and returns the newest intact checkpoint.
    fn newest_whole(&self, falls_back: bool) -> Result<Option<u64>> {
        while let Some(iteration) = self.latest()? {
            let Err(error) = self.check_checkpoint(iteration) else {
                return Ok(Some(iteration));
            };
            let Some(older) = self.checkpoints()?.into_iter().rev().nth(1) else {
                return Err(error.context("there is no older checkpoint to resume from"));
            };
            if !falls_back {
                return Err(error.context(format!("--fallback resumes from checkpoint {older}")));
            }
            remark(format_args!("renaming a checkpoint: {error:#}"));
            let path = self.checkpoint(iteration);
            // Perhaps an earlier damaged checkpoint already has this name.
            let aside = (1..)
                .map(|number| path.with_extension(format!("{DAMAGED}-{number}")))
                .find(|path| !path.exists());
            fs::rename(&path, aside.unwrap_or_default()).with_context(|| cannot_write(&path))?;
            sync_folder(&self.path.join(CHECKPOINTS))?;
        }
        Ok(None)
    }

    /// Checks that no file of the checkpoint of `iteration` has changed.
    ///
    /// # Errors
    /// When a file is missing or has changed.
    pub fn check_checkpoint(&self, iteration: u64) -> Result<()> {
        let path = self.checkpoint(iteration);
        CheckpointManifest::read(&path)
            .and_then(|manifest| manifest.check(&path))
            .with_context(|| format!("the checkpoint {} is damaged", path.display()))
    }

    /// Checks that `current` has the same ruleset, encoding and seed as the run. `action` is the
    /// verb in the error, such as `resume`.
    ///
    /// # Errors
    /// When something differs. The error lists every difference.
    pub fn check(&self, current: &RunInfo, action: &str) -> Result<()> {
        let differences: Vec<String> = [
            (
                "ruleset",
                self.info.ruleset.clone(),
                current.ruleset.clone(),
            ),
            (
                "ruleset hash",
                self.info.ruleset_hash.clone(),
                current.ruleset_hash.clone(),
            ),
            (
                "encoding",
                self.info.encoding.to_string(),
                current.encoding.to_string(),
            ),
            ("seed", self.info.seed.to_string(), current.seed.to_string()),
        ]
        .iter()
        .filter(|(_, then, now)| then != now)
        .map(|(what, then, now)| format!("its {what} is {then}, but now it is {now}"))
        .collect();
        ensure!(
            differences.is_empty(),
            "cannot {action} {}: {}",
            self.path.display(),
            differences.join("; ")
        );
        Ok(())
    }

    /// Replaces the complete settings by `config`.
    pub fn store_config(&self, config: &str) -> Result<()> {
        write_whole(&self.path.join(CONFIG), config)
    }

    /// The origin of the run.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// The folder of the run.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the checkpoint of `iteration`, even if it does not exist.
    pub fn checkpoint(&self, iteration: u64) -> PathBuf {
        checkpoint(&self.path, iteration)
    }

    /// Saves a checkpoint and makes it the latest. `write` writes the files of the checkpoint into
    /// an empty folder. If `write` fails, the folder is removed.
    ///
    /// # Errors
    /// When the iteration has a complete checkpoint already, when `write` fails, or when a file
    /// cannot be written.
    pub fn save_checkpoint(
        &self,
        iteration: u64,
        write: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        let path = self.checkpoint(iteration);
        ensure!(
            !path.exists(),
            "the checkpoint {} already exists",
            path.display()
        );
        let temporary = path.with_extension(TEMPORARY);
        remove(&temporary)?;
        fs::create_dir(&temporary).with_context(|| cannot_write(&temporary))?;
        let written =
            write(&temporary).and_then(|()| CheckpointManifest::write(&temporary, &self.info));
        let renamed = written.and_then(|()| Ok(fs::rename(&temporary, &path)?));
        if let Err(error) = renamed {
            // If this fails, the next resumption removes the folder.
            let _ = remove(&temporary);
            return Err(error.context(format!("cannot save the checkpoint {}", path.display())));
        }
        sync_folder(&self.path.join(CHECKPOINTS))?;
        write_whole(&self.path.join(LATEST), format!("{iteration}\n"))
    }

    /// Marks the checkpoint of `iteration` as the best one, if it exists; `None` removes the mark.
    pub fn mark_best(&self, iteration: Option<u64>) -> Result<()> {
        let path = self.path.join(BEST);
        let Some(iteration) = iteration else {
            return remove(&path);
        };
        if self.checkpoint(iteration).is_dir()
            && !matches!(self.best(), Ok(Some(best)) if best == iteration)
        {
            write_whole(&path, format!("{iteration}\n"))?;
        }
        Ok(())
    }

    /// The iterations of the complete checkpoints, in ascending order.
    pub fn checkpoints(&self) -> Result<Vec<u64>> {
        checkpoints(&self.path)
    }

    /// The iteration of the newest complete checkpoint.
    pub fn latest(&self) -> Result<Option<u64>> {
        Ok(self.checkpoints()?.last().copied())
    }

    /// The iteration of the best checkpoint, if it is marked and still exists.
    ///
    /// # Errors
    /// When the mark cannot be read or is not a number.
    pub fn best(&self) -> Result<Option<u64>> {
        let path = self.path.join(BEST);
        let Some(bytes) = read_if_there(&path)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes);
        let iteration = text.trim().parse().with_context(|| {
            format!(
                "{} contains {:?}, but must contain the number of a checkpoint",
                path.display(),
                text.trim()
            )
        })?;
        Ok(self.checkpoint(iteration).is_dir().then_some(iteration))
    }

    /// Removes all checkpoints except the newest `keep` (at least one) and the best.
    pub fn prune(&self, keep: usize) -> Result<()> {
        let (iterations, best) = (self.checkpoints()?, self.best()?);
        let old = iterations.len().saturating_sub(keep.max(1));
        for &iteration in iterations[..old]
            .iter()
            .filter(|&&iteration| Some(iteration) != best)
        {
            // Rename it first: a checkpoint that is partly removed must not look complete.
            let (path, temporary) = (
                self.checkpoint(iteration),
                self.checkpoint(iteration).with_extension(TEMPORARY),
            );
            fs::rename(&path, &temporary)
                .with_context(|| format!("cannot remove {}", path.display()))?;
            remove(&temporary)?;
        }
        Ok(())
    }
}

/// Creates the first folder of `name`, `name-2`, `name-3`, … that does not exist.
fn make_unused(directory: &Path, name: &str) -> Result<PathBuf> {
    let mut path = directory.join(name);
    for number in 2.. {
        match fs::create_dir(&path) {
            Ok(()) => break,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                path = directory.join(format!("{name}-{number}"))
            }
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("cannot create the folder {}", path.display()));
            }
        }
    }
    Ok(path)
}

/// Locks the run for this process, until the file is closed.
fn lock(run: &Path) -> Result<File> {
    let path = run.join(LOCK);
    let file = open_to_write(&path, OpenOptions::new().create(true))?;
    files::lock(
        &file,
        &path,
        format_args!("another process is training in {}", run.display()),
    )?;
    Ok(file)
}

fn checkpoint(run: &Path, iteration: u64) -> PathBuf {
    run.join(CHECKPOINTS).join(iteration.to_string())
}

fn checkpoints(run: &Path) -> Result<Vec<u64>> {
    let mut iterations: Vec<u64> = entries(&run.join(CHECKPOINTS))?
        .iter()
        .filter_map(|path| path.file_name()?.to_str()?.parse().ok())
        .collect();
    iterations.sort_unstable();
    Ok(iterations)
}

#[cfg(test)]
pub(crate) mod tests;
