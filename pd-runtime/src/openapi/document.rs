//! A document in the form of OpenAPI 3, and the targets of its references.

use super::{
    error::OpenApiError,
    object::{Object, reference_of},
    plain_text::plain_line,
    swagger,
    text::read_text,
};
use serde_json::Value;
use std::{cell::Cell, collections::HashSet};

/// The most references that are followed from one place.
const HOPS_MAX: usize = 16;
/// The most parts of one `allOf`, with those in its parts.
const PARTS_MAX: usize = 64;
/// The methods of operations, in the order in which tools are listed.
const METHODS: [&str; 8] = [
    "get", "head", "post", "put", "patch", "delete", "options", "query",
];

/// The most values that are copied while schemas are merged, for all operations together. Many
/// operations can refer to one large schema, so the size of the document is no bound for this.
/// GitHub's and Okta's documents copy under 400,000.
const COPIES_MAX: usize = 4_000_000;

/// A document of OpenAPI 3.
pub(super) struct Document {
    root: Value,
    /// The values that may still be copied. Schemas that are over it have no keywords.
    copies: Cell<usize>,
}

/// One operation, with the path item that it belongs to.
pub(super) struct OperationPlace<'d> {
    pub(super) path: &'d str,
    pub(super) method: &'static str,
    pub(super) item: &'d Object,
    pub(super) operation: &'d Object,
}

/// An operation that the document refers to and does not have.
pub(super) struct MissingOperation {
    pub(super) name: String,
    pub(super) why: String,
}

impl MissingOperation {
    fn new(name: &str, referring: &Value) -> Self {
        Self {
            name: name.chars().take(200).collect(),
            why: missing(referring),
        }
    }
}

/// Returns why a value that refers to another one is not known.
pub(super) fn missing(referring: &Value) -> String {
    let reference = plain_line(reference_of(referring).unwrap_or_default(), 100);
    if reference.starts_with('#') {
        format!("it refers to `{reference}`, which the document does not have")
    } else {
        format!(
            "it refers to `{reference}`, which is not a file beside the document or below; bundle the document into one"
        )
    }
}

impl Document {
    /// Reads a text. Swagger 2.0 gets the form of OpenAPI 3.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is over a bound, or is not such a document.
    pub(super) fn from_text(text: &str) -> Result<Self, OpenApiError> {
        Self::from_root(read_text(text)?)
    }

    /// Reads a value. Swagger 2.0 gets the form of OpenAPI 3.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not such a document.
    pub(super) fn from_root(mut root: Value) -> Result<Self, OpenApiError> {
        let version = |key: &str| match root.get(key) {
            Some(Value::String(version)) => version.clone(),
            // YAML reads `2.0` without quotation marks as a number.
            Some(Value::Number(version)) => version.to_string(),
            _ => String::new(),
        };
        let openapi = version("openapi");
        let swagger = version("swagger");
        if swagger.starts_with("2.") || swagger == "2" {
            swagger::upgrade(&mut root);
        } else if !openapi.starts_with("3.") && openapi != "3" {
            let found = [openapi, swagger].into_iter().find(|one| !one.is_empty());
            let found = found.map(|version| {
                let shown: String = version.chars().take(20).collect();
                format!("; it has the version {shown:?}")
            });
            return Err(OpenApiError::Version {
                found: found.unwrap_or_default(),
            });
        }
        Ok(Self {
            root,
            copies: Cell::new(COPIES_MAX),
        })
    }

    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// Returns a member of `info`.
    pub(super) fn info(&self, key: &str) -> Option<&str> {
        self.root.get("info")?.get(key)?.as_str()
    }

    /// Returns the operations, in the order of the document. Those that are not in it are errors.
    pub(super) fn operations(&self) -> Vec<Result<OperationPlace<'_>, MissingOperation>> {
        let paths = self.root.get("paths").and_then(Value::as_object);
        let mut places = Vec::new();
        for (path, item) in paths.into_iter().flatten() {
            let Some(found) = self.resolve(item) else {
                places.push(Err(MissingOperation::new(path, item)));
                continue;
            };
            let Some(item) = found.as_object() else {
                continue;
            };
            for method in METHODS {
                let Some(operation) = item.get(method).filter(|one| one.is_object()) else {
                    continue;
                };
                let found = self.resolve(operation).and_then(Value::as_object);
                let place = found.map(|operation| OperationPlace {
                    path,
                    method,
                    item,
                    operation,
                });
                let name = || format!("{} {path}", method.to_ascii_uppercase());
                places.push(place.ok_or_else(|| MissingOperation::new(&name(), operation)));
            }
        }
        places
    }

    /// Follows the references of a value within the document. Returns `None` for a reference to
    /// another document or to nothing, and for a circle.
    pub(super) fn resolve<'d>(&'d self, value: &'d Value) -> Option<&'d Value> {
        let mut value = value;
        for _ in 0..HOPS_MAX {
            let Some(reference) = reference_of(value) else {
                return Some(value);
            };
            value = self.target(reference)?;
        }
        None
    }

    /// Returns the target of a reference within the document.
    pub(super) fn target(&self, reference: &str) -> Option<&Value> {
        let pointer = pointer_of(reference)?;
        self.root.pointer(&pointer)
    }

    /// Returns a schema with its reference followed and the parts of its `allOf` merged: one object
    /// with the properties of all parts. The schemas inside of it stay as they are.
    pub(super) fn merged(&self, schema: &Value) -> Object {
        let mut merged = Object::new();
        let mut parts = PARTS_MAX;
        self.merge_into(&mut merged, schema, &mut HashSet::new(), &mut parts);
        merged
    }

    fn may_copy(&self, value: &Value) -> bool {
        let left = self.copies.get().checked_sub(size_of(value));
        self.copies.set(left.unwrap_or_default());
        left.is_some()
    }

    fn merge_into<'d>(
        &'d self,
        merged: &mut Object,
        schema: &'d Value,
        open: &mut HashSet<&'d str>,
        parts: &mut usize,
    ) {
        let Some(object) = schema.as_object().filter(|_| *parts > 0) else {
            return;
        };
        *parts -= 1;
        // The words beside a reference (OpenAPI 3.1) are closer to the place than its target's.
        for (key, value) in object {
            if key != "$ref" && key != "allOf" && self.may_copy(value) {
                merge_keyword(merged, key, value);
            }
        }
        for part in object
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.merge_into(merged, part, open, parts);
        }
        if let Some(reference) = reference_of(schema)
            // Parts that contain themselves end here.
            && open.insert(reference)
        {
            if let Some(target) = self.target(reference) {
                self.merge_into(merged, target, open, parts);
            }
            open.remove(reference);
        }
    }
}

/// Returns the number of values in a value. Its depth is bounded.
fn size_of(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(size_of).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size_of).sum::<usize>(),
        _ => 1,
    }
}

/// Merges a keyword of one part into those of the parts before.
fn merge_keyword(merged: &mut Object, key: &str, value: &Value) {
    match (key, merged.get_mut(key), value) {
        ("properties", Some(Value::Object(own)), Value::Object(others)) => {
            for (name, schema) in others {
                own.entry(name.clone()).or_insert_with(|| schema.clone());
            }
        }
        ("required", Some(Value::Array(own)), Value::Array(others)) => {
            for name in others {
                if !own.contains(name) {
                    own.push(name.clone());
                }
            }
        }
        // Two parts with unions cannot be one schema. The first union is checked, and the server
        // checks the other.
        (_, Some(_), _) => {}
        (_, None, _) => drop(merged.insert(key.to_owned(), value.clone())),
    }
}

/// Returns the JSON pointer of a reference within the document.
fn pointer_of(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    let decoded = percent_encoding::percent_decode_str(fragment)
        .decode_utf8()
        .ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(value: Value) -> Document {
        Document::from_text(&value.to_string()).unwrap()
    }

    #[test]
    fn only_documents_of_openapi_are_read() {
        for text in ["{}", "openapi: 4.0.0", "swagger: '1.2'", "hello", "[1]", ""] {
            let error = Document::from_text(text).err().unwrap();
            assert!(
                matches!(error, OpenApiError::Version { .. }),
                "{text}: {error}"
            );
        }
        for text in [
            "openapi: 3.0.3",
            "openapi: 3.2.0",
            "swagger: 2.0",
            "swagger: '2.0'",
        ] {
            assert!(Document::from_text(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn references_in_a_circle_and_to_other_files_have_no_target() {
        let document = document(json!({
            "openapi": "3.1.0",
            "a": { "$ref": "#/b" }, "b": { "$ref": "#/a" },
            "c~/d": { "x": 1 },
        }));
        assert_eq!(document.resolve(&json!({ "$ref": "#/a" })), None);
        assert_eq!(document.resolve(&json!({ "$ref": "other.yaml#/x" })), None);
        assert_eq!(document.resolve(&json!({ "$ref": "#/missing" })), None);
        let escaped = json!({ "$ref": "#/c~0~1d" });
        assert_eq!(document.resolve(&escaped), Some(&json!({ "x": 1 })));
    }

    #[test]
    fn the_parts_of_a_schema_are_merged() {
        let document = document(json!({
            "openapi": "3.0.0",
            "components": { "schemas": {
                "Base": { "type": "object", "description": "base", "required": ["id"],
                          "properties": { "id": { "type": "string" } } },
                "Loop": { "allOf": [{ "$ref": "#/components/schemas/Loop" }],
                          "properties": { "own": { "type": "string" } } },
            } },
        }));
        let schema = json!({
            "description": "own", "allOf": [
                { "$ref": "#/components/schemas/Base" },
                { "required": ["name"], "properties": { "name": { "type": "string" } } },
                { "$ref": "#/components/schemas/Loop" },
            ],
        });
        let merged = Value::Object(document.merged(&schema));
        let expected = json!({
            "description": "own", "type": "object", "required": ["id", "name"],
            "properties": { "id": { "type": "string" }, "name": { "type": "string" }, "own": { "type": "string" } },
        });
        assert_eq!(merged, expected);
    }
}
