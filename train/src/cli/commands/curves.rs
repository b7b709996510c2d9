//! `ashta curves`: how runs have learned, as a diagram.

use std::collections::BTreeSet;
use std::path::Path;

use crate::run::files::write_whole;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cli::{CurvesArgs, Progressed};
use crate::report::plot::{Line, PlotLabels, Scale, line_chart};

/// What was measured in a run: how far it was, and the value.
type Curve = Vec<[f64; 2]>;

/// Runs the command.
///
/// # Errors
/// When a run cannot be read or has not measured what is asked for, or the diagram not be written.
pub fn run(args: &CurvesArgs) -> Result<()> {
    let lines = args.lines.iter().map(|line| read_line(line, args)).collect::<Result<Vec<Line>>>()?;
    let [_, x] = args.by.names();
    let frame = PlotLabels { title: args.title.as_deref().unwrap_or(&args.metric), x, y: &args.metric };
    let scale = if args.log { Scale::Logarithmic } else { Scale::Linear };
    write_whole(&args.output, &line_chart(&frame, &lines, scale)?)?;
    for line in &lines {
        let Some([at, y]) = line.points.last() else { continue };
        crate::run::output::print(format_args!("{}: {y} after {at} {x}", line.label))?;
    }
    Ok(())
}

impl Progressed {
    /// Its key in metrics.jsonl, and the name of the axis.
    fn names(self) -> [&'static str; 2] {
        match self {
            Progressed::Seconds => ["seconds", "seconds of training"],
            Progressed::Games => ["games", "games of self-play"],
            Progressed::Samples => ["samples", "samples"],
            Progressed::Iterations => ["iteration", "iterations"],
        }
    }
}

/// Reads `LABEL=RUN,RUN…`, or a run alone, whose label is the name of its folder.
fn read_line(text: &str, args: &CurvesArgs) -> Result<Line> {
    let (label, runs) = match text.split_once('=') {
        Some((label, runs)) => (label.to_owned(), runs.split(',').collect()),
        None => (Path::new(text).file_name().unwrap_or_default().display().to_string(), vec![text]),
    };
    let [key, _] = args.by.names();
    let curve = |run: &&str| read_run(Path::new(run), &args.metric, key);
    let curves = runs.iter().map(curve).collect::<Result<Vec<Curve>>>()?;
    let (points, band) = together(&curves).with_context(|| format!("the runs of {label:?} have nothing in common"))?;
    if args.log {
        let lowest = points.iter().map(|point| point[1]).chain(band.iter().map(|ends| ends[1]));
        let least = lowest.fold(f64::INFINITY, f64::min);
        ensure!(least > 0.0, "{text}: {} is {least} somewhere, which has no logarithm", args.metric);
    }
    Ok(Line { label, points, band })
}

/// What a run has measured, in the order of its iterations.
fn read_run(run: &Path, metric: &str, by: &str) -> Result<Curve> {
    let path = run.join("metrics.jsonl");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (mut curve, mut names) = (Curve::new(), BTreeSet::new());
    for (number, line) in text.lines().enumerate() {
        let step: Value =
            serde_json::from_str(line).with_context(|| format!("{}, line {}", path.display(), number + 1))?;
        if let (Some(x), Some(y)) = (step[by].as_f64(), step[metric].as_f64()) {
            curve.push([x, y]);
        }
        names.extend(step.as_object().into_iter().flat_map(|step| step.keys().cloned()));
    }
    if curve.is_empty() {
        let names: Vec<String> = names.into_iter().filter(|name| name.contains('/')).collect();
        bail!("{} has no `{metric}`; it has {}", path.display(), names.join(", "));
    }
    Ok(curve)
}

/// The mean of several curves where all of them are known, and the least and the largest of them there. One curve is
/// its own mean and has no band.
fn together(curves: &[Curve]) -> Option<(Curve, Vec<[f64; 3]>)> {
    if let [only] = curves {
        return Some((only.clone(), Vec::new()));
    }
    let mut places: Vec<f64> = curves.iter().flatten().map(|point| point[0]).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let (mut points, mut band) = (Curve::new(), Vec::new());
    for x in places {
        let Some(values) = curves.iter().map(|curve| at(curve, x)).collect::<Option<Vec<f64>>>() else { continue };
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        points.push([x, values.iter().sum::<f64>() / values.len() as f64]);
        band.push([x, low, high]);
    }
    (!points.is_empty()).then_some((points, band))
}

/// The value of a curve at `x`, straight between its points; `None` outside.
fn at(curve: &Curve, x: f64) -> Option<f64> {
    let after = curve.iter().position(|point| point[0] >= x)?;
    let [x_1, y_1] = curve[after];
    if x_1 == x {
        return Some(y_1);
    }
    let [x_0, y_0] = curve[after.checked_sub(1)?];
    Some(y_0 + (y_1 - y_0) * (x - x_0) / (x_1 - x_0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_meet_where_all_are_known() {
        let (rough, fine) = (vec![[0.0, 4.0], [10.0, 2.0]], vec![[5.0, 5.0], [8.0, 2.0], [12.0, 2.0]]);
        let (points, band) = together(&[rough.clone(), fine.clone()]).expect("they overlap");
        assert_eq!(points.iter().map(|point| point[0]).collect::<Vec<_>>(), [5.0, 8.0, 10.0]);
        assert_eq!(points[0], [5.0, 4.0], "the mean of 3 and 5");
        assert_eq!(band[0], [5.0, 3.0, 5.0]);
        assert_eq!(band[2], [10.0, 2.0, 2.0]);
        assert_eq!(together(std::slice::from_ref(&fine)), Some((fine.clone(), Vec::new())));
        assert_eq!(together(&[rough, vec![[20.0, 1.0], [30.0, 1.0]]]), None);
        assert_eq!(together(&[]), None);
    }
}
