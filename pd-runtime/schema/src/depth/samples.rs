//! Schemas that nest, refer and branch deeply. The tests of pd-runtime include this file, too.

#![allow(
    dead_code,
    clippy::indexing_slicing,
    reason = "each test uses some, and fails by panicking"
)]

use serde_json::{Value, json};

/// Builds a chain of references for one value, the last of which enters the value and starts again.
pub(crate) fn chain(steps: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for step in 1..steps {
        definitions.insert(
            step.to_string(),
            json!({ "$ref": format!("#/$defs/{}", step + 1) }),
        );
    }
    let into = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/1" } } });
    definitions.insert(steps.to_string(), into.clone());
    let mut schema = into;
    schema["$defs"] = Value::Object(definitions);
    schema
}

/// Nests schemas under one keyword.
pub(crate) fn nested_schema(keyword: &str, levels: usize) -> Value {
    let inside = |inner: Value| match keyword {
        "properties" => json!({ "properties": { "a": inner } }),
        "anyOf" | "allOf" | "oneOf" => json!({ keyword: [inner] }),
        _ => json!({ keyword: inner }),
    };
    let inner = (0..levels).fold(json!({}), |inner, _| inside(inner));
    json!({ "type": "object", "properties": { "a": inner } })
}

/// Builds schemas of which each refers to the next and contains it in a property.
pub(crate) fn chain_into(steps: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for step in 1..steps {
        let next = json!({ "properties": { "a": { "$ref": format!("#/$defs/{}", step + 1) } } });
        definitions.insert(step.to_string(), next);
    }
    definitions.insert(steps.to_string(), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/1" } }, "$defs": definitions })
}

/// Builds schemas with two references each to the next.
pub(crate) fn doubled(steps: usize, keyword: &str) -> Value {
    let mut definitions = serde_json::Map::new();
    for step in 1..steps {
        let next = json!({ "$ref": format!("#/$defs/{}", step + 1) });
        let both = match keyword {
            "properties" => {
                json!({ "anyOf": [{ "properties": { "a": next } }, { "properties": { "a": next, "b": false } }] })
            }
            keyword => json!({ keyword: vec![next; 8] }),
        };
        definitions.insert(step.to_string(), both);
    }
    definitions.insert(steps.to_string(), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/1" } }, "$defs": definitions })
}
