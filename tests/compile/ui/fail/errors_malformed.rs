//! A bullet of `# Errors` has no code.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Errors
///
/// - `TIMEOUT`: too many files. Search below one folder.
/// - There may be no such folder.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// - There may be no such folder.
+/// - `NOT_FOUND`: there is no such folder. List the folders first.
*/
