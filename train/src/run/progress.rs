//! The display of a run: a progress bar, or periodic lines where standard error is not a terminal.
//!
//! Exists so that the loop only reports its progress. Measures nothing and decides nothing: rates, losses and intervals
//! come from the caller.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{FormattedDuration, HumanCount, ProgressBar, ProgressStyle};

use crate::run::output::{escaped, remark};

/// Least time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The state of a run. Losses that are not known yet are shown as `-`.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Self-play games finished.
    pub games: u64,
    /// Self-play games a second, learning included.
    pub games_per_second: f64,
    /// Samples that self-play produces a second, learning included.
    pub samples_per_second: f64,
    /// Mean value loss of the last iteration.
    pub value_loss: Option<f64>,
    /// Mean policy loss of the last iteration.
    pub policy_loss: Option<f64>,
    /// The share of the games of the last iteration that were drawn.
    pub drawn: f64,
    /// The share that was truncated.
    pub truncated: f64,
    /// Opponents and scores, 0 to 1, of the last short evaluation.
    pub scores: Vec<(String, f64)>,
    /// Seconds of training until the run ends, however many games are left; `None` without a limit.
    pub time_left: Option<f64>,
}

/// The display of a running training.
#[derive(Debug)]
pub struct Progress {
    games: u64,
    /// Where standard error is a terminal.
    bar: Option<ProgressBar>,
    lines: Lines,
}

/// Decides when a line is due.
#[derive(Debug)]
struct Lines {
    printed: Instant,
    games: u64,
}

impl Progress {
    /// Begins the display of a run of `games` games of which `done` are finished.
    pub fn new(games: u64, done: u64) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{elapsed_precise} {bar:16} {prefix}\n{wide_msg}");
            let style = style.expect("the template is well-formed").progress_chars("=> ");
            let bar = ProgressBar::new(games).with_position(done).with_style(style);
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Progress { games, bar, lines: Lines { printed: Instant::now(), games: done } }
    }

    /// Shows how the run stands now.
    pub fn update(&mut self, status: &Status) {
        let advance = describe_advance(status, self.games);
        let learning = describe_learning(status);
        if let Some(bar) = &self.bar {
            bar.set_position(status.games);
            bar.set_prefix(advance);
            bar.set_message(escaped(&learning));
        } else if self.lines.is_due(status.games, Instant::now()) {
            remark(format_args!("{advance}  {learning}"));
        }
    }

    /// Ends the display; a bar disappears, so that the results can follow.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    /// Whether to print now: after enough time, and only if games were finished since the last line.
    fn is_due(&mut self, games: u64, now: Instant) -> bool {
        let is_due = games > self.games && now.saturating_duration_since(self.printed) >= LINE_EVERY;
        if is_due {
            *self = Lines { printed: now, games };
        }
        is_due
    }
}

/// The progress of a run of `total` games, in words.
fn describe_advance(status: &Status, total: u64) -> String {
    let rest = total.saturating_sub(status.games) as f64 / status.games_per_second;
    let rest = status.time_left.map_or(rest, |left| rest.min(left.max(0.0)));
    let left = Duration::try_from_secs_f64(rest.round());
    let left = left.map_or_else(|_| String::new(), |left| format!("  {} left", FormattedDuration(left)));
    format!("{}/{} games  {} games/s{left}", HumanCount(status.games), HumanCount(total), rate(status.games_per_second))
}

/// Throughput, losses and scores, in words.
fn describe_learning(status: &Status) -> String {
    let mut parts = vec![
        format!("{} samples/s", rate(status.samples_per_second)),
        format!("value loss {}", loss(status.value_loss)),
        format!("policy loss {}", loss(status.policy_loss)),
    ];
    for (share, what) in [(status.drawn, "drawn"), (status.truncated, "truncated")] {
        parts.extend((share > 0.0).then(|| format!("{} {what}", percent(share))));
    }
    parts.extend(status.scores.iter().map(|(opponent, score)| format!("vs {opponent} {}", percent(*score))));
    parts.join("  ")
}

pub(crate) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", share * 100.0) } else { "-".to_string() }
}

fn loss(loss: Option<f64>) -> String {
    loss.filter(|loss| loss.is_finite()).map_or("-".to_string(), |loss| format!("{loss:.4}"))
}

/// A rate with about three digits.
fn rate(rate: f64) -> String {
    match rate {
        _ if !rate.is_finite() => "-".to_string(),
        _ if rate < 99.95 => format!("{rate:.1}"),
        _ => HumanCount(rate.round() as u64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Lines, Progress, Status, describe_advance, describe_learning, rate};

    fn status() -> Status {
        Status {
            games: 12_800,
            games_per_second: 512.4,
            samples_per_second: 25_000.7,
            value_loss: Some(0.41234),
            policy_loss: None,
            drawn: 0.25,
            truncated: 0.0,
            scores: vec![("random".into(), 0.991), ("greedy".into(), 0.8)],
            time_left: None,
        }
    }

    #[test]
    fn words_describe_the_state_of_the_run() {
        let advance = describe_advance(&status(), 100_000);
        assert_eq!(advance, "12,800/100,000 games  512 games/s  00:02:50 left");
        assert_eq!(
            describe_learning(&status()),
            "25,001 samples/s  value loss 0.4123  policy loss -  25.0 % drawn  vs random 99.1 %  vs greedy 80.0 %"
        );
        assert_eq!(describe_learning(&Status::default()), "0.0 samples/s  value loss -  policy loss -");
    }

    #[test]
    fn a_time_limit_can_end_the_run_earlier_and_an_unknown_rate_promises_nothing() {
        let limited = |seconds| describe_advance(&Status { time_left: Some(seconds), ..status() }, 100_000);
        assert!(limited(61.0).ends_with("  00:01:01 left"));
        assert!(limited(1000.0).ends_with("  00:02:50 left"));
        assert!(limited(-0.5).ends_with("  00:00:00 left"));
        assert!(!describe_advance(&Status::default(), 10).contains("left"));
    }

    #[test]
    fn lines_need_both_time_and_games() {
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        let mut lines = Lines { printed: begin, games: 0 };
        assert!(!lines.is_due(5, after(29)));
        assert!(!lines.is_due(0, after(31)));
        assert!(lines.is_due(5, after(31)));
        assert!(!lines.is_due(6, after(60)));
        assert!(lines.is_due(6, after(61)));
    }

    #[test]
    fn a_display_begins_and_ends_at_any_point() {
        let mut progress = Progress::new(0, 0);
        progress.update(&Status::default());
        progress.finish();
    }

    #[test]
    fn rates_have_about_three_digits() {
        assert_eq!([0.25, 99.9, 100.2, f64::INFINITY].map(rate), ["0.2", "99.9", "100", "-"]);
    }
}
