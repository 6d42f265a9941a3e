//! Any error is none that a caller can be told.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() -> Result<String, Box<dyn std::error::Error>> {
    Ok(std::fs::read_to_string("status")?)
}

fn main() {}

/* mend
-fn status() -> Result<String, Box<dyn std::error::Error>> {
+fn status() -> Result<String, ToolError> {
*/
