//! The command line.

use super::{Failure, measure::Side};
use std::str::FromStr;

/// What to do.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) size: Size,
    /// Whether a missed target is a failure.
    pub(crate) strict: bool,
}

/// Which process to be.
#[derive(Debug)]
pub(crate) enum Mode {
    /// The one that starts the others and compares them.
    Compare,
    /// One that measures, and prints its figures as JSON.
    Measure(Side),
}

/// How much load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Sessions open at a time.
    pub(crate) sessions: usize,
    /// Connections that they share.
    pub(crate) connections: usize,
}

const WHOLE: Size = Size {
    sessions: 10_000,
    connections: 64,
};
const QUICK: Size = Size {
    sessions: 1_000,
    connections: 64,
};
/// Enough to see that both sides still run.
const SMALL: Size = Size {
    sessions: 100,
    connections: 8,
};

impl Options {
    /// Reads the arguments. Without cargo's `--bench`, as under `cargo test`, a few sessions do.
    ///
    /// # Errors
    ///
    /// An argument is not known.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut mode, mut size, mut strict) = (Mode::Compare, SMALL, false);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => size = WHOLE,
                "--quick" => size = QUICK,
                "--strict" => strict = true,
                "--sessions" => size.sessions = next(&mut arguments)?,
                "--connections" => size.connections = next(&mut arguments)?,
                "--measure" => mode = Mode::Measure(next(&mut arguments)?),
                other => {
                    return Err(
                        format!("`{other}` is no option; see the head of this bench").into(),
                    );
                }
            }
        }
        Ok(Self { mode, size, strict })
    }
}

fn next<T: FromStr<Err: Into<Failure>>>(
    arguments: &mut impl Iterator<Item = String>,
) -> Result<T, Failure> {
    arguments
        .next()
        .ok_or("an option lacks its value")?
        .parse()
        .map_err(Into::into)
}
