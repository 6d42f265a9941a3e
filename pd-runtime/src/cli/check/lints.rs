//! Lint warnings, one on each line, in the format of compiler messages that editors and CI systems
//! recognize.

use super::{CheckOptions, CliError, DeniedFinding, style};
use crate::{check::LintWarning, text::escape::one_line};
use serde::Serialize;

/// A warning of a lint, and whether it fails the check.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct LintRemark {
    pub(in crate::cli) lint: &'static str,
    /// `None` if it is about the server, a group or a bundle.
    pub(in crate::cli) tool: Option<String>,
    /// The tool's source location or file, if it is known.
    pub(in crate::cli) origin: Option<String>,
    pub(in crate::cli) message: String,
    pub(in crate::cli) is_denied: bool,
}

impl LintRemark {
    pub(super) fn new(options: &CheckOptions, warning: LintWarning) -> Self {
        let LintWarning { tool, origin, lint, message } = warning;
        let is_denied = options.denies(DeniedFinding::Taste) || options.denies(DeniedFinding::Lint(lint));
        let known = |text: String| (!text.is_empty()).then_some(text);
        Self { lint: lint.name(), tool: known(tool), origin: known(origin), message, is_denied }
    }

    fn print(&self) -> std::io::Result<()> {
        let class = if self.is_denied { style::red("error") } else { style::yellow("warning") };
        let origin = self.origin.as_ref().map(|origin| format!("{}: ", one_line(origin))).unwrap_or_default();
        let tool = self.tool.as_ref().map(|tool| format!("`{tool}`: ")).unwrap_or_default();
        let lint = style::dim(format!("[{}]", self.lint));
        style::print(format_args!("{origin}{class}: {} {lint}\n", one_line(&format!("{tool}{}", self.message))))
    }
}

/// Prints the warnings.
pub(super) fn print(remarks: &[LintRemark]) -> Result<(), CliError> {
    remarks.iter().try_for_each(LintRemark::print)?;
    if !remarks.is_empty() && denial(remarks).is_none() {
        let count = style::counted(remarks.len(), "remark");
        let advice = style::dim("`allow(NAME)` at the tool silences one; `--deny taste` makes them fail");
        style::print(format_args!("{} {count}; {advice}\n", style::yellow("taste")))?;
    }
    Ok(())
}

/// Returns the reason why the check fails if some of the warnings are denied.
pub(super) fn denial(remarks: &[LintRemark]) -> Option<String> {
    let advice = match remarks.iter().filter(|remark| remark.is_denied).count() {
        0 => return None,
        1 => "1 remark is denied; fix it".to_owned(),
        denied => format!("{denied} remarks are denied; fix each"),
    };
    Some(format!("{advice}, or silence it at the tool with `allow(NAME)`"))
}
