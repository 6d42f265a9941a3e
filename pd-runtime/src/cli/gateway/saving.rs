//! The tokens that a client's model reads before it does anything: all tools in full, and what the
//! gateway lists instead.

use crate::{
    catalog::definition::for_model,
    cli::{CliError, local::LocalClient, style, tokens},
    gateway::Gateway,
};
use serde_json::json;

/// Prints the saving for the servers whose tools are known.
pub(super) async fn print(gateway: &Gateway) -> Result<(), CliError> {
    let servers = gateway.status().iter().filter(|server| server.version.is_some()).count();
    if servers == 0 {
        return Ok(style::print(format_args!(
            "the tools of these servers are not known yet: no server was started\n"
        ))?);
    }
    let server = gateway.builder().build()?;
    let all = tokens::lists(server.host().as_ref()).1;
    let full = tokens::count_json(&json!({ "tools": all }))?;
    let listed = LocalClient::connect(server.host().as_ref()).await?.tools().await?;
    let listed = tokens::count_json(&json!({ "tools": listed.iter().map(for_model).collect::<Vec<_>>() }))?;
    let saved = style::saved(full, listed);
    let share = if saved > 0.0 { style::green(format!(": {saved:.0} % saved")) } else { String::new() };
    Ok(style::print(format_args!(
        "{} of {}: {} tokens in full, {} with the gateway{share}\n",
        style::counted(all.len(), "tool"),
        style::counted(servers, "server"),
        style::thousands(full),
        style::thousands(listed),
    ))?)
}
