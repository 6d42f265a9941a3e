//! The command line.

use super::Failure;
use std::{env, path::PathBuf, time::Duration};

/// What to do.
#[derive(Debug)]
pub(crate) struct Options {
    /// How long the soak is.
    pub(crate) length: Duration,
    /// How often a sample is taken.
    pub(crate) every: Duration,
    /// Where samples and plot go.
    pub(crate) out: PathBuf,
    /// Whether growth is a failure: a few seconds tell nothing about it.
    pub(crate) judges: bool,
}

const MINUTE: Duration = Duration::from_secs(60);
/// Samples in a soak: enough to see what happens, few enough to be means of something.
const SAMPLES: u32 = 240;
/// Enough to see that all still runs.
const SHORT: Duration = Duration::from_secs(8);

impl Options {
    /// Reads the arguments. Without cargo's `--bench`, as under `cargo test`, a few seconds do.
    ///
    /// # Errors
    ///
    /// An argument is not known.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let (mut length, mut judges, mut out) = (SHORT, false, None);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => (length, judges) = (10 * MINUTE, true),
                "--minutes" => {
                    length = MINUTE.mul_f64(arguments.next().ok_or("how many minutes?")?.parse()?)
                }
                "--out" => out = arguments.next().map(PathBuf::from),
                other => {
                    return Err(
                        format!("`{other}` is no option; see the head of this bench").into(),
                    );
                }
            }
        }
        let out = out.unwrap_or_else(|| env::temp_dir().join("pd-soak"));
        Ok(Self {
            length,
            every: length / SAMPLES,
            out,
            judges,
        })
    }
}
