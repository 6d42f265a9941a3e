//! `read_more`: the tool by which a model reads on in a result that was too large to show. It is
//! called by its name, or through the meta-tools that call tools. A list that has those does not
//! list it: the preview of a large result has the whole call.

use super::call_routes;
use crate::{
    disclosure::view::CallerView,
    large_results::{Document, ReadRequest, read},
    policy::{
        meta_tools::{MetaToolRole, READ_MORE},
        rate_limit::ChargeKind,
    },
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

/// The scheme of the resources that have large results whole.
pub(crate) const SCHEME: &str = "result://";
/// Larger results are read on a thread that may block, because to parse one takes milliseconds.
const BLOCKING_MIN: usize = 256 * 1024;

/// Returns whether a call of this name means the tool.
pub(crate) fn is_called(name: &str, view: &CallerView<'_>) -> bool {
    name == READ_MORE && view.catalog.shortens_results && view.find(name).is_none()
}

/// Returns the entry of a list that has no tool to call it through.
pub(crate) fn definition(view: &CallerView<'_>) -> Option<Tool> {
    static SCHEMA: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
        let schema = json!({
            "type": "object",
            "properties": {
                "handle": { "type": "string" },
                "lines": { "type": "string", "description": "1-40" },
                "rows": { "type": "string", "description": "0-19" },
                "path": { "type": "string", "description": "JSON Pointer" },
                "columns": { "type": "array", "items": { "type": "string" } },
                "query": { "type": "string", "description": "Words, key=value" },
            },
            "required": ["handle"],
        });
        Arc::new(schema.as_object().cloned().unwrap_or_default())
    });
    if !view.catalog.shortens_results || caller_name(view).is_some() {
        return None;
    }
    let tool = Tool::new(READ_MORE, "Read on in a large result", SCHEMA.clone());
    Some(tool.with_annotations(ToolAnnotations::default().read_only(true)))
}

/// Returns the meta-tool that calls the tool.
fn caller_name<'a>(view: &CallerView<'a>) -> Option<&'a str> {
    let named = |role| call_routes::listed(view).find(|offer| offer.role == role);
    let offer = named(MetaToolRole::CallReadOnly).or_else(|| named(MetaToolRole::Call))?;
    Some(&offer.name)
}

/// Returns the sentence that says how to read on. `key` and `value` are what to read next.
pub(crate) fn advice(handle: &str, key: &str, value: &str, view: &CallerView<'_>) -> String {
    let arguments = json!({ "handle": handle, key: value });
    let call = match caller_name(view) {
        Some(name) => format!(
            "{name} {}",
            json!({ "name": READ_MORE, "arguments": arguments })
        ),
        None => format!("{READ_MORE} {arguments}"),
    };
    let others = match key {
        "lines" => "; or \"query\": words of the lines",
        _ => {
            "; or \"query\": words or key=value of the rows, \"columns\": their names, \"path\": a JSON Pointer"
        }
    };
    format!("To read on: {call}{others}")
}

/// Answers a call of the tool.
pub(crate) async fn call(arguments: JsonObject, view: &CallerView<'_>) -> CallToolResult {
    if let Err(later) = view.charge(ChargeKind::Call, 1) {
        return later.into_result();
    }
    match answer(arguments, view).await {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}

async fn answer(arguments: JsonObject, view: &CallerView<'_>) -> Result<String, String> {
    let handle = arguments
        .get("handle")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = find(handle, view).ok_or_else(|| {
        "no result has this handle any more: it ends 10 minutes after it was read last; call the tool again"
            .to_owned()
    })?;
    let request = read_request(&arguments)?;
    if text.len() < BLOCKING_MIN {
        return read(&Document::new(&text), &request);
    }
    let reading = tokio::task::spawn_blocking(move || read(&Document::new(&text), &request));
    // A panic must not end the connection.
    reading
        .await
        .unwrap_or_else(|_| Err("the result could not be read".to_owned()))
}

/// Returns the text of a handle that belongs to the caller.
pub(crate) fn find(handle: &str, view: &CallerView<'_>) -> Option<Arc<str>> {
    // A stolen session must not read what its owner has.
    if view.caller.is_in_foreign_session {
        return None;
    }
    view.large_results
        .find(handle, &view.caller.authority.person())
}

/// Reads the arguments. A model writes a range as a text, a number or a list, and columns as a list
/// or a text.
fn read_request(arguments: &JsonObject) -> Result<ReadRequest, String> {
    let text = |key: &str| {
        let text = arguments.get(key).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Ok(ReadRequest {
        lines: range(arguments.get("lines"), "lines")?,
        rows: range(arguments.get("rows"), "rows")?,
        path: text("path"),
        columns: columns(arguments.get("columns")),
        query: text("query"),
    })
}

fn columns(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(names)) => columns(Some(&Value::Array(names))),
            _ => text
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
        },
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// Reads the first and the last of a range.
fn range(value: Option<&Value>, key: &str) -> Result<Option<(usize, usize)>, String> {
    let number = |value: &Value| {
        value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
    };
    let read = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(ends)) => match ends.as_slice() {
            [first, last] => number(first).zip(number(last)),
            _ => None,
        },
        Some(Value::String(text)) if text.is_empty() => return Ok(None),
        Some(Value::String(text)) => {
            let (first, last) = text.split_once(['-', ':', '–']).unwrap_or((text, text));
            let end = |text: &str| text.trim().parse().ok();
            // `20-` is all from there.
            match last.trim() {
                "" => end(first).map(|first| (first, usize::MAX)),
                last => end(first).zip(end(last)),
            }
        }
        Some(value) => number(value).map(|place| (place, place)),
    };
    match read {
        Some((first, last)) if first <= last => Ok(Some((first, last))),
        _ => Err(format!("`{key}` must be a range, such as \"20-39\"")),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_columns_are_read_in_every_form_that_models_write() {
        for (value, expected) in [
            (json!("3-9"), Some((3, 9))),
            (json!("3 - 9"), Some((3, 9))),
            (json!("3:9"), Some((3, 9))),
            (json!("3"), Some((3, 3))),
            (json!(3), Some((3, 3))),
            (json!([3, 9]), Some((3, 9))),
            (json!("3-"), Some((3, usize::MAX))),
            (json!(""), None),
            (json!(null), None),
        ] {
            assert_eq!(range(Some(&value), "lines").unwrap(), expected, "{value}");
        }
        for value in [json!("9-3"), json!("a"), json!(-1), json!([1]), json!({})] {
            assert!(range(Some(&value), "lines").is_err(), "{value}");
        }
        for value in [json!(["a", "b"]), json!("a, b"), json!("[\"a\",\"b\"]")] {
            assert_eq!(columns(Some(&value)), ["a", "b"], "{value}");
        }
    }
}
