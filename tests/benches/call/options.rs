//! The command line.

use super::{Failure, contestant::Contestant};

/// What to do.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    /// Whether a missed target is a failure.
    pub(crate) strict: bool,
}

/// How to measure.
#[derive(Debug)]
pub(crate) enum Mode {
    /// By the clock, in this many rounds.
    Race { rounds: usize },
    /// By callgrind, for everyone.
    Instructions,
    /// Run one contestant, for callgrind.
    Count {
        contestant: Contestant,
        tools: usize,
    },
}

/// Enough for steady medians on a busy machine.
const ROUNDS: usize = 300;
/// Enough to see that everyone still runs.
const FEW_ROUNDS: usize = 3;

impl Options {
    /// Reads the arguments. Without cargo's `--bench`, as under `cargo test`, a few rounds do.
    ///
    /// # Errors
    ///
    /// An argument is not known.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut mode, mut rounds, mut strict) = (None, None, false);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => rounds = rounds.or(Some(ROUNDS)),
                "--quick" => rounds = Some(ROUNDS / 10),
                "--strict" => strict = true,
                "--instructions" => mode = Some(Mode::Instructions),
                "--count" => mode = Some(counted(&mut arguments)?),
                other => {
                    return Err(
                        format!("`{other}` is no option; see the head of this bench").into(),
                    );
                }
            }
        }
        Ok(Self {
            mode: mode.unwrap_or(Mode::Race {
                rounds: rounds.unwrap_or(FEW_ROUNDS),
            }),
            strict,
        })
    }
}

/// `--count CONTESTANT TOOLS`
fn counted(arguments: &mut impl Iterator<Item = String>) -> Result<Mode, Failure> {
    let contestant = named(&arguments.next().unwrap_or_default())?;
    let tools = arguments.next().and_then(|tools| tools.parse().ok());
    Ok(Mode::Count {
        contestant,
        tools: tools.ok_or("how many tools?")?,
    })
}

fn named(name: &str) -> Result<Contestant, Failure> {
    let known = Contestant::ALL.map(Contestant::name);
    let found = Contestant::ALL
        .into_iter()
        .find(|contestant| contestant.name() == name);
    found.ok_or_else(|| {
        format!(
            "`{name}` does not take part; those who do: {}",
            known.join(", ")
        )
        .into()
    })
}
