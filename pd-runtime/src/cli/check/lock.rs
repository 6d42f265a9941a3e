//! Contracts compared with their file: created, compared, or updated.

use super::{
    CheckOptions, CliError, DeniedFinding,
    style::{self, counted},
};
use crate::{
    check::{ContractChange, ContractChanges, ContractLock, LockError},
    text::escape::one_line,
};
use serde::{Serialize, Serializer};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The contracts compared with a file.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct ContractSummary {
    pub(in crate::cli) file: PathBuf,
    pub(in crate::cli) state: ContractState,
    /// The number of contracts that the server has.
    pub(in crate::cli) contracts: usize,
    /// The number of changes that break callers.
    pub(in crate::cli) breaking: usize,
    #[serde(serialize_with = "serialize_changes")]
    pub(in crate::cli) changes: ContractChanges,
}

/// The state of a file of contracts after the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum ContractState {
    /// The file does not exist.
    Missing,
    /// The check wrote the first file.
    Written,
    /// The file has the contracts of the server.
    Unchanged,
    /// The server's contracts differ from the contracts in the file.
    Changed,
    /// The check wrote the server's contracts to the file.
    Updated,
}

fn serialize_changes<S: Serializer>(
    changes: &ContractChanges,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(changes.iter().map(|change| {
        let ContractChange {
            tool,
            breaking,
            description,
        } = change;
        json!({ "tool": tool, "breaking": breaking, "description": description })
    }))
}

impl ContractSummary {
    /// Compares the contracts with the file, and writes nothing.
    pub(in crate::cli) fn compare(path: &Path, current: &ContractLock) -> Result<Self, LockError> {
        let (state, changes) = match ContractLock::read(path) {
            Err(LockError::Missing { .. }) => (ContractState::Missing, ContractChanges::default()),
            locked => {
                let changes = locked?.changes_to(current);
                (
                    if changes.is_empty() {
                        ContractState::Unchanged
                    } else {
                        ContractState::Changed
                    },
                    changes,
                )
            }
        };
        Ok(Self {
            file: path.to_owned(),
            state,
            contracts: current.len(),
            breaking: changes.breaking(),
            changes,
        })
    }

    pub(super) fn print(&self) -> Result<(), CliError> {
        show(&self.changes)?;
        let path = self.file.display();
        let contracts = counted(self.contracts, "contract");
        match self.state {
            // The failure of the check has the advice for these.
            ContractState::Missing | ContractState::Changed => Ok(()),
            ContractState::Written => done(format_args!(
                "{contracts} written to {path}; keep it under version control"
            )),
            ContractState::Unchanged => done(format_args!("{contracts} unchanged since {path}")),
            ContractState::Updated => done(format_args!(
                "{path} is up to date: {}",
                self.changes.counted()
            )),
        }
    }
}

/// Compares the contracts with the file, and writes the file if the options ask for that. A
/// difference that is not accepted is added to the failures.
pub(super) fn hold(
    options: &CheckOptions,
    path: &Path,
    current: &ContractLock,
    failures: &mut Vec<String>,
) -> Option<ContractSummary> {
    // An unreadable file is a failure among others, so that the other findings are printed, too.
    let compared = ContractSummary::compare(path, current);
    let mut summary = compared
        .map_err(|error| failures.push(error.to_string()))
        .ok()?;
    match accept(options, &summary) {
        Err(unaccepted) => failures.push(unaccepted),
        Ok(None) => {}
        Ok(Some(state)) => match current.write(path) {
            Ok(()) => summary.state = state,
            Err(error) => failures.push(error.to_string()),
        },
    }
    Some(summary)
}

/// GitHub, GitLab and most other CI systems set `CI`. Some developers set it to `false` locally.
fn runs_in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false")
}

/// Returns the state of the file after it is written, or `None` if nothing is to write.
///
/// The first file is not written in CI. There it would not be committed, so each later run would
/// write it again and pass. Every change needs a review, which `--update` confirms. `--deny
/// breaking` rejects a breaking change even then.
fn accept(
    options: &CheckOptions,
    summary: &ContractSummary,
) -> Result<Option<ContractState>, String> {
    let path = summary.file.display();
    let counted = summary.changes.counted();
    match summary.state {
        ContractState::Missing if runs_in_ci() && !options.update => Err(format!(
            "{path} does not exist, and `check` does not create it if `CI` is set; create it locally with \
             `check --lock {path}` and commit it"
        )),
        ContractState::Missing => Ok(Some(ContractState::Written)),
        ContractState::Changed if !options.update => Err(format!(
            "{counted}; review this, then accept it with `check --lock {path} --update`"
        )),
        _ if options.denies(DeniedFinding::Breaking) && summary.breaking > 0 => {
            Err(format!("{counted}, which is denied; nothing was written"))
        }
        _ => Ok(options.update.then_some(ContractState::Updated)),
    }
}

fn show(changes: &ContractChanges) -> Result<(), CliError> {
    for (tool, changes) in changes.by_tool() {
        style::print(format_args!("{}\n", style::bold(tool)))?;
        for change in changes {
            let class = if change.breaking {
                style::red("breaking  ")
            } else {
                style::dim("compatible")
            };
            style::print(format_args!(
                "  {class}  {}\n",
                one_line(&change.description)
            ))?;
        }
    }
    Ok(())
}

fn done(what: std::fmt::Arguments<'_>) -> Result<(), CliError> {
    style::print(format_args!("{} {what}\n", style::green("ok")))?;
    Ok(())
}
