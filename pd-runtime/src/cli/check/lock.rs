//! Contracts compared with their file: created, compared, or updated.

use super::{
    CheckOptions, CliError, DeniedFinding,
    style::{self, counted},
};
use crate::{
    check::{ContractChanges, ContractLock, LockError},
    text::escape::one_line,
};
use std::path::Path;

/// Compares the contracts with the file. The inner error reports a difference.
pub(super) fn hold(
    options: &CheckOptions,
    path: &Path,
    current: &ContractLock,
) -> Result<Result<(), String>, CliError> {
    let locked = match ContractLock::read(path) {
        Err(LockError::Missing { .. }) => return begin(options, path, current),
        locked => locked?,
    };
    let changes = locked.changes_to(current);
    show(&changes)?;
    if let Err(unaccepted) = accept(options, path, &changes) {
        return Ok(Err(unaccepted));
    }
    if options.update {
        current.write(path)?;
        done(format_args!("{} is up to date: {}", path.display(), changes.counted()))?;
    } else {
        done(format_args!("{} unchanged since {}", counted(current.len(), "contract"), path.display()))?;
    }
    Ok(Ok(()))
}

/// Writes the first lock, except in CI. There the file would not be committed, so each later run
/// would write it again and pass.
fn begin(options: &CheckOptions, path: &Path, current: &ContractLock) -> Result<Result<(), String>, CliError> {
    let shown = path.display();
    if runs_in_ci() && !options.update {
        return Ok(Err(format!(
            "{shown} does not exist, and `check` does not create it if `CI` is set; create it locally with \
             `check --lock {shown}` and commit it"
        )));
    }
    current.write(path)?;
    let contracts = counted(current.len(), "contract");
    done(format_args!("{contracts} written to {shown}; keep it under version control"))?;
    Ok(Ok(()))
}

/// GitHub, GitLab and most other CI systems set `CI`. Some developers set it to `false` locally.
fn runs_in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false")
}

/// Every change needs a review, which `--update` confirms. `--deny breaking` rejects a breaking
/// change even then.
fn accept(options: &CheckOptions, path: &Path, changes: &ContractChanges) -> Result<(), String> {
    let counted = changes.counted();
    if !options.update && !changes.is_empty() {
        let path = path.display();
        return Err(format!("{counted}; review this, then accept it with `check --lock {path} --update`"));
    }
    if options.denies(DeniedFinding::Breaking) && changes.breaking() > 0 {
        return Err(format!("{counted}, which is denied; nothing was written"));
    }
    Ok(())
}

fn show(changes: &ContractChanges) -> Result<(), CliError> {
    for (tool, changes) in changes.by_tool() {
        style::print(format_args!("{}\n", style::bold(tool)))?;
        for change in changes {
            let class = if change.breaking { style::red("breaking  ") } else { style::dim("compatible") };
            style::print(format_args!("  {class}  {}\n", one_line(&change.description)))?;
        }
    }
    Ok(())
}

fn done(what: std::fmt::Arguments<'_>) -> Result<(), CliError> {
    style::print(format_args!("{} {what}\n", style::green("ok")))?;
    Ok(())
}
