//! `?` makes no `ToolError` of an error of anyhow.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn read() -> anyhow::Result<String> {
    Ok(std::fs::read_to_string("status")?)
}

#[pd_tool(summary = "Show what has changed")]
fn status() -> Result<String, ToolError> {
    Ok(read()?)
}

fn main() {}

/* mend
-    Ok(read()?)
+    Ok(read().map_err(ToolError::from_display)?)
*/
