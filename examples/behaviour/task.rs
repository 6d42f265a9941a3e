//! The tasks: what a user asks, and how one tells that the right tool was called rightly.

use rmcp::model::{JsonObject, object};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// One task.
#[derive(Debug)]
pub(crate) struct Task {
    /// What the user says.
    pub(crate) request: &'static str,
    /// The tool for it.
    pub(crate) tool: &'static str,
    /// Words to search it with.
    pub(crate) words: &'static str,
    /// The arguments that matter. Others are the caller's business.
    pub(crate) arguments: JsonObject,
    /// What somebody guesses who has not read the description.
    pub(crate) guess: JsonObject,
}

impl Task {
    /// All tasks.
    pub(crate) fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Task>> = LazyLock::new(tasks);
        &ALL
    }

    /// Whether a call of the tool with these arguments does what was asked.
    pub(crate) fn is_done_by(&self, arguments: &JsonObject) -> bool {
        self.arguments.iter().all(|(name, wanted)| arguments.get(name).is_some_and(|given| is_same(given, wanted)))
    }
}

/// Models write texts in any case, and numbers as texts.
fn is_same(given: &Value, wanted: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text(given).trim().eq_ignore_ascii_case(&text(wanted))
}

fn tasks() -> Vec<Task> {
    let task = |request, tool, words, arguments: Value, guess: Value| {
        let (arguments, guess) = (object(arguments), object(guess));
        Task { request, tool, words, arguments, guess }
    };
    vec![
        task(
            "Show me the three newest commits that touched README.md.",
            "log",
            "list commits of a path",
            json!({ "path": "README.md", "limit": 3 }),
            json!({ "file": "README.md", "max_count": 3 }),
        ),
        task(
            "Who last changed the first ten lines of Cargo.toml?",
            "blame",
            "who last changed each line",
            json!({ "path": "Cargo.toml", "limit": 10 }),
            json!({ "file": "Cargo.toml", "start": 1, "end": 10 }),
        ),
        task(
            "Where in the sources does the word TODO occur?",
            "grep",
            "search the content of files",
            json!({ "pattern": "TODO" }),
            json!({ "query": "TODO" }),
        ),
        task(
            "What does the file README.md say?",
            "cat",
            "read a file",
            json!({ "path": "README.md" }),
            json!({ "filename": "README.md" }),
        ),
        task(
            "Which files change most often?",
            "churn",
            "rank files by how often they change",
            json!({}),
            json!({ "top": "ten" }),
        ),
        task(
            "Follow Cargo.toml through its past, renamings included: the last five changes.",
            "file_history",
            "follow one file through renamings",
            json!({ "path": "Cargo.toml", "limit": 5 }),
            json!({ "file": "Cargo.toml", "count": 5 }),
        ),
        task(
            "How many commits did each author make?",
            "contributors",
            "count commits by author",
            json!({}),
            json!({ "group_by": "author" }),
        ),
        task(
            "What is in the directory that the repository begins with?",
            "ls",
            "list a directory",
            json!({}),
            json!({ "directory": "/" }),
        ),
    ]
}
