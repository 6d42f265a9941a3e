//! The MCP servers that a user already has, as one server with progressive disclosure.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    pd_gateway::cli::main().await
}
