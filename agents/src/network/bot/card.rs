//! The model card of a bot: Markdown with the metadata header of a Hugging Face model card.

use std::fmt::Write;

use crate::{
    network::portable::{MlpShape, NetShape},
    play::level::Calibration,
};

use super::{Manifest, Regret, Strength};

impl Manifest {
    /// Returns the model card of the bot with the name `name`. All other content comes from the
    /// manifest.
    pub fn card(&self, name: &str) -> String {
        let Manifest { ruleset, seats, .. } = self;
        let game = ruleset.split('?').next().unwrap_or(ruleset);
        let mut card = format!(
            "---\nlicense:\n- mit\n- apache-2.0\nlibrary_name: {LIBRARY}\npipeline_tag: reinforcement-learning\n\
             tags:\n- reinforcement-learning\n- self-play\n- board-game\n- {game}\n"
        );
        // Writing to a string cannot fail.
        let _ = self.write_index(&mut card, name);
        let count = seats.len();
        let _ = writeln!(
            card,
            "---\n\n# {name}\n\nA bot for `{ruleset}` with {count} seats ({seats}), trained by self-play."
        );
        let _ = self.write_facts(&mut card);
        let _ = self.write_strength(&mut card);
        let _ = self.write_training(&mut card, name);
        card
    }

    /// Writes the strength into the metadata header, for programs that read model cards.
    fn write_index(&self, card: &mut String, name: &str) -> std::fmt::Result {
        if self.strength.is_empty() {
            return Ok(());
        }
        // Every JSON string is a valid YAML string.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let ruleset = quoted(&format!("{} {}", self.ruleset, self.seats));
        writeln!(
            card,
            "model-index:\n- name: {}\n  results:\n  - task:",
            quoted(name)
        )?;
        writeln!(
            card,
            "      type: reinforcement-learning\n      name: reinforcement-learning"
        )?;
        writeln!(
            card,
            "    dataset:\n      type: {ruleset}\n      name: {ruleset}\n    metrics:"
        )?;
        for Strength {
            opponent, score, ..
        } in &self.strength
        {
            writeln!(card, "    - type: score\n      value: {score:.4}")?;
            writeln!(
                card,
                "      name: {}",
                quoted(&format!("score against {opponent}"))
            )?;
        }
        Ok(())
    }

    fn write_facts(&self, card: &mut String) -> std::fmt::Result {
        let NetShape { value, policy } = &self.shape;
        let network = |shape: &MlpShape| {
            let hidden: Vec<String> = shape.hidden.iter().map(usize::to_string).collect();
            format!(
                "{} inputs, hidden {}, {} parameters",
                shape.observation,
                hidden.join(" and "),
                shape.parameters()
            )
        };
        writeln!(card, "\n| | |\n|---|---|")?;
        writeln!(
            card,
            "| ruleset | `{}`, hash `{:016x}` |",
            self.ruleset, self.ruleset_hash
        )?;
        writeln!(
            card,
            "| encoding of observations and actions | {} |",
            self.encoding
        )?;
        writeln!(card, "| value network | {} |", network(value))?;
        writeln!(card, "| policy network | {} |", network(policy))?;
        writeln!(
            card,
            "| file | bot format {}, written by ashta {} |",
            self.format, self.program
        )
    }

    fn write_strength(&self, card: &mut String) -> std::fmt::Result {
        writeln!(card, "\n## Strength\n")?;
        let has_regret = self.strength.iter().any(|entry| entry.regret.is_some());
        if self.strength.is_empty() {
            writeln!(card, "The strength of this bot was not measured.")?;
        } else {
            writeln!(
                card,
                "Paired games with throws that training did not use. Scores are in percent, with 95 %"
            )?;
            writeln!(card, "intervals.\n")?;
            let [head, line] = if has_regret {
                [" regret per decision |", "---|"]
            } else {
                [""; 2]
            };
            writeln!(
                card,
                "| against | games | score |{head}\n|---|---|---|{line}"
            )?;
        }
        for Strength {
            opponent,
            games,
            score,
            low,
            high,
            regret,
        } in &self.strength
        {
            write!(
                card,
                "| {opponent} | {games} | {} |",
                percent(*score, [*low, *high])
            )?;
            match regret {
                Some(Regret { mean, low, high }) => {
                    writeln!(card, " {mean:.6} [{low:.6}, {high:.6}] |")?
                }
                None if has_regret => writeln!(card, " |")?,
                None => writeln!(card)?,
            }
        }
        if !self.levels.is_empty() {
            writeln!(
                card,
                "\nLevels of difficulty: regret per decision by the bot's own values, and score against"
            )?;
            writeln!(card, "the bot without a level.\n")?;
            writeln!(card, "| level | regret | score |\n|---|---|---|")?;
        }
        for Calibration {
            level,
            regret,
            regret_interval: [low, high],
            score,
            score_interval,
            ..
        } in &self.levels
        {
            let score = percent(*score, *score_interval);
            writeln!(
                card,
                "| {level} | {regret:.5} [{low:.5}, {high:.5}] | {score} |"
            )?;
        }
        Ok(())
    }

    fn write_training(&self, card: &mut String, name: &str) -> std::fmt::Result {
        writeln!(card, "\n## Training\n")?;
        writeln!(card, "| | |\n|---|---|")?;
        for (fact, value) in self.training.iter().filter(|(fact, _)| *fact != CONFIG) {
            writeln!(card, "| {fact} | {value} |")?;
        }
        if let Some(config) = self.training.get(CONFIG) {
            writeln!(
                card,
                "\nWith these settings (`ashta train FILE`):\n\n```toml\n{}\n```",
                config.trim_end()
            )?;
        }
        writeln!(
            card,
            "\n## Use\n\n```sh\nashta play {name}.bot\nashta eval {name}.bot+2ply --against greedy"
        )?;
        writeln!(card, "ashta export {name}.bot --format onnx\n```\n")?;
        let MlpShape {
            observation,
            actions,
            values,
            ..
        } = &self.shape.policy;
        writeln!(
            card,
            "The ONNX model has the inputs `observation`, float `[batch, {observation}]`, and"
        )?;
        writeln!(
            card,
            "`legal_actions`, bool `[batch, {actions}]`. Its outputs are `policy`, float"
        )?;
        writeln!(
            card,
            "`[batch, {actions}]`, and `values`, float `[batch, {values}]`, relative to the seat that"
        )?;
        writeln!(card, "observes.")
    }
}

const LIBRARY: &str = "ashta";
/// The key of [`Manifest::training`] with all settings.
pub(super) const CONFIG: &str = "config";

fn percent(share: f64, [low, high]: [f64; 2]) -> String {
    format!(
        "{:.1} [{:.1}, {:.1}]",
        100.0 * share,
        100.0 * low,
        100.0 * high
    )
}
