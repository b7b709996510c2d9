//! Compares the example `backgammon` and its bots with gnubg and other programs.
//! `benches/backgammon_gnubg.py` starts gnubg and this program.
//!
//! ```text
//! train GAME CHECKERS MINUTES NAME           writes NAME.bot after this CPU time
//! play GAME CHECKERS BOT[+2ply] PAIRS PORT   equity of a bot against gnubg
//! loss GAME CHECKERS AGENT GAMES PORT        loss of equity per decision against perfect play
//! turns GAME CHECKERS                        reads positions with dice, lists the ends of turns
//! values GAME CHECKERS                       lists the exact equities of all positions
//! ```
//!
//! A game is `usual`, `hyper` or `hyper-wins`. In `hyper-wins`, gammons count as wins. An agent is
//! a bot file, `gnubg`, or one of them with `+2ply`: a bot then looks two turns ahead, and gnubg
//! plays its `2-ply`, which looks three turns ahead.

use std::{
    collections::HashMap,
    error::Error,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
};

use ashta_agents::{
    arena::{MatchConfig, MatchProgress, luck_of_sides, play_watched_match},
    learn::{
        config::{LearningConfig, NetworkConfig, SelfPlayConfig, TrainConfig},
        net::LearnerDevice,
        trainer::Trainer,
    },
    network::bot::{Bot, Manifest},
    perfect::any::{regret_in, solve_any},
    play::{
        agent::{Agent, OnePly},
        evaluator::{Evaluation, Evaluator, answer_open},
    },
    search::Expectimax,
};
use ashta_env::{
    game::{BySeat, Game, Node, Outcome, Seat},
    turn::{TurnResults, turn_results},
};
use backgammon::{Backgammon, Position};

#[path = "backgammon.rs"]
#[expect(dead_code, reason = "its main function")]
pub mod backgammon;

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type BoxedAgent = Box<dyn Agent<Backgammon> + Send>;

/// The evaluations of gnubg, through the socket of its external player.
#[derive(Debug)]
struct Gnubg {
    socket: BufReader<TcpStream>,
    plies: u8,
    /// The equities of earlier positions.
    known: HashMap<Position, f64>,
}

impl Gnubg {
    fn connect(port: &str, plies: u8) -> Result<Gnubg> {
        let socket = TcpStream::connect(format!("localhost:{port}"))?;
        socket.set_nodelay(true)?;
        Ok(Gnubg {
            socket: BufReader::new(socket),
            plies,
            known: HashMap::new(),
        })
    }

    /// The equity of a position before the throw for the seat that throws.
    fn equity(&mut self, game: &Backgammon, state: &Position) -> Result<f64> {
        if let Some(&equity) = self.known.get(state) {
            return Ok(equity);
        }
        let question = question(state, self.plies);
        self.socket.get_mut().write_all(question.as_bytes())?;
        let mut line = String::new();
        self.socket.read_line(&mut line)?;
        let numbers: Vec<f64> = line.split_whitespace().flat_map(str::parse).collect();
        let [win, gammon, backgammon, lost, far, _] = numbers[..] else {
            return Err(format!("gnubg answers {line:?}").into());
        };
        let points = match has_gammons(game) {
            true => gammon + backgammon - lost - far,
            false => 0.0,
        };
        let equity = 2.0 * win - 1.0 + points;
        self.known.insert(*state, equity);
        Ok(equity)
    }
}

/// Asks for the evaluation of a position in the format of the internet server FIBS. Positive
/// checkers belong to the seat that throws, and the points are numbered as it counts them.
fn question(state: &Position, plies: u8) -> String {
    let [own, enemy] = state.sides().map(|side| side.map(i16::from));
    let mut board: Vec<i16> = (0..26)
        .map(|place| own[place] - enemy[25 - place])
        .collect();
    (board[0], board[25]) = (-enemy[25], own[25]);
    let board: Vec<String> = board.iter().map(i16::to_string).collect();
    let dice_and_cube = "1:0:0:0:0:1:1:1:0:1:-1:0:25";
    let off_and_bar = [own[0], enemy[0], own[25], enemy[25]].map(|count| count.to_string());
    format!(
        "evaluation fibsboard board:A:B:0:0:0:{}:{dice_and_cube}:{}:0:0:0:0 plies {plies}\n",
        board.join(":"),
        off_and_bar.join(":"),
    )
}

fn has_gammons(game: &Backgammon) -> bool {
    game.equity(1.0) > 1.0
}

impl Evaluator<Backgammon> for Gnubg {
    fn evaluate(&mut self, game: &Backgammon, states: &[Position]) -> Vec<Evaluation> {
        let mut values = Vec::new();
        answer_open(game, states, &mut values, |open, out| {
            for state in open {
                let Node::Chance(mover) = game.node(state) else {
                    panic!("gnubg evaluates positions before a throw");
                };
                let equity = self.equity(game, state).expect("an answer of gnubg");
                let value = (0.5 + 0.5 * equity / game.equity(1.0)) as f32;
                let mut values = BySeat([1.0 - value; 4]);
                values[mover] = value;
                out.push(values);
            }
        });
        values.into_iter().map(Evaluation::from).collect()
    }
}

fn agent(game: &Backgammon, name: &str, port: &str) -> Result<BoxedAgent> {
    let looks_ahead = name.ends_with("+2ply");
    Ok(match name.trim_end_matches("+2ply") {
        "gnubg" => {
            let plies = if looks_ahead { 2 } else { 0 };
            Box::new(OnePly::new(Gnubg::connect(port, plies)?))
        }
        file => {
            let evaluator = Bot::load_for(file, game.spec())?.evaluator();
            let depth = usize::from(looks_ahead);
            let search = Expectimax::new(evaluator, depth).with_min_probability(0.0);
            Box::new(OnePly::new(search))
        }
    })
}

/// The CPU time of this process in minutes.
fn cpu_minutes() -> Result<f64> {
    let ticks = std::fs::read_to_string("/proc/self/stat")?
        .split_whitespace()
        .skip(13)
        .take(2)
        .map(str::parse::<f64>)
        .sum::<std::result::Result<f64, _>>()?;
    Ok(ticks / 6_000.0)
}

/// The settings of long trainings. The throws of hypergammon have few afterstates, so its targets
/// can be luck-corrected. In backgammon, this would take seven times as long for each game.
fn settings(is_hyper: bool) -> TrainConfig {
    let games = 1 << 40;
    if is_hyper {
        let selfplay = SelfPlayConfig {
            games,
            ..SelfPlayConfig::default()
        };
        return TrainConfig {
            selfplay,
            ..TrainConfig::default()
        };
    }
    TrainConfig {
        network: NetworkConfig {
            hidden: vec![256],
            ..NetworkConfig::default()
        },
        selfplay: SelfPlayConfig {
            games,
            exploration: 0.03,
            alternatives: 0,
            // The first networks play games of thousands of turns.
            turn_limit: 200,
            ..SelfPlayConfig::default()
        },
        learning: LearningConfig {
            lambda: 0.7,
            luck_correction: false,
            ..LearningConfig::default()
        },
    }
}

/// Trains for this CPU time. Writes bots after 1/8, 1/4 and 1/2 of the time, and at the end.
fn train(game: &Arc<Backgammon>, minutes: f64, name: &str, config: &TrainConfig) -> Result<()> {
    let mut trainer = Trainer::new(game, config, LearnerDevice::Cpu, 1)?;
    let (mut iterations, mut games, mut next) = (0, 0, minutes / 8.0);
    loop {
        let now = cpu_minutes()?;
        let plan = config.plan(iterations, games, now / minutes);
        if now >= next {
            let net = Arc::new(trainer.net()?);
            let manifest = Manifest::new(game.spec(), net.shape().clone());
            let file = match plan {
                Some(_) => format!("{name}-{next}.bot"),
                None => format!("{name}.bot"),
            };
            println!("{now:.1} minutes, {games} games: {file}");
            Bot { manifest, net }.write(Path::new(&file))?;
            next *= 2.0;
        }
        let Some(plan) = plan else { return Ok(()) };
        let (records, _) = trainer.play_and_learn(&plan, 2)?;
        trainer.add_games(&records, plan.lambda, false);
        (iterations, games) = (plan.iteration, plan.end);
    }
}

/// Plays pairs of games with equal throws against gnubg's `0-ply`. The bot's values measure luck.
fn play(game: &Backgammon, name: &str, pairs: u64, port: &str) -> Result<()> {
    let config = MatchConfig {
        blocks: pairs,
        seed: 2027,
        ..MatchConfig::default()
    };
    let bot = Bot::load_for(name.trim_end_matches("+2ply"), game.spec())?;
    let report = play_watched_match(
        game,
        &|| agent(game, name, port).expect("a bot"),
        &|| agent(game, "gnubg", port).expect("gnubg"),
        &config,
        &MatchProgress::UNWATCHED,
        &|played| Some(luck_of_sides(game, &mut bot.evaluator(), played)),
    );
    let wins = report.sides.map_or(0, |sides| sides.wins) as f64 / report.games as f64;
    let score = report.score.ok_or("no game was finished")?;
    let adjusted = report.luck_adjusted_score.ok_or("no luck")?;
    let [low, high] = report.interval.map(|value| game.equity(value));
    println!(
        "{} games, {:.1} turns each",
        report.games, report.turns_per_game
    );
    println!(
        "won {:.1} %, equity {:.3} [{low:.3}, {high:.3}]",
        100.0 * wins,
        game.equity(score)
    );
    let [low, high] = adjusted.interval.map(|value| game.equity(value));
    println!(
        "luck-adjusted equity {:.3} [{low:.3}, {high:.3}]",
        game.equity(adjusted.mean)
    );
    Ok(())
}

/// Prints the equity that an agent loses per decision in games against itself.
fn loss(game: &Backgammon, name: &str, games: u64, port: &str) -> Result<()> {
    let solved = solve_any(game, 1 << 23, 1e-7)?;
    let lost = regret_in(game, &solved, &mut *agent(game, name, port)?, games, 1);
    let scale = 2.0 * game.equity(1.0);
    let [low, high] = lost.interval.map(|value| scale * value);
    println!("{name}: {:.5} [{low:.5}, {high:.5}]", scale * lost.mean);
    Ok(())
}

/// Lists the positions at the end of a turn. The line has the checkers of the mover and of the
/// enemy on the places 0 to 25, and two dice.
pub fn ends(game: &Backgammon, line: &str) -> Result<Vec<String>> {
    let numbers: std::result::Result<Vec<usize>, _> =
        line.split_whitespace().map(str::parse).collect();
    let numbers: [usize; 54] = numbers?.try_into().map_err(|_| "expected 54 numbers")?;
    let places = |first: usize| -> Vec<usize> {
        let place = |place| std::iter::repeat_n(place, numbers[first + place]);
        (0..26).flat_map(place).collect()
    };
    let (large, small) = (numbers[52].max(numbers[53]), numbers[52].min(numbers[53]));
    if !(1..=large).contains(&small) || large > 6 {
        return Err("no such dice".into());
    }
    let mut state = game.position_before_throw(&places(0), &places(26));
    game.apply_chance(
        &mut state,
        Outcome((large * (large - 1) / 2 + small - 1) as u8),
    );
    let mut results = TurnResults::new();
    turn_results(game, &state, &mut results);
    // At the end of a turn, the enemy is next; after a win, the winner remains the mover.
    let written = |end: &Position| match (game.node(end), end.sides()) {
        (Node::Terminal, [own, enemy]) | (_, [enemy, own]) => written([own, enemy]),
    };
    Ok(results.states().iter().map(written).collect())
}

/// The checkers of both sides on the places 0 to 25.
fn written(sides: [[u8; 26]; 2]) -> String {
    let texts: Vec<String> = sides.as_flattened().iter().map(u8::to_string).collect();
    texts.join(" ")
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let usage = "use: train|play|loss|turns|values usual|hyper|hyper-wins CHECKERS ...";
    let [command, name, checkers, rest @ ..] = words.as_slice() else {
        return Err(usage.into());
    };
    let is_hyper = name.starts_with("hyper");
    let game = Arc::new(Backgammon::new(
        is_hyper,
        checkers.parse()?,
        !name.ends_with("-wins"),
    )?);
    match (*command, rest) {
        ("train", [minutes, file]) => train(&game, minutes.parse()?, file, &settings(is_hyper)),
        ("play", [bot, pairs, port]) => play(&game, bot, pairs.parse()?, port),
        ("loss", [name, games, port]) => loss(&game, name, games.parse()?, port),
        ("turns", []) => {
            for line in std::io::stdin().lines() {
                println!("{}", ends(&game, &line?)?.join(";"));
            }
            Ok(())
        }
        ("values", []) => {
            for (state, value) in solve_any(&*game, 1 << 23, 1e-7)?.states() {
                // The first throw of the game is not a doublet.
                let has_doublets = game
                    .chance_outcomes(state)
                    .iter()
                    .all(|&chance| chance > 0.0);
                if let (Node::Chance(mover), true) = (game.node(state), has_doublets) {
                    let value = if mover == Seat::SOUTH {
                        value
                    } else {
                        1.0 - value
                    };
                    println!("{} {:.7}", written(state.sides()), game.equity(value));
                }
            }
            Ok(())
        }
        _ => Err(usage.into()),
    }
}
