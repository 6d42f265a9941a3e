//! Rows taken out of a result before a model sees it: the `body` that a selective tool answers in mode `sync` (MCP-SD).

use super::{
    handles::Handles,
    owner::Owner,
    rows::{Rows, objects},
};
use crate::table::Entries;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use std::{borrow::Cow, sync::Arc};

type Entry<'a> = (Cow<'a, str>, &'a RawValue);

const ABSTRACT: &str = "abstract";
const BODY: &str = "body";
/// What stands in the place of the rows.
const RESOURCE_URL: &str = "resource_url";
/// Beside the abstract where the rows were too many to keep.
const BODY_ERROR: &str = "body_error";
const TOO_LARGE: &str =
    "these rows are more than can be kept here; ask for fewer rows, or for mode `async`, to hand them to another tool";
/// What others wrap a result in, also as JSON in a string, and how often.
const WRAPPED: &str = "result";
const WRAPPED_MAX: usize = 3;

/// Takes the rows out of every copy of a selective answer that a result holds. Copies of the same rows have one handle.
///
/// A selective answer is an object whose `abstract` and `body` are arrays of objects. All other results stay as they are.
pub(super) fn withhold(result: &mut CallToolResult, handles: &Handles, owner: &Owner) {
    let mut withheld = Withheld { handles, owner, kept: Vec::new() };
    for text in result.content.iter_mut().filter_map(text) {
        if let Some(rest) = withheld.without(text, WRAPPED_MAX) {
            *text = rest;
        }
    }
    if let Some(structured) = result.structured_content.as_mut().filter(|structured| may_hold(structured)) {
        let rest = withheld.without(&structured.to_string(), WRAPPED_MAX);
        if let Some(rest) = rest.and_then(|rest| serde_json::from_str(&rest).ok()) {
            *structured = rest;
        }
    }
}

fn text(block: &mut ContentBlock) -> Option<&mut String> {
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
fn may_hold(structured: &Value) -> bool {
    let has = |key| structured.get(key).is_some();
    (has(ABSTRACT) && has(BODY)) || has(WRAPPED)
}

/// The rows that were taken out of one result so far, and what stands in their place.
struct Withheld<'a> {
    handles: &'a Handles,
    owner: &'a Owner,
    kept: Vec<(Arc<Rows>, Option<String>)>,
}

impl Withheld<'_> {
    /// A text without the rows; `None` where it holds none.
    fn without(&mut self, text: &str, deep: usize) -> Option<String> {
        // Most texts are no selective answers, and are not parsed.
        if !(text.contains(BODY) && text.contains(ABSTRACT)) {
            return None;
        }
        let Entries(entries) = serde_json::from_str(text).ok()?;
        if let [(key, inside)] = entries.as_slice()
            && key == WRAPPED
        {
            let inside = self.unwrapped(inside, deep.checked_sub(1)?)?;
            return Some(written(&[(key.clone(), &inside)]));
        }
        let rows = rows(&entries)?;
        let (key, said) = self.swapped(rows);
        Some(put_in_place(entries, key, &to_raw_value(&said).ok()?))
    }

    fn unwrapped(&mut self, inside: &RawValue, deep: usize) -> Option<Box<RawValue>> {
        if inside.get().starts_with('"') {
            let text: String = serde_json::from_str(inside.get()).ok()?;
            return to_raw_value(&self.without(&text, deep)?).ok();
        }
        RawValue::from_string(self.without(inside.get(), deep)?).ok()
    }

    /// What stands in the place of these rows, which are kept if no copy of them was.
    fn swapped(&mut self, rows: Rows) -> (&'static str, String) {
        let known = self.kept.iter().find(|(known, _)| known.are(&rows)).map(|(_, handle)| handle.clone());
        let handle = known.unwrap_or_else(|| {
            let rows = Arc::new(rows);
            let handle = self.handles.keep(self.owner, rows.clone());
            self.kept.push((rows, handle.clone()));
            handle
        });
        handle.map_or_else(|| (BODY_ERROR, TOO_LARGE.to_owned()), |handle| (RESOURCE_URL, handle))
    }
}

/// The rows of a selective answer.
fn rows(entries: &[Entry<'_>]) -> Option<Rows> {
    let last = |wanted| entries.iter().rev().find(|(key, _)| key == wanted).map(|(_, value)| *value);
    objects(last(ABSTRACT)?)?;
    Rows::read(last(BODY)?)
}

/// The answer without its rows, and with this where they were.
fn put_in_place<'a>(mut entries: Vec<Entry<'a>>, key: &'static str, said: &'a RawValue) -> String {
    if let Some(body) = entries.iter_mut().find(|(key, _)| key == BODY) {
        *body = (Cow::Borrowed(key), said);
    }
    // A key that stands there twice is read by its last place, and a model reads both.
    entries.retain(|(own, value)| own != BODY && (own != key || std::ptr::eq(*value, said)));
    written(&entries)
}

/// An object of these entries, whose values stay as they were written.
fn written(entries: &[Entry<'_>]) -> String {
    let entry = |(key, value): &Entry<'_>| format!("{}:{}", Value::from(&**key), value.get());
    format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;
    use rmcp::model::EmbeddedResource;
    use serde_json::json;
    use std::time::Duration;

    const ANSWER: &str = r#"{
        "total_rows": 2, "columns": ["event", "n"], "abstract": [{"_row_id": 0, "event": "W\u0069nd"}, {"_row_id": 1}],
        "body": [{"_row_id": 0, "n": 1e400}, {"_row_id": 1, "n": 0.10}], "more": 12345678901234567890123
    }"#;

    struct Seen {
        result: CallToolResult,
        handles: Handles,
        owner: Owner,
    }

    fn seen_with(result: CallToolResult, handles: Handles) -> Seen {
        let mut seen = Seen { result, handles, owner: Owner::new(None) };
        withhold(&mut seen.result, &seen.handles, &seen.owner);
        seen
    }

    fn seen(texts: &[&str], structured: Option<Value>) -> Seen {
        let mut result = CallToolResult::success(texts.iter().map(|text| ContentBlock::text(*text)).collect());
        result.structured_content = structured;
        seen_with(result, Handles::new())
    }

    impl Seen {
        fn text(&self, at: usize) -> &str {
            &self.result.content[at].as_text().unwrap().text
        }

        fn rows(&self, handle: &Value, numbers: &[i64]) -> Option<String> {
            self.handles.lend(&self.owner, handle.as_str().unwrap()).ok()?.rows().picked(numbers)
        }
    }

    #[test]
    fn the_body_is_taken_out_and_all_else_stays_as_it_was_written() {
        let seen = seen(&[ANSWER, "and a word"], None);
        let told = seen.text(0).to_owned();
        let (before, after) = told.split_once(r#""resource_url":"ddi://"#).unwrap();
        assert!(before.ends_with(r#""abstract":[{"_row_id": 0, "event": "W\u0069nd"}, {"_row_id": 1}],"#), "{before}");
        assert_eq!(&after[39..], r#"","more":12345678901234567890123}"#);
        let told: Value = serde_json::from_str(&told.replace("12345678901234567890123", "0")).unwrap();
        assert_eq!(seen.rows(&told["resource_url"], &[0]).unwrap(), r#"[{"_row_id": 0, "n": 1e400}]"#);
        assert_eq!(seen.text(1), "and a word");
    }

    #[test]
    fn copies_of_the_same_rows_have_one_handle() {
        let answer = json!({ "abstract": [{ "_row_id": 0 }], "body": [{ "_row_id": 0, "secret": "x" }] });
        let text = serde_json::to_string_pretty(&answer).unwrap();
        for structured in [answer.clone(), json!({ "result": text }), json!({ "result": answer })] {
            let twin = structured.to_string();
            let seen = seen(&[&text, &twin], Some(structured));
            let all = serde_json::to_string(&seen.result).unwrap();
            assert!(!all.contains("secret"), "{all}");
            let handle: Value = serde_json::from_str::<Value>(seen.text(0)).unwrap()["resource_url"].take();
            assert_eq!(all.matches(handle.as_str().unwrap()).count(), 3, "{all}");
            assert_eq!(seen.handles.len(), 1);
        }
    }

    #[test]
    fn other_rows_in_one_result_have_a_handle_of_their_own() {
        let answer = |area: &str| json!({ "abstract": [], "body": [{ "_row_id": 0, "area": area }] }).to_string();
        let seen = seen(&[&answer("coast"), &answer("valley")], None);
        assert_eq!(seen.handles.len(), 2);
        let second: Value = serde_json::from_str(seen.text(1)).unwrap();
        assert!(seen.rows(&second["resource_url"], &[0]).unwrap().contains("valley"));
    }

    #[test]
    fn an_embedded_text_is_a_copy_too() {
        let resource = ResourceContents::text(ANSWER, "weather://alerts");
        let result = CallToolResult::success(vec![ContentBlock::Resource(EmbeddedResource::new(resource))]);
        let seen = seen_with(result, Handles::new());
        assert!(!serde_json::to_string(&seen.result).unwrap().contains("1e400"));
        assert_eq!(seen.handles.len(), 1);
    }

    #[test]
    fn no_second_body_and_no_other_url_stays() {
        let answer = r#"{"resource_url":"","abstract":[],"body":[],"body":[{"_row_id":3,"secret":1}]}"#;
        let seen = seen(&[answer], None);
        let told: Value = serde_json::from_str(seen.text(0)).unwrap();
        assert!(!seen.text(0).contains("secret") && seen.text(0).matches("resource_url").count() == 1);
        assert!(seen.rows(&told["resource_url"], &[3]).is_some());
    }

    #[test]
    fn all_other_results_pass_byte_for_byte() {
        let texts = [
            r#"{ "abstract": [{"_row_id":0}],  "resource_url": "http://127.0.0.1/s2sp/data/x" }"#,
            r#"{ "abstract": "A paper.", "body": "Its text." }"#,
            r#"{ "abstract": ["A paper."], "body": ["Its text."] }"#,
            r#"{ "abstract": [{"_row_id":0}], "body": null }"#,
            r#"[{ "abstract": [], "body": [] }]"#,
            r#"{ "abstract": [{}], "body": [{}]"#,
            "an abstract and a body",
            r#"{"result":{"result":{"result":{"result":{"abstract":[],"body":[]}}}}}"#,
        ];
        for text in texts {
            let structured: Option<Value> = serde_json::from_str(text).ok();
            let seen = seen(&[text], structured.clone());
            assert_eq!((seen.text(0), &seen.result.structured_content), (text, &structured));
            assert!(seen.handles.is_empty());
        }
    }

    #[test]
    fn rows_that_cannot_be_kept_are_no_more_seen_than_others() {
        let result = CallToolResult::success(vec![ContentBlock::text(ANSWER)]);
        let seen = seen_with(result, Handles::bounded(8, 50, Duration::from_secs(600)));
        assert!(!seen.text(0).contains("1e400") && !seen.text(0).contains("ddi://"));
        assert!(seen.text(0).contains("ask for fewer rows"), "{}", seen.text(0));
    }
}
