//! A call that leaves nothing to judge: of 2026-07-28, its headers in their usual form, its body of the plainest. It is
//! read once, and rmcp's service has it. rmcp's transport tries a request as each kind of message there is, and writes it out
//! again to compare it with its headers, which takes longer than all the rest. Whatever is not clear at first sight is left to
//! it, so nothing here refuses a request, and nothing is answered that it would refuse.

mod head;

pub(super) use head::Hosts;

use super::json_object::Object;
use axum::body::Bytes;
use head::Head;
use http::request::Parts;
use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, JsonObject, JsonRpcRequest,
    JsonRpcVersion2_0, ProtocolVersion, RequestId, RequestMetaObject,
};
use serde::Deserialize;

/// What else a request may hold is rare, and rmcp's to read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    method: CallToolRequestMethod,
    params: Object<Params>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(rename = "_meta")]
    meta: RequestMetaObject,
    name: String,
    #[serde(default)]
    arguments: Option<JsonObject>,
}

/// The call that a request makes, if it is a plain one.
pub(super) fn read(parts: &Parts, body: &Bytes, hosts: &Hosts) -> Option<JsonRpcRequest<ClientRequest>> {
    let head = Head::of(&parts.headers).filter(|head| hosts.allow(head.host))?;
    let Object(Body { jsonrpc, id, method, params }) = serde_json::from_slice(body).ok()?;
    let Object(Params { meta, name, arguments }) = params;
    if name != head.name || !is_complete(&meta) {
        return None;
    }
    let mut params = CallToolRequestParams::new(name);
    params.arguments = arguments;
    let mut call = CallToolRequest::new(params);
    call.method = method;
    call.extensions.insert(meta);
    Some(JsonRpcRequest { jsonrpc, id, request: ClientRequest::CallToolRequest(call) })
}

/// Whether it says all that a request has to, of the version that its headers name.
fn is_complete(meta: &RequestMetaObject) -> bool {
    meta.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
        && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
}
