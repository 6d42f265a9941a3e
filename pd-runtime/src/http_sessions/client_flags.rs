//! What a client said of itself in `initialize`, in one byte, so that a session's id can tell it.

use crate::protocol::extensions::{DELTA_VERSION_PREFIX, DISCLOSURE, GROUPS};
use rmcp::model::{InitializeRequestParams, ProtocolVersion};
use serde_json::{Value, json};

/// What a tool may ask of a client.
const CAPABILITIES: [&str; 3] = ["elicitation", "sampling", "roots"];
/// The wires that a client declares.
const EXTENSIONS: [&str; 2] = [DISCLOSURE, GROUPS];
/// The client shakes hands as Delta's clients do.
const DELTA: u8 = 1 << 7;

/// A bit for each capability and extension that is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Said(u8);

impl Said {
    /// What the body of a request says, if it is `initialize`.
    pub(super) fn in_body(body: &[u8]) -> Self {
        let Ok(request) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        request.get("params").map(Self::in_params).unwrap_or_default()
    }

    fn in_params(params: &Value) -> Self {
        let capabilities = params.get("capabilities");
        let extensions = capabilities.and_then(|capabilities| capabilities.get("extensions"));
        let declared =
            |name: &&str| capabilities.and_then(|declared| declared.get(name)).is_some_and(|one| !one.is_null());
        let extended = |name: &&str| extensions.and_then(|declared| declared.get(name)).is_some();
        let known = CAPABILITIES.iter().map(declared).chain(EXTENSIONS.iter().map(extended));
        let bits = known.enumerate().fold(0, |bits, (place, is_said)| bits | (u8::from(is_said) << place));
        let version = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        Self(if version.starts_with(DELTA_VERSION_PREFIX) { bits | DELTA } else { bits })
    }

    /// Whether the client speaks Delta-MCP.
    pub(super) fn is_delta(self) -> bool {
        self.0 & DELTA != 0
    }

    pub(super) fn byte(self) -> u8 {
        self.0
    }

    pub(super) fn from_byte(byte: u8) -> Self {
        Self(byte)
    }

    /// Parameters of `initialize` that say the same, for a session in which this version applies.
    pub(super) fn params(self, version: ProtocolVersion) -> InitializeRequestParams {
        let is_said = |place: usize| self.0 & (1 << place) != 0;
        let names = CAPABILITIES.iter().chain(&EXTENSIONS).enumerate().filter(|(place, _)| is_said(*place));
        let mut said = json!({ "extensions": {} });
        for (place, name) in names {
            let pointer = if place < CAPABILITIES.len() { "" } else { "/extensions" };
            let part = said.pointer_mut(pointer).and_then(Value::as_object_mut);
            part.into_iter().for_each(|part| drop(part.insert((*name).to_owned(), json!({}))));
        }
        let (capabilities, version) = (serde_json::from_value(said).unwrap_or_default(), self.version(version));
        InitializeRequestParams::new(capabilities, Default::default()).with_protocol_version(version)
    }

    fn version(self, applies: ProtocolVersion) -> ProtocolVersion {
        let delta = self.is_delta().then(|| serde_json::from_value(DELTA_VERSION_PREFIX.into()).ok()).flatten();
        delta.unwrap_or(applies)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_byte_tells_again_what_a_client_said() {
        let all = json!({
            "elicitation": { "form": {} }, "sampling": {}, "roots": { "listChanged": true },
            "extensions": { "dev.pd-runtime/disclosure": { "version": 1 }, "io.modelcontextprotocol/groups": {} },
        });
        for (version, again) in [("2025-06-18", "2025-06-18"), ("delta-mcp/0.2.0", "delta-mcp/0.")] {
            for key in ["elicitation", "sampling", "roots", "extensions"] {
                let some = json!({ key: all[key] });
                for capabilities in [&all, &some, &json!({})] {
                    let params = json!({ "protocolVersion": version, "capabilities": capabilities });
                    let said =
                        Said::in_body(json!({ "method": "initialize", "params": params }).to_string().as_bytes());
                    let told = said.params(ProtocolVersion::V_2025_06_18);
                    assert_eq!(told.protocol_version.as_str(), again);
                    let told = serde_json::to_value(told).unwrap();
                    assert_eq!(Said::in_params(&told), said, "{told}");
                    assert_eq!(told["capabilities"].get("sampling").is_some(), capabilities.get("sampling").is_some());
                }
            }
        }
        assert_eq!(Said::in_body(b"no JSON"), Said::default());
    }
}
