//! What would progressive disclosure save on your own server? Serve any captured `tools/list`, and change it meanwhile.
//!
//! ```sh
//! cargo run --example catalog -- github.json tokens
//! cargo run --example catalog -- github.json serve
//! cargo run --example catalog -- github.json --principals tokens.json serve --http 127.0.0.1:8000
//! ```
//!
//! Notice: the registry is built at run time, from a file, and passes the same checks as one that the compiler saw. A
//! tool's long description is split at its first sentence; schemas, annotations and `_meta` pass through. Calls echo
//! their arguments. `Command::run_with` lends the server that `serve` built, and so both files are followed while it
//! runs: `Shared::replace` serves the new tools at once, and `Authenticate` names each caller, whose scopes say which
//! tools there are.
//!
//! What the files may say is in `document.rs` and `principals.rs`.

mod document;
mod follow;
mod names;
mod principals;
mod registry;
mod source;
mod tree;
mod watch;

use clap::Parser;
use follow::follow;
use pd_runtime::{cli::Command, prelude::*};
use source::Source;
use std::{path::PathBuf, process::ExitCode};

/// How a file sorts its tools, for `--help`.
const GROUPS: &str = "\
Groups: a tool names the groups it stands in by `groups` (an array) or `group` (one), in its
`_meta[\"experimental/deterministic-groups\"]`, beside its `name`, or in its `_meta`; the first of these that has any counts.
`history/blame` is the group `blame` inside `history`. `callable: false` beside them makes calls fail as unavailable. An
object's `groups` gives them texts: `[{\"id\", \"description\", \"instructions\"}, …]` or `{\"id\": \"description\", …}`.";

#[derive(Debug, Parser)]
#[command(
    about = "Serves a captured tools/list with progressive disclosure; calls echo their arguments",
    after_help = GROUPS,
    arg_required_else_help = true
)]
struct Line {
    /// A JSON array of tools, or an object with such an array under `tools`, and as it likes `name`, `version`,
    /// `instructions` and `groups`; `serve` follows its changes
    #[arg(verbatim_doc_comment)]
    file: PathBuf,
    /// Over HTTP, let in only callers with a bearer token of this file, a JSON object `{"TOKEN": ["TOOL", …], …}`: they see
    /// the tools it names; `serve` follows its changes
    #[arg(long, value_name = "FILE", global = true, verbatim_doc_comment)]
    principals: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[tokio::main]
async fn main() -> ExitCode {
    let line = Line::parse();
    match Source::open(line.file, line.principals) {
        Ok((source, registry)) => {
            let builder = PdServer::builder(registry, ());
            line.command.run_with(builder, |server, http| follow(source, server.clone(), http)).await
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
