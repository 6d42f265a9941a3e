//! The command line of a server, as a process: what goes to which stream, and how it exits.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod check;

use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Output},
};

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the server of `server.rs` in a directory.
fn run<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> Ended {
    let command = Command::new(env!("CARGO_BIN_EXE_library")).current_dir(directory).args(arguments).output();
    let Output { status, stdout, stderr } = command.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}
