//! Two arguments have one name on the wire.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: String, #[arg(rename = "text")] words: Vec<String>) {}

fn main() {}

/* mend
-fn search(text: String, #[arg(rename = "text")] words: Vec<String>) {}
+fn search(text: String, #[arg(rename = "words")] words: Vec<String>) {}
*/
