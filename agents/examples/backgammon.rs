//! Backgammon, with the usual start and with the start of hypergammon, for 1 to 15 checkers a side.
//! The example has the full rules, trains a bot by self-play, and solves games with few checkers.
//!
//! ```sh
//! cargo run --release --example backgammon -- train hyper 3 50000
//! cargo run --release --example backgammon -- solve hyper 2
//! ```
//!
//! `train` plays the bot against random play. `solve` prints the equity of the start and, with a
//! number of games, the loss of a trained bot against perfect play. The example `backgammon_gnubg`
//! compares the game and its bots with other programs.

use std::{error::Error, sync::Arc};

use ashta_agents::{
    arena::{MatchConfig, MatchProgress, play_match},
    learn::{
        config::{SelfPlayConfig, TrainConfig},
        net::LearnerDevice,
        trainer::Trainer,
    },
    network::{evaluator::NetEvaluator, portable::PortableNet},
    perfect::any::{regret_in, solve_any},
    play::agent::{Agent, OnePly, RandomAgent},
};
use ashta_env::game::{
    Action, ActionMask, BySeat, Chances, Game, Node, Outcome, Payoff, Seat, SeatSet, Spec,
};

/// The place of a checker that was borne off. Places 1 to 24 are the points as the owner counts
/// them; the owner's home is 1 to 6.
const OFF: usize = 0;
/// The place of a checker that was hit and must enter.
const BAR: usize = 25;
/// Uses the other die first, or passes if no die can be used. All other actions are places: the
/// next die moves a checker from this place.
const OTHER_DIE: Action = Action(0);
/// An observation tells numbers of checkers on a place apart up to this number.
const MOST_COUNTED: usize = 6;
/// The columns of the observation of one side: its checkers on each place, its checkers off the
/// board, the distances from enemies behind its single checkers, its pips, and its lead in pips.
const OFF_BOARD: usize = BAR * MOST_COUNTED;
const DISTANCES: usize = OFF_BOARD + 15;
const PIPS: usize = DISTANCES + 24;
const LEAD: usize = PIPS + 20;
const SIDE: usize = LEAD + 16;
/// The number of pips of a level.
const LEVEL: i32 = 10;
/// The places of the checkers at the start, the last ones first.
const USUAL: [usize; 15] = [24, 24, 13, 13, 13, 13, 13, 8, 8, 8, 6, 6, 6, 6, 6];
const HYPER: [usize; 12] = [24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13];
/// The scale of equities: a backgammon counts 3.
const MOST_POINTS: f32 = 3.0;

/// The rules and everything else that does not change in a game.
#[derive(Debug)]
pub struct Backgammon {
    spec: Spec,
    start: [u8; 26],
    /// Whether gammons count 2 and backgammons 3; otherwise only wins count.
    has_gammons: bool,
    /// The 21 throws, the larger die first, and their probabilities.
    throws: Vec<[u8; 2]>,
    chances: Chances,
    /// The probabilities of the first throw, which is not a doublet.
    first_chances: Chances,
    nothing: Chances,
}

/// A position. Seats are 0 (South) and 1 (North); each counts the points from its own side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    checkers: [[u8; 26]; 2],
    mover: u8,
    /// The die to use next and the other die; zeros before the throw.
    dice: [u8; 2],
    /// Number of moves that the throw still allows, up to 4.
    left: u8,
    /// Whether the first throw of the game is next.
    is_opening: bool,
}

impl Position {
    /// Whether the next die can move a checker from `place`.
    fn can_move(&self, place: usize) -> bool {
        let own = &self.checkers[usize::from(self.mover)];
        let enemy = &self.checkers[1 - usize::from(self.mover)];
        let die = usize::from(self.dice[0]);
        if own[place] == 0 || (place < BAR && own[BAR] > 0) {
            return false;
        }
        if place > die {
            return enemy[25 - (place - die)] < 2;
        }
        // Bears off: all checkers are at home, and a larger die only moves the last checker.
        let last = (1..=BAR).rev().find(|&place| own[place] > 0);
        last.is_some_and(|last| last <= 6 && (place == die || place == last))
    }

    /// The position after the next die has moved a checker from `place`.
    fn moved(&self, place: usize) -> Position {
        let mut next = *self;
        let [mover, other] = [usize::from(self.mover), 1 - usize::from(self.mover)];
        let to = place.saturating_sub(usize::from(self.dice[0]));
        next.checkers[mover][place] -= 1;
        next.checkers[mover][to] += 1;
        let enemy = &mut next.checkers[other];
        if to != OFF && enemy[25 - to] == 1 {
            enemy[25 - to] = 0;
            enemy[BAR] += 1;
        }
        next.left -= 1;
        if self.dice[0] != self.dice[1] {
            next.dice = [self.dice[1], 0];
        }
        next
    }

    /// This position with the other die first.
    fn swapped(mut self) -> Position {
        self.dice.reverse();
        self
    }

    /// This position before the throw of `mover`.
    fn before_throw(mut self, mover: u8) -> Position {
        (self.mover, self.dice, self.left) = (mover, [0; 2], 0);
        self
    }

    /// The number of dice that can be used if the next die moves a checker from `place`.
    fn usable_from(&self, place: usize) -> u8 {
        match self.left {
            1 => 1,
            _ => 1 + self.moved(place).usable(),
        }
    }

    /// The largest number of dice that can be used in their present order.
    fn usable(&self) -> u8 {
        let mut most = 0;
        for place in (1..=BAR).filter(|&place| self.left > 0 && self.can_move(place)) {
            most = most.max(self.usable_from(place));
            if most == self.left {
                break;
            }
        }
        most
    }

    /// As [`Position::usable`], for the other order while both orders are open; otherwise 0.
    fn usable_swapped(&self) -> u8 {
        let has_order = self.left == 2 && self.dice[0] > self.dice[1];
        match has_order {
            true => self.swapped().usable(),
            false => 0,
        }
    }

    /// The legal actions after a throw.
    fn legal(&self) -> ActionMask {
        let mut usable = [0; 26];
        for place in (1..=BAR).filter(|&place| self.can_move(place)) {
            usable[place] = self.usable_from(place);
        }
        let (own, other) = (usable.into_iter().max().unwrap_or(0), self.usable_swapped());
        // With one usable die, the larger die must be used if it can be.
        let most = own.max(other);
        let moves = (1..=BAR).filter(|&place| most > 0 && usable[place] == most);
        let mut legal: ActionMask = moves.map(|place| Action(place as u8)).collect();
        if other == most && (other == 2 || own == 0) {
            legal.insert(OTHER_DIE);
        }
        legal
    }

    /// The checkers of the mover and of the enemy on the places 0 to 25.
    pub fn sides(&self) -> [[u8; 26]; 2] {
        [self.mover, 1 - self.mover].map(|side| self.checkers[usize::from(side)])
    }

    fn is_won(&self) -> bool {
        self.checkers[usize::from(self.mover)][1..] == [0; BAR]
    }

    /// Ends the turn unless the mover has won or can use another die.
    fn settle(&mut self) {
        let can_go_on = || self.left > 0 && (1..=BAR).any(|place| self.can_move(place));
        if !self.is_won() && !can_go_on() {
            *self = self.before_throw(1 - self.mover);
        }
    }
}

impl Backgammon {
    /// The game with the usual start, or with the start of hypergammon: one checker on each of the
    /// last points. With fewer than 15 checkers, the usual start has the last of them.
    ///
    /// # Errors
    /// When the number of checkers is not 1 to 15, or more than 12 for hypergammon.
    pub fn new(is_hyper: bool, checkers: u8, has_gammons: bool) -> Result<Backgammon, String> {
        let places = if is_hyper { &HYPER[..] } else { &USUAL };
        if !(1..=places.len()).contains(&checkers.into()) {
            let most = places.len();
            return Err(format!(
                "the number of checkers must be from 1 to {most} (got {checkers})"
            ));
        }
        let mut start = [0; 26];
        for &place in &places[..checkers.into()] {
            start[place] += 1;
        }
        let throws: Vec<[u8; 2]> = (1..=6)
            .flat_map(|large| (1..=large).map(move |small| [large, small]))
            .collect();
        let chances = |doublet: f64, other: f64| {
            let of = |[large, small]: &[u8; 2]| if large == small { doublet } else { other };
            Chances::from(throws.iter().map(of).collect::<Vec<_>>())
        };
        let start_observation = 2 * SIDE + 1;
        let start_name = if is_hyper { "hyper" } else { "usual" };
        let stake = if has_gammons { "points" } else { "wins" };
        let hash = 4 * u64::from(checkers) + 2 * u64::from(is_hyper) + u64::from(has_gammons);
        Ok(Backgammon {
            spec: Spec {
                name: format!("backgammon?start={start_name}&checkers={checkers}&stake={stake}"),
                seats: SeatSet::of(&[Seat::SOUTH, Seat::NORTH]),
                payoff: Payoff::Winner,
                teams: BySeat(Seat::ALL.map(|seat| SeatSet::of(&[seat]))),
                actions: 26,
                observation: start_observation + 2 * 6 + 4,
                start_observation,
                encoding: 2,
                ruleset_hash: hash,
                turn_limit: 2_000,
            },
            chances: chances(1.0 / 36.0, 1.0 / 18.0),
            first_chances: chances(0.0, 1.0 / 15.0),
            nothing: Chances::NONE,
            start,
            has_gammons,
            throws,
        })
    }

    /// The position in which South must throw, with checkers on these places.
    pub fn position_before_throw(&self, own: &[usize], enemy: &[usize]) -> Position {
        let mut state = self.initial_state(Seat::SOUTH);
        (state.checkers, state.is_opening) = ([[0; 26]; 2], false);
        for (side, places) in [own, enemy].into_iter().enumerate() {
            for &place in places {
                state.checkers[side][place] += 1;
            }
        }
        state
    }

    /// The expected points of `seat` in units of the stake, −3 to 3, from its value.
    pub fn equity(&self, value: f64) -> f64 {
        let most = if self.has_gammons { MOST_POINTS } else { 1.0 };
        (2.0 * value - 1.0) * f64::from(most)
    }
}

/// The seat with this index.
fn seat(index: u8) -> Seat {
    [Seat::SOUTH, Seat::NORTH][usize::from(index)]
}

impl Game for Backgammon {
    type State = Position;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn initial_state(&self, first: Seat) -> Position {
        let mover = u8::from(first == Seat::NORTH);
        Position {
            checkers: [self.start; 2],
            mover,
            dice: [0; 2],
            left: 0,
            is_opening: true,
        }
    }

    fn node(&self, state: &Position) -> Node {
        match state.left {
            _ if state.is_won() => Node::Terminal,
            0 => Node::Chance(seat(state.mover)),
            _ => Node::Decision(seat(state.mover)),
        }
    }

    fn chance_outcomes(&self, state: &Position) -> &Chances {
        match self.node(state) {
            Node::Chance(_) if state.is_opening => &self.first_chances,
            Node::Chance(_) => &self.chances,
            _ => &self.nothing,
        }
    }

    fn legal_actions(&self, state: &Position) -> ActionMask {
        match self.node(state) {
            Node::Decision(_) => state.legal(),
            _ => ActionMask::EMPTY,
        }
    }

    fn apply_chance(&self, state: &mut Position, outcome: Outcome) {
        state.dice = self.throws[usize::from(outcome.0)];
        state.left = if state.dice[0] == state.dice[1] { 4 } else { 2 };
        state.is_opening = false;
    }

    fn apply_action(&self, state: &mut Position, action: Action) {
        if action == OTHER_DIE {
            *state = match state.usable_swapped() {
                0 => state.before_throw(1 - state.mover),
                _ => state.swapped(),
            };
            return;
        }
        *state = state.moved(usize::from(action.0));
        if state.is_won() {
            // Equal results are equal states.
            *state = state.before_throw(state.mover);
        } else {
            state.settle();
        }
    }

    fn returns(&self, state: &Position) -> BySeat<f32> {
        if !state.is_won() {
            return BySeat::default();
        }
        let loser = &state.checkers[1 - usize::from(state.mover)];
        let is_far = loser[19..].iter().any(|&count| count > 0);
        let points = match (self.has_gammons, loser[OFF], is_far) {
            (false, ..) => MOST_POINTS,
            (true, 1.., _) => 1.0,
            (true, 0, false) => 2.0,
            (true, 0, true) => 3.0,
        };
        let mut returns = BySeat([0.5 - points / (2.0 * MOST_POINTS); 4]);
        returns[seat(state.mover)] = 0.5 + points / (2.0 * MOST_POINTS);
        returns
    }

    fn observe_active(&self, state: &Position, observer: Seat, active: &mut Vec<u16>) {
        let own = usize::from(observer == Seat::NORTH);
        let occupied =
            |side: usize| (1..=BAR).filter(move |&place| state.checkers[side][place] > 0);
        let pips = [0, 1].map(|side| {
            let pips = |place| place as i32 * i32::from(state.checkers[side][place]);
            occupied(side).map(pips).sum::<i32>()
        });
        for (first, side) in [(0, own), (SIDE, 1 - own)] {
            let mut push = |column: usize| active.push((first + column) as u16);
            let checkers = state.checkers[side].map(usize::from);
            if checkers[OFF] > 0 {
                push(OFF_BOARD + checkers[OFF] - 1);
            }
            let enemies = occupied(1 - side).fold(0_u32, |places, place| places | 1 << place);
            let mut distances = 0;
            for place in occupied(side) {
                push((place - 1) * MOST_COUNTED + checkers[place].min(MOST_COUNTED) - 1);
                if checkers[place] == 1 && place < BAR {
                    distances |= enemies >> (BAR + 1 - place);
                }
            }
            let found = (0..24).filter(|distance| distances >> distance & 1 == 1);
            found.for_each(|distance| push(DISTANCES + distance));
            push(PIPS + (pips[side] / LEVEL).min(19) as usize);
            let lead = pips[1 - side] - pips[side];
            push(LEAD + (lead / LEVEL + 8).clamp(0, 15) as usize);
        }
        active.extend((usize::from(state.mover) == own).then_some(2 * SIDE as u16));
        if state.left > 0 {
            let within = self.spec.start_observation as u16 - 1;
            active.push(within + u16::from(state.dice[0]));
            active.extend((state.dice[1] > 0).then(|| within + 6 + u16::from(state.dice[1])));
            active.push(within + 12 + u16::from(state.left));
        }
    }
}

/// Plays by a network.
pub type Bot = OnePly<NetEvaluator>;

/// Trains a bot by this number of games of self-play.
pub fn train(game: &Arc<Backgammon>, games: u64) -> Result<Arc<PortableNet>, Box<dyn Error>> {
    let config = TrainConfig {
        selfplay: SelfPlayConfig {
            games,
            ..SelfPlayConfig::default()
        },
        ..TrainConfig::default()
    };
    let mut trainer = Trainer::new(game, &config, LearnerDevice::Cpu, 1)?;
    for plan in config.plans() {
        let (records, _) = trainer.play_and_learn(&plan, 2)?;
        trainer.add_games(&records, plan.lambda, false);
    }
    trainer.learn(config.learning.learning_rate_at(1.0), 2);
    Ok(Arc::new(trainer.net()?))
}

/// Plays pairs of games against random play; returns the equity.
fn measure(game: &Backgammon, net: &Arc<PortableNet>, blocks: u64) -> Option<f64> {
    let bot = || Box::new(Bot::new(NetEvaluator::new(Arc::clone(net)))) as Box<dyn Agent<_> + Send>;
    let random = || Box::new(RandomAgent) as Box<dyn Agent<_> + Send>;
    let config = MatchConfig {
        blocks,
        threads: 2,
        ..MatchConfig::default()
    };
    play_match(game, &bot, &random, &config, &MatchProgress::UNWATCHED)
        .score
        .map(|score| game.equity(score))
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let usage = Err("use: train|solve hyper|usual CHECKERS [GAMES]".into());
    let [command, start, checkers, rest @ ..] = words.as_slice() else {
        return usage;
    };
    let games = rest.first().map_or(Ok(0), |games| games.parse())?;
    let game = Arc::new(Backgammon::new(start == "hyper", checkers.parse()?, true)?);
    match command.as_str() {
        _ if !["hyper", "usual"].contains(&start.as_str()) => return usage,
        "train" if games > 0 => {
            let net = train(&game, games)?;
            let equity = measure(&game, &net, 2_000).ok_or("no game was finished")?;
            println!("equity against random play: {equity:.3}");
        }
        "solve" => {
            let solved = solve_any(&*game, 1 << 23, 1e-7)?;
            let start = solved.value(&game.initial_state(Seat::SOUTH));
            let equity = game.equity(start.ok_or("no start")?);
            println!("{} states, equity of the start {equity:.6}", solved.len());
            if games > 0 {
                let mut bot = Bot::new(NetEvaluator::new(train(&game, games)?));
                let regret = regret_in(&*game, &solved, &mut bot, 2_000, 1);
                println!("loss of equity per decision: {:.5}", 6.0 * regret.mean);
            }
        }
        _ => return usage,
    }
    Ok(())
}
