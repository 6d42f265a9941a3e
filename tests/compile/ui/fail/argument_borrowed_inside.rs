//! A reference inside of an argument.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(text: Option<&str>) {}

fn main() {}

/* mend
-fn search(text: Option<&str>) {}
+fn search(text: Option<String>) {}
*/
