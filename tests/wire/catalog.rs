//! The example `catalog`, as the process that other people's test suites run: its files change while it is served.

mod files;
mod principals;
mod process;
mod tokens;

use crate::harness::line::Line;
use process::Process;
use serde_json::{Value, json};
use std::{fs, path::PathBuf};
use tempfile::TempDir;

/// A directory with a catalog.
struct Shelf(TempDir);

impl Shelf {
    fn new(catalog: &Value) -> Self {
        let shelf = Self(TempDir::new().unwrap());
        shelf.write("tools.json", catalog);
        shelf
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    /// Puts a file in its place at once.
    fn write(&self, file: &str, text: &Value) {
        let beside = self.path("beside");
        fs::write(&beside, text.to_string()).unwrap();
        fs::rename(beside, self.path(file)).unwrap();
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let path = |file| self.path(file).to_string_lossy().into_owned();
        let mut arguments = vec![path("tools.json")];
        if self.path("tokens.json").exists() {
            arguments.extend(["--principals".to_owned(), path("tokens.json")]);
        }
        arguments.push("serve".to_owned());
        arguments.extend(more.iter().map(|more| (*more).to_owned()));
        arguments
    }

    fn stdio(&self) -> (Process, Line) {
        Process::stdio(CATALOG, self.arguments(&[]))
    }

    async fn http(&self, more: &[&str]) -> (Process, String) {
        Process::http(
            CATALOG,
            self.arguments(&[&["--http", "127.0.0.1:0"], more].concat()),
        )
        .await
    }
}

const CATALOG: &str = env!("CARGO_BIN_EXE_catalog");

/// A catalog of tools that take any arguments.
fn tools(names: &[&str]) -> Value {
    let tool = |name: &&str| json!({ "name": name, "description": "Say it", "inputSchema": { "type": "object" } });
    names.iter().map(tool).collect()
}
