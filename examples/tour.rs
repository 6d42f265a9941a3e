//! `cargo run`: what a client sees of the Git server, step by step, on the repository one stands in.

use clap::Parser;
use pd_examples::git::{Repo, registry};
use pd_runtime::{
    cli::{Command, TourOptions, fail},
    prelude::*,
};
use std::{path::PathBuf, process::ExitCode};

#[derive(Debug, Parser)]
#[command(about = "Shows what a client sees of a server with progressive disclosure")]
struct Line {
    /// The repository, or any directory in it
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,
    #[command(flatten)]
    options: TourOptions,
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::code::run_worker_if_requested();
    let line = Line::parse();
    match Repo::discover(&line.repo) {
        Ok(repo) => {
            let options = line.options.with_default_tool("log");
            Command::Tour(options)
                .run(PdServer::builder(registry(), repo))
                .await
        }
        Err(error) => fail(&error),
    }
}
