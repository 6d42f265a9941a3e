//! The command line of a server, as a process: what goes to which stream, and how it exits.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod approval;
mod audit;
mod audit_file;
mod card;
mod catalog;
mod changing;
mod check;
mod command_line;
mod deploying;
mod describe;
mod export;
mod find;
mod first_list;
mod gateway;
#[cfg(unix)]
mod gateway_end;
mod gateway_export;
mod gateway_openapi;
mod gateway_words;
mod hostile_text;
mod http;
mod import;
mod large_answers;
mod large_api_answers;
mod list;
mod log_flood;
mod model_words;
mod names;
mod overlay;
mod pipe;
mod printing;
mod programs;
mod quiet;
mod report;
mod serve;
mod suggest;
mod terminal;
mod unread;
mod unreadable;

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

/// Runs the server of `server.rs` in a directory, as at a desk.
fn run<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> Ended {
    end(Command::new(env!("CARGO_BIN_EXE_library"))
        .env_remove("CI")
        .current_dir(directory)
        .args(arguments))
}

/// Runs it where `CI` is set.
fn run_in_ci<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> Ended {
    end(Command::new(env!("CARGO_BIN_EXE_library"))
        .env("CI", "true")
        .current_dir(directory)
        .args(arguments))
}

fn end(command: &mut Command) -> Ended {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended {
        code: status.code(),
        stdout: text(stdout),
        stderr: text(stderr),
    }
}
