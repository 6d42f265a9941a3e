//! Members of a document's objects.

use pd_schema::pointer;
use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

/// Returns the reference of a value, if it is one.
pub(super) fn reference_of(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}

/// Returns the last name of a reference, such as `Pet` of `#/components/schemas/Pet`.
pub(super) fn name_of(reference: &str) -> String {
    let last = reference.rsplit('/').next().unwrap_or_default();
    pointer::unescaped(last.into()).into()
}

/// Returns a member that is a text.
pub(super) fn text_of<'v>(object: &'v Object, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str)
}

/// Returns whether a member is `true`.
pub(super) fn is_true(object: &Object, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool) == Some(true)
}
