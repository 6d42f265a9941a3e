//! The capabilities that a client declares in `initialize`, in one byte. A session's id carries the
//! byte to other replicas.

use crate::protocol::extensions::{
    DELTA_ANY_VERSION_PREFIX, DELTA_VERSION_PREFIX, DISCLOSURE, GROUPS, RELAY,
};
use rmcp::model::{InitializeRequestParams, ProtocolVersion};
use serde_json::{Value, json};

/// The client capabilities that tools use. Each has the bit of its index.
const CAPABILITIES: [&str; 3] = ["elicitation", "sampling", "roots"];
/// The extensions that clients declare. Their bits follow the bits of the capabilities.
const EXTENSIONS: [&str; 2] = [DISCLOSURE, GROUPS];
/// The bit of gateways, which declare the extension of disclosure with a setting.
const RELAYS: u8 = 1 << 5;
/// The bit of clients that speak another major version of Delta-MCP.
const OTHER_DELTA: u8 = 1 << 6;
/// The bit of clients with the handshake of Delta-MCP.
const DELTA: u8 = 1 << 7;

/// A bit for each known capability and extension: bits 0 to 2 for capabilities, 3 and 4 for
/// extensions, 5 for gateways, and 6 and 7 for Delta-MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ClientFlags(u8);

impl ClientFlags {
    /// Reads the flags from the body of an `initialize` request. Other bodies have none.
    pub(super) fn from_body(body: &[u8]) -> Self {
        let Ok(request) = serde_json::from_slice::<Value>(body) else {
            return Self::default();
        };
        request
            .get("params")
            .map(Self::from_params)
            .unwrap_or_default()
    }

    fn from_params(params: &Value) -> Self {
        let capabilities = params.get("capabilities");
        let extensions = capabilities.and_then(|capabilities| capabilities.get("extensions"));
        let declared = |name: &&str| {
            capabilities
                .and_then(|declared| declared.get(name))
                .is_some_and(|one| !one.is_null())
        };
        // A capability of null counts as absent, as in rmcp's `Option` fields. An extension counts
        // with any value.
        let known = CAPABILITIES.iter().map(declared).chain(
            EXTENSIONS
                .iter()
                .map(|name| extensions.and_then(|declared| declared.get(name)).is_some()),
        );
        let bits = known.enumerate().fold(0, |bits, (place, is_set)| {
            bits | (u8::from(is_set) << place)
        });
        let relays = extensions
            .and_then(|declared| declared.get(DISCLOSURE)?.get(RELAY))
            .is_some_and(|set| *set == true);
        let bits = if relays { bits | RELAYS } else { bits };
        let version = params
            .get("protocolVersion")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let delta = match version {
            _ if version.starts_with(DELTA_VERSION_PREFIX) => DELTA,
            _ if version.starts_with(DELTA_ANY_VERSION_PREFIX) => OTHER_DELTA,
            _ => 0,
        };
        Self(bits | delta)
    }

    /// Returns whether the client has the transport of Delta-MCP, in any version.
    pub(super) fn is_delta(self) -> bool {
        self.0 & (DELTA | OTHER_DELTA) != 0
    }

    pub(super) fn byte(self) -> u8 {
        self.0
    }

    pub(super) fn from_byte(byte: u8) -> Self {
        Self(byte)
    }

    /// Builds parameters of `initialize` that declare the same flags, for a session of this
    /// protocol version.
    pub(super) fn params(self, version: ProtocolVersion) -> InitializeRequestParams {
        let names = CAPABILITIES
            .iter()
            .chain(&EXTENSIONS)
            .enumerate()
            .filter(|(place, _)| self.0 & (1 << *place) != 0);
        let mut capabilities = json!({ "extensions": {} });
        for (place, name) in names {
            let pointer = if place < CAPABILITIES.len() {
                ""
            } else {
                "/extensions"
            };
            let part = capabilities
                .pointer_mut(pointer)
                .and_then(Value::as_object_mut);
            part.into_iter()
                .for_each(|part| drop(part.insert((*name).to_owned(), json!({}))));
        }
        if self.0 & RELAYS != 0
            && let Some(Value::Object(settings)) =
                capabilities.pointer_mut("/extensions/dev.pd-runtime~1disclosure")
        {
            settings.insert(RELAY.to_owned(), true.into());
        }
        // rmcp restores a session by replaying `initialize`, so it needs parameters. The client's
        // name and the settings of its capabilities are lost: a byte has no room for them.
        let capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        let version = self.version(version);
        InitializeRequestParams::new(capabilities, Default::default())
            .with_protocol_version(version)
    }

    fn version(self, applies: ProtocolVersion) -> ProtocolVersion {
        let prefix = match self.0 {
            bits if bits & DELTA != 0 => DELTA_VERSION_PREFIX,
            bits if bits & OTHER_DELTA != 0 => DELTA_ANY_VERSION_PREFIX,
            _ => return applies,
        };
        serde_json::from_value(prefix.into()).unwrap_or(applies)
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    #[test]
    fn a_byte_tells_again_what_a_client_said() {
        let all = json!({
            "elicitation": { "form": {} }, "sampling": {}, "roots": { "listChanged": true },
            "extensions": { "dev.pd-runtime/disclosure": { "version": 1 }, "io.modelcontextprotocol/groups": {} },
        });
        let versions = [
            ("2025-06-18", "2025-06-18"),
            ("delta-mcp/0.2.0", "delta-mcp/0."),
            ("delta-mcp/1.0.0", "delta-mcp/"),
        ];
        for (version, again) in versions {
            for key in ["elicitation", "sampling", "roots", "extensions", "gateway"] {
                let relay = json!({ "extensions": { "dev.pd-runtime/disclosure": { "version": 1, "relay": true } } });
                let some = if key == "gateway" {
                    relay
                } else {
                    json!({ key: all[key] })
                };
                for capabilities in [&all, &some, &json!({})] {
                    let params =
                        json!({ "protocolVersion": version, "capabilities": capabilities });
                    let flags = ClientFlags::from_body(
                        json!({ "method": "initialize", "params": params })
                            .to_string()
                            .as_bytes(),
                    );
                    let restored = flags.params(ProtocolVersion::V_2025_06_18);
                    assert_eq!(restored.protocol_version.as_str(), again);
                    let restored = serde_json::to_value(restored).unwrap();
                    assert_eq!(ClientFlags::from_params(&restored), flags, "{restored}");
                    assert_eq!(
                        restored["capabilities"].get("sampling").is_some(),
                        capabilities.get("sampling").is_some()
                    );
                }
            }
        }
        assert_eq!(ClientFlags::from_body(b"no JSON"), ClientFlags::default());
    }
}
