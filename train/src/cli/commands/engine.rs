//! `ashta engine`: the engine protocol over standard input and output, one JSON object per line.
//!
//! Every line that is not empty gets exactly one answer. Standard output contains only answers.

use std::io::{BufRead, Read, Write};

use crate::run::games;
use anyhow::{Context, Result};
use ashta_agents::{
    play::throws::random_seed,
    protocol::{Engine, LONGEST_REQUEST},
};

/// Runs the command until the end of the input.
///
/// # Errors
/// When the agent cannot be loaded, or standard input or output fails.
pub fn run(agent: Option<&str>) -> Result<()> {
    let agent = agent.map(games::agent).transpose()?;
    let mut engine = Engine::new(agent, random_seed());
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while read_line(&mut input, &mut line).context("cannot read standard input")? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = engine.answer_text(&line) + "\n";
        output
            .write_all(answer.as_bytes())
            .and_then(|()| output.flush())
            .context("cannot write standard output")?;
    }
    Ok(())
}

/// Reads a line. If the line is too long, reads only [`LONGEST_REQUEST`] + 1 bytes, which the
/// engine refuses. Returns `false` at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let read = input
        .by_ref()
        .take(LONGEST_REQUEST as u64 + 1)
        .read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LONGEST_REQUEST {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_read_in_bounded_room() {
        let mut input = vec![b' '; 3 * LONGEST_REQUEST];
        input.extend_from_slice(b"\n{}\nlast");
        let mut input = std::io::BufReader::new(input.as_slice());
        let mut line = Vec::new();
        let mut lengths = Vec::new();
        while read_line(&mut input, &mut line).expect("memory") {
            lengths.push(line.len());
        }
        assert_eq!(lengths, [LONGEST_REQUEST + 1, 2, 4]);
    }
}
