//! Code mode: programs that call tools, with a worker process of their own.

mod attacks;
mod calls;
mod ends;
mod programs;

use crate::harness::{
    client::{Client, Era, connect},
    told,
};
use pd_runtime::{ServerBuilder, code::CodeMode, config::SessionPerCall, prelude::*};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// The server's state: what its tools did.
#[derive(Debug, Default, Clone)]
struct Desk {
    written: Arc<AtomicUsize>,
    /// The calls that are running, and the most that ran at a time.
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    cancelled: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
struct Order {
    id: u32,
    customer: String,
    total: f64,
}

/// Orders, the oldest first.
#[pd_tool(summary = "List orders", read_only)]
fn orders(
    /// How many orders.
    #[arg(default = 10, maximum = 10000)]
    limit: u32,
) -> Json<Vec<Order>> {
    Json(
        (0..limit)
            .map(|id| Order {
                id,
                customer: format!("c{}", id % 3),
                total: f64::from(id),
            })
            .collect(),
    )
}

/// Waits.
///
/// # Examples
///
/// ```json
/// { "milliseconds": 1 }
/// ```
#[pd_tool(summary = "Wait some milliseconds", read_only)]
async fn wait(desk: &Desk, call: &CallContext, milliseconds: u64) -> String {
    let running = desk.running.fetch_add(1, Ordering::SeqCst) + 1;
    desk.most.fetch_max(running, Ordering::SeqCst);
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(milliseconds)) => {}
        () = call.cancellation().cancelled() => drop(desk.cancelled.fetch_add(1, Ordering::SeqCst)),
    }
    desk.running.fetch_sub(1, Ordering::SeqCst);
    "waited".to_owned()
}

/// Writes.
#[pd_tool(summary = "Write a note", destructive)]
fn write(desk: &Desk, text: String) -> String {
    desk.written.fetch_add(1, Ordering::SeqCst);
    text
}

/// Fails.
#[pd_tool(summary = "Fail with a code", read_only)]
fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("OUT_OF_PAPER", "the printer has no paper"))
}

/// Returns an image of one pixel.
#[pd_tool(summary = "Draw a picture", read_only)]
fn draw() -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::image("iVBORw0KGgo=", "image/png")])
}

/// Asks the user for a name.
#[pd_tool(summary = "Ask the user", read_only)]
async fn ask(call: &CallContext) -> Result<String, ErrorData> {
    use rmcp::model::{
        ClientResult, ElicitRequest, ElicitRequestParams, ElicitationSchema, ServerRequest,
    };
    let peer = call
        .peer()
        .ok_or_else(|| ErrorData::internal_error("no client", None))?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Who?".to_owned(),
        requested_schema: ElicitationSchema::new(Default::default()),
    };
    match peer
        .send_request(ServerRequest::ElicitRequest(ElicitRequest::new(params)))
        .await
    {
        Ok(ClientResult::ElicitResult(_)) => Ok("asked".to_owned()),
        _ => Err(ErrorData::internal_error("nobody was asked", None)),
    }
}

/// Payroll.
#[pd_tool(summary = "List salaries", scopes("payroll"), read_only)]
fn salaries() -> Json<Vec<u32>> {
    Json(vec![1, 2])
}

fn mode() -> CodeMode {
    CodeMode::new(env!("CARGO_BIN_EXE_library"))
}

fn builder() -> ServerBuilder<Desk> {
    builder_with(Desk::default())
}

fn builder_with(desk: Desk) -> ServerBuilder<Desk> {
    // Programs run without a list before, and their calls are gated as in a session that lasts.
    PdServer::builder(registry(), desk)
        .listing(pd_runtime::Listing::Minimal)
        .session_per_call(SessionPerCall::Refuse)
}

fn registry() -> Registry<Desk> {
    pd_runtime::registry! {
        fail, ask, salaries, draw,
        /// What the shop sells.
        sales: { orders, write },
        /// Time.
        time: { wait },
    }
}

async fn client_of(builder: ServerBuilder<Desk>) -> Client {
    let client = connect(Era::Session, &builder.build().unwrap()).await;
    let names = ["orders", "wait", "write", "fail", "draw", "ask"];
    client
        .call("describe_tools", json!({ "names": names }))
        .await;
    client
}

/// Runs a program on a server with these settings, whose tools were described.
async fn run_with(mode: CodeMode, code: &str) -> Value {
    run(&client_of(builder().code_mode(mode)).await, code).await
}

async fn run(client: &Client, code: &str) -> Value {
    client.call("run_code", json!({ "code": code })).await
}

/// The texts of a result.
fn texts(result: &Value) -> Vec<&str> {
    let content = result["content"]
        .as_array()
        .unwrap_or_else(|| panic!("no content: {result}"));
    content
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect()
}

/// The error of a failed program.
fn error(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    let error = told(result);
    assert_eq!(error["error"]["code"], "PROGRAM_FAILED");
    error["error"].clone()
}

fn message(result: &Value) -> String {
    error(result)["message"].as_str().unwrap().to_owned()
}
