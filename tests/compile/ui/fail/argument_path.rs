//! A borrowed path.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(below: &std::path::Path) {}

fn main() {}

/* mend
-fn search(below: &std::path::Path) {}
+fn search(below: std::path::PathBuf) {}
*/
