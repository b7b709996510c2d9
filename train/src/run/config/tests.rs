//! Tests of the settings: layers, errors, and the built-in configurations.

use std::{collections::BTreeSet, path::Path};

use ashta_agents::learn::config::TrainConfig;
use ashta_env::sheet::{Sheet, builtin};

use super::{Config, ConfigError, raw::DEFAULTS};
use crate::run::rundir::tests::Scratch;

fn parse(text: &str, overrides: &[&str]) -> Result<Config, ConfigError> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    Config::parse(Some((Path::new("configs/mine.toml"), text)), &overrides)
}

fn problems(text: &str, overrides: &[&str]) -> Vec<String> {
    parse(text, overrides)
        .expect_err("the settings are wrong")
        .problems
}

#[test]
fn later_layers_win_key_by_key() {
    let text = "[learning]\nlambda = 0.5\nbatch = 64\n[network]\nhidden = [32, 16]";
    let config = parse(
        text,
        &[
            "learning.batch=128",
            "learning.batch = 512",
            "learning.ema=none",
        ],
    )
    .unwrap();
    assert_eq!(config.training.learning.lambda, 0.5);
    assert_eq!(config.training.learning.batch, 512);
    assert_eq!(config.training.learning.ema, None);
    assert_eq!(
        config.training.learning.learning_rate,
        parse("", &[]).unwrap().training.learning.learning_rate
    );
    assert_eq!(config.training.network.hidden, [32, 16]);
    assert_eq!(config.run.name, "mine");
    assert_eq!(config.run.time_limit_minutes, None);
}

#[test]
fn house_rules_follow_behind_any_file() {
    let scratch = Scratch::new();
    let at = |name: &str| scratch.join(name);
    std::fs::write(at("run.toml"), "[ruleset]\ngame = \"pagade\"\nseats = 4\n").unwrap();
    let sheet = builtin::text("siga")
        .unwrap()
        .replace("name = \"siga\"", "name = \"mine\"");
    std::fs::write(
        at("mine.toml"),
        sheet.replace("[\"SN\"]", "[\"SEN\", \"SENW\"]"),
    )
    .unwrap();
    let load = |name: &str| Config::load(Some(&at(name)), &[]).map(|config| config.ruleset);
    let found = load("run.toml?teams=true&pieces=2").unwrap();
    assert_eq!(
        (found.seats, &*found.flags["teams"], &*found.flags["pieces"]),
        (4, "true", "2")
    );
    let found = load("mine.toml?pieces=1").unwrap();
    assert_eq!(
        (&*found.game, found.seats, &*found.flags["pieces"]),
        ("mine", 3, "1")
    );
    assert!(
        load("mine.toml?piece=1")
            .unwrap_err()
            .to_string()
            .contains("unknown flag `piece` of mine")
    );
    std::fs::write(at("odd?.toml"), "[run]\nname = \"odd\"\n").unwrap();
    assert_eq!(
        Config::load(Some(&at("odd?.toml")), &[]).unwrap().run.name,
        "odd"
    );
}

#[test]
fn the_defaults_are_those_of_the_library() {
    assert_eq!(parse("", &[]).unwrap().training, TrainConfig::default());
}

#[test]
fn keys_of_earlier_versions_are_read() {
    let config = parse("[selfplay]\nsideline_turns = 3", &[]).unwrap();
    assert_eq!(config.training.selfplay.branch_turns, 3);
    let later = parse(
        "[selfplay]\nsideline_turns = 3",
        &["selfplay.branch_turns=4"],
    )
    .unwrap();
    assert_eq!(later.training.selfplay.branch_turns, 4);
    // The settings of an earlier run can contain keys that have no effect any more.
    let removed = "[cluster]\nstaleness = 2\nlearner_cores = 1\nevaluator_cores = 0\n";
    assert_eq!(
        Config::from_toml(removed).unwrap(),
        Config::from_toml("").unwrap()
    );
    assert_eq!(
        problems(removed, &["cluster.staleness=0"]),
        [
            "configs/mine.toml:2: cluster.staleness: was removed: delete this setting",
            "configs/mine.toml:3: cluster.learner_cores: was removed: delete this setting",
            "configs/mine.toml:4: cluster.evaluator_cores: was removed: delete this setting",
            "--set cluster.staleness=0: cluster.staleness: was removed: delete this setting",
        ]
    );
}

#[test]
fn the_recipe_is_that_of_what_shapes_the_bot() {
    let recipe = |overrides: &[&str]| parse("", overrides).unwrap().recipe();
    let usual = recipe(&[]);
    assert_eq!(usual.len(), 16);
    for same in [
        "run.name=other",
        "run.directory=elsewhere",
        "run.threads=7",
        "run.checkpoint_iterations=3",
        "ruleset.game=pagade",
        "evaluation.pairs=3",
        "cluster.actors=5",
    ] {
        assert_eq!(recipe(&[same]), usual, "{same}");
    }
    for other in [
        "run.seed=2",
        "run.time_limit_minutes=2",
        "network.hidden=[8]",
        "selfplay.games=5",
        "learning.ema=none",
        "evaluation.final_pairs=3",
        "evaluation.opponents=[\"random\"]",
        "export.probes=1",
    ] {
        assert_ne!(recipe(&[other]), usual, "{other}");
    }
    let config = parse("", &[]).unwrap();
    assert_eq!(
        Config::from_toml(&config.to_toml()).unwrap().recipe(),
        usual
    );
    // Bots of earlier versions have this recipe.
    assert_eq!(config.shaping()["cluster.staleness"], 0.into());
}

#[test]
fn a_sheet_without_effect_is_refused() {
    for (text, set) in [
        ("", "ruleset.sheet=x"),
        ("[ruleset]\ngame = \"siga\"\nsheet = \"x\"", "run.seed=2"),
        ("[ruleset]\ngame = \"siga\"\n", "ruleset.sheet=x"),
        ("[ruleset]\nsheet = \"x\"", "run.seed=2"),
        ("[ruleset]\ngame = \"no.toml\"\nsheet = \"x\"", "run.seed=2"),
    ] {
        assert!(
            problems(text, &[set])
                .iter()
                .any(|problem| problem.contains("ruleset.sheet: expected")),
            "{text} {set}"
        );
    }
    parse("[ruleset]\nsheet = \"none\"", &["ruleset.sheet=none"]).expect("no sheet");
}

#[test]
fn overrides_are_toml_or_words() {
    let overrides = [
        "run.name=quick",
        "run.time_limit_minutes=2",
        "network.hidden=[8, 4]",
        "evaluation.during=[\"greedy\"]",
        "learning.luck_correction=false",
        "ruleset.flags.no_cut=lap",
        "ruleset.flags.pieces=3",
    ];
    let config = parse(
        "[ruleset]\ngame = \"pagade\"\nseats = 4\n[ruleset.flags]\nteams = true\npieces = 2",
        &overrides,
    )
    .unwrap();
    assert_eq!(config.run.name, "quick");
    assert_eq!(config.run.time_limit_minutes, Some(2.0));
    assert_eq!(config.training.network.hidden, [8, 4]);
    assert_eq!(config.evaluation.during, ["greedy"]);
    assert!(!config.training.learning.luck_correction);
    let flags: Vec<(&str, &str)> = config
        .ruleset
        .flags
        .iter()
        .map(|(flag, value)| (flag.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        flags,
        [("no_cut", "lap"), ("pieces", "3"), ("teams", "true")]
    );
}

#[test]
fn every_unknown_key_is_named_with_its_line_and_the_nearest_known_one() {
    let text = "lambda = 0.5\n[learning]\nlamda = 0.5\nbatch = 64\n\n[selfplai]\ngames = 10\n\
                [ruleset]\nno_cut = \"lap\"\n[export]\nzzz = 1";
    assert_eq!(
        problems(
            text,
            &[
                "run.sed=3",
                "qq.zzz=1",
                "ruleset.teams=true",
                "ruleset.seat=4"
            ]
        ),
        [
            "configs/mine.toml:1: lambda: unknown key; did you mean `learning.lambda`?",
            "configs/mine.toml:3: learning.lamda: unknown key; did you mean `learning.lambda`?",
            "configs/mine.toml:6: selfplai: unknown key; did you mean `selfplay`?",
            "configs/mine.toml:9: ruleset.no_cut: unknown key; known keys are `flags`, `game`, `seats`, `sheet` (a \
             flag of the game must be written `ruleset.flags.no_cut`)",
            "configs/mine.toml:11: export.zzz: unknown key; known keys are `probes`",
            "--set run.sed=3: run.sed: unknown key; did you mean `run.seed`?",
            "--set qq.zzz=1: qq: unknown key; known keys are `cluster`, `evaluation`, `export`, `learning`, \
             `network`, `ruleset`, `run`, `selfplay`",
            "--set ruleset.teams=true: ruleset.teams: unknown key; did you mean `ruleset.seats`? (a flag of the \
             game must be written `ruleset.flags.teams`)",
            "--set ruleset.seat=4: ruleset.seat: unknown key; did you mean `ruleset.seats`? (a flag of the game \
             must be written `ruleset.flags.seat`)",
        ]
    );
}

#[test]
fn wrong_types_and_ranges_are_reported_together_with_unknown_keys() {
    let text =
        "[learning]\nlambda = 1.5\nbatch = \"many\"\nepochs = 3\nema = 1.0\nlearning_rate = nan";
    assert_eq!(
        problems(
            text,
            &[
                "ruleset.seats=5",
                "network.hidden=64",
                "run.name=../up",
                "ruleset.flags.teams=0.5"
            ]
        ),
        [
            "configs/mine.toml:2: learning.lambda: expected a number from 0 to 1, not 1.5",
            "configs/mine.toml:3: learning.batch: expected a whole number from 1 to 65536, not \"many\"",
            "configs/mine.toml:4: learning.epochs: unknown key; known keys are `batch`, `decay_start`, `ema`, \
             `final_learning_rate_share`, `gradient_clip`, `lambda`, `lambda_fall`, `learning_rate`, \
             `luck_correction`, `policy_temperature`, `policy_weight`, `replay_capacity`, `replays`, `weight_decay`",
            "configs/mine.toml:5: learning.ema: expected \"none\", or a number from 0 to 0.999999, not 1.0",
            "configs/mine.toml:6: learning.learning_rate: expected a number above 0 and at most 1, not nan",
            "--set ruleset.seats=5: ruleset.seats: expected a whole number from 2 to 4, not 5",
            "--set network.hidden=64: network.hidden: expected a list of 1 to 8 whole numbers from 1 to 4096, not 64",
            "--set ruleset.flags.teams=0.5: ruleset.flags.teams: expected a whole number from 0 to 4294967295, or \
             text in quotes, or true or false, not 0.5",
            "--set run.name=../up: run.name: expected a name of letters, digits, \"-\", \"_\" and \".\", without \
             \".\" at the beginning, not \"../up\"",
        ]
    );
}

#[test]
fn sections_lists_and_tables_are_not_confused() {
    assert_eq!(
        problems("learning = 3\n[export.probes]\nmany = 1", &["network=1"]),
        [
            "configs/mine.toml:1: learning: expected a table, not 3",
            "configs/mine.toml:2: export.probes: expected a whole number from 0 to 64, not [export.probes]",
            "--set network=1: network: expected a table, not 1",
        ]
    );
    assert_eq!(
        problems(
            "",
            &["evaluation.during=[\"random\", \"random\"]", "run.seed"]
        ),
        [
            "--set evaluation.during=[\"random\", \"random\"]: evaluation.during: expected a list of at most 100 \
             different texts in quotes, not [\"random\", \"random\"]",
            "--set run.seed: must be section.key=value",
        ]
    );
}

#[test]
fn text_that_is_not_toml_is_refused_with_its_line() {
    let problems = problems("[learning]\nlambda = = 2", &[]);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("configs/mine.toml:2: learning.lambda: "),
        "{}",
        problems[0]
    );
}

#[test]
fn the_saved_file_means_the_same_and_holds_every_key() {
    let overrides = [
        "run.time_limit_minutes=7.5",
        "learning.gradient_clip=1",
        "learning.ema=none",
        "run.seed=9007199254740993",
    ];
    let config = parse(
        "[ruleset]\ngame = \"pagade\"\nseats = 4\n[ruleset.flags]\nteams = true\npieces = 3\nno_cut = \"lap\"",
        &overrides,
    )
    .unwrap();
    let saved = config.to_toml();
    let again = Config::parse(Some((Path::new("runs/other/config.toml"), &saved)), &[]).unwrap();
    assert_eq!(again, config);

    let (defaults, saved): (toml::Table, toml::Table) =
        (DEFAULTS.parse().unwrap(), saved.parse().unwrap());
    let keys = |table: &toml::Table| {
        let of_section = |(section, keys): (&String, &toml::Value)| {
            keys.as_table()
                .unwrap()
                .keys()
                .map(|key| format!("{section}.{key}"))
                .collect::<Vec<_>>()
        };
        table.iter().flat_map(of_section).collect::<BTreeSet<_>>()
    };
    assert_eq!(
        keys(&saved),
        keys(&defaults),
        "the keys that are read are those of configs/default.toml"
    );
}

#[test]
fn the_name_of_a_run_comes_from_the_file_or_the_game() {
    assert_eq!(Config::load(None, &[]).unwrap().run.name, "ashtapada");
    let from_file = |path: &str| {
        Config::parse(Some((Path::new(path), "")), &[])
            .unwrap()
            .run
            .name
    };
    assert_eq!(from_file("configs/pagade-4p.toml"), "pagade-4p");
    assert_eq!(from_file("my game!.toml"), "my-game-");
}

#[test]
fn every_config_that_comes_with_the_program_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let config = Config::load(Some(&path), &[]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(config.run.name, path.file_stem().unwrap().to_str().unwrap());
            count += 1;
        }
    }
    assert!(count >= 10, "{count} configs in {}", folder.display());
}

#[test]
fn what_the_game_does_not_take_is_named_with_its_place() {
    let text = "[ruleset]\ngame = \"pagade\"\nseats = 3\n[ruleset.flags]\nno_cut = \"loop\"";
    let found = problems(text, &["ruleset.flags.peces=3"]);
    let begins = [
        "configs/mine.toml:5: flag `no_cut` does not take `loop`",
        "--set ruleset.flags.peces=3: unknown flag `peces`",
    ];
    for beginning in begins {
        assert!(
            found.iter().any(|problem| problem.starts_with(beginning)),
            "{found:?}"
        );
    }
    let found = problems("[ruleset]\ngame = \"pagade\"\nseats = 3", &[]);
    assert!(
        found[0].starts_with("configs/mine.toml:3: pagade is not played on the seats `SEN`"),
        "{found:?}"
    );
    assert_eq!(
        problems("", &["ruleset.game=chess"]),
        [format!(
            "--set ruleset.game=chess: unknown game `chess` (known: {})",
            ashta_env::sheet::builtin::names()
                .collect::<Vec<_>>()
                .join(", ")
        )]
    );
}

fn own_sheet() -> String {
    let mut sheet = Sheet::clone(builtin::named("chowka-5").expect("a built-in game"));
    sheet.name = "my-race".to_owned();
    format!("# A game of my own.\n{}", sheet.text())
}

#[test]
fn a_sheet_is_found_from_the_folder_of_the_file_and_kept_in_the_settings() {
    let scratch = Scratch::new();
    let sheet = scratch.join("own.toml");
    std::fs::write(&sheet, own_sheet()).unwrap();
    let file = scratch.join("mine.toml");
    std::fs::write(
        &file,
        "[ruleset]\ngame = \"own.toml?pieces=2\"\nflags.pieces = 1\n",
    )
    .unwrap();
    let config = Config::load(Some(&file), &[]).unwrap();
    assert_eq!(
        (config.ruleset.game.as_str(), config.run.name.as_str()),
        ("my-race", "mine")
    );
    assert_eq!(config.ruleset.sheet.as_deref(), Some(own_sheet().as_str()));
    let played = config.ruleset.ruleset().unwrap();
    assert_eq!(
        played.game_text(),
        "my-race?pieces=1",
        "flags win over those behind the `?`"
    );
    std::fs::remove_file(&sheet).unwrap();
    assert!(Config::load(Some(&file), &[]).unwrap_err().problems[0].contains("own.toml: "));
    let again = Config::from_toml(&config.to_toml()).unwrap();
    assert_eq!(
        (again.ruleset.clone(), again.ruleset.ruleset().unwrap()),
        (config.ruleset, played)
    );
    let other = Config::parse(
        Some((Path::new("config.toml"), &again.to_toml())),
        &["ruleset.game=pagade".into()],
    )
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (other.ruleset.game.as_str(), other.ruleset.sheet),
        ("pagade", None)
    );
}

#[test]
fn a_broken_sheet_is_named_with_all_its_problems() {
    let scratch = Scratch::new();
    let sheet = scratch.join("own.toml");
    std::fs::write(
        &sheet,
        own_sheet()
            .replace("side = 5", "side = 5\nsides = 5")
            .replace("dice = 1", "dice = 1\ndices = 1"),
    )
    .unwrap();
    let set = format!("ruleset.game={}", sheet.display());
    let found = Config::load(None, std::slice::from_ref(&set))
        .unwrap_err()
        .problems;
    assert!(found.len() > 1, "{found:?}");
    assert!(
        found
            .iter()
            .all(|problem| problem.starts_with(&format!("{}:", sheet.display()))),
        "{found:?}"
    );
    std::fs::write(&sheet, own_sheet().replace("my-race", "pagade")).unwrap();
    let found = Config::load(None, &[set]).unwrap_err().problems;
    assert!(
        found.len() == 1 && found[0].contains("give this sheet another `name`"),
        "{found:?}"
    );
    let found = problems("", &["ruleset.game=none.toml", "ruleset.seats=2"]);
    assert!(
        found.len() == 1 && found[0].starts_with("cannot read the sheet none.toml: "),
        "{found:?}"
    );
    let found = problems("[ruleset]\ngame = \"pagade?pieces=1&pieces=2\"", &[]);
    assert_eq!(found, ["configs/mine.toml:2: flag `pieces` is given twice"]);
}
