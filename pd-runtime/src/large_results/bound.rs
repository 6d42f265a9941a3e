//! The bound over which a result is shortened, and the code that it brings.

use super::{
    Document, READ_MORE, reading, request, shorten,
    terms::{ShortenTerms, TakenText},
};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::json;
use std::{
    fmt,
    sync::{Arc, LazyLock},
};

/// The bound on the results of a tool or a server.
///
/// A bound has a pointer to the code that shortens results and reads on in them. Nothing else names
/// that code, so a server without a bound does not contain it.
#[derive(Clone, Copy)]
pub(crate) struct ResultBound {
    /// The tokens of the largest result that is shown whole.
    pub(crate) tokens: usize,
    pub(crate) code: &'static dyn LargeResults,
}

impl ResultBound {
    pub(crate) fn new(tokens: usize) -> Self {
        Self {
            tokens,
            code: &Code,
        }
    }
}

impl fmt::Debug for ResultBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.fmt(f)
    }
}

impl PartialEq for ResultBound {
    fn eq(&self, other: &Self) -> bool {
        // All bounds have the same code.
        self.tokens == other.tokens
    }
}

impl Eq for ResultBound {}

/// Shortens large results, and reads on in them.
pub(crate) trait LargeResults: fmt::Debug + Sync {
    /// Shortens a result that is over the bound. Returns what was taken out, to be stored. What is
    /// not stored must be put back.
    fn shorten(&self, result: &mut CallToolResult, terms: &ShortenTerms<'_>) -> Vec<TakenText>;

    /// Answers a call of `read_more` about a text.
    ///
    /// # Errors
    ///
    /// Returns an error with what to send instead.
    fn answer(&self, text: &str, arguments: &JsonObject) -> Result<String, String>;

    /// Returns the list entry of `read_more`.
    fn definition(&self) -> Tool;
}

#[derive(Debug)]
struct Code;

impl LargeResults for Code {
    fn shorten(&self, result: &mut CallToolResult, terms: &ShortenTerms<'_>) -> Vec<TakenText> {
        shorten::shorten(result, terms)
    }

    fn answer(&self, text: &str, arguments: &JsonObject) -> Result<String, String> {
        let request = request::read_request(arguments)?;
        reading::read(&Document::new(text), &request)
    }

    fn definition(&self) -> Tool {
        static SCHEMA: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
            let schema = json!({
                "type": "object",
                "properties": {
                    "handle": { "type": "string" },
                    "lines": { "type": "string", "description": "1-40" },
                    "rows": { "type": "string", "description": "0-19" },
                    "path": { "type": "string", "description": "JSON Pointer" },
                    "columns": { "type": "array", "items": { "type": "string" } },
                    "query": { "type": "string", "description": "Words, key=value" },
                },
                "required": ["handle"],
            });
            Arc::new(schema.as_object().cloned().unwrap_or_default())
        });
        Tool::new(READ_MORE, "Read on in a large result", SCHEMA.clone())
            .with_annotations(ToolAnnotations::default().read_only(true))
    }
}
