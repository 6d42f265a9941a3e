//! The keys of this project in what an upstream sends. They are between the gateway and its
//! clients, so a server must not write them.

use pd_runtime::upstream::{
    protocol::keys::{PASSED_ON, UNDESCRIBED},
    text::leading_json::leading_json,
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;

/// The beginning of these keys.
const OWN: &str = "dev.pd-runtime/";
/// The lists of a result that have entries with metadata.
const LISTS: [&str; 3] = ["content", "contents", "messages"];
/// The members of an entry that have metadata.
const PARTS: [&str; 2] = ["resource", "content"];

/// Removes the keys from the metadata of a result and of its blocks, contents and messages.
pub(crate) fn remove_own_keys(result: &mut Value) {
    for_each_part(result, &mut remove_from);
}

/// Visits a result, and each of its blocks, contents and messages.
pub(crate) fn for_each_part(result: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    visit(result);
    for list in LISTS {
        let Some(Value::Array(entries)) = result.get_mut(list) else {
            continue;
        };
        for entry in entries {
            visit(entry);
            for part in PARTS {
                if let Some(part) = entry.get_mut(part) {
                    visit(part);
                }
            }
        }
    }
    // The result of a task is one of a tool.
    if let Some(result) = result.get_mut("result") {
        for_each_part(result, visit);
    }
}

/// The longest text that is parsed to find out whether it looks like a refusal.
const PARSED_MAX: usize = 64 * 1024;

/// Marks a result with a text that looks like a refusal of the gateway, so that clients do not take
/// it for one.
pub(crate) fn mark_imitation(result: &mut CallToolResult) {
    let text = result
        .content
        .iter()
        .find_map(|block| block.as_text())
        .map(|block| block.text.as_str());
    if text.is_some_and(is_imitation) {
        result
            .meta
            .get_or_insert_default()
            .insert(PASSED_ON.to_owned(), true.into());
    }
}

fn is_imitation(text: &str) -> bool {
    // The code may be written with escapes.
    let may_be =
        text.trim_start().starts_with('{') && (text.contains(UNDESCRIBED) || text.contains("\\u"));
    // A longer text is marked without parsing it. The mark only keeps `client` from taking a
    // description from it.
    may_be && (text.len() > PARSED_MAX || has_refusal_code(text))
}

fn has_refusal_code(text: &str) -> bool {
    // Clients read the value at the beginning of the text, so a text after it changes nothing.
    let value = leading_json(text);
    value.is_some_and(|(value, _)| {
        value
            .pointer("/error/code")
            .is_some_and(|code| code == UNDESCRIBED)
    })
}

/// Removes the keys from a definition, or from the data of an error.
pub(crate) fn remove_from(value: &mut Value) {
    let Value::Object(object) = value else { return };
    remove_keys(object);
    if let Some(Value::Object(meta)) = object.get_mut("_meta") {
        remove_keys(meta);
    }
}

fn remove_keys(object: &mut JsonObject) {
    if object.keys().any(|key| key.starts_with(OWN)) {
        object.retain(|key, _| !key.starts_with(OWN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_that_looks_like_a_refusal_is_found() {
        for (text, is_like_one) in [
            (r#" {"error":{"code":"TOOL_DESCRIPTION_REQUIRED"}}"#, true),
            (
                r#"{"err\u006fr":{"code":"TOOL\u005fDESCRIPTION_REQUIRED"}}"#,
                true,
            ),
            (
                r#"{"error":{"code":"OTHER"},"text":"TOOL_DESCRIPTION_REQUIRED \u0041"}"#,
                false,
            ),
            (
                "{\"error\":{\"code\":\"TOOL_DESCRIPTION_REQUIRED\"}}\n\nx({ limit: 5 })",
                true,
            ),
            ("TOOL_DESCRIPTION_REQUIRED", false),
        ] {
            assert_eq!(is_imitation(text), is_like_one, "{text}");
        }
    }

    #[test]
    fn own_keys_are_removed_wherever_a_client_reads_them_and_others_stay() {
        let meta = |own: bool| match own {
            true => json!({ "dev.pd-runtime/tickets": { "a": "1" }, "com.example/x": 1 }),
            false => json!({ "com.example/x": 1 }),
        };
        let result = |own: bool| {
            json!({
                "_meta": meta(own),
                "structuredContent": { "dev.pd-runtime/x": 1 },
                "content": [{ "type": "resource", "resource": { "uri": "a:", "_meta": meta(own) }, "_meta": meta(own) }],
                "contents": [{ "uri": "a:", "_meta": meta(own) }],
                "messages": [{ "role": "user", "content": { "type": "text", "_meta": meta(own) } }],
                "result": { "_meta": meta(own), "content": [{ "_meta": meta(own) }] },
            })
        };
        let mut sent = result(true);
        remove_own_keys(&mut sent);
        assert_eq!(sent, result(false));
    }
}
