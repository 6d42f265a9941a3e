//! The outline of an input schema: the names and types of all arguments, which of them are
//! required, and no texts. It is what a model needs to call a tool, in a form that every provider
//! and every framework passes on.

mod argument_names;
mod outlined;

pub(crate) use argument_names::ListedNames;
use outlined::{OutlinedSchema, Requirement};

use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::json;
use std::sync::Arc;

/// An input schema in outline.
#[derive(Debug)]
pub(crate) struct SchemaOutline {
    pub(crate) schema: Arc<JsonObject>,
    /// The arguments that are listed under other names.
    pub(crate) names: ListedNames,
}

impl SchemaOutline {
    /// Outlines a tool's input schema. The result has `properties` even if there are none, because
    /// many clients read a schema without them as a tool without arguments.
    pub(crate) fn new(schema: &JsonObject) -> Self {
        let mut outlined =
            OutlinedSchema::new(SchemaRef::document(schema), Requirement::Required).into_object();
        // After outlining, because only the properties that are listed need other names.
        let names = ListedNames::replace(&mut outlined);
        outlined.entry("properties").or_insert_with(|| json!({}));
        Self {
            schema: Arc::new(outlined),
            names,
        }
    }
}

#[cfg(test)]
mod tests;
