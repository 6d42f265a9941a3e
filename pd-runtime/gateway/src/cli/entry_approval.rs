//! The entries of a project's file that wait for a person: shown, and approved.

use super::{approve_options::ApproveOptions, config_file::OpenedConfig};
use crate::trust::entry_approvals::{EntryApprovals, EntryOutline, WaitingEntry};
use pd_runtime::{
    cli::CliError,
    upstream::{
        cli::style,
        text::{escape::visible, truncate::first_chars},
    },
};
use serde::Serialize;
use std::{
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

/// The most characters of one line of an entry, where it is not being approved.
const LINE_MAX: usize = 300;

/// The entries of a configuration file that a person has not approved.
pub(super) struct EntryReview {
    path: PathBuf,
    approvals: Option<Arc<EntryApprovals>>,
    /// Whether they run nonetheless, because their file was named.
    is_named: bool,
    /// Those that do not start.
    waiting: Vec<WaitingEntry>,
    unapproved: Vec<WaitingEntry>,
    /// The number of entries that may start.
    started: usize,
}

/// An entry, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct EntryDocument {
    server: String,
    #[serde(flatten)]
    outline: EntryOutline,
}

impl EntryReview {
    pub(super) fn new(opened: &OpenedConfig) -> Self {
        let config = &opened.config;
        let approvals = opened.approvals.clone();
        let waiting = approvals
            .as_ref()
            .map(|approvals| approvals.waiting(config))
            .unwrap_or_default();
        let unapproved = approvals
            .as_ref()
            .map(|approvals| approvals.unapproved(config))
            .unwrap_or_default();
        let all = config
            .servers
            .iter()
            .filter(|entry| !entry.is_disabled)
            .count();
        let started = all.saturating_sub(waiting.len());
        Self {
            path: config.path.clone(),
            approvals,
            is_named: opened.is_named,
            waiting,
            unapproved,
            started,
        }
    }

    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn has_none_to_start(&self) -> bool {
        self.has_waiting() && self.started == 0
    }

    pub(super) fn nothing_to_start(&self) -> String {
        format!(
            "no server of {} is approved; `pd-gateway approve` shows them, and asks",
            self.path.display()
        )
    }

    pub(super) fn not_checked(&self) -> String {
        let waiting = style::counted(self.waiting.len(), "server");
        format!("{waiting} not checked; `pd-gateway approve` shows them, and asks")
    }

    /// Reports the entries that wait, with what to do.
    pub(super) fn report(&self) {
        if self.waiting.is_empty() {
            return;
        }
        let path = self.path.display();
        let count = style::counted(self.waiting.len(), "server");
        style::report(&format_args!(
            "warning: {count} of {path} not started, because nobody has approved them:"
        ));
        for entry in &self.waiting {
            for (name, line) in entry_lines(&entry.name, &entry.outline) {
                style::report(&format_args!("  {}{}", name, shortened(&line)));
            }
        }
        let path = visible(&self.path.to_string_lossy());
        style::report(&format_args!(
            "`pd-gateway approve` approves them, and `--config {path}` runs them without"
        ));
    }

    /// Shows the entries that wait, and approves those that the options or a person allow. Returns
    /// the names of those that were approved.
    pub(super) fn review(
        &mut self,
        options: &ApproveOptions,
        asks: bool,
    ) -> Result<Vec<String>, CliError> {
        let Some(approvals) = self.approvals.clone() else {
            return Ok(Vec::new());
        };
        let selected: Vec<_> = self
            .unapproved
            .iter()
            .filter(|entry| options.selects_entry(entry))
            .cloned()
            .collect();
        // The entries of a file that was named run anyway. Only a gateway that runs already waits.
        let is_shown = !self.is_named || options.list || asks || options.names_servers();
        let mut approved = Vec::new();
        for entry in selected.iter().filter(|_| is_shown) {
            if !options.json {
                show(entry, self.is_named)?;
            }
            let is_allowed = if asks {
                confirm(entry)?
            } else {
                options.names_servers()
            };
            if options.list || !is_allowed {
                continue;
            }
            // One by one, so that an answer holds even if a later question is interrupted.
            approvals.approve(&[entry])?;
            if !options.json {
                style::print(format_args!(
                    "{} approved the server `{}`\n",
                    style::green("ok"),
                    entry.name
                ))?;
            }
            approved.push(entry.name.clone());
        }
        self.waiting.retain(|entry| !approved.contains(&entry.name));
        Ok(approved)
    }

    /// Returns the entries that are not approved, as they were before the review.
    pub(super) fn documents(&self, options: &ApproveOptions) -> Vec<EntryDocument> {
        let selected = self
            .unapproved
            .iter()
            .filter(|entry| options.selects_entry(entry));
        selected
            .map(|entry| EntryDocument {
                server: entry.name.clone(),
                outline: entry.outline.clone(),
            })
            .collect()
    }
}

fn show(entry: &WaitingEntry, is_named: bool) -> io::Result<()> {
    let state = if is_named {
        "not approved: it runs because `--config` names its file, and a gateway that runs does not take changes"
    } else {
        "not approved, and not started"
    };
    style::print(format_args!(
        "{}  {}\n",
        style::bold(&entry.name),
        style::yellow(state)
    ))?;
    // In full: a person approves every argument, and the end of a long line could hide one.
    let lines = entry_lines("", &entry.outline);
    lines
        .iter()
        .try_for_each(|(name, line)| style::print(format_args!("  {name}{line}\n")))
}

/// Returns what an entry runs or connects to, in lines that are safe on a terminal.
pub(super) fn entry_lines(label: &str, outline: &EntryOutline) -> Vec<(String, String)> {
    let name = if label.is_empty() {
        String::new()
    } else {
        format!("{}  ", visible(label))
    };
    let mut lines = vec![(name, visible(&outline.target()))];
    let indent = if label.is_empty() { "" } else { "  " };
    lines.extend(
        outline
            .details()
            .into_iter()
            .map(|(name, fact)| (format!("{indent}{name}: "), visible(&fact))),
    );
    lines
}

/// Returns the beginning of a line, with the number of characters that it lacks.
pub(super) fn shortened(line: &str) -> String {
    let left = line.chars().count().saturating_sub(LINE_MAX);
    let beginning: String = first_chars(line, LINE_MAX).to_owned();
    if left == 0 {
        beginning
    } else {
        format!("{beginning}… {left} more characters")
    }
}

fn confirm(entry: &WaitingEntry) -> Result<bool, CliError> {
    style::print(format_args!("start `{}` from now on? [y/N] ", entry.name))?;
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    // The end of the input is an empty answer, which approves nothing.
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
