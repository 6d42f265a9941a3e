//! How long a run of a program takes, beside the calls that it makes. A missed goal is a failure: 95 % of
//! runs with one call take at most 10 ms more than the call, and eight calls of 20 ms at a time take
//! less than 30 ms.
//!
//! ```sh
//! just bench-code
//! ```
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use pd_runtime::{GateMode, code::CodeMode, prelude::*};
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, object},
    service::RunningService,
};
use serde_json::{Value, json};
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

const ROUNDS: usize = 300;
const WAITING_ROUNDS: usize = 50;
const OVERHEAD: Duration = Duration::from_millis(10);
const TOGETHER: Duration = Duration::from_millis(30);

const ONE_CALL: &str = "return await tools.echo({ text: 'hello' })";
const NO_CALL: &str = "return 'waited'";
const EIGHT_CALLS: &str = "
    const calls = Array.from({ length: 8 }, () => tools.wait({ milliseconds: 20 }));
    return (await Promise.all(calls))[7];";

/// Returns the text.
#[pd_tool(summary = "Repeat a text", read_only)]
fn echo(text: String) -> String {
    text
}

/// Waits, and returns a text.
#[pd_tool(summary = "Wait some milliseconds", read_only)]
async fn wait(milliseconds: u64) -> String {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    "waited".to_owned()
}

#[tokio::main]
async fn main() -> ExitCode {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("nothing is measured under `cargo test`; run `just bench-code`");
        return ExitCode::SUCCESS;
    }
    let client = Client::connect().await;
    let (overhead, together) = (
        measure_overhead(&client).await,
        measure_together(&client).await,
    );
    if overhead > OVERHEAD {
        eprintln!("95 % of runs with one call may take at most {OVERHEAD:?} more than the call");
    }
    if together >= TOGETHER {
        eprintln!("eight calls of 20 ms at a time must take less than {TOGETHER:?}");
    }
    if overhead <= OVERHEAD && together < TOGETHER {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Measures a call and a run with the same call in turn, so that noise hits both alike. Returns the
/// overhead within which 95 % of runs are.
async fn measure_overhead(client: &Client) -> Duration {
    let (mut calls, mut runs, mut overheads) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let call = client
            .time("echo", json!({ "text": "hello" }), "hello")
            .await;
        let run = client
            .time("run_code", json!({ "code": ONE_CALL }), "hello")
            .await;
        overheads.push(run.saturating_sub(call));
        calls.push(call);
        runs.push(run);
    }
    report("one call", calls);
    report("a run with the call", runs);
    let [_, slow] = report("overhead of the run", overheads);
    slow
}

/// Measures an empty run and a run with eight calls in turn. Returns the median of what the calls add.
async fn measure_together(client: &Client) -> Duration {
    let (mut empty, mut runs, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..WAITING_ROUNDS {
        let nothing = client
            .time("run_code", json!({ "code": NO_CALL }), "waited")
            .await;
        let run = client
            .time("run_code", json!({ "code": EIGHT_CALLS }), "waited")
            .await;
        differences.push(run.saturating_sub(nothing));
        empty.push(nothing);
        runs.push(run);
    }
    report("an empty run", empty);
    report("a run with eight calls", runs);
    let [median, _] = report("eight calls of 20 ms", differences);
    median
}

/// Prints a line and returns the median and the time within which 95 % are.
fn report(name: &str, mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort_unstable();
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    let [median, slow] = [times.len() / 2, times.len() * 95 / 100].map(at);
    println!(
        "{name:<24} median {median:>9.2?}, 95 % within {slow:>9.2?} ({} times)",
        times.len()
    );
    [median, slow]
}

/// A client of a server in this process.
#[derive(Debug)]
struct Client(RunningService<RoleClient, ()>);

impl Client {
    async fn connect() -> Self {
        let mode = CodeMode::new(env!("CARGO_BIN_EXE_library"));
        let builder = PdServer::builder(pd_runtime::registry! { echo, wait }, ())
            .listing(pd_runtime::Listing::Minimal);
        let handler = builder
            .code_mode(mode)
            .gate(GateMode::Off)
            .build()
            .unwrap()
            .handler();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
        Self(().serve(ours).await.unwrap())
    }

    /// Calls a tool that returns this text, and returns the time until the answer.
    async fn time(&self, tool: &'static str, arguments: Value, text: &str) -> Duration {
        let begun = Instant::now();
        let params = CallToolRequestParams::new(tool).with_arguments(object(arguments));
        let result = self.0.call_tool(params).await.unwrap();
        let took = begun.elapsed();
        let answer = result
            .content
            .first()
            .and_then(|block| block.as_text())
            .map(|block| block.text.as_str());
        assert_eq!(answer, Some(text), "{result:?}");
        took
    }
}
