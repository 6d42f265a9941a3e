//! The command line.

use super::Failure;

/// What to do.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often everyone has a turn; `None` under `cargo test`, which must not take minutes.
    pub(crate) rounds: Option<usize>,
    /// Whether a missed bound is a failure.
    pub(crate) strict: bool,
}

/// Enough for steady medians: CPU seconds vary little.
const ROUNDS: usize = 5;

impl Options {
    /// Reads the arguments; cargo itself passes `--bench`.
    ///
    /// # Errors
    ///
    /// An argument is not known.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut rounds, mut strict) = (None, false);
        for argument in arguments {
            match argument.as_str() {
                "--bench" => rounds = rounds.or(Some(ROUNDS)),
                "--quick" => rounds = Some(1),
                "--strict" => strict = true,
                other => {
                    return Err(
                        format!("`{other}` is no option; see the head of this bench").into(),
                    );
                }
            }
        }
        Ok(Self { rounds, strict })
    }
}
