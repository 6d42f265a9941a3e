//! A server in a process of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// A process that ends when it is dropped.
pub(super) struct Process {
    child: Child,
    pub(super) url: String,
}

impl Process {
    /// Serves over HTTP with these flags.
    pub(super) fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        command.args(["serve", "--http", "127.0.0.1:0"]).args(flags);
        command
            .env("RUST_LOG", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let url = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .next()
            .unwrap()
            .unwrap();
        Self { child, url }
    }

    /// The host and port that the server listens on.
    pub(super) fn address(&self) -> &str {
        self.url
            .strip_prefix("http://")
            .and_then(|url| url.strip_suffix("/mcp"))
            .unwrap()
    }

    /// The resident memory, in bytes.
    pub(super) fn resident(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        let kilobytes: usize = line.trim().trim_end_matches(" kB").trim().parse().unwrap();
        kilobytes * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
