//! The entrants of an arena: agents of this program, and engines.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ashta_agents::{
    arena::tournament::{Entrant, distinct_names},
    roster::NamedAgent,
};
use ashta_env::race::Race;

use super::{
    engine::{Limits, Program},
    games_file::Named,
};
use crate::{
    cli::GameArgs,
    run::{files::cannot_write, games, output::remark},
};

/// The names of engines begin with this text.
const ENGINE: &str = "engine:";

/// An entrant, loaded before the game is known.
enum Written {
    Agent(NamedAgent),
    Engine(Program),
}

/// The entrants, with the name and version of each.
pub type Entrants<'a> = (Vec<Entrant<'a>>, Vec<Named>);

/// Loads agents and engines, and finds the game that they play.
///
/// # Errors
/// When an agent does not exist, an engine does not speak the protocol, or the entrants play
/// different games.
pub fn enter<'a>(
    specs: &[String],
    game: &GameArgs,
    limits: &Limits,
    errors: &mut ErrorFiles,
) -> Result<(Race, Entrants<'a>)> {
    let read = |(number, spec): (usize, &String)| match spec.strip_prefix(ENGINE) {
        Some(command) => {
            Program::new(command, errors.of(number)?, limits.clone()).map(Written::Engine)
        }
        None => games::agent(spec).map(Written::Agent),
    };
    let written = specs
        .iter()
        .enumerate()
        .map(read)
        .collect::<Result<Vec<_>>>()?;
    let agents: Vec<&NamedAgent> = written
        .iter()
        .filter_map(|one| {
            if let Written::Agent(agent) = one {
                Some(agent)
            } else {
                None
            }
        })
        .collect();
    let race = games::race_of(game.game.as_deref(), game.seats, &agents)?;
    let (mut entrants, mut named) = (Vec::new(), Vec::new());
    for ((spec, name), written) in specs.iter().zip(distinct_names(specs)).zip(written) {
        let (version, entrant) = match written {
            Written::Agent(agent) => {
                let player = games::player(&agent, &race)?;
                (
                    agent.version(),
                    Entrant::new(name.clone(), move || Box::new(player.agent())),
                )
            }
            Written::Engine(program) => {
                let hello = program.hello(&race).with_context(|| spec.clone())?;
                let text = |key: &str| hello[key].as_str().unwrap_or_default();
                let version = format!("{} {}", text("name"), text("version"))
                    .trim_end()
                    .to_owned();
                (
                    Some(version),
                    Entrant::new(name.clone(), move || Box::new(program.player())),
                )
            }
        };
        named.push(Named { name, version });
        entrants.push(entrant);
    }
    Ok((race, (entrants, named)))
}

/// The folder for the standard error of engines, one file per engine. When dropped, it removes
/// empty files, and prints the paths of the other files if the folder is temporary.
pub struct ErrorFiles {
    folder: PathBuf,
    /// Whether the folder is temporary.
    is_own: bool,
    files: Vec<PathBuf>,
}

impl ErrorFiles {
    /// Uses `folder`; without one, a temporary folder.
    pub fn new(folder: Option<&Path>) -> ErrorFiles {
        let own = || std::env::temp_dir().join(format!("ashta-arena-{}", std::process::id()));
        let is_own = folder.is_none();
        ErrorFiles {
            folder: folder.map_or_else(own, Path::to_owned),
            is_own,
            files: Vec::new(),
        }
    }

    /// The file of the engine with this number, from 0.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub(super) fn of(&mut self, number: usize) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.folder).with_context(|| cannot_write(&self.folder))?;
        let file = self.folder.join(format!("engine-{}.txt", number + 1));
        ensure!(
            !file.is_symlink(),
            "{}: this is a link",
            cannot_write(&file)
        );
        self.files.push(file.clone());
        Ok(file)
    }
}

impl Drop for ErrorFiles {
    fn drop(&mut self) {
        for file in &self.files {
            if std::fs::metadata(file).is_ok_and(|facts| facts.len() == 0) {
                let _ = std::fs::remove_file(file);
            } else if self.is_own && file.exists() {
                remark(format_args!(
                    "the engine's standard error is in {}",
                    file.display()
                ));
            }
        }
        if self.is_own {
            // Removes the folder only if it is empty.
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}
