//! Output on a terminal: JSON for people, and progress bars.
#![cfg(unix)]

use super::gateway::Project;
use nix::pty::openpty;
use std::{
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    process::{Command, Stdio},
    thread,
};

/// Returns a terminal, and everything that is written to it until it is closed.
fn terminal() -> (OwnedFd, thread::JoinHandle<String>) {
    let pty = openpty(None, None).unwrap();
    let reading = thread::spawn(move || {
        let (mut master, mut shown, mut piece) = (File::from(pty.master), Vec::new(), [0; 4096]);
        // Linux reports the end of a terminal as an error.
        while let Ok(count @ 1..) = master.read(&mut piece) {
            shown.extend(&piece[..count]);
        }
        String::from_utf8_lossy(&shown).replace("\r\n", "\n")
    });
    (pty.slave, reading)
}

/// Runs the library with a terminal as standard output.
fn shown(arguments: &[&str], has_color: bool) -> String {
    let (slave, reading) = terminal();
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .args(arguments)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR");
    if !has_color {
        command.env("NO_COLOR", "1");
    }
    assert!(
        command
            .stdin(Stdio::null())
            .stdout(slave)
            .status()
            .unwrap()
            .success()
    );
    // The command holds the terminal open, too.
    drop(command);
    reading.join().unwrap()
}

#[test]
fn json_is_indented_on_a_terminal() {
    let plain = shown(&["tokens", "--json"], false);
    assert!(
        plain.starts_with("{\n  \"tokenizer\": \"o200k_base\",\n  \"tools\": [\n    {\n"),
        "{plain}"
    );
    let colored = shown(&["tokens", "--json"], true);
    assert!(
        colored.starts_with("{\n  \u{1b}[1m\"tokenizer\"\u{1b}[0m: \u{1b}[32m\"o200k_base\""),
        "{colored}"
    );
}

#[test]
fn servers_that_start_slowly_have_a_bar_on_a_terminal_alone() {
    let project = Project::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/upstream.py");
    let slow = format!(
        r#"{{"mcpServers": {{"git": {{"command": "sh", "args": ["-c", "sleep 2; exec python3 {script} log"]}}}}}}"#
    );
    project.write(&slow);
    let (slave, reading) = terminal();
    let mut command = project.command(&["doctor"]);
    command
        .env("TERM", "xterm")
        .stdout(Stdio::piped())
        .stderr(slave);
    let output = command.output().unwrap();
    drop(command);
    let bar = reading.join().unwrap();
    assert!(
        output.status.success() && bar.contains("starting servers") && bar.contains("0 of 1"),
        "{bar:?}"
    );
    let piped = project.run(&["doctor"]);
    assert_eq!((piped.code, piped.stderr.as_str()), (Some(0), ""));
}
