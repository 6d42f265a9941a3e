//! A code stands twice.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Errors
///
/// - `TIMEOUT`: too many files. Search below one folder.
/// - `TIMEOUT`: too long a text. Search for a word.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// - `TIMEOUT`: too long a text. Search for a word.
+/// - `TOO_LONG`: too long a text. Search for a word.
*/
