//! A tool's texts that show its output schema.

use super::{
    definition::{self, Mark, Whole},
    description::{self, Description},
};
use crate::registry::tool_spec::About;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// What shows the output schema, which depends on the protocol's generation.
#[derive(Debug)]
pub(crate) struct Forms {
    /// The entry of a full list. Where there are groups, it names those that the tool stands in (whoever sees the tool sees
    /// them), and says whether the tool can be called.
    pub(crate) full: Whole,
    /// The same without that mark, where the tool stands in no group: to a caller who sees no group, there are none.
    pub(crate) unmarked: Option<Whole>,
    /// Made when it is first asked for: of many tools, few are.
    description: OnceLock<Description>,
}

impl Forms {
    pub(super) fn new(about: &About, output: Option<Arc<JsonObject>>, mark: Option<Mark<'_>>) -> Self {
        let full = definition::full(about, output);
        let unmarked = mark.filter(|mark| mark.is_empty()).map(|_| Whole::new(full.clone()));
        let full = match mark {
            Some(mark) => definition::marked(full, mark),
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
