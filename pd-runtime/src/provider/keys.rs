//! The keys of an input schema's `properties`, for a provider that accepts only
//! `^[a-zA-Z0-9_.-]{1,64}$`.

use super::{NAME_MAX, with_digest_suffix};
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

fn fits(key: &str) -> bool {
    (1..=NAME_MAX).contains(&key.len())
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// Returns the schema's keys that the provider refuses, with a new name for each.
fn new_names(schema: &JsonObject) -> HashMap<&str, String> {
    let root = SchemaRef::document(schema);
    let mut taken: HashSet<String> = HashSet::new();
    let mut renamed = HashMap::new();
    for (key, _) in root.properties().filter(|(key, _)| !fits(key)) {
        let mut name = super::name(key).into_owned();
        // Another property may already have the new name, or a property that was renamed before.
        if root.property(&name).is_some() || taken.contains(&name) {
            name = with_digest_suffix(&name, key);
        }
        taken.insert(name.clone());
        renamed.insert(key, name);
    }
    renamed
}

/// Renames the keys that the provider refuses, in `properties` and in `required`.
pub(super) fn rename(mut schema: JsonObject) -> JsonObject {
    let renamed: HashMap<String, String> = new_names(&schema)
        .into_iter()
        .map(|(key, name)| (key.to_owned(), name))
        .collect();
    if renamed.is_empty() {
        return schema;
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let entries = std::mem::take(properties).into_iter();
        *properties = entries
            .map(|(key, schema)| (renamed.get(&key).cloned().unwrap_or(key), schema))
            .collect();
    }
    for key in schema
        .get_mut("required")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(name) = key.as_str().and_then(|key| renamed.get(key)) {
            *key = Value::String(name.clone());
        }
    }
    schema
}

/// Restores the schema's own keys in the arguments. A key that was not renamed is kept.
pub(super) fn restore(schema: &JsonObject, arguments: JsonObject) -> JsonObject {
    let new_names = new_names(schema);
    let own_keys: HashMap<&str, &str> = new_names
        .iter()
        .map(|(key, name)| (name.as_str(), *key))
        .collect();
    arguments
        .into_iter()
        .map(|(key, sent)| {
            (
                own_keys
                    .get(key.as_str())
                    .map_or(key, |own| (*own).to_owned()),
                sent,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_made_to_fit_and_taken_back() {
        let long = "x".repeat(65);
        let schema = json!({
            "type": "object",
            "properties": { "$top": { "type": "integer" }, "_top": {}, "@type": {}, "?type": {}, "a.b": {}, (&long): {} },
            "required": ["$top", "a.b"],
        });
        let schema = schema.as_object().unwrap();
        let made = rename(schema.clone());
        let keys: Vec<&String> = made["properties"].as_object().unwrap().keys().collect();
        assert!(
            keys.iter().all(|key| fits(key)) && keys.len() == 6,
            "{keys:?}"
        );
        assert_eq!(made["properties"][keys[0]], json!({ "type": "integer" }));
        assert_eq!(made["required"], json!([keys[0], "a.b"]));
        let sent: JsonObject = keys.iter().map(|key| ((*key).clone(), json!(1))).collect();
        let restored = restore(schema, sent);
        assert!(
            schema["properties"]
                .as_object()
                .unwrap()
                .keys()
                .eq(restored.keys()),
            "{restored:?}"
        );
    }

    #[test]
    fn keys_that_fit_stay_as_they_are() {
        let schema = json!({ "properties": { "b": {}, "a": {} }, "required": ["b"] });
        let schema = schema.as_object().unwrap();
        assert_eq!(rename(schema.clone()), *schema);
        let sent = json!({ "b": 1, "_c": 2 });
        assert_eq!(
            restore(schema, sent.as_object().unwrap().clone()),
            *sent.as_object().unwrap()
        );
    }
}
