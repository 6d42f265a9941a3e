//! Where a tool comes from, if it has another name there.

use std::sync::Arc;

/// The names of a tool at its source, such as a server behind a gateway. Callers find the tool by
/// these names. The names do not belong to the tool's contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceNames {
    /// The name that the tool has there, in any characters.
    pub name: Box<str>,
    /// The names that mean the tool without its source.
    pub alone: Vec<Box<str>>,
    /// The names of the source, which callers write before the tool's name.
    pub sources: Arc<[Box<str>]>,
}
