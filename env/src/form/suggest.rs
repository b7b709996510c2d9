//! Suggestions for misspelled keys: the known keys nearest to an unknown key.
//!
//! With them, a user can correct a typing error before the training starts.

use strsim::normalized_damerau_levenshtein as similarity;

/// Weight of the last part of a key. The section weighs less, because users often write a key in
/// the wrong section.
const KEY_WEIGHT: f64 = 0.85;
/// The least similarity of the last parts, from 0 (nothing in common) to 1 (equal).
const LEAST_SIMILARITY: f64 = 0.5;

/// The known keys nearest to `unknown`, a dotted key such as `learning.lambda`: usually one,
/// several if they are equally near, none if no key is near.
pub(super) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (section, last) = split(unknown);
    let scored = |key: &'a str| {
        let (known_section, known_last) = split(key);
        let alike = similarity(last, known_last);
        let score = KEY_WEIGHT * alike + (1.0 - KEY_WEIGHT) * similarity(section, known_section);
        (alike >= LEAST_SIMILARITY).then_some((key, score))
    };
    let scores: Vec<(&str, f64)> = known.filter_map(scored).collect();
    let best = scores.iter().map(|&(_, score)| score).fold(0.0, f64::max);
    scores
        .into_iter()
        .filter(|&(_, score)| score == best)
        .map(|(key, _)| key)
        .collect()
}

/// Splits a dotted key into its section (empty at the top level) and its last part.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KNOWN: [&str; 6] = [
        "run.seed",
        "learning.lambda",
        "learning.learning_rate",
        "learning.ema",
        "evaluation.seed",
        "selfplay.games",
    ];

    fn nearest_known(unknown: &str) -> Vec<&'static str> {
        nearest(unknown, KNOWN.into_iter())
    }

    #[test]
    fn names_all_that_are_equally_near() {
        assert_eq!(nearest_known("seed"), ["run.seed", "evaluation.seed"]);
    }

    #[test]
    fn a_common_section_alone_is_no_reason() {
        assert!(nearest_known("learning.xyz").is_empty());
    }
}
