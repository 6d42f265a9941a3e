//! JSON-RPC messages of upstreams. They stay raw JSON, because rmcp's types drop keys that they do not know.

use super::client_requests::UpstreamRequest;
use rmcp::model::{ErrorCode, JsonObject};
use serde_json::{Value, json};

/// A message that an upstream has sent.
#[derive(Debug)]
pub(super) enum Message {
    Request(UpstreamRequest),
    Notification { method: String, params: JsonObject },
    Response { id: u64, outcome: Result<Value, RpcError> },
}

/// The error of a JSON-RPC response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub(super) struct RpcError {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Message {
    /// Reads a message. Returns `None` if the value is not a message of JSON-RPC 2.0.
    ///
    /// Requests of both directions have ids of their own, so a message with `method` is never a
    /// response, whatever its id.
    pub(super) fn parse(value: Value) -> Option<Self> {
        let Value::Object(mut object) = value else { return None };
        let id = object.remove("id").filter(|id| !id.is_null());
        if let Some(Value::String(method)) = object.remove("method") {
            let params = match object.remove("params") {
                Some(Value::Object(params)) => params,
                _ => JsonObject::new(),
            };
            return Some(match id {
                Some(id) => Self::Request(UpstreamRequest { id, method, params }),
                None => Self::Notification { method, params },
            });
        }
        let id = read_id(&id?)?;
        let outcome = match (object.remove("result"), object.remove("error")) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => Err(RpcError::parse(&error)),
            (None, None) => return None,
        };
        Some(Self::Response { id, outcome })
    }
}

/// Returns the id of the request that a message answers, or `None` if the message is not a response.
pub(super) fn response_id(message: &Value) -> Option<u64> {
    if message.get("method").is_some() { None } else { read_id(message.get("id")?) }
}

/// Reads the id of a response. Some servers return the number as a string.
fn read_id(id: &Value) -> Option<u64> {
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}

impl RpcError {
    fn parse(error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
        let message = error.get("message").and_then(Value::as_str).unwrap_or("the server gave no reason");
        Self {
            code: code.unwrap_or(ErrorCode::INTERNAL_ERROR.0),
            message: message.to_owned(),
            data: error.get("data").cloned(),
        }
    }
}

pub(super) fn request(id: u64, method: &str, params: JsonObject) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: JsonObject) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Creates the response to a request of the upstream.
pub(super) fn response(id: Value, outcome: Result<Value, RpcError>) -> Value {
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
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_message_with_a_method_is_never_a_response() {
        let message = Message::parse(json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}})).unwrap();
        assert!(matches!(message, Message::Request(_)));
        let message = Message::parse(json!({"jsonrpc": "2.0", "id": null, "method": "x"})).unwrap();
        assert!(matches!(message, Message::Notification { .. }));
    }

    #[test]
    fn ids_of_responses_are_numbers_or_their_text() {
        for id in [json!(7), json!("7")] {
            let Some(Message::Response { id, .. }) = Message::parse(json!({"id": id, "result": 1})) else { panic!() };
            assert_eq!(id, 7);
        }
        assert!(Message::parse(json!({"id": "seven", "result": 1})).is_none());
        assert!(Message::parse(json!({"id": 7})).is_none());
        assert!(Message::parse(json!([1])).is_none());
    }

    #[test]
    fn an_error_without_its_parts_is_still_an_error() {
        let Some(Message::Response { outcome: Err(error), .. }) = Message::parse(json!({"id": 1, "error": "odd"}))
        else {
            panic!()
        };
        assert_eq!(error.to_string(), "the server gave no reason (-32603)");
    }
}
