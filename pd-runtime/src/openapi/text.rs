//! Reads a document's text, JSON or YAML, into a value of bounded size.

use super::{budget::ValueBudget, error::OpenApiError, yaml};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// The longest text of a document, in bytes. GitHub's document has 13 MB.
pub const TEXT_MAX: usize = 32 << 20;

/// Reads a text: JSON if it begins with an object of JSON, and YAML otherwise.
///
/// # Errors
///
/// Returns an error if the text is over a bound, or is neither JSON nor YAML.
pub(super) fn read_text(text: &str) -> Result<Value, OpenApiError> {
    read_text_within(text, &ValueBudget::default())
}

/// Reads a text as [`read_text`] does, with the values of this budget.
pub(super) fn read_text_within(text: &str, budget: &ValueBudget) -> Result<Value, OpenApiError> {
    if text.len() > TEXT_MAX {
        return Err(OpenApiError::TooLong { max: TEXT_MAX });
    }
    // A byte order mark is no part of the document.
    let text = text.trim_start_matches('\u{feff}');
    if is_json(text) {
        read_json(text, budget)
    } else {
        yaml::read_yaml(text, budget)
    }
}

/// Returns whether a text begins with an object of JSON. YAML has braces, too, but seldom quotation
/// marks around the keys in them.
fn is_json(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with(['"', '}']))
}

/// The most values of an answer that is parsed. A larger one is a text.
const ANSWER_VALUES_MAX: usize = 300_000;

/// Reads an answer. Returns `None` if it is not JSON, or if its values would take much more memory
/// than its bytes.
pub(super) fn read_answer(bytes: &[u8]) -> Option<Value> {
    let budget = ValueBudget::new(ANSWER_VALUES_MAX);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = de::DeserializeSeed::deserialize(CountedValue(&budget), &mut deserializer).ok()?;
    deserializer.end().ok().map(|()| value)
}

fn read_json(text: &str, budget: &ValueBudget) -> Result<Value, OpenApiError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = de::DeserializeSeed::deserialize(CountedValue(budget), &mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    // A budget that is used up is the reason, whatever the parser says about its place.
    budget.take(1)?;
    read.map_err(|error| OpenApiError::Syntax {
        language: "JSON",
        why: error.to_string(),
    })
}

/// Reads one JSON value, and counts it.
#[derive(Clone, Copy)]
struct CountedValue<'b>(&'b ValueBudget);

impl<'de> de::DeserializeSeed<'de> for CountedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.take(1).map_err(de::Error::custom)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountedValue<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            object.insert(key, members.next_value_seed(self)?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{super::budget::VALUES_MAX, *};
    use serde_json::json;

    #[test]
    fn json_and_yaml_give_the_same_value() {
        let json = r#"{"a": [1, -2, 1.5, true, null, "1"], "200": {"b": "x"}}"#;
        let yaml = "a: [1, -2, 1.5, true, null, '1']\n200:\n  b: x\n";
        let expected = json!({ "a": [1, -2, 1.5, true, null, "1"], "200": { "b": "x" } });
        assert_eq!(read_text(json).unwrap(), expected);
        assert_eq!(read_text(yaml).unwrap(), expected);
        assert_eq!(read_text(&format!("\u{feff}{json}")).unwrap(), expected);
        let flow = "{ a: [1, -2, 1.5, true, null, '1'],\n 200: { b: x } }";
        assert_eq!(read_text(flow).unwrap(), expected);
    }

    #[test]
    fn a_document_over_a_bound_is_refused() {
        let many = format!("{{\"a\":[{}0]}}", "0,".repeat(VALUES_MAX));
        assert!(matches!(
            read_text(&many).unwrap_err(),
            OpenApiError::TooManyValues { .. }
        ));
        let long = " ".repeat(TEXT_MAX + 1);
        assert!(matches!(
            read_text(&long).unwrap_err(),
            OpenApiError::TooLong { .. }
        ));
        for deep in [
            format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000)),
            format!("a: {}{}", "[".repeat(1_000), "]".repeat(1_000)),
            format!("a: {}", "- ".repeat(1_000)),
        ] {
            assert!(matches!(
                read_text(&deep).unwrap_err(),
                OpenApiError::Syntax { .. } | OpenApiError::TooDeep { .. }
            ));
        }
        assert!(matches!(
            read_text("{\"a\": }").unwrap_err(),
            OpenApiError::Syntax {
                language: "JSON",
                ..
            }
        ));
    }
}
