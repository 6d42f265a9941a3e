//! Files of each client, and the report of each mistake.

mod as_found;
mod dialects;
mod docs;
mod mistakes;
mod openapi;
#[cfg(feature = "cli")]
mod schema;
mod secrets;

use super::{
    ConfigError, GatewayConfig, HttpServer, ReadContext, ServerEntry, ServerTransport, StdioServer,
};
use std::path::Path;

/// A value that must appear nowhere but in the transport.
const SECRET: &str = "s3cr3t-value";

fn variable(name: &str) -> Option<String> {
    match name {
        "HOME" => Some("/home/ada".to_owned()),
        "TOKEN" => Some(SECRET.to_owned()),
        "EMPTY" => Some(String::new()),
        "LINES" => Some(format!("{SECRET}\nX-Forged: 1")),
        _ => None,
    }
}

fn input(id: &str) -> Option<String> {
    (id == "github-token").then(|| SECRET.to_owned())
}

fn parse_at(path: &str, text: &str) -> Result<GatewayConfig, ConfigError> {
    GatewayConfig::parse(Path::new(path), text, &ReadContext::new(&variable, &input))
}

/// Parses JSON and expects servers.
fn parse(text: &str) -> GatewayConfig {
    parse_at("/work/app/.mcp.json", text).unwrap()
}

/// Parses one entry.
fn parse_entry(entry: &str) -> ServerEntry {
    parse(&format!(r#"{{"mcpServers": {{"it": {entry}}}}}"#))
        .servers
        .remove(0)
}

fn stdio(entry: &ServerEntry) -> &StdioServer {
    match &entry.transport {
        ServerTransport::Stdio(server) => server,
        other => panic!("{other:?}"),
    }
}

fn http(entry: &ServerEntry) -> &HttpServer {
    match &entry.transport {
        ServerTransport::Http(server) | ServerTransport::Sse(server) => server,
        other => panic!("{other:?}"),
    }
}
