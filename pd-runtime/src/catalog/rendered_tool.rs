//! The renderings of a tool that include its output schema.

use super::{
    definition::{self, FullDefinition, GroupsMark},
    description,
    description_text::ToolDescription,
};
use crate::registry::tool_spec::ToolSpec;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// The renderings that depend on the protocol generation, because they include the output schema.
#[derive(Debug)]
pub(crate) struct RenderedTool {
    /// The entry in a full list. If the registry has groups, its mark names the groups that contain
    /// the tool, and says whether the tool can be called. A caller that sees the tool also sees
    /// these groups.
    pub(crate) full: FullDefinition,
    /// The same entry without an empty mark, for callers that see no groups. For such a caller,
    /// groups do not exist.
    pub(crate) unmarked: Option<FullDefinition>,
    /// Rendered on first use. Clients request few of the descriptions.
    description: OnceLock<ToolDescription>,
}

impl RenderedTool {
    pub(super) fn new(
        about: &ToolSpec,
        output: Option<Arc<JsonObject>>,
        mark: Option<GroupsMark<'_>>,
    ) -> Self {
        let full = definition::full(about, output);
        // A mark that is not empty is shown to every caller, so only an empty one needs a second
        // entry.
        let unmarked = mark
            .filter(|mark| mark.is_empty())
            .map(|_| FullDefinition::new(full.clone()));
        let full = match mark {
            Some(mark) => definition::with_mark(full, mark),
            None => full,
        };
        Self {
            full: FullDefinition::new(full),
            unmarked,
            description: OnceLock::new(),
        }
    }

    pub(super) fn description(&self, about: &ToolSpec) -> &ToolDescription {
        self.description.get_or_init(|| {
            let mut document = description::document(about);
            // The schema of this generation replaces the one of the document.
            if let Some(output) = &self.full.tool.output_schema {
                document.insert("outputSchema".to_owned(), Value::Object((**output).clone()));
            }
            ToolDescription::new(document, &about.discovery.related)
        })
    }
}
