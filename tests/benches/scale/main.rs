//! How start, memory, list and search grow with the number of tools, from 100 to 100,000. A missed
//! goal, and a step that grows faster than n log n, is a failure.
//!
//! ```sh
//! just bench-scale
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench fails by panicking"
)]

#[path = "../load/heap.rs"]
#[allow(dead_code, reason = "the peak is not measured here")]
mod heap;
mod plot;
mod tools;

use pd_runtime::PdServer;
use rmcp::{
    ServiceExt,
    model::CallToolRequestParams,
    service::{Peer, RoleClient},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

/// Caches hold less of a larger registry, and the machine is noisy.
const GROWTH_SLACK: f64 = 1.5;

const SIZES: [usize; 7] = [100, 312, 1_000, 3_162, 10_000, 31_623, 100_000];

/// What is measured at one size. Times are in milliseconds.
#[derive(Debug, Serialize, Deserialize)]
struct Figures {
    tools: usize,
    registry: f64,
    start: f64,
    bytes: f64,
    list: f64,
    first: f64,
    find: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--tools") {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let figures = runtime.block_on(measure(arguments[at + 1].parse().unwrap()));
        println!("{}", serde_json::to_string(&figures).unwrap());
        return ExitCode::SUCCESS;
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        println!("nothing is measured under `cargo test`; run `just bench-scale`");
        return ExitCode::SUCCESS;
    }
    println!(
        "{:>8} {:>12} {:>9} {:>12} {:>9} {:>15} {:>9}",
        "tools",
        "registry ms",
        "start ms",
        "bytes a tool",
        "list ms",
        "first search ms",
        "search ms"
    );
    let figures: Vec<Figures> = SIZES.into_iter().map(of_size).collect();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/scale");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("scale.svg"), plot::svg(&figures)).unwrap();
    println!("the curves are in target/scale/scale.svg");
    let missed = missed(&figures);
    missed.iter().for_each(|goal| eprintln!("missed: {goal}"));
    if missed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Measures a size in a process of its own, so that no size finds the memory of another.
fn of_size(size: usize) -> Figures {
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--tools", &size.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let figures: Figures = serde_json::from_slice(&ran.stdout).unwrap();
    println!(
        "{:>8} {:>12.1} {:>9.1} {:>12.0} {:>9.2} {:>15.2} {:>9.2}",
        figures.tools,
        figures.registry,
        figures.start,
        figures.bytes,
        figures.list,
        figures.first,
        figures.find
    );
    figures
}

/// Returns the goals that the figures miss.
fn missed(figures: &[Figures]) -> Vec<String> {
    let mut missed = Vec::new();
    let [.., before, largest] = figures else {
        return missed;
    };
    let goals = [
        (
            "start, seconds",
            (largest.registry + largest.start) / 1_000.0,
            3.0,
        ),
        ("memory of a tool, bytes", largest.bytes, 6_000.0),
        ("search, milliseconds", largest.find, 5.0),
        ("first search, milliseconds", largest.first, 500.0),
    ];
    for (what, value, most) in goals {
        if value > most {
            missed.push(format!("{what}: {value:.1}, at most {most}"));
        }
    }
    let ratio = n_log_n(largest.tools) / n_log_n(before.tools);
    let growth = (largest.registry + largest.start) / (before.registry + before.start);
    if growth > GROWTH_SLACK * ratio {
        missed.push(format!(
            "from {} to {} tools, the start takes {growth:.1} times as long; n log n is {ratio:.1}",
            before.tools, largest.tools
        ));
    }
    missed
}

fn n_log_n(count: usize) -> f64 {
    count as f64 * (count as f64).log2()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

async fn measure(count: usize) -> Figures {
    let captured = tools::captured();
    let before = heap::live();
    let begun = Instant::now();
    let registry = tools::registry(&captured, count);
    let registered = begun.elapsed();
    let begun = Instant::now();
    let server = PdServer::builder(registry, ()).build().unwrap();
    let started = begun.elapsed();
    let bytes = heap::live() - before;
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let handler = server.handler();
    tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
    let client = ().serve(ours).await.unwrap();
    let begun = Instant::now();
    client.list_tools(None).await.unwrap();
    let list = begun.elapsed();
    let begun = Instant::now();
    find(&client, "mute an alert for two hours").await;
    let first = begun.elapsed();
    // The index of many tools is built in the background: about 25 s for a million on two cores.
    tokio::time::sleep(Duration::from_secs_f64(count as f64 * 6e-5)).await;
    let requests = [
        "who changed this line last",
        "is my pull request mergeable",
        "take a screenshot of the page",
        "search dashboards by tag",
        "list the issues of a repository",
    ];
    let mut times = Vec::new();
    for round in 0..20 {
        for request in requests {
            let request = format!("{request} {}", tools::word(round));
            let begun = Instant::now();
            find(&client, &request).await;
            times.push(begun.elapsed());
        }
    }
    times.sort_unstable();
    Figures {
        tools: count,
        registry: milliseconds(registered),
        start: milliseconds(started),
        bytes: bytes as f64 / count as f64,
        list: milliseconds(list),
        first: milliseconds(first),
        find: milliseconds(times[times.len() / 2]),
    }
}

async fn find(client: &Peer<RoleClient>, query: &str) -> Value {
    let params = CallToolRequestParams::new("find_tools")
        .with_arguments(json!({ "query": query }).as_object().cloned().unwrap());
    json!(client.call_tool(params).await.unwrap())
}
