//! Requests of upstreams that the client answers: elicitation and sampling.
//!
//! Before 2026-07-28 a server sends such a request itself. Since then it returns `input_required`,
//! and the client sends its request again with the answers. A client of the same generation as the
//! upstream gets what the upstream sent. For a client before 2026-07-28, the gateway asks what a
//! modern upstream requires, and sends the request again. The other direction is not possible: the
//! upstream waits within one request, and a modern client cannot be asked within one.

use crate::{
    connection::{RequestError, open_question::OpenQuestion, questions::QuestionBudget},
    message::{
        ErrorObject,
        client_request::{ELICITATION, ROOTS, SAMPLING},
    },
};
use pd_runtime::{
    CallContext,
    upstream::{apps, protocol::json_value, relay_declaration},
};
use rmcp::{
    RoleServer,
    model::{
        ClientCapabilities, CustomNotification, CustomRequest, ErrorCode, ExtensionCapabilities,
        JsonObject, ProtocolVersion, ServerNotification, ServerRequest, TASKS_EXTENSION_ID,
    },
    service::{Peer, PeerRequestOptions, RequestContext, ServiceError},
};
use serde_json::{Value, json};

/// Returns whether the client of a call answers requests of this method.
pub(crate) fn is_for_call(method: &str) -> bool {
    matches!(method, ELICITATION | SAMPLING)
}

/// Returns whether the client of a session answers requests of this method.
pub(crate) fn is_for_session(method: &str) -> bool {
    matches!(method, ELICITATION | SAMPLING | ROOTS)
}

/// Returns the capabilities that the gateway declares in `initialize`. They are all that a client
/// may have, so that what a server lists does not depend on the client that comes first. A request
/// that a client cannot answer is refused. Roots belong to one client, so a connection that several
/// clients share has none.
pub(crate) fn declared_capabilities(is_of_session: bool) -> Value {
    let mut extensions = relay_declaration();
    extensions.extend(views_declaration());
    match is_of_session {
        true => {
            json!({ "elicitation": {}, "sampling": {}, "roots": { "listChanged": true }, "extensions": extensions })
        }
        false => json!({ "elicitation": {}, "sampling": {}, "extensions": extensions }),
    }
}

/// Returns the extension MCP Apps as a client that renders views declares it. Servers may list their
/// tools with views for its clients alone.
fn views_declaration() -> ExtensionCapabilities {
    let types = json!([apps::VIEW_TYPE]);
    let settings = JsonObject::from_iter([("mimeTypes".to_owned(), types)]);
    ExtensionCapabilities::from_iter([(apps::EXTENSION.to_owned(), settings)])
}

/// Returns the capabilities for requests that are not a client's, such as those of lists.
pub(crate) fn list_capabilities() -> JsonObject {
    JsonObject::from_iter([("extensions".to_owned(), json!(views_declaration()))])
}

/// Returns the capabilities of a call's client, for an upstream of 2026-07-28.
pub(crate) fn capabilities(context: &CallContext) -> JsonObject {
    let Some(request) = context.request() else {
        return JsonObject::new();
    };
    let (own, kept): (_, &[&str]) = match is_modern(request) {
        true => (
            request.meta.client_capabilities(),
            &["elicitation", "sampling", "roots"],
        ),
        // Sampling and roots are deprecated, and not bridged between generations.
        false => (
            request
                .peer
                .peer_info()
                .map(|info| info.capabilities.clone()),
            &["elicitation"],
        ),
    };
    let Some(Ok(Value::Object(mut own))) = own.map(|own| json_value::to_value(&own)) else {
        return JsonObject::new();
    };
    let extensions = own.get_mut("extensions").map(Value::take);
    own.retain(|key, _| kept.contains(&key.as_str()));
    // Other extensions are between the client and this gateway.
    let passed_on: &[&str] = match is_modern(request) {
        true => &[TASKS_EXTENSION_ID, apps::EXTENSION],
        false => &[apps::EXTENSION],
    };
    if let Some(Value::Object(mut extensions)) = extensions {
        extensions.retain(|name, _| passed_on.contains(&name.as_str()));
        if !extensions.is_empty() {
            own.insert("extensions".to_owned(), Value::Object(extensions));
        }
    }
    own
}

/// Adds what the gateway itself declares to the capabilities of a client.
pub(crate) fn declare_relay(capabilities: &mut JsonObject) {
    let own = relay_declaration()
        .into_iter()
        .map(|(name, settings)| (name, Value::Object(settings)));
    match capabilities
        .entry("extensions")
        .or_insert_with(|| Value::Object(JsonObject::new()))
    {
        Value::Object(extensions) => extensions.extend(own),
        other => *other = Value::Object(own.collect()),
    }
}

/// Sends a request to the client of a call, and returns the client's result.
///
/// # Errors
///
/// Returns the error that answers the upstream.
pub(crate) async fn ask(
    context: &CallContext,
    method: &str,
    params: JsonObject,
) -> Result<Value, ErrorObject> {
    let request = context
        .request()
        .ok_or_else(|| refused("the call has no client"))?;
    if is_modern(request) {
        return Err(refused(
            "the client speaks MCP 2026-07-28, and a server before this version cannot request input of it",
        ));
    }
    ask_peer(&request.peer, method, params).await
}

/// Sends a request to a client before 2026-07-28, and returns the client's result.
///
/// # Errors
///
/// Returns the error that answers the upstream.
pub(crate) async fn ask_peer(
    peer: &Peer<RoleServer>,
    method: &str,
    params: JsonObject,
) -> Result<Value, ErrorObject> {
    let own = peer
        .peer_info()
        .map(|info| info.capabilities.clone())
        .unwrap_or_default();
    if !supports(&own, method) {
        return Err(refused("the client does not support it"));
    }
    // An empty object is not a valid `params` of `roots/list` for some clients.
    let params = (!params.is_empty()).then_some(Value::Object(params));
    // As raw JSON, because rmcp's types drop keys that they do not know.
    let request = ServerRequest::CustomRequest(CustomRequest::new(method.to_owned(), params));
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let answered = match sent.await {
        Ok(sent) => {
            let question = OpenQuestion::new(peer, sent.id.clone());
            let answered = sent.await_response().await;
            question.close();
            answered
        }
        Err(error) => Err(error),
    };
    match answered {
        Ok(result) => json_value::to_value(&result)
            .map_err(|_| internal("the client's answer cannot be read".to_owned())),
        // The refusal of a client reaches the server as it is.
        Err(ServiceError::McpError(error)) => Err(ErrorObject {
            code: error.code.0,
            message: error.message.into_owned(),
            data: error.data,
        }),
        Err(error) => Err(internal(format!("the client gave no answer: {error}"))),
    }
}

/// Sends a notification of an upstream to a client.
pub(crate) async fn notify(peer: &Peer<RoleServer>, method: &str, params: JsonObject) {
    let notification = CustomNotification::new(method.to_owned(), Some(Value::Object(params)));
    // An error means that the client has left.
    let _ = peer
        .send_notification(ServerNotification::CustomNotification(notification))
        .await;
}

fn supports(client: &ClientCapabilities, method: &str) -> bool {
    match method {
        ELICITATION => client.elicitation.is_some(),
        ROOTS => client.roots.is_some(),
        _ => client.sampling.is_some(),
    }
}

fn is_modern(request: &RequestContext<RoleServer>) -> bool {
    // The connection does not show it: since 2026-07-28 each request names its version.
    request
        .meta
        .missing_required_keys(&ProtocolVersion::V_2026_07_28)
        .is_empty()
}

/// Returns whether the client of a call speaks MCP 2026-07-28.
pub(crate) fn has_modern_client(context: &CallContext) -> bool {
    context.request().is_some_and(is_modern)
}

/// Returns whether a result requires input that the gateway must request of the client.
pub(crate) fn must_be_bridged(result: &Value, context: &CallContext) -> bool {
    let requires_input = result
        .get("resultType")
        .is_some_and(|kind| kind == "input_required");
    requires_input && context.request().is_some_and(|request| !is_modern(request))
}

/// Requests the input that a result requires, and returns the params of the next round.
pub(crate) async fn collect_input(
    mut result: Value,
    context: &CallContext,
    budget: &QuestionBudget,
) -> Result<JsonObject, RequestError> {
    let mut next = JsonObject::new();
    if let Some(Value::Object(requests)) = result.get_mut("inputRequests").map(Value::take) {
        let mut responses = JsonObject::new();
        for (key, mut request) in requests {
            let method = request
                .get("method")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let params = match request.get_mut("params").map(Value::take) {
                Some(Value::Object(params)) => params,
                _ => JsonObject::new(),
            };
            // Sampling and roots are deprecated (SEP-2577), and not bridged between generations.
            if method != ELICITATION {
                return Err(RequestError::Input(
                    format!("this client cannot answer `{method}`").into(),
                ));
            }
            budget
                .take(&method)
                .map_err(|error| RequestError::Input(error.message.into()))?;
            let answered = ask(context, &method, params).await;
            responses.insert(
                key,
                answered.map_err(|error| RequestError::Input(error.message.into()))?,
            );
        }
        next.insert("inputResponses".to_owned(), Value::Object(responses));
    }
    // The server gets its state back with the answers (SEP-2322).
    next.extend(
        result
            .get_mut("requestState")
            .map(|state| ("requestState".to_owned(), state.take())),
    );
    Ok(next)
}

/// The answer to a request that belongs to no call, or to one of several.
pub(crate) fn without_call(method: &str) -> ErrorObject {
    refused(&format!(
        "the gateway cannot tell which client answers {method}: set `share` in the server's `pd` object to `session`"
    ))
}

/// The answer to one request too many.
pub(crate) fn too_many() -> ErrorObject {
    internal("too many requests within one call; wait for the answers".to_owned())
}

fn refused(reason: &str) -> ErrorObject {
    ErrorObject {
        // MCP has this code for a request that a client does not support (client, roots, errors).
        code: ErrorCode::METHOD_NOT_FOUND.0,
        message: reason.to_owned(),
        data: None,
    }
}

fn internal(message: String) -> ErrorObject {
    ErrorObject {
        code: ErrorCode::INTERNAL_ERROR.0,
        message,
        data: None,
    }
}
