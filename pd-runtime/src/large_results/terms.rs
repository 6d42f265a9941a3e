//! How a result is shortened for a caller, and what is taken out of it.

use super::READ_MORE;
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// How a result is shortened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShortenTerms<'a> {
    /// The tokens of the largest result that is shown whole.
    pub(crate) tokens: usize,
    /// Whether structured content stays, however large it is.
    pub(crate) keeps_structured: bool,
    pub(crate) call: ReadCall<'a>,
    /// How long the texts can be read after they were read last.
    pub(crate) life: Duration,
}

/// How a caller calls `read_more`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadCall<'a> {
    /// The meta-tool that calls it. `None` if it is listed.
    pub(crate) through: Option<&'a str>,
}

/// A text that a preview replaced.
#[derive(Debug)]
pub(crate) struct TakenText {
    /// The place of the preview in the content.
    pub(crate) place: usize,
    pub(crate) handle: String,
    pub(crate) text: Arc<str>,
    pub(crate) is_json: bool,
}

impl ReadCall<'_> {
    /// Returns the sentence that says how to read on. `key` and `value` are what to read next.
    pub(super) fn advice(&self, handle: &str, key: &str, value: &str) -> String {
        let arguments = json!({ "handle": handle, key: value });
        let call = match self.through {
            Some(name) => format!(
                "{name} {}",
                json!({ "name": READ_MORE, "arguments": arguments })
            ),
            None => format!("{READ_MORE} {arguments}"),
        };
        let others = match key {
            "lines" => "; or \"query\": words of the lines",
            _ => {
                "; or \"query\": words or key=value of the rows, \"columns\": their names, \"path\": a JSON Pointer"
            }
        };
        format!("To read on: {call}{others}")
    }
}
