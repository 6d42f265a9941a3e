//! A code in `# Errors` without its bullet.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Errors
///
/// `TIMEOUT`: too many files. Search below one folder.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// `TIMEOUT`: too many files. Search below one folder.
+/// - `TIMEOUT`: too many files. Search below one folder.
*/
