//! What would progressive disclosure save on your own server? Serve any captured `tools/list`, and change it meanwhile.
//!
//! ```sh
//! cargo run --example catalog -- github.json tokens
//! cargo run --example catalog -- github.json serve
//! cargo run --example catalog -- tool_descriptions serve
//! cargo run --example catalog -- github.json --principals tokens.json serve --http 127.0.0.1:8000
//! ```
//!
//! Notice: the registry is built at run time, from a file, and passes the same checks as one that the compiler saw. A
//! tool's long description is split at its first sentence; schemas, annotations and `_meta` pass through. Calls echo
//! their arguments. `Command::run_with` lends the server that `serve` built, and so both files are followed while it
//! runs: `PdServer::replace` serves the new tools at once, and `Authenticate` names each caller, whose scopes say which
//! tools there are.
//!
//! What the files may say is in `--help`; reading it is in `document.rs` and `principals.rs`.

mod directory;
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
use pd_runtime::{
    cli::{Command, fail, parse},
    prelude::*,
};
use source::Source;
use std::{path::PathBuf, process::ExitCode};

/// What `--help` says of groups.
const GROUPS: &str = "\
Groups:
  A tool names the groups it stands in by `groups` (an array) or `group` (one). They are looked for in its
  `_meta[\"experimental/deterministic-groups\"]`, then beside its `name`, then in its `_meta`; the first place
  that names any counts. `history/blame` is the group `blame` inside `history`. `callable: false` in that
  `_meta` entry lets the tool be listed and described, and its calls fail as TOOL_UNAVAILABLE.

  FILE's `groups` gives them texts: [{\"id\", \"title\", \"description\", \"instructions\"}, …], or
  {\"ID\": \"description\", …}. A group without one is described by its name.";

#[derive(Debug, Parser)]
#[command(
    version,
    about = "Serves a captured tools/list with progressive disclosure; calls echo their arguments",
    after_long_help = GROUPS,
    arg_required_else_help = true
)]
struct Line {
    /// A JSON array of tools, an object with one under `tools`, or a directory with a file for each
    /// tool; `serve` follows its changes
    ///
    /// An object may also hold `name`, `version` and `instructions` of the server, and `groups`. A directory
    /// holds full descriptions as Progressive Disclosure v2.1 stores them (section 7.1): in each `*.json`
    /// the `name`, `description` and `inputSchema` of a tool, and its `examples`, `usage_guidance` and
    /// `error_guidance`. When something changes, the server serves the new catalog at once and notifies
    /// its clients; while a file is broken, the server keeps the old catalog.
    #[arg(verbatim_doc_comment)]
    file: PathBuf,
    /// A JSON object, bearer token → names of the tools it shows over HTTP; `serve` follows its changes
    ///
    /// {"TOKEN": ["TOOL", …], …}. A request without a token of this file is answered with 401; for one with,
    /// there are no other tools. On standard input and output the owner sees all.
    #[arg(long, value_name = "FILE", global = true, verbatim_doc_comment)]
    principals: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::code::run_worker_if_requested();
    let line: Line = parse();
    match Source::open(line.file, line.principals) {
        Ok((source, registry)) => {
            let builder = PdServer::builder(registry, ());
            line.command
                .run_with(builder, |server, http| follow(source, server.clone(), http))
                .await
        }
        Err(error) => fail(&error),
    }
}
