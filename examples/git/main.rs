//! The Git server's binary: an option of its own beside the commands that every server has.
//!
//! ```sh
//! cargo run --example git -- list
//! cargo run --example git -- describe log blame
//! cargo run --example git -- --repo ../other call log '{"limit": 3}'
//! cargo run --example git -- --repo ../other serve
//! ```
//!
//! The server itself begins in `mod.rs`.

use clap::Parser;
use pd_examples::git::{Repo, registry};
use pd_runtime::{
    cli::{Command, fail, parse},
    prelude::*,
};
use std::{path::PathBuf, process::ExitCode};

#[derive(Debug, Parser)]
#[command(
    name = "git",
    version,
    about = "Answers questions about a Git repository, over MCP",
    arg_required_else_help = true
)]
pub(crate) struct Line {
    /// The repository, or any directory in it
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::code::run_worker_if_requested();
    run(parse()).await
}

pub(crate) async fn run(line: Line) -> ExitCode {
    // What only shows the tools works anywhere.
    let repo = if line.command.runs_tools() {
        Repo::discover(&line.repo)
    } else {
        Ok(Repo::unopened(line.repo))
    };
    match repo {
        Ok(repo) => line.command.run(PdServer::builder(registry(), repo)).await,
        Err(error) => fail(&error),
    }
}
