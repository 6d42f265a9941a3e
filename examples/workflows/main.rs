//! What does a task cost that takes several tools? The same work four times, over MCP: all tools in
//! full, tools that are found and called, the same with selected columns, and one program.
//!
//! ```sh
//! cargo run --release --example workflows
//! cargo run --release --example workflows -- --check --json workflows.json
//! cargo run --release --example workflows -- --gateway .mcp.json --earthquakes week.tsv
//! ```
//!
//! Notice: agents are scripted and make the best calls that there are: as many rows as they need, several
//! calls in a turn. They calculate without a mistake, so a wrong answer is one of the tools or of the
//! program. A model reads the whole history again in each turn, so each round trip costs it once more.
//! The two tasks of one call show where code mode does not pay.

mod arm;
mod chain;
#[path = "../alerts/charts.rs"]
pub(crate) mod charts;
mod conversation;
#[path = "../alerts/draw.rs"]
pub(crate) mod draw;
mod earthquakes;
#[path = "../alerts/feed.rs"]
mod feed;
mod history;
#[path = "../alerts/quake.rs"]
pub(crate) mod quake;
mod report;
mod small_server;
mod workflow;

use chain::FileToNotes;
use clap::{Parser, ValueEnum};
use earthquakes::Earthquakes;
use history::{GitChurn, GitLine};
use pd_runtime::code::CodeMode;
use report::Report;
use small_server::EarthquakeCount;
use std::{error::Error, fs, path::PathBuf, process::ExitCode};
use workflow::{Measurement, measure};

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Debug, Parser)]
#[command(
    name = "workflows",
    about = "Measures what tasks of several steps cost a model, in four ways"
)]
pub(crate) struct Line {
    /// Only these workflows
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    workflow: Vec<Name>,
    /// The repository of the Git workflows, or any directory in it
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,
    /// The servers of the workflow behind a gateway, in a file as clients have it: `filesystem`, `sqlite`
    /// and `memory`, and any others. Without it, that workflow is left out
    #[arg(long, value_name = "FILE", requires = "earthquakes")]
    gateway: Option<PathBuf>,
    /// The file that this workflow reads: magnitude, depth, latitude, longitude and place, between tabs
    #[arg(long, value_name = "FILE")]
    earthquakes: Option<PathBuf>,
    /// Do each so many times, and report the median time
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    rounds: usize,
    /// Write all measurements with the answers to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail unless every answer is right, and a program's model reads at most 10 % in at most three
    /// round trips where a task has several steps
    #[arg(long)]
    check: bool,
}

/// A workflow, as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Filter, count by region, and draw
    Earthquakes,
    /// Commits by author and lines by directory
    GitChurn,
    /// From a file to a database to notes, by servers behind a gateway
    FileToNotes,
    /// One line of a file
    GitLine,
    /// One call of a server with two tools
    SmallServer,
}

#[cfg_attr(test, allow(dead_code, reason = "tests call `run`"))]
fn main() -> ExitCode {
    // The server starts this program again for each run of a program.
    pd_runtime::code::run_worker_if_requested();
    let outcome = tokio::runtime::Runtime::new()
        .map_err(Failure::from)
        .and_then(|runtime| {
            let mode = CodeMode::from_current_exe()?;
            runtime.block_on(run(Line::parse(), &mode))
        });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => pd_runtime::cli::fail(&*error),
    }
}

/// Measures, prints the table, and checks it.
pub(crate) async fn run(line: Line, mode: &CodeMode) -> Result<(), Failure> {
    let mut report = Report::default();
    for name in Name::value_variants() {
        if line.workflow.is_empty() || line.workflow.contains(name) {
            report.0.extend(measure_by_name(*name, &line, mode).await?);
        }
    }
    print!("{report}");
    if let Some(path) = &line.json {
        let text = serde_json::to_string_pretty(&report.0)?;
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    match report.broken_promises().as_slice() {
        broken if line.check && !broken.is_empty() => Err(broken.join("\n").into()),
        _ => Ok(()),
    }
}

async fn measure_by_name(
    name: Name,
    line: &Line,
    mode: &CodeMode,
) -> Result<Vec<Measurement>, Failure> {
    match name {
        Name::Earthquakes => measure(&Earthquakes, mode, line.rounds).await,
        Name::SmallServer => measure(&EarthquakeCount, mode, line.rounds).await,
        Name::GitLine => measure(&GitLine::new(&line.repo), mode, line.rounds).await,
        Name::FileToNotes => match (&line.gateway, &line.earthquakes) {
            (Some(config), Some(file)) => {
                let workflow = FileToNotes::start(config, file).await?;
                let measured = measure(&workflow, mode, line.rounds).await;
                workflow.stop().await;
                measured
            }
            _ => Ok(Vec::new()),
        },
        Name::GitChurn => match GitChurn::new(&line.repo)? {
            Some(workflow) => measure(&workflow, mode, line.rounds).await,
            None => Ok(Vec::new()),
        },
    }
}
