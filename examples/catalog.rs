//! What would progressive disclosure save on your own server? Serve any captured `tools/list`.
//!
//! ```sh
//! cargo run --example catalog -- github.json tokens
//! cargo run --example catalog -- github.json serve --http 127.0.0.1:8000
//! ```
//!
//! Notice: the registry is built at run time, from a file, and passes the same checks as one that the compiler saw. A
//! tool's long description is split at its first sentence; schemas, annotations and `_meta` pass through. Calls echo
//! their arguments.

use clap::Parser;
use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Json, Problems, Tool, cli::Command, prelude::*};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Parser)]
#[command(about = "Serves a captured tools/list with progressive disclosure")]
struct Line {
    /// A JSON array of tools, or an object with such an array under `tools`
    file: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[tokio::main]
async fn main() -> ExitCode {
    let line = Line::parse();
    match registry(&line.file) {
        Ok(registry) => line.command.run(PdServer::builder(registry, ())).await,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum CatalogError {
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} is not a list of tools: {source}; it needs `[{{\"name\", \"description\", \"inputSchema\"}}, …]`", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{}: {source}", path.display())]
    Build { path: PathBuf, source: Problems },
}

fn registry(path: &Path) -> Result<Registry<()>, CatalogError> {
    let read = |source| CatalogError::Read { path: path.to_owned(), source };
    let parse = |source| CatalogError::Parse { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(read)?;
    let mut captured: Value = serde_json::from_str(&text).map_err(parse)?;
    if let Some(tools) = captured.get_mut("tools") {
        captured = tools.take();
    }
    let definitions: Vec<rmcp::model::Tool> = serde_json::from_value(captured).map_err(parse)?;
    let name = path.file_stem().map_or_else(|| "catalog".into(), |stem| stem.to_string_lossy().into_owned());
    Registry::builder()
        .name(name)
        .instructions("Captured tools: calls echo their arguments.")
        .tools(definitions.into_iter().map(echo))
        .build()
        .map_err(|source| CatalogError::Build { path: path.to_owned(), source })
}

/// The tool as it was captured, answering with what it was called with.
fn echo(definition: rmcp::model::Tool) -> Tool<()> {
    let name = definition.name.clone();
    Tool::from_definition(definition, |(), _, arguments| ready(Json(Value::Object(arguments)).into_output()).boxed())
        .origin(format!("captured tool {name}"))
}
