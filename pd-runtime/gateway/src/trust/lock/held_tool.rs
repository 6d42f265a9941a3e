//! Tools and other texts that wait for a person's approval.

use super::{TextChange, texts};
use pd_runtime::{check::ContractChanges, upstream::ToolContract};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::fmt;

/// What a server has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeldKind {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource template.
    ResourceTemplate,
    /// Its title, description or instructions.
    Server,
}

impl HeldKind {
    /// Returns the words for the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::ResourceTemplate => "resource template",
            Self::Server => "server",
        }
    }
}

/// A tool of a server, or another text of it, that is held until a person approves it.
///
/// The texts come from the server. Escape them before you show them on a terminal.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HeldTool {
    /// The name of the server's entry.
    pub server: String,
    /// What has changed.
    pub kind: HeldKind,
    /// The server's own name of the tool or prompt, the URI template, or the name of the server's
    /// entry.
    pub tool: String,
    /// Whether no version was approved before. Then it is not offered. Otherwise it is listed as
    /// approved, and its calls are refused.
    pub is_new: bool,
    /// The changes of the contract since it was approved. Empty for a new tool.
    pub changes: ContractChanges,
    /// The texts that changed, at most 200.
    pub texts: Vec<TextChange>,
    pub(crate) listed: ToolContract,
}

/// Writes one line without texts of the server, except for the tool's name.
impl fmt::Display for HeldTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, .. } = self;
        match self.kind {
            HeldKind::Tool => write!(f, "`{tool}` of `{server}`")?,
            HeldKind::Server => write!(f, "what `{server}` says about itself")?,
            kind => write!(f, "the {} `{tool}` of `{server}`", kind.as_str())?,
        }
        let state = if self.is_new {
            "is new"
        } else {
            "has changed since it was approved"
        };
        write!(
            f,
            " {state}; review this with `pd-gateway approve {server}`"
        )
    }
}

impl HeldTool {
    pub(crate) fn new(
        server: &str,
        kind: HeldKind,
        approved: Option<&ToolContract>,
        listed: &Value,
    ) -> Option<Self> {
        let mut listed = ToolContract::from_definition(listed)?;
        // Compared as the review compares it, so that a person sees only what is held.
        if let Some(approved) = approved {
            listed = listed.with_omissions_of(approved);
        }
        let none = JsonObject::new();
        let texts = texts::compare(approved.map_or(&none, ToolContract::facts), listed.facts());
        let beginning = if kind == HeldKind::Tool {
            String::new()
        } else {
            format!("{} ", kind.as_str())
        };
        Some(Self {
            server: server.to_owned(),
            kind,
            // The name in the lock begins with the kind (`TextDefinition::new`).
            tool: listed.name().strip_prefix(&beginning)?.to_owned(),
            is_new: approved.is_none(),
            // What a server says about itself is texts alone, which are shown anyway.
            changes: approved
                .filter(|_| kind != HeldKind::Server)
                .map(|approved| approved.changes_to(&listed))
                .unwrap_or_default(),
            texts: texts
                .into_iter()
                .map(|text| with_own_place(kind, text))
                .collect(),
            listed,
        })
    }
}

/// Returns a text with the place that it has in the server's own list.
fn with_own_place(kind: HeldKind, mut text: TextChange) -> TextChange {
    if kind != HeldKind::Tool {
        let place = text
            .place
            .trim_start_matches("otherKeys/")
            .trim_start_matches("more/");
        text.place = place.replacen("inputSchema/properties/", "arguments/", 1);
    }
    text
}
