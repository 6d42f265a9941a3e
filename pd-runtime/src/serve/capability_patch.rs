//! Patches outgoing messages where rmcp's types lack a member, on every transport. Capabilities
//! that the surfaces declare under `experimental` as `tools.…` move into the capability `tools`,
//! and an error gets the code that its data carries.

use crate::{
    protocol::json_value,
    surface::{CODE, FOR_TOOLS},
};
use rmcp::{
    ErrorData, RoleServer,
    model::{CustomResult, ErrorCode, JsonObject, JsonRpcMessage, ServerResult},
    service::TxJsonRpcMessage,
};
use serde_json::{Value, json};

/// Patches a message that a transport is about to send.
pub(super) fn patch_message(message: TxJsonRpcMessage<RoleServer>) -> TxJsonRpcMessage<RoleServer> {
    let mut response = match message {
        JsonRpcMessage::Response(response) => response,
        JsonRpcMessage::Error(mut error) => {
            // The result matters over HTTP only, where a part that did not change is not serialized
            // again.
            recode(&mut error.error);
            return JsonRpcMessage::Error(error);
        }
        other => return other,
    };
    let result = match &response.result {
        ServerResult::InitializeResult(result) => json_value::to_value(result),
        ServerResult::DiscoverResult(result) => json_value::to_value(result),
        _ => return JsonRpcMessage::Response(response),
    };
    if let Ok(mut result) = result
        && move_tool_capabilities(&mut result)
    {
        // A result without such capabilities keeps its type, and is serialized only once more by
        // the transport.
        response.result = ServerResult::CustomResult(CustomResult(result));
    }
    JsonRpcMessage::Response(response)
}

/// Moves the capabilities in the result of `initialize` or `server/discover`. Returns whether any
/// was moved.
fn move_tool_capabilities(result: &mut Value) -> bool {
    let Some(capabilities) = result
        .get_mut("capabilities")
        .and_then(Value::as_object_mut)
    else {
        return false;
    };
    let Some(Value::Object(experimental)) = capabilities.shift_remove("experimental") else {
        return false;
    };
    let (for_tools, rest): (JsonObject, JsonObject) = experimental
        .into_iter()
        .partition(|(key, _)| key.starts_with(FOR_TOOLS));
    let any = !for_tools.is_empty();
    if let Value::Object(tools) = capabilities.entry("tools").or_insert_with(|| json!({})) {
        tools.extend(
            for_tools
                .into_iter()
                .map(|(key, _)| (key.trim_start_matches(FOR_TOOLS).to_owned(), json!(true))),
        );
    }
    if !rest.is_empty() {
        // First again, where rmcp serializes it, so that the order of the members does not depend
        // on the patch.
        capabilities.shift_insert(0, "experimental".to_owned(), Value::Object(rest));
    }
    any
}

/// Replaces an error's code with the one that its data carries. rmcp rewrites some codes, so they
/// travel in the data.
fn recode(error: &mut ErrorData) -> bool {
    let Some(Value::Object(data)) = &mut error.data else {
        return false;
    };
    let code = data
        .get(CODE)
        .and_then(Value::as_i64)
        .and_then(|code| i32::try_from(code).ok());
    let Some(code) = code else { return false };
    error.code = ErrorCode(code);
    // The member only carries the code past rmcp, so clients must not see it.
    data.shift_remove(CODE);
    true
}

#[cfg(feature = "http")]
pub(super) use over_http::edit_message;
#[cfg(feature = "http")]
pub(super) use over_http::{may_need_patch, patch_response};

/// The patch over HTTP. rmcp serializes its answers itself there, so they are parsed again: only
/// those that may need the patch.
#[cfg(feature = "http")]
mod over_http {
    use super::{move_tool_capabilities, recode};
    use crate::{
        http_sessions,
        protocol::headers::{METHOD, SESSION_ID},
        serve::http::response_body::ResponseBody,
        surface,
    };
    use axum::body::{Body, Bytes};
    use futures::StreamExt;
    use http::{HeaderMap, Response};
    use http_body_util::BodyDataStream;
    use rmcp::ErrorData;
    use serde_json::Value;

    /// Patches a response that is about to be sent.
    pub(crate) fn patch_response(response: http_sessions::BoxedResponse) -> Response<ResponseBody> {
        response.map(|body| {
            let parts = BodyDataStream::new(body).map(|part| part.map(patch_part));
            ResponseBody::Other(Body::from_stream(parts))
        })
    }

    /// Returns whether the answer to a request with these headers may need the patch. Requests of
    /// 2026-07-28 name their method in a header. An older request outside of a session may be
    /// `initialize`.
    pub(crate) fn may_need_patch(headers: &HeaderMap) -> bool {
        match headers.get(METHOD) {
            Some(method) => {
                method == "server/discover"
                    || method == "initialize"
                    || method == surface::groups::GET
            }
            None => !headers.contains_key(SESSION_ID),
        }
    }

    fn recode_value(error: &mut Value) -> Option<bool> {
        let mut known: ErrorData = serde_json::from_value(error.clone()).ok()?;
        let recoded = recode(&mut known);
        *error = serde_json::to_value(known).ok()?;
        Some(recoded)
    }

    /// Patches one part of a body. rmcp sends each JSON-RPC message, or each event with a message,
    /// as one part.
    fn patch_part(part: Bytes) -> Bytes {
        patched(&part).map_or(part, Bytes::from)
    }

    fn patched(part: &[u8]) -> Option<String> {
        // A substring search first: most parts have neither member, and parsing is expensive.
        let text = std::str::from_utf8(part)
            .ok()
            .filter(|text| text.contains("\"capabilities\"") || text.contains("\"error\""))?;
        edit_message(text, |message| match message.get_mut("error") {
            Some(error) => recode_value(error),
            None => message.get_mut("result").map(move_tool_capabilities),
        })
    }

    /// Edits the message in one part of a body. Returns `None` if there is none, or if `edit`
    /// returns that it changed nothing.
    pub(crate) fn edit_message(
        part: &str,
        edit: impl FnOnce(&mut Value) -> Option<bool>,
    ) -> Option<String> {
        // The text around the braces is the framing of an event, such as `data: ` and line ends.
        let start = part.find('{')?;
        let end = part.rfind('}')? + 1;
        let mut message: Value = serde_json::from_str(part.get(start..end)?).ok()?;
        edit(&mut message)?.then(|| {
            Some(format!(
                "{}{message}{}",
                part.get(..start)?,
                part.get(end..)?
            ))
        })?
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
        assert!(move_tool_capabilities(&mut result));
        let settled = json!({ "capabilities": {
            "experimental": { "other": { "version": 1 } },
            "tools": { "listChanged": true, "manifest": true },
        }});
        assert_eq!(result, settled);
        assert!(!move_tool_capabilities(&mut result));
        assert_eq!(result, settled);
    }

    #[test]
    fn an_error_takes_the_code_that_waits_in_its_data_and_others_stay() {
        let waiting = json!({ CODE: -32002, "name": "x" });
        let mut error = ErrorData::invalid_params("unknown", Some(waiting));
        assert!(recode(&mut error));
        assert_eq!(
            (error.code.0, error.data),
            (-32002, Some(json!({ "name": "x" })))
        );
        for data in [
            None,
            Some(json!({ "code": -32002 })),
            Some(json!({ CODE: "-32002" })),
            Some(json!([])),
        ] {
            let mut error = ErrorData::invalid_params("unknown", data.clone());
            assert!(!recode(&mut error));
            assert_eq!((error.code.0, error.data), (-32602, data));
        }
    }

    #[test]
    fn an_experiment_that_is_none_is_left_out() {
        let mut result = json!({ "capabilities": { "experimental": { "tools.manifest": {} } } });
        assert!(move_tool_capabilities(&mut result));
        assert_eq!(
            result,
            json!({ "capabilities": { "tools": { "manifest": true } } })
        );
    }
}
