//! The servers of a tour without a configuration: examples of this repository, as child processes.

use crate::{GatewayConfig, config::own_environment::config_from_text};
use pd_runtime::cli::CliError;
use serde_json::{Map, Value, json};
use std::{
    env,
    path::{Path, PathBuf},
};

/// The examples: server, program, the program's own arguments, and summary.
const EXAMPLES: [(&str, &str, &[&str], &str); 3] = [
    (
        "git",
        "git",
        &[],
        "Answer questions about this Git repository",
    ),
    (
        "earthquakes",
        "alerts",
        &["feed"],
        "Find earthquakes of the last days",
    ),
    (
        "charts",
        "alerts",
        &["charts"],
        "Count rows and draw charts of them",
    ),
];

/// The arguments of all examples. They list their tools as servers without progressive disclosure
/// do.
const SERVE: [&str; 4] = ["serve", "--listing", "full", "--no-meta-tools"];

/// Returns a configuration of the examples that are beside this program.
///
/// # Errors
///
/// Returns an error with the command that builds them, if there are none.
pub(super) fn config() -> Result<GatewayConfig, CliError> {
    let program = env::current_exe()?;
    let directory = program.parent().unwrap_or(Path::new(""));
    let servers: Map<_, _> = EXAMPLES
        .iter()
        .filter_map(|example| entry(directory, example))
        .collect();
    if servers.is_empty() {
        return Err("no client has a file with servers here, and the examples of the repository are not built.\n\
             For a tour of your own servers, run `pd-gateway --config FILE tour`.\n\
             For a tour of the examples, run `cargo build --example git --example alerts --example gateway`, \
             then `cargo run --example gateway -- tour`"
            .into());
    }
    let text = json!({ "mcpServers": servers }).to_string();
    Ok(config_from_text(&directory.join("examples.json"), &text)?)
}

fn entry(directory: &Path, example: &(&str, &str, &[&str], &str)) -> Option<(String, Value)> {
    let (server, name, own, summary) = *example;
    let program = find_program(directory, name)?;
    let args: Vec<_> = own.iter().chain(&SERVE).collect();
    let settings = json!({ "summary": summary });
    Some((
        server.to_owned(),
        json!({ "command": program.to_str()?, "args": args, "pd": settings }),
    ))
}

/// Returns the program beside this one, or in the directory of Cargo's examples.
fn find_program(directory: &Path, name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    // Beside an installed gateway, `git` is Git itself, so only directories of Cargo count.
    let is_examples = directory.ends_with("examples");
    let place = if is_examples {
        directory.to_owned()
    } else {
        directory.join("examples")
    };
    Some(place.join(file)).filter(|program| program.is_file())
}
