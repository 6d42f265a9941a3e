//! Corrections for whoever can make them. An author edits the code. The owner of a gateway cannot
//! edit the tools of its servers, and has overlays, the configuration, and the servers'
//! maintainers.

use super::super::{rmcp_import::ADOPTED, tool_spec::ToolSpec};

/// A correction in the words of each reader.
#[derive(Debug, Clone, Copy)]
pub(super) struct Correction<'a> {
    pub(super) author: &'a str,
    pub(super) owner: &'a str,
}

/// The owner's places for the summary of a tool.
pub(super) const SUMMARY: &str =
    "set another `summary` in an overlay, or in `pd.tools` of its server";
/// The owner's places for any other text of a tool.
pub(super) const TEXT: &str = "replace it in an overlay, or tell the server's maintainers";

impl<'a> Correction<'a> {
    /// Returns the words for the reader who can correct this tool.
    pub(super) fn for_tool(self, about: &ToolSpec) -> &'a str {
        if about.is_relayed() {
            self.owner
        } else {
            self.author
        }
    }
}

/// The form in which a tool was defined, which decides what its author can edit.
#[derive(Debug, Clone, Copy)]
pub(super) enum DefinitionKind {
    /// A function with `#[pd_tool]`: the author edits its types.
    Function,
    /// `Tool::new`, `Tool::from_definition`, or a program: the author edits a schema in JSON, or
    /// what makes it.
    RunTime,
    /// rmcp's `#[tool]`: the author edits the type in `Parameters`, unless the type is from another
    /// crate.
    RmcpRouter,
    /// A server behind a gateway: its owner edits nothing of the tool.
    Upstream,
}

impl DefinitionKind {
    pub(super) fn new(about: &ToolSpec) -> Self {
        if about.is_relayed() {
            Self::Upstream
        } else if about.declared.declaration.is_some() {
            Self::Function
        } else if about.origin == ADOPTED {
            Self::RmcpRouter
        } else {
            Self::RunTime
        }
    }
}
