//! Rows in an output schema: an array with objects as its items.

use super::json_rows::{LEVELS_MAX, MEMBERS_MAX, RowPath};
use pd_runtime::upstream::{ROW_ID, RowColumns};
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The most alternatives of one schema that are read. Alternatives behind a reference count each
/// time.
const ALTERNATIVES_MAX: usize = 16;

/// Finds the array of objects that is nearest to the root of a schema, and its columns. Returns
/// `None` if there are several at this level.
pub(super) fn find_rows(schema: &JsonObject) -> Option<(RowPath, RowColumns)> {
    let (path, row) = find_row_schema(SchemaRef::document(schema))?;
    let columns = RowColumns::from_upstream_schema(row);
    // Each row gets its number under this name.
    let has_row_number = columns.names().any(|name| name == ROW_ID);
    (!has_row_number).then_some((path, columns))
}

fn find_row_schema(root: SchemaRef<'_>) -> Option<(RowPath, SchemaRef<'_>)> {
    if let Some(row) = row_schema(root.resolved()) {
        return Some((RowPath::new(), row));
    }
    let mut level = vec![(RowPath::new(), root)];
    let mut members = 0;
    for _ in 0..LEVELS_MAX {
        let mut next = Vec::new();
        let mut found = None;
        for (path, object) in level {
            for (key, member) in alternatives(object).flat_map(SchemaRef::properties) {
                members += 1;
                let path: RowPath = path.iter().cloned().chain([key.to_owned()]).collect();
                let row = alternatives(member).find_map(row_schema);
                if members > MEMBERS_MAX || (row.is_some() && found.is_some()) {
                    return None;
                }
                found = found.or(row.map(|row| (path.clone(), row)));
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

/// Returns a schema, and those that it is one of. An optional value is `anyOf` of a type and
/// `null`.
fn alternatives(schema: SchemaRef<'_>) -> impl Iterator<Item = SchemaRef<'_>> {
    let schema = schema.resolved();
    let branches = schema.alternatives().map(SchemaRef::resolved);
    // Bounded, because references multiply what a short schema describes.
    std::iter::once(schema)
        .chain(branches)
        .take(ALTERNATIVES_MAX)
}

/// Returns the schema of an array's items, if they are objects.
fn row_schema(schema: SchemaRef<'_>) -> Option<SchemaRef<'_>> {
    if !has_type(schema, "array") {
        return None;
    }
    let row = schema.at(schema.get("items")?).resolved();
    (has_type(row, "object") || row.get("properties").is_some()).then_some(row)
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
        let row =
            json!({ "type": "object", "properties": { "id": { "type": "integer" }, "title": {} } });
        let rows = json!({ "type": "array", "items": row });
        let object = |properties: Value| json!({ "type": "object", "properties": properties });
        let columns = || vec!["id".to_owned(), "title".to_owned()];
        for (schema, path) in [
            (rows.clone(), Some("")),
            (
                object(json!({ "total": { "type": "integer" }, "items": rows })),
                Some("items"),
            ),
            (
                object(
                    json!({ "data": object(json!({ "nodes": rows })), "tags": { "type": "array" } }),
                ),
                Some("data/nodes"),
            ),
            (
                object(json!({ "result": { "anyOf": [rows, { "type": "null" }] } })),
                Some("result"),
            ),
            (object(json!({ "nodes": rows, "edges": rows })), None),
            (
                object(json!({ "names": { "type": "array", "items": { "type": "string" } } })),
                None,
            ),
            (object(json!({})), None),
        ] {
            assert_eq!(
                found(schema.clone()),
                path.map(|path| (path.to_owned(), columns())),
                "{schema}"
            );
        }
        let definitions = json!({ "$defs": { "row": row }, "type": "object",
            "properties": { "items": { "type": "array", "items": { "$ref": "#/$defs/row" } } } });
        assert_eq!(found(definitions), Some(("items".to_owned(), columns())));
        let circle = json!({ "$defs": { "a": { "properties": { "a": { "$ref": "#/$defs/a" }, "b": { "$ref": "#/$defs/a" } } } },
            "$ref": "#/$defs/a" });
        assert_eq!(found(circle), None, "the search has an end");
        let numbered =
            json!({ "type": "array", "items": { "properties": { "_row_id": {}, "id": {} } } });
        assert_eq!(found(numbered), None, "the name of the row number");
    }

    /// References multiply what a short schema describes.
    #[test]
    fn a_schema_that_refers_to_itself_often_takes_no_time() {
        let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
        let columns: JsonObject = (0..2_000)
            .map(|number| (number.to_string(), json!({})))
            .collect();
        let rows = json!({ "type": "array", "items": { "anyOf": vec![reference("columns"); 2_000], "type": "object" } });
        let members: JsonObject = (0..2_000)
            .map(|number| (number.to_string(), reference("union")))
            .collect();
        let definitions = json!({ "columns": { "properties": columns }, "rows": rows,
            "union": { "anyOf": vec![reference("members"); 2_000] }, "members": { "properties": members } });
        let document = |root: Value| json!({ "$defs": definitions, "properties": { "a": root } });
        assert_eq!(found(document(reference("rows"))).unwrap().1.len(), 2_000);
        assert_eq!(found(document(reference("members"))), None);
    }
}
