//! Tests of the training loop: changes of settings, schedules and checkpoints.

use super::*;
use crate::run::{
    checkpoint, games,
    rundir::{RunInfo, tests::Scratch},
};
use ashta_agents::play::stop::stop_if;

/// The smoke configuration with these changes, in a separate folder.
fn config(scratch: &Scratch, changes: &[&str]) -> Config {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/smoke.toml");
    let mut sets: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    sets.push(format!("run.directory=\"{}\"", scratch.display()));
    Config::load(Some(&file), &sets).expect("a valid configuration")
}

fn evaluator(race: Race, config: &Config) -> RunEvaluator {
    RunEvaluator::new(&Arc::new(race), config, &games::agent, None).expect("opponents that exist")
}

/// Trains up to iteration `last`; returns the folder of the run.
fn train(config: &Config, last: u64) -> std::path::PathBuf {
    let race = games::configured(&config.ruleset).expect("a valid ruleset");
    let info = RunInfo::of(&race, config.run.seed);
    let rundir = RunDir::begin(
        &config.run.directory,
        &config.run.name,
        &config.to_toml(),
        &info,
    )
    .expect("writable");
    let path = rundir.path().to_owned();
    let mut run = Run::open(config.clone(), evaluator(race, config), None, rundir, None)
        .expect("a valid run");
    if run
        .train(&|log| stop_if(log.iteration() >= last))
        .expect("nothing goes wrong")
    {
        run.conclude(&Stop::default()).expect("a bot");
    }
    path
}

fn resume(config: &Config, path: &std::path::Path) {
    let race = games::configured(&config.ruleset).expect("a valid ruleset");
    let info = RunInfo::of(&race, config.run.seed);
    let (rundir, newest) = RunDir::resume(path, &info, false).expect("a run");
    let mut run = Run::open(
        config.clone(),
        evaluator(race, config),
        None,
        rundir,
        newest,
    )
    .expect("a valid checkpoint");
    assert!(
        run.train(&|_| stop_if(false)).expect("nothing goes wrong"),
        "it is not interrupted"
    );
    run.conclude(&Stop::default()).expect("a bot");
}

/// Resumes a run with these changes; returns the recipe of its bot and the changes that the bot
/// states, or the error.
fn changed(path: &std::path::Path, set: &[&str], falls_back: bool) -> Result<(String, String)> {
    let set: Vec<String> = set.iter().map(|&text| text.to_owned()).collect();
    let mut run = Run::resume(path, &set, &games::folders(), falls_back, None)?;
    assert!(run.train(&|_| stop_if(false))?, "it is not interrupted");
    let (_, bot) = run.conclude(&Stop::default())?.expect("nothing stops it");
    let mut training = Bot::load(bot)?.manifest.training;
    Ok((
        training.remove("recipe").unwrap_or_default(),
        training.remove("changes").unwrap_or_default(),
    ))
}

#[test]
fn a_bot_states_each_change_of_its_settings() {
    let scratch = Scratch::new();
    let first = config(&scratch, &["run.threads=1", "run.checkpoint_iterations=2"]);
    let usual = first.recipe();
    let path = train(&first, 2);
    assert_eq!(
        changed(&path, &["run.threads=2", "cluster.actors=3"], false).unwrap(),
        (usual.clone(), String::new())
    );
    for (set, key) in [
        ("selfplay.games=32", "`selfplay.games` is 32, but 64 games"),
        ("run.directory=elsewhere", "`run.directory`"),
        (
            "selfplay.exploration=0.5",
            "`selfplay.exploration` has no effect",
        ),
        ("run.time_limit_minutes=1e-9", "`run.time_limit_minutes`"),
    ] {
        assert!(
            changed(&path, &[set], false)
                .unwrap_err()
                .to_string()
                .contains(key),
            "{set}"
        );
    }
    let more = [
        "selfplay.games=96",
        "evaluation.opponents=[\"random\", \"greedy+1ply\"]",
    ];
    let (recipe, changes) = changed(&path, &more, false).unwrap();
    let expected = "after iteration 4: evaluation.opponents = [\"random\", \"greedy\"] → \
                    [\"random\", \"greedy+1ply\"]; after iteration 4: selfplay.games = 64 → 96";
    assert_eq!(changes, expected);
    assert!(recipe != usual && recipe != Config::of_run(&path, &[]).unwrap().recipe());
    assert_eq!(
        changed(&path, &[], false).unwrap(),
        (recipe.clone(), changes),
        "resumed without a change"
    );
    // The newest checkpoint is damaged. Changes that only this checkpoint contains are lost.
    std::fs::write(path.join("checkpoints/6/loop.json"), "{}").unwrap();
    let (_, changes) = changed(
        &path,
        &["selfplay.games=80", "evaluation.opponents=[\"random\"]"],
        true,
    )
    .unwrap();
    assert!(
        changes.ends_with("selfplay.games = 64 → 80") && !changes.contains("96"),
        "{changes}"
    );
}

#[test]
fn a_bot_contains_no_path() {
    let scratch = Scratch::new();
    let rival = train(&config(&scratch, &["run.threads=1"]), u64::MAX).join("bots/smoke.bot");
    let set = format!("evaluation.opponents=[\"random\", \"{}\"]", rival.display());
    let path = train(&config(&scratch, &["run.threads=1", &set]), u64::MAX);
    let bytes = std::fs::read(path.join("bots/smoke.bot")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains(&*scratch.display().to_string()) && !text.contains("directory"));
    assert!(
        text.matches("smoke.bot").count() == 2,
        "settings and strength name the file"
    );
}

#[test]
fn lambda_falls_from_one_to_what_is_set() {
    let scratch = Scratch::new();
    let path = train(
        &config(
            &scratch,
            &["learning.lambda=0.5", "learning.lambda_fall=0.5"],
        ),
        u64::MAX,
    );
    let metrics = std::fs::read_to_string(path.join("metrics.jsonl")).expect("a run has metrics");
    let lambda = |line: &str| -> f64 {
        let step: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        step["train/lambda"].as_f64().expect("a number")
    };
    assert_eq!(
        metrics.lines().map(lambda).collect::<Vec<_>>(),
        [0.75, 0.5, 0.5, 0.5]
    );
}

#[test]
fn an_extended_run_names_the_change_of_its_schedule() {
    let scratch = Scratch::new();
    let path = train(
        &config(&scratch, &["evaluation.every_iterations=1"]),
        u64::MAX,
    );
    let report = || std::fs::read_to_string(path.join("report.html")).expect("a report");
    assert!(report().contains("\"changes\":[]"));
    let mut longer = Config::of_run(&path, &[]).expect("settings");
    longer.training.selfplay.games *= 2;
    resume(&longer, &path);
    let report = report();
    let change = report.split("\"changes\":").nth(1).expect("changes");
    assert!(
        change.starts_with("[\"From iteration ") && change.contains("the learning rate is "),
        "{change:.200}"
    );
}

#[test]
fn checkpoints_of_earlier_versions_resume_and_wrong_measures_are_refused() {
    let scratch = Scratch::new();
    let path = train(
        &config(&scratch, &["evaluation.every_iterations=1"]),
        u64::MAX,
    );
    let dir = path.join("checkpoints").join("4");
    let text = std::fs::read_to_string(dir.join("loop.json")).expect("a state");
    let mut state: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut load = |key: &str, value: serde_json::Value| {
        state[key] = value;
        std::fs::write(dir.join("loop.json"), state.to_string()).expect("writable");
        checkpoint::load_state(&dir)
    };
    let measure = |value: f64| serde_json::json!({"name": "regret", "value": value, "low": -0.5});
    assert!(load("highest", measure(2.0)).is_err());
    assert!(load("highest", serde_json::Value::Null).is_ok());
    assert_eq!(
        load("best_score", 0.75.into())
            .expect("the key of earlier versions")
            .highest,
        None
    );
}

#[test]
fn without_opponents_no_checkpoint_is_the_best() {
    let scratch = Scratch::new();
    let path = train(&config(&scratch, &["evaluation.during=[]"]), u64::MAX);
    assert!(!path.join("best").exists(), "no opponent was played");
    let path = train(&config(&scratch, &[]), u64::MAX);
    assert!(path.join("best").exists());
}
