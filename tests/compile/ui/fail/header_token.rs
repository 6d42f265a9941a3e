//! A header that HTTP does not allow.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(header = "Cloud Region")] region: String, #[arg(header = "")] zone: String) {}

fn main() {}

/* mend
-fn search(#[arg(header = "Cloud Region")] region: String, #[arg(header = "")] zone: String) {}
+fn search(#[arg(header = "Cloud-Region")] region: String, #[arg(header = "Zone")] zone: String) {}
*/
