//! Corrections for whoever can make them. An author edits the code. The owner of a gateway cannot edit
//! the tools of its servers, and has overlays, the configuration, and the servers' maintainers.

use super::super::tool_spec::ToolSpec;

/// A correction in the words of each reader.
#[derive(Debug, Clone, Copy)]
pub(super) struct Correction<'a> {
    pub(super) author: &'a str,
    pub(super) owner: &'a str,
}

/// The owner's places for the summary of a tool.
pub(super) const SUMMARY: &str = "set another `summary` in an overlay, or in `pd.tools` of its server";
/// The owner's places for any other text of a tool.
pub(super) const TEXT: &str = "replace it in an overlay, or tell the server's maintainers";

impl<'a> Correction<'a> {
    /// Returns the words for the reader who can correct this tool.
    pub(super) fn for_tool(self, about: &ToolSpec) -> &'a str {
        if about.is_relayed() { self.owner } else { self.author }
    }
}
