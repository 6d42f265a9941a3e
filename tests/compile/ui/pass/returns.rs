//! What a tool may return.

#![deny(warnings)]

use pd_runtime::prelude::*;
use std::borrow::Cow;

#[pd_tool(summary = "Return nothing at all")]
fn nothing() {}

#[pd_tool(summary = "Return a constant text")]
fn text() -> &'static str {
    "text"
}

#[pd_tool(summary = "Return a text or a constant")]
async fn cow() -> Cow<'static, str> {
    "text".into()
}

#[pd_tool(summary = "Return structured data")]
async fn json() -> Result<Json<Vec<u32>>, ToolError> {
    Ok(Json(vec![1, 2, 3]))
}

#[pd_tool(summary = "Return all rows of a table")]
fn rows() -> pd_runtime::Table {
    pd_runtime::Table::default()
}

#[pd_tool(summary = "Return nothing, or fail")]
fn fallible() -> Result<(), String> {
    Err("no".to_owned())
}

fn main() {
    let _: Registry<()> = pd_runtime::registry! { nothing, text, cow, json, rows, fallible };
}
