//! The renderings of a tool that include its output schema.

use super::{
    definition::{self, Mark, Whole},
    description::{self, Description},
};
use crate::registry::tool_spec::About;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// The renderings that depend on the protocol generation, because they include the output schema.
#[derive(Debug)]
pub(crate) struct Forms {
    /// The entry in a full list. If the registry has groups, its mark names the groups that contain
    /// the tool, and says whether the tool can be called. A caller that sees the tool also sees
    /// these groups.
    pub(crate) full: Whole,
    /// The same entry without an empty mark, for callers that see no groups. For such a caller,
    /// groups do not exist.
    pub(crate) unmarked: Option<Whole>,
    /// Rendered on first use. Clients request few of the descriptions.
    description: OnceLock<Description>,
}

impl Forms {
    pub(super) fn new(about: &About, output: Option<Arc<JsonObject>>, mark: Option<Mark<'_>>) -> Self {
        let full = definition::full(about, output);
        let unmarked = mark.filter(|mark| mark.is_empty()).map(|_| Whole::new(full.clone()));
        let full = match mark {
            Some(mark) => definition::with_mark(full, mark),
            None => full,
        };
        Self { full: Whole::new(full), unmarked, description: OnceLock::new() }
    }

    pub(super) fn description(&self, about: &About) -> &Description {
        self.description.get_or_init(|| {
            let mut document = description::document(about);
            if let Some(output) = &self.full.tool.output_schema {
                document.insert("outputSchema".to_owned(), Value::Object((**output).clone()));
            }
            Description::new(document, &about.related)
        })
    }
}
