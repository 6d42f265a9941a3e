//! Capabilities that rmcp's types have no room for: what waits under `experimental` as `tools.…` moves into the
//! capability `tools`, on its way out, on every transport.

use crate::surface::FOR_TOOLS;
use rmcp::{
    RoleServer,
    model::{CustomResult, JsonObject, JsonRpcMessage, ServerResult},
    service::TxJsonRpcMessage,
};
use serde_json::{Value, json};

/// In a message that a transport is about to send.
pub(super) fn in_message(message: TxJsonRpcMessage<RoleServer>) -> TxJsonRpcMessage<RoleServer> {
    let JsonRpcMessage::Response(mut response) = message else { return message };
    let result = match &response.result {
        ServerResult::InitializeResult(result) => serde_json::to_value(result),
        ServerResult::DiscoverResult(result) => serde_json::to_value(result),
        _ => return JsonRpcMessage::Response(response),
    };
    if let Ok(mut result) = result
        && settle(&mut result)
    {
        response.result = ServerResult::CustomResult(CustomResult(result));
    }
    JsonRpcMessage::Response(response)
}

/// Moves them in the result of `initialize` or `server/discover`; says whether there were any.
fn settle(result: &mut Value) -> bool {
    let Some(capabilities) = result.get_mut("capabilities").and_then(Value::as_object_mut) else { return false };
    let Some(Value::Object(experimental)) = capabilities.shift_remove("experimental") else { return false };
    let (for_tools, rest): (JsonObject, JsonObject) =
        experimental.into_iter().partition(|(key, _)| key.starts_with(FOR_TOOLS));
    let any = !for_tools.is_empty();
    if let Value::Object(tools) = capabilities.entry("tools").or_insert_with(|| json!({})) {
        tools.extend(for_tools.into_iter().map(|(key, _)| (key.trim_start_matches(FOR_TOOLS).to_owned(), json!(true))));
    }
    if !rest.is_empty() {
        capabilities.shift_insert(0, "experimental".to_owned(), Value::Object(rest));
    }
    any
}

#[cfg(feature = "http")]
pub(super) use over_http::in_response;

/// rmcp writes its answers itself there, so they are read again: only those that may open a lifecycle.
#[cfg(feature = "http")]
mod over_http {
    use super::settle;
    use axum::{
        body::{Body, Bytes},
        extract::Request,
        middleware::Next,
        response::Response,
    };
    use futures::StreamExt;
    use http::HeaderMap;
    use serde_json::Value;

    /// Middleware for the endpoint.
    pub(crate) async fn in_response(request: Request, next: Next) -> Response {
        let opens = may_open(request.headers());
        let response = next.run(request).await;
        if !opens {
            return response;
        }
        response.map(|body| Body::from_stream(body.into_data_stream().map(|part| part.map(in_part))))
    }

    /// Requests of 2026-07-28 name their method in a header; older ones that are in no session may be `initialize`.
    fn may_open(headers: &HeaderMap) -> bool {
        match headers.get("mcp-method") {
            Some(method) => method == "server/discover" || method == "initialize",
            None => !headers.contains_key("mcp-session-id"),
        }
    }

    /// A part of a body is a whole JSON-RPC message, or an event that holds one.
    fn in_part(part: Bytes) -> Bytes {
        settled(&part).map_or(part, Bytes::from)
    }

    fn settled(part: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(part).ok().filter(|text| text.contains("\"capabilities\""))?;
        let (start, end) = (text.find('{')?, text.rfind('}')? + 1);
        let mut message: Value = serde_json::from_str(text.get(start..end)?).ok()?;
        let settled = settle(message.get_mut("result")?);
        settled.then(|| Some(format!("{}{message}{}", text.get(..start)?, text.get(end..)?)))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_tools_moves_and_the_rest_stays() {
        let mut result = json!({ "capabilities": {
            "experimental": { "tools.manifest": {}, "other": { "version": 1 } },
            "tools": { "listChanged": true },
        }});
        assert!(settle(&mut result));
        let settled = json!({ "capabilities": {
            "experimental": { "other": { "version": 1 } },
            "tools": { "listChanged": true, "manifest": true },
        }});
        assert_eq!(result, settled);
        assert!(!settle(&mut result));
        assert_eq!(result, settled);
    }

    #[test]
    fn an_experiment_that_is_none_is_left_out() {
        let mut result = json!({ "capabilities": { "experimental": { "tools.manifest": {} } } });
        assert!(settle(&mut result));
        assert_eq!(result, json!({ "capabilities": { "tools": { "manifest": true } } }));
    }
}
