//! Limits on the parameters of `initialize`. rmcp keeps the parameters for the lifetime of the
//! session, and as parsed JSON they take about thirty times as much memory as on the wire.

use crate::protocol::json_value;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, Implementation,
    InitializeRequestParams,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The size limit of an `initialize` request over HTTP, in bytes.
#[cfg(feature = "http")]
pub(crate) const INITIALIZE_MAX: usize = 64 * 1024;
/// The limit on the memory of one session's parameters, in bytes. The Redis store has the same
/// limit.
const KEPT_MAX: usize = 16 * 1024;
/// The part of that memory for extensions and experimental capabilities if the parameters are too
/// large. rmcp and handlers copy the parameters several times while a session opens, and the
/// allocator does not reuse all of that memory.
const REDUCED: usize = 4 * 1024;
/// The memory of one entry of a JSON object, without its key's text and the data that its value
/// points to. rmcp stores capabilities in B-trees, which have half-full nodes.
const ENTRY: usize = 256;
/// The memory of one element of a JSON array, without the data that it points to.
const ELEMENT: usize = 80;
/// The longest text that is kept in full if the parameters are too large, in bytes. Every protocol
/// version is shorter.
const TEXT_MAX: usize = 256;

/// Reduces the parameters of an `initialize` request to the memory limit. Other messages stay
/// unchanged.
pub(crate) fn limit_message(message: &mut ClientJsonRpcMessage) {
    let ClientJsonRpcMessage::Request(request) = message else {
        return;
    };
    let ClientRequest::InitializeRequest(initialize) = &mut request.request else {
        return;
    };
    limit_params(&mut initialize.params);
}

/// Reduces parameters to the memory limit.
pub(crate) fn limit_params(params: &mut InitializeRequestParams) {
    if weight(params) > KEPT_MAX {
        tracing::debug!(
            "a client's `initialize` parameters are larger than a session keeps; some are dropped"
        );
        reduce(params);
    }
}

/// Estimates the memory that the parameters take, in bytes.
fn weight(params: &InitializeRequestParams) -> usize {
    // The structs of rmcp are measured as the JSON that they were parsed from. The maps in them
    // dominate. Parameters that cannot be measured are reduced.
    json_value::to_value(params).map_or(usize::MAX, |value| weight_of(&value))
}

fn weight_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| ELEMENT + weight_of(item)).sum(),
        Value::Object(object) => weight_of_object(object),
        // These are stored inside their entry or element.
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn weight_of_object(object: &Map<String, Value>) -> usize {
    object
        .iter()
        .map(|(key, value)| ENTRY + key.len() + weight_of(value))
        .sum()
}

/// Keeps the version, the client's name, the capabilities that MCP defines, and as many extensions
/// and experimental capabilities as fit, in the order of their names. `_meta` and texts that are
/// only displayed are dropped.
fn reduce(params: &mut InitializeRequestParams) {
    params.meta = None;
    if params.protocol_version.as_str().len() > TEXT_MAX {
        // No MCP version is this long. rmcp answers the default as it answers every unknown
        // version.
        params.protocol_version = Default::default();
    }
    let info = &params.client_info;
    params.client_info = Implementation::new(cut(&info.name), cut(&info.version));
    reduce_capabilities(&mut params.capabilities);
    // The kept values share memory pages with the dropped ones. A copy lets the allocator free
    // those pages.
    *params = params.clone();
}

fn reduce_capabilities(capabilities: &mut ClientCapabilities) {
    // What MCP defines takes the room first, then extensions, then experiments.
    let mut room = REDUCED;
    if let Some(sampling) = &mut capabilities.sampling {
        for settings in [&mut sampling.tools, &mut sampling.context]
            .into_iter()
            .flatten()
        {
            keep_or_empty(settings, &mut room);
        }
    }
    for declared in [&mut capabilities.extensions, &mut capabilities.experimental]
        .into_iter()
        .flatten()
    {
        keep_while_there_is_room(declared, &mut room);
    }
}

fn keep_or_empty(settings: &mut Map<String, Value>, room: &mut usize) {
    match room.checked_sub(weight_of_object(settings)) {
        Some(rest) => *room = rest,
        None => *settings = Map::new(),
    }
}

fn keep_while_there_is_room(declared: &mut BTreeMap<String, Map<String, Value>>, room: &mut usize) {
    // A large entry is skipped and not cut, so that a small one after it is still kept whole.
    declared.retain(|name, settings| {
        let rest = room.checked_sub(ENTRY + name.len() + weight_of_object(settings));
        *room = rest.unwrap_or(*room);
        rest.is_some()
    });
}

fn cut(text: &str) -> String {
    let mut size = 0;
    let start = text.chars().take_while(|char| {
        // Bytes and not characters, because the limit is about memory.
        size += char.len_utf8();
        size <= TEXT_MAX
    });
    start.collect()
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

    fn bounded(params: Value) -> Value {
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let mut message: ClientJsonRpcMessage = serde_json::from_value(message).unwrap();
        limit_message(&mut message);
        serde_json::to_value(message).unwrap()["params"].take()
    }

    fn many(prefix: &str, count: usize) -> Value {
        (0..count)
            .map(|number| (format!("{prefix}{number:05}"), json!({})))
            .collect::<Map<_, _>>()
            .into()
    }

    #[test]
    fn what_clients_send_is_kept_as_it_is() {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "experimental": { "x": { "deep": [1, { "a": "b" }] } },
                "extensions": { "dev.pd-runtime/disclosure": { "version": 1 } },
                "roots": { "listChanged": true }, "sampling": { "tools": {} }, "elicitation": { "form": {}, "url": {} },
            },
            "clientInfo": { "name": "c", "title": "C", "version": "0", "icons": [{ "src": "data:," }] },
        });
        assert_eq!(bounded(params.clone()), params);
    }

    #[test]
    fn large_parameters_are_reduced_to_what_may_be_kept() {
        let extensions = many("e", 5_000);
        for capabilities in [
            json!({ "extensions": extensions, "roots": {}, "elicitation": {} }),
            json!({ "experimental": extensions, "roots": {}, "elicitation": {} }),
            json!({ "sampling": { "tools": extensions, "context": extensions }, "roots": {}, "elicitation": {} }),
            json!({ "extensions": { "a": extensions, "b": {} }, "roots": {}, "elicitation": {} }),
        ] {
            let text = "é".repeat(5_000);
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": capabilities,
                "clientInfo": { "name": text, "version": text, "title": text, "description": text },
            });
            let kept = bounded(params);
            assert!(weight_of(&kept) <= KEPT_MAX, "{}", weight_of(&kept));
            assert_eq!(kept["protocolVersion"], "2025-11-25");
            assert!(
                kept["capabilities"]["roots"].is_object()
                    && kept["capabilities"]["elicitation"].is_object()
            );
            assert!(
                kept["clientInfo"]["name"]
                    .as_str()
                    .unwrap()
                    .starts_with('é')
            );
        }
        let of_two = bounded(json!({
            "protocolVersion": "2025-11-25", "clientInfo": { "name": "c", "version": "0" },
            "capabilities": { "extensions": { "a": extensions, "b": { "version": 1 } } },
        }));
        assert_eq!(
            of_two["capabilities"]["extensions"],
            json!({ "b": { "version": 1 } }),
            "one too large, one small"
        );
        let long = bounded(json!({
            "protocolVersion": "9".repeat(60_000), "clientInfo": { "name": "c", "version": "0" }, "capabilities": {},
        }));
        assert!(long["protocolVersion"].as_str().unwrap().len() < TEXT_MAX);
    }
}
