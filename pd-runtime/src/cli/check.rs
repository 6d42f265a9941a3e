//! `check`: the checks of an author's tests on the command line: rules, lints, requests that must
//! find their tools, and the contract lock.

mod found;
mod lints;
mod lock;
#[cfg(feature = "code")]
pub(super) mod programs;
mod request_file;

use super::{
    CliError, break_even,
    style::{self, counted},
};
use crate::{
    Listing, Registry,
    check::{CheckReport, Lint},
};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use std::path::PathBuf;

/// The checks to run besides the rules.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckOptions {
    /// Fail on these findings: `taste` for every lint, a lint's name for one lint, `breaking` for a
    /// breaking change even with `--update`
    #[arg(long, value_name = "WHAT", value_parser = deny_parser())]
    deny: Vec<DeniedFinding>,
    /// Compare the tools' contracts with this file, and fail if one changed; if the file does not
    /// exist, write it, or fail if `CI` is set
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// Accept changed contracts: rewrite the file, or write the first one
    #[arg(long, requires = "lock")]
    update: bool,
    /// Check the tools with the edited descriptions in this directory, as `serve --overlay` serves
    /// them; reports every mistake with its line and column
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
    /// Check also that these requests find their tools: JSON Lines `{"text": "…", "relevant":
    /// ["tool", …]}`, where one of the tools must be among the first. The requests that tools
    /// declare with `found_by` are always checked
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// The number of first hits that must contain a request's tool
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..))]
    within: u16,
}

/// A finding that fails the check although it passes by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeniedFinding {
    Taste,
    Lint(Lint),
    Breaking,
}

fn deny_parser() -> impl TypedValueParser<Value = DeniedFinding> {
    // clap shows the possible values in its help and suggests the nearest one for a typo.
    let names = ["taste", "breaking"].into_iter().chain(Lint::ALL.iter().map(|lint| lint.name()));
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "taste" => Ok(DeniedFinding::Taste),
        "breaking" => Ok(DeniedFinding::Breaking),
        lint => lint.parse().map(DeniedFinding::Lint),
    })
}

impl CheckOptions {
    #[cfg(feature = "gateway")]
    pub(super) fn compares_contracts(&self) -> bool {
        self.lock.is_some()
    }

    fn denies(&self, what: DeniedFinding) -> bool {
        self.deny.contains(&what)
    }
}

/// Renders "25 judged by the compiler, 4 by this check, 1 by neither".
fn judges(checked: &CheckReport) -> String {
    let CheckReport { examples, compiler_checked_examples, unchecked_examples, .. } = checked;
    let here = examples - compiler_checked_examples - unchecked_examples;
    format!("{compiler_checked_examples} judged by the compiler, {here} by this check, {unchecked_examples} by neither")
}

/// Prints all findings to standard output. The error counts those that fail the check.
pub(super) fn check<S: 'static>(
    options: &CheckOptions,
    registry: &Registry<S>,
    listing: Listing,
) -> Result<(), CliError> {
    if options.denies(DeniedFinding::Breaking) && options.lock.is_none() {
        return Err("`--deny breaking` needs the contracts; name their file with `--lock FILE`".into());
    }
    let overlaid = options.overlay.as_ref().map(|directory| registry.overlaid(directory)).transpose()?;
    let registry = overlaid.as_ref().unwrap_or(registry);
    let checked = registry.check()?;
    style::print(format_args!(
        "{} {}, {} ({}), a minimal listing of about {}\n",
        style::green("ok"),
        counted(checked.tools, "tool"),
        counted(checked.examples, "fitting example"),
        judges(&checked),
        counted(checked.listing_tokens, "token"),
    ))?;
    let mut remarks = registry.lint();
    remarks.extend(break_even::remark(registry, listing));
    let taste = lints::report_warnings(options, &remarks)?;
    let found = found::check_requests(options, registry)?;
    let lock = match &options.lock {
        Some(path) => lock::hold(options, path, &registry.lock()?)?,
        None => Ok(()),
    };
    // All checks have printed their findings, so the error contains the counts of all.
    let errors: Vec<String> = [taste, found, lock].into_iter().filter_map(Result::err).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("; ").into()) }
}
