//! `?` makes a `ToolError` of a `std::error::Error` only.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

fn read() -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    Ok(std::fs::read_to_string("status")?)
}

fn parse(text: String) -> Result<u32, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

#[pd_tool(summary = "Count what has changed")]
fn count() -> Result<Json<u32>, ToolError> {
    Ok(Json(parse(read()?)?))
}

fn main() {}

/* mend
-    Ok(Json(parse(read()?)?))
+    let text = read().map_err(ToolError::from_display)?;
+    Ok(Json(parse(text).map_err(ToolError::from_display)?))
*/
