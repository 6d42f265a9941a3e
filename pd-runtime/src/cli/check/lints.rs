//! Lint warnings, one on each line, in the format of compiler messages that editors and CI systems
//! recognize.

use super::{CheckOptions, CliError, DeniedFinding, style};
use crate::{check::LintWarning, text::escape::one_line};

/// Prints the warnings. The inner error reports that some of them are denied.
pub(super) fn report_warnings(options: &CheckOptions, remarks: &[LintWarning]) -> Result<Result<(), String>, CliError> {
    let is_denied =
        |remark: &LintWarning| options.denies(DeniedFinding::Taste) || options.denies(DeniedFinding::Lint(remark.lint));
    for remark in remarks {
        let class = if is_denied(remark) { style::red("error") } else { style::yellow("warning") };
        let origin = if remark.origin.is_empty() { String::new() } else { format!("{}: ", one_line(&remark.origin)) };
        let lint = style::dim(format!("[{}]", remark.lint));
        style::print(format_args!("{origin}{class}: {} {lint}\n", one_line(&remark.render_briefly())))?;
    }
    let denied = remarks.iter().filter(|remark| is_denied(remark)).count();
    if denied > 0 {
        let advice = match denied {
            1 => "1 remark is denied; fix it".to_owned(),
            _ => format!("{denied} remarks are denied; fix each"),
        };
        return Ok(Err(format!("{advice}, or silence it at the tool with `allow(NAME)`")));
    }
    if !remarks.is_empty() {
        let count = style::counted(remarks.len(), "remark");
        let advice = style::dim("`allow(NAME)` at the tool silences one; `--deny taste` makes them fail");
        style::print(format_args!("{} {count}; {advice}\n", style::yellow("taste")))?;
    }
    Ok(Ok(()))
}
