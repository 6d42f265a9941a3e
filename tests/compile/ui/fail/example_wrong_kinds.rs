//! An example with a flag and a character that are neither.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

/// Search the files' text
///
/// # Examples
///
/// ```json
/// { "text": "fn main", "all": "yes", "separator": "--" }
/// ```
#[pd_tool]
fn search(text: String, all: bool, separator: char) {}

fn main() {}

/* mend
-/// { "text": "fn main", "all": "yes", "separator": "--" }
+/// { "text": "fn main", "all": true, "separator": "-" }
*/
