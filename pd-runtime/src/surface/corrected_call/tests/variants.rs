//! Values of enums in the forms of other enums, and lists that are written as one text.

use super::{call, corrected};
use serde_json::{Value, json};

fn one(schema: Value) -> Value {
    json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] })
}

#[test]
fn a_variant_around_its_members_gets_its_tag() {
    let word = |word: &str| json!({ "type": "string", "const": word });
    let number = json!({ "type": "number" });
    // `#[serde(tag = "kind")]` and `#[serde(tag = "kind", content = "of")]`.
    let internal = one(json!({ "oneOf": [
        { "type": "object", "properties": { "kind": word("none") }, "required": ["kind"] },
        { "type": "object", "properties": { "kind": word("box"), "width": number, "height": number },
            "required": ["kind", "width"] },
    ] }));
    let adjacent = one(json!({ "oneOf": [
        { "type": "object", "properties": { "kind": word("none") }, "required": ["kind"] },
        { "type": "object", "properties": { "kind": word("size"), "of": number }, "required": ["kind", "of"] },
        { "type": "object", "properties": { "kind": word("box"), "of": {
            "type": "object", "properties": { "width": number }, "required": ["width"],
        } }, "required": ["kind", "of"] },
    ] }));
    for (schema, sent, tagged) in [
        (
            &internal,
            json!({ "box": { "width": 1 } }),
            r#"{"kind": "box", "width": 1}"#,
        ),
        (
            &internal,
            json!({ "Box": { "width": 1, "height": 2 } }),
            r#"{"kind": "box", "width": 1, "height": 2}"#,
        ),
        (&internal, json!({ "none": {} }), r#"{"kind": "none"}"#),
        (&internal, json!({ "none": null }), r#"{"kind": "none"}"#),
        (
            &adjacent,
            json!({ "size": 3 }),
            r#"{"kind": "size", "of": 3}"#,
        ),
        (
            &adjacent,
            json!({ "box": { "width": 1 } }),
            r#"{"kind": "box", "of": {"width": 1}}"#,
        ),
    ] {
        let expected = format!(r#"{{"a": {tagged}}}"#);
        assert_eq!(call(schema, &json!({ "a": sent })), expected, "{sent}");
    }
    // No variant is meant, or a value would be lost.
    for sent in [
        json!({ "circle": { "width": 1 } }),
        json!({ "none": { "width": 1 } }),
        json!({ "box": { "width": 1 }, "more": 1 }),
    ] {
        let call = call(&internal, &json!({ "a": sent }));
        assert!(call.contains('<'), "{sent}: {call}");
    }
}

/// One text with several items does not become a list of one item.
#[test]
fn a_text_with_several_items_is_no_item() {
    let texts = one(json!({ "type": "array", "items": { "type": "string" } }));
    for sent in ["red, green", "red;green", "red\ngreen"] {
        let (request, _) = corrected(&texts, &json!({ "a": sent }));
        let request = request.unwrap_or_default();
        assert!(request.ends_with(r#"{"a": <string[]>}}"#), "{request}");
    }
    assert_eq!(call(&texts, &json!({ "a": "red" })), r#"{"a": ["red"]}"#);
}
