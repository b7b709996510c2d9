//! `ashta solve`: computes perfect play of a game and writes it as a table.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ashta_agents::{
    perfect::{
        solve::{SolveConfig, Solved, Stage, SweepProgress, check_memory, solve},
        start, start_values,
        table::{self, Table},
    },
    play::stop::stop_if,
};
use ashta_env::turn_index::{RaceTurns, TurnIndex};
use serde_json::json;

use super::terminal;
use crate::{
    cli::SolveArgs,
    run::{
        config::Config,
        files::check_writable,
        games,
        output::{print, print_json, remark},
    },
};

/// The time between two saves is at least this many times the duration of a save.
const SAVING: u32 = 20;

/// Runs the command.
///
/// # Errors
/// When the game is too large, its values do not converge, or the table cannot be written.
pub fn run(args: &SolveArgs) -> Result<()> {
    let config = Config::load(Some(&args.config), &args.set)?;
    let race = games::configured(&config.ruleset)?;
    let starts =
        TurnIndex::new(&race).with_context(|| format!("{} cannot be solved", race.ruleset()))?;
    let output = args.output.display();
    if args.output.is_dir() {
        bail!("{output} is a folder; --output must name a file for the table");
    }
    // Check this before hours of work.
    check_writable(&args.output).with_context(|| format!("cannot write the table {output}"))?;
    let kept = args.output.with_added_extension("unfinished");
    let mut unfinished = kept
        .exists()
        .then(|| table::read_unfinished(&kept, &starts))
        .transpose()?;
    if unfinished.is_some() {
        remark(format_args!("resuming from {}", kept.display()));
    }
    let memory = check_memory(&starts, !args.no_proof, args.threads.into())
        .with_context(|| format!("cannot solve {}", race.ruleset()))?;
    remark(format_args!(
        "{} needs about {memory:.2} GB of memory",
        race.ruleset()
    ));
    let stop = terminal::on_interrupt(
        "stopping (press Ctrl-C again to stop now and lose the unsaved part)",
    )?;

    let began = Instant::now();
    let bar = terminal::spinner("computing the moves")?;
    let turns = RaceTurns::new(starts.clone());
    let solving = SolveConfig {
        threads: args.threads.into(),
        tolerance: args.tolerance,
        certify: !args.no_proof,
    };
    let mut save_after = Duration::from_secs_f64(args.save_minutes * 60.0);
    let solution = loop {
        let since = Instant::now();
        let watch = |stage: &Stage| {
            bar.set_message(describe(stage));
            let is_due = matches!(stage, Stage::Values(_)) && since.elapsed() > save_after;
            stop_if(stop.is_set() || is_due)
        };
        match solve(&turns, start(&starts), unfinished.take(), &solving, &watch)? {
            Solved::Solution(solution) => break solution,
            Solved::Unfinished(found) => {
                bar.set_message(format!("writing {}", kept.display()));
                let since = Instant::now();
                table::write_unfinished(&kept, &starts, &found)?;
                save_after = save_after.max(SAVING * since.elapsed());
                if stop.is_set() {
                    bar.finish_and_clear();
                    remark(format_args!(
                        "the same command resumes from {}",
                        kept.display()
                    ));
                    bail!(terminal::Interrupted);
                }
                unfinished = Some(found);
            }
        }
    };
    bar.set_message("writing the table");
    let values = start_values(&starts, &solution);
    let table = Table::new(starts, solution, args.bits == "16");
    table.write(&args.output)?;
    if kept.exists() {
        std::fs::remove_file(&kept).with_context(|| format!("cannot remove {}", kept.display()))?;
    }
    let seconds = began.elapsed().as_secs_f64();
    bar.finish_and_clear();
    report(args, &table, &values, seconds)
}

/// The current work of the solver, as a line of text.
pub fn describe(stage: &Stage) -> String {
    match stage {
        Stage::Values(progress) => sweep("values", progress),
        Stage::Check => "checking every position by looking one turn ahead".to_owned(),
        Stage::Proof(progress) => sweep("proof", progress),
    }
}

/// The progress of the sweeps, as a line of text.
pub fn sweep(
    what: &str,
    SweepProgress {
        place,
        layers,
        levels,
        last_change,
    }: &SweepProgress,
) -> String {
    let part = 100 * place.levels / (*levels).max(1);
    let layer = if *layers > 1 {
        format!("layer {} of {layers}, ", place.layers + 1)
    } else {
        String::new()
    };
    format!(
        "{what}: {layer}sweep {} {part:3} %, last change {last_change:.1e}",
        place.sweeps + 1
    )
}

fn report(args: &SolveArgs, table: &Table, values: &[f64], seconds: f64) -> Result<()> {
    let facts = table.facts();
    let bytes = std::fs::metadata(&args.output).map_or(0, |file| file.len());
    if args.json {
        return print_json(&json!({
            "ruleset": table.ruleset(),
            "table": args.output,
            "bits": table.bits(),
            "bytes": bytes,
            "start": values,
            "facts": facts,
            "seconds": seconds,
        }));
    }
    let (positions, sweeps) = (facts.positions, facts.sweeps);
    print(format_args!(
        "{}: {positions} positions, {sweeps:.1} sweeps, {seconds:.1} s",
        table.ruleset()
    ))?;
    match facts.certificate {
        Some(proof) => print(format_args!(
            "value for the seat that throws first: {:.9} ± {:.1e}; the error of every value is at most {:.1e}",
            values[0], proof.start_error, proof.error
        ))?,
        None => print(format_args!(
            "values in turn order, from the seat that throws first: {values:.7?} (without proof)"
        ))?,
    }
    print(format_args!(
        "looking one turn ahead changes no value by more than {:.1e}",
        facts.residual
    ))?;
    if facts.cut_off > 0.0 {
        let share = facts.cut_off;
        print(format_args!(
            "the ignored series of throws have a total probability of at most {share:.1e} in a turn"
        ))?;
    }
    print(format_args!(
        "table: {} ({} bits per value, {bytes} bytes)",
        args.output.display(),
        table.bits()
    ))
}
