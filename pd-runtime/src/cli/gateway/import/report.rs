//! What an import prints: names of servers and files, and never a value.

use super::super::saving::{self, GatewaySaving};
use crate::{
    cli::{CliError, json_output, style},
    gateway::import::{ImportAction, ImportPlan, PlannedEntry, PlannedFile},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The report of an import. As text, it is printed step by step; as JSON, it is printed at the end.
#[derive(Debug, Serialize)]
pub(super) struct ImportReport {
    /// Whether nothing was written.
    pub(super) dry_run: bool,
    #[serde(skip)]
    is_json: bool,
    /// The files that were read, and what happens with each of their servers.
    sources: Vec<Value>,
    /// The files that were written.
    files: Vec<FileChange>,
    saving: Option<GatewaySaving>,
    /// The command that lets a client use the gateway.
    next_command: Option<String>,
}

/// What happens to a file.
#[derive(Debug, Serialize)]
pub(super) struct FileChange {
    path: PathBuf,
    /// Whether the file changes, or would change without `--dry-run`.
    changes: bool,
    summary: String,
    backup: Option<PathBuf>,
}

impl FileChange {
    pub(super) fn unchanged(path: &Path, summary: &str) -> Self {
        Self { path: path.to_owned(), changes: false, summary: summary.to_owned(), backup: None }
    }

    pub(super) fn changed(path: &Path, summary: String, backup: Option<PathBuf>) -> Self {
        Self { path: path.to_owned(), changes: true, summary, backup }
    }
}

impl ImportReport {
    pub(super) fn new(dry_run: bool, is_json: bool) -> Self {
        Self { dry_run, is_json, sources: Vec::new(), files: Vec::new(), saving: None, next_command: None }
    }

    /// Prints a client's file, and what happens with each of its servers.
    pub(super) fn print_file(&self, file: &PlannedFile) -> Result<(), CliError> {
        if self.is_json { Ok(()) } else { print_file(file) }
    }

    /// Adds and prints what happens to a file.
    pub(super) fn add(&mut self, change: FileChange) -> Result<(), CliError> {
        if !self.is_json {
            let note = if self.dry_run { style::yellow(" (dry run: nothing is written)") } else { String::new() };
            style::print(format_args!("{} {}{note}\n", style::bold(change.path.display()), change.summary))?;
        }
        self.files.push(change);
        Ok(())
    }

    /// Prints the saving and the next command, or the whole report as JSON.
    pub(super) fn finish(
        mut self,
        plan: &ImportPlan,
        saving: Option<GatewaySaving>,
        next: Option<String>,
    ) -> Result<(), CliError> {
        if self.is_json {
            self.sources = plan.files.iter().map(file_document).collect();
            self.saving = saving;
            self.next_command = next;
            return json_output::print(&self);
        }
        saving::print(saving.as_ref())?;
        let Some(next) = next else { return Ok(()) };
        let next = style::bold(next);
        Ok(style::print(format_args!("to replace the servers of a client by the gateway: {next}\n"))?)
    }
}

fn file_document(file: &PlannedFile) -> Value {
    let servers: Vec<Value> = file.entries.iter().map(entry_document).collect();
    json!({ "client": file.client.map(|client| client.slug()), "path": file.path, "servers": servers })
}

fn entry_document(entry: &PlannedEntry) -> Value {
    let (action, name, reason) = match &entry.action {
        ImportAction::Copy { name } => ("copied", Some(name), None),
        ImportAction::Known { name } => ("known", Some(name), None),
        ImportAction::Stay { reason } => ("stays", None, Some(reason)),
        ImportAction::IsGateway => ("is_gateway", None, None),
    };
    let (missing, failing) = (&entry.missing_values, entry.is_failing);
    json!({
        "name": entry.label, "action": action, "gateway_name": name, "reason": reason,
        "missing_values": missing, "is_failing": failing,
    })
}

/// Prints a client's file, and what happens with each of its servers.
fn print_file(file: &PlannedFile) -> Result<(), CliError> {
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

/// Returns the command that lets a client use the gateway: the client with the most servers.
pub(super) fn next_command(plan: &ImportPlan, to: Option<&Path>) -> Option<String> {
    let files = plan.files.iter().rev().filter(|file| file.moved_count() > 0);
    let file = files.max_by_key(|file| file.moved_count())?;
    let to = to.map(|to| format!(" --to {}", to.display())).unwrap_or_default();
    Some(format!("pd-gateway import{to} --write-client {}", file.path.display()))
}

pub(super) fn unwritten(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}; check its permissions", path.display())
}
