//! A field may be called like the parameter that takes all arguments, by its own name or by the one we give to a pattern.

use pd_runtime::{Args as Parameters, prelude::*};
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Query {
    query: String,
    limit: u8,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Forward {
    tool: String,
    arguments: serde_json::Value,
}

/// # Examples
///
/// ```json
/// { "query": "is:open", "limit": 2 }
/// ```
#[pd_tool(summary = "Search issues by words")]
fn search(query: Args<Query>) {
    let _ = (query.0.query, query.0.limit);
}

/// # Examples
///
/// ```json
/// { "query": "is:open", "limit": 2 }
/// ```
#[pd_tool(summary = "Count issues by words")]
fn count(query: Parameters<Query>) {
    let _ = query;
}

/// # Examples
///
/// ```json
/// { "tool": "search", "arguments": {} }
/// ```
#[pd_tool(summary = "Forward a call elsewhere")]
fn forward(Args(Forward { tool, arguments }): Args<Forward>) {
    let _ = (tool, arguments);
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { search, count, forward };
    assert!(registry.check().is_ok_and(|checked| checked.examples == 3));
}
