//! The lists of an upstream as they were read.

use serde_json::Value;

/// The lists of an upstream, by kind.
#[derive(Debug, Default)]
pub(crate) struct RawLists {
    pub(crate) tools: Vec<Value>,
    pub(crate) prompts: Vec<Value>,
    pub(crate) resources: Vec<Value>,
    pub(crate) templates: Vec<Value>,
    pub(crate) repeated: Vec<String>,
    pub(crate) notes: Vec<String>,
    /// The keys of the lists that end because the server failed.
    pub(crate) partial: Vec<&'static str>,
}
