//! Rows in an output schema: an array whose items are objects.

use super::json_rows::{LEVELS_MAX, MEMBERS_MAX, RowPath};
use crate::{registry::selective::columns::RowColumns, schema::schema_ref::SchemaRef, selective::table::ROW_ID};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Finds the array of objects that is nearest to the root of a schema, and its columns. Returns
/// `None` if there are several at this level.
pub(super) fn find_rows(schema: &JsonObject) -> Option<(RowPath, RowColumns)> {
    let root = SchemaRef::document(schema);
    if let Some(columns) = row_columns(root) {
        return Some((RowPath::new(), columns));
    }
    let (mut level, mut members) = (vec![(RowPath::new(), root)], 0);
    for _ in 0..LEVELS_MAX {
        let mut next = Vec::new();
        let mut found = None;
        for (path, object) in level {
            for (key, member) in alternatives(object).flat_map(SchemaRef::properties) {
                members += 1;
                let path: RowPath = path.iter().cloned().chain([key.to_owned()]).collect();
                let columns = alternatives(member).find_map(row_columns);
                if members > MEMBERS_MAX || (columns.is_some() && found.is_some()) {
                    return None;
                }
                found = found.or(columns.map(|columns| (path.clone(), columns)));
                next.push((path, member));
            }
        }
        if found.is_some() {
            return found;
        }
        level = next;
    }
    None
}

/// Returns a schema, or those that it is one of. An optional value is `anyOf` of a type and `null`.
fn alternatives(schema: SchemaRef<'_>) -> impl Iterator<Item = SchemaRef<'_>> {
    let schema = schema.resolved();
    let branches = ["anyOf", "oneOf"].into_iter().filter_map(move |key| schema.branches(key)).flatten();
    std::iter::once(schema).chain(branches.map(SchemaRef::resolved))
}

/// Returns the columns of an array's items, if they are objects.
fn row_columns(schema: SchemaRef<'_>) -> Option<RowColumns> {
    let schema = schema.resolved();
    if !has_type(schema, "array") {
        return None;
    }
    let item = schema.at(schema.get("items")?).resolved();
    if !has_type(item, "object") && item.get("properties").is_none() {
        return None;
    }
    let columns = RowColumns::from_upstream_schema(item);
    let has_row_number = columns.names().any(|name| name == ROW_ID);
    (!has_row_number).then_some(columns)
}

fn has_type(schema: SchemaRef<'_>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(many)) => many.iter().any(|one| one == name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn found(schema: Value) -> Option<(String, Vec<String>)> {
        let (path, columns) = find_rows(schema.as_object().unwrap())?;
        Some((path.join("/"), columns.names().map(str::to_owned).collect()))
    }

    #[test]
    fn rows_are_the_nearest_array_of_objects_if_it_is_the_only_one() {
        let row = json!({ "type": "object", "properties": { "id": { "type": "integer" }, "title": {} } });
        let rows = json!({ "type": "array", "items": row });
        let object = |properties: Value| json!({ "type": "object", "properties": properties });
        let columns = || vec!["id".to_owned(), "title".to_owned()];
        for (schema, path) in [
            (rows.clone(), Some("")),
            (object(json!({ "total": { "type": "integer" }, "items": rows })), Some("items")),
            (
                object(json!({ "data": object(json!({ "nodes": rows })), "tags": { "type": "array" } })),
                Some("data/nodes"),
            ),
            (object(json!({ "result": { "anyOf": [rows, { "type": "null" }] } })), Some("result")),
            (object(json!({ "nodes": rows, "edges": rows })), None),
            (object(json!({ "names": { "type": "array", "items": { "type": "string" } } })), None),
            (object(json!({})), None),
        ] {
            assert_eq!(found(schema.clone()), path.map(|path| (path.to_owned(), columns())), "{schema}");
        }
        let definitions = json!({ "$defs": { "row": row }, "type": "object",
            "properties": { "items": { "type": "array", "items": { "$ref": "#/$defs/row" } } } });
        assert_eq!(found(definitions), Some(("items".to_owned(), columns())));
        let circle = json!({ "$defs": { "a": { "properties": { "a": { "$ref": "#/$defs/a" }, "b": { "$ref": "#/$defs/a" } } } },
            "$ref": "#/$defs/a" });
        assert_eq!(found(circle), None, "the search has an end");
    }
}
