//! The command `doctor`.

use crate::{
    cli::{CliError, style},
    gateway::{Gateway, HeldTool},
    text::escape,
};
use std::io;

/// Starts each server once, and shows what it lists and what is wrong with it. Returns whether
/// nothing is.
pub(super) async fn doctor(gateway: &Gateway) -> Result<bool, CliError> {
    gateway.refresh_all().await;
    let (servers, held) = (gateway.status(), gateway.held());
    let width = servers.iter().map(|server| server.name.chars().count()).max().unwrap_or(0);
    for server in &servers {
        let name = style::bold(format!("{:width$}", server.name));
        let state = match (&server.last_error, &server.version) {
            (None, Some(version)) => {
                let time = server.started_in.map(|time| format!(", started in {} ms", time.as_millis()));
                format!(
                    "{}  {}, MCP {version}{}",
                    style::green("ok"),
                    style::counted(server.tools, "tool"),
                    time.unwrap_or_default()
                )
            }
            (error, _) if server.needs_login => {
                format!("{}  {}", style::yellow("needs login"), escape::lines(error.as_deref().unwrap_or_default()))
            }
            (error, _) => {
                format!("{}  {}", style::red("failed"), escape::lines(error.as_deref().unwrap_or("no answer")))
            }
        };
        style::print(format_args!("{name}  {state}\n"))?;
        for (tool, reason) in &server.left_out {
            style::print(format_args!(
                "{:width$}  {} {}\n",
                "",
                style::yellow(format!("`{tool}` is not offered:")),
                escape::lines(reason)
            ))?;
        }
        show_held(held.iter().filter(|held| held.server == server.name), width)?;
    }
    Ok(held.is_empty() && servers.iter().all(|server| server.last_error.is_none() && server.left_out.is_empty()))
}

fn show_held<'a>(held: impl Iterator<Item = &'a HeldTool>, width: usize) -> io::Result<()> {
    for held in held {
        let line = held.to_string();
        style::print(format_args!("{:width$}  {} {}\n", "", style::yellow("held:"), escape::one_line(&line)))?;
    }
    Ok(())
}
