//! What a program gets for a call: the value of its result, or the failure that it can catch.

use super::media::{MediaHandles, media};
use crate::{
    catalog::entry::CatalogEntry,
    code::message::{CallFailure, ToWorker},
    surface::truncated,
    text::{
        leading_json::leading_json,
        truncate::{first_bytes, truncate_bytes},
    },
    tool::error::ToolError,
};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json, value::RawValue};

/// The most bytes of a code. An upstream may send a longer one.
const CODE_MAX: usize = 64;
/// The most bytes of a failure's text.
const MESSAGE_MAX: usize = 8 << 10;
/// The most violations that a failure's text names. All are in its `issues`.
const VIOLATIONS_MAX: usize = 5;

/// Returns the message that answers a request. A value that is too large becomes a failure.
pub(super) fn message(id: u32, answer: Result<Value, CallFailure>, bytes_max: usize) -> ToWorker {
    let value = answer.and_then(|value| {
        let text = value.to_string();
        match text.len() <= bytes_max {
            true => RawValue::from_string(text).map_err(|error| failure("", ToolError::INTERNAL, error.to_string())),
            false => {
                let text = format!(
                    "the result has {} bytes, over the limit of {bytes_max} for programs; ask for less at once",
                    text.len()
                );
                Err(failure("", ToolError::TOO_LARGE, text))
            }
        }
    });
    match value {
        Ok(value) => ToWorker::Value { id, value },
        Err(failure) => ToWorker::Failure { id, failure },
    }
}

/// Creates the failure of a call of this tool.
pub(super) fn failure(tool: &str, code: &str, message: impl Into<String>) -> CallFailure {
    let mut message: String = message.into();
    truncate_bytes(&mut message, MESSAGE_MAX);
    CallFailure {
        code: first_bytes(code, CODE_MAX).to_owned(),
        message,
        tool: truncated(tool).to_owned(),
        issues: None,
    }
}

/// Returns the value of a successful result: its structured content; otherwise the JSON in its
/// text, or the text. Media become handles: alone, or beside the value as `{value, media}`.
pub(super) fn value_of(
    result: CallToolResult,
    entry: &CatalogEntry,
    modern: bool,
    kept: &MediaHandles,
) -> Result<Value, CallFailure> {
    let (media, texts): (Vec<_>, Vec<_>) = result
        .content
        .into_iter()
        .partition(|block| media(block).is_some());
    let structured = result
        .structured_content
        .map(|value| unwrapped(value, entry, modern));
    let value = structured.or_else(|| text_value(&texts));
    let handles: Option<Vec<Value>> = media.into_iter().map(|block| kept.keep(block)).collect();
    let Some(mut handles) = handles else {
        let text =
            "the images and blobs of this run are too large together; return them in several runs";
        return Err(failure(entry.name(), ToolError::TOO_LARGE, text));
    };
    Ok(match (value, handles.len()) {
        (value, 0) => value.unwrap_or_default(),
        (None, 1) => handles.pop().unwrap_or_default(),
        (None, _) => Value::Array(handles),
        (Some(value), _) => json!({ "value": value, "media": handles }),
    })
}

/// Removes the object around a value that clients before 2026-07-28 need. Programs are written from
/// signatures, which do not show it.
fn unwrapped(mut value: Value, entry: &CatalogEntry, modern: bool) -> Value {
    match value.get_mut("result") {
        Some(inner) if !modern && entry.is_wrapped_for_older() => inner.take(),
        _ => value,
    }
}

fn text_value(blocks: &[ContentBlock]) -> Option<Value> {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block.as_text().map(|text| text.text.as_str()))
        .collect();
    if texts.len() < blocks.len() {
        // Links and texts of resources have no shorter form than their own.
        return serde_json::to_value(blocks).ok();
    }
    match texts.as_slice() {
        [] => None,
        [text] => Some(serde_json::from_str(text).unwrap_or_else(|_| json!(text))),
        texts => {
            // Some servers send one text an item.
            let items: Option<Vec<Value>> = texts
                .iter()
                .map(|text| serde_json::from_str(text).ok())
                .collect();
            Some(items.map_or_else(|| json!(texts.join("\n")), Value::Array))
        }
    }
}

/// Returns the failure in a result with `isError`. Errors of this crate are JSON at the
/// beginning of the first text.
pub(super) fn failure_of(result: &CallToolResult, tool: &str) -> CallFailure {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|block| Some(block.as_text()?.text.as_str()))
        .collect();
    let document: Option<Value> = texts.first().and_then(|text| Some(leading_json(text)?.0));
    let Some(error) = document
        .as_ref()
        .and_then(|document| document.get("error"))
        .filter(|error| error.is_object())
    else {
        let text = if texts.is_empty() {
            "the tool failed without a text".to_owned()
        } else {
            texts.join("\n")
        };
        return failure(tool, ToolError::FAILED, text);
    };
    let part = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let violations = error
        .get("violations")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let details = violations.iter().take(VIOLATIONS_MAX).map(|violation| {
        let part = |key: &str| {
            violation
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        format!(
            " `{}` {}.",
            part("pointer").trim_start_matches('/'),
            part("message")
        )
    });
    let mut message = format!("{}{}", part("message"), details.collect::<String>());
    for advice in [part("solution"), part("next")]
        .into_iter()
        .filter(|advice| !advice.is_empty())
    {
        message = format!("{} {advice}", message.trim_end());
    }
    let code = if part("code").is_empty() {
        ToolError::FAILED
    } else {
        part("code")
    };
    let issues = (!violations.is_empty())
        .then(|| serde_json::value::to_raw_value(violations).ok())
        .flatten();
    CallFailure {
        issues,
        ..failure(tool, code, message)
    }
}
