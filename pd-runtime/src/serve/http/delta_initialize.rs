//! Accepts `initialize` of Delta-MCP clients with their `MCP-Protocol-Version` header. rmcp refuses
//! a header that differs from the version in the body.

use super::initialize_size;
use crate::{
    http_sessions,
    protocol::{extensions::DELTA_ANY_VERSION_PREFIX, headers::VERSION},
};
use http::{Method, request::Parts};
use serde::Deserialize;
use std::borrow::Cow;

/// The version in the body of `initialize`.
#[derive(Deserialize)]
struct InitializeProbe<'a> {
    #[serde(borrow)]
    params: VersionProbe<'a>,
}

#[derive(Deserialize)]
struct VersionProbe<'a> {
    #[serde(borrow, rename = "protocolVersion")]
    protocol_version: Cow<'a, str>,
}

/// Removes the version header from `initialize` of a Delta-MCP client. The header of all other
/// requests stays, and rmcp compares it with their bodies.
pub(super) fn drop_version(parts: &mut Parts, body: &[u8]) {
    let may_be = parts.method == Method::POST && http_sessions::may_be_delta(&parts.headers);
    if may_be && initialize_size::is_small_initialize(body) && names_delta(body) {
        parts.headers.remove(VERSION);
    }
}

fn names_delta(body: &[u8]) -> bool {
    let probe = serde_json::from_slice::<InitializeProbe<'_>>(body);
    probe.is_ok_and(|probe| {
        probe
            .params
            .protocol_version
            .starts_with(DELTA_ANY_VERSION_PREFIX)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn keeps(version: &str, body: &str) -> bool {
        let request = http::Request::post("/mcp")
            .header(VERSION, version)
            .body(())
            .unwrap();
        let (mut parts, ()) = request.into_parts();
        drop_version(&mut parts, body.as_bytes());
        parts.headers.contains_key(VERSION)
    }

    fn message(method: &str, version: &str) -> String {
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "protocolVersion": version } }).to_string()
    }

    #[test]
    fn only_an_initialize_of_delta_loses_its_header() {
        let delta = message("initialize", "delta-mcp/0.2.0");
        for version in [
            "2025-11-25",
            "2025-06-18",
            "2026-07-28",
            "delta-mcp/0.2.0",
            "delta-mcp/0.1.0",
        ] {
            assert!(!keeps(version, &delta), "{version}");
        }
        for version in ["2025-11-26", "mcp2/0.1.0", "", "x"] {
            assert!(keeps(version, &delta), "{version}");
        }
        for body in [
            message("initialize", "2025-06-18"),
            message("initialize", "x delta-mcp/0.2.0"),
            message("tools/list", "delta-mcp/0.2.0"),
            r#"{"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"delta-mcp/0.2.0"}}}"#
                .to_owned(),
            "delta-mcp/".to_owned(),
        ] {
            assert!(keeps("2025-11-25", &body), "{body}");
            assert!(keeps("delta-mcp/0.2.0", &body), "{body}");
        }
    }

    #[test]
    fn two_headers_are_left_for_rmcp_to_refuse() {
        let request = http::Request::post("/mcp")
            .header(VERSION, "2025-11-25")
            .header(VERSION, "delta-mcp/0.2.0");
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        drop_version(
            &mut parts,
            message("initialize", "delta-mcp/0.2.0").as_bytes(),
        );
        assert_eq!(parts.headers.get_all(VERSION).iter().count(), 2);
    }
}
