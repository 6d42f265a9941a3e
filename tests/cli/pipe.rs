//! Pipes where files should be: opening one waits for somebody to write to it, so a command refuses
//! it.
#![cfg(unix)]
#![allow(clippy::panic, reason = "a test fails by panicking")]

use super::Ended;
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How long a command may take that refuses a file.
const PATIENCE: Duration = Duration::from_secs(20);

/// A directory with a pipe in it, and what commands need beside it.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for pipe in ["pipe", "pipe.json"] {
        assert!(
            Command::new("mkfifo")
                .arg(folder.path().join(pipe))
                .status()
                .unwrap()
                .success()
        );
    }
    std::fs::write(folder.path().join("tools.json"), "[]").unwrap();
    folder
}

/// Runs a command that must end by itself.
fn ends(program: &str, folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments).env_remove("CI");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it waits for the pipe: {arguments:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

const ADVICE: &str =
    "it is a pipe, a socket or a device; write its content to a regular file, and name that";

#[test]
fn a_pipe_or_a_device_is_no_file() {
    let folder = folder();
    let (catalog, library) = (env!("CARGO_BIN_EXE_catalog"), env!("CARGO_BIN_EXE_library"));
    let jwt = [
        "serve",
        "--http",
        "127.0.0.1:0",
        "--jwt-issuer",
        "https://a.example",
        "--jwt-audience",
        "https://b.example",
    ];
    let keys = |file| [&jwt[..], &["--jwt-keys", file]].concat();
    for (program, arguments) in [
        (catalog, &["pipe", "list"][..]),
        (catalog, &["/dev/zero", "list"]),
        (catalog, &[".", "list"]),
        (catalog, &["tools.json", "--principals", "pipe", "list"]),
        (library, &["serve", "--ticket-key-file", "pipe"]),
        (library, &keys("pipe")),
        (library, &keys("/dev/zero")),
        (library, &["check", "--lock", "pipe"]),
        (library, &["audit", "pipe"]),
        (library, &["export", "--format", "tool-descriptions", "."]),
    ] {
        if arguments.first() == Some(&"export") {
            std::fs::rename(
                folder.path().join("pipe"),
                folder.path().join(".pd-export.record"),
            )
            .unwrap();
        }
        let ended = ends(program, folder.path(), arguments);
        assert_eq!(ended.code, Some(1), "{arguments:?}: {}", ended.stderr);
        assert!(
            ended.stderr.contains(ADVICE),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_pipe_among_edited_descriptions_is_a_mistake() {
    let folder = folder();
    let ended = ends(
        env!("CARGO_BIN_EXE_library"),
        folder.path(),
        &["check", "--overlay", "."],
    );
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .stderr
            .contains("pipe.json: it cannot be read: it is not a regular file"),
        "{}",
        ended.stderr
    );
}
