//! Requests of upstreams that the client answers: elicitation and sampling.
//!
//! Before 2026-07-28 a server sends such a request itself. Since then it returns `input_required`,
//! and the client sends its request again with the answers. A client of the same generation as the
//! upstream gets what the upstream sent. For a client before 2026-07-28, the gateway asks what a
//! modern upstream requires, and sends the request again. The other direction is not possible: the
//! upstream waits within one request, and a modern client cannot be asked within one.

use super::{connection::RequestError, message::RpcError};
use crate::{protocol::json_value, tool::context::CallContext};
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, CustomRequest, ErrorCode, JsonObject, ProtocolVersion, ServerRequest},
    service::{RequestContext, ServiceError},
};
use serde_json::{Value, json};

const ELICITATION: &str = "elicitation/create";
const SAMPLING: &str = "sampling/createMessage";

/// A request of an upstream during a call.
#[derive(Debug)]
pub(super) struct UpstreamRequest {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: JsonObject,
}

/// Returns whether the client of a call answers requests of this method.
pub(super) fn is_for_client(method: &str) -> bool {
    matches!(method, ELICITATION | SAMPLING)
}

/// Returns the capabilities that the gateway declares in `initialize`. The connection is shared, so
/// they are those of all clients together. A request that the client of a call cannot answer is
/// refused. Roots are not among them: they would be those of one client for all.
pub(super) fn declared_capabilities() -> Value {
    json!({ "elicitation": {}, "sampling": {} })
}

/// Returns the capabilities of a call's client, for an upstream of 2026-07-28.
pub(super) fn capabilities(context: &CallContext) -> JsonObject {
    let Some(request) = context.request() else { return JsonObject::new() };
    let (own, kept): (_, &[&str]) = match is_modern(request) {
        true => (request.meta.client_capabilities(), &["elicitation", "sampling", "roots"]),
        // Sampling and roots are deprecated, and not bridged between generations.
        false => (request.peer.peer_info().map(|info| info.capabilities.clone()), &["elicitation"]),
    };
    let Some(Ok(Value::Object(mut own))) = own.map(|own| json_value::to_value(&own)) else { return JsonObject::new() };
    own.retain(|key, _| kept.contains(&key.as_str()));
    own
}

/// Sends a request to the client of a call, and returns the client's result.
///
/// # Errors
///
/// Returns the error that answers the upstream.
pub(super) async fn ask(context: &CallContext, method: &str, params: JsonObject) -> Result<Value, RpcError> {
    let request = context.request().ok_or_else(|| refused("the call has no client"))?;
    if is_modern(request) {
        return Err(refused(
            "the client speaks MCP 2026-07-28, and a server before this version cannot request input of it",
        ));
    }
    let own = request.peer.peer_info().map(|info| info.capabilities.clone()).unwrap_or_default();
    if !supports(&own, method) {
        return Err(refused("the client does not support it"));
    }
    let custom = CustomRequest::new(method.to_owned(), Some(Value::Object(params)));
    let sent = request.peer.send_request(ServerRequest::CustomRequest(custom)).await;
    let unreadable = |_| internal("the client's answer cannot be read".to_owned());
    match sent {
        Ok(result) => json_value::to_value(&result).map_err(unreadable),
        Err(ServiceError::McpError(error)) => {
            Err(RpcError { code: error.code.0, message: error.message.into_owned(), data: error.data })
        }
        Err(error) => Err(internal(format!("the client gave no answer: {error}"))),
    }
}

fn supports(client: &ClientCapabilities, method: &str) -> bool {
    match method {
        ELICITATION => client.elicitation.is_some(),
        _ => client.sampling.is_some(),
    }
}

fn is_modern(request: &RequestContext<RoleServer>) -> bool {
    request.meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
}

/// Returns whether the client of a call speaks MCP 2026-07-28.
pub(super) fn has_modern_client(context: &CallContext) -> bool {
    context.request().is_some_and(is_modern)
}

/// Returns whether a result requires input that the gateway must request of the client.
pub(super) fn must_be_bridged(result: &Value, context: &CallContext) -> bool {
    let requires_input = result.get("resultType").is_some_and(|kind| kind == "input_required");
    requires_input && context.request().is_some_and(|request| !is_modern(request))
}

/// Requests the input that a result requires, and returns the params of the next round.
pub(super) async fn collect_input(mut result: Value, context: &CallContext) -> Result<JsonObject, RequestError> {
    let mut next = JsonObject::new();
    if let Some(Value::Object(requests)) = result.get_mut("inputRequests").map(Value::take) {
        let mut responses = JsonObject::new();
        for (key, mut request) in requests {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
            let params = match request.get_mut("params").map(Value::take) {
                Some(Value::Object(params)) => params,
                _ => JsonObject::new(),
            };
            if method != ELICITATION {
                return Err(RequestError::Input(format!("this client cannot answer `{method}`").into()));
            }
            let answered = ask(context, &method, params).await;
            responses.insert(key, answered.map_err(|error| RequestError::Input(error.message.into()))?);
        }
        next.insert("inputResponses".to_owned(), Value::Object(responses));
    }
    next.extend(result.get_mut("requestState").map(|state| ("requestState".to_owned(), state.take())));
    Ok(next)
}

/// The answer to a request that belongs to no call, or to one of several.
pub(super) fn without_call(method: &str) -> RpcError {
    refused(&format!("the gateway does not answer {method}, and not exactly one call is in progress"))
}

/// The answer to one request too many.
pub(super) fn too_many() -> RpcError {
    internal("too many requests within one call; wait for the answers".to_owned())
}

fn refused(reason: &str) -> RpcError {
    RpcError { code: ErrorCode::METHOD_NOT_FOUND.0, message: reason.to_owned(), data: None }
}

fn internal(message: String) -> RpcError {
    RpcError { code: ErrorCode::INTERNAL_ERROR.0, message, data: None }
}
