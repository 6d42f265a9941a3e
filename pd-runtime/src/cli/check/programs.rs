//! The programs among the tools: their syntax, and their recorded examples.

use crate::{
    Registry,
    check::RegistryErrors,
    cli::{
        CliError,
        style::{self, counted},
    },
    code::{CodeMode, rehearsal},
};
use serde::Serialize;

/// The programs that were checked.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct ProgramSummary {
    pub(in crate::cli) programs: usize,
    /// The number of recorded examples that the programs passed.
    pub(in crate::cli) examples: usize,
    /// The reason why the programs were neither compiled nor run.
    pub(in crate::cli) skipped: Option<String>,
}

impl ProgramSummary {
    pub(super) fn print(&self) -> std::io::Result<()> {
        let programs = counted(self.programs, "program");
        match &self.skipped {
            Some(reason) => {
                let warning = style::yellow("warning");
                style::print(format_args!(
                    "{warning}: {programs} neither compiled nor run: {reason}\n"
                ))
            }
            None => {
                let examples = counted(self.examples, "recorded example");
                style::print(format_args!(
                    "{} {programs}, {examples}\n",
                    style::green("ok")
                ))
            }
        }
    }
}

/// Compiles the programs and runs their recorded examples, in workers of the server, or of this
/// program. Returns `None` without programs, and the programs' mistakes as the inner error.
pub(super) async fn check<S: 'static>(
    registry: &Registry<S>,
    mode: Option<&CodeMode>,
) -> Result<Result<Option<ProgramSummary>, RegistryErrors>, CliError> {
    let programs = registry.count_programs();
    if programs == 0 {
        return Ok(Ok(None));
    }
    // The programs are the author's own, and nothing but recorded answers reaches them.
    let mode = mode
        .cloned()
        .map_or_else(CodeMode::from_current_exe, Ok)?
        .allow_unconfined(true);
    // A warning and not a failure: the programs may be right where no worker starts.
    let skipped = rehearsal::check_worker(&mode)
        .await
        .err()
        .map(|error| error.to_string());
    let examples = match &skipped {
        Some(_) => Ok(0),
        None => registry.check_programs(&mode).await,
    };
    Ok(examples.map(|examples| {
        Some(ProgramSummary {
            programs,
            examples,
            skipped,
        })
    }))
}
