//! Another name that the gate uses.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Search the files' text")]
fn search(#[arg(rename = "disclosure_ticket")] ticket: String) {}

fn main() {}

/* mend
-fn search(#[arg(rename = "disclosure_ticket")] ticket: String) {}
+fn search(ticket: String) {}
*/
