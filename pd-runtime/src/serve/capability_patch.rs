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
pub(super) fn move_tool_capabilities(result: &mut Value) -> bool {
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
pub(super) fn recode(error: &mut ErrorData) -> bool {
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
