//! The fast path for plain tool calls: requests of 2026-07-28 with headers in their usual form and
//! a plain body. Such a call is parsed once and passed to rmcp's service. rmcp's transport parses a
//! request as each kind of message in turn and serializes it again to compare it with its headers,
//! which takes longer than all other steps. Everything that is not clearly plain goes to rmcp's
//! transport. So the fast path refuses no request, and accepts none that rmcp would refuse.

mod head;

pub(super) use head::PlainHosts;

use super::json_object::StrictObject;
use axum::body::Bytes;
use head::FastPathHead;
use http::request::Parts;
use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, JsonObject,
    JsonRpcRequest, JsonRpcVersion2_0, ProtocolVersion, RequestId, RequestMetaObject,
};
use serde::Deserialize;

/// The body of a plain call. Requests with other members are rare, and rmcp's transport reads them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallBody {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    method: CallToolRequestMethod,
    params: StrictObject<CallParams>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams {
    #[serde(rename = "_meta")]
    meta: RequestMetaObject,
    name: String,
    #[serde(default)]
    arguments: Option<JsonObject>,
}

/// Returns the call that a request makes, if it is a plain one.
pub(super) fn parse(
    parts: &Parts,
    body: &Bytes,
    hosts: &PlainHosts,
) -> Option<JsonRpcRequest<ClientRequest>> {
    let head = FastPathHead::parse(&parts.headers).filter(|head| hosts.allow(head.host))?;
    let StrictObject(CallBody {
        jsonrpc,
        id,
        method,
        params,
    }) = serde_json::from_slice(body).ok()?;
    let StrictObject(CallParams {
        meta,
        name,
        arguments,
    }) = params;
    // SEP-2243: the headers repeat the tool's name, and rmcp refuses a request in which they
    // differ.
    if name != head.name || !is_complete(&meta) {
        return None;
    }
    let mut params = CallToolRequestParams::new(name);
    params.arguments = arguments;
    let mut call = CallToolRequest::new(params);
    call.method = method;
    // rmcp's deserializer puts `_meta` into the extensions, too.
    call.extensions.insert(meta);
    Some(JsonRpcRequest {
        jsonrpc,
        id,
        request: ClientRequest::CallToolRequest(call),
    })
}

/// Returns whether the metadata has all keys that a request of 2026-07-28 requires, and names that
/// version.
fn is_complete(meta: &RequestMetaObject) -> bool {
    meta.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
        && meta
            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
            .is_empty()
}
