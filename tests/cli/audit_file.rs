//! The file of `serve --audit`: full, open to others, rotated, and not a file at all.
#![cfg(unix)]

use super::run;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The patience of these tests with a process.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on standard input and output. It ends when it is dropped.
struct Server {
    process: Child,
    input: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a server with an open session.
    fn start(command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, answers) = (
            process.stdin.take(),
            BufReader::new(process.stdout.take().unwrap()),
        );
        let mut server = Self {
            process,
            input,
            answers,
        };
        let client = json!({ "name": "cli", "version": "0" });
        server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client } }));
        server.answer();
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        self.input
            .as_mut()
            .unwrap()
            .write_all(format!("{message}\n").as_bytes())
            .unwrap();
    }

    fn answer(&mut self) {
        let mut line = String::new();
        assert!(
            self.answers.read_line(&mut line).unwrap() > 0,
            "the server ended"
        );
    }

    /// Calls `list` with this number.
    fn call(&mut self, limit: usize) {
        let params = json!({ "name": "list", "arguments": { "limit": limit } });
        self.send(
            &json!({ "jsonrpc": "2.0", "id": limit + 1, "method": "tools/call", "params": params }),
        );
        self.answer();
    }

    fn hang_up(&self) {
        kill(
            Pid::from_raw(i32::try_from(self.process.id()).unwrap()),
            Signal::SIGHUP,
        )
        .unwrap();
    }

    /// Closes the connection, and returns what the server logged.
    fn end(mut self) -> String {
        let mut errors = self.process.stderr.take().unwrap();
        drop(self.input.take());
        let mut log = String::new();
        errors.read_to_string(&mut log).unwrap();
        assert!(self.process.wait().unwrap().success(), "{log}");
        log
    }
}

fn library(directory: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    command
        .current_dir(directory)
        .args(["serve", "--gate", "off"])
        .args(flags);
    command
}

/// Waits until something is so.
fn until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Ends a process that does not end by itself.
fn ends(command: &mut Command) -> (ExitStatus, String) {
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while process.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(20) {
            process.kill().unwrap();
            panic!("the process hangs");
        }
        thread::sleep(Duration::from_millis(10));
    }
    let mut log = String::new();
    process
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    (process.wait().unwrap(), log)
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn events(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A limit on the size of files is a disk that is full for this process alone.
#[test]
fn a_full_disk_is_warned_of_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" serve --gate off --audit audit.jsonl";
    shell
        .current_dir(directory.path())
        .args(["-c", script, env!("CARGO_BIN_EXE_library")]);
    let mut server = Server::start(&mut shell);
    for number in 0..60 {
        server.call(number);
        // The thread that writes has time to find out each time.
        thread::sleep(Duration::from_millis(2));
    }
    let log = server.end();
    assert_eq!(
        log.matches("the audit stream cannot be written").count(),
        1,
        "{log}"
    );
}

#[test]
fn a_file_that_is_open_to_others_is_closed_to_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    fs::write(&path, "{\"event\":\"called\"}\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let mut server = Server::start(&mut library(directory.path(), &["--audit", "audit.jsonl"]));
    server.call(1);
    let log = server.end();
    assert_eq!(mode(&path), 0o600);
    assert!(
        log.contains("the audit file was open to other users"),
        "{log}"
    );
    assert_eq!(events(&path).len(), 2, "what it held stays");
}

#[test]
fn a_file_that_is_rotated_loses_no_event_and_doubles_none() {
    const ROTATIONS: usize = 5;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let flags = ["--audit", "audit.jsonl", "--audit-detail", "arguments"];
    let mut server = Server::start(&mut library(directory.path(), &flags));
    let (is_over, server_id) = (AtomicBool::new(false), server.process.id());
    let calls = thread::scope(|scope| {
        let calling = scope.spawn(|| {
            let mut calls = 0;
            while calls < 20 || !is_over.load(Ordering::SeqCst) {
                server.call(calls % 500);
                calls += 1;
            }
            calls
        });
        for rotation in 0..ROTATIONS {
            until(|| fs::metadata(&path).is_ok_and(|known| known.len() > 2_000));
            fs::rename(&path, directory.path().join(format!("audit.{rotation}"))).unwrap();
            kill(
                Pid::from_raw(i32::try_from(server_id).unwrap()),
                Signal::SIGHUP,
            )
            .unwrap();
            until(|| path.exists());
        }
        is_over.store(true, Ordering::SeqCst);
        calling.join().unwrap()
    });
    server.end();
    let rotated = (0..ROTATIONS).map(|rotation| directory.path().join(format!("audit.{rotation}")));
    let files: Vec<_> = rotated.chain([path]).collect();
    let mut seen = HashMap::<usize, usize>::new();
    for file in &files {
        assert_eq!(mode(file), 0o600);
        for event in events(file) {
            assert_eq!(event["event"], "called");
            *seen
                .entry(usize::try_from(event["arguments"]["limit"].as_u64().unwrap()).unwrap())
                .or_default() += 1;
        }
    }
    for number in 0..500 {
        let expected = calls / 500 + usize::from(number < calls % 500);
        assert_eq!(
            seen.get(&number).copied().unwrap_or_default(),
            expected,
            "call {number} of {calls}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_opened_again_leaves_the_old_one_in_use() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let mut server = Server::start(&mut library(directory.path(), &["--audit", "audit.jsonl"]));
    server.call(1);
    until(|| fs::metadata(&path).is_ok_and(|known| known.len() > 0));
    fs::rename(&path, directory.path().join("audit.0")).unwrap();
    make_fifo(&path);
    server.hang_up();
    thread::sleep(Duration::from_millis(200));
    server.call(2);
    let log = server.end();
    assert!(log.contains("the old one stays in use"), "{log}");
    assert_eq!(events(&directory.path().join("audit.0")).len(), 2);
}

#[test]
fn what_is_no_regular_file_is_refused_and_hangs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    make_fifo(&directory.path().join("fifo"));
    for place in ["fifo", ".", "/dev/null"] {
        let (status, log) = ends(&mut library(directory.path(), &["--audit", place]));
        assert!(!status.success(), "{place}");
        assert!(
            log.contains(&format!(
                "{place} cannot be written: it is not a regular file"
            )),
            "{log}"
        );
    }
}

#[test]
fn a_record_of_an_export_that_is_no_file_hangs_no_export() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["export", "--format", "typescript", "out"];
    let first = run(directory.path(), arguments);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let mut files = fs::read_dir(directory.path().join("out"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_record = |path: &std::path::PathBuf| {
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(".pd-export")
    };
    let record = files.find(is_record).unwrap();
    fs::remove_file(&record).unwrap();
    make_fifo(&record);
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    let (status, log) = ends(command.current_dir(directory.path()).args(arguments));
    assert!(
        !status.success() && log.contains("cannot be read: it is a pipe"),
        "{log}"
    );
}
