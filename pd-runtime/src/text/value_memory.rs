//! The memory of JSON values.

use serde_json::{Map, Value};

/// The memory of a value beside its texts, of a member of an object, and of an object.
const VALUE: usize = 80;
const MEMBER: usize = 60;
const OBJECT: usize = 300;

/// Estimates the memory of a value, in bytes.
pub fn memory_of(value: &Value) -> usize {
    match value {
        Value::String(text) => VALUE + text.len(),
        Value::Array(values) => VALUE + values.iter().map(memory_of).sum::<usize>(),
        Value::Object(object) => memory_of_object(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => VALUE,
    }
}

/// Estimates the memory of an object as a value, in bytes.
pub fn memory_of_object(object: &Map<String, Value>) -> usize {
    let members = object
        .iter()
        .map(|(key, value)| MEMBER + key.len() + memory_of(value));
    VALUE + OBJECT + members.sum::<usize>()
}
