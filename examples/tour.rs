//! `cargo run`: a tour through what a client sees of a server, on the repository one stands in.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::SUCCESS
}
