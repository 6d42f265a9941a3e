//! What users are asked to fill in.

use pd_runtime::rmcp::model::ElicitationSchema;
use serde_json::{Value, json};

/// One line of text, under this name.
pub(crate) fn text(name: &str) -> ElicitationSchema {
    ElicitationSchema::builder()
        .required_string(name)
        .build_unchecked()
}

/// Yes or no, under this name.
pub(crate) fn consent(name: &str) -> ElicitationSchema {
    ElicitationSchema::builder()
        .required_bool(name)
        .build_unchecked()
}

/// Who the user is.
pub(crate) fn contact() -> ElicitationSchema {
    ElicitationSchema::builder()
        .required_string_with("username", |name| name.description("User's response"))
        .required_string_with("email", |address| {
            address.description("User's email address")
        })
        .build_unchecked()
}

/// A field of each type, with a default (SEP-1034).
pub(crate) fn defaults() -> Result<ElicitationSchema, serde_json::Error> {
    form(json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    }))
}

/// A choice of each form (SEP-1330).
pub(crate) fn choices() -> Result<ElicitationSchema, serde_json::Error> {
    let options = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    form(json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    }))
}

fn form(properties: Value) -> Result<ElicitationSchema, serde_json::Error> {
    serde_json::from_value(json!({ "type": "object", "properties": properties }))
}
