//! The arguments that select columns of a selective tool.

use super::{
    schema::{self, InputSchema},
    selective::columns::{ABSTRACT_DOMAINS, MODE, RowColumn, RowColumns},
    tool_spec::ToolSpec,
};
use crate::selective::table::ROW_ID;
use pd_schema::reader::SchemaRef;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Returns the columns of the rows that a schema describes.
///
/// # Errors
///
/// Returns an error if rows are not objects, or have a column with the name of the row number.
pub(crate) fn row_columns(
    describe: fn(&mut SchemaGenerator) -> Option<Schema>,
) -> Result<RowColumns, String> {
    let Some(row) = schema::output_schema(describe) else {
        return Ok(RowColumns::default());
    };
    let columns = RowColumns::from_row_schema(&row).map_err(|other| {
        format!("a row is an object, and here it is {other}; return a list of structs")
    })?;
    if columns.names().any(|name| name == ROW_ID) {
        return Err(format!(
            "`{ROW_ID}` is the row number that the server adds; rename that column"
        ));
    }
    Ok(columns)
}

/// Adds the arguments of every selective tool to its input. Returns the names that the function's
/// own arguments already use.
pub(super) fn add_arguments(columns: &RowColumns, input: &mut InputSchema) -> Vec<String> {
    let mut conflicts = Vec::new();
    let mut nullable = Vec::new();
    let root = input.schema_mut();
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else {
        return conflicts;
    };
    for (name, schema) in [
        (ABSTRACT_DOMAINS, names_schema(columns)),
        (MODE, mode_schema()),
    ] {
        if properties.contains_key(name) {
            conflicts.push(name.to_owned());
            continue;
        }
        properties.insert(name.to_owned(), schema);
        // Models send `null` for a selection that they do not want.
        nullable.push(name.to_owned());
    }
    input.nullable.append(&mut nullable);
    conflicts
}

/// The keywords at the root of an input schema by which further arguments may not be valid, beside
/// references and branches.
const CLOSING: [&str; 5] = [
    "$dynamicRef",
    "if",
    "propertyNames",
    "maxProperties",
    "unevaluatedProperties",
];

impl ToolSpec {
    /// Makes an imported tool selective, unless its own arguments prevent this. Returns whether it
    /// is selective now.
    pub fn add_row_columns(&mut self, columns: RowColumns) -> bool {
        let schema = SchemaRef::document(&*self.input.schema);
        if schema.property(ABSTRACT_DOMAINS).is_some()
            || schema.property(MODE).is_some()
            || schema.has_reference()
            || schema.has_branches()
            || CLOSING.iter().any(|key| schema.get(key).is_some())
        {
            return false;
        }
        add_arguments(&columns, &mut self.input);
        self.columns = Some(Box::new(columns));
        true
    }
}

fn names_schema(columns: &RowColumns) -> Value {
    let mut text =
        "Columns to show, separated by commas: as few as you need to decide. The others are kept for a tool that \
                    takes `abstract_data`. Left out: all is shown."
            .to_owned();
    if !columns.known.is_empty() {
        text.push_str(if columns.is_open {
            " Columns, among others:"
        } else {
            " Columns:"
        });
    }
    for RowColumn { name, doc, .. } in &columns.known {
        let separator = if doc.is_empty() { "" } else { ": " };
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n- {name}{separator}{doc}");
    }
    json!({ "type": "string", "description": text })
}

fn mode_schema() -> Value {
    json!({
        "type": "string",
        "enum": ["async", "sync"],
        "default": "async",
        "description": "How the others are handed on: `async` by `resource_url`, `sync` in the result as `body`, for an agent that takes it out.",
    })
}
