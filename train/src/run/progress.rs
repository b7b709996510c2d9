//! The display of a run: a progress bar, or periodic lines if standard error is not a terminal.

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{FormattedDuration, HumanCount, ProgressBar, ProgressStyle};

use crate::run::output::{escaped, remark};

/// Time between two lines if standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Metrics by name; a metric that was never measured is absent and shown as `-`.
type Metrics = BTreeMap<String, f64>;

/// The display of a training run.
#[derive(Debug)]
pub struct Progress {
    games: u64,
    bar: Option<ProgressBar>,
    /// The time of the last printed line, and the finished games at that time.
    printed: (Instant, u64),
}

impl Progress {
    /// Begins the display of a run of `games` games; `done` of them are finished.
    pub fn new(games: u64, done: u64) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{elapsed_precise} {bar:16} {prefix}\n{wide_msg}");
            let style = style
                .expect("the template is well-formed")
                .progress_chars("=> ");
            let bar = ProgressBar::new(games)
                .with_position(done)
                .with_style(style);
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Progress {
            games,
            bar,
            printed: (Instant::now(), done),
        }
    }

    /// Shows the state of the run: its finished games, the newest value of each metric, and the
    /// seconds until its time limit, if there is a limit.
    pub fn update(&mut self, games: u64, metrics: &Metrics, time_left: Option<f64>) {
        let advance = describe_advance(games, self.games, metrics, time_left);
        let learning = describe_learning(metrics);
        if let Some(bar) = &self.bar {
            bar.set_position(games);
            bar.set_prefix(advance);
            bar.set_message(escaped(&learning));
        } else if self.is_line_due(games, Instant::now()) {
            remark(format_args!("{advance}  {learning}"));
        }
    }

    /// Ends the display and removes the bar.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    /// Whether to print a line: enough time has passed, and games were finished since the last
    /// line.
    fn is_line_due(&mut self, games: u64, now: Instant) -> bool {
        let (printed, before) = self.printed;
        let is_due = games > before && now.saturating_duration_since(printed) >= LINE_EVERY;
        if is_due {
            self.printed = (now, games);
        }
        is_due
    }
}

fn metric(metrics: &Metrics, name: &str) -> f64 {
    metrics.get(name).copied().unwrap_or(f64::NAN)
}

/// The progress of a run of `total` games in words. The remaining time follows from the remaining
/// games, or from the time limit if that ends the run earlier.
fn describe_advance(games: u64, total: u64, metrics: &Metrics, time_left: Option<f64>) -> String {
    let games_per_second = metric(metrics, "selfplay/games_per_second");
    let rest = total.saturating_sub(games) as f64 / games_per_second;
    let rest = time_left.map_or(rest, |left| rest.min(left.max(0.0)));
    let left = Duration::try_from_secs_f64(rest.round());
    let left = left.map_or_else(
        |_| String::new(),
        |left| format!("  {} left", FormattedDuration(left)),
    );
    format!(
        "{}/{} games  {} games/s{left}",
        HumanCount(games),
        HumanCount(total),
        rate(games_per_second)
    )
}

/// Throughput, losses and scores, in words.
fn describe_learning(metrics: &Metrics) -> String {
    let mut parts = vec![
        format!(
            "{} samples/s",
            rate(metric(metrics, "selfplay/samples_per_second"))
        ),
        format!("value loss {}", loss(metric(metrics, "train/value_loss"))),
        format!("policy loss {}", loss(metric(metrics, "train/policy_loss"))),
    ];
    for (name, what) in [
        ("selfplay/drawn_share", "drawn"),
        ("selfplay/truncated_share", "truncated"),
    ] {
        let share = metric(metrics, name);
        parts.extend((share > 0.0).then(|| format!("{} {what}", percent(share))));
    }
    let score = |(name, score): (&String, &f64)| {
        let opponent = name.strip_prefix("eval/vs_")?.strip_suffix("/score")?;
        Some(format!("vs {opponent} {}", percent(*score)))
    };
    parts.extend(metrics.iter().filter_map(score));
    parts.join("  ")
}

pub(crate) fn percent(share: f64) -> String {
    if share.is_finite() {
        format!("{:.1} %", share * 100.0)
    } else {
        "-".to_string()
    }
}

fn loss(loss: f64) -> String {
    if loss.is_finite() {
        format!("{loss:.4}")
    } else {
        "-".to_string()
    }
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
    use super::*;

    fn metrics() -> Metrics {
        [
            ("selfplay/games_per_second", 512.4),
            ("selfplay/samples_per_second", 25_000.7),
            ("selfplay/drawn_share", 0.25),
            ("selfplay/truncated_share", 0.0),
            ("train/value_loss", 0.41234),
            ("eval/vs_random/score", 0.991),
            ("eval/vs_random/drawn_share", 0.5),
            ("eval/vs_greedy/score", 0.8),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }

    #[test]
    fn words_describe_the_state_of_the_run() {
        let advance = describe_advance(12_800, 100_000, &metrics(), None);
        assert_eq!(advance, "12,800/100,000 games  512 games/s  00:02:50 left");
        assert_eq!(
            describe_learning(&metrics()),
            "25,001 samples/s  value loss 0.4123  policy loss -  25.0 % drawn  vs greedy 80.0 %  vs random 99.1 %"
        );
        assert_eq!(
            describe_learning(&Metrics::new()),
            "- samples/s  value loss -  policy loss -"
        );
    }

    #[test]
    fn a_time_limit_can_end_the_run_earlier_and_an_unknown_rate_promises_nothing() {
        let limited = |seconds| describe_advance(12_800, 100_000, &metrics(), Some(seconds));
        assert!(limited(61.0).ends_with("  00:01:01 left"));
        assert!(limited(1000.0).ends_with("  00:02:50 left"));
        assert!(limited(-0.5).ends_with("  00:00:00 left"));
        assert!(!describe_advance(0, 10, &Metrics::new(), None).contains("left"));
    }

    #[test]
    fn lines_need_both_time_and_games() {
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        let mut lines = Progress {
            games: 10,
            bar: None,
            printed: (begin, 0),
        };
        assert!(!lines.is_line_due(5, after(29)));
        assert!(!lines.is_line_due(0, after(31)));
        assert!(lines.is_line_due(5, after(31)));
        assert!(!lines.is_line_due(6, after(60)));
        assert!(lines.is_line_due(6, after(61)));
    }

    #[test]
    fn a_display_begins_and_ends_at_any_point() {
        let mut progress = Progress::new(0, 0);
        progress.update(0, &Metrics::new(), None);
        progress.finish();
    }

    #[test]
    fn rates_have_about_three_digits() {
        assert_eq!(
            [0.25, 99.9, 100.2, f64::INFINITY].map(rate),
            ["0.2", "99.9", "100", "-"]
        );
    }
}
