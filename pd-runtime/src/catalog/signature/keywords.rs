//! One schema's keywords, and which of them have been put into words: what is left over in the end is shown as it is, so that
//! nothing is lost.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The keywords of one schema.
#[derive(Debug)]
pub(super) struct Keywords<'a> {
    object: &'a JsonObject,
    told: Vec<&'static str>,
}

/// They refuse nothing. What they say is told by `prose`, or concerns no caller.
const ANNOTATIONS: [&str; 14] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "$vocabulary",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

impl<'a> Keywords<'a> {
    pub(super) fn of(object: &'a JsonObject) -> Self {
        Self { object, told: Vec::new() }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    /// What a keyword says. One that `read` does not understand counts as untold.
    pub(super) fn tell<T>(&mut self, key: &'static str, read: impl FnOnce(&'a Value) -> Option<T>) -> Option<T> {
        let said = read(self.object.get(key)?)?;
        self.told.push(key);
        Some(said)
    }

    /// The constraints that were not told.
    pub(super) fn rest(&self) -> Option<Value> {
        let is_told = |key: &str| self.told.contains(&key) || ANNOTATIONS.contains(&key) || key.starts_with("x-");
        let rest = self.object.iter().filter(|(key, _)| !is_told(key));
        let rest: JsonObject = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}
