//! Agents by name: what a person writes where a program asks for an agent.
//!
//! ```text
//! random | runner | hunter | greedy | greedy+2ply        a baseline
//! path/to/file.bot[+policy | +1ply | +2ply | … | +mcts[:simulations]]      a bot and how far it looks ahead
//! ```
//!
//! A bot without a suffix looks one ply ahead: it plays the result of its turn that its network values highest. Each ply
//! more is the expectation over the next seat's throws and best replies. `+policy` plays the network's policy without
//! looking ahead.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ashta_env::game::Game;

use crate::agent::{Agent, OnePly, PolicyAgent};
use crate::baseline::{Baseline, PipEvaluator};
use crate::bot::{Bot, BotError};
use crate::evaluator::Evaluator;
use crate::net_evaluator::NetEvaluator;
use crate::search::{Expectimax, Mcts, MctsAgent, MctsConfig};

/// An agent as it is written; nothing is loaded yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentSpec {
    /// A baseline.
    Baseline(Baseline),
    /// A bot file, and how it chooses.
    Bot {
        /// Where the file is.
        path: PathBuf,
        /// How far it looks ahead.
        lookahead: Lookahead,
    },
}

/// How a network is turned into a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookahead {
    /// Not at all: the action of the highest probability.
    Policy,
    /// This many plies, at least one.
    Plies(u8),
    /// Tree search with this many simulations for each choice.
    Mcts(u32),
}

/// The largest number of plies; each costs hundreds of times the one before.
const MAX_PLIES: u8 = 4;
/// Simulations of `+mcts` without a number.
const DEFAULT_SIMULATIONS: u32 = 800;
/// The largest number of simulations.
const MAX_SIMULATIONS: u32 = 1_000_000;

/// Why there is no such agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The text is neither a baseline nor a file that exists.
    #[error("`{name}` is no agent: there is no such bot file, and the baselines are {}", baselines())]
    Unknown {
        /// The text.
        name: String,
    },
    /// The suffix is not known.
    #[error("`+{suffix}` is no way to look ahead: write +policy, +1ply to +{MAX_PLIES}ply, or +mcts:SIMULATIONS")]
    Lookahead {
        /// What follows the `+`.
        suffix: String,
    },
    /// The bot cannot be read, or plays another game.
    #[error(transparent)]
    Bot(#[from] BotError),
}

fn baselines() -> String {
    Baseline::ALL.map(Baseline::name).join(", ")
}

impl FromStr for AgentSpec {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<AgentSpec, AgentError> {
        if let Ok(baseline) = text.parse() {
            return Ok(AgentSpec::Baseline(baseline));
        }
        // A file may have a plus in its name, so the whole text is tried first.
        if Path::new(text).is_file() {
            return Ok(AgentSpec::Bot { path: text.into(), lookahead: Lookahead::Plies(1) });
        }
        match text.rsplit_once('+') {
            Some((path, suffix)) if Path::new(path).is_file() => {
                Ok(AgentSpec::Bot { path: path.into(), lookahead: suffix.parse()? })
            }
            _ => Err(AgentError::Unknown { name: text.to_owned() }),
        }
    }
}

impl FromStr for Lookahead {
    type Err = AgentError;

    fn from_str(suffix: &str) -> Result<Lookahead, AgentError> {
        let plies = suffix.strip_suffix("ply").and_then(|plies| plies.parse().ok());
        let simulations = match suffix.split_once(':') {
            Some(("mcts", simulations)) => simulations.parse().ok(),
            _ => (suffix == "mcts").then_some(DEFAULT_SIMULATIONS),
        };
        match (plies, simulations) {
            _ if suffix == "policy" => Ok(Lookahead::Policy),
            (Some(plies @ 1..=MAX_PLIES), _) => Ok(Lookahead::Plies(plies)),
            (_, Some(simulations @ 1..=MAX_SIMULATIONS)) => Ok(Lookahead::Mcts(simulations)),
            _ => Err(AgentError::Lookahead { suffix: suffix.to_owned() }),
        }
    }
}

impl fmt::Display for Lookahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lookahead::Policy => f.write_str("policy"),
            Lookahead::Plies(plies) => write!(f, "{plies}ply"),
            Lookahead::Mcts(simulations) => write!(f, "mcts:{simulations}"),
        }
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentSpec::Baseline(baseline) => baseline.fmt(f),
            AgentSpec::Bot { path, lookahead: Lookahead::Plies(1) } => path.display().fmt(f),
            AgentSpec::Bot { path, lookahead } => write!(f, "{}+{lookahead}", path.display()),
        }
    }
}

/// An agent with what it needs at hand; makes as many players as are asked for.
#[derive(Clone, Debug)]
pub struct Roster {
    spec: AgentSpec,
    bot: Option<Bot>,
}

impl AgentSpec {
    /// Loads the bot, if it is one.
    ///
    /// # Errors
    /// When the file is no bot.
    pub fn load(self) -> Result<Roster, AgentError> {
        let bot = match &self {
            AgentSpec::Baseline(_) => None,
            AgentSpec::Bot { path, .. } => Some(Bot::read(path)?),
        };
        Ok(Roster { spec: self, bot })
    }
}

impl Roster {
    /// What was loaded.
    pub fn spec(&self) -> &AgentSpec {
        &self.spec
    }

    /// The bot behind the agent; `None` for baselines, which play any game.
    pub fn bot(&self) -> Option<&Bot> {
        self.bot.as_ref()
    }

    /// Checks that the agent plays `game`.
    ///
    /// # Errors
    /// When it is a bot made for another game.
    pub fn check<G: Game>(&self, game: &G) -> Result<(), AgentError> {
        self.bot.as_ref().map_or(Ok(()), |bot| bot.check_ruleset(game.spec()).map_err(AgentError::from))
    }

    /// A player. It must only be asked about games that [`Roster::check`] accepts.
    pub fn agent<G: Game + 'static>(&self) -> Box<dyn Agent<G> + Send> {
        match (&self.spec, &self.bot) {
            (AgentSpec::Bot { lookahead, .. }, Some(bot)) => {
                let net = NetEvaluator::new(bot.net.clone());
                match *lookahead {
                    Lookahead::Policy => Box::new(PolicyAgent { evaluator: net }),
                    Lookahead::Plies(0 | 1) => Box::new(OnePly::new(net)),
                    Lookahead::Plies(plies) => {
                        Box::new(OnePly::new(Expectimax::<G, _>::new(net, usize::from(plies) - 1)))
                    }
                    Lookahead::Mcts(simulations) => Box::new(MctsAgent::new(mcts::<G>(net, simulations))),
                }
            }
            (AgentSpec::Baseline(baseline), _) => baseline.agent(),
            (AgentSpec::Bot { .. }, None) => Baseline::Random.agent(),
        }
    }

    /// What the agent thinks of positions. Baselines without an opinion of their own have that of `greedy`.
    pub fn evaluator<G: Game + 'static>(&self) -> Box<dyn Evaluator<G> + Send> {
        match (&self.spec, &self.bot) {
            (AgentSpec::Bot { lookahead, .. }, Some(bot)) => {
                let net = NetEvaluator::new(bot.net.clone());
                match *lookahead {
                    Lookahead::Policy | Lookahead::Plies(0 | 1) => Box::new(net),
                    Lookahead::Plies(plies) => Box::new(Expectimax::<G, _>::new(net, usize::from(plies) - 1)),
                    Lookahead::Mcts(simulations) => Box::new(mcts::<G>(net, simulations)),
                }
            }
            (AgentSpec::Baseline(Baseline::GreedyTwoPly), _) => Box::new(Expectimax::<G, _>::new(PipEvaluator, 1)),
            _ => Box::new(PipEvaluator),
        }
    }
}

fn mcts<G: Game>(net: NetEvaluator, simulations: u32) -> Mcts<G, NetEvaluator> {
    Mcts::new(net, MctsConfig { simulations, ..MctsConfig::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_baselines_and_lookaheads_are_read() {
        assert_eq!("greedy+2ply".parse::<AgentSpec>().ok(), Some(AgentSpec::Baseline(Baseline::GreedyTwoPly)));
        for text in ["policy", "1ply", "3ply", "mcts:25"] {
            assert_eq!(text.parse::<Lookahead>().expect("known").to_string(), text);
        }
        assert_eq!("mcts".parse::<Lookahead>().ok(), Some(Lookahead::Mcts(DEFAULT_SIMULATIONS)));
        for text in ["", "0ply", "9ply", "ply", "mcts:0", "mcts:x", "deep"] {
            assert!(text.parse::<Lookahead>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_agent_is_named() {
        let error = "greddy".parse::<AgentSpec>().expect_err("no such agent").to_string();
        assert!(error.contains("`greddy`") && error.contains("greedy+2ply"), "{error}");
    }
}
