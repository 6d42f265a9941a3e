//! Errors are a list of codes.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Errors
///
/// When there are too many files.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// When there are too many files.
+/// - `TIMEOUT`: too many files. Search below one folder.
*/
