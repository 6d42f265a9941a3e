//! The reasons for which a server stays in its client's file.

use crate::{ClientKind, config::raw_entries::RawEntry};
use serde_json::Value;

/// Returns why the gateway cannot run a server, or `None` if it can.
pub(super) fn reason_to_stay(client: Option<ClientKind>, entry: &RawEntry) -> Option<String> {
    if let Some(switch) = &entry.switch {
        return Some(format!("it is {switch}"));
    }
    if let Some(mistake) = &entry.mistake {
        return Some(mistake.clone());
    }
    let kind = entry.value.get("type").and_then(Value::as_str);
    let url = entry.value.get("url").and_then(Value::as_str);
    // Without a `type`, the gateway takes a `url` for streamable HTTP, unless it ends in `/sse`.
    if client == Some(ClientKind::Gemini) && kind.is_none() && url.is_some() {
        let advice = "for Gemini, `url` is HTTP+SSE; add `\"type\": \"sse\"`, or write `httpUrl` for streamable HTTP";
        return Some(advice.to_owned());
    }
    None
}
