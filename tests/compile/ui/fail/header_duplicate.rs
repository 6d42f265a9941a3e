//! Two arguments travel in one header.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(header = "Region")] from: String, #[arg(header = "region")] to: String) {}

fn main() {}

/* mend
-fn search(#[arg(header = "Region")] from: String, #[arg(header = "region")] to: String) {}
+fn search(#[arg(header = "From-Region")] from: String, #[arg(header = "To-Region")] to: String) {}
*/
