//! Metrics of training, one step per iteration: a line of `metrics.jsonl`, and the same values for
//! TensorBoard.
//!
//! `docs/metrics.md` explains the metrics. Only this file uses `tensorboard-rs`. It does not use
//! the writer of that library, because the thread of the writer panics on a full disk.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Error, Result};
use prost::Message as _;
use protobuf::Message as _;
use serde::{Deserialize, Serialize};
use tensorboard_proto::{event::Event, summary::Summary};
use tensorboard_rs::{record_writer::RecordWriter, summary};

use crate::run::{
    files::{
        cannot_write, check_writable, entries, open_to_write, read, read_if_there, sync_folder,
        write_whole,
    },
    output::remark,
};

/// The file in the folder of a run with a line for each iteration.
pub(super) const LINES: &str = "metrics.jsonl";
const EVENTS: &str = "tensorboard";
/// TensorBoard finds event files by this part of their names.
const EVENT_FILE: &str = ".tfevents.";
/// Buckets of equal width in a histogram.
const BUCKETS: usize = 30;

/// The progress of a run: the numbers at the beginning of each line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IterationStep {
    /// Finished iterations; the horizontal axis of TensorBoard.
    pub iteration: u64,
    /// Finished games of self-play.
    pub games: u64,
    /// Samples from self-play; a sample counts once, even if the learner uses it several times.
    pub samples: u64,
    /// Seconds of training, including the time before interruptions.
    pub seconds: f64,
}

#[derive(Serialize)]
struct MetricsLine<'a> {
    #[serde(flatten)]
    step: IterationStep,
    #[serde(flatten)]
    scalars: &'a BTreeMap<String, f64>,
}

/// Collects the metrics of a step and writes them together.
#[derive(Debug)]
pub struct Metrics {
    path: PathBuf,
    lines: File,
    /// The last written line, as JSON with its line break. Empty if no line was written.
    pub last: String,
    events: EventFile,
    /// The newest value of each scalar that was written.
    pub latest: BTreeMap<String, f64>,
    scalars: BTreeMap<String, f64>,
    histograms: BTreeMap<String, Summary>,
}

impl Metrics {
    /// Continues the metrics of the run in the folder `run` after iteration `last`, and removes the
    /// metrics of later iterations. If `last` is `None`, removes all metrics.
    pub fn open(run: &Path, last: Option<u64>) -> Result<Metrics> {
        let (path, folder) = (run.join(LINES), run.join(EVENTS));
        fs::create_dir_all(&folder)
            .map_err(Error::new)
            .and_then(|()| check_writable(&folder.join("probe")))
            .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        forget_lines(&path, last)?;
        forget_events(&folder, last)?;
        let lines = open_to_write(&path, OpenOptions::new().create(true).append(true))?;
        let events = EventFile::new(&folder)?;
        sync_folder(run)?;
        Ok(Metrics {
            path,
            lines,
            last: String::new(),
            events,
            latest: BTreeMap::new(),
            scalars: BTreeMap::new(),
            histograms: BTreeMap::new(),
        })
    }

    /// Adds a number to the step under `tag`, such as `train/value_loss`. A second value replaces
    /// the first.
    pub fn scalar(&mut self, tag: &str, value: f64) {
        self.scalars.insert(tag.to_string(), value);
    }

    /// Adds the distribution of `values` to the step under `tag`, for TensorBoard only. Ignores
    /// values that are not finite; adds nothing if no value is left.
    pub fn histogram(&mut self, tag: &str, values: &[f32]) {
        self.histograms
            .extend(histogram(tag, values).map(|summary| (tag.to_string(), summary)));
    }

    /// Writes all metrics that were added since the last call, as the metrics of `step`. A number
    /// that is not finite becomes `null`.
    pub fn write(&mut self, step: IterationStep) -> Result<()> {
        self.last = serde_json::to_string(&MetricsLine {
            step,
            scalars: &self.scalars,
        })? + "\n";
        self.lines
            .write_all(self.last.as_bytes())
            .with_context(|| cannot_write(&self.path))?;
        self.latest.extend(self.scalars.clone());
        let scalars = std::mem::take(&mut self.scalars).into_iter();
        let histograms = std::mem::take(&mut self.histograms).into_values();
        let scalars = scalars.map(|(tag, value)| summary::scalar(&tag, value as f32));
        self.events.append(scalars.chain(histograms).map(|summary| {
            let mut event = Event::new();
            event.set_step(step.iteration as i64);
            event.set_summary(summary);
            event
        }))
    }

    /// Makes sure that all metrics are on disk, so that a loss of power does not destroy them.
    pub fn sync(&self) -> Result<()> {
        self.lines
            .sync_data()
            .with_context(|| cannot_write(&self.path))?;
        self.events
            .file
            .sync_data()
            .with_context(|| cannot_write(&self.events.path))
    }
}

#[derive(Debug)]
struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// Creates a new file in `folder`; other files do not change.
    fn new(folder: &Path) -> Result<EventFile> {
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let mut number = 0_u64;
        let mut events = loop {
            let path = folder.join(format!(
                "events.out{EVENT_FILE}{seconds:010}.ashta.{number}"
            ));
            match OpenOptions::new().create_new(true).append(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                opened => {
                    let file = opened.with_context(|| cannot_write(&path))?;
                    break EventFile { path, file };
                }
            }
        };
        let mut first = Event::new();
        first.set_file_version("brain.Event:2".to_owned());
        events.append([first].into_iter())?;
        sync_folder(folder)?;
        Ok(events)
    }

    /// Appends events with the current time.
    fn append(&mut self, mut events: impl Iterator<Item = Event>) -> Result<()> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        let mut bytes = Vec::new();
        let mut records = RecordWriter::new(&mut bytes);
        events
            .try_for_each(|mut event| {
                event.set_wall_time(now);
                anyhow::Ok(records.write(&event.write_to_bytes()?)?)
            })
            .and_then(|()| Ok(self.file.write_all(&bytes)?))
            .with_context(|| cannot_write(&self.path))
    }
}

/// The histogram of the finite values as TensorBoard stores it; `None` if no value is finite.
/// Bucket `i` counts the values above limit `i - 1`, up to limit `i`.
fn histogram(tag: &str, values: &[f32]) -> Option<Summary> {
    let finite = || {
        values
            .iter()
            .filter(|value| value.is_finite())
            .map(|&value| f64::from(value))
    };
    let (min, max) = (finite().reduce(f64::min)?, finite().reduce(f64::max)?);
    let buckets = if min < max { BUCKETS } else { 1 };
    let width = (max - min) / buckets as f64;
    let mut limits: Vec<f64> = (1..=buckets)
        .map(|bucket| min + width * bucket as f64)
        .collect();
    limits[buckets - 1] = max;
    let mut counts = vec![0.0; buckets];
    for value in finite() {
        counts[limits.partition_point(|&limit| limit < value)] += 1.0;
    }
    let (count, sum, squares) = (
        counts.iter().sum(),
        finite().sum(),
        finite().map(|value| value * value).sum(),
    );
    Some(summary::histogram_raw(
        tag, min, max, count, sum, squares, &limits, &counts,
    ))
}

/// Removes the lines of iterations after `last`, an incomplete last line, and damaged lines.
/// Reports damaged lines.
fn forget_lines(path: &Path, last: Option<u64>) -> Result<()> {
    #[derive(Deserialize)]
    struct Numbered {
        iteration: u64,
    }
    let Some(content) = read_if_there(path)? else {
        return Ok(());
    };
    let mut kept = Vec::with_capacity(content.len());
    for (number, line) in content
        .split_inclusive(|&byte| byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
        .enumerate()
    {
        match serde_json::from_slice::<Numbered>(line) {
            Ok(Numbered { iteration }) if Some(iteration) <= last => kept.extend_from_slice(line),
            Ok(_) => {}
            Err(_) => remark(format_args!(
                "{}, line {}: skipped a damaged line",
                path.display(),
                number + 1
            )),
        }
    }
    write_whole(path, kept)
}

/// Removes the events of iterations after `last`, and an incomplete last event. Otherwise
/// TensorBoard would draw both the old and the new events.
fn forget_events(folder: &Path, last: Option<u64>) -> Result<()> {
    for path in entries(folder)?
        .iter()
        .filter(|path| path.to_string_lossy().contains(EVENT_FILE))
    {
        let Some(last) = last else {
            fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
            continue;
        };
        let bytes = read(path)?;
        let is_kept =
            |record: &&[u8]| event_step(&record[RECORD_HEAD..record.len() - RECORD_TAIL]) <= last;
        let kept: Vec<u8> = records(&bytes).filter(is_kept).flatten().copied().collect();
        write_whole(path, kept)?;
    }
    Ok(())
}

/// Bytes before the data of a record: its length and a checksum of the length.
const RECORD_HEAD: usize = 12;
/// Bytes after the data of a record: its checksum.
const RECORD_TAIL: usize = 4;

/// The complete records of an event file, with their heads and tails.
fn records(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()?;
        let (record, rest) =
            bytes.split_at_checked(length.checked_add(RECORD_HEAD + RECORD_TAIL)?)?;
        bytes = rest;
        Some(record)
    })
}

/// The step of an event. It is 0 if the event has no step, like the first event of a file, or if
/// the event is not valid.
fn event_step(data: &[u8]) -> u64 {
    /// Unlike `protobuf`, `prost` limits the depth of nested fields when it skips them.
    #[derive(prost::Message)]
    struct Stepped {
        #[prost(int64, tag = "2")]
        step: i64,
    }
    Stepped::decode(data).map_or(0, |event| event.step as u64)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use tensorboard_proto::summary::HistogramProto;

    use super::{IterationStep, Metrics, RECORD_HEAD, RECORD_TAIL, event_step, histogram, records};
    use crate::run::rundir::tests::Scratch;

    fn step(iteration: u64) -> IterationStep {
        IterationStep {
            iteration,
            games: iteration * 512,
            samples: iteration * 1000,
            seconds: 1.5,
        }
    }

    fn write(metrics: &mut Metrics, iteration: u64) {
        metrics.scalar("train/value_loss", 0.25);
        metrics.scalar("eval/vs_x", f64::NAN);
        metrics.histogram("selfplay/turns", &[3.0, 4.0, 9.0]);
        metrics.write(step(iteration)).unwrap();
    }

    fn lines(run: &Path) -> Vec<String> {
        fs::read_to_string(run.join("metrics.jsonl"))
            .unwrap()
            .lines()
            .map(str::to_string)
            .collect()
    }

    /// The steps of the events in all files. Checks that the files contain only complete records.
    fn event_steps(run: &Path) -> Vec<u64> {
        let mut steps = Vec::new();
        for entry in fs::read_dir(run.join("tensorboard")).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            let records: Vec<&[u8]> = records(&bytes).collect();
            assert_eq!(records.concat(), bytes, "complete records and nothing else");
            assert!(
                records[0].windows(13).any(|part| part == b"brain.Event:2"),
                "the first record names the format"
            );
            steps.extend(
                records[1..]
                    .iter()
                    .map(|record| event_step(&record[RECORD_HEAD..record.len() - RECORD_TAIL])),
            );
        }
        steps
    }

    #[test]
    fn resuming_forgets_later_iterations_and_a_line_cut_short() {
        let run = Scratch::new();
        let mut metrics = Metrics::open(&run, None).unwrap();
        (1..=200).for_each(|iteration| write(&mut metrics, iteration));
        drop(metrics);
        let events = fs::read_dir(run.join("tensorboard"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let mut cut = fs::read(&events).unwrap();
        cut.truncate(cut.len() - 3);
        fs::write(&events, cut).unwrap();
        let path = run.join("metrics.jsonl");
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 5]).unwrap();

        let mut metrics = Metrics::open(&run, Some(150)).unwrap();
        write(&mut metrics, 151);
        drop(metrics);
        assert_eq!(lines(&run).len(), 151);
        assert!(
            lines(&run)[0].ends_with(r#""seconds":1.5,"eval/vs_x":null,"train/value_loss":0.25}"#)
        );
        assert!(lines(&run)[149].starts_with("{\"iteration\":150,"));
        let mut steps = event_steps(&run);
        steps.sort_unstable();
        assert_eq!(
            steps,
            (1..=151)
                .flat_map(|iteration| [iteration; 3])
                .collect::<Vec<_>>()
        );

        drop(Metrics::open(&run, Some(151)).unwrap());
        assert_eq!(lines(&run).len(), 151);
        drop(Metrics::open(&run, None).unwrap());
        assert!(lines(&run).is_empty() && event_steps(&run).is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_that_names_it() {
        let run = Scratch::new();
        fs::write(run.join("tensorboard"), "a file in the way").unwrap();
        let error = Metrics::open(&run, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot write to the folder {}",
                run.join("tensorboard").display()
            )
        );
    }

    fn drawn(values: &[f32]) -> Option<HistogramProto> {
        Some(histogram("tag", values)?.get_value()[0].get_histo().clone())
    }

    #[test]
    fn buckets_hold_every_finite_value_once() {
        let values: Vec<f32> = (0..1000)
            .map(|n| (n as f32 * 0.7).sin() * 5.0)
            .chain([f32::NAN, f32::INFINITY])
            .collect();
        let h = drawn(&values).unwrap();
        let (limits, counts) = (h.get_bucket_limit(), h.get_bucket());
        assert_eq!(limits.len(), counts.len());
        assert_eq!(counts.iter().sum::<f64>(), 1000.0);
        assert_eq!(h.get_num(), 1000.0);
        assert!(limits.is_sorted() && *limits.last().unwrap() == h.get_max());
        let exact = |power: i32| {
            values[..1000]
                .iter()
                .map(|&value| f64::from(value).powi(power))
                .sum::<f64>()
        };
        assert!(
            (h.get_sum() - exact(1)).abs() < 1e-6 && (h.get_sum_squares() - exact(2)).abs() < 1e-6
        );
        let below_first = values
            .iter()
            .filter(|&&value| f64::from(value) <= limits[0])
            .count();
        assert_eq!(counts[0], below_first as f64);
    }

    #[test]
    fn equal_values_share_a_bucket_and_none_make_no_histogram() {
        let h = drawn(&[2.0, 2.0]).unwrap();
        assert_eq!(
            (h.get_bucket_limit(), h.get_bucket()),
            (&[2.0][..], &[2.0][..])
        );
        assert_eq!(drawn(&[]), None);
        assert_eq!(drawn(&[f32::NAN]), None);
    }
}
