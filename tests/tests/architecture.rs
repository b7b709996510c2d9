//! The invariants of `ARCHITECTURE.md` that are about files and dependencies, read from the sources
//! themselves.
//!
//! The tests skip comments and unit tests, unless a test says otherwise.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use ashta_env::sheet::builtin;
use toml::{Table, Value};

/// The packages of the workspace.
const PACKAGES: [&str; 6] = [
    "env",
    "agents",
    "train",
    "tests",
    "bindings/c",
    "bindings/python",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every Rust file of a folder, as paths from the root.
fn rust_files(folder: &str) -> Vec<String> {
    let entries =
        fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let files = |entry: fs::DirEntry| {
        let path = format!(
            "{folder}/{}",
            entry.file_name().to_str().expect("names are text")
        );
        if entry.path().is_dir() {
            rust_files(&path)
        } else {
            vec![path]
        }
    };
    let all = entries.flat_map(|entry| files(entry.expect("an entry of a folder")));
    all.filter(|path| path.ends_with(".rs")).collect()
}

/// All Rust files of the workspace.
fn all_files() -> Vec<String> {
    PACKAGES
        .iter()
        .flat_map(|package| rust_files(package))
        .collect()
}

/// The code of a folder, file by file, without comments and unit tests.
fn code(folder: &str) -> Vec<(String, String)> {
    let is_code = |path: &String| !path.ends_with("tests.rs") && !path.ends_with("test_support.rs");
    rust_files(folder)
        .into_iter()
        .filter(is_code)
        .map(|path| (path.clone(), without_tests(&read(&path))))
        .collect()
}

/// The code of a folder without the files whose paths in the folder begin with one of `places`.
fn code_except(folder: &str, places: &[&str]) -> Vec<(String, String)> {
    let mut files = code(folder);
    files.retain(|(path, _)| !is_in(path, folder, places));
    files
}

/// The code of the files whose paths in a folder begin with one of `places`.
fn code_in(folder: &str, places: &[&str]) -> Vec<(String, String)> {
    let mut files = code(folder);
    files.retain(|(path, _)| is_in(path, folder, places));
    files
}

fn is_in(path: &str, folder: &str, places: &[&str]) -> bool {
    let inner = path.strip_prefix(folder).unwrap_or_default();
    let inner = inner.trim_start_matches('/');
    places.iter().any(|place| inner.starts_with(place))
}

/// The paths of an import, such as `a::b` and `a::c` for `a::{b, c}`.
fn imported(tree: &str) -> Vec<String> {
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let (inside, _) = rest.rsplit_once('}').expect("a closed list");
    let mut depth = 0;
    inside
        .split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        })
        .filter(|tree| !tree.trim().is_empty())
        .flat_map(imported)
        .map(|path| head.trim_start().to_owned() + &path)
        .collect()
}

/// The lines before the unit tests that end a file, without comments. Each import has a line.
fn without_tests(text: &str) -> String {
    let code = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text);
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut lines = lines.peekable();
    let mut flat = String::new();
    while let Some(line) = lines.next() {
        let Some((_, start)) = line
            .split_once("use ")
            .filter(|(before, _)| before.trim().is_empty() || before.starts_with("pub"))
        else {
            flat += &format!("{line}\n");
            continue;
        };
        let mut import = start.to_owned();
        while !import.contains(';') {
            import += lines.next().expect("an import ends with `;`");
        }
        let (tree, _) = import.split_once(';').expect("an import ends with `;`");
        for path in imported(tree) {
            flat += &format!("use {path};\n");
        }
    }
    flat
}

/// Fails with every line of `files` that contains one of `words` as a whole word.
#[track_caller]
fn never_say(files: &[(String, String)], words: &[&str]) {
    assert!(!files.is_empty(), "no files to read");
    let says = |line: &str, word: &str| {
        let is_part =
            |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
        line.match_indices(word).any(|(at, _)| {
            let (first, last) = (word.chars().next(), word.chars().last());
            let before = line[..at].chars().last();
            let after = line[at + word.len()..].chars().next();
            !(is_part(first) && is_part(before) || is_part(last) && is_part(after))
        })
    };
    let mut found = Vec::new();
    for (path, text) in files {
        for line in text.lines() {
            let said = words.iter().filter(|word| says(line, word));
            found.extend(said.map(|word| format!("{path} says `{word}`: {}", line.trim())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn manifest(package: &str) -> Table {
    read(&format!("{package}/Cargo.toml"))
        .parse()
        .unwrap_or_else(|error| panic!("{package}/Cargo.toml: {error}"))
}

/// The names of the dependencies of a package, of every kind and for every target.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (key, value) in manifest {
        match value {
            Value::Table(table) if key.ends_with("dependencies") => {
                found.extend(table.keys().cloned())
            }
            Value::Table(table) if key != "features" => found.extend(dependencies(table)),
            _ => {}
        }
    }
    found
}

#[test]
fn env_depends_on_few_small_crates() {
    let rules = [
        "arrayvec",
        "ndarray",
        "rand",
        "rand_xoshiro",
        "serde",
        "thiserror",
    ];
    let sheets = ["indexmap", "schemars", "serde_json", "strsim", "toml"];
    let allowed = rules.into_iter().chain(sheets).map(str::to_owned).collect();
    assert_eq!(dependencies(&manifest("env")), allowed);
}

#[test]
fn dependencies_point_down() {
    for (package, others) in [
        (
            "env",
            &[
                "ashta-agents",
                "ashta-train",
                "ashta-rule-tests",
                "ashta-tests",
                "burn",
            ][..],
        ),
        (
            "tests/rules",
            &["ashta-agents", "ashta-train", "ashta-tests", "burn"],
        ),
        (
            "agents",
            &[
                "ashta-train",
                "ashta-rule-tests",
                "ashta-tests",
                "anyhow",
                "clap",
                "indicatif",
                "tensorboard-rs",
                "tokio",
                "toml",
            ],
        ),
        ("train", &["ashta-tests", "burn"]),
        ("tests", &["burn"]),
        ("bindings/c", &["ashta-train", "ashta-tests", "burn"]),
        ("bindings/python", &["ashta-tests", "burn"]),
    ] {
        let found = dependencies(&manifest(package));
        let wrong: Vec<&&str> = others
            .iter()
            .filter(|other| found.contains(**other))
            .collect();
        assert!(wrong.is_empty(), "{package} depends on {wrong:?}");
    }
}

#[test]
fn env_knows_no_files_no_clock_and_no_network() {
    let names = ["fs", "io", "time", "net", "env", "process", "thread"];
    let words: Vec<String> = names.iter().map(|name| format!("std::{name}")).collect();
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .chain(["Instant", "SystemTime", "burn"])
        .collect();
    never_say(&code("env/src"), &words);
}

#[test]
fn rules_draw_no_random_numbers() {
    never_say(
        &code_except("env/src", &["chance.rs", "gym/", "testing/"]),
        &[
            "rand",
            "GameRng",
            "chance::stream",
            "chance::outcome",
            "next_u64",
        ],
    );
}

#[test]
fn modules_above_the_game_interface_do_not_name_the_rules() {
    never_say(
        &code_in(
            "env/src",
            &["game.rs", "chance.rs", "turn.rs", "gym/", "testing/"],
        ),
        &[
            "race", "Race", "games::", "notation", "ruleset", "Ruleset", "flags::",
        ],
    );
    let game = without_tests(&read("env/src/game.rs"));
    assert!(!game.contains("use crate"), "game.rs imports nothing");
}

/// The modules of `env` from the lowest to the highest; a file belongs to the one with the longest
/// path.
const MODULES_OF_ENV: [&str; 16] = [
    "game",
    "chance",
    "form",
    "sheet/values",
    "race/position",
    "race/compile",
    "race/moves",
    "race/turns",
    "sheet",
    "race/observe",
    "race",
    "turn",
    "turn_index",
    "notation",
    "gym",
    "testing",
];

#[test]
fn modules_of_env_import_only_those_before() {
    let module_of = |path: &str| {
        let holds = |module: &str| {
            path == module
                || path
                    .strip_prefix(module)
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        let found = MODULES_OF_ENV
            .iter()
            .enumerate()
            .filter(|(_, module)| holds(module));
        found
            .max_by_key(|(_, module)| module.len())
            .map(|(place, _)| place)
    };
    let mut wrong = Vec::new();
    for (path, text) in code_except("env/src", &["lib.rs"]) {
        let own = path.trim_start_matches("env/src/").trim_end_matches(".rs");
        let own = module_of(own).unwrap_or_else(|| panic!("{path} is in no module"));
        // Imports that could not be read here.
        assert!(!text.contains("crate::{"), "{path}");
        assert!(!text.contains("super::super::"), "{path}");
        for imported in text.split("crate::").skip(1) {
            let end = imported
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
                .unwrap_or(imported.len());
            if module_of(&imported[..end].replace("::", "/")).is_some_and(|other| other > own) {
                wrong.push(format!("{path} imports crate::{}", &imported[..end]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kinds_of_turn_are_matched_in_one_place() {
    let places = ["race/turns/mod.rs", "sheet/check/keys.rs"];
    let kinds = ["Throw", "Series", "Each", "Dice", "Divide"];
    let words: Vec<String> = kinds
        .iter()
        .flat_map(|kind| [format!("Turns::{kind}"), format!("TurnKind::{kind}")])
        .collect();
    never_say(
        &code_except("env/src", &places),
        &words.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[test]
fn rules_of_the_board_are_read_by_the_board_alone() {
    let readers = ["race/compile/", "sheet/", "notation/understood"];
    let sections = ["stacking", "capture", "gate", "finish", "unit"];
    let words: Vec<String> = sections
        .iter()
        .flat_map(|section| [format!("sheet.{section}"), format!("sheet().{section}")])
        .collect();
    never_say(
        &code_except("env/src", &readers),
        &words
            .iter()
            .map(String::as_str)
            .chain(["let Sheet {"])
            .collect::<Vec<_>>(),
    );
}

/// `turns/mod.rs` compiles a sheet and chooses its kind of turn.
#[test]
fn the_engine_reads_compiled_rules() {
    let folders = ["moves/", "observe", "position/", "turns/", "face_values"];
    let mut files = code_in("env/src/race", &folders);
    files.retain(|(path, _)| !path.ends_with("turns/mod.rs"));
    never_say(&files, &["Sheet", "sheet()"]);
}

/// The lines of code that name a built-in game: in words with hyphens or underscores, or in one.
fn lines_that_name_a_game(files: &[(String, String)]) -> Vec<String> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let names: Vec<String> = builtin::names().map(plain).collect();
    let mut found = Vec::new();
    for (path, text) in files {
        // Short names are parts of other words, too.
        let is_word = |line: &str, name: &str| {
            line.to_lowercase()
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == name)
        };
        let names_one = |line: &str, name: &str| {
            if name.len() < 4 {
                is_word(line, name)
            } else {
                plain(line).contains(name)
            }
        };
        let named = text
            .lines()
            .filter(|line| names.iter().any(|name| names_one(line, name)));
        found.extend(named.map(|line| format!("{path}: {}", line.trim())));
    }
    found
}

#[test]
fn games_are_named_by_their_sheets_alone() {
    let folders = [
        "env/src",
        "agents/src",
        "bindings/c/src",
        "bindings/python/src",
    ];
    let mut files: Vec<(String, String)> = folders.into_iter().flat_map(code).collect();
    for folder in ["web", "bindings/js", "bindings/js/shared"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of scripts") {
            let name = entry
                .expect("an entry of a folder")
                .file_name()
                .into_string()
                .expect("names are text");
            if !name.ends_with(".js") {
                continue;
            }
            let path = format!("{folder}/{name}");
            let is_code = |line: &&str| {
                !["//", "/*", "*"]
                    .iter()
                    .any(|mark| line.trim_start().starts_with(mark))
            };
            let text: Vec<String> = read(&path)
                .lines()
                .filter(is_code)
                .map(str::to_owned)
                .collect();
            files.push((path, text.join("\n")));
        }
    }
    let found = lines_that_name_a_game(&files);
    assert!(found.is_empty(), "{}", found.join("\n"));
    // The default game of commands.
    let defaults = lines_that_name_a_game(&code("train/src"));
    assert!(
        defaults.len() <= 1,
        "more than one default game: {}",
        defaults.join("\n")
    );
}

#[test]
fn bots_record_the_version_of_burn_that_they_were_trained_with() {
    let manifest: Table = read("Cargo.toml")
        .parse()
        .expect("the workspace has a manifest");
    let version = manifest["workspace"]["dependencies"]["burn"]["version"].as_str();
    assert_eq!(
        version,
        Some(format!("={}", ashta_agents::learn::net::BURN).as_str())
    );
}

#[test]
fn burn_lives_in_the_learning_network() {
    let agents = code_except("agents/src", &["learn/net/"]);
    let files = [agents, code("train/src"), code("tests/src")].concat();
    never_say(&files, &["burn::", "use burn", "extern crate burn"]);
}

/// Except for the gradient of one operation that burn does not have.
#[test]
fn burn_computes_gradients_and_steps() {
    let text = |path: &str| without_tests(&read(&format!("agents/src/learn/net/{path}")));
    assert!(
        text("learner.rs").contains("total.backward()")
            && text("optimizer.rs").contains("adamw.step(")
    );
    never_say(
        &code_except("agents/src", &["learn/net/bag.rs"]),
        &[
            "Backward",
            "grads",
            "grad_replace",
            "beta_1",
            "beta_2",
            "powi(time)",
            "slopes",
        ],
    );
}

#[test]
fn players_use_the_game_interface_only() {
    let folders = [
        "play/",
        "search/",
        "arena/",
        "network/portable/",
        "perfect/solve/",
        "learn/selfplay/",
    ];
    let mut files = code_in("agents/src", &folders);
    // A game is recorded in the notation of its rules.
    let writes = [
        "agents/src/arena/game_record.rs",
        "agents/src/arena/tournament.rs",
    ];
    files.retain(|(path, _)| !writes.contains(&path.as_str()));
    never_say(
        &files,
        &[
            "race", "Race", "games::", "notation", "ruleset", "Ruleset", "flags::", "burn", "net::",
        ],
    );
}

/// Fails with every module of `folder` that imports one that stands after it in `modules`.
fn import_only_those_before(folder: &str, modules: &[&str]) {
    for (place, module) in modules.iter().enumerate() {
        let inner = folder
            .split_once("/src")
            .map_or("", |(_, inner)| inner)
            .replace('/', "::");
        let later: Vec<String> = modules[place + 1..]
            .iter()
            .map(|other| format!("crate{inner}::{other}"))
            .collect();
        let later: Vec<&str> = later.iter().map(String::as_str).collect();
        let own = [format!("{module}.rs"), format!("{module}/")];
        never_say(&code_in(folder, &[&own[0], &own[1]]), &later);
    }
}

#[test]
fn modules_of_agents_import_only_modules_below() {
    let modules = [
        "play", "search", "arena", "network", "perfect", "learn", "roster", "protocol",
    ];
    let folders = modules.map(|module| format!("{module}/"));
    let others = code_except("agents/src", &folders.each_ref().map(String::as_str));
    let others: Vec<&String> = others.iter().map(|(path, _)| path).collect();
    assert_eq!(others, ["agents/src/lib.rs"], "files outside of modules");
    import_only_those_before("agents/src", &modules);
}

#[test]
fn modules_of_a_run_import_only_those_before() {
    let modules = "embedded output files sheet_file config games progress rundir metrics wire evaluation checkpoint runlog export";
    import_only_those_before("train/src/run", &modules.split(' ').collect::<Vec<_>>());
    import_only_those_before("train/src", &["run", "report", "cli"]);
}

#[test]
fn pages_for_developers_name_files_and_items_that_exist() {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .map(str::to_owned)
            .collect()
    };
    let known = words(
        &all_files()
            .iter()
            .map(|path| read(path))
            .collect::<String>(),
    );
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let prose: String = read(page).split("```").step_by(2).collect();
        let parts: Vec<&str> = prose.split('`').collect();
        assert!(
            parts.len() > 60,
            "{page} has only {} parts in backticks",
            parts.len() / 2
        );
        for (at, &name) in parts.iter().enumerate().skip(1).step_by(2) {
            let path = name.split(' ').next().unwrap_or_default();
            let is_item = name.contains('_') || name.starts_with(char::is_uppercase);
            if path.contains('/') && path != "//!" {
                assert!(root().join(path).exists(), "{page} names {path}");
            } else if parts[at + 1] == " in " {
                assert!(
                    words(&read(parts[at + 2])).contains(name),
                    "{page} names {name} in {}",
                    parts[at + 2]
                );
            } else if is_item && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                assert!(known.contains(name), "{page} names {name}");
            }
        }
    }
}

#[test]
fn libraries_do_not_print_exit_or_leave_threads_behind() {
    let files = [code("env/src"), code("agents/src")].concat();
    never_say(
        &files,
        &[
            "print!",
            "println!",
            "eprint!",
            "eprintln!",
            "dbg!",
            "process::exit",
            "process::abort",
        ],
    );
    never_say(
        &files,
        &[
            "thread::spawn",
            "thread::sleep",
            "todo!",
            "unimplemented!",
            ".unwrap()",
        ],
    );
}

#[test]
fn agents_touch_files_in_few_places() {
    let places = [
        "play/files.rs",
        "network/tensor_file.rs",
        "perfect/table/file.rs",
        "perfect/solve/memory.rs",
    ];
    never_say(
        &code_except("agents/src", &places),
        &[
            "std::fs",
            "File::open",
            "File::create",
            "std::net",
            "std::time",
            "Instant",
            "SystemTime",
        ],
    );
}

/// Files of 500 lines are long already; one may be longer where it reads better whole.
const MOST_LINES: usize = 800;

#[test]
fn files_have_a_bounded_length_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for path in all_files() {
        let text = read(&path);
        if text.lines().count() > MOST_LINES {
            wrong.push(format!(
                "{path} has {} lines, {MOST_LINES} are the most",
                text.lines().count()
            ));
        }
        // Code is as wide as rustfmt lets it be; comments it leaves alone.
        let is_wide =
            |line: &str| line.trim_start().starts_with("//") && line.chars().count() > 100;
        if let Some(place) = text.lines().position(is_wide) {
            wrong.push(format!(
                "{path}:{} is a comment of more than 100 characters",
                place + 1
            ));
        }
        if !text.starts_with("//! ") {
            wrong.push(format!("{path} does not begin with `//!` and what it is"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The compiler refuses `unsafe` unless a file allows it.
#[test]
fn tests_run_always_and_only_the_c_library_allows_unsafe_code() {
    let mut files: Vec<(String, String)> = all_files()
        .into_iter()
        .map(|path| (path.clone(), read(&path)))
        .collect();
    files.retain(|(path, _)| path != "tests/tests/architecture.rs");
    never_say(
        &files,
        &[
            "#[ignore",
            "should_panic",
            "thread::sleep",
            "TODO",
            "FIXME",
            "XXX",
        ],
    );
    files.retain(|(path, _)| {
        path != "tests/rules/tests/allocations.rs" && path != "bindings/c/src/lib.rs"
    });
    never_say(&files, &["unsafe_code"]);
}
