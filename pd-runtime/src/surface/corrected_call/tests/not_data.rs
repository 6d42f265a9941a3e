//! Values that must not become data, and members that must not vanish without a word.

use super::{call, corrected};
use serde_json::json;

#[test]
fn the_text_null_becomes_no_member_and_no_item() {
    let filter = json!({
        "type": "object",
        "properties": { "field": { "type": "string" }, "value": { "type": "integer" } },
        "required": ["field"],
    });
    let words = json!({ "type": "array", "items": { "type": "string" } });
    let schema = json!({ "type": "object", "properties": { "filter": filter, "words": words } });
    for (arguments, sent) in [
        (
            json!({ "filter": "null" }),
            r#"{"filter": {"field": <string>}}"#,
        ),
        (json!({ "words": " null\n" }), r#"{"words": <string[]>}"#),
        (json!({ "words": "none" }), r#"{"words": ["none"]}"#),
    ] {
        assert!(
            call(&schema, &arguments).contains(sent),
            "{arguments}: {}",
            call(&schema, &arguments)
        );
    }
}

#[test]
fn a_key_that_fits_no_pattern_is_named() {
    let ports = json!({
        "type": "object",
        "patternProperties": { "^\\d+$": { "type": "string" } },
        "additionalProperties": false,
    });
    let schema = json!({ "type": "object", "properties": { "ports": ports } });
    let (request, _) = corrected(
        &schema,
        &json!({ "ports": { "80": "http", "https": "tls" } }),
    );
    let request = request.unwrap_or_default();
    assert!(request.contains("no `ports/https`"), "{request}");
    assert!(
        request.contains(r#"{"ports": {"80": "http"}}"#),
        "{request}"
    );
}
