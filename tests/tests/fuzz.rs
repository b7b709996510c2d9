//! Replay of the fuzz corpus and of past failures on the same functions.

use std::fs;
use std::path::{Path, PathBuf};

use ashta_tests::fuzz::TARGETS;

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    files.sort_unstable();
    files
}

/// Gives every file of `kind` to its target; each target has at least `least`.
fn replay(kind: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(kind);
    let names: Vec<PathBuf> = TARGETS.iter().map(|(name, _)| root.join(name)).collect();
    assert!(
        !files(&root).is_empty() && files(&root).iter().all(|folder| names.contains(folder)),
        "a folder of {kind} belongs to no target"
    );
    for (name, target) in TARGETS {
        let folder = root.join(name);
        let files = if folder.is_dir() { files(&folder) } else { Vec::new() };
        assert!(files.len() >= least, "{kind} has nothing for {name}");
        for file in files {
            // The last file named is the one that fails.
            println!("{}", file.display());
            target(&fs::read(&file).expect("a file of the corpus"));
        }
    }
}

#[test]
fn the_corpus_finds_nothing() {
    replay("corpus", 1);
}

#[test]
fn past_failures_are_fixed() {
    replay("regressions", 0);
}
