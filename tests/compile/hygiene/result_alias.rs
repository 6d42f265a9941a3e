//! A local `Result` with one parameter, as many crates have.

#![deny(warnings)]

use pd_runtime::prelude::*;

type Result<T> = std::result::Result<T, ToolError>;

#[pd_tool(summary = "Read a number from text")]
async fn parse(text: String) -> Result<Json<i64>> {
    Ok(Json(text.parse()?))
}

fn main() {
    let _: Registry<()> = pd_runtime::registry! { parse };
}
