//! `# Errors` as clippy's `missing_errors_doc` wants it, beside codes and alone.

#![deny(warnings)]

use pd_runtime::prelude::*;

/// What can go wrong.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum SearchError {
    /// Search below one folder.
    #[error("too many files")]
    TooMany,
}

/// Finds words.
///
/// # Errors
///
/// Returns an error if there are too many files,
/// or none.
///
/// - `TOO_MANY`: over a million files. Search below one folder.
///
/// Nothing else fails.
#[pd_tool(summary = "Search the files' text")]
fn search(text: String) -> Result<String, SearchError> {
    if text.is_empty() { Err(SearchError::TooMany) } else { Ok(text) }
}

/// # Errors
///
/// If the file is gone.
#[pd_tool(summary = "Show a file")]
fn show(path: String) -> Result<String, ToolError> {
    Ok(path)
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { search, show };
    assert!(registry.check().is_ok());
}
