//! What an import prints: names of servers and files, and what each server runs. No value of a
//! variable or a header is printed.

use super::super::{
    entry_approval::{entry_lines, shortened},
    saving::{self, GatewaySaving},
};
use crate::{
    cli::import_plan::{ImportAction, ImportPlan, PlannedEntry, PlannedFile},
    trust::entry_approvals::EntryOutline,
};
use pd_runtime::{
    cli::CliError,
    upstream::cli::{json_output, style},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    io::{self, Write},
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
    /// The files of the project, which are imported only if they are named.
    not_imported: Vec<Value>,
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
        Self {
            path: path.to_owned(),
            changes: false,
            summary: summary.to_owned(),
            backup: None,
        }
    }

    pub(super) fn changed(path: &Path, summary: String, backup: Option<PathBuf>) -> Self {
        Self {
            path: path.to_owned(),
            changes: true,
            summary,
            backup,
        }
    }
}

impl ImportReport {
    pub(super) fn new(dry_run: bool, is_json: bool) -> Self {
        let (sources, not_imported, files) = Default::default();
        Self {
            dry_run,
            is_json,
            sources,
            not_imported,
            files,
            saving: None,
            next_command: None,
        }
    }

    /// Prints a client's file, and what happens with each of its servers.
    pub(super) fn print_file(&self, file: &PlannedFile) -> Result<(), CliError> {
        if self.is_json {
            Ok(())
        } else {
            print_file(file)
        }
    }

    /// Shows a file of the project, and returns whether a person allows its import.
    pub(super) fn confirm_project_file(
        &mut self,
        file: &PlannedFile,
        asks: bool,
    ) -> Result<bool, CliError> {
        let path = file.path.display().to_string();
        if !self.is_json {
            style::print(format_args!(
                "{}  {}\n",
                style::bold("project"),
                style::dim(&path)
            ))?;
            for entry in &file.entries {
                print_outline(&entry.label, &entry.outline())?;
            }
        }
        if asks && confirm(&format!("import these servers of {path}? [y/N] "))? {
            return Ok(true);
        }
        if !self.is_json {
            let note = format!(
                "  not imported, because the file is that of the project: `pd-gateway import {path}`"
            );
            style::print(format_args!("{}\n", style::yellow(note)))?;
        }
        self.not_imported.push(file_document(file));
        Ok(false)
    }

    pub(super) fn nothing_to_import(&self) -> &'static str {
        if self.not_imported.is_empty() && self.is_json {
            return "no client has a file with servers here; name a file: `pd-gateway import FILE`";
        }
        "no file of yours has servers, and files of the project are imported if you name them: `pd-gateway import FILE`"
    }

    /// Prints the servers that did not start.
    pub(super) fn print_failing(&self, plan: &ImportPlan) -> Result<(), CliError> {
        let failing = plan
            .files
            .iter()
            .flat_map(|file| &file.entries)
            .filter(|entry| entry.is_failing);
        for entry in failing.filter(|_| !self.is_json) {
            let note = match &entry.action {
                ImportAction::Stay { reason } => format!("stays in its file only: {reason}"),
                _ => "does not start; `doctor` shows why".to_owned(),
            };
            style::print(format_args!(
                "  {}  {}\n",
                style::bold(&entry.label),
                style::yellow(note)
            ))?;
        }
        Ok(())
    }

    /// Adds and prints what happens to a file.
    pub(super) fn add(&mut self, change: FileChange) -> Result<(), CliError> {
        if !self.is_json {
            let note = if self.dry_run {
                style::yellow(" (dry run: nothing is written)")
            } else {
                String::new()
            };
            style::print(format_args!(
                "{} {}{note}\n",
                style::bold(change.path.display()),
                change.summary
            ))?;
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
        Ok(style::print(format_args!(
            "to replace the servers of a client by the gateway: {next}\n"
        ))?)
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
    let missing = &entry.missing_values;
    let failing = entry.is_failing;
    json!({
        "name": entry.label, "action": action, "gateway_name": name, "reason": reason,
        "missing_values": missing, "is_failing": failing, "runs": entry.outline(),
    })
}

/// Prints a client's file, and what happens with each of its servers.
fn print_file(file: &PlannedFile) -> Result<(), CliError> {
    let client = file.client.map_or("file", |client| client.as_str());
    style::print(format_args!(
        "{}  {}\n",
        style::bold(client),
        style::dim(file.path.display())
    ))?;
    let width = file
        .entries
        .iter()
        .map(|entry| entry.label.chars().count())
        .max()
        .unwrap_or(0);
    for entry in &file.entries {
        style::print(format_args!(
            "  {}  {}\n",
            style::bold(format!("{:width$}", entry.label)),
            action(entry)
        ))?;
        // A server that stays gets these values from its client.
        for missing in entry.missing_values.iter().filter(|_| entry.is_moved()) {
            style::print(format_args!(
                "  {:width$}  {}\n",
                "",
                style::yellow(missing)
            ))?;
        }
        if !matches!(entry.action, ImportAction::IsGateway) {
            for (name, line) in entry_lines("", &entry.outline()) {
                let line = shortened(&line);
                style::print(format_args!("  {:width$}  {name}{line}\n", ""))?;
            }
        }
    }
    Ok(())
}

fn print_outline(label: &str, outline: &EntryOutline) -> io::Result<()> {
    let lines = entry_lines(label, outline);
    lines
        .iter()
        .try_for_each(|(name, line)| style::print(format_args!("  {name}{}\n", shortened(line))))
}

fn confirm(question: &str) -> io::Result<bool> {
    style::print(format_args!("{question}"))?;
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    // The end of the input is an empty answer, which imports nothing.
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn action(entry: &PlannedEntry) -> String {
    match &entry.action {
        ImportAction::Copy { name } if *name == entry.label => style::green("copied"),
        ImportAction::Copy { name } => {
            style::green(format!("copied as `{name}`: another server has its name"))
        }
        ImportAction::Known { name } if *name == entry.label => {
            style::dim("is in the gateway's file")
        }
        ImportAction::Known { name } => style::dim(format!("is in the gateway's file as `{name}`")),
        ImportAction::Stay { reason } => style::yellow(format!("stays here only: {reason}")),
        ImportAction::IsGateway => style::dim("is a gateway, and is not copied"),
    }
}

/// Returns the command that lets a client use the gateway: the client with the most servers.
pub(super) fn next_command(plan: &ImportPlan, to: Option<&Path>) -> Option<String> {
    // Of equal ones, `max_by_key` returns the last, and the first is wanted.
    let files = plan
        .files
        .iter()
        .rev()
        .filter(|file| file.moved_count() > 0);
    let file = files.max_by_key(|file| file.moved_count())?;
    let to = to
        .map(|to| format!(" --to {}", to.display()))
        .unwrap_or_default();
    Some(format!(
        "pd-gateway import{to} --write-client {}",
        file.path.display()
    ))
}

pub(super) fn unwritten(path: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be written: {error}; check its permissions",
        path.display()
    )
}
