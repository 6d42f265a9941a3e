//! What a model reads of the arguments that rows of another tool are sent as (MCP-SD): little, but all columns by name.

use crate::{
    descriptor::ArgumentFacts,
    tool::selected::{ABSTRACT_DATA, BODY_DATA, COLUMN_MAPPING, RESOURCE_URL},
};
use rmcp::model::JsonObject;
use serde_json::Value;

/// An argument that is a text.
pub(super) struct Sent {
    pub(super) name: &'static str,
    pub(super) description: String,
    pub(super) required: bool,
}

/// The arguments that rows of this schema are sent as.
///
/// # Errors
///
/// A row is no object.
pub(super) fn sent(argument: &ArgumentFacts, row: &JsonObject) -> Result<[Sent; 4], String> {
    if row.get("type").is_some_and(|kind| kind != "object") {
        return Err(format!(
            "`{}` takes rows, which are objects; write `Selected` of a struct or a map",
            argument.name
        ));
    }
    let mut chosen =
        "The rows chosen from another tool's `abstract`: a JSON array, each row with its `_row_id`".to_owned();
    if !argument.doc.is_empty() {
        chosen = format!("{}\n{chosen}", argument.doc);
    }
    let text = |name, description: String| Sent { name, description, required: name == ABSTRACT_DATA };
    Ok([
        text(ABSTRACT_DATA, chosen),
        text(RESOURCE_URL, "That tool's `resource_url`, as it is".to_owned()),
        text(BODY_DATA, "Its `body` instead, where it gave one: a JSON array".to_owned()),
        text(COLUMN_MAPPING, mapping(row)),
    ])
}

fn mapping(row: &JsonObject) -> String {
    let columns = columns(row);
    if columns.is_empty() {
        return "A JSON object that renames that tool's columns".to_owned();
    }
    format!("Where that tool's columns are called otherwise: a JSON object, its name to ours. Ours:{columns}")
}

/// `- event: What happened`, one a line, each after a line break.
fn columns(row: &JsonObject) -> String {
    let Some(Value::Object(properties)) = row.get("properties") else { return String::new() };
    let required = row.get("required").and_then(Value::as_array);
    let line = |(name, schema): (&String, &Value)| {
        let is_required = required.is_some_and(|names| names.iter().any(|one| one == name));
        let optional = if is_required { "" } else { " (optional)" };
        match schema.get("description").and_then(Value::as_str) {
            Some(doc) => format!("\n- {name}{optional}: {}", first_paragraph(doc)),
            None => format!("\n- {name}{optional}"),
        }
    };
    properties.iter().filter(|(name, _)| *name != crate::table::ROW_ID).map(line).collect()
}

/// On one line.
fn first_paragraph(doc: &str) -> String {
    let first = doc.split("\n\n").next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}
