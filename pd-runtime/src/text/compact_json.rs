//! JSON objects without spare room.

use serde_json::{Map, Value};

/// Returns an object with room for its members alone, and so the objects and arrays in it.
///
/// An object that grew member by member has room for up to three times as many, of 104 bytes each.
/// Schemas are mostly objects of one or two members, so they become a quarter smaller.
pub(crate) fn compact(object: Map<String, Value>) -> Map<String, Value> {
    // A map that is collected from an iterator of known length has room for that many.
    object
        .into_iter()
        .map(|(mut key, value)| {
            key.shrink_to_fit();
            (key, compact_value(value))
        })
        .collect()
}

fn compact_value(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(compact(object)),
        Value::Array(values) => {
            let mut values: Vec<_> = values.into_iter().map(compact_value).collect();
            values.shrink_to_fit();
            Value::Array(values)
        }
        Value::String(mut text) => {
            text.shrink_to_fit();
            Value::String(text)
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_changes_but_the_room() {
        let mut object = Map::new();
        for key in ["b", "a", "c"] {
            object.insert(
                key.to_owned(),
                json!({ "x": [1, { "y": key }], "e": {}, "n": null }),
            );
        }
        let text = Value::Object(object.clone()).to_string();
        let compacted = Value::Object(compact(object));
        assert_eq!(compacted.to_string(), text, "also in their order");
    }
}
