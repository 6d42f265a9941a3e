//! A value that no header carries.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(header = "Tags")] tags: Vec<String>) {}

fn main() {}

/* mend
-fn search(#[arg(header = "Tags")] tags: Vec<String>) {}
+fn search(tags: Vec<String>) {}
*/
