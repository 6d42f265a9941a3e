//! The root of an input schema. Both providers require an object with `properties`, and neither
//! accepts `oneOf`, `anyOf` or `allOf` there. One of them refuses `enum` and `not` as well.

use pd_schema::reader::{
    SchemaRef,
    schema_part::{BranchKeyword, SchemaList, SchemaPart},
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The keywords that move into the description, because a provider refuses them.
const MOVED_TO_TEXT: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/// Returns the schema with an object as its root, and the description with the keywords that were
/// removed from the root.
///
/// The root gets the properties of all branches, and requires what all branches require. It accepts
/// everything that the whole schema accepts. The server refuses arguments that fit no branch.
pub(super) fn flatten(description: &str, schema: &JsonObject) -> (String, JsonObject) {
    let mut root = schema.clone();
    // `$schema` describes the document and not the arguments.
    root.shift_remove("$schema");
    if !root.get("properties").is_some_and(Value::is_object) {
        root.insert("properties".to_owned(), json!({}));
    }
    let removed: JsonObject = MOVED_TO_TEXT
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), root.shift_remove(*key)?)))
        .collect();
    for (_, part) in SchemaRef::document(&removed).parts() {
        if let SchemaPart::Branches(keyword, branches) = part {
            merge_branches(&mut root, branches, keyword == BranchKeyword::AllOf);
        }
    }
    // By convention `type` is the first keyword of a schema.
    root.shift_remove("type");
    root.shift_insert(0, "type".to_owned(), json!("object"));
    let description = match removed.is_empty() {
        true => description.to_owned(),
        false => {
            // Without a description, the text must not begin with blank lines.
            format!(
                "{description}\n\nThe arguments must also fit: {}",
                Value::Object(removed)
            )
            .trim_start()
            .to_owned()
        }
    };
    (description, root)
}

/// Merges the branches' properties into the root, and the names that they require: all names for
/// `allOf`, and the names that every branch requires otherwise.
fn merge_branches(root: &mut JsonObject, branches: SchemaList<'_>, all: bool) {
    for (name, property) in branches.clone().flat_map(SchemaRef::properties) {
        if let Some(property) = property.value() {
            insert(root, name, property);
        }
    }
    let branches: Vec<&JsonObject> = branches.filter_map(SchemaRef::keywords).collect();
    let demanded = |branch: &JsonObject, name: &Value| {
        branch
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.contains(name))
    };
    let named = branches
        .iter()
        .filter_map(|branch| branch.get("required")?.as_array())
        .flatten();
    for name in named.filter(|name| all || branches.iter().all(|branch| demanded(branch, name))) {
        if let Value::Array(required) = root.entry("required").or_insert_with(|| json!([]))
            && !required.contains(name)
        {
            required.push(name.clone());
        }
    }
}

/// Inserts a property. If two branches describe it differently, it accepts any value.
fn insert(root: &mut JsonObject, name: &str, schema: &Value) {
    let Some(Value::Object(properties)) = root.get_mut("properties") else {
        return;
    };
    match properties.get(name) {
        Some(known) if known != schema => _ = properties.insert(name.to_owned(), json!({})),
        Some(_) => {}
        None => _ = properties.insert(name.to_owned(), schema.clone()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    fn flattened(schema: Value) -> (String, Value) {
        let (text, root) = flatten("Send.", schema.as_object().unwrap());
        (text, Value::Object(root))
    }

    #[test]
    fn an_object_stays_as_it_is() {
        let schema =
            json!({ "type": "object", "properties": { "a": { "oneOf": [] } }, "required": ["a"] });
        assert_eq!(flattened(schema.clone()), ("Send.".to_owned(), schema));
    }

    #[test]
    fn every_root_becomes_an_object_with_properties() {
        let draft = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" });
        for bare in [
            json!({}),
            json!({ "type": "object" }),
            json!({ "properties": null }),
            draft,
        ] {
            assert_eq!(
                flattened(bare.clone()).1,
                json!({ "type": "object", "properties": {} }),
                "{bare}"
            );
        }
    }

    #[test]
    fn what_a_root_may_not_say_is_told_in_words() {
        let (text, root) =
            flattened(json!({ "type": "object", "enum": [{}], "not": { "required": ["a"] } }));
        assert_eq!(root, json!({ "type": "object", "properties": {} }));
        let told = json!({ "enum": [{}], "not": { "required": ["a"] } });
        assert_eq!(
            text,
            format!("Send.\n\nThe arguments must also fit: {told}")
        );
    }

    #[test]
    fn branches_are_opened_up_and_told_in_words() {
        let branches = json!([
            { "properties": { "kind": { "const": "mail" }, "to": { "type": "string" } }, "required": ["kind", "to"] },
            { "properties": { "kind": { "const": "post" }, "street": { "type": "string" } }, "required": ["kind"] },
        ]);
        let (text, root) =
            flattened(json!({ "oneOf": branches, "properties": { "id": { "type": "integer" } } }));
        assert_eq!(
            root["properties"]["kind"],
            json!({}),
            "each branch has its own"
        );
        assert_eq!(root["properties"]["street"], json!({ "type": "string" }));
        assert_eq!(root["properties"]["id"], json!({ "type": "integer" }));
        assert_eq!(root["required"], json!(["kind"]));
        assert!(
            MOVED_TO_TEXT.iter().all(|key| root.get(key).is_none()),
            "{root}"
        );
        assert_eq!(
            text,
            format!(
                "Send.\n\nThe arguments must also fit: {}",
                json!({ "oneOf": branches })
            )
        );
    }

    #[test]
    fn of_all_of_everything_is_demanded() {
        let (_, root) = flattened(
            json!({ "type": "object", "allOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        );
        assert_eq!(root["required"], json!(["a", "b"]));
    }
}
