//! The summary is a constant or a macro.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

const SUMMARY: &str = "Search the files' text";

#[pd_tool(summary = SUMMARY)]
fn search(text: String) {}

#[pd_tool(summary = concat!("List the files", ", newest first"))]
fn list() {}

#[pd_tool(summary = format!("Show at most {} lines", 10))]
fn show() {}

fn main() {}

/* mend
-const SUMMARY: &str = "Search the files' text";
-
-#[pd_tool(summary = SUMMARY)]
+#[pd_tool(summary = "Search the files' text")]

-#[pd_tool(summary = concat!("List the files", ", newest first"))]
+#[pd_tool(summary = "List the files, newest first")]

-#[pd_tool(summary = format!("Show at most {} lines", 10))]
+#[pd_tool(summary = "Show at most 10 lines")]
*/
