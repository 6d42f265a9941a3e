//! The overlay's directory, and changes in it.

use super::tools::{name, schema};
use serde_json::{Value, json};
use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
};

/// A directory with a file for each tool.
pub(crate) struct Files {
    directory: tempfile::TempDir,
    count: usize,
    edition: Cell<usize>,
}

impl Files {
    pub(crate) fn new(count: usize) -> Self {
        let files = Self {
            directory: tempfile::tempdir().unwrap(),
            count,
            edition: Cell::default(),
        };
        files.change(count);
        files
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes the first so many files anew.
    pub(crate) fn change(&self, files: usize) {
        self.edition.set(self.edition.get() + 1);
        for number in 0..files {
            let text =
                serde_json::to_string_pretty(&description(number, self.edition.get())).unwrap();
            fs::write(self.file(number), text).unwrap();
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        (0..self.count)
            .map(|number| fs::metadata(self.file(number)).unwrap().len())
            .sum()
    }

    fn file(&self, number: usize) -> PathBuf {
        self.path().join(name(number)).with_extension("json")
    }
}

fn description(number: usize, edition: usize) -> Value {
    let text = format!("Edition {edition} of what is said about tool {number}.");
    let patterns = [
        "Search before you list.",
        "Ask for a page at a time.",
        "Narrow by labels first.",
    ];
    json!({
        "name": name(number),
        "description": format!("{text} {}", "Lists what an account has, newest first, a page at a time. ".repeat(5)),
        "inputSchema": schema(&text),
        "examples": [
            { "description": "All of them", "input": { "owner": "ada" } },
            { "description": "Open ones", "input": { "owner": "ada", "state": "open", "labels": ["bug"], "page": 2 } }
        ],
        "usage_guidance": { "common_patterns": patterns, "important_notes": [text] },
        "error_guidance": { "common_errors": [
            { "error": "NOT_FOUND", "cause": "There is no such account.", "solution": "Search for its name." }
        ] }
    })
}
