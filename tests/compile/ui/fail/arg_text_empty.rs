//! A keyword has no text.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(pattern = "")] text: String, #[arg(title = " ")] mode: String) {}

fn main() {}

/* mend
-fn search(#[arg(pattern = "")] text: String, #[arg(title = " ")] mode: String) {}
+fn search(text: String, #[arg(title = "Mode")] mode: String) {}
*/
