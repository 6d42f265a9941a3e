//! A tool's texts that show its output schema.

use super::{
    definition::{self, Mark, Whole},
    description::Description,
};
use crate::registry::about::About;
use rmcp::model::JsonObject;
use std::sync::Arc;

/// What shows the output schema, which depends on the protocol's generation.
#[derive(Debug)]
pub(crate) struct Forms {
    /// The entry of a full list. Where there are groups, it names those that the tool stands in (whoever sees the tool sees
    /// them), and says whether the tool can be called.
    pub(crate) full: Whole,
    /// The same without that mark, where the tool stands in no group: to a caller who sees no group, there are none.
    pub(crate) unmarked: Option<Whole>,
    pub(crate) description: Description,
}

impl Forms {
    pub(super) fn new(
        about: &About,
        document: JsonObject,
        output: Option<Arc<JsonObject>>,
        mark: Option<Mark<'_>>,
    ) -> Self {
        let full = definition::full(about, output);
        let unmarked = mark.filter(|mark| mark.is_empty()).map(|_| Whole::new(full.clone()));
        let full = match mark {
            Some(mark) => definition::marked(full, mark),
            None => full,
        };
        Self { full: Whole::new(full), unmarked, description: Description::new(document, &about.related) }
    }
}
