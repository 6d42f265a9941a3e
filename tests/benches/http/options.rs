//! The command line.

use super::{Failure, serving::Who};

/// What to do.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    /// Whether a missed target is a failure.
    pub(crate) strict: bool,
}

/// Which side of the connection to be.
#[derive(Debug)]
pub(crate) enum Mode {
    /// The client, in this many rounds, with everyone or with those in Rust alone.
    Race { rounds: usize, everyone: bool },
    /// One of the servers.
    Serve(Who),
}

/// Enough for steady medians on a busy machine.
const ROUNDS: usize = 200;
/// Enough to see that everyone still runs.
const FEW_ROUNDS: usize = 3;

impl Options {
    /// Reads the arguments. Without cargo's `--bench`, as under `cargo test`, a few rounds do.
    ///
    /// # Errors
    ///
    /// An argument is not known.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut serve, mut rounds, mut strict, mut everyone) = (None, None, false, true);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => rounds = rounds.or(Some(ROUNDS)),
                "--quick" => rounds = Some(ROUNDS / 10),
                "--strict" => strict = true,
                "--rust" => everyone = false,
                "--serve" => serve = Some(Who::named(&arguments.next().unwrap_or_default())?),
                other => {
                    return Err(
                        format!("`{other}` is no option; see the head of this bench").into(),
                    );
                }
            }
        }
        let race = Mode::Race {
            rounds: rounds.unwrap_or(FEW_ROUNDS),
            everyone,
        };
        Ok(Self {
            mode: serve.map_or(race, Mode::Serve),
            strict,
        })
    }
}
