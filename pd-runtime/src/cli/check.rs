//! `check`: the checks of an author's tests on the command line: rules, lints, requests that must
//! find their tools, and the contract lock.

mod found;
mod lints;
mod lock;
#[cfg(feature = "code")]
mod programs;
mod request_file;

use super::{
    CliError, break_even, json_output,
    overlay::OverlayOptions,
    style::{self, counted},
};
#[cfg(feature = "code")]
use crate::code::CodeMode;
use crate::{
    Listing, Registry,
    check::{CheckReport, Lint},
};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use found::RequestSummary;
use lints::LintRemark;
pub(super) use lock::ContractSummary;
#[cfg(feature = "code")]
use programs::ProgramSummary;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The number of first hits among which a request must find its tool, by default.
const WITHIN: u16 = 5;

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
    #[arg(long, value_name = "N", default_value_t = WITHIN, value_parser = clap::value_parser!(u16).range(1..))]
    within: u16,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
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
    let names = ["taste", "breaking"]
        .into_iter()
        .chain(Lint::ALL.iter().map(|lint| lint.name()));
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "taste" => Ok(DeniedFinding::Taste),
        "breaking" => Ok(DeniedFinding::Breaking),
        lint => lint.parse().map(DeniedFinding::Lint),
    })
}

impl CheckOptions {
    /// Checks the rules and lints of tools with these texts, and denies nothing.
    pub(super) fn for_texts(texts: &OverlayOptions) -> Self {
        Self {
            overlay: texts.directory().map(Path::to_owned),
            // The derived default would be 0, which no request can meet. clap sets its own for
            // arguments only.
            within: WITHIN,
            ..Self::default()
        }
    }

    #[doc(hidden)]
    pub fn compares_contracts(&self) -> bool {
        self.lock.is_some()
    }

    fn denies(&self, what: DeniedFinding) -> bool {
        self.deny.contains(&what)
    }
}

/// The findings of a check.
#[derive(Debug, Serialize)]
pub(super) struct CheckSummary {
    /// Whether nothing fails the check.
    pub(super) ok: bool,
    /// The rules that the registry breaks, and the mistakes in edited descriptions.
    pub(super) problems: Vec<String>,
    /// `None` if there are problems. Lints and contracts are then not checked.
    pub(super) registry: Option<RegistryCounts>,
    /// The warnings of the lints.
    pub(super) remarks: Vec<LintRemark>,
    /// The requests that must find their tools.
    pub(super) requests: Option<RequestSummary>,
    /// The contracts compared with their file. `None` without `--lock`, or if there are problems.
    pub(super) contracts: Option<ContractSummary>,
    /// The programs among the tools. `None` if there are none.
    #[cfg(feature = "code")]
    pub(super) programs: Option<ProgramSummary>,
    /// The reasons why the check fails, as on standard error.
    pub(super) failures: Vec<String>,
}

/// The counts of a registry that breaks no rule.
#[derive(Debug, Serialize)]
pub(super) struct RegistryCounts {
    pub(super) tools: usize,
    pub(super) examples: ExampleCounts,
    /// The estimated cost of the minimal listing, in tokens.
    pub(super) listing_tokens: usize,
    /// Whether the tools belong to other servers, and no compiler here has seen them.
    #[serde(skip)]
    is_relayed: bool,
}

/// The numbers of examples, by what checked them.
#[derive(Debug, Serialize)]
pub(super) struct ExampleCounts {
    pub(super) by_compiler: usize,
    pub(super) by_check: usize,
    pub(super) unchecked: usize,
}

impl RegistryCounts {
    fn from_report(report: &CheckReport, is_relayed: bool) -> Self {
        let CheckReport {
            tools,
            examples,
            compiler_checked_examples,
            unchecked_examples,
            listing_tokens,
        } = *report;
        let examples = ExampleCounts {
            by_compiler: compiler_checked_examples,
            by_check: examples - compiler_checked_examples - unchecked_examples,
            unchecked: unchecked_examples,
        };
        Self {
            tools,
            examples,
            listing_tokens,
            is_relayed,
        }
    }

    fn print(&self) -> std::io::Result<()> {
        let ExampleCounts {
            by_compiler,
            by_check,
            unchecked,
        } = self.examples;
        let judges = match self.is_relayed {
            true => String::new(),
            false => {
                format!(
                    " ({by_compiler} judged by the compiler, {by_check} by this check, {unchecked} by neither)"
                )
            }
        };
        style::print(format_args!(
            "{} {}, {}{judges}, a minimal listing of about {}\n",
            style::green("ok"),
            counted(self.tools, "tool"),
            counted(by_compiler + by_check + unchecked, "fitting example"),
            counted(self.listing_tokens, "token"),
        ))
    }
}

impl CheckSummary {
    /// Runs the checks. With `--lock`, this writes the file if it is missing or `--update` is set.
    ///
    /// # Errors
    ///
    /// Returns an error if the options contradict each other. Findings are not errors.
    pub(super) fn new<S: 'static>(
        options: &CheckOptions,
        registry: &Registry<S>,
        listing: Listing,
    ) -> Result<Self, CliError> {
        if options.denies(DeniedFinding::Breaking) && options.lock.is_none() {
            return Err(
                "`--deny breaking` needs the contracts; name their file with `--lock FILE`".into(),
            );
        }
        let overlaid = match options
            .overlay
            .as_ref()
            .map(|directory| registry.overlaid(directory))
            .transpose()
        {
            Ok(overlaid) => overlaid,
            // Mistakes in edited descriptions are findings, which `--json` prints, too.
            Err(error) => return Ok(Self::from_problems(error.iter(), &error)),
        };
        let registry = overlaid.as_ref().unwrap_or(registry);
        match registry.check() {
            Ok(report) => Self::from_registry(options, registry, listing, &report),
            // The owner of a gateway cannot edit the tools, so the problem is rendered for that
            // reader.
            Err(errors) if registry.has_relayed_tools() => {
                let problems: Vec<_> = errors
                    .iter()
                    .map(|error| registry.render_problem(error))
                    .collect();
                let all = problems.join("\n");
                Ok(Self::from_problems(problems.into_iter(), &all))
            }
            Err(errors) => Ok(Self::from_problems(errors.iter(), &errors)),
        }
    }

    fn from_registry<S: 'static>(
        options: &CheckOptions,
        registry: &Registry<S>,
        listing: Listing,
        report: &CheckReport,
    ) -> Result<Self, CliError> {
        let mut warnings = registry.lint();
        // Beside the lints of the registry, which does not know how a server lists it.
        warnings.extend(break_even::remark(registry, listing));
        let remarks: Vec<_> = warnings
            .into_iter()
            .map(|warning| LintRemark::new(options, warning))
            .collect();
        let mut failures: Vec<String> = lints::denial(&remarks).into_iter().collect();
        let requests = RequestSummary::new(options, registry)?;
        failures.extend(requests.failure());
        let contracts = options.lock.as_ref().and_then(|path| {
            let current = registry
                .lock()
                .map_err(|errors| failures.push(errors.to_string()))
                .ok()?;
            lock::hold(options, path, &current, &mut failures)
        });
        Ok(Self {
            ok: failures.is_empty(),
            problems: Vec::new(),
            registry: Some(RegistryCounts::from_report(
                report,
                registry.has_relayed_tools(),
            )),
            remarks,
            requests: Some(requests),
            contracts,
            #[cfg(feature = "code")]
            programs: None,
            failures,
        })
    }

    fn from_problems(problems: impl Iterator<Item: ToString>, error: &impl ToString) -> Self {
        Self {
            ok: false,
            problems: problems.map(|problem| problem.to_string()).collect(),
            registry: None,
            remarks: Vec::new(),
            requests: None,
            contracts: None,
            #[cfg(feature = "code")]
            programs: None,
            failures: vec![error.to_string()],
        }
    }

    /// Adds the check of the programs among the tools.
    #[cfg(feature = "code")]
    pub(super) async fn with_programs<S: 'static>(
        mut self,
        registry: &Registry<S>,
        mode: Option<&CodeMode>,
    ) -> Result<Self, CliError> {
        match programs::check(registry, mode).await? {
            Ok(programs) => self.programs = programs,
            Err(errors) => {
                self.ok = false;
                self.problems.extend(errors.iter().map(ToString::to_string));
                self.failures.push(errors.to_string());
            }
        }
        Ok(self)
    }

    /// Prints the findings. Those that fail the check are returned as an error.
    pub(super) fn end(self, options: &CheckOptions) -> Result<(), CliError> {
        if options.json {
            json_output::print(&self)?
        } else {
            self.print()?
        }
        if self.ok {
            Ok(())
        } else {
            Err(self.failures.join("; ").into())
        }
    }

    fn print(&self) -> Result<(), CliError> {
        // The error of the command has the problems, so they are not printed here.
        let Some(registry) = &self.registry else {
            return Ok(());
        };
        registry.print()?;
        lints::print(&self.remarks)?;
        if let Some(requests) = &self.requests {
            requests.print()?;
        }
        if let Some(contracts) = &self.contracts {
            contracts.print()?;
        }
        #[cfg(feature = "code")]
        if let Some(programs) = &self.programs {
            programs.print()?;
        }
        Ok(())
    }
}
