//! Folders of runs: interruptions and refusals.

use std::{
    fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::bail;
use ashta_env::race::Race;

use super::{RunDir, RunInfo};

/// A separate empty folder for a test, removed at the end of the test.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ashta-test-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }
}

impl Deref for Scratch {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn info() -> RunInfo {
    let race = Race::parse_position("ashtapada S:off,off/N:off,off S *")
        .unwrap()
        .0;
    let (ruleset, ruleset_hash) = (
        "pagade?teams=true".to_owned(),
        "0000000000000abc".to_owned(),
    );
    RunInfo {
        ruleset,
        ruleset_hash,
        encoding: 3,
        ..RunInfo::of(&race, 7)
    }
}

fn begin(scratch: &Scratch) -> RunDir {
    RunDir::begin(scratch, "pagade", "x = 1\n", &info()).unwrap()
}

fn save(run: &RunDir, iteration: u64) {
    run.save_checkpoint(iteration, |folder| {
        Ok(fs::write(folder.join("weights"), iteration.to_string())?)
    })
    .unwrap();
}

#[test]
fn a_second_run_gets_a_number_and_the_first_is_untouched() {
    let scratch = Scratch::new();
    let (first, second, third) = (begin(&scratch), begin(&scratch), begin(&scratch));
    let names =
        [&first, &second, &third].map(|run| run.path().file_name().unwrap().to_str().unwrap());
    assert_eq!(names, ["pagade-7", "pagade-7-2", "pagade-7-3"]);
    assert_eq!(
        fs::read_to_string(first.path().join("config.toml")).unwrap(),
        "x = 1\n"
    );
    assert_eq!(RunDir::open(first.path()).unwrap().info, first.info);
    let json = fs::read_to_string(first.path().join("run.json")).unwrap();
    assert!(
        json.contains("\"ruleset_hash\": \"0000000000000abc\""),
        "{json}"
    );
    assert!(first.info.started > 1_700_000_000);
}

#[test]
fn a_checkpoint_is_there_completely_or_not_at_all() {
    let scratch = Scratch::new();
    let run = begin(&scratch);
    save(&run, 10);
    let error = run
        .save_checkpoint(20, |folder| {
            fs::write(folder.join("weights"), "half")?;
            assert_eq!(
                run.latest()?,
                Some(10),
                "not visible while it is being written"
            );
            bail!("the disk is full")
        })
        .unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        format!(
            "cannot save the checkpoint {}: the disk is full",
            run.checkpoint(20).display()
        )
    );
    assert_eq!(run.checkpoints().unwrap(), [10]);
    assert_eq!(
        fs::read_dir(run.path().join("checkpoints"))
            .unwrap()
            .count(),
        1
    );
    assert_eq!(
        fs::read_to_string(run.path().join("latest")).unwrap(),
        "10\n"
    );
    assert_eq!(
        fs::read_to_string(run.checkpoint(10).join("weights")).unwrap(),
        "10"
    );
    let again = run.save_checkpoint(10, |_| Ok(())).unwrap_err();
    assert!(again.to_string().ends_with("already exists"), "{again}");
}

#[test]
fn resuming_removes_what_is_half_written_and_finds_the_newest_checkpoint() {
    let scratch = Scratch::new();
    let run = begin(&scratch);
    let path = run.path().to_path_buf();
    drop(run);
    let (run, newest) = RunDir::resume(&path, &info(), false).unwrap();
    assert_eq!(newest, None);
    save(&run, 9);
    save(&run, 10);
    fs::create_dir(path.join("checkpoints/11.tmp")).unwrap();
    fs::write(path.join("checkpoints/11.tmp/weights"), "half").unwrap();
    fs::write(path.join("latest.tmp"), "1").unwrap();
    fs::write(path.join("latest"), "9\n").unwrap();
    drop(run);

    let (run, newest) = RunDir::resume(&path, &info(), false).unwrap();
    assert_eq!(newest, Some(10));
    assert_eq!(fs::read_to_string(path.join("latest")).unwrap(), "10\n");
    run.store_config("x = 3\n").unwrap();
    assert_eq!(
        fs::read_to_string(run.path().join("config.toml")).unwrap(),
        "x = 3\n"
    );
    assert!(!path.join("checkpoints/11.tmp").exists() && !path.join("latest.tmp").exists());
}

#[test]
fn only_one_process_trains_in_a_run() {
    let scratch = Scratch::new();
    let run = begin(&scratch);
    let error = RunDir::resume(run.path(), &info(), false).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("another process is training in "),
        "{error}"
    );
    assert!(RunDir::open(run.path()).is_ok(), "looking is allowed");
}

#[test]
fn resuming_something_else_is_refused_with_every_difference() {
    let scratch = Scratch::new();
    let path = begin(&scratch).path().to_path_buf();
    let other = RunInfo {
        seed: 8,
        encoding: 4,
        ..info()
    };
    let error = RunDir::resume(&path, &other, false)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("its encoding is 3, but now it is 4; its seed is 7, but now it is 8"),
        "{error}"
    );
    let error = format!("{:#}", RunDir::open(&scratch).unwrap_err());
    assert!(
        error.contains("is not the folder of a run: cannot read"),
        "{error}"
    );
}

#[test]
fn pruning_keeps_the_newest_and_the_best() {
    let scratch = Scratch::new();
    let run = begin(&scratch);
    [5, 10, 15, 100, 20]
        .iter()
        .for_each(|&iteration| save(&run, iteration));
    assert_eq!(run.best().unwrap(), None);
    run.mark_best(Some(11)).unwrap();
    assert_eq!(run.best().unwrap(), None, "there is no such checkpoint");
    run.mark_best(Some(10)).unwrap();
    run.prune(2).unwrap();
    assert_eq!(run.checkpoints().unwrap(), [10, 20, 100]);
    assert_eq!(run.best().unwrap(), Some(10));
    run.prune(0).unwrap();
    assert_eq!(run.checkpoints().unwrap(), [10, 100]);
    fs::remove_dir_all(run.checkpoint(10)).unwrap();
    assert_eq!(run.best().unwrap(), None, "a mark alone is no checkpoint");
    fs::write(run.path().join("best"), "ten").unwrap();
    assert!(
        run.best()
            .unwrap_err()
            .to_string()
            .ends_with("contains \"ten\", but must contain the number of a checkpoint")
    );
}
