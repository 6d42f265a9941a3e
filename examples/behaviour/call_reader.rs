//! Calls in the text of a model. Models write them in Hermes tags, in a fenced block of JSON, or bare,
//! one or several, and under several names for the tool and its arguments.

use super::agent::{Call, Reply};
use rmcp::model::JsonObject;
use serde_json::{Deserializer, Value};

pub(crate) const BEGIN: &str = "<tool_call>";
pub(crate) const END: &str = "</tool_call>";
const FENCE: &str = "```";
/// Labels of fenced blocks in which models write calls.
const LABELS: [&str; 5] = ["json", "tool_call", "tool_code", "tool", "xml"];
const NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "function_name"];
const ARGUMENTS: [&str; 6] = [
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "tool_input",
];
/// The most characters of an unreadable call that are recorded.
const UNREADABLE_MAX: usize = 2_000;

/// Reads the text of a model, for which these names are functions.
pub(crate) fn read(text: &str, is_function: &dyn Fn(&str) -> bool) -> Reply {
    let mut reader = CallReader {
        is_function,
        reply: Reply {
            raw: text.to_owned(),
            ..Reply::default()
        },
    };
    reader.read_text(text);
    reader.reply.text = reader.reply.text.trim().to_owned();
    reader.reply
}

/// Reads a call as an endpoint reports it, such as `{"function": {"name", "arguments"}}`.
pub(crate) fn read_native(call: &Value, reply: &mut Reply) {
    let mut reader = CallReader {
        is_function: &|_| true,
        reply: std::mem::take(reply),
    };
    if !reader.read_value(call, true) {
        reader.reject(&call.to_string());
    }
    *reply = reader.reply;
}

/// A text while it is read.
struct CallReader<'a> {
    is_function: &'a dyn Fn(&str) -> bool,
    reply: Reply,
}

impl CallReader<'_> {
    fn read_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = next_start(rest) {
            let (prose, marked) = rest.split_at(start);
            self.reply.text.push_str(prose);
            rest = if let Some(block) = marked.strip_prefix(BEGIN) {
                self.read_tagged(block)
            } else if let Some(block) = marked.strip_prefix(FENCE) {
                self.read_fenced(block)
            } else {
                self.read_bare(marked)
            };
        }
        self.reply.text.push_str(rest);
    }

    /// Reads the block after a tag, and returns the text after the block.
    fn read_tagged<'t>(&mut self, block: &'t str) -> &'t str {
        let end = [block.find(END), block.find(BEGIN)]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(block.len());
        let (content, rest) = block.split_at(end);
        if !self.read_values(unfenced(content), true) {
            self.reject(content);
        }
        rest.strip_prefix(END).unwrap_or(rest)
    }

    /// Reads the block after a fence, and returns the text after the block.
    fn read_fenced<'t>(&mut self, block: &'t str) -> &'t str {
        let label_end = block
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(block.len());
        let (label, content) = block.split_at(label_end);
        let end = content.find(FENCE).unwrap_or(content.len());
        let (content, rest) = content.split_at(end);
        let is_labeled = LABELS.contains(&label.to_ascii_lowercase().as_str());
        if content.contains(BEGIN) {
            self.read_text(content);
        } else if !(is_labeled || label.is_empty()) || !self.read_values(content, false) {
            if is_labeled && looks_like_call(content) && !is_json(content) {
                self.reject(content);
            } else {
                self.reply.text.push_str(content);
            }
        }
        rest.strip_prefix(FENCE).unwrap_or(rest)
    }

    /// Reads a value at the beginning of the text, and returns the text after the value.
    fn read_bare<'t>(&mut self, text: &'t str) -> &'t str {
        let mut values = Deserializer::from_str(text).into_iter::<Value>();
        let (mut end, mut is_call) = (1, false);
        match values.next() {
            Some(Ok(value)) => {
                end = values.byte_offset();
                is_call = self.read_value(&value, false);
            }
            // A message that is nothing but broken JSON was meant as a call.
            _ if self.reply.text.trim().is_empty()
                && self.reply.calls.is_empty()
                && looks_like_call(text) =>
            {
                self.reject(text);
                return "";
            }
            _ => {}
        }
        let (value, rest) = text.split_at(end);
        if !is_call {
            self.reply.text.push_str(value);
        }
        rest
    }

    /// Reads a block of JSON values; returns whether all of them are calls.
    fn read_values(&mut self, block: &str, is_marked: bool) -> bool {
        let values: Result<Vec<Value>, _> = Deserializer::from_str(block).into_iter().collect();
        let values = values.unwrap_or_default();
        !values.is_empty() && values.iter().all(|value| self.read_value(value, is_marked))
    }

    /// Reads a value; returns whether it is a call, or several. A marked value needs no arguments to
    /// be one.
    fn read_value(&mut self, value: &Value, is_marked: bool) -> bool {
        match value {
            Value::Array(calls) => {
                !calls.is_empty() && calls.iter().all(|call| self.read_value(call, is_marked))
            }
            Value::Object(object) => match (object.get("tool_calls"), object.get("function")) {
                (Some(calls), _) => self.read_value(calls, true),
                (_, Some(function @ Value::Object(_))) => {
                    self.read_function(function, object.get("id"))
                }
                _ => self.read_call(object, is_marked),
            },
            _ => false,
        }
    }

    /// Reads a call in OpenAI's form, whose id is beside its function.
    fn read_function(&mut self, function: &Value, id: Option<&Value>) -> bool {
        let place = self.reply.calls.len();
        let is_call = function
            .as_object()
            .is_some_and(|function| self.read_call(function, true));
        if let (Some(id), Some(call)) =
            (id.and_then(Value::as_str), self.reply.calls.get_mut(place))
        {
            id.clone_into(&mut call.id);
        }
        is_call
    }

    fn read_call(&mut self, object: &JsonObject, is_marked: bool) -> bool {
        let Some(name) = NAMES.iter().find_map(|key| object.get(*key)?.as_str()) else {
            return false;
        };
        let arguments = ARGUMENTS.iter().find_map(|key| object.get(*key));
        if !(is_marked || arguments.is_some() || (self.is_function)(name)) {
            return false;
        }
        match arguments.map_or(Some(JsonObject::new()), read_arguments) {
            Some(arguments) => {
                self.reply.calls.push(Call {
                    id: String::new(),
                    name: name.to_owned(),
                    arguments,
                });
            }
            None => self.reject(&Value::Object(object.clone()).to_string()),
        }
        true
    }

    fn reject(&mut self, text: &str) {
        self.reply
            .unreadable
            .push(text.trim().chars().take(UNREADABLE_MAX).collect());
    }
}

/// Arguments as an object, or as a JSON string of one.
fn read_arguments(arguments: &Value) -> Option<JsonObject> {
    match arguments {
        Value::Object(arguments) => Some(arguments.clone()),
        Value::Null => Some(JsonObject::new()),
        Value::String(text) if text.trim().is_empty() => Some(JsonObject::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// The place at which a block or a value may begin.
fn next_start(text: &str) -> Option<usize> {
    [BEGIN, FENCE, "{", "["]
        .into_iter()
        .filter_map(|mark| text.find(mark))
        .min()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn looks_like_call(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['{', '['])
        && NAMES
            .iter()
            .any(|name| text.contains(&format!("\"{name}\"")))
}

/// A block without the fence that some models write inside their tags.
fn unfenced(block: &str) -> &str {
    let block = block.trim();
    let inner = block
        .strip_prefix(FENCE)
        .and_then(|inner| inner.strip_suffix(FENCE));
    inner.map_or(block, |inner| {
        inner.trim_start_matches(|letter: char| letter.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use serde_json::json;

    const FUNCTIONS: [&str; 3] = ["log", "ls", "call_tool"];

    fn read_reply(text: &str) -> Reply {
        read(text, &|name| FUNCTIONS.contains(&name))
    }

    fn names(reply: &Reply) -> Vec<&str> {
        reply.calls.iter().map(|call| call.name.as_str()).collect()
    }

    #[test]
    fn a_call_is_read_in_each_form() {
        for text in [
            "<tool_call>\n{\"name\": \"log\", \"arguments\": {\"limit\": 3}}\n</tool_call>",
            "<tool_call>{\"name\": \"log\", \"parameters\": {\"limit\": 3}}",
            "<tool_call>\n```json\n{\"name\": \"log\", \"arguments\": {\"limit\": 3}}\n```\n</tool_call>",
            "```json\n{\n  \"name\": \"log\",\n  \"arguments\": {\n    \"limit\": 3\n  }\n}\n```",
            "```\n{\"tool\": \"log\", \"args\": {\"limit\": 3}}\n```",
            "```xml\n<tool_call>\n{\"name\": \"log\", \"arguments\": {\"limit\": 3}}\n</tool_call>\n```",
            "{\"name\": \"log\", \"arguments\": \"{\\\"limit\\\": 3}\"}",
            "{\"type\": \"function\", \"function\": {\"name\": \"log\", \"arguments\": {\"limit\": 3}}}",
            "{\"tool_calls\": [{\"function\": {\"name\": \"log\", \"arguments\": \"{\\\"limit\\\": 3}\"}}]}",
            "[{\"name\": \"log\", \"arguments\": {\"limit\": 3}}]",
        ] {
            let reply = read_reply(text);
            assert_eq!(
                (names(&reply), &reply.calls[0].arguments["limit"]),
                (vec!["log"], &json!(3)),
                "{text}"
            );
            assert!(
                reply.text.is_empty() && reply.unreadable.is_empty(),
                "{text}: {reply:?}"
            );
            assert_eq!(reply.raw, text);
        }
    }

    #[test]
    fn prose_around_a_call_stays() {
        for text in [
            "I will look.\n<tool_call>{\"name\": \"log\", \"arguments\": {}}</tool_call>",
            "I will look.\n```json\n{\"name\": \"log\", \"arguments\": {}}\n```",
            "I will look.\n\n{\"name\": \"log\"}",
        ] {
            let reply = read_reply(text);
            assert_eq!(
                (reply.text.as_str(), names(&reply)),
                ("I will look.", vec!["log"]),
                "{text}"
            );
        }
    }

    #[test]
    fn all_calls_of_a_turn_are_read() {
        for text in [
            "<tool_call>{\"name\": \"log\"}</tool_call>\n<tool_call>{\"name\": \"ls\"}</tool_call>",
            "<tool_call>\n{\"name\": \"log\"}\n{\"name\": \"ls\"}\n</tool_call>",
            "<tool_call>[{\"name\": \"log\"}, {\"name\": \"ls\"}]",
            "```json\n{\"name\": \"log\", \"arguments\": {}}\n```\nThen:\n```json\n{\"name\": \"ls\", \"arguments\": {}}\n```",
            "{\"name\": \"log\", \"arguments\": {}}\n{\"name\": \"ls\", \"arguments\": {}}",
        ] {
            assert_eq!(names(&read_reply(text)), ["log", "ls"], "{text}");
        }
    }

    #[test]
    fn a_nested_call_is_one_call() {
        let text = "{\"name\": \"call_tool\", \"arguments\": {\"name\": \"log\", \"arguments\": {\"limit\": 3}}}";
        let reply = read_reply(text);
        assert_eq!(
            (names(&reply), &reply.calls[0].arguments["name"]),
            (vec!["call_tool"], &json!("log"))
        );
    }

    #[test]
    fn json_that_is_no_call_is_prose() {
        for text in [
            "The manifest says:\n```json\n{\"name\": \"demo\", \"version\": \"1.0\"}\n```",
            "{\"name\": \"demo\"}",
            "Use `a[0]` and {braces}.",
            "```rust\nfn log() {}\n```",
        ] {
            let reply = read_reply(text);
            assert!(
                reply.calls.is_empty() && reply.unreadable.is_empty(),
                "{text}: {reply:?}"
            );
            assert!(!reply.text.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_call_that_cannot_be_read_is_recorded() {
        for text in [
            "<tool_call>no JSON</tool_call> and so on",
            "<tool_call>\n{'name': 'log', 'arguments': {}}\n</tool_call>",
            "```json\n{\"name\": \"log\", \"arguments\": {\"limit\": }}\n```",
            "{\"name\": \"log\", \"arguments\": {\"path\": \"README",
            "{\"name\": \"log\", \"arguments\": \"limit=3\"}",
            "<tool_call>{\"name\": \"log\", \"arguments\": [3]}</tool_call>",
        ] {
            let reply = read_reply(text);
            assert!(reply.calls.is_empty(), "{text}: {reply:?}");
            assert_eq!(reply.unreadable.len(), 1, "{text}: {reply:?}");
        }
    }

    #[test]
    fn a_call_of_an_endpoint_keeps_its_id() {
        let mut reply = Reply::default();
        read_native(
            &json!({ "id": "c1", "function": { "name": "log", "arguments": "{\"limit\":3}" } }),
            &mut reply,
        );
        read_native(
            &json!({ "id": "c2", "function": { "name": "log", "arguments": "no JSON" } }),
            &mut reply,
        );
        read_native(
            &json!({ "id": "c3", "function": { "arguments": "{}" } }),
            &mut reply,
        );
        assert_eq!(
            (
                reply.calls[0].id.as_str(),
                reply.calls.len(),
                reply.unreadable.len()
            ),
            ("c1", 1, 2)
        );
    }
}
