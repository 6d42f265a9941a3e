//! What an import prints: names of servers and files, and never a value.

use crate::{
    cli::{CliError, style},
    gateway::import::{ImportAction, ImportPlan, PlannedEntry, PlannedFile},
};
use std::{io, path::Path};

/// Prints a client's file, and what happens with each of its servers.
pub(super) fn print_file(file: &PlannedFile) -> Result<(), CliError> {
    let client = file.client.map_or("file", |client| client.as_str());
    style::print(format_args!("{}  {}\n", style::bold(client), style::dim(file.path.display())))?;
    let width = file.entries.iter().map(|entry| entry.label.chars().count()).max().unwrap_or(0);
    for entry in &file.entries {
        style::print(format_args!("  {}  {}\n", style::bold(format!("{:width$}", entry.label)), action(entry)))?;
        for missing in entry.missing_values.iter().filter(|_| entry.is_moved()) {
            style::print(format_args!("  {:width$}  {}\n", "", style::yellow(missing)))?;
        }
        if entry.is_failing && entry.is_moved() {
            style::print(format_args!(
                "  {:width$}  {}\n",
                "",
                style::yellow("it does not start; `doctor` shows why")
            ))?;
        }
    }
    Ok(())
}

fn action(entry: &PlannedEntry) -> String {
    match &entry.action {
        ImportAction::Copy { name } if *name == entry.label => style::green("copied"),
        ImportAction::Copy { name } => style::green(format!("copied as `{name}`: another server has its name")),
        ImportAction::Known { name } if *name == entry.label => style::dim("is in the gateway's file"),
        ImportAction::Known { name } => style::dim(format!("is in the gateway's file as `{name}`")),
        ImportAction::Stay { reason } => style::yellow(format!("stays here only: {reason}")),
        ImportAction::IsGateway => style::dim("is a gateway, and is not copied"),
    }
}

/// Prints what happens to a file.
pub(super) fn print_change(path: &Path, change: &str, is_dry: bool) -> Result<(), CliError> {
    let note = if is_dry { style::yellow(" (dry run: nothing is written)") } else { String::new() };
    Ok(style::print(format_args!("{} {change}{note}\n", style::bold(path.display())))?)
}

/// Prints the command that lets a client use the gateway: the client with the most servers.
pub(super) fn print_next(plan: &ImportPlan, to: Option<&Path>) -> Result<(), CliError> {
    let files = plan.files.iter().rev().filter(|file| file.moved_count() > 0);
    let Some(file) = files.max_by_key(|file| file.moved_count()) else { return Ok(()) };
    let to = to.map(|to| format!(" --to {}", to.display())).unwrap_or_default();
    let next = style::bold(format!("pd-gateway import{to} --write-client {}", file.path.display()));
    Ok(style::print(format_args!("to replace the servers of a client by the gateway: {next}\n"))?)
}

pub(super) fn unwritten(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}; check its permissions", path.display())
}
