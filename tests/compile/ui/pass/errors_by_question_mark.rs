//! Errors that a tool may return, so that `?` works in its body.

use pd_runtime::prelude::*;

fn read() -> Result<String, std::io::Error> {
    std::fs::read_to_string("status")
}

#[pd_tool(summary = "Read by a boxed error")]
fn boxed() -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    if read()?.is_empty() {
        return Err("nothing to read".into());
    }
    Ok(read()?)
}

#[pd_tool(summary = "Read by a boxed error of static lifetime")]
async fn boxed_static() -> Result<String, Box<dyn std::error::Error + Send + Sync + 'static>> {
    Ok(read()?)
}

#[pd_tool(summary = "Read by a converted error")]
fn converted() -> Result<String, ToolError> {
    let text: anyhow::Result<String> = read().map_err(anyhow::Error::new);
    Ok(text.map_err(ToolError::from_display)?)
}

fn any(error: impl std::error::Error) -> ToolError {
    error.into()
}

fn main() {
    let _: Registry<()> = pd_runtime::registry! { boxed, boxed_static, converted };
    let _ = any(std::fmt::Error);
}
