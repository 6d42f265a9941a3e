//! The reasons for which a server stays in its client's file.

use crate::gateway::{ClientKind, config::raw_entries::RawEntry};
use serde_json::Value;

/// Returns why the gateway cannot run a server, or `None` if it can.
pub(super) fn reason_to_stay(client: Option<ClientKind>, entry: &RawEntry) -> Option<String> {
    if let Some(switch) = &entry.switch {
        return Some(format!("it is {switch}"));
    }
    if let Some(mistake) = &entry.mistake {
        return Some(mistake.clone());
    }
    let text = |key: &str| entry.value.get(key).and_then(Value::as_str);
    if client == Some(ClientKind::Gemini) && text("type").is_none() && text("url").is_some() {
        let advice = "for Gemini, `url` is HTTP+SSE; add `\"type\": \"sse\"`, or write `httpUrl` for streamable HTTP";
        return Some(advice.to_owned());
    }
    None
}
