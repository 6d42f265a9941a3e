//! Measures what a small server costs to build, beside the same server with rmcp alone.
//!
//! ```text
//! just bench-weight               # stdio, HTTP and the command line
//! just bench-weight --quick       # stdio only
//! just bench-weight --offline     # cargo uses no network
//! ```
//!
//! The bench writes one crate for each row of its table, with three tools, and builds it from an
//! empty target directory. Times are CPU seconds, user and system, of cargo and of all processes
//! that it starts. A rebuild follows a change in one tool. The versions are those of the
//! workspace's `Cargo.lock`, so both sides have the same. Every figure is measured once: a run
//! takes minutes, and CPU seconds vary less than the limits that matter.

mod builds;
mod report;
mod servers;

use std::{env, error::Error, path::Path};

/// Any error. It ends the bench.
type BenchError = Box<dyn Error + Send + Sync>;

/// The flags of the command line.
#[derive(Debug, Default)]
struct Options {
    is_quick: bool,
    is_offline: bool,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, BenchError> {
        let mut options = Self::default();
        for argument in arguments {
            match argument.as_str() {
                "--quick" => options.is_quick = true,
                "--offline" => options.is_offline = true,
                unknown => {
                    return Err(
                        format!("no such option: `{unknown}`; use --quick or --offline").into(),
                    );
                }
            }
        }
        Ok(options)
    }
}

/// Returns the root of the workspace.
fn workspace() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(3).unwrap_or(own)
}

fn main() -> Result<(), BenchError> {
    let options = Options::parse(env::args().skip(1))?;
    let mut rows = Vec::new();
    for pair in servers::PAIRS
        .iter()
        .filter(|pair| !options.is_quick || pair.name == "stdio")
    {
        let theirs = pair
            .rmcp
            .as_ref()
            .map(|server| builds::measure(server, options.is_offline))
            .transpose()?;
        let ours = builds::measure(&pair.ours, options.is_offline)?;
        rows.push(report::ServerRow {
            name: pair.name,
            ours,
            theirs,
        });
    }
    print!("{}", report::WeightTable(&rows));
    Ok(())
}
