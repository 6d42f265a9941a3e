//! The workflow with earthquakes keeps its promise. A program needs a worker process, which the binary
//! of the tour is here.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "main.rs"]
mod example;

// The modules of the example `alerts` name each other from the root.
use clap::Parser;
use example::{charts, draw, quake};
use pd_runtime::code::CodeMode;

async fn check(arguments: &[&str]) -> Result<(), String> {
    let line = ["workflows", "--rounds", "1", "--check"]
        .iter()
        .chain(arguments);
    let mode = CodeMode::new(env!("CARGO_BIN_EXE_tour"));
    example::run(example::Line::try_parse_from(line).unwrap(), &mode)
        .await
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_program_reads_a_tenth_in_three_round_trips() {
    assert_eq!(check(&["--workflow", "earthquakes"]).await, Ok(()));
}
