//! An error of anyhow is one of a tool only with the feature `anyhow`.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
fn status() -> Result<String, anyhow::Error> {
    Ok(std::fs::read_to_string("status")?)
}

fn main() {}

/* mend
-fn status() -> Result<String, anyhow::Error> {
+fn status() -> Result<String, ToolError> {
*/
