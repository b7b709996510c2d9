//! `games.jsonl`: the settings of an arena, then its games, one per line and block by block. An
//! interrupted arena continues after the last whole block.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::run::files::{cannot_write, lock, open_to_write, write_whole};
use anyhow::{Context, Result, bail, ensure};
use ashta_agents::arena::game_record::GameLine;
use ashta_agents::play::files::open_regular;
use serde::{Deserialize, Serialize};

/// The settings of an arena. All except `luck` determine its games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Version of the format.
    pub arena: u32,
    /// The game with its house rules.
    pub game: String,
    /// The seats that take part.
    pub seats: String,
    /// The sheet of a game that is not built in, as TOML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The entrants.
    pub agents: Vec<Named>,
    /// Seed of the throws.
    pub seed: u64,
    /// The agent whose values measure luck (the reference), if the arena measures luck.
    pub luck: Option<Named>,
}

/// The name of an agent, and its version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Named {
    /// Name of the agent.
    pub name: String,
    /// Checksum of a bot, or the name and version that an engine states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Version of the format.
pub const FORMAT: u32 = 1;

/// An open games file. It is locked, so that no other arena can add games.
#[derive(Debug)]
pub struct GamesFile {
    path: PathBuf,
    file: File,
    /// The file that [`GamesFile::rewrite`] replaced. It stays open, so that its lock remains.
    before: Option<File>,
}

/// The number of a line, from 1, and the game in this line.
pub type NumberedGame = (usize, GameLine);

impl GamesFile {
    /// Opens or creates the file, and removes the part after the last whole block; `legs` gives the
    /// number of games of a block, and `first` is the first block. Returns the games of the whole
    /// blocks. With `any_luck`, the reference for luck can differ from `settings`.
    ///
    /// # Errors
    /// When the file cannot be read or written, is damaged, or has games with other settings, or
    /// another arena uses it.
    pub fn open(
        path: &Path,
        settings: &Settings,
        any_luck: bool,
        first: u64,
        legs: &dyn Fn(u64) -> usize,
    ) -> Result<(GamesFile, Vec<NumberedGame>)> {
        let mut file = open_locked(path)?;
        let (games, kept) = read(&file, settings, any_luck, first, legs)
            .with_context(|| path.display().to_string())?;
        file.set_len(kept)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .with_context(|| cannot_write(path))?;
        let mut games_file = GamesFile {
            path: path.to_owned(),
            file,
            before: None,
        };
        if kept == 0 {
            games_file.write(&line(settings)?)?;
        }
        Ok((games_file, games))
    }

    /// Adds the games of a block.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, games: &[GameLine]) -> Result<()> {
        self.write(&games.iter().map(line).collect::<Result<String>>()?)
    }

    /// Replaces the games of the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn rewrite<'a>(
        &mut self,
        settings: &Settings,
        games: impl Iterator<Item = &'a GameLine>,
    ) -> Result<()> {
        write_whole(
            &self.path,
            line(settings)? + &games.map(line).collect::<Result<String>>()?,
        )?;
        let mut file = open_locked(&self.path)?;
        file.seek(SeekFrom::End(0))
            .with_context(|| cannot_write(&self.path))?;
        self.before = Some(std::mem::replace(&mut self.file, file));
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.file
            .write_all(text.as_bytes())
            .with_context(|| cannot_write(&self.path))
    }
}

/// Opens a games file and locks it until it is closed.
fn open_locked(path: &Path) -> Result<File> {
    let is_file = path.is_symlink() || path.is_file() || !path.exists();
    ensure!(
        is_file,
        "{}: games can only be added to a regular file",
        cannot_write(path)
    );
    let file = open_to_write(path, OpenOptions::new().read(true).create(true))?;
    lock(
        &file,
        path,
        format_args!("another arena is adding games to {}", path.display()),
    )?;
    Ok(file)
}

/// Settings or a game as a line of the file.
fn line(of: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(of)? + "\n")
}

/// The longest line of a games file, in bytes.
const LONGEST_LINE: u64 = 1 << 24;

/// Reads the line with this number, with its line break.
fn read_line(lines: &mut impl BufRead, number: usize) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let read = lines.take(LONGEST_LINE).read_until(b'\n', &mut text)?;
    ensure!(
        (read as u64) < LONGEST_LINE,
        "line {number} is longer than {} MiB",
        LONGEST_LINE >> 20
    );
    Ok(text)
}

/// Joins the games of the files `parts` in the order of their blocks, and writes them to `path`.
///
/// # Errors
/// When `path` exists, a file cannot be read or written, the files have different settings, or a
/// game is missing between two others or in two files.
pub fn merge(parts: &[PathBuf], path: &Path) -> Result<()> {
    ensure!(
        !path.exists(),
        "{} already exists: name another file with --games",
        path.display()
    );
    let (mut settings, mut games) = (Vec::new(), Vec::new());
    for part in parts {
        let place = |number: usize| format!("{}, line {number}", part.display());
        let file = open_regular(part).with_context(|| format!("cannot read {}", part.display()))?;
        let mut lines = BufReader::new(file);
        let first = read_line(&mut lines, 1).with_context(|| part.display().to_string())?;
        serde_json::from_slice::<Settings>(&first)
            .with_context(|| format!("{}: not the settings of an arena", place(1)))?;
        ensure!(
            settings.is_empty() || settings == first,
            "{}: the settings differ from the settings of {}",
            place(1),
            parts[0].display()
        );
        settings = first;
        for number in 2.. {
            let text = read_line(&mut lines, number).with_context(|| part.display().to_string())?;
            if text.is_empty() {
                break;
            }
            let game: GameLine = serde_json::from_slice(&text)
                .with_context(|| format!("{}: not a game", place(number)))?;
            games.push((game.block, game.leg, text, place(number)));
        }
    }
    games.sort_by_key(|&(block, leg, ..)| (block, leg));
    for pair in games.windows(2) {
        let [(block, leg, _, before), (next, at, _, place)] = pair else {
            continue;
        };
        let follows = (*next, *at) == (*block, leg + 1) || (*next, *at) == (block + 1, 0);
        ensure!(
            follows,
            "{place}: game {at} of block {next} does not follow game {leg} of block {block} ({before})"
        );
    }
    let games = games.into_iter().flat_map(|(_, _, text, _)| text);
    write_whole(path, settings.into_iter().chain(games).collect::<Vec<u8>>())
}

/// Reads the games of the whole blocks. Also returns the number of bytes up to the end of the last
/// whole block.
fn read(
    file: &File,
    settings: &Settings,
    any_luck: bool,
    first_block: u64,
    legs: &dyn Fn(u64) -> usize,
) -> Result<(Vec<NumberedGame>, u64)> {
    let mut lines = BufReader::new(file);
    let mut next = |number: usize| read_line(&mut lines, number);
    let first = next(1)?;
    if !first.ends_with(b"\n") {
        ensure!(
            line(settings)?.as_bytes().starts_with(&first),
            "line 1: not the settings of an arena"
        );
        return Ok((Vec::new(), 0));
    }
    let mut found: Settings =
        serde_json::from_slice(&first).context("line 1: not the settings of an arena")?;
    if any_luck {
        found.luck.clone_from(&settings.luck);
    }
    compare(&found, settings)?;
    let (mut games, mut bytes): (Vec<NumberedGame>, u64) = (Vec::new(), first.len() as u64);
    // The whole blocks, their games and bytes.
    let (mut block, mut complete, mut whole) = (first_block, 0, bytes);
    for number in 2.. {
        let text = next(number)?;
        if !text.ends_with(b"\n") {
            break;
        }
        bytes += text.len() as u64;
        if text.trim_ascii().is_empty() {
            continue;
        }
        let game: GameLine =
            serde_json::from_slice(&text).with_context(|| format!("line {number}: not a game"))?;
        let is_next = (game.block, game.leg) == (block, games.len() - complete);
        ensure!(
            is_next,
            "line {number}: game {} of block {} is not the next game",
            game.leg,
            game.block
        );
        games.push((number, game));
        if games.len() - complete == legs(block) {
            (block, complete, whole) = (block + 1, games.len(), bytes);
        }
    }
    // An interrupted arena can leave a part of a line or of a block. The arena plays these games
    // again.
    games.truncate(complete);
    Ok((games, whole))
}

/// Checks that the settings of the file, `found`, equal the settings of this arena, `wanted`.
fn compare(found: &Settings, wanted: &Settings) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let (found, wanted) = (serde_json::to_value(found)?, serde_json::to_value(wanted)?);
    let differs = |(key, value): &(&String, &serde_json::Value)| wanted.get(key) != Some(*value);
    let differing = found.as_object().into_iter().flatten().find(differs);
    let (name, value) = differing.context("it has other settings than this arena")?;
    let wanted = wanted.get(name).cloned().unwrap_or_default();
    bail!(
        "the file has games of another arena: its `{name}` is {value}, not {wanted}; use another file"
    )
}
