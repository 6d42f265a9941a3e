//! The server that MCP's conformance suite asks for, with progressive disclosure on.
//!
//! ```sh
//! cargo run --example conformance -- serve --http 127.0.0.1:8000
//! npx @modelcontextprotocol/conformance server --url http://127.0.0.1:8000/mcp --requirements 2026-07-28
//! ```
//!
//! What to notice:
//!
//! - The suite calls its tools without reading about them, so they are `eager`: listed in full and never refused. The
//!   tools of `gated.rs` stand beside them and are refused until they were described, as tools usually are.
//! - What is no tool (prompts, resources, completions, subscriptions) is rmcp's own `ServerHandler`, in `handler.rs`; the
//!   server goes around it.
//! - Since MCP 2026-07-28 a tool that needs its client's user or model ends the call with what it wants to know, and is
//!   called again: `input.rs` and `rounds.rs`. Before, it asked in between: `asking.rs`.
//! - `ToolError::protocol` is for the two failures that MCP wants as JSON-RPC errors: `capabilities.rs` and `seal.rs`.
//! - A schema that no Rust type has is written down by hand, for a tool made at run time: `schemas.rs`.
//! - `changes.rs`: `PdServer::replace` serves another registry while clients listen.
//!
//! Tools, prompts and resources are called what the suite calls them.

// What tools are made of.
mod changes;
mod forms;
mod input;
mod samples;
mod seal;
// The tools, by subject.
mod asking;
mod capabilities;
mod content;
mod gated;
mod reports;
mod rounds;
mod schemas;
mod tasks;
// What is no tool.
mod completion;
mod handler;
mod prompts;
mod resources;

#[cfg(test)]
mod tests;

use changes::Changes;
use clap::Parser;
use handler::Beside;
use pd_runtime::{
    ServerBuilder,
    check::RegistryErrors,
    cli::{Command, fail, parse},
    config::SessionPerCall,
    prelude::*,
    rmcp::task_manager::TaskManager,
};
use reports::Log;
use seal::Seal;
use std::process::ExitCode;

/// All of the server's state. Clones share it.
#[derive(Clone, State)]
struct App {
    log: Log,
    changes: Changes,
    seal: Seal,
    tasks: TaskManager,
}

#[derive(Debug, Parser)]
#[command(
    name = "conformance",
    version,
    about = "The fixtures of MCP's conformance suite",
    arg_required_else_help = true
)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

/// All tools of this server; `with_added`: also the one that comes and goes.
fn registry(with_added: bool) -> Result<Registry<App>, RegistryErrors> {
    let declared: Registry<App> = pd_runtime::registry! {
        //! Fixtures of MCP's conformance suite, and two tools to try the gate with.
        #![name = "conformance"]

        /// Results of every kind.
        content: content::{
            test_simple_text, test_image_content, test_audio_content, test_embedded_resource, test_multiple_content_types,
            test_error_handling,
        },
        /// Tell the client how far a call is.
        reports: reports::{test_tool_with_logging, test_logging_tool, test_tool_with_progress, test_reconnection},
        /// Ask the client while a call waits, up to MCP 2025-11-25.
        asking: asking::{
            test_sampling, test_elicitation, test_elicitation_sep1034_defaults, test_elicitation_sep1330_enums,
        },
        /// Ask the client between two rounds of a call, since MCP 2026-07-28.
        rounds: rounds::{
            test_input_required_result_elicitation, test_input_required_result_sampling,
            test_input_required_result_list_roots, test_input_required_result_request_state,
            test_input_required_result_multiple_inputs, test_input_required_result_multi_round,
            test_input_required_result_tampered_state, test_streaming_elicitation,
        },
        /// Run as tasks, which the client asks about later.
        tasks: tasks::{
            greet, slow_compute, failing_job, protocol_error_job, confirm_delete, multi_input, test_tool_with_task,
        },
        /// Keep to what the client can do.
        capabilities: capabilities::{test_missing_capability, test_input_required_result_capabilities},
        /// An argument that stands in a header too.
        schemas: schemas::test_x_mcp_header,
        /// Change what the server has while clients listen.
        changes: changes::{test_trigger_tool_change, test_trigger_prompt_change},
        /// Ordinary tools: to be described before they are called.
        gated: gated::{count_words, convert_temperature},
    };
    let made = Registry::builder()
        .tool(schemas::json_schema_2020_12_tool())
        .build()?;
    let registry = declared.merge(made)?;
    if with_added {
        registry.merge(pd_runtime::registry! { changes::test_added_tool })
    } else {
        Ok(registry)
    }
}

/// The server, and the state that its tools and the handler inside share.
fn server() -> Result<ServerBuilder<App, Beside>, Box<dyn std::error::Error>> {
    let app = App {
        log: Log::default(),
        changes: Changes::default(),
        seal: Seal::random()?,
        tasks: TaskManager::new(),
    };
    Ok(PdServer::builder(registry(false)?, app.clone())
        .listing(Listing::Minimal)
        .session_per_call(SessionPerCall::Refuse)
        .with_handler(Beside { app }))
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::code::run_worker_if_requested();
    run(parse()).await
}

async fn run(line: Line) -> ExitCode {
    match server() {
        Ok(builder) => {
            line.command
                .run_with(builder, |server, http| {
                    changes::follow(server);
                    Ok(http)
                })
                .await
        }
        Err(error) => fail(&error),
    }
}
