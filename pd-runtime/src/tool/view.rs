//! The view of a tool: the page that hosts render for its calls (MCP Apps, SEP-1865), as a
//! declaration has it. `registry::view` has the owned form.

use super::output::{IntoOutput, Json, StructuredOutput};
use rmcp::model::ContentBlock;

/// The view of a declared tool, as const data in generated code.
#[derive(Debug, Clone, Copy)]
pub struct ViewFacts {
    /// The file of the page, from the directory of the package.
    pub file: &'static str,
    /// The page.
    pub html: &'static str,
    /// `_meta.ui` of the page's resource, as JSON text. Empty if the author sets nothing.
    pub settings: &'static str,
    /// The names of the tools that the page calls.
    pub calls: &'static [&'static str],
}

/// Who calls a tool, if it is not for both models and views (MCP Apps, `_meta.ui.visibility`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Models alone. Hosts refuse the calls of views.
    Model,
    /// Views alone. No model finds, reads or calls the tool.
    App,
}

impl Visibility {
    /// Returns the name in `_meta.ui.visibility`.
    pub(crate) const fn audience(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::App => "app",
        }
    }
}

/// A return type whose results a view can show: they have structured content, and its text for
/// hosts without views.
#[diagnostic::on_unimplemented(
    message = "a tool with a view returns structured content, and `{Self}` has none",
    label = "a view cannot read this",
    note = "the view reads `structuredContent`, and hosts without views show its text",
    note = "return `Json<…>`, or a `Result` of it"
)]
pub trait ViewOutput: IntoOutput {}

impl<T: StructuredOutput> ViewOutput for Json<T> {}
impl<T: StructuredOutput> ViewOutput for (Json<T>, Vec<ContentBlock>) {}
#[diagnostic::do_not_recommend]
impl<T: ViewOutput, E> ViewOutput for Result<T, E> where Self: IntoOutput {}

/// Returns the view of a tool that returns an `R`.
pub const fn view<R: ViewOutput>(facts: ViewFacts) -> Option<ViewFacts> {
    Some(facts)
}
