//! What need a model see of a table? Two columns of 29; the rest goes from the server that has it to the one that wants it.
//!
//! ```sh
//! cargo run --example alerts                                        # both servers and an agent, with what each way costs
//! cargo run --example alerts -- feed serve --http 127.0.0.1:8000    # earthquakes
//! cargo run --example alerts -- charts serve --http 127.0.0.1:8001 --fetch-from-private http://127.0.0.1:8000
//! ```
//!
//! Notice: `feed.rs` says `selective`, and its tool returns rows as it did before. `charts.rs` takes `Selected<Point>` and gets whole
//! rows, wherever they came from. Nobody wrote a word about columns, tokens or URLs.

mod charts;
mod draw;
mod feed;
mod quake;
#[cfg(test)]
mod tests;
mod tour;

use clap::{Parser, Subcommand};
use pd_runtime::{
    cli::{Command, fail, parse},
    prelude::*,
};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(
    version,
    about = "Selective disclosure: a server with a wide table, one that draws, and an agent between them"
)]
struct Line {
    #[command(subcommand)]
    server: Option<Server>,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// The server that has earthquakes
    Feed {
        #[command(subcommand)]
        command: Command,
    },
    /// The server that counts and draws what it is handed
    Charts {
        #[command(subcommand)]
        command: Command,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::code::run_worker_if_requested();
    run(parse()).await
}

async fn run(line: Line) -> ExitCode {
    match line.server {
        Some(Server::Feed { command }) => {
            command
                .run(PdServer::builder(feed::registry(), feed::Feed))
                .await
        }
        Some(Server::Charts { command }) => {
            command
                .run(PdServer::builder(charts::registry(), charts::Charts))
                .await
        }
        None => match tour::tour().await {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
    }
}
