//! Programs of other people in the arena: an engine that is started, asked line by line, and may fail.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::run::files::open_to_write;
use crate::run::output::in_line;
use anyhow::{Context, Result, anyhow, bail};
use ashta_agents::arena::{Contestant, Fault};
use ashta_agents::play::agent::GameRng;
use ashta_env::game::{Action, Game};
use ashta_env::race::Race;
use ashta_env::race::state::State;
use rand::Rng;
use serde_json::{Value, json};

use super::engine_group::{EngineGroup, GroupWatch};

/// The longest answer that is read.
const LONGEST_LINE: u64 = 1 << 20;
/// How long an engine that ends may take to be gone.
const LAST_MOMENT: Duration = Duration::from_millis(500);
/// How long an engine may take to start and to say what it is, if it may not think even longer.
const TO_START: Duration = Duration::from_secs(10);
/// How often it is seen whether anybody still waits.
const LOOKS_UP: Duration = Duration::from_millis(100);
/// The most bytes of an engine's standard error that are kept.
const KEPT_ERRORS: u64 = 1 << 20;
/// Lines of an engine that wait to be read.
const WAITING_LINES: usize = 16;
/// The most of a wrong answer that is quoted.
const QUOTED: usize = 80;

/// How long programs are waited for.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long a program may think about a choice.
    pub patience: Duration,
    /// Whether the arena has stopped.
    pub stops: Arc<AtomicBool>,
    /// Ends the programs when the arena is no more.
    pub watch: Arc<GroupWatch>,
}

/// A program that speaks the engine protocol.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments.
    words: Vec<String>,
    /// What it writes to standard error goes there.
    errors: PathBuf,
    limits: Limits,
}

impl Program {
    /// The program that `command` starts, in the words of a shell; what it writes to standard error goes to the file
    /// `errors`.
    ///
    /// # Errors
    /// When nothing is named, or quotes do not close.
    pub fn new(command: &str, errors: PathBuf, limits: Limits) -> Result<Program> {
        let words = shlex::split(command).with_context(|| format!("`{command}`: a quotation mark is not closed"))?;
        if words.is_empty() {
            bail!("`engine:` is followed by the command that starts the engine: `engine:./mybot --flag`");
        }
        Ok(Program { words, errors, limits })
    }

    /// What it says of itself.
    ///
    /// # Errors
    /// When it cannot be started, or does not answer `hello` as the protocol wants it.
    pub fn hello(&self) -> Result<Value> {
        Running::start(self).map(|(_, hello)| hello).map_err(|fault| anyhow!(fault.0))
    }

    /// One that plays.
    pub fn player(&self) -> EnginePlayer {
        EnginePlayer { program: self.clone(), running: None }
    }
}

/// A program that plays in one thread. After a fault it is started anew for the next choice.
#[derive(Debug)]
pub struct EnginePlayer {
    program: Program,
    running: Option<Running>,
}

impl EnginePlayer {
    fn choose_one(&mut self, race: &Race, state: &State, rng: &mut GameRng) -> Result<Action, Fault> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.program)?.0,
        };
        let position = race.print(state);
        // Numbers up to 2⁵³ survive in every language.
        let seed = rng.next_u64() >> 11;
        let mut request = json!({"op": "bestmove", "position": position, "seed": seed});
        if !race.ruleset().is_builtin() {
            request["sheet"] = json!(race.ruleset().base().text());
        }
        let answer = running.ask(request, self.program.limits.patience)?;
        if let Some(error) = answer.get("error") {
            let message = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
            return Err(Fault(format!("it refuses to choose at `{position}`: {}", quoted(&message))));
        }
        let number = answer["action"].as_u64().ok_or_else(|| {
            Fault(format!("its answer at `{position}` names no `action`: {}", quoted(&answer.to_string())))
        })?;
        let legal = race.legal_actions(state);
        let action = legal.iter().find(|action| u64::from(action.0) == number).ok_or_else(|| {
            Fault(format!("it chose action {number}, which is not legal at `{position}`; legal are {legal:?}"))
        })?;
        self.running = Some(running);
        Ok(action)
    }
}

impl Contestant<Race> for EnginePlayer {
    fn try_act(&mut self, race: &Race, states: &[State], rngs: &mut [GameRng]) -> Vec<Result<Action, Fault>> {
        let one = |(state, rng)| match self.program.limits.stops.load(Ordering::Relaxed) {
            true => Err(stopped()),
            false => self.choose_one(race, state, rng),
        };
        states.iter().zip(rngs).map(one).collect()
    }
}

/// The fault of choices after the arena has stopped; the games count for nothing.
fn stopped() -> Fault {
    Fault("the arena has stopped".to_owned())
}

/// A program that has been started; killed when it is dropped.
#[derive(Debug)]
struct Running {
    /// Closes before the group is ended, which asks the program to end; not every program listens.
    input: Option<ChildStdin>,
    /// It, and what it has started.
    group: EngineGroup,
    lines: Receiver<std::io::Result<Vec<u8>>>,
    /// Closed after the group has been ended.
    _errors: ErrorsRead,
    /// Requests so far, by which answers are distinguished.
    requests: u64,
    stops: Arc<AtomicBool>,
}

impl Running {
    /// Starts a program, and asks what it is.
    fn start(program: &Program) -> Result<(Running, Value), Fault> {
        let mut command = Command::new(&program.words[0]);
        let errors = open_to_write(&program.errors, OpenOptions::new().create(true).append(true));
        let errors = errors.map_err(|error| Fault(format!("{error:#}")))?;
        command.args(&program.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = EngineGroup::start(&mut command, &program.limits.watch);
        let mut group = started.map_err(|error| Fault(format!("it cannot be started: {error}")))?;
        let input = group.child.stdin.take();
        let (sender, lines) = mpsc::sync_channel(WAITING_LINES);
        let no_thread = |error| Fault(format!("there is no thread to read it: {error}"));
        let (open, errors_end) = mpsc::sync_channel(0);
        if let Some(output) = group.child.stderr.take() {
            let read = move || {
                keep(output, &errors);
                drop(open);
            };
            std::thread::Builder::new().spawn(read).map_err(no_thread)?;
        }
        if let Some(output) = group.child.stdout.take() {
            // Reading with a limit of time needs a thread; it ends with the output of the program.
            let read = move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = Vec::new();
                    let read = output.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line);
                    let (is_end, has_failed) = (matches!(read, Ok(0)), read.is_err());
                    if is_end || sender.send(read.map(|_| line)).is_err() || has_failed {
                        return;
                    }
                }
            };
            std::thread::Builder::new().spawn(read).map_err(no_thread)?;
        }
        let stops = Arc::clone(&program.limits.stops);
        let mut running = Running { group, input, lines, _errors: ErrorsRead(errors_end), requests: 0, stops };
        let hello = running.ask(json!({"op": "hello"}), program.limits.patience.max(TO_START))?;
        if !hello["name"].is_string() {
            return Err(Fault(format!("its answer to `hello` has no `name`: {}", quoted(&hello.to_string()))));
        }
        Ok((running, hello))
    }

    /// The answer to a request.
    fn ask(&mut self, mut request: Value, patience: Duration) -> Result<Value, Fault> {
        if let Ok(Ok(line)) = self.lines.try_recv() {
            return Err(Fault(format!("it wrote a line without a request: {}", quoted_line(&line))));
        }
        self.requests += 1;
        self.group.watch.reap();
        let id = json!(self.requests);
        request["id"] = id.clone();
        let line = format!("{request}\n");
        let input = self.input.as_mut().ok_or_else(|| Fault("it takes no input".to_owned()))?;
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return Err(self.ended());
        }
        let line = self.line(patience)?;
        if line.len() as u64 > LONGEST_LINE {
            return Err(Fault(format!("its answer is over {LONGEST_LINE} bytes")));
        }
        let said = quoted_line(&line);
        match serde_json::from_slice(&line) {
            Ok(answer @ Value::Object(_)) if answer.get("id").is_none_or(|found| *found == id) => Ok(answer),
            Ok(Value::Object(_)) => Err(Fault(format!("its answer has not the `id` {id} of the request: {said}"))),
            _ => Err(Fault(format!("its answer is no JSON object: {said}"))),
        }
    }

    /// The next line, unless that takes too long or the arena has stopped.
    fn line(&mut self, patience: Duration) -> Result<Vec<u8>, Fault> {
        let clock = Instant::now();
        loop {
            let left = patience.saturating_sub(clock.elapsed());
            return match self.lines.recv_timeout(left.min(LOOKS_UP)) {
                Ok(line) => line.map_err(|error| Fault(format!("its answer cannot be read: {error}"))),
                Err(RecvTimeoutError::Timeout) if self.stops.load(Ordering::Relaxed) => Err(stopped()),
                Err(RecvTimeoutError::Timeout) if left > LOOKS_UP => continue,
                Err(RecvTimeoutError::Timeout) => {
                    Err(Fault(format!("it did not answer within {} s", patience.as_secs_f64())))
                }
                Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            };
        }
    }

    /// That the program is gone, and how it went.
    fn ended(&mut self) -> Fault {
        // Its output closes a moment before its status is known.
        let clock = Instant::now();
        while clock.elapsed() < LAST_MOMENT {
            if let Ok(Some(status)) = self.group.child.try_wait() {
                // The first request is `hello`.
                let when = if self.requests == 1 { "the engine ended before it answered `hello`" } else { "it ended" };
                return Fault(format!("{when} ({status})"));
            }
            std::thread::yield_now();
        }
        Fault("it closed its output".to_owned())
    }
}

/// Waits until the standard error of an engine has been read; disconnected then.
#[derive(Debug)]
struct ErrorsRead(Receiver<()>);

impl Drop for ErrorsRead {
    fn drop(&mut self) {
        // A process that cannot be ended may keep it open.
        let _ = self.0.recv_timeout(LAST_MOMENT);
    }
}

/// Adds the beginning of `output` to the file of errors, and reads the rest, too, so that the engine is not held up.
fn keep(mut output: impl Read, mut file: &File) {
    let mut part = [0; 1 << 12];
    while let Ok(read @ 1..) = output.read(&mut part) {
        let room = file.metadata().map_or(0, |facts| KEPT_ERRORS.saturating_sub(facts.len()));
        let _ = file.write_all(&part[..read.min(room as usize)]);
    }
}

/// Not too much of a line.
fn quoted_line(line: &[u8]) -> String {
    quoted(String::from_utf8_lossy(line).trim_end())
}

/// Not too much of a text.
fn quoted(text: &str) -> String {
    let text = in_line(text);
    let start: String = text.chars().take(QUOTED).collect();
    if start.len() < text.len() { format!("`{start}…`") } else { format!("`{start}`") }
}
