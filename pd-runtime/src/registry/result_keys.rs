//! Keys of maps in return types. No value exists before a call, so the key's own JSON Schema
//! decides: a key that is an object or a list cannot be the key of a JSON object.

use super::{refused_key, schema};
use crate::tool::{descriptor::ResultKey, read_trace::NOT_TEXT};
use pd_schema::reader::SchemaRef;
use serde_json::{Value, json};

/// How many references and alternatives of a schema are followed.
const DEPTH_MAX: usize = 8;
/// A text that is read as a key.
const TEXT: &str = "pd-runtime-key";

/// Returns what a key is, if no JSON object can have it.
///
/// The schema of a key is not in the schema of its map, so a key that serde writes as a text may
/// have a wrong one. Such a type, if it can be read, is read from texts, too. So a type that can be
/// read must also refuse texts.
pub(super) fn impossible_kind(result_key: &ResultKey) -> Option<&'static str> {
    let root = schema::result_key_schema(result_key.schema?);
    let kind = kind(SchemaRef::document(&root), 0)?;
    result_key
        .trace
        .is_none_or(|trace| {
            let errors = (trace(&json!(TEXT)), trace(&json!(NOT_TEXT)));
            matches!(errors, (Some(of_text), Some(of_number))
            if refused_key::expected(TEXT, &of_text, &of_number).is_some())
        })
        .then_some(kind)
}

/// Alternatives are impossible if all of them are.
fn kind(schema: SchemaRef<'_>, depth: usize) -> Option<&'static str> {
    // What is not followed may be a possible key, so nothing is reported.
    if depth > DEPTH_MAX {
        return None;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => return Some("an object"),
        Some("array") => return Some("a list"),
        Some("null") => return Some("`null`"),
        Some(_) => return None,
        None => {}
    }
    if schema.reference().is_some() {
        return kind(schema.target()?, depth + 1);
    }
    let branches = schema.any_of().or_else(|| schema.one_of())?;
    let kinds: Option<Vec<_>> = branches.map(|branch| kind(branch, depth + 1)).collect();
    kinds?.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_what_a_key_is() {
        let judge = |schema: Value| kind(SchemaRef::document(&schema), 0);
        assert_eq!(judge(json!({ "type": "object" })), Some("an object"));
        assert_eq!(judge(json!({ "type": "array" })), Some("a list"));
        let referring =
            json!({ "$ref": "#/$defs/Node", "$defs": { "Node": { "type": "object" } } });
        assert_eq!(judge(referring), Some("an object"));
        assert_eq!(
            judge(json!({ "$ref": "#" })),
            None,
            "a reference to itself ends"
        );
        assert_eq!(
            judge(json!({ "oneOf": [{ "type": "array" }, { "type": "object" }] })),
            Some("a list")
        );
        assert_eq!(
            judge(json!({ "oneOf": [{ "type": "string" }, { "type": "object" }] })),
            None
        );
        assert_eq!(judge(json!({ "type": ["object", "null"] })), None);
        for of_text in ["string", "integer", "number", "boolean"] {
            assert_eq!(judge(json!({ "type": of_text })), None);
        }
        assert_eq!(judge(json!({})), None);
        assert_eq!(judge(json!(true)), None);
    }
}
