//! Engines in the arena: programs that speak the engine protocol on standard input and output, and
//! can fail.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    time::{Duration, Instant},
};

use crate::run::{files::open_to_write, output::in_line};
use anyhow::{Context, Error, Result, anyhow, bail};
use ashta_agents::{
    arena::{Contestant, Fault},
    play::{agent::GameRng, stop::Stop},
    protocol::named_action,
};
use ashta_env::{
    game::{Action, Game},
    race::{Race, state::State},
};
use rand::Rng;
use serde_json::{Value, json};

use super::engine_group::{EngineGroup, reap};

/// The longest answer of an engine, in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// The longest time that the arena waits for the end of an engine.
const END_TIMEOUT: Duration = Duration::from_millis(500);
/// Every engine has at least this time to start and to answer `hello`.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// The arena checks at this interval whether it must stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest file for the standard error of an engine, in bytes.
const KEPT_ERRORS: u64 = 1 << 20;
/// Number of lines of an engine that can wait to be read.
const WAITING_LINES: usize = 16;
/// The message for output that cannot be read.
const UNREADABLE: &str = "its output cannot be read";
/// An error quotes this many characters of a wrong answer.
const QUOTED: usize = 80;

/// Limits of engines.
#[derive(Clone)]
pub struct Limits {
    /// The time that an engine has for a choice.
    pub patience: Duration,
    /// Set when the arena stops.
    pub stop: Stop,
}

/// The command of an engine.
#[derive(Clone)]
pub struct Program {
    /// The program and its arguments.
    words: Vec<String>,
    /// The file for its standard error.
    errors: PathBuf,
    pub(super) limits: Limits,
}

impl Program {
    /// Splits a command into words as a shell does. The standard error of the engine goes to the
    /// file `errors`.
    ///
    /// # Errors
    /// When the command is empty, or a quotation mark is not closed.
    pub fn new(command: &str, errors: PathBuf, limits: Limits) -> Result<Program> {
        let words = shlex::split(command)
            .with_context(|| format!("`{command}`: a quotation mark is not closed"))?;
        if words.is_empty() {
            bail!(
                "`engine:` needs the command that starts the engine, such as `engine:./mybot --flag`"
            );
        }
        Ok(Program {
            words,
            errors,
            limits,
        })
    }

    /// Starts the engine, and returns its answer to `hello`. An engine that lists its games must
    /// list a built-in game. Other games are not checked: requests contain their sheets.
    ///
    /// # Errors
    /// When the engine does not start, does not answer as the protocol requires, or does not play
    /// the game.
    pub fn hello(&self, race: &Race) -> Result<Value> {
        let (_, hello) = Running::start(self).map_err(|error| anyhow!("{error:#}"))?;
        let played = race.ruleset().base().name.as_str();
        if let Some(known) = hello["games"]
            .as_array()
            .filter(|_| race.ruleset().is_builtin())
            && !known.iter().any(|game| game == played)
        {
            bail!(
                "the engine does not play {played}; it plays {}",
                hello["games"]
            );
        }
        Ok(hello)
    }

    /// Returns a player that asks the engine.
    pub fn player(&self) -> EnginePlayer {
        EnginePlayer {
            program: self.clone(),
            running: None,
        }
    }
}

/// A player for one thread that asks an engine for its choices. After a fault, the player restarts
/// the engine for the next choice.
pub struct EnginePlayer {
    program: Program,
    running: Option<Running>,
}

impl EnginePlayer {
    fn choose_one(&mut self, race: &Race, state: &State, rng: &mut GameRng) -> Result<Action> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.program)?.0,
        };
        let position = race.print(state);
        // Engines in every language can read JSON numbers up to 2⁵³.
        let seed = rng.next_u64() >> 11;
        let mut request = json!({"op": "bestmove", "position": position, "seed": seed});
        if !race.ruleset().is_builtin() {
            request["sheet"] = json!(race.ruleset().base().text());
        }
        let answer = running.ask(request, self.program.limits.patience)?;
        if let Some(error) = answer.get("error") {
            let message = error
                .get("message")
                .and_then(Value::as_str)
                .map_or_else(|| error.to_string(), str::to_owned);
            bail!("it refused to choose at `{position}`: {}", quoted(&message));
        }
        let name = &answer["action"];
        if !name.is_string() && name.as_u64().is_none() {
            let answer = quoted(&answer.to_string());
            bail!("its answer at `{position}` has no number or text `action`: {answer}");
        }
        let action = named_action(race, state, name).with_context(|| {
            let name = name.as_str().map_or_else(|| name.to_string(), quoted);
            let legal = race.legal_actions(state);
            format!("it chose action {name}, which is not legal at `{position}`; legal actions: {legal:?}")
        })?;
        self.running = Some(running);
        Ok(action)
    }
}

impl Contestant<Race> for EnginePlayer {
    fn try_act(
        &mut self,
        race: &Race,
        states: &[State],
        rngs: &mut [GameRng],
    ) -> Vec<Result<Action, Fault>> {
        let one = |(state, rng)| {
            let found = match self.program.limits.stop.is_set() {
                true => Err(stopped()),
                false => self.choose_one(race, state, rng),
            };
            found.map_err(|error| Fault(format!("{error:#}")))
        };
        states.iter().zip(rngs).map(one).collect()
    }
}

/// The fault of a choice after the arena has stopped. The game is not counted.
fn stopped() -> Error {
    anyhow!("the arena has stopped")
}

/// A running engine; killed when it is dropped.
pub(super) struct Running {
    /// Closed first. This asks the engine to end, but some engines continue to run.
    input: Option<ChildStdin>,
    /// The engine and the processes that it has started.
    group: EngineGroup,
    lines: Receiver<io::Result<Vec<u8>>>,
    /// Dropped after `group`, when the engine has ended.
    _errors: ErrorsRead,
    /// Number of requests so far, which is also the `id` of the last request.
    requests: u64,
    stop: Stop,
}

impl Running {
    /// Starts an engine and sends `hello`.
    pub(super) fn start(program: &Program) -> Result<(Running, Value)> {
        let mut command = Command::new(&program.words[0]);
        let errors = open_to_write(
            &program.errors,
            OpenOptions::new().create(true).append(true),
        )?;
        command
            .args(&program.words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = EngineGroup::start(&mut command).context("it cannot be started")?;
        let Child {
            stdin,
            stdout,
            stderr,
            ..
        } = &mut group.child;
        let (input, output, written) = (stdin.take(), stdout.take(), stderr.take());
        let (sender, lines) = mpsc::sync_channel(WAITING_LINES);
        let (open, errors_end) = mpsc::sync_channel(0);
        let keep_errors = move || {
            if let Some(written) = written {
                keep(written, &errors);
            }
            drop(open);
        };
        // A time limit for reading needs a thread. The thread ends with the output of the engine.
        let read_lines = move || output.map(|output| send_lines(output, &sender));
        let thread = || std::thread::Builder::new();
        thread()
            .spawn(keep_errors)
            .and(thread().spawn(read_lines))
            .context("cannot start a thread that reads its output")?;
        let mut running = Running {
            group,
            input,
            lines,
            _errors: ErrorsRead(errors_end),
            requests: 0,
            stop: program.limits.stop.clone(),
        };
        let hello = running.ask(
            json!({"op": "hello"}),
            program.limits.patience.max(START_TIMEOUT),
        )?;
        if !hello["name"].is_string() {
            bail!(
                "its answer to `hello` has no `name`: {}",
                quoted(&hello.to_string())
            );
        }
        Ok((running, hello))
    }

    /// Sends a request and returns the answer.
    pub(super) fn ask(&mut self, mut request: Value, patience: Duration) -> Result<Value> {
        if let Ok(line) = self.lines.try_recv() {
            bail!(
                "it wrote a line without a request: {}",
                quoted_line(&line.context(UNREADABLE)?)
            );
        }
        self.requests += 1;
        reap();
        let id = json!(self.requests);
        request["id"] = id.clone();
        let line = format!("{request}\n");
        let input = self
            .input
            .as_mut()
            .context("its standard input is closed")?;
        if input
            .write_all(line.as_bytes())
            .and_then(|()| input.flush())
            .is_err()
        {
            return Err(self.ended("input"));
        }
        let line = self.line(patience)?;
        if line.len() as u64 > LONGEST_LINE {
            bail!("its answer is longer than {LONGEST_LINE} bytes");
        }
        let said = quoted_line(&line);
        match serde_json::from_slice(&line) {
            Ok(answer @ Value::Object(_)) if answer.get("id").is_none_or(|found| *found == id) => {
                Ok(answer)
            }
            Ok(Value::Object(_)) => {
                bail!("its answer has another `id` than the request ({id}): {said}")
            }
            _ => bail!("its answer is not a JSON object: {said}"),
        }
    }

    /// Waits for the next line; fails after `patience`, or when the arena stops.
    fn line(&mut self, patience: Duration) -> Result<Vec<u8>> {
        let clock = Instant::now();
        loop {
            let left = patience.saturating_sub(clock.elapsed());
            // A child of the engine can keep the output open. The last lines are read after this
            // check.
            let has_ended = self.has_ended();
            return match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(line) => line.context(UNREADABLE),
                Err(RecvTimeoutError::Timeout) if self.stop.is_set() => Err(stopped()),
                Err(RecvTimeoutError::Timeout) if left > POLL_INTERVAL && !has_ended => continue,
                Err(RecvTimeoutError::Timeout) if self.has_ended() => Err(self.ended("output")),
                Err(RecvTimeoutError::Timeout) => {
                    bail!("it did not answer within {} s", patience.as_secs_f64())
                }
                Err(RecvTimeoutError::Disconnected) => Err(self.ended("output")),
            };
        }
    }

    /// Closes the standard input, and returns whether the engine then ends within `patience`.
    pub(super) fn ends_within(&mut self, patience: Duration) -> bool {
        self.input = None;
        self.status(patience).is_some()
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.group.child.try_wait(), Ok(None))
    }

    /// The exit status, if the engine ends within `patience`.
    fn status(&mut self, patience: Duration) -> Option<ExitStatus> {
        let clock = Instant::now();
        while clock.elapsed() < patience {
            if let Ok(Some(status)) = self.group.child.try_wait() {
                return Some(status);
            }
            std::thread::park_timeout(Duration::from_millis(1));
        }
        None
    }

    /// The fault of an engine that has ended, with its exit status, or has only closed `stream`.
    fn ended(&mut self, stream: &str) -> Error {
        // The output closes a moment before the exit status is available.
        let Some(status) = self.status(END_TIMEOUT) else {
            return anyhow!("it closed its standard {stream}");
        };
        // The first request is `hello`.
        let when = if self.requests == 1 {
            "the engine ended before it answered `hello`"
        } else {
            "it ended"
        };
        anyhow!("{when} ({status})")
    }
}

/// When dropped, waits until the thread that reads the standard error has ended, at most
/// [`END_TIMEOUT`].
struct ErrorsRead(Receiver<()>);

impl Drop for ErrorsRead {
    fn drop(&mut self) {
        // Another process can still keep the pipe open.
        let _ = self.0.recv_timeout(END_TIMEOUT);
    }
}

/// Sends each line of `output` and the first error. Cuts lines that are longer than
/// [`LONGEST_LINE`].
fn send_lines(output: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output
            .by_ref()
            .take(LONGEST_LINE + 1)
            .read_until(b'\n', &mut line);
        let is_last = !matches!(read, Ok(1..));
        if matches!(read, Ok(0)) || sender.send(read.map(|_| line)).is_err() || is_last {
            return;
        }
    }
}

/// Copies the beginning of `output` to the file. Reads and drops the rest, so that the engine does
/// not block.
fn keep(mut output: impl Read, mut file: &File) {
    let mut part = [0; 1 << 12];
    while let Ok(read @ 1..) = output.read(&mut part) {
        let room = file
            .metadata()
            .map_or(0, |facts| KEPT_ERRORS.saturating_sub(facts.len()));
        let _ = file.write_all(&part[..read.min(room as usize)]);
    }
}

/// The beginning of a line, in quotation marks.
fn quoted_line(line: &[u8]) -> String {
    quoted(String::from_utf8_lossy(line).trim_end())
}

/// The beginning of a text, in quotation marks.
fn quoted(text: &str) -> String {
    let text = in_line(text);
    let start: String = text.chars().take(QUOTED).collect();
    if start.len() < text.len() {
        format!("`{start}…`")
    } else {
        format!("`{start}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_a_read_error_are_sent_with_it() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken pipe"))
            }
        }
        let (sender, lines) = mpsc::sync_channel(WAITING_LINES);
        send_lines(b"{}\nlast".chain(Broken), &sender);
        drop(sender);
        let sent: Vec<String> = lines
            .iter()
            .map(|line| {
                line.map_or_else(
                    |error| format!("{UNREADABLE}: {error}"),
                    |line| quoted_line(&line),
                )
            })
            .collect();
        assert_eq!(sent, ["`{}`", "its output cannot be read: broken pipe"]);
    }
}
