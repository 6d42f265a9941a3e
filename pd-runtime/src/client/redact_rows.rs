//! Rows taken out of a result before a model sees it: the `body` that a selective tool answers in mode `sync` (MCP-SD).

mod leftover;

pub(super) use leftover::{asks_for_body, replace_leftover_body};

use super::{
    cache_scope::Owner,
    handles::Handles,
    rows::{Rows, parse_objects},
};
use crate::{
    protocol::keys::{ABSTRACT, BODY, RESOURCE_URL},
    selective::table::Entries,
    text::python_json,
};

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use std::{borrow::Cow, sync::Arc};

type Entry<'a> = (Cow<'a, str>, &'a RawValue);

/// Beside the abstract where the rows were too many to keep.
const BODY_ERROR: &str = "body_error";
const TOO_LARGE: &str =
    "these rows are more than can be rows here; ask for fewer rows, or for mode `async`, to hand them to another tool";
/// What others wrap a result in, also as JSON in a string, and how often.
const WRAPPED: &str = "result";
const WRAPPED_MAX: usize = 3;

/// Takes the rows out of every copy of a selective answer that a result holds. Copies of the same rows have one handle.
///
/// A selective answer is an object whose `abstract` and `body` are arrays of objects; what Python writes for numbers that JSON
/// does not have is `null` in it. All other results stay as they are.
pub(super) fn redact(result: &mut CallToolResult, handles: &Handles, owner: &Owner) {
    let mut redactor = Withheld { handles, owner, rows: Vec::new() };
    for text in result.content.iter_mut().filter_map(text_mut) {
        if let Some(rest) = redactor.redact_text(text, WRAPPED_MAX) {
            *text = rest;
        }
    }
    if let Some(structured) = result.structured_content.as_mut().filter(|structured| may_contain_rows(structured)) {
        let rest = redactor.redact_text(&structured.to_string(), WRAPPED_MAX);
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

/// Whether it is worth writing a structured result down to look into it.
fn may_contain_rows(structured: &Value) -> bool {
    let has = |key| structured.get(key).is_some();
    (has(ABSTRACT) && has(BODY)) || has(WRAPPED)
}

/// The rows that were taken out of one result so far, and what stands in their place.
struct Withheld<'a> {
    handles: &'a Handles,
    owner: &'a Owner,
    rows: Vec<(Arc<Rows>, Option<String>)>,
}

impl Withheld<'_> {
    /// A text without the rows; `None` where it holds none.
    fn redact_text(&mut self, text: &str, depth: usize) -> Option<String> {
        // Most texts are no selective answers, and are not parsed.
        if !(text.contains(BODY) && text.contains(ABSTRACT)) {
            return None;
        }
        with_entries(text, |entries| self.redact_entries(entries, depth))?
    }

    fn redact_entries(&mut self, entries: Vec<Entry<'_>>, depth: usize) -> Option<String> {
        if let [(key, inside)] = entries.as_slice()
            && key == WRAPPED
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

    /// What stands in the place of these rows, which are kept if no copy of them was.
    fn replacement(&mut self, rows: Rows) -> (&'static str, String) {
        if rows.is_empty() {
            return (RESOURCE_URL, String::new());
        }
        let known = self.rows.iter().find(|(known, _)| known.equals(&rows)).map(|(_, handle)| handle.clone());
        let handle = known.unwrap_or_else(|| {
            let rows = Arc::new(rows);
            let handle = self.handles.insert(self.owner, rows.clone());
            self.rows.push((rows, handle.clone()));
            handle
        });
        handle.map_or_else(|| (BODY_ERROR, TOO_LARGE.to_owned()), |handle| (RESOURCE_URL, handle))
    }
}

/// What is made of a text's entries; `None` where it is no object.
fn with_entries<T>(text: &str, make: impl FnOnce(Vec<Entry<'_>>) -> T) -> Option<T> {
    match serde_json::from_str(text) {
        Ok(Entries(entries)) => Some(make(entries)),
        Err(_) => {
            let text = python_json::as_null(text);
            serde_json::from_str(&text).ok().map(|Entries(entries)| make(entries))
        }
    }
}

fn last_value<'a>(entries: &[Entry<'a>], wanted: &str) -> Option<&'a RawValue> {
    entries.iter().rev().find(|(key, _)| key == wanted).map(|(_, value)| *value)
}

/// Whether it has rows that a model may see.
fn is_selective_answer(entries: &[Entry<'_>]) -> bool {
    last_value(entries, ABSTRACT).and_then(parse_objects).is_some()
}

/// The rows of a selective answer.
fn body_rows(entries: &[Entry<'_>]) -> Option<Rows> {
    is_selective_answer(entries).then(|| Rows::parse(last_value(entries, BODY)?))?
}

/// The answer without its rows, and with this where they were.
fn replace_body<'a>(mut entries: Vec<Entry<'a>>, key: &'static str, replacement: &'a RawValue) -> String {
    if let Some(body) = entries.iter_mut().find(|(key, _)| key == BODY) {
        *body = (Cow::Borrowed(key), replacement);
    }
    // A key that stands there twice is read by its last place, and a model reads both.
    entries.retain(|(own, value)| own != BODY && (own != key || std::ptr::eq(*value, replacement)));
    write_object(&entries)
}

/// An object of these entries, whose values stay as they were written.
fn write_object(entries: &[Entry<'_>]) -> String {
    let entry = |(key, value): &Entry<'_>| format!("{}:{}", Value::from(&**key), value.get());
    format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests;
