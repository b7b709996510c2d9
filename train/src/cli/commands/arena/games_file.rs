//! `games.jsonl`: the settings of an arena, then its games, one per line and block by block. An
//! interrupted arena continues after the last whole block.

use std::{
    fmt::{self, Display, Formatter},
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use crate::run::files::{cannot_write, lock, open_to_write, write_whole};
use anyhow::{Context, Result, anyhow, bail, ensure};
use ashta_agents::{
    arena::{MAX_AGENTS, game_record::GameLine, lineups, rotations, sides},
    play::files::open_regular,
};
use ashta_env::game::Game;
use serde::{Deserialize, Serialize};

/// The settings of an arena. All except `luck` determine its games.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Serialize, Deserialize)]
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
/// When `path` exists, a file cannot be read or written, a file is interrupted, the files have
/// different settings, or a game is missing or in two files.
pub fn merge(parts: &[PathBuf], path: &Path) -> Result<()> {
    ensure!(
        !path.exists(),
        "{} already exists: name another file with --games",
        path.display()
    );
    let (mut first, mut games) = (None, Vec::new());
    for part in parts {
        let (header, found) = read_part(part, &mut games)?;
        let (_, settings) = first.get_or_insert_with(|| (header, found.clone()));
        compare(&found, settings).with_context(|| {
            let (place, first) = (LineOf(part, 1), parts[0].display());
            format!("{place}: the settings differ from the settings of {first}")
        })?;
    }
    let (header, settings) = first.context("there are no files to join")?;
    games.sort_by_key(|game| (game.block, game.leg));
    check_order(&games, &settings)?;
    let games = games.into_iter().flat_map(|game| game.text);
    write_whole(path, header.into_iter().chain(games).collect::<Vec<u8>>())
}

/// A line of a file, from 1.
struct LineOf<'a>(&'a Path, usize);

impl Display for LineOf<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "{}, line {}", self.0.display(), self.1)
    }
}

/// A line with a game.
struct GameText<'a> {
    block: u64,
    leg: usize,
    text: Vec<u8>,
    place: LineOf<'a>,
}

/// Reads a file of games: appends its games to `games`, and returns the first line and the settings
/// in this line.
fn read_part<'a>(part: &'a Path, games: &mut Vec<GameText<'a>>) -> Result<(Vec<u8>, Settings)> {
    let name = || part.display().to_string();
    let file = open_regular(part).with_context(|| format!("cannot read {}", part.display()))?;
    let mut lines = BufReader::new(file);
    // A whole line; `None` at the end of the file.
    let mut next = |number: usize| -> Result<Option<Vec<u8>>> {
        let text = read_line(&mut lines, number).with_context(name)?;
        ensure!(
            text.is_empty() || text.ends_with(b"\n"),
            "{} stops within line {number}: run its arena again to finish it",
            part.display()
        );
        Ok((!text.is_empty()).then_some(text))
    };
    let header = next(1)?.unwrap_or_default();
    let settings = serde_json::from_slice(&header)
        .with_context(|| format!("{}: not the settings of an arena", LineOf(part, 1)))?;
    let before = games.len();
    for number in 2.. {
        let Some(text) = next(number)? else {
            break;
        };
        if text.trim_ascii().is_empty() {
            continue;
        }
        let place = LineOf(part, number);
        let GameLine { block, leg, .. } =
            serde_json::from_slice(&text).with_context(|| format!("{place}: not a game"))?;
        games.push(GameText {
            block,
            leg,
            text,
            place,
        });
    }
    ensure!(
        games.len() > before,
        "{} has no games: run its arena again to finish it",
        part.display()
    );
    Ok((header, settings))
}

/// Checks that the sorted `games` are consecutive whole blocks of the arena with these settings.
fn check_order(games: &[GameText<'_>], settings: &Settings) -> Result<()> {
    let Some(first) = games.first() else {
        return Ok(());
    };
    let legs = legs_of_lineups(settings, &first.text).with_context(|| first.place.to_string())?;
    let is_last = |game: &GameText<'_>| {
        let lineup = (game.block % legs.len() as u64) as usize;
        game.leg + 1 == legs[lineup]
    };
    ensure!(
        first.leg == 0,
        "{}: game {} of block {} is not the first game of its block",
        first.place,
        first.leg,
        first.block
    );
    for (at, game) in games.iter().enumerate() {
        let GameText { block, leg, .. } = game;
        let next = games.get(at + 1);
        let is_followed = match next {
            Some(next) if is_last(game) => (next.block, next.leg) == (block + 1, 0),
            Some(next) => (next.block, next.leg) == (*block, leg + 1),
            None => is_last(game),
        };
        if is_followed {
            continue;
        }
        let part = game.place.0;
        match next {
            // The game is missing within a file, or it is in two files.
            Some(next) if is_last(game) || next.block == *block || next.place.0 == part => bail!(
                "{}: game {} of block {} does not follow game {leg} of block {block} ({})",
                next.place,
                next.leg,
                next.block,
                game.place
            ),
            _ => bail!(
                "{} stops within block {block}: run its arena again to finish it",
                part.display()
            ),
        }
    }
    Ok(())
}

/// The number of games of a block, for each lineup. `game` is a line with a game of the arena.
/// Consecutive blocks play consecutive lineups.
fn legs_of_lineups(settings: &Settings, game: &[u8]) -> Result<Vec<usize>> {
    let agents = settings.agents.len();
    ensure!(
        (2..=MAX_AGENTS).contains(&agents),
        "an arena needs 2 to {MAX_AGENTS} agents (got {agents})"
    );
    let mut game: GameLine = serde_json::from_slice(game)?;
    game.sheet.clone_from(&settings.sheet);
    let (race, _) = game.read_start()?;
    let sides = sides(race.spec());
    let legs = |lineup: &Vec<usize>| rotations(&sides, lineup).len();
    Ok(lineups(agents, sides.len()).iter().map(legs).collect())
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
    compare(&found, settings).map_err(|error| {
        anyhow!("the file has games of another arena: {error}; use another file")
    })?;
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

/// Checks that the settings of a file, `found`, equal the settings `wanted`.
fn compare(found: &Settings, wanted: &Settings) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let (found, wanted) = (serde_json::to_value(found)?, serde_json::to_value(wanted)?);
    let keys = |of: &serde_json::Value| -> Vec<String> {
        of.as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key.clone())
            .collect()
    };
    for key in keys(&found).into_iter().chain(keys(&wanted)) {
        // A missing key is `null`.
        let (value, other) = (&found[&key], &wanted[&key]);
        ensure!(value == other, "its `{key}` is {value}, not {other}");
    }
    bail!("its settings differ")
}
