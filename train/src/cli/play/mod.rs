//! A game of a person against an agent, as text over any input and output, so that tests can play
//! whole games.

mod style;
#[cfg(test)]
mod tests;

use std::{
    io::{BufRead, Write},
    ops::ControlFlow,
    path::PathBuf,
};

use anyhow::Result;
use ashta_agents::play::{
    agent::{Agent, GameRng},
    evaluator::Evaluator,
    files::read_line,
    throws::{SeededThrows, TurnClock},
};
use ashta_env::{
    chance,
    game::{BySeat, Game, Node, Payoff, Seat, SeatSet},
    race::{Race, state::State},
    sheet::Sheet,
    turn::{TurnResults, turn_results},
};

use crate::run::{
    files::write_whole,
    output::{broken, escaped, in_line, paragraphs, wrapped},
};
use style::{bold, coloured};

/// The help of the prompt.
const COMMANDS: &str = "\
Answers:
  1, 2, …  play the choice with this number
  ENTER    show the choices again
  ?        show what the agent thinks of each choice and of all seats
  b        draw the board
  p        print the position as text, for --position
  u        undo: return to your previous decision; the throws stay the same
  h        show this help
  q        quit";

/// The game, its players and the options of a session.
pub struct PlayTable<'a> {
    /// The game.
    pub race: &'a Race,
    /// The seats that the person plays.
    pub persons: SeatSet,
    /// The agent of the other seats.
    pub agent: Box<dyn Agent<Race> + Send>,
    /// Estimates the winning chances that the person sees.
    pub evaluator: Box<dyn Evaluator<Race> + Send>,
    /// Name of the agent.
    pub agent_name: String,
    /// Seed of the first seat, the throws and the agent.
    pub seed: u64,
    /// First position of the game; `None` for the initial position of the rules.
    pub position: Option<State>,
    /// Whether estimates are always shown.
    pub shows_chances: bool,
    /// File for the positions of the game.
    pub record: Option<PathBuf>,
}

/// A running game.
pub struct Session<'a, I, O> {
    table: PlayTable<'a>,
    input: I,
    output: O,
    throws: SeededThrows,
    now: Moment,
    /// The moments before the person's decisions, for undo.
    decisions: Vec<Moment>,
    /// The first position, and every position in which a turn was chosen.
    record: Vec<State>,
}

/// The state that undo restores.
#[derive(Clone)]
struct Moment {
    state: State,
    clock: TurnClock,
    rng: GameRng,
    recorded: usize,
}

impl<'a, I: BufRead, O: Write> Session<'a, I, O> {
    /// Creates a game that reads the answers of the person from `input`, one per line, and writes
    /// to `output`.
    pub fn new(table: PlayTable<'a>, input: I, output: O) -> Session<'a, I, O> {
        let seats = table.race.spec().seats;
        let state = table.position.unwrap_or_else(|| {
            table.race.initial_state(chance::first_seat(
                seats,
                &mut chance::stream(table.seed, 0),
            ))
        });
        Session {
            input,
            output,
            throws: SeededThrows::new(table.seed),
            now: Moment {
                state,
                clock: TurnClock::default(),
                rng: chance::stream(table.seed, 1),
                recorded: 1,
            },
            decisions: Vec::new(),
            record: vec![state],
            table,
        }
    }

    /// Plays until the game is over, the person quits or the input ends.
    ///
    /// # Errors
    /// When the input cannot be read, or the output or the record cannot be written.
    pub fn play(&mut self) -> Result<()> {
        self.print_greeting()?;
        loop {
            let decides = self.throw();
            self.keep_record()?;
            match decides {
                Some(seat) if self.table.persons.contains(seat) => {
                    if self.ask_person(seat)?.is_break() {
                        return self.print_position();
                    }
                }
                Some(seat) => self.play_agent_turn(seat)?,
                None if self.table.race.node(&self.now.state) == Node::Terminal => {
                    return self.print_result();
                }
                None => {
                    let cap = self.table.race.spec().turn_limit;
                    writeln!(
                        self.output,
                        "\nThe game is truncated after {cap} turns: no seat wins."
                    )?;
                    return self.print_position();
                }
            }
        }
    }

    fn keep_record(&self) -> Result<()> {
        let Some(path) = &self.table.record else {
            return Ok(());
        };
        write_whole(path, self.record().join("\n") + "\n")
    }

    /// Returns the first position, every position in which a turn was chosen, and the current
    /// position, as text.
    pub fn record(&self) -> Vec<String> {
        let is_new = self.record.last() != Some(&self.now.state);
        self.record
            .iter()
            .chain(is_new.then_some(&self.now.state))
            .map(|state| self.table.race.print(state))
            .collect()
    }

    fn print_greeting(&mut self) -> Result<()> {
        let PlayTable {
            race,
            persons,
            agent_name,
            seed,
            ..
        } = &self.table;
        let seats = race.spec().seats;
        let names = |of_persons: bool| {
            let taken = seats
                .iter()
                .filter(|&seat| persons.contains(seat) == of_persons);
            listed(taken.map(letter).collect())
        };
        let game = bold(&race.spec().name);
        let text = format!(
            "{game}: you play {}, {agent_name} plays {}.",
            names(true),
            names(false)
        );
        Ok(writeln!(
            self.output,
            "{}\n--seed {seed} repeats these throws; h is for help.",
            broken(&text, 4)
        )?)
    }

    /// Throws until a seat must decide, and returns the seat; `None` if the game is over or
    /// truncated.
    fn throw(&mut self) -> Option<Seat> {
        let (race, Moment { state, clock, .. }) = (self.table.race, &mut self.now);
        chance::throw_dice(race, state, |state, seat| {
            let is_truncated = clock.begins_turn(seat) && clock.turns() >= race.spec().turn_limit;
            (!is_truncated).then(|| {
                let (turn, throw) = clock.throw(seat);
                self.throws
                    .draw(seat, turn, throw, race.chance_outcomes(state))
            })
        })
    }

    /// Plays a turn of the agent and prints it in one line.
    fn play_agent_turn(&mut self, seat: Seat) -> Result<()> {
        self.remember();
        let start = self.now.state;
        let mut actions = Vec::new();
        while self.table.race.node(&self.now.state) == Node::Decision(seat) {
            let action =
                self.table
                    .agent
                    .choose(self.table.race, &self.now.state, &mut self.now.rng);
            self.table.race.apply_action(&mut self.now.state, action);
            actions.push(action);
        }
        self.now.clock.action();
        let turn = in_line(&self.table.race.turn_text(&start, &actions));
        self.print_turn(seat, &start, &turn)
    }

    /// Asks the person for a turn or an undo. If only one turn is possible, plays and prints it.
    /// Breaks when the person quits.
    fn ask_person(&mut self, seat: Seat) -> Result<ControlFlow<()>> {
        let mut results = TurnResults::new();
        turn_results(self.table.race, &self.now.state, &mut results);
        let text = |index| {
            in_line(
                &self
                    .table
                    .race
                    .turn_text(&self.now.state, results.actions(index)),
            )
        };
        let texts: Vec<String> = (0..results.len()).map(text).collect();
        if let [only] = texts.as_slice() {
            let start = self.now.state;
            self.choose(*results.state(0));
            return self
                .print_turn(seat, &start, only)
                .map(ControlFlow::Continue);
        }
        self.decisions.push(self.now.clone());
        self.draw()?;
        self.list(
            seat,
            &texts,
            self.table.shows_chances.then_some(results.states()),
        )?;
        loop {
            write!(self.output, "Your choice (1-{}, h for help): ", texts.len())?;
            self.output.flush()?;
            let line = read_line(&mut self.input)?;
            if line.is_empty() {
                writeln!(self.output)?;
                return Ok(ControlFlow::Break(()));
            }
            let word = line.trim();
            match word.to_lowercase().as_str() {
                "" => self.list(
                    seat,
                    &texts,
                    self.table.shows_chances.then_some(results.states()),
                )?,
                "?" => self.list(seat, &texts, Some(results.states()))?,
                "b" | "board" => self.draw()?,
                "p" | "position" => self.print_position()?,
                "h" | "help" => {
                    let rules = escaped(&rules(self.table.race.ruleset().sheet()));
                    writeln!(self.output, "{COMMANDS}\n\n{rules}\n")?;
                }
                "u" | "undo" if self.undo() => return Ok(ControlFlow::Continue(())),
                "u" | "undo" => writeln!(
                    self.output,
                    "This is your first decision: there is nothing to undo."
                )?,
                "q" | "quit" | "exit" => return Ok(ControlFlow::Break(())),
                number => match number.parse::<usize>() {
                    Ok(number) if (1..=texts.len()).contains(&number) => {
                        self.choose(*results.state(number - 1));
                        return Ok(ControlFlow::Continue(()));
                    }
                    Ok(number) => {
                        writeln!(
                            self.output,
                            "There is no choice {number}: type a number from 1 to {}.",
                            texts.len()
                        )?;
                    }
                    Err(_) => {
                        let said = format!(
                            "`{}` is not an answer: type a number from 1 to",
                            in_line(word)
                        );
                        writeln!(self.output, "{said} {}, or h for help.", texts.len())?;
                    }
                },
            }
        }
    }

    /// Adds the current position to the record, before a turn is chosen.
    fn remember(&mut self) {
        if self.record.last() != Some(&self.now.state) {
            self.record.push(self.now.state);
        }
        self.now.recorded = self.record.len();
    }

    /// Ends the person's turn in the state `result`.
    fn choose(&mut self, result: State) {
        self.remember();
        self.now.state = result;
        self.now.clock.action();
    }

    /// Returns to the previous decision, if there is one.
    fn undo(&mut self) -> bool {
        let Some(before) = self.decisions.len().checked_sub(2) else {
            return false;
        };
        self.now = self.decisions[before].clone();
        self.decisions.truncate(before);
        self.record.truncate(self.now.recorded);
        true
    }

    fn draw(&mut self) -> Result<()> {
        let drawing = escaped(&self.table.race.draw(&self.now.state));
        Ok(writeln!(self.output, "\n{}\n", style::drawing(&drawing))?)
    }

    fn print_position(&mut self) -> Result<()> {
        Ok(writeln!(
            self.output,
            "{}",
            self.table.race.print(&self.now.state)
        )?)
    }

    /// The throws of a seat in words, such as `N throws 4, 2`.
    fn throws_text(&self, seat: Seat, state: &State) -> String {
        let PlayTable { race, persons, .. } = &self.table;
        let values: Vec<String> = race
            .pending_throws(state)
            .iter()
            .map(ToString::to_string)
            .collect();
        let colour = race.colour(state);
        let partner = if colour == seat {
            String::new()
        } else {
            format!(" for {}", letter(colour))
        };
        let (who, verb) = if !persons.contains(seat) {
            (letter(seat), "throws")
        } else if persons.len() > 1 {
            (format!("You ({})", letter(seat)), "throw")
        } else {
            (coloured(seat, "You"), "throw")
        };
        format!("{who} {verb} {}{partner}", values.join(", "))
    }

    /// Prints the turn that was played from `start`, in one line.
    fn print_turn(&mut self, seat: Seat, start: &State, turn: &str) -> Result<()> {
        let chances = if self.table.shows_chances {
            format!("  [{}]", self.chances())
        } else {
            String::new()
        };
        let thrown = self.throws_text(seat, start);
        Ok(writeln!(
            self.output,
            "{}",
            broken(&format!("{thrown}: {turn}{chances}"), 4)
        )?)
    }

    /// Lists the choices. If `results` contains the positions after the choices, also shows the
    /// estimates of these positions.
    fn list(&mut self, seat: Seat, texts: &[String], results: Option<&[State]>) -> Result<()> {
        writeln!(self.output, "{}:", self.throws_text(seat, &self.now.state))?;
        let values = results.map(|results| self.values(results));
        let best = |values: &[BySeat<f32>]| {
            values
                .iter()
                .map(|value| value[seat])
                .fold(f32::MIN, f32::max)
        };
        for (index, text) in texts.iter().enumerate() {
            let estimate = values.as_ref().map_or(String::new(), |values| {
                let value = values[index][seat];
                let mark = if value == best(values) { '*' } else { ' ' };
                format!(" {:>7} {mark}", self.value_text(value))
            });
            let line = format!("{:>3} {estimate} {text}", index + 1);
            writeln!(self.output, "{}", broken(&line, line.len() - text.len()))?;
        }
        if values.is_some() {
            let chances = self.chances();
            writeln!(self.output, "Before the choice: {chances}.")?;
        }
        Ok(())
    }

    fn values(&mut self, states: &[State]) -> Vec<BySeat<f32>> {
        let mut values = Vec::new();
        self.table
            .evaluator
            .values(self.table.race, states, &mut values);
        values
    }

    /// A value in words: a winning chance, or the expected rank if every rank counts.
    fn value_text(&self, value: f32) -> String {
        let spec = self.table.race.spec();
        match spec.payoff {
            Payoff::Winner | Payoff::Teams => format!("{:.1} %", 100.0 * value),
            Payoff::Placings => format!(
                "place {:.2}",
                1.0 + (1.0 - value) * (spec.seats.len() - 1) as f32
            ),
        }
    }

    /// The estimates for all seats in words; a team has one estimate.
    fn chances(&mut self) -> String {
        let values = self.values(&[self.now.state])[0];
        let spec = self.table.race.spec();
        let is_first = |seat: &Seat| spec.teams[*seat].iter().next() == Some(*seat);
        let chance = |seat: Seat| format!("{} {}", self.team(seat), self.value_text(values[seat]));
        spec.seats
            .iter()
            .filter(is_first)
            .map(chance)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The letters of a seat's team: `S`, or `S and N`.
    fn team(&self, seat: Seat) -> String {
        let team = self.table.race.spec().teams[seat];
        listed(team.iter().map(letter).collect())
    }

    fn print_result(&mut self) -> Result<()> {
        self.draw()?;
        let PlayTable { race, persons, .. } = &self.table;
        let returns = race.returns(&self.now.state);
        let seats = race.spec().seats;
        let best = seats.iter().map(|seat| returns[seat]).fold(0.0, f32::max);
        let winners: Vec<Seat> = seats.iter().filter(|&seat| returns[seat] == best).collect();
        let has_won = winners.iter().any(|&seat| persons.contains(seat));
        let text = match race.spec().payoff {
            _ if winners.len() == seats.len() => "A draw: no seat can ever move again.".to_owned(),
            Payoff::Placings => {
                let place = |seat: Seat| {
                    1 + seats
                        .iter()
                        .filter(|&other| returns[other] > returns[seat])
                        .count()
                };
                let mut order: Vec<Seat> = seats.iter().collect();
                order.sort_by_key(|&seat| place(seat));
                let listed = |&seat: &Seat| {
                    let you = if persons.contains(seat) { " (you)" } else { "" };
                    format!("{}. {}{you}", place(seat), letter(seat))
                };
                order.iter().map(listed).collect::<Vec<_>>().join(", ")
            }
            Payoff::Teams if has_won => format!("Your team wins: {}.", self.team(winners[0])),
            Payoff::Teams => format!("{} win.", self.team(winners[0])),
            Payoff::Winner if has_won => "You win.".to_owned(),
            Payoff::Winner => format!("{} wins.", letter(winners[0])),
        };
        Ok(writeln!(self.output, "{}", bold(text))?)
    }
}

/// Names as `S`, `S and N`, `E, N and W`.
fn listed(mut names: Vec<String>) -> String {
    let last = names.pop().unwrap_or_default();
    if names.is_empty() {
        last
    } else {
        format!("{} and {last}", names.join(", "))
    }
}

/// The letter of a seat, in its colour.
fn letter(seat: Seat) -> String {
    coloured(seat, seat.letter())
}

/// The rules of a game in lines of at most 79 columns.
fn rules(sheet: &Sheet) -> String {
    let title = wrapped(&format!("{}: {}", sheet.title, sheet.summary), 0);
    [vec![title], paragraphs(&sheet.rules)].concat().join("\n")
}
