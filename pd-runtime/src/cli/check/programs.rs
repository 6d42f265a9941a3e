//! The programs among the tools: their syntax, and their recorded examples.

use crate::{
    Registry,
    cli::{
        CliError,
        style::{self, counted},
    },
    code::{CodeMode, rehearsal},
};

/// Compiles the programs and runs their recorded examples, in workers of the server, or of this
/// program.
pub(in crate::cli) async fn check<S: 'static>(registry: &Registry<S>, mode: Option<&CodeMode>) -> Result<(), CliError> {
    let programs = registry.count_programs();
    if programs == 0 {
        return Ok(());
    }
    // The programs are the author's own, and nothing but recorded answers reaches them.
    let mode = mode.cloned().map_or_else(CodeMode::from_current_exe, Ok)?.allow_unconfined(true);
    let counted_programs = counted(programs, "program");
    if let Err(error) = rehearsal::check_worker(&mode).await {
        let warning = style::yellow("warning");
        style::print(format_args!("{warning}: {counted_programs} neither compiled nor run: {error}\n"))?;
        return Ok(());
    }
    let examples = registry.check_programs(&mode).await?;
    let ok = style::green("ok");
    style::print(format_args!("{ok} {counted_programs}, {}\n", counted(examples, "recorded example")))?;
    Ok(())
}
