//! What the fuzzer has found interesting, given again to the same functions: the corpus, and what was once wrong.

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

/// Gives every file of `kind` to its target; there are to be so many for each at least.
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
            // What fails is the last that was named.
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
fn what_was_found_is_mended() {
    replay("regressions", 0);
}
