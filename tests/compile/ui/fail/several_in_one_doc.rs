//! A doc comment with a mistake in each section.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// { "txt": "fn main" }
/// ```
///
/// ```json
/// { "text": }
/// ```
///
/// # Guidance
///
/// Search for whole words.
///
/// # Note
///
/// - Slow.
///
/// # Errors
///
/// - Too many files.
#[pd_tool]
fn search(text: String) {}

fn main() {}

/* mend
-/// { "txt": "fn main" }
+/// { "text": "fn main" }

-/// { "text": }
+/// { "text": "fn test" }

-/// Search for whole words.
-///
-/// # Note
+/// - Search for whole words.
+///
+/// # Notes

-/// - Too many files.
+/// - `TIMEOUT`: too many files. Search below one folder.
*/
