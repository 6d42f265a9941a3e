//! Lint warnings, one on each line, in the format of compiler messages that editors and CI systems
//! recognize.

use super::{CheckOptions, CliError, DeniedFinding, style};
use crate::{
    check::LintWarning,
    text::{
        equal_lines::{group_by, render_names},
        escape::one_line,
    },
};
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
    /// Whether the owner of a gateway reads it, who cannot edit the tool.
    #[serde(skip)]
    is_relayed: bool,
}

impl LintRemark {
    pub(super) fn new(options: &CheckOptions, warning: LintWarning) -> Self {
        let LintWarning {
            tool,
            origin,
            lint,
            message,
            is_relayed,
        } = warning;
        let is_denied =
            options.denies(DeniedFinding::Taste) || options.denies(DeniedFinding::Lint(lint));
        Self {
            lint: lint.name(),
            tool: known(tool),
            origin: known(origin),
            message,
            is_denied,
            is_relayed,
        }
    }

    /// Prints the warning, for all tools that have it.
    fn print(&self, tools: &[&str]) -> std::io::Result<()> {
        let class = if self.is_denied {
            style::red("error")
        } else {
            style::yellow("warning")
        };
        let origin = self
            .origin
            .as_ref()
            .map(|origin| format!("{}: ", one_line(origin)))
            .unwrap_or_default();
        let line = match tools {
            [] => self.message.clone(),
            [tool] => format!("`{tool}`: {}", self.message),
            tools => format!(
                "{} ({}: {})",
                self.message,
                style::counted(tools.len(), "tool"),
                render_names(tools.iter().copied())
            ),
        };
        let lint = style::dim(format!("[{}]", self.lint));
        style::print(format_args!(
            "{origin}{class}: {} {lint}\n",
            one_line(&line)
        ))
    }

    /// Two remarks with equal keys have the same line, but for the tool. The place of a declared
    /// tool is its own, so editors find each.
    fn line_key(&self) -> (&str, Option<&str>, &str, bool) {
        (
            &self.message,
            self.origin.as_deref(),
            self.lint,
            self.is_denied,
        )
    }
}

fn known(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Prints equal warnings of several tools as one.
fn print_remarks(remarks: &[LintRemark]) -> std::io::Result<()> {
    group_by(remarks, LintRemark::line_key)
        .iter()
        .try_for_each(|group| {
            let tools: Vec<&str> = group
                .iter()
                .filter_map(|remark| remark.tool.as_deref())
                .collect();
            group.first().map_or(Ok(()), |remark| remark.print(&tools))
        })
}

/// How the owner of a gateway replaces a text.
const OVERLAY_ADVICE: &str = "`export --format tool-descriptions DIR` writes the texts as files, and `--overlay DIR` reads those that \
                              you edit";

/// Prints the warnings.
pub(super) fn print(remarks: &[LintRemark]) -> Result<(), CliError> {
    print_remarks(remarks)?;
    if !remarks.is_empty() && denial(remarks).is_none() {
        let count = style::counted(remarks.len(), "remark");
        let silence = "`allow(NAME)` at the tool silences one; ";
        let silence = if remarks.iter().all(|remark| remark.is_relayed) {
            ""
        } else {
            silence
        };
        let advice = style::dim(format!("{silence}`--deny taste` makes them fail"));
        style::print(format_args!(
            "{} {count}; {advice}\n",
            style::yellow("taste")
        ))?;
        if remarks.iter().any(|remark| remark.is_relayed) {
            style::print(format_args!("{}\n", style::dim(OVERLAY_ADVICE)))?;
        }
    }
    Ok(())
}

/// Returns the reason why the check fails if some of the warnings are denied.
pub(super) fn denial(remarks: &[LintRemark]) -> Option<String> {
    let mut denied = remarks.iter().filter(|remark| remark.is_denied);
    let advice = match denied.clone().count() {
        0 => return None,
        1 => "1 remark is denied; fix it".to_owned(),
        denied => format!("{denied} remarks are denied; fix each"),
    };
    // The owner of a gateway cannot edit the tools, so `allow` is not advice.
    if denied.all(|remark| remark.is_relayed) {
        return Some(advice);
    }
    Some(format!(
        "{advice}, or silence it at the tool with `allow(NAME)`"
    ))
}
