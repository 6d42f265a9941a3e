//! Contracts against their file: written, held, or brought up to date.

use super::{
    CheckOptions, CliError, DeniedFinding,
    style::{self, counted},
};
use crate::{
    check::{ContractChanges, ContractLock, LockError},
    text::escape::one_line,
};
use std::path::Path;

/// Holds the contracts against the file. The inner error says that they do not hold.
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

/// Writes the first lock, except where nobody would commit it: there the check would hold nothing, and pass for ever.
fn begin(options: &CheckOptions, path: &Path, current: &ContractLock) -> Result<Result<(), String>, CliError> {
    let shown = path.display();
    if runs_in_ci() && !options.update {
        return Ok(Err(format!(
            "there is no {shown}, and none is written where `CI` is set; write it with `check --lock {shown}` at your desk, \
             and commit it"
        )));
    }
    current.write(path)?;
    let contracts = counted(current.len(), "contract");
    done(format_args!("{contracts} written to {shown}; keep it under version control"))?;
    Ok(Ok(()))
}

/// GitHub, GitLab and most others set `CI`; some people set it to `false` to play the desk.
fn runs_in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false")
}

/// Any change wants a review, which `--update` says has been; one that breaks callers may be denied even then.
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
    let style = style::TerminalStyle::of_stdout();
    for (tool, changes) in changes.by_tool() {
        style::print(format_args!("{}\n", style.bold(tool)))?;
        for change in changes {
            let class = if change.breaking { style.red("breaking  ") } else { style.dim("compatible") };
            style::print(format_args!("  {class}  {}\n", one_line(&change.words)))?;
        }
    }
    Ok(())
}

fn done(what: std::fmt::Arguments<'_>) -> Result<(), CliError> {
    let style = style::TerminalStyle::of_stdout();
    style::print(format_args!("{} {what}\n", style.green("ok")))?;
    Ok(())
}
