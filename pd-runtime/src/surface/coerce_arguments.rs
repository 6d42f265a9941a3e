//! Repairs arguments that a model wrote as JSON text although the tool's schema requires the value
//! itself. Only calls through a meta-tool need this, because there the host shows the model no
//! schema.

use crate::text::loose_json::{self, JsonMistake};
use pd_schema::{accepted_types, reader::SchemaRef};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The most layers of quotes around a value.
const WRAPPINGS_MAX: usize = 3;
/// The depth to which texts are examined: an argument, and the values directly inside it.
const DEPTH_MAX: usize = 2;

/// Returns arguments as an object: the object itself, or the object that a text spells, however
/// often it was quoted. `null` counts as no arguments.
pub(crate) fn object(sent: Value) -> Option<JsonObject> {
    match unquote_loosely(sent).0 {
        Value::Object(object) => Some(object),
        Value::Null => Some(JsonObject::new()),
        Value::String(text) if text.trim().is_empty() => Some(JsonObject::new()),
        _ => None,
    }
}

/// Returns the mistake in a text that was meant as JSON and is none.
pub(super) fn mistake(sent: &Value) -> Option<JsonMistake> {
    let (value, mistake) = unquote_loosely(sent.clone());
    let text = value.as_str()?.trim_start();
    // Any other text has nothing of JSON, so the place of a mistake in it says nothing.
    mistake.filter(|_| text.starts_with(['{', '[', '"', '`']))
}

/// Replaces texts by the values that they spell, if the schema accepts such a value and no text.
/// Returns whether it has replaced any.
pub(super) fn repair(arguments: &mut JsonObject, schema: &JsonObject) -> bool {
    repair_document(arguments, SchemaRef::document(schema))
}

/// Does the same with the schema of a document.
pub(in crate::surface) fn repair_document(
    arguments: &mut JsonObject,
    schema: SchemaRef<'_>,
) -> bool {
    repair_members(arguments, schema, DEPTH_MAX)
}

fn repair_members(object: &mut JsonObject, schema: SchemaRef<'_>, depth: usize) -> bool {
    let mut is_repaired = false;
    for (name, value) in object {
        if let Some(property) = schema.property(name) {
            is_repaired |= repair_value(value, property, depth);
        }
    }
    is_repaired
}

fn repair_value(value: &mut Value, schema: SchemaRef<'_>, depth: usize) -> bool {
    let mut is_repaired = false;
    // A schema that accepts strings takes the text as it is: the model may have meant exactly that.
    if value.is_string() && !accepted_types::may_take(schema, "string") {
        let parsed = unquote(value.clone());
        let is_text = matches!(parsed, Value::String(_) | Value::Null);
        // A text within quotes is still a text, which the schema refuses in either form.
        if !is_text && accepted_types::may_take(schema, accepted_types::json_type(&parsed)) {
            *value = parsed;
            is_repaired = true;
        }
    }
    let schema = schema.resolved();
    match (value, schema.get("items")) {
        _ if depth <= 1 => {}
        (Value::Object(object), _) => is_repaired |= repair_members(object, schema, depth - 1),
        (Value::Array(items), Some(each)) => {
            for item in items {
                is_repaired |= repair_value(item, schema.at(each), depth - 1);
            }
        }
        _ => {}
    }
    is_repaired
}

/// Returns the value that a text spells, as far as it is JSON.
fn unquote(mut value: Value) -> Value {
    for _ in 0..WRAPPINGS_MAX {
        let Value::String(text) = &value else { break };
        let Ok(parsed) = serde_json::from_str(text) else {
            break;
        };
        value = parsed;
    }
    value
}

/// Does the same for a text that is an object as a whole, so that small slips leave no doubt.
/// Returns the mistake at which it stopped.
fn unquote_loosely(mut value: Value) -> (Value, Option<JsonMistake>) {
    for _ in 0..WRAPPINGS_MAX {
        let Value::String(text) = &value else { break };
        match loose_json::parse(text) {
            Ok(parsed) => value = parsed,
            Err(mistake) => return (value, Some(mistake)),
        }
    }
    (value, None)
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

    fn repaired(property: Value, sent: Value) -> Value {
        let schema = json!({ "type": "object", "properties": { "a": property }, "$defs": {
            "Point": { "type": "object", "properties": { "x": { "type": "number" } } },
        }});
        let mut arguments = json!({ "a": sent }).as_object().cloned().unwrap();
        repair(&mut arguments, schema.as_object().unwrap());
        arguments["a"].take()
    }

    #[test]
    fn the_whole_is_understood_however_often_it_is_quoted() {
        let once = json!({ "a": 1 }).to_string();
        let twice = Value::from(once.clone()).to_string();
        for sent in [json!({ "a": 1 }), json!(once), json!(twice)] {
            assert_eq!(object(sent).map(Value::Object), Some(json!({ "a": 1 })));
        }
        assert_eq!(object(Value::Null), Some(JsonObject::new()));
        assert_eq!(object(json!("")), Some(JsonObject::new()));
        for sent in [json!([1]), json!("[1]"), json!("a: 1"), json!(7)] {
            assert_eq!(object(sent), None);
        }
    }

    #[test]
    fn a_text_becomes_what_the_schema_wants() {
        for (property, sent, expected) in [
            (json!({ "type": "integer" }), json!("5"), json!(5)),
            (json!({ "type": "number" }), json!("5"), json!(5)),
            (
                json!({ "type": ["boolean", "null"] }),
                json!("true"),
                json!(true),
            ),
            (json!({ "type": "array" }), json!("[\"x\"]"), json!(["x"])),
            (json!({ "type": "array" }), json!("\"[1]\""), json!([1])),
            (
                json!({ "$ref": "#/$defs/Point" }),
                json!("{\"x\": \"1.5\"}"),
                json!({ "x": 1.5 }),
            ),
            (
                json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }),
                json!("5"),
                json!(5),
            ),
            (json!({ "enum": [1, 2] }), json!("2"), json!(2)),
            (
                json!({ "type": "array", "items": { "type": "integer" } }),
                json!(["1", 2]),
                json!([1, 2]),
            ),
        ] {
            assert_eq!(
                repaired(property.clone(), sent.clone()),
                expected,
                "{property} {sent}"
            );
        }
    }

    #[test]
    fn a_text_stays_where_a_text_may_stand_or_another_value_was_meant() {
        for (property, sent) in [
            (json!({ "type": "string" }), json!("5")),
            (json!({ "type": ["integer", "string"] }), json!("5")),
            (json!({}), json!("[1]")),
            (json!(true), json!("[1]")),
            (
                json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
                json!("5"),
            ),
            (json!({ "enum": ["5", 5] }), json!("5")),
            (json!({ "const": "true" }), json!("true")),
            (json!({ "type": "integer" }), json!("5.5")),
            (json!({ "type": "integer" }), json!("five")),
            (json!({ "type": "object" }), json!("[1]")),
            (json!({ "type": "integer" }), json!("null")),
        ] {
            assert_eq!(repaired(property.clone(), sent.clone()), sent, "{property}");
        }
    }

    #[test]
    fn it_looks_one_level_inside_and_no_deeper() {
        let inner = |schema: Value| json!({ "type": "object", "properties": { "b": schema } });
        let property = inner(inner(json!({ "type": "integer" })));
        assert_eq!(
            repaired(property.clone(), json!({ "b": { "b": "1" } })),
            json!({ "b": { "b": "1" } })
        );
        assert_eq!(
            repaired(property, json!({ "b": "{\"b\": 1}" })),
            json!({ "b": { "b": 1 } })
        );
    }

    #[test]
    fn a_schema_of_branches_in_branches_costs_no_more_than_it_is_worth() {
        let to = |next: &str| json!({ "anyOf": vec![json!({ "$ref": format!("#/$defs/{next}") }); 200] });
        let schema = json!({ "properties": { "a": to("A") }, "$defs": {
            "A": to("B"), "B": to("C"), "C": to("D"), "D": { "type": "integer" },
        }});
        let mut arguments = json!({ "a": "1" }).as_object().cloned().unwrap();
        let begun = cpu_time::ThreadTime::now();
        repair(&mut arguments, schema.as_object().unwrap());
        assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
        assert_eq!(arguments["a"], "1", "what cannot be told stays");
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": {
            "A": { "anyOf": [{ "$ref": "#/$defs/A" }, { "allOf": [{ "$ref": "#/$defs/A" }] }] },
        }});
        let mut arguments = json!({ "a": "1" }).as_object().cloned().unwrap();
        repair(&mut arguments, schema.as_object().unwrap());
        assert_eq!(arguments["a"], "1");
    }
}
