//! JSON-RPC messages of upstreams. They stay raw JSON, because rmcp's types drop keys that they do
//! not know.
//!
//! `wire` reads messages from bytes, within bounds of size and memory. `result_shape` brings
//! results into the shape of MCP, `own_keys` removes keys of this project from them, and
//! `plain_result` finds those that rmcp's types keep as they are. `odd_entry` mends keys of entries
//! and blocks as they are read. `definition_text` checks that a person sees all of a definition.
//! `resource_uri` compares URIs and templates.

pub(crate) mod client_request;
pub(crate) mod definition_text;
pub(crate) mod log_level;
pub(crate) mod odd_entry;
pub(crate) mod own_keys;
pub(crate) mod plain_result;
pub(crate) mod resource_uri;
pub(crate) mod result_shape;
pub(crate) mod view_uri;
pub(crate) mod wire;

use crate::message::client_request::UpstreamRequest;
use rmcp::model::{ErrorCode, JsonObject};
use serde_json::{Value, json};

/// A message that an upstream has sent.
#[derive(Debug)]
pub(crate) enum Message {
    Request(UpstreamRequest),
    Notification {
        method: String,
        params: JsonObject,
    },
    Response {
        id: u64,
        outcome: Result<Value, ErrorObject>,
    },
    /// A response without an id that the gateway has sent.
    Unaddressed {
        outcome: Result<Value, ErrorObject>,
    },
}

/// The longest text of an upstream's error, in bytes. The rest is cut.
const ERROR_TEXT_MAX: usize = 4 * 1024;

/// The error of a JSON-RPC response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub(crate) struct ErrorObject {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl Message {
    /// Reads a message. Returns `None` if the value is not a message of JSON-RPC 2.0.
    ///
    /// Each direction has separate ids, so a message with `method` is never a response, whatever
    /// its id.
    pub(crate) fn parse(value: Value) -> Option<Self> {
        let Value::Object(mut object) = value else {
            return None;
        };
        let own_id = object.remove("id");
        // The id of an error is null if the request could not be read (JSON-RPC 2.0, section 5).
        let id = own_id.clone().filter(|id| !id.is_null());
        if let Some(Value::String(method)) = object.remove("method") {
            let params = match object.remove("params") {
                Some(Value::Object(params)) => params,
                // `params` may be absent (JSON-RPC 2.0, section 4.2), and MCP has none by position.
                _ => JsonObject::new(),
            };
            return Some(match id {
                Some(id) => Self::Request(UpstreamRequest { id, method, params }),
                None => Self::Notification { method, params },
            });
        }
        let has_version = object.contains_key("jsonrpc");
        let outcome = match (
            object.remove("result"),
            object.remove("error").filter(is_error),
        ) {
            // Servers write both keys, of which one is null.
            (None | Some(Value::Null), Some(error)) => Err(ErrorObject::parse(error)),
            (Some(result), _) => Ok(result),
            (None, None) if has_version => Err(ErrorObject::without_text(
                "the answer has no result and no error",
            )),
            (None, None) => return None,
        };
        match id.as_ref().and_then(read_id) {
            Some(id) => Some(Self::Response { id, outcome }),
            // A line of a log may have an `error`, too.
            None if has_version || own_id.is_some() => Some(Self::Unaddressed { outcome }),
            None => None,
        }
    }

    /// Reads a message that can be nothing but the answer to a request: a whole body over HTTP.
    pub(crate) fn parse_answer(value: Value) -> Option<Self> {
        match value {
            // With a null id, the answer counts as one to the request that it came for.
            Value::Object(mut object) if is_answer_without_id(&object) => {
                object.insert("id".to_owned(), Value::Null);
                Self::parse(Value::Object(object))
            }
            value => Self::parse(value),
        }
    }
}

fn is_answer_without_id(object: &JsonObject) -> bool {
    let has_body = object.contains_key("result") || object.get("error").is_some_and(is_error);
    has_body && !object.contains_key("method") && !object.contains_key("id")
}

/// Returns whether the value of `error` says that there was one.
fn is_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => true,
    }
}

/// Returns the id of the request that a message answers, or `None` if the message is not a
/// response.
pub(crate) fn response_id(message: &Value) -> Option<u64> {
    if message.get("method").is_some() {
        None
    } else {
        read_id(message.get("id")?)
    }
}

/// Reads the id of a response. Some servers return the number as a string, or as a float.
fn read_id(id: &Value) -> Option<u64> {
    let number = id.as_u64().or_else(|| id.as_str()?.trim().parse().ok());
    // A float is exact up to 2^53, which is a little more than 9e15.
    number.or_else(|| {
        id.as_f64()
            .filter(|id| id.fract() == 0.0 && (0.0..9e15).contains(id))
            .map(|id| id as u64)
    })
}

impl ErrorObject {
    /// Reads an error. Servers write a text instead of the object, leave keys out, and write the
    /// code as a text.
    fn parse(error: Value) -> Self {
        let Value::Object(mut object) = error else {
            let text = error
                .as_str()
                .map_or_else(|| error.to_string(), str::to_owned);
            return Self::without_text(&text);
        };
        let code = object.get("code").and_then(code_of);
        let message = match object.get("message") {
            Some(Value::String(text)) if !text.trim().is_empty() => text.clone(),
            Some(Value::Null | Value::String(_)) | None => other_text(&object),
            Some(other) => other.to_string(),
        };
        Self {
            // JSON-RPC requires a code (section 5.1).
            code: code.unwrap_or(ErrorCode::INTERNAL_ERROR.0),
            message: cut(message),
            data: object.remove("data").filter(|data| !data.is_null()),
        }
    }

    fn without_text(text: &str) -> Self {
        Self {
            code: ErrorCode::INTERNAL_ERROR.0,
            message: cut(text.to_owned()),
            data: None,
        }
    }
}

/// Reads the code of an error.
fn code_of(code: &Value) -> Option<i32> {
    let float = code
        .as_f64()
        .or_else(|| code.as_str()?.trim().parse().ok())?;
    // The range is checked, so the conversion is exact.
    (float.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&float))
        .then_some(float as i32)
}

/// Returns the text of an error without a message: another key that has one, or the whole error.
fn other_text(error: &JsonObject) -> String {
    let texts = ["error", "detail", "description", "reason", "data"]
        .iter()
        .filter_map(|key| error.get(*key)?.as_str());
    let text = texts.into_iter().find(|text| !text.trim().is_empty());
    text.map_or_else(|| Value::Object(error.clone()).to_string(), str::to_owned)
}

/// Cuts the text of the error in the state of a task.
pub(crate) fn cut_task_error(state: &mut Value) {
    if let Some(Value::String(text)) = state.pointer_mut("/error/message") {
        *text = cut(std::mem::take(text));
    }
}

/// Cuts the text of an error, which a model reads.
fn cut(mut text: String) -> String {
    if text.len() > ERROR_TEXT_MAX {
        let bytes = text.len();
        // `truncate` panics within a character.
        let end = (0..=ERROR_TEXT_MAX)
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or_default();
        text.truncate(end);
        text.push_str(&format!(" … (cut: it has {bytes} bytes)"));
    }
    text
}

pub(crate) fn request(id: u64, method: &str, params: JsonObject) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn notification(method: &str, params: JsonObject) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Creates the response to a request of the upstream.
pub(crate) fn response(id: Value, outcome: Result<Value, ErrorObject>) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => {
            let mut object = json!({ "code": error.code, "message": error.message });
            if let (Some(data), Value::Object(object)) = (error.data, &mut object) {
                object.insert("data".to_owned(), data);
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": object })
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )]

    use super::*;

    #[test]
    fn a_message_with_a_method_is_never_a_response() {
        let message =
            Message::parse(json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}))
                .unwrap();
        assert!(matches!(message, Message::Request(_)));
        let message = Message::parse(json!({"jsonrpc": "2.0", "id": null, "method": "x"})).unwrap();
        assert!(matches!(message, Message::Notification { .. }));
    }

    #[test]
    fn ids_of_responses_are_numbers_or_their_text() {
        for id in [json!(7), json!("7")] {
            let Some(Message::Response { id, .. }) = Message::parse(json!({"id": id, "result": 1}))
            else {
                panic!()
            };
            assert_eq!(id, 7);
        }
        assert!(Message::parse(json!({"id": 7})).is_none());
        assert!(Message::parse(json!([1])).is_none());
    }

    #[test]
    fn a_response_without_a_known_id_is_unaddressed_and_a_line_of_a_log_is_none() {
        for (message, is_response) in [
            (
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1}}),
                true,
            ),
            (json!({"id": null, "error": "boom"}), true),
            (json!({"id": "seven", "result": 1}), true),
            (json!({"jsonrpc": "2.0", "result": 1}), true),
            (json!({"error": "disk full"}), false),
            (json!({"result": 1}), false),
        ] {
            let parsed = Message::parse(message.clone());
            assert_eq!(
                matches!(parsed, Some(Message::Unaddressed { .. })),
                is_response,
                "{message}"
            );
            let answer = Message::parse_answer(message.clone());
            assert!(
                matches!(answer, Some(Message::Unaddressed { .. })),
                "{message}"
            );
        }
        assert!(Message::parse_answer(json!({"detail": "rate limited"})).is_none());
    }

    #[test]
    fn the_text_of_an_error_is_found_however_it_is_written() {
        let internal = -32_603;
        for (error, code, text) in [
            (json!("boom"), internal, "boom"),
            (json!(["a", 1]), internal, r#"["a",1]"#),
            (json!({"code": -1, "message": "boom"}), -1, "boom"),
            (json!({"message": "boom"}), internal, "boom"),
            (
                json!({"code": "-32000", "message": "boom"}),
                -32_000,
                "boom",
            ),
            (
                json!({"code": -32000.0, "message": {"a": 1}}),
                -32_000,
                r#"{"a":1}"#,
            ),
            (
                json!({"code": "E_FAIL", "message": "boom"}),
                internal,
                "boom",
            ),
            (json!({"code": -1}), -1, r#"{"code":-1}"#),
            (json!({"code": -1, "detail": "boom"}), -1, "boom"),
            (
                json!({"code": 1e300, "message": null, "data": "boom"}),
                internal,
                "boom",
            ),
        ] {
            for message in [
                json!({"id": 1, "error": error, "result": null}),
                json!({"id": 1, "error": error}),
            ] {
                let Some(Message::Response {
                    outcome: Err(read), ..
                }) = Message::parse(message.clone())
                else {
                    panic!("{message}")
                };
                assert_eq!(
                    (read.code, read.message.as_str()),
                    (code, text),
                    "{message}"
                );
            }
        }
        let result = json!({"id": 1, "result": {"a": 1}, "error": null});
        assert!(matches!(
            Message::parse(result),
            Some(Message::Response { outcome: Ok(_), .. })
        ));
        let empty = json!({"jsonrpc": "2.0", "id": 1});
        assert!(matches!(
            Message::parse(empty),
            Some(Message::Response {
                outcome: Err(_),
                ..
            })
        ));
    }

    #[test]
    fn a_long_error_is_cut_with_a_mark() {
        for message in [
            json!("é".repeat(1 << 20)),
            json!({"message": "é".repeat(1 << 20)}),
        ] {
            let Some(Message::Response {
                outcome: Err(error),
                ..
            }) = Message::parse(json!({"id": 1, "error": message}))
            else {
                panic!()
            };
            assert!(
                error.message.len() < ERROR_TEXT_MAX + 100
                    && error.message.ends_with("(cut: it has 2097152 bytes)")
            );
        }
    }
}
