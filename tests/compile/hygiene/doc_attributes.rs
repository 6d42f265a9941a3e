//! Doc comments in every form: other attributes between their lines, blocks, files, and none that a macro could read.

#![deny(warnings)]

use pd_runtime::prelude::*;

/// Search the files' text.
#[must_use]
///
/// # Examples
#[doc = ""]
#[inline]
/// ```json
#[rustfmt::skip]
#[doc = "{ \"text\": \"fn main\" }"]
/// ```
#[pd_tool]
#[cold]
/// # Notes
///
/// - Slow.
fn search(text: String) -> String {
    text
}

/** Show what has changed.
 *
 * # Notes
 *
 * - Paths are relative.
 */
#[pd_tool]
fn status() {}

#[doc = include_str!("doc_attributes.rs")]
#[pd_tool(summary = "List commits, newest first")]
fn log(
    #[doc = concat!("How many", " at most.")]
    #[arg(minimum = 1)]
    limit: u32,
) -> Json<u32> {
    Json(limit)
}

/// The compiler resolves `cfg_attr` before it hands over the function, wherever it stands.
#[pd_tool(summary = "Show one commit")]
#[cfg_attr(all(), doc = "# Examples\n\n```json\n{ \"revision\": \"HEAD\" }\n```")]
fn show(revision: String) -> String {
    revision
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { search, status, log, show };
    assert_eq!(registry.check().map(|checked| checked.examples), Ok(2));
}
