//! `ashta atlas`: games beside each other, measured by games of the best player at hand.

mod page;

use std::fs;
use std::sync::Arc;

use crate::run::evaluation::{MatchResult, against};
use crate::run::files::{check_writable, write_whole};
use crate::run::games;
use crate::run::output::print;
use anyhow::{Context, Result, bail};
use ashta_agents::arena::{GameProfile, MatchConfig, MatchProgress, Profile, ProfileChange, Reference, profile_games};
use ashta_agents::perfect::survey::{Shortlist, Truth, Whose, survey};
use ashta_agents::perfect::table::{Perfect, Table, TableHeader};
use ashta_agents::roster::{NamedAgent, Player};
use ashta_env::game::Game;
use ashta_env::race::Race;
use ashta_env::ruleset::Ruleset;
use ashta_env::sheet::Sheets;
use serde::Serialize;

use super::{survey::changes, terminal};
use crate::cli::AtlasArgs;

/// Version of `atlas.json`.
const FORMAT: u32 = 1;
/// The file with all figures.
const FIGURES: &str = "atlas.json";
/// The player where there is neither a table nor a bot, and that of house rules: it plays every game to its end, fast;
/// `greedy` draws some out for thousands of turns.
const BASELINE: &str = "hunter";
/// What the player meets, beside its own level of difficulty.
const OPPONENTS: [&str; 2] = ["random", "greedy"];
const LEVEL: &str = "novice";

/// `atlas.json`.
#[derive(Debug, Default, Serialize)]
struct Atlas {
    format: u32,
    pairs: u64,
    seed: u64,
    forms: Vec<Form>,
    house_rules: Vec<HouseRuleChange>,
    solved: Vec<SolvedForm>,
}

/// A game for a number of seats.
#[derive(Debug, Serialize)]
struct Form {
    ruleset: Ruleset,
    /// The player, and the version of a bot.
    player: String,
    version: Option<String>,
    /// The player against itself.
    profile: Profile,
    /// The player against others, as far as there are such.
    skill: Vec<MatchResult>,
}

/// What a value of a house rule changes, for the fewest seats with which it can be played.
#[derive(Debug, Serialize)]
struct HouseRuleChange {
    game: String,
    seats: usize,
    flag: String,
    value: String,
    change: ProfileChange,
}

/// A solved game of two seats.
#[derive(Debug, Serialize)]
struct SolvedForm {
    ruleset: Ruleset,
    /// How far a value may be off; `None` where nothing was proved.
    error: Option<f64>,
    truths: Vec<Truth>,
}

/// Runs the command.
///
/// # Errors
/// When there is no such game or table, a table has more than two seats, or the folder cannot be written or holds
/// another page.
pub fn run(args: &AtlasArgs) -> Result<()> {
    let known = Sheets::default();
    let all: Vec<String> = known.all().map(|sheet| sheet.name.clone()).collect();
    let asked = if args.games.is_empty() { &all } else { &args.games };
    let games: Vec<Vec<Ruleset>> = asked.iter().map(|game| games::forms(&known, game)).collect::<Result<_>>()?;
    let tables = tables(args, &games.concat())?;
    let [page, figures] = ["README.md", FIGURES].map(|name| args.output.join(name));
    if page.exists() && !figures.exists() {
        bail!("{} is of something else: choose another folder", page.display());
    }
    fs::create_dir_all(&args.output).with_context(|| format!("cannot make the folder {}", args.output.display()))?;
    check_writable(&page)?;

    let config =
        MatchConfig { blocks: args.pairs, seed: args.seed, threads: args.threads.into(), ..MatchConfig::default() };
    let bar = terminal::bar((games.concat().len() + games.len() + tables.len()) as u64, "steps")?;
    let mut atlas = Atlas { format: FORMAT, pairs: args.pairs, seed: args.seed, ..Atlas::default() };
    for ruleset in games.concat() {
        bar.set_message(ruleset.to_string());
        atlas.forms.push(form(Race::new(ruleset), &tables, &config)?);
        bar.inc(1);
    }
    for forms in &games {
        bar.set_message(forms.first().map(|form| format!("house rules of {}", form.game_text())).unwrap_or_default());
        atlas.house_rules.extend(house_rules(forms, &config)?);
        bar.inc(1);
    }
    for table in tables.iter().filter(|table| table.ruleset().seats().len() == 2) {
        bar.set_message(format!("perfect play of {}", table.ruleset()));
        atlas.solved.push(solved(table, &config)?);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let mut files = page::pictures(&atlas.forms)?;
    files.push((FIGURES, format!("{}\n", serde_json::to_string_pretty(&atlas)?)));
    files.push(("README.md", page::page(&atlas, args)));
    files.iter().try_for_each(|(name, content)| write_whole(&args.output.join(name), content))?;
    let names: Vec<&str> = files.into_iter().map(|(name, _)| name).collect();
    print(format_args!("in {}: {}", args.output.display(), names.join(", ")))
}

/// The tables that are named, and those at hand of these games; of each ruleset the first.
fn tables(args: &AtlasArgs, forms: &[Ruleset]) -> Result<Vec<Arc<Table>>> {
    let mut tables: Vec<Arc<Table>> = Vec::new();
    let found = games::folders().tables();
    for (path, is_named) in args.table.iter().map(|path| (path, true)).chain(found.iter().map(|path| (path, false))) {
        let TableHeader { ruleset, facts, .. } = TableHeader::read(path)?;
        if is_named && ruleset.seats().len() != 2 {
            bail!("--table {}: {ruleset} is not of two seats", path.display());
        }
        let is_asked = facts.is_some() && forms.iter().any(|form| form.base() == ruleset.base());
        let is_new = tables.iter().all(|table| *table.ruleset() != ruleset);
        if is_new && (is_named || is_asked) {
            tables.push(Arc::new(Table::read(path)?));
        }
    }
    Ok(tables)
}

fn form(race: Race, tables: &[Arc<Table>], config: &MatchConfig) -> Result<Form> {
    let perfect = tables.iter().find(|table| table.ruleset() == race.ruleset());
    let perfect = perfect.map(|table| NamedAgent::Table { path: "perfect".into(), table: Arc::clone(table) });
    let bot = games::folders().largest_bot(&race);
    let player = match (perfect, &bot) {
        (Some(perfect), _) => games::player(&perfect, &race)?,
        (None, Some(bot)) => bot.clone(),
        (None, None) => games::player(&games::agent(BASELINE)?, &race)?,
    };
    // The values of a baseline are no chances of winning.
    let has_luck = bot.is_some() || player.table().is_some();
    let reference = has_luck.then(|| player.reference());
    let games = profile_games(&race, &|| player.agent(), reference.as_ref(), config);
    let mut opponents = OPPONENTS.map(games::agent).into_iter().collect::<Result<Vec<NamedAgent>>>()?;
    opponents.extend(bot.map(|bot| games::agent(&format!("{}+{LEVEL}", bot.named()))).transpose()?);
    // A bot that was not calibrated has no levels.
    let opponents = opponents.iter().filter_map(|opponent| opponent.player(&race).ok());
    let meet = |(name, opponent): (&str, Player)| {
        let result = against(&race, &|| player.agent(), &opponent, config, &MatchProgress::UNWATCHED);
        MatchResult { opponent: name.to_owned(), ..result }
    };
    Ok(Form {
        player: player.named().name(),
        version: player.named().version(),
        profile: Profile::new(race.spec(), &games, has_luck),
        skill: OPPONENTS.into_iter().chain([LEVEL]).zip(opponents).map(meet).collect(),
        ruleset: race.ruleset().clone(),
    })
}

/// The changes of every house rule of a game, which has these `forms`; those that cannot be played are left out.
fn house_rules(forms: &[Ruleset], config: &MatchConfig) -> Result<Vec<HouseRuleChange>> {
    let agent = games::agent(BASELINE)?;
    let play = |ruleset: &Ruleset| -> Result<Vec<Option<GameProfile>>> {
        let race = Race::new(ruleset.clone());
        let player = games::player(&agent, &race)?;
        Ok(profile_games(&race, &|| player.agent(), None::<&Reference<Race>>, config))
    };
    let mut rules: Vec<HouseRuleChange> = Vec::new();
    for form in forms {
        let mut before = None;
        for (flag, value, changed) in changes(form) {
            let is_known = rules.iter().any(|rule| rule.flag == flag && rule.value == value);
            let Some(changed) = changed.ok().filter(|_| !is_known) else { continue };
            let before: &Vec<_> = match &mut before {
                Some(before) => before,
                none => none.insert(play(form)?),
            };
            let change = ProfileChange::new(before, &play(&changed)?);
            rules.push(HouseRuleChange { game: form.game_text(), seats: form.seats().len(), flag, value, change });
        }
    }
    Ok(rules)
}

/// The truths of a solved game, from perfect play against itself and against a baseline.
fn solved(table: &Arc<Table>, config: &MatchConfig) -> Result<SolvedForm> {
    let race = Race::new(table.ruleset().clone());
    let shortlist = Shortlist::default();
    let baseline = games::player(&games::agent(BASELINE)?, &race)?;
    let watch = MatchProgress::UNWATCHED;
    survey(&race, &|| Perfect::agent(table), Whose::Both, table, Some(&shortlist), config, &watch);
    survey(&race, &|| baseline.agent(), Whose::Agent, table, Some(&shortlist), config, &watch);
    Ok(SolvedForm {
        ruleset: table.ruleset().clone(),
        error: table.facts().certificate.map(|proof| proof.error + table.rounding()),
        truths: shortlist.truths(&race, table.start_value()),
    })
}
