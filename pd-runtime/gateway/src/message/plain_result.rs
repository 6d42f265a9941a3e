//! Results of tools that rmcp's types keep as they are. Most results are of this kind, so that they
//! need no comparison with what the upstream sent.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Returns whether rmcp's type of a result keeps all of it.
pub(crate) fn is_plain(result: &Value) -> bool {
    let Some(result) = result.as_object() else {
        return false;
    };
    result.contains_key("content") && result.iter().all(|(key, value)| is_kept(key, value))
}

fn is_kept(key: &str, value: &Value) -> bool {
    match (key, value) {
        ("content", Value::Array(blocks)) => blocks.iter().all(is_plain_block),
        // The type reads null as absent, and does not write it again.
        ("structuredContent", value) => !value.is_null(),
        ("isError", Value::Bool(_)) | ("_meta", Value::Object(_)) => true,
        ("resultType", Value::String(kind)) => kind == "complete",
        // The type drops other keys, so they must be compared and restored (`protocol/lossy.rs`).
        _ => false,
    }
}

/// Returns whether a block is a text, an image or a sound without annotations and metadata.
fn is_plain_block(block: &Value) -> bool {
    let Some(block) = block.as_object() else {
        return false;
    };
    match block.get("type").and_then(Value::as_str) {
        Some("text") => has_texts_alone(block, &["text"]),
        Some("image" | "audio") => has_texts_alone(block, &["data", "mimeType"]),
        _ => false,
    }
}

/// Returns whether a block has its type, these texts, and nothing else.
fn has_texts_alone(block: &JsonObject, keys: &[&str]) -> bool {
    block.len() == keys.len() + 1
        && keys
            .iter()
            .all(|key| block.get(*key).is_some_and(Value::is_string))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use rmcp::model::CallToolResult;
    use serde_json::json;

    #[test]
    fn what_is_plain_is_kept_by_the_type() {
        let text = json!({ "type": "text", "text": "a" });
        for (result, is_kept) in [
            (json!({ "content": [] }), true),
            (
                json!({ "content": [text, text], "isError": false, "structuredContent": { "a": [null, 1.50] } }),
                true,
            ),
            (
                json!({ "content": [text], "_meta": { "a": 1 }, "resultType": "complete" }),
                true,
            ),
            (
                json!({ "content": [text], "structuredContent": null }),
                false,
            ),
            (
                json!({ "content": [{ "type": "text", "text": "a", "new": 1 }] }),
                false,
            ),
            (
                json!({ "content": [{ "type": "image", "data": "", "mimeType": "image/png" }] }),
                true,
            ),
            (
                json!({ "content": [{ "type": "audio", "data": "", "mimeType": "audio/wav" }, text] }),
                true,
            ),
            (
                json!({ "content": [{ "type": "image", "data": "", "mimeType": "image/png", "x": 1 }] }),
                false,
            ),
            (
                json!({ "content": [{ "type": "image", "data": "" }] }),
                false,
            ),
            (json!({ "content": [text], "_meta": null }), false),
            (json!({ "content": [text], "new": 1 }), false),
            (json!({ "structuredContent": {} }), false),
        ] {
            assert_eq!(is_plain(&result), is_kept, "{result}");
            if !is_kept {
                continue;
            }
            let typed: CallToolResult = serde_json::from_value(result.clone()).unwrap();
            let mut written = serde_json::to_value(&typed).unwrap();
            if result.get("resultType").is_none() {
                // Written for clients of 2026-07-28 alone, whatever the upstream sent.
                written.as_object_mut().unwrap().shift_remove("resultType");
            }
            assert_eq!(written, result);
        }
    }
}
