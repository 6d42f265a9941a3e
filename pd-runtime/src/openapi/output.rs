//! The schema of an operation's answer, and the answer in it.
//!
//! Servers answer with `null` where the document has a text, and with members that it does not
//! have. A client refuses a result that does not fit its schema. So the schema lists names and
//! types and nothing else, and members of another type are left out of the structured content.
//! The text of a result always has all of them.

use super::{document::Document, object::Object, schema_types::types_of};
use serde_json::{Value, json};

/// The levels of an answer's schema, and where a document has too many of them.
pub(super) const OUTPUT_LEVELS: usize = 2;
pub(super) const OUTPUT_LEVELS_LEAST: usize = 1;
/// The most properties of an answer's schema. The first levels come first.
const PROPERTIES_MAX: usize = 40;

/// Returns the schema of the answer, if that is an object or an array.
pub(super) fn output_schema(document: &Document, schema: &Value, levels: usize) -> Option<Object> {
    let mut left = PROPERTIES_MAX;
    let output = outline(document, schema, levels, &mut left)?;
    let kind = output.get("type")?;
    (kind == "object" || kind == "array").then_some(output)
}

/// Returns the names and types of a schema on so many levels. `None` if its type is not known.
fn outline(document: &Document, schema: &Value, levels: usize, left: &mut usize) -> Option<Object> {
    let merged = document.merged(schema);
    let types = types_of(&merged);
    let mut outlined = Object::new();
    match &*types {
        // Unions have the types of their branches, which are not compared here.
        [] => return None,
        [one] => drop(outlined.insert("type".to_owned(), one.as_str().into())),
        several => drop(outlined.insert("type".to_owned(), json!(several))),
    }
    let Some(below) = levels.checked_sub(1) else {
        return Some(outlined);
    };
    let has = |name: &str| types.iter().any(|one| one == name);
    if has("array")
        && let Some(items) = merged.get("items")
        && let Some(items) = outline(document, items, below, left)
    {
        outlined.insert("items".to_owned(), Value::Object(items));
    }
    let properties = merged.get("properties").and_then(Value::as_object);
    if has("object")
        && let Some(properties) = properties
    {
        // All properties of a level are taken before those below them.
        let taken = properties.len().min(*left);
        *left -= taken;
        let members: Object = properties
            .iter()
            .take(taken)
            .map(|(name, schema)| {
                let member = outline(document, schema, below, left);
                (name.clone(), Value::Object(member.unwrap_or_default()))
            })
            .collect();
        if !members.is_empty() {
            outlined.insert("properties".to_owned(), Value::Object(members));
        }
    }
    Some(outlined)
}

/// Returns what of an answer fits the schema. An answer of another type than the whole is the empty
/// value of that type, because a client requires some value of it.
pub(super) fn fitting(answer: &Value, schema: &Object) -> Value {
    fit(answer, schema).unwrap_or_else(|| match schema.get("type") {
        Some(Value::String(kind)) if kind == "array" => json!([]),
        _ => json!({}),
    })
}

fn fit(value: &Value, schema: &Object) -> Option<Value> {
    if !has_type(value, schema.get("type")) {
        return None;
    }
    match (value, schema.get("items"), schema.get("properties")) {
        (Value::Array(values), Some(Value::Object(items)), _) => {
            // A list without some elements would be another list.
            let fitted: Option<Vec<Value>> = values.iter().map(|one| fit(one, items)).collect();
            fitted.map(Value::Array)
        }
        (Value::Object(members), _, Some(Value::Object(properties))) => {
            let mut fitted = Object::new();
            for (name, value) in members {
                let value = match properties.get(name) {
                    Some(Value::Object(schema)) => fit(value, schema),
                    _ => Some(value.clone()),
                };
                fitted.extend(value.map(|value| (name.clone(), value)));
            }
            Some(Value::Object(fitted))
        }
        (value, ..) => Some(value.clone()),
    }
}

fn has_type(value: &Value, types: Option<&Value>) -> bool {
    let is = |kind: &Value| match (kind.as_str(), value) {
        (Some("string"), Value::String(_))
        | (Some("boolean"), Value::Bool(_))
        | (Some("array"), Value::Array(_))
        | (Some("object"), Value::Object(_))
        | (Some("null"), Value::Null)
        | (Some("number"), Value::Number(_)) => true,
        (Some("integer"), Value::Number(number)) => {
            number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    };
    match types {
        None => true,
        Some(Value::Array(types)) => types.iter().any(is),
        Some(kind) => is(kind),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;
    use pd_schema::CompiledSchema;

    fn schema() -> Object {
        let document = json!({
            "openapi": "3.0.0", "components": { "schemas": { "Pet": {
                "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "integer" }, "name": { "type": "string", "nullable": true },
                    "tag": { "type": "string", "enum": ["a"] }, "any": {},
                    "friends": { "type": "array", "items": { "$ref": "#/components/schemas/Pet" } },
                },
            } } },
        });
        let document = Document::from_text(&document.to_string()).unwrap();
        output_schema(
            &document,
            &json!({ "$ref": "#/components/schemas/Pet" }),
            OUTPUT_LEVELS,
        )
        .unwrap()
    }

    #[test]
    fn a_recursive_answer_has_a_finite_schema() {
        let schema = schema();
        let friends = &schema["properties"]["friends"];
        assert_eq!(
            *friends,
            json!({ "type": "array", "items": { "type": "object" } })
        );
        assert_eq!(schema["properties"]["any"], json!({}));
        assert!(!schema.contains_key("required"));
    }

    #[test]
    fn what_a_server_answers_fits_the_schema() {
        let schema = schema();
        let compiled = CompiledSchema::new(&Value::Object(schema.clone())).unwrap();
        for (answer, fitted) in [
            (
                json!({ "id": 1, "name": null, "tag": null, "more": [1] }),
                json!({ "id": 1, "name": null, "more": [1] }),
            ),
            (json!({ "id": "x", "friends": [{ "id": 2 }, 3] }), json!({})),
            (
                json!({ "id": 2.0, "friends": [{ "tag": 5 }] }),
                json!({ "id": 2.0, "friends": [{ "tag": 5 }] }),
            ),
            (json!([1]), json!({})),
        ] {
            let own = fitting(&answer, &schema);
            assert_eq!(own, fitted);
            assert!(compiled.validate(&own, &[]).is_ok());
        }
    }
}
