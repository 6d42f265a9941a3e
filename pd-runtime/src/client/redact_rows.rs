//! Redaction of results: takes out the rows (`body`) that a selective tool returns in mode `sync`
//! (MCP-SD), before a model sees the result.

mod leftover;

pub(super) use leftover::{asks_for_body, replace_leftover_body};

use super::{
    cache_scope::CacheScope,
    handles::RowHandles,
    rows::{RowsById, parse_objects},
};
use crate::{
    protocol::keys::{ABSTRACT, BODY, RESOURCE_URL},
    selective::table::ObjectEntries,
    text::python_json,
};

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use std::{borrow::Cow, sync::Arc};

type RawEntry<'a> = (Cow<'a, str>, &'a RawValue);

/// The key of the error that replaces rows that were too many to store.
const BODY_ERROR: &str = "body_error";
const TOO_LARGE: &str = "too many rows to store here; request fewer rows, or use mode `async`, to pass them to another tool";
/// The key in which other servers wrap a result, also as JSON in a string, and the deepest nesting
/// that is unwrapped.
const WRAPPER_KEY: &str = "result";
const WRAPPER_DEPTH_MAX: usize = 3;

/// Takes the rows out of every copy of a selective answer in a result. Copies of the same rows get
/// the same handle.
///
/// A selective answer is an object with two arrays of objects, `abstract` and `body`. The
/// non-finite numbers that Python writes, which JSON does not have, become `null` in it. All other
/// results are not changed.
pub(super) fn redact(result: &mut CallToolResult, handles: &RowHandles, owner: &CacheScope) {
    let mut redactor = RowRedactor {
        handles,
        owner,
        rows: Vec::new(),
    };
    for text in result.content.iter_mut().filter_map(text_mut) {
        if let Some(rest) = redactor.redact_text(text, WRAPPER_DEPTH_MAX) {
            *text = rest;
        }
    }
    if let Some(structured) = result
        .structured_content
        .as_mut()
        .filter(|structured| may_contain_rows(structured))
    {
        let rest = redactor.redact_text(&structured.to_string(), WRAPPER_DEPTH_MAX);
        if let Some(rest) = rest.and_then(|rest| serde_json::from_str(&rest).ok()) {
            *structured = rest;
        }
    }
}

fn text_mut(block: &mut ContentBlock) -> Option<&mut String> {
    match block {
        ContentBlock::Text(text) => Some(&mut text.text),
        ContentBlock::Resource(resource) => match &mut resource.resource {
            ResourceContents::TextResourceContents { text, .. } => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a structured result may contain rows. Only then is it serialized for a closer
/// look.
fn may_contain_rows(structured: &Value) -> bool {
    let has = |key| structured.get(key).is_some();
    (has(ABSTRACT) && has(BODY)) || has(WRAPPER_KEY)
}

/// The sets of rows that were taken out of one result so far, each with the handle that replaces
/// it.
struct RowRedactor<'a> {
    handles: &'a RowHandles,
    owner: &'a CacheScope,
    rows: Vec<(Arc<RowsById>, Option<String>)>,
}

impl RowRedactor<'_> {
    /// Returns the text without its rows, or `None` if it contains none.
    fn redact_text(&mut self, text: &str, depth: usize) -> Option<String> {
        // Most texts are not selective answers. This check spares them the parser.
        if !(text.contains(BODY) && text.contains(ABSTRACT)) {
            return None;
        }
        with_entries(text, |entries| self.redact_entries(entries, depth))?
    }

    fn redact_entries(&mut self, entries: Vec<RawEntry<'_>>, depth: usize) -> Option<String> {
        // The MCP SDK for Python wraps the value of a function without an output model as
        // `{"result": …}`.
        if let [(key, inside)] = entries.as_slice()
            && key == WRAPPER_KEY
        {
            let inside = self.redact_wrapped(inside, depth.checked_sub(1)?)?;
            return Some(write_object(&[(key.clone(), &inside)]));
        }
        let rows = body_rows(&entries)?;
        let (key, value) = self.replacement(rows);
        Some(replace_body(entries, key, &to_raw_value(&value).ok()?))
    }

    fn redact_wrapped(&mut self, inside: &RawValue, depth: usize) -> Option<Box<RawValue>> {
        if inside.get().starts_with('"') {
            let text: String = serde_json::from_str(inside.get()).ok()?;
            return to_raw_value(&self.redact_text(&text, depth)?).ok();
        }
        RawValue::from_string(self.redact_text(inside.get(), depth)?).ok()
    }

    /// Returns the member that replaces these rows. Stores the rows unless a copy of them was
    /// stored before.
    fn replacement(&mut self, rows: RowsById) -> (&'static str, String) {
        if rows.is_empty() {
            // No rows need no handle, but the member stays, so that the model finds the same shape.
            return (RESOURCE_URL, String::new());
        }
        // Servers send a result as text and as structured content. Both copies must name one
        // handle, because a handle is used up by the first call.
        let known = self
            .rows
            .iter()
            .find(|(known, _)| known.equals(&rows))
            .map(|(_, handle)| handle.clone());
        let handle = known.unwrap_or_else(|| {
            let rows = Arc::new(rows);
            let handle = self.handles.insert(self.owner, rows.clone());
            self.rows.push((rows, handle.clone()));
            handle
        });
        handle.map_or_else(
            || (BODY_ERROR, TOO_LARGE.to_owned()),
            |handle| (RESOURCE_URL, handle),
        )
    }
}

/// Parses a text as an object and applies `make` to its entries. Returns `None` if the text is not
/// an object.
fn with_entries<T>(text: &str, make: impl FnOnce(Vec<RawEntry<'_>>) -> T) -> Option<T> {
    match serde_json::from_str(text) {
        Ok(ObjectEntries(entries)) => Some(make(entries)),
        Err(_) => {
            // Tried second, because the text has to be copied for it.
            let text = python_json::replace_with_null(text);
            serde_json::from_str(&text)
                .ok()
                .map(|ObjectEntries(entries)| make(entries))
        }
    }
}

fn last_value<'a>(entries: &[RawEntry<'a>], wanted: &str) -> Option<&'a RawValue> {
    entries
        .iter()
        .rev()
        .find(|(key, _)| key == wanted)
        .map(|(_, value)| *value)
}

/// Returns whether the object has rows that a model may see.
fn is_selective_answer(entries: &[RawEntry<'_>]) -> bool {
    last_value(entries, ABSTRACT)
        .and_then(parse_objects)
        .is_some()
}

/// Returns the rows of a selective answer.
fn body_rows(entries: &[RawEntry<'_>]) -> Option<RowsById> {
    is_selective_answer(entries).then(|| RowsById::parse(last_value(entries, BODY)?))?
}

/// Renders the answer with a handle or an error in place of its rows.
fn replace_body<'a>(
    mut entries: Vec<RawEntry<'a>>,
    key: &'static str,
    replacement: &'a RawValue,
) -> String {
    if let Some(body) = entries.iter_mut().find(|(key, _)| key == BODY) {
        *body = (Cow::Borrowed(key), replacement);
    }
    // JSON parsers use the last of duplicate keys, but a model reads all of them.
    entries.retain(|(own, value)| own != BODY && (own != key || std::ptr::eq(*value, replacement)));
    write_object(&entries)
}

/// Renders an object with these entries. Their values stay as they were written.
fn write_object(entries: &[RawEntry<'_>]) -> String {
    format!(
        "{{{}}}",
        entries
            .iter()
            .map(|(key, value)| format!("{}:{}", Value::from(&**key), value.get()))
            .collect::<Vec<_>>()
            .join(",")
    )
}

#[cfg(test)]
mod tests;
