//! The second check on results of calls in mode `sync`: an answer that still shows a `body` after
//! redaction becomes an error.

use super::{
    RawEntry, WRAPPER_DEPTH_MAX, WRAPPER_KEY, is_selective_answer, text_mut, with_entries,
};
use crate::{
    protocol::keys::BODY,
    registry::selective::columns::{ABSTRACT_DOMAINS, MODE},
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;

const UNREADABLE: &str = "the answer's `body` cannot be read as rows, and is not shown; call the tool again with `mode`: `async`, or \
                          without `abstract_domains` to see every column";

/// Returns whether a call asks for rows that its model must not see (MCP-SD).
pub(in super::super) fn asks_for_body(arguments: Option<&JsonObject>) -> bool {
    let Some(arguments) = arguments else {
        return false;
    };
    let names_columns = match arguments.get(ABSTRACT_DOMAINS) {
        None | Some(Value::Null) => false,
        Some(Value::String(columns)) => !columns.trim().is_empty(),
        Some(_) => true,
    };
    names_columns && arguments.get(MODE).is_some_and(|mode| mode == "sync")
}

/// Replaces a result that shows a body with an error.
pub(in super::super) fn replace_leftover_body(result: &mut CallToolResult) {
    let in_text = result
        .content
        .iter_mut()
        .filter_map(text_mut)
        .any(|text| shows_body(text, WRAPPER_DEPTH_MAX));
    let structured = result.structured_content.as_ref();
    if in_text
        || structured
            .is_some_and(|structured| shows_body(&structured.to_string(), WRAPPER_DEPTH_MAX))
    {
        *result = CallToolResult::error(vec![ContentBlock::text(UNREADABLE)]);
    }
}

fn shows_body(text: &str, depth: usize) -> bool {
    // Fails closed: text with such a key that does not parse counts as showing a body.
    names_body(text)
        && with_entries(text, |entries| entries_show_body(&entries, depth)).unwrap_or(true)
}

fn entries_show_body(entries: &[RawEntry<'_>], depth: usize) -> bool {
    if let [(key, inside)] = entries
        && key == WRAPPER_KEY
    {
        // Deeper nesting than redaction unwraps cannot be trusted to be clean.
        let Some(depth) = depth.checked_sub(1) else {
            return true;
        };
        let text = serde_json::from_str::<String>(inside.get());
        return shows_body(text.as_deref().unwrap_or(inside.get()), depth);
    }
    // A column may be called `body`, too. Its cells are in the abstract, which the model may see.
    !is_selective_answer(entries)
        || entries
            .iter()
            .any(|(key, value)| key == BODY && value.get() != "null")
}

/// Returns whether the text contains the key `body` in quotes of JSON or Python, however often they
/// are escaped.
fn names_body(text: &str) -> bool {
    text.split(BODY).skip(1).any(|after| {
        let quote = after.trim_start_matches('\\');
        quote
            .strip_prefix(['"', '\''])
            .is_some_and(|after| after.trim_start().starts_with(':'))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn who_names_columns_in_mode_sync_asks_for_a_body() {
        let asks = |arguments: Value| asks_for_body(arguments.as_object());
        assert!(asks(json!({ "mode": "sync", "abstract_domains": "event" })));
        for other in [
            json!({}),
            json!({ "mode": "sync" }),
            json!({ "mode": "sync", "abstract_domains": " " }),
            json!({ "mode": "sync", "abstract_domains": null }),
            json!({ "mode": "async", "abstract_domains": "event" }),
            json!({ "abstract_domains": "event" }),
        ] {
            assert!(!asks(other.clone()), "{other}");
        }
        assert!(!asks_for_body(None));
    }

    #[test]
    fn what_shows_no_body_passes() {
        for text in [
            r#"{"columns":["body"],"abstract":[{"_row_id":0,"body":"hello"}],"resource_url":"ddi://1"}"#,
            r#"{"result":"{\"abstract\":[{\"_row_id\":0,\"body\":\"hello\"}],\"body\":null}"}"#,
            r#"{"error":{"code":"INVALID_ARGUMENTS","message":"there is no column `bdy`; there are: `body`"}}"#,
            "the body: cold",
        ] {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = serde_json::from_str(text).ok();
            let before = result.clone();
            replace_leftover_body(&mut result);
            assert_eq!(result, before, "{text}");
        }
    }

    #[test]
    fn what_shows_one_is_hidden() {
        for text in [
            r#"{"abstract":[{"_row_id":0}],"body":[{"_row_id":0,"n":"secret"}"#,
            r#"{"abstract":[{"_row_id":0}],"body":[{"_row_id":0,"n":"secret"},null]}"#,
            r#"{"abstract":[null],"body":[{"_row_id":0,"n":"secret"}]}"#,
            r#"{"body" : [{"_row_id":0,"n":"secret"}]}"#,
            r#"[{"abstract":[],"body":[{"_row_id":0,"n":"secret"}]}]"#,
            r#"{"result":{"result":{"result":{"result":{"abstract":[],"body":["secret"]}}}}}"#,
            r#"{"result":"{\"abstract\":[],\"body\":[{\"n\":\"secret\"}"}"#,
            "{'abstract': [], 'body': [{'_row_id': 0, 'n': 'secret'}]}",
        ] {
            let mut results = vec![CallToolResult::success(vec![
                ContentBlock::text("rows"),
                ContentBlock::text(text),
            ])];
            if let Ok(structured) = serde_json::from_str(text) {
                results.push(CallToolResult::structured(structured));
            }
            for mut result in results {
                replace_leftover_body(&mut result);
                let json = serde_json::to_string(&result).unwrap();
                assert!(
                    !json.contains("secret")
                        && json.contains("`async`")
                        && result.is_error == Some(true),
                    "{json}"
                );
            }
        }
    }
}
