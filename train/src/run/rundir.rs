//! The folder of a run: what is written where, and how it survives an interruption at any moment.
//!
//! ```text
//! runs/<name>-<seed>/
//!   config.toml          every setting as used
//!   run.json             what made the run: program, seed, ruleset, encoding
//!   metrics.jsonl        one line an iteration
//!   tensorboard/         the same and histograms, for TensorBoard
//!   checkpoints/<n>/     complete: a folder gets this name only when its last file has been written; its
//!                        manifest.json has the length and the checksum of each
//!   latest, best         the number of a checkpoint
//!   bots/                exported bots
//!   games/<n>            games since the newest checkpoint, where many machines play them
//!   lock                 held while a process trains here
//! ```
//!
//! Exists so that nothing else needs to know these names or worry about half-written files. Does not know what a
//! checkpoint contains (the caller that saves it writes the files) nor what a metric is.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use ashta_agents::learn::numerics::fingerprint;
use ashta_env::game::Game;
use ashta_env::race::Race;
use serde::{Deserialize, Serialize};

use crate::run::files::{
    self, TEMPORARY, cannot_write, entries, open_to_write, read, read_if_there, remove, sync_folder, write_whole,
};
use crate::run::output::remark;
use manifest::CheckpointManifest;

mod manifest;

const CONFIG: &str = "config.toml";
const INFO: &str = "run.json";
const CHECKPOINTS: &str = "checkpoints";
const LATEST: &str = "latest";
const BEST: &str = "best";
const BOTS: &str = "bots";
const GAMES: &str = "games";
const LOCK: &str = "lock";
/// Ending of the names of checkpoints that were set aside.
const DAMAGED: &str = "damaged";

/// What made a run: enough to refuse continuing it with something else, and to find the program again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Version of the program.
    pub version: String,
    /// Commit of the program, where the build stated it (environment variable `ASHTA_COMMIT`).
    pub commit: Option<String>,
    /// Seed of the run.
    pub seed: u64,
    /// The ruleset and its seats as the program prints them: the game with its flags, and the letters of the seats.
    pub ruleset: String,
    /// Hash of the ruleset with its seats, 16 hexadecimal digits.
    pub ruleset_hash: String,
    /// Version of the meaning of actions and observations.
    pub encoding: u32,
    /// How the machine rounds, 8 hexadecimal digits: with another one the run goes on, but not to the same bits.
    #[serde(default)]
    pub numerics: String,
    /// When the run began, in seconds since 1970.
    pub started: u64,
}

impl RunInfo {
    /// A run of this program in `race` that begins now.
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
            started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        }
    }

    /// What the folder of a run says of it.
    fn read(run: &Path) -> Result<RunInfo> {
        let file = run.join(INFO);
        let not_a_run = || format!("{} is not the folder of a run: cannot read {}", run.display(), file.display());
        serde_json::from_slice(&read(&file).with_context(not_a_run)?).with_context(not_a_run)
    }

    /// Says so in the folder of a run.
    fn write(&self, run: &Path) -> Result<()> {
        write_whole(&run.join(INFO), serde_json::to_string_pretty(self)? + "\n")
    }
}

/// The folder of a run.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    info: RunInfo,
    /// Held while this process may write here; `None` for a run that is only looked at.
    lock: Option<File>,
}

impl RunDir {
    /// Makes the folder of a new run, `<directory>/<name>-<seed>`, with `-2`, `-3`, … behind it if that exists. Nothing
    /// is ever overwritten. `config` is the text of the resolved settings.
    ///
    /// # Errors
    /// When something cannot be written, with its path.
    pub fn begin(directory: &Path, name: &str, config: &str, info: &RunInfo) -> Result<RunDir> {
        fs::create_dir_all(directory).with_context(|| format!("cannot make the folder {}", directory.display()))?;
        let path = make_unused(directory, &format!("{name}-{}", info.seed))?;
        for folder in [CHECKPOINTS, BOTS] {
            fs::create_dir(path.join(folder)).with_context(|| cannot_write(&path.join(folder)))?;
        }
        let lock = Some(lock(&path)?);
        write_whole(&path.join(CONFIG), config)?;
        info.write(&path)?;
        sync_folder(directory)?;
        Ok(RunDir { path, info: info.clone(), lock })
    }

    /// Opens an existing run to look at it; another process may be training in it.
    ///
    /// # Errors
    /// When `path` is not the folder of a run.
    pub fn open(path: &Path) -> Result<RunDir> {
        // Each checkpoint says it, too.
        let stated = |iteration: u64| Some(CheckpointManifest::read(&checkpoint(path, iteration)).ok()?.run);
        let newest = || checkpoints(path).ok()?.into_iter().rev().find_map(stated);
        let info = RunInfo::read(path).or_else(|error| newest().ok_or(error))?;
        Ok(RunDir { path: path.to_path_buf(), info, lock: None })
    }

    /// Opens an existing run to go on training in it and removes what an interruption left half-written. Returns the
    /// run and the iteration of its newest checkpoint; `None` means that the run has to start over. With `falls_back`
    /// damaged checkpoints are set aside, and it is the newest one that is whole.
    ///
    /// # Errors
    /// When `path` is not the folder of a run, when the run was made with another ruleset, encoding or seed than
    /// `current`, when another process is training in it, when a checkpoint is damaged or all are gone, or when
    /// something cannot be written.
    pub fn resume(path: &Path, current: &RunInfo, falls_back: bool) -> Result<(RunDir, Option<u64>)> {
        let stated = RunDir::open(path);
        let is_new = || entries(&path.join(CHECKPOINTS)).is_ok_and(|entries| entries.is_empty());
        let mut run = match stated {
            // Without a checkpoint nothing of it is needed: the settings say what is played.
            Err(_) if is_new() => RunDir { path: path.to_path_buf(), info: current.clone(), lock: None },
            stated => stated?,
        };
        run.check(current, "resume")?;
        run.lock = Some(lock(path)?);
        if RunInfo::read(path).is_err() {
            remark(format_args!("{} was damaged, and is written anew", path.join(INFO).display()));
            run.info.write(path)?;
        }
        for entry in entries(path)?.into_iter().chain(entries(&path.join(CHECKPOINTS))?) {
            if entry.extension().is_some_and(|ending| ending == TEMPORARY) {
                remove(&entry)?;
            }
        }
        let newest = run.newest_whole(falls_back)?;
        match newest {
            Some(iteration) => write_whole(&path.join(LATEST), format!("{iteration}\n"))?,
            None => ensure!(
                !path.join(LATEST).exists(),
                "{} has had checkpoints, and now there is none in {}; without the file {} the run begins anew",
                path.display(),
                path.join(CHECKPOINTS).display(),
                path.join(LATEST).display()
            ),
        }
        Ok((run, newest))
    }

    /// The newest checkpoint, if there is one. It must be whole, or with `falls_back` newer ones are set aside.
    fn newest_whole(&self, falls_back: bool) -> Result<Option<u64>> {
        while let Some(iteration) = self.latest()? {
            let Err(error) = self.check_checkpoint(iteration) else { return Ok(Some(iteration)) };
            let Some(older) = self.checkpoints()?.into_iter().rev().nth(1) else {
                return Err(error.context("there is no other checkpoint to go on from"));
            };
            if !falls_back {
                return Err(error.context(format!("with --fallback it is set aside, and checkpoint {older} is tried")));
            }
            remark(format_args!("set aside: {error:#}"));
            let path = self.checkpoint(iteration);
            // The same iteration may have been damaged before.
            let aside =
                (1..).map(|number| path.with_extension(format!("{DAMAGED}-{number}"))).find(|path| !path.exists());
            fs::rename(&path, aside.unwrap_or_default()).with_context(|| cannot_write(&path))?;
            sync_folder(&self.path.join(CHECKPOINTS))?;
        }
        Ok(None)
    }

    /// Checks that every file of the checkpoint of `iteration` is as it was written.
    ///
    /// # Errors
    /// When one is missing or changed, with its path.
    pub fn check_checkpoint(&self, iteration: u64) -> Result<()> {
        let path = self.checkpoint(iteration);
        let checked = CheckpointManifest::read(&path).and_then(|manifest| manifest.check(&path));
        checked.with_context(|| format!("the checkpoint {} is damaged", path.display()))
    }

    /// Checks that the run was made as `current` would be, before it is used as `action` says.
    ///
    /// # Errors
    /// With everything that differs: ruleset, encoding, seed.
    pub fn check(&self, current: &RunInfo, action: &str) -> Result<()> {
        let pairs = [
            ("ruleset", self.info.ruleset.clone(), current.ruleset.clone()),
            ("ruleset hash", self.info.ruleset_hash.clone(), current.ruleset_hash.clone()),
            ("encoding", self.info.encoding.to_string(), current.encoding.to_string()),
            ("seed", self.info.seed.to_string(), current.seed.to_string()),
        ];
        let differing = pairs.iter().filter(|(_, then, now)| then != now);
        let differences: Vec<String> =
            differing.map(|(what, then, now)| format!("its {what} is {then}, now it would be {now}")).collect();
        ensure!(differences.is_empty(), "cannot {action} {}: {}", self.path.display(), differences.join("; "));
        Ok(())
    }

    /// Replaces the resolved settings by `config`, which may allow more games than before.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn store_config(&self, config: &str) -> Result<()> {
        write_whole(&self.config(), config)
    }

    /// Lets other processes train here.
    pub fn unlock(&mut self) {
        self.lock = None;
    }

    /// What made the run.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// The folder of the run.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file with the resolved settings.
    pub fn config(&self) -> PathBuf {
        self.path.join(CONFIG)
    }

    /// The folder for exported bots.
    pub fn bots(&self) -> PathBuf {
        self.path.join(BOTS)
    }

    /// The folder of the checkpoint of `iteration`, whether it exists or not.
    pub fn checkpoint(&self, iteration: u64) -> PathBuf {
        checkpoint(&self.path, iteration)
    }

    /// Saves a checkpoint and makes it the latest. `write` fills an empty folder; if it fails, nothing of the
    /// checkpoint remains.
    ///
    /// # Errors
    /// When the iteration has a complete checkpoint already, when `write` fails, or when something cannot be written.
    pub fn save_checkpoint(&self, iteration: u64, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let path = self.checkpoint(iteration);
        ensure!(!path.exists(), "the checkpoint {} exists already", path.display());
        let temporary = path.with_extension(TEMPORARY);
        remove(&temporary)?;
        fs::create_dir(&temporary).with_context(|| cannot_write(&temporary))?;
        let written = write(&temporary).and_then(|()| CheckpointManifest::write(&temporary, &self.info));
        let renamed = written.and_then(|()| Ok(fs::rename(&temporary, &path)?));
        if let Err(error) = renamed {
            // The first error is the one to report; what remains is removed when the run is resumed.
            let _ = remove(&temporary);
            return Err(error.context(format!("cannot save the checkpoint {}", path.display())));
        }
        sync_folder(&self.path.join(CHECKPOINTS))?;
        write_whole(&self.path.join(LATEST), format!("{iteration}\n"))
    }

    /// Makes the checkpoint of `iteration` the best one, if it is there; with `None` there is no best one.
    ///
    /// # Errors
    /// When the mark cannot be written.
    pub fn mark_best(&self, iteration: Option<u64>) -> Result<()> {
        let path = self.path.join(BEST);
        let Some(iteration) = iteration else { return remove(&path) };
        if self.checkpoint(iteration).is_dir() && !matches!(self.best(), Ok(Some(best)) if best == iteration) {
            write_whole(&path, format!("{iteration}\n"))?;
        }
        Ok(())
    }

    /// The iterations of the complete checkpoints, ascending.
    ///
    /// # Errors
    /// When the folder of the checkpoints cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<u64>> {
        checkpoints(&self.path)
    }

    /// The iteration of the newest complete checkpoint.
    ///
    /// # Errors
    /// When the folder of the checkpoints cannot be read.
    pub fn latest(&self) -> Result<Option<u64>> {
        Ok(self.checkpoints()?.last().copied())
    }

    /// The iteration of the best checkpoint, if one was marked and still exists.
    ///
    /// # Errors
    /// When the mark cannot be read or is not the number of a checkpoint.
    pub fn best(&self) -> Result<Option<u64>> {
        let path = self.path.join(BEST);
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let iteration = text.trim().parse().with_context(|| {
            format!("{} holds {:?}, but must hold the number of a checkpoint", path.display(), text.trim())
        })?;
        Ok(self.checkpoint(iteration).is_dir().then_some(iteration))
    }

    /// Removes all checkpoints but the newest `keep` (at least one) and the best.
    ///
    /// # Errors
    /// When something cannot be read or removed.
    pub fn prune(&self, keep: usize) -> Result<()> {
        let (iterations, best) = (self.checkpoints()?, self.best()?);
        let old = iterations.len().saturating_sub(keep.max(1));
        for &iteration in iterations[..old].iter().filter(|&&iteration| Some(iteration) != best) {
            // Loses its name first: a half-removed checkpoint must not look complete.
            let (path, temporary) = (self.checkpoint(iteration), self.checkpoint(iteration).with_extension(TEMPORARY));
            fs::rename(&path, &temporary).with_context(|| format!("cannot remove {}", path.display()))?;
            remove(&temporary)?;
        }
        Ok(())
    }
}

/// Games since the newest checkpoint, so that a run that goes on from there need not play them again.
impl RunDir {
    fn games(&self) -> PathBuf {
        self.path.join(GAMES)
    }

    /// Keeps the games of `iteration`.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep_games(&self, iteration: u64, bytes: &[u8]) -> Result<()> {
        let folder = self.games();
        fs::create_dir_all(&folder).with_context(|| cannot_write(&folder))?;
        write_whole(&folder.join(iteration.to_string()), bytes)
    }

    /// The games that were kept of `iteration`, if they were.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn kept_games(&self, iteration: u64) -> Result<Option<Vec<u8>>> {
        read_if_there(&self.games().join(iteration.to_string()))
    }

    /// Removes kept games: those of `iteration` and the ones before, or all.
    ///
    /// # Errors
    /// When they cannot be removed.
    pub fn forget_games(&self, iteration: Option<u64>) -> Result<()> {
        let folder = self.games();
        if !folder.is_dir() {
            return Ok(());
        }
        let number = |path: &Path| path.file_name()?.to_str()?.parse::<u64>().ok();
        let is_old = |path: &PathBuf| iteration.is_none_or(|last| number(path).is_none_or(|of| of <= last));
        entries(&folder)?.iter().filter(|path| is_old(path)).try_for_each(|path| remove(path))
    }
}

/// Makes the first folder of `name`, `name-2`, `name-3`, … that does not exist yet.
fn make_unused(directory: &Path, name: &str) -> Result<PathBuf> {
    let mut path = directory.join(name);
    for number in 2.. {
        match fs::create_dir(&path) {
            Ok(()) => break,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => path = directory.join(format!("{name}-{number}")),
            Err(error) => return Err(error).with_context(|| format!("cannot make the folder {}", path.display())),
        }
    }
    Ok(path)
}

/// Marks the run as being trained by this process until the file is closed.
fn lock(run: &Path) -> Result<File> {
    let path = run.join(LOCK);
    let file = open_to_write(&path, OpenOptions::new().create(true))?;
    files::lock(&file, &path, format_args!("another process is training in {}", run.display()))?;
    Ok(file)
}

/// The folder of the checkpoint of `iteration` in that of a run.
fn checkpoint(run: &Path, iteration: u64) -> PathBuf {
    run.join(CHECKPOINTS).join(iteration.to_string())
}

/// The iterations of the complete checkpoints in the folder of a run, ascending.
fn checkpoints(run: &Path) -> Result<Vec<u64>> {
    let names = entries(&run.join(CHECKPOINTS))?;
    let mut iterations: Vec<u64> = names.iter().filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect();
    iterations.sort_unstable();
    Ok(iterations)
}

#[cfg(test)]
pub(crate) mod tests;
