//! The keywords of one schema, and a record of which ones the signature already expresses. The
//! remaining keywords are rendered verbatim, so that no constraint is lost.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The keywords of one schema.
#[derive(Debug)]
pub(super) struct SchemaKeywords<'a> {
    object: &'a JsonObject,
    expressed: Vec<&'static str>,
}

/// Keywords that constrain nothing. `comments` renders some of them; the others do not concern
/// callers.
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

impl<'a> SchemaKeywords<'a> {
    pub(super) fn new(object: &'a JsonObject) -> Self {
        Self {
            object,
            expressed: Vec::new(),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    /// Reads a keyword and marks it as expressed. A keyword that `read` does not understand stays
    /// unmarked.
    pub(super) fn express<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = read(self.object.get(key)?)?;
        self.expressed.push(key);
        Some(value)
    }

    /// Returns the constraints that are not expressed yet.
    pub(super) fn unexpressed(&self) -> Option<Value> {
        let is_expressed = |key: &str| {
            self.expressed.contains(&key) || ANNOTATIONS.contains(&key) || key.starts_with("x-")
        };
        let rest = self.object.iter().filter(|(key, _)| !is_expressed(key));
        let rest: JsonObject = rest
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}
