//! A gateway: the MCP servers that you already have, as one server with progressive disclosure.
//!
//! ```sh
//! cargo run --example gateway -- doctor
//! cargo run --example gateway -- --config .mcp.json list
//! cargo run --example gateway -- --config .mcp.json tokens
//! cargo run --example gateway -- --config .mcp.json serve
//! ```

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    pd_gateway::cli::main().await
}
