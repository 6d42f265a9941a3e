//! Formats as annotations.

use super::*;

fn accepts(schema: &Value, value: &Value) -> (bool, bool) {
    let closed = CompiledSchema::new(schema).unwrap();
    let open = CompiledSchema::new(schema).unwrap().with_open_formats();
    (
        closed.validate(value, &[]).is_ok(),
        open.validate(value, &[]).is_ok(),
    )
}

#[test]
fn a_text_may_have_its_format_or_not() {
    for (format, text) in [
        ("date-time", "2026-01-01T10:00:00"),
        ("date-time", "2026-01-01 10:00"),
        ("time", "10:00"),
        ("duration", "01:30:00"),
        ("uuid", "0123456789abcdef0123456789abcdef"),
        ("uri", "/tmp/x"),
        ("hostname", "my_host"),
        ("email", "Bob <b@x.example>"),
        ("regex", "["),
    ] {
        let schema = json!({ "properties": { "a": { "type": "string", "format": format } } });
        assert_eq!(accepts(&schema, &json!({ "a": text })), (false, true));
        assert_eq!(accepts(&schema, &json!({ "a": 1 })), (false, false));
    }
}

#[test]
fn no_other_keyword_refuses_what_a_format_no_longer_does() {
    let date = json!({ "type": "string", "format": "date" });
    let time = json!({ "type": "string", "format": "date-time" });
    let named = |schema: &Value| json!({ "properties": { "a": schema }, "required": ["a"] });
    for (schema, value) in [
        (json!({ "oneOf": [date, time] }), json!("2026-01-01")),
        (
            json!({ "oneOf": [named(&date), named(&time)] }),
            json!({ "a": "2026-01-01" }),
        ),
        (
            json!({ "oneOf": [{ "$ref": "#/$defs/d" }, time], "$defs": { "d": date } }),
            json!("2026-01-01"),
        ),
        (json!({ "not": { "format": "uri" } }), json!("x")),
        (
            json!({ "not": { "allOf": [{ "items": { "format": "uri" } }] } }),
            json!(["x"]),
        ),
        (
            json!({ "if": date, "then": { "maxLength": 10 }, "else": { "minLength": 2 } }),
            json!("a long text"),
        ),
        (
            json!({ "if": date, "then": { "maxLength": 3 } }),
            json!("a long text"),
        ),
        (
            json!({ "contains": date, "maxContains": 1 }),
            json!(["2026-01-01", "x"]),
        ),
        (
            json!({
                "if": named(&date), "then": { "properties": { "b": {} } },
                "else": { "properties": { "c": {} } }, "unevaluatedProperties": false,
            }),
            json!({ "a": "2026-01-01", "b": 1 }),
        ),
    ] {
        assert_eq!(accepts(&schema, &value), (true, true), "{schema}");
    }
    let kept = json!({ "oneOf": [{ "type": "string" }, { "maxLength": 3 }] });
    assert_eq!(accepts(&kept, &json!("ab")), (false, false));
}

/// Whatever a schema takes, it takes with its formats as annotations, too.
#[cfg(feature = "regex")]
#[test]
fn formats_as_annotations_refuse_nothing_that_the_suite_accepts() {
    let path = format!(
        "{}/../../tests/data/json-schema-test-suite/draft2020-12.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let files: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let groups = files.as_array().unwrap().iter();
    for group in groups.flat_map(|file| file["groups"].as_array().unwrap()) {
        if CompiledSchema::new(&group["schema"]).is_err() {
            continue;
        }
        for test in group["tests"].as_array().unwrap() {
            let (before, after) = accepts(&group["schema"], &test["data"]);
            assert!(after || !before, "{}: {test}", group["schema"]);
        }
    }
}
