//! What rmcp's types lose of a JSON value. It is kept beside the typed value, and restored when the
//! answer is sent.

use super::{json_value, large_texts::LargeTexts};
use parking_lot::Mutex;
use rmcp::{
    RoleServer,
    model::{CustomResult, ServerResult},
    service::RequestContext,
};
use serde::Serialize;
use serde_json::Value;
use std::{collections::HashMap, sync::Arc};

/// The parts of a JSON value that one of rmcp's types does not keep. What both have in common is
/// not part of it, because results are large.
#[derive(Debug)]
pub struct LossyValue {
    raw: Value,
    typed: Value,
}

impl LossyValue {
    /// Returns `None` if the type keeps the whole value.
    pub fn new(mut raw: Value, typed: &impl Serialize) -> Option<Arc<Self>> {
        let mut typed = json_value::to_value(typed).ok()?;
        if raw == typed {
            return None;
        }
        remove_common(&mut raw, &mut typed);
        Some(Arc::new(Self { raw, typed }))
    }

    fn restore(&self, answer: &mut Value) {
        restore(answer, &self.typed, &self.raw);
    }
}

/// Removes what two different values have in common. Equal elements of lists become null, so that
/// the others keep their places.
fn remove_common(raw: &mut Value, typed: &mut Value) {
    match (raw, typed) {
        (Value::Object(raw), Value::Object(typed)) => {
            raw.retain(|key, raw| match typed.get_mut(key) {
                Some(typed_value) if raw == typed_value => {
                    typed.shift_remove(key);
                    false
                }
                Some(typed_value) => {
                    remove_common(raw, typed_value);
                    true
                }
                None => true,
            })
        }
        // Elements have no keys. In lists of other lengths, no element has a known counterpart.
        (Value::Array(raw), Value::Array(typed)) if raw.len() == typed.len() => {
            for (raw, typed) in raw.iter_mut().zip(typed) {
                if raw == typed {
                    (*raw, *typed) = (Value::Null, Value::Null);
                } else {
                    remove_common(raw, typed);
                }
            }
        }
        _ => {}
    }
}

/// Restores what the typed form of a raw value lost. What the server has changed in the typed form
/// since then stays as it is.
fn restore(answer: &mut Value, typed: &Value, raw: &Value) {
    match (answer, typed, raw) {
        (Value::Object(answer), Value::Object(typed), Value::Object(raw)) => {
            for (key, raw) in raw {
                match (answer.get_mut(key), typed.get(key)) {
                    (Some(answer), Some(typed)) => restore(answer, typed, raw),
                    (None, None) => {
                        answer.insert(key.clone(), raw.clone());
                    }
                    // The server has removed a key that was known, or added one that was not. What
                    // it decided is the newer value.
                    (None, Some(_)) | (Some(_), None) => {}
                }
            }
            // A key that the type has added, and the server has not changed.
            let added = typed.iter().filter(|(key, _)| !raw.contains_key(*key));
            for (key, value) in added {
                if answer.get(key) == Some(value) {
                    answer.shift_remove(key);
                }
            }
        }
        (Value::Array(answer), Value::Array(typed), Value::Array(raw))
            if answer.len() == typed.len() && typed.len() == raw.len() =>
        {
            for ((answer, typed), raw) in answer.iter_mut().zip(typed).zip(raw) {
                restore(answer, typed, raw);
            }
        }
        // Equal values were not changed by the server, so the upstream's form is restored.
        (answer, typed, raw) if answer == typed => answer.clone_from(raw),
        _ => {}
    }
}

/// The lists of MCP, each with the key that identifies an entry.
const LISTS: [(&str, &str); 4] = [
    ("tools", "name"),
    ("prompts", "name"),
    ("resources", "uri"),
    ("resourceTemplates", "uriTemplate"),
];

/// The lossy values in the answer to one request. The request carries it in its extensions.
#[derive(Debug, Clone, Default)]
pub struct LossyParts(Arc<Mutex<AnswerParts>>);

#[derive(Debug, Default)]
struct AnswerParts {
    result: Option<Arc<LossyValue>>,
    /// Entries of the lists that the answer contains, by the list and by their name or URI.
    entries: HashMap<&'static str, HashMap<String, Arc<LossyValue>>>,
}

impl LossyParts {
    /// Returns the parts of the answer to this request. rmcp's HTTP service has no other place for
    /// them than the head of the HTTP request.
    pub fn from_request(request: &RequestContext<RoleServer>) -> Option<&Self> {
        let parts = request.extensions.get::<Self>();
        parts.or_else(|| {
            request
                .extensions
                .get::<http::request::Parts>()?
                .extensions
                .get()
        })
    }

    /// Returns whether no part was added.
    #[cfg(feature = "http")]
    pub(crate) fn is_empty(&self) -> bool {
        let parts = self.0.lock();
        parts.result.is_none() && parts.entries.is_empty()
    }

    /// Adds the result as a whole.
    pub(crate) fn add_result(&self, value: Option<Arc<LossyValue>>) {
        self.0.lock().result = value;
    }

    /// Adds an entry of a list that the answer will contain.
    pub fn add_entry(&self, list: &'static str, name_or_uri: &str, value: Arc<LossyValue>) {
        self.0
            .lock()
            .entries
            .entry(list)
            .or_default()
            .insert(name_or_uri.to_owned(), value);
    }

    /// Returns the result with everything that its type lost.
    pub(crate) fn restore(&self, mut result: ServerResult) -> ServerResult {
        // Taken, so that the lock is not held while a large answer is converted.
        let parts = std::mem::take(&mut *self.0.lock());
        if parts.result.is_none() && parts.entries.is_empty() {
            return result;
        }
        // The type keeps these as they are. They may be large, so they are not copied.
        let (structured, texts) = match &mut result {
            ServerResult::CallToolResult(result) => (
                result.structured_content.take(),
                LargeTexts::take_from_typed(result),
            ),
            _ => (None, LargeTexts::default()),
        };
        // A result that cannot be written as JSON is sent as it was typed; sending it reports the
        // error.
        let Ok(mut answer) = json_value::to_value(&result) else {
            if let ServerResult::CallToolResult(result) = &mut result {
                result.structured_content = structured;
                texts.return_to_typed(result);
            }
            return result;
        };
        drop(result);
        parts.restore(&mut answer);
        texts.return_to_raw(&mut answer);
        if let (Some(structured), Value::Object(answer)) = (structured, &mut answer) {
            answer.insert("structuredContent".to_owned(), structured);
        }
        ServerResult::CustomResult(CustomResult(answer))
    }

    /// Restores what the types lost in a result that was written as JSON.
    #[cfg(feature = "http")]
    pub(crate) fn restore_value(&self, result: &mut Value) {
        std::mem::take(&mut *self.0.lock()).restore(result);
    }
}

impl AnswerParts {
    fn restore(&self, answer: &mut Value) {
        if let Some(value) = &self.result {
            value.restore(answer);
        }
        self.restore_lists(answer);
        // A group has its lists in its contents.
        if let Some(contents) = answer.get_mut("contents") {
            self.restore_lists(contents);
        }
    }

    fn restore_lists(&self, holder: &mut Value) {
        for (list, key) in LISTS {
            let Some(entries) = self.entries.get(list) else {
                continue;
            };
            for entry in holder
                .get_mut(list)
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                let value = entry
                    .get(key)
                    .and_then(Value::as_str)
                    .and_then(|id| entries.get(id));
                value.inspect(|value| value.restore(entry));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use proptest::prelude::*;
    use rmcp::model::CallToolResult;
    use serde_json::json;

    #[test]
    fn what_the_server_changed_stays_and_what_the_type_lost_returns() {
        let raw = json!({
            "content": [{ "type": "text", "text": "a", "x": 1 }, { "type": "text", "text": "b", "y": 2 }],
            "vendor": { "deep": [1] },
            "isError": false,
        });
        let typed: CallToolResult = serde_json::from_value(raw.clone()).unwrap();
        let lossy = LossyValue::new(raw.clone(), &typed).unwrap();
        let mut answer = json_value::to_value(&typed).unwrap();
        lossy.restore(&mut answer);
        assert_eq!(answer, raw);

        let mut changed = json_value::to_value(&typed).unwrap();
        changed["content"][0]["text"] = json!("withheld");
        changed["_meta"] = json!({ "own": true });
        changed.as_object_mut().unwrap().remove("isError");
        lossy.restore(&mut changed);
        assert_eq!(
            changed,
            json!({
                "content": [{ "type": "text", "text": "withheld", "x": 1 }, { "type": "text", "text": "b", "y": 2 }],
                "vendor": { "deep": [1] },
                "_meta": { "own": true },
            })
        );

        let mut divided = json!({ "content": [{ "type": "text", "text": "one block" }] });
        lossy.restore(&mut divided);
        assert_eq!(
            divided["content"],
            json!([{ "type": "text", "text": "one block" }])
        );
    }

    #[test]
    fn a_value_that_its_type_keeps_is_not_lossy() {
        let raw = json!({ "content": [{ "type": "text", "text": "a" }], "structuredContent": { "x": [1, 2.5] } });
        let typed: CallToolResult = serde_json::from_value(raw.clone()).unwrap();
        assert!(LossyValue::new(raw, &typed).is_none());
    }

    proptest! {
        /// Whatever keys a server adds, and wherever: the answer is what the server sent.
        #[test]
        fn an_unchanged_answer_is_the_raw_value(
            top in prop::collection::btree_map("[a-z]{1,8}", any::<Option<i32>>(), 0..4),
            blocks in prop::collection::vec(prop::collection::btree_map("[a-z]{1,8}", any::<bool>(), 0..3), 0..4),
        ) {
            let blocks = blocks.into_iter().map(|mut block| {
                let mut object = json!({ "type": "text", "text": "t" });
                block.retain(|key, _| !matches!(key.as_str(), "type" | "text" | "annotations"));
                object.as_object_mut().unwrap().extend(block.into_iter().map(|(key, value)| (key, value.into())));
                object
            });
            let mut raw = json!({ "content": blocks.collect::<Vec<_>>() });
            for (key, value) in top.into_iter().filter(|(key, _)| key != "content") {
                raw[key] = value.into();
            }
            let typed: CallToolResult = serde_json::from_value(raw.clone()).unwrap();
            let parts = LossyParts::default();
            parts.add_result(LossyValue::new(raw.clone(), &typed));
            let answer = json_value::to_value(&parts.restore(ServerResult::CallToolResult(typed))).unwrap();
            prop_assert_eq!(answer, raw);
        }
    }
}
