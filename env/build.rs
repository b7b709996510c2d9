//! Writes the list of the sheets in `games/`. A new game only needs a new file in this folder.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let games = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("games");
    println!("cargo::rerun-if-changed={}", games.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&games)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort_by_key(|path| path.file_stem().map(ToOwned::to_owned));
    let sheets: String = files
        .iter()
        .map(|path| format!("include_str!({:?}),\n", path.display().to_string()))
        .collect();
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("sheets.rs"),
        format!("[{sheets}]"),
    )?;
    Ok(())
}
