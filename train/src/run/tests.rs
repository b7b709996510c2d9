//! The loop: what may not matter (threads, interruptions) and what must (the seed).

use ashta_agents::arena::{MatchConfig, MatchProgress};
use ashta_agents::protocol::Engine;
use ashta_env::sheet::{Sheet, builtin};

use super::*;
use crate::run::rundir::RunInfo;
use crate::run::rundir::tests::Scratch;
use crate::run::{checkpoint, games};

/// The smoke configuration with these changes, in a folder of its own.
fn config(scratch: &Scratch, changes: &[&str]) -> Config {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/smoke.toml");
    let mut sets: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    sets.push(format!("run.directory=\"{}\"", scratch.display()));
    Config::load(Some(&file), &sets).expect("a valid configuration")
}

fn stop_if(is_enough: bool) -> ControlFlow<()> {
    if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn evaluator(race: Race, config: &Config) -> RunEvaluator {
    RunEvaluator::new(&Arc::new(race), config, &games::agent, None).expect("opponents that exist")
}

/// Trains until after `last` iterations; where the run is.
fn train(config: &Config, last: u64) -> std::path::PathBuf {
    let race = games::configured(&config.ruleset).expect("a valid ruleset");
    let info = RunInfo::of(&race, config.run.seed);
    let rundir = RunDir::begin(&config.run.directory, &config.run.name, &config.to_toml(), &info).expect("writable");
    let path = rundir.path().to_owned();
    let run = Run::open(config.clone(), evaluator(race, config), rundir, None).expect("a valid run");
    if let RunEnding::Trained(mut run) = run.train(&|log| stop_if(log.iteration() >= last)).expect("nothing goes wrong")
    {
        run.conclude(&Stop::default()).expect("a bot");
    }
    path
}

fn resume(config: &Config, path: &std::path::Path) {
    let race = games::configured(&config.ruleset).expect("a valid ruleset");
    let info = RunInfo::of(&race, config.run.seed);
    let (rundir, newest) = RunDir::resume(path, &info, false).expect("a run");
    let run = Run::open(config.clone(), evaluator(race, config), rundir, newest).expect("a valid checkpoint");
    let RunEnding::Trained(mut run) = run.train(&|_| stop_if(false)).expect("nothing goes wrong") else {
        panic!("it is not interrupted")
    };
    run.conclude(&Stop::default()).expect("a bot");
}

/// Everything that the last checkpoint and the bot hold, but for times and places.
fn outcome(path: &std::path::Path) -> Vec<Vec<u8>> {
    let last = path.join("checkpoints").join("4");
    let names = ["learner.safetensors", "replay.safetensors"];
    let networks = ["value", "policy"];
    let mut files: Vec<Vec<u8>> = networks
        .iter()
        .flat_map(|network| names.map(|name| last.join(network).join(name)))
        .map(|path| std::fs::read(path).expect("a complete checkpoint"))
        .collect();
    let state = checkpoint::load_state(&last).expect("a complete checkpoint");
    files.push(format!("{:?} {}", state.trainer, state.games).into_bytes());
    let bot = ashta_agents::network::bot::Bot::load(path.join("bots/smoke.bot")).expect("an exported bot");
    let weights = [bot.net.value(), bot.net.policy()].map(|network| network.parameters());
    files.push(weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect());
    files.push(format!("{:?}", bot.manifest.strength).into_bytes());
    files
}

#[test]
fn interruptions_and_threads_change_nothing() {
    let scratch = Scratch::new();
    let one = config(&scratch, &["run.threads=1"]);
    let whole = outcome(&train(&one, u64::MAX));
    let stopped = train(&one, 2);
    resume(&one, &stopped);
    assert!(outcome(&stopped) == whole, "a resumed run ends otherwise than one in one go");
    assert!(outcome(&train(&config(&scratch, &["run.threads=3"]), u64::MAX)) == whole, "threads matter");
    let other = outcome(&train(&config(&scratch, &["run.threads=1", "run.seed=2"]), u64::MAX));
    assert!(other != whole, "the seed does not matter");
}

#[test]
fn lambda_falls_from_one_to_what_is_set() {
    let scratch = Scratch::new();
    let path = train(&config(&scratch, &["learning.lambda=0.5", "learning.lambda_fall=0.5"]), u64::MAX);
    let metrics = std::fs::read_to_string(path.join("metrics.jsonl")).expect("a run has metrics");
    let lambda = |line: &str| -> f64 {
        let step: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        step["train/lambda"].as_f64().expect("a number")
    };
    assert_eq!(metrics.lines().map(lambda).collect::<Vec<_>>(), [0.75, 0.5, 0.5, 0.5]);
}

#[test]
fn without_opponents_no_checkpoint_is_the_best() {
    let scratch = Scratch::new();
    let path = train(&config(&scratch, &["evaluation.during=[]"]), u64::MAX);
    assert!(!path.join("best").exists(), "no opponent was played");
    let path = train(&config(&scratch, &[]), u64::MAX);
    assert!(path.join("best").exists());
}

#[test]
fn a_run_of_a_sheet_needs_its_file_no_more() {
    let scratch = Scratch::new();
    let file = scratch.join("own.toml");
    let mut sheet = Sheet::clone(builtin::named("chowka-5").expect("a built-in game"));
    sheet.name = "my-race".to_owned();
    std::fs::write(&file, sheet.text()).expect("a folder that can be written");
    let game = format!("ruleset.game={}", file.display());
    let path = train(&config(&scratch, &[&game, "ruleset.flags.pieces=1", "run.threads=1"]), 2);
    std::fs::remove_file(&file).expect("it was written");

    let saved = Config::load(Some(&path.join("config.toml")), &[]).expect("what was saved");
    resume(&saved, &path);
    let bot = path.join("bots/smoke.bot");
    let agent = games::agent(&bot.display().to_string()).expect("a bot");
    let race = games::of(None, None, &[&agent]).expect("the bot brings its game");
    assert_eq!(race.ruleset().base().name, "my-race");
    assert_eq!(games::of(Some("my-race?pieces=1"), None, &[&agent]).expect("by name").ruleset(), race.ruleset());
    let player = games::player(&agent, &race).expect("its own game");
    let match_config = MatchConfig { blocks: 2, threads: 1, ..MatchConfig::default() };
    let other = games::player(&games::agent("greedy").expect("a baseline"), &race).expect("any game");
    let result =
        crate::run::evaluation::against(&race, &|| player.agent(), &other, &match_config, &MatchProgress::UNWATCHED);
    assert_eq!(result.report.games, 4);

    let mut engine = Engine::new(Some(agent));
    let new = engine.answer(br#"{"op":"new","game":"my-race?pieces=1","start":"S"}"#);
    let request = serde_json::json!({"op": "evaluate", "position": new["position"]});
    let answer = engine.answer(request.to_string().as_bytes());
    assert!(answer["values"].is_array(), "{new} {answer}");
}
