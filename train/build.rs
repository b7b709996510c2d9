//! Embeds files into the program: the small bots, the configurations and the web page.

use std::{
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?)
        .join("..")
        .canonicalize()?;
    let mut code = String::new();
    let bots = files(&root.join("checkpoints"), &["bot"])?
        .into_iter()
        .filter(|path| !stem(path).ends_with("-strong"));
    writeln!(
        code,
        "/// The small bots.\npub const BOTS: &[EmbeddedBot] = &["
    )?;
    for path in bots {
        writeln!(
            code,
            "    EmbeddedBot {{ name: {:?}, content: include_bytes!({path:?}) }},",
            stem(&path)
        )?;
    }
    writeln!(
        code,
        "];\n/// The configurations, name and text.\npub const CONFIGS: &[(&str, &str)] = &["
    )?;
    for path in files(&root.join("configs"), &["toml"])?
        .into_iter()
        .filter(|path| stem(path) != "default")
    {
        writeln!(code, "    ({:?}, include_str!({path:?})),", stem(&path))?;
    }
    writeln!(code, "];\nconst PAGE: &[(&str, &[u8])] = &[")?;
    let mut page = files(
        &root.join("web"),
        &["html", "css", "js", "json", "svg", "webmanifest"],
    )?;
    page.extend(files(&root.join("bindings/js/shared"), &["css", "js"])?);
    page.extend(files(&root.join("env/games"), &["json"])?);
    for path in page {
        writeln!(
            code,
            "    ({:?}, include_bytes!({path:?})),",
            path.file_name().unwrap_or_default()
        )?;
    }
    writeln!(code, "];")?;
    fs::write(
        Path::new(&std::env::var("OUT_DIR")?).join("embedded.rs"),
        code,
    )?;
    Ok(())
}

/// Returns the files of a folder with one of these endings, sorted by path. A change in the folder
/// runs this build script again.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|file| Ok(file?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|end| endings.iter().any(|ending| end == *ending))
    });
    paths.sort_unstable();
    Ok(paths)
}

fn stem(path: &Path) -> &str {
    path.file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}
