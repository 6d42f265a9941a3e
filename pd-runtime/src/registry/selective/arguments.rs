//! The arguments that carry rows of another tool (MCP-SD), with short descriptions that name every
//! column.

use crate::{
    registry::selective::columns::{self, RowColumn, RowColumns},
    selective::table::ROW_ID,
    tool::{
        descriptor::ArgumentFacts,
        selected::{ABSTRACT_DATA, BODY_DATA, COLUMN_MAPPING, RESOURCE_URL},
    },
};

use rmcp::model::JsonObject;

/// An argument with a string value.
pub(in crate::registry) struct RowsArgument {
    pub(in crate::registry) name: &'static str,
    pub(in crate::registry) description: String,
    pub(in crate::registry) required: bool,
}

/// Returns the arguments that carry rows of this schema.
///
/// # Errors
///
/// Returns an error if a row is not an object.
pub(in crate::registry) fn row_arguments(
    argument: &ArgumentFacts,
    row: &JsonObject,
) -> Result<[RowsArgument; 4], String> {
    let columns = RowColumns::from_row_schema(row).map_err(|_| {
        format!(
            "`{}` takes rows, which are objects; write `Selected` of a struct or a map",
            argument.name
        )
    })?;
    let mut rows =
        "The rows chosen from another tool's `abstract`: a JSON array, each row with its `_row_id`"
            .to_owned();
    if !argument.doc.is_empty() {
        rows = format!("{}\n{rows}", argument.doc);
    }
    let text = |name, description: String| RowsArgument {
        name,
        description,
        required: name == ABSTRACT_DATA,
    };
    Ok([
        text(ABSTRACT_DATA, rows),
        text(
            RESOURCE_URL,
            "That tool's `resource_url`, as it is; good for one call".to_owned(),
        ),
        text(
            BODY_DATA,
            "Its `body` instead, where it gave one: a JSON array".to_owned(),
        ),
        text(COLUMN_MAPPING, mapping_description(&columns, row)),
    ])
}

fn mapping_description(columns: &RowColumns, row: &JsonObject) -> String {
    let lines: String = columns
        .known
        .iter()
        // Row numbers have the same name in every tool, so they are never renamed.
        .filter(|column| column.name != ROW_ID)
        .map(|column| column_line(column, row))
        .collect();
    if lines.is_empty() {
        return "A JSON object that renames that tool's columns".to_owned();
    }
    // Only `column_mapping` lists the columns. A caller who can use the other tool's names needs no
    // list, and each list costs tokens.
    let ours = if columns.is_open {
        "Ours, among others"
    } else {
        "Ours"
    };
    format!(
        "Where that tool's columns are called otherwise: a JSON object, its name to ours. {ours}:{lines}"
    )
}

/// Renders `- event: The kind of event`, after a line break.
fn column_line(RowColumn { name, doc, .. }: &RowColumn, row: &JsonObject) -> String {
    let optional = if columns::is_required(name, row) {
        ""
    } else {
        " (optional)"
    };
    let separator = if doc.is_empty() { "" } else { ": " };
    format!("\n- {name}{optional}{separator}{doc}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{Selected, tool::descriptor::argument};
    use schemars::JsonSchema;
    use serde::{Deserialize, de::DeserializeOwned};
    use std::collections::HashMap;

    /// Returns the description of `column_mapping` for rows of this type.
    fn mapping_text<T: DeserializeOwned + JsonSchema>() -> Result<String, String> {
        let input = crate::registry::schema::input_schema(&[argument::<Selected<T>>("rows")])?;
        let description = input
            .schema
            .get("properties")
            .and_then(|known| known.get(COLUMN_MAPPING)?.get("description").cloned());
        Ok(description.unwrap().as_str().unwrap().to_owned())
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "its schema is read")]
    struct Place {
        _row_id: u64,
        /// Its name
        name: String,
        inside: Option<Box<Place>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "its schema is read")]
    struct Loose {
        #[serde(flatten)]
        place: Place,
        #[serde(flatten)]
        others: HashMap<String, u8>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[allow(dead_code, reason = "its schema is read")]
    enum Event {
        Storm { area: String, wind: f32 },
        Flood { area: String, level: f32 },
    }

    #[test]
    fn columns_are_what_serde_reads() {
        assert!(
            mapping_text::<Place>()
                .unwrap()
                .ends_with(" Ours:\n- name: Its name\n- inside (optional)")
        );
        assert!(
            mapping_text::<Loose>()
                .unwrap()
                .ends_with(" Ours, among others:\n- name: Its name\n- inside (optional)")
        );
        let tagged = mapping_text::<Event>().unwrap();
        for line in [
            "\n- kind",
            "\n- area",
            "\n- wind (optional)",
            "\n- level (optional)",
        ] {
            assert!(
                format!("{tagged}\n").contains(&format!("{line}\n")),
                "{tagged}"
            );
        }
        assert!(
            mapping_text::<HashMap<String, u8>>()
                .unwrap()
                .ends_with("renames that tool's columns")
        );
        assert!(
            mapping_text::<String>()
                .unwrap_err()
                .contains("write `Selected` of a struct or a map")
        );
    }
}
